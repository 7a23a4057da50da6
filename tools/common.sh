# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the jobs share. They read this file in the folder of the sources.
set -eu
. tools/packages.sh

jobs=$(nproc 2>/dev/null || echo 2)

# nvcc is often installed beside the PATH.
if ! command -v nvcc >/dev/null 2>&1 && [ -x /usr/local/cuda/bin/nvcc ]; then
    PATH=$PATH:/usr/local/cuda/bin
    export PATH
fi

say() { echo "run: $*" >&2; }

# folder_of PRESET: prints where CMakePresets.json builds it.
folder_of() {
    case $1 in
    release | gpu) echo build ;;
    *) echo "build-$1" ;;
    esac
}

# configure PRESET [cmake options]
configure() {
    folder=$(folder_of "$1")
    for tool in cc cmake; do
        command -v $tool >/dev/null 2>&1 || {
            say "$tool is missing and could not be installed"
            exit 1
        }
    done
    # A folder keeps the generator it was made with.
    if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then
        set -- "$@" -G Ninja
    fi
    mkdir -p "$folder"
    cmake --preset "$@" >"$folder/configure.log" 2>&1 || {
        cat "$folder/configure.log" >&2
        exit 1
    }
    sed -n '/CMake Warning/,/^$/p' "$folder/configure.log" >&2
}

# build PRESET [cmake options]
build() {
    configure "$@"
    cmake --build "$(folder_of "$1")" -j "$jobs"
}

# build_target PRESET TARGET
build_target() {
    configure "$1"
    cmake --build "$(folder_of "$1")" -j "$jobs" --target "$2"
}

# run_tests PRESET [ctest options]
run_tests() {
    folder=$(folder_of "$1")
    shift
    ctest --test-dir "$folder" --output-on-failure -j "$jobs" "$@"
}

# Prints the commit of the sources. A copy on another machine may have another HEAD: RO_COMMIT says
# there what was copied, and without it sources that differ from HEAD are named as changed.
commit() {
    if [ -n "${RO_COMMIT:-}" ]; then
        echo "$RO_COMMIT"
    elif head=$(git rev-parse --short HEAD 2>/dev/null); then
        if [ -z "$(git status --porcelain)" ]; then echo "$head"; else echo "$head with changes"; fi
    else
        echo unknown
    fi
}
