/* SPDX-License-Identifier: MIT */
/*
 * Screens: ranks are a permutation, formulas give what textbooks print, void and cluster is even on
 * the torus and free of low frequencies, the built-in array is what the tool makes, images of ranks
 * go back to the same ranks.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "context/context.h"
#include "fixture.h"
#include "screen/screen.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct screen make(const ro_screen_options *options)
{
    struct screen screen;
    if (screen_make(context, options, true, &screen) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    return screen;
}

/* Every rank once. */
static void check_ranks(const struct screen *screen)
{
    const uint32_t cells = screen->width * screen->height;
    uint8_t *seen = calloc(cells, 1);
    for (uint32_t i = 0; i < cells; i++) {
        assert_true(screen->ranks[i] < cells);
        assert_int_equal(seen[screen->ranks[i]]++, 0);
    }
    free(seen);
}

static void every_screen_is_a_permutation(void **state)
{
    (void)state;
    static const ro_screen_options rows[] = {
        {RO_SCREEN_DEFAULTS, .kind = "bayer", .cell = 2},
        {RO_SCREEN_DEFAULTS, .kind = "bayer", .cell = 256},
        {RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 2},
        {RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 31, .shape = "line"},
        {RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 32, .shape = "diamond", .angle = 45},
        {RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 256, .shape = "round", .angle = 45},
        {RO_SCREEN_DEFAULTS, .kind = "void-and-cluster", .cell = 2},
        {RO_SCREEN_DEFAULTS, .kind = "void-and-cluster", .cell = 3},
        {RO_SCREEN_DEFAULTS, .kind = "void-and-cluster", .cell = 17, .seed = 1},
        {RO_SCREEN_DEFAULTS, .kind = "void-and-cluster", .cell = 100, .seed = ~0ull},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct screen screen = make(&rows[i]);
        check_ranks(&screen);
        screen_free(&screen);
    }
}

static void bayer_is_the_textbooks(void **state)
{
    (void)state;
    static const uint32_t eight[64] = {
        0,  32, 8,  40, 2,  34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26, 12, 44, 4,  36, 14, 46,
        6,  38, 60, 28, 52, 20, 62, 30, 54, 22, 3,  35, 11, 43, 1,  33, 9,  41, 51, 19, 59, 27,
        49, 17, 57, 25, 15, 47, 7,  39, 13, 45, 5,  37, 63, 31, 55, 23, 61, 29, 53, 21};
    struct screen screen =
        make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "bayer", .cell = 8});
    assert_memory_equal(screen.ranks, eight, sizeof eight);
    screen_free(&screen);
}

/* Black of a light tone lies round the centres of the dots and white of a dark tone between them,
 * and half of the cells make a chequerboard of dots. */
static void dots_grow_from_their_centres(void **state)
{
    (void)state;
    enum { SIZE = 16 };
    static const char *const shapes[] = {"round", "diamond"};
    for (int s = 0; s < 2; s++)
        for (int angle = 0; angle <= 45; angle += 45) {
            struct screen screen =
                make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = SIZE,
                                          .angle = angle, .shape = shapes[s]});
            for (uint32_t y = 0; y < SIZE; y++)
                for (uint32_t x = 0; x < SIZE; x++) {
                    double nearest = 1e9;
                    for (int j = 0; j < 3; j++)
                        for (int i = 0; i < 3; i++)
                            if (angle == 0 ? i == 1 && j == 1 : (i + j) % 2) {
                                /* at 45 degrees on the middles of the edges, or else inside */
                                double dx = x + 0.5 - i * SIZE / 2.0;
                                double dy = y + 0.5 - j * SIZE / 2.0;
                                nearest = fmin(nearest, hypot(dx, dy));
                            }
                    uint32_t rank = screen.ranks[y * SIZE + x];
                    double apart = angle ? SIZE / sqrt(2) : SIZE;
                    if (rank >= SIZE * SIZE * 9 / 10)
                        assert_true(nearest < 0.26 * apart);
                    if (rank < SIZE * SIZE / 10)
                        assert_true(nearest > 0.45 * apart);
                }
            screen_free(&screen);
        }
    struct screen line = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "clustered-dot",
                                                   .cell = 8, .shape = "line"});
    for (int i = 0; i < 64; i++) /* whole rows, the two in the middle last */
        assert_int_equal(line.ranks[i] >= 48, i / 8 == 3 || i / 8 == 4);
    screen_free(&line);
}

