# Set-up that sim/demo.sh and tests/run.sh share: source it, then call set_up.
# On Debian and Ubuntu it installs what is missing; elsewhere it names that and stops with exit 2.
# When nothing is missing it says nothing and needs no root.
# shellcheck shell=sh disable=SC2086,SC2116 # lists of packages are split into words on purpose

# What must be there, how to see it, and the Debian packages that bring it.
needs='
compiler cc         gcc libc6-dev
compiler c++        g++
tool     make       make
tool     cmake      cmake
tool     pkg-config pkg-config
library  yaml-0.1   libyaml-dev
library  zlib       zlib1g-dev
library  liblzma    liblzma-dev
library  libzstd    libzstd-dev
library  jansson    libjansson-dev
library  cairo      libcairo2-dev fonts-dejavu-core
header   gif_lib.h  libgif-dev
header   csv.h      libcsv-dev
library  sdl2       libsdl2-dev
library  cmocka     libcmocka-dev
tool     python3    python3
tool     jq         jq
tool     xz         xz-utils
tool     zstd       zstd
'

is_there() { # KIND NAME
    case $1 in
    compiler) echo '#include <stdio.h>' | "$2" -E - ;;
    header) echo "#include <$2>" | cc -include stdio.h -E - ;;
    tool) command -v "$2" ;;
    library) pkg-config --exists "$2" ;;
    esac >/dev/null 2>&1
}

missing() { # Packages, one a line
    echo "$needs" | while read -r kind name packages; do
        [ -z "$kind" ] || is_there "$kind" "$name" || printf '%s\n' $packages
    done
}

quietly() { # Runs a command; its output shows only if it fails
    log=$("$@" 2>&1) || {
        printf '%s\nfailed: %s\n' "$log" "$*" >&2
        return 1
    }
}

set_up() {
    packages=$(missing)
    [ -n "$packages" ] || return 0
    packages=$(echo $packages) # on one line

    if ! command -v apt-get >/dev/null 2>&1; then
        echo "set-up: missing (by their names in Debian): $packages" >&2
        exit 2
    fi
    root=
    if [ "$(id -u)" -ne 0 ]; then
        root=sudo
        if ! command -v sudo >/dev/null 2>&1; then
            echo "set-up: as root, run: apt-get install $packages" >&2
            exit 2
        fi
    fi
    echo "set-up: installing $packages" >&2
    quietly $root apt-get -o Acquire::Retries=3 update || exit 2
    quietly $root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o Acquire::Retries=3 install -y --no-install-recommends $packages ||
        exit 2
    packages=$(missing)
    if [ -n "$packages" ]; then
        echo "set-up: still missing after the installation:" $packages >&2
        exit 2
    fi
}

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

build() { # FOLDER TARGET [OPTION OF cmake]...; from the repository's root
    folder=$1 target=$2
    shift 2
    # Only a first build takes long.
    [ -d "$folder/CMakeFiles" ] || long=', for the first time, which may take minutes'
    echo "building in $folder${long-}" >&2
    unset long
    quietly cmake -S . -B "$folder" "$@" &&
        quietly cmake --build "$folder" --target "$target" --parallel "$jobs"
}
