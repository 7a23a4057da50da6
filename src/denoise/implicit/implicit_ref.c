/* SPDX-License-Identifier: MIT */
/*
 * The semi-implicit scheme in integers, as it is defined (Eq. 2.38): each time step solves (1 + tau
 * L) x = r with a few Jacobi sweeps, r being the image and L its stiffness. A sweep is Eq. 2.50
 * with one rounding,
 *
 *     x' = x + round(((r - x) + tau sum w (x_b - x)) / (1 + tau sum w)),
 *
 * a mean of r and the neighbours, rounded: no value leaves the range of r. But what the pixels lose
 * by rounding does not cancel, so the defect of the sum is dithered back (Eq. 2.52).
 */
#include "core/checked.h"
#include "core/random.h"
#include "denoise/implicit/implicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void jacobi_sweep(const struct edge_system *system, uint32_t time, enum ro_rounding rounding,
                  const int32_t *r, const int32_t *x, int32_t *next)
{
    const int64_t width = system->width, size = width * system->height;
    const struct {
        const int32_t *weights;
        int64_t offset;
    } ways[] = {
        {system->e, 1}, {system->s, width}, {system->se, width + 1}, {system->sw, width - 1}};
    for (int64_t i = 0; i < size; i++) {
        int64_t pull = 0, weight = 0;
        for (int k = 0; k < 4; k++) {
            int64_t ahead = ways[k].weights[i];
            int64_t back = i >= ways[k].offset ? ways[k].weights[i - ways[k].offset] : 0;
            weight += ahead + back;
            if (ahead)
                pull += ahead * (x[i + ways[k].offset] - x[i]);
            if (back)
                pull += back * (x[i - ways[k].offset] - x[i]);
        }
        /* weights count in 2^-16 and time in 2^-14: below 2^60 for 24-bit numbers and tau <= 8 */
        int64_t numerator = (int64_t)(r[i] - x[i]) * (1 << 30) + (int64_t)time * pull;
        int64_t denominator = ((int64_t)1 << 30) + (int64_t)time * weight;
        next[i] = x[i] + (int32_t)ro_round_quotient(numerator, denominator, rounding);
    }
}

struct place {
    uint32_t hash;
    int64_t index;
};

