/* SPDX-License-Identifier: MIT */
/* Rounding at the gain that the options have; these are complete. `piece` may be NULL. */
#ifndef RO_HOLOGRAM_QUANTIZE_QUANTIZE_H
#define RO_HOLOGRAM_QUANTIZE_QUANTIZE_H

#include "roundoff/hologram.h"

#include <stdbool.h>

ro_status hologram_quantize_at(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, const ro_hologram_piece *piece,
                               ro_hologram_report *told);

/* Whether pieces can be rounded by themselves, RO_E_UNSUPPORTED if not; *hogels: only whole hogels.
 */
ro_status hologram_cut(ro_context *context, const ro_hologram_options *options, bool *hogels);

#endif
