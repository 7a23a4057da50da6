/* SPDX-License-Identifier: MIT */
/*
 * Makes the tables of acuity (src/halftone/error_diffusion/tables): for 32 classes of tone, from
 * black to the middle, the weights of ten taps, of six or of four, and for every tone the threshold
 * at which the error that is carried is zero on average.
 *
 *     acuity_train [--taps 10|6|4] [--threads N] >src/halftone/error_diffusion/tables/acuity_10.c
 *
 * A class goes down its cost by steps of one weight: seen error of its flats and of three pictures
 * about its tones (logarithms, through Gaussian eyes), worms, anisotropy, and for ten taps the
 * distance from where it started.
 *
 * Ten taps start from a table found by a coarser search, and only classes whose flat greys have
 * worms are trained. Six and four start from the best of a few kernels and go three times through
 * all classes; the second and third time a class may also start from what its neighbours have.
 * Every class looks at the table as it was before, so that they may run on any number of threads
 * and the result is the same. The pictures are drawn from the hash; no photograph is used.
 */
#include "acuity_look.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 3, MOST_STARTS = 3 };

/* How a number of taps is trained. */
struct recipe {
    const char *name;
    int taps[TAPS], count; /* without DOWN, which takes the rest */
    double free;           /* worms in dB that cost nothing */
    double worms, rough;   /* what the squares of more, and of anisotropy above 12 dB, cost */
    double locked;         /* what that of worms above LOCKED costs */
    double moved;          /* and the square of the distance from the start */
    bool only_worms;       /* classes without worms stay as they start */
    int passes, step;      /* the first and largest step; each pass begins with half the last's */
    int starts;
    signed char start[MOST_STARTS][TAPS]; /* in 128ths */
};

static const struct recipe recipes[] = {
    {.name = "10",
     .taps = {0, 1, 2, 3, 5, 6, 7, 8, 9},
     .count = 9,
     .free = 1.6,
     .worms = 1,
     .rough = 0.02,
     .moved = 0.0002,
     .only_worms = true,
     .passes = 1,
     .step = 4},
    {.name = "6",
     .taps = {0, 2, 3, 5, 6},
     .count = 5,
     .free = 1.9,
     .worms = 0.04,
     .rough = 0.004,
     .locked = 1,
     .passes = 3,
     .step = 8,
     .starts = 3,
     .start = {{56, 0, 6, 24, 0, 8, -6}, {64, 0, 8, 26, 0, 6, -12}, {72, 0, 10, 30, 0, -6, -8}}},
    {.name = "4",
     .taps = {0, 3, 5},
     .count = 3,
     .free = 1.9,
     .worms = 0.04,
     .rough = 0.004,
     .locked = 1,
     .passes = 3,
     .step = 8,
     .starts = 3,
     .start = {{56, 0, 0, 24, 0, 8}, {64, 0, 0, 40, 0, 0}, {52, 0, 0, 36, 0, 16}}},
};

/* Of ten taps: the best of the trial that this began with, in 64ths, by tones of 8; a start, not
 * the result. */
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

static void complete(int *weights)
{
    int rest = ONE;
    for (int i = 0; i < TAPS; i++)
        rest -= i == DOWN ? 0 : weights[i];
    weights[DOWN] = rest;
}

/* ---- training -------------------------------------------------------------------------------- */

struct trainer {
    const struct recipe *recipe;
    struct table table, next;
    atomic_int ticket;
    int threads, pass;
};

static const double WORMS_MOST = 2.2, LOCKED = 5; /* dB */

/* Moves a threshold to where nothing is carried on average: a higher one carries more. */
static void balance(struct bench *bench, struct table *table, int tone, int side, int turns)
{
    memset(bench->tones, tone, sizeof bench->tones);
    for (int turn = 0; turn < turns; turn++) {
        diffuse(bench, table, bench->tones, side, side, 32, false);
        double t = table->threshold[tone] - bench->run.carried;
        table->threshold[tone] = t < 0.1 ? 0.1 : t > 0.9 ? 0.9 : t;
    }
}

