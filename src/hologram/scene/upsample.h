/* SPDX-License-Identifier: MIT */
/*
 * A band-limited field on more pixels. Coarse pixels are `factor` of the others wide, and the axis
 * goes through the middle of both fields: pixel X lies at t = X / factor + t0 of the coarse ones,
 *
 *     f(t) = 1/n sum F_m e^{2 pi i m t / n}    over m from -n/2 + 1 to n/2 - 1,
 *
 * F the transform of n coarse numbers: a transform of length factor * n of F_m e^{2 pi i m t0 / n},
 * columns first, then rows. Columns are done for some rows at a time, so that memory is bounded.
 */
#ifndef RO_HOLOGRAM_SCENE_UPSAMPLE_H
#define RO_HOLOGRAM_SCENE_UPSAMPLE_H

#include "hologram/scene/layers.h"

ro_status enlarge_field(ro_context *context, const float *coarse, const struct light_grid *grid,
                        const uint32_t factor[2], const struct layers_out *out);

#endif
