#!/usr/bin/env python3
"""Derives numbers of a model's `timing` section from measured loops, and holds the model to them.

Usage: fit_timing.py BANKSHOT [SEQUENCES.tsv.xz]. docs/hardware.md says what each stands for. Only
rows in which one effect rules alone are used: a lone warp whose 8 patterns are one constant,
power-of-two stride, and whose passes follow from it without a model.
"""
import json
import lzma
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
BYTES = {"ld.b32": 4, "ld.b64": 8, "ld.b128": 16, "st.b32": 4, "atom.add.b32": 4}
LATENCIES = {"latency_32": "ld.b32", "latency_64": "ld.b64", "latency_128": "ld.b128",
             "latency_atom": "atom.add.b32"}
STEPS = 8


def lone_rows(path):
    """(op, dep, passes of an access, cycles of an access)"""
    for line in lzma.open(path, "rt").read().splitlines()[1:]:
        op, warps, dep, _, _, _, cycles, *patterns = line.split("\t")
        run = re.fullmatch(r"0x0\+(\d+)\*32", patterns[0])
        if warps != "1" or op not in BYTES or not run or len(set(patterns)) > 1:
            continue
        stride = int(run[1])
        if stride and stride & (stride - 1) == 0:
            yield op, dep == "1", min(stride // 4, 32), float(cycles) / STEPS


def fit(path):
    rows = list(lone_rows(path))
    steady = [cycles / passes for _, dep, passes, cycles in rows if not dep and passes == 32]
    fitted = {"pass_interval": round(statistics.median(steady))}
    free = [cycles for op, dep, passes, cycles in rows
            if op == "ld.b32" and not dep and passes == 1]
    fitted["warp_interval"] = round(100 * statistics.median(free))
    for key, op in LATENCIES.items():
        left = [cycles - fitted["pass_interval"] * (passes - 1) - 1
                for o, dep, passes, cycles in rows if o == op and dep]
        fitted[key] = round(100 * statistics.median(left))
    return fitted


def main():
    path = sys.argv[2] if len(sys.argv) > 2 else HERE / "h200-sequences.tsv.xz"
    shown = subprocess.run([sys.argv[1], "models", "hopper", "--format", "json"],
                           check=True, capture_output=True, text=True).stdout
    model = json.loads(shown)["timing"]
    wrong = 0
    for key, value in fit(path).items():
        far = abs(value - model[key]) > 0.01 * value
        wrong += far
        print(f"{key}: {value} derived, {model[key]} in the model{' (not the same)' if far else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
