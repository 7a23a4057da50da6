/* SPDX-License-Identifier: MIT */
/* The plan of an error diffusion: all that follows from the kernel and the image's shape. */
#include "halftone/diffusion.h"

#include "core/names.h"

#include <stdlib.h>
#include <string.h>

static void reduce(struct diffusion_kernel *kernel)
{
    int factor = diffusion_common_factor(kernel);
    kernel->divisor /= factor;
    for (int i = 0; i < kernel->count; i++)
        kernel->taps[i].weight = (int16_t)(kernel->taps[i].weight / factor);
}

static void plan_levels(struct diffusion_plan *plan)
{
    int64_t n = plan->levels, w = plan->white;
    int32_t widest = 0;
    for (int k = 0; k < n; k++)
        plan->level[k] = (int32_t)((2 * w * k + n - 1) / (2 * (n - 1)));
    for (int k = 0; k + 1 < n; k++) {
        plan->middle[k] = (plan->level[k] + plan->level[k + 1]) / 2;
        int32_t gap = plan->level[k + 1] - plan->level[k];
        widest = gap > widest ? gap : widest;
    }
    plan->middle[n - 1] = INT32_MAX;
    plan->below[0] = INT32_MIN;
    memcpy(plan->below + 1, plan->middle, (size_t)(n - 1) * sizeof *plan->below);
    plan->bound = (widest + 1) / 2;
    plan->levels_per_tone = (float)(n - 1) / (float)w;
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
    plan->fold = plan->levels == 2 && plan->weights_positive;
    plan->bias = plan->fold ? plan->white / 2 - 1 : plan->bound;
    if (plan->fold && plan->sample_bytes == 1 && (divisor & (divisor - 1)) == 0 &&
        divisor * plan->white <= UINT16_MAX)
        plan->lane_bits = 16;
    else if (divisor * (2 * (int64_t)plan->bound + 2) + plan->white < INT32_MAX)
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
        .white = 16 * (int32_t)request->maxval,
    };
    reduce(&plan->kernel);
    plan_levels(plan);
    plan_taps(plan);
    plan_wave(plan);
}

const struct diffusion_schedule *diffusion_schedule_find(const char *name)
{
    static const struct diffusion_schedule *const schedules[] = {&diffusion_ed, &diffusion_ec,
                                                                 &diffusion_wave};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        if (ro_name_equal(name, schedules[i]->name))
            return schedules[i];
    return NULL;
}
