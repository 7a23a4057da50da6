/* SPDX-License-Identifier: MIT */
/*
 * Phase correlation. The spectra of two pictures of which one is shifted differ by a phase that is
 * linear in the frequency; keeping the phase only and going back leaves a peak at the shift.
 */
#include "pde/register/align/register_phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ro_phase_open(struct ro_phase *phase, int side)
{
    size_t cells = (size_t)side * (size_t)side * 2;
    *phase = (struct ro_phase){.side = side};
    phase->spectrum = malloc(cells * sizeof(double));
    phase->work = malloc(cells * sizeof(double));
    phase->scratch = malloc(radix2_scratch((uint32_t)side) * sizeof(double));
    phase->fade = malloc(2 * (size_t)side * sizeof(double));
    phase->weight = malloc(cells / 2 * sizeof(double));
    if (!phase->spectrum || !phase->work || !phase->scratch || !phase->fade || !phase->weight ||
        !radix2_double_open(&phase->transform, (uint32_t)side)) {
        ro_phase_close(phase);
        return false;
    }
    for (int y = 0; y <= side / 2; y++) /* high frequencies are mostly noise */
        for (int x = 0; x <= side / 2; x++) {
            const double weight = exp(-16 * ((double)(x * x + y * y) / (side * side)));
            const int left = (side - x) % side, above = (side - y) % side;
            phase->weight[y * side + x] = phase->weight[y * side + left] = weight;
            phase->weight[above * side + x] = phase->weight[above * side + left] = weight;
        }
    return true;
}

void ro_phase_close(struct ro_phase *phase)
{
    free(phase->spectrum);
    free(phase->work);
    free(phase->scratch);
    free(phase->fade);
    free(phase->weight);
    radix2_double_close(&phase->transform);
    *phase = (struct ro_phase){0};
}

/* Rows, then columns; undivided. */
static void transform(const struct ro_phase *phase, double *cells, bool inverse)
{
    const uint32_t n = (uint32_t)phase->side;
    double *re = cells + inverse, *im = cells + !inverse;
    for (int columns = 0; columns < 2; columns++) {
        const size_t step = columns ? 2 * (size_t)n : 2, next = columns ? 2 : 2 * (size_t)n;
        for (uint32_t i = 0; i < n; i += RADIX2_LANES)
            radix2_double_run(&phase->transform, re + i * next, im + i * next, step, next,
                              n - i < RADIX2_LANES ? n - i : RADIX2_LANES, phase->scratch);
    }
}

static void place(const struct ro_phase *phase, const float *picture, int width, int height,
                  double *cells)
{
    double mean = 0;
    memset(cells, 0, (size_t)phase->side * (size_t)phase->side * 2 * sizeof *cells);
    for (int i = 0; i < width * height; i++)
        mean += (double)picture[i];
    mean /= (double)width * height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double fade = phase->fade[x] * phase->fade[phase->side + y];
            cells[2 * (y * phase->side + x)] = fade * ((double)picture[y * width + x] - mean);
        }
}

void ro_phase_fix(struct ro_phase *phase, const float *fixed, int width, int height)
{
    for (int x = 0; x < width; x++)
        phase->fade[x] = sin(M_PI * (x + 0.5) / width);
    for (int y = 0; y < height; y++)
        phase->fade[phase->side + y] = sin(M_PI * (y + 0.5) / height);
    place(phase, fixed, width, height, phase->spectrum);
    transform(phase, phase->spectrum, false);
}

/* Where a parabola through three values is highest, from the middle one. */
static double between(double left, double middle, double right)
{
    double bend = left - 2 * middle + right;
    return bend < 0 ? 0.5 * (left - right) / bend : 0;
}

void ro_phase_shifts(struct ro_phase *phase, const float *moving, int width, int height, bool signs,
                     double shifts[RO_PHASE_PEAKS][2])
{
    const int n = phase->side;
    double *cells = phase->work;
    place(phase, moving, width, height, cells);
    transform(phase, cells, false);
    for (int i = 0; i < n * n; i++) {
        const double *f = phase->spectrum + 2 * i;
        double *m = cells + 2 * i;
        double re = f[0] * m[0] + f[1] * m[1], im = f[1] * m[0] - f[0] * m[1];
        double size = sqrt(re * re + im * im);
        double weight = size > 0 ? phase->weight[i] / size : 0;
        m[0] = weight * re;
        m[1] = weight * im;
    }
    transform(phase, cells, true);
    for (int peak = 0; peak < RO_PHASE_PEAKS; peak++) {
        int best = 0;
        for (int i = 1; i < n * n; i++)
            if (signs ? fabs(cells[2 * i]) > fabs(cells[2 * best]) : cells[2 * i] > cells[2 * best])
                best = i;
        int x = best % n, y = best / n, left = (x + n - 1) % n, right = (x + 1) % n;
        int above = (y + n - 1) % n, below = (y + 1) % n;
        const double up =
            signs && cells[2 * best] < 0 ? -1 : 1; /* a dip is a peak of the negative */
        const double top = up * cells[2 * best];
        double dx = between(up * cells[2 * (y * n + left)], top, up * cells[2 * (y * n + right)]);
        double dy = between(up * cells[2 * (above * n + x)], top, up * cells[2 * (below * n + x)]);
        /* the peak is at minus the shift */
        shifts[peak][0] = -((x > n / 2 ? x - n : x) + dx);
        shifts[peak][1] = -((y > n / 2 ? y - n : y) + dy);
        for (int j = -2; j <= 2; j++) /* the next peak is not this one's slope */
            for (int i = -2; i <= 2; i++)
                cells[2 * (((y + j + n) % n) * n + (x + i + n) % n)] = signs ? 0 : -INFINITY;
    }
}
