/* SPDX-License-Identifier: MIT */
/* What acuity_train.c trains by (acuity_look.h). */
#include "acuity_look.h"

#include "core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int tap_dx[TAPS] = {1, 2, -2, -1, 0, 1, 2, -1, 0, 1};
static const int tap_dy[TAPS] = {0, 0, 1, 1, 1, 1, 1, 2, 2, 2};
static const double eyes[EYES] = {0.8, 1.2, 1.8, 2.5}, eye_share[EYES] = {0.05, 0.3, 0.45, 0.2};

bool bench_open(struct bench *bench, const int *taps, int count)
{
    bench->count = count;
    memcpy(bench->taps, taps, (size_t)count * sizeof *taps);
    return radix2_float_open(&bench->tile, TILE) && radix2_float_open(&bench->picture, PICTURE) &&
           (bench->scratch = malloc(radix2_scratch(PICTURE) * sizeof(float)));
}

void bench_close(struct bench *bench)
{
    radix2_float_close(&bench->tile);
    radix2_float_close(&bench->picture);
    free(bench->scratch);
}

/* ---- the method ---------------------------------------------------------------------------- */

void diffuse(struct bench *bench, const struct table *table, const unsigned char *tones, int width,
             int height, int settle, bool errors)
{
    struct run *run = &bench->run;
    int limits[256];
    const int pitch = (int)(sizeof run->flow[0] / sizeof run->flow[0][0]);
    for (int g = 0; g < 256; g++) {
        const int dark = g < 128 ? g : 255 - g;
        const double t = table->threshold[dark];
        limits[g] = (int)floor((g < 128 ? t : 1 - t) * WHITE);
    }
    limits[0] = BLACK * WHITE / 4096;
    limits[255] = (4096 - BLACK) * WHITE / 4096;
    memset(run->flow, 0, sizeof run->flow);
    run->largest = 0;
    long long sum = 0, count = 0;
    for (int y = 0; y < height; y++) {
        int *flow[3] = {run->flow[y % 3] + MARGIN, run->flow[(y + 1) % 3] + MARGIN,
                        run->flow[(y + 2) % 3] + MARGIN};
        memset(run->flow[(y + 2) % 3], 0, (size_t)pitch * sizeof(int));
        for (int x = 0; x < width; x++) {
            const int g = tones[y * width + x];
            const int *weights = table->weights[(g < 128 ? g : 255 - g) >> 2];
            const int v = 16 * g + flow[0][x], white = v > limits[g];
            int e = v - (white ? WHITE : 0), rest;
            e = e > LIMIT ? LIMIT : e < -LIMIT ? -LIMIT : e;
            rest = e;
            for (int n = 0; n < bench->count; n++) {
                const int i = bench->taps[n];
                const int share = (weights[i] * e + ONE / 2) >> 7;
                flow[tap_dy[i]][x + tap_dx[i]] += share;
                rest -= share;
            }
            flow[1][x] += rest;
            if (y >= settle && x >= settle) {
                sum += e;
                count++;
                run->largest = abs(e) > run->largest ? abs(e) : run->largest;
            }
            if (errors)
                bench->errors[y * width + x] = (float)white - (float)g / 255;
        }
    }
    run->carried = (double)sum / (double)count / WHITE;
}

/* ---- what is seen --------------------------------------------------------------------------- */

static void add_power(struct bench *bench, const struct radix2_float *fft, const float *errors,
                      int pitch, int n)
{
    double mean = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            mean += (double)errors[y * pitch + x];
    mean /= n * n;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            bench->re[y * n + x] = errors[y * pitch + x] - (float)mean;
            bench->im[y * n + x] = 0;
        }
    for (int x = 0; x < n; x += RADIX2_LANES)
        radix2_float_run(fft, bench->re + x, bench->im + x, (size_t)n, 1, RADIX2_LANES,
                         bench->scratch);
    for (int y = 0; y < n; y += RADIX2_LANES)
        radix2_float_run(fft, bench->re + y * n, bench->im + y * n, 1, (size_t)n, RADIX2_LANES,
                         bench->scratch);
    for (int i = 0; i < n * n; i++)
        bench->power[i] += (double)bench->re[i] * (double)bench->re[i] +
                           (double)bench->im[i] * (double)bench->im[i];
    /* The mean is seen by every eye, and must stay zero. */
    bench->power[0] = bench->power[0] + mean * mean * n * n * n * n;
}

static double eye_at(int eye, double f2)
{
    const double pi = 3.14159265358979323846;
    return exp(-4 * pi * pi * eyes[eye] * eyes[eye] * f2);
}

static double eye_tables[2][EYES][PICTURE * PICTURE];
static unsigned char direction_of[TILE * TILE];
static unsigned char ring_of[TILE * TILE];
static double radius_of[TILE * TILE];

void make_eyes(void)
{
    const double pi = 3.14159265358979323846;
    for (int which = 0; which < 2; which++) {
        const int n = which ? PICTURE : TILE;
        for (int i = 0; i < n * n; i++) {
            const int u = i % n <= n / 2 ? i % n : i % n - n,
                      v = i / n <= n / 2 ? i / n : i / n - n;
            for (int e = 0; e < EYES; e++)
                eye_tables[which][e][i] = eye_at(e, (double)(u * u + v * v) / n / n);
            if (!which) {
                const double turn = atan2((double)v, (double)u) / pi + 0.5 / 16 + 1;
                direction_of[i] = (unsigned char)((int)(turn * 16) % 16);
                radius_of[i] = sqrt((double)(u * u + v * v));
                ring_of[i] = (unsigned char)(radius_of[i] + 0.5);
            }
        }
    }
}

