/* SPDX-License-Identifier: MIT */
#include "cli/common/print_measure.h"

#include "io/json/json_write.h"

#include <math.h>

void json_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.7g", value);
    else
        fputs("null", file);
}

struct named {
    const char *name;
    double value;
};

static void put_numbers(FILE *file, const struct named *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_put(file, "%c%s: ", i > 0, numbers[i].name);
        json_number(file, numbers[i].value);
    }
}
#define PUT(file, ...)                                                                             \
    put_numbers(file, (const struct named[]){__VA_ARGS__},                                         \
                sizeof((const struct named[]){__VA_ARGS__}) / sizeof(struct named))

static void put_list(FILE *file, const char *name, const double *values, int from, int count)
{
    json_put(file, ", %s: [", name);
    for (int i = from; i < count; i++)
        fprintf(file, "%s%.4g", i > from ? ", " : "", values[i]);
    fputc(']', file);
}

static void put_levels(FILE *file, const ro_measure_report *report)
{
    json_put(file, ", levels [");
    int listed = 0;
    for (int i = 0; i < RO_MEASURE_LEVELS; i++) {
        const ro_measure_level *level = &report->levels[i];
        if (level->pixels == 0)
            continue;
        json_put(file, "%c{level %d, pixels %llu, ", listed++, i,
                 (unsigned long long)level->pixels);
        PUT(file, {"in", level->in}, {"out", level->out});
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_fields(FILE *file, const ro_measure_report *report)
{
    json_put(file, ", fields [");
    for (int i = 0; i < report->fields_count; i++) {
        const ro_measure_field *field = &report->fields[i];
        json_put(file, "%c{level %d, tiles %u, ", i, field->level, field->tiles);
        PUT(file, {"in", field->in}, {"out", field->out}, {"rms", field->rms},
            {"principal", field->principal}, {"peak", field->peak}, {"grain", field->grain},
            {"anisotropy", field->anisotropy}, {"worms", field->worms});
        put_list(file, "power", field->power, 1, field->bins);
        put_list(file, "anisotropies", field->anisotropies, 1, field->bins);
        fputc('}', file);
    }
    fputc(']', file);
}

void figures_json(FILE *file, const ro_measure_report *report)
{
    const ro_measure_border *border = &report->border;
    const ro_measure_dots *dots = &report->dots;
    json_put(file, "width %u, height %u, ", report->width, report->height);
    PUT(file, {"pixels_per_degree", report->pixels_per_degree}, {"sigma", report->sigma},
        {"rms", report->raw.rms}, {"psnr", report->raw.psnr},
        {"rms_gaussian", report->gaussian.rms}, {"psnr_gaussian", report->gaussian.psnr},
        {"rms_contrast", report->contrast.rms}, {"psnr_contrast", report->contrast.psnr},
        {"ssim", report->ssim}, {"tone_in", report->tone_in}, {"tone_out", report->tone_out},
        {"tone_error", report->tone_out - report->tone_in}, {"tone_rms", report->tone_rms});
    if (report->fields_count) {
        fputs(", ", file);
        PUT(file, {"worms", report->worms}, {"grain", report->grain},
            {"anisotropy", report->anisotropy});
    }
    if (report->binary) {
        json_put(file, ", dots {pixels %llu, dots %llu, largest %llu, single %llu, ",
                 (unsigned long long)dots->pixels, (unsigned long long)dots->dots,
                 (unsigned long long)dots->largest, (unsigned long long)dots->single);
        PUT(file, {"run_across", dots->run_across}, {"run_down", dots->run_down},
            {"clumping", dots->clumping});
        fputc('}', file);
    }
    json_put(file, ", border {");
    PUT(file, {"left", border->left}, {"right", border->right}, {"top", border->top},
        {"bottom", border->bottom}, {"rms", border->rms}, {"rms_inside", border->rms_inside});
    fputc('}', file);
    put_list(file, "spectrum", report->spectrum, 0, RO_MEASURE_SPECTRUM);
    put_levels(file, report);
    put_fields(file, report);
}

/* ---- The table ------------------------------------------------------------------------------ */

static void print_error(FILE *file, const char *name, const ro_measure_error *error)
{
    if (isinf(error->psnr))
        fprintf(file, "  %-27s none\n", name);
    else
        fprintf(file, "  %-27s %8.3f /255  PSNR %6.2f dB\n", name, 255 * error->rms, error->psnr);
}

static void print_fields(FILE *file, const ro_measure_report *report)
{
    enum { MOST = 12 };
    if (report->fields_count == 0) {
        fputs("texture: the original has no flat square\n", file);
        return;
    }
    fputs("texture of flat squares, dB:  grain  worms  anisotropy   peak  tone error\n", file);
    const int every = (report->fields_count + MOST - 1) / MOST;
    for (int i = 0; i < report->fields_count; i += every) {
        const ro_measure_field *field = &report->fields[i];
        fprintf(file, "  grey %3d, %4u squares", field->level, field->tiles);
        if (field->rms > 0)
            fprintf(file, "     %7.1f %6.1f %11.1f %6.1f", field->grain, field->worms,
                    field->anisotropy, field->peak);
        else
            fprintf(file, "     %-33s", "  (no texture)");
        fprintf(file, " %+7.2f /255\n", 255 * (field->out - field->in));
    }
    if (every > 1)
        fprintf(file, "  (one of %d greys; --json has all)\n", every);
}

void figures_eye(FILE *file, const struct eye *eye)
{
    fprintf(file, "%.4g dpi at %.4g mm: an eye of %.2f pixels", eye->dpi, eye->distance,
            eye->sigma);
    if (eye->adapted)
        fprintf(file, ", adapted to %s", eye->adapted);
}

void figures_eye_json(FILE *file, const struct eye *eye)
{
    json_put(file, "dpi %.6g, distance %.6g, ", eye->dpi, eye->distance);
    if (eye->adapted)
        json_put(file, "adapted %s, ", eye->adapted);
}

void figures_table(FILE *file, const ro_measure_report *report, const struct eye *eye)
{
    const ro_measure_border *border = &report->border;
    const ro_measure_dots *dots = &report->dots;
    fprintf(file, "%u x %u pixels, ", report->width, report->height);
    figures_eye(file, eye);
    fputc('\n', file);
    print_error(file, "error", &report->raw);
    print_error(file, "seen by a Gaussian eye", &report->gaussian);
    print_error(file, "seen by contrast", &report->contrast);
    fprintf(file, "  %-27s %8.4f\n", "SSIM after the eye", report->ssim);
    fprintf(file, "  %-27s %+8.3f /255  rms of the levels %.3f\n", "tone error",
            255 * (report->tone_out - report->tone_in), 255 * report->tone_rms);
    fprintf(file, "  %-27s %+8.2f %+.2f %+.2f %+.2f /255\n", "left, right, top, bottom",
            255 * border->left, 255 * border->right, 255 * border->top, 255 * border->bottom);
    fprintf(file, "  %-27s %8.3f /255, inside %.3f\n", "seen in the frame", 255 * border->rms,
            255 * border->rms_inside);
    if (report->binary) {
        fprintf(file, "  %-27s %8llu of %.2f pixels, %llu single, largest %llu\n", "dots",
                (unsigned long long)dots->dots,
                dots->dots ? (double)dots->pixels / (double)dots->dots : 0,
                (unsigned long long)dots->single, (unsigned long long)dots->largest);
        fprintf(file, "  %-27s %8.3f (random: 1)\n", "clumping", dots->clumping);
        fprintf(file, "  %-27s %8.2f across, %.2f down\n", "mean run", dots->run_across,
                dots->run_down);
    }
    print_fields(file, report);
}

void figures_colour_json(FILE *file, const ro_colour_report *colour)
{
    json_put(file, ", colour {");
    PUT(file, {"delta_e", colour->delta_e}, {"delta_e_95", colour->delta_e_95},
        {"delta_e_most", colour->delta_e_most}, {"red_in", colour->light_in[0]},
        {"green_in", colour->light_in[1]}, {"blue_in", colour->light_in[2]},
        {"red_out", colour->light_out[0]}, {"green_out", colour->light_out[1]},
        {"blue_out", colour->light_out[2]}, {"scielab", colour->scielab},
        {"scielab_95", colour->scielab_95});
    fputc('}', file);
}

void figures_colour_table(FILE *file, const ro_measure_report *report,
                          const ro_colour_report *colour, const struct eye *eye)
{
    fprintf(file, "%u x %u pixels, ", report->width, report->height);
    figures_eye(file, eye);
    fputc('\n', file);
    fprintf(file, "  %-27s %8.2f mean, %.2f for 95 %%, %.2f at most\n",
            "\u0394E 2000 after the eye", colour->delta_e, colour->delta_e_95,
            colour->delta_e_most);
    fprintf(file, "  %-27s %8.2f mean, %.2f for 95 %%\n", "the same by S-CIELAB", colour->scielab,
            colour->scielab_95);
    fprintf(file, "  %-27s %+8.2f %+.2f %+.2f /255\n", "light: red, green, blue",
            255 * (colour->light_out[0] - colour->light_in[0]),
            255 * (colour->light_out[1] - colour->light_in[1]),
            255 * (colour->light_out[2] - colour->light_in[2]));
}
