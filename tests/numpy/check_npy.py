#!/usr/bin/env python3
"""Are NumPy's own files read, and does NumPy read ours? The argument is the command."""
import subprocess
import sys
import tempfile

import numpy as np


def came(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True,
                          text=True).stdout


def same(expected, result):
    assert expected == result, f"expected: {expected!r}\ncame:     {result!r}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, again = f"{folder}/a.npy", f"{folder}/b.npy"
        head = "#bankshot-trace 1\nkernel array\n"
        for kind in (np.uint32, np.uint64, np.int32, np.int64):
            np.save(path, (np.arange(32, dtype=kind) * kind(132))[None, :])
            same(head + "0 0 0x0 ld.b32 ffffffff 0x0+132*32\n",
                 came("convert", path, "-", "--op", "ld.b32"))
        rows = np.zeros(2, [("op", "S12"), ("mask", "<u8"), ("warp", "u1"), ("kernel", "S3"),
                            ("addr", "<i8", (16,))])
        rows["op"], rows["mask"], rows["warp"] = [b"LDS.64", b"st.b8"], [0xff, 1], [2, 255]
        rows["kernel"], rows["addr"] = [b"one", b"two"], np.arange(16) * 8
        np.save(path, rows)
        text = ("#bankshot-trace 1\nkernel one\n0 2 0x0 ld.b64 000000ff 0x0+8*8\n"
                "kernel two\n0 255 0x0 st.b8 00000001 0x0\n")
        same(text, came("convert", path, "-"))
        came("convert", path, again)
        ours = np.load(again)
        same([b"ld.b64", b"st.b8"], ours["op"].tolist())
        same([2, 255], ours["warp"].tolist())
        same((2, 32), ours["addr"].shape)
        same(list(range(0, 64, 8)), ours["addr"][0, :8].tolist())


main()
