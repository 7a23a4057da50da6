/* SPDX-License-Identifier: MIT */
/*
 * Lens holograms of spots: the modulator stands in the front focal plane of a lens, and light of
 * the pixel at (x, y) arrives at a spot (X, Y), z behind the focal plane, as
 *
 *     V = sum q(x, y) e^{-2 pi i (x X + y Y) / (lambda f)} e^{-i pi z (x^2 + y^2) / (lambda f^2)}
 *
 * which is a product of a factor of the column and one of the row. Spots that have the column's
 * factor in common share its sums, so that a pass over a grid of n x n spots costs n products a
 * pixel, at any place and not only at those of a discrete Fourier transform.
 *
 * Weighted Gerchberg-Saxton (Di Leonardo, Ianni and Ruocco 2007): q is the level nearest to the sum
 * of all spots' light with weights and phases; weights are raised where a spot is too dark, and
 * phases become those that arrive, in the first half of the iterations. Levels are those of the
 * modulator from the beginning, so that few or uneven ones are made up for.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/options.h"
#include "core/random.h"
#include "fft/phasor.h"
#include "hologram/field/field.h"
#include "hologram/lens/spot_rows.h"
#include "hologram/quantize/levels.h"
#include "hologram/quantize/quantize.h"
#include "options/table.h"
#include "thread/pool.h"

#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SPOTS = 65536, ITERATIONS = 30 };

/* A factor e^{-2 pi i (frequency t + bend t^2)} along a direction, t in pixels from the middle. */
struct wave {
    double frequency, bend;
};

struct spot {
    uint32_t column, row; /* of the tables */
    double amplitude;     /* wanted, any unit */
    double weight;
    double complex phase, arrives;
};

struct trap_maker {
    ro_context *context;
    const ro_spots *o;
    const ro_hologram_options *options;
    const struct spot_rows *rows;
    uint32_t width, height;
    size_t count;
    struct spot *spots;
    struct spot_columns columns;
    float *factors;              /* of columns */
    double complex *row_factors; /* of `row_count`, height numbers each */
    size_t row_count;
    float *sums;  /* a row's, a pair for each column */
    float *bench; /* of each thread: weights, light */
    size_t bench_numbers;
    struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS]; /* as they are rounded */
    float light[2 * RO_HOLOGRAM_LEVELS]; /* as they leave the modulator */
    const ro_image *out;
    int roots;  /* by which steps of weights are smaller */
    double all; /* the sum of the source's moduli: a spot with all light */
    atomic_uint_fast32_t ticket;
};

/* ---- Tables ---------------------------------------------------------------------------------- */

static struct wave wave_of(const struct trap_maker *t, const ro_spot *s, int axis)
{
    double pitch[2];
    field_pitch(&t->options->optics, pitch);
    const double scale = t->options->optics.wavelength * t->o->focal, p = pitch[axis];
    return (struct wave){(axis ? s->y : s->x) * p / scale,
                         s->z * p * p / (2 * scale * t->o->focal)};
}

static uint32_t number_of(struct wave *list, size_t *count, struct wave w)
{
    for (size_t i = *count; i-- > 0;)
        if (list[i].frequency == w.frequency && list[i].bend == w.bend)
            return (uint32_t)i;
    list[*count] = w;
    return (uint32_t)(*count)++;
}

static double turns_of(struct wave w, uint32_t i, uint32_t n)
{
    const double t = i + 0.5 - n / 2.0;
    return -(w.frequency * t + w.bend * t * t);
}

static ro_status fill_tables(struct trap_maker *t, const struct wave *columns,
                             const struct wave *rows)
{
    const size_t width = t->columns.width;
    t->factors = calloc(t->columns.count * width, 2 * sizeof *t->factors);
    t->row_factors = malloc(t->row_count * t->height * sizeof *t->row_factors);
    t->sums = malloc((size_t)t->height * t->columns.count * 2 * sizeof *t->sums);
    if (!t->factors || !t->row_factors || !t->sums)
        return ro_context_fail(t->context, RO_E_MEMORY, "no memory for %zu spots", t->count);
    for (size_t k = 0; k < t->columns.count; k++)
        for (uint32_t x = 0; x < t->width; x++)
            phasor(turns_of(columns[k], x, t->width), &t->factors[2 * k * width + x],
                   &t->factors[(2 * k + 1) * width + x]);
    for (size_t k = 0; k < t->row_count; k++)
        for (uint32_t y = 0; y < t->height; y++) {
            double c, s;
            phasor_double(turns_of(rows[k], y, t->height), &c, &s);
            t->row_factors[k * t->height + y] = c + I * s;
        }
    t->columns.factors = t->factors;
    return RO_OK;
}

