/* SPDX-License-Identifier: MIT */
/* Ordered dithering's engine: from options to a plan, and rows over threads. */
#include "halftone/ordered/ordered.h"

#include "halftone/ordered/ordered_cuda.h"
#include "simd/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The screens that methods make. */
static const struct {
    const char *kind; /* NULL: none is made */
    uint32_t size;    /* 0: as the options say */
    enum ordered_rule rule;
} variants[] = {
    [ORDERED_BAYER] = {"bayer", 0, ORDERED_BY_SCREEN},
    [ORDERED_BAYER_2] = {"bayer", 2, ORDERED_BY_SCREEN},
    [ORDERED_BAYER_4] = {"bayer", 4, ORDERED_BY_SCREEN},
    [ORDERED_BAYER_8] = {"bayer", 8, ORDERED_BY_SCREEN},
    [ORDERED_BAYER_16] = {"bayer", 16, ORDERED_BY_SCREEN},
    [ORDERED_CLUSTERED_DOT] = {"clustered-dot", 0, ORDERED_BY_SCREEN},
    [ORDERED_BLUE_NOISE] = {"void-and-cluster", 0, ORDERED_BY_SCREEN},
    [ORDERED_SCREEN] = {NULL, 0, ORDERED_BY_SCREEN},
    [ORDERED_RANDOM] = {NULL, 0, ORDERED_BY_HASH},
    [ORDERED_THRESHOLD] = {NULL, 0, ORDERED_BY_LIMIT},
    [ORDERED_OTSU] = {NULL, 0, ORDERED_BY_LIMIT},
    [ORDERED_AM] = {"am", 0, ORDERED_BY_SCREEN},
    [ORDERED_GREEN_NOISE] = {"green-noise", 0, ORDERED_BY_SCREEN},
};

/* What the engine keeps in a halftoner. */
struct ordered_state {
    struct ordered_plan plan;
    ordered_row_fn *row;
    uint64_t *histograms;      /* for Otsu: one per thread, */
    size_t values;             /* of so many */
    struct ordered_cuda *cuda; /* NULL: on the CPU */
};

static ro_status copy_screen(ro_context *context, struct screen *screen, uint32_t size)
{
    const size_t cells = (size_t)size * size;
    *screen = (struct screen){
        .width = size, .height = size, .ranks = calloc(cells, sizeof *screen->ranks)};
    if (!screen->ranks)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells",
                               size, size);
    if (size == SCREEN_BUILT_IN_SIDE)
        for (size_t i = 0; i < cells; i++)
            screen->ranks[i] = screen_built_in[i];
    return RO_OK;
}

/* What the plates have in common, and clustered dots as the plate has them. */
ro_status ordered_find_screen(struct halftoner *work, struct screen *screen)
{
    ro_context *context = work->context;
    const ro_halftone_options *options = &work->options;
    const int variant = work->method->variant;
    if (variant == ORDERED_SCREEN && !options->screen)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the method screen needs a threshold image as its screen");
    if (variant == ORDERED_SCREEN)
        return screen_rank(context, options->screen, screen);
    if (!variants[variant].kind)
        return copy_screen(context, screen, 1);
    const bool built_in = options->cell == 0 || options->cell == SCREEN_BUILT_IN_SIDE;
    if (variant == ORDERED_BLUE_NOISE && options->seed == 0 && built_in)
        return copy_screen(context, screen, SCREEN_BUILT_IN_SIDE);
    ro_screen_options made = {
        RO_SCREEN_DEFAULTS,
        .kind = variants[variant].kind,
        .cell = variants[variant].size ? variants[variant].size : (uint32_t)options->cell,
        .seed = options->seed,
        .shape = options->shape,
        .spot = options->spot,
        .dot = (uint32_t)options->dot,
    };
    if (variant == ORDERED_AM) {
        made.lpi = options->lpi;
        made.dpi = options->dpi;
        made.dpi_y = options->dpi_y;
    }
    made.angle = options->angle;
    if (work->plate && variant == ORDERED_CLUSTERED_DOT) {
        made.cell = ordered_plate_dot(made.cell ? made.cell : SCREEN_DOT_SIDE, work->plate);
        if (made.angle == 0 && made.cell % 2 == 0)
            made.angle = 45;
    }
    return screen_make(context, &made, false, screen);
}

/* The screen of the plane that is halftoned; `cells` is how many ranks it has. */
static ro_status plan_screen(struct halftoner *work, struct ordered_plan *plan)
{
    const int variant = work->method->variant;
    const int plate = work->plate;
    ro_status status = ordered_find_screen(work, &plan->screen);
    plan->cells = plan->rule == ORDERED_BY_HASH ? 1u << ORDERED_RANDOM_BITS
                                                : plan->screen.width * plan->screen.height;
    const bool noise = variant == ORDERED_BLUE_NOISE || variant == ORDERED_GREEN_NOISE;
    if (status == RO_OK && plate && plan->rule == ORDERED_BY_SCREEN &&
        variant != ORDERED_CLUSTERED_DOT && variant != ORDERED_AM)
        status = ordered_plate_screen(work->context, noise, plate, &plan->screen);
    return status;
}