/* Small enough to check by eye. */
static void small_dots(void **state)
{
    (void)state;
    static const struct {
        ro_screen_options options;
        uint32_t ranks[16];
    } rows[] = {
        {{RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 4},
         {0, 4, 5, 1, 6, 12, 13, 7, 8, 14, 15, 9, 2, 10, 11, 3}},
        {{RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 4, .angle = 45},
         {0, 8, 9, 1, 10, 2, 3, 11, 12, 4, 5, 13, 6, 14, 15, 7}},
        {{RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 4, .angle = 45, .shape = "line"},
         {0, 4, 12, 5, 6, 1, 7, 13, 14, 8, 2, 9, 10, 15, 11, 3}},
        {{RO_SCREEN_DEFAULTS, .kind = "clustered-dot", .cell = 4, .shape = "diamond"},
         {0, 4, 5, 1, 6, 12, 13, 7, 8, 14, 15, 9, 2, 10, 11, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct screen screen = make(&rows[i].options);
        assert_memory_equal(screen.ranks, rows[i].ranks, sizeof rows[i].ranks);
        screen_free(&screen);
    }
}

static void built_in_array_is_what_is_made(void **state)
{
    (void)state;
    struct screen screen =
        make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = SCREEN_BUILT_IN_SIDE});
    for (int i = 0; i < SCREEN_BUILT_IN_SIDE * SCREEN_BUILT_IN_SIDE; i++)
        assert_int_equal(screen.ranks[i], screen_built_in[i]);
    screen_free(&screen);
}

static void seeds_differ_and_repeat(void **state)
{
    (void)state;
    struct screen a = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = 32, .seed = 1});
    struct screen b = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = 32, .seed = 1});
    struct screen c = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = 32, .seed = 2});
    assert_memory_equal(a.ranks, b.ranks, 32 * 32 * sizeof *a.ranks);
    assert_memory_not_equal(a.ranks, c.ranks, 32 * 32 * sizeof *a.ranks);
    screen_free(&a);
    screen_free(&b);
    screen_free(&c);
}

/* ---- Spectra ---- */

enum { SIDE = 128 };

static void transform(double complex *at, int stride)
{
    double complex copy[SIDE];
    for (int i = 0; i < SIDE; i++) { /* bits of the place turned round */
        int from = 0;
        for (int bit = 1; bit < SIDE; bit *= 2)
            from = 2 * from + ((i & bit) != 0);
        copy[i] = at[from * stride];
    }
    for (int half = 1; half < SIDE; half *= 2)
        for (int i = 0; i < SIDE; i += 2 * half)
            for (int k = 0; k < half; k++) {
                double complex turn = cexp(-I * M_PI * k / half) * copy[i + half + k];
                copy[i + half + k] = copy[i + k] - turn;
                copy[i + k] += turn;
            }
    for (int i = 0; i < SIDE; i++)
        at[i * stride] = copy[i];
}

/* Power of the pattern of a grey below half of its principal frequency, in decibels over that of
 * white noise of the same grey. The principal frequency is sqrt(g) cycles a pixel, and one half
 * from a quarter to three quarters of white: higher ones exist on the diagonals only (Lau and
 * Ulichney, Blue-noise halftoning for hexagonal grids, 2006). */
