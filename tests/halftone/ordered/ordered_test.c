/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering: the definition against formulas written once more here; every variant, thread
 * count and the stream against the reference, bit for bit; what the public calls refuse.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/cpu.h"
#include "core/random.h"
#include "halftone/ordered/ordered.h"
#include "streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ro_context *context_for(ro_cpu cpu, int threads)
{
    ro_context *context;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = cpu,
                                  .threads = threads};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

/* Samples that look random but hold black and white as well. */
static void fill(ro_image *image, uint32_t seed)
{
    uint32_t white = image->maxval;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            uint32_t h = pixel_hash(seed, x, y), value = h % 16 == 0   ? 0
                                                         : h % 16 == 1 ? white
                                                                       : (h >> 4) % (white + 1);
            char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
            if (image->format == RO_GREY8)
                ((uint8_t *)row)[x] = (uint8_t)value;
            else
                ((uint16_t *)(void *)row)[x] = (uint16_t)value;
        }
}

static uint32_t sample(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    return image->format == RO_GREY8 ? ((const uint8_t *)row)[x]
                                     : ((const uint16_t *)(const void *)row)[x];
}

static int level(const ro_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
    if (image->format == RO_GREY16)
        return ((const uint16_t *)(const void *)row)[x];
    return image->format == RO_BITS ? row[x / 8] >> (7 - x % 8) & 1 : row[x];
}

/* An image with guard bytes behind each row. */
static ro_image image_of(ro_format format, uint32_t width, uint32_t height, uint32_t maxval)
{
    ro_image image = {.format = format,
                      .width = width,
                      .height = height,
                      .maxval = maxval,
                      .stride = 0,
                      .data = NULL};
    image.stride = (ptrdiff_t)(ro_format_row_bytes(format, width) + 1 + (format == RO_GREY16));
    image.data = malloc((size_t)image.stride * height);
    assert_non_null(image.data);
    memset(image.data, 0xa5, (size_t)image.stride * height);
    return image;
}

static void check_guards(const ro_image *image)
{
    size_t row = ro_format_row_bytes(image->format, image->width);
    for (uint32_t y = 0; y < image->height; y++)
        assert_int_equal(((uint8_t *)image->data)[(ptrdiff_t)y * image->stride + (ptrdiff_t)row],
                         0xa5);
}

/* Two levels of a 4 x 4 Bayer screen, by the text: white iff 2 K a > M (2 r + 1). */
static void bayer_is_the_text(void **state)
{
    (void)state;
    static const uint32_t ranks[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    static const uint32_t whites[] = {255, 100, 1, 65535};
    ro_context *context = context_for(RO_CPU_AUTO, 1);
    for (int i = 0; i < 4; i++) {
        uint32_t white = whites[i];
        ro_image in = image_of(white > 255 ? RO_GREY16 : RO_GREY8, 67, 41, white);
        ro_image out = image_of(RO_BITS, 67, 41, 0);
        fill(&in, (uint32_t)i);
        assert_int_equal(
            ro_halftone(context, &in, &out,
                        &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "o4x4"}),
            RO_OK);
        for (uint32_t y = 0; y < in.height; y++)
            for (uint32_t x = 0; x < in.width; x++)
                assert_int_equal(level(&out, x, y),
                                 2 * 16 * (uint64_t)sample(&in, x, y) >
                                     (uint64_t)white * (2 * ranks[y % 4][x % 4] + 1));
        check_guards(&out);
        free(in.data);
        free(out.data);
    }
    ro_context_close(context);
}

