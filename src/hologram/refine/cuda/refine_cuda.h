/* SPDX-License-Identifier: MIT */
/*
 * What a refinement does on a CUDA device, as C sees it: the same passes with the same bits, on
 * fields that stay there.
 */
#ifndef RO_HOLOGRAM_REFINE_CUDA_REFINE_CUDA_H
#define RO_HOLOGRAM_REFINE_CUDA_REFINE_CUDA_H

#include "hologram/propagate/propagate_cuda.h"
#include "hologram/quantize/levels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    REFINE_RADIUS = 24, /* of the search's kernel */
    REFINE_SIDE = 2 * REFINE_RADIUS + 1,
    REFINE_TILE = REFINE_RADIUS,
    REFINE_COLOURS = 3, /* of tiles, each way */
    REFINE_OTHERS = 3,  /* levels near a level, for pairs */
    REFINE_NEIGHBOURS = 4,
};

/* The least change of E that counts: less is the noise of single precision. */
#define REFINE_LEAST (-0x1p-20f)

/* How an iteration moves. */
struct refine_step {
    float eta, momentum;
    float stay; /* cosine of the angle within which a pixel goes to its level; above 1: none does */
};

/* A row's part of the figures. */
struct refine_sums {
    double peak, aa, at, tt;
};

struct refine_setup {
    ro_context *context;
    const ro_field *field; /* what q is to begin with */
    struct propagate_cuda *light;
    uint32_t width, height, region[4];
    const float *target; /* of the field's size */
    const float *table;  /* the levels */
    const struct hologram_levels *levels;
};

/* A colour of the search. */
struct refine_colour {
    int colour, others;
    bool pairs;
};

struct refine_cuda;

/* The device's calls; NULL until a device was found. Numbers, q, y and r are those of refine.h. */
struct refine_cuda_calls {
    ro_status (*open)(const struct refine_setup *setup, struct refine_cuda **device);
    void (*close)(struct refine_cuda *device); /* NULL is allowed */
    /* Where q and the numbers are, for those who read and write them there. */
    void (*places)(const struct refine_cuda *device, float **q, uint8_t **numbers);
    ro_status (*get_numbers)(struct refine_cuda *device, ro_image *numbers);
    /* Of a table, or if it is NULL of the levels. */
    ro_status (*light)(struct refine_cuda *device, const float *table, int count);
    ro_status (*round)(struct refine_cuda *device);
    ro_status (*begin)(struct refine_cuda *device); /* y = q */
    ro_status (*arrive)(struct refine_cuda *device, bool momentum,
                        const struct propagate_filter *filter, bool wraps);
    ro_status (*back)(struct refine_cuda *device, const struct propagate_filter *filter,
                      bool wraps);
    ro_status (*residual)(struct refine_cuda *device, double *rows); /* NULL: no sums */
    ro_status (*step)(struct refine_cuda *device, const struct refine_step *step);
    ro_status (*figures)(struct refine_cuda *device, struct refine_sums *rows);
    /* The kernels along x and y, REFINE_SIDE pairs for every place; the other levels. */
    ro_status (*open_search)(struct refine_cuda *device, const float *across, const float *down,
                             const uint8_t *other);
    ro_status (*search)(struct refine_cuda *device, const struct refine_colour *colour);
    ro_status (*changes)(struct refine_cuda *device, uint32_t *changes); /* and from 0 again */
    ro_status (*keep)(struct refine_cuda *device);                       /* as the best */
    ro_status (*take_best)(struct refine_cuda *device);
};
extern const struct refine_cuda_calls *refine_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
