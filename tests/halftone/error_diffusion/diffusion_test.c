/* SPDX-License-Identifier: MIT */
/*
 * Properties of error diffusion: the plan that follows from the taps, the exact balance of tone,
 * the bound on errors, the goldens, and what the public calls refuse. That every schedule gives the
 * reference's bits is rocheck's work.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "halftone/error_diffusion/diffusion.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

static struct diffusion_plan plan_for(int kernel, uint32_t width, uint32_t maxval, int levels)
{
    struct diffusion_plan plan;
    diffusion_plan_make(&plan, &(struct diffusion_request){
                                   .kernel = &diffusion_kernels[kernel],
                                   .kernel_id = kernel,
                                   .width = width,
                                   .maxval = maxval,
                                   .sample_bytes = maxval > 255 ? 2 : 1,
                                   .levels = levels,
                                   .bits_out = false,
                               });
    return plan;
}

static void plan_follows_from_the_taps(void **state)
{
    (void)state;
    struct diffusion_plan plan = plan_for(KERNEL_FLOYD_STEINBERG, 100, 255, 2);
    assert_int_equal(plan.reach_left, 1);
    assert_int_equal(plan.reach_right, 1);
    assert_int_equal(plan.rows_down, 1);
    assert_int_equal(plan.skew, 4);
    assert_int_equal(plan.lane_bits, 16);
    assert_int_equal(plan.bound, 2040);
    plan = plan_for(KERNEL_FLOYD_STEINBERG, 100, 65535, 2);
    assert_int_equal(plan.lane_bits, 32);
    assert_int_equal(plan.bound, 524280);
    plan = plan_for(KERNEL_FLOYD_STEINBERG, 100, 255, 4);
    assert_int_equal(plan.level[1], 1360);
    assert_int_equal(plan.middle[0], 680); /* a tie, 680, goes to the darker */
}

/* Rounds an image by the text of the definition, in 64 bits, and keeps every error and carry. */
struct trace {
    int32_t *errors;
    int *levels;
    int64_t *last_carry; /* of each row */
    uint32_t width, height;
};

static int32_t error_at(const struct trace *trace, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= trace->width || y >= trace->height)
        return 0;
    return trace->errors[y * trace->width + x];
}

static struct trace follow(const struct diffusion_plan *plan, const struct diffusion_kernel *kernel,
                           const uint16_t *pixels, uint32_t height)
{
    struct trace trace = {.width = plan->width, .height = height};
    trace.errors = calloc((size_t)plan->width * height, sizeof *trace.errors);
    trace.levels = calloc((size_t)plan->width * height, sizeof *trace.levels);
    trace.last_carry = calloc(height, sizeof *trace.last_carry);
    for (int64_t y = 0; y < height; y++) {
        int64_t c = kernel->divisor / 2;
        for (int64_t x = 0; x < plan->width; x++) {
            int64_t t = c;
            for (int i = 0; i < kernel->count; i++)
                t += (int64_t)kernel->taps[i].weight *
                     error_at(&trace, x - kernel->taps[i].dx, y - kernel->taps[i].dy);
            int64_t q = floor_divide(t, kernel->divisor);
            c = t - q * kernel->divisor;
            int64_t v = 16 * pixels[y * plan->width + x] + q;
            int best = 0;
            for (int k = 1; k < plan->levels; k++)
                if (llabs(v - plan->level[k]) < llabs(v - plan->level[best]))
                    best = k;
            trace.levels[y * plan->width + x] = best;
            trace.errors[y * plan->width + x] = (int32_t)(v - plan->level[best]);
        }
        trace.last_carry[y] = c;
    }
    return trace;
}

static void drop(struct trace *trace)
{
    free(trace->errors);
    free(trace->levels);
    free(trace->last_carry);
}

