/* SPDX-License-Identifier: MIT */
/* Regions as a user gets them: objects found without a setting, many labels, masks, factors, places
 * of outlines between pixels, the same bits by every schedule, and what is refused. */
#include "core/random.h"
#include "roundoff.h"
#include "roundoff/command.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *context;
static ro_regions_report report = {.size = sizeof report};

static ro_image blank(ro_format format, uint32_t width, uint32_t height)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, format, width, height, 0, &image), RO_OK);
    memset(image.data, 0, (size_t)image.stride * height);
    return image;
}

static void put(const ro_image *image, uint32_t x, uint32_t y, double value)
{
    char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
    if (image->format == RO_GREY16)
        ((uint16_t *)(void *)row)[x] = (uint16_t)lrint(value);
    else
        ((uint8_t *)row)[x] = (uint8_t)lrint(value);
}

static uint32_t get(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    return image->format == RO_GREY16 ? ((const uint16_t *)(const void *)row)[x]
                                      : ((const uint8_t *)row)[x];
}

static ro_regions *grow(const ro_image *image, ro_regions_options options)
{
    ro_regions *result;
    if (ro_regions_grow(context, image, &options, &result, &report) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    return result;
}

/* How much of a pixel lies in a disc. */
static double cover(double x, double y, double cx, double cy, double radius)
{
    enum { FINE = 16 };
    int inside = 0;
    for (int j = 0; j < FINE; j++)
        for (int i = 0; i < FINE; i++)
            inside +=
                hypot(x - 0.5 + (i + 0.5) / FINE - cx, y - 0.5 + (j + 0.5) / FINE - cy) < radius;
    return inside / (double)(FINE * FINE);
}

/* Discs of different tones on an uneven ground, with noise: a hundred, in rows of ten. */
enum { PITCH = 40, SIDE = 10 * PITCH, DISCS = 100 };

static double disc_radius(int i) { return 8 + i % 7; }

static ro_image draw_discs(ro_format format, double white)
{
    ro_image image = blank(format, SIDE, SIDE);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const int i = (int)(y / PITCH * 10 + x / PITCH);
            const double cx = x / PITCH * PITCH + PITCH / 2, cy = y / PITCH * PITCH + PITCH / 2;
            const double tone = 30 + 40.0 * x / SIDE;
            const double noise = (pixel_hash(3, x, y) * 0x1p-32 - 0.5) * 16;
            const double share = cover(x, y, cx, cy, disc_radius(i));
            put(&image, x, y, white / 255 * (tone + share * (60 + i % 60) + noise));
        }
    return image;
}

static void seed_discs(ro_seed *seeds, bool labels)
{
    for (int i = 0; i < DISCS; i++)
        seeds[i] = (ro_seed){labels ? 10 * (i + 1) : 1, i % 10 * PITCH + PITCH / 2,
                             i / 10 * PITCH + PITCH / 2, 4};
}

static void objects_are_found(void **state)
{
    (void)state;
    ro_seed seeds[DISCS];
    for (int way = 0; way < 4; way++) { /* 8 bits, 16 bits, 12 bits in 16; one label for all */
        const ro_image image =
            draw_discs(way == 1 || way == 2 ? RO_GREY16 : RO_GREY8, way == 1   ? 65535
                                                                    : way == 2 ? 4095
                                                                               : 255);
        seed_discs(seeds, way < 3);
        ro_regions *result = grow(
            &image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = DISCS});
        size_t count;
        const ro_region *table = ro_regions_table(result, &count);
        const ro_region_front *fronts = ro_regions_fronts(result, &count);
        assert_int_equal(count, DISCS);
        assert_int_equal(report.useless, 0);
        assert_int_equal(report.border + report.floods, 0);
        for (int i = 0; i < DISCS; i++) {
            const double area = acos(-1) * disc_radius(i) * disc_radius(i);
            if (!(fabs((double)fronts[i].area / area - 1) < 0.12))
                fail_msg("way %d, disc %d: %llu pixels instead of %.0f", way, i,
                         (unsigned long long)fronts[i].area, area);
            assert_int_equal(fronts[i].kind, RO_REGION_BRIGHT);
            if (way < 3) {
                assert_int_equal(table[i].label, 10 * (i + 1));
                assert_int_equal(table[i].area, fronts[i].area);
                assert_true(fabs(table[i].x - seeds[i].x) < 0.3 &&
                            fabs(table[i].y - seeds[i].y) < 0.3);
            }
        }
        ro_image copy = image;
        ro_regions_free(result);
        ro_image_free(&copy);
    }
}