struct pictures {
    unsigned char tones[PICTURES][(PICTURE + 2 * BORDER) * (PICTURE + 2 * BORDER)];
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
    *slope = (int)fmin(fmax(lrint(across / along), -128), 127); /* a byte */
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
    const struct recipe *recipe;
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
        const double worms = look.worms - weigher->recipe->free, rough = look.anisotropy - 12;
        const double locked = look.worms - LOCKED;
        penalty += worms > 0 ? weigher->recipe->worms * worms * worms : 0;
        penalty += locked > 0 ? weigher->recipe->locked * locked * locked : 0;
        penalty += rough > 0 ? weigher->recipe->rough * rough * rough : 0;
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
    return (flats + penalty) / used + 2 * drawn + weigher->recipe->moved * moved;
}

/* Goes down from a table by steps of one weight. */
static double descend(struct weigher *weigher, struct table *table, double best, int coarsest,
                      struct look *worst)
{
    const struct recipe *recipe = weigher->recipe;
    const int class = weigher->class;
    for (int step = coarsest; step >= 1; step /= 2)
        for (int again = 1, turn = 0; again && turn < 4; turn++) {
            again = 0;
            for (int n = 0; n < recipe->count; n++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    struct table trial = *table;
                    struct look trial_worst;
                    const int i = recipe->taps[n];
                    trial.weights[class][i] += sign * step;
                    complete(trial.weights[class]);
                    if (abs(trial.weights[class][i]) > 127 || abs(trial.weights[class][DOWN]) > 127)
                        continue;
                    const double cost = cost_of(weigher, &trial, &trial_worst);
                    if (cost < best - 4e-3) {
                        best = cost;
                        *table = trial;
                        *worst = trial_worst;
                        again = 1;
                        break;
                    }
                }
        }
    return best;
}

/* The weights that a class may start from, the n-th; false when there are no more. */
static bool start_of(const struct trainer *trainer, int class, int n, int *weights)
{
    const struct recipe *recipe = trainer->recipe;
    if (trainer->pass == 0 && recipe->starts > 0) {
        for (int i = 0; i < TAPS && n < recipe->starts; i++)
            weights[i] = recipe->start[n][i];
        complete(weights);
        return n < recipe->starts;
    }
    static const int beside[MOST_STARTS] = {0, -1, 1};
    if (n >= (recipe->starts ? MOST_STARTS : 1))
        return false;
    const int from = class + beside[n];
    memcpy(weights, trainer->table.weights[from < 0 || from >= CLASSES ? class : from],
           TAPS * sizeof *weights);
    return true;
}

static void train_class(struct trainer *trainer, struct weigher *weigher)
{
    const struct recipe *recipe = trainer->recipe;
    const int class = weigher->class;
    struct table table = trainer->table;
    struct look worst = {0};
    double best = HUGE_VAL;
    for (int kind = 0; kind < PICTURES; kind++)
        draw(weigher->pictures.tones[kind], 4 * class + 2, kind);
    struct table trial = trainer->table;
    for (int n = 0; start_of(trainer, class, n, trial.weights[class]); n++) {
        struct look trial_worst;
        balance_class(weigher->bench, &trial, class, SIDE, 6);
        const double cost = cost_of(weigher, &trial, &trial_worst);
        if (cost < best) {
            best = cost;
            table = trial;
            worst = trial_worst;
        }
    }
    fprintf(stderr, "class %d: cost %.3f, worms %.2f, anisotropy %.2f\n", class, best, worst.worms,
            worst.anisotropy);
    /* Of ten taps the first class stays: trained, photographs had more seen error, and its line of
     * thresholds rose by more than eight bits hold. */
    if (!recipe->only_worms || (class > 0 && worst.worms > WORMS_MOST)) {
        best = descend(weigher, &table, best, recipe->step >> trainer->pass, &worst);
        fprintf(stderr, "class %d: cost %.3f, worms %.2f, anisotropy %.2f, trained\n", class, best,
                worst.worms, worst.anisotropy);
    }
    memcpy(trainer->next.weights[class], table.weights[class], sizeof table.weights[class]);
    for (int tone = 4 * class; tone < 4 * class + 4; tone++)
        trainer->next.threshold[tone] = table.threshold[tone];
}