static ordered_row_fn *find_row(ro_cpu cpu, bool parts)
{
    static ordered_row_fn *const rows[RO_CPUS] = {[RO_CPU_SCALAR] = ordered_row_scalar,
                                                  RO_VARIANTS_OF(ordered_row)};
    static ordered_row_fn *const parts_rows[RO_CPUS] = {RO_VARIANTS_OF(ordered_parts_row)};
    return parts ? parts_rows[cpu] : rows[cpu];
}

/* The same plan in the numbers that a device takes. */
static ro_status open_cuda(struct halftoner *work, struct ordered_state *state)
{
    const struct ordered_plan *plan = &state->plan;
    const struct ordered_cuda_plan numbers = {
        .width = plan->width,
        .sample_bytes = plan->sample_bytes,
        .bits_out = plan->bits_out,
        .by_hash = plan->rule == ORDERED_BY_HASH,
        .seed = plan->seed,
        .screen_width = plan->screen.width,
        .screen_height = plan->screen.height,
        .shift = plan->screen.shift,
        .ranks = plan->screen.ranks,
        .lookup = plan->lookup,
        .values = plan->maxval + 1,
        .smallest = plan->smallest,
    };
    if (plan->deep)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "%s does not make numbers of 16 bits on CUDA",
                               work->method->info.name);
    ro_status status = ordered_on_cuda->open(work->context, &numbers, &state->cuda);
    work->report.cpu = RO_CPU_SCALAR;
    work->report.threads = 1;
    work->report.device = RO_DEVICE_CUDA;
    return status;
}

static ro_status open_engine(struct halftoner *work)
{
    ro_context *context = work->context;
    const bool on_device = work->device == RO_DEVICE_CUDA;
    if (work->options.threshold == RO_THRESHOLD_BALANCED)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "threshold balanced does not apply to method %s",
                               work->method->info.name);
    struct ordered_state *state = calloc(1, sizeof *state);
    if (!state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    work->state = state;
    struct ordered_plan *plan = &state->plan;
    *plan = (struct ordered_plan){
        .width = work->in.width,
        .maxval = work->grey.white,
        .sample_bytes = work->grey.sample_bytes,
        .levels = work->options.levels,
        .bits_out = work->out == RO_BITS,
        .deep = work->out == RO_GREY16,
        .percent = work->options.threshold,
        .rule = variants[work->method->variant].rule,
        .seed = work->seed,
    };
    ro_status status = plan_screen(work, plan);
    if (status != RO_OK)
        return status;
    const bool vectors = context->cpu != RO_CPU_SCALAR;
    bool enough = ordered_plan_tables(plan, on_device ? ORDERED_FOR_DEVICE
                                            : vectors ? ORDERED_FOR_VECTORS
                                                      : ORDERED_FOR_SCALAR);
    state->row = find_row(context->cpu, plan->parts);
    if (enough && work->method->variant == ORDERED_OTSU) {
        state->values = plan->sample_bytes == 1 ? UINT8_MAX + 1 : UINT16_MAX + 1;
        state->histograms =
            malloc((size_t)context->threads * state->values * sizeof *state->histograms);
        enough = state->histograms != NULL;
    }
    if (!enough)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells",
                               plan->screen.width, plan->screen.height);
    /* A block of some ten thousand pixels is worth a thread's while. */
    uint32_t rows = (1u << 16) / plan->width;
    work->granularity = rows < 1 ? 1 : rows > 64 ? 64 : rows;
    work->bytes = sizeof *state + plan->bytes;
    work->carried = 0;
    work->report.schedule = "rows";
    work->report.cpu = context->cpu;
    work->report.threads = context->threads;
    screen_say(&plan->screen, work->options.dpi, work->report.detail, sizeof work->report.detail);
    return on_device ? open_cuda(work, state) : RO_OK;
}

/* One block's rows, taken by ticket some at a time. */
enum { TURNS = 8 }; /* of rows that need nearly the same of large tables */
struct job {
    struct ordered_state *state;
    const struct halftone_block *block;
    uint32_t rows_at_once;
    uint32_t apart; /* from a row to the next that is worked on */
    atomic_uint ticket;
};

