/* SPDX-License-Identifier: MIT */
/*
 * Dots in rows and green noise: lines per inch and angle measured in what comes out, ranks that are
 * a permutation, dots that grow in turn, shapes, settings that cannot be.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "context/context.h"
#include "core/random.h"
#include "fixture.h"
#include "screen/dots.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tau = 6.283185307179586;

static struct screen make(const ro_screen_options *options, bool rectangle)
{
    struct screen screen;
    if (screen_make(context, options, rectangle, &screen) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    return screen;
}

static uint32_t rank_at(const struct screen *screen, uint32_t x, uint32_t y)
{
    const uint64_t column = x + (uint64_t)screen->shift * (y / screen->height);
    return screen->ranks[y % screen->height * screen->width + column % screen->width];
}

/* The wave (fx, fy) in a window of the middle tone, with a soft edge. */
static double complex wave_in(const struct screen *screen, uint32_t x0, uint32_t y0, double fx,
                              double fy)
{
    enum { SIDE = 160 };
    const uint32_t half = screen->width * screen->height / 2;
    static double soft_at[SIDE];
    for (uint32_t x = 0; x < SIDE; x++)
        soft_at[x] = sin(tau / 2 * (x + 0.5) / SIDE) * sin(tau / 2 * (x + 0.5) / SIDE);
    double complex sum = 0;
    for (uint32_t y = 0; y < SIDE; y++) {
        double complex row = 0, at = cexp(-I * tau * (fx * x0 + fy * (y0 + y)));
        const double complex next = cexp(-I * tau * fx);
        for (uint32_t x = 0; x < SIDE; x++, at *= next)
            row += (rank_at(screen, x0 + x, y0 + y) < half ? -soft_at[x] : soft_at[x]) * at;
        sum += soft_at[y] * row;
    }
    return sum;
}

/* How much a wave turns between two windows that lie far apart, against what was asked for. */
static void check_peak(const struct screen *screen, double lpi, double angle, const double dpi[2])
{
    static const uint32_t strides[] = {100, 700, 6000};
    for (int k = 0; k < 2; k++) {
        const double turn = (angle + 90 * k) * tau / 360;
        const double f[2] = {lpi * cos(turn) / dpi[0], -lpi * sin(turn) / dpi[1]};
        const double complex here = wave_in(screen, 0, 0, f[0], f[1]);
        double found[2];
        for (int axis = 0; axis < 2; axis++) { /* in three strides, so that no turn is missed */
            double off = 0;
            for (int s = 0; s < 3; s++) {
                const uint32_t far = strides[s];
                double complex there = wave_in(screen, axis ? 0 : far, axis ? far : 0, f[0], f[1]);
                double phase = carg(there * conj(here)) / tau;
                phase += rint(off * far - phase);
                off = phase / far;
            }
            found[axis] = (f[axis] + off) * dpi[axis];
        }
        const double reached = hypot(found[0], found[1]);
        double turned = atan2(-found[1], found[0]) * 360 / tau - angle - 90 * k;
        turned -= 360 * rint(turned / 360);
        if (fabs(reached - lpi) > 0.02 || fabs(turned) > 0.005)
            fail_msg("%g lpi at %g degrees, %g x %g dpi: found %.4f lpi, turned by %.5f", lpi,
                     angle, dpi[0], dpi[1], reached, turned);
    }
}

static void rows_are_as_asked_for(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 200; n++) {
        const double lpi = 60 + pixel_hash(1, n, 0) % 14001 / 100.0;
        const double angle = pixel_hash(2, n, 0) % 90000 / 1000.0;
        const double dpi[2] = {2400, n % 4 ? 2400 : 1200 + 1200 * (double)(n % 3)};
        const ro_screen_options options = {RO_SCREEN_DEFAULTS, .kind = "am",  .lpi = lpi,
                                           .angle = angle,     .dpi = dpi[0], .dpi_y = dpi[1]};
        struct dots_lattice lattice;
        assert_int_equal(dots_find(context, &options, false, &lattice), RO_OK);
        assert_true(lattice.reached.lpi_off <= 0.02 && lattice.reached.angle_off <= 0.005);
        assert_true(llabs(lattice.side[0][0]) <= DOTS_MAX_SIDE);
        assert_true(llabs(lattice.side[1][1]) <= DOTS_MAX_SIDE);
        if (n % 5) /* one in five is made, which takes longer: 40 spectra */
            continue;
        struct screen screen = make(&options, false);
        check_peak(&screen, lpi, angle, dpi);
        screen_free(&screen);
    }
}

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

