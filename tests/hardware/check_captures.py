#!/usr/bin/env python3
"""Does a replayed capture give the profiler's totals? Runs bankshot on the captured classics and
compares, kernel by kernel, with what the hardware counted: loads and stores on their own, atomics
through the conflicts of all ops (passes above the ideal)."""
import csv
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TRACE = ROOT / "traces/cuda-classics.trace.xz"
TRUTH = ROOT / "tests/hardware/cuda-classics.truth.tsv"
PAIRS = {"ld_wavefronts": "ld_passes", "st_wavefronts": "st_passes", "conflicts_all_ops": "excess"}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_captures.py BANKSHOT")
    command = [sys.argv[1], "run", "--by", "kernel", "--format", "csv", str(TRACE)]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    predicted = {row["kernel"]: row for row in csv.DictReader(report.splitlines())}
    measured = list(csv.DictReader(TRUTH.read_text().splitlines(), delimiter="\t"))
    wrong = [f"{row['kernel']}: {column} is {predicted[row['kernel']][column]}, measured {row[name]}"
             for row in measured for name, column in PAIRS.items()
             if int(predicted[row["kernel"]][column]) != int(row[name])]
    print("\n".join(wrong) or f"{len(measured)} kernels equal the hardware counters")
    sys.exit(bool(wrong) or len(measured) != 8 or len(predicted) != 8)


main()
