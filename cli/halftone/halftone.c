/* SPDX-License-Identifier: MIT */
/* roundoff halftone: a picture file to one of a few levels, streamed from file to file. */
#include "cli/halftone/halftone.h"
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "cli/task/task.h"
#include "roundoff/library.h"

#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {
    "roundoff halftone photo.jpg photo.tif --resize 4960x --dpi 600",
    "zcat scan.pgm.gz | roundoff halftone - - --levels 4 > scan.pgm",
    NULL,
};

static int list_methods(bool json)
{
    const ro_method *method;
    if (json)
        puts("[");
    for (int i = 0; (method = ro_halftone_method_at(i)); i++) {
        if (!json) {
            printf("%-24s%s\n", method->name, method->summary);
            if (method->paper)
                printf("%-24s%s\n", "", method->paper);
            continue;
        }
        const char *const fields[][2] = {{"name", method->name},
                                         {"family", method->family},
                                         {"summary", method->summary},
                                         {"paper", method->paper}};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            printf("%s\"%s\": ", k ? ", " : i ? ",\n  {" : "  {", fields[k][0]);
            json_string(stdout, fields[k][1] ? fields[k][1] : "");
        }
        putchar('}');
    }
    if (json)
        puts("\n]");
    return finish_stdout();
}

/* What the output is made of: "2 levels", "7 colours". */
static void say_output(const ro_halftone_options *options, char *text, size_t size)
{
    const ro_palette *palette = options->palette;
    const bool panel = palette && palette->panel;
    if (palette)
        snprintf(text, size, "%d colours%s", palette->count,
                 options->fit == RO_FIT_FULL || (panel && options->fit == RO_FIT_AUTO) ? ", fitted"
                                                                                       : "");
    else if (options->recolour)
        snprintf(text, size, "%d levels in colour", options->recolour->count);
    else if (options->ink_count)
        snprintf(text, size, "%d ink%s", options->ink_count, options->ink_count > 1 ? "s" : "");
    else
        snprintf(text, size, "%s%d levels", options->channels ? "RGB, " : "", options->levels);
}

static const char *where(const ro_report *report)
{
    return report->device == RO_DEVICE_CUDA ? "cuda" : ro_cpu_name(report->cpu);
}

static void put_line(const ro_report *report, const char *output, bool plates, double seconds)
{
    double pixels = (double)report->width * (double)report->height;
    char time[32], threads[32] = "";
    if (seconds < 1)
        snprintf(time, sizeof time, "%.1f ms", 1e3 * seconds);
    else
        snprintf(time, sizeof time, "%.2f s", seconds);
    if (report->device != RO_DEVICE_CUDA)
        snprintf(threads, sizeof threads, "%d thread%s, ", report->threads,
                 report->threads == 1 ? "" : "s");
    double speed = pixels / seconds * 1e-6;
    fprintf(stderr, "halftone: %s, %s, %u x %u, %s/%s, %s%s, %.*f Mpixel/s\n", report->method,
            output, report->width, report->height, report->schedule, where(report), threads, time,
            speed < 10 ? 1 : 0, speed);
    if (report->detail[0] && !plates)
        fprintf(stderr, "halftone: %s\n", report->detail);
}

static void put_json(FILE *file, ro_context *context, const ro_report *report,
                     const struct operands *files, const struct halftone_request *request,
                     double seconds)
{
    const ro_halftone_options *options = &request->options;
    const ro_video_report *video = &request->video;
    double pixels = (double)report->width * (double)report->height;
    json_put(file, "{command %s, input %s", "halftone", files->path[0]);
    if (!request->write.split_inks) { /* else the inks have files of their own */
        json_put(file, ", output %s", files->path[1]);
    }
    json_put(file, ", method %s, schedule %s, device %s, cpu %s, threads %d", report->method,
             report->schedule, ro_device_name(report->device), ro_cpu_name(report->cpu),
             report->threads);
    if (options->palette)
        json_put(file, ", colours %d", options->palette->count);
    else
        json_put(file, ", levels %d, channels %d", options->levels,
                 options->ink_count  ? options->ink_count
                 : options->channels ? 3
                                     : 1);
    json_put(file, ", width %u, height %u, steps %llu, launches %llu", report->width,
             report->height, (unsigned long long)report->steps,
             (unsigned long long)report->launches);
    if (report->detail[0] && !options->ink_count) {
        json_put(file, ", detail %s", report->detail);
    }
    if (request->own_dpi > 0)
        json_put(file, ", dpi %.6g", request->own_dpi);
    halftone_json_inks(file, context, request, files->path[1]);
    if (video->width > 0) {
        pixels *= (double)video->frames;
        json_put(file, ", frames %llu, layout %s, bits_in %d, bits_out %d, frames_per_second %.3f",
                 (unsigned long long)video->frames, video->layout, video->bits_in, video->bits_out,
                 (double)video->frames / seconds);
    }
    pictures_json(file);
    json_put(file, ", seconds %.6f, mpixel_per_second %.3f}\n", seconds, pixels / seconds * 1e-6);
}

