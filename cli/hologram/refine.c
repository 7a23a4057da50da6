/* SPDX-License-Identifier: MIT */
/* roundoff hologram quantize --refine: level numbers that show a target's amplitude. */
#include "cli/common/session.h"
#include "cli/hologram/hologram.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REFINED = 100000 };

static int read_region(const struct command *command, const char *text, uint32_t region[4])
{
    double number[4];
    int count;
    if (!text)
        return 0;
    bool right = hologram_numbers(text, ",", false, number, 4, &count) && count == 4;
    for (int i = 0; i < 4 && right; i++) {
        right =
            number[i] >= (i < 2 ? 0 : 1) && number[i] < UINT32_MAX && number[i] == rint(number[i]);
        region[i] = right ? (uint32_t)number[i] : 0;
    }
    return right ? 0
                 : usage_error(command,
                               "--region %s: must be four whole numbers, place and size in pixels, "
                               "such as 128,128,256,256",
                               text);
}

static int read_light(const struct command *command, const char *text, double *light)
{
    char *end;
    if (!text)
        return 0;
    *light = strtod(text, &end) / 100;
    if (end == text || (*end && strcmp(end, "%") != 0) || !(*light > 0 && *light <= 1))
        return usage_error(command, "--light %s: must be a share from 0%% to 100%%", text);
    return 0;
}

int hologram_read_refine(const struct command *command, const struct hologram_values *values,
                         ro_refinement *refinement)
{
    const char *given = values->target     ? "target"
                        : values->distance ? "distance"
                        : values->region   ? "region"
                        : values->light    ? "light"
                        : values->edges    ? "edges"
                                           : NULL;
    double number = RO_DEFAULT;
    int count;
    *refinement = (ro_refinement){RO_REFINEMENT_DEFAULTS, .edges = values->edges};
    if (!values->refine)
        return given
                   ? usage_error(command, "hologram quantize takes --%s with --refine only", given)
                   : 0;
    if (!ro_name_equal(values->refine, "auto") &&
        (!hologram_numbers(values->refine, "", false, &number, 1, &count) || !(number >= 1) ||
         number > MOST_REFINED || number != rint(number)))
        return usage_error(command, "--refine %s: must be auto or a whole number from 1 to %d",
                           values->refine, MOST_REFINED);
    if (!values->target || !values->distance)
        return usage_error(command,
                           "--refine needs --target and --distance: what is to be seen, and "
                           "how far from the modulator");
    if (values->algorithm || values->weights || values->p || values->gain != RO_DEFAULT ||
        values->snr > 0 || values->hogel || values->schedule || values->spectrum)
        return usage_error(command,
                           "--refine has its own rules: --algorithm, --weights, --p, --gain, "
                           "--hogel, --schedule and --spectrum do not apply");
    refinement->iterations = refinement->passes = (int)number;
    int bad = hologram_length(command, "distance", values->distance, true, &refinement->distance);
    if (!bad)
        bad = read_region(command, values->region, refinement->region);
    return bad ? bad : read_light(command, values->light, &refinement->light);
}

ro_status hologram_refine(ro_context *context, const struct hologram_values *values,
                          const ro_hologram_options *options, ro_refinement *refinement,
                          const ro_field *field, ro_image *numbers, ro_refinement_report *report)
{
    /* Of few levels the freezing has its own length, and the number is that of passes. */
    const int iterations = refinement->iterations;
    ro_modulator device;
    ro_status status = hologram_device(context, values, &device);
    if (status == RO_OK && device.count < RO_REFINEMENT_MANY)
        refinement->iterations = RO_DEFAULT;
    if (status == RO_OK)
        status = ro_amplitudes_load(context, values->target, -1, field->width, field->height,
                                    &refinement->target);
    if (status == RO_OK)
        status = ro_hologram_refine(context, field, numbers, options, refinement, report);
    refinement->iterations = iterations;
    ro_image_free(&refinement->target);
    return status;
}

void hologram_write_refined(FILE *file, const ro_refinement_report *r)
{
    fprintf(file,
            ", \"iterations\": %d, \"passes\": %d, \"edges\": \"%s\", \"start_psnr_db\": %.5g, "
            "\"psnr_db\": %.5g, \"efficiency\": %.5g",
            r->iterations, r->passes, r->edges, r->start_psnr, r->psnr, r->efficiency);
}

void hologram_say_refined(const ro_refinement_report *r, const ro_report *ran, double seconds)
{
    fprintf(stderr,
            "hologram: refined, %u x %u, %d iterations, %d passes of search, %s edges: amplitude "
            "%.1f dB (at first %.1f), %.3g %% of the light, %.2f s\n",
            ran->width, ran->height, r->iterations, r->passes, r->edges, r->psnr, r->start_psnr,
            100 * r->efficiency, seconds);
}