static ro_status lay_out(struct trap_maker *t)
{
    struct wave *columns = malloc(t->count * sizeof *columns);
    struct wave *rows = malloc(t->count * sizeof *rows);
    ro_status status = RO_E_MEMORY;
    t->spots = calloc(t->count, sizeof *t->spots);
    if (!columns || !rows || !t->spots)
        ro_context_fail(t->context, status, "no memory for %zu spots", t->count);
    else
        status = RO_OK;
    for (size_t i = 0; i < t->count && status == RO_OK; i++) {
        const ro_spot *s = &t->o->spots[i];
        double c, sine;
        phasor_double(ldexp(pixel_hash(t->o->seed, (uint32_t)i, 0), -32), &c, &sine);
        t->spots[i] = (struct spot){
            .column = number_of(columns, &t->columns.count, wave_of(t, s, 0)),
            .row = number_of(rows, &t->row_count, wave_of(t, s, 1)),
            .amplitude = sqrt(s->weight),
            .weight = sqrt(s->weight),
            .phase = c + I * sine,
        };
    }
    t->columns.width = (t->width + SPOT_LANES - 1) / SPOT_LANES * SPOT_LANES;
    if (status == RO_OK)
        status = fill_tables(t, columns, rows);
    free(columns);
    free(rows);
    t->bench_numbers = (2 * t->columns.count + 2 * t->columns.width + 15) / 16 * 16;
    const size_t threads = (size_t)pool_threads(t->context->pool);
    if (status == RO_OK && !(t->bench = calloc(threads * t->bench_numbers, sizeof *t->bench)))
        status = ro_context_fail(t->context, RO_E_MEMORY, "no memory for %zu spots", t->count);
    return status;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

static double complex row_factor(const struct trap_maker *t, const struct spot *s, uint32_t y)
{
    return t->row_factors[(size_t)s->row * t->height + y];
}

static void weigh_columns(const struct trap_maker *t, uint32_t y, float *weights)
{
    memset(weights, 0, 2 * t->columns.count * sizeof *weights);
    for (size_t i = 0; i < t->count; i++) {
        const struct spot *s = &t->spots[i];
        const double complex w = s->weight * s->phase * conj(row_factor(t, s, y));
        weights[2 * s->column] += (float)creal(w);
        weights[2 * s->column + 1] += (float)cimag(w);
    }
}

/* The level nearest to the light as bright as a level. */
static int level_of(const struct trap_maker *t, float re, float im)
{
    const float size = sqrtf(re * re + im * im), scale = size > 0 ? HOLOGRAM_ONE / size : 0;
    const int x = (int)lrintf(re * scale), y = t->levels.real ? 0 : (int)lrintf(im * scale);
    return t->levels.kind == LEVELS_PLAIN ? hologram_nearest_ref(&t->levels, x, y)
                                          : hologram_nearest(&t->levels, x, y);
}

static void run_row(const struct trap_maker *t, uint32_t y, float *bench)
{
    float *re = bench + 2 * t->columns.count, *im = re + t->columns.width;
    uint8_t *numbers = (uint8_t *)t->out->data + (ptrdiff_t)y * t->out->stride;
    weigh_columns(t, y, bench);
    t->rows->gather(&t->columns, bench, re, im);
    const float *source = t->options->source ? field_row(t->options->source, y) : NULL;
    for (uint32_t x = 0; x < t->width; x++) {
        const float a = source ? source[2 * x] : 1, b = source ? source[2 * x + 1] : 0;
        numbers[x] = (uint8_t)level_of(t, re[x] * a + im[x] * b, im[x] * a - re[x] * b);
        const float *light = t->light + 2 * numbers[x];
        re[x] = light[0] * a - light[1] * b;
        im[x] = light[0] * b + light[1] * a;
    }
    for (size_t x = t->width; x < t->columns.width; x++)
        re[x] = im[x] = 0;
    t->rows->project(&t->columns, re, im, t->sums + (size_t)y * t->columns.count * 2);
}

static void run_rows(void *data, int thread)
{
    struct trap_maker *t = data;
    for (uint_fast32_t y; (y = atomic_fetch_add(&t->ticket, 1)) < t->height;)
        run_row(t, (uint32_t)y, t->bench + (size_t)thread * t->bench_numbers);
}

/* Numbers from weights and phases, and what of their light arrives. */
static void run_pass(struct trap_maker *t)
{
    struct thread_pool *pool = t->context->pool;
    atomic_store(&t->ticket, 0);
    pool_run(pool, pool_threads(pool), run_rows, t);
    for (size_t i = 0; i < t->count; i++) {
        struct spot *s = &t->spots[i];
        s->arrives = 0;
        for (uint32_t y = 0; y < t->height; y++) {
            const float *sum = t->sums + 2 * ((size_t)y * t->columns.count + s->column);
            s->arrives += (sum[0] + I * (double)sum[1]) * row_factor(t, s, y);
        }
    }
}

static double brightness(const struct spot *s)
{
    return sqrt(creal(s->arrives) * creal(s->arrives) + cimag(s->arrives) * cimag(s->arrives));
}

/* The least and the largest brightness over what was wanted, as 1 - (most - least) / (most + least)
 * of intensities. */
static double uniformity(const struct trap_maker *t)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double b = pow(brightness(&t->spots[i]) / t->spots[i].amplitude, 2);
        least = fmin(least, b);
        most = fmax(most, b);
    }
    return most > 0 ? 1 - (most - least) / (most + least) : 0;
}

