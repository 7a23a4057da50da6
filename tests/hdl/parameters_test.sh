#!/bin/sh
# SPDX-License-Identifier: MIT
# Parameters that cannot work stop the elaboration, and the name of the missing module says why.
. "$(dirname "$0")/simulate.sh"

# elaborate TOP 'PARAMETER=VALUE ...': what Verilator says of it
elaborate() {
    top=$1
    given=
    for parameter in $2; do given="$given -G$parameter"; done
    # shellcheck disable=SC2086
    verilator --lint-only -Wall --top-module "$top" $given $includes $sources $vendor 2>&1
}

# refused TOP 'PARAMETER=VALUE ...' WORDS: with ro_error_WORDS
refused() {
    said=$(elaborate "$1" "$2") && {
        echo "FAILED: $1 with $2 was accepted"
        exit 1
    }
    case $said in
    *"ro_error_$3"*) ;;
    *)
        echo "$said"
        echo "FAILED: $1 with $2 does not say $3"
        exit 1
        ;;
    esac
    count=$((count + 1))
}

count=0
screen='SCREEN_FILE="screen.mem"'
refused ro_levelset 'STEPS=65' STEPS_must_be_1_to_64
refused ro_levelset 'STEPS=0' STEPS_must_be_1_to_64
refused ro_levelset 'WIDTH=0' WIDTH_must_be_1_to_65535
refused ro_levelset 'WIDTH=70000' WIDTH_must_be_1_to_65535
refused ro_levelset 'PHI_BITS=19' PHI_BITS_must_be_4_to_18
refused ro_levelset 'SPEED_BITS=3' PHI_BITS_must_be_4_to_18_and_SPEED_BITS_4_to_17
refused ro_levelset 'A=128' A_must_be_1_to_127
refused ro_levelset 'WIDTH=512 WIDTH_BITS=9' WIDTH_must_be_positive_and_fit_WIDTH_BITS
refused ro_levelset_run 'LOOK=0' LOOK_must_be_positive
refused ro_levelset_run 'RESCALINGS=32' LOOK_must_be_positive_and_RESCALINGS_at_most_31
refused ro_levelset_run 'INTENSITY_BITS=12' INTENSITY_BITS_must_not_exceed_SPEED_BITS
refused ro_levelset_run 'ADDRESS_BITS=8' ADDRESS_BITS_must_be_2_to_30_and_have_room_for_a_row
refused ro_levelset_run 'COUNT_BITS=32' HEIGHT_BITS_must_be_1_to_30_and_COUNT_BITS_1_to_31
refused ro_errordiffusion 'KERNEL="stucki"' KERNEL_must_be_one_of_those_in_ro_kernels_vh
refused ro_errordiffusion 'LEVELS=1' LEVELS_must_be_2_to_16
refused ro_errordiffusion 'LEVELS=17' LEVELS_must_be_2_to_16
refused ro_errordiffusion 'MAXVAL=70000' MAXVAL_must_be_1_to_65535
refused ro_errordiffusion 'MAXVAL=7 LEVELS=9' MAXVAL_must_be_1_to_65535_and_have_room_for_LEVELS
refused ro_errordiffusion_lines 'KERNEL="jarvis"' KERNEL_must_be_one_of_those_in_ro_kernels_vh
refused ro_errordiffusion_lines 'LEVELS=17' LEVELS_must_be_2_to_16
refused ro_diffusion 'STEPS=0' STEPS_must_be_1_to_64
refused ro_diffusion 'TIME=6144' TIME_must_be_2_to_6143
refused ro_diffusion 'TIME=3072 NEAREST=1' TIME_must_be_2_to_6143_or_to_3071
refused ro_diffusion 'BITS=17' BITS_must_be_4_to_16
refused ro_jacobi 'STEPS=65' STEPS_must_be_1_to_64
refused ro_jacobi 'TIME=131073 TIME_CLOCKS=3' TIME_must_be_1_to_131072
refused ro_jacobi 'TIME=21845' CLOCKS_are_too_few_for_the_digits_of_C
refused ro_jacobi 'R_BITS=26' R_BITS_must_not_exceed_X_BITS
refused ro_ordered '' SCREEN_FILE_must_name_a_threshold_array
refused ro_ordered "$screen SCREEN_WIDTH=65 SCREEN_HEIGHT=64" a_screen_has_1_to_4096_cells
refused ro_ordered "$screen LEVELS=17" LEVELS_must_be_2_to_16
refused ro_ordered "$screen MAXVAL=0" MAXVAL_must_be_1_to_65535
echo "$count circuits that cannot be are refused"

# What can be is clean: every circuit as it stands, and those of both widest and smallest numbers.
clean() {
    said=$(elaborate "$1" "$2") || {
        echo "$said"
        echo "FAILED: $1 with $2 is not clean"
        exit 1
    }
}
clean ro_levelset 'WIDTH=1'
clean ro_levelset 'PHI_BITS=16 SPEED_BITS=15 A=53 STEPS=2 BLOCKS=0'
clean ro_levelset_run 'INTENSITY_BITS=8'
clean ro_errordiffusion 'WIDTH=1 LEVELS=16 MAXVAL=65535'
clean ro_errordiffusion_lines 'WIDTH=65535 MAXVAL=1'
clean ro_diffusion 'BITS=16 NEAREST=1 TIME=3071'
clean ro_jacobi 'TIME=131072'
clean ro_ordered "$screen SCREEN_WIDTH=1 SCREEN_HEIGHT=1"
