/* SPDX-License-Identifier: MIT */
/* roundoff hologram quantize --frames: level numbers of frames in time, a file each. */
#include "cli/common/session.h"
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_SWEEPS = 2 }; /* of --refine auto */

struct frames {
    ro_frames frames;
    ro_frames_report report;
    ro_hologram_options options;
    ro_modulator device;
};

static int read_frames(const struct command *command, const struct hologram_values *values,
                       const struct operands *files, struct frames *f)
{
    struct quantize q = {0};
    if (values->report)
        return usage_error(command, "--report does not apply to --frames");
    if (strcmp(files->path[1], "-") == 0)
        return usage_error(command, "--frames writes the files OUT-1 to OUT-%d, so OUT cannot be -",
                           values->frames.count);
    if (values->drive == DRIVE_PACKED && (values->frames.count > 24 || values->common.certificate))
        return usage_error(command, "--drive packed holds up to 24 frames, without a certificate");
    const int wrong = hologram_take_quantize(command, values, &q);
    f->frames = values->frames;
    f->frames.distance = values->distance;
    f->frames.phase = values->phase;
    f->frames.seed = values->common.seed;
    f->frames.refine = values->refine == RO_DEFAULT ? USUAL_SWEEPS : values->refine;
    f->options = q.options;
    f->options.measure = 0;
    return wrong;
}

static ro_status alloc_frames(ro_context *context, int count, const ro_field *field,
                              ro_image *frames)
{
    ro_status status = RO_OK;
    for (int i = 0; i < count && status == RO_OK; i++)
        status = ro_image_alloc(context, RO_INDEX8, field->width, field->height, 255, &frames[i]);
    return status;
}

static void free_frames(ro_image *frames, int count)
{
    for (int i = 0; frames && i < count; i++)
        ro_image_free(&frames[i]);
    free(frames);
}

static ro_status save_packed(ro_context *context, const struct hologram_values *values,
                             const char *path, const ro_image *frames)
{
    ro_image packed = {0};
    ro_status status = ro_frames_pack(context, frames, values->frames.count, &packed);
    if (status == RO_OK)
        status = ro_image_save(context, path, &packed,
                               &(ro_write_options){RO_WRITE_DEFAULTS, .type = values->type});
    ro_image_free(&packed);
    return status;
}

static ro_status save_frames(ro_context *context, const struct hologram_values *values,
                             const struct frames *f, const char *path, ro_image *frames)
{
    ro_status status = RO_OK;
    if (values->drive == DRIVE_PACKED)
        return save_packed(context, values, path, frames);
    for (int i = 0; i < values->frames.count && status == RO_OK; i++) {
        char *name = hologram_numbered(path, i + 1);
        status = name ? hologram_save_numbers(context, values, &f->device, name, &frames[i])
                      : ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
        free(name);
    }
    return status;
}

/* The frames of IN, in `frames`, and its field. */
static ro_status make_frames(ro_context *context, const struct hologram_values *values,
                             struct frames *f, const char *in, ro_field *field, ro_image *frames)
{
    if (hologram_is_list(values->quantize.levels)) {
        f->options.table = f->device.table;
        f->options.table_count = f->device.count;
    }
    ro_status status = ro_hologram_load(context, in, values->sidecar, field, &f->options.optics);
    if (status == RO_OK)
        status = alloc_frames(context, values->frames.count, field, frames);
    f->report.size = sizeof f->report;
    if (status == RO_OK)
        status = ro_hologram_frames(context, field, frames, &f->options, &f->frames, &f->report);
    return status;
}

static ro_status run_frames(ro_context *context, const struct hologram_values *values,
                            struct frames *f, const char *const *path)
{
    ro_field field = {0};
    ro_image *frames = calloc((size_t)values->frames.count, sizeof *frames);
    ro_status status = hologram_device(context, values, &f->device);
    if (status == RO_OK)
        status = hologram_accepts(context, values, &f->device, path[1]);
    if (status == RO_OK && !frames)
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for %d frames", values->frames.count);
    if (status == RO_OK)
        status = make_frames(context, values, f, path[0], &field, frames);
    if (status == RO_OK)
        status = save_frames(context, values, f, path[1], frames);
    free_frames(frames, values->frames.count);
    ro_field_free(&field);
    return status;
}

static ro_status work(struct task *task)
{
    return run_frames(task->context, task->values, task->data, task->files->path);
}

static void print_json(const struct task *task, FILE *file)
{
    const struct frames *f = task->data;
    json_put(file,
             "{command %s, input %s, output %s, width %u, height %u, levels %d, frames %d, "
             "first_psnr_db %.5g, psnr_db %.5g, efficiency %.5g, seconds %.6f}\n",
             "hologram quantize", task->files->path[0], task->out, task->ran.width,
             task->ran.height, f->device.count, f->frames.count, f->report.first_psnr,
             f->report.psnr, f->report.efficiency, task->seconds);
}

