/* SPDX-License-Identifier: MIT */
/*
 * Acuity: its tables as the method needs them, every schedule equal to the reference, an account of
 * tone that is exact, errors that stay bounded on hostile pictures, clean black and white, and flat
 * fields that keep their tone.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/cpu.h"
#include "halftone/error_diffusion/acuity.h"
#include "roundoff/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t counter;
static uint32_t draw(uint32_t limit) { return pixel_hash(19, counter++, 3) % limit; }

/* Weights that sum to one, thresholds inside a step, and sums that fit lanes of 16 bits: all that
 * can flow into a pixel, be it from ten errors at their bound and each of the worst class. */
static void tables_are_as_the_method_needs_them(void **state)
{
    (void)state;
    for (enum acuity_variant v = 0; v < ACUITY_VARIANTS; v++) {
        const struct acuity_table *table = acuity_table_of(v);
        int most[ACUITY_TAPS] = {0}, flow = 0;
        for (int c = 0; c < ACUITY_CLASSES; c++) {
            int sum = 0;
            for (int i = 0; i < ACUITY_TAPS; i++) {
                const int weight = table->weights[c][i];
                sum += weight;
                most[i] = abs(weight) > most[i] ? abs(weight) : most[i];
                assert_true(weight == 0 || acuity_has(v, i));
            }
            assert_int_equal(sum, ACUITY_ONE);
        }
        for (int i = 0; i < ACUITY_TAPS; i++)
            flow += (most[i] * (5 * 4080 / 4) + ACUITY_ONE - 1) / ACUITY_ONE;
        flow += ACUITY_TAPS; /* roundings that the rest takes */
        assert_true(4080 + flow + 4080 < INT16_MAX);
        for (int c = 0; c < ACUITY_CLASSES; c++) {
            const int16_t *line = table->thresholds[c];
            assert_in_range(line[1] + 128, 0, 255);
            assert_in_range(line[0], 410, 3686);
            assert_in_range(line[0] + 3 * line[1], 410, 3686);
        }
    }
}

static void run_schedule(const struct diffusion_schedule *schedule,
                         const struct diffusion_plan *plan, const unsigned char *in,
                         uint32_t height, ro_cpu cpu, int threads, struct thread_pool *pool,
                         unsigned char *out)
{
    struct diffusion_run run = {.plan = plan, .pool = pool, .cpu = cpu, .threads = threads};
    size_t bytes = schedule->state_bytes(plan, cpu, threads);
    assert_int_equal(posix_memalign(&run.state, 64, bytes), 0);
    memset(run.state, 0, bytes);
    memset(out, 0xee, (size_t)plan->width * height);
    uint32_t rows = (uint32_t)schedule->granularity(plan, cpu);
    ptrdiff_t stride = (ptrdiff_t)plan->width * plan->sample_bytes;
    for (uint32_t y = 0; y < height; y += rows) {
        if (y > 0)
            rows = height - y;
        uint32_t count = height - y < rows ? height - y : rows;
        struct halftone_block block = {in + y * stride, stride, out + (size_t)y * plan->width,
                                       plan->width,     count,  y};
        schedule->run(&run, &block);
    }
    free(run.state);
}

static void fill(unsigned char *in, size_t pixels, uint32_t maxval)
{
    int kind = (int)draw(3);
    uint32_t flat = draw(maxval + 1);
    for (size_t i = 0; i < pixels; i++) {
        uint32_t value = kind == 0 ? flat : kind == 1 ? draw(2) * maxval : draw(maxval + 1);
        if (maxval <= 255)
            in[i] = (unsigned char)value;
        else
            ((uint16_t *)(void *)in)[i] = (uint16_t)value;
    }
}

