/* SPDX-License-Identifier: MIT */
#include "bench/denoise_trained.h"

#include "bench/peers/peer_denoisers.h"
#include "bench/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 5, NOISE = 20, ENTRIES = 6 };

struct entry {
    const char *name;
    ro_context *context;
    ro_image *noisy, out;
    ro_denoise_options options;
};

static bool run_entry(void *data)
{
    struct entry *entry = data;
    return ro_denoise(entry->context, entry->noisy, &entry->out, &entry->options, NULL) == RO_OK;
}

/* Adds noise that is nearly normal: the sum of twelve numbers. */
static void add_noise(const unsigned char *from, unsigned char *to, size_t count)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += (double)(state >> 40) / (1 << 24);
        }
        const double v = floor(from[i] + NOISE * sum + 0.5);
        to[i] = (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

static double error_of(const unsigned char *clean, const unsigned char *result, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)(clean[i] - result[i]) * (clean[i] - result[i]);
    return sum / (double)count;
}

static void print_row(const char *name, int threads, double error, double pixels, double seconds,
                      double slowest)
{
    printf("| %-24s | %2d | %5.2f | %8.2f | %6.1f |\n", name, threads,
           10 * log10(255 * 255 / error), pixels / seconds / 1e6, slowest / seconds);
}

static bool make_pictures(ro_context *context, uint32_t side, ro_image *clean, ro_image *noisy)
{
    const ro_image shape = ro_image_view(RO_GREY8, side, side, NULL);
    *clean = *noisy = shape;
    clean->data = malloc((size_t)side * side);
    noisy->data = malloc((size_t)side * side);
    if (!clean->data || !noisy->data || ro_testcard(context, clean) != RO_OK)
        return false;
    add_noise(clean->data, noisy->data, (size_t)side * side);
    return true;
}

void bench_denoise_trained(ro_context *one, ro_context *all, int threads, int size)
{
    const size_t pixels = (size_t)size * (size_t)size;
    ro_image clean, noisy;
    struct contender list[ENTRIES] = {0};
    struct entry entries[ENTRIES] = {0};
    struct peer_denoiser peers[PEER_DENOISERS];
    bool right = make_pictures(one, (uint32_t)size, &clean, &noisy);
    for (int i = 0; i < ENTRIES; i++) {
        static const char *const qualities[] = {"fast", "best", NULL};
        const char *quality = qualities[i / 2];
        entries[i] = (struct entry){
            .name = quality ? i / 2 ? "trained best" : "trained fast" : "anisotropic",
            .context = i % 2 ? all : one,
            .noisy = &noisy,
            .out = noisy,
            .options = {RO_DENOISE_DEFAULTS, .model = quality ? "trained" : "anisotropic",
                        .quality = quality, .noise_level = quality ? NOISE : RO_DEFAULT}};
        entries[i].out.data = malloc(pixels);
        right = right && entries[i].out.data;
        list[i] = (struct contender){.run = run_entry, .data = &entries[i]};
    }
    if (right) {
        time_in_turns(list, ENTRIES, ROUNDS, 20);
        peer_denoisers(size, clean.data, noisy.data, NOISE, peers);
        printf(
            "\nTest card of %d x %d in bytes with noise of %d. The last column is how many times "
            "as fast as OpenCV's fastNlMeans 7/21. Peers run on one thread.\n\n"
            "| filter                   | threads | dB | Mpixel/s | times |\n"
            "| ------------------------ | -: | ----: | -------: | -----: |\n",
            size, size, NOISE);
        const double slowest = peers[0].seconds > 0 ? peers[0].seconds : 0;
        for (int i = 0; i < ENTRIES; i++)
            if (!list[i].failed)
                print_row(entries[i].name, i % 2 ? threads : 1,
                          error_of(clean.data, entries[i].out.data, pixels), (double)pixels,
                          list[i].best, slowest);
        for (int i = 0; i < PEER_DENOISERS; i++)
            if (peers[i].seconds > 0)
                print_row(peers[i].name, 1, peers[i].error, (double)pixels, peers[i].seconds,
                          slowest);
            else
                printf("%s is not installed\n", peers[i].name);
    }
    for (int i = 0; i < ENTRIES; i++)
        free(entries[i].out.data);
    free(clean.data);
    free(noisy.data);
}