static void every_shape_is_a_permutation(void **state)
{
    (void)state;
    static const char *const shapes[] = {NULL,   "ellipse",   "square", "diamond",
                                         "line", "euclidean", "cross"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int rectangle = 0; rectangle < 2; rectangle++) {
            struct screen screen =
                make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60,
                                          .angle = 22.5, .dpi = 600, .shape = shapes[i],
                                          .dot = i == 1 || i == 3 || i == 5 ? 5 : 0},
                     rectangle);
            assert_true(screen.width * screen.height >= DOTS_GREYS);
            if (rectangle)
                assert_int_equal(screen.shift, 0);
            check_ranks(&screen);
            screen_free(&screen);
        }
    for (uint32_t dot = 1; dot < 40; dot += 6) {
        struct screen screen = make(
            &(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "green-noise", .cell = 64, .dot = dot},
            false);
        check_ranks(&screen);
        screen_free(&screen);
    }
}

/* At 45 degrees and a whole number of pixels a dot is the same everywhere: after every round all
 * dots have as many pixels. */
static void dots_grow_in_turn(void **state)
{
    (void)state;
    enum { CELL = 200 }; /* 10 x 10 pixels along both diagonals */
    struct screen screen =
        make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 600 / sqrt(200),
                                  .angle = 45, .dpi = 600},
             false);
    const uint32_t cells = screen.width * screen.height, dots = screen.reached.dots;
    assert_int_equal(cells % CELL, 0);
    assert_int_equal(dots, cells / CELL);
    for (uint32_t black = 1; black < 200; black += 11) {
        enum { SIDE = 200 };
        uint32_t of_dot[SIDE][SIDE] = {0}, pixels[SIDE][SIDE] = {0};
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) { /* along the rows, in twentieths of a dot */
                const int i = (x - y + SIDE) / 20, j = (x + y + 1) / 20;
                pixels[j][i]++;
                of_dot[j][i] += rank_at(&screen, (uint32_t)x, (uint32_t)y) >= cells - black * dots;
            }
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++)
                if (pixels[j][i] == CELL) /* a whole one */
                    assert_int_equal(of_dot[j][i], black);
    }
    screen_free(&screen);
}

/* Black pixels that touch, on the torus of a rectangle: the size of each group. */
static void check_least(const struct screen *screen, uint32_t black, uint32_t least, uint32_t most)
{
    const uint32_t width = screen->width, cells = width * screen->height;
    uint8_t *seen = calloc(cells, 1);
    uint32_t *stack = malloc(cells * sizeof *stack);
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t size = 0, held = 0;
        if (seen[i] || screen->ranks[i] < cells - black)
            continue;
        stack[held++] = i;
        seen[i] = 1;
        while (held > 0) {
            const uint32_t at = stack[--held], x = at % width, y = at / width;
            size++;
            for (uint32_t k = 0; k < 9; k++) {
                const uint32_t next = (y + screen->height + k / 3 - 1) % screen->height * width +
                                      (x + width + k % 3 - 1) % width;
                if (!seen[next] && screen->ranks[next] >= cells - black) {
                    seen[next] = 1;
                    stack[held++] = next;
                }
            }
        }
        if (size < least || size > most)
            fail_msg("%u black pixels: a dot of %u, not of %u to %u", black, size, least, most);
    }
    free(seen);
    free(stack);
}

/* Black and white exchanged. */
static void turn_over(struct screen *screen)
{
    const uint32_t cells = screen->width * screen->height;
    for (uint32_t i = 0; i < cells; i++)
        screen->ranks[i] = cells - 1 - screen->ranks[i];
}

/* Dots and holes of every shape that has whole ones. */
static void shapes_have_a_least_size(void **state)
{
    (void)state;
    static const char *const shapes[] = {"round", "ellipse", "diamond", "euclidean"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct screen screen =
            make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 50, .dpi = 600,
                                      .dot = 9, .shape = shapes[i]},
                 true);
        const uint32_t dots = screen.reached.dots;
        for (int over = 0; over < 2; over++) {
            check_least(&screen, 9, 9, 9);
            check_least(&screen, 9 * (dots / 3), 9, 9);
            check_least(&screen, 9 * dots, 9, 9);
            check_least(&screen, 14 * dots + dots / 2, 14, 15);
            turn_over(&screen);
        }
        screen_free(&screen);
    }
}

