/* SPDX-License-Identifier: MIT */
/*
 * The levels of a modulator and the nearest of them, exactly and at once.
 *
 * Numbers are fixed point, 2048 to one. Three kinds of tables:
 *   ring   levels of one modulus: the nearest is a matter of angle. Borders are directions, 16384
 *          to one; a border belongs to the level behind it, counter-clockwise.
 *   line   real levels in ascending order: borders halfway, a tie going to the lower level.
 *   plain  anything else: least squared distance, a tie going to the lower number.
 *
 * For rings and lines the plane is cut into cells so small that a cell meets one border at most. A
 * cell's entry names the levels on both sides and the border, n.u >= c being the upper side; so the
 * cell itself (of a ring: the nearest whole number of its measure of angle) may be found in any way
 * that is off by less than a fifth of a cell.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_LEVELS_H
#define RO_HOLOGRAM_QUANTIZE_LEVELS_H

#include "roundoff/hologram.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HOLOGRAM_ONE = 2048,
    HOLOGRAM_LIMIT = 16383, /* of an error's and a pixel's component: just below 8 */
    HOLOGRAM_SUM = 32767,   /* of what is rounded */
    LEVEL_CELLS = 1024,
    LEVEL_ENTRIES = LEVEL_CELLS + 2,
    LINE_CELL = 8, /* units; the cells of a line go from -4096 to 4096 */
};

enum level_kind { LEVELS_RING, LEVELS_LINE, LEVELS_PLAIN };

struct level_entry {
    int16_t nx, ny;
    int16_t low_x, low_y, high_x, high_y;
    uint8_t low, high;
    int16_t c;
};

struct hologram_levels {
    enum level_kind kind;
    int count;
    bool real; /* no imaginary parts: the field's are dropped */
    int16_t x[RO_HOLOGRAM_LEVELS], y[RO_HOLOGRAM_LEVELS];
    int16_t border_x[RO_HOLOGRAM_LEVELS], border_y[RO_HOLOGRAM_LEVELS]; /* ring: after level k */
    struct level_entry entry[LEVEL_ENTRIES];
};

/* Whether a name that hologram_levels_named knows is of amplitudes: light of 0 to 1, computed as -1
 * to 1. */
bool hologram_levels_are_amplitudes(const char *name);

/* Levels of a name such as "phase:16", as rounding takes them: up to RO_HOLOGRAM_LEVELS pairs. */
ro_status hologram_levels_named(ro_context *context, const char *name, float *table, int *count);

/* From complex levels, real and imaginary parts up to 2 in modulus. */
ro_status hologram_levels_open(ro_context *context, const float *table, int count,
                               struct hologram_levels *levels);

/* Those that options, as they were read, name or hold, as they are computed; *amplitude as above.
 */
ro_status hologram_levels_of(ro_context *context, const ro_hologram_options *options,
                             float table[2 * RO_HOLOGRAM_LEVELS], struct hologram_levels *levels,
                             bool *amplitude);

/* The definition. */
int hologram_nearest_ref(const struct hologram_levels *levels, int x, int y);

/* The same by cells; rings and lines only. */
int hologram_nearest(const struct hologram_levels *levels, int x, int y);

#ifdef __cplusplus
}
#endif

#endif
