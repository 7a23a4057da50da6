/* SPDX-License-Identifier: MIT */
/* How a field is cut into hogels, and the window in which each is seen. */
#ifndef RO_HOLOGRAM_QUANTIZE_HOGELS_H
#define RO_HOLOGRAM_QUANTIZE_HOGELS_H

#include "hologram/quantize/weights.h"

/* Reports of all hogels, places and windows filled in; malloc'ed. `whole`: the field is one. */
ro_status hogels_lay_out(ro_context *context, const ro_field *field,
                         const ro_hologram_options *options, bool whole, ro_hogel_report **reports,
                         uint32_t *count);

#endif
