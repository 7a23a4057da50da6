/* SPDX-License-Identifier: MIT */
/* Turning and resizing, each against a few lines that do it on a whole image. */
#include "io/io_test.h"

#include <math.h>

/* A stage that gives rows from memory. */
struct memory {
    struct row_stage stage;
    const uint8_t *pixels;
    uint32_t row;
};

static struct open_file file;
static int closed;

static ro_status memory_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride,
                             uint32_t count)
{
    struct memory *memory = (struct memory *)stage;
    size_t bytes = stage_row_bytes(stage);
    assert_true(memory->row + count <= stage->info.height);
    for (uint32_t y = 0; y < count; y++, rows += stride)
        memcpy(rows, memory->pixels + bytes * memory->row++, bytes);
    return RO_OK;
}

static void memory_close(struct row_stage *stage)
{
    (void)stage;
    closed++;
}

static struct memory memory_open(const void *pixels, ro_format format, uint32_t width,
                                 uint32_t height, uint32_t maxval)
{
    file_init(&file, context, "memory", "");
    return (struct memory){
        {.file = &file,
         .info = {.format = format, .width = width, .height = height, .maxval = maxval},
         .rows = memory_rows,
         .close = memory_close},
        pixels,
        0};
}

/* Where the letter F lies for each orientation, as the EXIF standard shows it. */
static void turned_letters(void **state)
{
    (void)state;
    static const char *const stored[] = {
        NULL,
        "FFF"
        "F.."
        "FF."
        "F.."
        "F..",
        "FFF"
        "..F"
        ".FF"
        "..F"
        "..F",
        "..F"
        "..F"
        ".FF"
        "..F"
        "FFF",
        "F.."
        "F.."
        "FF."
        "F.."
        "FFF",
        "FFFFF"
        "F.F.."
        "F....",
        "F...."
        "F.F.."
        "FFFFF",
        "....F"
        "..F.F"
        "FFFFF",
        "FFFFF"
        "..F.F"
        "....F",
    };
    for (int orientation = 2; orientation <= 8; orientation++)
        for (uint32_t at_once = 1; at_once <= 5; at_once++) {
            bool exchanged = orientation >= 5;
            struct memory memory = memory_open(stored[orientation], RO_GREY8, exchanged ? 5 : 3,
                                               exchanged ? 3 : 5, 255);
            struct row_stage *stage = &memory.stage;
            uint8_t got[15];
            memory.stage.orientation = orientation;
            memory.stage.info.dpi_x = exchanged ? 600 : 300;
            memory.stage.info.dpi_y = exchanged ? 300 : 600;
            assert_int_equal(orient_stage(&memory.stage, &stage), RO_OK);
            assert_int_equal(stage->info.width, 3);
            assert_int_equal(stage->info.height, 5);
            assert_true(stage->info.dpi_x == 300 && stage->info.dpi_y == 600);
            for (uint32_t y = 0; y < 5; y += at_once)
                assert_int_equal(
                    stage->rows(stage, got + 3 * y, 3, 5 - y < at_once ? 5 - y : at_once), RO_OK);
            assert_memory_equal(got, stored[1], 15);
            closed = 0;
            stage->close(stage);
            assert_int_equal(closed, 1);
        }
}

static void turned_colours(void **state)
{
    (void)state;
    uint16_t pixels[2][3][3], turned[3][2][3];
    for (int i = 0; i < 18; i++)
        ((uint16_t *)pixels)[i] = (uint16_t)(1000 * i);
    struct memory memory = memory_open(pixels, RO_RGB16, 3, 2, 65535);
    struct row_stage *stage;
    memory.stage.orientation = 6;
    assert_int_equal(orient_stage(&memory.stage, &stage), RO_OK);
    assert_int_equal(stage->rows(stage, (uint8_t *)turned, sizeof turned[0], 3), RO_OK);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 2; x++)
            assert_memory_equal(turned[y][x], pixels[1 - x][y], 6);
    stage->close(stage);
}

static ro_status resize(struct row_stage *before, uint32_t width, uint32_t height,
                        struct row_stage **stage)
{
    return resize_stage(
        before,
        &(ro_read_options){RO_READ_DEFAULTS, .resize_width = width, .resize_height = height},
        stage);
}

/* Lanczos-3 of one output sample, straight from its formula. */
static double weight(double x)
{
    double pi = acos(-1);
    if (fabs(x) >= 3)
        return 0;
    return x == 0 ? 1 : 3 * sin(pi * x) * sin(pi * x / 3) / (pi * pi * x * x);
}

