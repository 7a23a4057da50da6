/* SPDX-License-Identifier: MIT */
/*
 * The names that options may have, for programs that show them to their users. Part of roundoff.h.
 * Methods, kinds of screens and palettes have lists of their own that say more:
 * ro_halftone_method_at, ro_palette_at; families with a table of options (options.h) have them
 * there.
 */
#ifndef ROUNDOFF_CHOICES_H
#define ROUNDOFF_CHOICES_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ro_choices {
    const char *options;      /* the structure, such as "ro_denoise_options" */
    const char *member;       /* "model" */
    const char *const *names; /* the default first; ended by NULL */
} ro_choices;

/* The options that have names, in order; NULL past the end. */
RO_API
const ro_choices *ro_choices_at(int number);
/* Those of one member; NULL where it has no names. */
RO_API
const ro_choices *ro_choices_of(const char *options, const char *member);

#ifdef __cplusplus
}
#endif

#endif
