/* SPDX-License-Identifier: MIT */
/* How a field is cut into hogels, and the window in which each is seen. */
#ifndef RO_HOLOGRAM_QUANTIZE_HOGELS_H
#define RO_HOLOGRAM_QUANTIZE_HOGELS_H

#include "hologram/quantize/weights.h"
#include "roundoff/pieces.h"

/* The side of a hogel, before fields that are smaller. */
uint32_t hogels_side(const ro_hologram_options *options);

/* Reports of all hogels, places in the field and windows filled in; malloc'ed. `whole`: the field
 * is one. Of a piece the windows are those that its hogels have in the whole field; NULL: it is
 * none. */
ro_status hogels_lay_out(ro_context *context, const ro_field *field,
                         const ro_hologram_options *options, const ro_hologram_piece *piece,
                         bool whole, ro_hogel_report **reports, uint32_t *count);

#endif