static void *work(void *data)
{
    struct trainer *trainer = data;
    struct bench *bench = calloc(1, sizeof *bench);
    struct weigher *weigher = calloc(1, sizeof *weigher);
    if (!bench || !weigher || !bench_open(bench, trainer->recipe->taps, trainer->recipe->count))
        exit(1);
    weigher->recipe = trainer->recipe;
    weigher->bench = bench;
    weigher->start = &trainer->table;
    while ((weigher->class = atomic_fetch_add(&trainer->ticket, 1)) < CLASSES)
        train_class(trainer, weigher);
    bench_close(bench);
    free(bench);
    free(weigher);
    return NULL;
}

/* Every class once, looking at the table as it was before. */
static void pass(struct trainer *trainer)
{
    pthread_t threads[64];
    trainer->next = trainer->table;
    atomic_store(&trainer->ticket, 0);
    for (int i = 0; i < trainer->threads; i++)
        if (pthread_create(&threads[i], NULL, work, trainer))
            exit(1);
    for (int i = 0; i < trainer->threads; i++)
        pthread_join(threads[i], NULL);
    trainer->table = trainer->next;
}

static void print(const struct recipe *recipe, const struct table *table)
{
    printf("/* SPDX-License-Identifier: MIT */\n"
           "/* Of acuity with %s taps, printed by tools/acuity_train.c --taps %s. */\n"
           "#include \"halftone/error_diffusion/acuity.h\"\n\n"
           "/* clang-format off */\n"
           "const struct acuity_table acuity_table_%s = {\n"
           "    .weights = {\n",
           recipe->name, recipe->name, recipe->name);
    for (int c = 0; c < CLASSES; c++) {
        printf("        {");
        for (int i = 0; i < TAPS; i++)
            printf("%d%s", table->weights[c][i], i + 1 < TAPS ? ", " : "},\n");
    }
    puts("    },\n    .thresholds = {");
    for (int c = 0; c < CLASSES; c++) {
        int at, slope;
        line_through(table->threshold, c, &at, &slope);
        printf(c % 8 == 0 ? "        {%d, %d}," : " {%d, %d},", at, slope);
        if (c % 8 == 7)
            puts("");
    }
    puts("    },\n};");
}

static bool read_options(struct trainer *trainer, int count, char **words)
{
    for (int i = 1; i + 1 < count; i += 2)
        if (!strcmp(words[i], "--threads"))
            trainer->threads = atoi(words[i + 1]);
        else if (!strcmp(words[i], "--taps")) {
            trainer->recipe = NULL;
            for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++)
                if (!strcmp(words[i + 1], recipes[r].name))
                    trainer->recipe = &recipes[r];
        } else
            return false;
    return count % 2 && trainer->recipe && trainer->threads >= 1 && trainer->threads <= 64;
}

int main(int count, char **words)
{
    static struct trainer trainer = {.recipe = recipes, .threads = 2};
    if (!read_options(&trainer, count, words)) {
        fprintf(stderr, "usage: acuity_train [--taps 10|6|4] [--threads 1..64]\n");
        return 2;
    }
    make_eyes();
    for (int c = 0; c < CLASSES; c++) {
        for (int i = 0; i < TAPS; i++)
            trainer.table.weights[c][i] =
                trainer.recipe->starts ? trainer.recipe->start[0][i] : 2 * first[c / 2][i];
        complete(trainer.table.weights[c]);
    }
    for (int t = 0; t < TONES; t++)
        trainer.table.threshold[t] = t < 32    ? 0.2 + 0.17 * t / 32
                                     : t < 112 ? 0.37 + 0.13 * (t - 32) / 80
                                               : 0.5;
    for (; trainer.pass < trainer.recipe->passes; trainer.pass++)
        pass(&trainer);
    print(trainer.recipe, &trainer.table);
    return 0;
}
