/* SPDX-License-Identifier: MIT */
/*
 * Palettes' hulls: the projection is the nearest point however it is found, the choice is the
 * nearest colour, and inside errors stay and tone is kept.
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
#include "halftone/palette/list.h"
#include "halftone/palette/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint16_t linear[257]; /* the light of every code */

static int open_context(void **state)
{
    for (int i = 0; i < 256; i++)
        linear[i] = tone_round(tone_from_srgb(i / 255.0));
    return fixture_open(state);
}

static uint32_t draw(uint32_t below)
{
    static uint32_t number;
    return (uint32_t)((uint64_t)pixel_hash(11, number++, 0) * below >> 32);
}

/* Random colours in space, in a plane, in a line, few or many. */
static struct palette_hull random_hull(int kind)
{
    struct palette_hull hull = {.count = 2 + (int)draw(kind % 4 == 3 ? 255 : 10)};
    for (int k = 0; k < hull.count; k++) {
        const uint16_t r = (uint16_t)draw(65536), g = (uint16_t)draw(65536);
        const uint16_t line[3] = {r, (uint16_t)(r / 2), (uint16_t)(65535 - r)};
        const uint16_t plane[3] = {r, g, r}, space[3] = {r, g, (uint16_t)draw(65536)};
        memcpy(hull.colour[k], kind % 4 == 0 ? line : kind % 4 == 1 ? plane : space, sizeof line);
    }
    return hull;
}

/* x is the nearest point of the hull to t iff (t - x).(p - x) <= 0 for all p of it, and x is in it;
 * the latter holds if projecting x once more moves it by a rounding at most. */
static void the_nearest_point_is_found(void **state)
{
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        const struct palette_hull hull = random_hull(trial);
        struct palette_corners guess = {0}, none = {0};
        for (int i = 0; i < 5; i++) {
            uint16_t colour[3], back[3];
            int32_t x[3], fresh[3], again[3];
            for (int c = 0; c < 3; c++)
                colour[c] = (uint16_t)draw(65536);
            if (i == 4) /* a colour of the palette stays */
                memcpy(colour, hull.colour[draw((uint32_t)hull.count)], sizeof colour);
            const bool stays = palette_project(&hull, colour, &guess, x);
            none.count = 0;
            assert_int_equal(palette_project(&hull, colour, &none, fresh), stays);
            assert_memory_equal(x, fresh, sizeof x);
            double away = 0;
            for (int c = 0; c < 3; c++) {
                away += pow(x[c] - 16.0 * colour[c], 2);
                back[c] = (uint16_t)((x[c] + 8) / 16);
            }
            assert_true(i < 4 || stays);
            assert_true(!stays || away == 0);
            for (int k = 0; k < hull.count; k++) {
                double side = 0;
                for (int c = 0; c < 3; c++)
                    side += (c == 1 ? 4 : 1) * (16.0 * colour[c] - x[c]) *
                            (16.0 * hull.colour[k][c] - x[c]);
                assert_true(side <= 8 * 1048560.0 * 2); /* a rounding times the size of the cube */
            }
            palette_project(&hull, back, &none, again);
            for (int c = 0; c < 3; c++)
                assert_in_range(again[c] - x[c] + 100, 100 - 32, 100 + 32);
        }
    }
}

/* By regions as by projection: greys, corners of the cube and of cells, all kinds of hulls, 8 and
 * 16 bits, and curves that do not rise. */
