/* SPDX-License-Identifier: MIT */
/* The explicit scheme on a CUDA device, as C sees it: numbers go there, steps are done, numbers
 * come back. Nothing here knows what a pixel stands for but two tables. */
#ifndef RO_DENOISE_CUDA_DIFFUSION_CUDA_H
#define RO_DENOISE_CUDA_DIFFUSION_CUDA_H

#include "denoise/diffusion.h"

#ifdef __cplusplus
extern "C" {
#endif

struct diffusion_device;

/* What a report says of the numbers that are there now. `pixels`, if not NULL, as for
 * diffusion_device_store, whose sum is taken too. The sum of squares comes in two halves. */
struct diffusion_figures {
    uint64_t sum, pixels, squares_low, squares_high;
    uint32_t min, max;
};

/* Iterations; until_converged: at most so many. */
struct diffusion_run {
    uint32_t steps; /* done */
    bool converged;
    uint64_t launches;
    double seconds; /* on the device, by its clock */
};

/* How numbers become pixels of images on the device. */
struct diffusion_rounding {
    int64_t white;      /* the largest number, of integers */
    uint32_t out_white; /* the largest pixel; floats have 1 */
    bool carried;       /* running sums are rounded, a number being levels/numbers of a pixel */
    uint64_t levels, numbers;
};

/* The device's calls; NULL until a device was found. */
struct flow_cuda_calls {
    /* Bytes of device memory that a run takes. `white` is the largest number. */
    size_t (*bytes)(const struct step_weights *diffusion, int64_t white, bool until_converged,
                    bool tables);
    /* `tables`: pixels are turned into numbers and back on the device, by tables; white is below
     * 2^16 then. `resident`: for images on the device, by the last two calls only; tables is true.
     * RO_E_DEVICE, RO_E_MEMORY. */
    ro_status (*open)(ro_context *context, const struct step_weights *diffusion, int64_t white,
                      bool until_converged, bool tables, bool resident,
                      struct diffusion_device **work);
    void (*close)(struct diffusion_device *work); /* NULL is allowed */
    /* Pixels of 8 or 16 bits; numbers[value] is the number of a pixel. `sum`, if not NULL, becomes
     * that of the pixels, and the call waits for it. */
    ro_status (*load)(struct diffusion_device *work, const ro_image *in, const uint32_t *numbers,
                      uint32_t count, uint64_t *sum);
    /* Pixels of 8 or 16 bits; pixels[number] is the pixel of a number. */
    ro_status (*store)(struct diffusion_device *work, const ro_image *out, const uint32_t *pixels,
                       uint32_t count);
    /* The same with the running sums of rows in order rounded (denoise_levels.c): a number is
     * levels/numbers of a pixel, both below 2^16. `totals` become the sums of the numbers, a
     * channel each. */
    ro_status (*store_sums)(struct diffusion_device *work, const ro_image *out, uint32_t levels,
                            uint32_t numbers, uint64_t totals[3]);
    /* Planes one after another, of 32-bit integers or floats. */
    ro_status (*load_planes)(struct diffusion_device *work, const void *planes);
    ro_status (*store_planes)(struct diffusion_device *work, void *planes);
    ro_status (*figures)(struct diffusion_device *work, const uint32_t *pixels, uint32_t count,
                         struct diffusion_figures *figures);
    ro_status (*run)(struct diffusion_device *work, uint32_t iterations, struct diffusion_run *run);
    /* Once before all runs: a word of the field for every pixel, or for each of 65536 levels of
     * floats; not used from floats to floats. Waits. */
    ro_status (*prepare_resident)(struct diffusion_device *work, const uint32_t *numbers,
                                  uint32_t count);
    /* An image on the device, all of it in the order of `stream`; waits for nothing, unless it runs
     * until converged. No seconds are taken. */
    ro_status (*run_resident)(struct diffusion_device *work,
                              const struct diffusion_rounding *rounding, const ro_image *in,
                              const ro_image *out, uint32_t iterations, void *stream,
                              struct diffusion_run *run);
};
extern const struct flow_cuda_calls *flow_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
