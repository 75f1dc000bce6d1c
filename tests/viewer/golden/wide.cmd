bankshot view --eval ds_read_b128 't*16' -m gcn --set banks=128 --at 0:2
