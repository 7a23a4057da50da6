/* SPDX-License-Identifier: MIT */
/*
 * Every kernel, depth, band and thread count against the definition, bit for bit: widths round the
 * vector sizes, one row, one column, grey and colour, smoothed gradients, white from 1 to 65535,
 * kappas from far below a unit to far above the range.
 */
#include "denoise/diffusion_rows.h"

#include "core/cpu.h"
#include "pictures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct problem {
    struct diffusion_parameters parameters;
    int32_t white;
    enum picture picture;
    uint64_t seed;
    int iterations, depth, threads;
};

static int32_t *draw(const struct problem *problem)
{
    const struct diffusion_parameters *p = &problem->parameters;
    size_t size = (size_t)p->width * p->height;
    int32_t *image = malloc((size_t)p->planes * size * sizeof *image);
    for (int plane = 0; plane < p->planes; plane++)
        picture_draw(problem->picture, problem->seed + (uint64_t)plane, (int)p->width,
                     (int)p->height, 0, problem->white, image + (size_t)plane * size);
    return image;
}

static void run_reference(const struct step_weights *d, int32_t *image, int iterations)
{
    size_t size = (size_t)d->width * d->height, all = size * (size_t)d->planes;
    int32_t *next = malloc(all * sizeof *next);
    int32_t *scratch = malloc((4 * size + 2 * all) * sizeof *scratch);
    for (int i = 0; i < iterations; i++) {
        diffusion_iterate_ref(d, image, next, scratch);
        memcpy(image, next, all * sizeof *next);
    }
    free(next);
    free(scratch);
}

/* The same by passes of `depth` iterations; false where the kernel does not do this. */
static bool run_stream(const struct problem *problem, const struct step_weights *d, ro_cpu cpu,
                       int32_t *image)
{
    struct step_rows rows;
    size_t size = (size_t)d->width * d->height;
    assert_int_equal(rows_open(&rows, d, problem->white, cpu), RO_OK);
    const struct stencil stencil = rows_stencil(&rows);
    bool ran = rows.kernel->cpu == cpu;
    struct stencil_rows field[2];
    for (int i = 0; i < 2; i++) {
        void *data = NULL;
        assert_int_equal(posix_memalign(&data, 64, rows.row_bytes * d->height), 0);
        memset(data, 0xa5, rows.row_bytes * d->height);
        field[i] = (struct stencil_rows){data, rows.row_bytes};
    }
    for (uint32_t y = 0; y < d->height; y++)
        for (int plane = 0; plane < d->planes; plane++)
            rows.kernel->pack(&rows, image + (size_t)plane * size + y * d->width,
                              field[0].data + y * field[0].pitch + (size_t)plane * rows.line_bytes);
    struct thread_pool *pool = pool_open(problem->threads, NULL);
    int now = 0;
    for (int done = 0; done < problem->iterations; now = 1 - now) {
        int depth = problem->iterations - done;
        depth = depth > problem->depth ? problem->depth : depth;
        struct stencil_stream stream;
        assert_int_equal(stencil_stream_open(&stream, pool, &stencil, depth), RO_OK);
        stream_pass(&stream, &field[now], &field[1 - now]);
        stream_close(&stream);
        done += depth;
    }
    pool_close(pool);
    for (uint32_t y = 0; y < d->height; y++)
        for (int plane = 0; plane < d->planes; plane++)
            rows.kernel->unpack(
                &rows, field[now].data + y * field[now].pitch + (size_t)plane * rows.line_bytes,
                image + (size_t)plane * size + y * d->width);
    free(field[0].data);
    free(field[1].data);
    rows_close(&rows);
    return ran;
}

/* How many kernels other than the plain one ran. */
static int check(const struct problem *problem)
{
    const struct diffusion_parameters *p = &problem->parameters;
    struct step_weights d;
    diffusion_make(&d, p);
    size_t size = (size_t)p->width * p->height, all = size * (size_t)p->planes;
    int32_t *start = draw(problem), *expected = draw(problem);
    int ran = 0;
    run_reference(&d, expected, problem->iterations);
    for (ro_cpu cpu = RO_CPU_SCALAR; cpu <= cpu_best(); cpu++) {
        int32_t *image = malloc(all * sizeof *image);
        memcpy(image, start, all * sizeof *image);
        bool own = run_stream(problem, &d, cpu, image);
        ran += own && cpu != RO_CPU_SCALAR;
        for (size_t i = 0; i < all; i++)
            if (image[i] != expected[i])
                fail_msg("%s, %s: %ux%u, %d planes%s, white %d, kappa %g, sigma %g, %s, picture "
                         "%d, seed %llu, %d iterations by %d, %d threads: plane %zu, (%zu, %zu) is "
                         "%d, not %d",
                         ro_cpu_name(cpu), model_name(p->model), p->width, p->height, p->planes,
                         p->independent ? " apart" : "", problem->white, p->kappa, p->sigma,
                         p->nearest ? "nearest" : "zero", problem->picture,
                         (unsigned long long)problem->seed, problem->iterations, problem->depth,
                         problem->threads, i / size, i % size % p->width, i % size / p->width,
                         image[i], expected[i]);
        free(image);
    }
    free(start);
    free(expected);
    return ran;
}

