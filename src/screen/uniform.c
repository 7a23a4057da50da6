/* SPDX-License-Identifier: MIT */
/*
 * The uniform threshold array of the clipping-free paper.
 *
 * Level after level, cells are drawn at random among the free ones and then moved, each to the best
 * free neighbour, while the uniformity grows: the sum, over the cells of the level, of the distance
 * to the nearest cell of this or a lower level. Distances wrap round the edges, so the array tiles.
 * They are counted in units of 1/65536, rounded down: integers, so that every machine makes the
 * same array. Inside a level, ranks go to the cell farthest from those ranked before it, so that
 * tones between two levels are even too.
 */
#include "screen/uniform.h"
#include "roundoff/library.h"

#include "core/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A cell is drawn as the most distant of some candidates: with one, as the paper draws, the search
 * ends in clumps that single steps cannot dissolve (in squares of 32 to 128 cells the variance of
 * the number of cells is 0.4 to 0.8 of a random array's; with 16 it is 0.1 to 0.2). */
enum { CANDIDATES = 16 };

struct cell {
    int x, y;
    int32_t nearest; /* squared distance to the nearest cell of this or a lower level */
};

struct array {
    int size;
    bool *taken;         /* by a cell of this or a lower level */
    int32_t *number;     /* of a cell among those of this level, or -1 */
    uint32_t *free;      /* cells to draw from */
    struct cell *cells;  /* of this level */
    int32_t widest;      /* no `nearest` of theirs is larger */
    struct nearby *near; /* round the cell that may move */
};

/* What a move can change. */
struct nearby {
    int x, y;
    int32_t without; /* for a cell of this level: its `nearest` without the moving cell; else -1 */
};

static int wrap(int at, int size) { return at < 0 ? at + size : at >= size ? at - size : at; }

static int32_t square_distance(const struct array *array, int ax, int ay, int bx, int by)
{
    int dx = abs(ax - bx), dy = abs(ay - by), size = array->size;
    dx = dx > size - dx ? size - dx : dx;
    dy = dy > size - dy ? size - dy : dy;
    return dx * dx + dy * dy;
}

/* The floor is safe: below 2^23 a root that is not a whole number stays clear of one. */
static int64_t distance(int32_t square) { return (int64_t)sqrt(square * 0x1p32); }

static int32_t at(const struct array *array, int x, int y) { return y * array->size + x; }

/* The squared distance from (x, y) to the nearest taken cell but (x, y) itself and (ox, oy), ring
 * by ring. A cell that is alone is `size` away from its own copy. */
static int32_t nearest(const struct array *array, int x, int y, int ox, int oy)
{
    const int size = array->size;
    int32_t best = size * size;
    for (int ring = 1; ring <= size / 2 && ring * ring < best; ring++)
        for (int dy = -ring; dy <= ring; dy++) {
            int step = abs(dy) == ring ? 1 : 2 * ring, py = wrap(y + dy, size);
            for (int dx = -ring; dx <= ring; dx += step) {
                int px = wrap(x + dx, size);
                if (array->taken[at(array, px, py)] && dx * dx + dy * dy < best &&
                    !(px == ox && py == oy) && !(px == x && py == y))
                    best = dx * dx + dy * dy;
            }
        }
    return best;
}

/* Collects the cells that a move of `cell` by one step can concern: those whose distance to the old
 * or the new place is at most the widest there is. */
static int gather(struct array *array, const struct cell *cell)
{
    const int size = array->size, reach = (int)sqrt(array->widest) + 3;
    const int low = reach < (size - 1) / 2 ? -reach : -((size - 1) / 2);
    const int high = reach < size / 2 ? reach : size / 2;
    int count = 0;
    for (int dy = low; dy <= high; dy++) {
        int y = wrap(cell->y + dy, size);
        for (int dx = low; dx <= high; dx++) {
            int x = wrap(cell->x + dx, size);
            if (!array->taken[at(array, x, y)] || (dx == 0 && dy == 0))
                continue;
            int32_t number = array->number[at(array, x, y)], without = -1;
            if (number >= 0) {
                without = array->cells[number].nearest;
                if (dx * dx + dy * dy <= without)
                    without = nearest(array, x, y, cell->x, cell->y);
            }
            array->near[count++] = (struct nearby){x, y, without};
        }
    }
    return count;
}

/* The part of the uniformity that a move changes, with the moving cell at (x, y). */
static int64_t uniformity(const struct array *array, int count, int x, int y)
{
    int32_t own = array->size * array->size;
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        const struct nearby *near = &array->near[i];
        int32_t square = square_distance(array, x, y, near->x, near->y);
        if (square < own)
            own = square;
        if (near->without >= 0)
            sum += distance(square < near->without ? square : near->without);
    }
    return sum + distance(own);
}

static void move_to(struct array *array, int count, struct cell *cell, int x, int y)
{
    int32_t from = at(array, cell->x, cell->y), to = at(array, x, y);
    array->taken[from] = false;
    array->taken[to] = true;
    array->number[to] = array->number[from];
    array->number[from] = -1;
    *cell = (struct cell){x, y, array->size * array->size};
    for (int i = 0; i < count; i++) {
        const struct nearby *near = &array->near[i];
        int32_t square = square_distance(array, x, y, near->x, near->y);
        if (square < cell->nearest)
            cell->nearest = square;
        if (near->without < 0)
            continue;
        struct cell *other = &array->cells[array->number[at(array, near->x, near->y)]];
        other->nearest = square < near->without ? square : near->without;
        if (other->nearest > array->widest)
            array->widest = other->nearest;
    }
    if (cell->nearest > array->widest)
        array->widest = cell->nearest;
}

