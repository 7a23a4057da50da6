/* SPDX-License-Identifier: MIT */
/*
 * Void and cluster (Ulichney, The void-and-cluster method for dither array generation, 1993): the
 * cells below any rank lie as evenly as they can on the torus.
 *
 *     rank 0 ............... n/10 ................ n/2 ............... n-1
 *          <-- ones leave the     ones go into the     zeros leave the
 *              tightest cluster   largest void -->     tightest cluster -->
 *
 * The pattern of n/10 ones is random at first; ones move from the tightest cluster to the largest
 * void until that makes nothing better.
 *
 * How crowded a cell is says its energy: a sum of Gaussians round the members (the ones, or the
 * zeros where these are fewer), in integers, brought up to date when a member comes or goes. The
 * cell of least or most energy is found by a tree with 16 children a node. A change touches few
 * nodes, so an array costs some hundred operations a cell, whatever its size.
 *
 * The Gaussian's width follows the distance of members, so that it reaches from one to the next
 * where they are few, and sees the fine pattern where they are many. Its area times the number of
 * members stays the same, and so does the cost. (A fixed width of 1.5, as in the paper, leaves up
 * to 2.6 dB more low-frequency noise in the middle tones.)
 */
#include "screen/screen.h"

#include "core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FANOUT = 16,
    TREE_LEVELS = 5,       /* 16^5 cells: 1024 x 1024 */
    PEAK = 8192,           /* of the Gaussian along an axis; sums stay far below 2^31 */
    PROGRESS_STEPS = 4096, /* changes between two looks at the caller's wishes */
};

static const double width_of_distance = 0.5; /* sigma, in mean distances of members */
static const double least_width = 1.2;
static const uint32_t member = 0x80000000; /* the top bit of an energy: a member lies there */

/* With the top bits, the least of all energies belongs to a cell without a member, and the most of
 * all to a member. */
struct field {
    uint32_t size, cells;
    uint32_t *energy;
    uint32_t *least[TREE_LEVELS], *most[TREE_LEVELS]; /* of 16 nodes of the level below each */
    uint32_t nodes[TREE_LEVELS];
    int levels;
    bool want_least, want_most; /* trees in use */
    uint32_t span, reach;       /* of the Gaussian: span x span weights from -reach on */
    uint32_t *weights;
    uint32_t *first, *last; /* runs of cells that a change has touched */
    void *memory;
    uint64_t seed;
};

static inline uint32_t pick_least(const uint32_t *from, uint32_t count)
{
    uint32_t best = from[0];
    for (uint32_t i = 1; i < count; i++)
        best = from[i] < best ? from[i] : best;
    return best;
}

static inline uint32_t pick_most(const uint32_t *from, uint32_t count)
{
    uint32_t best = from[0];
    for (uint32_t i = 1; i < count; i++)
        best = from[i] > best ? from[i] : best;
    return best;
}

/* Works out one node of level `level` again. */
static inline void renew_node(struct field *field, int level, uint32_t node)
{
    uint32_t below = level ? field->nodes[level - 1] : field->cells;
    uint32_t from = node * FANOUT, count = below - from < FANOUT ? below - from : FANOUT;
    if (field->want_least) {
        const uint32_t *children = (level ? field->least[level - 1] : field->energy) + from;
        field->least[level][node] =
            count == FANOUT ? pick_least(children, FANOUT) : pick_least(children, count);
    }
    if (field->want_most) {
        const uint32_t *children = (level ? field->most[level - 1] : field->energy) + from;
        field->most[level][node] =
            count == FANOUT ? pick_most(children, FANOUT) : pick_most(children, count);
    }
}

/* The nodes above the runs of cells in first, last; runs may share nodes. */
static void renew_trees(struct field *field, uint32_t runs)
{
    for (int level = 0; level < field->levels; level++) {
        uint32_t done = UINT32_MAX;
        for (uint32_t i = 0; i < runs; i++) {
            uint32_t from = field->first[i] /= FANOUT, to = field->last[i] /= FANOUT;
            for (uint32_t node = from; node <= to; node++)
                if (node != done)
                    renew_node(field, level, done = node);
        }
    }
}

