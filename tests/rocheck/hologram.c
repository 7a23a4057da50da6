/* SPDX-License-Identifier: MIT */
/* Hologram error diffusion: every kind of levels, weights, skew and hogel against the reference. */
#include "rocheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *algorithm, *weights, *levels;
} cases[] = {
    {"phase/ls", "vded", "ls", "phase:256"},
    {"phase/paper", "vded", "paper", "phase:256"},
    {"phase-few/own", "vded", NULL, "phase:5"},
    {"amplitude/ls", "swed", "ls", "amplitude:256"},
    {"phase/paper-rounding", "vded", "paper-rounding", "phase:256"},
    {"binary/paper", "vded", "paper", "binary"},
    {"phase/window", "vded", "window", "phase:256"},
    {"table/window", "vded", "window", NULL},
    {"table/ls", "vded", "ls", NULL},
    {"phase/floyd-steinberg", "floyd-steinberg", NULL, "phase:16"},
    {"phase/truncate", "truncate", NULL, "phase:256"},
};

static const char *case_name(int number) { return cases[number].name; }

static bool supports(int number, const struct variant *variant)
{
    (void)number, (void)variant;
    return true;
}

struct trial {
    ro_field field;
    size_t bytes, stride;
    uint8_t *want, *got;
    float table[2 * RO_HOLOGRAM_LEVELS];
    ro_hologram_taps own;
    ro_hologram_options options;
};

/* Weights that are too large make clips, which must agree too. */
static void make_own(struct check *check, struct trial *trial)
{
    ro_hologram_taps *own = &trial->own;
    const int p = 1 + (int)draw(check, RO_HOLOGRAM_SKEW);
    const double most = draw(check, 2) ? 0.5 : 3;
    *own = (ro_hologram_taps){.count = 1 + (int)draw(check, RO_HOLOGRAM_TAPS)};
    for (int i = 0; i < own->count; i++) {
        own->dy[i] = (int)draw(check, 8);
        int least = own->dy[i] ? 1 - p * own->dy[i] : 1;
        least = least < -15 ? -15 : least;
        own->dx[i] = least + (int)draw(check, (uint32_t)(16 - least));
        own->re[i] = most * (draw(check, 2001) / 1000.0 - 1);
        own->im[i] = most * (draw(check, 2001) / 1000.0 - 1);
    }
    trial->options.own = own;
    trial->options.p = draw(check, 2) ? p : 0;
}

static void make_table(struct check *check, struct trial *trial)
{
    const int count = 2 + (int)draw(check, draw(check, 2) ? 20 : 255);
    for (int i = 0; i < 2 * count; i++)
        trial->table[i] = (float)draw(check, 2001) / 1000 - 1;
    trial->options.table = trial->table;
    trial->options.table_count = count;
}

static void make(struct check *check, int number, struct trial *trial)
{
    const uint32_t round = draw(check, 2) ? 16 : 1; /* such rows are stored in other ways */
    const bool tall = draw(check, 4) == 0;          /* many bands, each waiting for the one above */
    const uint32_t width = (1 + draw(check, (!tall && draw(check, 4) ? 400 : 40) / round)) * round;
    const uint32_t height = 1 + draw(check, tall ? 900 : draw(check, 4) ? 160 : 8);
    const uint32_t kind = draw(check, 3);
    *trial = (struct trial){.options = RO_HOLOGRAM_OPTIONS};
    trial->field =
        (ro_field){width, height, 8 * (ptrdiff_t)width + 4 * (ptrdiff_t)draw(check, 9), NULL};
    trial->field.data = malloc((size_t)trial->field.stride * height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < 2 * width; x++) {
            float *row = (float *)((char *)trial->field.data + (ptrdiff_t)y * trial->field.stride);
            row[x] = kind == 0   ? (float)draw(check, 2000001) / 1000000 - 1
                     : kind == 1 ? (draw(check, 2) ? 1e6f : -1e6f)
                                 : (draw(check, 50) ? 0.0f : 1.0f);
        }
    trial->stride = width + draw(check, 20);
    trial->bytes = trial->stride * height + 2 * GUARD;
    trial->want = malloc(trial->bytes);
    trial->got = malloc(trial->bytes);
    memset(trial->want, POISON, trial->bytes);
    memset(trial->got, POISON, trial->bytes);

    ro_hologram_options *o = &trial->options;
    o->algorithm = cases[number].algorithm;
    o->weights = cases[number].weights;
    o->levels = cases[number].levels;
    o->window = (ro_window){draw(check, 1001) / 1000.0 - 0.5, draw(check, 1001) / 1000.0 - 0.5,
                            0.05 + draw(check, 400) / 1000.0, 0.05 + draw(check, 400) / 1000.0};
    o->gain = 0.1 * (1 + draw(check, 12));
    if (strcmp(o->algorithm, "vded") == 0)
        o->hogel = (8 +
                    draw(check, tall             ? 900
                                : draw(check, 2) ? 60
                                                 : 300) +
                    round - 1) /
                   round * round;
    if (o->weights) {
        o->taps = 1 + (int)draw(check, RO_HOLOGRAM_TAPS);
        o->p = (int)draw(check, RO_HOLOGRAM_SKEW + 1);
    }
    if (strcmp(cases[number].name, "phase-few/own") == 0)
        make_own(check, trial);
    if (!o->levels)
        make_table(check, trial);
}

