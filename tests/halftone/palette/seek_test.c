/* SPDX-License-Identifier: MIT */
/*
 * Search among colours, looked at from outside: its result is a local optimum of the error, which
 * is computed here from the picture alone; exchanges keep counts; what it does with flats and two
 * equal colours; what it refuses. That variants give the reference's bits is rocheck's work.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "fixture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 90, MOST_HEIGHT = 70, PIXELS = MOST_WIDTH * MOST_HEIGHT, EYE = 4 };

/* ---- The error, by its definition ------------------------------------------------------------ */

struct view {
    int width, height, channels, count;
    int64_t colour[3][256];                     /* in 4096ths of white */
    int64_t target[3][PIXELS], seen[3][PIXELS]; /* quarters of that; F * target, rounded */
    uint8_t number[PIXELS];
};
static struct view view;
static int64_t bell[4 * EYE + 1][4 * EYE + 1];

/* V by the distances in columns and rows, the larger first, correlated with itself. */
static void make_bell(void)
{
    static const int64_t eye[5][5] = {{21}, {15, 11}, {7, 6, 4}, {3, 3, 2, 1}, {2, 2, 1, 1, 1}};
    memset(bell, 0, sizeof bell);
    for (int y = -EYE; y <= EYE; y++)
        for (int x = -EYE; x <= EYE; x++)
            for (int v = -EYE; v <= EYE; v++)
                for (int u = -EYE; u <= EYE; u++) {
                    const int a = abs(x) > abs(y) ? abs(x) : abs(y), b = abs(x) + abs(y) - a;
                    const int c = abs(u) > abs(v) ? abs(u) : abs(v), d = abs(u) + abs(v) - c;
                    bell[y + v + 2 * EYE][x + u + 2 * EYE] += eye[a][b] * eye[c][d];
                }
}

static int64_t f(int dx, int dy)
{
    if (abs(dx) > 2 * EYE || abs(dy) > 2 * EYE)
        return 0;
    return bell[dy + 2 * EYE][dx + 2 * EYE];
}

/* What F sees of a plane. */
static int64_t seen_of(const int64_t *plane, int x, int y)
{
    int64_t sum = 0;
    for (int v = 0; v < view.height; v++)
        for (int u = 0; u < view.width; u++)
            sum += f(x - u, y - v) * plane[v * view.width + u];
    return sum;
}

static int64_t light_of(uint8_t value)
{
    const double x = value / 255.0;
    return (int64_t)floor(65535 * (x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)) + 0.5);
}

static int64_t round_to(int64_t value, int bits)
{
    return (value + ((int64_t)1 << (bits - 1))) >> bits;
}

/* Light of 16 bits in the channels: of colours exactly, of targets from 15 bits. */
static void colour_channels(const uint8_t *rgb, int64_t to[3])
{
    const int64_t r = 16 * light_of(rgb[0]), g = 16 * light_of(rgb[1]), b = 16 * light_of(rgb[2]);
    const int64_t luma = 13933 * r + 46871 * g + 4732 * b;
    to[0] = round_to(luma, 24);
    to[1] = round_to(65536 * r - luma, 25);
    to[2] = round_to(65536 * b - luma, 25);
}

static void target_channels(const uint8_t *rgb, int64_t to[3])
{
    const int64_t r = light_of(rgb[0]) / 2, g = light_of(rgb[1]) / 2, b = light_of(rgb[2]) / 2;
    const int64_t luma = round_to(13933 * r + 46871 * g + 4732 * b, 16);
    to[0] = round_to(luma, 1);
    to[1] = round_to(r - luma, 2);
    to[2] = round_to(b - luma, 2);
}

static void finish_view(const uint8_t *numbers)
{
    const int pixels = view.width * view.height;
    memcpy(view.number, numbers, (size_t)pixels);
    for (int c = 0; c < view.channels; c++)
        for (int i = 0; i < pixels; i++)
            view.seen[c][i] = round_to(seen_of(view.target[c], i % view.width, i / view.width), 2);
}

/* E but for what does not depend on the halftone. */
static int64_t whole_error(void)
{
    static int64_t shown[PIXELS];
    int64_t sum = 0;
    for (int c = 0; c < view.channels; c++) {
        for (int i = 0; i < view.width * view.height; i++)
            shown[i] = view.colour[c][view.number[i]];
        for (int i = 0; i < view.width * view.height; i++)
            sum +=
                shown[i] * (seen_of(shown, i % view.width, i / view.width) - 2 * view.seen[c][i]);
    }
    return sum;
}

