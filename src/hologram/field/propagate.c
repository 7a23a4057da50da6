/* SPDX-License-Identifier: MIT */
#include "hologram/field/propagate.h"

#include "context/context.h"
#include "hologram/field/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846264338327950;

/* Memory that is not there is often granted all the same, and the process ended when it is used. */
static ro_status check_memory(ro_context *context, uint32_t width, uint32_t height)
{
    ro_device_info cpu;
    const double need = 3.0 * 8 * width * height; /* the field and two of its size */
    if (ro_device_at(0, &cpu) != RO_OK || cpu.memory == 0 || need <= (double)cpu.memory)
        return RO_OK;
    return ro_context_fail(context, RO_E_MEMORY,
                           "propagating %u x %u pixels takes %.1f GB of memory, and there are "
                           "%.1f GB",
                           width, height, need * 1e-9, (double)cpu.memory * 1e-9);
}

ro_status propagation_open(struct propagation *p, ro_context *context, uint32_t width,
                           uint32_t height, double wavelength, double pitch)
{
    *p = (struct propagation){.context = context,
                              .width = width,
                              .height = height,
                              .wavelength = wavelength,
                              .pitch = pitch,
                              .share = 1,
                              .phase = "propagate"};
    if (context->options.device == RO_DEVICE_CUDA)
        return propagate_cuda_open(context, width, height, &p->device);
    ro_status status = check_memory(context, width, height);
    if (status == RO_OK)
        status = fft_open(context, width, height, &p->fft);
    if (status == RO_OK && (!(p->work = fft_alloc(context, width, height)) ||
                            !(p->sum = fft_alloc(context, width, height))))
        status = RO_E_MEMORY;
    if (status != RO_OK)
        propagation_close(p);
    return status;
}

void propagation_close(struct propagation *p)
{
    propagate_cuda_close(p->device);
    fft_close(p->fft);
    fft_free(p->work);
    fft_free(p->sum);
    *p = (struct propagation){0};
}

/* What the tasks of one kind of frequencies (a, b) share. */
struct pass {
    const struct propagation *p;
    const float complex *from;
    double distance;
    double limit_x, limit_y; /* cycles per metre */
    int a, b;
    bool inverse;
    float complex *turn; /* e^{-i pi a x / width} */
    atomic_uint_fast32_t ticket;
};

static float complex unit(double turns)
{
    float angle = (float)(2 * pi * (turns - rint(turns)));
    return cosf(angle) + I * sinf(angle);
}

static void turn_rows(void *data, int thread)
{
    struct pass *pass = data;
    const struct propagation *p = pass->p;
    const size_t width = p->width, count = width * p->height;
    const float scale = 1 / (4 * (float)count);
    (void)thread;
    for (uint_fast32_t y; (y = atomic_fetch_add(&pass->ticket, 1)) < p->height;) {
        float complex along = unit(-0.5 * pass->b * (double)y / p->height);
        float complex *work = p->work + (size_t)y * width;
        if (!pass->inverse) {
            const float complex *from = pass->from + (size_t)y * width;
            for (size_t x = 0; x < width; x++)
                work[x] = from[x] * (along * pass->turn[x]);
        } else {
            float complex *sum = p->sum + (size_t)y * width;
            bool first = pass->a + pass->b == 0;
            for (size_t x = 0; x < width; x++)
                sum[x] = (first ? 0 : sum[x]) + work[x] * conjf(along * pass->turn[x]) * scale;
        }
    }
}

/* The doubled grid's number of frequency k of a kind, from -n to n - 1. */
static int64_t number_of(uint32_t k, int kind, uint32_t n)
{
    int64_t m = 2 * (int64_t)k + kind;
    return m < n ? m : m - 2 * (int64_t)n;
}

/* Where the frequency -m is, or n where the grid has none of its own. */
static uint32_t mirror_of(int64_t m, int kind, uint32_t n)
{
    return m > 0 ? (uint32_t)((2 * (int64_t)n - m - kind) / 2) : n;
}