static void schedules_give_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t whites[] = {255, 255, 255, 1, 97, 254, 65535, 1023};
    struct thread_pool *pool = pool_open(2, NULL);
    for (int round = 0; round < 200; round++) {
        struct diffusion_plan plan;
        uint32_t width = 1 + draw(draw(4) ? draw(4) ? 180 : 4 : 900), height = 1 + draw(80);
        uint32_t maxval = whites[draw(8)];
        struct diffusion_request request = {.width = width,
                                            .maxval = maxval,
                                            .sample_bytes = maxval > 255 ? 2 : 1,
                                            .levels = draw(3) ? 2 : 2 + (int)draw(255)};
        struct acuity_plan *acuity =
            acuity_plan_make(&plan, &request, (enum acuity_variant)(round % ACUITY_VARIANTS));
        assert_non_null(acuity);
        size_t pixels = (size_t)width * height;
        unsigned char *in = malloc(2 * pixels), *want = malloc(pixels), *got = malloc(pixels);
        fill(in, pixels, maxval);
        run_schedule(&acuity_reference, &plan, in, height, RO_CPU_SCALAR, 1, NULL, want);
        run_schedule(&acuity_ed, &plan, in, height, RO_CPU_SCALAR, 1, NULL, got);
        assert_memory_equal(want, got, pixels);
        for (int cpu = RO_CPU_SCALAR; cpu <= (int)cpu_best(); cpu++) {
            run_schedule(&diffusion_wave, &plan, in, height, (ro_cpu)cpu, 1 + round / 2 % 2, pool,
                         got);
            for (size_t i = 0; i < pixels; i++)
                if (want[i] != got[i])
                    fail_msg("%s, %u x %u, maxval %u, %d levels: pixel (%zu, %zu)",
                             ro_cpu_name((ro_cpu)cpu), width, height, maxval, plan.levels,
                             i % width, i / width);
        }
        free(in);
        free(want);
        free(got);
        free(acuity);
    }
    pool_close(pool);
}

/* ---- through the public interface ------------------------------------------------------------ */

enum { SIDE = 512 };
static const char *const methods[] = {"acuity", "acuity-6", "acuity-4"};

struct sheet {
    ro_context *context;
    ro_image in, out;
};

static int open_sheet(void **state)
{
    static struct sheet sheet;
    *state = &sheet;
    return ro_context_open(NULL, &sheet.context) == RO_OK &&
                   ro_image_alloc(sheet.context, RO_GREY8, SIDE, SIDE, 255, &sheet.in) == RO_OK &&
                   ro_image_alloc(sheet.context, RO_BITS, SIDE, SIDE, 0, &sheet.out) == RO_OK
               ? 0
               : -1;
}

static int close_sheet(void **state)
{
    struct sheet *sheet = *state;
    ro_image_free(&sheet->in);
    ro_image_free(&sheet->out);
    ro_context_close(sheet->context);
    return 0;
}

static uint64_t dots_of(struct sheet *sheet, const char *method)
{
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method};
    assert_int_equal(ro_halftone(sheet->context, &sheet->in, &sheet->out, &options), RO_OK);
    uint64_t count = 0;
    for (size_t i = 0; i < (size_t)sheet->out.stride * SIDE; i++)
        count += (uint64_t)__builtin_popcount(((unsigned char *)sheet->out.data)[i]);
    return count;
}

static ro_halftone_audit audit_of(struct sheet *sheet, const char *method)
{
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method};
    ro_halftone_audit audit = {.size = sizeof audit};
    assert_int_equal(
        ro_halftone_audit_of(sheet->context, &sheet->in, &sheet->out, &options, &audit), RO_OK);
    assert_int_equal(audit.unlike, 0);
    assert_int_equal(audit.tone_in, audit.tone_out + audit.border + audit.lost);
    return audit;
}

/* Black and white have no dot; every other grey keeps its tone, and nothing is lost to the bound.
 */
static void flat_fields_keep_their_tone(void **state)
{
    struct sheet *sheet = *state;
    for (int i = 0; i < 3 * 256; i++) {
        const int grey = i / 3;
        const char *method = methods[i % 3];
        memset(sheet->in.data, grey, (size_t)sheet->in.stride * SIDE);
        const double tone = 255 * (double)dots_of(sheet, method) / (SIDE * SIDE);
        if (fabs(tone - grey) > (grey == 0 || grey == 255 ? 0 : 0.3))
            fail_msg("%s: grey %d became %.3f", method, grey, tone);
        if (grey % 16 == 5)
            assert_int_equal(audit_of(sheet, method).lost, 0);
    }
}

