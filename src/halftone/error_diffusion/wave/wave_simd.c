/* SPDX-License-Identifier: MIT */
/* The wave's vector code, compiled once per instruction set: wave_lanes.h holds the algorithm for
 * 16-bit and for 32-bit lanes, and the other headers what differs for kernels by tone. Level
 * numbers instead of bits are in wave_numbers_simd.c. */
#include "halftone/error_diffusion/acuity.h"
#include "halftone/error_diffusion/tone_dependent.h"
#include "halftone/error_diffusion/wave/wave.h"
#include "halftone/error_diffusion/wave/wave_ops.h"

#define LANE_BITS 16
#include "halftone/error_diffusion/wave/wave_lanes.h"
#undef LANE_BITS
#define LANE_BITS 32
#include "halftone/error_diffusion/wave/wave_lanes.h"

/* tonal_index of a vector of samples. */
RO_INLINE lanes32 tonal_indices(const struct tonal_plan *tonal, lanes32 samples)
{
    const double nearest = 0.5 + 1e-6; /* a product that is not whole is 7e-6 away from it */
    return whole_numbers(side_of(samples, 0) * tonal->tone_scale + nearest,
                         side_of(samples, 1) * tonal->tone_scale + nearest);
}
#include "halftone/error_diffusion/wave/tone_dependent_lanes.h"

#include "halftone/error_diffusion/wave/acuity_simd.h"
#undef LANE_BITS
#define LANE_BITS 16
#include "halftone/error_diffusion/wave/acuity_lanes.h"
#undef LANE_BITS
#define LANE_BITS 32
#include "halftone/error_diffusion/wave/acuity_lanes.h"
