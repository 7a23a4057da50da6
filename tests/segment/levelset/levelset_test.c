/* SPDX-License-Identifier: MIT */
/*
 * Level-set steps: the definition against the formulas of the hardware profile, every row kernel
 * and schedule against the definition on hostile fields, the extremum principle, and the file of
 * vectors for a test bench.
 */
#include "core/cpu.h"
#include "core/random.h"
#include "segment/levelset/schedule.h"
#include "segment/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum kind { RANDOM, CONE, CHECKERBOARD, PLATEAUS, KINDS, GROWING };

struct problem {
    const char *number, *norm;
    uint32_t width, height;
    enum kind kind;
    uint64_t seed;
    bool field;
    double curvature;
};

static ro_context *context;

static double drawn(const struct problem *problem, uint64_t stream, uint32_t x, uint32_t y)
{
    return pixel_hash(problem->seed + 1000 * stream, x, y) * 0x1p-32;
}

static double phi_at(const struct problem *problem, const struct level_number *number, uint32_t x,
                     uint32_t y)
{
    double range = (double)number->max - number->min;
    switch (problem->kind) {
    case RANDOM:
        return number->min + floor(drawn(problem, 0, x, y) * (range + !number->real));
    case GROWING:
    case CONE: {
        double share = problem->kind == CONE ? 0.4 : 0.1 * (double)problem->seed;
        double d = hypot(x - share * problem->width, y - (1 - share) * problem->height) - 7;
        d = d * number->slope;
        d = d < number->min ? number->min : d > number->max ? number->max : d;
        return number->real ? d : rint(d);
    }
    case CHECKERBOARD:
        return (x + y) % 2 ? number->max : number->min;
    default:
        return (x / 9 + y / 5) % 3 ? number->max : number->min;
    }
}

static void make(const struct problem *problem, struct level_front *front)
{
    const struct level_number *number = level_number_find(problem->number);
    const struct level_norm *norm = level_norm_find(problem->norm);
    const double one = number->real ? 1 : 1 << number->bits;
    double share = problem->field || problem->curvature > 0 ? 0.25 : 1;
    double bound = share * level_bound(norm) * one;
    *front = (struct level_front){
        .level = {.width = problem->width,
                  .height = problem->height,
                  .real = number->real,
                  .a = norm->a,
                  .bits = number->bits,
                  .min = number->min,
                  .max = number->max,
                  .curvature = problem->curvature,
                  .moved_by_field = problem->field},
    };
    struct level_field *fields[] = {&front->phi[0], &front->phi[1], &front->speed, &front->vx,
                                    &front->vy};
    for (int i = 0; i < (problem->field ? 5 : 3); i++)
        assert_int_equal(level_field_make(context, &front->level, fields[i]), RO_OK);
    for (uint32_t y = 0; y < problem->height; y++)
        for (uint32_t x = 0; x < problem->width; x++) {
            level_put(&front->level, &front->phi[0], x, y, phi_at(problem, number, x, y));
            /* often the extremes and zero, else anything between */
            double pick = drawn(problem, 1, x, y), f = 2 * drawn(problem, 2, x, y) - 1;
            f = pick < 0.2 ? 1 : pick < 0.4 ? -1 : pick < 0.5 ? 0 : f;
            if (problem->kind == GROWING)
                f = 1;
            level_put(&front->level, &front->speed, x, y,
                      number->real ? f * bound : trunc(f * bound));
            if (problem->field) {
                level_put(&front->level, &front->vx, x, y,
                          trunc((drawn(problem, 3, x, y) - 0.5) * one / 2));
                level_put(&front->level, &front->vy, x, y,
                          trunc((drawn(problem, 4, x, y) - 0.5) * one / 2));
            }
        }
    level_field_mirror(&front->level, &front->phi[0]);
}

static void drop(struct level_front *front)
{
    level_field_free(&front->phi[0]);
    level_field_free(&front->phi[1]);
    level_field_free(&front->speed);
    level_field_free(&front->vx);
    level_field_free(&front->vy);
}

static double now_at(const struct level_front *front, uint32_t x, uint32_t y)
{
    return level_value(&front->level, &front->phi[front->now], x, y);
}

