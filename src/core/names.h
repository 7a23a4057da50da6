/* SPDX-License-Identifier: MIT */
/* Names as users write them; ro_name_equal and ro_name_nearest are in library.h. */
#ifndef RO_CORE_NAMES_H
#define RO_CORE_NAMES_H

#include "roundoff/library.h"

#include <stddef.h>

/* Names of values, for ro_name_of; NULL or another name for what is no value. */
const char *cpu_name(int cpu);
const char *format_name(int format);

/* How many letters must change to turn one name into the other. */
size_t name_distance(const char *a, const char *b);

#endif
