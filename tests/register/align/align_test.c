/* SPDX-License-Identifier: MIT */
/*
 * The start of a registration: sums against their definition, pixel by pixel, and the same bits
 * from every instruction set, from any number of threads, and from maps that are refined together.
 */
#include "context/context.h"
#include "core/random.h"
#include "register/align/phase.h"
#include "register/align/refine.h"
#include "thread/team.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int teams[] = {1, 2, 3, 5, 16};
enum { TEAMS = sizeof teams / sizeof *teams };

/* ---- Copies ---------------------------------------------------------------------------------- */

static double texture(double x, double y)
{
    return 0.3 * sin(0.31 * x + 0.11 * y) + 0.4 * sin(0.23 * y - 0.07 * x) +
           0.2 * sin(0.05 * x * y / 8 + 0.4 * x);
}

/* The fixed image is the moving one through a map, in other tones. */
static void open_copy(struct pyramid_copy *copy, int width, int height, bool masked)
{
    *copy = (struct pyramid_copy){.width = width, .height = height, .shrink = 1, .counted = 1};
    for (int p = 0; p < 2; p++) {
        copy->image[p] = calloc((size_t)(width * height + RO_ALIGN_LANES), sizeof(float));
        if (masked)
            copy->keep[p] = calloc((size_t)(width * height + RO_ALIGN_LANES), sizeof(float));
        for (int i = 0; i < width * height; i++) {
            const int at_y = i / width;
            const double x = i % width, y = at_y;
            copy->image[p][i] = p ? (float)(0.2 + 0.6 * texture(1.01 * x + 0.8, y + 0.02 * x - 0.5))
                                  : (float)texture(x, y);
            if (masked)
                copy->keep[p][i] = pixel_hash(3, (uint32_t)i, (uint32_t)p) % 4 ? 1 : 0;
        }
    }
    copy->counted = width * height;
}

static void close_copy(struct pyramid_copy *copy)
{
    for (int p = 0; p < 2; p++) {
        free(copy->image[p]);
        free(copy->keep[p]);
    }
}

/* ---- The definition -------------------------------------------------------------------------- */

enum { TERMS = 27 };

static bool terms_of(const struct pyramid_copy *copy, const struct affine_map *map, int x, int y,
                     double terms[TERMS])
{
    const int width = copy->width, height = copy->height;
    const double mx = 0.5 * (width - 1), my = 0.5 * (height - 1), dx = x - mx, dy = y - my;
    const double px = map->m[0] * dx + map->m[1] * dy + map->m[2] + mx;
    const double py = map->m[3] * dx + map->m[4] * dy + map->m[5] + my;
    if (!(px >= 0 && px <= width - 1 && py >= 0 && py <= height - 1))
        return false;
    if (copy->keep[0] && (copy->keep[1][y * width + x] == 0 ||
                          copy->keep[0][(int)(py + 0.5) * width + (int)(px + 0.5)] == 0))
        return false;
    const int ix = (int)px < width - 1 || width == 1 ? (int)px : width - 2;
    const int iy = (int)py < height - 1 || height == 1 ? (int)py : height - 2;
    const int right = width > 1, below = height > 1 ? width : 0;
    const float *at = copy->image[0] + iy * width + ix;
    const double fx = px - ix, fy = py - iy;
    const double along = (double)at[right] - (double)at[0];
    const double low_along = (double)at[below + right] - (double)at[below];
    const double top = (double)at[0] + fx * along, low = (double)at[below] + fx * low_along;
    const double m = top + fy * (low - top), f = (double)copy->image[1][y * width + x];
    const double g[2] = {along + fy * (low_along - along), low - top};
    int n = 0;
    const double tones[RO_SUM_TONES] = {1, m, f, m * m, f * f, m * f};
    for (int i = 0; i < RO_SUM_TONES; i++)
        terms[n++] = tones[i];
    for (int i = 0; i < 3; i++) {
        const double product = g[i / 2] * g[(i + 1) / 2], by = product * dx;
        terms[n++] = product;
        terms[n++] = by;
        terms[n++] = by * dx;
    }
    for (int i = 0; i < 2; i++) {
        const double with[3] = {g[i], g[i] * m, g[i] * f};
        for (int k = 0; k < 3; k++) {
            terms[n++] = with[k];
            terms[n++] = with[k] * dx;
        }
    }
    return true;
}

