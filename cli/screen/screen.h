/* SPDX-License-Identifier: MIT */
/* What roundoff screen was asked for. */
#ifndef RO_CLI_SCREEN_SCREEN_H
#define RO_CLI_SCREEN_SCREEN_H

#include "cli/common/cli.h"

struct screen_values {
    struct common common;
    int size, dot;
    double lpi;
    const char *dpi;
    const char *angle, *shape, *spot, *type;
    const char *angles, *inks;
    ro_texts ink;
    bool list;
};

/* roundoff screen show OUT: the moiré of inks, drawn; the exit status. */
int screen_show(const struct command *command, const struct screen_values *values,
                const struct operands *files);

#endif