/* Flat tones come out as many whites as they should, to one cell, at every level. */
static void flat_tones_are_kept(void **state)
{
    (void)state;
    static const char *const methods[] = {"bayer16", "blue-noise", "clustered-dot"};
    ro_context *context = context_for(RO_CPU_AUTO, 0);
    ro_image in = image_of(RO_GREY8, 64, 64, 255), out = image_of(RO_INDEX8, 64, 64, 0);
    for (int m = 0; m < 3; m++)
        for (int levels = 2; levels < 9; levels++)
            for (int grey = 0; grey < 256; grey++) {
                const int cells = m == 0 ? 256 : m == 1 ? 4096 : 64;
                long sum = 0;
                for (uint32_t y = 0; y < 64; y++)
                    memset((char *)in.data + (ptrdiff_t)y * in.stride, grey, 64);
                ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                               .levels = levels};
                assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
                for (uint32_t y = 0; y < 64; y++)
                    for (uint32_t x = 0; x < 64; x++)
                        sum += level(&out, x, y);
                double wanted = grey / 255.0 * (levels - 1), got = sum / 4096.0;
                assert_true(got - wanted < 0.5 / cells + 0.001 * levels);
                assert_true(wanted - got < 0.5 / cells + 0.001 * levels);
            }
    free(in.data);
    free(out.data);
    ro_context_close(context);
}

struct setting {
    const char *method;
    int levels, cell;
    uint64_t seed;
    int threshold;
};

/* What ordered_row_reference makes of an image. */
static void run_reference(const ro_image *in, const ro_image *out, const struct setting *setting,
                          const ro_image *screen)
{
    ro_context *context = context_for(RO_CPU_SCALAR, 1);
    struct ordered_plan plan = {
        .width = in->width,
        .maxval = in->maxval,
        .sample_bytes = in->format == RO_GREY8 ? 1 : 2,
        .levels = setting->levels ? setting->levels : 2,
        .bits_out = out->format == RO_BITS,
        .deep = out->format == RO_GREY16,
        .percent = setting->threshold ? setting->threshold : 50,
        .seed = setting->seed,
    };
    ro_screen_options wanted = {RO_SCREEN_DEFAULTS, .kind = setting->method,
                                .cell = (uint32_t)setting->cell, .seed = setting->seed};
    if (screen) {
        assert_int_equal(screen_rank(context, screen, &plan.screen), RO_OK);
    } else if (strcmp(setting->method, "random") == 0) {
        plan.rule = ORDERED_BY_HASH;
        plan.cells = 1 << 20;
    } else if (strcmp(setting->method, "threshold") == 0) {
        plan.rule = ORDERED_BY_LIMIT;
        plan.screen =
            (struct screen){.width = 1, .height = 1, .ranks = calloc(1, sizeof(uint32_t))};
    } else {
        assert_int_equal(screen_make(context, &wanted, false, &plan.screen), RO_OK);
    }
    if (plan.rule == ORDERED_BY_SCREEN)
        plan.cells = plan.screen.width * plan.screen.height;
    for (uint32_t y = 0; y < in->height; y++)
        ordered_row_reference(&plan, (unsigned char *)in->data + (ptrdiff_t)y * in->stride,
                              (unsigned char *)out->data + (ptrdiff_t)y * out->stride, y);
    ordered_plan_free(&plan);
    ro_context_close(context);
}

static void run_stream(ro_context *context, const ro_image *in, const ro_image *out,
                       const ro_halftone_options *options)
{
    ro_plan *plan;
    ro_stream *stream;
    uint32_t pushed = 0, pulled = 0, taken, given;
    assert_int_equal(open_halftone(context, in, out->format, options, &plan, &stream), RO_OK);
    while (pulled < in->height) {
        uint32_t offer = in->height - pushed < 7 ? in->height - pushed : 7;
        assert_int_equal(ro_stream_push(stream, (char *)in->data + (ptrdiff_t)pushed * in->stride,
                                        in->stride, offer, &taken),
                         RO_OK);
        pushed += taken;
        assert_int_equal(ro_stream_pull(stream, (char *)out->data + (ptrdiff_t)pulled * out->stride,
                                        out->stride, in->height - pulled, &given),
                         RO_OK);
        pulled += given;
    }
    close_stream(plan, stream);
}

