/* SPDX-License-Identifier: MIT */
/* A displacement as a map of a simple kind. */
#ifndef RO_REGISTER_START_TRANSFORM_H
#define RO_REGISTER_START_TRANSFORM_H

#include "register/register.h"

/* Replaces the field by the map of the option `transform` that is nearest to it, where it leads
 * into the moving image; `dense` leaves it. */
ro_status register_simplify(struct registration *flow, const ro_image *field);

#endif
