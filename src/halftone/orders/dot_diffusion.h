/* SPDX-License-Identifier: MIT */
/* The class matrices of dot diffusion. */
#ifndef RO_HALFTONE_ORDERS_DOT_DIFFUSION_H
#define RO_HALFTONE_ORDERS_DOT_DIFFUSION_H

#include "halftone/halftone.h"

enum dots_id { DOTS_KNUTH, DOTS_MESE_VAIDYANATHAN, DOTS_MATRICES };
enum { DOTS_SIDE = 8 };

extern const uint8_t dots_classes[DOTS_MATRICES][DOTS_SIDE][DOTS_SIDE];

#endif