/* Few spots answer to their weights by more than in proportion: after each pass that was no better
 * than the one before, steps are the roots of what they were. */
static void adapt(struct trap_maker *t, bool phases)
{
    double mean = 0;
    for (size_t i = 0; i < t->count; i++)
        mean += brightness(&t->spots[i]) / t->spots[i].amplitude / (double)t->count;
    for (size_t i = 0; i < t->count; i++) {
        struct spot *s = &t->spots[i];
        const double b = brightness(s);
        double factor = fmin(fmax(b > 0 ? mean * s->amplitude / b : 2, 0.5), 2);
        for (int k = 0; k < t->roots; k++)
            factor = sqrt(factor);
        s->weight *= factor;
        if (phases && b > 0)
            s->phase = s->arrives / b;
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

static ro_status run(struct trap_maker *t, ro_spots_report *report)
{
    const int times = t->o->iterations ? t->o->iterations : ITERATIONS;
    double *best = malloc(t->count * sizeof *best), most = -1, before = -1;
    ro_status status = RO_OK;
    if (!best)
        return ro_context_fail(t->context, RO_E_MEMORY, "no memory for %zu spots", t->count);
    for (int i = 0; i < times && status == RO_OK; i++) {
        status = ro_context_progress(t->context, "spots", (double)i / (times + 1));
        run_pass(t);
        const double now = uniformity(t);
        t->roots += 2 * i > times && now < 0.999 && now < before + 1e-4 && t->roots < 6;
        before = now;
        if (2 * i >= times - 1 && now > most) { /* phases stay from here on */
            most = now;
            for (size_t k = 0; k < t->count; k++)
                best[k] = t->spots[k].weight;
        }
        adapt(t, 2 * i + 2 < times);
    }
    for (size_t k = 0; k < t->count; k++)
        t->spots[k].weight = best[k];
    free(best);
    if (status != RO_OK)
        return status;
    run_pass(t);
    report->iterations = times;
    report->uniformity = uniformity(t);
    for (size_t i = 0; i < t->count; i++)
        report->efficiency += pow(brightness(&t->spots[i]) / t->all, 2);
    return RO_OK;
}

static ro_status check_spots(const struct trap_maker *t)
{
    const ro_spots *o = t->o;
    if (!o->spots || o->count < 1 || o->count > MOST_SPOTS)
        return ro_context_fail(t->context, RO_E_ARGUMENT, "%zu spots: must be from 1 to %d",
                               o->count, MOST_SPOTS);
    if (!(o->focal > 0))
        return ro_context_fail(t->context, RO_E_ARGUMENT,
                               "spots need the focal length of the lens, such as 200mm");
    for (size_t i = 0; i < o->count; i++) {
        const ro_spot *s = &o->spots[i];
        if (!(isfinite(s->x) && isfinite(s->y) && isfinite(s->z) && s->weight > 0 &&
              isfinite(s->weight)))
            return ro_context_fail(t->context, RO_E_ARGUMENT,
                                   "spot %zu: its place must be finite and its weight positive",
                                   i + 1);
        for (int axis = 0; axis < 2; axis++) {
            const double frequency = wave_of(t, s, axis).frequency;
            if (fabs(frequency) > 0.5)
                return ro_context_fail(
                    t->context, RO_E_ARGUMENT,
                    "spot %zu is %.4g mm from the axis, but pixels bend light by no more than "
                    "%.4g mm",
                    i + 1, 1e3 * fabs(axis ? s->y : s->x),
                    1e3 * 0.5 * fabs((axis ? s->y : s->x) / frequency));
        }
    }
    return RO_OK;
}

static ro_status take_source(struct trap_maker *t)
{
    const ro_field *source = t->options->source;
    t->all = (double)t->width * t->height;
    if (!source)
        return RO_OK;
    ro_status status = field_check(t->context, source, "the source");
    if (status == RO_OK && (source->width != t->width || source->height != t->height))
        status = ro_context_fail(t->context, RO_E_SIZE,
                                 "the source is %u x %u pixels, the modulator %u x %u",
                                 source->width, source->height, t->width, t->height);
    if (status != RO_OK)
        return status;
    t->all = 0;
    for (uint32_t y = 0; y < t->height; y++) {
        const float *row = field_row(source, y);
        for (uint32_t x = 0; x < t->width; x++)
            t->all +=
                sqrt((double)row[2 * x] * row[2 * x] + (double)row[2 * x + 1] * row[2 * x + 1]);
    }
    return t->all > 0 && t->all < 1e30
               ? RO_OK
               : ro_context_fail(t->context, RO_E_ARGUMENT,
                                 "the source has no light, or more than a number holds");
}

static ro_status make_spots(struct trap_maker *t, ro_spots_report *report)
{
    static const struct spot_rows *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &spot_rows_plain,
                                                             RO_VARIANTS_OF(spot_rows)};
    bool amplitude = false;
    ro_status status = hologram_levels_of(t->context, t->options, t->table, &t->levels, &amplitude);
    t->rows = kernels[t->context->cpu];
    for (int i = 0; i < 2 * RO_HOLOGRAM_LEVELS; i++)
        t->light[i] = amplitude && i % 2 == 0 ? (t->table[i] + 1) / 2 : t->table[i];
    if (status == RO_OK)
        status = take_source(t);
    if (status == RO_OK)
        status = lay_out(t);
    if (status == RO_OK)
        status = run(t, report);
    *context_report(t->context) = (ro_report){.method = "spots",
                                              .schedule = "rows",
                                              .width = t->width,
                                              .height = t->height,
                                              .device = RO_DEVICE_CPU,
                                              .cpu = t->context->cpu,
                                              .threads = pool_threads(t->context->pool),
                                              .steps = (uint64_t)t->width * t->height};
    free(t->spots);
    free(t->factors);
    free(t->row_factors);
    free(t->sums);
    free(t->bench);
    return status;
}

static ro_status spots(ro_context *context, const ro_spots *given, ro_image *out,
                       const ro_hologram_options *options, ro_spots_report *report)
{
    static const char *const taken[] = {"levels",  "table",  "table_count", "optics",
                                        "measure", "source", NULL};
    ro_hologram_options full;
    ro_spots wanted;
    ro_status status = hologram_read(context, options, &full);
    if (status == RO_OK)
        status = options_read(context, &spots_table, given, &wanted);
    if (status == RO_OK)
        status = hologram_takes_only(context, &full, "spots", taken);
    if (status == RO_OK)
        status = image_check(context, out, "the output");
    if (status == RO_OK && out->format != RO_INDEX8)
        status = ro_context_fail(context, RO_E_ARGUMENT, "level numbers are %s, not %s",
                                 ro_format_name(RO_INDEX8), ro_format_name(out->format));
    if (status == RO_OK)
        status = field_check_physics(context, &full.optics);
    if (status == RO_OK && context->options.device == RO_DEVICE_CUDA)
        status = ro_context_fail(context, RO_E_UNSUPPORTED, "spots are made on the CPU only");
    struct trap_maker t = {.context = context,
                           .o = &wanted,
                           .options = &full,
                           .width = out->width,
                           .height = out->height,
                           .count = wanted.count,
                           .out = out};
    if (status == RO_OK)
        status = check_spots(&t);
    return status == RO_OK ? make_spots(&t, report) : status;
}

ro_status ro_hologram_spots(ro_context *context, const ro_spots *wanted, ro_image *out,
                            const ro_hologram_options *options, ro_spots_report *told)
{
    ro_spots_report full = {.size = sizeof full};
    ro_status status = report_check(context, told);
    if (status != RO_OK)
        return status;
    status = spots(context, wanted, out, options, &full);
    report_give(told, &full);
    return status;
}
