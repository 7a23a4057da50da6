/* SPDX-License-Identifier: MIT */
/* Rows of options that several tables of holograms have, and the command; see
 * options/shared_rows.h. */
#ifndef RO_HOLOGRAM_FIELD_SHARED_ROWS_H
#define RO_HOLOGRAM_FIELD_SHARED_ROWS_H

#include "options/shared_rows.h"

#define OF_SIDECAR "of the sidecar"
#define ROW_WAVELENGTH "L", "wavelength of the light", .topic = "optics"
#define ROW_TARGET "T", "what is to be seen", .topic = "make refine"
#define ROW_PHASE "P", "phases of the light", .topic = "make refine"
#define ROW_VIEW_SPECIFIC                                                                          \
    NULL, "compute only the light that reaches the viewing area",                                  \
        .topic = "make",                                                                           \
        .more =                                                                                    \
            "All other light, which no viewer sees, would take its share of the modulator. Much "  \
            "faster than whole planes, and memory is bounded at any size: the field goes to the "  \
            "file "                                                                                \
            "row by row."
#define ROW_WEIGHTS "W", "weights that errors are passed on with", .topic = "quantize"
#define ROW_REFINE                                                                                 \
    "N", "make the light fit target: N iterations, or N passes with few levels",                   \
        .topic = "refine", .min = 1, .max = 100000
#define ROW_AWAY                                                                                   \
    "L", "distance from IN to the target or OUT, positive with the light",                         \
        .topic = "refine propagate", .min = -100, .max = 100, .unit = "m"

#endif
