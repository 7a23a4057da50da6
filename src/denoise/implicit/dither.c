/* SPDX-License-Identifier: MIT */
/*
 * The defect of the sum given back by all threads; see dither_defect. The pixels with the
 * smallest hashes are found by counting the hashes by their upper bits: all below one of these
 * counts get a unit, and only the few in it must be sorted. Rounds in which every pixel gets one
 * are done together, without hashes.
 */
#include "core/random.h"
#include "denoise/implicit/implicit.h"
#include "denoise/implicit/lines.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, BUCKET_SHIFT = 20, BLOCK = 16 /* rows taken at a time */ };

struct place {
    uint32_t hash;
    uint64_t index;
};

struct part {
    uint32_t *hashes; /* of a row */
    uint64_t counts[BUCKETS];
    struct place *places; /* in the bucket that is divided */
    size_t count;
    uint64_t free;   /* pixels that are not at the limit */
    int64_t nearest; /* how far the nearest of them is */
};

enum pass { COUNTING, TAKING, LOOKING, LIFTING };

struct dither {
    const struct line_kernel *kernel;
    int32_t *x, unit, limit;
    uint32_t width, height;
    uint64_t seed;
    uint32_t divided;
    enum pass pass;
    int32_t lift; /* of all that are not at the limit */
    struct part *parts;
    atomic_uint_fast32_t ticket;
};

static void count_row(struct dither *d, struct part *part, const int32_t *x)
{
    for (uint32_t i = 0; i < d->width; i++)
        part->counts[part->hashes[i] >> BUCKET_SHIFT] += x[i] != d->limit;
}

static void take_row(struct dither *d, struct part *part, int32_t *x, uint64_t first)
{
    const uint32_t below = d->divided << BUCKET_SHIFT;
    for (uint32_t i = 0; i < d->width; i++) {
        const uint32_t hash = part->hashes[i];
        if (d->divided < BUCKETS && hash >> BUCKET_SHIFT == d->divided && x[i] != d->limit)
            part->places[part->count++] = (struct place){hash, first + i};
        else if ((hash < below || d->divided == BUCKETS) && x[i] != d->limit)
            x[i] += d->unit;
    }
}

static void look_at_row(struct dither *d, struct part *part, const int32_t *x)
{
    uint32_t free = 0;
    int32_t nearest = INT32_MAX;
    for (uint32_t i = 0; i < d->width; i++) {
        const int32_t way = (d->limit - x[i]) * d->unit, far = way ? way : INT32_MAX;
        free += way != 0;
        nearest = far < nearest ? far : nearest;
    }
    part->free += free;
    part->nearest = nearest < part->nearest ? nearest : part->nearest;
}

static void lift_row(struct dither *d, int32_t *x)
{
    for (uint32_t i = 0; i < d->width; i++)
        x[i] += x[i] != d->limit ? d->lift : 0;
}

static void run_rows(void *data, int thread)
{
    struct dither *d = data;
    struct part *part = &d->parts[thread];
    for (uint64_t block; (block = atomic_fetch_add(&d->ticket, 1)) * BLOCK < d->height;)
        for (uint64_t y = block * BLOCK; y < (block + 1) * BLOCK && y < d->height; y++) {
            int32_t *x = d->x + y * d->width;
            if (d->pass <= TAKING)
                d->kernel->hash(hash_of_row(d->seed, (uint32_t)y), d->width, part->hashes);
            if (d->pass == COUNTING)
                count_row(d, part, x);
            else if (d->pass == TAKING)
                take_row(d, part, x, y * d->width);
            else if (d->pass == LOOKING)
                look_at_row(d, part, x);
            else
                lift_row(d, x);
        }
}

static void run_pass(ro_context *context, struct dither *d, enum pass pass)
{
    d->pass = pass;
    atomic_store(&d->ticket, 0);
    pool_run(context->pool, pool_threads(context->pool), run_rows, d);
}

