/* SPDX-License-Identifier: MIT */
/* Float images in the memory of a CUDA device, as C sees it. */
#ifndef RO_HALFTONE_FLOATS_CUDA_H
#define RO_HALFTONE_FLOATS_CUDA_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device's calls; NULL until a device was found. */
struct floats_cuda_calls {
    /* Makes of RO_GREYF images of one shape their samples of 16 bits, as grey.c does: white is
     * 65535, and where `cuts` is set, (x - low) / width is the tone. They lie in memory of the
     * context's and are `made`; they last until the next call. Waits for them, for a pixel that is
     * not a number is told: RO_E_FORMAT. */
    ro_status (*to_samples)(ro_context *context, const ro_image *in, uint32_t count, int cuts,
                            double low, double width, void *stream, ro_image *made);
};
extern const struct floats_cuda_calls *floats_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