/* ---- Clicks ---------------------------------------------------------------------------------- */

/* A click anywhere in a disc finds it, and without labels every click is a thing of its own. */
static void clicks_find_what_they_are_in(void **state)
{
    (void)state;
    const ro_image image = draw_discs(RO_GREY8, 255);
    for (uint32_t trial = 0; trial < 4; trial++) {
        ro_seed seeds[DISCS];
        seed_discs(seeds, true);
        for (uint32_t i = 0; i < DISCS; i++) {
            const double turn = pixel_hash(trial, i, 1) * 0x1p-32 * 2 * acos(-1);
            const double away = pixel_hash(trial, i, 2) * 0x1p-32 * (disc_radius((int)i) - 2);
            seeds[i] = (ro_seed){0, floor(seeds[i].x + away * cos(turn) + 0.5),
                                 floor(seeds[i].y + away * sin(turn) + 0.5), 0};
        }
        seeds[3].label = 2; /* the others go round it */
        ro_regions *result = grow(
            &image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = DISCS});
        size_t count;
        const ro_region_front *fronts = ro_regions_fronts(result, &count);
        assert_int_equal(count, DISCS);
        assert_int_equal(report.labels, DISCS);
        for (int i = 0; i < DISCS; i++) {
            const double area = acos(-1) * disc_radius(i) * disc_radius(i);
            assert_int_equal(fronts[i].label, i == 0 ? 1 : i == 3 ? 2 : i < 3 ? i + 2 : i + 1);
            if (!(fabs((double)fronts[i].area / area - 1) < 0.15))
                fail_msg("trial %u, disc %d: %llu pixels instead of %.0f", trial, i,
                         (unsigned long long)fronts[i].area, area);
        }
        ro_regions_free(result);
    }
    ro_image_free((ro_image *)&image);
}

/* Words in short dark strokes on paper with a ruled line hardly darker than it: a click on the line
 * does not take the paper. */
static void a_click_on_a_faint_line_leaves_the_page(void **state)
{
    (void)state;
    enum { PAGE = 200, STROKES = 60 };
    ro_image image = blank(RO_GREY8, PAGE, PAGE);
    ro_seed seeds[STROKES + 1];
    for (uint32_t y = 0; y < PAGE; y++)
        for (uint32_t x = 0; x < PAGE; x++) {
            const bool line = y % 40 == 20;
            put(&image, x, y,
                225 - 0.1 * x - (line ? 9 : 0) + (pixel_hash(2, x, y) * 0x1p-32 - 0.5) * 8);
        }
    for (uint32_t i = 0; i < STROKES; i++) {
        const uint32_t left = 10 + i % 12 * 15, top = 26 + i / 12 * 33;
        for (uint32_t y = top; y < top + 9; y++)
            for (uint32_t x = left; x < left + 3; x++)
                put(&image, x, y, 70);
        seeds[i] = (ro_seed){0, left + 1, top + 3, 0};
    }
    seeds[STROKES] = (ro_seed){0, 97, 100, 0};
    ro_regions *result = grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds,
                                                           .seed_count = STROKES + 1});
    size_t count;
    const ro_region *table = ro_regions_table(result, &count);
    for (size_t i = 0; i < STROKES; i++)
        if (!(table[i].area > 15 && table[i].area < 60))
            fail_msg("stroke %zu has %llu pixels", i, (unsigned long long)table[i].area);
    if (table[STROKES].area > PAGE * PAGE / 50)
        fail_msg("the line has %llu pixels", (unsigned long long)table[STROKES].area);
    ro_regions_free(result);
    ro_image_free(&image);
}

