#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/cross.sh aarch64 [--quick]: builds for 64-bit ARM and runs the tests under qemu; quickly,
# NEON against the reference in few trials of five suites, which takes three minutes.
cd "$(dirname "$0")/../.."
. tools/common.sh

# unpack_foreign ARCHITECTURE FOLDER PACKAGES...: downloads Debian's packages for another processor
# and unpacks them into FOLDER. Nothing is installed, so this needs no root.
unpack_foreign() {
    architecture=$1
    sysroot=$2
    shift 2
    if [ -d "$sysroot/usr" ] || [ -n "${RO_NO_INSTALL:-}" ]; then return 0; fi
    mkdir -p "$sysroot/lists/partial" "$sysroot/archives/partial"
    : >"$sysroot/status"
    cat >"$sysroot/apt.conf" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "root";
Dir::State "$sysroot";
Dir::State::status "$sysroot/status";
Dir::Cache "$sysroot";
Acquire::Languages "none";
Acquire::Retries "0";
END
    say "downloading" "$@" "for $architecture into $sysroot"
    (
        cd "$sysroot"
        APT_CONFIG=$sysroot/apt.conf
        export APT_CONFIG
        apt-get -q update && apt-get -q download "$@"
        for package in *.deb; do dpkg-deb -x "$package" .; done
    ) >"$sysroot/log" 2>&1 || {
        cat "$sysroot/log" >&2
        say "cannot download" "$@" "for $architecture: going on without"
    }
    rm -rf "$sysroot/lists" "$sysroot/archives"
}

quick=${2:-}
if [ "${1:-}" != aarch64 ] || [ "${quick:---quick}" != --quick ]; then
    say "cross: the processor is aarch64"
    exit 2
fi
# shellcheck disable=SC2086
need $packages_build $packages_aarch64
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool >/dev/null 2>&1 || {
        say "$tool is missing: nothing was checked for ARM"
        [ -n "$quick" ]
        exit
    }
done
unpack_foreign arm64 "$PWD/build-aarch64/sysroot" libcmocka-dev libcmocka0 libxxhash-dev \
    zlib1g-dev zlib1g libpng-dev libpng16-16
if [ -z "$quick" ]; then
    build aarch64
    # Unit tests with the golden hashes, every variant against the reference, the command. The other
    # tests look at sources, at this machine or at programs that are not emulated.
    run_tests aarch64 -LE '^(docs|examples|faults|hdl|headers|install|mpi|proofs|python)$'
else
    build_target aarch64-quick rocheck
    for suite in diffusion search ordered denoise hologram; do
        qemu-aarch64 -L /usr/aarch64-linux-gnu build-aarch64-quick/rocheck test "$suite/*" \
            --variant v128 --few 25
    done
fi
