/* SPDX-License-Identifier: MIT */
#include "hologram/propagate/propagate.h"

#include "context/context.h"
#include "cuda/cuda.h"
#include "hologram/field/field.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RO_CUDA_NONE(propagate_cuda_calls, propagate_on_cuda);

/* Three fields of this size are asked for: better now than after an hour. */
static ro_status check_memory(ro_context *context, uint32_t width, uint32_t height)
{
    double bytes = 3.0 * width * height * 8;
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (memory > 0 && bytes > memory)
        return ro_context_fail(
            context, RO_E_MEMORY,
            "a field of %u x %u pixels needs %.1f GB to propagate; this machine has %.1f GB", width,
            height, bytes / 1e9, memory / 1e9);
    return RO_OK;
}

const struct propagate_kernel *propagate_kernel_of(const ro_context *context)
{
    static const struct propagate_kernel *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &propagate_kernel_plain, RO_VARIANTS_OF(propagate_kernel)};
    return kernels[context->cpu];
}

/* e^{-i pi x / n}, and as many zeros behind as lanes may look at. */
static float *half_turns(uint32_t n)
{
    float *turns = calloc(n + 16, 2 * sizeof *turns);
    for (uint32_t x = 0; turns && x < n; x++) {
        double c, s;
        phasor_double(-0.5 * x / n, &c, &s);
        turns[2 * x] = (float)c;
        turns[2 * x + 1] = (float)s;
    }
    return turns;
}

static ro_status open_transforms(struct propagation *p)
{
    ro_context *context = p->context;
    const bool device = context->options.device == RO_DEVICE_CUDA;
    ro_status status = device ? RO_OK : check_memory(context, p->width, p->height);
    if (status == RO_OK)
        status = dft_open(context, p->width, &p->row);
    if (status == RO_OK)
        status = dft_open(context, p->height, &p->column);
    if (status != RO_OK)
        return status;
    p->turns[0] = half_turns(p->width);
    p->turns[1] = half_turns(p->height);
    if (!p->turns[0] || !p->turns[1])
        return ro_context_fail(context, RO_E_MEMORY, "no memory to propagate");
    if (device)
        return propagate_on_cuda->open(context, p->row, p->column,
                                       (const float *const[]){p->turns[0], p->turns[1]},
                                       &p->device);
    const size_t across = dft_panel_numbers(p->row) + dft_spare_numbers(p->row);
    const size_t down = dft_panel_numbers(p->column) + dft_spare_numbers(p->column);
    const size_t lanes = (size_t)p->kernel->dft->lanes;
    p->numbers = ((across > down ? across : down) * lanes + 15) / 16 * 16;
    p->panels = aligned_alloc(64, (size_t)ro_pool_threads(context->pool) * p->numbers * 4);
    if (!p->panels)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to propagate");
    p->work = dft_alloc(context, p->width, p->height);
    p->sum = p->work ? dft_alloc(context, p->width, p->height) : NULL;
    return p->sum ? RO_OK : RO_E_MEMORY;
}

ro_status propagation_open(struct propagation *p, ro_context *context, uint32_t width,
                           uint32_t height, double wavelength, const double pitch[2])
{
    *p = (struct propagation){.context = context,
                              .width = width,
                              .height = height,
                              .wavelength = wavelength,
                              .pitch = {pitch[0], pitch[1]},
                              .kernel = propagate_kernel_of(context),
                              .share = 1,
                              .phase = "propagate"};
    ro_status status = open_transforms(p);
    if (status != RO_OK)
        propagation_close(p);
    return status;
}

void propagation_close(struct propagation *p)
{
    if (p->device)
        propagate_on_cuda->close(p->device);
    dft_close(p->row);
    dft_close(p->column);
    free(p->panels);
    free(p->turns[0]);
    free(p->turns[1]);
    free(p->work);
    free(p->sum);
    *p = (struct propagation){0};
}

/* ---- The filter ------------------------------------------------------------------------------ */

