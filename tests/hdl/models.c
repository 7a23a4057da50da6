/* SPDX-License-Identifier: MIT */
#include "hdl/models.h"

#include "core/random.h"
#include "pde/levelset/levelset.h"
#include "roundoff.h"

#include <stdio.h>
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

/* ---- Halftones ------------------------------------------------------------------------------- */

static ro_context *context_of(void)
{
    static ro_context *context;
    if (!context && ro_context_open(NULL, &context) != RO_OK)
        exit(1);
    return context;
}

static void expect(ro_status status)
{
    if (status == RO_OK)
        return;
    fprintf(stderr, "%s\n", ro_context_message(context_of()));
    exit(1);
}

struct halftone {
    ro_image in, out;
    ro_halftone_options options;
};

static struct halftone halftone_of(const char *method, int levels, uint32_t maxval, uint32_t width,
                                   uint32_t height, const uint16_t *samples, uint8_t *out)
{
    return (struct halftone){
        .in = {RO_GRAY16, width, height, maxval, (ptrdiff_t)(2 * width),
               (void *)(uintptr_t)samples},
        .out = {RO_INDEX8, width, height, (uint32_t)(levels - 1), (ptrdiff_t)width, out},
        .options = {.method = method, .levels = levels},
    };
}

void model_halftone(const char *method, int levels, uint32_t maxval, uint32_t width,
                    uint32_t height, const uint16_t *samples, uint8_t *out)
{
    struct halftone work = halftone_of(method, levels, maxval, width, height, samples, out);
    expect(ro_halftone(context_of(), &work.in, &work.out, &work.options));
}

bool model_halftone_is_exact(const char *method, int levels, uint32_t maxval, uint32_t width,
                             uint32_t height, const uint16_t *samples, uint8_t *out)
{
    struct halftone work = halftone_of(method, levels, maxval, width, height, samples, out);
    ro_halftone_audit audit;
    expect(ro_halftone_audit_of(context_of(), &work.in, &work.out, &work.options, &audit));
    return audit.unlike == 0 && audit.divisor * audit.tone_in == audit.divisor * audit.tone_out +
                                                                     audit.border + audit.carried +
                                                                     audit.lost;
}
