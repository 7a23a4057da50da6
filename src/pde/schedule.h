/* SPDX-License-Identifier: MIT */
/*
 * The ways to compute steps of a front. All give the same bits.
 *
 *   reference   pixel by pixel, as the step is defined
 *   passes      row kernels, one step a pass, bands of rows shared out among the threads
 *   stream      many steps a pass (stream.h)
 *   active      tiles that take many steps at once, those in which nothing moves left out
 */
#ifndef RO_PDE_SCHEDULE_H
#define RO_PDE_SCHEDULE_H

#include "core/pool.h"
#include "pde/levelset_cuda.h"
#include "pde/levelset_rows.h"
#include "pde/stream.h"

/*
 * Tiles of one front. A tile takes T steps alone: from the image with T pixels round the tile, each
 * step one pixel less, at last the tile itself goes to the other image.
 *
 *     +-----------+   step 1 reads all and makes T - 1 pixels round the tile
 *     | +-------+ |   step T makes the tile
 *     | | tile  | |   between them two small buffers take turns
 *     | +-------+ |
 *     +-----------+
 *
 * Where in the last round neither the tile nor its eight neighbours moved, it will not move now: it
 * is the same in both images already and is left out.
 */
struct ro_level_tiles {
    struct ro_level_front *front;
    const struct ro_level_kernel *kernel;
    uint32_t width, height;  /* of a tile */
    uint32_t columns, rows;  /* tiles */
    uint32_t depth;          /* largest */
    unsigned char *moved[2]; /* of a tile, in the last round and in this one */
    int round;
    char *scratch; /* two buffers a thread */
    size_t scratch_pitch, scratch_bytes;
    uint64_t computed; /* tiles so far */
};

ro_status ro_level_tiles_open(struct ro_level_tiles *tiles, struct ro_level_front *front,
                              const struct ro_level_kernel *kernel, uint32_t depth, int threads);
void ro_level_tiles_close(struct ro_level_tiles *tiles);
/* Something else than steps has changed the front. */
void ro_level_tiles_wake(struct ro_level_tiles *tiles);
/* Gives whether a pixel changed in the last of `steps` steps. */
bool ro_level_tiles_run(struct ro_level_tiles *tiles, struct ro_pool *pool, uint32_t steps);

/* Passes of rows over a front. */
struct ro_level_passes {
    struct ro_level_front *front;
    const struct ro_level_kernel *kernel;
    struct ro_stencil stencil;
    struct ro_stream stream;
    uint32_t depth, open; /* steps a pass, and of the stream that is open */
    atomic_bool moved;
};

void ro_level_passes_open(struct ro_level_passes *passes, struct ro_level_front *front,
                          const struct ro_level_kernel *kernel, uint32_t depth);
void ro_level_passes_close(struct ro_level_passes *passes);
ro_status ro_level_passes_run(struct ro_level_passes *passes, struct ro_pool *pool, uint32_t steps,
                              bool *moved);

#endif
