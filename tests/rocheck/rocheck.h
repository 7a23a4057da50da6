/* SPDX-License-Identifier: MIT */
/*
 * rocheck: every fast variant against the plain C reference, bit for bit, and its speed.
 *
 * A suite lists its cases (a method on a schedule) and, for one case on one variant, makes images,
 * runs both and compares. What ran is read from the context's report: a variant that was asked for
 * and did not run is a failure.
 */
#ifndef ROCHECK_H
#define ROCHECK_H

#include "roundoff.h"

#include <stdbool.h>

/* Chooses between a real device and an emulated one, which is slow. */
#ifdef RO_CUDA_EMULATED
#define RO_ON_DEVICE(real, emulated) (emulated)
#else
#define RO_ON_DEVICE(real, emulated) (real)
#endif

/* Where a case runs. */
struct variant {
    const char *name; /* "scalar", "v128", "avx2", "avx512", "cuda" */
    ro_device device;
    ro_cpu cpu;
};

struct check {
    const struct variant *variant;
    uint64_t seed;    /* of the run, for the message */
    uint64_t counter; /* of numbers drawn */
    int repeats;      /* how often to repeat each image, to catch races */
    int few;          /* step from one trial to the next: 1 runs all, 4 a quarter of them */
    char failure[256];
};

struct suite {
    const char *name;
    int cases;
    const char *(*case_name)(int number);
    bool (*supports)(int number, const struct variant *variant);
    bool (*test)(int number, struct check *check); /* false: check->failure says what differs */
    /* NULL: there is nothing to tell. Mpixel/s, and a line on stdout. */
    double (*bench)(int number, const struct variant *variant, int threads);
    void (*steps)(int number, const struct variant *variant);
};

extern const struct suite diffusion_suite, dbs_suite, ordered_suite, denoise_suite, register_suite,
    segment_suite, hologram_suite, light_suite, device_suite, trained_suite, seek_suite;

/* Numbers for tests: a hash of seed and counter, so that a seed repeats a run. */
uint32_t draw(struct check *check, uint32_t limit);

/* Bytes round what a variant writes, which it must leave as they are. */
enum { GUARD = 64, POISON = 0xa5 };

/* Whether two buffers with guards agree; if not, `where` says where their first pixels part. */
enum { WHERE_BYTES = 96 };
bool same_bytes(const ro_image *want, const ro_image *got, size_t bytes, char where[WHERE_BYTES]);

/* A context of the variant; NULL: it cannot be opened. */
ro_context *open_variant(const struct variant *variant, int threads);

/* Millions of pixels a second: `pixels` over the best time of some runs; 0: one failed. */
double best_speed(int runs, double pixels, bool (*run)(void *data), void *data);

/* The best speed of ro_halftone on a square test card, to packed bits. */
double halftone_speed(const struct variant *variant, int threads, uint32_t side,
                      const ro_halftone_options *options);

double seconds_now(void);

#endif
