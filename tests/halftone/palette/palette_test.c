/* SPDX-License-Identifier: MIT */
/*
 * Palettes: the table of nearest colours, variants against the definition bit for bit, tone that
 * mixtures keep, and what is refused.
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
#include "fixture.h"
#include "halftone/palette/region.h"
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_palette palette_of(const char *text)
{
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, text, &palette), RO_OK);
    palette.panel = 0; /* the colours alone, without the fit and the method of a panel */
    return palette;
}

static void light_of(const ro_palette *palette, int32_t light[3][PALETTE_MOST])
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < palette->count; k++)
            light[c][k] = 16 * tone_round(tone_from_srgb(palette->colours[k][c] / 255.0));
}

/* ---- the table ------------------------------------------------------------------------------ */

static void cells_cover_the_scale(void **state)
{
    (void)state;
    int last = 0;
    assert_int_equal(palette_cell(0), 0);
    for (int32_t v = 0; v <= PALETTE_WHITE; v++) {
        int cell = palette_cell(v);
        assert_true(cell == last || cell == last + 1);
        last = cell;
    }
    assert_int_equal(last, PALETTE_CELLS - 1);
}

/* FNV-1a over the table: the same on every machine, and changed only with the definition. */
static void the_table_is_golden(void **state)
{
    (void)state;
    static uint8_t nearest[PALETTE_ENTRIES];
    static int32_t light[3][PALETTE_MOST];
    static const struct {
        const char *name;
        uint64_t hash;
    } goldens[] = {{"7-colour", 0xe41bb720fd639c0a}, {"spectra6-panel", 0x59720155014c2590}};
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        ro_palette palette = palette_of(goldens[i].name);
        light_of(&palette, light);
        palette_fill_nearest(light, palette.count, nearest);
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t k = 0; k < sizeof nearest; k++)
            hash = (hash ^ nearest[k]) * 0x100000001b3u;
        if (hash != goldens[i].hash)
            fail_msg("%s: 0x%llx", goldens[i].name, (unsigned long long)hash);
    }
}

/* Greys choose among black, white and grey-like colours; pure colours choose themselves. */
static void nearest_colours_make_sense(void **state)
{
    (void)state;
    static uint8_t nearest[PALETTE_ENTRIES];
    static int32_t light[3][PALETTE_MOST];
    ro_palette palette = palette_of("bwr");
    light_of(&palette, light);
    palette_fill_nearest(light, palette.count, nearest);
    for (int i = 0; i < PALETTE_CELLS; i++)
        assert_int_not_equal(nearest[i | i << PALETTE_SHIFT | i << 2 * PALETTE_SHIFT], 2);
    /* What grey leaves behind after too much red, a dark cyan, must never ask for more of it. */
    for (int i = 0; i < PALETTE_CELLS; i++)
        assert_int_not_equal(nearest[i << PALETTE_SHIFT | i << 2 * PALETTE_SHIFT], 2);
    assert_int_equal(nearest[PALETTE_CELLS - 1], 2);
}

/* ---- variants -------------------------------------------------------------------------------- */

static void random_rows(void *data, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)data)[i] = (uint8_t)(pixel_hash(seed, (uint32_t)i, 0) >> 24);
}

struct variant {
    ro_cpu cpu;
    int threads;
};

/* Runs the public call in one variant, with guard bytes behind each row. */
static void run_variant(struct variant variant, const ro_image *in, uint8_t *out, size_t stride,
                        const ro_halftone_options *options)
{
    ro_context *own;
    ro_context_options asked = {RO_CONTEXT_DEFAULTS, .cpu = variant.cpu,
                                .threads = variant.threads};
    ro_status status = ro_context_open(&asked, &own);
    memset(out, 0xa5, stride * in->height);
    if (status == RO_E_UNSUPPORTED)
        return; /* this processor lacks it */
    assert_int_equal(status, RO_OK);
    ro_image image = {.format = RO_INDEX8,
                      .width = in->width,
                      .height = in->height,
                      .maxval = 0,
                      .stride = (ptrdiff_t)stride,
                      .data = out};
    assert_int_equal(ro_halftone(own, in, &image, options), RO_OK);
    assert_int_equal(ro_context_report(own)->cpu, variant.cpu);
    for (uint32_t y = 0; y < in->height; y++)
        for (size_t x = in->width; x < stride; x++)
            assert_int_equal(out[y * stride + x], 0xa5);
    ro_context_close(own);
}

