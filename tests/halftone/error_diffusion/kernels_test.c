/* SPDX-License-Identifier: MIT */
/*
 * The kernels: their weights as published, written down here a second time as the figures of the
 * papers show them, and what a kernel promises: flat fields keep their tone, errors their bound.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/cpu.h"
#include "halftone/error_diffusion/diffusion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of weights from the pixel's own row on; `column` is the pixel's place, rows have `width`. */
struct figure {
    const char *name;
    int divisor, width, column;
    int weights[28];
};

// clang-format off
static const struct figure figures[] = {
    {"floyd-steinberg", 16, 3, 1, {0, 0, 7,
                                   3, 5, 1}},
    {"false-floyd-steinberg", 8, 2, 0, {0, 3,
                                        3, 2}},
    {"jarvis-judice-ninke", 48, 5, 2, {0, 0, 0, 7, 5,
                                       3, 5, 7, 5, 3,
                                       1, 3, 5, 3, 1}},
    {"stucki", 42, 5, 2, {0, 0, 0, 8, 4,
                          2, 4, 8, 4, 2,
                          1, 2, 4, 2, 1}},
    {"burkes", 32, 5, 2, {0, 0, 0, 8, 4,
                          2, 4, 8, 4, 2}},
    {"sierra", 32, 5, 2, {0, 0, 0, 5, 3,
                          2, 4, 5, 4, 2,
                          0, 2, 3, 2, 0}},
    {"sierra-two-row", 16, 5, 2, {0, 0, 0, 4, 3,
                                  1, 2, 3, 2, 1}},
    {"sierra-lite", 4, 3, 1, {0, 0, 2,
                              1, 1, 0}},
    {"atkinson", 8, 4, 1, {0, 0, 1, 1,
                           1, 1, 1, 0,
                           0, 1, 0, 0}},
    {"fan", 16, 4, 2, {0, 0, 0, 7,
                       1, 3, 5, 0}},
    {"shiau-fan", 8, 4, 2, {0, 0, 0, 4,
                            1, 1, 2, 0}},
    {"shiau-fan-2", 16, 5, 3, {0, 0, 0, 0, 8,
                               1, 1, 2, 4, 0}},
    {"stevenson-arce", 200, 7, 3, { 0,  0,  0,  0,  0, 32,  0,
                                   12,  0, 26,  0, 30,  0, 16,
                                    0, 12,  0, 26,  0, 12,  0,
                                    5,  0, 12,  0, 12,  0,  5}},
};
// clang-format on
enum { FIGURES = sizeof figures / sizeof *figures };

static void weights_are_as_published(void **state)
{
    (void)state;
    assert_int_equal(FIGURES, DIFFUSION_KERNELS);
    for (int f = 0; f < FIGURES; f++) {
        const struct figure *figure = &figures[f];
        const struct halftone_method *method = halftone_method_named(figure->name);
        assert_non_null(method);
        const struct diffusion_kernel *kernel = &diffusion_kernels[method->variant];
        assert_int_equal(kernel->divisor, figure->divisor);
        int taps = 0;
        for (int i = 0; i < 28; i++) {
            int dx = i % figure->width - figure->column, dy = i / figure->width, found = 0;
            for (int k = 0; k < kernel->count; k++)
                if (kernel->taps[k].dx == dx && kernel->taps[k].dy == dy)
                    found += kernel->taps[k].weight;
            assert_int_equal(found, figure->weights[i]);
            taps += figure->weights[i] != 0;
        }
        assert_int_equal(taps, kernel->count);
    }
}

static bool conserves(const struct diffusion_kernel *kernel)
{
    int sum = 0;
    for (int i = 0; i < kernel->count; i++)
        sum += kernel->taps[i].weight;
    return sum == kernel->divisor;
}

