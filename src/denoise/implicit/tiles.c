/* SPDX-License-Identifier: MIT */
/*
 * Several sweeps in one pass over the rows of a tile. Sweep k follows sweep k - 1 one row behind:
 *
 *     row i      elements and edges of row i
 *     row i - 1  sweep 1, from rows i - 2 ... i of the image
 *     row i - 2  sweep 2, from rows i - 3 ... i - 1 of sweep 1
 *     ...
 *
 * so that all that a tile needs between them are a few lines of each, which stay in the cache. A
 * tile is done as if it were an image with as many rows and columns more on each side as there are
 * sweeps: what is wrong at that border does not reach the tile.
 */
#include "core/checked.h"
#include "denoise/implicit/implicit.h"
#include "denoise/implicit/lines.h"

#include <stdlib.h>
#include <string.h>

enum {
    TILE_COLUMNS = 512,
    LEAST_ROWS = 64,
    RING = 16, /* rows of weights and of the image; a power of two above RO_SWEEPS + 2 */
    STEP_RING = 4,
    LANES = 8,                                      /* of the widest vectors */
    LINES = 6 * RING + 6 + 1 + RO_LINE_SCRATCH + 1, /* and these for each of the joint planes: */
    PLANE_LINES = RING + 2 + (RO_SWEEPS - 1) * STEP_RING,
};

struct job {
    ro_context *context;
    const struct plane_sweeps *sweeps;
    const struct line_kernel *kernel;
    int32_t *table;
    double *memory; /* of all threads */
    size_t line, thread_lines;
    uint32_t columns, rows; /* of a tile */
    uint32_t across, tiles;
    atomic_uint_fast32_t ticket;
    struct edge_balance *balance; /* of each thread and plane */
};

/* A tile and its surroundings in the image, and the lines of a thread. */
struct tile {
    uint32_t left, top, width, height; /* with its surroundings */
    uint32_t x0, x1, y0, y1;
    double *zero, *last, *scratch;
    struct line_weights weights[RING], none;
    struct line_elements elements[2], no_elements;
    double *image[RO_MAX_JOINT][RING], *guide[RO_MAX_JOINT][2];
    double *step[RO_SWEEPS - 1][RO_MAX_JOINT][STEP_RING];
};

/* A line of those that are left. */
static double *take(double **next, size_t line)
{
    *next += line;
    return *next - line;
}

static void lay_out(const struct job *job, int thread, struct tile *t)
{
    double *next = job->memory + (size_t)thread * job->thread_lines * job->line + RO_LINE_MARGIN;
#define TAKE() take(&next, job->line)
    t->zero = TAKE();
    t->last = TAKE();
    t->none = (struct line_weights){t->zero, t->zero, t->zero, t->zero, t->zero, t->zero};
    t->no_elements = (struct line_elements){t->zero, t->zero, t->zero, t->zero};
    for (int i = 0; i < RING; i++)
        t->weights[i] = (struct line_weights){TAKE(), TAKE(), TAKE(), TAKE(), TAKE(), TAKE()};
    t->elements[0] = (struct line_elements){TAKE(), TAKE(), TAKE(), TAKE()};
    t->elements[1] = t->elements[0];
    t->elements[1].e = TAKE();
    for (int plane = 0; plane < job->sweeps->diffusion->joint; plane++) {
        for (int i = 0; i < RING; i++)
            t->image[plane][i] = TAKE();
        for (int i = 0; i < 2; i++)
            t->guide[plane][i] = TAKE();
        for (int k = 0; k < RO_SWEEPS - 1; k++)
            for (int i = 0; i < STEP_RING; i++)
                t->step[k][plane][i] = TAKE();
    }
    t->scratch = next; /* the lines that are left, which nobody else shares */
#undef TAKE
}

/* ---- Lines of planes ------------------------------------------------------------------------ */

static void load(const struct job *job, const struct number_planes *planes, int plane,
                 const struct tile *t, uint32_t y, double *line)
{
    const struct step_weights *d = job->sweeps->diffusion;
    const size_t at = ((size_t)plane * d->height + t->top + y) * d->width + t->left;
    if (planes->type == RO_PLANE_INTEGERS)
        for (uint32_t x = 0; x < t->width; x++)
            line[x] = ((const int32_t *)planes->data)[at + x];
    else if (planes->type == RO_PLANE_FLOATS)
        for (uint32_t x = 0; x < t->width; x++)
            line[x] = (double)((const float *)planes->data)[at + x];
    else
        memcpy(line, (const double *)planes->data + at, t->width * sizeof *line);
}

static void weigh(const struct tile *t, const double *r, const int32_t *x,
                  struct edge_balance *balance)
{
    double least = balance->min, most = balance->max, before = 0;
    int64_t after = 0;
    for (uint32_t i = t->x0 - t->left; i < t->x1 - t->left; i++) {
        before += r[i]; /* whole numbers below 2^53 */
        least = r[i] < least ? r[i] : least;
        most = r[i] > most ? r[i] : most;
    }
    for (uint32_t i = 0; i < t->x1 - t->x0; i++)
        after += x[i];
    balance->defect += (int64_t)before - after;
    balance->min = (int32_t)least;
    balance->max = (int32_t)most;
}