/* Discs with a bright spot each. One click is on a spot, and finds its disc as the others do. */
static void a_click_on_a_spot_finds_what_the_others_find(void **state)
{
    (void)state;
    enum { ACROSS = 4, STEP = 40 };
    ro_image image = blank(RO_GREY8, ACROSS * STEP, ACROSS * STEP);
    ro_seed seeds[ACROSS * ACROSS];
    for (uint32_t y = 0; y < image.height; y++)
        for (uint32_t x = 0; x < image.width; x++) {
            const double dx = x % STEP - 20.0, dy = y % STEP - 20.0;
            const double tone = hypot(dx - 5, dy) < 2.6 ? 240 : hypot(dx, dy) < 12 ? 110 : 70;
            put(&image, x, y, tone + (pixel_hash(6, x, y) * 0x1p-32 - 0.5) * 6);
        }
    for (uint32_t i = 0; i < ACROSS * ACROSS; i++)
        seeds[i] = (ro_seed){0, i % ACROSS * STEP + (i == 5 ? 25 : 14), i / ACROSS * STEP + 20, 0};
    ro_regions *result = grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds,
                                                           .seed_count = ACROSS * ACROSS});
    size_t count;
    const ro_region *table = ro_regions_table(result, &count);
    for (size_t i = 0; i < count; i++)
        if (!(table[i].area > 380 && table[i].area < 500))
            fail_msg("disc %zu has %llu pixels", i, (unsigned long long)table[i].area);
    ro_regions_free(result);
    ro_image_free(&image);
}

/* ---- Objects that nobody clicked on --------------------------------------------------------- */

/* Whether all discs are found and nothing else, in 8 bits, 16 bits and dark on bright. */
static void objects_need_no_clicks(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        const ro_image image = draw_discs(way == 1 ? RO_GREY16 : RO_GREY8, way == 1 ? 65535 : 255);
        for (uint32_t y = 0; y < SIDE && way == 2; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                put(&image, x, y, 255 - get(&image, x, y));
        ro_regions *result =
            grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .find_seeds = 1});
        size_t count;
        const ro_region *table = ro_regions_table(result, &count);
        assert_int_equal(count, DISCS);
        const ro_region_front *fronts = ro_regions_fronts(result, &count);
        bool found[DISCS] = {false};
        for (int i = 0; i < DISCS; i++) {
            const int disc = (int)(fronts[i].y / PITCH) * 10 + (int)(fronts[i].x / PITCH);
            const double area = acos(-1) * disc_radius(disc) * disc_radius(disc);
            assert_false(found[disc]);
            found[disc] = true;
            assert_int_equal(fronts[i].kind, way == 2 ? RO_REGION_DARK : RO_REGION_BRIGHT);
            assert_true(fronts[i].confidence > 4);
            assert_true(table[i].confidence == fronts[i].confidence);
            if (!(fabs((double)fronts[i].area / area - 1) < 0.2))
                fail_msg("way %d, disc %d: %llu pixels instead of %.0f", way, disc,
                         (unsigned long long)fronts[i].area, area);
        }
        ro_regions_free(result);
        ro_image_free((ro_image *)&image);
    }
}

/* Two discs that touch are two objects, a ring is one, and a bar as long as the discs is one. */
static void necks_part_objects(void **state)
{
    (void)state;
    ro_image image = blank(RO_GREY8, 160, 160);
    for (uint32_t y = 0; y < 160; y++)
        for (uint32_t x = 0; x < 160; x++) {
            const double one = hypot(x - 40.0, y - 40.0), two = hypot(x - 66.0, y - 40.0);
            const double ring = hypot(x - 120.0, y - 60.0);
            const bool bar = y > 100 && y < 114 && x > 20 && x < 100;
            const bool inside = one < 14.5 || two < 14.5 || (ring < 22 && ring > 12) || bar;
            put(&image, x, y, (inside ? 170 : 60) + (pixel_hash(4, x, y) * 0x1p-32 - 0.5) * 20);
        }
    ro_image labels = blank(RO_GREY8, 160, 160);
    ro_regions *result = grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .find_seeds = 1});
    assert_int_equal(report.labels, 4);
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    assert_int_not_equal(get(&labels, 40, 40), get(&labels, 66, 40));
    assert_int_equal(get(&labels, 30, 107), get(&labels, 90, 107));
    assert_int_equal(get(&labels, 103, 60), get(&labels, 137, 60));
    assert_int_equal(get(&labels, 120, 60), 0);
    ro_regions_free(result);
    ro_image_free(&image);
    ro_image_free(&labels);
}