/* What a video was run by; it has neither certificates nor vectors. */
static ro_status ran_video(struct task *task)
{
    const struct halftone_given *values = task->values;
    const ro_video_report *video = &((const struct halftone_request *)task->data)->video;
    if (values->common.certificate || values->vectors)
        return ro_context_fail(task->context, RO_E_UNSUPPORTED,
                               "a video has neither a certificate nor vectors");
    task->ran = (ro_report){.method = video->method,
                            .schedule = video->schedule,
                            .width = video->width,
                            .height = video->height,
                            .device = RO_DEVICE_CPU,
                            .cpu = video->cpu,
                            .threads = video->threads};
    return RO_OK;
}

static ro_status work(struct task *task)
{
    const struct halftone_given *values = task->values;
    struct halftone_request *request = task->data;
    ro_status status = halftone_prepare(task->context, values, task->files->path[0], request);
    if (status == RO_OK)
        status = halftone_take_driver(task->context, values, task->out, request);
    const ro_read_options picture = pictures_read(task->files->path[0]);
    request->read.strict = picture.strict;
    if (status == RO_OK)
        status = halftone_check_plates(task->context, values, request, task->out);
    if (status == RO_OK) {
        ro_dropped *dropped = pictures_dropped(task->files->path[0]);
        ro_file_report report = {.size = sizeof report};
        status = ro_halftone_file(task->context, task->files->path[0], task->out, &request->options,
                                  &request->read, &request->write, &report);
        request->video = report.video;
        request->empty_plates = report.empty_plates;
        if (dropped)
            *dropped = report.dropped;
    }
    task->ran = *ro_context_report(task->context);
    if (status == RO_OK && request->read.colours)
        request->options.palette = &request->palette;
    if (status == RO_OK && request->video.width > 0)
        status = ran_video(task);
    if (status == RO_OK && values->proof)
        status = ro_proof_file(task->context, task->out, &request->options, &values->proof_options,
                               values->proof);
    if (status == RO_OK && values->vectors)
        status = halftone_vectors(task->context, task->files->path[0], values->vectors, request);
    halftone_release(request);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct halftone_request *request = task->data;
    put_json(file, task->context, &task->ran, task->files, request, task->seconds);
}

static void put_video(const ro_report *report, const char *output, const ro_video_report *video,
                      double seconds)
{
    fprintf(stderr,
            "halftone: %s, %s, %u x %u, %s, %d to %d bits, %s/%s, %d thread%s, %llu frame%s, "
            "%.2f s, %.1f frames/s\n",
            report->method, output, video->width, video->height, video->layout, video->bits_in,
            video->bits_out, report->schedule, where(report), video->threads,
            video->threads == 1 ? "" : "s", (unsigned long long)video->frames,
            video->frames == 1 ? "" : "s", seconds, (double)video->frames / seconds);
}

static void print_line(const struct task *task)
{
    const struct halftone_request *request = task->data;
    char output[64];
    say_output(&request->options, output, sizeof output);
    if (request->video.width > 0)
        put_video(&task->ran, output, &request->video, task->seconds);
    else
        put_line(&task->ran, output, request->options.ink_count > 0, task->seconds);
    halftone_say_inks(task->context, request);
    if (request->own_dpi > 0)
        tell("halftone: dots are those of %g dpi, by what %s states", request->own_dpi,
             task->files->path[0]);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct halftone_given values = halftone_unset;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (values.list && files.count)
        return usage_error(command, "--list takes no file; %s was given", files.path[0]);
    if (values.list)
        return list_methods(values.common.json);
    if (values.palette && strcmp(values.palette, "list") == 0)
        return halftone_list_palettes(values.common.json);
    const char *out = values.out_dir ? "" : files.count == 2 ? files.path[1] : NULL;
    if (files.count > 2 && !values.out_dir)
        return usage_error(command, "%s is one name too many; --out-dir takes many pictures",
                           files.path[2]);
    if (!out || files.count == 0)
        return usage_error(command, "halftone needs IN and OUT, or IN ... and --out-dir");
    if (values.out_dir && !values.write.type)
        values.write.type = "png";
    if (values.out_dir && values.common.certificate)
        return usage_error(command, "--certificate states one picture: --out-dir has many");
    const int wrong = halftone_usage(command, &values, files.path[0], out);
    if (wrong)
        return wrong;
    if (values.out_dir)
        return halftone_batch(command, &values, &files);
    static struct halftone_request request;
    const int result = task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = files.path[1],
        .data = &request,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_line,
    });
    inks_free(&request.inks);
    return result;
}

/* Plain code: no vectors, one thread. */
static const char *const *reference(const void *values)
{
    static const char *const arguments[] = {"--cpu",    "scalar", "--threads",     "1",
                                            "!vectors", "!gain",  "!yule-nielsen", NULL};
    (void)values;
    return arguments;
}

const struct command command_halftone = {
    .name = "halftone",
    .operands = "IN ... OUT",
    .summary = "rounds a picture to a few levels; every small area keeps its tone",
    .own = &halftone_own,
    .families = {{"halftone", offsetof(struct halftone_given, options)}},
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_QUIET | COMMON_JSON |
              COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 2,
    .defaults = &halftone_unset,
    .values_size = sizeof halftone_unset,
    .certify = halftone_certify,
    .reference = reference,
};
