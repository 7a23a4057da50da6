/* SPDX-License-Identifier: MIT */
/* roundoff hologram reconstruct: what an eye sees of a field or of a file of level numbers. */
#include "cli/common/pictures.h"
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff/command.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTHS = 64 };

struct view {
    double depth[MOST_DEPTHS];
    int depths;
    ro_view view;
    double scale; /* that was white in the last picture */
    double waves[COLOURS];
    int channels;
    ro_view_figures figures[MOST_DEPTHS]; /* beside the reference */
};

char *hologram_numbered(const char *path, int number)
{
    const int stem = (int)ro_path_stem(path);
    size_t size = strlen(path) + 16;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s-%d%s", stem, path, number, path + stem);
    return name;
}

/* As floats where the file holds them, else as numbers of 16 or 8 bits. */
static ro_status save_picture(ro_context *context, const char *path, const char *type,
                              const ro_image *picture)
{
    ro_write_options write = {RO_WRITE_DEFAULTS, .type = type};
    ro_file_info info = {.format = RO_GREYF, .width = 1, .height = 1, .pages = 1};
    bool floats, wide = false;
    ro_status status = pictures_hold(context, path, &info, &write, &floats);
    if (status == RO_OK && floats)
        return ro_image_save(context, path, picture, &write);
    info.format = RO_GREY16;
    info.maxval = UINT16_MAX;
    if (status == RO_OK)
        status = pictures_hold(context, path, &info, &write, &wide);
    ro_image whole = {0};
    if (status == RO_OK)
        status = ro_image_alloc(context, wide ? RO_GREY16 : RO_GREY8, picture->width,
                                picture->height, wide ? UINT16_MAX : 255, &whole);
    for (uint32_t y = 0; status == RO_OK && y < picture->height; y++) {
        const float *from =
            (const float *)((const char *)picture->data + (ptrdiff_t)y * picture->stride);
        void *to = (char *)whole.data + (ptrdiff_t)y * whole.stride;
        for (uint32_t x = 0; x < picture->width; x++)
            if (wide)
                ((uint16_t *)to)[x] = (uint16_t)lrintf(from[x] * UINT16_MAX);
            else
                ((uint8_t *)to)[x] = (uint8_t)lrintf(from[x] * 255);
    }
    if (status == RO_OK)
        status = ro_image_save(context, path, &whole, &write);
    ro_image_free(&whole);
    return status;
}

static ro_status check_output(ro_context *context, const char *path, const char *type, bool floats)
{
    ro_write_options write = {RO_WRITE_DEFAULTS, .type = type};
    ro_file_info info = {.format = RO_GREYF, .width = 1, .height = 1, .pages = 1};
    ro_status status = ro_writer_accepts(context, path, &info, &write);
    if (status == RO_OK || status == RO_E_MEMORY || floats)
        return status;
    info.format = RO_GREY8;
    info.maxval = 255;
    return ro_writer_accepts(context, path, &info, &write);
}

/* One that fits is compared where it lies, others pixel by pixel of the view. */
static ro_status load_reference(ro_context *context, const struct hologram_values *values,
                                const ro_field *field, const ro_optics *optics, ro_image *reference)
{
    double wide;
    return hologram_place(context, values, values->reference, -1, field->width, field->height,
                          optics, reference, values->place == RO_PLACE_FIT ? &wide : NULL);
}

/* Figures of the view before it is cut off at white. */
static ro_status compare(ro_context *context, const ro_field *field, const ro_image *reference,
                         const ro_view *view, ro_image *picture, ro_view_figures *figures)
{
    ro_view whole = *view;
    whole.scale = RO_SCALE_NONE;
    ro_status status = ro_hologram_reconstruct(context, field, picture, &whole, NULL);
    return status == RO_OK ? ro_view_compare(context, picture, reference, &view->optics, figures)
                           : status;
}

