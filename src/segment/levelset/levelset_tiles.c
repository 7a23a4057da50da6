/* SPDX-License-Identifier: MIT */
/* Tiles that take many steps at once; see schedule.h. */
#include "core/checked.h"
#include "segment/levelset/schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = RO_LEVEL_OVERRUN + 1,
    USUAL_WIDTH = 256,
    USUAL_HEIGHT = 64,
};

static uint32_t up(uint32_t size, uint32_t to) { return (size + to - 1) / to * to; }

static size_t sample_bytes(const struct level_front *front)
{
    return front->level.real ? sizeof(float) : sizeof(int16_t);
}

ro_status level_tiles_open(struct level_tiles *tiles, struct level_front *const *fronts,
                           const struct level_kernel *const *kernels, uint32_t depth, int threads)
{
    const struct level_front *first = NULL;
    size_t used = 0;
    *tiles = (struct level_tiles){.depth = depth};
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        if (!fronts[i])
            continue;
        first = fronts[i];
        tiles->of[i].front = fronts[i];
        tiles->of[i].kernel = kernels[i];
        used++;
    }
    const uint32_t width = first->level.width, height = first->level.height;
    uint32_t columns = (width + USUAL_WIDTH - 1) / USUAL_WIDTH;
    uint32_t rows = (height + USUAL_HEIGHT - 1) / USUAL_HEIGHT;
    tiles->width = up((width + columns - 1) / columns, LANES);
    tiles->height = (height + rows - 1) / rows;
    if (tiles->height < depth)
        tiles->height = depth;
    tiles->columns = (width + tiles->width - 1) / tiles->width;
    tiles->rows = (height + tiles->height - 1) / tiles->height;
    tiles->scratch_pitch =
        ((tiles->width + 2 * depth + LANES) * sample_bytes(first) + 63) / 64 * 64 +
        2 * RO_LEVEL_PAD;
    tiles->scratch_bytes = tiles->scratch_pitch * (tiles->height + 2 * depth);
    size_t bytes, count;
    void *memory = NULL;
    if (!size_multiply(2 * tiles->scratch_bytes, (size_t)threads, &bytes) ||
        !size_multiply(tiles->columns, tiles->rows, &count) ||
        posix_memalign(&memory, 64, bytes) != 0)
        return RO_E_MEMORY;
    memset(memory, 0, bytes);
    tiles->scratch = memory;
    tiles->list = malloc(used * count * sizeof *tiles->list);
    bool made = tiles->list != NULL;
    for (int i = 0; i < RO_LEVEL_FRONTS && made; i++) {
        if (!tiles->of[i].front)
            continue;
        for (int k = 0; k < 2; k++)
            made &= (tiles->of[i].bits[k] = calloc(count, sizeof **tiles->of[i].bits)) != NULL;
        if (made)
            level_tiles_wake(tiles, i);
    }
    if (!made) {
        level_tiles_close(tiles);
        return RO_E_MEMORY;
    }
    return RO_OK;
}

void level_tiles_close(struct level_tiles *tiles)
{
    free(tiles->scratch);
    free(tiles->list);
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        free(tiles->of[i].bits[0]);
        free(tiles->of[i].bits[1]);
    }
    *tiles = (struct level_tiles){0};
}

void level_tiles_wake(struct level_tiles *tiles, int front)
{
    struct level_tiled *of = &tiles->of[front];
    for (size_t i = 0; i < (size_t)tiles->columns * tiles->rows; i++)
        of->bits[of->round & 1][i] = RO_TILE_AWAKE;
    of->woken = true;
}

/* ---- One tile -------------------------------------------------------------------------------- */

/* Pixels x0 .. x1 - 1, y0 .. y1 - 1, inside the image. */
struct box {
    int64_t x0, y0, x1, y1;
};

static struct box grown(struct box box, int64_t by, const struct front_level *level)
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

static struct place of_field(const struct level_field *field)
{
    return (struct place){field->data, (ptrdiff_t)field->pitch};
}

