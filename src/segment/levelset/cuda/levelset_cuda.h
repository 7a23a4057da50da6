/* SPDX-License-Identifier: MIT */
/* Steps of fronts on a CUDA device, all fronts in one launch. */
#ifndef RO_SEGMENT_LEVELSET_CUDA_LEVELSET_CUDA_H
#define RO_SEGMENT_LEVELSET_CUDA_LEVELSET_CUDA_H

#include "roundoff/core.h"
#include "segment/levelset/levelset.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RO_LEVEL_DEPTH = 16, /* most steps at once */
    RO_LEVEL_FRONTS = 4, /* and most fronts */
};

struct level_cuda;

/* The device's calls; NULL until a device was found. */
struct level_cuda_calls {
    /* Fronts of one size and number system, NULL where there is none. `depth` steps are fused into
     * one launch; 0: as many as are best. */
    ro_status (*open)(ro_context *context, struct level_front *const *fronts, uint32_t depth,
                      struct level_cuda **cuda);
    void (*close)(struct level_cuda *cuda); /* NULL is allowed */
    /* Takes steps of the chosen fronts on the device; moves[]: LEVEL_ bits. */
    ro_status (*run)(struct level_cuda *cuda, const bool *chosen, uint32_t steps, unsigned *moves);
    /* Brings the last two states of phi back. */
    ro_status (*fetch)(struct level_cuda *cuda, int front);
    /* As level_change, after a single step. */
    ro_status (*change)(struct level_cuda *cuda, int front, double *rms);
    /* The host has changed phi or the speed. */
    void (*wake)(struct level_cuda *cuda, int front);
    uint64_t (*launches)(const struct level_cuda *cuda);
};
extern const struct level_cuda_calls *level_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
