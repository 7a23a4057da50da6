/* SPDX-License-Identifier: MIT */
/* Pixels that do not count: masks, what lies beyond the smaller image, and borders that were filled
 * with one tone. */
#ifndef RO_REGISTER_MASK_H
#define RO_REGISTER_MASK_H

#include "register/register.h"

/* Makes flow->keep where something does not count, and continues the images smoothly into it, so
 * that no smoothing brings it back. `borders`: look for those of one tone. */
ro_status register_mask(struct registration *flow, bool borders);

#endif
