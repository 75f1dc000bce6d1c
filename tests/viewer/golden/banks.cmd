bankshot view traces/cuda-classics.trace.xz --view banks