static void regions_find_the_same_point(void **state)
{
    (void)state;
    static struct palette_light known;
    static struct palette_plan plan;
    static uint16_t deep[65537], waves[257];
    for (int i = 0; i < 65536; i++)
        deep[i] = (uint16_t)i;
    for (int i = 0; i < 256; i++)
        waves[i] = (uint16_t)(128 * (i ^ (i & 16 ? 15 : 0)));
    for (int trial = 0; trial < 60; trial++) {
        const struct palette_hull hull = random_hull(trial);
        const int kind = trial / 4 % 3;
        plan = (struct palette_plan){.hull = &hull,
                                     .count = hull.count,
                                     .linear = kind == 0   ? linear
                                               : kind == 1 ? deep
                                                           : waves,
                                     .white = kind == 1 ? 65535 : 255};
        palette_plan_grid(&plan);
        assert_int_equal(plan.monotone, kind != 2);
        memset(&known, 0, sizeof known);
        for (int i = 0; i < 3000; i++) {
            struct palette_corners none = {0};
            uint32_t sample[3];
            uint16_t light[3];
            int32_t expected[3], to[4];
            for (int c = 0; c < 3; c++) {
                sample[c] = draw(plan.white + 1);
                if (i % 8 == 1)
                    sample[c] = draw(2) * plan.white;
                if (i % 8 == 2 && c > 0)
                    sample[c] = sample[0];
                if (i % 8 == 3)
                    sample[c] &= ~7u;
                if (i % 8 > 5)
                    sample[c] /= 16;
                light[c] = plan.linear[sample[c]];
            }
            palette_project(&hull, light, &none, expected);
            palette_light_of(&plan, &known, sample, to);
            assert_memory_equal(to, expected, sizeof expected);
        }
    }
}

static void take_colours(struct palette_plan *plan, const struct palette_hull *hull)
{
    plan->count = hull->count;
    for (int k = 0; k < hull->count; k++)
        for (int c = 0; c < 3; c++)
            plan->colour[c][k] = 16 * hull->colour[k][c];
}

/* The least weighted square of a difference, the first among equals: of two, three or four colours,
 * of which the others can mix none. */
static void the_nearest_colour_is_chosen(void **state)
{
    (void)state;
    static struct palette_plan plan;
    for (int trial = 0; trial < 400; trial++) {
        struct palette_hull hull = random_hull(trial);
        const int few = trial % 4 == 0 ? 2 : trial % 4 == 1 ? 3 : 4;
        struct palette_choice choice;
        hull.count = hull.count < few ? hull.count : few;
        take_colours(&plan, &hull);
        palette_choice_make(&plan, &choice);
        int64_t least[3], most[3];
        for (int c = 0; c < 3; c++) {
            least[c] = most[c] = plan.colour[c][0] >> 8;
            for (int k = 1; k < hull.count; k++) {
                const int64_t p = plan.colour[c][k] >> 8;
                least[c] = p < least[c] ? p : least[c];
                most[c] = p > most[c] ? p : most[c];
            }
        }
        for (int i = 0; i < 50; i++) {
            int32_t v[3];
            int64_t smallest = INT64_MAX;
            int nearest = 0;
            for (int c = 0; c < 3; c++)
                v[c] = i % 5
                           ? (int32_t)draw(2 * PALETTE_WHITE) - PALETTE_WHITE / 2
                           : (int32_t)draw(2) * (PALETTE_WHITE + 2 * PALETTE_GUARD) - PALETTE_GUARD;
            for (int k = 0; k < hull.count; k++) {
                int64_t square = 0;
                for (int c = 0; c < 3; c++) {
                    const int64_t u = (v[c] >> 8) + choice.shift;
                    const int64_t x = u < least[c]  ? 8 * u - 7 * least[c]
                                      : u > most[c] ? 8 * u - 7 * most[c]
                                                    : u;
                    const int64_t cut = x < -32768 ? -32768 : x > 32767 ? 32767 : x;
                    const int64_t away = cut - (plan.colour[c][k] >> 8);
                    square += (c == 1 ? 3 : 1) * away * away;
                }
                if (square < smallest) {
                    smallest = square;
                    nearest = k;
                }
            }
            assert_int_equal(palette_nearest(&choice, v), nearest);
        }
    }
}

/* With many colours, inner ones held back, each is still taken for its own light. */
static void colours_are_nearest_to_themselves(void **state)
{
    (void)state;
    static struct palette_plan plan;
    for (int trial = 0; trial < 100; trial++) {
        const struct palette_hull hull = random_hull(trial);
        struct palette_choice choice;
        take_colours(&plan, &hull);
        palette_choice_make(&plan, &choice);
        for (int k = 0; k < hull.count; k++) {
            const int32_t v[3] = {plan.colour[0][k], plan.colour[1][k], plan.colour[2][k]};
            assert_memory_equal(hull.colour[palette_nearest(&choice, v)], hull.colour[k],
                                sizeof hull.colour[k]);
        }
    }
}

