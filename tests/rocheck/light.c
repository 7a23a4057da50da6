/* SPDX-License-Identifier: MIT */
/* Light that is made, propagated, refined and shown in frames: every instruction set and a device
 * against plain C, fields and level numbers bit for bit. */
#include "rocheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 3, PLACES = 4 };

static const char *const cases[] = {"propagate",   "make",       "make/seen",   "pictures",
                                    "refine/many", "refine/few", "refine/real", "frames"};
enum { PROPAGATE, MAKE, SEEN, PICTURES, MANY, FEW, REAL, IN_TIME, CASES };

static const char *case_name(int number) { return cases[number]; }

static bool supports(int number, const struct variant *variant)
{
    (void)number, (void)variant;
    return true;
}

/* What a run gives, in one piece of memory. */
struct trial {
    uint32_t width, height;
    uint64_t seed;
    float *field, *target; /* random light; amplitudes with a dark frame */
    size_t bytes;
    int which;
};

static ro_status refine(ro_context *context, const struct trial *t, const ro_field *field,
                        int number, ro_image *out)
{
    static const char *const levels[] = {"phase:64", "phase:4", "binary"};
    const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6};
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = levels[number - MANY],
                                         .optics = optics, .window = {0.15, 0.1, 0.5, 0.5}};
    const ro_image target = {.format = RO_GREYF,
                             .width = t->width,
                             .height = t->height,
                             .maxval = 1,
                             .stride = 4 * (ptrdiff_t)t->width,
                             .data = t->target};
    ro_refinement how = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = 0.01};
    how.iterations = 4;
    how.passes = 5;
    return ro_hologram_refine(context, field, out, &options, &how, NULL);
}

static ro_status show(ro_context *context, const struct trial *t, const ro_field *field,
                      uint8_t *numbers)
{
    ro_image out[FRAMES];
    for (int i = 0; i < FRAMES; i++)
        out[i] = (ro_image){.format = RO_INDEX8,
                            .width = t->width,
                            .height = t->height,
                            .maxval = 255,
                            .stride = (ptrdiff_t)t->width,
                            .data = numbers + (size_t)i * t->width * t->height};
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "binary",
                                         .optics = {.wavelength = 532e-9, .pitch = 8e-6},
                                         .window = {0.2, 0.2, 0.4, 0.4}};
    const ro_frames how = {RO_FRAMES_DEFAULTS, .count = FRAMES, .distance = t->which & 1 ? 0.01 : 0,
                           .phase = t->which & 2 ? "smooth" : "random", .seed = t->seed};
    return ro_hologram_frames(context, field, out, &options, &how, NULL);
}

static ro_status make_pictures(ro_context *context, const struct trial *t, ro_field *made)
{
    static const char *const phases[PLACES] = {"random", "constant", "smooth", "spherical"};
    const ro_image amplitude = {.format = RO_GREYF,
                                .width = t->width,
                                .height = t->height,
                                .maxval = 1,
                                .stride = 4 * (ptrdiff_t)t->width,
                                .data = t->target};
    const ro_scene_picture pictures[2] = {{.amplitude = amplitude, .depth = 0.03},
                                          {.amplitude = amplitude, .depth = 0.02}};
    const ro_picture_scene scene = {
        RO_PICTURE_SCENE_DEFAULTS,
        .pictures = pictures,
        .count = 2,
        .phase = phases[t->which],
        .seed = t->seed,
        .optics = {.wavelength = 532e-9, .pitch = 8e-6, .pitch_y = 7e-6}};
    return ro_hologram_pictures(context, &scene, made, NULL);
}

