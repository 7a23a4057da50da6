/* SPDX-License-Identifier: MIT */
#include "hologram/quantize/noise_model.h"

#include "fft/dft.h"

#include <math.h>
#include <stdlib.h>

/* ---- Levels ---------------------------------------------------------------------------------- */

enum { RADII = 24, ANGLES = 64 };
static const double pi = 3.14159265358979323846;

/* Standard deviations from 1/32 to 8, a fifth of an octave apart. */
static double deviation_of(double node) { return exp2(-5 + node / 5); }

static double bounded(double x, double most) { return x < -most ? -most : x > most ? most : x; }

static double complex rounded(const struct hologram_levels *l, double complex u)
{
    const int x = (int)lrint(bounded(creal(u) * HOLOGRAM_ONE, HOLOGRAM_SUM));
    const int y = (int)lrint(bounded(cimag(u) * HOLOGRAM_ONE, HOLOGRAM_SUM));
    const int k =
        l->kind == LEVELS_PLAIN ? hologram_nearest_ref(l, x, y) : hologram_nearest(l, x, y);
    return ((double)l->x[k] + I * (double)l->y[k]) / HOLOGRAM_ONE;
}

/* The correlation of e^{i p a} for that of u, r. */
static double correlation(int p, double r)
{
    const double half = p / 2.0;
    double term = exp(2 * lgamma(1 + half) - lgamma(1 + p)) * pow(r, p), sum = 0;
    for (int k = 0; k < 400 && term > 1e-9; k++) {
        sum += term;
        term *= (half + k) * (half + k) / ((1.0 + p + k) * (k + 1)) * r * r;
    }
    return r >= 1 ? 1 : sum;
}

static void open_harmonics(const struct hologram_levels *levels, struct predict_levels *p)
{
    const double n = levels->count, share = pow(sin(pi / n) / (pi / n), 2);
    p->phases = levels->count;
    p->modulus = hypot(levels->x[0], levels->y[0]) / HOLOGRAM_ONE;
    p->within = (float)pow(p->modulus * cos(pi / n), 2);
    p->white = 1;
    for (int i = 0; i < PREDICT_HARMONICS; i++) {
        const int power = 1 + (i == 1 ? -1 : i == 2 ? 1 : 0) * levels->count;
        const double part = share / ((double)power * power);
        p->power[i] = power;
        p->white -= part;
        for (int k = 0; k < PREDICT_STEPS + 2 && part > 1e-4; k++) {
            const double r = fmin((double)k / PREDICT_STEPS, 1);
            p->harmonic[i][k] = (float)(part * (correlation(abs(power), r) - (i ? 0 : pi / 4 * r)));
        }
    }
}

void predict_levels_open(const struct hologram_levels *levels, struct predict_levels *p)
{
    *p = (struct predict_levels){.real = levels->real};
    if (levels->kind == LEVELS_RING && levels->count > 2)
        open_harmonics(levels, p);
    const int angles = levels->real ? 2 : ANGLES;
    for (int node = 0; node < PREDICT_NODES; node++) {
        const double deviation = deviation_of(node);
        double cross = 0, power = 0, square = 0, all = 0;
        for (int r = 0; r < RADII; r++) {
            /* Of a complex number the square of the modulus is exponential: places of equal share.
             * A real one has a density of its own. */
            const double share = (r + 0.5) / RADII;
            const double radius = deviation * (levels->real ? 4.5 * share : sqrt(-log(1 - share)));
            const double weight = levels->real ? exp(-0.5 * pow(4.5 * share, 2)) : 1;
            for (int a = 0; a < angles; a++) {
                const double turn = levels->real ? a * pi : 2 * pi * (a + 0.37) / angles;
                const double complex u = radius * (cos(turn) + I * (levels->real ? 0 : sin(turn)));
                const double complex q = rounded(levels, u);
                cross += weight * creal(q * conj(u));
                power += weight * creal(q * conj(q));
                square += weight * creal(u * conj(u));
                all += weight;
            }
        }
        p->factor[node] = cross / square;
        p->noise[node] = fmax(power / all - cross * cross / square / all, 0);
        if (p->phases) /* found by trial: errors of few phases are not quite Gaussian */
            p->noise[node] *= 1 - 0.6 / p->phases;
    }
}

