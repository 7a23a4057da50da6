/* SPDX-License-Identifier: MIT */
/* The library as web/lib/roundoff.js calls it: options by name and text, pixels in the module's
 * memory, one context. Every function that can fail returns an ro_status; web_message then says
 * why. */
#include "io/filters/stage.h"
#include "options/table.h"
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) name

__attribute__((import_module("page"), import_name("progress"))) int page_progress(const char *phase,
                                                                                  double done);

static ro_context *context;
static char message[RO_OPTION_MESSAGE];

static int progress(void *user, const char *phase, double done)
{
    (void)user;
    return page_progress(phase, done);
}

int EXPORT(web_open)(void)
{
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.threads = 1;
    options.device = RO_DEVICE_CPU;
    options.progress = progress;
    return (int)ro_context_open(&options, &context);
}

void *EXPORT(web_alloc)(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

void EXPORT(web_free)(void *memory) { free(memory); }

const char *EXPORT(web_version)(void) { return ro_version(); }

const char *EXPORT(web_cpu)(void) { return ro_cpu_name(ro_context_report(context)->cpu); }

const char *EXPORT(web_message)(void) { return *message ? message : ro_context_message(context); }

static ro_image image(int format, uint32_t width, uint32_t height, void *data)
{
    return ro_image_view((ro_format)format, width, height, data);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* A family's options, with the texts that they point to. */
struct given {
    const ro_option_table *table;
    void *options;
    char *texts[64];
    int count;
};

static ro_palette palette;
static int colours; /* of a palette that is made for the image; 0: it is not */

/* Gives a family's options their defaults. */
static ro_status begin(struct given *given)
{
    while (given->count)
        free(given->texts[--given->count]);
    if (!given->options)
        given->options = malloc(given->table->size);
    *message = '\0';
    if (!given->options)
        return RO_E_MEMORY;
    memcpy(given->options, given->table->unset, given->table->size);
    return RO_OK;
}

/* Sets an option from text, which is copied. */
static ro_status set(struct given *given, const char *name, const char *text)
{
    const ro_option *option = ro_option_find(given->table, name);
    char *copy = given->count < 64 ? strdup(text) : NULL;
    *message = '\0';
    if (!option || !copy) {
        free(copy);
        snprintf(message, sizeof message, option ? "no memory for %s" : "there is no option %s",
                 name);
        return option ? RO_E_MEMORY : RO_E_ARGUMENT;
    }
    given->texts[given->count++] = copy;
    return ro_option_set(given->table, option, given->options, copy, message);
}

static struct given halftone_given = {.table = &halftone_table};

int EXPORT(web_halftone_begin)(void)
{
    colours = 0;
    palette.count = 0;
    return (int)begin(&halftone_given);
}

/* Takes a palette as the command does: a name, colours, "auto:N". */
static ro_status set_palette(ro_halftone_options *options, const char *text)
{
    if (strncmp(text, "auto", 4) == 0 && (!text[4] || text[4] == ':')) {
        colours = text[4] ? atoi(text + 5) : 16;
        if (colours >= 2 && colours <= 256)
            return RO_OK;
        snprintf(message, sizeof message, "palette %s: a palette has 2 to 256 colours", text);
        return RO_E_ARGUMENT;
    }
    options->palette = &palette;
    return ro_palette_parse(context, text, &palette);
}

int EXPORT(web_halftone_set)(const char *name, const char *text)
{
    ro_halftone_options *options = halftone_given.options;
    *message = '\0';
    if (strcmp(name, "palette") == 0)
        return (int)set_palette(options, text);
    return (int)set(&halftone_given, name, text);
}

/* ---- Names ----------------------------------------------------------------------------------- */

const char *EXPORT(web_palette_name)(int i)
{
    const ro_palette_info *info = ro_palette_at(i);
    return info ? info->name : NULL;
}

const char *EXPORT(web_palette_summary)(int i)
{
    const ro_palette_info *info = ro_palette_at(i);
    return info ? info->summary : NULL;
}

const char *EXPORT(web_method_name)(int i)
{
    const ro_method *method = ro_halftone_method_at(i);
    return method ? method->name : NULL;
}

const char *EXPORT(web_method_family)(int i)
{
    const ro_method *method = ro_halftone_method_at(i);
    return method ? method->family : NULL;
}

const char *EXPORT(web_method_summary)(int i)
{
    const ro_method *method = ro_halftone_method_at(i);
    return method ? method->summary : NULL;
}

/* The palette of the last call: a count and red, green and blue of each colour. */
const ro_palette *EXPORT(web_palette)(void) { return &palette; }

int EXPORT(web_palette_parse)(const char *text)
{
    *message = '\0';
    return (int)ro_palette_parse(context, text, &palette);
}

/* ---- Pixels of a canvas ---------------------------------------------------------------------- */

/* Puts RGBA over white as RGB. Returns 0 if all pixels are grey; then `grey` has them. */
int EXPORT(web_take_rgba)(const uint8_t *rgba, uint8_t *rgb, uint8_t *grey, uint32_t pixels)
{
    unsigned colour = 0, clear = 0;
    for (uint32_t i = 0; i < pixels; i++) {
        const uint8_t *from = rgba + 4 * (size_t)i;
        uint8_t *to = rgb + 3 * (size_t)i;
        to[0] = from[0], to[1] = from[1], to[2] = from[2];
        grey[i] = from[0];
        colour |= (unsigned)(from[0] ^ from[1]) | (unsigned)(from[0] ^ from[2]);
        clear |= 255u - from[3];
    }
    for (uint32_t i = 0; clear && i < pixels; i++) {
        const uint8_t *from = rgba + 4 * (size_t)i;
        const unsigned alpha = from[3];
        for (int c = 0; c < 3; c++)
            rgb[3 * (size_t)i + c] = (uint8_t)((from[c] * alpha + 255 * (255 - alpha) + 127) / 255);
        grey[i] = rgb[3 * (size_t)i];
    }
    return colour != 0;
}

void EXPORT(web_show_rgb)(const uint8_t *rgb, uint32_t *rgba, uint32_t pixels, int channels)
{
    for (uint32_t i = 0; i < pixels; i++) {
        const uint8_t *from = rgb + (size_t)channels * i;
        const unsigned r = from[0], g = channels == 3 ? from[1] : r,
                       b = channels == 3 ? from[2] : r;
        rgba[i] = 0xff000000u | b << 16 | g << 8 | r;
    }
}

void EXPORT(web_show_bits)(const uint8_t *bits, uint32_t *rgba, uint32_t width, uint32_t height)
{
    const uint32_t row = (width + 7) / 8;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            rgba[(size_t)y * width + x] =
                bits[(size_t)y * row + x / 8] >> (7 - x % 8) & 1 ? 0xffffffffu : 0xff000000u;
}

/* Numbers of colours, or of levels if `levels` is not 0. */
void EXPORT(web_show_index)(const uint8_t *index, uint32_t *rgba, uint32_t pixels, int levels)
{
    uint32_t table[256];
    for (int i = 0; i < 256; i++) {
        const uint8_t *c = palette.colours[i];
        const uint32_t grey =
            i < levels ? (uint32_t)((i * 510 + levels - 1) / (2 * (levels - 1))) : 0;
        table[i] = 0xff000000u |
                   (levels ? grey * 0x10101u : (uint32_t)c[2] << 16 | (uint32_t)c[1] << 8 | c[0]);
    }
    for (uint32_t i = 0; i < pixels; i++)
        rgba[i] = table[index[i]];
}

int EXPORT(web_testcard)(void *out, int format, uint32_t width, uint32_t height)
{
    ro_image to = image(format, width, height, out);
    *message = '\0';
    return (int)ro_testcard(context, &to);
}

/* ---- Resizing -------------------------------------------------------------------------------- */

/* Rows of an image in memory as the first stage of a reader. */
struct memory_rows {
    struct row_stage stage; /* first, so that a stage can be cast back */
    const uint8_t *next;
    size_t row_bytes;
};

static ro_status memory_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride,
                             uint32_t count)
{
    struct memory_rows *memory = (struct memory_rows *)stage;
    for (uint32_t y = 0; y < count; y++, rows += stride, memory->next += memory->row_bytes)
        memcpy(rows, memory->next, memory->row_bytes);
    return RO_OK;
}

static void memory_rows_close(struct row_stage *stage) { (void)stage; }

/* Resizes as the command does, mixing light if `light` is not 0. The sizes must differ. */
int EXPORT(web_resize)(const uint8_t *in, int format, uint32_t width, uint32_t height, uint8_t *out,
                       uint32_t new_width, uint32_t new_height, int light)
{
    struct open_file file;
    struct memory_rows memory = {.stage = {.file = &file,
                                           .info = {.format = (ro_format)format,
                                                    .width = width,
                                                    .height = height,
                                                    .maxval = 255},
                                           .rows = memory_rows,
                                           .close = memory_rows_close},
                                 .next = in,
                                 .row_bytes = ro_format_row_bytes((ro_format)format, width)};
    ro_read_options options = {
        .resize_width = new_width, .resize_height = new_height, .resize_light = light};
    struct row_stage *resized;
    *message = '\0';
    file_init(&file, context, "image", "image");
    ro_status status = resize_stage(&memory.stage, &options, &resized);
    if (status != RO_OK)
        return (int)status;
    status = resized->rows(
        resized, out, (ptrdiff_t)ro_format_row_bytes((ro_format)format, new_width), new_height);
    resized->close(resized);
    return (int)status;
}

/* ---- Work ------------------------------------------------------------------------------------ */

int EXPORT(web_halftone)(void *in, int in_format, void *out, int out_format, uint32_t width,
                         uint32_t height)
{
    ro_halftone_options *options = halftone_given.options;
    const ro_image from = image(in_format, width, height, in);
    ro_image to = image(out_format, width, height, out);
    ro_status status = RO_OK;
    *message = '\0';
    if (colours) {
        status = ro_palette_adapt(context, &from, &options->tone, colours, &palette);
        options->palette = &palette;
    }
    return (int)(status == RO_OK ? ro_halftone(context, &from, &to, options) : status);
}

/* Figures of the last call, in the order that roundoff.js names. */
static double figures[16];
const double *EXPORT(web_figures)(void) { return figures; }

/* Measures RGB or grey of 8 bits against the original: mean CIEDE2000 to an eye at this resolution
 * and distance, and the tone's error. With `adapted` the eye is adapted to the last palette. */
int EXPORT(web_measure)(void *original, int in_format, void *result, int out_format, uint32_t width,
                        uint32_t height, double dpi, double distance, int adapted)
{
    const ro_image from = image(in_format, width, height, original);
    const ro_image to = image(out_format, width, height, result);
    ro_measure_options options = RO_MEASURE_OPTIONS;
    ro_colour_report report = {.size = sizeof report};
    options.dpi = dpi;
    options.distance = distance;
    options.adapted = adapted ? &palette : NULL;
    *message = '\0';
    const ro_status status = ro_measure_colour(context, &from, &to, &options, &report);
    figures[0] = report.delta_e;
    figures[1] = report.delta_e_95;
    figures[2] = report.sigma;
    for (int c = 0; c < 3; c++) {
        figures[3 + c] = report.light_in[c];
        figures[6 + c] = report.light_out[c];
    }
    return (int)status;
}

#ifdef WEB_ALL
static struct given denoise_given = {.table = &denoise_table};

int EXPORT(web_denoise_begin)(void) { return (int)begin(&denoise_given); }

int EXPORT(web_denoise_set)(const char *name, const char *text)
{
    return (int)set(&denoise_given, name, text);
}

int EXPORT(web_denoise)(void *in, void *out, int format, uint32_t width, uint32_t height)
{
    const ro_image from = image(format, width, height, in);
    ro_image to = image(format, width, height, out);
    ro_denoise_report report = {.size = sizeof report};
    *message = '\0';
    const ro_status status = ro_denoise(context, &from, &to, denoise_given.options, &report);
    figures[0] = report.noise;
    figures[1] = report.sum_before;
    figures[2] = report.sum_after;
    figures[3] = report.impulses;
    return (int)status;
}
#endif
