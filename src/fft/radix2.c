/* SPDX-License-Identifier: MIT */
#define REAL float
#include "fft/radix2_lanes.h"

#define REAL double
#include "fft/radix2_lanes.h"