/* Noise, a ramp with noise and an even picture hold nothing. */
static void empty_fields_are_empty(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 12; trial++) {
        ro_image image = blank(RO_GREY8, 150, 130), labels = blank(RO_GREY8, 150, 130);
        for (uint32_t y = 0; y < 130; y++)
            for (uint32_t x = 0; x < 150; x++) {
                double noise = 0;
                for (uint32_t i = 0; i < 6; i++)
                    noise += pixel_hash(10 * trial + i, x, y) * 0x1p-32 - 0.5;
                put(&image, x, y,
                    trial % 3 == 2 ? 99 : 100 + 14 * noise + (trial % 3 ? 0.5 * x : 0));
            }
        ro_regions *result =
            grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .find_seeds = 1});
        assert_int_equal(report.labels, 0);
        assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
        assert_int_equal(get(&labels, 70, 70), 0);
        size_t count = 1;
        ro_regions_contours(result, &count);
        assert_int_equal(count, 0);
        ro_regions_free(result);
        ro_image_free(&image);
        ro_image_free(&labels);
    }
}

/* ---- Seeds of one label ------------------------------------------------------------------------
 */

/* A wall of dark bricks, cut by the borders of the picture, in light mortar. */
enum { WALL = 300, BRICK_WIDTH = 60, BRICK_HEIGHT = 30, JOINT = 5, BRICKS = 66 };

static int brick_at(uint32_t x, uint32_t y, double *away)
{
    const int row = (int)(y + 10) / BRICK_HEIGHT, shift = row % 2 * BRICK_WIDTH / 2 + 10;
    const int column = ((int)x + shift) / BRICK_WIDTH;
    const int dx = ((int)x + shift) % BRICK_WIDTH, dy = ((int)y + 10) % BRICK_HEIGHT;
    *away = fmin(fmin(dx, BRICK_WIDTH - 1 - dx), fmin(dy, BRICK_HEIGHT - 1 - dy)) - JOINT / 2;
    return row * 6 + column;
}

static ro_image draw_wall(void)
{
    ro_image image = blank(RO_GREY8, WALL, WALL);
    for (uint32_t y = 0; y < WALL; y++)
        for (uint32_t x = 0; x < WALL; x++) {
            double away;
            const int brick = brick_at(x, y, &away);
            const double tone = 80 + pixel_hash(1, (uint32_t)brick, 0) * 0x1p-32 * 40;
            const double texture = 10 * sin(x * 0.21 + brick) * sin(y * 0.34 + 2 * brick);
            const double noise = (pixel_hash(3, x, y) * 0x1p-32 - 0.5) * 12;
            const double joint = fmin(fmax((1 - away) / 2, 0), 1);
            put(&image, x, y, tone + texture + noise + joint * (170 - tone));
        }
    return image;
}

/* A seed in what is left of each brick; how many there are. */
static size_t seed_wall(ro_seed *seeds)
{
    double sum[BRICKS][3] = {{0}}, away;
    size_t count = 0;
    for (uint32_t y = 0; y < WALL; y++)
        for (uint32_t x = 0; x < WALL; x++) {
            const int brick = brick_at(x, y, &away);
            if (away < 4 || x < 4 || y < 4 || x + 4 >= WALL || y + 4 >= WALL)
                continue;
            sum[brick][0] += x;
            sum[brick][1] += y;
            sum[brick][2]++;
        }
    for (int i = 0; i < BRICKS; i++)
        if (sum[i][2] > 40)
            seeds[count++] = (ro_seed){1, sum[i][0] / sum[i][2], sum[i][1] / sum[i][2], 3};
    return count;
}

/* The share of bricks that were found, and of the joints that were taken for some. */
static void look_at_wall(const ro_image *image, double *found, double *wrong)
{
    ro_seed seeds[BRICKS];
    const size_t count = seed_wall(seeds);
    double bricks = 0, joints = 0, away;
    assert_true(count > 40);
    ro_regions *result =
        grow(image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = count});
    ro_image labels = blank(RO_GREY8, WALL, WALL);
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    *found = *wrong = 0;
    for (uint32_t y = 0; y < WALL; y++)
        for (uint32_t x = 0; x < WALL; x++) {
            brick_at(x, y, &away);
            bricks += away > 2;
            *found += away > 2 && get(&labels, x, y);
            joints += away < -1;
            *wrong += away < -1 && get(&labels, x, y);
        }
    *found /= bricks;
    *wrong /= joints;
    ro_image_free(&labels);
    ro_regions_free(result);
}

