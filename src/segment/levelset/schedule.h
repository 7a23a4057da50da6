/* SPDX-License-Identifier: MIT */
/*
 * The ways to compute steps of a front. All give the same bits.
 *
 *   reference   pixel by pixel, as the step is defined
 *   passes      row kernels, one step a pass, bands of rows shared out among the threads
 *   stream      many steps a pass (stencil.h)
 *   active      tiles that take many steps at once, those in which nothing moves left out
 */
#ifndef RO_SEGMENT_LEVELSET_SCHEDULE_H
#define RO_SEGMENT_LEVELSET_SCHEDULE_H

#include "segment/levelset/cuda/levelset_cuda.h"
#include "segment/levelset/levelset_rows.h"
#include "solver/stencil.h"
#include "thread/pool.h"

/*
 * Tiles of some fronts. A tile takes T steps alone: from the image with T pixels round the tile,
 * each step one pixel less, at last the tile itself goes to the other image.
 *
 *     +-----------+   step 1 reads all and makes T - 1 pixels round the tile
 *     | +-------+ |   step T makes the tile
 *     | | tile  | |   between them two small buffers take turns
 *     | +-------+ |
 *     +-----------+
 *
 * A tile that did not move in a round is the same in both images. If in the last step nothing moved
 * within T pixels round it either, it will not move in the next T: it is left out.
 *
 * What a tile remembers of a round is in bits: RO_TILE_MOVED, RO_TILE_CROSSED, and for each of the
 * directions (dx, dy) from -1 to 1 bit 3 (dy + 1) + dx + 1, whether its last step may concern the
 * tile there.
 */
enum { RO_TILE_MOVED = 1 << 9, RO_TILE_AWAKE = (1 << 10) - 1, RO_TILE_CROSSED = 1 << 10 };

struct level_tiles {
    struct level_tiled {
        struct level_front *front; /* NULL: there is none */
        const struct level_kernel *kernel;
        uint16_t *bits[2]; /* of a tile, in the last round and in this one */
        int round;
        bool woken; /* all tiles were, most of which will sleep again after a step */
    } of[RO_LEVEL_FRONTS];
    uint32_t width, height; /* of a tile */
    uint32_t columns, rows; /* tiles */
    uint32_t depth;         /* largest */
    uint64_t *list;         /* tiles of a round: number of the front and of the tile */
    char *scratch;          /* two buffers a thread */
    size_t scratch_pitch, scratch_bytes;
    uint64_t computed; /* tiles so far */
};

/* Fronts of one size and number system, NULL where there is none. */
ro_status level_tiles_open(struct level_tiles *tiles, struct level_front *const *fronts,
                           const struct level_kernel *const *kernels, uint32_t depth, int threads);
void level_tiles_close(struct level_tiles *tiles);
/* Something else than steps has changed a front. */
void level_tiles_wake(struct level_tiles *tiles, int front);
/* Steps of the chosen fronts; moves[]: LEVEL_ bits. */
void level_tiles_run(struct level_tiles *tiles, struct thread_pool *pool, const bool *chosen,
                     uint32_t steps, unsigned *moves);

/* Passes of rows over a front. */
struct level_passes {
    struct level_front *front;
    const struct level_kernel *kernel;
    struct stencil stencil;
    struct stencil_stream stream;
    uint32_t depth, open; /* steps a pass, and of the stream that is open */
    atomic_uint moves;    /* LEVEL_ bits of a pass */
};

void level_passes_open(struct level_passes *passes, struct level_front *front,
                       const struct level_kernel *kernel, uint32_t depth);
void level_passes_close(struct level_passes *passes);
ro_status level_passes_run(struct level_passes *passes, struct thread_pool *pool, uint32_t steps,
                           unsigned *moves);

#endif
