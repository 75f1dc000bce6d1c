bankshot view --eval ld.b32 't*8' --at 0:2 --view heat