static void variants_give_the_same_bits(void **state)
{
    (void)state;
    static const struct variant variants[] = {
        {RO_CPU_SCALAR, 3}, {RO_CPU_V128, 1},   {RO_CPU_V128, 3},  {RO_CPU_AVX2, 1},
        {RO_CPU_AVX2, 3},   {RO_CPU_AVX512, 1}, {RO_CPU_AVX512, 3}};
    static const uint32_t sizes[][2] = {{1, 1},   {1, 40}, {2, 17},   {63, 33},
                                        {64, 16}, {65, 9}, {130, 50}, {333, 37}};
    static const char *const methods[] = {"floyd-steinberg", "jarvis-judice-ninke",
                                          "stevenson-arce", "atkinson"};
    /* Few colours, some, as many as are compared one by one, and more. */
    ro_palette many[4] = {{.count = 256}, {.count = 33}, {.count = 12}, {.count = 32}};
    for (int i = 0; i < 4; i++)
        random_rows(many[i].colours, sizeof many[i].colours, 5);
    const ro_palette palettes[] = {
        palette_of("7-colour-panel"), palette_of("bw"), many[0], many[1], many[2],
        palette_of("spectra6-panel"), many[3]};
    const size_t count = sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < 2 * count; i++) {
        uint32_t width = sizes[i % count][0], height = sizes[i % count][1];
        bool wide = i % 3 == 1;
        size_t row = 3 * (size_t)width * (wide ? 2 : 1), stride = width + 5;
        uint8_t *pixels = malloc(row * height);
        uint8_t *reference = malloc(stride * height), *result = malloc(stride * height);
        random_rows(pixels, row * height, i);
        ro_image in = {.format = wide ? RO_RGB16 : RO_RGB8,
                       .width = width,
                       .height = height,
                       .maxval = 0,
                       .stride = (ptrdiff_t)row,
                       .data = pixels};
        const ro_palette *palette = &palettes[i % 7];
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = palette,
                                       .method = methods[i % 4]};
        static const ro_kernel own = {120, 3, {{2, 0, 50}, {-7, 3, 60}, {1, 1, -10}}};
        if (i % count == 7) {
            options.method = NULL;
            options.kernel = &own;
        }
        run_variant((struct variant){RO_CPU_SCALAR, 1}, &in, reference, stride, &options);
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            run_variant(variants[v], &in, result, stride, &options);
            if (result[0] == 0xa5)
                continue;
            for (size_t k = 0; k < stride * height; k++)
                if (result[k] != reference[k])
                    fail_msg("%s, %d threads, %u x %u: column %zu of row %zu differs",
                             ro_cpu_name(variants[v].cpu), variants[v].threads, width, height,
                             k % stride, k / stride);
        }
        free(pixels);
        free(reference);
        free(result);
    }
}

/* One band of rows by vector code and by the definition, down to the errors it leaves: a wrong
 * remainder moves an error by one and hardly ever a pixel. */
