/* SPDX-License-Identifier: MIT */
/*
 * Steps in 16-bit lanes against their definitions by counting all inputs, which needs no solver and
 * runs the machine's own instructions. Where they are too many for every day a part of them is
 * taken, each value of each input at least once; PROOFS=all takes all.
 */
#include "denoise/diffusion.h"
#include "segment/levelset/levelset_rows.h"
#include "simd/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static bool all_asked(void)
{
    const char *asked = getenv("PROOFS");
    return asked && strcmp(asked, "all") == 0;
}

/* ---- The flux over an edge ------------------------------------------------------------------ */

enum { MOST_WEIGHT = 16383, MOST_DIFFERENCE = UINT16_MAX };

/* It has the difference's sign, is odd, and takes at most its share of the difference: the sum of
 * a picture stays, and with weights whose sum is 2^16 at most a pixel stays between its neighbours.
 */
static void flux_takes_its_share(void **state)
{
    (void)state;
    const int step = all_asked() ? 1 : 61;
    for (int nearest = 0; nearest < 2; nearest++)
        for (int64_t weight = 0; weight <= MOST_WEIGHT; weight += step) {
            int wrong = 0;
            for (int32_t d = 0; d <= MOST_DIFFERENCE; d++) {
                const int32_t flux = edge_flux((int32_t)weight, d, nearest);
                wrong |= flux < 0 || flux > d;
                wrong |= edge_flux((int32_t)weight, -d, nearest) != -flux;
                wrong |= ((int64_t)flux << 16) > weight * d + (nearest ? 32768 : 0);
            }
            assert_false(wrong);
        }
}

static struct step_weights diffusion_of(enum diffusion_model model, bool nearest)
{
    struct step_weights diffusion;
    diffusion_make(&diffusion, &(struct diffusion_parameters){
                                   .width = 2,
                                   .height = 2,
                                   .planes = 1,
                                   .model = model,
                                   .nearest = nearest,
                                   .time = nearest ? RO_TIME_NEAREST : RO_TIME_ZERO,
                                   .kappa = 10,
                               });
    return diffusion;
}

/* Of an element a pixel has a diagonal and two sides, and there are four of them. Rounding to
 * nearest may take half more over each of eight edges, and has half the time step. */
static void weights_leave_room(void **state)
{
    (void)state;
    const struct {
        int32_t most, step;
    } systems[] = {{255, 1}, {32767, all_asked() ? 7 : 97}}; /* s9, s16 */
    for (int model = RO_MODEL_LINEAR; model <= RO_MODEL_ANISOTROPIC; model++)
        for (int nearest = 0; nearest < 2; nearest++) {
            const struct step_weights diffusion =
                diffusion_of((enum diffusion_model)model, nearest);
            const int32_t room = nearest ? 32768 : 65536;
            for (int i = 0; i < 2; i++)
                for (int32_t p = -systems[i].most; p <= systems[i].most; p += systems[i].step)
                    for (int32_t q = -systems[i].most; q <= systems[i].most; q += systems[i].step) {
                        const struct edge_weights w = element_weights(&diffusion, &p, &q);
                        const int32_t diagonal = w.se > w.sw ? w.se : w.sw;
                        assert_true(w.se >= 0 && w.sw >= 0 && w.e >= 0 && w.s >= 0);
                        assert_true(4 * (diagonal + w.e + w.s) <= room);
                    }
        }
}

/* Two pixels of every value in s9, the others at some. */
static void step_keeps_sum_and_range(void **state)
{
    (void)state;
    for (int model = RO_MODEL_LINEAR; model <= RO_MODEL_ANISOTROPIC; model++)
        for (int nearest = 0; nearest < 2; nearest++) {
            const struct step_weights diffusion =
                diffusion_of((enum diffusion_model)model, nearest);
            for (int32_t i = 0; i < 256 * 256 * 9; i++) {
                const int32_t u[4] = {i & 255, i / 65536 % 3 * 127, i / 65536 / 3 * 127,
                                      i >> 8 & 255};
                int32_t out[4], scratch[16], sum = 0, least = 255, most = 0;
                diffusion_step_ref(&diffusion, u, u, out, scratch);
                for (int k = 0; k < 4; k++) {
                    sum += out[k] - u[k];
                    least = u[k] < least ? u[k] : least;
                    most = u[k] > most ? u[k] : most;
                }
                int wrong = sum;
                for (int k = 0; k < 4; k++)
                    wrong |= out[k] < least || out[k] > most;
                assert_false(wrong);
            }
        }
}