static uint64_t white_pixels(const ro_image *image)
{
    uint64_t count = 0;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width / 8; x++)
            count += (uint64_t)__builtin_popcount(
                ((unsigned char *)image->data)[(ptrdiff_t)y * image->stride + x]);
    return count;
}

/* 1024 x 1024, each of the 256 greys: within a thousandth of white. */
static void flat_fields_keep_their_tone(void **state)
{
    enum { SIDE = 1024 };
    (void)state;
    ro_context *context;
    ro_image in, out;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, SIDE, SIDE, 0, &out), RO_OK);
    for (int f = 0; f < FIGURES; f++) {
        if (!conserves(&diffusion_kernels[f]))
            continue;
        for (int grey = 0; grey < 256; grey++) {
            memset(in.data, grey, (size_t)in.stride * SIDE);
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = figures[f].name};
            assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
            double tone = (double)white_pixels(&out) / ((double)SIDE * SIDE);
            if (fabs(tone - grey / 255.0) > 0.001)
                fail_msg("%s: grey %d became %.3f", figures[f].name, grey, 255 * tone);
        }
    }
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
}

/* ---- options: every schedule against the definition ----------------------------------------- */

struct picture {
    uint32_t width, height, maxval;
    int levels, sample_bytes;
    unsigned char *in, *want, *got;
};

static uint32_t counter;
static uint32_t draw(uint32_t limit) { return pixel_hash(7, counter++, 3) % limit; }

static struct picture make_picture(int levels)
{
    static const uint32_t whites[] = {255, 255, 255, 1, 97, 65535, 1023};
    struct picture p = {.width = 1 + draw(draw(4) ? draw(4) ? 180 : 4 : 900),
                        .height = 1 + draw(50)};
    p.maxval = whites[draw(sizeof whites / sizeof *whites)];
    p.sample_bytes = p.maxval > 255 ? 2 : 1;
    p.levels = levels;
    size_t pixels = (size_t)p.width * p.height;
    p.in = malloc(2 * pixels);
    p.want = malloc(pixels);
    p.got = malloc(pixels);
    bool extreme = draw(3) == 0;
    for (size_t i = 0; i < pixels; i++) {
        uint32_t value = extreme ? draw(2) * p.maxval : draw(p.maxval + 1);
        if (p.sample_bytes == 1)
            p.in[i] = (unsigned char)value;
        else
            ((uint16_t *)p.in)[i] = (uint16_t)value;
    }
    return p;
}

static void free_picture(struct picture *p)
{
    free(p->in);
    free(p->want);
    free(p->got);
}

static struct diffusion_request request_of(const struct picture *p, int kernel)
{
    return (struct diffusion_request){.kernel = &diffusion_kernels[kernel],
                                      .kernel_id = kernel,
                                      .width = p->width,
                                      .maxval = p->maxval,
                                      .sample_bytes = p->sample_bytes,
                                      .levels = p->levels};
}

static void run_schedule(const struct diffusion_schedule *schedule,
                         const struct diffusion_plan *plan, const struct picture *p, ro_cpu cpu,
                         int threads, struct thread_pool *pool, unsigned char *out)
{
    struct diffusion_run run = {.plan = plan, .pool = pool, .cpu = cpu, .threads = threads};
    size_t bytes = schedule->state_bytes(plan, cpu, threads);
    assert_int_equal(posix_memalign(&run.state, 64, bytes), 0);
    memset(run.state, 0, bytes);
    memset(out, 0xee, (size_t)p->width * p->height);
    /* In two blocks, as a stream would. */
    uint32_t rows = (uint32_t)schedule->granularity(plan, cpu);
    uint32_t first = p->height > rows ? rows : p->height;
    ptrdiff_t stride = (ptrdiff_t)p->width * p->sample_bytes;
    struct halftone_block block = {p->in, stride, out, p->width, first, 0};
    schedule->run(&run, &block);
    if (first < p->height) {
        block = (struct halftone_block){
            p->in + first * stride, stride, out + (size_t)first * p->width, p->width,
            p->height - first,      first};
        schedule->run(&run, &block);
    }
    free(run.state);
}

