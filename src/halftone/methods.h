/* SPDX-License-Identifier: MIT */
/* The table of halftoning methods. */
#ifndef RO_HALFTONE_METHODS_H
#define RO_HALFTONE_METHODS_H

#include "roundoff.h"

struct halftone_method {
    ro_method info;
    const char *aliases[4];
    int kernel; /* of error diffusion: in diffusion_kernels */
};

/* By name or alias; NULL and a message that suggests the nearest when there is none. */
const struct halftone_method *halftone_method_find(ro_context *context, const char *name);

#endif