/* Frequencies beyond arrive outside the doubled grid (Matsushima and Shimobaba). */
static double limit_of(double wavelength, double side, double distance)
{
    double spread = distance / side;
    return 1 / (wavelength * sqrt(spread * spread + 1));
}

static int larger(int a, int b) { return a > b ? a : b; }

struct propagate_filter propagate_filter_of(const struct propagation *p, double distance)
{
    const uint32_t size[2] = {p->width, p->height};
    const double turns = distance / p->wavelength, kinds = p->wraps ? 1 : 4;
    struct propagate_filter f = {.wave = 1 / p->wavelength,
                                 .distance = distance,
                                 .whole = turns - rint(turns),
                                 .scale = 1 / ((float)kinds * (float)p->width * (float)p->height)};
    for (int i = 0; i < 2; i++) {
        const double side = p->pitch[i] * size[i];
        f.step[i] = 1 / (2 * side);
        f.low[i] = -(int)size[i];
        f.high[i] = (int)size[i] - 1;
        if (!p->wraps) {
            const int most = (int)fmin(limit_of(p->wavelength, side, distance) / f.step[i], 1e9);
            f.low[i] = larger(f.low[i], -most);
            f.high[i] = -larger(-f.high[i], -most);
        }
        if (p->window.width > 0) { /* its edges are in */
            const double middle = i ? p->window.eta : p->window.xi;
            const double half = (i ? p->window.height : p->window.width) / 2;
            f.low[i] = larger(f.low[i], (int)ceil((middle - half) * 2 * size[i] - 1e-9));
            f.high[i] = -larger(-f.high[i], (int)ceil((-middle - half) * 2 * size[i] - 1e-9));
        }
    }
    return f;
}

/* ---- Strips ---------------------------------------------------------------------------------- */

/* What the tasks of one kind of frequencies (a, b) share. */
struct pass {
    struct propagation *p;
    const float *from;
    struct propagate_filter filter;
    int a, b, stage; /* 0: rows, 1: columns, 2: rows back */
    atomic_uint_fast32_t ticket;
    atomic_int status;
};

static void rows(struct pass *pass, uint32_t y, float *panel, float *spare)
{
    struct propagation *p = pass->p;
    const struct dft_kernel *k = p->kernel->dft;
    const int lanes = k->lanes, n = (int)p->width;
    const int count = p->height - y < (uint32_t)lanes ? (int)(p->height - y) : lanes;
    const size_t at = 2 * (size_t)y * p->width;
    const float *along = pass->a ? p->turns[0] : NULL, *down = pass->b ? p->turns[1] + 2 * y : NULL;
    const bool back = pass->stage == 2;
    k->load_rows(panel, back ? p->work + at : pass->from + at, p->width, count, n, back);
    if (!back)
        p->kernel->turn(panel, n, along, down);
    k->run(p->row, panel, spare);
    if (!back) {
        k->store_rows(panel, p->work + at, p->width, count, n, false);
        return;
    }
    /* Parts are exchanged here, so that turning forth turns back. */
    p->kernel->turn(panel, n, along, down);
    if (pass->a + pass->b) {
        k->load_rows(spare, p->sum + at, p->width, count, n, true);
        p->kernel->add(panel, spare, n);
    }
    k->store_rows(panel, p->sum + at, p->width, count, n, true);
}

static bool any_passes(const struct propagate_filter *f, int a, uint32_t x, int count, uint32_t w)
{
    for (int i = 0; i < count; i++)
        if (propagate_passes(f, 0, propagate_number((int)x + i, a, (int)w)))
            return true;
    return false;
}