static void keep(const struct job *job, int plane, const struct tile *t, uint32_t y,
                 const double *r, const double *line, struct edge_balance *balance)
{
    const struct plane_sweeps *s = job->sweeps;
    const struct step_weights *d = s->diffusion;
    if (t->top + y < t->y0 || t->top + y >= t->y1)
        return;
    const size_t at = ((size_t)plane * d->height + t->top + y) * d->width + t->x0;
    const uint32_t width = t->x1 - t->x0;
    const double *from = line + (t->x0 - t->left);
    if (s->out.type == RO_PLANE_INTEGERS) {
        int32_t *to = (int32_t *)s->out.data + at;
        for (uint32_t x = 0; x < width; x++)
            to[x] = (int32_t)from[x];
        if (s->balance)
            weigh(t, r, to, &balance[plane]);
    } else if (s->out.type == RO_PLANE_DOUBLES) {
        memcpy((double *)s->out.data + at, from, width * sizeof *from);
    } else {
        float *to = (float *)s->out.data + at;
        for (uint32_t x = 0; x < width; x++)
            to[x] = s->real ? (float)ro_small_float_round(s->real, from[x], RO_ROUND_NEAREST_EVEN)
                            : (float)from[x];
    }
}

/* ---- A tile --------------------------------------------------------------------------------- */

/* Row y of the image after k sweeps; none beyond the tile. */
static double *row_of(const struct job *job, const struct tile *t, int k, int c, int64_t y)
{
    if (y < 0 || y >= t->height)
        return t->zero;
    if (k == 0)
        return t->image[c][y % RING];
    return k < job->sweeps->count ? t->step[k - 1][c][y % STEP_RING] : t->last;
}

static void load_row(const struct job *job, const struct tile *t, int plane, uint32_t y)
{
    const struct plane_sweeps *s = job->sweeps;
    for (int c = 0; c < s->diffusion->joint; c++) {
        load(job, &s->in, plane + c, t, y, t->image[c][y % RING]);
        if (s->guide.data != s->in.data)
            load(job, &s->guide, plane + c, t, y, t->guide[c][y % 2]);
    }
}

/* Weights of row y; rows y and y + 1 are there. */
static void weigh_row(const struct job *job, const struct tile *t, uint32_t y)
{
    const struct plane_sweeps *s = job->sweeps;
    const bool guided = s->guide.data != s->in.data, last = y + 1 == t->height;
    const double *top[RO_MAX_JOINT], *bottom[RO_MAX_JOINT];
    for (int c = 0; c < s->diffusion->joint; c++) {
        top[c] = guided ? t->guide[c][y % 2] : t->image[c][y % RING];
        bottom[c] = guided ? t->guide[c][(y + 1) % 2] : t->image[c][(y + 1) % RING];
    }
    if (!last)
        job->kernel->elements(s->diffusion, job->table, top, bottom, t->width - 1,
                              &t->elements[y % 2], t->scratch);
    const struct line_weights *above = y ? &t->weights[(y - 1) % RING] : &t->none;
    job->kernel->edges(t->width, y ? t->elements[(y - 1) % 2].e : t->zero,
                       last ? &t->no_elements : &t->elements[y % 2], &t->weights[y % RING]);
    job->kernel->sums(t->width, above, &t->weights[y % RING]);
    if (s->jacobi && !s->diffusion->real)
        job->kernel->inverses(t->width, s->time, &t->weights[y % RING]);
}

static void run_tile(const struct job *job, struct tile *t, struct edge_balance *balance)
{
    const struct plane_sweeps *s = job->sweeps;
    const int joint = s->diffusion->joint;
    void (*const sweep)(const struct line_sweep *) =
        s->diffusion->real ? (s->jacobi ? job->kernel->jacobi_real : job->kernel->apply_real)
        : s->jacobi        ? job->kernel->jacobi_integers
                           : job->kernel->flow_integers;
    for (int plane = 0; plane < s->channels; plane += joint) {
        load_row(job, t, plane, 0);
        for (int64_t i = 0; i < (int64_t)t->height + s->count; i++) {
            if (i + 1 < t->height)
                load_row(job, t, plane, (uint32_t)i + 1);
            if (i < t->height)
                weigh_row(job, t, (uint32_t)i);
            for (int k = 1; k <= s->count; k++) {
                const int64_t y = i - k;
                if (y < 0 || y >= t->height)
                    continue;
                for (int c = 0; c < joint; c++) {
                    struct line_sweep line = {
                        .width = t->width,
                        .here = &t->weights[y % RING],
                        .above = y ? &t->weights[(y - 1) % RING] : &t->none,
                        .r = row_of(job, t, 0, c, y),
                        .x = row_of(job, t, k - 1, c, y),
                        .x_above = row_of(job, t, k - 1, c, y - 1),
                        .x_below = row_of(job, t, k - 1, c, y + 1),
                        .next = row_of(job, t, k, c, y),
                        .time = s->time,
                        .nearest = s->nearest,
                    };
                    sweep(&line);
                    if (k == s->count)
                        keep(job, plane + c, t, (uint32_t)y, line.r, line.next, balance);
                }
            }
        }
    }
}