static ro_status work(struct task *task)
{
    const struct hologram_values *values = task->values;
    const char *const *path = task->files->path;
    ro_context *context = task->context;
    struct view *v = task->data;
    ro_field field = {0};
    ro_image picture = {0}, reference = {0};
    ro_optics *optics = &v->view.optics;
    ro_status status = check_output(context, path[1], values->type, v->view.scale == RO_SCALE_NONE);
    if (status == RO_OK)
        status = hologram_load_light(context, values, path[0], &field, optics);
    if (status == RO_OK && values->reference)
        status = load_reference(context, values, &field, optics, &reference);
    if (status == RO_OK && v->depths == 0 && optics->depth == 0)
        status = ro_context_fail(
            context, RO_E_ARGUMENT,
            "depth is missing: no sidecar says where %s is in focus; give --depth", path[0]);
    if (v->depths == 0)
        v->depth[v->depths++] = optics->depth;
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, field.width, field.height, 0, &picture);
    for (int i = 0; i < v->depths && status == RO_OK; i++) {
        char *name = v->depths > 1 ? hologram_numbered(path[1], i + 1) : NULL;
        if (v->depths > 1 && !name)
            status = ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
        v->view.depth = v->depth[i];
        v->figures[i].size = sizeof v->figures[i];
        if (status == RO_OK && reference.data)
            status = compare(context, &field, &reference, &v->view, &picture, &v->figures[i]);
        if (status == RO_OK)
            status = ro_hologram_reconstruct(context, &field, &picture, &v->view, &v->scale);
        if (status == RO_OK)
            status = save_picture(context, name ? name : path[1], values->type, &picture);
        free(name);
    }
    ro_image_free(&reference);
    ro_image_free(&picture);
    ro_field_free(&field);
    return status;
}

/* White is mean plus standard deviation over all channels, unless it is told. */
static double white_of(const ro_image channel[COLOURS])
{
    double sum = 0, squares = 0, n = 0;
    for (int c = 0; c < COLOURS; c++)
        for (uint32_t y = 0; y < channel[c].height; y++) {
            const float *row =
                (const float *)((const char *)channel[c].data + (ptrdiff_t)y * channel[c].stride);
            for (uint32_t x = 0; x < channel[c].width; x++, n++) {
                sum += row[x];
                squares += (double)row[x] * row[x];
            }
        }
    return sum / n + sqrt(fmax(squares / n - sum / n * (sum / n), 0));
}

static ro_status save_colours(ro_context *context, const char *path, const char *type,
                              const ro_image channel[COLOURS], double white)
{
    ro_image picture = {0};
    ro_status status =
        ro_image_alloc(context, RO_RGB8, channel->width, channel->height, 255, &picture);
    for (uint32_t y = 0; status == RO_OK && y < picture.height; y++) {
        uint8_t *to = (uint8_t *)picture.data + (ptrdiff_t)y * picture.stride;
        for (int c = 0; c < COLOURS; c++) {
            const float *row =
                (const float *)((const char *)channel[c].data + (ptrdiff_t)y * channel[c].stride);
            for (uint32_t x = 0; x < picture.width; x++)
                to[3 * x + (uint32_t)c] =
                    (uint8_t)lrint(255 * fmin(white > 0 ? row[x] / white : 0, 1));
        }
    }
    if (status == RO_OK)
        status = ro_image_save(context, path, &picture,
                               &(ro_write_options){RO_WRITE_DEFAULTS, .type = type});
    ro_image_free(&picture);
    return status;
}

