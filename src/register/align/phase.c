/* SPDX-License-Identifier: MIT */
/*
 * Phase correlation. The spectra of two pictures of which one is shifted differ by a phase that is
 * linear in the frequency; keeping the phase only and going back leaves a peak at the shift. Rows
 * are transformed first, then columns, and back in the other order, so that a block of columns goes
 * there and back in one go.
 */
#include "register/align/phase.h"

#include "thread/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool phase_open(struct phase_correlation *phase, const struct align_kernels *kernels, int side,
                int width, int height)
{
    const size_t cells = (size_t)side * (size_t)side;
    *phase = (struct phase_correlation){
        .kernels = kernels, .side = side, .width = width, .height = height};
    phase->fade = malloc((2 * cells + 3 * (size_t)side) * sizeof *phase->fade);
    if (!phase->fade || !radix2_double_open(&phase->transform, (uint32_t)side)) {
        phase_close(phase);
        return false;
    }
    phase->weight = phase->fade + 2 * side;
    phase->fixed_re = phase->weight + side;
    phase->fixed_im = phase->fixed_re + cells;
    for (int x = 0; x < width; x++)
        phase->fade[x] = sin(M_PI * (x + 0.5) / width);
    for (int y = 0; y < height; y++)
        phase->fade[side + y] = sin(M_PI * (y + 0.5) / height);
    for (int x = 0; x <= side / 2; x++) /* high frequencies are mostly noise */
        phase->weight[x] = phase->weight[(side - x) % side] =
            exp(-16 * ((double)(x * x) / (side * side)));
    return true;
}

void phase_close(struct phase_correlation *phase)
{
    free(phase->fade);
    radix2_double_close(&phase->transform);
    *phase = (struct phase_correlation){0};
}

bool phase_work_open(const struct phase_correlation *phase, struct phase_work *work)
{
    const size_t cells = (size_t)phase->side * (size_t)phase->side;
    work->re = malloc((2 * cells + radix2_scratch((uint32_t)phase->side)) * sizeof *work->re);
    work->im = work->re ? work->re + cells : NULL;
    work->scratch = work->re ? work->im + cells : NULL;
    return work->re;
}

void phase_work_close(struct phase_work *work) { free(work->re); }

/* ---- Blocks of rows or columns, each by itself ----------------------------------------------- */

static int lanes_of(const struct phase_correlation *phase)
{
    return phase->side < RADIX2_LANES ? phase->side : RADIX2_LANES;
}

static int blocks_of(const struct phase_correlation *phase)
{
    return phase->side / lanes_of(phase);
}

static void transform_rows(const struct phase_correlation *phase, int block, double *re, double *im,
                           double *scratch)
{
    const int lanes = lanes_of(phase), at = block * lanes * phase->side;
    phase->kernels->transform(&phase->transform, re + at, im + at, 1, (size_t)phase->side,
                              (uint32_t)lanes, scratch);
}

static void transform_columns(const struct phase_correlation *phase, int block, double *re,
                              double *im, double *scratch)
{
    const int lanes = lanes_of(phase), at = block * lanes;
    phase->kernels->transform(&phase->transform, re + at, im + at, (size_t)phase->side, 1,
                              (uint32_t)lanes, scratch);
}

/* Rows of a picture, faded, and their transform. */
static void place_rows(const struct phase_correlation *phase, const float *picture, double mean,
                       int block, const struct phase_work *to)
{
    const int n = phase->side, from = block * lanes_of(phase);
    for (int y = from; y < from + lanes_of(phase); y++) {
        double *re = to->re + y * n;
        const int width = y < phase->height ? phase->width : 0;
        for (int x = 0; x < width; x++)
            re[x] = phase->fade[x] * phase->fade[n + y] *
                    ((double)picture[y * phase->width + x] - mean);
        memset(re + width, 0, (size_t)(n - width) * sizeof *re);
        memset(to->im + y * n, 0, (size_t)n * sizeof *re);
    }
    if (from < phase->height)
        transform_rows(phase, block, to->re, to->im, to->scratch);
}