static void compare(const struct problem *problem, const struct level_front *want,
                    const struct level_front *got, const char *what, int steps)
{
    for (uint32_t y = 0; y < problem->height; y++)
        for (uint32_t x = 0; x < problem->width; x++)
            if (now_at(want, x, y) != now_at(got, x, y))
                fail_msg("%s, %s, %s, %u x %u, kind %d, seed %llu, curvature %g, field %d, %d "
                         "steps: (%u, %u) is %.9g, not %.9g",
                         what, problem->number, problem->norm, problem->width, problem->height,
                         problem->kind, (unsigned long long)problem->seed, problem->curvature,
                         problem->field, steps, x, y, now_at(got, x, y), now_at(want, x, y));
}

/* Gives LEVEL_ bits; *computed: how many tiles of how many. */
static unsigned run_tiles(struct level_front *front, const struct level_kernel *kernel,
                          uint32_t depth, struct thread_pool *pool, int steps, uint64_t *computed)
{
    struct level_front *const fronts[RO_LEVEL_FRONTS] = {NULL, front};
    const struct level_kernel *const kernels[RO_LEVEL_FRONTS] = {NULL, kernel};
    const bool chosen[RO_LEVEL_FRONTS] = {false, true};
    unsigned moves[RO_LEVEL_FRONTS];
    struct level_tiles tiles;
    assert_int_equal(level_tiles_open(&tiles, fronts, kernels, depth, pool_threads(pool)), RO_OK);
    level_tiles_run(&tiles, pool, chosen, (uint32_t)steps, moves);
    if (computed) {
        computed[0] = tiles.computed;
        computed[1] = (uint64_t)tiles.columns * tiles.rows;
    }
    level_tiles_close(&tiles);
    return moves[1];
}

/* Every kernel by passes of some depth and by tiles, LEVEL_ bits included. */
static int check(const struct problem *problem, int steps, uint32_t depth, int threads)
{
    struct level_front want;
    struct thread_pool *pool = pool_open(threads, NULL);
    unsigned wanted = 0;
    int fast = 0;
    make(problem, &want);
    for (int i = 0; i < steps; i++)
        wanted = (wanted & LEVEL_CROSSED) | level_step_ref(&want);
    for (ro_cpu cpu = RO_CPU_SCALAR; cpu <= cpu_best(); cpu++) {
        const struct level_kernel *kernel = level_kernel_find(&want.level, cpu);
        char what[64];
        assert_int_equal(kernel->cpu, cpu); /* there is code for every instruction set */
        fast += cpu != RO_CPU_SCALAR;
        for (int tiled = 0; tiled < 2; tiled++) {
            struct level_front got;
            unsigned moves = 0;
            make(problem, &got);
            snprintf(what, sizeof what, "%s %s, depth %u, %d threads", ro_cpu_name(cpu),
                     tiled ? "tiles" : "passes", depth, threads);
            if (tiled) {
                moves = run_tiles(&got, kernel, depth, pool, steps, NULL);
            } else {
                struct level_passes passes;
                level_passes_open(&passes, &got, kernel, depth);
                assert_int_equal(level_passes_run(&passes, pool, (uint32_t)steps, &moves), RO_OK);
                level_passes_close(&passes);
            }
            compare(problem, &want, &got, what, steps);
            if (moves != wanted)
                fail_msg("%s: bits %u, not %u", what, moves, wanted);
            drop(&got);
        }
    }
    drop(&want);
    pool_close(pool);
    return fast;
}

static const char *const numbers[] = {"u8", "s12", "s16", "s23e8"};

static void kernels_give_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 65, 100};
    int fast = 0;
    for (size_t n = 0; n < 4; n++)
        for (int m = 0; level_norm_at(m); m++)
            for (int kind = 0; kind < KINDS; kind++)
                for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                    struct problem problem = {numbers[n],      level_norm_at(m)->name,
                                              widths[w],       1 + (uint32_t)(7 * w) % 23,
                                              (enum kind)kind, w,
                                              false,           0};
                    fast += check(&problem, 3, 1 + (uint32_t)w % 3, 1 + (int)w % 3);
                }
    if (cpu_best() > RO_CPU_SCALAR)
        assert_true(fast > 0);
}

