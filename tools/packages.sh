# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Installs Debian packages that a job needs. Elsewhere, or where this fails, the job goes on with what
# is there.
# Lists of packages are split into words on purpose.
# shellcheck disable=SC2034,SC2046,SC2086

# A name with bars is a choice: the first that is installed or can be installed counts.
packages_build='gcc|clang libc6-dev cmake ninja-build pkg-config|pkgconf
    libpng-dev libtiff-dev libjpeg-dev libwebp-dev liblcms2-dev zlib1g-dev libxxhash-dev
    libzimg-dev'
packages_test='g++|clang libcmocka-dev netpbm ffmpeg libtiff-tools libpng-tools libjpeg-turbo-progs
    clang-format-14|clang-format
    python3 mandoc valgrind chromium|chromium-browser chromium-driver|chromium-chromedriver
    verilator make yosys libopenmpi-dev|libmpich-dev openmpi-bin|mpich
    python3-dev python3-numpy python3-setuptools python3-wheel python3-pytest python3-pil
    python3-h5py python3-dask'
packages_hdl='verilator make g++|clang yosys nextpnr-ice40 nextpnr-ecp5 python3'
packages_aarch64='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
packages_web='clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 cmake ninja-build nodejs python3'
packages_mpi='libopenmpi-dev|libmpich-dev openmpi-bin|mpich'
packages_python='python3 python3-dev python3-numpy python3-setuptools python3-wheel python3-build
    python3-venv python3-pip python3-pytest python3-pil python3-dask'
packages_bench='python3-opencv python3-skimage elastix libinsighttoolkit5-dev libfftw3-dev g++'

# apt ARGUMENTS: apt-get as root; its output goes to the end of $apt_log.
apt() {
    set -- env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=0 \
        -o Acquire::http::Timeout=10 "$@"
    if [ "$(id -u)" -ne 0 ]; then
        if [ -t 0 ]; then set -- sudo "$@"; else set -- sudo -n "$@"; fi
    fi
    echo "\$ $*" >>"$apt_log"
    "$@" >>"$apt_log" 2>&1
}
apt_install() { apt install --no-install-recommends "$@"; }

# Prints which of the choices are not there.
missing_of() {
    present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $(echo "$@" | tr '|' ' ') \
        2>/dev/null | sed -n 's/^installed //p') || true
    for choice in "$@"; do
        if ! echo "$present" | grep -qxE "$(echo "$choice" | sed 's/[+.]/\\&/g')"; then
            echo "$choice"
        fi
    done
}

# need PACKAGES...: installs what is missing, as far as this is possible. What was asked for once,
# here or in the job that started this one, is not tried again.
need() {
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        return 0
    fi
    missing=
    for choice in $(missing_of "$@"); do
        case " ${RO_ASKED:-} " in
        *" $choice "*) ;;
        *) missing="$missing $choice" ;;
        esac
    done
    if [ -z "$missing" ]; then return 0; fi
    export RO_ASKED="${RO_ASKED:-}$missing"
    if [ -n "${RO_NO_INSTALL:-}" ]; then
        echo "run: going on without$missing" >&2
        return 0
    fi
    echo "run: installing$missing (apt-get; ./run --no-install goes on without)" >&2
    apt_log=$(mktemp)
    network=yes
    apt -o APT::Update::Error-Mode=any update || network=
    # All in one go is quick; one that cannot be had must not keep the others away.
    if ! apt_install $(echo $missing | sed 's/|[^ ]*//g') && [ -n "$network" ]; then
        for choice in $missing; do
            for package in $(echo "$choice" | tr '|' ' '); do
                if apt_install "$package"; then break; fi
            done
        done
    fi
    missing=$(missing_of $missing)
    if [ -n "$missing" ]; then
        cat "$apt_log" >&2
        echo "run: cannot install" $missing "here, for the reasons above: going on without" >&2
    fi
    rm -f "$apt_log"
}
