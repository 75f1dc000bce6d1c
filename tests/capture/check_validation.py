#!/usr/bin/env python3
"""Is what bankshot predicts what the hardware counted? Compares the kept captures of an H200 with
their profiles, and holds docs/validation.md to the outcome.
Usage: check_validation.py BANKSHOT [--write]: with --write the document's tables are made anew."""
import csv
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = "traces/h200"
DOCUMENT = ROOT / "docs/validation.md"
BEGIN, END = "<!-- made by tests/capture/check_validation.py --write -->\n", "<!-- end -->\n"
SETS = {"classics": "Classics", "histogram": "Histograms", "tensor_matmul": "Tensor cores",
        "library": "Library kernels"}
# What to call a kernel, by a part of its name.
NAMES = {
    "transposeILi0E": "`transpose<0>`", "transposeILi1E": "`transpose<1>`",
    "transpose_swizzled": "`transpose_swizzled`", "reduce_interleaved": "`reduce_interleaved`",
    "reduce_sequential": "`reduce_sequential`", "4scan": "`scan`", "padded_runs": "`padded_runs`",
    "tiled_product": "`tiled_product`", "count_bytes": "`count_bytes`",
    "weigh_bytes": "`weigh_bytes`", "weigh_floats": "`weigh_floats`",
    "productILb0E": "`product<false>`", "productILb1E": "`product<true>`",
    "turn_matrices": "`turn_matrices`", "vectorized_layer_norm": "PyTorch: layer norm",
    "cunn_SoftMax": "PyTorch: softmax", "scan_innermost": "PyTorch: cumulative sum",
    "sum_functor": "PyTorch: sum", "MaxNanFunctor": "PyTorch: maximum", "radixSort": "PyTorch: sort",
    "kernelHistogram1D": "PyTorch: histogram", "gemm_f32f32": "cuBLAS: single precision",
    "gemm_f64f64": "cuBLAS: double precision", "nvjet": "cuBLAS: half precision",
    "regular_fft_r2cILj1024": "cuFFT: 1024 points", "regular_fft_r2cILj1000": "cuFFT: 1000 points",
    "flash_fwd": "PyTorch: attention",
}
# What differs, for the reasons that the document gives.
OTHER_RUNS = {"PyTorch: histogram": {"loads", "atomics"}, "`weigh_floats`": {"atomics"}}
# Each of these must be among what was compared.
EVERYTHING = {"loads", "stores", "atomics", "ldmatrix", "stmatrix", "cp.async", "cp.async.cg"}


def compare(bankshot, *words):
    done = subprocess.run([bankshot, "compare", "--format", "csv", *words], cwd=ROOT, check=True,
                          capture_output=True, text=True)
    return list(csv.DictReader(done.stdout.splitlines()))


def name_of(kernel):
    return next(name for part, name in NAMES.items() if part in kernel)


def rows_of(bankshot):
    return {title: [(name_of(row["kernel"]), row["what"], int(row["records"]),
                     int(row["predicted"]), int(row["measured"]))
                    for row in compare(bankshot, f"{DATA}/{name}.bst.xz",
                                       f"{DATA}/{name}.profile.csv.xz")]
            for name, title in SETS.items()}


def instructions(bankshot):
    """By program: how many instructions there are, and how many are equal by the source page."""
    for name, title in SETS.items():
        path = f"{DATA}/{name}.source.csv.xz"
        if (ROOT / path).exists():
            rows = compare(bankshot, "--by", "pc", f"{DATA}/{name}.bst.xz", path)
            same = sum(row["predicted"] == row["measured"] for row in rows)
            yield title, len(rows), same


def tables(rows, by_pc):
    lines = []
    for title, found in rows.items():
        lines += [f"### {title}", "", "| kernel | what | records | predicted | measured |",
                  "|---|---|---:|---:|---:|"]
        lines += [f"| {kernel} | {what} | {records:,} | {predicted:,} | "
                  f"{f'{measured:,}' if predicted == measured else f'**{measured:,}**'} |"
                  for kernel, what, records, predicted, measured in found]
        lines.append("")
    lines += ["### By instruction", "", "| program | instructions | equal |", "|---|---:|---:|"]
    lines += [f"| {title} | {count} | {same} |" for title, count, same in by_pc]
    return "\n".join(lines) + "\n"


def complaints(rows, by_pc):
    for found in rows.values():
        for kernel, what, _, predicted, measured in found:
            if (predicted != measured) != (what in OTHER_RUNS.get(kernel, ())):
                yield f"{kernel}, {what}: predicted {predicted}, measured {measured}"
    for title, count, same in by_pc:
        if count != same:
            yield f"{title}: {same} of {count} instructions are equal"
    for missing in EVERYTHING - {row[1] for found in rows.values() for row in found}:
        yield f"no kernel has {missing}"


def main():
    bankshot, write = sys.argv[1], "--write" in sys.argv[2:]
    rows, by_pc = rows_of(bankshot), list(instructions(bankshot))
    text = DOCUMENT.read_text()
    head, rest = text.split(BEGIN)
    fresh = head + BEGIN + tables(rows, by_pc) + END + rest.split(END)[1]
    wrong = list(complaints(rows, by_pc))
    if write:
        DOCUMENT.write_text(fresh)
    elif fresh != text:
        wrong.append("docs/validation.md does not show this: run this script with --write")
    count = sum(map(len, rows.values()))
    print("\n".join(wrong) or f"{count} counts are as they should be")
    sys.exit(bool(wrong))


main()
