/* SPDX-License-Identifier: MIT */
/* Direct binary search on a CUDA device, as C sees it. */
#ifndef RO_HALFTONE_SEARCH_SEARCH_CUDA_H
#define RO_HALFTONE_SEARCH_SEARCH_CUDA_H

#include "halftone/search/search.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dbs_cuda;

/* Who makes the first halftone: launches what turns the padded picture into packed bits, both in
 * device memory, on a stream. Without a function the start is drawn, or given. */
struct dbs_cuda_start {
    ro_status (*make)(void *data, const ro_image *padded, const ro_image *bits, void *stream);
    void *data;
};

/* The device's calls; NULL until a device was found. */
struct dbs_cuda_calls {
    /* Checks that the device can run the plan and sends its tables there. `shape` is grey of 8 or
     * 16 bits; its pixels are not used. */
    ro_status (*open)(ro_context *context, const struct dbs_options *options, const ro_image *shape,
                      const struct dbs_cuda_start *start, struct dbs_cuda **work);
    /* A picture in host memory into packed bits, or a byte a pixel if `out` is RO_INDEX8. `own`
     * is a halftone of it to start from, as packed bits in host memory, or NULL. Returns when all
     * is there. */
    ro_status (*run)(struct dbs_cuda *work, const ro_image *in, const ro_image *own,
                     const ro_image *out, struct dbs_result *result);
    /* Pictures in device memory, on the caller's stream; returns when all is launched. */
    ro_status (*run_resident)(struct dbs_cuda *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream);
    int (*launches)(const struct dbs_cuda *work); /* so far */
    void (*close)(struct dbs_cuda *work);         /* NULL is allowed */
};
extern const struct dbs_cuda_calls *dbs_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