/* Columns there, what is left of both spectra, and columns back. */
static void correlate_columns(const struct phase_correlation *phase, int block,
                              const struct phase_work *work)
{
    const int n = phase->side, from = block * lanes_of(phase);
    transform_columns(phase, block, work->re, work->im, work->scratch);
    for (int y = 0; y < n; y++) {
        const int at = y * n + from;
        phase->kernels->keep_phase(lanes_of(phase), phase->weight[y], phase->weight + from,
                                   phase->fixed_re + at, phase->fixed_im + at, work->re + at,
                                   work->im + at);
    }
    transform_columns(phase, block, work->im, work->re, work->scratch);
}

static void back_rows(const struct phase_correlation *phase, int block,
                      const struct phase_work *work)
{
    transform_rows(phase, block, work->im, work->re, work->scratch);
}

/* ---- Peaks ----------------------------------------------------------------------------------- */

/* The first of the largest in a row. */
static int largest_in(const double *row, int n, bool signs)
{
    int best = 0;
    for (int x = 1; x < n; x++)
        if (signs ? fabs(row[x]) > fabs(row[best]) : row[x] > row[best])
            best = x;
    return best;
}

/* Where a parabola through three values is highest, from the middle one. */
static double between(double left, double middle, double right)
{
    const double bend = left - 2 * middle + right;
    return bend < 0 ? 0.5 * (left - right) / bend : 0;
}

/* `largest`: column of the largest number of each row. */
static void find_peaks(int n, double *cells, int *largest, bool signs,
                       double shifts[RO_PHASE_PEAKS][2])
{
    for (int peak = 0; peak < RO_PHASE_PEAKS; peak++) {
        int y = 0;
        for (int i = 1; i < n; i++) {
            const double here = cells[i * n + largest[i]], best = cells[y * n + largest[y]];
            if (signs ? fabs(here) > fabs(best) : here > best)
                y = i;
        }
        const int x = largest[y], left = (x + n - 1) % n, right = (x + 1) % n;
        const int above = (y + n - 1) % n, below = (y + 1) % n;
        const double top = cells[y * n + x];
        const double up = signs && top < 0 ? -1 : 1; /* a dip is a peak of the negative */
        const double dx = between(up * cells[y * n + left], up * top, up * cells[y * n + right]);
        const double dy = between(up * cells[above * n + x], up * top, up * cells[below * n + x]);
        /* the peak is at minus the shift */
        shifts[peak][0] = -((x > n / 2 ? x - n : x) + dx);
        shifts[peak][1] = -((y > n / 2 ? y - n : y) + dy);
        for (int j = -2; j <= 2; j++) { /* the next peak is not this one's slope */
            const int at = (y + j + n) % n;
            for (int i = -2; i <= 2; i++)
                cells[at * n + (x + i + n) % n] = signs ? 0 : -INFINITY;
            largest[at] = largest_in(cells + at * n, n, signs);
        }
    }
}

/* ---- All blocks, on one thread or on many ---------------------------------------------------- */

enum { MOST_SIDE = RO_ALIGN_SIDE };

static double mean_of(const struct phase_correlation *phase, const float *picture)
{
    double sum = 0;
    for (int y = 0; y < phase->height; y++)
        sum += phase->kernels->total(phase->width, picture + y * phase->width);
    return sum / ((double)phase->width * phase->height);
}

void phase_shifts(const struct phase_correlation *phase, const struct phase_work *work,
                  const float *moving, bool signs, double shifts[RO_PHASE_PEAKS][2])
{
    const int blocks = blocks_of(phase);
    const double mean = mean_of(phase, moving);
    int largest[MOST_SIDE];
    for (int i = 0; i < blocks; i++)
        place_rows(phase, moving, mean, i, work);
    for (int i = 0; i < blocks; i++)
        correlate_columns(phase, i, work);
    for (int i = 0; i < blocks; i++)
        back_rows(phase, i, work);
    for (int y = 0; y < phase->side; y++)
        largest[y] = largest_in(work->re + y * phase->side, phase->side, signs);
    find_peaks(phase->side, work->re, largest, signs, shifts);
}

