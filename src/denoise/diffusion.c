/* SPDX-License-Identifier: MIT */
/* From parameters to weights and tables. Integers wherever a floor decides a bit. */
#include "denoise/diffusion.h"

#include "number/power.h"

#include <math.h>

const char *model_name(enum diffusion_model model)
{
    static const char *const names[] = {
        [RO_MODEL_LINEAR] = "linear",         [RO_MODEL_PERONA_MALIK] = "perona-malik",
        [RO_MODEL_TABLE] = "perona-malik",    [RO_MODEL_ANISOTROPIC] = "anisotropic",
        [RO_MODEL_TENSOR] = "edge-enhancing",
    };
    return names[model];
}

const char *diffusivity_name(enum diffusivity diffusivity)
{
    static const char *const names[RO_DIFFUSIVITIES] = {"perona-malik", "exponential", "decay",
                                                        "lines"};
    return names[diffusivity];
}

/* Element weights are floor(2^16 tau S), S the entry of the element's stiffness matrix without its
 * sign: 1/3 on diagonals, 1/6 on sides. 2^16 tau is 4 * time, a whole number. */
static struct edge_weights linear_element(uint32_t time)
{
    int32_t diagonal = (int32_t)(4 * time / 3), side = (int32_t)(4 * time / 6);
    return (struct edge_weights){diagonal, diagonal, side, side};
}

static const uint64_t EXP_EIGHTH = 3790295335; /* 2^32 exp(-1/8) */

/* Diffusivities of squared gradients i kappa^2 / 8 in 2^-32, the same everywhere. Tangents of
 * 1/(1 + y) at y = 0, 1, 3 and 7 are (2^(k+1) - 1 - y) / 4^k. */
static void fill_shares(enum diffusivity diffusivity, uint64_t share[RO_TABLE])
{
    const uint64_t one = (uint64_t)1 << 32;
    uint64_t power = one;
    for (uint32_t i = 0; i < RO_TABLE; i++) {
        share[i] = 0;
        switch (diffusivity) {
        case RO_DIFFUSIVITY_EXPONENTIAL:
            share[i] = power;
            break;
        case RO_DIFFUSIVITY_DECAY:
            share[i] =
                i ? (uint64_t)floor(0x1p32 * power_of(0.36787944117144233, sqrt(i / 8.0))) : one;
            break;
        case RO_DIFFUSIVITY_LINES:
            for (int k = 0; k < 4; k++) {
                const uint64_t start = 8 * (((uint64_t)2 << k) - 1);
                const uint64_t line = start > i ? (start - i) << (29 - 2 * k) : 0;
                share[i] = line > share[i] ? line : share[i];
            }
            break;
        default:
            share[i] = 8 * one / (8 + i);
        }
        power = power * EXP_EIGHTH >> 32; /* by repeated multiplication */
    }
}

/*
 * Entry i belongs to the squared gradient i kappa^2 / 8. An element's SE weight is g/3, of
 * Perona-Malik's g a quotient of integers. The anisotropic one, with g1 = g/2 along the gradient
 * and g2 = g across it, is g/8 times (2 - sin 2a) on SE and (1 - cos 2a) on E (Eq. 2.45). With g1 =
 * 1/2 + g/2 and g2 = 1 it is (1 - g)/8 times the same and g/6 on each side, twice that on
 * diagonals.
 */
static void fill_table(struct step_weights *diffusion, bool along, const uint64_t *share)
{
    const uint64_t time = diffusion->time, one = (uint64_t)1 << 32;
    for (uint32_t i = 0; i < RO_TABLE; i++) {
        switch (diffusion->model) {
        case RO_MODEL_ANISOTROPIC:
            diffusion->table[i] = (uint16_t)(4 * time / (8 + i));
            break;
        case RO_MODEL_PERONA_MALIK:
            diffusion->table[i] = (uint16_t)(32 * time / (3 * (8 + i)));
            break;
        case RO_MODEL_TENSOR:
            diffusion->table[i] =
                (uint16_t)((4 * time * (along ? one - share[i] : share[i]) / 8) >> 32);
            diffusion->even[i] = along ? (uint16_t)((4 * time * share[i] / 6) >> 32) : 0;
            break;
        default:
            diffusion->table[i] = (uint16_t)((4 * time * share[i] / 3) >> 32);
        }
    }
    diffusion->beyond = along ? (uint16_t)(4 * time / 8) : 0;
}