static void compare(const struct picture *p, const char *what, const char *cpu)
{
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        if (p->want[i] != p->got[i])
            fail_msg("%s %s: %u x %u, maxval %u, %d levels: pixel (%zu, %zu) is %d, not %d", what,
                     cpu, p->width, p->height, p->maxval, p->levels, i % p->width, i / p->width,
                     p->got[i], p->want[i]);
}

static void options_give_the_same_bits_everywhere(void **state)
{
    (void)state;
    struct thread_pool *pool = pool_open(2, NULL);
    for (int round = 0; round < 260; round++) {
        int kernel = round % DIFFUSION_KERNELS;
        struct picture p = make_picture(draw(2) ? 2 : 2 + (int)draw(255));
        struct diffusion_request request = request_of(&p, kernel);
        request.strength = draw(2) ? 0 : 1 + (int)draw(100);
        request.noise = draw(2) ? 0 : 1 + (int)draw(100);
        request.threshold = p.levels > 2 || draw(2) ? 0 : 1 + (int)draw(99);
        request.balance = draw(3) || p.sample_bytes > 1 ? NULL : balance_table[kernel][round % 2];
        request.seed = draw(3) * 0x123456789ull;
        request.serpentine = draw(3) == 0;
        struct diffusion_plan plan;
        diffusion_plan_make(&plan, &request);
        run_schedule(&diffusion_reference, &plan, &p, RO_CPU_SCALAR, 1, NULL, p.want);
        run_schedule(&diffusion_ed, &plan, &p, RO_CPU_SCALAR, 1, NULL, p.got);
        compare(&p, "ed", "");
        run_schedule(&diffusion_ec, &plan, &p, RO_CPU_SCALAR, 1, NULL, p.got);
        compare(&p, "ec", "");
        for (int cpu = RO_CPU_SCALAR; cpu <= (int)cpu_best() && !plan.serpentine; cpu++) {
            if (cpu > RO_CPU_SCALAR)
                assert_true(diffusion_wave_vectorised(&plan, (ro_cpu)cpu));
            run_schedule(&diffusion_wave, &plan, &p, (ro_cpu)cpu, 1 + round % 2, pool, p.got);
            compare(&p, "wave", ro_cpu_name((ro_cpu)cpu));
        }
        free_picture(&p);
    }
    pool_close(pool);
}

/* Every error that is passed on stays within the plan's bound, whatever the options. */
static void errors_keep_their_bound(void **state)
{
    (void)state;
    for (int round = 0; round < 130; round++) {
        struct picture p = make_picture(draw(2) ? 2 : 2 + (int)draw(15));
        struct diffusion_request request = request_of(&p, round % DIFFUSION_KERNELS);
        request.noise = draw(2) ? 0 : 1 + (int)draw(100);
        request.threshold = p.levels > 2 || draw(2) ? 0 : 1 + (int)draw(99);
        request.balance = draw(2) ? NULL : balance_table[round % DIFFUSION_KERNELS][0];
        struct diffusion_plan plan;
        diffusion_plan_make(&plan, &request);
        struct diffusion_run run = {.plan = &plan};
        size_t bytes = diffusion_reference.state_bytes(&plan, RO_CPU_SCALAR, 1);
        run.state = calloc(1, bytes);
        for (uint32_t y = 0; y < p.height; y++) {
            ptrdiff_t stride = (ptrdiff_t)p.width * p.sample_bytes;
            struct halftone_block block = {p.in + y * stride, stride, p.want, p.width, 1, y};
            diffusion_reference.run(&run, &block);
            for (size_t i = 0; i < bytes / sizeof(int32_t); i++)
                assert_in_range(((int32_t *)run.state)[i] + plan.bound, 0, 2 * plan.bound);
        }
        free(run.state);
        free_picture(&p);
    }
}

