/* SPDX-License-Identifier: MIT */
/*
 * Roundoff: pictures with few bits, the rounding error kept where it does no harm.
 *
 * The whole public interface; its parts are in roundoff/, one for each family of methods. A program
 * needs three things: a context (threads, device, the last message), image views (pixels the caller
 * owns) and a call:
 *
 *     ro_context *context;
 *     ro_context_open(NULL, &context);
 *     ro_image in = ro_image_view(RO_GREY8, width, height, pixels);
 *     ro_image out = ro_image_view(RO_BITS, width, height, bits);
 *     if (ro_halftone(context, &in, &out, NULL) != RO_OK)
 *         fprintf(stderr, "%s\n", ro_context_message(context));
 *     ro_context_close(context);
 *
 * Options may be NULL; a structure of them begins as RO_HALFTONE_OPTIONS or the like (core.h).
 * What a method computes is defined to the bit in docs/numerics.md; threads, instruction sets,
 * schedules and devices never change a bit of it.
 */
#ifndef ROUNDOFF_H
#define ROUNDOFF_H

#include "roundoff/calibrate.h"
#include "roundoff/core.h"
#include "roundoff/denoise.h"
#include "roundoff/halftone.h"
#include "roundoff/hologram.h"
#include "roundoff/measure.h"
#include "roundoff/options.h"
#include "roundoff/plan.h"
#include "roundoff/regions.h"
#include "roundoff/register.h"
#include "roundoff/screen.h"
#include "roundoff/segment.h"
#include "roundoff/verify.h"

#endif
