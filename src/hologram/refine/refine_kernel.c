/* SPDX-License-Identifier: MIT */
#include "hologram/refine/refine.h"

#include "context/context.h"

#include <complex.h>
#include <stdlib.h>

/* The light of one pixel in the target's plane, along one direction; `grid` places. */
struct response {
    const struct refiner *f;
    int axis, grid;
    const double complex *turns; /* e^{2 pi i k / (2 n)} */
    const double complex *factors;
    int low, high;
    double complex *h;
    atomic_uint_fast32_t ticket;
};

static void respond(void *data, int thread)
{
    struct response *r = data;
    const int n = (int)(r->axis ? r->f->height : r->f->width), step = r->f->light.wraps ? 2 : 1;
    (void)thread;
    for (uint_fast32_t x; (x = atomic_fetch_add(&r->ticket, 1)) < (uint_fast32_t)r->grid;) {
        double complex sum = 0;
        for (int m = r->low; m <= r->high; m += step) {
            const int64_t place = (int64_t)m * (int64_t)x % (2 * n);
            sum += r->factors[m - r->low] * r->turns[place < 0 ? place + 2 * n : place];
        }
        r->h[x] = sum / r->grid;
    }
}

static bool fill_response(struct response *r)
{
    const struct refiner *f = r->f;
    const int n = (int)(r->axis ? f->height : f->width);
    const struct propagate_filter filter = propagate_filter_of(&f->light, f->o->distance);
    double complex *turns = malloc(2 * (size_t)n * sizeof *turns);
    r->low = filter.low[r->axis];
    r->high = filter.high[r->axis];
    r->low += f->light.wraps && r->low % 2 != 0;
    double complex *factors = calloc((size_t)(r->high - r->low + 2), sizeof *factors);
    r->h = malloc((size_t)r->grid * sizeof *r->h);
    const bool made = turns && factors && r->h;
    for (int k = 0; k < 2 * n && made; k++) {
        double c, s;
        phasor_double((double)k / (2 * n), &c, &s);
        turns[k] = c + I * s;
    }
    for (int m = r->low; m <= r->high && made; m++) {
        const double u = m * filter.step[r->axis], rest = filter.wave * filter.wave - u * u;
        double c, s;
        if (!(rest > 0))
            continue;
        phasor_double(-filter.distance * (u * u / (sqrt(rest) + filter.wave)), &c, &s);
        factors[m - r->low] = c + I * s;
    }
    r->turns = turns;
    r->factors = factors;
    struct thread_pool *pool = f->context->pool;
    if (made)
        pool_run(pool, pool_threads(pool), respond, r);
    free(turns);
    free(factors);
    return made;
}

static double complex at(const struct response *r, int64_t place)
{
    place %= r->grid;
    return r->h[place < 0 ? place + r->grid : place];
}

struct sums {
    const struct response *r;
    struct refine_kernel *kernel;
    int n, first, end;
    atomic_int ticket;
};

/* sum over the region's X of conj(h(X - x - d)) h(X - x): from one x to the next, one product comes
 * in and one goes out. */
static void sum_offset(const struct sums *s, int d)
{
    const struct response *r = s->r;
    double complex sum = 0;
    for (int x = s->first; x < s->end; x++)
        sum += conj(at(r, x - d)) * at(r, x);
    for (int x = 0; x < s->n; x++) {
        const int64_t first = (int64_t)s->first - x - 1, end = (int64_t)s->end - x - 1;
        s->kernel->at[x][d + REFINE_RADIUS][0] = (float)creal(sum);
        s->kernel->at[x][d + REFINE_RADIUS][1] = (float)cimag(sum);
        sum += conj(at(r, first - d)) * at(r, first) - conj(at(r, end - d)) * at(r, end);
    }
}

static void sum_offsets(void *data, int thread)
{
    struct sums *s = data;
    (void)thread;
    for (int i; (i = atomic_fetch_add(&s->ticket, 1)) < REFINE_SIDE;)
        sum_offset(s, i - REFINE_RADIUS);
}

ro_status refine_kernel_open(struct refiner *f, int axis, struct refine_kernel *kernel)
{
    const int n = (int)(axis ? f->height : f->width), first = (int)f->region[axis];
    struct thread_pool *pool = f->context->pool;
    struct response r = {.f = f, .axis = axis, .grid = f->light.wraps ? n : 2 * n};
    kernel->at = malloc((size_t)n * sizeof *kernel->at);
    if (!kernel->at || !fill_response(&r)) {
        free(r.h);
        return ro_context_fail(f->context, RO_E_MEMORY, "no memory for the search's kernel");
    }
    struct sums sums = {
        .r = &r, .kernel = kernel, .n = n, .first = first, .end = first + (int)f->region[axis + 2]};
    pool_run(pool, pool_threads(pool), sum_offsets, &sums);
    free(r.h);
    return RO_OK;
}
