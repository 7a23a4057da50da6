/* SPDX-License-Identifier: MIT */
#include "cli/denoise/evolution.h"

#include "cli/common/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CENTISECONDS = 8, FRAMES_A_SECOND = 12 };

/* ---- Pictures ------------------------------------------------------------------------------- */

static ro_status no_memory(struct evolution *evolution)
{
    return ro_context_fail(evolution->context, RO_E_MEMORY, "no memory for the steps");
}

/* One byte a sample, channels in turn. */
static uint8_t *bytes_of(const ro_image *now)
{
    const size_t samples = (size_t)now->width * (ro_format_is_colour(now->format) ? 3 : 1);
    uint8_t *bytes = malloc(samples * now->height), *to = bytes;
    for (uint32_t y = 0; y < now->height && bytes; y++)
        for (size_t i = 0; i < samples; i++)
            *to++ = picture_byte(now, (const char *)now->data + (ptrdiff_t)y * now->stride, i);
    return bytes;
}

static ro_status add_to_gif(struct evolution *evolution, const ro_image *now, const uint8_t *bytes)
{
    if (ro_format_is_colour(now->format))
        return ro_context_fail(evolution->context, RO_E_UNSUPPORTED,
                               "%s: a GIF of an evolution is grey; colour needs .y4m or .png",
                               evolution->pictures);
    if (!evolution->gif) {
        uint8_t greys[256][3];
        for (int i = 0; i < 256; i++)
            memset(greys[i], i, 3);
        const ro_status status = ro_gif_open(evolution->context, evolution->pictures, now->width,
                                             now->height, greys[0], &evolution->gif);
        if (status != RO_OK)
            return status;
    }
    return ro_gif_frame(evolution->gif, bytes, (ptrdiff_t)now->width, CENTISECONDS);
}

static uint8_t byte_from(double value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lrint(value));
}

/* Grey as it is; of colour full-range Y', Cb and Cr of BT.601, plane by plane. */
static ro_status add_to_video(struct evolution *evolution, const ro_image *now,
                              const uint8_t *bytes)
{
    const size_t pixels = (size_t)now->width * now->height;
    const bool colour = ro_format_is_colour(now->format);
    if (!evolution->video.file) {
        const ro_status status = printed_open(evolution->context, &evolution->video);
        if (status != RO_OK)
            return status;
        fprintf(evolution->video.file, "YUV4MPEG2 W%u H%u F%d:1 Ip A1:1 %s\n", now->width,
                now->height, FRAMES_A_SECOND,
                colour ? "C444 XCOLORRANGE=FULL" : "Cmono XCOLORRANGE=FULL");
    }
    FILE *file = evolution->video.file;
    fputs("FRAME\n", file);
    if (!colour)
        fwrite(bytes, 1, pixels, file);
    static const double weights[3][4] = {{0.299, 0.587, 0.114, 0},
                                         {-0.168736, -0.331264, 0.5, 128},
                                         {0.5, -0.418688, -0.081312, 128}};
    for (int c = 0; c < 3 && colour; c++)
        for (size_t i = 0; i < pixels; i++)
            putc(byte_from(weights[c][0] * bytes[3 * i] + weights[c][1] * bytes[3 * i + 1] +
                           weights[c][2] * bytes[3 * i + 2] + weights[c][3]),
                 file);
    return ferror(file) ? no_memory(evolution) : RO_OK;
}

static ro_status add_to_series(struct evolution *evolution, const ro_image *now)
{
    char name[4096];
    if (strcmp(evolution->pictures, "-") == 0 ||
        !picture_name(evolution->pictures, evolution->count, name, sizeof name))
        return ro_context_fail(evolution->context, RO_E_ARGUMENT,
                               "%s: a name that ends in .gif, .y4m, .png or the like is needed",
                               evolution->pictures);
    return ro_image_save(evolution->context, name, now, NULL);
}