/* Whether a lone dot of any other colour could pay at a pixel of colour near to its target. */
static bool is_held(int i)
{
    for (int k = 0; k < view.count; k++) {
        bool all = true;
        for (int j = 0; j < view.count && all; j++) {
            int64_t dot = 0, square = 0;
            for (int c = 0; c < view.channels; c++) {
                const int64_t d = view.colour[c][j] - view.colour[c][k];
                dot += d * (view.target[c][i] - 4 * view.colour[c][k]);
                square += d * d;
            }
            all = square == 0 || 2 * 292 * 292 * dot < 4 * f(0, 0) * 4 * square;
        }
        if (all)
            return true;
    }
    return false;
}

/* What a change of pixel i to colour k, and of pixel n to that of i (n < 0: none), does to E. */
static int64_t change(const int64_t e[3][PIXELS], int i, int k, int n)
{
    const int w = view.width;
    int64_t sum = 0;
    for (int c = 0; c < view.channels; c++) {
        const int64_t d = view.colour[c][k] - view.colour[c][view.number[i]];
        if (n < 0)
            sum += d * d * f(0, 0) - 2 * d * e[c][i];
        else
            sum += 2 * d * d * (f(0, 0) - f(i % w - n % w, i / w - n / w)) -
                   2 * d * (e[c][i] - e[c][n]);
    }
    return sum;
}

/* How many allowed changes and exchanges would lower E. */
static int improving(bool swaps)
{
    static int64_t e[3][PIXELS], shown[PIXELS];
    const int w = view.width, h = view.height;
    int count = 0;
    for (int c = 0; c < view.channels; c++) {
        for (int i = 0; i < w * h; i++)
            shown[i] = view.colour[c][view.number[i]];
        for (int i = 0; i < w * h; i++)
            e[c][i] = view.seen[c][i] - seen_of(shown, i % w, i / w);
    }
    for (int i = 0; i < w * h; i++) {
        if (!swaps && !is_held(i))
            for (int k = 0; k < view.count; k++)
                count += change((const int64_t(*)[PIXELS])e, i, k, -1) < 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int x = i % w + dx, y = i / w + dy;
                if (x >= 0 && x < w && y >= 0 && y < h && (dx || dy))
                    count += change((const int64_t(*)[PIXELS])e, i, view.number[y * w + x],
                                    y * w + x) < 0;
            }
    }
    /* The short sums are those of the whole error. */
    for (uint32_t n = 0; n < 2; n++) {
        const int i = (int)(pixel_hash(5, n, 0) % (uint32_t)(w * h));
        const int other = i + 1 < w * h && (i + 1) % w ? i + 1 : -1;
        const int k = (int)(pixel_hash(5, n, 1) % (uint32_t)view.count);
        const int j = view.number[i];
        const int64_t before = whole_error();
        const int64_t expected = change((const int64_t(*)[PIXELS])e, i, k, -1);
        view.number[i] = (uint8_t)k;
        assert_true(whole_error() - before == expected);
        view.number[i] = (uint8_t)j;
        if (other < 0)
            continue;
        const int64_t exchanged = change((const int64_t(*)[PIXELS])e, i, view.number[other], other);
        view.number[i] = view.number[other];
        view.number[other] = (uint8_t)j;
        assert_true(whole_error() - before == exchanged);
        view.number[other] = view.number[i];
        view.number[i] = (uint8_t)j;
    }
    return count;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Shades with edges, dark corners and some noise. */
static void paint(uint8_t *pixels, int width, int height, int channels, uint64_t seed)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) {
                const double wave = sin(0.11 * x * (c + 1) + 0.07 * y + (double)seed) +
                                    cos(0.05 * y * (c + 2) - 0.09 * x);
                double value = 128 + 70 * wave;
                value += pixel_hash(seed, (uint32_t)(y * width + x), (uint32_t)c) % 9;
                if (x > width / 2 && y > height / 2)
                    value /= 30;
                if (x < width / 4 && y < height / 4)
                    value = 255 - value / 40;
                pixels[channels * (y * width + x) + c] = (uint8_t)(value < 0     ? 0
                                                                   : value > 255 ? 255
                                                                                 : value);
            }
}

