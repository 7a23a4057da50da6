/* SPDX-License-Identifier: MIT */
/*
 * Makes the tables of acuity (src/halftone/diffusion/acuity_table.c): for 32 classes of tone, from
 * black to the middle, the weights of ten taps, and for every tone the threshold at which the error
 * that is carried is zero on average.
 *
 *     acuity_train [--threads N] >src/halftone/diffusion/acuity_table.c
 *
 * It starts from a table found by a coarser search. A class whose flat greys have worms goes down
 * its cost by steps of one weight: seen error of its flats and of three pictures about its tones
 * (logarithms, through Gaussian eyes), worms, anisotropy, and the distance from where it started.
 * Every class looks at the table as it was at first, so that they may run on any number of threads
 * and the result is the same. The pictures are drawn here from the hash; no photograph is used.
 */
#include "core/random.h"
#include "measure/measure.h"
#include "transform/radix2.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAPS = 10,
    DOWN = 4, /* the tap that takes what the others leave */
    CLASSES = 32,
    TONES = 128,
    ONE = 128,        /* weights count in 128ths */
    WHITE = 16 * 255, /* as of 8-bit pictures */
    BLACK = 3686,     /* the threshold of black, in 4096ths */
    LIMIT = WHITE + WHITE / 4,
    MARGIN = 4,
    SIDE = 512, /* of a flat */
    TILE = 64,
    PICTURE = 256,
    PICTURES = 3,
    EYES = 4,
};
static const int tap_dx[TAPS] = {1, 2, -2, -1, 0, 1, 2, -1, 0, 1};
static const int tap_dy[TAPS] = {0, 0, 1, 1, 1, 1, 1, 2, 2, 2};
static const double eyes[EYES] = {0.8, 1.2, 1.8, 2.5}, eye_share[EYES] = {0.05, 0.3, 0.45, 0.2};

struct table {
    int weights[CLASSES][TAPS];
    double threshold[TONES]; /* of white */
};

/* The best of the trial that this began with, in 64ths, by tones of 8; a start, not the result. */
static const signed char first[16][TAPS] = {
    {37, 1, 9, 6, 21, 9, -12, -13, 6, 0},      {33, -1, 5, 12, 17, 2, -3, -5, 4, 0},
    {35, -3, 5, 14, 19, 3, -3, -6, 2, -2},     {33, -2, 5, 14, 29, 3, -4, -7, -3, -4},
    {34, -2, 5, 16, 31, 2, -4, -8, -6, -4},    {37, -5, 4, 20, 27, 0, -2, -9, -6, -2},
    {40, -6, 4, 21, 29, -4, -2, -10, -7, -1},  {41, -2, 3, 19, 40, -10, -5, -12, -10, 0},
    {41, -1, 4, 18, 41, -10, -7, -12, -10, 0}, {41, -2, 3, 18, 34, -4, -7, -9, -8, -2},
    {40, -2, 3, 17, 33, 0, -8, -7, -8, -4},    {39, -2, 4, 15, 31, 5, -9, -5, -8, -6},
    {38, -2, 4, 15, 31, 8, -9, -5, -8, -8},    {37, -2, 4, 15, 32, 8, -8, -5, -9, -8},
    {36, 0, 3, 19, 30, 4, -7, -7, -8, -6},     {35, 3, 3, 22, 31, 1, -11, -11, -6, -3},
};

/* ---- the method ---------------------------------------------------------------------------- */

static void complete(int *weights)
{
    int rest = ONE;
    for (int i = 0; i < TAPS; i++)
        rest -= i == DOWN ? 0 : weights[i];
    weights[DOWN] = rest;
}

struct run {
    int flow[3][SIDE + 2 * MARGIN + 8];
    double carried; /* the mean error, of white */
    int largest;
};

/* `errors` takes output minus input, of white; NULL: only the mean of what is carried. */
static void diffuse(const struct table *table, const unsigned char *tones, int width, int height,
                    int settle, float *errors, struct run *run)
{
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
            for (int i = 0; i < TAPS; i++) {
                if (i == DOWN)
                    continue;
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
                errors[y * width + x] = (float)white - (float)g / 255;
        }
    }
    run->carried = (double)sum / (double)count / WHITE;
}

/* ---- what is seen --------------------------------------------------------------------------- */

struct look {
    double seen[EYES], worms, anisotropy;
};

struct bench {
    struct run run;
    struct radix2_float tile, picture;
    float errors[SIDE * SIDE];
    float re[PICTURE * PICTURE], im[PICTURE * PICTURE], *scratch;
    double power[PICTURE * PICTURE];
    unsigned char tones[SIDE * SIDE];
};

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

static void make_eyes(void)
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

