/* SPDX-License-Identifier: MIT */
#include "hologram/lens/spot_row_lanes.h"

const struct spot_rows spot_rows_plain = {gather, project};
