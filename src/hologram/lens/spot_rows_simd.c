/* SPDX-License-Identifier: MIT */
#include "simd/simd.h"

#include "hologram/lens/spot_row_lanes.h"

const struct spot_rows RO_SIMD_NAME(spot_rows) = {gather, project};
