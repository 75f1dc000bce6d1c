#!/usr/bin/env python3
"""Does the reader of the manual, docs/read_bst.py, see the records that the text has? The argument is
the command."""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import read_bst  # noqa: E402

OWN = """#bankshot-trace 1
kernel none
kernel some grid=2,1,1 block=64,1,1 smem=4096 model=hopper
kernel more cc=9.0 device=a\\x20GPU demangled=more<int>()
source 0x10 more.cu:7
source 0x200 more.cu:8
49 6 0x200 cp.async.b64 ffffffff 0x400+8*32 src=0x7f0000001000+8*16,0xfffffffffffffff8-8*16
49 6 0x210 bar ffffffff -
49 6 0x220 ld.b32 f0f 0x400-128*8
49 6 0x230 st.b32 0000000f 0x43c,0,0xfffffffc,8 dep=1
50 7 0x230 st.b32 0 -
"""


def addresses(runs):
    if runs == "-":
        return
    for run in runs.split(","):
        first, _, rest = run.replace("-", "+-").partition("+")
        step, _, count = rest.partition("*")
        for i in range(int(count or 1)):
            yield int(first, 0) + int(step or 0) * i


def of_text(text):
    launch = -1
    for line in text.splitlines():
        words = line.split()
        if line.startswith("kernel"):
            launch += 1
        elif words and not line.startswith(("#", "source")):
            keys = dict(word.split("=") for word in words[6:])
            yield (launch, int(words[0]), int(words[1]), int(words[2], 16), words[3],
                   int(words[4], 16), int(keys.get("dep", 0)), list(addresses(words[5])),
                   list(addresses(keys.get("src", "-"))))


def of_binary(path):
    for block in read_bst.read(path)[1]:
        for row in zip(*block.values()):
            head = [value.item() for value in row[:7]]
            lanes = [t for t in range(64) if head[5] >> t & 1 and head[4] != "bar"]
            sources = lanes if row[8].any() else []
            yield (*head, [int(row[7][t]) for t in lanes], [int(row[8][t]) for t in sources])


def check_launches(path):
    """All that a kernel can say."""
    more = read_bst.read(path)[0][2]
    expected = {"name": "more", "grid": [0, 0, 0], "block": [0, 0, 0], "smem": -1, "model": None,
                "demangled": "more<int>()", "device": "a GPU", "cc": (9, 0),
                "places": {0x10: "more.cu:7", 0x200: "more.cu:8"}}
    assert more == expected, f"expected: {expected}\ncame:     {more}"


def main():
    command = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        own = pathlib.Path(folder) / "own"
        own.write_text(OWN)
        for trace in (own, *sorted((ROOT / "traces").glob("*.trace.xz"))):
            binary = f"{folder}/trace.bst"
            subprocess.run([command, "convert", trace, binary], check=True)
            if trace == own:
                check_launches(binary)
            text = subprocess.run([command, "convert", binary, "-"], check=True,
                                  capture_output=True, text=True).stdout
            expected, came = list(of_text(text)), list(of_binary(binary))
            assert len(expected) == len(came) > 0, (trace, len(expected), len(came))
            for number, (a, b) in enumerate(zip(expected, came)):
                assert a == b, f"{trace}, record {number}\nexpected: {a}\ncame:     {b}"


main()