/* Three files, IN-r to IN-b, as one picture in colour. */
static ro_status work_colours(struct task *task)
{
    const struct hologram_values *values = task->values;
    ro_context *context = task->context;
    struct view *v = task->data;
    ro_image channel[COLOURS] = {{0}};
    ro_status status = RO_OK;
    for (int c = 0; c < COLOURS && status == RO_OK; c++) {
        char *in = hologram_channel(task->files->path[0], COLOURS, c);
        ro_field field = {0};
        ro_view view = v->view;
        view.optics.wavelength = v->waves[c];
        view.scale = RO_SCALE_NONE;
        status = in ? hologram_load_light(context, values, in, &field, &view.optics)
                    : ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
        view.depth = v->view.depth = v->depth[0];
        if (status == RO_OK)
            status = ro_image_alloc(context, RO_GREYF, field.width, field.height, 0, &channel[c]);
        if (status == RO_OK)
            status = ro_hologram_reconstruct(context, &field, &channel[c], &view, NULL);
        if (status == RO_OK &&
            (channel[c].width != channel[0].width || channel[c].height != channel[0].height))
            status = ro_context_fail(context, RO_E_SIZE, "%s is not as large as that of red", in);
        ro_field_free(&field);
        free(in);
    }
    v->scale = status == RO_OK && !(v->view.scale > 0) ? white_of(channel) : v->view.scale;
    if (status == RO_OK)
        status = save_colours(context, task->out, values->type, channel, v->scale);
    for (int c = 0; c < COLOURS; c++)
        ro_image_free(&channel[c]);
    return status;
}

static int read_view(const struct command *command, const struct hologram_values *values,
                     struct view *v)
{
    v->view = values->view;
    if (values->depth &&
        !hologram_numbers(values->depth, ",", true, v->depth, MOST_DEPTHS, &v->depths))
        return usage_error(command, "--depth %s: must be lengths, such as 81mm,91mm",
                           values->depth);
    struct hologram_values rest = *values;
    const int wrong = hologram_waves(command, values, v->waves, &v->channels);
    if (wrong)
        return wrong;
    if (v->channels > 1 && (v->depths != 1 || values->reference || v->view.scale == RO_SCALE_NONE))
        return usage_error(command,
                           "three wavelengths need one --depth, no --reference and a white");
    if (v->channels > 1)
        rest.wavelength = NULL;
    return hologram_optics(command, &rest, &v->view.optics);
}

static bool compared(const struct task *task)
{
    return ((const struct hologram_values *)task->values)->reference != NULL;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct view *v = task->data;
    json_put(file, "{command %s, input %s, output %s", "hologram reconstruct", task->files->path[0],
             task->out);
    pictures_json(file);
    json_put(file, ", pictures %d, scale %.9g", v->depths, v->scale);
    for (int i = 0; compared(task) && i < v->depths; i++) {
        const ro_view_figures *f = &v->figures[i];
        fprintf(file,
                "%s{\"depth\": %.9g, \"psnr_db\": %.5g, \"amplitude_psnr_db\": %.5g, "
                "\"ssim\": %.5g, \"speckle_contrast\": ",
                i ? ", " : ", \"seen\": [", v->depth[i], f->psnr, f->amplitude_psnr, f->ssim);
        if (f->speckle >= 0)
            fprintf(file, "%.5g}", f->speckle);
        else
            fputs("null}", file);
    }
    fprintf(file, "%s, \"seconds\": %.6f}\n", compared(task) ? "]" : "", task->seconds);
}

static void print_line(const struct task *task)
{
    const struct view *v = task->data;
    fprintf(stderr, "hologram: seen at %.4g mm%s, mean and sigma %.6g, %.2f s\n",
            v->view.depth * 1e3, v->depths > 1 ? " and before" : "", v->scale, task->seconds);
    for (int i = 0; compared(task) && i < v->depths; i++) {
        const ro_view_figures *f = &v->figures[i];
        char speckle[64] = "";
        if (f->speckle >= 0)
            snprintf(speckle, sizeof speckle, ", speckle contrast %.2f", f->speckle);
        fprintf(stderr, "hologram: at %.4g mm PSNR %.1f dB (of amplitudes %.1f), SSIM %.3f%s\n",
                v->depth[i] * 1e3, f->psnr, f->amplitude_psnr, f->ssim, speckle);
    }
}

int hologram_reconstruct(const struct command *command, const struct hologram_values *values,
                         const struct operands *files)
{
    struct view v = {0};
    int result = read_view(command, values, &v);
    if (result)
        return result;
    return task_run(&(struct task){
        .command = command,
        .values = values,
        .files = files,
        .out = files->path[1],
        .data = &v,
        .work = v.channels > 1 ? work_colours : work,
        .json = print_json,
        .say = print_line,
    });
}