/* From 3 dB on rows of dots show. A search that starts from acuity has its order. */
static void flats_have_no_worms(void **state)
{
    struct sheet *sheet = *state;
    for (int i = 0; i < 32; i++) {
        const int grey = i < 31 ? 4 + 8 * i : 64;
        const bool search = grey == 64;
        ro_measure_report report = {.size = sizeof report};
        memset(sheet->in.data, grey, (size_t)sheet->in.stride * SIDE);
        dots_of(sheet, search ? "dbs-clipping-free" : "acuity");
        assert_int_equal(ro_measure(sheet->context, &sheet->in, &sheet->out, NULL, &report), RO_OK);
        if (report.worms > (search ? 2 : 3))
            fail_msg("grey %d has worms of %.2f dB", grey, report.worms);
        ro_free(report.fields);
    }
}

/* Black and white stay clean beside greys: the error of an edge dies in them. */
static void black_and_white_stay_clean(void **state)
{
    struct sheet *sheet = *state;
    unsigned char *in = sheet->in.data;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            in[y * sheet->in.stride + x] = (unsigned char)(y < 64 || x < 64 ? 1 + draw(254)
                                                           : y < 256        ? 0
                                                                            : 255);
    dots_of(sheet, methods[0]);
    const unsigned char *out = sheet->out.data;
    unsigned dots = 0, holes = 0;
    for (int y = 80; y < SIDE; y++)
        for (int x = 80 / 8; x < SIDE / 8; x++) {
            const unsigned char octet = out[y * sheet->out.stride + x];
            if (y < 256)
                dots += (unsigned)__builtin_popcount(octet);
            else if (y >= 272)
                holes += 8 - (unsigned)__builtin_popcount(octet);
        }
    assert_int_equal(dots, 0);
    assert_int_equal(holes, 0);
}

/* Mosaics of extremes, where errors of many classes meet: the account stays exact. */
static void hostile_pictures_are_accounted_for(void **state)
{
    struct sheet *sheet = *state;
    unsigned char *in = sheet->in.data;
    for (int kind = 0; kind < 9; kind++) {
        static const unsigned char some[] = {96, 160, 100, 155, 1, 254, 85, 170};
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const unsigned tile = pixel_hash((uint64_t)kind, (uint32_t)(x >> kind % 6),
                                                 (uint32_t)(y >> kind % 6));
                in[y * sheet->in.stride + x] =
                    kind < 3 ? some[tile % 8]
                             : (unsigned char)(tile % 2 ? some[tile / 2 % 8] : tile >> 8);
            }
        dots_of(sheet, methods[kind % 3]);
        audit_of(sheet, methods[kind % 3]);
    }
}

/* A channel of colours is rounded as the same tones of grey, to any levels. */
static void channels_are_rounded_as_grey(void **state)
{
    enum { WIDTH = 90, HEIGHT = 40, PIXELS = WIDTH * HEIGHT };
    struct sheet *sheet = *state;
    static unsigned char colours[3 * PIXELS], rounded[3 * PIXELS], grey[PIXELS], levels[PIXELS];
    for (int i = 0; i < 3 * PIXELS; i++)
        colours[i] = (unsigned char)(i / 3 % WIDTH * 2 + draw(60));
    const ro_image in = ro_image_view(RO_RGB8, WIDTH, HEIGHT, colours);
    const ro_image one = ro_image_view(RO_GREY8, WIDTH, HEIGHT, grey);
    ro_image out = ro_image_view(RO_RGB8, WIDTH, HEIGHT, rounded);
    ro_image numbers = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, levels);
    for (int m = 0; m < 9; m++) {
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m % 3],
                                       .levels = m < 3   ? 2
                                                 : m < 6 ? 4
                                                         : 16,
                                       .channels = RO_CHANNELS_RGB};
        assert_int_equal(ro_halftone(sheet->context, &in, &out, &options), RO_OK);
        options.channels = RO_CHANNELS_GREY;
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < PIXELS; i++)
                grey[i] = colours[3 * i + c];
            assert_int_equal(ro_halftone(sheet->context, &one, &numbers, &options), RO_OK);
            for (int i = 0; i < PIXELS; i++)
                assert_int_equal(rounded[3 * i + c], levels[i] * 255 / (options.levels - 1));
        }
    }
}