static double sample(const uint8_t *pixels, int width, int height, int channels, int channel,
                     double x, double y, double scale_x, double scale_y)
{
    double sum = 0, weights = 0;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            double w = weight((i + 0.5 - x) / scale_x) * weight((j + 0.5 - y) / scale_y);
            sum += w * pixels[(j * width + i) * channels + channel];
            weights += w;
        }
    return sum / weights;
}

static void resized_like_the_formula(void **state)
{
    (void)state;
    enum { W = 23, H = 17 };
    static const uint32_t sizes[][2] = {{23, 40}, {50, 17}, {7, 5}, {1, 1}, {60, 3}, {2, 90}};
    uint8_t pixels[H * W * 3], got[100 * 100 * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i * 7 + i / 5 * 31);
    for (int channels = 1; channels <= 3; channels += 2)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int width = (int)sizes[s][0], height = (int)sizes[s][1];
            double step_x = (double)W / width, step_y = (double)H / height;
            struct memory memory =
                memory_open(pixels, channels == 3 ? RO_RGB8 : RO_GREY8, W, H, 255);
            struct row_stage *stage;
            assert_int_equal(resize(&memory.stage, sizes[s][0], sizes[s][1], &stage), RO_OK);
            size_t row = stage_row_bytes(stage);
            for (int y = 0; y < height; y += 3)
                assert_int_equal(stage->rows(stage, got + (size_t)y * row, (ptrdiff_t)row,
                                             (uint32_t)(height - y < 3 ? height - y : 3)),
                                 RO_OK);
            assert_int_equal(memory.row, H); /* all of it was read */
            stage->close(stage);
            for (int i = 0; i < width * height * channels; i++) {
                int x = i / channels % width, y = i / channels / width;
                double value = sample(pixels, W, H, channels, i % channels, (x + 0.5) * step_x,
                                      (y + 0.5) * step_y, fmax(step_x, 1), fmax(step_y, 1));
                value = fmin(fmax(value, 0), 255);
                if (fabs(got[i] - value) > 0.5 + 1e-3)
                    fail_msg("%d x %d: %d instead of %f at %d, %d", width, height, got[i], value, x,
                             y);
            }
        }
}

/* A flat tone stays flat whatever the size and the depth; bits become tones. */
static void flat_stays_flat(void **state)
{
    (void)state;
    static const struct {
        ro_format format;
        uint32_t maxval, value, expected_maxval, expected;
    } tones[] = {{RO_GREY8, 255, 255, 255, 255},
                 {RO_GREY8, 200, 113, 200, 113},
                 {RO_GREY8, 1, 1, 255, 255},
                 {RO_GREY16, 65535, 65535, 65535, 65535},
                 {RO_GREY16, 65535, 54321, 65535, 54321},
                 {RO_GREY16, 1023, 1023, 1023, 1023}};
    uint16_t pixels[40 * 30], got[90 * 90];
    for (size_t t = 0; t < sizeof tones / sizeof *tones; t++)
        for (uint32_t width = 1; width < 90; width += 11)
            for (uint32_t height = 1; height < 90; height += 13) {
                bool wide = tones[t].format == RO_GREY16;
                for (int i = 0; i < 40 * 30; i++)
                    if (wide)
                        pixels[i] = (uint16_t)tones[t].value;
                    else
                        ((uint8_t *)pixels)[i] = (uint8_t)tones[t].value;
                struct memory memory =
                    memory_open(pixels, tones[t].format, 40, 30, tones[t].maxval);
                struct row_stage *stage;
                assert_int_equal(resize(&memory.stage, width, height, &stage), RO_OK);
                assert_int_equal(stage->info.maxval, tones[t].expected_maxval);
                assert_int_equal(
                    stage->rows(stage, (uint8_t *)got, (ptrdiff_t)stage_row_bytes(stage), height),
                    RO_OK);
                for (uint32_t i = 0; i < width * height; i++)
                    assert_int_equal(wide ? got[i] : ((uint8_t *)got)[i], tones[t].expected);
                stage->close(stage);
            }
}

