/* SPDX-License-Identifier: MIT */
/*
 * roundoff compare: runs methods on a picture and on flat greys, times and measures them, prints a
 * table, and makes a page on which they can be looked at side by side.
 */
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/print_measure.h"
#include "cli/common/session.h"
#include "cli/common/shared_rows.h"
#include "cli/input/palettes.h"
#include "cli/input/resize.h"
#include "cli/page/page.h"
#include "cli/task/task.h"
#include "roundoff/library.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, RUNS = 3, FIELD = 256 };
static const double BUDGET = 0.5;         /* seconds of runs of one method, if it ran once */
static const size_t PAGE_BYTES = 4900000; /* a page is no larger */

/* Greys whose texture is measured: shadows to highlights. */
static const uint8_t greys[] = {8, 32, 64, 112, 170, 224, 244};
enum { GREYS = sizeof greys / sizeof *greys };

struct values {
    struct common common;
    const char *methods, *report, *palette, *resize;
    double dpi, distance;
    int linear, fit;
};

#define MEMBER(member) RO_MEMBER(struct values, member)

static const ro_option rows[] = {
    {MEMBER(methods), "A,B,C", "methods to compare", .derived = "all that need no file"},
    {MEMBER(report), ROW_REPORT,
     .more = "It shows images side by side with one zoom and pan for all, a slider between two, a "
             "table that sorts, and speed against quality. It needs no network and stays below 5 "
             "MB; it shows a part of large images."},
    {MEMBER(dpi), ROW_DPI, .derived = "that of IN unless it is 72 or 96, or 300"},
    {MEMBER(distance), ROW_DISTANCE},
    {MEMBER(linear), ROW_LINEAR, .excludes = "palette"},
    {MEMBER(palette), ROW_SHOWN_PALETTE,
     .more = "Methods that take a palette are compared in colour then: the table shows differences "
             "of colour as an eye sees them (CIEDE2000), and how far the light of red, green and "
             "blue is off. With a palette of a panel, or with `fit full`, the eye is adapted to "
             "the black and white of the palette."},
    {MEMBER(fit), ROW_FIT, .topic = "colour"},
    {MEMBER(resize), ROW_RESIZE, .more = "As `halftone` does it."},
    {0},
};

static const struct values defaults;

static const ro_option_table own = {
    .name = "compare", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff compare photo.jpg --report photo.html",
    "roundoff compare photo.jpg --methods fs,blue-noise,dbs --report three.html",
    NULL,
};

struct entry {
    const ro_method *method;
    double seconds;
    ro_image bits;
    ro_measure_report photo, fields;
    ro_colour_report colour; /* with a palette */
};

struct comparison {
    ro_context *context;
    const struct values *values;
    ro_image in, wedge, wedge_bits;
    ro_measure_options measure;
    ro_palette palette;
    struct entry entries[MOST];
    int count;
};

/* The options of a method, but for its tone. */
static ro_halftone_options options_of(const struct comparison *all, const char *method)
{
    const struct values *values = all->values;
    const char *palette = values->palette;
    return (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = method,
                                 .palette = palette ? &all->palette : NULL,
                                 .fit = palette ? (ro_fit)values->fit : RO_FIT_AUTO};
}

/* ---- Which methods -------------------------------------------------------------------------- */

/* The method that a name or an alias means: the one that a run on one pixel says it was. */
static ro_status find_method(const struct comparison *all, const char *name,
                             const ro_method **method)
{
    ro_context *context = all->context;
    uint8_t pixel[2] = {0, 0};
    ro_image in = ro_image_view(RO_GREY8, 1, 1, pixel),
             out = ro_image_view(RO_BITS, 1, 1, pixel + 1);
    const ro_halftone_options halftone = options_of(all, name);
    if (halftone.palette)
        out.format = RO_INDEX8;
    const ro_status status = ro_halftone(context, &in, &out, &halftone);
    if (status != RO_OK)
        return status;
    const char *found = ro_context_report(context)->method;
    for (int i = 0; (*method = ro_halftone_method_at(i)); i++)
        if (strcmp((*method)->name, found) == 0)
            return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT, "there is no method '%s'", name);
}

static ro_status add_method(struct comparison *all, const char *name)
{
    const ro_method *method = NULL;
    const ro_status status = find_method(all, name, &method);
    if (status != RO_OK)
        return status;
    for (int i = 0; i < all->count; i++)
        if (all->entries[i].method == method)
            return ro_context_fail(all->context, RO_E_ARGUMENT, "%s is named twice", method->name);
    if (all->count == MOST)
        return ro_context_fail(all->context, RO_E_ARGUMENT, "more than %d methods were named",
                               MOST);
    all->entries[all->count++].method = method;
    return RO_OK;
}