static struct problem random_problem(uint64_t seed)
{
    static const int32_t whites[] = {255, 32640, 2040, 65535, 1, 30000, 32767, 32768, 100};
    static const double kappas[] = {10, 2, 60, 0.3, 250, 1000, 0.01};
    static const double sigmas[] = {0, 0, 0, 0.5, 1.3};
    struct problem problem = {.seed = seed};
    struct diffusion_parameters *p = &problem.parameters;
    uint32_t h[16];
    for (uint32_t i = 0; i < 16; i++)
        h[i] = pixel_hash(seed, i, 12345);
    problem.white = whites[h[0] % 9];
    problem.picture = (enum picture)(h[1] % PICTURES);
    p->width = 1 + h[2] % (h[3] % 4 ? 70 : 300);
    p->height = 1 + h[4] % 40;
    p->planes = h[5] % 3 ? 1 : 3;
    p->independent = h[6] % 4 == 0;
    p->model = (enum diffusion_model)(h[7] % 4);
    p->nearest = h[8] % 2;
    p->time = p->nearest ? RO_TIME_NEAREST : RO_TIME_ZERO;
    if (h[9] % 3 == 0)
        p->time = 1 + h[10] % p->time;
    p->kappa = kappas[h[11] % 7] * problem.white / 255;
    p->sigma = sigmas[h[12] % 5];
    problem.iterations = 1 + (int)(h[13] % 7);
    problem.depth = 1 + (int)(h[14] % 5);
    problem.threads = 1 + (int)(h[15] % 4);
    return problem;
}

static void random_problems(void **state)
{
    (void)state;
    int ran = 0, possible = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        struct problem problem = random_problem(seed);
        ran += check(&problem);
        possible += (int)(cpu_best() - RO_CPU_SCALAR);
    }
    print_message("vector kernels ran %d of %d times\n", ran, possible);
    assert_true(ran >= possible * 9 / 10);
}

/* Every norm of the table's range and both ends of 16 bits, in both vector kernels. */
static void every_entry(void **state)
{
    (void)state;
    for (int m = RO_MODEL_PERONA_MALIK; m <= RO_MODEL_ANISOTROPIC; m++)
        for (uint64_t seed = 0; seed < 24; seed++) {
            struct problem problem = {
                .parameters = {.width = 257,
                               .height = 33,
                               .planes = 1,
                               .model = (enum diffusion_model)m,
                               .time = seed % 2 ? RO_TIME_ZERO : 1 + (uint32_t)seed * 211,
                               .kappa = 3000.0 + 700 * (double)seed},
                .white = seed % 3 ? 32640 : 65535,
                .seed = seed,
                .iterations = 2,
                .depth = 2,
                .threads = 1,
            };
            check(&problem);
        }
}

/* Every pair of diagonal differences up to 127, signs included, as squares of four pixels. */
static void every_direction(void **state)
{
    (void)state;
    enum { BLOCKS = 255, SIDE = 2 * BLOCKS };
    struct diffusion_parameters parameters = {.width = SIDE,
                                              .height = SIDE,
                                              .planes = 1,
                                              .model = RO_MODEL_ANISOTROPIC,
                                              .time = RO_TIME_ZERO,
                                              .kappa = 100};
    struct step_weights d;
    diffusion_make(&d, &parameters);
    struct problem problem = {.white = 255, .iterations = 1, .depth = 1, .threads = 1};
    int32_t *start = malloc(3 * SIDE * SIDE * sizeof *start);
    int32_t *expected = start + SIDE * SIDE, *image = expected + SIDE * SIDE;
    for (int p = -127; p <= 127; p++)
        for (int q = -127; q <= 127; q++) {
            int32_t *a = start + 2 * (p + 127) * SIDE + 2 * (q + 127);
            a[0] = a[SIDE] = 128;
            a[SIDE + 1] = 128 + p;
            a[1] = 128 + q;
        }
    memcpy(expected, start, SIDE * SIDE * sizeof *start);
    run_reference(&d, expected, 1);
    for (ro_cpu cpu = RO_CPU_SCALAR; cpu <= cpu_best(); cpu++) {
        memcpy(image, start, SIDE * SIDE * sizeof *start);
        assert_true(run_stream(&problem, &d, cpu, image));
        assert_memory_equal(image, expected, SIDE * SIDE * sizeof *start);
    }
    free(start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems),
        cmocka_unit_test(every_entry),
        cmocka_unit_test(every_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