static void seeds_of_a_label_agree(void **state)
{
    (void)state;
    const ro_image image = draw_wall();
    double found, wrong;
    look_at_wall(&image, &found, &wrong);
    if (!(found > 0.95 && wrong < 0.05))
        fail_msg("found %.3f, wrong %.3f", found, wrong);
    ro_image_free((ro_image *)&image);
}

/* ---- Faint things inside a strong border -------------------------------------------------------
 */

/* A disc in a disc, each a little brighter than what is round it, in a white ring. */
enum { NEST = 240, RINGS = 3 };

static int ring_at(uint32_t x, uint32_t y)
{
    const double away = hypot(x - NEST / 2.0, y - NEST / 2.0);
    return away < 36 ? 3 : away < 75 ? 2 : away < 105 ? 1 : 0;
}

static ro_image draw_nest(void)
{
    static const double tones[] = {60, 210, 80, 100};
    ro_image image = blank(RO_GREY8, NEST, NEST);
    for (uint32_t y = 0; y < NEST; y++)
        for (uint32_t x = 0; x < NEST; x++)
            put(&image, x, y, tones[ring_at(x, y)] + (pixel_hash(5, x, y) * 0x1p-32 - 0.5) * 16);
    return image;
}

/* The mean Dice of the three. */
static double look_at_nest(const ro_image *image)
{
    const ro_seed seeds[] = {{1, NEST / 2.0 - 90, NEST / 2.0, 6},
                             {2, NEST / 2.0 + 55, NEST / 2.0, 6},
                             {3, NEST / 2.0, NEST / 2.0, 6}};
    double both[RINGS + 1] = {0}, sum[RINGS + 1] = {0}, mean = 0;
    ro_regions *result =
        grow(image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = RINGS});
    ro_image labels = blank(RO_GREY8, NEST, NEST);
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    for (uint32_t y = 0; y < NEST; y++)
        for (uint32_t x = 0; x < NEST; x++) {
            const int want = ring_at(x, y), got = (int)get(&labels, x, y);
            sum[want]++;
            sum[got]++;
            if (want == got)
                both[got] += 2;
        }
    for (int i = 1; i <= RINGS; i++)
        mean += both[i] / sum[i] / RINGS;
    ro_image_free(&labels);
    ro_regions_free(result);
    return mean;
}

static void faint_things_do_not_go_to_the_next_strong_border(void **state)
{
    (void)state;
    ro_image image = draw_nest();
    const double dice = look_at_nest(&image);
    if (!(dice > 0.97))
        fail_msg("Dice %.3f", dice);
    ro_image_free(&image);
}

/* ---- One seed alone -------------------------------------------------------------------------- */

/* The Dice of one seed in the middle with the pixels that are within a radius of it. */
static double look_alone(const ro_image *image, double radius)
{
    const double middle = image->width / 2.0;
    const ro_seed seed = {1, middle, middle, 4};
    double both = 0, sum = 0;
    ro_regions *result =
        grow(image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1});
    ro_image labels = blank(RO_GREY8, image->width, image->height);
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            const bool want = hypot(x - middle, y - middle) < radius, got = get(&labels, x, y);
            sum += want + got;
            both += want && got ? 2 : 0;
        }
    ro_image_free(&labels);
    ro_regions_free(result);
    return both / sum;
}

/* A disc of 36, a little brighter than what is round it, in a white ring; and a disc of 60 with a
 * soft spot where the seed lies. */
static void outlines_are_weighed(void **state)
{
    (void)state;
    ro_image nest = draw_nest(), spot = blank(RO_GREY8, 200, 200);
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 200; x++) {
            const double away = hypot(x - 100.0, y - 100.0);
            put(&spot, x, y, 60 + (away < 60 ? 60 + 100 * exp(-away * away / 72) : 0));
        }
    const double faint = look_alone(&nest, 36), soft = look_alone(&spot, 60);
    if (!(faint > 0.98 && soft > 0.98))
        fail_msg("Dice: faint %.3f, with a spot %.3f", faint, soft);
    ro_image_free(&nest);
    ro_image_free(&spot);
}

