/* SPDX-License-Identifier: MIT */
/*
 * Tables of options and the checks that follow from them. A family writes its rows as
 *
 *     #define MEMBER(member) RO_MEMBER(ro_denoise_options, member)
 *     {MEMBER(kappa), "K", "the gradient of an edge in 1/255 of white", .max = 1e6},
 *
 * and a plan takes its options in two calls: options_read checks values and fills in the
 * defaults that are constants; options_check applies the rules between options once the derived
 * values that the rules name are known.
 */
#ifndef RO_OPTIONS_TABLE_H
#define RO_OPTIONS_TABLE_H

#include "roundoff/options.h"

#include <stdbool.h>
#include <stddef.h>

/* The tables of the families; tables.c lists them. */
extern const ro_option_table halftone_table, denoise_table, measure_table, screen_table,
    register_table, segment_table, regions_options_table;
extern const ro_option_table optics_table, scene_table, pictures_table, points_table,
    hologram_table, refinement_table, spots_table, frames_table, view_table;

/* Copies what the caller gave (NULL: nothing) over `taken`, checks ranges and words, gives words
 * their usual spelling and fills in presets. */
ro_status options_read(ro_context *context, const ro_option_table *table, const void *given,
                       void *taken);

/* Checks what the options that are set need of the method and of each other. `resolved` is `given`
 * with the derived values filled in that the rules name, the method among them. */
ro_status options_check(ro_context *context, const ro_option_table *table, const void *given,
                        const void *resolved);

/* Copies options with their texts; free() gives them back. NULL: no memory. */
void *options_keep(const ro_option_table *table, const void *options);

/* Copies the texts that a structure of options points to; for families that also keep other things.
 */
struct keep;
void options_keep_texts(struct keep *keep, const ro_option_table *table, void *options);

/* The value of the word that a member has; its row must have words. */
#define options_word(table, options, member)                                                       \
    option_word_value(table, options, offsetof(__typeof__(*(options)), member))
int64_t option_word_value(const ro_option_table *table, const void *options, size_t offset);

/* ---- Between values.c and rules.c ------------------------------------------------------------ */

union option_value {
    int whole;
    uint32_t u32;
    uint64_t u64;
    double real;
    const char *text;
    const void *other;
};
union option_value option_load(const ro_option *option, const void *options);
/* The word of a row that has this value; NULL: none has. */
const ro_word *option_word_of(const ro_option *option, union option_value value);

/* An option's name in messages: "steps-at-once". */
enum { RO_OPTION_NAME = 64 };
const char *option_spelled(const ro_option *option, char name[RO_OPTION_NAME]);

#endif
