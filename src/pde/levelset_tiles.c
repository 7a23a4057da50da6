/* SPDX-License-Identifier: MIT */
/* Tiles that take many steps at once; see schedule.h. */
#include "core/checked.h"
#include "pde/schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = RO_LEVEL_OVERRUN + 1,
    USUAL_WIDTH = 512,
    USUAL_HEIGHT = 64,
};

static uint32_t up(uint32_t size, uint32_t to) { return (size + to - 1) / to * to; }

static size_t sample_bytes(const struct ro_level_front *front)
{
    return front->level.real ? sizeof(float) : sizeof(int16_t);
}

ro_status ro_level_tiles_open(struct ro_level_tiles *tiles, struct ro_level_front *front,
                              const struct ro_level_kernel *kernel, uint32_t depth, int threads)
{
    const uint32_t width = front->level.width, height = front->level.height;
    *tiles = (struct ro_level_tiles){.front = front, .kernel = kernel, .depth = depth};
    uint32_t columns = (width + USUAL_WIDTH - 1) / USUAL_WIDTH;
    uint32_t rows = (height + USUAL_HEIGHT - 1) / USUAL_HEIGHT;
    tiles->width = up((width + columns - 1) / columns, LANES);
    tiles->height = (height + rows - 1) / rows;
    if (tiles->height < depth)
        tiles->height = depth;
    tiles->columns = (width + tiles->width - 1) / tiles->width;
    tiles->rows = (height + tiles->height - 1) / tiles->height;
    tiles->scratch_pitch =
        ((tiles->width + 2 * depth + LANES) * sample_bytes(front) + 63) / 64 * 64 +
        2 * RO_LEVEL_PAD;
    tiles->scratch_bytes = tiles->scratch_pitch * (tiles->height + 2 * depth);
    size_t bytes, count;
    void *memory = NULL;
    if (!ro_size_multiply(2 * tiles->scratch_bytes, (size_t)threads, &bytes) ||
        !ro_size_multiply(tiles->columns, tiles->rows, &count) ||
        posix_memalign(&memory, 64, bytes) != 0)
        return RO_E_MEMORY;
    memset(memory, 0, bytes);
    tiles->scratch = memory;
    for (int i = 0; i < 2; i++)
        if (!(tiles->moved[i] = malloc(count))) {
            ro_level_tiles_close(tiles);
            return RO_E_MEMORY;
        }
    ro_level_tiles_wake(tiles);
    return RO_OK;
}

void ro_level_tiles_close(struct ro_level_tiles *tiles)
{
    free(tiles->scratch);
    free(tiles->moved[0]);
    free(tiles->moved[1]);
    *tiles = (struct ro_level_tiles){0};
}

void ro_level_tiles_wake(struct ro_level_tiles *tiles)
{
    memset(tiles->moved[tiles->round & 1], 1, (size_t)tiles->columns * tiles->rows);
}

/* ---- One tile -------------------------------------------------------------------------------- */

/* Pixels x0 .. x1 - 1, y0 .. y1 - 1, inside the image. */
struct box {
    int64_t x0, y0, x1, y1;
};

static struct box grown(struct box box, int64_t by, const struct ro_level *level)
{
    box.x0 = box.x0 > by ? box.x0 - by : 0;
    box.y0 = box.y0 > by ? box.y0 - by : 0;
    box.x1 = box.x1 + by < level->width ? box.x1 + by : level->width;
    box.y1 = box.y1 + by < level->height ? box.y1 + by : level->height;
    return box;
}

/* Where pixel (0, 0) of the image would be. */
struct place {
    char *data;
    ptrdiff_t pitch;
};

static struct place of_field(const struct ro_level_field *field)
{
    return (struct place){field->data, (ptrdiff_t)field->pitch};
}

static bool step_box(const struct ro_level_tiles *tiles, struct box box, struct place from,
                     struct place to)
{
    const struct ro_level_front *front = tiles->front;
    const struct ro_level *level = &front->level;
    const ptrdiff_t bytes = (ptrdiff_t)sample_bytes(front), x = box.x0 * bytes;
    bool moved = false;
    for (int64_t y = box.y0; y < box.y1; y++) {
        const char *row = from.data + y * from.pitch + x;
        struct ro_level_row work = {
            .above = y > 0 ? row - from.pitch : row,
            .row = row,
            .below = y + 1 < level->height ? row + from.pitch : row,
            .speed = front->speed.data + (size_t)y * front->speed.pitch + x,
            .out = to.data + y * to.pitch + x,
            .count = (uint32_t)(box.x1 - box.x0),
        };
        if (level->moved_by_field) {
            work.vx = front->vx.data + (size_t)y * front->vx.pitch + x;
            work.vy = front->vy.data + (size_t)y * front->vy.pitch + x;
        }
        moved |= tiles->kernel->step(level, &work);
        if (box.x0 == 0)
            memcpy(work.out - bytes, work.out, (size_t)bytes);
        if (box.x1 == level->width) {
            char *end = work.out + (box.x1 - box.x0) * bytes;
            memcpy(end, end - bytes, (size_t)bytes);
        }
    }
    return moved;
}

