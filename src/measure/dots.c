/* SPDX-License-Identifier: MIT */
/*
 * Dots of a picture of two levels: which pixels are in the minority where they are, how they hang
 * together, how often they touch.
 *
 * Rows become runs of equal dots; runs that touch those of the row above are joined (union and
 * find). Threads take strips of rows; the seams between strips are joined at the end.
 */
#include "core/checked.h"
#include "measure/measure.h"

#include <stdlib.h>
#include <string.h>

enum { STRIP = 256 }; /* rows */

/* Pixels first to last of a row are dots of one kind. Of the root of a dot, `size` counts all of
 * its pixels. */
struct run {
    uint32_t first, last;
    uint32_t parent; /* within the strip, then in all of them */
    uint32_t size;
    uint8_t kind;
};

struct strip {
    uint32_t y0, y1;
    struct run *runs;
    uint32_t count, room;
    uint32_t top, bottom; /* runs [0, top) are of the first row, [bottom, count) of the last */
    uint64_t pixels, changes_across, changes_down, touching;
    double expected;
};

struct search {
    struct measure_job *job;
    struct strip *strips;
    uint32_t count;
    float *lines; /* of all threads: two rows of chances and two of the result */
    size_t line;
    uint8_t *kinds; /* of all threads: two rows */
    atomic_uint_fast32_t ticket;
    atomic_bool no_memory;
};

enum kind { NO_DOT, WHITE_DOT, BLACK_DOT };

static uint32_t root_of(struct run *runs, uint32_t i)
{
    while (runs[i].parent != i) {
        runs[i].parent = runs[runs[i].parent].parent;
        i = runs[i].parent;
    }
    return i;
}

static void join(struct run *runs, uint32_t a, uint32_t b)
{
    a = root_of(runs, a);
    b = root_of(runs, b);
    if (a == b)
        return;
    if (a > b) {
        const uint32_t c = a;
        a = b;
        b = c;
    }
    runs[b].parent = a;
    runs[a].size += runs[b].size;
}

/* Joins the runs [a0, a1) of a row with those [b0, b1) of the next; corners touch. */
static void join_rows(struct run *runs, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
    uint32_t a = a0, b = b0;
    while (a < a1 && b < b1) {
        if (runs[a].kind == runs[b].kind && runs[a].first <= runs[b].last + 1 &&
            runs[b].first <= runs[a].last + 1)
            join(runs, a, b);
        if (runs[a].last < runs[b].last)
            a++;
        else
            b++;
    }
}

static bool add_runs(struct strip *strip, const uint8_t *kinds, uint32_t width)
{
    for (uint32_t x = 0; x < width;) {
        if (!kinds[x]) {
            x++;
            continue;
        }
        const uint32_t first = x;
        while (x < width && kinds[x] == kinds[first])
            x++;
        if (strip->count == strip->room) {
            const uint32_t room = strip->room ? 2 * strip->room : 4096;
            struct run *more = realloc(strip->runs, room * sizeof *more);
            if (!more)
                return false;
            strip->runs = more;
            strip->room = room;
        }
        strip->runs[strip->count] =
            (struct run){first, x - 1, strip->count, x - first, kinds[first]};
        strip->count++;
        strip->pixels += x - first;
    }
    return true;
}

/* The chance of a dot in a random pattern, negative for black ones. */
static inline float chance(float tone) { return tone < 0.5f ? tone : tone - 1; }

/* Pairs of a pixel of one row and its neighbour in another or the same: those of two dots of a
 * kind, and how many a random pattern has. All begin at the pair's first pixel. */
static void add_pairs(struct strip *strip, const float *a, const float *b, const uint8_t *ka,
                      const uint8_t *kb, uint32_t count)
{
    enum { LANES = 16, PIECE = 1024 };
    for (uint32_t x = 0; x < count; x += PIECE) {
        const uint32_t end = count - x < PIECE ? count - x : PIECE;
        const uint32_t whole = end - end % LANES;
        uint32_t touching = 0;
        float sums[LANES] = {0};
        for (uint32_t i = 0; i < whole; i += LANES)
            for (int l = 0; l < LANES; l++) {
                const float p = a[x + i + l] * b[x + i + l];
                sums[l] += p > 0 ? p : 0;
            }
        for (uint32_t i = whole; i < end; i++) {
            const float p = a[x + i] * b[x + i];
            sums[i - whole] += p > 0 ? p : 0;
        }
        for (uint32_t i = 0; i < end; i++)
            touching += (uint32_t)((ka[x + i] != NO_DOT) & (ka[x + i] == kb[x + i]));
        for (int l = 0; l < LANES; l++)
            strip->expected += (double)sums[l];
        strip->touching += touching;
    }
}