static double between(const double *nodes, double deviation)
{
    const double at = fmin(fmax(5 * (log2(deviation) + 5), 0), PREDICT_NODES - 1.001);
    const int i = (int)at;
    return nodes[i] + (at - i) * (nodes[i + 1] - nodes[i]);
}

float complex predict_beyond(const struct predict_levels *p, float complex g)
{
    const float square = crealf(g) * crealf(g) + cimagf(g) * cimagf(g);
    if (!p->phases || square <= p->within)
        return 0;
    const double size = sqrt(square), half = pi / p->phases;
    double angle = cargf(g) / (2 * half);
    angle = (angle - floor(angle) - 0.5) * 2 * half; /* from the middle of a side */
    const double most = p->modulus * cos(half) / cos(angle);
    return size > most ? g * (float)(1 - most / size) : 0;
}

/* ---- Hogels ---------------------------------------------------------------------------------- */

static double power(double complex x) { return creal(x) * creal(x) + cimag(x) * cimag(x); }

/* Of g what the levels can show. */
static double complex shown(const struct predict_hogel *h, bool real, uint32_t x, uint32_t y)
{
    const size_t i = (size_t)y * h->width + x;
    const size_t mirror =
        (size_t)((h->height - y) % h->height) * h->width + (h->width - x) % h->width;
    return real ? (h->g[i] + conjf(h->g[mirror])) / 2 : h->g[i];
}

/* The rounding of a hogel: its factor, and of d the power (its spectrum is in h->d, 1 in the
 * mean). */
struct rounding {
    double k, d;
};

/* By what the loop multiplies the field, by what the noise, and what it divides both by. */
struct loop {
    double complex of, on_field, on_noise;
};

static struct loop loop_of(const struct predict_hogel *h, double k, size_t i)
{
    const double complex w = h->w[i];
    return h->taps->against_field ? (struct loop){1 + k * w, 1 + w, 1}
                                  : (struct loop){1 - (1 - k) * w, 1, 1 - w};
}

static double spectrum_of_u(const struct predict_hogel *h, bool real, struct rounding r, uint32_t x,
                            uint32_t y)
{
    const size_t i = (size_t)y * h->width + x;
    const struct loop loop = loop_of(h, r.k, i);
    const double n = (double)h->width * h->height;
    return (power(loop.on_field * shown(h, real, x, y)) +
            power(h->w[i]) * n * r.d * crealf(h->d[i])) /
           power(loop.of);
}

/* The variance of u, from some of the bins where there are many. */
static double variance(const struct predict_hogel *h, bool real, struct rounding r)
{
    const uint32_t step = 1 + (h->width > h->height ? h->width : h->height) / 96;
    double sum = 0, count = 0;
    for (uint32_t y = 0; y < h->height; y += step)
        for (uint32_t x = y / step % step; x < h->width; x += step, count++)
            sum += spectrum_of_u(h, real, r, x, y);
    return sum / count / ((double)h->width * h->height);
}

/* Wider u are rounded by a smaller factor: the deviation at which both agree. */
static struct rounding settle(const struct predict_levels *levels, const struct predict_hogel *h)
{
    enum { HALVINGS = 11 };
    double low = -5, high = 3; /* logarithms */
    struct rounding r = {0};
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2, deviation = exp2(middle);
        r = (struct rounding){between(levels->factor, deviation),
                              between(levels->noise, deviation)};
        if (variance(h, levels->real, r) > deviation * deviation)
            low = middle;
        else
            high = middle;
    }
    return r;
}