static void sum_plainly(const struct pyramid_copy *copy, const struct affine_map *map, int four,
                        double sums[RO_SUMS])
{
    memset(sums, 0, RO_SUMS * sizeof *sums);
    for (int y = 4 * four; y < 4 * four + 4 && y < copy->height; y++) {
        double lanes[8][TERMS] = {{0}}, row[TERMS], terms[TERMS];
        const double dy = y - 0.5 * (copy->height - 1);
        for (int x = 0; x < copy->width; x++)
            for (int i = 0; terms_of(copy, map, x, y, terms) && i < TERMS; i++)
                lanes[x % 8][i] += terms[i];
        for (int step = 4; step > 0; step /= 2)
            for (int l = 0; l < step; l++)
                for (int i = 0; i < TERMS; i++)
                    lanes[l][i] += lanes[l + step][i];
        memcpy(row, lanes[0], sizeof row);
        for (int i = 0; i < RO_SUM_TONES; i++)
            sums[i] += row[i];
        for (int i = 0; i < 3; i++) {
            const double *r = row + RO_SUM_TONES + 3 * i;
            const double six[6] = {r[0], r[1], r[0] * dy, r[2], r[1] * dy, r[0] * dy * dy};
            for (int k = 0; k < 6; k++)
                sums[RO_SUM_PRODUCTS + 6 * i + k] += six[k];
        }
        for (int i = 0; i < 6; i++) {
            const double *r = row + RO_SUM_TONES + 9 + 2 * i;
            const double three[3] = {r[0], r[1], r[0] * dy};
            for (int k = 0; k < 3; k++)
                sums[RO_SUM_SLOPES + 3 * i + k] += three[k];
        }
    }
}

static bool runs_here(int cpu)
{
    ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = (ro_cpu)cpu,
                               .threads = 1};
    ro_context *context;
    if (ro_context_open(&with, &context) != RO_OK)
        return false;
    ro_context_close(context);
    return true;
}

static void test_sums(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1},  {1, 9},   {9, 1},    {2, 2},   {7, 5},
                                   {8, 4},  {15, 6},  {16, 3},   {33, 17}, {64, 64},
                                   {65, 7}, {127, 9}, {128, 12}, {255, 3}, {256, 5}};
    static const struct affine_map maps[] = {{{1, 0, 0, 0, 1, 0}},
                                             {{1.02, 0.1, 1.25, -0.1, 0.97, -0.75}},
                                             {{-0.6, 0.7, 0, -0.7, -0.6, 0}},
                                             {{1, 0, 1e5, 0, 1, 0}}};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        struct pyramid_copy copy;
        open_copy(&copy, sizes[i / 2][0], sizes[i / 2][1], i % 2);
        for (size_t k = 0; k < 4 * sizeof maps / sizeof *maps; k++)
            for (int cpu = RO_CPU_SCALAR; cpu <= RO_CPU_AVX512; cpu++) {
                const bool slopes = k % 2;
                const int four = k / 2 % 2 ? (copy.height - 1) / 4 : 0;
                double want[RO_SUMS], got[RO_SUMS];
                if (!runs_here(cpu))
                    continue;
                sum_plainly(&copy, &maps[k / 4], four, want);
                align_kernels_for((ro_cpu)cpu)->sum(&copy, &maps[k / 4], four, slopes, got);
                for (int s = 0; s < (slopes ? RO_SUMS : RO_SUM_TONES); s++)
                    if (!(got[s] == want[s]))
                        fail_msg("%d x %d, map %zu, cpu %d: sum %d is %a instead of %a", copy.width,
                                 copy.height, k / 4, cpu, s, got[s], want[s]);
            }
        close_copy(&copy);
    }
}

/* ---- Refinement ------------------------------------------------------------------------------ */

struct refinement {
    struct ro_view view;
    struct map_climb climbs[2];
    int count;
};

static void refine(struct thread_team *team, void *data)
{
    struct refinement *refinement = data;
    assert_true(refine_maps(team, &refinement->view, refinement->climbs, refinement->count, 12));
}

static void run_refinement(int threads, struct refinement *refinement)
{
    struct thread_pool *pool = pool_open(threads, NULL);
    assert_non_null(pool);
    team_open(pool, threads, refine, refinement);
    pool_close(pool);
}

static void same_climb(const struct map_climb *a, const struct map_climb *b)
{
    assert_memory_equal(&a->map, &b->map, sizeof a->map);
    assert_memory_equal(&a->value, &b->value, sizeof a->value);
    assert_int_equal(a->settled, b->settled);
}

