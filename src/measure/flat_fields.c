/* SPDX-License-Identifier: MIT */
/*
 * Texture of flat fields, after Ulichney: power spectra of squares, averaged; their means over
 * rings (the radially averaged spectrum) and variances within rings (the anisotropy).
 *
 * Squares are sorted by the grey they lie in; a thread takes a grey and adds up its squares in
 * order, so that no figure notices threads. The square's mean is taken out first.
 */
#include "core/checked.h"
#include "fft/radix2.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TILES = 256 /* of a level */, DIRECTIONS = 16, LARGEST = 256 };
static const float FLAT = 4.0f / 255 + 1e-6f;

struct tile {
    uint32_t x, y;
    int level; /* -1: not flat */
};

struct search {
    struct measure_job *job;
    uint32_t side, across, count;
    struct tile *tiles;
    struct radix2_float fft;
    float *scratch; /* of all threads */
    size_t scratch_floats;
    double *power; /* side^2 of each thread */
    ro_measure_field *fields;
    int levels[RO_MEASURE_LEVELS]; /* of the fields */
    int fields_count;
    atomic_uint_fast32_t ticket;
};

static void run(struct search *search, pool_task_fn *task)
{
    struct thread_pool *pool = search->job->context->pool;
    atomic_store(&search->ticket, 0);
    pool_run(pool, pool_threads(pool), task, search);
}

static void sort_tiles(void *data, int thread)
{
    struct search *search = data;
    float row[LARGEST];
    uint32_t number;
    (void)thread;
    while ((number = (uint32_t)atomic_fetch_add(&search->ticket, 1)) < search->count) {
        struct tile *tile = &search->tiles[number];
        float low = 2, high = -1;
        double sum = 0;
        *tile = (struct tile){number % search->across * search->side,
                              number / search->across * search->side, -1};
        for (uint32_t y = 0; y < search->side && high - low <= FLAT; y++) {
            measure_tones_row(&search->job->original, tile->x, tile->y + y, search->side, row);
            for (uint32_t x = 0; x < search->side; x++) {
                low = row[x] < low ? row[x] : low;
                high = row[x] > high ? row[x] : high;
                sum += (double)row[x];
            }
        }
        if (high - low <= FLAT)
            tile->level = (int)(255 * sum / ((double)search->side * search->side) + 0.5);
    }
}

/* Adds the power spectrum of a square to `power`, its mean tones to the field. */
static void add_tile(const struct search *search, const struct tile *tile, float *scratch,
                     double *power, ro_measure_field *field)
{
    const uint32_t n = search->side;
    const size_t size = (size_t)n * n;
    float *re = scratch, *im = re + size, *more = im + size;
    double in = 0, out = 0;
    for (uint32_t y = 0; y < n; y++) {
        float *a = im + (size_t)y * n, *b = re + (size_t)y * n;
        measure_tones_row(&search->job->original, tile->x, tile->y + y, n, a);
        measure_tones_row(&search->job->result, tile->x, tile->y + y, n, b);
        for (uint32_t x = 0; x < n; x++) {
            in += (double)a[x];
            out += (double)b[x];
            b[x] -= a[x];
        }
    }
    const float mean = (float)((out - in) / (double)size);
    for (size_t i = 0; i < size; i++) {
        re[i] -= mean;
        im[i] = 0;
    }
    for (uint32_t x = 0; x < n; x += RADIX2_LANES)
        radix2_float_run(&search->fft, re + x, im + x, n, 1, RADIX2_LANES, more);
    for (uint32_t y = 0; y < n; y += RADIX2_LANES)
        radix2_float_run(&search->fft, re + (size_t)y * n, im + (size_t)y * n, 1, n, RADIX2_LANES,
                         more);
    for (size_t i = 0; i < size; i++)
        power[i] += (double)re[i] * (double)re[i] + (double)im[i] * (double)im[i];
    field->in += in / (double)size;
    field->out += out / (double)size;
    field->tiles++;
}

static double decibel(double ratio) { return ratio > 1e-10 ? 10 * log10(ratio) : -100; }