static void same_pixels(const ro_image *a, const ro_image *b)
{
    size_t bytes = ro_format_row_bytes(a->format, a->width);
    for (uint32_t y = 0; y < a->height; y++)
        assert_memory_equal((char *)a->data + (ptrdiff_t)y * a->stride,
                            (char *)b->data + (ptrdiff_t)y * b->stride, bytes);
    check_guards(a);
}

/* Every instruction set, one thread and three, whole and streamed. */
static void check_image(const struct setting *setting, uint32_t width, uint32_t height,
                        uint32_t maxval, ro_format format, const ro_image *screen)
{
    ro_image in = image_of(maxval > 255 ? RO_GREY16 : RO_GREY8, width, height, maxval);
    ro_image right = image_of(format, width, height, 0), out = image_of(format, width, height, 0);
    ro_halftone_options options = {
        RO_HALFTONE_DEFAULTS,
        .method = setting->method,
        .levels = setting->levels,
        .cell = setting->cell,
        .seed = setting->seed,
        .threshold = setting->threshold ? setting->threshold : RO_DEFAULT,
        .screen = screen};
    fill(&in, width);
    run_reference(&in, &right, setting, screen);
    for (ro_cpu cpu = RO_CPU_SCALAR; cpu <= cpu_best(); cpu++)
        for (int threads = 1; threads <= 3; threads += 2) {
            ro_context *context = context_for(cpu, threads);
            assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
            assert_int_equal(ro_context_report(context)->cpu, cpu);
            same_pixels(&out, &right);
            memset(out.data, 0xa5, (size_t)out.stride * out.height);
            run_stream(context, &in, &out, &options);
            same_pixels(&out, &right);
            ro_context_close(context);
        }
    free(in.data);
    free(right.data);
    free(out.data);
}

/* No two levels may be the same. */
static bool too_many(int levels, uint32_t maxval) { return levels - 1 > 16 * (int64_t)maxval; }

static void check_setting(const struct setting *setting, uint32_t width, uint32_t maxval,
                          ro_format format, const ro_image *screen)
{
    if (too_many(setting->levels, maxval))
        return;
    check_image(setting, width, 37, maxval, format, screen);
}

/* Many blocks, so that a screen goes on from one to the next. */
static void tall_images_agree(void **state)
{
    (void)state;
    static const struct setting settings[] = {{"clustered-dot", 0, 75, 0, 0},
                                              {"random", 0, 0, 5, 0}};
    for (int s = 0; s < 2; s++) {
        check_image(&settings[s], 100, 3000, 255, RO_BITS, NULL);
        check_image(&settings[s], 100, 3000, 200, RO_INDEX8, NULL);
    }
}

static void all_variants_agree(void **state)
{
    (void)state;
    static const struct setting settings[] = {
        {"bayer", 0, 8, 0, 0},
        {"bayer", 0, 128, 0, 0},
        {"bayer", 5, 4, 0, 0},
        {"clustered-dot", 0, 7, 0, 0},
        {"clustered-dot", 3, 75, 0, 0},
        {"random", 0, 0, 5, 0},
        {"random", 7, 0, 1ull << 40, 0},
        {"threshold", 0, 0, 0, 0},
        {"threshold", 0, 0, 0, 37},
        {"threshold", 6, 0, 0, 99},
        {"void-and-cluster", 256, 16, 3, 0},
    };
    static const uint32_t widths[] = {1, 7, 63, 64, 65, 129, 300};
    static const uint32_t whites[] = {255, 1, 100, 65535, 1000};
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t m = 0; m < sizeof whites / sizeof *whites; m++) {
                check_setting(&settings[s], widths[w], whites[m], RO_INDEX8, NULL);
                if (settings[s].levels == 0)
                    check_setting(&settings[s], widths[w], whites[m], RO_BITS, NULL);
            }
}