static void halftone(const ro_image *in, uint8_t *numbers, const ro_halftone_options *options)
{
    ro_image out = ro_image_view(RO_INDEX8, in->width, in->height, numbers);
    if (ro_halftone(context, in, &out, options) != RO_OK)
        fail_msg("%s", ro_context_message(context));
}

static const char cube[] = "000 f00 0f0 00f ff0 f0f 0ff fff 888 f80";

static ro_palette palette_of(const char *text)
{
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, text, &palette), RO_OK);
    return palette;
}

static void look_at_colours(const uint8_t *pixels, int width, int height, const ro_palette *palette,
                            const uint8_t *numbers)
{
    view = (struct view){width, height, 3, palette->count, {{0}}, {{0}}, {{0}}, {0}};
    for (int k = 0; k < palette->count; k++) {
        int64_t p[3];
        colour_channels(palette->colours[k], p);
        for (int c = 0; c < 3; c++)
            view.colour[c][k] = p[c];
    }
    for (int i = 0; i < width * height; i++) {
        int64_t t[3];
        target_channels(pixels + 3 * i, t);
        for (int c = 0; c < 3; c++)
            view.target[c][i] = t[c];
    }
    finish_view(numbers);
}

static void colours_end_in_an_optimum(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 9}, {17, 2}, {37, 33}, {70, 68}};
    static uint8_t pixels[3 * PIXELS], numbers[PIXELS], start[PIXELS];
    const ro_palette palette = palette_of(cube);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int swaps = 0; swaps < 2; swaps++) {
            const int width = sizes[i][0], height = sizes[i][1];
            paint(pixels, width, height, 3, i);
            ro_image in = ro_image_view(RO_RGB8, (uint32_t)width, (uint32_t)height, pixels);
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                           .method = "acuity"};
            halftone(&in, start, &options);
            options.method = "search";
            options.swaps = swaps;
            halftone(&in, numbers, &options);
            look_at_colours(pixels, width, height, &palette, start);
            const int64_t before = whole_error();
            if (width * height > 1000)
                assert_true(improving(swaps) > 0);
            look_at_colours(pixels, width, height, &palette, numbers);
            assert_true(whole_error() <= before);
            assert_int_equal(improving(swaps), 0);
        }
}

static void levels_end_in_an_optimum(void **state)
{
    (void)state;
    enum { WIDTH = 60, HEIGHT = 37 };
    static uint8_t pixels[WIDTH * HEIGHT], numbers[WIDTH * HEIGHT];
    paint(pixels, WIDTH, HEIGHT, 1, 7);
    ro_image in = ro_image_view(RO_GREY8, WIDTH, HEIGHT, pixels);
    static const int levels[] = {2, 3, 4, 16};
    for (size_t n = 0; n < sizeof levels / sizeof *levels; n++) {
        const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .levels = levels[n],
                                             .method = "search"};
        halftone(&in, numbers, &options);
        view = (struct view){WIDTH, HEIGHT, 1, levels[n], {{0}}, {{0}}, {{0}}, {0}};
        for (int k = 0; k < levels[n]; k++)
            view.colour[0][k] = (int64_t)floor(4096.0 * k / (levels[n] - 1) + 0.5);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            view.target[0][i] = (int64_t)floor(16384 * pixels[i] / 255.0 + 0.5);
        finish_view(numbers);
        assert_int_equal(improving(false), 0);
    }
}

static void exchanges_keep_counts(void **state)
{
    (void)state;
    static uint8_t pixels[3 * PIXELS], start[PIXELS], numbers[PIXELS];
    int counts[256] = {0};
    const ro_palette palette = palette_of("7-colour-panel");
    paint(pixels, MOST_WIDTH, MOST_HEIGHT, 3, 3);
    ro_image in = ro_image_view(RO_RGB8, MOST_WIDTH, MOST_HEIGHT, pixels);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette, .fit = RO_FIT_FULL,
                                   .method = "fan"};
    halftone(&in, start, &options);
    options.method = "search";
    options.start = "fan";
    options.swaps = 1;
    halftone(&in, numbers, &options);
    assert_memory_not_equal(start, numbers, PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        counts[start[i]]++;
        counts[numbers[i]]--;
    }
    for (int k = 0; k < 256; k++)
        assert_int_equal(counts[k], 0);
}