/* Visits one of every pair of opposite frequencies, zero left out. */
static inline int first_column(int n, int v) { return v == 0 ? 1 : v == n / 2 ? 0 : 1 - n / 2; }
#define EACH_FREQUENCY(n, u, v)                                                                    \
    for (int v = 0; v <= (int)(n) / 2; v++)                                                        \
        for (int u = first_column((int)(n), v); u <= (int)(n) / 2; u++)

static inline double power_at(const double *power, uint32_t n, int u, int v)
{
    return power[(size_t)v * n + (size_t)(u < 0 ? u + (int)n : u)];
}

static void fill_rings(const double *power, uint32_t n, ro_measure_field *field)
{
    double squares[RO_MEASURE_BINS] = {0};
    uint32_t count[RO_MEASURE_BINS] = {0};
    field->bins = (int)((double)n / sqrt(2.0)) + 1;
    EACH_FREQUENCY(n, u, v)
    {
        int ring = (int)(sqrt((double)(u * u + v * v)) + 0.5);
        ring = ring < field->bins ? ring : field->bins - 1;
        const double p = power_at(power, n, u, v);
        field->power[ring] += p;
        squares[ring] += p * p;
        count[ring]++;
    }
    double sum = 0;
    int rings = 0;
    for (int ring = 1; ring < field->bins; ring++) {
        if (count[ring] == 0)
            continue;
        const double mean = field->power[ring] / count[ring];
        field->power[ring] = mean;
        if (count[ring] < 8 || mean < 1e-9)
            continue;
        const double variance = (squares[ring] - count[ring] * mean * mean) / (count[ring] - 1);
        field->anisotropies[ring] = variance > 0 ? field->tiles * variance / (mean * mean) : 0;
        sum += field->anisotropies[ring];
        rings++;
    }
    field->anisotropy = rings ? decibel(sum / rings) : 0;
}

static void fill_scores(const double *power, uint32_t n, ro_measure_field *field)
{
    const double pi = 3.14159265358979323846, center = field->principal * n;
    double direction[DIRECTIONS] = {0}, low = 0, highest = 0;
    uint32_t count[DIRECTIONS] = {0}, low_count = 0;
    EACH_FREQUENCY(n, u, v)
    {
        const double p = power_at(power, n, u, v), radius = sqrt((double)(u * u + v * v));
        highest = p > highest ? p : highest;
        if (radius < center / 2) {
            low += p;
            low_count++;
        } else if (radius <= 1.5 * center && radius <= n / 2.0) {
            double turn = atan2((double)v, (double)u) / pi + 0.5 / DIRECTIONS; /* the axes are in
                                                                               the middle of one */
            int d = (int)(turn * DIRECTIONS) % DIRECTIONS;
            direction[d] += p;
            count[d]++;
        }
    }
    double most = 0, sum = 0;
    int filled = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        if (count[d]) {
            const double mean = direction[d] / count[d];
            most = mean > most ? mean : most;
            sum += mean;
            filled++;
        }
    field->peak = decibel(highest);
    field->grain = low_count ? decibel(low / low_count) : 0;
    field->worms = sum > 0 ? decibel(most * filled / sum) : 0;
}

static double principal_of(double tone)
{
    const double minority = tone < 0.5 ? tone : 1 - tone;
    return minority < 0.25 ? sqrt(minority) : 0.5;
}

static void fill_field(double *power, uint32_t n, ro_measure_field *field)
{
    const size_t size = (size_t)n * n;
    double sum = 0;
    field->in /= field->tiles;
    field->out /= field->tiles;
    field->principal = principal_of(field->out);
    for (size_t i = 1; i < size; i++)
        sum += power[i];
    const double mean = sum / (double)(size - 1);
    field->rms = sqrt(sum / field->tiles) / (double)size;
    if (field->rms < 1e-6) {
        field->rms = 0;
        return;
    }
    for (size_t i = 0; i < size; i++)
        power[i] /= mean;
    fill_rings(power, n, field);
    fill_scores(power, n, field);
}