/* Numbers of 16 bits; of 8 bits there are 4081 at most. */
static void deep_numbers_agree(void **state)
{
    (void)state;
    static const struct setting settings[] = {{"bayer", 0, 8, 0, 0},
                                              {"clustered-dot", 0, 7, 0, 0},
                                              {"random", 0, 0, 5, 0},
                                              {"threshold", 0, 0, 0, 37}};
    static const int levels[] = {2, 3, 15, 16, 17, 256, 1000, 1024, 4081, 4096, 65535, 65536};
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            struct setting setting = settings[s];
            setting.levels = levels[i];
            check_setting(&setting, 131, 65535, RO_GREY16, NULL);
            check_setting(&setting, 65, 4095, RO_GREY16, NULL);
            check_setting(&setting, 129, 255, RO_GREY16, NULL);
        }
}

/* Every sample of 16 bits in every cell: whatever is computed in lanes is the definition. */
static void every_sample_agrees(void **state)
{
    (void)state;
    static const int levels[] = {17, 18, 100, 256, 1023, 1024, 4096, 32768, 65535};
    enum { CELLS = 16, WIDTH = 65536 };
    ro_context *context = context_for(RO_CPU_AUTO, 1);
    ro_image in = image_of(RO_GREY16, WIDTH, CELLS, 65535);
    ro_image right = image_of(RO_GREY16, WIDTH, CELLS, 65535);
    ro_image out = image_of(RO_GREY16, WIDTH, CELLS, 65535);
    for (uint32_t y = 0; y < CELLS; y++) /* four columns and four rows of cells */
        for (uint32_t x = 0; x < WIDTH; x++)
            ((uint16_t *)(void *)((char *)in.data + (ptrdiff_t)y * in.stride))[x] =
                (uint16_t)(x + y / 4);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct setting setting = {"bayer", levels[i], 4, 0, 0};
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "bayer", .cell = 4,
                                       .levels = levels[i]};
        run_reference(&in, &right, &setting, NULL);
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        same_pixels(&out, &right);
    }
    free(in.data);
    free(right.data);
    free(out.data);
    ro_context_close(context);
}

static void screens_of_any_shape_agree(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{1, 1}, {1, 9}, {65, 3}, {130, 2}, {1024, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        ro_image screen =
            image_of(i % 2 ? RO_GREY8 : RO_GREY16, shapes[i][0], shapes[i][1], i % 2 ? 255 : 65535);
        fill(&screen, 11);
        struct setting setting = {.method = "screen"};
        check_setting(&setting, 301, 255, RO_BITS, &screen);
        check_setting(&setting, 301, 65535, RO_BITS, &screen);
        setting.levels = 4;
        check_setting(&setting, 70, 255, RO_INDEX8, &screen);
        free(screen.data);
    }
}

/* Whose rows are worked on in turns, nine apart. */
static void wide_screens_agree(void **state)
{
    (void)state;
    static const uint32_t heights[] = {1, 17, 19, 73, 145, 250};
    ro_image screen = image_of(RO_GREY16, 2000, 9, 65535);
    fill(&screen, 12);
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        struct setting setting = {.method = "screen"};
        check_image(&setting, 301, heights[i], 255, RO_BITS, &screen);
        check_image(&setting, 301, heights[i], 65535, RO_BITS, &screen);
        setting.levels = 4;
        check_image(&setting, 70, heights[i], 255, RO_INDEX8, &screen);
    }
    free(screen.data);
}