static void look_at_flat(struct bench *bench, const struct table *table, int tone,
                         struct look *look)
{
    memset(bench->tones, tone, sizeof bench->tones);
    diffuse(table, bench->tones, SIDE, SIDE, 0, bench->errors, &bench->run);
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
static void draw(unsigned char *tones, int size, int tone, int kind)
{
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
                            (double)(ro_hash((uint64_t)scale * 977 + (uint64_t)tone,
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

static void look_at_picture(struct bench *bench, const struct table *table,
                            const unsigned char *tones, struct look *look)
{
    const int side = PICTURE + 32;
    diffuse(table, tones, side, side, 32, bench->errors, &bench->run);
    memset(bench->power, 0, sizeof bench->power);
    add_power(bench, &bench->picture, bench->errors + 16 * side + 16, side, PICTURE);
    see(bench, 1, (double)PICTURE * PICTURE, look);
}

/* ---- training -------------------------------------------------------------------------------- */

struct trainer {
    struct table table, next;
    atomic_int ticket;
    int threads;
};

static const double WORMS_FREE = 1.9, WORMS_MOST = 2.4; /* dB */

static double log_seen(const struct look *look)
{
    double sum = 0;
    for (int e = 0; e < EYES; e++)
        sum += eye_share[e] * log(look->seen[e] + 1e-9);
    return sum;
}

/* Moves a threshold to where nothing is carried on average: a higher one carries more. */
static void balance(struct bench *bench, struct table *table, int tone, int side, int turns)
{
    memset(bench->tones, tone, sizeof bench->tones);
    for (int turn = 0; turn < turns; turn++) {
        diffuse(table, bench->tones, side, side, 32, NULL, &bench->run);
        double t = table->threshold[tone] - bench->run.carried;
        table->threshold[tone] = t < 0.1 ? 0.1 : t > 0.9 ? 0.9 : t;
    }
}

struct pictures {
    unsigned char tones[PICTURES][(PICTURE + 32) * (PICTURE + 32)];
};

/* The straight line through the thresholds of a class, in 4096ths; black has one of its own. */
static void line_through(const double *threshold, int class, int *first, int *slope)
{
    const int from = class ? 0 : 1, count = 4 - from;
    double mean = 0, middle = 0, across = 0, along = 0;
    for (int k = from; k < 4; k++) {
        mean += 4096 * threshold[4 * class + k] / count;
        middle += (double)k / count;
    }
    for (int k = from; k < 4; k++) {
        across += (k - middle) * (4096 * threshold[4 * class + k] - mean);
        along += (k - middle) * (k - middle);
    }
    *slope = (int)lrint(across / along);
    *first = (int)lrint(mean - middle * *slope);
}

/* Balances the thresholds of a class and puts them on a line, as the method has them. */
static void balance_class(struct bench *bench, struct table *table, int class, int side, int turns)
{
    int first, slope;
    for (int tone = 4 * class; tone < 4 * class + 4; tone++)
        if (tone > 0)
            balance(bench, table, tone, side, turns);
    line_through(table->threshold, class, &first, &slope);
    for (int k = 0; k < 4; k++)
        table->threshold[4 * class + k] = (first + k * slope) / 4096.0;
}

struct weigher {
    struct bench *bench;
    const struct table *start;
    int class;
    struct pictures pictures;
};

/* Of a class, whose thresholds are balanced on the way. */
static double cost_of(struct weigher *weigher, struct table *table, struct look *worst)
{
    struct bench *bench = weigher->bench;
    const int class = weigher->class;
    double flats = 0, penalty = 0, drawn = 0, moved = 0;
    int used = 0;
    struct look look;
    *worst = (struct look){.worms = -100, .anisotropy = -100};
    balance_class(bench, table, class, 256, 1);
    for (int n = 0; n < 8; n++) { /* four tones and their bright twins, which round otherwise */
        const int tone = n % 2 ? 255 - 4 * class - n / 2 : 4 * class + n / 2;
        if (tone == 0 || tone == 255)
            continue;
        look_at_flat(bench, table, tone, &look);
        flats += log_seen(&look);
        used++;
        const double worms = look.worms - WORMS_FREE, rough = look.anisotropy - 12;
        penalty += worms > 0 ? worms * worms : 0;
        penalty += rough > 0 ? 0.02 * rough * rough : 0;
        if (bench->run.largest > WHITE)
            penalty += 4.0 * (bench->run.largest - WHITE) / WHITE;
        worst->worms = fmax(worst->worms, look.worms);
        worst->anisotropy = fmax(worst->anisotropy, look.anisotropy);
    }
    for (int kind = 0; kind < PICTURES; kind++) {
        look_at_picture(bench, table, weigher->pictures.tones[kind], &look);
        drawn += log_seen(&look) / PICTURES;
        if (bench->run.largest > LIMIT - 1)
            penalty += 0.5;
    }
    for (int i = 0; i < TAPS; i++) {
        const double d = table->weights[class][i] - weigher->start->weights[class][i];
        moved += d * d;
    }
    return (flats + penalty) / used + 2 * drawn + 0.0002 * moved;
}

static void train_class(struct trainer *trainer, struct weigher *weigher)
{
    struct table table = trainer->table;
    const int class = weigher->class;
    struct look worst, trial_worst;
    for (int kind = 0; kind < PICTURES; kind++)
        draw(weigher->pictures.tones[kind], PICTURE + 32, 4 * class + 2, kind);
    balance_class(weigher->bench, &table, class, SIDE, 6);
    double best = cost_of(weigher, &table, &worst);
    fprintf(stderr, "class %d: cost %.3f, worms %.2f, anisotropy %.2f\n", class, best, worst.worms,
            worst.anisotropy);
    /* The first class stays: trained, photographs had more seen error, and its line of thresholds
     * rose by more than eight bits hold. */
    const bool has_worms = class > 0 && worst.worms > WORMS_MOST;
    for (int step = 4; step >= 1 && has_worms; step /= 2)
        for (int again = 1, turn = 0; again && turn < 4; turn++) {
            again = 0;
            for (int i = 0; i < TAPS; i++)
                for (int sign = -1; sign <= 1 && i != DOWN; sign += 2) {
                    struct table trial = table;
                    trial.weights[class][i] += sign * step;
                    complete(trial.weights[class]);
                    if (abs(trial.weights[class][i]) > 127 || abs(trial.weights[class][DOWN]) > 127)
                        continue;
                    const double cost = cost_of(weigher, &trial, &trial_worst);
                    if (cost < best - 4e-3) {
                        best = cost;
                        table = trial;
                        worst = trial_worst;
                        again = 1;
                        break;
                    }
                }
        }
    if (has_worms)
        fprintf(stderr, "class %d: cost %.3f, worms %.2f, anisotropy %.2f, trained\n", class, best,
                worst.worms, worst.anisotropy);
    memcpy(trainer->next.weights[class], table.weights[class], sizeof table.weights[class]);
    for (int tone = 4 * class; tone < 4 * class + 4; tone++)
        trainer->next.threshold[tone] = table.threshold[tone];
}

static void *work(void *data)
{
    struct trainer *trainer = data;
    struct bench *bench = calloc(1, sizeof *bench);
    struct weigher *weigher = calloc(1, sizeof *weigher);
    if (!bench || !weigher || !radix2_float_open(&bench->tile, TILE) ||
        !radix2_float_open(&bench->picture, PICTURE) ||
        !(bench->scratch = malloc(radix2_scratch(PICTURE) * sizeof(float))))
        exit(1);
    weigher->bench = bench;
    weigher->start = &trainer->table;
    while ((weigher->class = atomic_fetch_add(&trainer->ticket, 1)) < CLASSES)
        train_class(trainer, weigher);
    radix2_float_close(&bench->tile);
    radix2_float_close(&bench->picture);
    free(bench->scratch);
    free(bench);
    free(weigher);
    return NULL;
}

static void print(const struct table *table)
{
    puts("/* SPDX-License-Identifier: MIT */\n"
         "/* The tables of acuity, printed by tools/acuity_train.c. */\n"
         "#include \"halftone/diffusion/acuity.h\"\n\n"
         "/* clang-format off */\n"
         "const int8_t acuity_weights[ACUITY_CLASSES][ACUITY_TAPS] = {");
    for (int c = 0; c < CLASSES; c++) {
        printf("    {");
        for (int i = 0; i < TAPS; i++)
            printf("%d%s", table->weights[c][i], i + 1 < TAPS ? ", " : "},\n");
    }
    puts("};\n\nconst int16_t acuity_thresholds[ACUITY_CLASSES][2] = {");
    for (int c = 0; c < CLASSES; c++) {
        int at, slope;
        line_through(table->threshold, c, &at, &slope);
        printf(c % 8 == 0 ? "    {%d, %d}," : " {%d, %d},", at, slope);
        if (c % 8 == 7)
            puts("");
    }
    puts("};");
}

int main(int count, char **words)
{
    static struct trainer trainer = {.threads = 2};
    if (count == 3 && !strcmp(words[1], "--threads"))
        trainer.threads = atoi(words[2]);
    if (trainer.threads < 1 || trainer.threads > 64 || (count != 1 && count != 3)) {
        fprintf(stderr, "usage: acuity_train [--threads 1..64]\n");
        return 2;
    }
    make_eyes();
    for (int c = 0; c < CLASSES; c++) {
        for (int i = 0; i < TAPS; i++)
            trainer.table.weights[c][i] = 2 * first[c / 2][i];
        complete(trainer.table.weights[c]);
    }
    for (int t = 0; t < TONES; t++)
        trainer.table.threshold[t] = t < 32    ? 0.2 + 0.17 * t / 32
                                     : t < 112 ? 0.37 + 0.13 * (t - 32) / 80
                                               : 0.5;
    trainer.next = trainer.table;
    pthread_t threads[64];
    for (int i = 0; i < trainer.threads; i++)
        if (pthread_create(&threads[i], NULL, work, &trainer))
            return 1;
    for (int i = 0; i < trainer.threads; i++)
        pthread_join(threads[i], NULL);
    print(&trainer.next);
    return 0;
}