static double low_power(const uint32_t *ranks, double grey)
{
    static double complex f[SIDE * SIDE];
    double minority = grey < 0.5 ? grey : 1 - grey;
    double principal = minority < 0.25 ? sqrt(minority) : 0.5, power = 0;
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        f[i] = (ranks[i] < grey * SIDE * SIDE) - grey;
    for (int i = 0; i < SIDE; i++)
        transform(f + i * SIDE, 1);
    for (int i = 0; i < SIDE; i++)
        transform(f + i, SIDE);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double radius = hypot(x > SIDE / 2 ? x - SIDE : x, y > SIDE / 2 ? y - SIDE : y) / SIDE;
            if (radius > 0 && radius < principal / 2) {
                power += creal(f[y * SIDE + x] * conj(f[y * SIDE + x])) / (SIDE * SIDE);
                count++;
            }
        }
    return 10 * log10(power / count / (grey * (1 - grey)));
}

static void void_and_cluster_is_blue(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct screen screen =
            make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = SIDE, .seed = seed});
        for (int grey = 32; grey <= 224; grey += 4) {
            double power = low_power(screen.ranks, grey / 256.0);
            if (power > -10)
                fail_msg("grey %d/256, seed %d: %.2f dB", grey, (int)seed, power);
        }
        /* Even where members are few. */
        for (int grey = 2; grey < 32; grey *= 2) {
            assert_true(low_power(screen.ranks, grey / 256.0) < -9);
            assert_true(low_power(screen.ranks, 1 - grey / 256.0) < -9);
        }
        screen_free(&screen);
    }
}

/* As even over the edges as inside: the nearest neighbour of a member is never much nearer than
 * elsewhere, also across an edge. */
static void void_and_cluster_is_toroidal(void **state)
{
    (void)state;
    enum { SMALL = 64 };
    struct screen screen = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = SMALL, .seed = 4});
    double inside = 1e9, across = 1e9;
    for (int i = 0; i < SMALL * SMALL; i++)
        for (int k = 0; k < i; k++) {
            if (screen.ranks[i] >= SMALL * SMALL / 32 || screen.ranks[k] >= SMALL * SMALL / 32)
                continue;
            int dx = abs(i % SMALL - k % SMALL), dy = abs(i / SMALL - k / SMALL);
            bool wraps = dx > SMALL / 2 || dy > SMALL / 2;
            dx = dx > SMALL / 2 ? SMALL - dx : dx;
            dy = dy > SMALL / 2 ? SMALL - dy : dy;
            if (wraps)
                across = fmin(across, hypot(dx, dy));
            else
                inside = fmin(inside, hypot(dx, dy));
        }
    assert_true(inside > 3);
    assert_true(across > 3);
    screen_free(&screen);
}

/* ---- Images ---- */

static void images_keep_the_ranks(void **state)
{
    (void)state;
    static const struct {
        uint32_t size;
        ro_format format;
    } rows[] = {{64, RO_FORMAT_NONE}, {256, RO_GREY16}, {300, RO_GREYF}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ro_screen_options options = {RO_SCREEN_DEFAULTS, .cell = rows[i].size,
                                     .format = rows[i].format};
        ro_image image;
        struct screen screen = make(&options), back;
        assert_int_equal(ro_screen_make(context, &options, &image), RO_OK);
        assert_int_equal(image.width, rows[i].size);
        assert_int_equal(screen_rank(context, &image, &back), RO_OK);
        assert_memory_equal(screen.ranks, back.ranks,
                            (size_t)rows[i].size * rows[i].size * sizeof *back.ranks);
        screen_free(&screen);
        screen_free(&back);
        ro_image_free(&image);
    }
}

static void ties_rank_in_raster_order(void **state)
{
    (void)state;
    float values[6] = {0.5f, -1.0f, 0.5f, 0.0f, -0.0f, 7.0f};
    ro_image image = {.format = RO_GREYF,
                      .width = 3,
                      .height = 2,
                      .maxval = 0,
                      .stride = 3 * sizeof *values,
                      .data = values};
    static const uint32_t ranks[] = {3, 0, 4, 1, 2, 5};
    struct screen screen;
    assert_int_equal(screen_rank(context, &image, &screen), RO_OK);
    assert_memory_equal(screen.ranks, ranks, sizeof ranks);
    screen_free(&screen);
}

