/* SPDX-License-Identifier: MIT */
/* The threshold array of clipping-free search: levels, uniformity, tiling, the built-in table. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "roundoff/screen.h"
#include "screen/uniform.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static ro_context *open_context(void)
{
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    return context;
}

/* The sum of the distances from the cells of a level to the nearest cell of it or a lower one, by
 * the paper's formula, on the torus; cells of higher levels count as free. */
static int64_t uniformity(const int *level_of, int size, int level)
{
    int64_t sum = 0;
    for (int i = 0; i < size * size; i++) {
        if (level_of[i] != level)
            continue;
        int best = size * size;
        for (int k = 0; k < size * size; k++) {
            int dx = abs(i % size - k % size), dy = abs(i / size - k / size);
            dx = dx < size - dx ? dx : size - dx;
            dy = dy < size - dy ? dy : size - dy;
            if (k != i && level_of[k] <= level && dx * dx + dy * dy < best)
                best = dx * dx + dy * dy;
        }
        sum += (int64_t)floor(65536 * sqrt(best));
    }
    return sum;
}

/* No cell of any level can move to a free neighbour, across the edges too, and raise u. */
static void uniformity_is_locally_maximal(void **unused)
{
    (void)unused;
    enum { SIZE = 48, LEVELS = 12 };
    ro_context *context = open_context();
    uint32_t order[SIZE * SIZE];
    int level_of[SIZE * SIZE];
    assert_int_equal(uniform_make(context, SIZE, 3, LEVELS, order), RO_OK);
    for (int i = 0; i < SIZE * SIZE; i++)
        level_of[i] = 1000;
    for (int level = 0; level < LEVELS; level++)
        for (uint32_t r = uniform_cells(SIZE, (uint32_t)level);
             r < uniform_cells(SIZE, (uint32_t)level + 1); r++) {
            assert_int_equal(level_of[order[r]], 1000); /* each cell once */
            level_of[order[r]] = level;
        }
    int wrapped = 0;
    for (int level = 0; level < LEVELS; level++) {
        int64_t now = uniformity(level_of, SIZE, level);
        for (int i = 0; i < SIZE * SIZE; i++) {
            if (level_of[i] != level)
                continue;
            for (int k = 0; k < 9; k++) {
                int x = i % SIZE + k % 3 - 1, y = i / SIZE + k / 3 - 1;
                int to = (y + SIZE) % SIZE * SIZE + (x + SIZE) % SIZE, was = level_of[to];
                if (was <= level)
                    continue;
                wrapped += x < 0 || y < 0 || x >= SIZE || y >= SIZE;
                level_of[i] = 1000;
                level_of[to] = level;
                assert_true(uniformity(level_of, SIZE, level) <= now);
                level_of[to] = was;
                level_of[i] = level;
            }
        }
    }
    assert_true(wrapped > 0);
    ro_context_close(context);
}

/* The table is what uniform_make makes. */
static void the_built_in_table_is_the_array(void **unused)
{
    (void)unused;
    ro_context *context = open_context();
    uint32_t count = uniform_cells(UNIFORM_SIZE, UNIFORM_TABLE_LEVELS);
    uint32_t *order = malloc(UNIFORM_SIZE * UNIFORM_SIZE * sizeof *order);
    uint32_t *ranks = malloc(UNIFORM_SIZE * UNIFORM_SIZE * sizeof *ranks);
    assert_int_equal(strlen(uniform_table), 3 * count);
    assert_int_equal(uniform_make(context, UNIFORM_SIZE, UNIFORM_SEED, UNIFORM_TABLE_LEVELS, order),
                     RO_OK);
    assert_int_equal(uniform_screen_ranks(context, NULL, 9, 255, ranks), RO_OK);
    for (uint32_t r = 0; r < count; r++)
        assert_int_equal(ranks[order[r]], r);
    free(ranks);
    free(order);
    ro_context_close(context);
}

static ro_status make_screen(ro_context *context, uint32_t size, uint64_t seed, ro_image *screen)
{
    ro_screen_options options = {RO_SCREEN_DEFAULTS, .kind = "uniform", .cell = size, .seed = seed};
    return ro_screen_make(context, &options, screen);
}

/* A screen as an image, ranked again, is the array: every level as often as it is defined. */
static void a_screen_holds_every_level(void **unused)
{
    (void)unused;
    ro_context *context = open_context();
    static const uint32_t sizes[] = {16, 61, 300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t size = sizes[i], total = size * size, found;
        uint32_t count = uniform_cells(size, UNIFORM_LEVELS);
        uint32_t *order = malloc(total * sizeof *order), *ranks = malloc(total * sizeof *ranks);
        ro_image screen, again;
        assert_int_equal(make_screen(context, size, 9, &screen), RO_OK);
        assert_int_equal(make_screen(context, size, 10, &again), RO_OK);
        assert_int_equal(uniform_screen_size(context, &screen, &found), RO_OK);
        assert_int_equal(found, size);
        assert_int_equal(uniform_make(context, size, 9, UNIFORM_LEVELS, order), RO_OK);
        assert_int_equal(uniform_screen_ranks(context, &screen, 1, 2, ranks), RO_OK);
        for (uint32_t r = 0; r < count; r++)
            assert_int_equal(ranks[order[r]], r);
        assert_memory_not_equal(screen.data, again.data, (size_t)screen.stride * size);
        uint32_t levels[256] = {0};
        for (uint32_t c = 0; c < total; c++)
            if (ranks[c] < count) {
                uint32_t level = 0;
                while (uniform_cells(size, level + 1) <= ranks[c])
                    level++;
                levels[level]++;
            }
        for (uint32_t level = 0; level < UNIFORM_LEVELS; level++)
            assert_int_equal(levels[level],
                             (uint64_t)(level + 1) * total / 255 - (uint64_t)level * total / 255);
        ro_image_free(&screen);
        ro_image_free(&again);
        free(order);
        free(ranks);
    }
    ro_context_close(context);
}

static void bad_screens_are_refused(void **unused)
{
    (void)unused;
    ro_context *context = open_context();
    ro_image screen;
    assert_int_equal(make_screen(context, 4, 0, &screen), RO_E_SIZE);
    assert_int_equal(make_screen(context, 100000, 0, &screen), RO_E_SIZE);
    assert_null(screen.data);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniformity_is_locally_maximal),
        cmocka_unit_test(the_built_in_table_is_the_array),
        cmocka_unit_test(a_screen_holds_every_level),
        cmocka_unit_test(bad_screens_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
