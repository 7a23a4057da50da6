/* SPDX-License-Identifier: MIT */
/* The files that are no pictures: kernels, palettes, curves, modulators, taps, seeds, sidecars,
 * points, fields of displacements and of light. */
#define _GNU_SOURCE /* memfd_create */
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static ro_context *context;

static void check(ro_status status)
{
    if (status != RO_OK && ro_context_message(context)[0] == '\0')
        abort();
}

/* Whether a kernel is causal or a curve rises is told where it is used. */
static void use(const ro_halftone_options *options)
{
    unsigned char grey[5 * 4], levels[5 * 4];
    for (int i = 0; i < 5 * 4; i++)
        grey[i] = (unsigned char)(i * 37);
    ro_image in = ro_image_view(RO_GREY8, 5, 4, grey), out = ro_image_view(RO_INDEX8, 5, 4, levels);
    check(ro_halftone(context, &in, &out, options));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    ro_kernel kernel;
    ro_palette palette;
    ro_tone_point points[RO_CURVE_POINTS];
    int count;
    ro_image field = {0};
    static ro_modulator modulator;
    static ro_hologram_taps taps;
    ro_optics optics = {0};
    ro_seed *seeds = NULL;
    ro_scene_point *cloud = NULL;
    size_t seed_count;
    ro_field light = {0};
    if (!context &&
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1,
                                              .limits = {.memory = 1 << 28, .pixels = 1 << 22}},
                        &context))
        abort();
    int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ro_status status = ro_kernel_read(context, path, &kernel);
    check(status);
    if (status == RO_OK)
        use(&(ro_halftone_options){RO_HALFTONE_DEFAULTS, .kernel = &kernel});
    status = ro_palette_load(context, path, &palette);
    check(status);
    if (status == RO_OK)
        use(&(ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette});
    status = ro_curve_load(context, path, points, &count);
    check(status);
    if (status == RO_OK)
        use(&(ro_halftone_options){RO_HALFTONE_DEFAULTS,
                                   .tone = {.curve = points, .curve_points = count}});
    check(ro_modulator_load(context, path, &modulator));
    check(ro_taps_load(context, path, &taps));
    check(ro_optics_load(context, path, path, &optics));
    check(ro_seeds_load(context, path, &seeds, &seed_count));
    free(seeds);
    check(ro_points_load(context, path, &cloud, &seed_count, &count));
    ro_free(cloud);
    check(ro_hologram_load(context, path, NULL, &light, NULL));
    ro_field_free(&light);
    check(ro_displacement_load(context, path, &field));
    ro_image_free(&field);
    close(file);
    return 0;
}