/* Gives whether anything moved; *last: in the last step. */
static bool step_tile(const struct ro_level_tiles *tiles, struct box tile, uint32_t steps,
                      int thread, bool *last)
{
    const struct ro_level_front *front = tiles->front;
    const ptrdiff_t pitch = (ptrdiff_t)tiles->scratch_pitch;
    char *scratch = tiles->scratch + (size_t)thread * 2 * tiles->scratch_bytes;
    struct place from = of_field(&front->phi[front->now]);
    bool moved = false;
    for (uint32_t step = 1; step <= steps; step++) {
        struct place to = of_field(&front->phi[1 - front->now]);
        if (step < steps) {
            const struct box edge = grown(tile, steps, &front->level);
            to.pitch = pitch;
            to.data = scratch + (step & 1) * tiles->scratch_bytes + RO_LEVEL_PAD - edge.y0 * pitch -
                      edge.x0 * (ptrdiff_t)sample_bytes(front);
        }
        *last = step_box(tiles, grown(tile, steps - step, &front->level), from, to);
        moved |= *last;
        from = to;
    }
    return moved;
}

/* ---- A round --------------------------------------------------------------------------------- */

struct round {
    struct ro_level_tiles *tiles;
    uint32_t steps;
    atomic_uint_fast64_t ticket, computed;
    atomic_bool last; /* a pixel changed in the last step */
};

static bool is_awake(const struct ro_level_tiles *tiles, uint32_t column, uint32_t row)
{
    const unsigned char *moved = tiles->moved[tiles->round & 1];
    uint32_t right = column + 1 < tiles->columns ? column + 1 : column;
    uint32_t bottom = row + 1 < tiles->rows ? row + 1 : row;
    for (uint32_t j = row ? row - 1 : 0; j <= bottom; j++)
        for (uint32_t i = column ? column - 1 : 0; i <= right; i++)
            if (moved[(size_t)j * tiles->columns + i])
                return true;
    return false;
}

static void run_round(void *data, int thread)
{
    struct round *round = data;
    const struct ro_level_tiles *tiles = round->tiles;
    const struct ro_level *level = &tiles->front->level;
    const uint64_t count = (uint64_t)tiles->columns * tiles->rows;
    unsigned char *moved = tiles->moved[1 - (tiles->round & 1)];
    for (uint64_t t; (t = atomic_fetch_add(&round->ticket, 1)) < count;) {
        uint32_t column = (uint32_t)(t % tiles->columns), row = (uint32_t)(t / tiles->columns);
        moved[t] = 0;
        if (!is_awake(tiles, column, row))
            continue;
        struct box box = {(int64_t)column * tiles->width, (int64_t)row * tiles->height, 0, 0};
        box.x1 = box.x0 + tiles->width < level->width ? box.x0 + tiles->width : level->width;
        box.y1 = box.y0 + tiles->height < level->height ? box.y0 + tiles->height : level->height;
        bool last = false;
        moved[t] = step_tile(tiles, box, round->steps, thread, &last);
        if (last)
            atomic_store_explicit(&round->last, true, memory_order_relaxed);
        atomic_fetch_add_explicit(&round->computed, 1, memory_order_relaxed);
    }
}

bool ro_level_tiles_run(struct ro_level_tiles *tiles, struct ro_pool *pool, uint32_t steps)
{
    bool last = false;
    while (steps > 0) {
        struct round round = {.tiles = tiles};
        round.steps = steps < tiles->depth ? steps : tiles->depth;
        atomic_init(&round.ticket, 0);
        atomic_init(&round.computed, 0);
        atomic_init(&round.last, false);
        ro_pool_run(pool, ro_pool_threads(pool), run_round, &round);
        last = atomic_load(&round.last);
        tiles->computed += atomic_load(&round.computed);
        tiles->round++;
        tiles->front->now = 1 - tiles->front->now;
        steps -= round.steps;
    }
    return last;
}