static int by_hash(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

/* In rounds: of the pixels that are not yet at the limit those with the smallest hash get a unit,
 * the first in raster order among equals; all of them if more is needed, and another round. */
bool dither_defect(const int32_t *r, int32_t *x, int64_t width, int64_t height, uint64_t seed)
{
    const int64_t size = width * height;
    struct place *places = malloc((size_t)size * sizeof *places);
    int64_t defect = 0;
    int32_t min = INT32_MAX, max = INT32_MIN;
    if (!places)
        return false;
    for (int64_t i = 0; i < size; i++) {
        defect += r[i] - x[i];
        min = r[i] < min ? r[i] : min;
        max = r[i] > max ? r[i] : max;
    }
    const int32_t unit = defect < 0 ? -1 : 1, limit = defect < 0 ? min : max;
    for (int64_t need = defect * unit; need > 0; seed++) {
        int64_t count = 0;
        for (int64_t i = 0; i < size; i++)
            if (x[i] != limit)
                places[count++] = (struct place){
                    pixel_hash(seed, (uint32_t)(i % width), (uint32_t)(i / width)), i};
        if (need < count)
            qsort(places, (size_t)count, sizeof *places, by_hash);
        for (int64_t i = 0; i < count && need > 0; i++, need--)
            x[places[i].index] += unit;
    }
    free(places);
    return true;
}

/* ---- A run ----------------------------------------------------------------------------------- */

struct memory {
    int32_t *u, *edges, *guide, *x, *next; /* planes, 4 images, twice the planes, 1, 1 */
    float *real;                           /* 9 images, for conjugate gradients */
    double *exact;                         /* 7 images, for a tolerance */
};

/* The gradient's image, by linear steps; u itself without smoothings. */
static const int32_t *smooth(const ro_context *context, const struct step_weights *stiffness,
                             const struct memory *memory, int64_t all)
{
    struct step_weights linear = *stiffness;
    linear.model = RO_MODEL_LINEAR;
    linear.constant = stiffness->smoothing;
    linear.joint = 1;
    const int32_t *smoothed = memory->u;
    for (int i = 0; i < stiffness->smoothings && !ro_context_cancelled(context); i++) {
        int32_t *to = memory->guide + (i % 2) * all;
        diffusion_step_ref(&linear, smoothed, smoothed, to, memory->edges);
        smoothed = to;
    }
    return smoothed;
}

static void conjugate(const struct denoiser *work, const struct edge_system *system,
                      const int32_t *r, int32_t *x, float *real)
{
    const int64_t size = system->width * system->height;
    const int32_t *const edges[] = {system->e, system->s, system->se, system->sw};
    float *right = real + 4 * size, *way = right + size;
    double min = r[0], max = r[0];
    for (int k = 0; k < 4; k++)
        for (int64_t i = 0; i < size; i++)
            real[k * size + i] = (float)(work->report.time_step * (edges[k][i] / 65536.0));
    for (int64_t i = 0; i < size; i++) {
        right[i] = (float)r[i];
        min = r[i] < min ? r[i] : min;
        max = r[i] > max ? r[i] : max;
    }
    const struct conjugate_step same = {system->width,
                                        system->height,
                                        real,
                                        real + size,
                                        real + 2 * size,
                                        real + 3 * size,
                                        &work->context->cancelled,
                                        conjugate_enough(work->number)};
    solve_by_conjugates(&same, right, way, way + size);
    for (int64_t i = 0; i < size; i++) {
        const double solution = r[i] + (double)way[i];
        x[i] = (int32_t)lrint(solution < min ? min : solution > max ? max : solution);
    }
}

/* In doubles, the solution rounded to the nearest number, which lies in the range of r. */
static void solve_exactly(const struct denoiser *work, const struct edge_system *system,
                          const int32_t *r, int32_t *x, double *exact)
{
    const int64_t size = system->width * system->height;
    const int32_t *const edges[] = {system->e, system->s, system->se, system->sw};
    double *right = exact + 4 * size, *solution = right + size;
    for (int k = 0; k < 4; k++)
        for (int64_t i = 0; i < size; i++)
            exact[k * size + i] = edges[k][i] / 65536.0;
    for (int64_t i = 0; i < size; i++)
        right[i] = solution[i] = r[i];
    const struct real_system same = {
        system->width, system->height,   work->report.time_step, exact,
        exact + size,  exact + 2 * size, exact + 3 * size,       &work->context->cancelled};
    solve_within(&same, work->options.tolerance, right, solution, solution + size);
    for (int64_t i = 0; i < size; i++)
        x[i] = (int32_t)lrint(solution[i]);
}

/* Sorting all pixels is the definition; where it was not asked for, those that get a unit are found
 * by counting. */
static bool dither(struct denoiser *work, const int32_t *r, int32_t *x, int plane)
{
    const uint32_t width = work->in.width, height = work->in.height;
    const uint64_t seed = dither_seed(work, work->report.steps, plane);
    if (work->schedule == RO_SCHEDULE_REFERENCE)
        return dither_defect(r, x, width, height, seed);
    struct edge_balance balance = {0, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < (size_t)width * height; i++) {
        balance.defect += r[i] - x[i];
        balance.min = r[i] < balance.min ? r[i] : balance.min;
        balance.max = r[i] > balance.max ? r[i] : balance.max;
    }
    return dither_run(work->context, x, width, height, &balance, seed) == RO_OK;
}

static bool run_step(struct denoiser *work, const struct step_weights *stiffness,
                     struct memory *memory)
{
    const int64_t width = work->in.width, height = work->in.height, size = width * height;
    int32_t *edges = memory->edges;
    const struct pixel_edges to = {edges, edges + size, edges + 2 * size, edges + 3 * size};
    const struct edge_system system = {width, height, to.e, to.s, to.se, to.sw};
    const int32_t *smoothed = smooth(work->context, stiffness, memory, work->channels * size);
    for (int plane = 0; plane < work->channels; plane++) {
        int32_t *r = memory->u + plane * size, *x = memory->x, *next = memory->next;
        if (plane % stiffness->joint == 0)
            diffusion_assemble(stiffness, smoothed, plane, &to);
        memcpy(x, r, (size_t)size * sizeof *x);
        const bool swept = !work->scheme->conjugate && !(work->options.tolerance > 0);
        if (work->scheme->conjugate)
            conjugate(work, &system, r, x, memory->real);
        else if (!swept)
            solve_exactly(work, &system, r, x, memory->exact);
        for (int i = 0; i < RO_SWEEPS && swept && !ro_context_cancelled(work->context); i++) {
            jacobi_sweep(&system, work->parameters.time, work->rounding, r, x, next);
            int32_t *last = x;
            x = next;
            next = last;
        }
        if (!dither(work, r, x, plane))
            return false;
        memcpy(r, x, (size_t)size * sizeof *x);
    }
    return true;
}

static ro_status no_memory(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                           work->in.width, work->in.height);
}

ro_status implicit_reference(struct denoiser *work)
{
    if (work->number->floating)
        return implicit_real_reference(work);
    struct step_weights stiffness;
    implicit_stiffness(work, &stiffness);

    size_t size = (size_t)work->in.width * work->in.height, bytes, real_bytes, exact_bytes;
    size_t images = 6 + 3 * (size_t)work->channels;
    struct memory memory = {0};
    ro_status status = RO_E_MEMORY;
    if (size_multiply(size, images * sizeof *memory.u, &bytes) &&
        size_multiply(size, work->scheme->conjugate ? 9 * sizeof *memory.real : 1, &real_bytes) &&
        size_multiply(size, work->options.tolerance > 0 ? 7 * sizeof *memory.exact : 1,
                      &exact_bytes)) {
        memory.u = malloc(bytes);
        memory.real = malloc(real_bytes);
        memory.exact = malloc(exact_bytes);
    }
    if (!memory.u || !memory.real || !memory.exact) {
        no_memory(work);
        goto done;
    }
    memory.edges = memory.u + size * (size_t)work->channels;
    memory.guide = memory.edges + 4 * size;
    memory.x = memory.guide + 2 * size * (size_t)work->channels;
    memory.next = memory.x + size;

    status = denoiser_load(work, memory.u);
    if (status == RO_OK)
        denoiser_trace(work, memory.u);
    while (work->report.steps < work->options.iterations && !stop_is_over(work->watch) &&
           status == RO_OK) {
        if (!run_step(work, &stiffness, &memory)) {
            status = no_memory(work);
            break;
        }
        work->report.steps++;
        denoiser_trace(work, memory.u);
        status = denoiser_progress(work);
    }
    if (status == RO_OK)
        status = denoiser_store(work, memory.u);
    if (status == RO_OK)
        denoiser_report(work, "reference", RO_CPU_SCALAR, 1);
done:
    free(memory.u);
    free(memory.real);
    free(memory.exact);
    return status;
}