/* The reference and the text agree; nothing of the tone is lost; no error leaves its bound. */
static void tone_balances_exactly(void **state)
{
    (void)state;
    static const int levels[] = {2, 3, 7, 256};
    static const uint32_t whites[] = {255, 100, 65535};
    enum { WIDTH = 61, HEIGHT = 43 };
    static uint16_t pixels[WIDTH * HEIGHT];
    static unsigned char small[WIDTH * HEIGHT], got[WIDTH * HEIGHT];
    for (int kernel = 0; kernel < DIFFUSION_KERNELS; kernel++)
        for (int n = 0; n < 4; n++)
            for (int m = 0; m < 3; m++)
                for (int kind = 0; kind < 3; kind++) {
                    const struct diffusion_kernel *taps = &diffusion_kernels[kernel];
                    struct diffusion_plan plan = plan_for(kernel, WIDTH, whites[m], levels[n]);
                    for (int i = 0; i < WIDTH * HEIGHT; i++) {
                        uint32_t noise = pixel_hash(7, (uint32_t)i, (uint32_t)kind);
                        pixels[i] = (uint16_t)(kind == 0   ? noise % (whites[m] + 1)
                                               : kind == 1 ? (noise & 1) * whites[m]
                                                           : whites[m] / 3);
                        small[i] = (unsigned char)pixels[i];
                    }
                    struct diffusion_run run = {.plan = &plan};
                    run.state = calloc(1, diffusion_reference.state_bytes(&plan, 0, 1));
                    struct halftone_block block = {plan.sample_bytes == 2 ? (unsigned char *)pixels
                                                                          : small,
                                                   WIDTH * plan.sample_bytes,
                                                   got,
                                                   WIDTH,
                                                   HEIGHT,
                                                   0};
                    diffusion_reference.run(&run, &block);
                    free(run.state);

                    struct trace trace = follow(&plan, taps, pixels, HEIGHT);
                    int64_t tone_in = 0, tone_out = 0, leaving = 0, carried = 0, weights = 0;
                    for (int i = 0; i < taps->count; i++)
                        weights += taps->taps[i].weight;
                    for (int64_t y = 0; y < HEIGHT; y++) {
                        carried += trace.last_carry[y] - taps->divisor / 2;
                        for (int64_t x = 0; x < WIDTH; x++) {
                            int32_t e = trace.errors[y * WIDTH + x];
                            assert_int_equal(got[y * WIDTH + x], trace.levels[y * WIDTH + x]);
                            assert_true(abs(e) <= plan.bound);
                            tone_in += 16 * pixels[y * WIDTH + x];
                            tone_out += plan.level[trace.levels[y * WIDTH + x]];
                            for (int i = 0; i < taps->count; i++) {
                                int64_t to_x = x + taps->taps[i].dx, to_y = y + taps->taps[i].dy;
                                if (to_x < 0 || to_x >= WIDTH || to_y >= HEIGHT)
                                    leaving += (int64_t)e * taps->taps[i].weight;
                            }
                        }
                    }
                    if (weights == taps->divisor)
                        assert_true(taps->divisor * tone_in ==
                                    taps->divisor * tone_out + leaving + carried);
                    drop(&trace);
                }
}

/* A reference that changes silently is caught here; these change only with the definition. */
static uint64_t fnv(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

static void goldens_hold(void **state)
{
    (void)state;
    enum { WIDTH = 300, HEIGHT = 200 };
    static unsigned char pixels[WIDTH * HEIGHT], bits[(WIDTH + 7) / 8 * HEIGHT],
        numbers[WIDTH * HEIGHT];
    static uint16_t wide[WIDTH * HEIGHT];
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        pixels[i] =
            (unsigned char)(pixel_hash(1, i % WIDTH, i / WIDTH) % 100 + i % WIDTH * 155 / WIDTH);
        wide[i] = (uint16_t)(pixels[i] * 257 + pixel_hash(2, i, 0) % 200);
    }
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    ro_image in = ro_image_view(RO_GREY8, WIDTH, HEIGHT, pixels);
    ro_image in16 = ro_image_view(RO_GREY16, WIDTH, HEIGHT, wide);
    ro_image out = ro_image_view(RO_BITS, WIDTH, HEIGHT, bits);
    ro_image levels = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, numbers);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "floyd-steinberg"};
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    assert_true(fnv(bits, sizeof bits) == 0x65c51b173150deaull);
    assert_int_equal(ro_halftone(context, &in16, &out, &options), RO_OK);
    assert_true(fnv(bits, sizeof bits) == 0x510303b330ac94bull);
    options.levels = 5;
    assert_int_equal(ro_halftone(context, &in, &levels, &options), RO_OK);
    assert_true(fnv(numbers, sizeof numbers) == 0xfc1a93c9aa180da5ull);
    ro_context_close(context);
}

