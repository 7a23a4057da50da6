/* SPDX-License-Identifier: MIT */
/*
 * Calibration with a simulated printer and scanner. The printer makes a round dot, larger than a
 * pixel, for every black pixel; the scanner sees the sheet turned, enlarged, unevenly lit, with
 * noise, and writes sRGB. After calibration the print is as light as the picture on a screen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/random.h"
#include "roundoff.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 4, PATCH = 64 }; /* points of paper across a printer's pixel */

static ro_context *context;

/* ---- The printer ---------------------------------------------------------------------------- */

struct sheet {
    uint32_t width, height; /* in points */
    uint8_t *ink;
};

static bool is_black(const ro_image *bits, uint32_t x, uint32_t y)
{
    return !(((const uint8_t *)bits->data)[y * bits->stride + x / 8] >> (7 - x % 8) & 1);
}

static struct sheet print(const ro_image *bits, double radius)
{
    struct sheet sheet = {bits->width * FINE, bits->height * FINE, NULL};
    sheet.ink = calloc(sheet.width, sheet.height);
    assert_non_null(sheet.ink);
    const int reach = (int)ceil(radius * FINE);
    for (uint32_t y = 0; y < bits->height; y++)
        for (uint32_t x = 0; x < bits->width; x++) {
            if (!is_black(bits, x, y))
                continue;
            const double cx = (x + 0.5) * FINE, cy = (y + 0.5) * FINE;
            for (int j = (int)cy - reach - 1; j <= (int)cy + reach + 1; j++)
                for (int i = (int)cx - reach - 1; i <= (int)cx + reach + 1; i++)
                    if (i >= 0 && j >= 0 && i < (int)sheet.width && j < (int)sheet.height &&
                        hypot(i + 0.5 - cx, j + 0.5 - cy) <= radius * FINE)
                        sheet.ink[(size_t)j * sheet.width + (size_t)i] = 1;
        }
    return sheet;
}

/* ---- The scanner ---------------------------------------------------------------------------- */

struct scanner {
    double scale, degrees; /* scan pixels a printer's pixel */
    double shade;          /* light lost from corner to corner */
    bool linear;           /* its samples are light; else sRGB */
};

static double light_of(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static double srgb_of(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static double ink_at(const struct sheet *sheet, double x, double y)
{
    const int64_t i = (int64_t)floor(x), j = (int64_t)floor(y);
    if (i < 0 || j < 0 || i >= sheet->width || j >= sheet->height)
        return 0;
    return sheet->ink[(size_t)j * sheet->width + (size_t)i];
}

static ro_image scan(const struct sheet *sheet, const struct scanner *how)
{
    const double turn = how->degrees * 3.14159265358979 / 180, c = cos(turn), s = sin(turn);
    const double wide = (double)sheet->width / FINE * how->scale;
    const double high = (double)sheet->height / FINE * how->scale;
    const uint32_t width = (uint32_t)(fabs(c) * wide + fabs(s) * high + 40);
    const uint32_t height = (uint32_t)(fabs(s) * wide + fabs(c) * high + 30);
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, width, height, 255, &image), RO_OK);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double ink = 0;
            for (int k = 0; k < 25; k++) { /* an aperture of a pixel */
                const double px = x + 0.5 + (k % 5 - 2) * 0.2 - width / 2.0;
                const double py = y + 0.5 + (k / 5 - 2) * 0.2 - height / 2.0;
                const double u = (c * px + s * py + wide / 2) / how->scale * FINE;
                const double v = (-s * px + c * py + high / 2) / how->scale * FINE;
                ink += ink_at(sheet, u, v) / 25;
            }
            const double light = 1 - how->shade * ((double)x / width + (double)y / height) / 2;
            const double grain = (pixel_hash(1, x, y) % 1000 / 1000.0 - 0.5) * 6;
            const double seen = light * (0.93 - 0.86 * ink);
            const double value = 255 * (how->linear ? seen : srgb_of(seen)) + grain;
            ((uint8_t *)image.data)[y * image.stride + x] = (uint8_t)(value < 0     ? 0
                                                                      : value > 255 ? 255
                                                                                    : lrint(value));
        }
    return image;
}

