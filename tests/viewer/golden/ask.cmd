bankshot view --eval ld.b32 't*pitch*4' --let pitch=32 --compare pitch=33 --at 0:7 --ask