static ro_status run(ro_context *context, const struct trial *t, int number, void *result)
{
    static const char *const targets[PLACES] = {"dice", "disc", "ring", "bars"};
    const ro_field field = {t->width, t->height, 8 * (ptrdiff_t)t->width, t->field};
    ro_field made = {t->width, t->height, 8 * (ptrdiff_t)t->width, result};
    ro_image out = ro_image_view(RO_INDEX8, t->width, t->height, result);
    const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6, .pitch_y = 7e-6};
    const ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS,
                                     .target = targets[t->which],
                                     .phase = t->seed & 1 ? "smooth" : "random",
                                     .seed = t->seed,
                                     .optics = {.pitch = 4e-6},
                                     .layers = 2,
                                     .view_specific = number == SEEN};
    switch (number) {
    case PROPAGATE:
        return ro_field_propagate(context, &field, &made, &optics, 0.005 * (t->which - 1));
    case MAKE:
    case SEEN:
        return ro_hologram_make(context, &scene, &made, NULL);
    case PICTURES:
        return make_pictures(context, t, &made);
    case IN_TIME:
        return show(context, t, &field, result);
    default:
        return refine(context, t, &field, number, &out);
    }
}

/* Sides whose transforms take two parts, many steps, or a chirp. */
static const uint32_t long_sides[] = {257,  512,  600,  682,  1001, 1080, 1920, 2160,
                                      2400, 3840, 4096, 4099, 6144, 8192, 24576};
enum { LONG_SIDES = sizeof long_sides / sizeof *long_sides };

static bool make(struct check *check, int number, struct trial *t)
{
    *t = (struct trial){.width = 40 + draw(check, 70), .height = 40 + draw(check, 70)};
    if (number == PROPAGATE) {
        uint32_t *side = draw(check, 2) ? &t->width : &t->height;
        t->width = t->height = 16 + draw(check, 32);
        *side = long_sides[draw(check, LONG_SIDES)];
    }
    const size_t pixels = (size_t)t->width * t->height;
    t->which = (int)draw(check, PLACES);
    t->seed = draw(check, 1000);
    t->bytes = 8 * pixels;
    t->field = malloc(t->bytes);
    t->target = calloc(pixels, sizeof *t->target);
    for (size_t i = 0; i < 2 * pixels && t->field; i++)
        t->field[i] = (float)draw(check, 2000001) / 1000000 - 1;
    for (uint32_t y = t->height / 4; y < 3 * t->height / 4 && t->target; y++)
        for (uint32_t x = t->width / 4; x < 3 * t->width / 4; x++)
            t->target[(size_t)y * t->width + x] = (float)draw(check, 1000) / 1000;
    return t->field && t->target;
}

static bool fails(struct check *check, const struct trial *t, const char *what)
{
    snprintf(check->failure, sizeof check->failure, "%u x %u, number %d: %s", t->width, t->height,
             t->which, what);
    return false;
}

static bool compare(struct check *check, ro_context *plain, ro_context *context, int number)
{
    struct trial t;
    bool right = make(check, number, &t);
    char *want = calloc(1, t.bytes), *got = calloc(1, t.bytes);
    right = right && want && got;
    if (right && run(plain, &t, number, want) != RO_OK)
        right = fails(check, &t, ro_context_message(plain));
    for (int k = 0; k < (check->repeats > 1 ? check->repeats : 1) && right; k++) {
        memset(got, POISON, number >= MANY ? 0 : t.bytes);
        if (run(context, &t, number, got) != RO_OK)
            right = fails(check, &t, ro_context_message(context));
        for (size_t i = 0; i < t.bytes && right; i++)
            if (want[i] != got[i]) {
                char what[80];
                snprintf(what, sizeof what, "byte %zu of %zu differs", i, t.bytes);
                right = fails(check, &t, what);
            }
    }
    free(want);
    free(got);
    free(t.field);
    free(t.target);
    return right;
}

static bool test(int number, struct check *check)
{
    enum { TRIALS = 3 };
    ro_context *plain = NULL, *context = open_variant(check->variant, 2);
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = RO_CPU_SCALAR,
                              .threads = 1};
    bool right = context && ro_context_open(&how, &plain) == RO_OK;
    for (int i = 0; i < TRIALS && right; i += check->few)
        right = compare(check, plain, context, number);
    ro_context_close(plain);
    ro_context_close(context);
    return right;
}

const struct suite light_suite = {
    .name = "light",
    .cases = CASES,
    .case_name = case_name,
    .supports = supports,
    .test = test,
};