/* ---- Where outlines are ---------------------------------------------------------------------- */

static double signed_area(const ro_polyline *line)
{
    double sum = 0;
    for (size_t k = 0; k < line->count; k++) {
        const double *a = line->points + 2 * k, *b = line->points + 2 * ((k + 1) % line->count);
        sum += a[0] * b[1] - b[0] * a[1];
    }
    return sum / 2;
}

/* A ring with sharp edges: two lines, each on its circle. */
static void outlines_lie_between_pixels(void **state)
{
    (void)state;
    const double cx = 61.3, cy = 57.8, outer = 35.4, inner = 17.7;
    for (int blur = 0; blur < 2; blur++) {
        ro_image image = blank(RO_GREY8, 120, 120);
        for (uint32_t y = 0; y < 120; y++)
            for (uint32_t x = 0; x < 120; x++)
                put(&image, x, y,
                    40 + 150 * (cover(x, y, cx, cy, outer) - cover(x, y, cx, cy, inner)));
        const ro_seed seed = {1, 61, 30, 4};
        ro_regions *result =
            grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1,
                                              .smooth = blur ? 1.5 : 0});
        size_t count;
        const ro_polyline *lines = ro_regions_contours(result, &count);
        assert_int_equal(count, 2);
        for (size_t i = 0; i < 2; i++) {
            const bool hole = signed_area(&lines[i]) > 0; /* y points down */
            const double radius = hole ? inner : outer;
            double sum = 0, worst = 0;
            assert_true(lines[i].closed);
            for (size_t k = 0; k < lines[i].count; k++) {
                const double off =
                    hypot(lines[i].points[2 * k] - cx, lines[i].points[2 * k + 1] - cy) - radius;
                sum += off;
                worst = fabs(off) > worst ? fabs(off) : worst;
            }
            /* smoothing by s draws a circle in by s^2 / 2R */
            if (!(fabs(sum / (double)lines[i].count) < (blur ? 0.1 : 0.02) &&
                  worst < (blur ? 0.2 : 0.1)))
                fail_msg("blur %d, radius %g: %.3f off, %.3f at worst", blur, radius,
                         sum / (double)lines[i].count, worst);
        }
        assert_true(signed_area(&lines[0]) < 0 && signed_area(&lines[1]) > 0);
        ro_regions_free(result);
        ro_image_free(&image);
    }
}

/* What reaches the border of the picture is closed there. */
static void the_border_closes(void **state)
{
    (void)state;
    ro_image image = blank(RO_GREY8, 50, 40);
    for (uint32_t y = 0; y < 40; y++)
        for (uint32_t x = 0; x < 50; x++)
            put(&image, x, y, x < 20 ? 200 : 50);
    const ro_seed seed = {3, 8, 20, 4};
    ro_regions *result =
        grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1});
    size_t count;
    const ro_polyline *lines = ro_regions_contours(result, &count);
    assert_int_equal(count, 1);
    assert_true(fabs(signed_area(&lines[0]) + 20 * 40) < 1); /* corners are cut */
    const ro_region *table = ro_regions_table(result, &count);
    assert_int_equal(table[0].label, 3);
    assert_int_equal(table[0].area, 800);
    assert_true(table[0].border && table[0].left == 0 && table[0].right == 19 &&
                table[0].bottom == 39);
    assert_true(fabs(table[0].perimeter - 120) < 3 && fabs(table[0].mean - 200) < 1e-9);
    ro_regions_free(result);
    ro_image_free(&image);
}

/* ---- Competition ----------------------------------------------------------------------------- */

