/* SPDX-License-Identifier: MIT */
#include "hologram/field/row_sum_lanes.h"
#include "simd/simd.h"

struct row_sum RO_SIMD_NAME(row_sum)(const float *row, size_t width, bool real)
{
    return sum_of_row(row, width, real);
}
