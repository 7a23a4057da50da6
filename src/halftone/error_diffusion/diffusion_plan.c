/* SPDX-License-Identifier: MIT */
/* The plan of error diffusion: all that follows from the kernel, the levels and the image's
 * shape. */
#include "halftone/error_diffusion/diffusion.h"

#include <stdlib.h>
#include <string.h>

static void reduce(struct diffusion_kernel *kernel)
{
    int factor = diffusion_common_factor(kernel);
    kernel->divisor /= factor;
    for (int i = 0; i < kernel->count; i++)
        kernel->taps[i].weight = (int16_t)(kernel->taps[i].weight / factor);
}

/* The choice of a level sees v + shift + noise, and up to half a step more by a balanced threshold.
 * Below the highest and above the lowest level, e is
 * then off by as much; beyond them it is no larger than what flowed in. So the bound on errors
 * grows by that and no more. */
static void plan_levels(struct diffusion_plan *plan)
{
    int64_t n = plan->levels, w = plan->white;
    plan->widest = (int32_t)((w + n - 2) / (n - 1));
    plan->bound = (plan->widest + 1) / 2 + abs(plan->shift) + plan->noise;
    if (plan->balance)
        plan->bound += plan->widest / 2;
    /* The thresholds lie within 1 of evenly spaced ones; levels may be closer than that. */
    plan->levels_per_tone = (float)(n - 1) / (float)w;
    plan->guess_off = 1 + (int)(1.25f * plan->levels_per_tone);
    if (n > DIFFUSION_TABLED_LEVELS)
        return;
    for (int k = 0; k < n; k++)
        plan->level[k] = halftone_level(w, n, k);
    for (int k = 0; k + 1 < n; k++)
        plan->middle[k] = (plan->level[k] + plan->level[k + 1]) / 2;
    plan->middle[n - 1] = INT32_MAX;
    plan->below[0] = INT32_MIN;
    memcpy(plan->below + 1, plan->middle, (size_t)(n - 1) * sizeof *plan->below);
    if (n == 2 || w > DIFFUSION_TABLE_WHITE)
        return;
    for (int32_t v = 0, k = 0; v <= w + 1; v++) {
        while (v > plan->middle[k])
            k++;
        plan->choice[v] = (uint32_t)k << 24 | (uint32_t)plan->level[k];
    }
}

static void plan_balance(struct diffusion_plan *plan)
{
    if (!plan->balance || plan->white > DIFFUSION_TABLE_WHITE)
        return;
    for (int32_t tone = 0; tone <= plan->white; tone += 16)
        plan->balanced[tone / 16] = diffusion_balance(plan, tone);
}

static void plan_taps(struct diffusion_plan *plan)
{
    const struct diffusion_kernel *kernel = &plan->kernel;
    plan->weights_positive = true;
    for (int i = 0; i < kernel->count; i++) {
        struct diffusion_tap tap = kernel->taps[i];
        if (-tap.dx > plan->reach_left)
            plan->reach_left = -tap.dx;
        if (tap.dx > plan->reach_right)
            plan->reach_right = tap.dx;
        if (tap.dy > plan->rows_down)
            plan->rows_down = tap.dy;
        plan->weight_sum += tap.weight;
        if (tap.weight < 0)
            plan->weights_positive = false;
    }
    plan->turned = *kernel;
    for (int i = 0; i < kernel->count; i++)
        if (kernel->taps[i].dy % 2 == 1) /* from a row that ran the other way */
            plan->turned.taps[i].dx = (int8_t)-kernel->taps[i].dx;
}

/* Level numbers in the narrowest lanes for which a plan's steps are found. */
static void plan_steps(struct diffusion_plan *plan)
{
    const int32_t n = plan->levels - 1, widest = (plan->white + n - 1) / n;
    const int64_t sums = plan->kernel.divisor * (int64_t)widest;
    const uint32_t maxval = (uint32_t)plan->white / 16;
    const bool wide = sums > 1 << 16 && plan->kernel_id == KERNEL_FLOYD_STEINBERG &&
                      plan->white % n == 0 && widest <= DIFFUSION_WIDE_STEP;
    if ((wide || sums <= 1 << 16) && widest < 1 << 14 && diffusion_shifts(&plan->kernel))
        plan->steps = diffusion_steps_of(maxval, plan->levels, 16);
    if (plan->steps.lane_bits)
        plan->steps.wide = wide;
    else if (sums + plan->white < INT32_MAX)
        plan->steps = diffusion_steps_of(maxval, plan->levels, 32);
}

/*
 * Lanes hold errors plus a bias that keeps them from being negative. With weights that sum to the
 * divisor at most, a sum of weights times biased errors stays below divisor * (2 * bound + 1), and
 * that is what has to fit; the narrow lanes want a divisor that is a power of two as well.
 */
static void plan_wave(struct diffusion_plan *plan)
{
    int64_t divisor = plan->kernel.divisor;
    plan->skew = diffusion_skew(&plan->kernel);
    bool plain = plan->weights_positive && plan->strength == 100 && plan->shift == 0 &&
                 !plan->balance && plan->noise == 0;
    plan->fold = plan->levels == 2 && plan->bits_out && plain;
    if (plain && !plan->bits_out)
        plan_steps(plan);
    if (plan->steps.lane_bits) {
        plan->bias = plan->steps.bias;
        plan->lane_bits = plan->steps.lane_bits;
        return;
    }
    plan->bias = plan->fold ? plan->white / 2 - 1 : plan->bound;
    if (plan->fold && plan->sample_bytes == 1 && diffusion_fits_16(&plan->kernel))
        plan->lane_bits = 16;
    else if (divisor * (2 * (int64_t)plan->bound + 2) + plan->white < INT32_MAX &&
             plan->levels <= DIFFUSION_TABLED_LEVELS &&
             (!plan->balance || plan->white <= DIFFUSION_TABLE_WHITE))
        plan->lane_bits = 32;
}

void diffusion_plan_make(struct diffusion_plan *plan, const struct diffusion_request *request)
{
    *plan = (struct diffusion_plan){
        .kernel = *request->kernel,
        .kernel_id = request->kernel_id,
        .width = request->width,
        .sample_bytes = request->sample_bytes,
        .levels = request->levels,
        .bits_out = request->bits_out,
        .number_bytes = request->number_bytes ? request->number_bytes : 1,
        .white = 16 * (int32_t)request->maxval,
        .strength = request->strength ? request->strength : 100,
        .balance = request->balance,
        .seed = request->seed,
        .serpentine = request->serpentine,
    };
    int64_t white = plan->white;
    plan->noise = (int32_t)(request->noise * white / (200 * (request->levels - 1)));
    if (request->threshold)
        plan->shift = (int32_t)(white / 2 - request->threshold * white / 100);
    reduce(&plan->kernel);
    plan_levels(plan);
    plan_balance(plan);
    plan_taps(plan);
    plan_wave(plan);
}
