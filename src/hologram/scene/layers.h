/* SPDX-License-Identifier: MIT */
/*
 * Scenes as planes behind the hologram: light starts at the backmost one and goes from plane to
 * plane; each changes it where it has something.
 *
 * Two ways lead to the hologram. Whole planes carry all light there. The view-specific way carries
 * only what reaches the viewing area: on a coarse grid that has no angle for more, from plane to
 * plane to the viewer, through the viewing area, back to the hologram, and there, band-limited as
 * it is, to the pixels.
 */
#ifndef RO_HOLOGRAM_SCENE_LAYERS_H
#define RO_HOLOGRAM_SCENE_LAYERS_H

#include "hologram/propagate/propagate.h"
#include "hologram/scene/cuda/scene_cuda.h"
#include "hologram/scene/light_grid.h"
#include "hologram/scene/light_rows.h"

struct layers {
    const void *scene;
    int count;
    /* Where light starts: a depth, and how far from the axis at most. */
    int places;
    void (*place)(const void *scene, int place, double *depth, double reach[2]);
    double (*depth)(const void *scene, int plane);
    void (*emit)(const void *scene, int plane, const struct light_grid *grid, uint32_t row,
                 float *light, light_row_fn *write);
    /* The same of a whole plane on a device; NULL: it has to be done here. */
    ro_status (*emit_there)(const void *scene, int plane, const struct light_grid *grid,
                            struct scene_cuda *device);
};

/* Where the field goes: into memory, or row by row to somebody. */
struct layers_out {
    ro_field *field;
    ro_field_rows *rows;
    void *to;
};

/* The pixels of the planes: the hologram's, or if only what is seen counts coarser ones. Planes
 * need not be there yet if `nearest` is. */
struct light_grid layers_grid(const struct layers *layers, const ro_optics *optics, uint32_t width,
                              uint32_t height, bool seen);

/* All light; `fringe` (0: none) is the finest. Of the optics wavelength and pitch count. */
ro_status layers_whole(ro_context *context, const struct layers *layers, const ro_optics *optics,
                       double fringe, ro_field *field);

/* What the viewing area sees. */
ro_status layers_seen(ro_context *context, const struct layers *layers, const ro_optics *optics,
                      double fringe, const struct layers_out *out);

/* The one or the other. */
ro_status layers_make(ro_context *context, const struct layers *layers, const ro_optics *optics,
                      double fringe, bool seen, const struct layers_out *out);

#endif
