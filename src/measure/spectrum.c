/* SPDX-License-Identifier: MIT */
/*
 * The error's spectrum. A real picture of W columns is transformed as a complex one of W / 2, even
 * columns its real part and odd ones its imaginary part; from its spectrum Z that of the picture is
 *
 *     E(u, v) = (Z + Z') / 2 - i exp(-2 pi i u / W) (Z - Z') / 2,    Z' = conj Z(-u, -v).
 *
 * Sums of squares are the same in both domains, so what an eye sees of the error needs no way back.
 */
#include "core/checked.h"
#include "fft/radix2.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

enum { TABLE = 1 << 14, ROWS = 64 };
static const double pi = 3.14159265358979323846;

/* ---- the eye -------------------------------------------------------------------------------- */

static double mannos_sakrison(double f)
{
    return 2.6 * (0.0192 + 0.114 * f) * exp(-pow(0.114 * f, 1.1));
}

/* Its highest point: the derivative's zero, (0.0192 + t) 1.1 t^0.1 = 1 with t = 0.114 f. */
static double peak_frequency(void)
{
    double low = 0.1, high = 2;
    for (int i = 0; i < 60; i++) {
        const double t = (low + high) / 2;
        if ((0.0192 + t) * 1.1 * pow(t, 0.1) < 1)
            low = t;
        else
            high = t;
    }
    return low / 0.114;
}

double measure_contrast(double frequency)
{
    const double peak = peak_frequency();
    return frequency <= peak ? 1 : mannos_sakrison(frequency) / mannos_sakrison(peak);
}

uint32_t measure_power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

/* ---- the transform -------------------------------------------------------------------------- */

struct rings {
    double power[RO_MEASURE_SPECTRUM], seen;
    uint64_t count[RO_MEASURE_SPECTRUM];
};

struct transform {
    struct measure_job *job;
    struct radix2_float down, across;
    uint32_t width, height; /* of the padded picture, in pixels */
    size_t stride;          /* of its complex half */
    float *re, *im, *scratch;
    size_t scratch_floats;
    double *turns;             /* exp(-2 pi i u / W), u = 0 to W / 2 */
    double squares[TABLE + 1]; /* of the eye's response at frequencies 0 to 1/sqrt 2 */
    struct rings *rings;       /* of ROWS rows each */
    atomic_uint_fast32_t ticket;
};

static float *scratch_of(const struct transform *work, int thread)
{
    return work->scratch + work->scratch_floats * (size_t)thread;
}

static void run_columns(void *data, int thread)
{
    struct transform *work = data;
    const uint32_t columns = work->width / 2;
    uint32_t x;
    while ((x = RADIX2_LANES * (uint32_t)atomic_fetch_add(&work->ticket, 1)) < columns &&
           !ro_context_cancelled(work->job->context))
        radix2_float_run(&work->down, work->re + x, work->im + x, work->stride, 1,
                         columns - x < RADIX2_LANES ? columns - x : RADIX2_LANES,
                         scratch_of(work, thread));
}

static void run_rows(void *data, int thread)
{
    struct transform *work = data;
    uint32_t y;
    while ((y = RADIX2_LANES * (uint32_t)atomic_fetch_add(&work->ticket, 1)) < work->height &&
           !ro_context_cancelled(work->job->context))
        radix2_float_run(&work->across, work->re + y * work->stride, work->im + y * work->stride, 1,
                         work->stride,
                         work->height - y < RADIX2_LANES ? work->height - y : RADIX2_LANES,
                         scratch_of(work, thread));
}

static void add_row(const struct transform *work, uint32_t v, struct rings *rings)
{
    const uint32_t half = work->width / 2, back = (work->height - v) % work->height;
    const float *re = work->re + v * work->stride, *im = work->im + v * work->stride;
    const float *rb = work->re + back * work->stride, *ib = work->im + back * work->stride;
    const double fy = (double)(v <= work->height / 2 ? v : back) / work->height;
    for (uint32_t u = 0; u <= half; u++) {
        const uint32_t k = u % half, l = (half - u) % half;
        const double zr = (double)re[k], zi = (double)im[k];
        const double cr = (double)rb[l], ci = -(double)ib[l];
        const double c = work->turns[2 * u], s = work->turns[2 * u + 1];
        const double dr = (zi - ci) / 2, di = -(zr - cr) / 2; /* -i (Z - Z') / 2 */
        const double er = (zr + cr) / 2 + c * dr - s * di, ei = (zi + ci) / 2 + c * di + s * dr;
        const int twice = u == 0 || u == half ? 1 : 2;
        const double power = twice * (er * er + ei * ei);
        const double fx = (double)u / work->width, f = sqrt(fx * fx + fy * fy);
        const double place = f * sqrt(2.0) * TABLE;
        const int entry = place < TABLE ? (int)place : TABLE - 1;
        const double part = place - entry;
        rings->seen += power * (work->squares[entry] +
                                part * (work->squares[entry + 1] - work->squares[entry]));
        if (u == 0 && v == 0)
            continue;
        int ring = (int)(f * sqrt(2.0) * RO_MEASURE_SPECTRUM);
        ring = ring < RO_MEASURE_SPECTRUM ? ring : RO_MEASURE_SPECTRUM - 1;
        rings->power[ring] += power;
        rings->count[ring] += (uint64_t)twice;
    }
}

