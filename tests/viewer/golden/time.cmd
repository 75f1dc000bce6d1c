bankshot view traces/cuda-classics.trace.xz --at 2048 --view time
