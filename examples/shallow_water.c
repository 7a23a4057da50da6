/* SPDX-License-Identifier: MIT */
/*
 * A small fluid solver in 16 bits: shallow water in a square basin, a column of water that falls
 * apart. Depth h and momentum (p, q) are numbers of s16, n/32640 each; a flux over an edge is
 * rounded once, added on one side and subtracted on the other, so the water is the same to the last
 * unit however coarse the numbers are. Beside it the same scheme in doubles.
 *
 *     cc shallow_water.c -lroundoff -lm && ./a.out
 */
#include <roundoff.h>
#include <roundoff/number.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 64, STEPS = 300, CELLS = N * N, PLANES = 3 /* h, p, q */ };

/* Rusanov's flux along x of one cell and its neighbour, with walls where there is none. In s16 a
 * number holds -1 to 1: depths stay below 0.5, waves are slower than 1, and gravity is 1. */
static const double speed = 0.9, tau = 0.25; /* the bound of the waves; time step over width */

static void pressure(const ro_fixed *s16, const int32_t *h, const int32_t *p, const int32_t *q,
                     int32_t *pp, int32_t *pq, size_t count)
{
    static int32_t u[N], square[N], half[N];
    const ro_rounding nearest = RO_ROUND_NEAREST;
    for (size_t i = 0; i < count; i++) {
        u[i] = (int32_t)ro_fixed_divide(s16, p[i], h[i], nearest);
        half[i] = (int32_t)ro_fixed_round(s16, 1, 2, nearest);
    }
    ro_fixed_multiply_arrays(s16, nearest, h, h, square, count);
    ro_fixed_multiply_arrays(s16, nearest, square, half, square, count);
    ro_fixed_multiply_add_arrays(s16, nearest, p, u, square, pp, count); /* p u + h h / 2 */
    ro_fixed_multiply_arrays(s16, nearest, q, u, pq, count);             /* q u */
}

/* One sweep over rows (along = 0) or columns; what leaves a cell enters its neighbour. */
static void sweep(const ro_fixed *s16, int32_t state[PLANES][CELLS], int along)
{
    static int32_t line[PLANES][N], flux[PLANES][N];
    int64_t half_tau = ro_fixed_round(s16, (int64_t)(tau * 500), 1000, RO_ROUND_NEAREST);
    int64_t spread = ro_fixed_round(s16, (int64_t)(tau * speed * 500), 1000, RO_ROUND_NEAREST);
    for (int row = 0; row < N; row++) {
        const int first = along ? row : row * N, step = along ? N : 1;
        for (int i = 0; i < N; i++) {
            line[0][i] = state[0][first + i * step];
            line[1][i] = state[along ? 2 : 1][first + i * step];
            line[2][i] = state[along ? 1 : 2][first + i * step];
        }
        pressure(s16, line[0], line[1], line[2], flux[1], flux[2], N);
        for (int i = 0; i < N; i++)
            flux[0][i] = line[1][i];
        for (int k = 0; k < PLANES; k++) {
            int32_t *to = state[k == 0 ? 0 : (k == 1) != along ? 1 : 2] + first;
            for (int i = 0; i + 1 < N; i++) {
                int64_t moved =
                    ro_fixed_multiply(s16, half_tau, flux[k][i] + flux[k][i + 1], RO_ROUND_NEAREST);
                moved -=
                    ro_fixed_multiply(s16, spread, line[k][i + 1] - line[k][i], RO_ROUND_NEAREST);
                to[i * step] = (int32_t)ro_fixed_subtract(s16, to[i * step], moved);
                to[(i + 1) * step] = (int32_t)ro_fixed_add(s16, to[(i + 1) * step], moved);
            }
            if (k == 1) { /* walls push back with the pressure; nothing flows through them */
                to[0] = (int32_t)ro_fixed_add(
                    s16, to[0], ro_fixed_multiply(s16, 2 * half_tau, flux[1][0], RO_ROUND_NEAREST));
                to[(N - 1) * step] = (int32_t)ro_fixed_subtract(
                    s16, to[(N - 1) * step],
                    ro_fixed_multiply(s16, 2 * half_tau, flux[1][N - 1], RO_ROUND_NEAREST));
            }
        }
    }
}

/* The same in doubles. */
static void sweep_real(double state[PLANES][CELLS], int along)
{
    static double line[PLANES][N], flux[PLANES][N];
    for (int row = 0; row < N; row++) {
        const int first = along ? row : row * N, step = along ? N : 1;
        for (int i = 0; i < N; i++) {
            line[0][i] = state[0][first + i * step];
            line[1][i] = state[along ? 2 : 1][first + i * step];
            line[2][i] = state[along ? 1 : 2][first + i * step];
            flux[0][i] = line[1][i];
            flux[1][i] = line[1][i] * line[1][i] / line[0][i] + line[0][i] * line[0][i] / 2;
            flux[2][i] = line[2][i] * line[1][i] / line[0][i];
        }
        for (int k = 0; k < PLANES; k++) {
            double *to = state[k == 0 ? 0 : (k == 1) != along ? 1 : 2] + first;
            for (int i = 0; i + 1 < N; i++) {
                double moved = tau / 2 * (flux[k][i] + flux[k][i + 1]) -
                               tau * speed / 2 * (line[k][i + 1] - line[k][i]);
                to[i * step] -= moved;
                to[(i + 1) * step] += moved;
            }
            if (k == 1) {
                to[0] += tau * flux[1][0];
                to[(N - 1) * step] -= tau * flux[1][N - 1];
            }
        }
    }
}

int main(void)
{
    static int32_t state[PLANES][CELLS];
    static double real[PLANES][CELLS];
    const ro_number *number = ro_number_find("s16");
    const ro_fixed *s16 = &number->fixed;
    for (int i = 0; i < CELLS; i++) {
        int x = i % N - N / 3, y = i / N - N / 2;
        real[0][i] = x * x + y * y < 100 ? 0.4 : 0.2;
    }
    ro_fixed_from_doubles(s16, RO_ROUND_NEAREST, real[0], state[0], CELLS);
    int64_t before = 0;
    for (int i = 0; i < CELLS; i++)
        before += state[0][i];
    printf("step        water in units   difference from doubles\n");
    for (int step = 0; step <= STEPS; step++) {
        if (step % 60 == 0) {
            int64_t water = 0;
            double worst = 0;
            for (int i = 0; i < CELLS; i++) {
                water += state[0][i];
                worst = fmax(worst, fabs((double)state[0][i] / (double)s16->one - real[0][i]));
            }
            printf("%4d %22lld %25.5f\n", step, (long long)water, worst);
            if (water != before || worst > 0.0005) /* 16 units */
                return 1;
        }
        for (int along = 0; along < 2; along++) {
            sweep(s16, state, along);
            sweep_real(real, along);
        }
    }
    return 0;
}