/* ---- Level sets of 12 bits: the circuit's profile -------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(RO_NO_SIMD)

enum {
    MOST = 4095,  /* difference of two numbers of 12 bits */
    SPEED = 1020, /* the largest that keeps the extremum principle: 2048 * 128 / 257 */
    APART = 3,    /* columns from one pixel that is looked at to the next */
    MARGIN = RO_LEVEL_OVERRUN + 1,
    ROOM = MARGIN + APART * (3 * MOST + 2) + MARGIN,
};

static struct {
    int16_t above[ROOM], row[ROOM], below[ROOM], speed[ROOM], expected[ROOM], out[ROOM];
    int16_t still[ROOM]; /* the field that carries nothing */
} picture;

static int smaller(int a, int b) { return a < b ? a : b; }

/* Pixels whose largest difference is `most`, with every sum of the other three. Gives the columns.
 */
static uint32_t draw(int most, bool grows)
{
    const int p = grows ? 2047 : -2048, side = grows ? -1 : 1;
    int x = MARGIN;
    for (int rest = 0; rest <= 3 * most; rest++, x += APART) {
        const int d = smaller(rest, most), l = smaller(rest - d, most), r = rest - d - l;
        for (int i = 0; i < APART; i++)
            picture.above[x + i] = picture.below[x + i] = picture.row[x + i] = (int16_t)p;
        picture.above[x + 1] = (int16_t)(p + side * most);
        picture.below[x + 1] = (int16_t)(p + side * d);
        picture.row[x] = (int16_t)(p + side * l);
        picture.row[x + 2] = (int16_t)(p + side * r);
    }
    return (uint32_t)(x - MARGIN);
}

static void compare(const struct front_level *level, const struct level_kernel *kernel, int speed,
                    uint32_t count)
{
    struct level_row row = {.above = (const char *)(picture.above + MARGIN),
                            .row = (const char *)(picture.row + MARGIN),
                            .below = (const char *)(picture.below + MARGIN),
                            .speed = (const char *)(picture.speed + MARGIN),
                            .vx = (const char *)(picture.still + MARGIN),
                            .vy = (const char *)(picture.still + MARGIN),
                            .out = (char *)(picture.expected + MARGIN),
                            .count = count};
    for (int x = 0; x < ROOM; x++)
        picture.speed[x] = (int16_t)speed;
    level_plain.step(level, &row);
    row.out = (char *)(picture.out + MARGIN);
    kernel->step(level, &row);
    for (uint32_t x = MARGIN + 1; x < MARGIN + count; x += APART)
        if (picture.out[x] != picture.expected[x])
            fail_msg("speed %d, column %u: %d instead of %d", speed, x, picture.out[x],
                     picture.expected[x]);
}

static void level_step_is_defined(void **state)
{
    (void)state;
    const struct front_level level = {
        .width = 1, .height = 1, .a = 43, .bits = 11, .min = -2048, .max = 2047};
    const struct level_kernel *kernel = level_kernel_find(&level, cpu_best());
    const bool all = all_asked();
    if (kernel->cpu == RO_CPU_SCALAR)
        skip();
    for (int grows = 0; grows < 2; grows++)
        for (int most = 0; most <= MOST; most++) {
            const bool every_speed = all || most == 1 || most == 64 || most == 1365 || most == MOST;
            const uint32_t count = draw(most, grows);
            for (int rate = grows ? 0 : 1; rate <= SPEED; rate += every_speed ? 1 : 509)
                compare(&level, kernel, grows ? rate : -rate, count);
        }
}

#else
static void level_step_is_defined(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flux_takes_its_share),
        cmocka_unit_test(weights_leave_room),
        cmocka_unit_test(step_keeps_sum_and_range),
        cmocka_unit_test(level_step_is_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
