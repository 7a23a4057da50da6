/* SPDX-License-Identifier: MIT */
/*
 * Many levels in narrow lanes. Between levels that lie a step apart a tone is
 *
 *     T = level(k) + r,   r from 0 to the step,
 *
 * and errors never exceed half a step, so that the level chosen is k or k+1. Then k and level(k)
 * need no error and stand outside the chain from pixel to pixel; the chain runs on r plus errors,
 * which fit the lanes that two levels a step apart fit.
 *
 * Steps may differ by one (1025 and 1024 from 16 bits to 10). Of two neighbouring levels' steps g
 * the choice is r + q > floor(g/2). It is k-1 where r = 0 and q is a tie with a smaller step below,
 * which the larger step allows if it is odd; then r runs from 1 to g. If it is even, a tie with
 * r = g would ask for k+2; then r runs from 0 to g-1. Beside a longer step there is no such tie,
 * and a tone that is a level may be counted to either.
 *
 * k and level(k) come from products in lanes, found when the plan is made and checked there at
 * every place where they grow; a plan for which none is exact does without.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_MANY_LEVELS_H
#define RO_HALFTONE_ERROR_DIFFUSION_MANY_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* min(top, (((x << up) * by >> lane_bits) + plus - minus) >> down), a difference below 0 being 0.
 */
struct steps_line {
    int up, down;
    uint32_t by, plus, minus, top;
    bool plain; /* (x * by >> lane_bits) >> down alone */
};

/*
 * ((k << up) + plus) * by: its upper half is what levels have beside near * k, and its lower half
 * passes its range where the step above k differs from near. The average of the product by `low`,
 * which is by or minus it, and `middle` has its highest bit set where that step is the longer one,
 * or, where the longer one is odd, the shorter.
 */
struct steps_turn {
    int up;
    uint32_t plus, by, low, middle; /* by 0: there are none */
};

struct diffusion_steps {
    int lane_bits; /* 0: not used */
    bool uneven;
    bool wide;   /* Floyd-Steinberg in lanes of 16 bits with sums of 17 */
    int32_t gap; /* the smaller step */
    int32_t bias;
    int32_t limit;          /* uneven: r + q + bias leads to k+1 from max(limit, its step) on */
    struct steps_line base; /* from a sample to k, */
    bool guess;             /* or k-1, told apart by T - level, which of k is at least */
    int32_t least;
    int32_t near;            /* level(k) = near * k + or, */
    bool extra_down;         /* with this, - */
    struct steps_line extra; /* of k */
    struct steps_turn turn;  /* of k, in lanes of 16 bits */
};

/* What of these needs no lines: the steps and the bias. */
struct diffusion_steps diffusion_steps_shape(uint32_t maxval, int32_t levels);

/* For `levels` evenly spread from 0 to 16 * maxval. The caller has seen that the sums fit. */
struct diffusion_steps diffusion_steps_of(uint32_t maxval, int32_t levels, int lane_bits);

/* floor(x / step), kept at `top`, for x from 0 to last; false: there is no such line. */
bool steps_quotient(uint32_t step, uint32_t last, uint32_t top, int lane_bits,
                    struct steps_line *line);

static inline uint32_t steps_line_at(const struct steps_line *line, uint32_t x, int lane_bits)
{
    uint64_t product = (uint64_t)(x << line->up) * line->by;
    uint32_t at = (uint32_t)(product >> lane_bits) + line->plus;
    at = (at < line->minus ? 0 : at - line->minus) >> line->down;
    return at < line->top ? at : line->top;
}

#endif
