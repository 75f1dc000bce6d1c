#!/usr/bin/env python3
"""Kernels that nobody here wrote: PyTorch's own, cuBLAS's and cuFFT's, once each, on small inputs."""
import sys

import torch
import torch.nn.functional as nn

torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(2026)


def whole(*shape, high=64):
    """Small whole numbers, so that nothing depends on the order of additions."""
    return torch.randint(0, high, shape, device="cuda").float()


def attention():
    query, key, value = (whole(1, 2, 128, 64, high=3).half() / 4 for _ in range(3))
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        return nn.scaled_dot_product_attention(query, key, value)


STEPS = {
    "layer norm": lambda: nn.layer_norm(whole(16, 512), (512,)),
    "softmax": lambda: torch.softmax(whole(8, 4096) / 64, 1),
    "cumulative sum": lambda: torch.cumsum(whole(8, 256), 1),
    "sum": lambda: whole(4, 4096).sum(1),
    "maximum": lambda: whole(4, 4096).max(),
    "sort": lambda: torch.sort(whole(4, 300), 1),
    "histogram": lambda: torch.histc(whole(2048), 64, 0, 63),
    "cuBLAS, single precision": lambda: whole(64, 64) @ whole(64, 64),
    "cuBLAS, double precision": lambda: whole(64, 64).double() @ whole(64, 64).double(),
    "cuBLAS, half precision": lambda: whole(64, 64).half() @ whole(64, 64).half(),
    "cuFFT": lambda: torch.fft.fft(whole(4, 1024)),
    "cuFFT, another length": lambda: torch.fft.fft(whole(2, 1000)),
    "attention": attention,
}


def main():
    wanted = sys.argv[1:] or STEPS
    for name in wanted:
        STEPS[name]()
    torch.cuda.synchronize()
    print(f"{len(wanted)} steps on {torch.cuda.get_device_name()}")


main()
