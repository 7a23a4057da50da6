/* SPDX-License-Identifier: MIT */
/*
 * Tone-dependent error diffusion: the tables as published, the fast shares equal to the
 * definition's for every error, every schedule equal to the reference, and flat fields that keep
 * their tone.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/cpu.h"
#include "halftone/error_diffusion/tone_dependent.h"
#include "halftone/error_diffusion/tone_dependent_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t counter;
static uint32_t draw(uint32_t limit) { return pixel_hash(11, counter++, 5) % limit; }

static struct diffusion_request request_for(uint32_t width, uint32_t maxval)
{
    return (struct diffusion_request){
        .width = width, .maxval = maxval, .sample_bytes = maxval > 255 ? 2 : 1, .levels = 2};
}

/* FNV-1a of the numbers as 32-bit words, low byte first. */
static uint64_t digest(uint64_t hash, uint32_t number)
{
    for (int b = 0; b < 4; b++)
        hash = (hash ^ (number >> (8 * b) & 255)) * 1099511628211u;
    return hash;
}

/* The digests are of the tables in varcoeffED.c and TMED, taken from those programs. */
static void tables_are_as_published(void **state)
{
    (void)state;
    uint64_t ostromoukhov = 14695981039346656037u, zhou_fang = ostromoukhov, strength = zhou_fang;
    for (int i = 0; i < TONAL_HALF; i++) {
        for (int k = 0; k < 3; k++) {
            ostromoukhov = digest(ostromoukhov, (uint32_t)ostromoukhov_weights[i][k]);
            zhou_fang = digest(zhou_fang, (uint32_t)zhou_fang_weights[i][k]);
        }
        strength = digest(strength, zhou_fang_modulation[i]);
    }
    assert_int_equal(ostromoukhov, 0x84ee23ed4a496b9cu);
    assert_int_equal(zhou_fang, 0xf4f3980e1a934182u);
    assert_int_equal(strength, 0xbe3f901d99b88deu);
    static const int32_t key_rows[][4] = {
        {0, 13, 0, 5}, {10, 7, 3, 3}, {22, 3, 2, 1}, {36, 5, 3, 3},  {64, 1, 1, 0},
        {72, 5, 7, 1}, {77, 4, 1, 1}, {95, 5, 3, 2}, {127, 4, 1, 1},
    };
    for (size_t i = 0; i < sizeof key_rows / sizeof *key_rows; i++)
        assert_memory_equal(ostromoukhov_weights[key_rows[i][0]], key_rows[i] + 1, 12);
}

