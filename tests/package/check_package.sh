#!/bin/sh
# Builds and installs bankshot, moves the installation, and uses it from there: the command, the
# CMake package and pkg-config. The argument says which libraries: static or shared.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
static) shared=OFF ;;
shared) shared=ON ;;
esac

quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        echo "failed: $*"
        exit 1
    }
}

expect() { # NAME EXPECTED CAME
    [ "$2" = "$3" ] || {
        printf '%s\nexpected: %s\ncame:     %s\n' "$1" "$2" "$3"
        exit 1
    }
}

quietly cmake -S "$root" -B "$work/build" -DBUILD_SHARED_LIBS="$shared" -DBANKSHOT_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX="$work/first place" -DCMAKE_INSTALL_LIBDIR=lib
quietly cmake --build "$work/build" --target programs # as sim/demo.sh: that must be all
quietly cmake --install "$work/build"
rm -rf "$work/build"
prefix="$work/second place"
mv "$work/first place" "$prefix"

for file in include/bankshot.h include/bankshot-traces.h share/bankshot/models/hopper.yaml \
    share/bankshot/sketches/transpose-flat.yaml \
    bin/bankshot-view share/man/man1/bankshot-view.1 \
    share/man/man1/bankshot.1 share/bash-completion/completions/bankshot \
    share/zsh/site-functions/_bankshot share/fish/vendor_completions.d/bankshot.fish; do
    [ -f "$prefix/$file" ] || {
        echo "not installed: $file"
        exit 1
    }
done

# A warp of 64-bit loads, 8 bytes apart, takes two passes.
expect "the installed command" 2 \
    "$("$prefix/bin/bankshot" eval ld.b64 't*8' --format json | jq .passes)"

expect "the installed viewer" "bankshot-view" \
    "$("$prefix/bin/bankshot" view --version | cut -d' ' -f1)"

quietly cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/consumer"
expect "find_package" "2 passes" "$("$work/consumer/consumer-c")"
expect "find_package, C++" "2 passes" "$("$work/consumer/consumer-cpp")"

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
[ "$1" = static ] && static=--static || static=
# shellcheck disable=SC2086 # no option is no word
flags=$(pkg-config $static --cflags --libs bankshot-traces)
models=$(pkg-config --variable=modelsdir bankshot)
# pkg-config quotes for the shell, hence eval.
eval "quietly cc -o \"\$work/with-pkg-config\" \"-DMODELS=\\\"\$models\\\"\" \
    \"\$here/consumer/consumer.c\" $flags"
export LD_LIBRARY_PATH="$prefix/lib"
expect "pkg-config" "2 passes" "$("$work/with-pkg-config")"
