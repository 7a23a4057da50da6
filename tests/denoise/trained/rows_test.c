/* SPDX-License-Identifier: MIT */
/* Trained diffusion row by row: every kernel that this processor runs, whole planes and bands that
 * begin and end anywhere, against the definition. */
#include "denoise/trained/trained_rows.h"

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Numbers for a run: a hash of a counter. */
static uint32_t counter;
static uint32_t draw(uint32_t limit) { return pixel_hash(3, counter++, 0) % limit; }

/* Rows first .. first + count - 1 of D. */
static void run(const struct trained_plan *plan, const struct trained_kernel *kernel,
                uint32_t width, uint32_t height, uint32_t first, uint32_t count,
                const int16_t *seen, const uint8_t *levels, int32_t *change)
{
    struct trained_band *band = trained_band_open(plan, kernel, width, height, first, count);
    assert_non_null(band);
    uint32_t given = 0;
    for (uint32_t y = trained_band_from(band); y < trained_band_to(band); y++) {
        void *room = trained_band_room(band);
        const int16_t *row = seen + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++)
            if (plan->bytes)
                ((uint8_t *)room)[x] = (uint8_t)row[x];
            else
                ((int16_t *)room)[x] = row[x];
        if (plan->uneven)
            memcpy(trained_band_levels(band), levels + (size_t)y * width, width);
        trained_band_push(band);
        for (const int32_t *line; (line = trained_band_pull(band)); given++)
            memcpy(change + (size_t)(first + given) * width, line, width * sizeof *line);
    }
    assert_int_equal(given, count);
    trained_band_close(band);
}

static uint32_t draw_side(void)
{
    static const uint32_t sides[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129};
    return draw(3) ? sides[draw(16)] : 1 + draw(80);
}

static void fill(int16_t *seen, size_t size, const struct trained_plan *plan, int32_t high)
{
    const uint32_t kind = draw(3), wide = (uint32_t)high + 1;
    for (size_t i = 0; i < size; i++)
        seen[i] = trained_seen(plan, (int32_t)(kind == 0   ? draw(wide)
                                               : kind == 1 ? draw(2) * (wide - 1)
                                                           : wide / 2 + draw(wide / 8 + 1)));
}

/* Levels of uneven noise: all there are, or steps. */
static void fill_levels(uint8_t *levels, size_t size)
{
    const uint32_t wide = draw(2) ? TRAINED_LEVELS : 1 + draw(TRAINED_LEVELS);
    for (size_t i = 0; i < size; i++)
        levels[i] = (uint8_t)(1 + (wide & 1 ? draw(wide) : (uint32_t)(i % wide)));
}

static void try_one(const struct trained_network *network, bool uneven, int *compared)
{
    static const int32_t highs[] = {255, 255, 255, 200, 1, 4095, 65535, 150000};
    static const double noises[] = {0.01, 0.5, 4, 25, 90, 1000};
    const uint32_t width = draw_side(), height = draw_side();
    const int32_t high = highs[draw(8)];
    struct trained_plan plan;
    if (!(uneven ? trained_make_uneven : trained_make)(&plan, network, 0, high, noises[draw(6)]))
        return;
    const size_t size = (size_t)width * height, bytes = size * sizeof(int32_t);
    int16_t *seen = malloc(size * sizeof *seen);
    uint8_t *levels = malloc(size);
    int32_t *want = malloc(bytes), *got = malloc(bytes);
    assert_true(seen && levels && want && got);
    fill(seen, size, &plan, high);
    fill_levels(levels, size);
    assert_true(trained_ref(&plan, width, height, seen, levels, want));
    const struct trained_kernel *kernel;
    for (int i = 0; (kernel = trained_kernel_at(i)); i++, ++*compared) {
        memset(got, 0xa5, bytes);
        const uint32_t bands = 1 + draw(3);
        for (uint32_t b = 0; b < bands; b++) {
            const uint32_t first = height * b / bands, end = height * (b + 1) / bands;
            if (end > first)
                run(&plan, kernel, width, height, first, end - first, seen, levels, got);
        }
        if (memcmp(want, got, bytes) != 0)
            fail_msg("%s, %s%s, %u x %u in %u bands, numbers up to %d", kernel->name, network->name,
                     uneven ? ", uneven" : "", width, height, bands, high);
    }
    free(seen);
    free(levels);
    free(want);
    free(got);
}

static void kernels_equal_the_definition(void **state)
{
    int compared = 0;
    (void)state;
    for (int trial = 0; trial < 120; trial++)
        try_one(trial & 1 ? &trained_fast : &trained_best, trial % 3 == 2, &compared);
    assert_true(compared >= 40 && trained_kernel_at(0)->cpu == RO_CPU_SCALAR);
}

/* A network of one filter whose taps stand far apart, so that no place of a tap is left out. */
static void distant_taps(void **state)
{
    static int8_t forward[4][TRAINED_TAPS], back[4][TRAINED_TAPS], flux[4][TRAINED_FLUXES];
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (int a = 0; a + 1 < TRAINED_TAPS; a++) {
            forward[i][a] = (int8_t)(draw(10) - 5);
            back[i][a] = (int8_t)(draw(10) - 5);
            forward[i][TRAINED_TAPS - 1] -= forward[i][a];
            back[i][TRAINED_TAPS - 1] -= back[i][a];
        }
        for (int n = 1; n < TRAINED_FLUXES; n++)
            flux[i][n] = (int8_t)draw(100);
    }
    for (int distance = 1; distance <= TRAINED_MOST_DISTANCE; distance++) {
        struct trained_network network = {.name = "distant",
                                          .bytes = distance & 1,
                                          .filters = 4,
                                          .steps = 2,
                                          .scale = 56,
                                          .fraction = 15};
        network.step[0] = (struct trained_step){distance, 9000, 1 << 27, forward, back, flux};
        network.step[1] = (struct trained_step){5 - distance, 8192, 1 << 26, forward, back, flux};
        int compared = 0;
        for (int trial = 0; trial < 8; trial++)
            try_one(&network, trial & 1, &compared);
        assert_true(compared > 0);
    }
}

/* Memory of a band grows with the width alone. */
static void memory(void **state)
{
    struct trained_plan plan;
    (void)state;
    assert_true(trained_make(&plan, &trained_best, 0, 255, 25));
    size_t bytes[3];
    const uint32_t shapes[3][2] = {{1000, 100}, {1000, 1000000}, {2000, 100}};
    for (int i = 0; i < 3; i++) {
        struct trained_band *band = trained_band_open(&plan, trained_kernel_at(0), shapes[i][0],
                                                      shapes[i][1], 0, shapes[i][1]);
        assert_non_null(band);
        bytes[i] = trained_band_bytes(band);
        trained_band_close(band);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_true(bytes[2] < 2 * bytes[0] && bytes[2] < 2000 * 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_equal_the_definition),
        cmocka_unit_test(distant_taps),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