static int by_hash(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

/* The bucket in which `need` falls, how many of it are taken, and how many it has; BUCKETS: all
 * pixels are taken. */
static int64_t divide(struct dither *d, int threads, int64_t need, uint64_t *size)
{
    int64_t left = need;
    *size = 0;
    for (d->divided = 0; d->divided < BUCKETS; d->divided++) {
        uint64_t count = 0;
        for (int i = 0; i < threads; i++)
            count += d->parts[i].counts[d->divided];
        if ((uint64_t)left < count) {
            *size = count;
            return left;
        }
        left -= (int64_t)count;
    }
    return left;
}

static bool open_parts(struct dither *d, int threads)
{
    d->parts = calloc((size_t)threads, sizeof *d->parts);
    for (int i = 0; i < threads && d->parts; i++)
        if (!(d->parts[i].hashes = malloc(d->width * sizeof *d->parts[i].hashes)))
            return false;
    return d->parts;
}

/* One round; gives what is still needed, or -1 without memory. */
static int64_t round_of(ro_context *context, struct dither *d, int64_t need)
{
    const int threads = pool_threads(context->pool);
    uint64_t size;
    for (int i = 0; i < threads; i++) {
        memset(d->parts[i].counts, 0, sizeof d->parts[i].counts);
        d->parts[i].count = 0;
    }
    run_pass(context, d, COUNTING);
    const int64_t rest = divide(d, threads, need, &size);
    struct place *places = malloc((size_t)(threads + 1) * (size + 1) * sizeof *places);
    if (!places)
        return -1;
    for (int i = 0; i < threads; i++)
        d->parts[i].places = places + (size_t)(i + 1) * (size + 1);
    run_pass(context, d, TAKING);
    size_t count = 0;
    for (int i = 0; i < threads; i++) {
        memcpy(places + count, d->parts[i].places, d->parts[i].count * sizeof *places);
        count += d->parts[i].count;
    }
    if (d->divided < BUCKETS) {
        qsort(places, count, sizeof *places, by_hash);
        for (int64_t i = 0; i < rest; i++)
            d->x[places[i].index] += d->unit;
    }
    free(places);
    return d->divided < BUCKETS ? 0 : rest;
}

/* As many rounds as give every pixel that is not at the limit a unit, and take none there but in
 * the last; gives what is still needed. */
static int64_t whole_rounds(ro_context *context, struct dither *d, int64_t need)
{
    const int threads = pool_threads(context->pool);
    int64_t free = 0, nearest = INT32_MAX;
    for (int i = 0; i < threads; i++) {
        d->parts[i].free = 0;
        d->parts[i].nearest = INT32_MAX;
    }
    run_pass(context, d, LOOKING);
    for (int i = 0; i < threads; i++) {
        free += (int64_t)d->parts[i].free;
        nearest = d->parts[i].nearest < nearest ? d->parts[i].nearest : nearest;
    }
    const int64_t most = free ? need / free : 0, rounds = most < nearest ? most : nearest;
    d->lift = (int32_t)rounds * d->unit;
    d->seed += (uint64_t)rounds;
    run_pass(context, d, LIFTING);
    return need - rounds * free;
}

ro_status dither_run(ro_context *context, int32_t *x, uint32_t width, uint32_t height,
                     const struct edge_balance *balance, uint64_t seed)
{
    const int threads = pool_threads(context->pool);
    const int64_t defect = balance->defect;
    struct dither d = {
        .kernel = line_kernel_of(context->cpu),
        .x = x,
        .unit = defect < 0 ? -1 : 1,
        .limit = defect < 0 ? balance->min : balance->max,
        .width = width,
        .height = height,
        .seed = seed,
    };
    int64_t need = open_parts(&d, threads) ? defect * d.unit : -1;
    while (need >= (int64_t)width * height)
        need = whole_rounds(context, &d, need);
    for (; need > 0; d.seed++)
        need = round_of(context, &d, need);
    for (int i = 0; i < threads && d.parts; i++)
        free(d.parts[i].hashes);
    free(d.parts);
    return need == 0 ? RO_OK
                     : ro_context_fail(context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                                       width, height);
}
