/* SPDX-License-Identifier: MIT */
/*
 * Multigrid and registration on every variant against the scalar code: solutions and displacements
 * must be the same bits, and so must every step of the descent.
 */
#include "register/register.h"
#include "core/random.h"
#include "phantoms/moved_pair.h"
#include "rocheck.h"
#include "roundoff/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"multigrid", "ssd",   "ncc",  "small-floats", "thesis",
                                    "auto",      "masks", "long", "sizes"};
enum { MULTIGRID, SSD, NCC, SMALL, THESIS, AUTO, MASKS, LONG, SIZES };

static const char *case_name(int number) { return names[number]; }

static bool supports(int number, const struct variant *variant)
{
    (void)number;
    (void)variant;
    return true;
}

struct pair {
    ro_context *variant, *scalar;
};

static bool fail(struct check *check, const char *what, const ro_context *context)
{
    snprintf(check->failure, sizeof check->failure, "%s: %s", what, ro_context_message(context));
    return false;
}

static bool equal(struct check *check, const char *what, const ro_image *want, const ro_image *got)
{
    for (uint32_t y = 0; y < want->height; y++) {
        const float *a =
            (const float *)(const void *)((const char *)want->data + (ptrdiff_t)y * want->stride);
        const float *b =
            (const float *)(const void *)((const char *)got->data + (ptrdiff_t)y * got->stride);
        for (uint32_t x = 0; x < want->width; x++)
            if (memcmp(&a[x], &b[x], sizeof *a) != 0) {
                snprintf(check->failure, sizeof check->failure,
                         "%s, %u x %u: at (%u, %u) %.9g instead of %.9g", what, want->width,
                         want->height, x, y, (double)b[x], (double)a[x]);
                return false;
            }
    }
    return true;
}

static bool ran_there(struct check *check, const struct pair *pair)
{
    const ro_report *ran = ro_context_report(pair->variant);
    const struct variant *variant = check->variant;
    if (ran->device == variant->device &&
        (variant->device == RO_DEVICE_CUDA || ran->cpu == variant->cpu))
        return true;
    snprintf(check->failure, sizeof check->failure, "it ran on %s/%s", ro_device_name(ran->device),
             ro_cpu_name(ran->cpu));
    return false;
}

static bool try_solve(struct check *check, const struct pair *pair, uint32_t width, uint32_t height,
                      double sigma, uint32_t cycles, int warm)
{
    ro_image b = {0}, want = {0}, got = {0};
    bool right = ro_image_alloc(pair->scalar, RO_GREYF, width, height, 0, &b) == RO_OK &&
                 ro_image_alloc(pair->scalar, RO_GREYF, width, height, 0, &want) == RO_OK &&
                 ro_image_alloc(pair->scalar, RO_GREYF, width, height, 0, &got) == RO_OK;
    for (uint32_t y = 0; right && y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            size_t at = (size_t)y * (size_t)b.stride / sizeof(float) + x;
            ((float *)b.data)[at] = (float)draw(check, 2001) / 1000 - 1;
            ((float *)want.data)[at] = ((float *)got.data)[at] = (float)draw(check, 100);
        }
    ro_multigrid_options options = {RO_MULTIGRID_DEFAULTS, .sigma = sigma, .cycles = cycles,
                                    .warm = warm};
    if (right && ro_multigrid_solve(pair->scalar, &b, &want, &options) != RO_OK)
        right = fail(check, "scalar", pair->scalar);
    if (right && ro_multigrid_solve(pair->variant, &b, &got, &options) != RO_OK)
        right = fail(check, "variant", pair->variant);
    right = right && ran_there(check, pair) && equal(check, "multigrid", &want, &got);
    ro_image_free(&b);
    ro_image_free(&want);
    ro_image_free(&got);
    return right;
}

/* Processors are slow, emulated devices too. */
static bool is_short(const struct check *check)
{
    return check->variant->device == RO_DEVICE_CPU || check->few > 1;
}

/* `corner`: one is filled with black, which is masked. */
static bool try_pair(struct check *check, const struct pair *pair, const struct moved_pair *drawn,
                     bool corner, ro_register_options options)
{
    ro_image fixed = {0}, moving = {0}, want = {0}, got = {0};
    const uint32_t width = drawn->width, height = drawn->height;
    ro_register_report reports[2] = {{.size = sizeof *reports}, {.size = sizeof *reports}};
    bool right = ro_image_alloc(pair->scalar, RO_GREY8, width, height, 0, &fixed) == RO_OK &&
                 ro_image_alloc(pair->scalar, RO_GREY8, width, height, 0, &moving) == RO_OK &&
                 ro_image_alloc(pair->scalar, RO_GREYF, 2 * width, height, 0, &want) == RO_OK &&
                 ro_image_alloc(pair->scalar, RO_GREYF, 2 * width, height, 0, &got) == RO_OK;
    if (right)
        draw_pair(drawn, &fixed, &moving);
    for (uint32_t y = 0; right && corner && y < height / 3; y++)
        memset((char *)fixed.data + (ptrdiff_t)y * fixed.stride, 0, width / 2 - y / 2);
    options.record = 1;
    const uint32_t updates = is_short(check) || width + height > 3000 ? 3 : 0;
    for (int i = 0; i < 2 && right; i++) {
        ro_context *context = i ? pair->variant : pair->scalar;
        if (register_limited(context, &fixed, &moving, i ? &got : &want, &options, updates, 0,
                             &reports[i]) != RO_OK)
            right = fail(check, i ? "variant" : "scalar", context);
    }
    const ro_register_step *wanted = reports[0].record, *steps = reports[1].record;
    if (right && reports[0].steps != reports[1].steps) {
        snprintf(check->failure, sizeof check->failure, "%u x %u: %u steps instead of %u", width,
                 height, reports[1].steps, reports[0].steps);
        right = false;
    }
    for (uint32_t i = 0; right && i < reports[0].steps; i++)
        if (memcmp(&wanted[i], &steps[i], sizeof *steps) != 0) {
            snprintf(check->failure, sizeof check->failure,
                     "%u x %u: step %u has energy %.17g instead of %.17g", width, height, i,
                     steps[i].energy, wanted[i].energy);
            right = false;
        }
    right = right && ran_there(check, pair) && equal(check, "displacement", &want, &got);
    for (int i = 0; i < 2; i++)
        ro_free(reports[i].record);
    ro_image_free(&fixed);
    ro_image_free(&moving);
    ro_image_free(&want);
    ro_image_free(&got);
    return right;
}