/* A flat's errors have no mean where the threshold is balanced (Atkinson's kernel, which drops a
 * quarter of them, makes no dots there at all); with the middle as threshold they
 * have, which also shows that this test can fail. */
static void balanced_flats_carry_nothing(void **state)
{
    (void)state;
    enum { SIZE = 256, EDGE = 64 };
    static unsigned char in[SIZE], out[SIZE];
    static int32_t errors[(DIFFUSION_MAX_DY + 1) * (SIZE + 2 * DIFFUSION_PAD)];
    for (int kernel = 0; kernel < DIFFUSION_KERNELS; kernel++)
        for (int grey = 5; kernel != KERNEL_ATKINSON && grey < 255; grey += 82) {
            double mean[2];
            for (int balanced = 0; balanced < 2; balanced++) {
                struct diffusion_request request = {.kernel = &diffusion_kernels[kernel],
                                                    .kernel_id = kernel,
                                                    .width = SIZE,
                                                    .maxval = 255,
                                                    .sample_bytes = 1,
                                                    .levels = 2,
                                                    .balance =
                                                        balanced ? balance_table[kernel][0] : NULL};
                struct diffusion_plan plan;
                diffusion_plan_make(&plan, &request);
                struct diffusion_run run = {.plan = &plan, .state = errors};
                memset(errors, 0, sizeof errors);
                memset(in, grey, sizeof in);
                int64_t sum = 0;
                for (uint32_t y = 0; y < SIZE; y++) {
                    struct halftone_block block = {in, SIZE, out, SIZE, 1, y};
                    diffusion_reference.run(&run, &block);
                    for (int x = EDGE; y >= EDGE && x < SIZE - EDGE; x++)
                        sum += errors[y % (DIFFUSION_MAX_DY + 1) * (SIZE + 2 * DIFFUSION_PAD) +
                                      DIFFUSION_PAD + (uint32_t)x];
                }
                mean[balanced] = (double)sum / ((SIZE - EDGE) * (SIZE - 2 * EDGE)) / plan.white;
            }
            if (fabs(mean[1]) > 0.03)
                fail_msg("kernel %d, grey %d: the mean error is %g of white, %g unbalanced", kernel,
                         grey, mean[1], mean[0]);
            if (grey == 5)
                assert_true(fabs(mean[0]) > 0.2);
        }
}

/* Levels themselves are clean, and the tones of a level's step are those of two levels, scaled. */
static void balance_is_a_matter_of_places(void **state)
{
    (void)state;
    struct diffusion_request request = {.kernel = &diffusion_kernels[0],
                                        .width = 1,
                                        .maxval = 255,
                                        .sample_bytes = 1,
                                        .levels = 2,
                                        .balance = balance_table[0][0]};
    struct diffusion_plan two, four;
    diffusion_plan_make(&two, &request);
    request.levels = 4;
    diffusion_plan_make(&four, &request);
    assert_int_equal(two.balanced[0], -1633);
    assert_int_equal(two.balanced[255], 1633);
    assert_int_equal(four.balanced[85], 0);
    for (int place = 1; place < 85; place++)
        for (int level = 0; level < 3; level++)
            assert_in_range(3 * four.balanced[85 * level + place] - two.balanced[3 * place] + 2, 0,
                            4);
}