/* 256 colours that differ by a code or two come out as they went in, the darkest too. */
static void close_colours_stay_apart(void **state)
{
    (void)state;
    enum { WIDTH = 256, ROWS = 8 };
    static uint8_t pixels[3 * WIDTH * ROWS], numbers[WIDTH * ROWS];
    ro_palette palette = {.count = 256};
    for (int k = 0; k < 256; k++)
        for (int c = 0; c < 3; c++)
            palette.colours[k][c] = (uint8_t)(k >> (6 - 2 * c) & (c == 1 ? 3 : 7));
    for (int i = 0; i < WIDTH * ROWS; i++)
        memcpy(pixels + 3 * i, palette.colours[i * 7 % 256], 3);
    const ro_image in = ro_image_view(RO_RGB8, WIDTH, ROWS, pixels);
    ro_image out = ro_image_view(RO_INDEX8, WIDTH, ROWS, numbers);
    assert_int_equal(ro_halftone(context, &in, &out,
                                 &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette}),
                     RO_OK);
    for (int i = 0; i < WIDTH * ROWS; i++)
        assert_memory_equal(palette.colours[numbers[i]], pixels + 3 * i, 3);
}

static ro_palette palette_of(const char *text)
{
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, text, &palette), RO_OK);
    palette.panel = 0; /* the colours alone, without the fit and the method of a panel */
    return palette;
}

static struct palette_hull hull_of(const ro_palette *palette)
{
    struct palette_hull hull = {.count = palette->count};
    for (int k = 0; k < palette->count; k++)
        for (int c = 0; c < 3; c++)
            hull.colour[k][c] = linear[palette->colours[k][c]];
    return hull;
}

enum { SIDE = 512 };

/* The largest channel's distance of the mean light from that of the projected picture, in 1/255. */
static double off(const ro_palette *palette, const ro_image *in, const ro_halftone_options *options)
{
    static uint8_t numbers[SIDE * SIDE];
    const struct palette_hull hull = hull_of(palette);
    struct palette_corners guess = {0};
    double sum[3] = {0}, most = 0;
    int32_t to[3];
    ro_image out = ro_image_view(RO_INDEX8, SIDE, SIDE, numbers);
    assert_int_equal(ro_halftone(context, in, &out, options), RO_OK);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *pixel = (const uint8_t *)in->data + 3 * i;
        uint16_t light[3];
        for (int c = 0; c < 3; c++)
            light[c] = linear[pixel[c]];
        if (i == 0 || memcmp(pixel, pixel - 3, 3) != 0)
            palette_project(&hull, light, &guess, to);
        for (int c = 0; c < 3; c++)
            sum[c] += to[c] - 16.0 * linear[palette->colours[numbers[i]][c]];
    }
    for (int c = 0; c < 3; c++)
        most = fmax(most, fabs(sum[c]) * 255 / PALETTE_WHITE / (SIDE * SIDE));
    return most;
}

/* A code whose light is nearest to a mixture of some of the palette's colours, which keeps it in
 * the hull as good as; of two or three it lies in an edge or a face. */
static void mix(const ro_palette *palette, int of, uint8_t colour[3])
{
    double share[PALETTE_MOST] = {0}, all = 0;
    for (int i = 0; i < of; i++) {
        const double part = pow(1 + draw(1000), 2);
        share[draw((uint32_t)palette->count)] += part;
        all += part;
    }
    for (int c = 0; c < 3; c++) {
        double light = 0;
        for (int k = 0; k < palette->count; k++)
            light += share[k] / all * linear[palette->colours[k][c]];
        int code = 0;
        while (code < 255 && fabs(linear[code + 1] - light) <= fabs(linear[code] - light))
            code++;
        colour[c] = (uint8_t)code;
    }
}