static void check_band(const struct palette_code *code, const struct palette_plan *plan)
{
    enum { ROWS = DIFFUSION_MAX_DY };
    const uint32_t width = plan->width, lanes = (uint32_t)code->lanes;
    const size_t length = width + 2 * PALETTE_LINE_PAD;
    int32_t *lines = calloc((ROWS + lanes) * 3 * length, sizeof *lines); /* rows -3, -2, ... */
    int32_t *below = calloc(3 * ROWS * length, sizeof *below);
    uint8_t *pixels = malloc(3 * (size_t)width * lanes), *out = malloc(2 * (size_t)width * lanes);
    void *scratch = NULL;
    assert_int_equal(posix_memalign(&scratch, 64, code->scratch_bytes), 0);
    memset(scratch, 0, code->scratch_bytes);
    random_rows(pixels, 3 * (size_t)width * lanes, width);
#define LINE(row, channel) (lines + (((row) + ROWS) * 3 + (channel)) * length + PALETTE_LINE_PAD)
    struct palette_band band = {.in = pixels,
                                .in_stride = 3 * (ptrdiff_t)width,
                                .out = out,
                                .out_stride = width,
                                .rows = code->lanes,
                                .scratch = scratch};
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t row = 0; row < ROWS; row++) {
            int32_t *line = LINE(-1 - (int)row, c);
            for (uint32_t x = 0; x < width; x++)
                line[x] =
                    (int32_t)(pixel_hash(2, x, 3 * row + c) % PALETTE_WHITE) - PALETTE_WHITE / 2;
            band.above[c][row] = line;
            band.below[c][row] = below + (c * ROWS + row) * length + PALETTE_LINE_PAD;
        }
    int64_t end = width + plan->skew * (int64_t)(lanes - 1);
    code->begin(plan, &band);
    code->steps(plan, &band, 0, (end + PALETTE_CHUNK - 1) & -PALETTE_CHUNK);

    uint8_t *expected = out + (size_t)width * lanes;
    for (uint32_t r = 0; r < lanes; r++) {
        static struct palette_light known;
        memset(&known, 0, sizeof known);
        struct palette_row row = {
            .in = pixels + r * 3 * width, .out = expected + r * width, .known = &known};
        for (uint32_t c = 0; c < 3; c++)
            for (int dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
                row.line[c][dy] = LINE((int)r - dy, c);
        palette_columns(plan, &row, 0, width);
    }
    assert_memory_equal(out, expected, (size_t)width * lanes);
    for (uint32_t c = 0; c < 3; c++)
        for (int row = 0; row < plan->rows_down; row++)
            assert_memory_equal(band.below[c][row] - DIFFUSION_PAD,
                                LINE((int)lanes - 1 - row, c) - DIFFUSION_PAD,
                                (width + 2 * DIFFUSION_PAD) * sizeof(int32_t));
#undef LINE
    free(lines);
    free(below);
    free(pixels);
    free(out);
    free(scratch);
}

static void vector_code_leaves_the_same_errors(void **state)
{
    (void)state;
    static uint16_t linear[257];
    static const uint32_t widths[] = {1, 64, 65, 300};
    for (int i = 0; i < 256; i++)
        linear[i] = tone_round(tone_from_srgb(i / 255.0));
    for (int kernel = 0; kernel < DIFFUSION_KERNELS; kernel++)
        for (size_t w = 0; w < 4; w++) {
            ro_palette palette = palette_of(kernel % 2 ? "7-colour" : "bwr");
            if (kernel % 3 == 2) {
                palette.count = 256;
                random_rows(palette.colours, sizeof palette.colours, 1);
            }
            static struct palette_plan plan;
            plan = (struct palette_plan){.kernel = diffusion_kernels[kernel],
                                         .width = widths[w],
                                         .sample_bytes = 1,
                                         .linear = linear,
                                         .count = palette.count,
                                         .white = 255,
                                         .skew = diffusion_skew(&diffusion_kernels[kernel])};
            for (int i = 0; i < plan.kernel.count; i++)
                if (plan.kernel.taps[i].dy > plan.rows_down)
                    plan.rows_down = plan.kernel.taps[i].dy;
            light_of(&palette, plan.colour);
            struct palette_hull hull = {.count = plan.count};
            for (int k = 0; k < plan.count; k++)
                for (int c = 0; c < 3; c++)
                    hull.colour[k][c] = (uint16_t)(plan.colour[c][k] / 16);
            plan.hull = &hull;
            palette_plan_grid(&plan);
            palette_choice_make(&plan, &plan.choice);
            for (ro_cpu cpu = RO_CPU_V128; cpu <= cpu_best(); cpu++)
                if (palette_code_find(&plan, cpu))
                    check_band(palette_code_find(&plan, cpu), &plan);
        }
}

