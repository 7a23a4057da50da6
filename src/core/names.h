/* SPDX-License-Identifier: MIT */
/* Names as users write them: case, '-', '_' and spaces do not count. */
#ifndef RO_CORE_NAMES_H
#define RO_CORE_NAMES_H

#include "roundoff/core.h"

#include <stdbool.h>
#include <stddef.h>

RO_API
bool ro_name_equal(const char *a, const char *b);

/* How many letters must change to turn one name into the other. */
RO_API
size_t ro_name_distance(const char *a, const char *b);

/* The nearest of `count` names, or NULL when none is near enough to be meant. */
RO_API
const char *ro_name_nearest(const char *name, const char *const *names, size_t count);

#endif
