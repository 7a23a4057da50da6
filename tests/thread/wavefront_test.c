/* SPDX-License-Identifier: MIT */
/* Bands that hand numbers to one another give what one thread gives alone, whoever is late. */
#include "thread/wavefront.h"

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { COLUMNS = 211, BANDS = 37, LOOK = 3, MOST_CHAINS = 3 };

/* A number of band b, column c: from the number of the band above, LOOK columns ahead, and the one
 * on the left. Outside it is 1. */
static uint32_t next_number(uint32_t above, uint32_t left, uint32_t c)
{
    return pixel_hash(above, left, c);
}

static void expect(uint32_t table[BANDS][COLUMNS], uint32_t chain)
{
    for (int b = 0; b < BANDS; b++)
        for (int c = 0; c < COLUMNS; c++) {
            uint32_t above = b > 0 && c + LOOK < COLUMNS ? table[b - 1][c + LOOK] : 1;
            table[b][c] = next_number(above, c > 0 ? table[b][c - 1] : chain, (uint32_t)c);
        }
}

struct job {
    uint32_t seen[MOST_CHAINS][BANDS][COLUMNS];
    uint32_t first; /* band of the chain's first run */
    int lag, delay;
    int skipped_from; /* bands from here on do not run; 0: all run */
    uint32_t late;    /* a band that is slow; 0: none */
};

struct band {
    struct job *job;
    int chain;
    uint32_t band;
    const uint32_t *above;
    uint32_t *own;
};

/* Column c is done in step c + lag, as the last lane of a vector would. */
static void steps(void *work, int64_t first, int64_t last)
{
    struct band *band = work;
    const struct job *job = band->job;
    if ((job->delay && pixel_hash(7, band->band, (uint32_t)first) % 16 == 0) ||
        (job->late && band->band == job->late))
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    for (int64_t step = first; step < last; step++) {
        int64_t c = step - job->lag;
        if (c < 0 || c >= COLUMNS)
            continue;
        uint32_t above = band->band > 0 && c + LOOK < COLUMNS ? band->above[c + LOOK] : 1;
        band->own[c] =
            next_number(above, c > 0 ? band->own[c - 1] : (uint32_t)band->chain, (uint32_t)c);
        band->job->seen[band->chain][band->band][c] = band->own[c];
    }
}

static void run_band(struct wavefront *front, void *data, int chain, uint32_t number, int thread)
{
    struct job *job = data;
    if (job->skipped_from && number >= (uint32_t)job->skipped_from) {
        wavefront_skip(front, chain, number);
        return;
    }
    struct band band = {job, chain, job->first + number,
                        wavefront_slot(front, chain, (int64_t)number - 1),
                        wavefront_slot(front, chain, number)};
    struct band_way way = {COLUMNS + job->lag, 16, LOOK + 1 - job->lag, job->lag};
    wavefront_walk(front, chain, number, thread, &way, steps, &band, sizeof band);
}

/* `runs` holds how many bands each run has. */
static void check_abreast(int threads, int abreast, int chains, int lag, int delay, const int *runs)
{
    static struct job job;
    static uint32_t expected[BANDS][COLUMNS];
    memset(&job, 0, sizeof job);
    job.lag = lag;
    job.delay = delay;
    struct thread_pool *pool = pool_open(threads, NULL);
    struct wavefront_shape shape =
        wavefront_shape(threads * abreast, chains, 1, COLUMNS * sizeof(uint32_t), 0);
    struct wavefront *front = aligned_alloc(64, shape.total);
    assert_true(pool && front);
    memset(front, 0, shape.total);
    front->abreast = abreast;
    for (const int *bands = runs; *bands; bands++) {
        struct band_chain chain[MOST_CHAINS];
        for (int i = 0; i < chains; i++)
            chain[i] = (struct band_chain){COLUMNS, front->begun, (uint32_t)*bands};
        job.first = (uint32_t)front->begun;
        wavefront_run(front, &shape, pool, threads, chain, chains, run_band, &job);
        front->begun += (uint64_t)*bands;
    }
    assert_int_equal(front->begun, BANDS);
    for (int i = 0; i < chains; i++) {
        expect(expected, (uint32_t)i);
        assert_memory_equal(job.seen[i], expected, sizeof expected);
    }
    free(front);
    pool_close(pool);
}

static void check(int threads, int chains, int lag, int delay, const int *runs)
{
    check_abreast(threads, 1, chains, lag, delay, runs);
}

static void test_one_image(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 9; threads += 2)
        for (int lag = 0; lag < 3; lag++)
            check(threads, 1, lag, threads == 5, (int[]){BANDS, 0});
}

static void test_an_image_in_blocks(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads += 2)
        check(threads, 1, 1, 0, (int[]){1, 2, 9, BANDS - 12, 0});
}

static void test_chains_side_by_side(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 7; threads += 3)
        check(threads, MOST_CHAINS, 2, threads == 4, (int[]){BANDS, 0});
}

/* Threads that run several bands by turns. */
static void test_abreast(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++)
        for (int abreast = 2; abreast <= 7; abreast++) {
            check_abreast(threads, abreast, 1, abreast % 3, threads == 2, (int[]){BANDS, 0});
            check_abreast(threads, abreast, 1, 1, 0, (int[]){1, 2, 9, BANDS - 12, 0});
        }
}

/* A run that is given up ends, and what had run is right, also where that is late. */
static void test_bands_left_out(void **state)
{
    (void)state;
    static struct job job = {.skipped_from = 5, .late = 3};
    static uint32_t expected[BANDS][COLUMNS];
    struct thread_pool *pool = pool_open(4, NULL);
    struct wavefront_shape shape = wavefront_shape(4, 1, 1, COLUMNS * sizeof(uint32_t), 0);
    struct wavefront *front = aligned_alloc(64, shape.total);
    assert_true(pool && front);
    memset(front, 0, shape.total);
    wavefront_run(front, &shape, pool, 4, &(struct band_chain){COLUMNS, 0, BANDS}, 1, run_band,
                  &job);
    expect(expected, 0);
    assert_memory_equal(job.seen[0], expected, 5 * sizeof *expected);
    free(front);
    pool_close(pool);
}

static void test_pace(void **state)
{
    (void)state;
    struct wavefront_pace pace = wavefront_pace(100, 93, 64, 1000, 8);
    assert_int_equal(pace.interval, 64);
    assert_int_equal(pace.threads, 1); /* the next band starts when this one ends */
    pace = wavefront_pace(100000, 93, 64, 1000, 8);
    assert_int_equal(pace.interval, 512);
    assert_int_equal(pace.threads, 8);
    pace = wavefront_pace(100000, 93, 64, 3, 8);
    assert_int_equal(pace.threads, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_image),           cmocka_unit_test(test_an_image_in_blocks),
        cmocka_unit_test(test_chains_side_by_side), cmocka_unit_test(test_abreast),
        cmocka_unit_test(test_bands_left_out),      cmocka_unit_test(test_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