/* A sample of the reference that would change if the definition did. */
static void goldens(void **state)
{
    (void)state;
    static const struct {
        struct setting setting;
        uint32_t sum;
    } rows[] = {
        {{"bayer", 0, 8, 0, 0}, 0x7e800e91},
        {{"clustered-dot", 0, 6, 0, 0}, 0x79928f98},
        {{"void-and-cluster", 0, 32, 9, 0}, 0x1ee31e8b},
        {{"random", 4, 0, 9, 0}, 0x4db27444},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ro_image in = image_of(RO_GREY16, 100, 60, 65535), out = image_of(RO_INDEX8, 100, 60, 0);
        uint32_t sum = 0;
        fill(&in, 3);
        run_reference(&in, &out, &rows[i].setting, NULL);
        for (uint32_t y = 0; y < 60; y++)
            for (uint32_t x = 0; x < 100; x++)
                sum = mix_bits(sum ^ (uint32_t)level(&out, x, y));
        assert_int_equal(sum, rows[i].sum);
        free(in.data);
        free(out.data);
    }
}

/* Rows of every length round that of a step, with bytes behind them that do not count. */
static void rows_are_counted(void **state)
{
    (void)state;
    for (uint32_t width = 1; width < 20; width++)
        for (uint32_t white = 255; white <= 65535; white += 65535 - 255) {
            ro_image in = image_of(white == 255 ? RO_GREY8 : RO_GREY16, width, 5, white);
            struct ordered_plan plan = {.width = width, .sample_bytes = white == 255 ? 1 : 2};
            uint64_t *counts = calloc(65536, sizeof *counts);
            fill(&in, width);
            ordered_count(&plan, in.data, in.stride, in.height, counts);
            for (uint32_t y = 0; y < in.height; y++)
                for (uint32_t x = 0; x < width; x++)
                    assert_true(counts[sample(&in, x, y)]-- > 0);
            for (uint32_t i = 0; i < 65536; i++)
                assert_int_equal(counts[i], 0);
            free(counts);
            free(in.data);
        }
}

