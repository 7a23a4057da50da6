# SPDX-License-Identifier: MIT
# Sourced: proofs by yosys's SAT solver that parts of the circuits equal their definitions for all
# inputs, tests/hdl/proofs/NAME.v.
SOURCE_DIR=${SOURCE_DIR:-.}
YOSYS=${YOSYS:-yosys}
if ! command -v "$YOSYS" >/dev/null 2>&1; then
    echo "skipped: there is no yosys here"
    exit 77
fi
cd "$SOURCE_DIR" || exit 1
proofs=tests/hdl/proofs
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# prove_function NAME 'PARAMETER=VALUE ...' ['options of sat']: a pipeline without feedback, as the
# function it computes; options default to the assertions.
prove_function() {
    set_parameters=
    for parameter in $2; do
        set_parameters="$set_parameters chparam -set ${parameter%%=*} ${parameter#*=} $1;"
    done
    files="$(ls hdl/*/*.v | grep -v /vendor/ | tr '\n' ' ') hdl/vendor/generic.v $proofs/$1.v"
    if ! "$YOSYS" -p "read_verilog -formal -I hdl/common -I hdl/errordiffusion $files;
        $set_parameters prep -top $1 -flatten; memory_map;
        techmap -map $proofs/without_registers.v; opt -full;
        sat ${3:--prove-asserts} -set-assumes -verify" >"$log" 2>&1; then
        tail -30 "$log"
        echo "not proved: $1 $2"
        exit 1
    fi
    echo "proved: $1 $2$(sed -n 's/.*CPU: user \([0-9.]*\)s.*/ (\1 s)/p' "$log")"
}
