/* SPDX-License-Identifier: MIT */
/* What a test card was asked for. */
#ifndef RO_CLI_TESTCARD_TESTCARD_H
#define RO_CLI_TESTCARD_TESTCARD_H

#include "cli/common/cli.h"
#include "roundoff_io.h"

struct testcard_values {
    struct common common;
    const char *size;
    int bits, colour;
    const char *type;
};

/* Checks the size that was asked for; otherwise says what is wrong. */
bool testcard_check(const struct command *command, const struct testcard_values *values);

/* Returns the card's format, size and white, without pixels. */
ro_image testcard_shape(const struct testcard_values *values);

#endif
