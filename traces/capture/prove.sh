#!/bin/sh
# Tries bankshot-capture on a machine with an NVIDIA GPU: builds the examples, captures them and
# library kernels, profiles the same programs, and holds the traces to the profiler's counters.
#
#     sh traces/capture/prove.sh BUILD OUT [STEP]...
#
# BUILD is a build folder that has the capture library. In OUT come the traces, the profiles, two
# recordings, and prove.log, which is also printed. The steps are those below, all of them unless
# some are named; library and line need a python3 (or $PYTHON) that has PyTorch with CUDA. The exit
# status is 1 if something failed, or a trace is not what the profiler counted.
set -u
if [ $# -lt 2 ]; then
    echo "usage: prove.sh BUILD OUT [STEP]..." >&2
    exit 2
fi
sources=$(cd "$(dirname "$0")/examples" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2" && out=$(cd "$2" && pwd)
shift 2
steps=${*:-examples library line recordings profiles comparisons overhead}
python=${PYTHON:-python3}
PATH=$build/bin:$PATH
programs="classics histogram tensor_matmul"
pipe=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_
sass=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_
metrics=${pipe}ld.sum,${pipe}st.sum,${pipe}atom.sum,${sass}atom.sum,${sass}ldsm.sum
metrics=$metrics,${sass}stsm.sum,${sass}ldgsts_cache_access.sum,${sass}ldgsts_cache_bypass.sum
failures=0

say() { printf '\n== %s\n' "$*"; }

try() { # Runs a command for two minutes at most, and says how it was called and how it ended.
    printf '$ %s\n' "$*"
    timeout -k 5 120 "$@"
    status=$?
    [ $status -eq 0 ] || echo "exit $status"
    return $status
}

must() { try "$@" || failures=$((failures + 1)); }

seconds() { # Of wall clock, that a command takes; its output goes away.
    start=$(date +%s.%N)
    timeout -k 5 120 "$@" >/dev/null 2>&1
    echo "$start $(date +%s.%N)" | awk '{ printf "%.2f s\n", $2 - $1 }'
}

profile() { # NAME COMMAND...: the raw page, and with NAME of a program of ours the source page
    name=$1
    shift
    sections=
    [ "$name" = library ] || sections="--section SourceCounters"
    # shellcheck disable=SC2086 # two words, or none
    timeout -k 5 200 ncu -f --print-kernel-base mangled --metrics "$metrics" $sections \
        -o "$out/$name" "$@" >"$out/$name.ncu.log" 2>&1 || tail -n 3 "$out/$name.ncu.log"
    report=$out/$name.ncu-rep
    ncu --import "$report" --print-kernel-base mangled --page raw --csv >"$out/$name.profile.csv"
    [ "$name" = library ] || ncu --import "$report" --print-kernel-base mangled --page source \
        --print-source sass --csv >"$out/$name.source.csv"
    rm -f "$report" "$out/$name.ncu.log"
}

where() {
    say "Where"
    date -u '+%Y-%m-%d %H:%M UTC'
    nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
    nvcc --version | tail -n 1
    ncu --version | tail -n 1
    bankshot --version
}

build_examples() {
    for name in $programs unseen overhead; do
        [ -x "$name.program" ] ||
            nvcc -std=c++17 -arch=native -lineinfo -o "$name.program" "$sources/$name.cu" &
    done
    wait
}

examples() {
    say "The examples"
    for name in $programs unseen; do
        must bankshot-capture -o "$name.trace" "./$name.program"
    done
    say "What cannot be captured is counted, and said in the trace"
    grep '^# ' unseen.trace
}

library() {
    say "Kernels of PyTorch, cuBLAS and cuFFT, which nobody here wrote"
    must bankshot-capture -o library.trace "$python" "$sources/library.py"
}

line() {
    say "A program of one line: one command for a trace, one for a report"
    program='import torch; torch.softmax(torch.ones(4, 4096, device="cuda"), 1)'
    must bankshot-capture -k '*oft?ax*' -o line.trace "$python" -c "$program"
    must bankshot run line.trace
}

recordings() {
    say "Recordings, which need no GPU to become traces again"
    must bankshot-capture -k count_bytes --cta 0 -o count.trace --record count.rec \
        ./histogram.program
    must bankshot-capture -k turn_matrices -o turn.trace --record turn.rec ./tensor_matmul.program
}

profiles() {
    say "Profiles"
    for name in $programs; do profile "$name" "./$name.program"; done
    profile library "$python" "$sources/library.py"
    ls -l ./*.csv
}

comparisons() {
    say "What the profiler counted"
    for name in $programs library; do
        must bankshot compare --tolerance 1 --except tries "$name.trace" "$name.profile.csv"
    done
    for name in $programs; do
        bankshot compare --by pc --format csv "$name.trace" "$name.source.csv" >"$name.by-pc.csv" ||
            failures=$((failures + 1))
        awk -F, 'NR > 1 { all++; same += $4 == $5 } END { print same, "of", all,
            "instructions are equal by the source page" }' "$name.by-pc.csv"
    done
}

overhead() {
    say "What it costs: a kernel that does nothing but access shared memory"
    try ./overhead.program
    try bankshot-capture -o overhead.bst ./overhead.program
    try bankshot-capture -o overhead.trace ./overhead.program
    printf 'alone %s' "$(seconds ./overhead.program)"
    printf ', captured as binary %s' "$(seconds bankshot-capture -o overhead.bst ./overhead.program)"
    printf ', as text %s' "$(seconds bankshot-capture -o overhead.trace ./overhead.program)"
    printf ', modules not wanted %s\n' "$(seconds bankshot-capture -k none ./overhead.program)"
    rm -f overhead.bst overhead.trace
}

everything() {
    cd "$out" || exit 1
    where
    build_examples
    for step in $steps; do $step; done
    say "$failures failures"
}

everything 2>&1 | sed "s|$sources/||g" | tee "$out/prove.log"
grep -q '^== 0 failures' "$out/prove.log"