static void bad_screens_are_refused(void **state)
{
    (void)state;
    static const struct {
        ro_screen_options options;
        ro_status status;
        const char *word;
    } rows[] = {
        {{RO_SCREEN_DEFAULTS, .kind = "void-and-clusters"},
         RO_E_ARGUMENT,
         "did you mean void-and-cluster?"},
        {{RO_SCREEN_DEFAULTS, .kind = "bayer", .cell = 24}, RO_E_ARGUMENT, "24"},
        {{RO_SCREEN_DEFAULTS, .kind = "bayer", .seed = 1}, RO_E_ARGUMENT, "seed does not apply"},
        {{RO_SCREEN_DEFAULTS, .cell = 1}, RO_E_SIZE, "2 to 1024"},
        {{RO_SCREEN_DEFAULTS, .cell = 1025}, RO_E_SIZE, "1025"},
        {{RO_SCREEN_DEFAULTS, .cell = 64, .shape = "line"}, RO_E_ARGUMENT, "shape does not apply"},
        {{RO_SCREEN_DEFAULTS, .cell = 64, .format = RO_RGB8}, RO_E_ARGUMENT, "gray16 or grayf"},
        {{RO_SCREEN_DEFAULTS, .format = RO_GREYF, .ranks = 1}, RO_E_ARGUMENT, "format gray16"},
        {{RO_SCREEN_DEFAULTS, .kind = "clustered", .shape = "cross"}, RO_E_ARGUMENT, "kind am"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ro_image image;
        assert_int_equal(ro_screen_make(context, &rows[i].options, &image), rows[i].status);
        assert_null(image.data);
        if (!strstr(ro_context_message(context), rows[i].word))
            fail_msg("'%s' does not say '%s'", ro_context_message(context), rows[i].word);
    }
}

/* Every kind and every shape that the table names is made. */
static void every_word_is_made(void **state)
{
    (void)state;
    for (const char *const *name = (const char *const[]){"kind", "shape", NULL}; *name; name++) {
        const ro_option_table *table = ro_options_of("screen");
        const ro_option *row = ro_option_find(table, *name);
        for (const ro_word *word = row->words; word->name; word++) {
            char message[RO_OPTION_MESSAGE];
            ro_screen_options options = {RO_SCREEN_DEFAULTS, .kind = "am"};
            ro_image image;
            assert_int_equal(ro_option_set(table, row, &options, word->name, message), RO_OK);
            if (ro_screen_make(context, &options, &image) != RO_OK)
                fail_msg("%s: %s", word->name, ro_context_message(context));
            ro_image_free(&image);
        }
    }
}

static int stop(void *data, const char *phase, double done)
{
    (void)data, (void)phase;
    return done > 0.3;
}

static void making_can_be_cancelled(void **state)
{
    (void)state;
    ro_context *other;
    ro_image image;
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .progress = stop}, &other),
        RO_OK);
    assert_int_equal(
        ro_screen_make(other, &(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = 256}, &image),
        RO_E_CANCELLED);
    assert_null(image.data);
    ro_context_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_screen_is_a_permutation),
        cmocka_unit_test(bayer_is_the_textbooks),
        cmocka_unit_test(dots_grow_from_their_centres),
        cmocka_unit_test(small_dots),
        cmocka_unit_test(built_in_array_is_what_is_made),
        cmocka_unit_test(seeds_differ_and_repeat),
        cmocka_unit_test(void_and_cluster_is_blue),
        cmocka_unit_test(void_and_cluster_is_toroidal),
        cmocka_unit_test(images_keep_the_ranks),
        cmocka_unit_test(ties_rank_in_raster_order),
        cmocka_unit_test(every_word_is_made),
        cmocka_unit_test(bad_screens_are_refused),
        cmocka_unit_test(making_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
