/* SPDX-License-Identifier: MIT */
/*
 * Prints the PSNR of weights on test images with known noise, as floats and as bytes.
 *
 *     gcc -std=gnu11 -O3 -march=native -o evaluate evaluate.c batch.c passes.c weights.c \
 *         -lm -pthread
 *     ./evaluate [--whole none|words|bytes] [--images 1] [--threads N] tests.bin WEIGHTS...
 *
 * "clipped" is rounded and clipped to bytes before the filter; "restored" inverts the bias of
 * clipping after it (which changes the image's sum).
 */
#include "batch.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 128, NOISES = 5 };
enum input { FLOATS, CLIPPED, RESTORED, INPUTS };

static const double noises[NOISES] = {5, 10, 15, 25, 50};
static const char *const input_name[INPUTS] = {"floats", "clipped", "restored"};

struct test {
    char name[17];
    int32_t height, width;
    uint8_t *pixels;
    float *noise;
    double psnr[INPUTS][NOISES];
};

struct evaluation {
    const struct weights *weights;
    struct test *tests;
    int count;
    _Atomic int next;
};

static int read_tests(struct test *tests, const char *path)
{
    FILE *file = fopen(path, "rb");
    int32_t count = 0;
    bool good = file && fread(&count, 4, 1, file) == 1 && count > 0 && count <= MOST_TESTS;
    for (int i = 0; good && i < count; i++) {
        struct test *t = &tests[i];
        good = fread(t->name, 16, 1, file) == 1 && fread(&t->height, 4, 1, file) == 1 &&
               fread(&t->width, 4, 1, file) == 1;
        size_t size = good ? (size_t)t->height * t->width : 0;
        t->pixels = malloc(size);
        t->noise = malloc(size * sizeof *t->noise);
        good = good && t->pixels && t->noise && fread(t->pixels, 1, size, file) == size &&
               fread(t->noise, sizeof *t->noise, size, file) == size;
    }
    if (file)
        fclose(file);
    if (!good)
        fprintf(stderr, "%s: no test images\n", path);
    return good ? count : 0;
}

/* Returns the grey level whose clipped mean is `found`; mean[v] is that of level v. */
static double restored(double found, const double *mean)
{
    if (found <= mean[0])
        return 0;
    if (found >= mean[255])
        return 255;
    int low = 0, high = 255;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(mean[middle] <= found ? &low : &high) = middle;
    }
    return low + (found - mean[low]) / (mean[high] - mean[low]);
}

static double psnr_of(const struct test *t, const struct weights *w, enum input input, double noise)
{
    struct passes *p = passes_open(t->height, t->width, w, false);
    double sum = 0, mean[256];
    if (!p)
        return NAN;
    for (int v = 0; v < 256; v++)
        mean[v] = clipped_mean(v, noise);
    p->levels = input == FLOATS ? 0 : noise;
    for (int i = 0; i < t->height * t->width; i++) {
        double noisy = t->pixels[i] + noise * t->noise[i];
        if (input != FLOATS)
            noisy = rint(fmin(fmax(noisy, 0), 255));
        p->input[pixel_at(p, i / t->width, i % t->width)] = noisy / noise;
    }
    passes_forward(p, w);
    for (int i = 0; i < t->height * t->width; i++) {
        double found = p->state[p->steps][pixel_at(p, i / t->width, i % t->width)] * noise;
        found = input == RESTORED ? restored(found, mean) : fmin(fmax(found, 0), 255);
        sum += (found - t->pixels[i]) * (found - t->pixels[i]);
    }
    passes_close(p);
    return 10 * log10(255.0 * 255.0 * t->height * t->width / sum);
}

static void *work_on_tests(void *argument)
{
    struct evaluation *e = argument;
    for (int i; (i = atomic_fetch_add(&e->next, 1)) < e->count * INPUTS * NOISES;) {
        struct test *t = &e->tests[i / (INPUTS * NOISES)];
        int input = i / NOISES % INPUTS, n = i % NOISES;
        t->psnr[input][n] = psnr_of(t, e->weights, input, noises[n]);
    }
    return NULL;
}

static void print_row(const char *name, const char *input, const double *psnr)
{
    printf("%-17s %-8s", name, input);
    for (int n = 0; n < NOISES; n++)
        printf("  %g: %.3f", noises[n], psnr[n]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct test tests[MOST_TESTS];
    const char *whole = "none";
    bool images = false;
    int threads = 1, at = 1;
    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2)
        if (!strcmp(argv[at], "--whole"))
            whole = argv[at + 1];
        else if (!strcmp(argv[at], "--images"))
            images = atoi(argv[at + 1]);
        else if (!strcmp(argv[at], "--threads"))
            threads = atoi(argv[at + 1]);
    if (at + 2 > argc || threads < 1) {
        fprintf(stderr, "usage: evaluate [--whole none|words|bytes] [--images 1] [--threads N] "
                        "TESTS WEIGHTS...\n");
        return 2;
    }
    int count = read_tests(tests, argv[at]);
    if (!count)
        return 1;
    for (at++; at < argc; at++) {
        struct weights w;
        if (!weights_read(&w, argv[at]))
            return 1;
        w.bytes = !strcmp(whole, "bytes");
        w.whole = w.bytes || !strcmp(whole, "words");
        weights_expand(&w);
        struct evaluation e = {.weights = &w, .tests = tests, .count = count};
        run_threads(work_on_tests, &e, threads);
        printf("%s\n", argv[at]);
        for (int input = 0; input < INPUTS; input++) {
            double mean[NOISES] = {0};
            for (int i = 0; i < count; i++) {
                if (images)
                    print_row(tests[i].name, input_name[input], tests[i].psnr[input]);
                for (int n = 0; n < NOISES; n++)
                    mean[n] += tests[i].psnr[input][n] / count;
            }
            print_row("mean", input_name[input], mean);
        }
        weights_close(&w);
    }
    return 0;
}