static void columns(struct pass *pass, uint32_t x, float *panel, float *spare)
{
    struct propagation *p = pass->p;
    const struct dft_kernel *k = p->kernel->dft;
    const int lanes = k->lanes, n = (int)p->height;
    const int count = p->width - x < (uint32_t)lanes ? (int)(p->width - x) : lanes;
    float *at = p->work + 2 * (size_t)x;
    if (any_passes(&pass->filter, pass->a, x, count, p->width)) {
        k->load_columns(panel, at, p->width, count, n, false);
        k->run(p->column, panel, spare);
        p->kernel->filter(panel, &pass->filter, pass->a, pass->b, (int)x, (int)p->width, n);
        k->run(p->column, panel, spare);
    } else {
        memset(panel, 0, 2 * (size_t)n * (size_t)lanes * sizeof *panel);
    }
    k->store_columns(panel, at, p->width, count, n, true);
}

static void work(void *data, int thread)
{
    struct pass *pass = data;
    struct propagation *p = pass->p;
    const bool down = pass->stage == 1;
    const uint32_t lanes = (uint32_t)p->kernel->dft->lanes, all = down ? p->width : p->height;
    float *panel = p->panels + (size_t)thread * p->numbers;
    float *spare = panel + dft_panel_numbers(down ? p->column : p->row) * lanes;
    const double kind = pass->a + 2 * pass->b, stage = pass->stage;
    for (uint_fast32_t strip; (strip = atomic_fetch_add(&pass->ticket, 1)) * lanes < all;) {
        if (atomic_load(&pass->status) != RO_OK)
            return;
        (down ? columns : rows)(pass, (uint32_t)strip * lanes, panel, spare);
        if (thread == 0) {
            const double part =
                (kind + (stage + (double)strip * lanes / all) / 3) / (p->wraps ? 1 : 4);
            ro_status status = ro_context_progress(p->context, p->phase, p->done + p->share * part);
            if (status != RO_OK)
                atomic_store(&pass->status, (int)status);
        }
    }
}

ro_status propagation_run(struct propagation *p, float *field, double distance)
{
    struct pass pass = {.p = p, .from = field, .filter = propagate_filter_of(p, distance)};
    if (p->device) {
        ro_status status = propagate_on_cuda->run(p->device, field, &pass.filter, p->wraps);
        return status == RO_OK ? ro_context_progress(p->context, p->phase, p->done + p->share)
                               : status;
    }
    struct ro_pool *pool = p->context->pool;
    for (int i = 0; i < (p->wraps ? 3 : 12) && atomic_load(&pass.status) == RO_OK; i++) {
        pass.a = i / 3 & 1;
        pass.b = i / 6;
        pass.stage = i % 3;
        atomic_store(&pass.ticket, 0);
        ro_pool_run(pool, ro_pool_threads(pool), work, &pass);
    }
    const ro_status status = (ro_status)atomic_load(&pass.status);
    if (status == RO_OK)
        memcpy(field, p->sum, (size_t)p->width * p->height * 2 * sizeof *field);
    return status;
}

/* ---- The public call ------------------------------------------------------------------------- */

ro_status ro_field_propagate(ro_context *context, const ro_field *in, ro_field *out,
                             const ro_optics *optics, double distance)
{
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = field_check(context, out, "the result");
    if (status == RO_OK)
        status = field_check_physics(context, optics);
    if (status != RO_OK)
        return status;
    if (in->width != out->width || in->height != out->height)
        return ro_context_fail(context, RO_E_SIZE, "the field is %u x %u but its result is %u x %u",
                               in->width, in->height, out->width, out->height);
    if (!isfinite(distance))
        return ro_context_fail(context, RO_E_ARGUMENT, "a distance of %g m is not a finite number",
                               distance);
    struct propagation p;
    double pitch[2];
    field_pitch(optics, pitch);
    status = field_has_transform(context, in); /* no NaN spreads over the result */
    if (status == RO_OK)
        status = propagation_open(&p, context, in->width, in->height, optics->wavelength, pitch);
    if (status != RO_OK)
        return status;
    float *data = dft_alloc(context, in->width, in->height);
    if (!data) {
        status = RO_E_MEMORY;
        goto done;
    }
    field_get(in, data);
    status = propagation_run(&p, data, distance);
    if (status == RO_OK)
        field_put(out, data);
done:
    free(data);
    propagation_close(&p);
    return status;
}
