/* SPDX-License-Identifier: MIT */
/* What roundoff screen was asked for. */
#ifndef RO_CLI_SCREEN_SCREEN_H
#define RO_CLI_SCREEN_SCREEN_H

#include "cli/common/cli.h"
#include "cli/common/shared_rows.h"

struct screen_values {
    struct common common;
    const char *spot, *inks, *angles, *type;
    ro_texts ink;
    int list;
    ro_screen_options screen;
};

/* roundoff screen show OUT: the moiré of inks, drawn; the exit status. */
int screen_show(const struct command *command, const struct screen_values *values,
                const struct operands *files);

#endif