static void run_fields(void *data, int thread)
{
    struct search *search = data;
    const size_t size = (size_t)search->side * search->side;
    float *scratch = search->scratch + search->scratch_floats * (size_t)thread;
    double *power = search->power + size * (size_t)thread;
    int number;
    while ((number = (int)atomic_fetch_add(&search->ticket, 1)) < search->fields_count) {
        ro_measure_field *field = &search->fields[number];
        const int level = search->levels[number];
        uint32_t found = 0, seen = 0;
        for (uint32_t i = 0; i < search->count; i++)
            found += search->tiles[i].level == level;
        const uint32_t every = (found + MOST_TILES - 1) / MOST_TILES;
        *field = (ro_measure_field){.level = level};
        memset(power, 0, size * sizeof *power);
        for (uint32_t i = 0; i < search->count; i++)
            if (search->tiles[i].level == level && seen++ % every == 0) {
                if (ro_context_cancelled(search->job->context))
                    return;
                add_tile(search, &search->tiles[i], scratch, power, field);
            }
        fill_field(power, search->side, field);
    }
}

static ro_status open_search(struct search *search)
{
    ro_context *context = search->job->context;
    const size_t threads = (size_t)pool_threads(context->pool);
    const size_t size = (size_t)search->side * search->side;
    search->scratch_floats = 2 * size + radix2_scratch(search->side);
    search->tiles = calloc(search->count, sizeof *search->tiles);
    search->scratch = malloc(threads * search->scratch_floats * sizeof *search->scratch);
    search->power = malloc(threads * size * sizeof *search->power);
    if (!search->tiles || !search->scratch || !search->power ||
        !radix2_float_open(&search->fft, search->side))
        return ro_context_fail(context, RO_E_MEMORY, "no memory for spectra of %u pixels per side",
                               search->side);
    return RO_OK;
}

/* Means of the fields' figures, by their tiles; fields without texture say nothing. */
static void average(ro_measure_report *report)
{
    double weight = 0, worms = 0, grain = 0, anisotropy = 0;
    for (int i = 0; i < report->fields_count; i++) {
        const ro_measure_field *field = &report->fields[i];
        if (field->rms == 0)
            continue;
        weight += field->tiles;
        worms += field->tiles * field->worms;
        grain += field->tiles * field->grain;
        anisotropy += field->tiles * field->anisotropy;
    }
    report->worms = weight > 0 ? worms / weight : 0;
    report->grain = weight > 0 ? grain / weight : 0;
    report->anisotropy = weight > 0 ? anisotropy / weight : 0;
}

ro_status measure_fields(struct measure_job *job, uint32_t tile, ro_measure_report *report)
{
    struct search search = {.job = job, .side = tile, .across = job->width / tile};
    size_t count;
    bool used[RO_MEASURE_LEVELS] = {false};
    if (!size_multiply(search.across, job->height / tile, &count) || count > UINT32_MAX / 2)
        return ro_context_fail(job->context, RO_E_SIZE, "%u x %u pixels are too many to measure",
                               job->width, job->height);
    if (count == 0)
        return RO_OK;
    search.count = (uint32_t)count;
    ro_status status = open_search(&search);
    if (status != RO_OK)
        goto done;
    run(&search, sort_tiles);
    for (uint32_t i = 0; i < search.count; i++)
        if (search.tiles[i].level >= 0)
            used[search.tiles[i].level] = true;
    for (int i = 0; i < RO_MEASURE_LEVELS; i++)
        if (used[i])
            search.levels[search.fields_count++] = i;
    if (search.fields_count == 0)
        goto done;
    search.fields = calloc((size_t)search.fields_count, sizeof *search.fields);
    if (!search.fields) {
        status = ro_context_fail(job->context, RO_E_MEMORY, "no memory for %d greys",
                                 search.fields_count);
        goto done;
    }
    run(&search, run_fields);
    report->fields = search.fields;
    report->fields_count = search.fields_count;
    average(report);
done:
    free(search.tiles);
    free(search.scratch);
    free(search.power);
    radix2_float_close(&search.fft);
    return status;
}