static bool run_strip(struct search *search, struct strip *strip, int thread)
{
    const struct measure_job *job = search->job;
    const uint32_t width = job->width;
    float *lines = search->lines + 4 * search->line * (size_t)thread;
    uint8_t *kinds = search->kinds + 2 * (size_t)width * (size_t)thread;
    uint32_t above = 0, here = 0; /* where the runs of the row above begin, and this row's */
    /* the row above the strip, for its pairs */
    for (int64_t y = (int64_t)strip->y0 - 1; y < strip->y1; y++) {
        if (y < 0)
            continue;
        float *a = lines + (size_t)(y & 1) * search->line, *b = a + 2 * search->line;
        const float *a1 = lines + (size_t)(~y & 1) * search->line, *b1 = a1 + 2 * search->line;
        uint8_t *k = kinds + (size_t)(y & 1) * width;
        const uint8_t *k1 = kinds + (size_t)(~y & 1) * width;
        measure_tones_row(&job->original, 0, (uint32_t)y, width, a);
        measure_tones_row(&job->result, 0, (uint32_t)y, width, b);
        for (uint32_t x = 0; x < width; x++) {
            const bool dark = a[x] < 0.5f;
            k[x] = (uint8_t)(dark        ? b[x] == 1 ? WHITE_DOT : NO_DOT
                             : b[x] == 0 ? BLACK_DOT
                                         : NO_DOT);
            a[x] = chance(a[x]);
        }
        if (y < strip->y0)
            continue;
        for (uint32_t x = 1; x < width; x++)
            strip->changes_across += b[x] != b[x - 1];
        add_pairs(strip, a, a + 1, k, k + 1, width - 1);
        if (y > 0) {
            for (uint32_t x = 0; x < width; x++)
                strip->changes_down += b[x] != b1[x];
            add_pairs(strip, a1 + 1, a, k1 + 1, k, width - 1);
            add_pairs(strip, a1, a, k1, k, width);
            add_pairs(strip, a1, a + 1, k1, k + 1, width - 1);
        }
        if (!add_runs(strip, k, width))
            return false;
        if (y > strip->y0)
            join_rows(strip->runs, above, here, here, strip->count);
        else
            strip->top = strip->count;
        above = strip->bottom = here;
        here = strip->count;
    }
    return true;
}

static void run_strips(void *data, int thread)
{
    struct search *search = data;
    uint32_t number;
    while ((number = (uint32_t)atomic_fetch_add(&search->ticket, 1)) < search->count) {
        struct strip *strip = &search->strips[number];
        if (ro_context_cancelled(search->job->context) || atomic_load(&search->no_memory))
            continue;
        if (!run_strip(search, strip, thread))
            atomic_store(&search->no_memory, true);
    }
}

/* All strips' runs in one list, joined over the seams. */
static bool join_strips(struct search *search, struct run **all, size_t *count)
{
    size_t total = 0, bytes;
    for (uint32_t i = 0; i < search->count; i++)
        total += search->strips[i].count;
    if (total > UINT32_MAX || !size_multiply(total + 1, sizeof **all, &bytes))
        return false;
    struct run *runs = malloc(bytes);
    if (!runs)
        return false;
    uint32_t base = 0, above = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        struct strip *strip = &search->strips[i];
        if (strip->count)
            memcpy(runs + base, strip->runs, strip->count * sizeof *runs);
        for (uint32_t k = 0; k < strip->count; k++)
            runs[base + k].parent += base;
        free(strip->runs);
        strip->runs = NULL;
        if (i > 0)
            join_rows(runs, above, base, base, base + strip->top);
        above = base + strip->bottom;
        base += strip->count;
    }
    *all = runs;
    *count = total;
    return true;
}

ro_status measure_dots(struct measure_job *job, ro_measure_dots *dots)
{
    struct thread_pool *pool = job->context->pool;
    const size_t threads = (size_t)pool_threads(pool);
    struct search search = {.job = job,
                            .count = (job->height + STRIP - 1) / STRIP,
                            .line = ((size_t)job->width + 15) & ~(size_t)15};
    struct run *runs = NULL;
    size_t count = 0;
    ro_status status = RO_OK;
    *dots = (ro_measure_dots){0};
    search.strips = calloc(search.count, sizeof *search.strips);
    search.lines = malloc(threads * 4 * search.line * sizeof *search.lines);
    search.kinds = malloc(threads * 2 * (size_t)job->width);
    bool made = search.strips && search.lines && search.kinds;
    for (uint32_t i = 0; i < search.count && made; i++) {
        search.strips[i].y0 = i * STRIP;
        search.strips[i].y1 = job->height - i * STRIP < STRIP ? job->height : (i + 1) * STRIP;
    }
    if (made)
        pool_run(pool, (int)threads, run_strips, &search);
    if (!made || atomic_load(&search.no_memory) || !join_strips(&search, &runs, &count)) {
        status = ro_context_fail(job->context, RO_E_MEMORY, "no memory to look for dots");
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        if (runs[i].parent == i) {
            dots->dots++;
            dots->single += runs[i].size == 1;
            dots->largest = runs[i].size > dots->largest ? runs[i].size : dots->largest;
        }
    uint64_t across = job->height, down = job->width, touching = 0;
    double expected = 0;
    for (uint32_t i = 0; i < search.count; i++) {
        dots->pixels += search.strips[i].pixels;
        across += search.strips[i].changes_across;
        down += search.strips[i].changes_down;
        touching += search.strips[i].touching;
        expected += search.strips[i].expected;
    }
    const double pixels = (double)job->width * job->height;
    dots->run_across = pixels / (double)across;
    dots->run_down = pixels / (double)down;
    dots->clumping = expected > 0.5 ? (double)touching / expected : 0;
done:
    for (uint32_t i = 0; i < search.count && search.strips; i++)
        free(search.strips[i].runs);
    free(search.strips);
    free(search.lines);
    free(search.kinds);
    free(runs);
    return status;
}
