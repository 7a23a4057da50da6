/* SPDX-License-Identifier: MIT */
/* The wave for level numbers, compiled once per instruction set: many_levels.h says how many levels
 * fit lanes that are as narrow as for two. */
#include "halftone/error_diffusion/wave/wave.h"
#include "halftone/error_diffusion/wave/wave_ops.h"

#define WAVE_NUMBERS
#define LANE_BITS 16
#include "halftone/error_diffusion/wave/wave_lanes.h"
#undef LANE_BITS
#define LANE_BITS 32
#include "halftone/error_diffusion/wave/wave_lanes.h"