static ro_status add(struct evolution *evolution, const ro_image *now)
{
    const char *path = evolution->pictures;
    const bool gif = picture_is_named(path, ".gif"), video = picture_is_named(path, ".y4m");
    if (!gif && !video)
        return add_to_series(evolution, now);
    uint8_t *bytes = bytes_of(now);
    const ro_status status = !bytes ? no_memory(evolution)
                             : gif  ? add_to_gif(evolution, now, bytes)
                                    : add_to_video(evolution, now, bytes);
    free(bytes);
    return status;
}

static void remark(struct evolution *evolution, ro_status status)
{
    if (evolution->status != RO_OK || status == RO_OK)
        return;
    evolution->status = status;
    snprintf(evolution->message, sizeof evolution->message, "%s",
             ro_context_message(evolution->context));
}

static int see_picture(void *data, const ro_image *now, uint32_t step)
{
    struct evolution *evolution = data;
    if (step == 0 && evolution->count > 0)
        remark(evolution, ro_context_fail(evolution->context, RO_E_UNSUPPORTED,
                                          "an evolution is of one page; --page N picks it"));
    else
        remark(evolution, add(evolution, now));
    evolution->count++;
    return evolution->status != RO_OK;
}

/* ---- Figures -------------------------------------------------------------------------------- */

static void see_figures(void *data, const ro_denoise_step *step)
{
    struct evolution *evolution = data;
    if (step->step == 0 && evolution->steps > 0)
        remark(evolution, ro_context_fail(evolution->context, RO_E_UNSUPPORTED,
                                          "a history is of one page; --page N picks it"));
    if (evolution->steps == evolution->room) {
        const size_t room = 2 * evolution->room + 64;
        ro_denoise_step *more = realloc(evolution->list, room * sizeof *more);
        if (!more) {
            remark(evolution, no_memory(evolution));
            return;
        }
        evolution->list = more;
        evolution->room = room;
    }
    evolution->list[evolution->steps++] = *step;
}

enum figure { SUM, LEAST, MOST, ENERGY, CHANGE };

static double figure_of(const ro_denoise_step *step, enum figure figure)
{
    switch (figure) {
    case SUM:
        return step->exact ? (double)step->sum : step->real_sum;
    case LEAST:
        return step->exact ? (double)step->min : step->real_min;
    case MOST:
        return step->exact ? (double)step->max : step->real_max;
    case ENERGY:
        return step->exact ? ldexp((double)step->energy_high, 64) + (double)step->energy_low
                           : step->real_energy;
    default:
        return step->change;
    }
}

/* An exact energy in decimal. */
static void print_energy(FILE *file, const ro_denoise_step *step)
{
    unsigned __int128 rest = (unsigned __int128)step->energy_high << 64 | step->energy_low;
    char text[48];
    size_t at = sizeof text;
    text[--at] = 0;
    do
        text[--at] = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    fputs(text + at, file);
}

static void print_table(const struct evolution *evolution, FILE *file)
{
    fputs("step,sum,min,max,energy,change\n", file);
    for (size_t i = 0; i < evolution->steps; i++) {
        const ro_denoise_step *step = &evolution->list[i];
        if (step->exact) {
            fprintf(file, "%u,%lld,%lld,%lld,", step->step, (long long)step->sum,
                    (long long)step->min, (long long)step->max);
            print_energy(file, step);
        } else {
            fprintf(file, "%u,%.17g,%.17g,%.17g,%.17g", step->step, step->real_sum, step->real_min,
                    step->real_max, step->real_energy);
        }
        fprintf(file, ",%.9g\n", step->change);
    }
}

enum { PLOT_WIDTH = 560, PLOT_HEIGHT = 150, MARGIN = 40 };