static void print_line(const struct task *task)
{
    const struct frames *f = task->data;
    tell("hologram: %d frames to %d levels, %u x %u: root of the mean intensity %.1f dB (the first "
         "%.1f), %.3g %% of the light, %.2f s",
         f->frames.count, f->device.count, task->ran.width, task->ran.height, f->report.psnr,
         f->report.first_psnr, 100 * f->report.efficiency, task->seconds);
    char *next = hologram_numbered(task->files->path[1], f->frames.count + 1);
    const struct hologram_values *values = task->values;
    if (next && values->drive != DRIVE_PACKED && access(next, F_OK) == 0)
        tell("hologram: %s is there from before and is none of these frames", next);
    free(next);
}

int hologram_frames(const struct command *command, const struct hologram_values *values,
                    const struct operands *files)
{
    struct frames f = {0};
    int result = read_frames(command, values, files, &f);
    return result ? result
                  : task_run(&(struct task){
                        .command = command,
                        .values = values,
                        .files = files,
                        .out = files->path[1],
                        .data = &f,
                        .states_run = true,
                        .work = work,
                        .json = print_json,
                        .say = print_line,
                    });
}

/* ---- The certificate ------------------------------------------------------------------------ */

/* OUT, also where it is given as the file of one of the frames; malloc'ed. */
static char *name_of_all(const char *path)
{
    size_t stem = ro_path_stem(path), end = stem;
    char *first = hologram_numbered(path, 1), *name = strdup(path);
    while (stem > 0 && path[stem - 1] >= '0' && path[stem - 1] <= '9')
        stem--;
    const bool numbered = stem > 1 && stem < end && path[stem - 1] == '-';
    if (name && first && access(first, F_OK) != 0 && numbered)
        memmove(name + stem - 1, name + end, strlen(name + end) + 1);
    free(first);
    return name;
}

/* Every frame's file, and in how many pixels it is unlike the frame made once more. */
static ro_status state_frames(struct certificate *to, const struct hologram_values *values,
                              const struct frames *f, const char *path, const ro_image *again)
{
    uint64_t unlike = 0;
    ro_status status = RO_OK;
    for (int i = 0; i < values->frames.count && status == RO_OK; i++) {
        char *name = hologram_numbered(path, i + 1), line[32];
        ro_image out = {0};
        status = name ? hologram_load_numbers(to->context, values, &f->device, name, &out)
                      : ro_context_fail(to->context, RO_E_MEMORY, "no memory for a file name");
        if (status == RO_OK && (out.width != again[i].width || out.height != again[i].height))
            status = ro_context_fail(to->context, RO_E_FORMAT, "%s is %u x %u pixels, not %u x %u",
                                     name, out.width, out.height, again[i].width, again[i].height);
        if (status == RO_OK) {
            snprintf(line, sizeof line, "output_%d", i + 1);
            certificate_picture(to, line, &out);
            unlike += hologram_unlike(&again[i], &out);
        }
        ro_image_free(&out);
        free(name);
    }
    if (status == RO_OK)
        certificate_natural(to, "pixels_unlike_the_method", unlike);
    return status;
}

ro_status hologram_certify_frames(struct certificate *to, const struct hologram_values *values,
                                  const struct operands *files)
{
    struct frames f = {0};
    ro_field field = {0};
    ro_context *cpu = NULL;
    if (read_frames(&command_hologram, values, files, &f))
        return ro_context_fail(to->context, RO_E_ARGUMENT, "the options cannot be read");
    ro_image *again = calloc((size_t)values->frames.count, sizeof *again);
    ro_status status = again ? hologram_device(to->context, values, &f.device)
                             : ro_context_fail(to->context, RO_E_MEMORY, "no memory for frames");
    if (status == RO_OK)
        status = work_cpu_open(to->context, &cpu);
    if (status == RO_OK) {
        status = make_frames(cpu, values, &f, files->path[0], &field, again);
        if (status != RO_OK)
            ro_context_fail(to->context, status, "%s", ro_context_message(cpu));
    }
    if (status == RO_OK) {
        const ro_image light = {.format = RO_GREYF,
                                .width = 2 * field.width,
                                .height = field.height,
                                .maxval = 0,
                                .stride = field.stride,
                                .data = field.data};
        certificate_picture(to, "input", &light);
        certificate_natural(to, "levels", (uint64_t)f.device.count);
        certificate_natural(to, "psnr_tenths_of_db", (uint64_t)rint(10 * fmax(f.report.psnr, 0)));
        certificate_natural(to, "efficiency_thousandths",
                            (uint64_t)rint(1000 * f.report.efficiency));
        /* verify takes a frame's name as well; a run that states itself has named its own */
        char *path =
            values->common.certificate ? strdup(files->path[1]) : name_of_all(files->path[1]);
        status = path ? state_frames(to, values, &f, path, again)
                      : ro_context_fail(to->context, RO_E_MEMORY, "no memory for a file name");
        free(path);
    }
    free_frames(again, values->frames.count);
    ro_field_free(&field);
    work_cpu_close(to->context, cpu);
    return status;
}
