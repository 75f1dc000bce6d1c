#!/usr/bin/env python3
"""Derives the numbers of a model's `timing` section from measured loops, and holds the model to them.

Usage: fit_timing.py PREDICT [MODEL-FOLDER [DATA-FOLDER]]

docs/hardware.md says what each number stands for and which rows show it. Where one effect rules
alone, its number follows from the rows by arithmetic. The three that show only in how warps share
the queues come from a search with the engine, which PREDICT runs; what is kept aside is not used.
"""
import lzma
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
BYTES = {"ld.b32": 4, "ld.b64": 8, "ld.b128": 16, "st.b32": 4, "atom.add.b32": 4}
LATENCIES = {"latency_32": "ld.b32", "latency_64": "ld.b64", "latency_128": "ld.b128"}
STEPS = 8
BODY = {"ld": 16, "st": 4}  # iterations that the compiler put one after the other


def lone_rows(folder):
    """(op, dep, passes of an access, cycles of an iteration): a lone warp, all accesses alike."""
    text = lzma.open(folder / "h200-sequences.tsv.xz", "rt").read()
    for line in text.splitlines()[1:]:
        op, warps, dep, _, _, _, cycles, *patterns = line.split("\t")
        run = re.fullmatch(r"0x0\+(\d+)\*32", patterns[0])
        if warps != "1" or op not in BYTES or not run or len(set(patterns)) > 1:
            continue
        stride = int(run[1])
        if stride and stride & (stride - 1) == 0:
            yield op, dep == "1", min(stride // 4, 32), float(cycles)


def fit_lone(folder):
    """What loops of a lone warp say."""
    rows = list(lone_rows(folder))

    def of(op, dep, keep):
        return [(passes, cycles) for o, d, passes, cycles in rows
                if o == op and d == dep and keep(passes)]

    got = {"pass_interval": round(statistics.median(
        cycles / STEPS / passes for op in BYTES for passes, cycles in of(op, False, lambda p: p == 32)))}
    # A body of loads with conflicts: all its passes, then the wait for the last result.
    result, chain = {}, {}
    for key, op in LATENCIES.items():
        result[key] = 1 + statistics.median(
            BODY["ld"] * (cycles - STEPS * got["pass_interval"] * passes)
            for passes, cycles in of(op, False, lambda p: p >= 8))
    # A dependent chain: that wait, and the arithmetic on the way to the next address.
    for key, op in [*LATENCIES.items(), ("latency_atom", "atom.add.b32")]:
        chain[key] = statistics.median(cycles / STEPS - got["pass_interval"] * (passes - 1) - 1
                                       for passes, cycles in of(op, True, lambda p: True))
    got["latency_add"] = 100 * round(statistics.median(chain[key] - result[key] for key in result))
    for key in chain:
        got[key] = round(100 * chain[key]) - got["latency_add"]
    # A body of loads without conflicts: all its issues, and the wait for the last result.
    got["warp_interval"] = 100 * round(statistics.median(
        (BODY["ld"] * cycles - 1 - result["latency_32"]) / (BODY["ld"] * STEPS - 1)
        for passes, cycles in of("ld.b32", False, lambda p: p == 1)))
    # Not the model's but the loops': what a branch adds to a body of stores.
    branch = statistics.median(BODY["st"] * (cycles - STEPS * got["warp_interval"] / 100)
                               for passes, cycles in of("st.b32", False, lambda p: p == 1))
    return got, round(branch)


def fit_schedulers(folder):
    """Four warps of one scheduler, no conflicts: what an instruction takes of it, with its data."""
    got = {}
    each = {}
    for line in lzma.open(folder / "h200-warm-streams.tsv.xz", "rt").read().splitlines()[1:]:
        mask, op, count, slots, then, _, _, without, cycles = line.split("\t")
        if mask == "1111" and then == "-" and slots in "124":
            key = op, without != "0", int(slots)
            each[key] = float(cycles) / 4 / int(count)
    got["scheduler_interval"] = round(each["ld.b32", False, 1])
    got["data_interval"] = round(statistics.median(
        (each[op, False, slots] - got["scheduler_interval"]) / registers
        for op, slots, registers in (("st.b32", 1, 1), ("st.b64", 2, 2), ("st.b128", 4, 4))))
    return got


def fit_queues(folder, pass_interval, latency):
    """How many instructions are still to be served when the last of a burst is issued: those at the
    array, and those behind each scheduler that has a warp."""
    points = []
    for line in (folder / "h200-bursts.tsv").read_text().splitlines():
        if line.startswith(("#", "op")):
            continue
        _, mask, cycles = line.split("\t")
        warps = bin(int(mask, 16)).count("1")
        served = 32 * max(pass_interval, warps)  # cycles until each warp has got rid of one
        points.append((warps, sum((float(c) - latency) / served for c in cycles.split(","))))
    slope, rest = statistics.linear_regression(*zip(*points))
    return {"queue": round(slope), "in_flight": round(rest)}


class Search:
    def __init__(self, predict, models):
        self.command = [predict, str(models)]

    def error(self, kind, key, value):
        """Mean error over rows of a kind."""
        out = subprocess.run([*self.command, kind, f"timing.{key}={value}"], check=True,
                             capture_output=True, text=True).stdout
        rows = [line.split("\t") for line in out.splitlines()]
        return statistics.mean(abs(float(predicted) / float(measured) - 1)
                               for *_, measured, predicted in rows)

    def best(self, kind, key, values):
        errors = {value: self.error(kind, key, value) for value in values}
        print("  " + key, ", ".join(f"{v}: {100 * e:.2f} %" for v, e in errors.items()))
        return min(errors, key=errors.get)


def main():
    predict = sys.argv[1]
    models = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent.parent / "configs"
    data = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else HERE
    fitted, branch = fit_lone(data)
    fitted.update(fit_schedulers(data))
    fitted.update(fit_queues(data, fitted["pass_interval"], fitted["latency_32"] / 100))
    search = Search(predict, models)
    print("searched, with the mean error for each value:")
    fitted["lookahead"] = search.best("unequal", "lookahead", (2, 3, 4, 5, 6))
    fitted["barrier_latency"] = search.best("barrier", "barrier_latency", range(14, 19))
    fitted["barrier_interval"] = search.best("barrier", "barrier_interval", (1, 2, 3))
    text = (models / "hopper.yaml").read_text()
    timing = dict(re.findall(r"^  (\w+): (\d+)", text.split("\ntiming:")[1].split("\n\n")[0], re.M))
    wrong = 0
    for key, value in fitted.items():
        far = abs(value - int(timing[key])) > 0.01 * value
        wrong += far
        print(f"{key}: {value} derived, {timing[key]} in the model{' (not the same)' if far else ''}")
    print(f"of the loops, not of the model: a branch adds {branch} cycles")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