static void options_are_checked(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    unsigned char pixel = 100, bits;
    ro_image in = ro_image_view(RO_GREY8, 1, 1, &pixel), out = ro_image_view(RO_BITS, 1, 1, &bits);
    const struct {
        ro_halftone_options options;
        const char *message;
    } wrong[] = {
        {{RO_HALFTONE_DEFAULTS, .strength = 101},
         "strength 101: must be a whole percentage from 1 to 100"},
        {{RO_HALFTONE_DEFAULTS, .strength = -1},
         "strength -1: must be a whole percentage from 1 to 100"},
        {{RO_HALFTONE_DEFAULTS, .noise = 200},
         "noise 200: must be a whole percentage from 0 to 100"},
        {{RO_HALFTONE_DEFAULTS, .threshold = 100},
         "threshold 100: must be a whole percentage from 1 to 99 or balanced"},
        {{RO_HALFTONE_DEFAULTS, .method = "threshold", .threshold = RO_THRESHOLD_BALANCED},
         "threshold balanced does not apply to method threshold"},
        {{RO_HALFTONE_DEFAULTS, .threshold = 40, .levels = 4}, "threshold needs 2 levels, not 4"},
        {{RO_HALFTONE_DEFAULTS, .seed = 3}, "a seed has no effect without noise"},
        {{RO_HALFTONE_DEFAULTS, .serpentine = true, .schedule = "wave"},
         "schedule wave cannot run serpentine rows, which wait for one another from end to end"},
    };
    out.format = RO_INDEX8;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_not_equal(ro_halftone(context, &in, &out, &wrong[i].options), RO_OK);
        assert_string_equal(ro_context_message(context), wrong[i].message);
    }
    ro_halftone_options serpentine = {RO_HALFTONE_DEFAULTS, .serpentine = true};
    assert_int_equal(ro_halftone(context, &in, &out, &serpentine), RO_OK);
    assert_string_equal(ro_context_report(context)->schedule, "ed");
    ro_context_close(context);
}

static bool add_tap(ro_kernel *to, int dx, int dy, int weight)
{
    bool twice = dy == 0 && dx <= 0;
    for (int k = 0; k < to->count; k++)
        twice |= to->taps[k].dx == dx && to->taps[k].dy == dy;
    if (twice)
        return false;
    to->taps[to->count].dx = dx;
    to->taps[to->count].dy = dy;
    to->taps[to->count++].weight = weight;
    return true;
}

static ro_kernel any_kernel(void)
{
    ro_kernel kernel = {.divisor = 1 + (int)draw(draw(2) ? 64 : DIFFUSION_MAX_DIVISOR)};
    int left = kernel.divisor, taps = 1 + (int)draw(RO_KERNEL_TAPS);
    for (int i = 0; i < taps && left > 0; i++) {
        int dy = (int)draw(4), dx = (int)draw(15) - 7, size = 1 + (int)draw((uint32_t)left);
        if (add_tap(&kernel, dx, dy, draw(4) ? size : -size))
            left -= size;
    }
    return kernel;
}

/* Floyd-Steinberg's, whose vectors take a way of their own, with one or two taps elsewhere. */
static ro_kernel like_floyd_steinberg(void)
{
    ro_kernel kernel = {.divisor = 16};
    add_tap(&kernel, 1, 0, 7);
    add_tap(&kernel, -1, 1, 3);
    while (kernel.count == 2)
        add_tap(&kernel, draw(2) ? 0 : (int)draw(5) - 2, 1 + (int)draw(2), 5);
    while (kernel.count == 3)
        add_tap(&kernel, draw(2) ? 1 : (int)draw(5) - 2, 1 + (int)draw(2), 1);
    return kernel;
}