/* Palettes with colours that nearly lie in their hull's surface, where light is on it or outside:
 * errors grow across it until they tell these apart, and where they end at the borders the tone of
 * 512 x 512 pixels is off by more. Inside none is. */
static const struct {
    const char *palette;
    double most;
} exceptions[] = {{"uc8159-panel", 0.6}, {"7-colour-panel", 0.6}, {"pico-8", 0.75}};

static bool is_inside(const ro_palette *palette, const uint8_t colour[3])
{
    const struct palette_hull hull = hull_of(palette);
    const uint16_t light[3] = {linear[colour[0]], linear[colour[1]], linear[colour[2]]};
    struct palette_corners guess = {0};
    int32_t to[3];
    return palette_project(&hull, light, &guess, to);
}

/* Flat mixtures and flat colours from all of the cube, a ramp, a colour test card, and noise that
 * jumps from corner to corner. */
static void tone_is_kept(void **state)
{
    (void)state;
    enum { FLATS = 80, RAMP = FLATS, NOISE, CARD, PICTURES };
    static uint8_t pixels[3 * SIDE * SIDE];
    ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    for (int i = 0; i < PALETTE_BUILT_IN; i++) {
        const char *name = palette_built_in[i].info.name;
        ro_palette palette = palette_of(name);
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
        double worst = 0, outside = 0.5;
        for (size_t k = 0; k < sizeof exceptions / sizeof *exceptions; k++)
            outside = strcmp(exceptions[k].palette, name) == 0 ? exceptions[k].most : outside;
        const bool solid = palette.count > 4 && palette.count <= 8; /* others are tried less */
        for (int picture = 0; picture < (solid ? PICTURES : NOISE);
             picture += picture < FLATS && !solid ? 5 : 1) {
            uint8_t colour[3] = {(uint8_t)draw(256), (uint8_t)draw(256), (uint8_t)draw(256)};
            if (picture % 2)
                mix(&palette, 2 + picture / 2 % 4, colour);
            for (int k = 0; k < 3 * SIDE * SIDE; k++)
                pixels[k] = picture < FLATS    ? colour[k % 3]
                            : picture == NOISE ? (uint8_t)(255 * draw(2))
                                               : (uint8_t)(k % 3 * 40 + k / (3 * SIDE) / 4);
            if (picture == CARD)
                assert_int_equal(ro_testcard(context, &in), RO_OK);
            const double here = off(&palette, &in, &options);
            if (here >= (picture < FLATS && !is_inside(&palette, colour) ? outside : 0.5))
                fail_msg("%s: picture %d, (%d, %d, %d), is %.3f / 255 off", name, picture,
                         colour[0], colour[1], colour[2], here);
            worst = fmax(worst, here);
        }
        print_message("%s: %.3f / 255\n", name, worst);
    }
}

/* The worst of many flats, inside and on the border, of palettes whose colours crowd: kept, and not
 * where green counts as elsewhere. */
static void tone_is_kept_where_colours_crowd(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t colour[3];
        double most;
    } flats[] = {{"uc8159-panel", {203, 167, 156}, 0.5}, {"uc8159-panel", {242, 94, 147}, 0.5},
                 {"uc8159-panel", {175, 124, 125}, 0.5}, {"c64", {251, 99, 78}, 0.5},
                 {"c64", {73, 110, 101}, 0.5},           {"ega", {172, 110, 8}, 0.5},
                 {"pico-8", {41, 61, 143}, 0.7}};
    static uint8_t pixels[3 * SIDE * SIDE];
    const ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    for (size_t i = 0; i < sizeof flats / sizeof *flats; i++) {
        const ro_palette palette = palette_of(flats[i].name);
        const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
        for (size_t k = 0; k < sizeof pixels; k++)
            pixels[k] = flats[i].colour[k % 3];
        const double now = off(&palette, &in, &options);
        print_message("%s: %.3f / 255\n", flats[i].name, now);
        assert_true(now < flats[i].most);
    }
}