static void otsu_splits_two_peaks(void **state)
{
    (void)state;
    uint64_t histogram[256] = {0};
    histogram[40] = 10;
    histogram[60] = 30;
    histogram[200] = 25;
    assert_int_equal(ordered_otsu(histogram, 255), 60);
    memset(histogram, 0, sizeof histogram);
    histogram[9] = 5; /* one value: split in the middle */
    assert_int_equal(ordered_otsu(histogram, 255), 127);

    ro_image in = image_of(RO_GREY8, 90, 50, 255), out = image_of(RO_BITS, 90, 50, 0);
    for (uint32_t y = 0; y < 50; y++)
        for (uint32_t x = 0; x < 90; x++)
            ((uint8_t *)in.data)[(ptrdiff_t)y * in.stride + x] =
                (uint8_t)(pixel_hash(1, x, y) % 20 + (x < 40 ? 10 : 60));
    for (ro_cpu cpu = RO_CPU_SCALAR; cpu <= cpu_best(); cpu++) {
        ro_context *context = context_for(cpu, 2);
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "otsu"};
        ro_plan *plan;
        ro_stream *stream;
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        for (uint32_t y = 0; y < 50; y++)
            for (uint32_t x = 0; x < 90; x++)
                assert_int_equal(level(&out, x, y), x >= 40);
        assert_int_equal(open_halftone(context, &in, RO_BITS, &options, &plan, &stream),
                         RO_E_UNSUPPORTED);
        ro_context_close(context);
    }
    free(in.data);
    free(out.data);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    ro_image in = image_of(RO_GREY8, 20, 20, 255), out = image_of(RO_BITS, 20, 20, 0);
    ro_image wide = image_of(RO_GREY8, 4097, 1, 255), colour = image_of(RO_RGB8, 4, 4, 255);
    float values[4] = {0, 1, 0.5f, NAN};
    ro_image nan = ro_image_view(RO_GREYF, 2, 2, values);
    fill(&in, 1);
    fill(&wide, 1);
    const struct {
        ro_halftone_options options;
        ro_status status;
        const char *word;
    } rows[] = {
        {{RO_HALFTONE_DEFAULTS, .method = "bayer", .cell = 12}, RO_E_ARGUMENT, "12"},
        {{RO_HALFTONE_DEFAULTS, .method = "bayer", .cell = 512}, RO_E_SIZE, "512"},
        {{RO_HALFTONE_DEFAULTS, .method = "bayer", .cell = -1}, RO_E_ARGUMENT, "-1"},
        {{RO_HALFTONE_DEFAULTS, .method = "bayer8", .cell = 8},
         RO_E_ARGUMENT,
         "cell does not apply"},
        {{RO_HALFTONE_DEFAULTS, .method = "blue-noise", .cell = 2000}, RO_E_SIZE, "2000"},
        {{RO_HALFTONE_DEFAULTS, .method = "blue-noise", .angle = 45},
         RO_E_ARGUMENT,
         "angle does not apply"},
        {{RO_HALFTONE_DEFAULTS, .method = "clustered-dot", .angle = 30}, RO_E_ARGUMENT, "30"},
        {{RO_HALFTONE_DEFAULTS, .method = "clustered-dot", .angle = 45, .cell = 7},
         RO_E_ARGUMENT,
         "even"},
        {{RO_HALFTONE_DEFAULTS, .method = "clustered-dot", .shape = "star"}, RO_E_ARGUMENT, "star"},
        {{RO_HALFTONE_DEFAULTS, .method = "bayer", .seed = 3},
         RO_E_ARGUMENT,
         "seed does not apply"},
        {{RO_HALFTONE_DEFAULTS, .method = "screen"}, RO_E_ARGUMENT, "needs a threshold image"},
        {{RO_HALFTONE_DEFAULTS, .method = "screen", .screen = &wide}, RO_E_SIZE, "4097 x 1"},
        {{RO_HALFTONE_DEFAULTS, .method = "screen", .screen = &colour}, RO_E_UNSUPPORTED, "grey"},
        {{RO_HALFTONE_DEFAULTS, .method = "screen", .screen = &nan},
         RO_E_FORMAT,
         "column 1, row 1"},
        {{RO_HALFTONE_DEFAULTS, .method = "floyd-steinberg", .screen = &in},
         RO_E_ARGUMENT,
         "screen does not apply"},
        {{RO_HALFTONE_DEFAULTS, .method = "threshold", .threshold = 100}, RO_E_ARGUMENT, "100"},
        {{RO_HALFTONE_DEFAULTS, .method = "threshold", .threshold = -1}, RO_E_ARGUMENT, "-1"},
        {{RO_HALFTONE_DEFAULTS, .method = "otsu", .threshold = 10},
         RO_E_ARGUMENT,
         "threshold does not apply"},
        {{RO_HALFTONE_DEFAULTS, .method = "otsu", .levels = 3},
         RO_E_ARGUMENT,
         "levels does not apply"},
        {{RO_HALFTONE_DEFAULTS, .method = "random", .schedule = "wave"},
         RO_E_ARGUMENT,
         "schedule does not apply"},
    };
    ro_context *context = context_for(RO_CPU_AUTO, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ro_halftone(context, &in, &out, &rows[i].options), rows[i].status);
        if (!strstr(ro_context_message(context), rows[i].word))
            fail_msg("'%s' does not say '%s'", ro_context_message(context), rows[i].word);
    }
    ro_context_close(context);
    free(in.data);
    free(out.data);
    free(wide.data);
    free(colour.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bayer_is_the_text),          cmocka_unit_test(flat_tones_are_kept),
        cmocka_unit_test(all_variants_agree),         cmocka_unit_test(tall_images_agree),
        cmocka_unit_test(deep_numbers_agree),         cmocka_unit_test(every_sample_agrees),
        cmocka_unit_test(screens_of_any_shape_agree), cmocka_unit_test(goldens),
        cmocka_unit_test(rows_are_counted),           cmocka_unit_test(otsu_splits_two_peaks),
        cmocka_unit_test(bad_options_are_refused),    cmocka_unit_test(wide_screens_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
