/* SPDX-License-Identifier: MIT */
/*
 * Points that can be found again in another picture of the same thing: blobs, light or dark, and
 * 128 bytes that describe the gradients round each.
 *
 * Blobs are the extrema of differences of Gaussians, over places and sizes. A gradient counts
 * modulo pi, so the bytes are the same for a negative. An angle is then known modulo pi too:
 * each point is there twice, the second one turned by pi, and its bytes are those of the
 * first one with the cells in reverse order.
 *
 * The definition is single precision in the order of the code, and contraction is off; angles come
 * from a polynomial. Descriptors are bytes, and are compared by integers.
 */
#ifndef RO_REGISTER_START_FEATURES_H
#define RO_REGISTER_START_FEATURES_H

#include "roundoff/core.h"

#include <stdbool.h>

struct thread_team;

enum {
    RO_DESCRIPTOR = 128,    /* bytes: 4 x 4 cells of 8 directions */
    RO_BLUR_REACH = 24,     /* of the widest Gaussian */
    RO_PATCH_SAMPLES = 1200 /* the most gradients that are taken at once */
};

/* Tones of one image, row after row. `keep`: 0 where a pixel does not count; NULL: all do. */
struct start_copy {
    int width, height;
    double shrink; /* pixels of the image to one of the copy */
    float *tone;
    uint8_t *keep;
};

struct feature {
    float x, y;  /* in pixels of the copy */
    float size;  /* the Gaussian's deviation */
    float angle; /* 0 to 2 pi */
    int sign;    /* 1: dark on light, -1: light on dark */
};

/* Points 2 i and 2 i + 1 are one and the same, turned by pi. */
struct feature_set {
    int count;
    struct feature *at;
    uint8_t *bytes; /* RO_DESCRIPTOR of each */
};

struct start_kernels {
    ro_cpu cpu;
    /* A symmetrical filter along a row, which is continued by `reach` pixels on both sides; and
     * over the 2 reach + 1 rows round `rows`. */
    void (*across)(int width, int reach, const float *taps, const float *row, float *out);
    void (*down)(int width, int reach, const float *taps, const float *const *rows, float *out);
    void (*subtract)(int width, const float *a, const float *b, float *out);
    /* 1 where the middle one of 3 x 3 x 3 differences is the largest or the smallest, and no
     * smaller than `least`; the first and the last column are not looked at. */
    void (*peaks)(int width, float least, const float *const rows[9], uint8_t *out);
    /* Lengths and angles, 0 to 2 pi. */
    void (*polar)(int count, const float *dx, const float *dy, float *length, float *angle);
    /* Squared distances of one descriptor to many. */
    void (*distances)(const uint8_t *one, int count, const uint8_t *others, int32_t *out);
};
const struct start_kernels *start_kernels_for(ro_cpu cpu);

/* A Gaussian over a whole plane; `between` is one more plane. In place, if out == in. */
void start_blur(struct thread_team *team, const struct start_kernels *kernels, int width,
                int height, double sigma, const float *in, float *between, float *out);

/* The points of a copy, whose tones are 0 to 1. `doubled`: begins at twice the size. False: no
 * memory. */
bool features_open(struct thread_team *team, const struct start_kernels *kernels,
                   const struct start_copy *copy, bool doubled, struct feature_set *set);
void features_close(struct feature_set *set);

/* The two parts of it: blobs on a scale space, and what describes them. */
enum { RO_OCTAVES = 10, RO_OCTAVE_SCALES = 3 };

struct octave {
    int width, height;
    float *blurred[RO_OCTAVE_SCALES]; /* of scales 1 to 3, whose peaks are looked for */
};

struct scale_space {
    struct octave octave[RO_OCTAVES];
    int octaves;
    float unit;    /* pixels of the copy to one of the first octave: 1 or 1/2 */
    float *memory; /* of all */
};

struct blob {
    float x, y, size; /* in pixels of the octave */
    float strength;
    int octave, scale, sign;
};

/* The strongest blobs, at most `most` of them and at first no more than a share in any part of the
 * copy. The number, or -1: no memory. */
enum { RO_MOST_BLOBS = 900 };
int blobs_find(struct thread_team *team, const struct start_kernels *kernels,
               const struct start_copy *copy, bool doubled, struct scale_space *space,
               struct blob *blobs);
void scale_space_close(struct scale_space *space);

#endif
