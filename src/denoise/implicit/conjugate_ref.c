/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients (Eq. 2.40) as they are defined: in single precision, every product and sum
 * rounded by itself, with inner products in double precision, whose order is part of it. What is
 * solved for is how far x is from r, so that rounding errors are small beside x. One pass over the
 * images makes an iteration: how small the residual is going to be follows from the product before
 * (|residual - step product|^2), and is summed up anew behind it.
 */
#include "denoise/implicit/implicit.h"

/* A neighbour's pull; beyond the border both the weight and the value are zero. */
static float pull(const struct conjugate_step *system, const float *weights, const float *u,
                  int64_t x, int64_t y, int64_t right, int64_t down, bool back)
{
    const int64_t width = system->width, i = y * width + x, to = i + down * width + right;
    const bool there =
        x + right >= 0 && x + right < width && y + down >= 0 && y + down < system->height;
    return there ? weights[back ? to : i] * (u[to] - u[i]) : 0 * (0 - u[i]);
}

static float pulls(const struct conjugate_step *system, const float *u, int64_t x, int64_t y)
{
    const float east = pull(system, system->e, u, x, y, 1, 0, false);
    const float west = pull(system, system->e, u, x, y, -1, 0, true);
    const float south = pull(system, system->s, u, x, y, 0, 1, false);
    const float north = pull(system, system->s, u, x, y, 0, -1, true);
    const float south_east = pull(system, system->se, u, x, y, 1, 1, false);
    const float north_west = pull(system, system->se, u, x, y, -1, -1, true);
    const float south_west = pull(system, system->sw, u, x, y, -1, 1, false);
    const float north_east = pull(system, system->sw, u, x, y, 1, -1, true);
    return ((east + west) + (south + north)) +
           ((south_east + north_west) + (south_west + north_east));
}

/* A row in eight parts, column x in part x mod 8, and the parts in pairs; then row by row. */
static double dot(const struct conjugate_step *system, const float *a, const float *b)
{
    double sum = 0;
    for (int64_t y = 0; y < system->height; y++) {
        const float *row_a = a + y * system->width, *row_b = b + y * system->width;
        double part[8] = {0};
        for (int64_t x = 0; x < system->width; x++)
            part[x % 8] += (double)row_a[x] * (double)row_b[x];
        for (int gap = 4; gap > 0; gap /= 2)
            for (int i = 0; i < gap; i++)
                part[i] += part[i + gap];
        sum += part[0];
    }
    return sum;
}

static void multiply(const struct conjugate_step *system, const float *u, float *product)
{
    for (int64_t y = 0; y < system->height; y++)
        for (int64_t x = 0; x < system->width; x++)
            product[y * system->width + x] = u[y * system->width + x] - pulls(system, u, x, y);
}

void solve_by_conjugates(const struct conjugate_step *system, const float *r, float *way,
                         float *scratch)
{
    const int64_t size = system->width * system->height;
    float *residual = scratch, *direction = scratch + size, *product = scratch + 2 * size;
    for (int64_t y = 0; y < system->height; y++)
        for (int64_t x = 0; x < system->width; x++)
            residual[y * system->width + x] = direction[y * system->width + x] =
                pulls(system, r, x, y);
    multiply(system, direction, product);
    struct conjugate_sums sums = {dot(system, residual, residual), dot(system, direction, product),
                                  dot(system, product, product)};
    struct conjugate_steps steps = {.enough = system->enough * dot(system, r, r)};
    for (int64_t i = 0; i < size; i++)
        way[i] = 0;
    while (conjugate_next(&steps, &sums) &&
           !(system->stop && atomic_load_explicit(system->stop, memory_order_relaxed))) {
        for (int64_t i = 0; i < size; i++) {
            way[i] += steps.step * direction[i];
            residual[i] -= steps.step * product[i];
            direction[i] = residual[i] + steps.factor * direction[i];
        }
        multiply(system, direction, product);
        sums =
            (struct conjugate_sums){dot(system, residual, residual),
                                    dot(system, direction, product), dot(system, product, product)};
    }
    for (int64_t i = 0; i < size; i++)
        way[i] += steps.step * direction[i];
}
