/* SPDX-License-Identifier: MIT */
/* Rounding at the gain that the options have; these are complete. */
#ifndef RO_HOLOGRAM_QUANTIZE_QUANTIZE_H
#define RO_HOLOGRAM_QUANTIZE_QUANTIZE_H

#include "roundoff/hologram.h"

ro_status hologram_quantize_at(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, ro_hologram_report *told);

#endif
