/* SPDX-License-Identifier: MIT */
/* Scenes on a CUDA device, as C sees it: light starts there and goes from plane to plane. */
#ifndef RO_HOLOGRAM_SCENE_CUDA_SCENE_CUDA_H
#define RO_HOLOGRAM_SCENE_CUDA_SCENE_CUDA_H

#include "hologram/propagate/propagate_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

struct light_grid;
struct picture_layer;
struct picture_range;
struct scene;
struct scene_cuda;
struct scene_cuda_pictures;

/* The device's calls; NULL until a device was found. */
struct scene_cuda_calls {
    /* A plane without light. */
    ro_status (*open)(ro_context *context, uint32_t width, uint32_t height,
                      struct scene_cuda **device);
    void (*close)(struct scene_cuda *device); /* NULL is allowed */
    ro_status (*emit_scene)(struct scene_cuda *device, const struct scene *scene, int plane,
                            const struct light_grid *grid);
    ro_status (*emit_picture)(struct scene_cuda *device, const struct scene_cuda_pictures *pictures,
                              int number, const struct picture_layer *layer,
                              const struct light_grid *grid);
    /* Waits, so that the caller may look whether it is to stop. */
    ro_status (*propagate)(struct scene_cuda *device, struct propagate_cuda *light,
                           const struct propagate_filter *filter);
    /* To a field in device memory or in pinned memory. */
    bool (*reaches)(const void *memory);
    ro_status (*store)(struct scene_cuda *device, const ro_field *field);
    /* Starts to bring rows to pinned memory of its own, `turn` being 0 or 1, and waits for them. */
    ro_status (*send)(struct scene_cuda *device, int turn, uint32_t first, uint32_t rows);
    ro_status (*wait)(struct scene_cuda *device, int turn, const float **rows);

    /* Pictures, which may be in device memory, to memory of the device's own. */
    ro_status (*open_pictures)(ro_context *context, const ro_scene_picture *pictures, int count,
                               bool phases, struct scene_cuda_pictures **device);
    void (*close_pictures)(struct scene_cuda_pictures *device); /* NULL is allowed */
    /* Of image 0 (amplitudes), 1 (depths) or 2 (phases); *value: the first sample that is bad. */
    ro_status (*range)(struct scene_cuda_pictures *device, int number, int which,
                       struct picture_range *range, float *value);
};
extern const struct scene_cuda_calls *scene_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
