/* SPDX-License-Identifier: MIT */
/* A diffusion on the device: its fields and tables there, and the kernels that fit it. */
#ifndef RO_DENOISE_CUDA_DIFFUSION_DEVICE_CUH
#define RO_DENOISE_CUDA_DIFFUSION_DEVICE_CUH

#include "cuda/cuda.cuh"
#include "denoise/cuda/diffusion_cuda.h"
#include "denoise/cuda/diffusion_pixels.cuh"
#include "denoise/cuda/diffusion_variants.cuh"

enum { MOST_VALUES = 65536 }; /* of a pixel, or a number of 16 bits */

/* A kernel and how its launch covers the image. */
struct plan {
    struct step_variant variant;
    int planes; /* that a warp does together */
    int strips, bands, rows;
    size_t shared_bytes;
    struct weights_of weights;
};

struct diffusion_device {
    ro_context *context;
    struct device_state *cuda;
    cudaStream_t stream; /* the context's, or a caller's */
    bool resident;       /* pixels lie on the device; the memory is its own, run after run */
    void *own[2];
    const struct step_weights *diffusion;
    bool until_converged;
    bool samples_of_32;
    size_t pitch, plane, field_bytes; /* samples, samples, bytes */
    struct plan step, smoothing;
    unsigned char *field[5]; /* now, next, the one before (until converged), two guides */
    float *table;            /* on the device, as the following */
    uint32_t *numbers, *pixels, *flag;
    struct partial *partials;
    uint64_t launches;
};

/* Pixels at `data` on the device, rows `stride` bytes apart, beside the field of now. */
struct pixels pixels_beside(const struct diffusion_device *work, void *data, int64_t stride);

/* Blocks of 256 threads for the kernels that go over all pixels. */
dim3 pixel_grid(const struct diffusion_device *work);

/* Nothing but zeros in all fields: what lies beside the pixels stays so. */
ro_status clear_fields(struct diffusion_device *work);

/* Steps from the field of now; the result is there again. */
ro_status march(struct diffusion_device *work, uint32_t iterations, struct diffusion_run *run);

/* The calls for images on the device, in diffusion_resident.cu. */
ro_status diffusion_resident_prepare(struct diffusion_device *work, const uint32_t *numbers,
                                     uint32_t count);
ro_status diffusion_resident_run(struct diffusion_device *work,
                                 const struct diffusion_rounding *rounding, const ro_image *in,
                                 const ro_image *out, uint32_t iterations, void *stream,
                                 struct diffusion_run *run);

#endif