static void sizes_and_resolution(void **state)
{
    (void)state;
    uint8_t pixels[6 * 4] = {0};
    struct memory memory = memory_open(pixels, RO_GREY8, 6, 4, 255);
    struct row_stage *stage;
    memory.stage.info.dpi_x = memory.stage.info.dpi_y = 100;
    assert_int_equal(resize(&memory.stage, 12, 0, &stage), RO_OK);
    assert_int_equal(stage->info.height, 8); /* the proportions stay */
    assert_true(stage->info.dpi_x == 200 && stage->info.dpi_y == 200);
    stage->close(stage);
    memory = memory_open(pixels, RO_GREY8, 6, 4, 1);
    assert_int_equal(resize(&memory.stage, 6, 4, &stage), RO_OK);
    assert_ptr_equal(stage, &memory.stage); /* nothing to do: bits stay bits */
    closed = 0;
    assert_int_equal(resize(&memory.stage, UINT32_MAX, 1, &stage), RO_E_SIZE);
    assert_int_equal(closed, 1);
}

#define FIT .resize_rule = RO_RESIZE_FIT
#define FILL .resize_rule = RO_RESIZE_FILL

/* The middle, and each pixel several times: no value changes. */
static void cut_and_enlarged(void **state)
{
    (void)state;
    uint8_t pixels[3 * 7 * 5], out[3 * 21 * 15];
    struct row_stage *stage;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 11);
    struct memory memory = memory_open(pixels, RO_RGB8, 7, 5, 255);
    assert_int_equal(crop_stage(&memory.stage, 4, 2, &stage), RO_OK);
    for (uint32_t y = 0; y < 2; y++)
        assert_int_equal(stage->rows(stage, out + 12 * y, 12, 1), RO_OK);
    for (int i = 0; i < 2 * 12; i++)
        assert_int_equal(out[i], pixels[21 * (i / 12 + 1) + 3 + i % 12]);
    stage->close(stage);
    memory = memory_open(pixels, RO_RGB8, 7, 5, 255);
    memory.stage.info.dpi_x = 100;
    assert_int_equal(replicate_stage(&memory.stage, 3, &stage), RO_OK);
    assert_int_equal(stage->info.width, 21);
    assert_int_equal(stage->info.height, 15);
    assert_true(stage->info.dpi_x == 300);
    for (uint32_t y = 0; y < 15; y += 5)
        assert_int_equal(stage->rows(stage, out + 63 * y, 63, 5), RO_OK);
    for (int y = 0; y < 15; y++)
        for (int x = 0; x < 21; x++)
            assert_memory_equal(out + 63 * y + 3 * x, pixels + 21 * (y / 3) + 3 * (x / 3), 3);
    stage->close(stage);
    memory = memory_open(pixels, RO_RGB8, 7, 5, 255);
    closed = 0;
    assert_int_equal(replicate_stage(&memory.stage, 1u << 30, &stage), RO_E_SIZE);
    assert_int_equal(closed, 1);
}

/* A side that is left open and per cent keep the proportions; a pixel stays at least. */
static void proportions(void **state)
{
    (void)state;
    static const struct {
        uint32_t from[2];
        ro_read_options options;
        uint32_t to[2];
    } cases[] = {
        {{60, 40}, {RO_READ_DEFAULTS, .resize_width = 12}, {12, 8}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_height = 12}, {18, 12}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_percent = 50}, {30, 20}},
        {{7, 5}, {RO_READ_DEFAULTS, .resize_percent = 50}, {4, 3}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_percent = 12.5}, {8, 5}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_percent = 0.001}, {1, 1}},
        {{60, 1}, {RO_READ_DEFAULTS, .resize_percent = 300}, {180, 3}},
        {{400, 1}, {RO_READ_DEFAULTS, .resize_width = 4}, {4, 1}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_width = 30, .resize_height = 30, FIT}, {30, 20}},
        {{40, 60}, {RO_READ_DEFAULTS, .resize_width = 30, .resize_height = 30, FIT}, {20, 30}},
        {{6, 4}, {RO_READ_DEFAULTS, .resize_width = 30, .resize_height = 30, FIT}, {30, 20}},
        {{400, 1}, {RO_READ_DEFAULTS, .resize_width = 3, .resize_height = 3, FIT}, {3, 1}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_width = 30, .resize_height = 30, FILL}, {45, 30}},
        {{40, 60}, {RO_READ_DEFAULTS, .resize_width = 30, .resize_height = 30, FILL}, {30, 45}},
        {{60, 40}, {RO_READ_DEFAULTS, .resize_width = 30, .resize_height = 20, FILL}, {30, 20}},
    };
    uint8_t pixels[60 * 40] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory memory =
            memory_open(pixels, RO_GREY8, cases[i].from[0], cases[i].from[1], 255);
        struct row_stage *stage;
        assert_int_equal(resize_stage(&memory.stage, &cases[i].options, &stage), RO_OK);
        assert_int_equal(stage->info.width, cases[i].to[0]);
        assert_int_equal(stage->info.height, cases[i].to[1]);
        stage->close(stage);
    }
    static const struct {
        ro_read_options options;
        ro_status status;
        const char *words;
    } bad[] = {
        {{RO_READ_DEFAULTS, .resize_percent = 50, .resize_width = 5}, RO_E_ARGUMENT, "not both"},
        {{RO_READ_DEFAULTS, .resize_percent = -1}, RO_E_ARGUMENT, "-1 %"},
        {{RO_READ_DEFAULTS, .resize_percent = NAN}, RO_E_ARGUMENT, "cannot resize"},
        {{RO_READ_DEFAULTS, .resize_width = 1 << 28},
         RO_E_SIZE,
         "resizing 1 x 100000 to 268435456 x 26843545600000"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct memory memory = memory_open(pixels, RO_GREY8, 1, 100000, 255);
        struct row_stage *stage;
        closed = 0;
        assert_int_equal(resize_stage(&memory.stage, &bad[i].options, &stage), bad[i].status);
        assert_non_null(strstr(ro_context_message(context), bad[i].words));
        assert_int_equal(closed, 1);
    }
}

