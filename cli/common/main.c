/* SPDX-License-Identifier: MIT */
/* The command `roundoff`: its table of commands. */
#include "cli/common/program.h"

/* clang-format off */
const struct command *const commands[] = {
    &command_halftone,
    &command_screen,
    &command_denoise,
    &command_hologram,
    &command_register,
    &command_segment,
    &command_measure,
    &command_compare,
    &command_calibrate,
    &command_verify,
    &command_testcard,
    &command_devices,
    &command_bench,
    NULL,
};
/* clang-format on */

const struct program program = {
    .name = "roundoff",
    .summary = "Dithers, denoises, segments and aligns images, and makes holograms.",
    .names = "  -          as the name of a file: standard input or output, PNM\n",
    .examples = "  roundoff halftone photo.jpg photo.tif\n"
                "  roundoff testcard - | roundoff halftone - card.png --levels 4",
};

int main(int argc, char **argv)
{
    program_begin();
    return program_run(argc, argv);
}