/* ---- Trials --------------------------------------------------------------------------------- */

struct trial {
    const char *method;
    int cell;
    double radius; /* of the printer's dots, in pixels; 0.71 just covers one */
    struct scanner scanner;
    double most; /* that tones may be off afterwards */
};

static ro_image wedge(const struct trial *trial)
{
    ro_image grey, bits;
    const uint32_t width = ro_wedge_width(PATCH), height = ro_wedge_height(PATCH);
    assert_int_equal(ro_image_alloc(context, RO_GREY8, width, height, 255, &grey), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, width, height, 0, &bits), RO_OK);
    assert_int_equal(ro_wedge_draw(context, PATCH, &grey), RO_OK);
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = trial->method,
                                         .cell = trial->cell};
    assert_int_equal(ro_halftone(context, &grey, &bits, &options), RO_OK);
    ro_image_free(&grey);
    return bits;
}

/* How far printed tones are off from the light of samples, at worst; without a curve what is
 * printed is that light. */
static double worst_tone(const struct trial *trial, const ro_tone_point *points, int count)
{
    enum { SIDE = 160, EDGE = 32 };
    double worst = 0;
    ro_image grey, bits;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &grey), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, SIDE, SIDE, 0, &bits), RO_OK);
    for (int tone = 16; tone <= 240; tone += 16) {
        const ro_halftone_options options = {
            RO_HALFTONE_DEFAULTS, .method = trial->method, .cell = trial->cell,
            .tone = {.linear = !points, .curve = points, .curve_points = count}};
        for (uint32_t y = 0; y < SIDE; y++)
            memset((char *)grey.data + y * grey.stride, tone, SIDE);
        assert_int_equal(ro_halftone(context, &grey, &bits, &options), RO_OK);
        struct sheet sheet = print(&bits, trial->radius);
        double ink = 0;
        for (uint32_t y = EDGE * FINE; y < (SIDE - EDGE) * FINE; y++)
            for (uint32_t x = EDGE * FINE; x < (SIDE - EDGE) * FINE; x++)
                ink += sheet.ink[(size_t)y * sheet.width + x];
        ink /= pow((SIDE - 2 * EDGE) * FINE, 2);
        worst = fmax(worst, fabs(1 - ink - light_of(tone / 255.0)));
        free(sheet.ink);
    }
    ro_image_free(&grey);
    ro_image_free(&bits);
    return worst;
}

static double lightness(double light)
{
    return light > 216 / 24389.0 ? 116 * cbrt(light) - 16 : 24389 / 27.0 * light;
}

/* The mean difference of lightness between a picture and its print, in squares of 8 x 8 pixels. */
static double picture_off(double radius, const ro_tone *tone)
{
    enum { WIDTH = 320, HEIGHT = 240, SQUARE = 8 };
    ro_image grey, bits;
    double off = 0;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, WIDTH, HEIGHT, 255, &grey), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, WIDTH, HEIGHT, 0, &bits), RO_OK);
    assert_int_equal(ro_testcard(context, &grey), RO_OK);
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .tone = *tone};
    assert_int_equal(ro_halftone(context, &grey, &bits, &options), RO_OK);
    struct sheet sheet = print(&bits, radius);
    for (uint32_t v = 0; v < HEIGHT; v += SQUARE)
        for (uint32_t u = 0; u < WIDTH; u += SQUARE) {
            double light = 0, ink = 0;
            for (uint32_t y = v; y < v + SQUARE; y++)
                for (uint32_t x = u; x < u + SQUARE; x++)
                    light += light_of(((uint8_t *)grey.data)[y * grey.stride + x] / 255.0);
            for (uint32_t y = v * FINE; y < (v + SQUARE) * FINE; y++)
                for (uint32_t x = u * FINE; x < (u + SQUARE) * FINE; x++)
                    ink += sheet.ink[(size_t)y * sheet.width + x];
            off += fabs(lightness(light / (SQUARE * SQUARE)) -
                        lightness(1 - ink / (SQUARE * SQUARE * FINE * FINE)));
        }
    free(sheet.ink);
    ro_image_free(&grey);
    ro_image_free(&bits);
    return off / (WIDTH / SQUARE * (HEIGHT / SQUARE));
}

