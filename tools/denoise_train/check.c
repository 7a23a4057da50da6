/* SPDX-License-Identifier: MIT */
/*
 * Compares the gradient with differences. Build with -DREAL=double:
 *
 *     gcc -std=gnu11 -O2 -DREAL=double -o check check.c passes.c weights.c -lm
 *
 * Prints the largest gradient and the largest error for filters, fluxes and pulls, and fails if an
 * error is above a millionth of the largest gradient. Steps are small, because larger ones cross
 * the corners of fluxes.
 */
#include "passes.h"
#include "random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 4, FILTERS = 12, SIZE = 21 };

static double error_of(struct passes *p, struct weights *w)
{
    weights_expand(w);
    passes_forward(p, w);
    return log(passes_error(p));
}

int main(void)
{
    struct weights w;
    if (!weights_open(&w, STEPS, FILTERS))
        return 1;
    weights_start(&w, 1);
    random_state random = random_for(1, 2, 3);
    for (int t = 0; t < STEPS; t++)
        w.distance[t] = t + 1;
    for (int i = 0; i < pull_at(&w, 0); i++)
        w.value[i] += (i < amplitude_at(&w, 0, 0) ? 0.1 : 0.02) * (random_uniform(&random) - 0.5);
    struct passes *p = passes_open(SIZE, SIZE, &w, true);
    double *of_taps = calloc(STEPS * FILTERS * TAPS, sizeof *of_taps);
    double *gradient = calloc(w.count, sizeof *gradient);
    if (!p || !of_taps || !gradient)
        return 1;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            float pair[2];
            random_normal(&random, pair);
            p->truth[pixel_at(p, y, x)] = 5 * (x / 6 % 2) + random_uniform(&random);
            p->input[pixel_at(p, y, x)] = p->truth[pixel_at(p, y, x)] + pair[0];
        }
    error_of(p, &w);
    passes_backward(p, &w, of_taps, gradient);
    weights_chain(&w, of_taps, gradient);

    static const char *const kind[] = {"filters", "fluxes", "pulls"};
    double largest[3] = {0}, wrong[3] = {0}, step = 1e-7;
    for (int i = 0; i < w.count; i++) {
        int k = i < amplitude_at(&w, 0, 0) ? 0 : i < pull_at(&w, 0) ? 1 : 2;
        double value = w.value[i];
        w.value[i] = value - step;
        double below = error_of(p, &w);
        w.value[i] = value + step;
        double above = error_of(p, &w);
        w.value[i] = value;
        largest[k] = fmax(largest[k], fabs(gradient[i]));
        wrong[k] = fmax(wrong[k], fabs((above - below) / (2 * step) - gradient[i]));
    }
    int failed = 0;
    for (int k = 0; k < 3; k++) {
        printf("%-8s largest gradient %.4g, largest error %.2g\n", kind[k], largest[k], wrong[k]);
        failed |= !(largest[k] > 1e-3) || !(wrong[k] <= 1e-6 * largest[k]);
    }
    passes_close(p);
    weights_close(&w);
    free(of_taps);
    free(gradient);
    return failed;
}