/* H is the same at u and -u, v and -v: a quarter of it is computed. */
static void multiply_rows(void *data, int thread)
{
    struct pass *pass = data;
    const struct propagation *p = pass->p;
    const double k = 1 / p->wavelength;
    (void)thread;
    for (uint_fast32_t row; (row = atomic_fetch_add(&pass->ticket, 1)) < p->height;) {
        const int64_t mv = number_of((uint32_t)row, pass->b, p->height);
        if (mv < 0 && mv > -(int64_t)p->height) /* its mirror image is done with it */
            continue;
        const double v = (double)mv / (2 * p->pitch * p->height);
        const uint32_t under = mirror_of(mv, pass->b, p->height);
        float complex *work = p->work + (size_t)row * p->width;
        float complex *other =
            under < p->height && under != row ? p->work + (size_t)under * p->width : NULL;
        for (uint32_t x = 0; x < p->width; x++) {
            const int64_t m = number_of(x, pass->a, p->width);
            if (m < 0 && m > -(int64_t)p->width)
                continue;
            const double u = (double)m / (2 * p->pitch * p->width), across = u * u + v * v;
            float complex h = 0;
            if (across < k * k && fabs(u) <= pass->limit_x && fabs(v) <= pass->limit_y)
                h = unit(pass->distance * k -
                         pass->distance * (across / (sqrt(k * k - across) + k)));
            const uint32_t mirror = mirror_of(m, pass->a, p->width);
            const bool twice = mirror < p->width && mirror != x;
            work[x] *= h;
            if (twice)
                work[mirror] *= h;
            if (other) {
                other[x] *= h;
                if (twice)
                    other[mirror] *= h;
            }
        }
    }
}

/* Frequencies beyond arrive outside the doubled grid (Matsushima and Shimobaba). */
static double limit_of(double wavelength, double side, double distance)
{
    double spread = distance / side;
    return 1 / (wavelength * sqrt(spread * spread + 1));
}

static void run_task(struct pass *pass, ro_task_fn *task)
{
    struct ro_pool *pool = pass->p->context->pool;
    atomic_store(&pass->ticket, 0);
    ro_pool_run(pool, ro_pool_threads(pool), task, pass);
}

ro_status propagation_run(struct propagation *p, float complex *field, double distance)
{
    struct pass pass = {.p = p, .from = field, .distance = distance};
    pass.limit_x = limit_of(p->wavelength, p->pitch * p->width, distance);
    pass.limit_y = limit_of(p->wavelength, p->pitch * p->height, distance);
    if (p->band_x > 0)
        pass.limit_x = fmin(pass.limit_x, p->band_x / p->pitch);
    if (p->band_y > 0)
        pass.limit_y = fmin(pass.limit_y, p->band_y / p->pitch);
    ro_status status = RO_OK;
    if (p->device) {
        status = propagate_cuda_run(p->device, (float *)field, p->wavelength, p->pitch, distance,
                                    pass.limit_x, pass.limit_y);
        return status == RO_OK ? ro_context_progress(p->context, p->phase, p->done + p->share)
                               : status;
    }
    pass.turn = fft_alloc(p->context, p->width, 1);
    if (!pass.turn)
        return RO_E_MEMORY;
    for (int kind = 0; kind < 4 && status == RO_OK; kind++) {
        pass.a = kind & 1;
        pass.b = kind >> 1;
        for (uint32_t x = 0; x < p->width; x++)
            pass.turn[x] = unit(-0.5 * pass.a * (double)x / p->width);
        pass.inverse = false;
        run_task(&pass, turn_rows);
        fft_run(p->fft, p->work, false);
        run_task(&pass, multiply_rows);
        fft_run(p->fft, p->work, true);
        pass.inverse = true;
        run_task(&pass, turn_rows);
        status = ro_context_progress(p->context, p->phase, p->done + p->share * (kind + 1) / 4);
    }
    fft_free(pass.turn);
    if (status == RO_OK)
        memcpy(field, p->sum, (size_t)p->width * p->height * sizeof *field);
    return status;
}

/* ---- The public call ------------------------------------------------------------------------- */

ro_status ro_field_propagate(ro_context *context, const ro_field *in, const ro_field *out,
                             double wavelength, double pitch, double distance)
{
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = field_check(context, out, "the result");
    if (status == RO_OK)
        status = field_check_physics(context, wavelength, pitch);
    if (status != RO_OK)
        return status;
    if (in->width != out->width || in->height != out->height)
        return ro_context_fail(context, RO_E_SIZE, "the field is %u x %u and its result %u x %u",
                               in->width, in->height, out->width, out->height);
    if (!isfinite(distance))
        return ro_context_fail(context, RO_E_ARGUMENT, "a distance of %g m is none", distance);
    struct propagation p;
    status = propagation_open(&p, context, in->width, in->height, wavelength, pitch);
    if (status != RO_OK)
        return status;
    float complex *data = fft_alloc(context, in->width, in->height);
    if (!data) {
        status = RO_E_MEMORY;
        goto done;
    }
    field_get(in, data);
    status = propagation_run(&p, data, distance);
    if (status == RO_OK)
        field_put(out, data);
done:
    fft_free(data);
    propagation_close(&p);
    return status;
}
