/* SPDX-License-Identifier: MIT */
/*
 * Refinement: level numbers whose light, after a distance, has the amplitude of a target in a
 * region, whatever its phase. With r the light that arrives through the window and t the target
 * times a scale that stays, E = sum over the region of (|r| - t)^2 is made small:
 *
 *   start    error diffusion of the field, or of one of our own (refine_smooth.c), each hogel's
 * noise kept out of the frequencies by which it reaches the region (refine_start.c); iterate  D = r
 * - t r/|r| sent back; u = y - eta D; q = u/|u|; y = q with momentum; of few levels more and more
 * pixels stay at a level, Wyrowski's freezing (refine_iterate.c); search   pixels, and pairs of
 * neighbours, take the levels that lower E most, as D and a kernel tell, tile by tile
 * (refine_search.c).
 *
 * All of it is in a fixed order: the same bits on every CPU with any number of threads, and on a
 * device, where fields and numbers stay while it runs.
 */
#ifndef RO_HOLOGRAM_REFINE_H
#define RO_HOLOGRAM_REFINE_H

#include "hologram/propagate/propagate.h"
#include "hologram/quantize/diffuse.h"
#include "hologram/refine/cuda/refine_cuda.h"

enum { REFINE_HOGEL = 64 }; /* of the start */

enum { EDGES_DARK, EDGES_WRAP };

enum { REFINE_PLANES = 16 };

/* A plane with a target: what the refiner's members of the same names become in its turn. */
struct refine_plane {
    ro_refinement o;
    uint32_t region[4];
    double power;
    float bright, *target;
};

struct refiner {
    ro_context *context;
    const ro_field *field; /* that it starts from: the given one, or `own`, whose pixels are q's */
    ro_field own;
    const ro_optics *optics;
    const ro_refinement *o;
    struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS]; /* the levels */
    struct propagation light;
    uint32_t width, height, region[4]; /* x, y, width, height */
    double power;                      /* of the target in the region, as it was given */
    float bright;                      /* its root mean square there, scaled */
    float *target;                     /* the amplitude times the scale, of the field's size */
    float *q, *y;                      /* light on the modulator; with momentum */
    float *r;                          /* light in the target's plane, r - t r/|r|, or D */
    float *source;                     /* light at a level of 1; NULL: 1 */
    double incident;                   /* its sum of squares */
    uint8_t *numbers, *best;
    double *sums;                /* a row each */
    struct refine_sums *figures; /* as well */
    struct refine_cuda *device;  /* instead of what q, y, r, numbers and best hold; or NULL */
    struct refine_plane plane[REFINE_PLANES];
    int planes;
    float *sum;         /* D of all planes */
    double done, share; /* of the progress, for the steps at hand */
    int iterations, passes;
};

/* Runs a row after another, by all threads. */
typedef void refine_row_fn(struct refiner *f, const void *data, uint32_t y);
void refine_rows(struct refiner *f, refine_row_fn *run, const void *data);

/* A level's light at a pixel. */
static inline void refine_lit(const struct refiner *f, size_t at, const float *level, float *light)
{
    const float re = level[0], im = level[1];
    light[0] = re;
    light[1] = im;
    if (f->source) {
        const float *s = f->source + 2 * at;
        light[0] = re * s[0] - im * s[1];
        light[1] = re * s[1] + im * s[0];
    }
}

/* Back: as if the source had the phase 0 there. */
static inline void refine_unlit(const struct refiner *f, size_t at, float *light)
{
    if (!f->source)
        return;
    const float *s = f->source + 2 * at, re = light[0], im = light[1];
    light[0] = re * s[0] + im * s[1];
    light[1] = im * s[0] - re * s[1];
}

/* q = the light of the numbers, or the numbers nearest to q. */
ro_status refine_light(struct refiner *f, const float *table, int count);
ro_status refine_round(struct refiner *f);

/* r = the light of `from`, q or y, that arrives in the target's plane, */
ro_status refine_arrive(struct refiner *f, const float *from);
/* r - t r/|r| in the region and 0 outside; gives E unless it is NULL, */
ro_status refine_residual(struct refiner *f, double *error);
/* and D. */
ro_status refine_back(struct refiner *f);

/* Turns to a plane. */
void refine_use(struct refiner *f, int plane);

/* Of the amplitudes in r against the target, scaled to fit, decibels; *light: their share. */
ro_status refine_figures(struct refiner *f, double *psnr, double *light);

/* Whether a pixel of the target's plane is in the region. */
static inline bool refine_inside(const struct refiner *f, uint32_t x, uint32_t y)
{
    return x - f->region[0] < f->region[2] && y - f->region[1] < f->region[3];
}

ro_status refine_smooth(struct refiner *f); /* picks the field; before the device opens */
ro_status refine_start(struct refiner *f, double gain); /* fills in numbers and q */
ro_status refine_iterate(struct refiner *f);
ro_status refine_search(struct refiner *f);

/* Along one direction: what the light of a pixel, as far as it reaches the region, is at the pixels
 * about it. K(x, y) is the product of both directions, which the quadratic phase of a small window
 * very nearly is. */
struct refine_kernel {
    float (*at)[REFINE_SIDE][2]; /* for every place */
};
ro_status refine_kernel_open(struct refiner *f, int axis, struct refine_kernel *kernel);

#endif