/* Both fast forms of a share, for every tone and every error that 8-bit tones can have. */
static void shares_are_those_of_the_weights(void **state)
{
    (void)state;
    for (int id = TONAL_OSTROMOUKHOV; id <= TONAL_ZHOU_FANG; id++) {
        struct tonal_plan tonal;
        struct diffusion_plan plan;
        struct diffusion_request request = request_for(8, 255);
        assert_true(tonal_plan_make(&tonal, &plan, (enum tonal_id)id, &request));
        for (int i = 0; i < TONAL_HALF; i++)
            for (int k = 0; k < 2; k++)
                for (int64_t e = -16383; e <= 16383; e++) {
                    int64_t w = tonal.weights[i][k], s = tonal.sum[i];
                    int64_t want = floor_divide(2 * w * e + s, 2 * s);
                    int64_t half = ((int64_t)1 << (TONAL_BITS - 1)) + 109951;
                    int64_t fixed = (e * tonal.fixed[k][i] + half) >> TONAL_BITS;
                    double real = fma((double)e + 0x1p-24, tonal.share[k][i], 0x1.8p52) - 0x1.8p52;
                    if (fixed != want || (int64_t)real != want)
                        fail_msg("tone %d, share %d of %d: %d and %d, not %d", i, k, (int)e,
                                 (int)fixed, (int)real, (int)want);
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
    memset(out, 0xee, diffusion_row_bytes(plan) * height);
    uint32_t rows = (uint32_t)schedule->granularity(plan, cpu);
    ptrdiff_t stride = (ptrdiff_t)plan->width * plan->sample_bytes;
    for (uint32_t y = 0; y < height; y += rows) {
        if (y > 0)
            rows = height - y;
        uint32_t count = height - y < rows ? height - y : rows;
        const size_t row = diffusion_row_bytes(plan);
        struct halftone_block block = {in + y * stride, stride, out + y * row,
                                       (ptrdiff_t)row,  count,  y};
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
            ((uint16_t *)in)[i] = (uint16_t)value;
    }
}

static void schedules_give_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t whites[] = {255, 255, 255, 1, 97, 254, 65535, 1023};
    static const int levels[] = {2, 2, 3, 4, 16, 17, 256, 1000};
    struct thread_pool *pool = pool_open(2, NULL);
    for (int round = 0; round < 160; round++) {
        struct tonal_plan tonal;
        struct diffusion_plan plan;
        uint32_t width = 1 + draw(draw(4) ? draw(4) ? 180 : 4 : 900), height = 1 + draw(50);
        struct diffusion_request request = request_for(width, whites[draw(8)]);
        request.seed = draw(3) * 987654321ull;
        request.serpentine = draw(3) == 0;
        request.levels = levels[draw(request.maxval > 96 ? 8 : 6)];
        request.number_bytes = request.levels > 256 ? 2 : 1;
        assert_true(tonal_plan_make(&tonal, &plan, (enum tonal_id)(round % 2), &request));
        size_t pixels = (size_t)width * height, bytes = diffusion_row_bytes(&plan) * height;
        unsigned char *in = malloc(2 * pixels), *want = malloc(bytes), *got = malloc(bytes);
        fill(in, pixels, request.maxval);
        run_schedule(&tonal_reference, &plan, in, height, RO_CPU_SCALAR, 1, NULL, want);
        run_schedule(&tonal_ed, &plan, in, height, RO_CPU_SCALAR, 1, NULL, got);
        assert_memory_equal(want, got, bytes);
        for (int cpu = RO_CPU_SCALAR; cpu <= (int)cpu_best() && !plan.serpentine; cpu++) {
            run_schedule(&diffusion_wave, &plan, in, height, (ro_cpu)cpu, 1 + round / 2 % 2, pool,
                         got);
            for (size_t i = 0; i < bytes; i++)
                if (want[i] != got[i])
                    fail_msg("%s, %u x %u, maxval %u, %d levels: byte %zu of row %zu",
                             ro_cpu_name((ro_cpu)cpu), width, height, request.maxval,
                             request.levels, i % (bytes / height), i / (bytes / height));
        }
        tonal_plan_free(&tonal);
        free(in);
        free(want);
        free(got);
    }
    pool_close(pool);
}

/* 1024 x 1024, every grey, raster and (some) serpentine: within a thousandth of white. */
static void flat_fields_keep_their_tone(void **state)
{
    enum { SIDE = 1024 };
    static const char *const names[] = {"ostromoukhov", "zhou-fang"};
    (void)state;
    ro_context *context;
    ro_image in, out;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, SIDE, SIDE, 0, &out), RO_OK);
    for (int n = 0; n < 2; n++)
        for (int grey = 0; grey < 256; grey++)
            for (int serpentine = 0; serpentine <= (grey % 16 == 1); serpentine++) {
                memset(in.data, grey, (size_t)in.stride * SIDE);
                ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = names[n],
                                               .serpentine = serpentine};
                assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
                uint64_t count = 0;
                for (size_t i = 0; i < (size_t)out.stride * SIDE; i++)
                    count += (uint64_t)__builtin_popcount(((unsigned char *)out.data)[i]);
                double tone = (double)count / ((double)SIDE * SIDE);
                if (fabs(tone - grey / 255.0) > 0.001)
                    fail_msg("%s: grey %d became %.3f", names[n], grey, 255 * tone);
            }
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
}