static double light_of(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* As light, a checkerboard keeps its light; as numbers it gets darker. Flat tones stay, whatever
 * the format, and bits become tones. */
static void light_is_kept(void **state)
{
    (void)state;
    enum { W = 64, H = 48 };
    uint8_t pixels[W * H], got[32 * 24];
    for (int as_light = 0; as_light < 2; as_light++)
        for (int maxval = 1; maxval <= 255; maxval += 254) {
            for (int i = 0; i < W * H; i++)
                pixels[i] = (uint8_t)((i % W + i / W) % 2 ? maxval : 0);
            struct memory memory = memory_open(pixels, RO_GREY8, W, H, (uint32_t)maxval);
            ro_read_options options = {RO_READ_DEFAULTS, .resize_percent = 50,
                                       .resize_light = as_light};
            struct row_stage *stage;
            double light = 0;
            assert_int_equal(resize_stage(&memory.stage, &options, &stage), RO_OK);
            assert_int_equal(stage->rows(stage, got, 32, 24), RO_OK);
            for (int i = 0; i < 32 * 24; i++)
                light += 255 * light_of(got[i] / 255.0) / (32 * 24);
            if (as_light)
                assert_true(light > 127 && light < 129);
            else
                assert_true(light > 53 && light < 56);
            stage->close(stage);
        }
    for (uint32_t value = 0; value <= 65535; value += 257 * 15) {
        uint16_t wide[8 * 6], wide_got[5 * 11];
        float real[8 * 6], real_got[5 * 11];
        for (int i = 0; i < 8 * 6; i++)
            wide[i] = (uint16_t)value, real[i] = (float)value / 50000;
        ro_read_options options = {RO_READ_DEFAULTS, .resize_width = 5, .resize_height = 11,
                                   .resize_light = 1};
        struct memory memory = memory_open(wide, RO_GREY16, 8, 6, 65535);
        struct row_stage *stage;
        assert_int_equal(resize_stage(&memory.stage, &options, &stage), RO_OK);
        assert_int_equal(stage->rows(stage, (uint8_t *)wide_got, 10, 11), RO_OK);
        stage->close(stage);
        memory = memory_open(real, RO_GREYF, 8, 6, 1);
        assert_int_equal(resize_stage(&memory.stage, &options, &stage), RO_OK);
        assert_int_equal(stage->rows(stage, (uint8_t *)real_got, 20, 11), RO_OK);
        stage->close(stage);
        for (int i = 0; i < 5 * 11; i++) {
            assert_int_equal(wide_got[i], value);
            assert_true(fabs(real_got[i] - real[0]) <= 1e-6 * real[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_letters),           cmocka_unit_test(turned_colours),
        cmocka_unit_test(resized_like_the_formula), cmocka_unit_test(flat_stays_flat),
        cmocka_unit_test(sizes_and_resolution),     cmocka_unit_test(proportions),
        cmocka_unit_test(cut_and_enlarged),         cmocka_unit_test(light_is_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
