/* SPDX-License-Identifier: MIT */
/*
 * Rows in host memory go through a device in bands. Three streams work at once: one copies band
 * n + 1 to the device, one computes band n, one copies band n - 1 back. An image of any height
 * needs the memory of two bands. Pageable memory is staged through pinned buffers, for only those
 * are copied beside other work.
 */
#ifndef RO_CUDA_BANDS_CUH
#define RO_CUDA_BANDS_CUH

#include "cuda/cuda.cuh"

struct cuda_rows {
    const void *in;
    ptrdiff_t in_stride;
    void *out;
    ptrdiff_t out_stride;
    size_t in_bytes, out_bytes; /* of a row */
    uint32_t rows;
    uint32_t band; /* rows of one */
    /* Instead of `in` and `out`: what fetches a band's rows to a pinned buffer, without gaps, and
     * what takes them from one. A failure of theirs ends the run. */
    ro_status (*fetch)(void *from, uint32_t first, uint32_t rows, void *memory);
    ro_status (*take)(void *to, uint32_t first, uint32_t rows, void *memory);
    void *ends; /* their first argument */
};

/* A band on the device; rows lie `pitch` bytes apart, a multiple of 256. */
struct cuda_band {
    unsigned char *in, *out;
    size_t in_pitch, out_pitch;
    uint32_t first, rows;
};

/* Launches what turns `in` into `out` on a stream. */
typedef ro_status cuda_band_fn(void *data, const struct cuda_band *band, cudaStream_t stream);

/* Returns when the output is complete. Uses the scratch of cuda_in and cuda_out, and all
 * pinned buffers. */
ro_status cuda_run_bands(struct device_state *cuda, const struct cuda_rows *rows, cuda_band_fn *run,
                         void *data);

size_t cuda_band_pitch(size_t bytes); /* of rows of so many bytes */

#endif