/* Of N levels, a flat grey has the two levels on either side of it, and its tone. */
static void many_levels_keep_their_tone(void **state)
{
    enum { SIDE = 256 };
    static const int counts[] = {3, 4, 16, 100, 256, 1024};
    (void)state;
    ro_context *context;
    ro_image in, out;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY16, SIDE, SIDE, 65535, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY16, SIDE, SIDE, 0, &out), RO_OK);
    uint16_t *samples = in.data, *numbers = out.data;
    for (int round = 0; round < 60; round++) {
        const int levels = counts[round % 6];
        const uint16_t grey = round < 6 ? 65535 : (uint16_t)draw(65536);
        for (size_t i = 0; i < SIDE * SIDE; i++)
            samples[i] = grey;
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .levels = levels,
                                       .method = round % 4 < 2 ? "ostromoukhov" : "zhou-fang",
                                       .serpentine = round % 5 == 0};
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        const double level = grey / 65535.0 * (levels - 1);
        uint64_t sum = 0;
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            sum += numbers[i];
            if (numbers[i] < floor(level - 0.01) || numbers[i] > ceil(level + 0.01))
                fail_msg("grey %u of %d levels became %u", grey, levels, numbers[i]);
        }
        if (fabs((double)sum / (SIDE * SIDE) - level) > 0.01)
            fail_msg("grey %u of %d levels became %.3f, not %.3f", grey, levels,
                     (double)sum / (SIDE * SIDE), level);
    }
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
}

/* A ramp of 16 bits to 16 levels: a change here is one of the definition. */
static void many_levels_are_as_they_were(void **state)
{
    (void)state;
    uint64_t hash[2] = {14695981039346656037u, 14695981039346656037u};
    for (int id = 0; id < 2; id++) {
        struct tonal_plan tonal;
        struct diffusion_plan plan;
        struct diffusion_request request = request_for(300, 65535);
        uint16_t in[300 * 20];
        unsigned char out[300 * 20];
        request.levels = 16;
        request.seed = 5;
        assert_true(tonal_plan_make(&tonal, &plan, (enum tonal_id)id, &request));
        for (uint32_t i = 0; i < 300 * 20; i++)
            in[i] = (uint16_t)(i % 300 * 219 + i / 300);
        run_schedule(&tonal_reference, &plan, (unsigned char *)in, 20, RO_CPU_SCALAR, 1, NULL, out);
        for (size_t i = 0; i < sizeof out; i++)
            hash[id] = digest(hash[id], out[i]);
        tonal_plan_free(&tonal);
    }
    assert_int_equal(hash[0], 0xd9da8506483bebcu);
    assert_int_equal(hash[1], 0xe9a136e790868c8u);
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
        {RO_HALFTONE_DEFAULTS, .method = "ostromoukhov", .levels = 4000}, /* a byte holds 256 */
        {RO_HALFTONE_DEFAULTS, .method = "ostromoukhov", .noise = 10},
        {RO_HALFTONE_DEFAULTS, .method = "ostromoukhov", .seed = 1},
        {RO_HALFTONE_DEFAULTS, .method = "zhou-fang", .strength = 50},
        {RO_HALFTONE_DEFAULTS, .method = "zhou-fang", .schedule = "ec"},
        {RO_HALFTONE_DEFAULTS, .method = "zhou-fang", .threshold = 40},
        {RO_HALFTONE_DEFAULTS, .method = "zhou-fang", .serpentine = 1, .schedule = "wave"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_not_equal(ro_halftone(context, &in, &out, &wrong[i]), RO_OK);
    ro_halftone_options right = {RO_HALFTONE_DEFAULTS, .method = "Zhou_Fang", .serpentine = 1,
                                 .seed = 9};
    assert_int_equal(ro_halftone(context, &in, &out, &right), RO_OK);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_as_published),
        cmocka_unit_test(shares_are_those_of_the_weights),
        cmocka_unit_test(schedules_give_the_same_bits),
        cmocka_unit_test(flat_fields_keep_their_tone),
        cmocka_unit_test(many_levels_keep_their_tone),
        cmocka_unit_test(many_levels_are_as_they_were),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