static void see(const struct bench *bench, int which, double pixels, struct look *look)
{
    const int n = which ? PICTURE : TILE;
    for (int e = 0; e < EYES; e++) {
        double sum = 0;
        for (int i = 0; i < n * n; i++)
            sum += bench->power[i] * eye_tables[which][e][i];
        look->seen[e] = sum / pixels / n / n;
    }
}

/* As `roundoff measure` has them. */
static void texture(const struct bench *bench, int tone, int tiles, struct look *look)
{
    const double share = (tone < 128 ? tone : 255 - tone) / 255.0;
    const double center = (share < 0.25 ? sqrt(share) : 0.5) * TILE;
    double direction[16] = {0}, most = 0, sum = 0;
    double rings[64] = {0}, squares[64] = {0};
    int count[16] = {0}, in_ring[64] = {0}, filled = 0, used = 0;
    for (int i = 1; i < TILE * TILE; i++) {
        if (radius_of[i] >= center / 2 && radius_of[i] <= 1.5 * center &&
            radius_of[i] <= TILE / 2.0) {
            direction[direction_of[i]] += bench->power[i];
            count[direction_of[i]]++;
        }
        rings[ring_of[i]] += bench->power[i];
        squares[ring_of[i]] += bench->power[i] * bench->power[i];
        in_ring[ring_of[i]]++;
    }
    for (int d = 0; d < 16; d++)
        if (count[d]) {
            const double mean = direction[d] / count[d];
            most = mean > most ? mean : most;
            sum += mean;
            filled++;
        }
    look->worms = sum > 0 ? 10 * log10(most * filled / sum) : 0;
    sum = 0;
    for (int r = 1; r < 46; r++) {
        const double mean = in_ring[r] ? rings[r] / in_ring[r] : 0;
        if (in_ring[r] < 16 || mean < 1e-9)
            continue;
        const double variance = (squares[r] - in_ring[r] * mean * mean) / (in_ring[r] - 1);
        sum += tiles * variance / (mean * mean);
        used++;
    }
    look->anisotropy = used && sum > 0 ? 10 * log10(sum / used) : 0;
}

void look_at_flat(struct bench *bench, const struct table *table, int tone, struct look *look)
{
    memset(bench->tones, tone, sizeof bench->tones);
    diffuse(bench, table, bench->tones, SIDE, SIDE, 0, true);
    memset(bench->power, 0, sizeof(double) * TILE * TILE);
    int tiles = 0;
    for (int y = 0; y < SIDE; y += TILE)
        for (int x = 0; x < SIDE; x += TILE, tiles++)
            add_power(bench, &bench->tile, bench->errors + y * SIDE + x, SIDE, TILE);
    see(bench, 0, (double)tiles * TILE * TILE, look);
    texture(bench, tone, tiles, look);
}

/* ---- pictures about a tone ------------------------------------------------------------------- */

/* 1/f noise by sums of smooth noise, or bars and discs of other tones on it. */
void draw(unsigned char *tones, int tone, int kind)
{
    const int size = PICTURE + 2 * BORDER;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            double value = tone;
            if (kind < 2) {
                double amplitude = kind ? 12 : 3;
                for (int scale = 64; scale >= 2; scale /= 2, amplitude *= 0.7) {
                    const int cx = x / scale, cy = y / scale;
                    const double fx = (double)(x % scale) / scale, fy = (double)(y % scale) / scale;
                    const double sx = fx * fx * (3 - 2 * fx), sy = fy * fy * (3 - 2 * fy);
                    double corner[4];
                    for (int c = 0; c < 4; c++)
                        corner[c] =
                            (double)(pixel_hash((uint64_t)scale * 977 + (uint64_t)tone,
                                                (uint32_t)(cx + c % 2), (uint32_t)(cy + c / 2)) %
                                     2001) /
                                1000.0 -
                            1;
                    value += amplitude * 2 *
                             ((corner[0] * (1 - sx) + corner[1] * sx) * (1 - sy) +
                              (corner[2] * (1 - sx) + corner[3] * sx) * sy);
                }
            } else {
                static const int others[6] = {0, 255, 64, -48, 128, 24};
                const int block = (y / 40) * 4 + x / 40, other = others[block % 6];
                const int lx = x % 40 - 20, ly = y % 40 - 20;
                const int inside =
                    block % 2 ? lx * lx + ly * ly < 120 : abs(3 * lx + ly) % 23 < 5 && abs(ly) < 15;
                if (inside)
                    value = block % 6 < 2 ? other : tone + other;
            }
            tones[y * size + x] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
        }
}

void look_at_picture(struct bench *bench, const struct table *table, const unsigned char *tones,
                     struct look *look)
{
    const int side = PICTURE + 2 * BORDER;
    diffuse(bench, table, tones, side, side, 2 * BORDER, true);
    memset(bench->power, 0, sizeof bench->power);
    add_power(bench, &bench->picture, bench->errors + BORDER * side + BORDER, side, PICTURE);
    see(bench, 1, (double)PICTURE * PICTURE, look);
}

double log_seen(const struct look *look)
{
    double sum = 0;
    for (int e = 0; e < EYES; e++)
        sum += eye_share[e] * log(look->seen[e] + 1e-9);
    return sum;
}
