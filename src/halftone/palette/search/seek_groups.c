/* SPDX-License-Identifier: MIT */
/*
 * Search among colours: who does what when.
 *
 *     1 2 1 2
 *     3 4 3 4       blocks of 32 x 32 pixels: a group after the other, inside a block raster order
 *     1 2 1 2
 *
 * Blocks of a group lie too far apart to touch each other, and so do rows of blocks that are not
 * neighbours. So threads take whole rows of blocks: those of groups 1 and 2 first, then the others.
 */
#include "halftone/palette/region.h"
#include "halftone/palette/search/seek.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct job {
    struct seek_run *run;
    int odd; /* rows of blocks that are searched */
    atomic_int ticket;
    _Atomic uint64_t changes;
};

/* ---- The errors at the start ----------------------------------------------------------------- */

/* What a thread works in: rows with zeros on either side. */
struct rows {
    size_t pitch; /* of a row of one channel */
    int32_t *zero, *sum;
    int32_t *target, *error, *seen; /* one row; rings of rows */
    struct palette_light *known;
};

static size_t row_pitch(const struct seek_state *state)
{
    return (size_t)(state->panels + 4) * SEEK_LANES;
}

static size_t known_bytes(void) { return (sizeof(struct palette_light) + 63) & ~(size_t)63; }

size_t seek_scratch_bytes(const struct seek_state *state, bool colour)
{
    const size_t rows = 2 + (size_t)state->tables.channels * (1 + 2 * SEEK_RING);
    return row_pitch(state) * rows * sizeof(int32_t) + (colour ? known_bytes() : 0);
}

static struct rows rows_of(const struct seek_run *run, int thread)
{
    const struct seek_state *state = run->state;
    const size_t pitch = row_pitch(state), channels = (size_t)state->tables.channels;
    unsigned char *memory = run->scratch + run->scratch_bytes * (size_t)thread;
    struct rows rows = {.pitch = pitch};
    memset(memory, 0, run->scratch_bytes);
    if (run->source.plan) {
        rows.known = (struct palette_light *)(void *)memory;
        memory += known_bytes();
    }
    rows.zero = (int32_t *)(void *)memory + 2 * SEEK_LANES;
    rows.sum = rows.zero + pitch;
    rows.target = rows.sum + pitch;
    rows.error = rows.target + channels * pitch;
    rows.seen = rows.error + channels * SEEK_RING * pitch;
    return rows;
}

/* Row y of a ring, for a channel. */
static int32_t *ring_row(const struct rows *rows, int32_t *ring, int channel, int y)
{
    return ring + ((size_t)channel * SEEK_RING + ((unsigned)y % SEEK_RING)) * rows->pitch;
}

/* Light of a row, from 0 to W, to luma and half differences of colour in quarters. */
static void light_row(const struct seek_run *run, const struct rows *rows, int y)
{
    const struct seek_source *source = &run->source;
    const unsigned char *row = source->in + y * source->in_stride;
    int32_t *red = rows->target, *green = red + rows->pitch, *blue = green + rows->pitch;
    const int width = run->state->width;
    for (int x = 0; x < width; x++) {
        uint32_t sample[3];
        int32_t light[4];
        palette_sample_of(source->sample_bytes, row, (size_t)x, sample);
        palette_light_of(source->plan, rows->known, sample, light);
        red[x] = light[0];
        green[x] = light[1];
        blue[x] = light[2];
    }
    for (int x = 0; x < width; x++) {
        const int32_t r = red[x] >> 5, g = green[x] >> 5, b = blue[x] >> 5; /* 15 bits */
        const int32_t luma = (13933 * r + 46871 * g + 4732 * b + (1 << 15)) >> 16;
        red[x] = (luma + 1) >> 1;
        green[x] = (r - luma + 2) >> 2;
        blue[x] = (b - luma + 2) >> 2;
    }
}

static void grey_row_of(const struct seek_run *run, const struct rows *rows, int y)
{
    const struct seek_source *source = &run->source;
    const unsigned char *row = source->in + y * source->in_stride;
    const uint16_t *words = (const uint16_t *)(const void *)row;
    for (int x = 0; x < run->state->width; x++)
        rows->target[x] = source->target[source->sample_bytes == 1 ? row[x] : words[x]];
}

/* The errors of a row of the picture, and whether its pixels are held. */
static void error_row(const struct seek_run *run, const struct rows *rows, int y, bool own)
{
    struct seek_state *state = run->state;
    const struct seek_tables *tables = &state->tables;
    (run->source.plan ? light_row : grey_row_of)(run, rows, y);
    for (int panel = 0; panel < state->panels; panel++) {
        const uint8_t *colour = state->colour + seek_line(state, panel, y) * SEEK_LANES;
        const int x0 = panel * SEEK_LANES;
        const int count = state->width - x0 < SEEK_LANES ? state->width - x0 : SEEK_LANES;
        for (int c = 0; c < tables->channels; c++) {
            const int32_t *target = rows->target + (size_t)c * rows->pitch + x0;
            int32_t *error = ring_row(rows, rows->error, c, y) + x0;
            for (int i = 0; i < count; i++)
                error[i] = target[i] - tables->colour[c][colour[i]] * (1 << SEEK_FINE_BITS);
        }
    }
    if (!own)
        return;
    const int32_t *target[SEEK_CHANNELS];
    for (int c = 0; c < tables->channels; c++)
        target[c] = rows->target + (size_t)c * rows->pitch;
    uint16_t *held = (uint16_t *)(void *)rows->sum; /* not in use now */
    run->kernels->hold(tables, target, state->width, held);
    for (int panel = 0; panel < state->panels; panel++) {
        const size_t line = seek_line(state, panel, y);
        state->held[line] = held[panel];
        state->stale[line] = 1;
    }
}