/* Lines keep what a wider tile left beside a narrower one: margins must be zero again. */
static void clear(const struct job *job, int thread)
{
    const size_t count = job->thread_lines * job->line;
    memset(job->memory + (size_t)thread * count, 0, count * sizeof(double));
}

static void run_tiles(void *data, int thread)
{
    struct job *job = data;
    const struct step_weights *d = job->sweeps->diffusion;
    const uint32_t halo = (uint32_t)job->sweeps->count;
    struct tile t;
    lay_out(job, thread, &t);
    for (uint32_t n; (n = (uint32_t)atomic_fetch_add(&job->ticket, 1)) < job->tiles;) {
        if (atomic_load_explicit(&job->context->cancelled, memory_order_relaxed))
            return;
        t.x0 = n % job->across * job->columns;
        t.y0 = n / job->across * job->rows;
        t.x1 = d->width - t.x0 < job->columns ? d->width : t.x0 + job->columns;
        t.y1 = d->height - t.y0 < job->rows ? d->height : t.y0 + job->rows;
        t.left = t.x0 > halo ? t.x0 - halo : 0;
        t.top = t.y0 > halo ? t.y0 - halo : 0;
        t.width = (d->width - t.x1 > halo ? t.x1 + halo : d->width) - t.left;
        t.height = (d->height - t.y1 > halo ? t.y1 + halo : d->height) - t.top;
        clear(job, thread);
        run_tile(job, &t, job->balance + thread * job->sweeps->channels);
    }
}

/* ---- All tiles ------------------------------------------------------------------------------ */

static uint32_t parts(uint32_t length, uint32_t most)
{
    const uint32_t count = (length - 1) / most + 1;
    return (length - 1) / count + 1;
}

static void add_up(const struct job *job, int threads)
{
    const struct plane_sweeps *s = job->sweeps;
    for (int plane = 0; plane < s->channels && s->balance; plane++) {
        struct edge_balance *sum = &s->balance[plane];
        *sum = (struct edge_balance){0, INT32_MAX, INT32_MIN};
        for (int i = 0; i < threads; i++) {
            const struct edge_balance *part = &job->balance[i * s->channels + plane];
            sum->defect += part->defect;
            sum->min = part->min < sum->min ? part->min : sum->min;
            sum->max = part->max > sum->max ? part->max : sum->max;
        }
    }
}

ro_status sweeps_run(ro_context *context, const struct plane_sweeps *sweeps)
{
    const struct step_weights *d = sweeps->diffusion;
    const int threads = pool_threads(context->pool);
    struct job job = {
        .context = context,
        .sweeps = sweeps,
        .kernel = line_kernel_of(context->cpu),
        .columns = parts(d->width, TILE_COLUMNS),
        .rows = d->height,
    };
    if (threads > 1)
        job.rows = parts(d->height, (d->height - 1) / (uint32_t)(2 * threads) + 1);
    job.rows = job.rows < LEAST_ROWS ? LEAST_ROWS : job.rows;
    job.across = (d->width - 1) / job.columns + 1;
    job.tiles = job.across * ((d->height - 1) / job.rows + 1);
    job.line = (job.columns + 2 * RO_SWEEPS + 2 * RO_LINE_MARGIN + LANES - 1) / LANES * LANES;
    job.line |= LANES; /* an odd number of cache lines, so that few lines share a place of a page */
    job.thread_lines = (size_t)LINES + (size_t)(PLANE_LINES * d->joint);
    const size_t planes = (size_t)(threads * sweeps->channels);
    const size_t bytes = (size_t)threads * job.thread_lines * job.line * sizeof *job.memory;
    job.memory = aligned_alloc(LANES * sizeof(double), bytes); /* no line begins inside a vector */
    job.table = malloc(2 * RO_LINE_TABLE * sizeof *job.table);
    job.balance = malloc(planes * sizeof *job.balance);
    ro_status status = RO_OK;
    if (job.memory && job.table && job.balance) {
        line_tables(d, job.table);
        for (size_t i = 0; i < planes; i++)
            job.balance[i] = (struct edge_balance){0, INT32_MAX, INT32_MIN};
        pool_run(context->pool, threads, run_tiles, &job);
        add_up(&job, threads);
    } else {
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                                 d->width, d->height);
    }
    free(job.memory);
    free(job.table);
    free(job.balance);
    return status;
}
