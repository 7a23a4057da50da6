/* SPDX-License-Identifier: MIT */
/* Options that outlive what the caller gave: a plan makes copies of itself from them when several
 * threads run it at the same time. */
#ifndef RO_HALFTONE_KEPT_OPTIONS_H
#define RO_HALFTONE_KEPT_OPTIONS_H

#include "roundoff/halftone.h"

/* Copies options and everything they point to but the pixels of `first`, which stay the caller's.
 * free() gives them back. NULL: no memory. */
ro_halftone_options *halftone_options_keep(const ro_halftone_options *options);

#endif
