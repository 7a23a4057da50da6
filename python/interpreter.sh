# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sets $python to a Python that has the modules named; status 1 where there is none. $PYTHON is
# tried first, then what the PATH has, then the system's own, whose packages are Debian's.
find_python() {
    modules=$(echo "$*" | tr ' ' ',')
    for python in ${PYTHON:-} python3 /usr/bin/python3; do
        if "$python" -c "import sys, $modules; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then
            return 0
        fi
    done
    return 1
}