/* A wedge, its scan and a picture, all with the defaults, on three printers. */
static void test_pictures(void **state)
{
    (void)state;
    /* and the gain of well spread dots, for people without a scanner */
    static const struct {
        double radius, gain;
    } printers[] = {{0.72, 17}, {0.8, 29}, {0.86, 33}};
    for (int i = 0; i < 3; i++) {
        const struct trial trial = {NULL, 0, printers[i].radius, {1.4, 1, 0.2, false}, 0};
        ro_image bits = wedge(&trial);
        struct sheet sheet = print(&bits, trial.radius);
        ro_image page = scan(&sheet, &trial.scanner);
        ro_tone_point points[RO_WEDGE_STEPS];
        ro_wedge_report report = {.size = sizeof report};
        ro_tone tone = {.curve = points};
        assert_int_equal(ro_wedge_read(context, &page, NULL, points, &tone.curve_points, &report),
                         RO_OK);
        const double light = picture_off(trial.radius, &(ro_tone){.linear = 1});
        const double fitted = picture_off(trial.radius, &tone);
        const double gained = picture_off(trial.radius, &(ro_tone){.dot_gain = printers[i].gain});
        if (!(light > 8 && fitted <= 3 && gained <= 4.5))
            print_error("dots of %.2f pixels: |dL*| is %.2f, with a curve %.2f, with a dot gain "
                        "%.2f\n",
                        trial.radius, light, fitted, gained);
        assert_true(light > 8);
        assert_true(fitted <= 3);
        assert_true(gained <= 4.5);
        ro_image_free(&bits);
        ro_image_free(&page);
        free(sheet.ink);
    }
}

static void calibrate(const struct trial *trial)
{
    const struct scanner *how = &trial->scanner;
    ro_image bits = wedge(trial);
    struct sheet sheet = print(&bits, trial->radius);
    ro_image page = scan(&sheet, how);
    ro_tone_point points[RO_WEDGE_STEPS];
    ro_wedge_report report = {.size = sizeof report};
    int count;
    const ro_wedge_options options = {RO_WEDGE_DEFAULTS, .linear = how->linear};
    const ro_status status = ro_wedge_read(context, &page, &options, points, &count, &report);
    if (status != RO_OK)
        print_error("%s\n", ro_context_message(context));
    assert_int_equal(status, RO_OK);
    assert_true(fabs(report.angle - how->degrees) < 0.2);
    assert_true(fabs(report.black - 0.07 / 0.93) < 0.03);
    assert_true(report.light < 1 - 0.6 * how->shade);
    for (int i = 1; i < count; i++)
        assert_true(points[i].in > points[i - 1].in && points[i].out >= points[i - 1].out);
    const double before = worst_tone(trial, NULL, 0);
    const double after = worst_tone(trial, points, count);
    if (after >= trial->most || before < 0.05)
        print_error("%s: worst tone error %.4f before, %.4f after\n", trial->method, before, after);
    assert_true(before > 0.05);
    assert_true(after < trial->most);
    ro_image_free(&bits);
    ro_image_free(&page);
    free(sheet.ink);
}

static void test_straight(void **state)
{
    (void)state;
    calibrate(&(struct trial){"floyd-steinberg", 0, 0.72, {1.47, 0, 0, true}, 0.01});
}