static bool take_rows(struct job *job, uint32_t *first, uint32_t *last)
{
    uint64_t from = (uint64_t)atomic_fetch_add(&job->ticket, 1) * job->rows_at_once;
    if (from >= job->block->rows)
        return false;
    uint64_t to = from + job->rows_at_once;
    *first = (uint32_t)from;
    *last = to < job->block->rows ? (uint32_t)to : job->block->rows;
    return true;
}

static void round_rows(void *data, int thread)
{
    struct job *job = data;
    const struct halftone_block *block = job->block;
    const uint32_t apart = job->apart;
    (void)thread;
    for (uint32_t first, last; take_rows(job, &first, &last);)
        for (uint32_t r = first, next = r, left = last - first; left > 0; left--, r = next) {
            if (left > 1)
                next = r + apart < last ? r + apart : first + (r - first) % apart + 1;
            job->state->row(&job->state->plan, block->in + (ptrdiff_t)r * block->in_stride,
                            block->in + (ptrdiff_t)next * block->in_stride,
                            block->out + (ptrdiff_t)r * block->out_stride, block->first_row + r);
        }
}

static void count_rows(void *data, int thread)
{
    struct job *job = data;
    const struct halftone_block *block = job->block;
    const struct ordered_plan *plan = &job->state->plan;
    uint64_t *histogram = job->state->histograms + (size_t)thread * job->state->values;
    for (uint32_t first, last; take_rows(job, &first, &last);)
        ordered_count(plan, block->in + (ptrdiff_t)first * block->in_stride, block->in_stride,
                      last - first, histogram);
}

static void run_rows(struct halftoner *work, const struct halftone_block *block, pool_task_fn *task)
{
    struct ordered_state *state = work->state;
    struct job job = {state, block, .rows_at_once = work->granularity, .apart = 1};
    const uint64_t turns = block->rows / ((uint64_t)work->report.threads * state->plan.apart);
    if (state->plan.apart > 1 && turns > 1) {
        job.apart = state->plan.apart;
        job.rows_at_once = job.apart * (uint32_t)(turns < TURNS ? turns : TURNS);
    }
    uint32_t shares = (block->rows + job.rows_at_once - 1) / job.rows_at_once;
    int threads = work->report.threads;
    pool_run(work->context->pool, (uint32_t)threads < shares ? threads : (int)shares, task, &job);
}

static ro_status run_cuda(struct halftoner *work, const struct halftone_block *block)
{
    struct ordered_state *state = work->state;
    ro_status status = ordered_on_cuda->run(state->cuda, &(struct ordered_cuda_rows){
                                                             .in = block->in,
                                                             .in_stride = block->in_stride,
                                                             .out = block->out,
                                                             .out_stride = block->out_stride,
                                                             .rows = block->rows,
                                                             .first_row = block->first_row,
                                                         });
    work->report.launches = ordered_on_cuda->launches(state->cuda);
    return status;
}

static ro_status run_resident(struct halftoner *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream)
{
    struct ordered_state *state = work->state;
    ro_status status = ordered_on_cuda->run_resident(state->cuda, in, out, images, stream);
    work->report.launches = ordered_on_cuda->launches(state->cuda);
    return status;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    if (((struct ordered_state *)work->state)->cuda)
        return run_cuda(work, block);
    const uint64_t width = work->in.width;
    bool scalar = work->report.cpu == RO_CPU_SCALAR;
    run_rows(work, block, round_rows);
    work->report.steps +=
        block->rows * (scalar ? width : (width + ORDERED_BLOCK - 1) / ORDERED_BLOCK);
    return RO_OK;
}

static ro_status run_otsu(struct halftoner *work, const struct halftone_block *block)
{
    struct ordered_state *state = work->state;
    const size_t values = state->values;
    memset(state->histograms, 0, (size_t)work->report.threads * values * sizeof *state->histograms);
    run_rows(work, block, count_rows);
    for (int t = 1; t < work->report.threads; t++)
        for (size_t i = 0; i < values; i++)
            state->histograms[i] += state->histograms[(size_t)t * values + i];
    state->plan.percent = 0;
    state->plan.limit = 16 * (int32_t)ordered_otsu(state->histograms, state->plan.maxval);
    ordered_plan_fill(&state->plan);
    return run_engine(work, block);
}

static void close_engine(struct halftoner *work)
{
    struct ordered_state *state = work->state;
    if (!state)
        return;
    if (state->cuda)
        ordered_on_cuda->close(state->cuda);
    ordered_plan_free(&state->plan);
    free(state->histograms);
    free(state);
    work->state = NULL;
}

const struct halftone_engine ordered_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
    .run_resident = run_resident,
    .coloured = &palette_screen_engine,
};
const struct halftone_engine otsu_engine = {
    .open = open_engine,
    .run = run_otsu,
    .close = close_engine,
    .whole_image = true,
    .no_palette = "it splits the tones of grey in two",
};