static ro_status list_methods(struct comparison *all)
{
    const char *text = all->values->methods;
    const ro_method *method;
    ro_status status = RO_OK;
    if (!text) {
        for (int i = 0; (method = ro_halftone_method_at(i)) && status == RO_OK; i++) {
            if (strcmp(method->name, "screen") == 0)
                continue; /* it needs a file of its own */
            status = add_method(all, method->name);
            if (all->values->palette && (status == RO_E_ARGUMENT || status == RO_E_UNSUPPORTED))
                status = RO_OK; /* it has no palettes */
        }
        return status;
    }
    while (status == RO_OK) {
        const size_t length = strcspn(text, ",");
        char name[80];
        if (length == 0 || length >= sizeof name)
            return ro_context_fail(all->context, RO_E_ARGUMENT,
                                   "--methods %s: must be names separated by commas",
                                   all->values->methods);
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        status = add_method(all, name);
        if (!text[length])
            break;
        text += length + 1;
    }
    return status;
}

/* ---- Running and measuring ------------------------------------------------------------------ */

static ro_status draw_wedge(struct comparison *all)
{
    ro_status status =
        ro_image_alloc(all->context, RO_GREY8, FIELD, FIELD * GREYS, 255, &all->wedge);
    if (status == RO_OK)
        status = ro_image_alloc(all->context, RO_BITS, FIELD, FIELD * GREYS, 0, &all->wedge_bits);
    for (uint32_t y = 0; y < FIELD * GREYS && status == RO_OK; y++)
        memset((char *)all->wedge.data + (ptrdiff_t)y * all->wedge.stride, greys[y / FIELD], FIELD);
    return status;
}

static ro_status run_entry(struct comparison *all, struct entry *entry)
{
    ro_context *context = all->context;
    ro_halftone_options halftone = options_of(all, entry->method->name);
    const bool colour = halftone.palette != NULL;
    ro_status status = ro_image_alloc(context, colour ? RO_RGB8 : RO_BITS, all->in.width,
                                      all->in.height, colour ? 255 : 0, &entry->bits);
    double spent = 0;
    /* flat greys first, which also warms up */
    if (status == RO_OK && !colour)
        status = ro_halftone(context, &all->wedge, &all->wedge_bits, &halftone);
    entry->fields.size = sizeof entry->fields;
    if (status == RO_OK && !colour)
        status = ro_measure(context, &all->wedge, &all->wedge_bits, NULL, &entry->fields);
    halftone.tone.linear = all->values->linear;
    for (int i = 0; i < RUNS && status == RO_OK && (i == 0 || spent < BUDGET); i++) {
        const double start = seconds_now();
        status = ro_halftone(context, &all->in, &entry->bits, &halftone);
        const double took = seconds_now() - start;
        entry->seconds = i == 0 || took < entry->seconds ? took : entry->seconds;
        spent += took;
    }
    entry->photo.size = sizeof entry->photo;
    if (status == RO_OK)
        status = ro_measure(context, &all->in, &entry->bits, &all->measure, &entry->photo);
    entry->colour.size = sizeof entry->colour;
    if (status == RO_OK && colour)
        status = ro_measure_colour(context, &all->in, &entry->bits, &all->measure, &entry->colour);
    return status;
}

static ro_status run_all(struct comparison *all, const char *in)
{
    ro_file_info info;
    ro_status status = RO_OK;
    const struct values *values = all->values;
    const char *palette = values->palette;
    if (palette)
        status = palette_read(all->context, palette, &all->palette);
    if (status == RO_OK)
        status = list_methods(all);
    if (status == RO_OK) { /* as halftone reads it */
        ro_read_options read = pictures_read(in);
        read.profile = RO_PROFILE_APPLY;
        read.resize_light = values->linear || palette;
        resize_parse(values->resize, values->dpi, &read);
        status = ro_image_load(all->context, in, &read, &all->in, &info, pictures_dropped(in));
    }
    if (status == RO_OK)
        status = draw_wedge(all);
    if (status != RO_OK)
        return status;
    all->measure = (ro_measure_options){
        RO_MEASURE_DEFAULTS,
        .dpi = pictures_dpi(values->dpi, &info, NULL),
        .distance = values->distance,
        .linear = values->linear,
    };
    if (palette && (all->palette.panel || values->fit == RO_FIT_FULL))
        all->measure.adapted = &all->palette;
    for (int i = 0; i < all->count && status == RO_OK; i++) {
        status = run_entry(all, &all->entries[i]);
        if (status == RO_OK)
            status = ro_context_progress(all->context, "compare", (double)(i + 1) / all->count);
    }
    return status;
}

