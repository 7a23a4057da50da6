/* SPDX-License-Identifier: MIT */
/* What acuity_train.c trains by: the method as its tables make it, and what is seen of it. */
#ifndef RO_TOOLS_ACUITY_LOOK_H
#define RO_TOOLS_ACUITY_LOOK_H

#include "fft/radix2.h"

#include <stdbool.h>

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
    BORDER = 16, /* of a picture, that is not looked at */
    EYES = 4,
};

struct table {
    int weights[CLASSES][TAPS];
    double threshold[TONES]; /* of white */
};

struct run {
    int flow[3][SIDE + 2 * MARGIN + 8];
    double carried; /* the mean error, of white */
    int largest;
};

struct look {
    double seen[EYES], worms, anisotropy;
};

struct bench {
    int taps[TAPS], count; /* those that the method has, without DOWN */
    struct run run;
    struct radix2_float tile, picture;
    float errors[SIDE * SIDE];
    float re[PICTURE * PICTURE], im[PICTURE * PICTURE], *scratch;
    double power[PICTURE * PICTURE];
    unsigned char tones[SIDE * SIDE];
};

void make_eyes(void); /* once, before anything is looked at */
bool bench_open(struct bench *bench, const int *taps, int count);
void bench_close(struct bench *bench);

/* Halftones bench->tones or others; bench->errors takes output minus input, of white, if `errors`;
 * what is carried is averaged after `settle` rows and columns. */
void diffuse(struct bench *bench, const struct table *table, const unsigned char *tones, int width,
             int height, int settle, bool errors);

void look_at_flat(struct bench *bench, const struct table *table, int tone, struct look *look);

/* Tones of PICTURE + 2 BORDER squared: 0 and 1 smooth noise, 2 bars and discs. */
void draw(unsigned char *tones, int tone, int kind);
void look_at_picture(struct bench *bench, const struct table *table, const unsigned char *tones,
                     struct look *look);

/* The logarithm of what is seen, all eyes together. */
double log_seen(const struct look *look);

#endif
