/* SPDX-License-Identifier: MIT */
#include "hdl/models.h"

#include "core/hash.h"
#include "pde/levelset.h"

#include <stdlib.h>
#include <string.h>

uint32_t model_random(uint32_t seed, uint32_t x, uint32_t y) { return ro_hash(seed, x, y); }

struct model_numbers model_levelset_numbers(const char *number, const char *norm)
{
    const struct ro_level_number *n = ro_level_number_find(number);
    const struct ro_level_norm *a = ro_level_norm_find(norm);
    struct model_numbers numbers = {n->min, n->max, 0, 0, n->bits, a->a};
    numbers.fastest = (int32_t)floor(ro_level_bound(a) * (1 << n->bits));
    while (1 << numbers.phi_bits <= n->max - n->min)
        numbers.phi_bits++;
    return numbers;
}

void model_levelset(const struct model_numbers *numbers, uint32_t width, uint32_t height,
                    int16_t *phi, const int16_t *speed, uint32_t steps)
{
    const size_t pitch = width * sizeof *phi, bytes = pitch * height;
    int16_t *other = malloc(bytes);
    struct ro_level_front front = {
        .level = {.width = width,
                  .height = height,
                  .a = numbers->a,
                  .bits = numbers->speed_bits,
                  .min = numbers->min,
                  .max = numbers->max},
        .phi = {{(char *)phi, pitch, NULL}, {(char *)other, pitch, NULL}},
        .speed = {(char *)(uintptr_t)speed, pitch, NULL},
    };
    for (uint32_t i = 0; i < steps; i++)
        ro_level_step_ref(&front);
    if (front.now == 1)
        memcpy(phi, other, bytes);
    free(other);
}