static void dots_have_a_least_size(void **state)
{
    (void)state;
    struct screen screen = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 50,
                                                     .angle = 0, .dpi = 600, .dot = 9},
                                true);
    const uint32_t dots = screen.reached.dots;
    check_least(&screen, 9, 9, 9);              /* one dot */
    check_least(&screen, 9 * (dots / 3), 9, 9); /* some */
    check_least(&screen, 9 * dots, 9, 9);       /* all, */
    check_least(&screen, 14 * dots, 14, 14);    /* and from there they grow */
    check_least(&screen, 14 * dots + dots / 2, 14, 15);
    screen_free(&screen);
    screen = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "green-noise", .dot = 6}, true);
    check_least(&screen, 6, 6, 6);
    check_least(&screen, 6 * 200, 6, 24);
    screen_free(&screen);
}

/* A spot whose darkest pixel is in one corner puts the first black there. */
static void a_spot_of_ones_own(void **state)
{
    (void)state;
    static uint8_t values[4] = {0, 200, 100, 250};
    const ro_image spot = ro_image_view(RO_GREY8, 2, 2, values);
    struct screen screen = make(&(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 50,
                                                     .dpi = 400, .spot = &spot},
                                true);
    const uint32_t cells = screen.width * screen.height;
    for (uint32_t y = 0; y < screen.height; y++)
        for (uint32_t x = 0; x < screen.width; x++) {
            const bool left = x % 8 < 4, above = y % 8 < 4;
            const uint32_t quarter = rank_at(&screen, x, y) / (cells / 4);
            assert_int_equal(quarter, above ? (left ? 3 : 1) : (left ? 2 : 0));
        }
    screen_free(&screen);
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    static const struct {
        ro_screen_options options;
        const char *words;
    } rows[] = {
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60}, "dpi"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = -60, .dpi = 600}, "above 0"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 301, .dpi = 600}, "300 is the most"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 301, .dpi = 1600, .dpi_y = 600},
         "300 is the most"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 0.01, .dpi = 600}, "is the least"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600, .angle = 400}, "400"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600, .angle = NAN}, "angle"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600, .shape = "star"}, "euclidean"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600, .dot = 60}, "a quarter"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600, .dot = 9, .shape = "square"},
         "left in lines"},
        {{RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600, .cell = 8}, "does not apply"},
        {{RO_SCREEN_DEFAULTS, .kind = "bayer", .lpi = 60}, "does not apply"},
        {{RO_SCREEN_DEFAULTS, .kind = "green-noise", .cell = 16, .dot = 100}, "1 to 16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ro_image image;
        assert_true(ro_screen_make(context, &rows[i].options, &image) != RO_OK);
        if (!strstr(ro_context_message(context), rows[i].words))
            fail_msg("\"%s\" does not say \"%s\"", ro_context_message(context), rows[i].words);
    }
}

/* Dots of thousands of pixels: the nearest is named, and is there. */
static void the_nearest_is_named(void **state)
{
    (void)state;
    ro_screen_options options = {RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 428 / 3358.94, .dpi = 428,
                                 .angle = 274.07};
    ro_dots dots = {.size = sizeof dots};
    assert_int_equal(ro_dots_find(context, &options, 0, &dots), RO_E_ARGUMENT);
    const char *named = strstr(ro_context_message(context), "the nearest has ");
    assert_non_null(named);
    options.lpi = strtod(named + strlen("the nearest has "), NULL) + 1e-5;
    assert_true(options.lpi < 1.3 * 428 / 3358.94);
    assert_int_equal(ro_dots_find(context, &options, 0, &dots), RO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_named),  cmocka_unit_test(shapes_have_a_least_size),
        cmocka_unit_test(rows_are_as_asked_for), cmocka_unit_test(every_shape_is_a_permutation),
        cmocka_unit_test(dots_grow_in_turn),     cmocka_unit_test(dots_have_a_least_size),
        cmocka_unit_test(a_spot_of_ones_own),    cmocka_unit_test(what_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
