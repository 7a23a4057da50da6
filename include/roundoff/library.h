/* SPDX-License-Identifier: MIT */
/*
 * For libraries on top of this one, as libroundoff_io is: what a context was opened with, messages
 * and progress of their own. Unstable: it may change with any version, and is no part of
 * roundoff.h.
 */
#ifndef ROUNDOFF_LIBRARY_H
#define ROUNDOFF_LIBRARY_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many threads its calls may use, and what it was asked for when it was opened. */
RO_API
int ro_context_threads(const ro_context *context);
RO_API
const ro_context_options *ro_context_asked(const ro_context *context);
/* The limits that hold, with the defaults in place. */
RO_API
const ro_limits *ro_context_limits(const ro_context *context);

/* The tone, 0 to 255, that level k of n shows as: levels are evenly spaced, with `linear` in light,
 * whose sample of sRGB it is then. */
RO_API
uint8_t ro_level_tone(int n, int k, int linear);

/* Records a message and returns `status`. */
RO_API
ro_status ro_context_fail(ro_context *context, ro_status status, const char *format, ...)
    RO_PRINTF(3, 4);
/* Returns 1 if the context was cancelled. */
RO_API
int ro_context_cancelled(const ro_context *context);
/* Reports progress; RO_E_CANCELLED if the call shall stop. */
RO_API
ro_status ro_context_progress(ro_context *context, const char *phase, double done);

/* ---- Names ----------------------------------------------------------------------------------- */

/* Names as users write them: case, '-', '_' and spaces do not count. */
RO_API
int ro_name_equal(const char *a, const char *b);
/* The nearest of `count` names, or NULL when none is near enough to be meant. */
RO_API
const char *ro_name_nearest(const char *name, const char *const *names, size_t count);

/* ---- What a library keeps -------------------------------------------------------------------- */

/* Keeps something with a context for the calling thread. It is closed with the context,
 * or when the thread attaches something else (NULL: nothing). */
RO_API
ro_status ro_context_attach(ro_context *context, void *what, void (*close)(void *what));
RO_API
void *ro_context_attached(ro_context *context);

#ifdef __cplusplus
}
#endif

#endif