static void sum_rows(void *data, int thread)
{
    struct transform *work = data;
    uint32_t part;
    (void)thread;
    while ((part = (uint32_t)atomic_fetch_add(&work->ticket, 1)) * ROWS < work->height &&
           !ro_context_cancelled(work->job->context))
        for (uint32_t y = part * ROWS; y < (part + 1) * ROWS && y < work->height; y++)
            add_row(work, y, &work->rings[part]);
}

static void run(struct transform *work, pool_task_fn *task)
{
    struct thread_pool *pool = work->job->context->pool;
    atomic_store(&work->ticket, 0);
    pool_run(pool, pool_threads(pool), task, work);
}

static ro_status open_transform(struct transform *work, double pixels_per_degree)
{
    struct measure_job *job = work->job;
    ro_context *context = job->context;
    const int threads = pool_threads(context->pool);
    const uint32_t longer = work->width > work->height ? work->width : work->height;
    size_t bytes;
    work->scratch_floats = radix2_scratch(longer);
    if (size_multiply(work->scratch_floats * sizeof(float), (size_t)threads, &bytes))
        work->scratch = malloc(bytes);
    work->rings = calloc(work->height / ROWS + 1, sizeof *work->rings);
    work->turns = malloc(((size_t)work->width + 2) * sizeof *work->turns);
    if (!work->scratch || !work->rings || !work->turns ||
        !radix2_float_open(&work->down, work->height) ||
        !radix2_float_open(&work->across, work->width / 2))
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a spectrum of %u x %u pixels",
                               work->width, work->height);
    for (uint32_t u = 0; u <= work->width / 2; u++) {
        work->turns[2 * u] = cos(2 * pi * u / work->width);
        work->turns[2 * u + 1] = -sin(2 * pi * u / work->width);
    }
    for (int i = 0; i <= TABLE; i++) {
        const double response = measure_contrast(i / (sqrt(2.0) * TABLE) * pixels_per_degree);
        work->squares[i] = response * response;
    }
    return RO_OK;
}

ro_status measure_spectrum(struct measure_job *job, ro_measure_report *report)
{
    ro_status status = RO_E_MEMORY;
    struct transform *work = calloc(1, sizeof *work);
    if (!work)
        return ro_context_fail(job->context, status, "no memory for a spectrum");
    work->job = job;
    work->width = (uint32_t)job->error_stride * 2;
    work->height = measure_power_of_two(job->height < 2 ? 2 : job->height);
    work->stride = job->error_stride;
    work->re = job->error[0];
    work->im = job->error[1];
    status = open_transform(work, report->pixels_per_degree);
    if (status != RO_OK)
        goto done;
    run(work, run_columns);
    run(work, run_rows);
    run(work, sum_rows);
    if ((status = ro_context_progress(job->context, "measure", 0.8)) != RO_OK)
        goto done;
    struct rings all = {0};
    for (uint32_t part = 0; part * ROWS < work->height; part++) {
        all.seen += work->rings[part].seen;
        for (int i = 0; i < RO_MEASURE_SPECTRUM; i++) {
            all.power[i] += work->rings[part].power[i];
            all.count[i] += work->rings[part].count[i];
        }
    }
    const double padded = (double)work->width * work->height;
    const double pixels = (double)job->width * job->height;
    double power = 0;
    uint64_t count = 0;
    for (int i = 0; i < RO_MEASURE_SPECTRUM; i++) {
        power += all.power[i];
        count += all.count[i];
    }
    for (int i = 0; i < RO_MEASURE_SPECTRUM; i++)
        report->spectrum[i] = power > 0 && all.count[i]
                                  ? all.power[i] / (double)all.count[i] / (power / (double)count)
                                  : 0;
    report->contrast.rms = sqrt(all.seen / padded / pixels);
done:
    free(work->scratch);
    free(work->rings);
    free(work->turns);
    radix2_float_close(&work->down);
    radix2_float_close(&work->across);
    free(work);
    return status;
}