/* Noise has more colours in mixed cells than vector code can note, and a white below 255 has other
 * cells: the definition's bits all the same. */
static void noise_and_whites_give_the_same_bits(void **state)
{
    (void)state;
    enum { WIDTH = 301, ROWS = 60 };
    static uint8_t pixels[3 * WIDTH * ROWS], expected[WIDTH * ROWS], numbers[WIDTH * ROWS];
    static const char *const palettes[] = {"bwr", "spectra6-panel", "#102030 #405060 #90a0b0",
                                           "c64", "ega"};
    static const uint32_t whites[] = {255, 200, 100, 31};
    const ro_context_options plain = {RO_CONTEXT_DEFAULTS, .cpu = RO_CPU_SCALAR, .threads = 1};
    ro_context *scalar;
    assert_int_equal(ro_context_open(&plain, &scalar), RO_OK);
    for (size_t w = 0; w < sizeof whites / sizeof *whites; w++) {
        const ro_image in = {.format = RO_RGB8,
                             .width = WIDTH,
                             .height = ROWS,
                             .maxval = whites[w],
                             .stride = 3 * WIDTH,
                             .data = pixels};
        for (int i = 0; i < 3 * WIDTH * ROWS; i++)
            pixels[i] = (uint8_t)draw(whites[w] + 1);
        for (size_t p = 0; p < sizeof palettes / sizeof *palettes; p++) {
            const ro_palette palette = palette_of(palettes[p]);
            const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
            ro_image out = ro_image_view(RO_INDEX8, WIDTH, ROWS, expected);
            assert_int_equal(ro_halftone(scalar, &in, &out, &options), RO_OK);
            out.data = numbers;
            assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
            assert_memory_equal(numbers, expected, sizeof expected);
        }
    }
    ro_context_close(scalar);
}

static void halftones_are_golden(void **state)
{
    (void)state;
    static uint8_t pixels[3 * SIDE * SIDE], numbers[SIDE * SIDE];
    ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    ro_image out = ro_image_view(RO_INDEX8, SIDE, SIDE, numbers);
    static const struct {
        const char *name;
        uint64_t hash;
    } goldens[] = {{"bwr", 0x1a927fb93ed4685d},
                   {"7-colour-panel", 0xb8810d86fa491aac},
                   {"spectra6", 0xb5fc942434b7dfb4}};
    assert_int_equal(ro_testcard(context, &in), RO_OK);
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const ro_palette palette = palette_of(goldens[i].name);
        const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t k = 0; k < sizeof numbers; k++)
            hash = (hash ^ numbers[k]) * 0x100000001b3u;
        if (hash != goldens[i].hash)
            fail_msg("%s: 0x%llx", goldens[i].name, (unsigned long long)hash);
    }
}

/* A picture that jumps between the corners of the cube, then stays far outside, then jumps in
 * stripes, by the definition; the largest error. */
static int32_t largest_error(const struct palette_hull *hull)
{
    enum { WIDTH = 96, ROWS = 300, LENGTH = WIDTH + 2 * DIFFUSION_PAD };
    static struct palette_plan plan;
    static struct palette_light known;
    static int32_t lines[2][3][LENGTH];
    int32_t most = 0;
    memset(&known, 0, sizeof known);
    memset(lines, 0, sizeof lines);
    plan = (struct palette_plan){.kernel = diffusion_kernels[KERNEL_FLOYD_STEINBERG],
                                 .width = WIDTH,
                                 .sample_bytes = 1,
                                 .linear = linear,
                                 .count = hull->count,
                                 .hull = hull,
                                 .white = 255};
    take_colours(&plan, hull);
    palette_plan_grid(&plan);
    palette_choice_make(&plan, &plan.choice);
    for (int y = 0; y < ROWS; y++) {
        uint8_t pixels[3 * WIDTH], levels[WIDTH];
        for (int x = 0; x < 3 * WIDTH; x++)
            pixels[x] = y < 100   ? (uint8_t)(255 * draw(2))
                        : y < 200 ? (uint8_t)(x % 3 == y / 34 % 3 ? 255 : 0)
                                  : (uint8_t)(255 * ((x / 3 + y) / 9 % 2));
        struct palette_row row = {.in = pixels, .out = levels, .known = &known};
        for (int c = 0; c < 3; c++)
            for (int dy = 0; dy < 2; dy++)
                row.line[c][dy] = lines[(y + dy) % 2][c] + DIFFUSION_PAD;
        palette_columns(&plan, &row, 0, WIDTH);
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++)
                most = abs(row.line[c][0][x]) > most ? abs(row.line[c][0][x]) : most;
    }
    return most;
}