static void print_line(const struct evolution *evolution, FILE *file, enum figure figure, int top,
                       double least, double most)
{
    const double last = evolution->list[evolution->steps - 1].step;
    fputs("<polyline points=\"", file);
    for (size_t i = 0; i < evolution->steps; i++) {
        const ro_denoise_step *step = &evolution->list[i];
        const double x = last > 0 ? step->step / last : 0;
        const double y = most > least ? (figure_of(step, figure) - least) / (most - least) : 0.5;
        fprintf(file, "%.1f,%.1f ", MARGIN + x * (PLOT_WIDTH - 2 * MARGIN),
                top + PLOT_HEIGHT - MARGIN - y * (PLOT_HEIGHT - 2 * MARGIN));
    }
    fputs("\"/>\n", file);
}

/* A plot below another, each from its least value to its largest. */
static void print_plots(const struct evolution *evolution, FILE *file)
{
    static const struct {
        const char *title;
        enum figure first, last;
    } plots[] = {
        {"sum", SUM, SUM},
        {"smallest and largest", LEAST, MOST},
        {"energy: the sum of squares", ENERGY, ENERGY},
        {"root mean square of a step's change", CHANGE, CHANGE},
    };
    enum { PLOTS = sizeof plots / sizeof *plots };
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
            "<style>polyline{fill:none;stroke:#05a}text{font:12px sans-serif}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            PLOT_WIDTH, PLOTS * PLOT_HEIGHT);
    for (int i = 0; i < PLOTS; i++) {
        const int top = i * PLOT_HEIGHT;
        double least = INFINITY, most = -INFINITY;
        for (size_t k = 0; k < evolution->steps; k++) {
            least = fmin(least, figure_of(&evolution->list[k], plots[i].first));
            most = fmax(most, figure_of(&evolution->list[k], plots[i].last));
        }
        fprintf(file, "<text x=\"%d\" y=\"%d\">%s, %.6g to %.6g, steps 0 to %u</text>\n", MARGIN,
                top + MARGIN - 12, plots[i].title, least, most,
                evolution->list[evolution->steps - 1].step);
        for (int figure = plots[i].first; figure <= (int)plots[i].last; figure++)
            print_line(evolution, file, (enum figure)figure, top, least, most);
    }
    fputs("</svg>\n", file);
}

static ro_status save_history(struct evolution *evolution)
{
    struct printed printed;
    ro_status status = printed_open(evolution->context, &printed);
    if (status != RO_OK)
        return status;
    if (picture_is_named(evolution->history, ".svg"))
        print_plots(evolution, printed.file);
    else
        print_table(evolution, printed.file);
    return printed_save(evolution->context, &printed, evolution->history);
}

/* ---- From beginning to end ------------------------------------------------------------------ */

ro_status evolution_open(struct evolution *evolution, ro_context *context, const char *pictures,
                         uint32_t every, const char *history, ro_denoise_options *options)
{
    *evolution = (struct evolution){.context = context, .pictures = pictures, .history = history};
    ro_status status = RO_OK;
    if (pictures) {
        options->frame_every = every;
        options->frame = see_picture;
        options->frame_data = evolution;
    }
    if (history) {
        options->on_step = see_figures;
        options->on_step_data = evolution;
        status = ro_bytes_accepts(context, history);
        if (status == RO_OK && !picture_is_named(history, ".csv") &&
            !picture_is_named(history, ".svg"))
            status = ro_context_fail(context, RO_E_ARGUMENT,
                                     "%s: a name that ends in .csv or .svg is needed", history);
    }
    return status;
}

ro_status evolution_end(struct evolution *evolution, ro_status ran)
{
    if (evolution->status != RO_OK)
        return ro_context_fail(evolution->context, evolution->status, "%s", evolution->message);
    if (ran == RO_OK && evolution->gif)
        ran = ro_gif_commit(evolution->gif);
    if (ran == RO_OK && evolution->video.file)
        ran = printed_save(evolution->context, &evolution->video, evolution->pictures);
    if (ran == RO_OK && evolution->history)
        ran = save_history(evolution);
    return ran;
}

void evolution_close(struct evolution *evolution)
{
    ro_gif_close(evolution->gif);
    printed_close(&evolution->video);
    free(evolution->list);
    *evolution = (struct evolution){0};
}