static void streams_give_the_same_bits(void **state)
{
    (void)state;
    enum { WIDTH = 100, HEIGHT = 75 };
    static uint8_t pixels[3 * WIDTH * HEIGHT], whole[3 * WIDTH * HEIGHT], parts[3 * WIDTH * HEIGHT];
    random_rows(pixels, sizeof pixels, 3);
    ro_palette palette = palette_of("spectra6");
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
    ro_image in = ro_image_view(RO_RGB8, WIDTH, HEIGHT, pixels);
    ro_image out = ro_image_view(RO_RGB8, WIDTH, HEIGHT, whole);
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    for (int i = 0; i < WIDTH * HEIGHT; i++) { /* RGB output holds colours of the palette */
        bool found = false;
        for (int k = 0; k < palette.count; k++)
            found |= memcmp(whole + 3 * i, palette.colours[k], 3) == 0;
        assert_true(found);
    }
    ro_plan *plan;
    ro_stream *stream;
    assert_int_equal(open_halftone(context, &in, RO_RGB8, &options, &plan, &stream), RO_OK);
    for (uint32_t y = 0, pulled = 0, taken, given; pulled < HEIGHT; pulled += given, y += taken) {
        uint32_t count = HEIGHT - y < 11 ? HEIGHT - y : 11;
        assert_int_equal(ro_stream_push(stream, pixels + y * 3 * WIDTH, 3 * WIDTH, count, &taken),
                         RO_OK);
        assert_int_equal(
            ro_stream_pull(stream, parts + pulled * 3 * WIDTH, 3 * WIDTH, HEIGHT - pulled, &given),
            RO_OK);
    }
    close_stream(plan, stream);
    assert_memory_equal(whole, parts, sizeof whole);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Runs a flat colour by the definition; the mean light of what was chosen below row `from` goes to
 * `mean`. */
static void flat(const ro_palette *palette, const uint16_t light[3], uint32_t height, uint32_t from,
                 double mean[3])
{
    enum { WIDTH = 200, LENGTH = WIDTH + 2 * DIFFUSION_PAD };
    static int32_t lines[2][3][LENGTH];
    static uint8_t levels[WIDTH];
    static struct palette_plan plan;
    static struct palette_light known;
    struct palette_hull hull = {.count = palette->count};
    uint8_t pixels[3 * WIDTH];
    plan = (struct palette_plan){.kernel = diffusion_kernels[KERNEL_FLOYD_STEINBERG],
                                 .width = WIDTH,
                                 .sample_bytes = 1,
                                 .linear = light,
                                 .count = palette->count,
                                 .hull = &hull,
                                 .white = 2};
    light_of(palette, plan.colour);
    for (int k = 0; k < plan.count; k++)
        for (int c = 0; c < 3; c++)
            hull.colour[k][c] = (uint16_t)(plan.colour[c][k] / 16);
    palette_plan_grid(&plan);
    palette_choice_make(&plan, &plan.choice);
    memset(&known, 0, sizeof known);
    for (int i = 0; i < 3 * WIDTH; i++)
        pixels[i] = (uint8_t)(i % 3); /* `light` holds the colour itself */
    memset(lines, 0, sizeof lines);
    for (int c = 0; c < 3; c++)
        mean[c] = 0;
    for (uint32_t y = 0; y < height; y++) {
        struct palette_row row = {.in = pixels, .out = levels, .known = &known};
        for (int c = 0; c < 3; c++)
            for (int dy = 0; dy < 2; dy++)
                row.line[c][dy] = lines[(y + (uint32_t)dy) % 2][c] + DIFFUSION_PAD;
        palette_columns(&plan, &row, 0, WIDTH);
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) {
                if (y >= from)
                    mean[c] += plan.colour[c][levels[x]] /
                               ((double)PALETTE_WHITE * WIDTH * (height - from));
            }
    }
}

/* A colour inside the palette's hull: a random mixture, of the first two colours only for odd
 * numbers (greys on e-paper). */
static void mix(const ro_palette *palette, uint32_t number, uint16_t light[3])
{
    static int32_t colours[3][PALETTE_MOST];
    uint64_t share[PALETTE_MOST], all = 0;
    int count = number % 2 ? 2 : palette->count;
    light_of(palette, colours);
    for (int k = 0; k < count; k++) {
        uint64_t random = pixel_hash(7, number, (uint32_t)k) >> 16;
        share[k] = random * random;
        all += share[k];
    }
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int k = 0; k < count; k++)
            sum += (double)share[k] / (double)all * colours[c][k];
        light[c] = (uint16_t)(sum / 16);
    }
}

/* Mixtures of a palette's colours keep their mean light, as far as docs/numerics.md says. */
static void mixtures_keep_their_light(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double most;
    } limits[] = {{"bw", 0.003},
                  {"bwr", 0.003},
                  {"bwry", 0.003},
                  {"7-colour", 0.003},
                  {"7-colour-panel", 0.003},
                  {"spectra6", 0.003},
                  {"spectra6-panel", 0.003}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        ro_palette palette = palette_of(limits[i].name);
        double worst = 0;
        for (uint32_t number = 0; number < 24; number++) {
            uint16_t light[3];
            double mean[3];
            mix(&palette, number, light);
            flat(&palette, light, 256, 64, mean);
            for (int c = 0; c < 3; c++)
                worst = fmax(worst, fabs(mean[c] - light[c] / 65535.0));
        }
        if (worst > limits[i].most)
            fail_msg("%s: off by %.4f", limits[i].name, worst);
    }
}