static void test_turned(void **state)
{
    (void)state;
    calibrate(&(struct trial){"floyd-steinberg", 0, 0.8, {1.3, 3.5, 0.3, false}, 0.01});
    /* the textures of search change between the tones of a wedge, and the gain with them */
    calibrate(&(struct trial){"dbs-clipping-free", 0, 0.85, {1.7, -5, 0.4, true}, 0.02});
}

static void test_screens(void **state)
{
    (void)state;
    calibrate(&(struct trial){"clustered-dot", 16, 0.9, {1.4, 2, 0.3, false}, 0.01});
    calibrate(&(struct trial){"blue-noise", 0, 0.8, {1.4, -2, 0.3, false}, 0.01});
}

/* ---- Scans without a wedge ------------------------------------------------------------------ */

static void refused(const ro_image *scan, const char *word)
{
    ro_tone_point points[RO_WEDGE_STEPS];
    ro_wedge_report report = {.size = sizeof report};
    int count;
    assert_int_equal(ro_wedge_read(context, scan, NULL, points, &count, &report), RO_E_FORMAT);
    assert_non_null(strstr(ro_context_message(context), "no step wedge"));
    assert_non_null(strstr(ro_context_message(context), word));
}

static void test_no_wedge(void **state)
{
    (void)state;
    ro_image page;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, 700, 500, 255, &page), RO_OK);
    refused(&page, "marks");
    for (uint32_t y = 0; y < page.height; y++)
        memset((char *)page.data + y * page.stride, 255, page.width);
    refused(&page, "marks");
    assert_int_equal(ro_testcard(context, &page), RO_OK);
    refused(&page, "marks");
    for (uint32_t y = 0; y < page.height; y++)
        for (uint32_t x = 0; x < page.width; x++)
            ((uint8_t *)page.data)[y * page.stride + x] = (uint8_t)pixel_hash(4, x, y);
    refused(&page, "marks");
    ro_image_free(&page);
    uint8_t pixel = 0;
    refused(&(ro_image){.format = RO_GREY8,
                        .width = 1,
                        .height = 1,
                        .maxval = 255,
                        .stride = 1,
                        .data = &pixel},
            "too small");
}

/* Marks without what should be between them. */
static void test_marks_alone(void **state)
{
    (void)state;
    ro_image page;
    const uint32_t unit = PATCH / 8;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, ro_wedge_width(PATCH),
                                    ro_wedge_height(PATCH), 255, &page),
                     RO_OK);
    assert_int_equal(ro_wedge_draw(context, PATCH, &page), RO_OK);
    for (uint32_t y = 4 * unit; y < 78 * unit; y++)
        memset((char *)page.data + y * page.stride + 15 * unit, 255, 107 * unit);
    refused(&page, "darkest");
    assert_int_equal(ro_wedge_draw(context, PATCH, &page), RO_OK);
    for (uint32_t y = 4 * unit; y < 78 * unit; y++) /* upside down */
        for (uint32_t x = 15 * unit; x < 122 * unit; x++) {
            uint8_t *p = (uint8_t *)page.data + y * page.stride + x;
            *p = (uint8_t)(255 - *p);
        }
    refused(&page, "");
    ro_image_free(&page);
}

enum { SMALL = 32 }; /* pixels of a patch */

/* The wedge itself as a scan, with room about it, in any of four turns, in RGB: `filter` is the
 * channel that sees it; samples are those of light, or sRGB's. */