/* The first cell of least or most energy. */
static uint32_t find(const struct field *field, uint32_t *const *tree)
{
    uint32_t best = tree[field->levels - 1][0], at = 0;
    for (int level = field->levels - 1; level >= 0; level--) {
        const uint32_t *below = level ? tree[level - 1] : field->energy;
        for (at *= FANOUT; below[at] != best;)
            at++;
    }
    return at;
}

/* Adds the Gaussian round a cell, or takes it away (sign -1), and notes the runs it touched. */
static uint32_t spread(struct field *field, uint32_t cell, uint32_t sign)
{
    const uint32_t size = field->size, span = field->span;
    uint32_t x = (cell % size + size - field->reach) % size;
    uint32_t y = (cell / size + size - field->reach) % size;
    uint32_t head = size - x < span ? size - x : span, runs = 0;
    const uint32_t *weight = field->weights;
    for (uint32_t j = 0; j < span; j++, weight += span) {
        uint32_t row = (y + j < size ? y + j : y + j - size) * size;
        uint32_t *energy = field->energy + row + x;
        for (uint32_t i = 0; i < head; i++)
            energy[i] += sign * weight[i];
        field->first[runs] = row + x;
        field->last[runs++] = row + x + head - 1;
        if (head == span)
            continue;
        energy = field->energy + row;
        for (uint32_t i = head; i < span; i++)
            energy[i - head] += sign * weight[i];
        field->first[runs] = row;
        field->last[runs++] = row + span - head - 1;
    }
    return runs;
}

static void change(struct field *field, uint32_t cell, uint32_t sign)
{
    uint32_t runs = spread(field, cell, sign);
    field->energy[cell] ^= member;
    renew_trees(field, runs);
}
static void come(struct field *field, uint32_t cell) { change(field, cell, 1); }
static void leave(struct field *field, uint32_t cell) { change(field, cell, UINT32_MAX); }

/* The Gaussian for so many members, wrapped round the torus where it is wider than that. */
static void set_gaussian(struct field *field, uint32_t members)
{
    double axis[SCREEN_MAX_SIDE] = {0};
    const uint32_t size = field->size;
    double sigma = width_of_distance * sqrt((double)field->cells / members);
    sigma = sigma < least_width ? least_width : sigma;
    sigma = sigma > size / 4.0 ? size / 4.0 : sigma;
    uint32_t reach = 0;
    while (lrint(PEAK * exp(-((double)reach + 1) * (reach + 1) / (2 * sigma * sigma))) > 0)
        reach++;
    field->span = 2 * reach + 1 < size ? 2 * reach + 1 : size;
    field->reach = field->span < size ? reach : 0;
    for (uint32_t i = 0; i <= 2 * reach; i++) {
        double d = (double)i - reach;
        uint32_t at = field->span < size ? i : (i + size * reach - reach) % size;
        axis[at] += (double)lrint(PEAK * exp(-d * d / (2 * sigma * sigma)));
    }
    for (uint32_t j = 0; j < field->span; j++)
        for (uint32_t i = 0; i < field->span; i++)
            field->weights[j * field->span + i] = (uint32_t)(axis[j] * axis[i]);
}

/* Energies and trees anew for the members, whose top bits are set. A little noise decides where
 * energies are equal; without it the first row would. */
static void rebuild(struct field *field, uint32_t members)
{
    const uint32_t size = field->size;
    set_gaussian(field, members);
    for (uint32_t i = 0; i < field->cells; i++)
        field->energy[i] =
            (field->energy[i] & member) | pixel_hash(~field->seed, i % size, i / size) >> 22;
    for (uint32_t i = 0; i < field->cells; i++)
        if (field->energy[i] & member)
            spread(field, i, 1);
    for (int level = 0; level < field->levels; level++)
        for (uint32_t node = 0; node < field->nodes[level]; node++)
            renew_node(field, level, node);
}

static ro_status open_field(ro_context *context, struct field *field, uint32_t size, uint64_t seed)
{
    *field = (struct field){.size = size, .cells = size * size, .seed = seed};
    size_t words = field->cells, weights = field->cells;
    for (uint32_t nodes = field->cells; nodes > 1;) {
        nodes = (nodes + FANOUT - 1) / FANOUT;
        field->nodes[field->levels++] = nodes;
        words += 2 * (size_t)nodes;
    }
    words += weights + 4 * (size_t)size;
    uint32_t *at = field->memory = calloc(words, sizeof *at);
    if (!at)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells",
                               size, size);
    field->energy = at;
    at += field->cells;
    for (int level = 0; level < field->levels; level++) {
        field->least[level] = at;
        field->most[level] = at += field->nodes[level];
        at += field->nodes[level];
    }
    field->weights = at;
    field->first = at + weights;
    field->last = field->first + 2 * (size_t)size;
    return RO_OK;
}

