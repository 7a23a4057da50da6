/* SPDX-License-Identifier: MIT */
/* Rounding a field to levels. */
#ifndef RO_HOLOGRAM_QUANTIZE_QUANTIZE_H
#define RO_HOLOGRAM_QUANTIZE_QUANTIZE_H

#include "roundoff/hologram.h"
#include "roundoff/pieces.h"

#include <stdbool.h>

enum algorithm { VDED, SWED, FLOYD_STEINBERG, TRUNCATE };
enum { BEST, REFERENCE, BANDS }; /* schedules */
enum weights { LEAST_SQUARES, PAPER, PAPER_ROUNDING, WINDOW };

/* What the caller gave over the defaults, checked. */
ro_status hologram_read(ro_context *context, const ro_hologram_options *given,
                        ro_hologram_options *options);

/* Refuses options that are set and have none of these names, ended by NULL. */
ro_status hologram_takes_only(ro_context *context, const ro_hologram_options *options,
                              const char *what, const char *const *names);

/* A window is all 0 or lies in the band. */
ro_status hologram_check_window(ro_context *context, const ro_window *window);

/* Rounding at the gain that the options have, as hologram_read left them. `piece` may be NULL. */
ro_status hologram_quantize_at(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, const ro_hologram_piece *piece,
                               ro_hologram_report *told);

/* Whether pieces can be rounded by themselves, RO_E_UNSUPPORTED if not; *hogels: only whole hogels.
 */
ro_status hologram_cut(ro_context *context, const ro_hologram_options *options, bool *hogels);

#endif