static void colours_of_the_palette_stay(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static uint8_t pixels[3 * SIDE * SIDE], out[3 * SIDE * SIDE];
    const ro_palette palette = palette_of("000 000 f00 fff fff f00"); /* all twice */
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                         .method = "search"};
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            memcpy(pixels + 3 * (y * SIDE + x), palette.colours[x / 7 * (y / 9) % 6], 3);
    ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    ro_image image = ro_image_view(RO_RGB8, SIDE, SIDE, out);
    assert_int_equal(ro_halftone(context, &in, &image, &options), RO_OK);
    assert_memory_equal(pixels, out, sizeof out);
}

/* Flats near to a colour keep the few dots of the start, within half a step of 255. */
static void flats_keep_their_tone(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    static uint8_t pixels[SIDE * SIDE], numbers[SIDE * SIDE];
    ro_image in = ro_image_view(RO_GREY8, SIDE, SIDE, pixels);
    for (int levels = 2; levels < 5; levels++)
        for (int grey = 1; grey < 255; grey += 9) {
            const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .levels = levels,
                                                 .method = "search"};
            double sum = 0;
            memset(pixels, grey, sizeof pixels);
            halftone(&in, numbers, &options);
            for (int i = 0; i < SIDE * SIDE; i++)
                sum += 255.0 * numbers[i] / (levels - 1);
            if (fabs(sum / (SIDE * SIDE) - grey) > 1)
                fail_msg("%d levels, grey %d: %.2f", levels, grey, sum / (SIDE * SIDE));
        }
}

static void few_rounds_are_fast(void **state)
{
    (void)state;
    static uint8_t pixels[3 * PIXELS], fast[PIXELS], two[PIXELS];
    const ro_palette palette = palette_of("spectra6");
    paint(pixels, MOST_WIDTH, MOST_HEIGHT, 3, 4);
    ro_image in = ro_image_view(RO_RGB8, MOST_WIDTH, MOST_HEIGHT, pixels);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette, .method = "search",
                                   .quality = "fast"};
    halftone(&in, fast, &options);
    assert_int_equal(ro_context_report(context)->steps, 2);
    options.quality = NULL;
    options.rounds = 2;
    halftone(&in, two, &options);
    assert_memory_equal(fast, two, PIXELS);
    options.rounds = RO_DEFAULT;
    halftone(&in, two, &options);
    assert_true(ro_context_report(context)->steps > 2);
    assert_memory_not_equal(fast, two, PIXELS);
}

static void results_are_golden(void **state)
{
    (void)state;
    static uint8_t pixels[3 * PIXELS], numbers[PIXELS];
    static const struct {
        const char *palette; /* NULL: levels of the first channel */
        ro_halftone_options options;
        uint64_t hash;
    } goldens[] = {
        {"7-colour-panel",
         {RO_HALFTONE_DEFAULTS, .method = "acuity", .fit = RO_FIT_FULL},
         0x987842e91b1a5d98},
        {"spectra6", {RO_HALFTONE_DEFAULTS, .method = "search"}, 0x1a0208c825752a1d},
        {"7-colour-panel",
         {RO_HALFTONE_DEFAULTS, .method = "search", .fit = RO_FIT_FULL},
         0xb2b8616890878435},
        {"c64", {RO_HALFTONE_DEFAULTS, .method = "search", .swaps = 1}, 0xdeca49d4db094585},
        {NULL, {RO_HALFTONE_DEFAULTS, .method = "search", .levels = 4}, 0xa5a711e1397d0fb5},
    };
    bool same = true;
    paint(pixels, MOST_WIDTH, MOST_HEIGHT, 3, 1);
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        ro_halftone_options options = goldens[i].options;
        ro_palette palette;
        ro_image in =
            ro_image_view(goldens[i].palette ? RO_RGB8 : RO_GREY8, MOST_WIDTH, MOST_HEIGHT, pixels);
        if (goldens[i].palette) {
            palette = palette_of(goldens[i].palette);
            options.palette = &palette;
        }
        halftone(&in, numbers, &options);
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t k = 0; k < PIXELS; k++)
            hash = (hash ^ numbers[k]) * 0x100000001b3u;
        if (hash != goldens[i].hash)
            printf("golden %zu: 0x%llx\n", i, (unsigned long long)hash);
        same &= hash == goldens[i].hash;
    }
    assert_true(same);
}

