MemcpyHtoD,0x00007f1d2a000000,4096
kernel-1.traceg
MemcpyHtoD,0x00007f1d2a001000,64
kernel-2.traceg
