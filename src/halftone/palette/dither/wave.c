/* SPDX-License-Identifier: MIT */
/*
 * Palettes over threads, as the wave does it for grey (wave.c): bands of rows from left to right,
 * each some columns behind the one above (wavefront.h); a band is as many rows as there are lanes,
 * or one row of the definition where there is no vector code.
 */
#include "halftone/palette/palette.h"
#include "thread/wavefront.h"

#include <stdlib.h>
#include <string.h>

const struct palette_code *palette_code_find(const struct palette_plan *plan, ro_cpu cpu)
{
    /* Sums are made positive before they are divided: see wave_simd.c. */
    int64_t most = PALETTE_WHITE + PALETTE_GUARD + 2, sizes = 0;
    for (int i = 0; i < plan->kernel.count; i++)
        sizes += abs(plan->kernel.taps[i].weight);
    if (sizes < plan->kernel.divisor)
        sizes = plan->kernel.divisor;
    bool fits = (sizes + plan->kernel.divisor) * most < INT32_MAX;
    static const struct palette_code *const codes[RO_CPUS] = {[RO_CPU_SCALAR] = NULL,
                                                              RO_VARIANTS_OF(palette_code)};
    const bool plain = !plan->serpentine && !plan->noise && !plan->strength;
    return fits && plain ? codes[cpu] : NULL;
}

static size_t line_entries(const struct palette_plan *plan)
{
    return (size_t)plan->width + 2 * PALETTE_LINE_PAD;
}

/* Lines of a channel that a band leaves. */
static int lines_of(const struct palette_plan *plan, const struct palette_code *code)
{
    return code ? plan->rows_down : 1;
}

static struct wavefront_shape shape_of(const struct palette_plan *plan,
                                       const struct palette_code *code, int threads)
{
    size_t lines = 3 * (size_t)lines_of(plan, code);
    return wavefront_shape(threads, 1, code ? 1 : 1 + DIFFUSION_MAX_DY,
                           lines * line_entries(plan) * sizeof(int32_t),
                           code ? code->scratch_bytes : sizeof(struct palette_light));
}

size_t palette_state_bytes(const struct palette_plan *plan, const struct palette_code *code,
                           int threads)
{
    return shape_of(plan, code, threads).total;
}

/* One block's work, shared by its threads. */
struct job {
    const struct palette_plan *plan;
    const struct palette_code *code;
    const struct halftone_block *block;
    int height; /* rows of a band */
    int64_t interval;
    atomic_uint_fast64_t steps;
};

/* Column 0 of a line that band `number` leaves: line 0 is its last row. */
static int32_t *line_of(const struct job *job, const struct wavefront *front, int64_t number,
                        int channel, int line)
{
    int32_t *lines = wavefront_slot(front, 0, number);
    size_t place = (size_t)channel * (size_t)lines_of(job->plan, job->code) + (size_t)line;
    return lines + place * line_entries(job->plan) + PALETTE_LINE_PAD;
}

int32_t *palette_carried(const struct palette_run *run, uint32_t y, int channel, int line)
{
    const struct palette_plan *plan = run->plan;
    const struct wavefront_shape shape = shape_of(plan, run->code, run->threads);
    const uint32_t height = run->code ? (uint32_t)run->code->lanes : 1;
    int64_t number = (int64_t)((y - run->first_row + height - 1) / height) - 1;
    if (!run->code) { /* a line is a band's only one */
        number -= line;
        line = 0;
    }
    int32_t *lines = wavefront_slot_of_all(run->state, &shape, number);
    size_t place = (size_t)channel * (size_t)lines_of(plan, run->code) + (size_t)line;
    return lines + place * line_entries(plan) + PALETTE_LINE_PAD;
}

/* Before the first row every error is zero. Beyond the borders they are so for ever. */
void palette_begin(struct palette_run *run)
{
    struct wavefront *front = run->state;
    const struct wavefront_shape shape = shape_of(run->plan, run->code, run->threads);
    wavefront_restart(front, &shape);
    front->link = run->link;
    for (int c = 0; c < 3; c++)
        for (int line = 0; line < run->plan->rows_down; line++)
            memset(palette_carried(run, run->first_row, c, line), 0,
                   run->plan->width * sizeof(int32_t));
}