/* Kernels of the user's own, negative weights among them, against the definition. */
static void own_kernels_run_everywhere(void **state)
{
    (void)state;
    for (int round = 0; round < 240; round++) {
        const ro_kernel from = round < 200 ? any_kernel() : like_floyd_steinberg();
        if (from.count == 0)
            continue;
        struct diffusion_kernel kernel;
        assert_int_equal(diffusion_kernel_take(NULL, &from, &kernel), RO_OK);
        struct picture p = make_picture(draw(2) ? 2 : 2 + (int)draw(255));
        struct diffusion_request request = request_of(&p, 0);
        request.kernel = &kernel;
        request.kernel_id = DIFFUSION_KERNELS;
        request.noise = draw(4) ? 0 : 50;
        request.serpentine = draw(4) == 0;
        struct diffusion_plan plan;
        diffusion_plan_make(&plan, &request);
        run_schedule(&diffusion_reference, &plan, &p, RO_CPU_SCALAR, 1, NULL, p.want);
        if (request.noise == 0) {
            run_schedule(&diffusion_ed, &plan, &p, RO_CPU_SCALAR, 1, NULL, p.got);
            compare(&p, "ed", "");
        }
        run_schedule(&diffusion_ec, &plan, &p, RO_CPU_SCALAR, 1, NULL, p.got);
        compare(&p, "ec", "");
        struct thread_pool *pool = pool_open(2, NULL);
        for (int cpu = RO_CPU_SCALAR; cpu <= (int)cpu_best() && !plan.serpentine; cpu++) {
            run_schedule(&diffusion_wave, &plan, &p, (ro_cpu)cpu, 1 + round % 2, pool, p.got);
            compare(&p, "wave", ro_cpu_name((ro_cpu)cpu));
        }
        pool_close(pool);
        free_picture(&p);
    }
}

static void own_kernels_are_checked(void **state)
{
    (void)state;
    static const struct {
        ro_kernel kernel;
        const char *message;
    } wrong[] = {
        {{0, 1, {{1, 0, 1}}}, "the kernel's divisor is 0; it must be from 1 to 4095"},
        {{4096, 1, {{1, 0, 1}}}, "the kernel's divisor is 4096; it must be from 1 to 4095"},
        {{16, 0, {{0}}}, "the kernel has 0 taps; it must have 1 to 24"},
        {{16, 25, {{0}}}, "the kernel has 25 taps; it must have 1 to 24"},
        {{16, 1, {{0, 0, 1}}}, "tap (0, 0) of the kernel leads to a pixel that is already"},
        {{16, 1, {{-1, 0, 1}}}, "tap (-1, 0) of the kernel leads to a pixel that is already"},
        {{16, 1, {{1, -1, 1}}}, "tap (1, -1) of the kernel leads to a pixel that is already"},
        {{16, 1, {{8, 1, 1}}}, "tap (8, 1) of the kernel reaches too far"},
        {{16, 1, {{0, 4, 1}}}, "tap (0, 4) of the kernel reaches too far"},
        {{16, 1, {{1, 0, 17}}}, "weight 17 of the kernel is larger than its divisor 16"},
        {{16, 2, {{1, 0, 1}, {1, 0, 1}}}, "tap (1, 0) of the kernel appears twice"},
        {{16, 1, {{1, 0, 0}}}, "the kernel's weights are all 0"},
        {{16, 2, {{1, 0, 9}, {0, 1, -8}}},
         "the sizes of the kernel's weights sum to 17, more than its divisor 16"},
    };
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    unsigned char pixel = 100, level;
    ro_image in = ro_image_view(RO_GREY8, 1, 1, &pixel),
             out = ro_image_view(RO_INDEX8, 1, 1, &level);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .kernel = &wrong[i].kernel};
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
        assert_memory_equal(ro_context_message(context), wrong[i].message,
                            strlen(wrong[i].message));
    }
    ro_kernel right = {2, 1, {{1, 0, 1}}};
    ro_halftone_options both = {RO_HALFTONE_DEFAULTS, .kernel = &right, .method = "fs"},
                        one = {RO_HALFTONE_DEFAULTS, .kernel = &right};
    assert_int_equal(ro_halftone(context, &in, &out, &both), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone(context, &in, &out, &one), RO_OK);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_as_published),
        cmocka_unit_test(flat_fields_keep_their_tone),
        cmocka_unit_test(options_give_the_same_bits_everywhere),
        cmocka_unit_test(errors_keep_their_bound),
        cmocka_unit_test(balanced_flats_carry_nothing),
        cmocka_unit_test(balance_is_a_matter_of_places),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(own_kernels_run_everywhere),
        cmocka_unit_test(own_kernels_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