/* The spectrum of d from that of u, by way of their correlations. */
static void colour(const struct predict_levels *levels, const struct predict_hogel *h,
                   struct rounding r)
{
    const size_t n = (size_t)h->width * h->height;
    double sum = 0;
    for (uint32_t y = 0; y < h->height; y++)
        for (uint32_t x = 0; x < h->width; x++) /* in place: nobody else looks at this bin */
            h->d[(size_t)y * h->width + x] =
                (float)(spectrum_of_u(h, levels->real, r, x, y) / (double)n);
    dft_field_run(h->transform, (float *)h->d, true);
    const float all = crealf(h->d[0]);
    for (size_t i = 0; i < n; i++) {
        const float complex rho = h->d[i] / all;
        const float own = sqrtf(crealf(rho) * crealf(rho) + cimagf(rho) * cimagf(rho));
        const float at = fminf(own, 1) * PREDICT_STEPS;
        const float complex turn = own > 0 ? rho / own : 1;
        const int k = (int)at;
        float complex to = i ? 0 : (float)levels->white;
        for (int p = 0; p < PREDICT_HARMONICS; p++) {
            const float *table = levels->harmonic[p];
            if (table[PREDICT_STEPS] <= 0)
                continue;
            float complex turned = turn;
            for (int m = 1; m < abs(levels->power[p]); m++)
                turned *= turn;
            to += (table[k] + (at - (float)k) * (table[k + 1] - table[k])) *
                  (levels->power[p] < 0 ? conjf(turned) : turned);
        }
        h->d[i] = to;
    }
    dft_field_run(h->transform, (float *)h->d, false);
    for (size_t i = 0; i < n; i++) {
        h->d[i] = fmaxf(crealf(h->d[i]), 0);
        sum += crealf(h->d[i]);
    }
    for (size_t i = 0; i < n; i++)
        h->d[i] *= (float)((double)n / sum);
}

/* Errors that would have gone beyond the edges, pixels by the squares of their weights. */
static double spilled(const struct predict_hogel *h)
{
    const struct hologram_taps *t = h->taps;
    double sum = 0;
    for (int i = 0; i < t->count; i++) {
        const double w = power(ldexp(t->re[i], -t->shift) + I * ldexp(t->im[i], -t->shift));
        const double dx = fmin(fabs((double)t->dx[i]), h->width), dy = fmin(t->dy[i], h->height);
        sum += w * (dx * h->height + dy * h->width - dx * dy);
    }
    return sum;
}

void predict_run(const struct predict_levels *levels, const struct predict_hogel *h, double *signal,
                 double *noise)
{
    const double n = (double)h->width * h->height;
    for (size_t i = 0; i < (size_t)n; i++)
        h->d[i] = 1;
    struct rounding r = settle(levels, h);
    if (levels->phases) {
        colour(levels, h, r);
        r = settle(levels, h);
    }
    double gg = 0, tt = 0, errors = 0, inside = 0, dd = 0;
    double complex tg = 0;
    for (uint32_t y = 0; y < h->height; y++)
        for (uint32_t x = 0; x < h->width; x++) {
            const size_t i = (size_t)y * h->width + x;
            const double complex f = shown(h, levels->real, x, y);
            const struct loop loop = loop_of(h, r.k, i);
            const double d = n * r.d * crealf(h->d[i]) / power(loop.of);
            errors += (1 - r.k) * (1 - r.k) * power(f) / power(loop.of) + d;
            if (!h->inside[i])
                continue;
            const double complex t = r.k * loop.on_field * f / loop.of - h->beyond[i];
            gg += power(h->g[i]);
            tt += power(t);
            tg += t * conj((double complex)h->g[i]);
            dd += power(loop.on_noise) * d;
            inside++;
        }
    *signal = gg > 0 ? power(tg) / gg : 0;
    *noise = tt - *signal + dd + inside * spilled(h) * errors / (n * n);
}