struct vector_band {
    const struct palette_plan *plan;
    const struct palette_code *code;
    struct palette_band band;
};

static void vector_steps(void *work, int64_t first, int64_t last)
{
    struct vector_band *band = work;
    if (first == 0)
        band->code->begin(band->plan, &band->band);
    band->code->steps(band->plan, &band->band, first, last);
}

static void run_vector_band(struct wavefront *front, void *data, int chain, uint32_t number,
                            int thread)
{
    struct job *job = data;
    const struct palette_plan *plan = job->plan;
    const struct halftone_block part =
        halftone_block_part(job->block, number * (uint32_t)job->height, (uint32_t)job->height);
    struct vector_band work = {plan,
                               job->code,
                               {
                                   .in = part.in,
                                   .in_stride = part.in_stride,
                                   .out = part.out,
                                   .out_stride = part.out_stride,
                                   .rows = (int)part.rows,
                                   .scratch = wavefront_scratch(front, thread),
                               }};
    const bool short_band = work.band.rows < job->height && front->link && front->link->below;
    for (int c = 0; c < 3; c++)
        for (int line = 0; line < plan->rows_down; line++) {
            work.band.above[c][line] = line_of(job, front, (int64_t)number - 1, c, line);
            /* There is no next band: its slot takes what idle lanes leave. */
            work.band.below[c][line] = line_of(job, front, (int64_t)number + short_band, c, line);
            work.band.left[c][line] = short_band ? line_of(job, front, number, c, line) : NULL;
        }
    int64_t end = (int64_t)plan->width + (int64_t)plan->skew * (work.band.rows - 1);
    struct band_way way = {
        .end = (end + PALETTE_CHUNK - 1) & -PALETTE_CHUNK,
        .interval = job->interval,
        .ahead = (int64_t)plan->skew * plan->rows_down + 1,
        .lag = (int64_t)plan->skew * (job->height - 1),
    };
    wavefront_walk(front, chain, number, thread, &way, vector_steps, &work, sizeof work);
    atomic_fetch_add(&job->steps, (uint_fast64_t)way.end);
}

struct scalar_band {
    const struct palette_plan *plan;
    struct palette_row row;
};

static void scalar_steps(void *work, int64_t first, int64_t last)
{
    struct scalar_band *band = work;
    palette_columns(band->plan, &band->row, first, last);
}

static void run_scalar_band(struct wavefront *front, void *data, int chain, uint32_t number,
                            int thread)
{
    struct job *job = data;
    const struct halftone_block part = halftone_block_part(job->block, number, 1);
    struct scalar_band work = {job->plan,
                               {
                                   .in = part.in,
                                   .out = part.out,
                                   .known = wavefront_scratch(front, thread),
                                   .y = part.first_row,
                               }};
    for (int c = 0; c < 3; c++)
        for (int dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
            work.row.line[c][dy] = line_of(job, front, (int64_t)number - dy, c, 0);
    struct band_way way = {job->plan->width, job->interval, DIFFUSION_PAD, 0};
    wavefront_walk(front, chain, number, thread, &way, scalar_steps, &work, sizeof work);
    atomic_fetch_add(&job->steps, job->plan->width);
}

void palette_run_block(struct palette_run *run, const struct halftone_block *block)
{
    const struct palette_plan *plan = run->plan;
    struct wavefront *front = run->state;
    struct wavefront_shape shape = shape_of(plan, run->code, run->threads);
    struct job job = {
        .plan = plan,
        .code = run->code,
        .block = block,
        .height = run->code ? run->code->lanes : 1,
    };
    front->last = block->first_row + block->rows == run->end_row;
    struct band_chain chain = {plan->width, front->begun,
                               (block->rows + (uint32_t)job.height - 1) / (uint32_t)job.height};
    struct wavefront_pace pace =
        wavefront_pace(plan->width, (int64_t)plan->skew * (job.height - 1), PALETTE_CHUNK,
                       chain.bands, run->threads / run->abreast);
    job.interval = run->abreast > 1 ? 4 * PALETTE_CHUNK : pace.interval;
    front->abreast = run->abreast;
    wavefront_run(front, &shape, run->pool, pace.threads, &chain, 1,
                  run->code ? run_vector_band : run_scalar_band, &job);
    front->begun += chain.bands;
    run->steps += atomic_load(&job.steps);
}
