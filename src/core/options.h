/* SPDX-License-Identifier: MIT */
/*
 * Structures of options that grow. A caller's structure says how large it is, so that a program
 * from before a member was added still runs, and one from after it is told.
 */
#ifndef RO_CORE_OPTIONS_H
#define RO_CORE_OPTIONS_H

#include "roundoff/core.h"
#include "roundoff/library.h"

#include <stdbool.h>

/* Puts what the caller gave (NULL: nothing) over the defaults in `taken`. Both begin with their
 * size; `name` is the initialiser's, for the message. */
ro_status take_options(ro_context *context, const void *given, void *taken, const char *name);

/* Why they cannot be taken, for those who have no context: "" if they were. */
enum { RO_OPTIONS_MESSAGE = 160 };
ro_status options_copy(const void *given, void *taken, const char *name,
                       char message[RO_OPTIONS_MESSAGE]);

/* Checks the size of a report or info structure that the caller gave; NULL is allowed. */
#define report_check(context, given) report_sized(context, given, sizeof *(given))
ro_status report_sized(ro_context *context, const void *given, size_t known);

/* Copies `full` into the caller's structure, as far as that goes; what is beyond becomes zero. NULL
 * is allowed. `full` begins with its size, or is cleared after a failure. */
#define report_give(given, full) report_copy(given, full, sizeof *(full))
void report_copy(void *given, const void *full, size_t bytes);

/* Fills in a caller's structure of `size` bytes from the defaults, of which `known` bytes are
 * there.
 */
void options_init(const void *defaults, size_t known, void *options, size_t size);

/* Defines the public function of a structure that has no table. */
#define OPTIONS_INIT(structure, initialiser)                                                       \
    void structure##_init(structure *options, size_t size)                                         \
    {                                                                                              \
        const structure full = initialiser;                                                        \
        options_init(&full, sizeof full, options, size);                                           \
    }

static inline bool is_default(double value) { return value == RO_DEFAULT; }
static inline bool is_default_count(uint32_t value) { return value == (uint32_t)RO_DEFAULT; }

#endif