static bool test_case(int number, struct check *check, const struct pair *pair)
{
    static const uint32_t sides[][2] = {{1, 1},    {33, 33},  {34, 34},   {65, 65},  {64, 100},
                                        {129, 35}, {36, 200}, {257, 129}, {300, 77}, {515, 40}};
    bool right = true;
    uint64_t seed = draw(check, 1000000);
    const uint32_t side = is_short(check) ? 129 : 257;
    switch (number) {
    case MULTIGRID:
        for (size_t i = 0; right && i < sizeof sides / sizeof *sides; i += (size_t)check->few)
            for (int warm = 0; right && warm < 2; warm++)
                right = try_solve(check, pair, sides[i][0], sides[i][1],
                                  (double)draw(check, 4000) / 100, 1 + draw(check, 3), warm);
        break;
    case SSD:
        right = try_pair(check, pair,
                         &(struct moved_pair){side, side, RO_MOTION_SMOOTH, 8, 1, 16, seed}, false,
                         (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "annealed"});
        break;
    case NCC:
        right = try_pair(
            check, pair, &(struct moved_pair){100, side, RO_MOTION_SINES, 4, 1, 16, seed}, false,
            (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "annealed", .match = "ncc"});
        break;
    case SMALL:
        for (int i = 0; right && i < 2; i++)
            right = try_pair(
                check, pair, &(struct moved_pair){97, 80, RO_MOTION_SMOOTH, 5, 1, 16, seed}, false,
                (ro_register_options){RO_REGISTER_DEFAULTS, .number = i ? "s10e5" : "s16e7"});
        break;
    case THESIS:
        right = try_pair(check, pair, &(struct moved_pair){97, 64, RO_MOTION_SHIFT, 5, 1, 16, seed},
                         false, (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "thesis"});
        break;
    case AUTO: /* noise of one level: the second falls back to plain tones */
        right =
            try_pair(check, pair,
                     &(struct moved_pair){side, side, RO_MOTION_ROTATION, 30, 2, 8, seed}, false,
                     (ro_register_options)RO_REGISTER_OPTIONS) &&
            try_pair(check, pair, &(struct moved_pair){side, 120, RO_MOTION_SMOOTH, 6, 1, 0, seed},
                     false, (ro_register_options)RO_REGISTER_OPTIONS) &&
            try_pair(check, pair, &(struct moved_pair){90, 120, RO_MOTION_SMOOTH, 4, 1, 8, seed},
                     false, (ro_register_options){RO_REGISTER_DEFAULTS, .match = "ncc-size"});
        break;
    case MASKS:
        right = try_pair(check, pair,
                         &(struct moved_pair){side, side, RO_MOTION_SMOOTH, 6, 1, 16, seed}, true,
                         (ro_register_options)RO_REGISTER_OPTIONS);
        break;
    case LONG: /* lines that no shared memory holds */
        for (int i = 0; right && i < 2; i++)
            right = try_pair(
                check, pair,
                &(struct moved_pair){i ? 61 : 3607, i ? 3607 : 61, RO_MOTION_SMOOTH, 4, 1, 8, seed},
                false, (ro_register_options)RO_REGISTER_OPTIONS);
        break;
    default:
        for (int i = 0; right && i < 8; i += check->few) {
            struct moved_pair drawn = {
                1 + draw(check, 200), 2 + draw(check, 100), RO_MOTION_SMOOTH, 2, 1, 8,
                seed + (uint64_t)i};
            const char *init = i % 2 ? "translation" : NULL;
            right = try_pair(check, pair, &drawn, false,
                             (ro_register_options){RO_REGISTER_DEFAULTS, .init = init});
        }
        break;
    }
    return right;
}

static bool test(int number, struct check *check)
{
    struct pair pair = {0};
    ro_context_options scalar = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = RO_CPU_SCALAR,
                                 .threads = 1};
    ro_context_options variant = {RO_CONTEXT_DEFAULTS, .device = check->variant->device,
                                  .cpu = check->variant->cpu, .threads = 3};
    bool right = false;
    if (ro_context_open(&scalar, &pair.scalar) != RO_OK ||
        ro_context_open(&variant, &pair.variant) != RO_OK)
        snprintf(check->failure, sizeof check->failure, "no context");
    else
        right = test_case(number, check, &pair);
    for (int i = 1; right && i < check->repeats; i++)
        right = test_case(number, check, &pair);
    ro_context_close(pair.scalar);
    ro_context_close(pair.variant);
    return right;
}

const struct suite register_suite = {
    .name = "register",
    .cases = sizeof names / sizeof *names,
    .case_name = case_name,
    .supports = supports,
    .test = test,
};