static void discard(struct trial *trial)
{
    free(trial->field.data);
    free(trial->want);
    free(trial->got);
}

static bool fails(struct check *check, const struct trial *trial, const char *what)
{
    const ro_hologram_options *o = &trial->options;
    snprintf(check->failure, sizeof check->failure, "%u x %u, hogels of %u, %d taps, p %d: %s",
             trial->field.width, trial->field.height, o->hogel, o->own ? o->own->count : o->taps,
             o->p, what);
    return false;
}

static bool compare(struct check *check, const struct trial *trial, const ro_hologram_report *want,
                    const ro_hologram_report *got)
{
    char what[80];
    for (size_t i = 0; i < trial->bytes; i++)
        if (trial->want[i] != trial->got[i]) {
            size_t at = i - GUARD;
            snprintf(what, sizeof what, "pixel %zu,%zu is %d, not %d", at % trial->stride,
                     at / trial->stride, trial->got[i], trial->want[i]);
            return fails(check, trial, what);
        }
    for (uint32_t i = 0; i < want->hogels; i++)
        if (want->hogel[i].clips != got->hogel[i].clips || want->hogel[i].rho != got->hogel[i].rho)
            return fails(check, trial, "the counts of clips differ");
    return want->gain == got->gain || fails(check, trial, "the gains differ");
}

static bool test(int number, struct check *check)
{
    enum { TRIALS = 8 };
    static const int threads[] = {1, 2, 5};
    bool right = true;
    ro_context *scalar;
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = RO_CPU_SCALAR,
                              .threads = 1};
    if (ro_context_open(&how, &scalar) != RO_OK)
        return false;
    for (int i = 0; i < TRIALS && right; i += check->few) {
        struct trial trial;
        make(check, number, &trial);
        ro_hologram_report want = {.size = sizeof want};
        trial.options.schedule = "reference";
        ro_image out = {.format = RO_INDEX8,
                        .width = trial.field.width,
                        .height = trial.field.height,
                        .maxval = 255,
                        .stride = (ptrdiff_t)trial.stride,
                        .data = trial.want + GUARD};
        if (ro_hologram_quantize(scalar, &trial.field, &out, &trial.options, &want) != RO_OK)
            right = fails(check, &trial, ro_context_message(scalar));
        const bool cuda = check->variant->device == RO_DEVICE_CUDA;
        const bool bands = cuda || check->variant->cpu != RO_CPU_SCALAR;
        ro_context *context = NULL;
        ro_context_options fast = {RO_CONTEXT_DEFAULTS, .device = check->variant->device,
                                   .cpu = check->variant->cpu, .threads = threads[draw(check, 3)]};
        if (right && ro_context_open(&fast, &context) != RO_OK)
            right = fails(check, &trial, "no context");
        for (int k = 0; k < (check->repeats > 1 ? check->repeats : 1) && right; k++) {
            ro_hologram_report got = {.size = sizeof got};
            trial.options.schedule = bands ? "bands" : "reference";
            out.data = trial.got + GUARD;
            if (ro_hologram_quantize(context, &trial.field, &out, &trial.options, &got) != RO_OK)
                right = fails(check, &trial, ro_context_message(context));
            else if (ro_context_report(context)->device != check->variant->device ||
                     (!cuda && ro_context_report(context)->cpu != check->variant->cpu))
                right = fails(check, &trial, "another variant ran");
            right = right && compare(check, &trial, &want, &got);
            ro_free(got.hogel);
        }
        ro_context_close(context);
        ro_free(want.hogel);
        discard(&trial);
    }
    ro_context_close(scalar);
    return right;
}

struct quantizing {
    ro_context *context;
    ro_field field;
    ro_image out;
    struct trial trial;
};

static bool run_quantizing(void *data)
{
    struct quantizing *work = data;
    return ro_hologram_quantize(work->context, &work->field, &work->out, &work->trial.options,
                                NULL) == RO_OK;
}

static double bench(int number, const struct variant *variant, int threads)
{
    enum { SIDE = 2048 };
    struct quantizing work = {.context = open_variant(variant, threads)};
    struct check check = {.variant = variant, .seed = 1};
    double best = 0;
    if (!work.context)
        return 0;
    make(&check, number, &work.trial);
    work.trial.options.hogel = 0;
    if (ro_field_alloc(work.context, SIDE, SIDE, &work.field) == RO_OK &&
        ro_image_alloc(work.context, RO_INDEX8, SIDE, SIDE, 255, &work.out) == RO_OK) {
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < 2 * SIDE; x++)
                ((float *)((char *)work.field.data + (ptrdiff_t)y * work.field.stride))[x] =
                    (float)draw(&check, 2001) / 1000 - 1;
        best = best_speed(3, (double)SIDE * SIDE, run_quantizing, &work);
    }
    ro_image_free(&work.out);
    ro_field_free(&work.field);
    discard(&work.trial);
    ro_context_close(work.context);
    return best;
}

static void steps(int number, const struct variant *variant)
{
    printf("hologram/%s %s: a step is a pixel of each of 32 rows\n", cases[number].name,
           variant->name);
}

const struct suite hologram_suite = {
    .name = "hologram",
    .cases = sizeof cases / sizeof *cases,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
    .steps = steps,
};
