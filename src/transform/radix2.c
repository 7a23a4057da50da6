/* SPDX-License-Identifier: MIT */
#define REAL float
#include "transform/radix2_lanes.h"

#define REAL double
#include "transform/radix2_lanes.h"