/* V * a ring's rows round y. */
static void blur_row(const struct seek_run *run, const struct rows *rows, int32_t *ring, int c,
                     int y, int32_t *to, int beside)
{
    const int32_t *row[2 * SEEK_EYE + 1];
    const int least = ring == rows->error ? 0 : -SEEK_EYE;
    const int most = run->state->height - least;
    for (int i = 0; i <= 2 * SEEK_EYE; i++) {
        const int from = y + i - SEEK_EYE;
        row[i] = from < least || from >= most ? rows->zero : ring_row(rows, ring, c, from);
    }
    run->kernels->blur(row, to, -beside, run->state->width + beside);
}

/* e of a row from what is seen of errors round it. */
static void store_row(const struct seek_run *run, const struct rows *rows, int c, int y)
{
    struct seek_state *state = run->state;
    blur_row(run, rows, rows->seen, c, y, rows->sum, 0);
    for (int panel = 0; panel < state->panels; panel++) {
        int32_t *to = state->pe + seek_e(state, seek_line(state, panel, y) * SEEK_LANES, c);
        for (int i = 0; i < SEEK_LANES; i++)
            to[i] =
                (rows->sum[panel * SEEK_LANES + i] + (1 << (SEEK_FINE_BITS - 1))) >> SEEK_FINE_BITS;
    }
}

static void begin_strip(const struct seek_run *run, const struct rows *rows, int y0, int y1)
{
    const int channels = run->state->tables.channels;
    for (int y = y0 - SEEK_REACH; y < y1 + SEEK_REACH; y++) {
        if (y >= 0 && y < run->state->height)
            error_row(run, rows, y, y >= y0 && y < y1);
        const int seen = y - SEEK_EYE, done = y - SEEK_REACH;
        for (int c = 0; c < channels; c++) {
            if (seen >= y0 - SEEK_EYE)
                blur_row(run, rows, rows->error, c, seen, ring_row(rows, rows->seen, c, seen),
                         SEEK_EYE);
            if (done >= y0)
                store_row(run, rows, c, done);
        }
    }
}

static void begin_strips(void *data, int thread)
{
    struct job *job = data;
    const struct seek_run *run = job->run;
    const int height = run->state->height;
    const struct rows rows = rows_of(run, thread);
    int y0;
    while ((y0 = atomic_fetch_add(&job->ticket, 1) * SEEK_STRIP) < height &&
           !ro_context_cancelled(run->context))
        begin_strip(run, &rows, y0, y0 + SEEK_STRIP < height ? y0 + SEEK_STRIP : height);
}

void seek_begin(struct seek_run *run)
{
    struct job job = {.run = run};
    pool_run(run->context->pool, run->threads, begin_strips, &job);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The blocks of a row of them: every second, then the others. */
static void search_row(const struct seek_run *run, int y0, struct seek_tally *tally)
{
    struct seek_state *state = run->state;
    const int y1 = y0 + SEEK_BLOCK < state->height ? y0 + SEEK_BLOCK : state->height;
    for (int first = 0; first < 2; first++)
        for (int x0 = first * SEEK_BLOCK; x0 < state->width && !ro_context_cancelled(run->context);
             x0 += 2 * SEEK_BLOCK) {
            const int x1 = x0 + SEEK_BLOCK < state->width ? x0 + SEEK_BLOCK : state->width;
            run->kernels->search(state, &(struct seek_area){x0, y0, x1, y1}, tally);
        }
}

static void search_rows(void *data, int thread)
{
    struct job *job = data;
    struct seek_tally tally = {0};
    int y0;
    (void)thread;
    while ((y0 = (2 * atomic_fetch_add(&job->ticket, 1) + job->odd) * SEEK_BLOCK) <
           job->run->state->height)
        search_row(job->run, y0, &tally);
    atomic_fetch_add(&job->changes, tally.changes);
}

/* The number of changes falls by about a factor of three a round. */
static ro_status tell(const struct seek_run *run, uint64_t changes)
{
    const double pixels = (double)run->state->width * run->state->height;
    char phase[64];
    snprintf(phase, sizeof phase, "round %llu: %llu changes", (unsigned long long)run->rounds,
             (unsigned long long)changes);
    return ro_context_progress(run->context, phase,
                               changes ? 1 - log1p((double)changes) / log1p(pixels) : 1);
}

ro_status seek_rounds(struct seek_run *run, uint64_t rounds)
{
    ro_status status = RO_OK;
    uint64_t changes = 1;
    while (status == RO_OK && changes > 0 && (rounds == 0 || run->rounds < rounds)) {
        changes = 0;
        for (int odd = 0; odd < 2; odd++) {
            struct job job = {.run = run, .odd = odd};
            pool_run(run->context->pool, run->threads, search_rows, &job);
            changes += job.changes;
        }
        run->rounds++;
        run->changes += changes;
        status = tell(run, changes);
    }
    return status;
}
