/* SPDX-License-Identifier: MIT */
/*
 * Denoising by diffusion in small numbers. Part of roundoff.h.
 */
#ifndef ROUNDOFF_DENOISE_H
#define ROUNDOFF_DENOISE_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Denoising ---------------------------------------------------------------------------- */

/* What a denoising did. Sums, extrema and energies (sums of squares) are of the numbers the method
 * worked in, `white` being the number that stands for white; whole numbers below 2^53 are exact. */
typedef struct ro_denoise_report {
    size_t size;        /* of the structure; set it before the call */
    const char *number; /* the number system */
    double white;
    uint32_t sample_white; /* the sample that stands for it; 0 of floats */
    double kappa;          /* in 1/255 of white; 0 where it does not apply */
    double noise;     /* standard deviation in 1/255 of white, where it was estimated or given */
    double time_step; /* tau/h^2 */
    uint32_t steps;   /* iterations done; with until_converged, until nothing moved */
    int converged;    /* a step was seen that changed nothing */
    double device_seconds; /* of the steps alone on a CUDA device; 0 on the CPU */
    double sum_before, sum_after;
    double min_before, min_after, max_before, max_after;
    double energy_before, energy_after;
    /* Of an output of integers, in its levels; 0 of floats. */
    double drift;        /* its sum minus that of the result it was rounded from */
    double difference;   /* its sum minus that of the input: 0 where the system holds the levels of
                            the input and the output has the same, unless each pixel is rounded */
    double impulses;     /* the share of samples that look like impulse noise, or were mended */
    const char *quality; /* of the trained model; NULL: another one ran */
    int saturating;    /* the time step is longer than is stable: neither sum nor extrema hold, and
                          numbers end at black and white */
    double noise_dark; /* if the noise was found to grow with the tone, `noise` is that of the
                          brightest tone that was measured and this that of the darkest one; else
                          the same */
} ro_denoise_report;

/* The image after a step, in the numbers of the working system: of integers exactly, the energy
 * being energy_high * 2^64 + energy_low; of floats as doubles. */
typedef struct ro_denoise_step {
    uint32_t step; /* 0: before the first */
    int exact;     /* integers; else the last four are filled in */
    int64_t sum, min, max;
    uint64_t energy_high, energy_low;
    double real_sum, real_min, real_max, real_energy;
    double
        change; /* root mean square of what the step changed in the numbers; 0 before the first */
} ro_denoise_step;
typedef void (*ro_denoise_step_fn)(void *data, const ro_denoise_step *step);

/* Called with the image as the output would be after a step, valid during the call. Non-zero
 * cancels. */
typedef int (*ro_denoise_frame_fn)(void *data, const ro_image *now, uint32_t step);

#define RO_WHITE_MAXVAL UINT32_MAX

/* The options; the comments of members are made from their rows by tools/describe.py. */
typedef struct ro_denoise_options {
    /* RO_DENOISE_OPTIONS sets it. */
    size_t size;
    /* How to smooth: trained, anisotropic, edge-enhancing, perona-malik or linear. Default (NULL):
     * trained; anisotropic with an option that trained does not take. */
    const char *model;
    /* How a time step is computed: explicit, implicit, conjugate, naive or xpp24. Default (NULL):
     * explicit; implicit for u8 and s9. */
    const char *scheme;
    /* The number system to work in: u8, s9, s12, s16, s17, s24, s10e5, s16e7, s23e8, u16, s8 or
     * q15. Default (NULL): by the bits of IN. */
    const char *number;
    /* How fluxes between pixels are rounded: zero, nearest, away, down, up, nearest-up,
     * nearest-down or nearest-even. Default (NULL): zero. */
    const char *rounding;
    /* How numbers become levels of an integer output: sum or nearest. Default (NULL): sum. */
    const char *round;
    /* How the CPU runs it, with the same bits: auto, reference, passes or stream. Default (NULL):
     * auto. */
    const char *schedule;
    /* Time steps: a whole number from 1 to 1073741824. Default (RO_DEFAULT): as stop says. */
    uint32_t iterations;
    /* Time steps in one pass over the image: a whole number from 1 to 64. Default (0): the fastest,
     * at most 8. */
    uint32_t steps_at_once;
    /* The sample value of white: a whole number from 1 to 4294967294 or maxval. Default (0): the
     * maxval, or the bits in use. */
    uint32_t white;
    /* Gradient of an edge in 1/255 per pixel: a number above 0, up to 1000000. Default (0): half
     * the noise. */
    double kappa;
    /* Smoothing of the gradient in pixels: a number from 0 to 64. Default (RO_DEFAULT): 0; 0.5 with
     * xpp24. */
    double sigma;
    /* The time step: a number above 0, up to 1000000. Default (0): the largest stable one. */
    double time_step;
    /* Colour channels do not share the gradient. */
    int independent;
    /* Stop when no pixel changes. */
    int until_converged;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* Called before the first step and after each, from the thread that made the call; on the CPU,
     * and not for streams. NULL: not wanted. */
    ro_denoise_step_fn on_step;
    void *on_step_data;
    /* When to stop: auto or usual. Default (NULL): auto without kappa. */
    const char *stop;
    /* Mend salt and pepper first, by medians. */
    int impulse;
    /* How diffusion falls with the gradient x, in units of kappa: perona-malik, exponential, decay
     * or lines. Default (NULL): perona-malik. */
    const char *diffusivity;
    /* Standard deviation of the noise in 1/255 of white: a number from 0 to 1000. Default
     * (RO_DEFAULT): estimated. */
    double noise_level;
    /* How many times the noise is removed: a number above 0, up to 4. Default (0): 1. */
    double strength;
    /* Which filters are taken: fast or best. Default (NULL): best. */
    const char *quality;
    /* Steps between two calls of `frame`, from before the first step to the end, by the models of
     * diffusion; on the CPU, and not for streams. 0: none. */
    uint32_t frame_every;
    ro_denoise_frame_fn frame;
    void *frame_data;
    /* Undo the bias of noise that was cut off, which changes the sum. */
    int unclip;
    /* How near to its solution a time step is solved, in numbers: a number above 0, up to 1000000.
     * Default (0): as 8 sweeps bring it. */
    double tolerance;
} ro_denoise_options;
#define RO_DENOISE_UNSET(UNSET) UNSET(iterations) UNSET(sigma) UNSET(noise_level)
#define RO_DENOISE_DEFAULTS RO_DEFAULTS_OF(ro_denoise_options, RO_DENOISE_UNSET)
#define RO_DENOISE_OPTIONS RO_OPTIONS_OF(ro_denoise_options, RO_DENOISE_UNSET)
RO_API
void ro_denoise_options_init(ro_denoise_options *options, size_t size);

/* Filters `in` (grey or RGB of any depth) into `out`, of the same size and number of channels and
 * any depth; both may be the same image. The explicit scheme keeps the sum of every channel in the
 * working numbers exactly and no pixel leaves the range of the input; an output with the input's
 * levels has its sum, too (`round`). `report` may be NULL. */
RO_API
ro_status ro_denoise(ro_context *context, const ro_image *in, ro_image *out,
                     const ro_denoise_options *options, ro_denoise_report *report);

#ifdef __cplusplus
}
#endif

#endif