static void close_all(struct comparison *all)
{
    for (int i = 0; i < all->count; i++) {
        ro_image_free(&all->entries[i].bits);
        ro_free(all->entries[i].photo.fields);
        ro_free(all->entries[i].fields.fields);
    }
    ro_image_free(&all->in);
    ro_image_free(&all->wedge);
    ro_image_free(&all->wedge_bits);
}

/* ---- What is shown -------------------------------------------------------------------------- */

static struct eye eye_of(const struct comparison *all)
{
    return (struct eye){.dpi = all->measure.dpi,
                        .distance = all->measure.distance,
                        .sigma = all->entries[0].photo.sigma,
                        .adapted = all->measure.adapted ? all->values->palette : NULL};
}

static double speed_of(const struct entry *entry)
{
    return (double)entry->photo.width * entry->photo.height / entry->seconds * 1e-6;
}

static bool has_texture(const struct entry *entry)
{
    for (int i = 0; i < entry->fields.fields_count; i++)
        if (entry->fields.fields[i].rms > 0)
            return true;
    return false;
}

static void put_entry(FILE *file, const struct comparison *all, const struct entry *entry)
{
    const ro_measure_report *photo = &entry->photo, *fields = &entry->fields;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"seconds", entry->seconds},
        {"speed", speed_of(entry)},
        {"psnr", photo->raw.psnr},
        {"psnr_gaussian", photo->gaussian.psnr},
        {"psnr_contrast", photo->contrast.psnr},
        {"ssim", photo->ssim},
        {"tone_error", photo->tone_out - photo->tone_in},
        {"tone_rms", photo->tone_rms},
        {"border", photo->border.rms},
        {"grain", fields->grain},
        {"worms", fields->worms},
        {"anisotropy", fields->anisotropy},
        {"clumping", fields->dots.clumping},
    };
    const size_t count = sizeof numbers / sizeof *numbers - (has_texture(entry) ? 0 : 4);
    json_put(file, "{name %s, family %s", entry->method->name, entry->method->family);
    if (all->values->palette) {
        json_put(file, ", delta_e ");
        json_number(file, entry->colour.delta_e);
    }
    for (size_t i = 0; i < count; i++) {
        json_put(file, ", %s: ", numbers[i].name);
        json_number(file, numbers[i].value);
    }
}

static void put_head(FILE *file, const struct comparison *all, const char *in)
{
    ro_device_info info = {.size = sizeof info};
    const struct eye eye = eye_of(all);
    json_put(file, "input %s, width %u, height %u, ", in, all->in.width, all->in.height);
    figures_eye_json(file, &eye);
    json_put(file, "sigma %.6g, machine %s, greys [", eye.sigma,
             ro_device_at(0, &info) == RO_OK ? info.name : "");
    for (int i = 0; i < GREYS; i++)
        fprintf(file, "%s%d", i ? ", " : "", greys[i]);
    fputc(']', file);
    if (all->values->palette)
        json_put(file, ", colours %d", all->palette.count);
}

/* The part of a picture that the page shows: the middle, of about so many pixels. */
static ro_image shown_part(const ro_image *image, double area, uint32_t *x, uint32_t *y)
{
    uint32_t width = image->width, height = image->height;
    if ((double)width * height > area) {
        const double side = sqrt(area);
        if (width < side)
            height = (uint32_t)(area / width);
        else if (height < side)
            width = (uint32_t)(area / height);
        else
            width = height = (uint32_t)side;
        width = width > 8 ? width & ~7u : width; /* parts of packed bits begin with a byte */
    }
    *x = (image->width - width) / 2 & ~7u;
    *y = (image->height - height) / 2;
    return page_part(image, *x, *y, width, height);
}

static ro_status fill_page(struct comparison *all, const char *in, double area, struct page *page)
{
    uint32_t x, y;
    ro_status status = page_open(all->context, page, in);
    if (status != RO_OK)
        return status;
    ro_image part = shown_part(&all->in, area, &x, &y);
    fputs(", ", page->data);
    put_head(page->data, all, in);
    json_put(page->data, ", crop {x %u, y %u, width %u, height %u}, original ", x, y, part.width,
             part.height);
    status = page_picture(all->context, page, &part);
    json_put(page->data, ", methods [");
    for (int i = 0; i < all->count && status == RO_OK; i++) {
        fputs(i ? ",\n" : "", page->data);
        put_entry(page->data, all, &all->entries[i]);
        json_put(page->data, ", picture ");
        part = shown_part(&all->entries[i].bits, area, &x, &y);
        status = page_picture(all->context, page, &part);
        fputc('}', page->data);
    }
    fputc(']', page->data);
    fflush(page->data);
    return status;
}