/* On even ground the middle divides two seeds; with a factor it moves, and walls stop both. */
static void fronts_share_the_ground(void **state)
{
    (void)state;
    ro_image image = blank(RO_GREY8, 101, 21), factor = blank(RO_GREY8, 101, 21);
    ro_image labels = blank(RO_GREY8, 101, 21);
    const ro_seed seeds[2] = {{1, 10, 10, 2}, {2, 90, 10, 2}};
    for (uint32_t y = 0; y < 21; y++)
        for (uint32_t x = 0; x < 101; x++) {
            put(&image, x, y, 99);
            put(&factor, x, y, y == 15 ? 0 : x < 50 ? 255 : 128);
        }
    ro_regions *result = grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds,
                                                           .seed_count = 2, .smooth = 0});
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    for (uint32_t x = 0; x < 101; x++) /* the one in the middle goes to the first */
        assert_int_equal(get(&labels, x, 10), x <= 50 ? 1 : 2);
    assert_int_equal(ro_regions_show(result, 20), RO_OK);
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    assert_int_equal(get(&labels, 31, 10), 1); /* twenty behind the disc's last pixel */
    assert_int_equal(get(&labels, 32, 10), 0);
    ro_regions_free(result);
    result = grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = 2,
                                               .smooth = 0, .factor = &factor});
    assert_int_equal(ro_regions_labels(result, &labels), RO_OK);
    assert_int_equal(get(&labels, 55, 10), 1);
    assert_int_equal(get(&labels, 70, 10), 2);
    for (uint32_t x = 0; x < 101; x++)
        for (uint32_t y = 15; y < 21; y++)
            assert_int_equal(get(&labels, x, y), 0);
    ro_regions_free(result);
    ro_image_free(&image);
    ro_image_free(&factor);
    ro_image_free(&labels);
}

/* A mask with labels beyond 255 gives what discs at the same places give. */
static void masks_are_seeds(void **state)
{
    (void)state;
    ro_image image = draw_discs(RO_GREY8, 255), mask = blank(RO_GREY16, SIDE, SIDE);
    ro_image want = blank(RO_GREY16, SIDE, SIDE), got = blank(RO_GREY16, SIDE, SIDE);
    ro_image narrow = blank(RO_GREY8, SIDE, SIDE);
    ro_seed seeds[DISCS];
    seed_discs(seeds, true);
    for (int i = 0; i < DISCS; i++)
        for (int y = -4; y <= 4; y++)
            for (int x = -4; x <= 4; x++)
                if (x * x + y * y < 16)
                    put(&mask, (uint32_t)(seeds[i].x + x), (uint32_t)(seeds[i].y + y),
                        seeds[i].label);
    ro_regions *a = grow(
        &image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = DISCS});
    assert_int_equal(ro_regions_labels(a, &want), RO_OK);
    assert_int_equal(ro_regions_labels(a, &narrow), RO_E_ARGUMENT);
    ro_regions *b = grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .mask = &mask});
    assert_int_equal(ro_regions_labels(b, &got), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_int_equal(get(&got, x, y), get(&want, x, y));
    ro_regions_free(a);
    ro_regions_free(b);
    ro_image_free(&image);
    ro_image_free(&mask);
    ro_image_free(&want);
    ro_image_free(&got);
    ro_image_free(&narrow);
}

static void schedules_agree(void **state)
{
    (void)state;
    ro_context *old = context;
    for (uint32_t trial = 0; trial < 12; trial++) {
        ro_image image = blank(RO_GREY8, 20 + trial * 3, 60 - trial * 2);
        ro_image want = blank(RO_GREY8, image.width, image.height),
                 got = blank(RO_GREY8, image.width, image.height);
        for (uint32_t y = 0; y < image.height; y++)
            for (uint32_t x = 0; x < image.width; x++)
                put(&image, x, y, 60 + (x / 9 + y / 7) % 3 * 50 + pixel_hash(trial, x, y) % 30);
        enum { SEEDS = 9 };
        ro_seed seeds[SEEDS]; /* discs and clicks, with and without labels */
        for (uint32_t i = 0; i < SEEDS; i++)
            seeds[i] =
                (ro_seed){(int)(pixel_hash(trial, i, 7) % 4), pixel_hash(trial, i, 1) % image.width,
                          pixel_hash(trial, i, 2) % image.height,
                          pixel_hash(trial, i, 4) % 3 ? 0 : 1 + pixel_hash(trial, i, 3) % 4};
        ro_regions_options options = {RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = SEEDS,
                                      .schedule = "reference",
                                      .smooth = trial % 2 ? 0 : RO_DEFAULT};
        ro_regions *result = grow(&image, options);
        assert_string_equal(ro_context_report(context)->schedule, "reference");
        assert_int_equal(ro_regions_labels(result, &want), RO_OK);
        ro_regions_free(result);
        for (int threads = 1; threads <= 3; threads++) {
            assert_int_equal(
                ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = threads},
                                &context),
                RO_OK);
            options.schedule = NULL;
            result = grow(&image, options);
            assert_int_equal(ro_regions_labels(result, &got), RO_OK);
            for (uint32_t y = 0; y < image.height; y++)
                for (uint32_t x = 0; x < image.width; x++)
                    assert_int_equal(get(&got, x, y), get(&want, x, y));
            ro_regions_free(result);
            ro_context_close(context);
        }
        context = old;
        ro_image_free(&image);
        ro_image_free(&want);
        ro_image_free(&got);
    }
}

