#!/bin/sh
# A first look: installs what is missing, builds, and replays a captured trace.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh
set_up
build build programs || exit 1

show() { # Says what runs, then runs it
    printf '\n$ build/bin/bankshot'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9./_=-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n\n'
    build/bin/bankshot "$@"
}

echo
echo "Every shared-memory instruction of some CUDA kernels, captured on a GPU, worst first:"
show run traces/cuda-classics.trace.xz
echo
echo "One instruction in detail: 64-bit loads, lane t at byte 16 t."
show explain ld.b64 't*16'
echo
echo "To type bankshot, bankshot-view and the others without their folder:"
echo
printf '  export PATH="%s/build/bin:$PATH"\n' "$PWD"