/* How far pictures compress is seen by trying: a page that is too large shows a smaller part. */
static ro_status write_page(struct comparison *all, const char *in)
{
    const double pixels = (double)all->in.width * all->in.height;
    double area = 32.0 * (double)PAGE_BYTES / (all->count + 8);
    area = area < pixels ? area : pixels;
    for (;;) {
        struct page page = {0};
        ro_status status = fill_page(all, in, area, &page);
        const double share = (double)PAGE_BYTES / (double)page.printed.size;
        if (status == RO_OK && share < 1) {
            area *= 0.95 * share;
            page_close(&page);
            continue;
        }
        if (status == RO_OK)
            status = page_save(all->context, &page, page_compare_js, all->values->report);
        page_close(&page);
        return status;
    }
}

static void print_json(const struct task *task, FILE *file)
{
    const struct comparison *all = task->data;
    json_put(file, "{command %s, ", "compare");
    put_head(file, all, task->files->path[0]);
    json_put(file, ", methods [");
    for (int i = 0; i < all->count; i++) {
        fputs(i ? ",\n  " : "\n  ", file);
        put_entry(file, all, &all->entries[i]);
        fputc('}', file);
    }
    fputc(']', file);
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", task->seconds);
}

static void print_colours(const struct comparison *all)
{
    printf("%-24s %9s %9s %9s %9s %22s\n", "method", "Mpixel/s", "\u0394E 2000", "for 95 %",
           "at most", "red, green, blue /255");
    for (int i = 0; i < all->count; i++) {
        const struct entry *entry = &all->entries[i];
        const ro_colour_report *colour = &entry->colour;
        printf("%-24s %9.1f %8.2f %9.2f %9.2f ", entry->method->name, speed_of(entry),
               colour->delta_e, colour->delta_e_95, colour->delta_e_most);
        for (int c = 0; c < 3; c++)
            printf(" %+6.2f", 255 * (colour->light_out[c] - colour->light_in[c]));
        putchar('\n');
    }
}

static void print_table(const struct task *task)
{
    const struct comparison *all = task->data;
    const struct eye eye = eye_of(all);
    printf("%u x %u pixels, ", all->in.width, all->in.height);
    figures_eye(stdout, &eye);
    putchar('\n');
    if (all->values->palette) {
        print_colours(all);
        return;
    }
    printf("%-24s %9s %9s %8s %7s %7s %7s %7s\n", "method", "Mpixel/s", "PSNR eye", "SSIM eye",
           "tone", "grain", "worms", "clumps");
    for (int i = 0; i < all->count; i++) {
        const struct entry *entry = &all->entries[i];
        const ro_measure_report *photo = &entry->photo;
        printf("%-24s %9.1f %9.2f %8.4f %+7.2f", entry->method->name, speed_of(entry),
               photo->gaussian.psnr, photo->ssim, 255 * (photo->tone_out - photo->tone_in));
        if (has_texture(entry))
            printf(" %7.1f %7.1f %7.2f", entry->fields.grain, entry->fields.worms,
                   entry->fields.dots.clumping);
        putchar('\n');
    }
}

/* The picture and every method's bits; figures follow from them, times are of no certificate. */
static ro_status certify(struct certificate *to, const void *values, const struct operands *files)
{
    static struct comparison again;
    again = (struct comparison){.context = to->context, .values = values};
    ro_status status = run_all(&again, files->path[0]);
    if (status == RO_OK) {
        certificate_picture(to, "input", &again.in);
        for (int i = 0; i < again.count; i++)
            certificate_picture(to, again.entries[i].method->name, &again.entries[i].bits);
        status = to->status;
    }
    close_all(&again);
    return status;
}

static ro_status work(struct task *task)
{
    struct comparison *all = task->data;
    all->context = task->context;
    ro_status status = run_all(all, task->files->path[0]);
    if (status == RO_OK && all->values->report)
        status = write_page(all, task->files->path[0]);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count != 1)
        return usage_error(command, "compare needs IN and nothing else");
    if (resize_check(command, values.resize, values.dpi) != 0)
        return EXIT_BAD_USAGE;
    if (values.report && !can_write(values.report))
        return 1;
    static struct comparison all;
    all = (struct comparison){.values = &values};
    int result = task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = values.report,
        .data = &all,
        .work = work,
        .json = print_json,
        .say = print_table,
    });
    close_all(&all);
    return result;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "IN",
    .summary = "runs methods on a picture, times and measures them side by side",
    .own = &own,
    .common = COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .files = 1,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certify,
    .examples = examples,
    .run = run,
};