/* Pixels x0 .. x1 - 1 of a row; gives LEVEL_ bits. */
static unsigned step_row(const struct level_tiled *of, int64_t y, int64_t x0, int64_t x1,
                         struct place from, struct place to)
{
    const struct level_front *front = of->front;
    const struct front_level *level = &front->level;
    const ptrdiff_t bytes = (ptrdiff_t)sample_bytes(front), x = x0 * bytes;
    const char *row = from.data + y * from.pitch + x;
    struct level_row work = {
        .above = y > 0 ? row - from.pitch : row,
        .row = row,
        .below = y + 1 < level->height ? row + from.pitch : row,
        .speed = front->speed.data + (size_t)y * front->speed.pitch + x,
        .out = to.data + y * to.pitch + x,
        .count = (uint32_t)(x1 - x0),
    };
    if (level->moved_by_field) {
        work.vx = front->vx.data + (size_t)y * front->vx.pitch + x;
        work.vy = front->vy.data + (size_t)y * front->vy.pitch + x;
    }
    const unsigned moves = of->kernel->step(level, &work);
    if (x0 == 0)
        memcpy(work.out - bytes, work.out, (size_t)bytes);
    if (x1 == level->width) {
        char *end = work.out + (x1 - x0) * bytes;
        memcpy(end, end - bytes, (size_t)bytes);
    }
    return moves;
}

static unsigned step_box(const struct level_tiled *of, struct box box, struct place from,
                         struct place to)
{
    unsigned moves = 0;
    for (int64_t y = box.y0; y < box.y1; y++)
        moves |= step_row(of, y, box.x0, box.x1, from, to);
    return moves;
}

/* The last step of a tile, its sides apart: gives the bits of the directions and RO_TILE_CROSSED.
 */
static unsigned step_last(const struct level_tiled *of, struct box box, struct place from,
                          struct place to, int64_t depth)
{
    unsigned bits = 0, moves = 0;
    const bool wide = box.x1 - box.x0 >= 4 * LANES;
    const int64_t right = box.x0 + (box.x1 - box.x0 - depth) / LANES * LANES;
    for (int64_t y = box.y0; y < box.y1; y++) {
        unsigned across; /* bits of dx = -1, 0, 1 */
        if (wide) {
            const unsigned l = step_row(of, y, box.x0, box.x0 + LANES, from, to);
            const unsigned m = step_row(of, y, box.x0 + LANES, right, from, to);
            const unsigned r = step_row(of, y, right, box.x1, from, to);
            moves |= l | m | r;
            across = (l & LEVEL_MOVED) | ((l | m | r) & LEVEL_MOVED) << 1 | (r & LEVEL_MOVED) << 2;
        } else {
            const unsigned all = step_row(of, y, box.x0, box.x1, from, to);
            moves |= all;
            across = all & LEVEL_MOVED ? 7 : 0;
        }
        bits |= across << 3;
        if (y < box.y0 + depth)
            bits |= across;
        if (y >= box.y1 - depth)
            bits |= across << 6;
    }
    return bits | (moves & LEVEL_CROSSED ? RO_TILE_CROSSED : 0);
}

static unsigned step_tile(const struct level_tiles *tiles, const struct level_tiled *of,
                          struct box tile, uint32_t steps, int thread)
{
    const struct level_front *front = of->front;
    const struct box edge = grown(tile, steps, &front->level);
    char *scratch = tiles->scratch + (size_t)thread * 2 * tiles->scratch_bytes + RO_LEVEL_PAD -
                    edge.y0 * (ptrdiff_t)tiles->scratch_pitch -
                    edge.x0 * (ptrdiff_t)sample_bytes(front);
    struct place from = of_field(&front->phi[front->now]);
    unsigned moves = 0;
    for (uint32_t step = 1; step < steps; step++) {
        struct place to = {scratch + (step & 1) * tiles->scratch_bytes,
                           (ptrdiff_t)tiles->scratch_pitch};
        moves |= step_box(of, grown(tile, steps - step, &front->level), from, to);
        from = to;
    }
    unsigned bits = step_last(of, tile, from, of_field(&front->phi[1 - front->now]), tiles->depth);
    return bits | (moves || bits ? RO_TILE_MOVED : 0) |
           (moves & LEVEL_CROSSED ? RO_TILE_CROSSED : 0);
}

/* ---- A round --------------------------------------------------------------------------------- */

