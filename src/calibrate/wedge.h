/* SPDX-License-Identifier: MIT */
/*
 * The layout of a step wedge, in units of an eighth of a patch: 137 x 90 of them, the last rows for
 * a line of text.
 *
 *     mark  [ ][ ][ ][ ][ ][ ][ ][ ]  mark      marks are squares within squares, whose dark and
 *           [ ][ ][ ][ ][ ][ ][ ][ ]            light parts are 1 1 3 1 1 units wide in every
 *           [ ][ ][ ][ ][ ][ ][ ][ ]            direction near an axis
 *           [ ][ ][ ][ ][ ][ ][ ][ ]
 *     mark  [ ][ ][ ][ ][ ][ ][ ][ ]  mark
 */
#ifndef RO_CALIBRATE_WEDGE_H
#define RO_CALIBRATE_WEDGE_H

#include "roundoff/calibrate.h"

enum {
    WEDGE_PATCH = 8,
    WEDGE_PITCH = 11,
    WEDGE_COLUMNS = 10,
    WEDGE_ROWS = 7,
    WEDGE_PATCHES = WEDGE_COLUMNS * WEDGE_ROWS,
    WEDGE_MARK = 7,
    WEDGE_MARGIN = 4,
    WEDGE_LEFT = 15, /* of the first patch */
    WEDGE_TOP = 4,
    WEDGE_ACROSS = 122, /* between the centres of marks */
    WEDGE_DOWN = 67,
};

/* The step of each patch, in rows; steps that are left over are black. */
void wedge_steps(int steps[WEDGE_PATCHES]);

#endif
