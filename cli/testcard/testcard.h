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
    struct size sides; /* that `size` says */
};

/* Format, size and white of the card, without pixels. */
ro_image testcard_shape(const struct testcard_values *values);

#endif