struct round {
    struct level_tiles *tiles;
    uint32_t steps;
    uint64_t count;
    atomic_uint_fast64_t ticket;
};

static bool is_awake(const struct level_tiles *tiles, const uint16_t *bits, uint32_t column,
                     uint32_t row)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int64_t x = (int64_t)column + i, y = (int64_t)row + j;
            const unsigned wanted = i || j ? 1u << (3 * (1 - j) + 1 - i) : RO_TILE_MOVED;
            if (x >= 0 && y >= 0 && x < tiles->columns && y < tiles->rows &&
                bits[(size_t)y * tiles->columns + (size_t)x] & wanted)
                return true;
        }
    return false;
}

/* Lists the tiles of a round; those that are left out remember nothing. */
static uint64_t list_tiles(struct level_tiles *tiles, const bool *chosen)
{
    uint64_t count = 0;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        const struct level_tiled *of = &tiles->of[i];
        if (!chosen[i])
            continue;
        uint64_t tile = 0;
        for (uint32_t row = 0; row < tiles->rows; row++)
            for (uint32_t column = 0; column < tiles->columns; column++, tile++) {
                of->bits[1 - (of->round & 1)][tile] = 0;
                if (is_awake(tiles, of->bits[of->round & 1], column, row))
                    tiles->list[count++] = tile * RO_LEVEL_FRONTS + (uint64_t)i;
            }
    }
    return count;
}

static void run_round(void *data, int thread)
{
    struct round *round = data;
    const struct level_tiles *tiles = round->tiles;
    for (uint64_t t; (t = atomic_fetch_add(&round->ticket, 1)) < round->count;) {
        const uint64_t tile = tiles->list[t] / RO_LEVEL_FRONTS;
        const struct level_tiled *of = &tiles->of[tiles->list[t] % RO_LEVEL_FRONTS];
        const struct front_level *level = &of->front->level;
        struct box box = {(int64_t)(tile % tiles->columns) * tiles->width,
                          (int64_t)(tile / tiles->columns) * tiles->height, 0, 0};
        box.x1 = box.x0 + tiles->width < level->width ? box.x0 + tiles->width : level->width;
        box.y1 = box.y0 + tiles->height < level->height ? box.y0 + tiles->height : level->height;
        of->bits[1 - (of->round & 1)][tile] =
            (uint16_t)step_tile(tiles, of, box, round->steps, thread);
    }
}

void level_tiles_run(struct level_tiles *tiles, struct thread_pool *pool, const bool *chosen,
                     uint32_t steps, unsigned *moves)
{
    bool woken = false;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++)
        if (chosen[i]) {
            woken |= tiles->of[i].woken;
            tiles->of[i].woken = false;
            moves[i] = 0;
        }
    while (steps > 0) {
        const uint32_t rounds = (steps + tiles->depth - 1) / tiles->depth;
        struct round round = {.tiles = tiles, .steps = woken ? 1 : (steps + rounds - 1) / rounds};
        woken = false;
        round.count = list_tiles(tiles, chosen);
        atomic_init(&round.ticket, 0);
        const int threads = pool_threads(pool);
        if (round.count > 1)
            pool_run(pool, round.count < (uint64_t)threads ? (int)round.count : threads, run_round,
                     &round);
        else
            run_round(&round, 0);
        for (int i = 0; i < RO_LEVEL_FRONTS; i++)
            if (chosen[i]) {
                tiles->of[i].round++;
                tiles->of[i].front->now = 1 - tiles->of[i].front->now;
            }
        tiles->computed += round.count;
        steps -= round.steps;
        for (uint64_t t = 0; t < round.count; t++) {
            const struct level_tiled *of = &tiles->of[tiles->list[t] % RO_LEVEL_FRONTS];
            const unsigned bits = of->bits[of->round & 1][tiles->list[t] / RO_LEVEL_FRONTS];
            unsigned *all = &moves[tiles->list[t] % RO_LEVEL_FRONTS];
            *all |= (bits & RO_TILE_CROSSED ? LEVEL_CROSSED : 0) |
                    (steps == 0 && bits >> 4 & 1 ? LEVEL_MOVED : 0);
        }
    }
}