/* ---- What is of no use, and what is refused -------------------------------------------------- */

static void everything_and_nothing(void **state)
{
    (void)state;
    ro_image image = blank(RO_GREY8, 30, 30);
    const ro_seed all = {1, 15, 15, 3};
    ro_regions_free(
        grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = &all, .seed_count = 1}));
    assert_int_equal(report.useless, RO_LABEL_EVERYTHING);
    assert_int_equal(report.border, 1);
    const ro_seed hidden[2] = {{1, 15, 15, 6}, {2, 15, 15, 2}};
    ro_regions_free(
        grow(&image, (ro_regions_options){RO_REGIONS_DEFAULTS, .seeds = hidden, .seed_count = 2}));
    assert_true(report.useless & RO_LABEL_NOTHING);
    ro_image_free(&image);
}

static void bad_options(void **state)
{
    (void)state;
    ro_image image = blank(RO_GREY8, 30, 30), other = blank(RO_GREY8, 31, 30);
    ro_image floats = blank(RO_GREYF, 30, 30);
    static const ro_seed seed = {1, 15, 15, 3}, outside = {1, 30, 15, 3}, high = {65536, 1, 1, 1};
    const struct {
        ro_regions_options options;
        const char *says;
    } cases[] = {
        {{RO_REGIONS_DEFAULTS}, "there is no seed"},
        {{RO_REGIONS_DEFAULTS, .seeds = &outside, .seed_count = 1}, "outside the image"},
        {{RO_REGIONS_DEFAULTS, .seeds = &high, .seed_count = 1}, "labels go from 1 to 65535"},
        {{RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1, .smooth = 65}, "from 0 to 64"},
        {{RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1, .smooth = NAN}, "from 0 to 64"},
        {{RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1, .schedule = "active"},
         "must be auto or reference"},
        {{RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1, .find_seeds = 1},
         "where none are given"},
        {{RO_REGIONS_DEFAULTS, .mask = &other}, "the mask is 31 x 30"},
        {{RO_REGIONS_DEFAULTS, .mask = &floats}, "not grey of 8 or 16 bits"},
        {{RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1, .factor = &floats},
         "the factor is float grey"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_regions *result;
        assert_int_not_equal(ro_regions_grow(context, &image, &cases[i].options, &result, NULL),
                             RO_OK);
        assert_null(result);
        if (!strstr(ro_context_message(context), cases[i].says))
            fail_msg("case %zu: %s", i, ro_context_message(context));
    }
    ro_image_free(&image);
    ro_image_free(&other);
    ro_image_free(&floats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_found),
        cmocka_unit_test(clicks_find_what_they_are_in),
        cmocka_unit_test(a_click_on_a_faint_line_leaves_the_page),
        cmocka_unit_test(a_click_on_a_spot_finds_what_the_others_find),
        cmocka_unit_test(objects_need_no_clicks),
        cmocka_unit_test(necks_part_objects),
        cmocka_unit_test(empty_fields_are_empty),
        cmocka_unit_test(seeds_of_a_label_agree),
        cmocka_unit_test(faint_things_do_not_go_to_the_next_strong_border),
        cmocka_unit_test(outlines_are_weighed),
        cmocka_unit_test(outlines_lie_between_pixels),
        cmocka_unit_test(the_border_closes),
        cmocka_unit_test(fronts_share_the_ground),
        cmocka_unit_test(masks_are_seeds),
        cmocka_unit_test(schedules_agree),
        cmocka_unit_test(everything_and_nothing),
        cmocka_unit_test(bad_options),
    };
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 2}, &context) !=
        RO_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