/* Colour, floats and tones out. */
static void formats_convert(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    unsigned char rgb[2 * 3] = {255, 255, 255, 0, 0, 0}, tones[2];
    ro_image in = ro_image_view(RO_RGB8, 2, 1, rgb), out = ro_image_view(RO_GREY8, 2, 1, tones);
    assert_int_equal(ro_halftone(context, &in, &out, NULL), RO_OK);
    assert_int_equal(tones[0], 255);
    assert_int_equal(tones[1], 0);
    float samples[4] = {2.0f, -1.0f, 1.0f, 0.0f};
    unsigned char levels[4];
    ro_image floats = {.format = RO_GREYF,
                       .width = 4,
                       .height = 1,
                       .maxval = 0,
                       .stride = sizeof samples,
                       .data = samples};
    ro_image numbers = ro_image_view(RO_INDEX8, 4, 1, levels);
    ro_halftone_options five = {RO_HALFTONE_DEFAULTS, .levels = 5};
    assert_int_equal(ro_halftone(context, &floats, &numbers, &five), RO_OK);
    assert_int_equal(levels[0], 4);
    assert_int_equal(levels[1], 0);
    assert_int_equal(levels[2], 4);
    samples[2] = __builtin_nanf("");
    assert_int_equal(ro_halftone(context, &floats, &numbers, &five), RO_E_FORMAT);
    assert_string_equal(ro_context_message(context),
                        "the pixel at column 2, row 0 is not a number");
    ro_context_close(context);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    ro_context *context;
    unsigned char pixels[64] = {0}, bits[64];
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    ro_image in = ro_image_view(RO_GREY8, 8, 8, pixels), out = ro_image_view(RO_BITS, 8, 8, bits);
    ro_image bad = in;
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    bad.width = 0;
    assert_int_equal(ro_halftone(context, &bad, &out, NULL), RO_E_SIZE);
    bad = in;
    bad.stride = 7;
    assert_int_equal(ro_halftone(context, &bad, &out, NULL), RO_E_ARGUMENT);
    bad = in;
    bad.height = 7;
    assert_int_equal(ro_halftone(context, &bad, &out, NULL), RO_E_SIZE);
    bad = in;
    bad.maxval = 256;
    assert_int_equal(ro_halftone(context, &bad, &out, NULL), RO_E_ARGUMENT);
    bad = in;
    bad.maxval = 7;
    pixels[9] = 8; /* above maxval */
    assert_int_equal(ro_halftone(context, &bad, &out, NULL), RO_E_FORMAT);
    options.levels = 1;
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
    options.levels = 257;
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
    options.levels = 3; /* does not fit bits */
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
    options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "floyd-steinburg"};
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "did you mean floyd-steinberg?"));
    options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .schedule = "warp"};
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
    ro_context_close(context);

    ro_context_options two = {RO_CONTEXT_DEFAULTS, .threads = 2};
    assert_int_equal(ro_context_open(&two, &context), RO_OK);
    options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .schedule = "ed"};
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_UNSUPPORTED);
    ro_context_close(context);
}

static int stop_at_once(void *data, const char *phase, double done)
{
    (void)phase;
    *(double *)data = done;
    return 1;
}

static void cancelling_works(void **state)
{
    (void)state;
    double seen = -1;
    unsigned char pixels[64] = {0}, bits[8];
    ro_context *context;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .progress = stop_at_once, .user = &seen};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    ro_image in = ro_image_view(RO_GREY8, 8, 8, pixels), out = ro_image_view(RO_BITS, 8, 8, bits);
    assert_int_equal(ro_halftone(context, &in, &out, NULL), RO_E_CANCELLED);
    assert_true(seen > 0);
    assert_true(ro_context_cancelled(context));
    ro_context_close(context);
}

static void streams_keep_their_order(void **state)
{
    (void)state;
    ro_context *context;
    ro_plan *plan;
    ro_stream *stream;
    unsigned char row[8] = {0}, bits[2];
    uint32_t taken, given;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    ro_image in = {.format = RO_GREY8, .width = 8, .height = 2};
    assert_int_equal(open_halftone(context, &in, RO_BITS, NULL, &plan, &stream), RO_OK);
    assert_int_equal(ro_stream_pull(stream, bits, 1, 2, &given), RO_OK);
    assert_int_equal(given, 0);
    assert_int_equal(ro_stream_push(stream, row, 8, 1, &taken), RO_OK);
    assert_int_equal(ro_stream_push(stream, row, 8, 2, &taken), RO_E_STATE); /* one too many */
    close_stream(plan, stream);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_follows_from_the_taps),
        cmocka_unit_test(tone_balances_exactly),
        cmocka_unit_test(goldens_hold),
        cmocka_unit_test(formats_convert),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(cancelling_works),
        cmocka_unit_test(streams_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