/* The table ends where the squared gradient (p^2 + q^2)/2 is 64 kappa^2. That norm is brought to 15
 * bits by `shift`; kappa^2 is thereby rounded to one part in two thousand. */
static void set_scale(struct step_weights *diffusion, double kappa)
{
    int exponent;
    double end = frexp(128 * kappa * kappa, &exponent); /* 1/2 <= end < 1 */
    diffusion->shift = exponent - 15;
    if (diffusion->shift < -15) { /* a norm of 1 is beyond the table */
        diffusion->shift = -15;
        end = 0.5;
    }
    if (diffusion->shift > 63) /* no norm is that large */
        diffusion->shift = 63;
    diffusion->factor = (uint32_t)floor(1024 / end + 0.5);
}

static float rounded(const struct step_weights *diffusion, double x)
{
    return (float)ro_small_float_round(diffusion->real, x, RO_ROUND_NEAREST_EVEN);
}

static void set_float_weights(struct step_weights *diffusion, double kappa, uint32_t smoothing_time,
                              bool along, const uint64_t *share)
{
    struct float_weights *w = &diffusion->weights;
    double time = (double)diffusion->time / RO_TIME_ONE;
    double smoothing = (double)smoothing_time / RO_TIME_ONE;
    w->diagonal = rounded(diffusion, time / 3);
    w->side = rounded(diffusion, time / 6);
    w->smooth_diagonal = rounded(diffusion, smoothing / 3);
    w->smooth_side = rounded(diffusion, smoothing / 6);
    w->whole = rounded(diffusion, diffusion->model >= RO_MODEL_ANISOTROPIC ? time / 8 : time / 3);
    w->sixth = rounded(diffusion, time / 6);
    if (diffusion->model != RO_MODEL_LINEAR)
        w->scale = rounded(diffusion, 1 / (2 * kappa * kappa));
    for (int i = 0; i <= RO_TABLE; i++) {
        const double g = i < RO_TABLE ? (double)share[i] * 0x1p-32 : 0;
        w->exponential[i] = rounded(diffusion, along ? 1 - g : g);
        w->even[i] = rounded(diffusion, along ? g : 0);
    }
}

/* Gives the time of one smoothing step, 0 for none. */
static uint32_t set_smoothing(struct step_weights *diffusion, double sigma)
{
    uint32_t largest = diffusion->nearest ? RO_TIME_NEAREST : RO_TIME_ZERO;
    double total = RO_TIME_ONE * sigma * sigma / 2;
    if (diffusion->model == RO_MODEL_LINEAR || total < 0.5)
        return 0;
    double steps = ceil(total / largest);
    uint32_t time = (uint32_t)floor(total / steps + 0.5);
    diffusion->smoothings = (int)steps;
    diffusion->smoothing = linear_element(time);
    return time;
}

void diffusion_make(struct step_weights *diffusion, const struct diffusion_parameters *parameters)
{
    *diffusion = (struct step_weights){
        .width = parameters->width,
        .height = parameters->height,
        .planes = parameters->planes,
        .joint = parameters->planes,
        .model = parameters->model,
        .nearest = parameters->nearest,
        .time = parameters->time,
        .constant = linear_element(parameters->time),
        .ceiling = parameters->ceiling,
    };
    if (parameters->independent || parameters->model == RO_MODEL_LINEAR)
        diffusion->joint = 1;
    /* What is not Perona-Malik's comes from a table. */
    if (parameters->diffusivity != RO_DIFFUSIVITY_PERONA_MALIK) {
        if (parameters->model == RO_MODEL_PERONA_MALIK)
            diffusion->model = RO_MODEL_TABLE;
        if (parameters->model == RO_MODEL_ANISOTROPIC)
            diffusion->model = RO_MODEL_TENSOR;
    }
    const bool along = parameters->model == RO_MODEL_TENSOR;
    uint64_t share[RO_TABLE];
    fill_shares(parameters->diffusivity, share);
    if (parameters->model != RO_MODEL_LINEAR) {
        fill_table(diffusion, along, share);
        set_scale(diffusion, parameters->kappa);
    }
    uint32_t smoothing_time = set_smoothing(diffusion, parameters->sigma);
    diffusion->real = parameters->real;
    if (diffusion->real)
        set_float_weights(diffusion, parameters->kappa, smoothing_time, along, share);
}
