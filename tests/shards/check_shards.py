#!/usr/bin/env python3
"""Do the reports of shards, merged in any order, give the report of the whole run, byte for byte, for
every grouping and format? The argument is the command."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GROUPINGS = ("pc", "line", "op", "kernel", "total", "record")
SEED = 20

# Kernels that come again, with other source places, have no records or names that JSON cannot hold; bytes left undefined, rules
# that are assumed, copies without sources, addresses that are misaligned, CTAs beyond the grid.
ODD = b"""#bankshot-trace 1
kernel empty
kernel a,"b" grid=4,1,1
source 0x10 a.cu:1
source 0x20 late
0 0 0x10 st.b32 ffffffff 0x0+4*32
2 0 0x30 ld.b32 1 0
3 0 0x10 st.b32 ffffffff 0x0+4*32
1 0 0x20 st.b32 3 0x8,0x8
kernel \xff\xfe
7 1 0xffffffffffffffff red.exch.b32 ffffffff 0x0+4*32
6 1 0x20 cp.async.cg.b128 ffffffff 0x0+16*32
kernel \\x5cxff\\x5cxfe grid=2,2,1 cc=9.0 device=x demangled=f(int)
3 0 0x30 ld.b32 f 1,5,9,13
0 0 0x40 ld.b64 ffffffff 0x0+256*32
1 0 0x40 ld.b64 ffffffff 0x0+256*32
9 0 0x40 bar ffffffff -
kernel a,"b" grid=4,1,1
source 0x10 a.cu:7
source 0x20 a.cu:1
2 4294967295 0x10 st.b32 ffffffff 0x0+128*32
0 0 0x20 st.b32 3 0x10,0x10
kernel late
"""


class Checks:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.random = random.Random(SEED)
        self.made, self.failed = 0, 0

    def call(self, *words):
        done = subprocess.run([self.command, *words], cwd=self.folder, capture_output=True,
                              env=os.environ | {"COLUMNS": "80", "LC_ALL": "C"}, check=False)
        if done.returncode or b"Sanitizer" in done.stderr:
            sys.exit(f"bankshot {' '.join(words)}: exit {done.returncode}\n{done.stderr.decode()}")
        return done.stdout, done.stderr

    def compare(self, shards, words, merge, run):
        self.made += 1
        if merge == run:
            return
        self.failed += 1
        (self.folder / "whole").write_bytes(run[0] + run[1])
        (self.folder / "merged").write_bytes(merge[0] + merge[1])
        subprocess.run(["diff", "whole", "merged"], cwd=self.folder, check=False)
        print(f"not the whole: the merge of {shards} shards of bankshot run {' '.join(words)}\n"
              f"To run just this: --shard I/{shards} with that, for each I, and bankshot merge")

    def check(self, shards, by, *words):
        reports = []
        for shard in range(1, shards + 1):
            reports.append(f"{shard}.json")
            made, _ = self.call("run", "--format", "json", "--by", by, "--shard",
                                f"{shard}/{shards}", *words)
            (self.folder / reports[-1]).write_bytes(made)
        self.random.shuffle(reports)
        for output in ("json", "csv", "text"):
            # Asked for by pc, the report is not shortened.
            top = ["--top", "all"] if (by, output) == ("pc", "text") else []
            self.compare(shards, words, self.call("merge", *top, "--format", output, *reports),
                         self.call("run", "--by", by, "--format", output, *words))
        if by == "pc":
            self.compare(shards, words, self.call("merge", *reports), self.call("run", *words))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "odd.trace").write_bytes(ODD)
        (folder / "traces").symlink_to(ROOT / "traces")
        (folder / "formats").symlink_to(ROOT / "tests" / "formats")
        checks = Checks(sys.argv[1], folder)
        classics, library = "traces/cuda-classics.trace.xz", "traces/library-kernels.trace.xz"
        checks.call("convert", library, "indexed.bst")  # whose shards are found by the index
        checks.check(4, "pc", "indexed.bst")
        for by in GROUPINGS:
            checks.check(3, by, classics)
            checks.check(2, by, library)
            checks.check(5, by, "--allow-misaligned", "odd.trace", "formats/small/native.trace",
                         "odd.trace")
        for by in ("pc", "kernel"):
            checks.check(1, by, "odd.trace", "--op", "st.*")
            checks.check(17, by, "odd.trace", "--allow-misaligned", "--set", "bank_width=8")
            checks.check(2, by, "formats/folder", "formats/small/kernel-v5.traceg")
            checks.check(2, by, "--zero-is-offset", "--skip-bad", "formats/small/mem_trace.txt")
        checks.check(3, "pc", "traces/sketches/matmul-tiled.yaml", "--let", "pad=1")
        checks.check(2, "record", "formats/folder", "-m", "ampere", "--warp", "0-1", classics)
    print(f"{checks.made - checks.failed} reports equal, {checks.failed} differ; seed {SEED}")
    return 1 if checks.failed or not checks.made else 0


sys.exit(main())