/* Built-in palettes never come near the guard. Palettes with a colour just inside an edge do (see
 * docs/numerics.md), and are held by it. */
static void errors_stay_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < PALETTE_BUILT_IN; i++) {
        const ro_palette palette = palette_of(palette_built_in[i].info.name);
        const struct palette_hull hull = hull_of(&palette);
        const int32_t most = largest_error(&hull);
        print_message("%s: largest error %.2f W\n", palette_built_in[i].info.name,
                      most / (double)PALETTE_WHITE);
        assert_true(most < PALETTE_WHITE + PALETTE_WHITE / 2);
    }
    int32_t most = 0;
    for (int trial = 0; trial < 40; trial++) {
        const struct palette_hull hull = random_hull(trial);
        const int32_t error = largest_error(&hull);
        assert_true(error <= PALETTE_GUARD + PALETTE_WHITE);
        most = error > most ? error : most;
    }
    print_message("random palettes: largest error %.2f W\n", most / (double)PALETTE_WHITE);
}

/* What lies above all faces lies in the hull, and little of the hull does not; also where colours
 * lie in one plane, in one line, or twice in one place. */
static void faces_bound_the_hull(void **state)
{
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        struct palette_hull hull = random_hull(trial);
        struct palette_faces faces;
        for (int k = 0; k < hull.count && trial % 8 > 5; k++) /* on a lattice */
            for (int c = 0; c < 3; c++)
                hull.colour[k][c] = (uint16_t)(hull.colour[k][c] / 16384 * 21845);
        palette_faces_make(&hull, &faces);
        assert_true(trial % 4 > 1 || faces.count == 0);
        struct palette_corners guess = {0};
        int in_hull = 0, above_all = 0;
        for (int i = 0; i < 50; i++) {
            const uint16_t *a = hull.colour[draw((uint32_t)hull.count)];
            const uint16_t *b = hull.colour[draw((uint32_t)hull.count)];
            uint16_t colour[3];
            int32_t to[3];
            for (int c = 0; c < 3; c++) /* about a line between colours, or anywhere */
                colour[c] = (uint16_t)(i % 2 ? (a[c] + b[c]) / 2 ^ (int)draw(4) : (int)draw(65536));
            bool above = faces.count > 0;
            for (int f = 0; f < faces.count; f++) {
                const float *plane = faces.plane[f];
                above &=
                    plane[0] * colour[0] + plane[1] * colour[1] + plane[2] * colour[2] + plane[3] >=
                    0;
            }
            const bool in = palette_project(&hull, colour, &guess, to);
            assert_true(in || !above);
            in_hull += in && i % 2 == 0;
            above_all += above && i % 2 == 0;
        }
        assert_true(faces.count == 0 || above_all >= in_hull - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_point_is_found),
        cmocka_unit_test(faces_bound_the_hull),
        cmocka_unit_test(regions_find_the_same_point),
        cmocka_unit_test(the_nearest_colour_is_chosen),
        cmocka_unit_test(colours_are_nearest_to_themselves),
        cmocka_unit_test(close_colours_stay_apart),
        cmocka_unit_test(tone_is_kept_where_colours_crowd),
        cmocka_unit_test(noise_and_whites_give_the_same_bits),
        cmocka_unit_test(halftones_are_golden),
        cmocka_unit_test(tone_is_kept),
        cmocka_unit_test(errors_stay_bounded),
    };
    return cmocka_run_group_tests(tests, open_context, fixture_close);
}