static void test_refinement(void **state)
{
    (void)state;
    static const int sizes[][2] = {{64, 64}, {61, 43}, {128, 97}};
    const struct map_climb start[2] = {{.map = {{1, 0, 0, 0, 1, 0}}, .sign = RO_LIKE},
                                       {.map = {{1, 0, 3, 0, 1, 2}}, .sign = RO_UNLIKE}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pyramid_copy copy;
        open_copy(&copy, sizes[i][0], sizes[i][1], i == 1);
        const struct ro_view plain = {&copy, align_kernels_for(RO_CPU_SCALAR)};
        struct refinement alone[2];
        for (int k = 0; k < 2; k++) {
            alone[k] = (struct refinement){plain, {start[k]}, 1};
            run_refinement(1, &alone[k]);
        }
        const struct map_climb *found = &alone[0].climbs[0];
        if (!(found->value > 0.97) || !(fabs(found->map.m[0] - 1.01) < 0.01))
            fail_msg("%g alike, and %g", found->value, found->map.m[0]);
        struct refinement again = alone[0]; /* what is settled stays */
        assert_true(found->settled);
        run_refinement(1, &again);
        same_climb(&again.climbs[0], found);
        for (int cpu = RO_CPU_SCALAR; cpu <= RO_CPU_AVX512; cpu++)
            for (int t = 0; t < TEAMS && runs_here(cpu); t++) {
                struct refinement both = {
                    {&copy, align_kernels_for((ro_cpu)cpu)}, {start[0], start[1]}, 2};
                run_refinement(teams[t], &both);
                for (int k = 0; k < 2; k++)
                    same_climb(&both.climbs[k], &alone[k].climbs[0]);
            }
        close_copy(&copy);
    }
}

/* ---- Shifts ---------------------------------------------------------------------------------- */

struct shifting {
    const struct pyramid_copy *copy;
    ro_cpu cpu;
    int side;
    bool by_team;
    double shifts[RO_PHASE_PEAKS][2];
};

static void shift(struct thread_team *team, void *data)
{
    struct shifting *shifting = data;
    const struct pyramid_copy *copy = shifting->copy;
    struct phase_correlation phase;
    struct phase_work work;
    assert_true(phase_open(&phase, align_kernels_for(shifting->cpu), shifting->side, copy->width,
                           copy->height));
    assert_true(phase_fix(&phase, team, copy->image[1]));
    if (shifting->by_team) {
        assert_true(phase_shifts_by(&phase, team, copy->image[0], true, shifting->shifts));
    } else {
        assert_true(phase_work_open(&phase, &work));
        phase_shifts(&phase, &work, copy->image[0], true, shifting->shifts);
        phase_work_close(&work);
    }
    phase_close(&phase);
}

static void run_shifting(int threads, struct shifting *shifting)
{
    struct thread_pool *pool = pool_open(threads, NULL);
    assert_non_null(pool);
    team_open(pool, threads, shift, shifting);
    pool_close(pool);
}

static void test_shifts(void **state)
{
    (void)state;
    static const int sizes[][3] = {
        {1, 1, 8}, {5, 8, 8}, {16, 9, 16}, {61, 43, 64}, {100, 128, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pyramid_copy copy;
        open_copy(&copy, sizes[i][0], sizes[i][1], false);
        for (int k = 0; k < copy.width * copy.height; k++) { /* moved by whole pixels */
            const int x = k % copy.width, y = k / copy.width;
            copy.image[0][k] =
                (float)pixel_hash(5, (uint32_t)(x + 7), (uint32_t)(y + 7)) * 0x1p-32f;
            copy.image[1][k] =
                -(float)pixel_hash(5, (uint32_t)(x + 10), (uint32_t)(y + 5)) * 0x1p-32f;
        }
        struct shifting plain = {&copy, RO_CPU_SCALAR, sizes[i][2], false, {{0}}};
        run_shifting(1, &plain);
        if (copy.width > 40 &&
            !(fabs(plain.shifts[0][0] - 3) < 0.5 && fabs(plain.shifts[0][1] + 2) < 0.5))
            fail_msg("shift %g, %g", plain.shifts[0][0], plain.shifts[0][1]);
        for (int cpu = RO_CPU_SCALAR; cpu <= RO_CPU_AVX512; cpu++)
            for (int t = 0; t < 2 * TEAMS && runs_here(cpu); t++) {
                struct shifting other = {&copy, (ro_cpu)cpu, sizes[i][2], t % 2, {{0}}};
                run_shifting(teams[t / 2], &other);
                assert_memory_equal(other.shifts, plain.shifts, sizeof plain.shifts);
            }
        close_copy(&copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_refinement),
        cmocka_unit_test(test_shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