static void curvature_and_fields_give_the_same_bits(void **state)
{
    (void)state;
    for (size_t n = 0; n < 4; n++)
        for (int part = 1; part < 4; part++)
            for (int kind = 0; kind < KINDS; kind++) {
                bool curved = part & 1, field = part & 2;
                struct problem problem = {numbers[n], n % 2 ? "lin" : "euclid", 37,
                                          29,         (enum kind)kind,          7,
                                          field,      curved ? 0.1 : 0};
                check(&problem, 4, 3, 2);
            }
}

/* Larger than a tile, deeper than a chunk; resting tiles stay out and nothing changes by it. */
static void tiles_rest_where_nothing_moves(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= RO_LEVEL_DEPTH; depth = depth * 2 + 1) {
        struct problem problem = {"s12", "lin", 700, 300, CONE, 3, false, 0};
        check(&problem, 40, depth, 2);
    }
    /* a front that comes to sleeping tiles from every side */
    for (uint64_t seed = 4; seed <= 6; seed++)
        for (int tall = 0; tall < 2; tall++) {
            struct problem growing = {"s12",   "lin", tall ? 60 : 700, tall ? 300 : 60,
                                      GROWING, seed,  false,           0};
            check(&growing, 120, 8, 2);
        }
    struct problem problem = {"s12", "lin", 1500, 900, CONE, 3, false, 0};
    struct level_front front;
    struct thread_pool *pool = pool_open(2, NULL);
    uint64_t computed[2];
    make(&problem, &front);
    run_tiles(&front, level_kernel_find(&front.level, 0), 8, pool, 80, computed);
    assert_true(computed[0] < 10 * computed[1] / 2);
    drop(&front);
    pool_close(pool);
}

static void extremum_principle(void **state)
{
    (void)state;
    for (size_t n = 0; n < 3; n++)
        for (int m = 0; level_norm_at(m); m++)
            for (int kind = 0; kind < KINDS; kind++) {
                struct problem problem = {
                    numbers[n], level_norm_at(m)->name, 41, 33, (enum kind)kind, 11, false, 0};
                struct level_front front;
                make(&problem, &front);
                front.level.min = INT16_MIN; /* nothing is clamped */
                front.level.max = INT16_MAX;
                level_step_ref(&front);
                const struct level_field *before = &front.phi[1 - front.now];
                for (int y = 0; y < 33; y++)
                    for (int x = 0; x < 41; x++) {
                        double low = 1e9, high = -1e9;
                        static const int dx[5] = {0, -1, 1, 0, 0}, dy[5] = {0, 0, 0, -1, 1};
                        for (int i = 0; i < 5; i++) {
                            int u = x + dx[i], v = y + dy[i];
                            u = u < 0 ? 0 : u > 40 ? 40 : u;
                            v = v < 0 ? 0 : v > 32 ? 32 : v;
                            double value =
                                level_value(&front.level, before, (uint32_t)u, (uint32_t)v);
                            low = value < low ? value : low;
                            high = value > high ? value : high;
                        }
                        double now = now_at(&front, (uint32_t)x, (uint32_t)y);
                        assert_true(now >= low && now <= high);
                    }
                drop(&front);
            }
}

/* The formulas of the profile, written a second time. */
static int32_t fpga12(int32_t p, int32_t l, int32_t r, int32_t u, int32_t d, int32_t f)
{
    int64_t a[4] = {p - l, -(r - p), p - u, -(d - p)}, sum[2] = {0, 0}, most[2] = {0, 0};
    for (int i = 0; i < 4; i++)
        for (int s = 0; s < 2; s++) {
            int64_t x = s ? -a[i] : a[i];
            x = x > 0 ? x : 0;
            sum[s] += x;
            most[s] = x > most[s] ? x : most[s];
        }
    int64_t grow = 43 * sum[0] + 85 * most[0], shrink = 43 * sum[1] + 85 * most[1];
    int64_t g = (f > 0 ? f : 0) * grow + (f < 0 ? f : 0) * shrink;
    int64_t next = p * (INT64_C(1) << 18) - g + (1 << 17) - 1;
    next = next >= 0 ? next / (1 << 18) : -((-next + (1 << 18) - 1) / (1 << 18));
    return (int32_t)(next < -2048 ? -2048 : next > 2047 ? 2047 : next);
}

