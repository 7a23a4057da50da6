/* SPDX-License-Identifier: MIT */
/*
 * Structures of options that grow. A caller's structure says how large it is, so that a program
 * from before a member was added still runs, and one from after it is told.
 */
#ifndef RO_CORE_OPTIONS_H
#define RO_CORE_OPTIONS_H

#include "roundoff/core.h"

#include <stdbool.h>

/* Puts what the caller gave (NULL: nothing) over the defaults in `taken`. Both begin with their
 * size; `name` is the initialiser's, for the message. */
ro_status take_options(ro_context *context, const void *given, void *taken, const char *name);

/* Why they cannot be taken, for those who have no context: "" if they were. */
enum { RO_OPTIONS_MESSAGE = 160 };
ro_status options_copy(const void *given, void *taken, const char *name,
                       char message[RO_OPTIONS_MESSAGE]);

static inline bool is_default(double value) { return value == RO_DEFAULT; }
static inline bool is_default_count(uint32_t value) { return value == (uint32_t)RO_DEFAULT; }

#endif