/* A tenth of the cells at random, then moved from clusters to voids while energies fall. */
static ro_status start(ro_context *context, struct field *field, uint32_t *members)
{
    ro_status status = RO_OK;
    *members = 0;
    for (uint32_t i = 0; i < field->cells; i++)
        if (pixel_hash(field->seed, i % field->size, i / field->size) < UINT32_MAX / 10) {
            field->energy[i] = member;
            ++*members;
        }
    if (*members == 0) { /* among few cells */
        field->energy[0] = member;
        *members = 1;
    }
    field->want_least = field->want_most = true;
    rebuild(field, *members);
    for (uint32_t step = 0; status == RO_OK; step++) {
        uint32_t from = find(field, field->most);
        leave(field, from);
        uint32_t to = find(field, field->least);
        bool better = field->energy[to] < field->energy[from];
        come(field, better ? to : from);
        if (!better)
            break;
        if (step % PROGRESS_STEPS == 0)
            status = ro_context_progress(context, "screen", 0);
    }
    return status;
}

/* Takes members away from the tightest cluster, one after another. The last of them gets rank 0,
 * or cells-1 where the members are zeros. */
static ro_status thin(ro_context *context, struct field *field, uint32_t members, bool zeros,
                      uint32_t *ranks)
{
    ro_status status = RO_OK;
    field->want_least = false;
    field->want_most = true;
    for (uint32_t k = members, renew_at = members; k > 0 && status == RO_OK; k--) {
        if (k == renew_at) {
            rebuild(field, k);
            renew_at = renew_at * 3 / 4;
        }
        uint32_t cell = find(field, field->most);
        leave(field, cell);
        ranks[cell] = zeros ? field->cells - k : k - 1;
        if (k % PROGRESS_STEPS == 0)
            status = ro_context_progress(
                context, "screen", (double)(zeros ? field->cells - k : members - k) / field->cells);
    }
    return status;
}

/* Puts ones into the largest void until there are `until`. */
static ro_status fill(ro_context *context, struct field *field, uint32_t members, uint32_t until,
                      uint32_t *ranks)
{
    ro_status status = RO_OK;
    field->want_least = true;
    field->want_most = false;
    for (uint32_t k = members, renew_at = members; k < until && status == RO_OK; k++) {
        if (k == renew_at) {
            rebuild(field, k);
            renew_at = renew_at * 4 / 3 + 1;
        }
        uint32_t cell = find(field, field->least);
        come(field, cell);
        ranks[cell] = k;
        if (k % PROGRESS_STEPS == 0)
            status = ro_context_progress(context, "screen", (double)k / field->cells);
    }
    return status;
}

ro_status screen_void(ro_context *context, const ro_screen_options *options, uint32_t *ranks)
{
    struct field field;
    uint32_t members = 0;
    uint32_t *pattern = NULL;
    ro_status status = open_field(context, &field, options->cell, options->seed);
    if (status == RO_OK)
        status = start(context, &field, &members);
    if (status != RO_OK)
        goto done;
    const uint32_t half = members > field.cells / 2 ? members : field.cells / 2;
    const size_t bytes = field.cells * sizeof *pattern;
    pattern = malloc(bytes);
    if (!pattern) {
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells",
                                 field.size, field.size);
        goto done;
    }
    memcpy(pattern, field.energy, bytes);
    status = thin(context, &field, members, false, ranks);
    if (status != RO_OK)
        goto done;
    memcpy(field.energy, pattern, bytes);
    status = fill(context, &field, members, half, ranks);
    if (status != RO_OK)
        goto done;
    for (uint32_t i = 0; i < field.cells; i++)
        field.energy[i] ^= member; /* from here on the zeros are the members */
    status = thin(context, &field, field.cells - half, true, ranks);
done:
    free(pattern);
    free(field.memory);
    return status;
}