/* A picture that is in the palette already comes out as it went in. */
static void palette_colours_stay(void **state)
{
    (void)state;
    enum { WIDTH = 97, HEIGHT = 31 };
    static uint8_t pixels[3 * WIDTH * HEIGHT], out[WIDTH * HEIGHT], chosen[WIDTH * HEIGHT];
    const ro_palette_info *info;
    for (int i = 0; (info = ro_palette_at(i)); i++) {
        ro_palette palette = palette_of(info->name);
        random_rows(chosen, sizeof chosen, 9);
        for (size_t k = 0; k < sizeof chosen; k++) {
            chosen[k] = (uint8_t)(chosen[k] % palette.count);
            memcpy(pixels + 3 * k, palette.colours[chosen[k]], 3);
        }
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
        ro_image in = ro_image_view(RO_RGB8, WIDTH, HEIGHT, pixels);
        ro_image result = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, out);
        assert_int_equal(ro_halftone(context, &in, &result, &options), RO_OK);
        assert_memory_equal(out, chosen, sizeof out);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void palettes_are_read(void **state)
{
    (void)state;
    ro_palette palette = palette_of("Black, WHITE #f00 #12aBcD");
    static const uint8_t colours[4][3] = {{0, 0, 0}, {255, 255, 255}, {255, 0, 0}, {18, 171, 205}};
    assert_int_equal(palette.count, 4);
    assert_memory_equal(palette.colours, colours, sizeof colours);
    assert_int_equal(palette_of("7 Colour").count, 7);
    assert_int_equal(palette_of("ACeP").count, 7);
    const ro_palette_info *info;
    for (int i = 0; (info = ro_palette_at(i)); i++)
        assert_true(strlen(info->source) > 10);

    static const char *const bad[][2] = {
        {"black", "2 to 256"},           {"", "2 to 256"},       {"black wihte", "white"},
        {"#12345 black", "#12345"},      {"#ggg black", "#ggg"}, {"xyzzy black", "xyzzy"},
        {"#ffff00000000 #000", "8 bits"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ro_palette_parse(context, bad[i][0], &palette), RO_E_ARGUMENT);
        assert_non_null(strstr(ro_context_message(context), bad[i][1]));
    }
    char long_text[300 * 5 + 1] = "";
    for (int i = 0; i < 300; i++)
        sprintf(long_text + 5 * i, "#%03x ", i);
    assert_int_equal(ro_palette_parse(context, long_text, &palette), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "300"));
}

static void refused(ro_halftone_options options, ro_format format, const char *word)
{
    uint8_t pixels[12] = {0}, out[12];
    ro_image in = ro_image_view(RO_RGB8, 2, 2, pixels),
             image = {
                 .format = format, .width = 2, .height = 2, .maxval = 0, .stride = 6, .data = out};
    assert_int_not_equal(ro_halftone(context, &in, &image, &options), RO_OK);
    if (!strstr(ro_context_message(context), word))
        fail_msg("'%s' does not say '%s'", ro_context_message(context), word);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    ro_palette palette = palette_of("bwr"), one = {.count = 1}, many = {.count = 300};
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &one}, RO_INDEX8, "not 1");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &many}, RO_INDEX8, "not 300");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette}, RO_BITS, "palette");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette, .levels = 4},
            RO_INDEX8, "levels");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette, .threshold = 4},
            RO_INDEX8, "threshold");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette, .method = "dbs"},
            RO_INDEX8, "palette");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette, .schedule = "ed"},
            RO_INDEX8, "ed");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette,
                                  .channels = RO_CHANNELS_RGB},
            RO_RGB8, "palette");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_cover_the_scale),
        cmocka_unit_test(the_table_is_golden),
        cmocka_unit_test(nearest_colours_make_sense),
        cmocka_unit_test(variants_give_the_same_bits),
        cmocka_unit_test(vector_code_leaves_the_same_errors),
        cmocka_unit_test(streams_give_the_same_bits),
        cmocka_unit_test(mixtures_keep_their_light),
        cmocka_unit_test(palette_colours_stay),
        cmocka_unit_test(palettes_are_read),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