/* A pass of all threads over blocks; each part has scratch of its own. */
struct blocks {
    const struct phase_correlation *phase;
    const float *picture;
    double mean, *re, *im, *scratch;
    bool signs;
    int largest[MOST_SIDE];
};

static bool open_blocks(struct blocks *blocks, const struct phase_correlation *phase,
                        struct thread_team *team, const float *picture)
{
    const size_t scratch = radix2_scratch((uint32_t)phase->side);
    *blocks = (struct blocks){.phase = phase, .picture = picture};
    blocks->mean = mean_of(phase, picture);
    blocks->scratch = malloc((size_t)team_size(team) * scratch * sizeof *blocks->scratch);
    return blocks->scratch;
}

static struct phase_work work_of(const struct blocks *blocks, int part)
{
    const size_t scratch = radix2_scratch((uint32_t)blocks->phase->side);
    return (struct phase_work){blocks->re, blocks->im, blocks->scratch + (size_t)part * scratch};
}

static void pass(const struct blocks *blocks, struct thread_team *team, pass_task_fn *fn)
{
    enum { SHARE = 32 }; /* a cell is as much work as this many pixels of a filter */
    const size_t side = (size_t)blocks->phase->side;
    team_pass(team, SHARE * side * side, fn, (void *)blocks);
}

static void place_pass(void *data, int part, int parts)
{
    const struct blocks *blocks = data;
    const struct phase_work work = work_of(blocks, part);
    int i, to;
    for (team_share(blocks_of(blocks->phase), part, parts, &i, &to); i < to; i++)
        place_rows(blocks->phase, blocks->picture, blocks->mean, i, &work);
}

static void columns_pass(void *data, int part, int parts)
{
    const struct blocks *blocks = data;
    const struct phase_work work = work_of(blocks, part);
    int i, to;
    for (team_share(blocks_of(blocks->phase), part, parts, &i, &to); i < to; i++)
        transform_columns(blocks->phase, i, work.re, work.im, work.scratch);
}

static void correlate_pass(void *data, int part, int parts)
{
    const struct blocks *blocks = data;
    const struct phase_work work = work_of(blocks, part);
    int i, to;
    for (team_share(blocks_of(blocks->phase), part, parts, &i, &to); i < to; i++)
        correlate_columns(blocks->phase, i, &work);
}

static void back_pass(void *data, int part, int parts)
{
    struct blocks *blocks = data;
    const struct phase_work work = work_of(blocks, part);
    const int n = blocks->phase->side, lanes = lanes_of(blocks->phase);
    int i, to;
    for (team_share(blocks_of(blocks->phase), part, parts, &i, &to); i < to; i++) {
        back_rows(blocks->phase, i, &work);
        for (int y = i * lanes; y < (i + 1) * lanes; y++)
            blocks->largest[y] = largest_in(blocks->re + y * n, n, blocks->signs);
    }
}

bool phase_fix(struct phase_correlation *phase, struct thread_team *team, const float *fixed)
{
    struct blocks blocks;
    if (!open_blocks(&blocks, phase, team, fixed))
        return false;
    blocks.re = phase->fixed_re;
    blocks.im = phase->fixed_im;
    pass(&blocks, team, place_pass);
    pass(&blocks, team, columns_pass);
    free(blocks.scratch);
    return true;
}

bool phase_shifts_by(const struct phase_correlation *phase, struct thread_team *team,
                     const float *moving, bool signs, double shifts[RO_PHASE_PEAKS][2])
{
    struct blocks blocks;
    struct phase_work work;
    if (!phase_work_open(phase, &work))
        return false;
    const bool good = open_blocks(&blocks, phase, team, moving);
    if (good) {
        blocks.re = work.re;
        blocks.im = work.im;
        blocks.signs = signs;
        pass(&blocks, team, place_pass);
        pass(&blocks, team, correlate_pass);
        pass(&blocks, team, back_pass);
        find_peaks(phase->side, blocks.re, blocks.largest, signs, shifts);
        free(blocks.scratch);
    }
    phase_work_close(&work);
    return good;
}