static ro_image sheet_of(int turns, int filter, bool srgb)
{
    enum { ROOM = 40 };
    const uint32_t w = ro_wedge_width(SMALL), h = ro_wedge_height(SMALL);
    ro_image grey, sheet;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, w, h, 255, &grey), RO_OK);
    assert_int_equal(ro_wedge_draw(context, SMALL, &grey), RO_OK);
    const uint32_t width = (turns % 2 ? h : w) + ROOM, height = (turns % 2 ? w : h) + ROOM;
    assert_int_equal(ro_image_alloc(context, RO_RGB8, width, height, 255, &sheet), RO_OK);
    for (uint32_t y = 0; y < height; y++)
        memset((char *)sheet.data + y * sheet.stride, 240, 3 * (size_t)width);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t at[4][2] = {
                {x, y}, {h - 1 - y, x}, {w - 1 - x, h - 1 - y}, {y, w - 1 - x}};
            const double light = ((uint8_t *)grey.data)[y * grey.stride + x] / 255.0 * 0.9;
            const double value = srgb ? srgb_of(light) : light;
            uint8_t *pixel = (uint8_t *)sheet.data +
                             (at[turns][1] + ROOM / 2) * (size_t)sheet.stride +
                             3 * (size_t)(at[turns][0] + ROOM / 2);
            for (int c = 0; c < 3; c++)
                if (filter < 0 || c == filter)
                    pixel[c] = (uint8_t)lrint(255 * value);
        }
    ro_image_free(&grey);
    return sheet;
}

static void check_sheet(int turns, int filter, bool srgb, const ro_wedge_options *options)
{
    ro_tone_point points[RO_WEDGE_STEPS];
    ro_wedge_report report = {.size = sizeof report};
    int count;
    ro_image sheet = sheet_of(turns, filter, srgb);
    if (ro_wedge_read(context, &sheet, options, points, &count, &report) != RO_OK)
        fail_msg("%d turns, filter %d: %s", turns, filter, ro_context_message(context));
    assert_int_equal(report.turns, turns);
    if (report.error > 0.015)
        fail_msg("%d turns, filter %d: tones are off by %g", turns, filter, report.error);
    /* the first corner is where the sheet's is */
    const double left = 20 + 7.5 * SMALL / 8;
    const double first[4][2] = {{left, left},
                                {sheet.width - 1 - left, left},
                                {sheet.width - 1 - left, sheet.height - 1 - left},
                                {left, sheet.height - 1 - left}};
    for (int c = 0; c < 2; c++)
        assert_true(fabs(report.corner[0][c] - first[turns][c]) < 3);
    ro_image_free(&sheet);
}

static void test_sheets_lie_anyhow(void **state)
{
    (void)state;
    for (int turns = 0; turns < 4; turns++)
        check_sheet(turns, -1, true, NULL);
}

static void test_inks_and_light(void **state)
{
    (void)state;
    static const uint8_t inks[3][3] = {{0, 174, 239}, {236, 0, 140}, {255, 242, 0}};
    for (int i = 0; i < 3; i++) {
        ro_wedge_options options = {RO_WEDGE_DEFAULTS, .ink_given = 1};
        memcpy(options.ink_colour, inks[i], 3);
        check_sheet(i, i, true, &options);
        options.linear = 1;
        check_sheet(3 - i, i, false, &options);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    uint8_t pixel = 0;
    assert_int_equal(ro_wedge_width(64), 1096);
    assert_int_equal(ro_wedge_height(64), 720);
    assert_int_equal(ro_wedge_width(60), 0);
    assert_int_equal(ro_wedge_width(8), 0);
    assert_int_equal(ro_wedge_draw(context, 60,
                                   &(ro_image){.format = RO_GREY8,
                                               .width = 1,
                                               .height = 1,
                                               .maxval = 255,
                                               .stride = 1,
                                               .data = &pixel}),
                     RO_E_ARGUMENT);
    assert_int_equal(ro_wedge_draw(context, 64,
                                   &(ro_image){.format = RO_GREY8,
                                               .width = 1,
                                               .height = 1,
                                               .maxval = 255,
                                               .stride = 1,
                                               .data = &pixel}),
                     RO_E_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),       cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_turned),         cmocka_unit_test(test_screens),
        cmocka_unit_test(test_no_wedge),       cmocka_unit_test(test_marks_alone),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_sheets_lie_anyhow),
        cmocka_unit_test(test_inks_and_light),
    };
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return result;
}