/* Tries the eight neighbours in raster order; the largest growth wins, the first among equals. */
static bool move_cell(struct array *array, struct cell *cell)
{
    int count = gather(array, cell), best_x = cell->x, best_y = cell->y;
    int64_t best = uniformity(array, count, cell->x, cell->y);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int x = wrap(cell->x + dx, array->size), y = wrap(cell->y + dy, array->size);
            if (array->taken[at(array, x, y)])
                continue;
            int64_t value = uniformity(array, count, x, y);
            if (value > best) {
                best = value;
                best_x = x;
                best_y = y;
            }
        }
    if (best_x == cell->x && best_y == cell->y)
        return false;
    move_to(array, count, cell, best_x, best_y);
    return true;
}

/* Spreads the cells of a level until no single move helps. */
static void spread(struct array *array, int count)
{
    bool moved = true;
    for (int i = 0; i < count; i++) {
        struct cell *cell = &array->cells[i];
        cell->nearest = nearest(array, cell->x, cell->y, -1, -1);
    }
    while (moved) {
        moved = false;
        array->widest = 0;
        for (int i = 0; i < count; i++)
            if (array->cells[i].nearest > array->widest)
                array->widest = array->cells[i].nearest;
        for (int i = 0; i < count; i++)
            moved |= move_cell(array, &array->cells[i]);
    }
}

/* Ranks the cells of a level: the first as drawn, then always the one farthest from those before.
 */
static void rank(struct array *array, int count, uint32_t *order)
{
    for (int i = 0; i < count; i++)
        array->cells[i].nearest = INT32_MAX;
    for (int next = 0, done = 0; done < count; done++) {
        struct cell chosen = array->cells[next];
        order[done] = (uint32_t)at(array, chosen.x, chosen.y);
        array->cells[next].nearest = -1;
        int32_t farthest = -1;
        for (int i = 0; i < count; i++) {
            struct cell *cell = &array->cells[i];
            int32_t square = square_distance(array, cell->x, cell->y, chosen.x, chosen.y);
            if (square < cell->nearest)
                cell->nearest = square;
            if (cell->nearest > farthest) {
                farthest = cell->nearest;
                next = i;
            }
        }
    }
}

/* Draws the cells of a level among the free ones. */
static void draw(struct array *array, int count, uint64_t seed, uint32_t level)
{
    const uint32_t size = (uint32_t)array->size, total = size * size;
    uint32_t free_cells = 0;
    for (uint32_t i = 0; i < total; i++)
        if (!array->taken[i])
            array->free[free_cells++] = i;
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        uint32_t cell = 0;
        int32_t best = -1;
        for (uint32_t k = 0; k < CANDIDATES; k++) {
            uint64_t hash = pixel_hash(seed, i * CANDIDATES + k, level);
            uint32_t drawn = array->free[hash * free_cells >> 32];
            int x = (int)(drawn % size), y = (int)(drawn / size);
            int32_t square = array->taken[drawn] ? -1 : nearest(array, x, y, -1, -1);
            if (square > best) {
                best = square;
                cell = drawn;
            }
        }
        while (best < 0 && array->taken[cell]) /* all candidates were drawn before */
            cell = (cell + 1) % total;
        array->taken[cell] = true;
        array->number[cell] = (int32_t)i;
        array->cells[i].x = (int)(cell % size);
        array->cells[i].y = (int)(cell / size);
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Ranks that share a 16-bit value in a file go in raster order, as a reader will rank them. */
static void settle_ties(uint32_t total, uint32_t count, uint32_t *order)
{
    for (uint32_t first = 0, next; first < count; first = next) {
        next = first + 1;
        while (next < count && uniform_value(total, next) == uniform_value(total, first))
            next++;
        qsort(order + first, next - first, sizeof *order, compare);
    }
}

ro_status uniform_make(ro_context *context, uint32_t size, uint64_t seed, uint32_t levels,
                       uint32_t *order)
{
    const size_t total = (size_t)size * size;
    ro_status status = RO_OK;
    struct array array = {
        .size = (int)size,
        .taken = calloc(total, sizeof *array.taken),
        .number = malloc(total * sizeof *array.number),
        .free = malloc(total * sizeof *array.free),
        .cells = malloc((total / 255 + 1) * sizeof *array.cells),
        .near = malloc(total * sizeof *array.near),
    };
    if (!array.taken || !array.number || !array.free || !array.cells || !array.near) {
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u", size, size);
        goto done;
    }
    for (uint32_t level = 0; level < levels && status == RO_OK; level++) {
        uint32_t first = uniform_cells(size, level), next = uniform_cells(size, level + 1);
        for (size_t i = 0; i < total; i++)
            array.number[i] = -1;
        draw(&array, (int)(next - first), seed, level);
        spread(&array, (int)(next - first));
        rank(&array, (int)(next - first), order + first);
        status = ro_context_progress(context, "screen", (level + 1.0) / levels);
    }
    settle_ties((uint32_t)total, uniform_cells(size, levels), order);
done:
    free(array.near);
    free(array.cells);
    free(array.free);
    free(array.number);
    free(array.taken);
    return status;
}