/* ---- Bad input ------------------------------------------------------------------------------- */

static void refused(ro_context *by, const ro_halftone_options *options, uint32_t side,
                    ro_status expected, const char *word)
{
    ro_image shape = {.format = options->palette ? RO_RGB8 : RO_GREY8,
                      .width = side,
                      .height = side,
                      .maxval = 0};
    ro_plan *plan = NULL;
    assert_int_equal(ro_halftone_plan(by, &shape, RO_INDEX8, options, &plan), expected);
    if (!strstr(ro_context_message(by), word))
        fail_msg("%s: not %s", ro_context_message(by), word);
    ro_plan_free(plan);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    const ro_palette palette = palette_of("spectra6");
    const ro_palette one = {.count = 1};
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &one, .method = "search"};
    refused(context, &options, 8, RO_E_ARGUMENT, "2 to 256 colours, not 1");
    options.palette = &palette;
    refused(context, &options, 60000, RO_E_SIZE, "too large for a search");
    options.start = "search";
    refused(context, &options, 8, RO_E_ARGUMENT, "cannot start from search");
    options.start = "dbs";
    refused(context, &options, 8, RO_E_ARGUMENT, "no palettes");
    options.start = "random.png";
    refused(context, &options, 8, RO_E_ARGUMENT, "starts from a method");
    options.start = NULL;
    options.sigma = 2;
    refused(context, &options, 8, RO_E_ARGUMENT, "sigma does not apply");
    options.sigma = 0;
    options.rounds = 3;
    options.quality = "fast";
    refused(context, &options, 8, RO_E_ARGUMENT, "rounds");
}

static void memory_is_known_before(void **state)
{
    (void)state;
    enum { SIDE = 2000 };
    const ro_palette palette = palette_of("spectra6");
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                         .method = "search"};
    ro_image shape = {.format = RO_RGB8, .width = SIDE, .height = SIDE, .maxval = 0};
    ro_context *own;
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .threads = 1};
    how.limits.memory = 40 << 20;
    assert_int_equal(ro_context_open(&how, &own), RO_OK);
    refused(own, &options, SIDE, RO_E_MEMORY, "needs 5");
    ro_context_close(own);
    ro_plan *plan = NULL;
    ro_plan_info info = {.size = sizeof info};
    assert_int_equal(ro_context_open(NULL, &own), RO_OK);
    assert_int_equal(ro_halftone_plan(own, &shape, RO_INDEX8, &options, &plan), RO_OK);
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    assert_true(info.bytes > 13.0 * SIDE * SIDE && info.bytes < 20.0 * SIDE * SIDE);
    ro_plan_free(plan);
    ro_context_close(own);
}

static int stop_in_round_one(void *data, const char *phase, double done)
{
    (void)done;
    ++*(int *)data;
    return strstr(phase, "round 1: ") != NULL;
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    int calls = 0;
    static uint8_t pixels[3 * PIXELS], numbers[PIXELS];
    const ro_palette palette = palette_of("spectra6");
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                         .method = "search"};
    ro_context *own;
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .progress = stop_in_round_one, .user = &calls};
    assert_int_equal(ro_context_open(&how, &own), RO_OK);
    paint(pixels, MOST_WIDTH, MOST_HEIGHT, 3, 4);
    ro_image in = ro_image_view(RO_RGB8, MOST_WIDTH, MOST_HEIGHT, pixels);
    ro_image out = ro_image_view(RO_INDEX8, MOST_WIDTH, MOST_HEIGHT, numbers);
    assert_int_equal(ro_halftone(own, &in, &out, &options), RO_E_CANCELLED);
    assert_int_equal(calls, 2); /* after the first halftone, and after the round */
    ro_context_close(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_end_in_an_optimum), cmocka_unit_test(levels_end_in_an_optimum),
        cmocka_unit_test(exchanges_keep_counts),     cmocka_unit_test(colours_of_the_palette_stay),
        cmocka_unit_test(flats_keep_their_tone),     cmocka_unit_test(few_rounds_are_fast),
        cmocka_unit_test(results_are_golden),        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(memory_is_known_before),    cmocka_unit_test(it_can_be_cancelled),
    };
    make_bell();
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
