/* SPDX-License-Identifier: MIT */
/* Names as users write them; ro_name_equal and ro_name_nearest are public. */
#ifndef RO_CORE_NAMES_H
#define RO_CORE_NAMES_H

#include "roundoff/core.h"

#include <stddef.h>

/* How many letters must change to turn one name into the other. */
size_t name_distance(const char *a, const char *b);

#endif
