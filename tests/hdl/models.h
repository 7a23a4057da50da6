/* SPDX-License-Identifier: MIT */
/* What the circuits must give, computed by the library: plain arrays in and out. */
#ifndef RO_TESTS_HDL_MODELS_H
#define RO_TESTS_HDL_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint32_t model_random(uint32_t seed, uint32_t x, uint32_t y);

/* Level sets in a number system: its bits and bound, and `steps` steps on phi. */
struct model_numbers {
    int32_t min, max, fastest;
    int phi_bits, speed_bits, a;
};
struct model_numbers model_levelset_numbers(const char *number, const char *norm);
void model_levelset(const struct model_numbers *numbers, uint32_t width, uint32_t height,
                    int16_t *phi, const int16_t *speed, uint32_t steps);

/* The whole evolution of a front: phi and speed as they end. */
struct model_run {
    uint32_t steps;
    int rescalings;
    bool ended; /* or stalled: it rests */
};
struct model_run model_levelset_run(const char *number, const char *norm, uint32_t width,
                                    uint32_t height, int16_t *phi, int16_t *speed, uint32_t steps);

/* Explicit linear diffusion: `steps` steps on numbers, the time in 1/16384. */
void model_diffusion(uint32_t width, uint32_t height, int32_t *numbers, uint32_t time, bool nearest,
                     uint32_t steps);

/* Profile xpp24: a time step of numbers of 24 bits, the words it has worked with (weight above,
 * inverse in the lower 12 bits) and the result; and iterations with any words. */
void model_xpp24(uint32_t width, uint32_t height, const int32_t *numbers, uint32_t time,
                 int32_t *words, int32_t *out);
/* The words alone, of numbers whose gradient is taken as they are; and how a contrast counts. */
void model_xpp24_words(uint32_t width, uint32_t height, const int32_t *numbers, uint32_t time,
                       double kappa, int32_t *words);
void model_xpp24_scale(double kappa, int *shift, uint32_t *factor);
void model_xpp24_iterate(uint32_t width, uint32_t height, const int32_t *words, uint32_t time,
                         const int32_t *r, int32_t *x, uint32_t iterations);

/* Halftones of samples up to maxval: the number of each pixel's level. */
void model_halftone(const char *method, int levels, uint32_t maxval, uint32_t width,
                    uint32_t height, const uint16_t *samples, uint8_t *out);
/* The same by a threshold array of ranks. */
void model_ordered(uint32_t screen_width, uint32_t screen_height, const uint16_t *ranks, int levels,
                   uint32_t maxval, uint32_t width, uint32_t height, const uint16_t *samples,
                   uint8_t *out);
/* Whether every tone of a halftone is accounted for: what came in is what went out, what left over
 * the borders and what was carried at the ends of rows. */
bool model_halftone_is_exact(const char *method, int levels, uint32_t maxval, uint32_t width,
                             uint32_t height, const uint16_t *samples, uint8_t *out);

#endif