static void profile_is_as_defined(void **state)
{
    (void)state;
    const struct front_level level = {.a = 43, .bits = 11, .min = -2048, .max = 2047};
    for (uint32_t i = 0; i < 200000; i++) {
        int32_t v[5];
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t h = pixel_hash(5, i, k);
            v[k] = (int32_t)(i % 3 == 0 ? h % 4096 : i % 3 == 1 ? 2000 + h % 64 : h % 7) - 2048;
        }
        int32_t f = (int32_t)(pixel_hash(6, i, 9) % 2041) - 1020;
        struct level_window w = {.p = v[0], .l = v[1], .r = v[2], .u = v[3], .d = v[4]};
        assert_int_equal(level_step(&level, &w, f, 0, 0), fpga12(v[0], v[1], v[2], v[3], v[4], f));
    }
}

/* tests/segment/levelset/fpga12.txt: a comment, then "p l r u d F next" a line, in decimal. */
static void vectors_for_a_test_bench(void **state)
{
    (void)state;
    char path[1024], line[256];
    const char *folder = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/segment/levelset/fpga12.txt", folder ? folder : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const struct front_level level = {.a = 43, .bits = 11, .min = -2048, .max = 2047};
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        struct level_window w = {0};
        int f, next;
        if (line[0] == '#')
            continue;
        assert_int_equal(
            sscanf(line, "%d %d %d %d %d %d %d", &w.p, &w.l, &w.r, &w.u, &w.d, &f, &next), 7);
        assert_int_equal(level_step(&level, &w, f, 0, 0), next);
        count++;
    }
    fclose(file);
    assert_true(count >= 1000);
}

static double mean_error(int n, int a, int grid)
{
    double sum = 0;
    int at[4] = {0}, count = 0;
    for (; at[n - 1] < grid; count++) {
        double l2 = 0, l1 = 0, most = 0;
        for (int i = 0; i < n; i++) {
            const double x = (at[i] + 0.5) / grid;
            l2 += x * x;
            l1 += x;
            most = x > most ? x : most;
        }
        sum += fabs(1 - (a * l1 + (128 - a) * most) / 128 / sqrt(l2));
        for (int i = 0; i < n && ++at[i] == grid && i + 1 < n; i++)
            at[i] = 0;
    }
    return sum / count;
}

static void bounds(void **state)
{
    (void)state;
    assert_int_equal((int)floor(2048 * level_bound(level_norm_find("lin"))), 1020);
    assert_true(level_bound(level_norm_find("euclid")) == 0.5);
    const double n2 = 1 / (sqrt(2) + 1), n4 = 1.0 / 3;
    assert_int_equal(level_norm_find("interpolative-2")->a, (int)lrint(128 * n2));
    assert_int_equal(level_norm_find("interpolative")->a, (int)lrint(128 * n4));
    const double pi = 3.14159265358979;
    assert_int_equal(level_norm_find("volume-2")->a, (int)lrint(128 * (4 - pi) / 2));
    assert_int_equal(level_norm_find("volume")->a,
                     (int)lrint(128 * (16 - pi * pi / 2) / (16 - 16.0 / 24)));
    /* the least mean error of vectors in a cube, on a grid of them */
    const struct level_norm *two = level_norm_find("mean-error-2"),
                            *four = level_norm_find("mean-error");
    for (int by = -2; by <= 2; by++) {
        assert_true(mean_error(2, two->a, 400) <= mean_error(2, two->a + by, 400));
        assert_true(mean_error(4, four->a, 20) <= mean_error(4, four->a + by, 20));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_is_as_defined),
        cmocka_unit_test(vectors_for_a_test_bench),
        cmocka_unit_test(bounds),
        cmocka_unit_test(kernels_give_the_same_bits),
        cmocka_unit_test(curvature_and_fields_give_the_same_bits),
        cmocka_unit_test(tiles_rest_where_nothing_moves),
        cmocka_unit_test(extremum_principle),
    };
    ro_context_open(NULL, &context);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