static uint64_t fnv(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* 8 bits to two levels, 16 bits to two, 8 bits to five. */
static void goldens_hold(void **state)
{
    (void)state;
    enum { WIDTH = 300, HEIGHT = 200 };
    static unsigned char pixels[WIDTH * HEIGHT], out[WIDTH * HEIGHT];
    static uint16_t wide[WIDTH * HEIGHT];
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        pixels[i] =
            (unsigned char)(pixel_hash(1, i % WIDTH, i / WIDTH) % 100 + i % WIDTH * 155 / WIDTH);
        wide[i] = (uint16_t)(pixels[i] * 257 + pixel_hash(2, i, 0) % 200);
    }
    const ro_image in = ro_image_view(RO_GREY8, WIDTH, HEIGHT, pixels);
    const ro_image in16 = ro_image_view(RO_GREY16, WIDTH, HEIGHT, wide);
    ro_image numbers = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, out);
    const struct {
        const ro_image *in;
        int levels;
        uint64_t hash;
    } goldens[] = {
        {&in, 2, 0x5a4962042f506fd9}, {&in16, 2, 0xc6a73fb2d3cecee5}, {&in, 5, 0x50f2270292c1c9d0}};
    ro_context *context;
    bool wrong = false;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "acuity",
                                             .levels = goldens[i].levels};
        assert_int_equal(ro_halftone(context, goldens[i].in, &numbers, &options), RO_OK);
        const uint64_t hash = fnv(out, sizeof out);
        if (hash != goldens[i].hash) {
            print_error("golden %zu has become 0x%llx\n", i, (unsigned long long)hash);
            wrong = true;
        }
    }
    assert_false(wrong);
    ro_context_close(context);
}

static void options_are_checked(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    unsigned char pixel = 100, level;
    ro_image in = ro_image_view(RO_GREY8, 1, 1, &pixel),
             out = ro_image_view(RO_INDEX8, 1, 1, &level);
    const ro_halftone_options wrong[] = {
        {RO_HALFTONE_DEFAULTS, .method = "acuity", .serpentine = 1},
        {RO_HALFTONE_DEFAULTS, .method = "acuity", .noise = 10},
        {RO_HALFTONE_DEFAULTS, .method = "acuity", .seed = 1},
        {RO_HALFTONE_DEFAULTS, .method = "acuity", .strength = 50},
        {RO_HALFTONE_DEFAULTS, .method = "acuity", .schedule = "ec"},
        {RO_HALFTONE_DEFAULTS, .method = "acuity", .threshold = 40},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_not_equal(ro_halftone(context, &in, &out, &wrong[i]), RO_OK);
    ro_halftone_options right = {RO_HALFTONE_DEFAULTS, .method = "Acuity", .levels = 5,
                                 .schedule = "ed"};
    assert_int_equal(ro_halftone(context, &in, &out, &right), RO_OK);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_as_the_method_needs_them),
        cmocka_unit_test(schedules_give_the_same_bits),
        cmocka_unit_test_setup_teardown(flat_fields_keep_their_tone, open_sheet, close_sheet),
        cmocka_unit_test_setup_teardown(flats_have_no_worms, open_sheet, close_sheet),
        cmocka_unit_test_setup_teardown(black_and_white_stay_clean, open_sheet, close_sheet),
        cmocka_unit_test_setup_teardown(hostile_pictures_are_accounted_for, open_sheet,
                                        close_sheet),
        cmocka_unit_test_setup_teardown(channels_are_rounded_as_grey, open_sheet, close_sheet),
        cmocka_unit_test(goldens_hold),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
