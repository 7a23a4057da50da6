/* SPDX-License-Identifier: MIT */
/* roundoff denoise: diffusion filters in few bits, for whole files or from pipe to pipe. */
#include "cli/certificate/certificate.h"
#include "cli/commands/task.h"
#include "cli/frame/pictures.h"
#include "cli/frame/vectors.h"
#include "cli/frame/work.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 }; /* read and written at a time */

struct values {
    struct common common;
    const char *model, *scheme, *number, *rounding, *round, *white, *schedule, *vectors;
    int iterations, steps_at_once;
    double kappa, sigma, time_step;
    bool independent, until_converged;
};

#define PLACE(member) .offset = offsetof(struct values, member)

static const struct option options[] = {
    {"model", "M", "anisotropic (default), perona-malik, exponential or linear", OPTION_TEXT,
     PLACE(model)},
    {"iterations", "N", "time steps (default 20)", OPTION_WHOLE, PLACE(iterations), .min = 1,
     .max = 1 << 30},
    {"kappa", "K", "gradient of an edge in 1/255 (default: half the noise)", OPTION_NUMBER,
     PLACE(kappa), .min = 0, .max = 1000000},
    {"white", "N", "sample value of white, or maxval (default: from IN)", OPTION_TEXT, PLACE(white),
     .topic = "numbers", .before = "maxval"},
    {"sigma", "S", "smoothing of the gradient in pixels (default 0)", OPTION_NUMBER, PLACE(sigma),
     .min = 0, .max = 1000000},
    {"time-step", "T", "tau/h^2 per step (default: the largest stable one)", OPTION_NUMBER,
     PLACE(time_step), .min = 0, .max = 1000000},
    {"scheme", "S", "explicit (default), implicit, conjugate, naive, xpp24", OPTION_TEXT,
     PLACE(scheme), .topic = "numbers"},
    {"number", "Q", "u8, s9, s12, s16, s17, s24, s10e5, s16e7, s23e8", OPTION_TEXT, PLACE(number),
     .topic = "numbers"},
    {"rounding", "R", "rounding of fluxes: zero (default) or nearest", OPTION_TEXT, PLACE(rounding),
     .topic = "numbers"},
    {"round", "R", "rounding to OUT's levels: sum (default, keeps it), nearest", OPTION_TEXT,
     PLACE(round), .topic = "numbers", .before = "nearest"},
    {"vectors", "FILE", "numbers before and after, for a circuit's test bench", OPTION_TEXT,
     PLACE(vectors), .topic = "numbers", .writes = true},
    {"independent", NULL, "colour channels do not share the gradient", OPTION_FLAG,
     PLACE(independent)},
    {"until-converged", NULL, "stop when no pixel changes, or after 10000 (N) steps", OPTION_FLAG,
     PLACE(until_converged)},
    {"schedule", "S", "auto (default), reference, passes or stream: same bits", OPTION_TEXT,
     PLACE(schedule)},
    {"steps-at-once", "T", "of schedule stream in one pass (default: 8 at most)", OPTION_WHOLE,
     PLACE(steps_at_once), .was = "depth", .min = 1, .max = 64},
    {0},
};

static const struct values defaults = {
    .iterations = RO_DEFAULT, .kappa = NAN, .sigma = NAN, .time_step = NAN};

static const char *const examples[] = {
    "roundoff denoise night.png clean.png",
    "roundoff denoise - - --schedule stream --kappa 8 < huge.pgm > clean.pgm",
    NULL,
};

/* What OUT holds: as IN, but greys appear where there was black and white. */
static ro_file_info output_of(const ro_file_info *in)
{
    ro_file_info out = *in;
    if (out.format == RO_GRAY8 && out.maxval == 1)
        out.maxval = 255;
    return out;
}

static ro_image shape_of(const ro_file_info *info)
{
    return (ro_image){.format = info->format,
                      .width = info->width,
                      .height = info->height,
                      .maxval = info->maxval};
}

/* A number, "maxval", or 0 for what is neither; NULL: as the library chooses. */
static uint32_t white_of(const char *text)
{
    char *end;
    if (!text)
        return 0;
    if (ro_name_equal(text, "maxval"))
        return RO_WHITE_MAXVAL;
    const long number = strtol(text, &end, 10);
    return end > text && !*end && number >= 1 && number <= 65535 ? (uint32_t)number : 0;
}

static ro_denoise_options options_of(const struct values *values)
{
    return (ro_denoise_options){RO_DENOISE_DEFAULTS,
                                .model = values->model,
                                .scheme = values->scheme,
                                .number = values->number,
                                .rounding = values->rounding,
                                .round = values->round,
                                .schedule = values->schedule,
                                .iterations = (uint32_t)values->iterations,
                                .steps_at_once = (uint32_t)values->steps_at_once,
                                .white = white_of(values->white),
                                .kappa = isnan(values->kappa) ? 0 : values->kappa,
                                .sigma = isnan(values->sigma) ? RO_DEFAULT : values->sigma,
                                .time_step = isnan(values->time_step) ? 0 : values->time_step,
                                .independent = values->independent,
                                .until_converged = values->until_converged};
}

struct job {
    ro_context *context;
    const struct operands *files;
    ro_denoise_options denoise;
    ro_denoise_report *report;
};

static ro_status run_whole(struct job *job)
{
    ro_context *context = job->context;
    const char *out_path = job->files->path[1];
    ro_image in = {0}, out = {0};
    ro_file_info info;
    ro_status status = pictures_load(context, job->files->path[0], &in, &info);
    if (status == RO_OK)
        status = pictures_resolution(context, job->files->path[0], &info, out_path);
    if (status != RO_OK)
        goto done;
    ro_file_info out_info = output_of(&info);
    ro_write_options write = {RO_WRITE_DEFAULTS, .dpi_x = info.dpi_x, .dpi_y = info.dpi_y};
    status = ro_writer_accepts(context, out_path, &out_info, &write);
    if (status == RO_OK)
        status = ro_image_alloc(context, out_info.format, info.width, info.height, out_info.maxval,
                                &out);
    if (status == RO_OK)
        status = ro_denoise(context, &in, &out, &job->denoise, job->report);
    if (status == RO_OK)
        status = ro_image_save(context, out_path, &out, &write);
done:
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

/* Rows from file to file: memory grows with the width and the steps, not with the height. */
static ro_status run_rows(struct job *job)
{
    ro_context *context = job->context;
    ro_reader *reader = NULL;
    ro_writer *writer = NULL;
    ro_denoise_stream *stream = NULL;
    char *rows = NULL;
    const ro_read_options read = pictures_read(job->files->path[0]);
    ro_status status = ro_reader_open(context, job->files->path[0], &read, &reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(reader);
    const ro_file_info out_info = output_of(info);
    const ro_image in = shape_of(info), out = shape_of(&out_info);
    status = ro_denoise_open(context, &in, &out, &job->denoise, &stream, job->report);
    if (status == RO_OK)
        status = pictures_resolution(context, job->files->path[0], info, job->files->path[1]);
    if (status == RO_OK)
        status = ro_writer_open(context, job->files->path[1], &out_info, NULL, &writer);
    if (status != RO_OK)
        goto done;
    const ptrdiff_t in_stride = (ptrdiff_t)ro_format_row_bytes(in.format, in.width);
    const ptrdiff_t out_stride = (ptrdiff_t)ro_format_row_bytes(out.format, out.width);
    rows = malloc((size_t)(in_stride + out_stride) * ROWS);
    if (!rows) {
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels", in.width);
        goto done;
    }
    char *out_rows = rows + in_stride * ROWS;
    uint32_t got = 0, pushed = 0, written = 0;
    while (written < in.height && status == RO_OK) {
        if (pushed == got && written < in.height) {
            pushed = got = 0;
            status = ro_reader_rows(reader, rows, in_stride, ROWS, &got);
        }
        uint32_t taken = 0, given = 0;
        if (status == RO_OK && got > 0)
            status = ro_denoise_push(stream, rows + (ptrdiff_t)pushed * in_stride, in_stride,
                                     got - pushed, &taken);
        pushed += taken;
        if (status == RO_OK)
            status = ro_denoise_pull(stream, out_rows, out_stride, ROWS, &given);
        if (status == RO_OK && given > 0)
            status = ro_writer_rows(writer, out_rows, out_stride, given);
        written += given;
    }
    ro_dropped *dropped = pictures_dropped(job->files->path[0]);
    if (dropped)
        *dropped = *ro_reader_dropped(reader);
    if (status == RO_OK)
        status = ro_writer_commit(writer);
done:
    free(rows);
    ro_writer_close(writer);
    ro_denoise_close(stream);
    ro_reader_close(reader);
    return status;
}

/* The numbers before the first step and after the last: floats have room for 24 bits of them. */
static ro_status save_vectors(struct job *job, const char *path)
{
    ro_context *context = job->context;
    ro_denoise_options denoise = job->denoise;
    ro_denoise_report report;
    ro_image in = {0}, out = {0};
    const ro_read_options read = pictures_read(job->files->path[0]);
    ro_status status = vectors_load(context, job->files->path[0], &read, &in);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GRAYF, in.width, in.height, 0, &out);
    if (status == RO_OK)
        status = ro_denoise(context, &in, &out, &denoise, &report);
    if (status == RO_OK && !ro_name_equal(report.number, "s9") &&
        !ro_name_equal(report.number, "s12") && !ro_name_equal(report.number, "s16") &&
        !ro_name_equal(report.number, "s17") && !ro_name_equal(report.number, "s24"))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "--vectors needs number s9, s12, s16, s17 or s24, not %s",
                                 report.number);
    if (status == RO_OK) {
        char title[160];
        snprintf(title, sizeof title,
                 "%s in %s, %u x %u pixels row by row: %u steps of %.0f/16384, white %.0f",
                 ro_context_report(context)->method, report.number, in.width, in.height,
                 report.steps, 16384 * report.time_step, report.white);
        const struct vector_column columns[2] = {
            {"before", &in, report.white / report.sample_white}, {"after", &out, report.white}};
        status = vectors_save(context, path, title, columns);
    }
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

/* ---- What is said at the end ---------------------------------------------------------------- */

static void put_line(const ro_report *ran, const ro_denoise_report *r, const char *scheme,
                     bool nearest, bool until_converged, double seconds)
{
    char kappa[80] = "", white[48] = "", time[32], where[64];
    if (r->noise > 0)
        snprintf(kappa, sizeof kappa, ", kappa %.2f for noise of %.1f/255", r->kappa, r->noise);
    else if (r->kappa > 0)
        snprintf(kappa, sizeof kappa, ", kappa %g", r->kappa);
    if (seconds < 1)
        snprintf(time, sizeof time, "%.1f ms", 1e3 * seconds);
    else
        snprintf(time, sizeof time, "%.2f s", seconds);
    if (ran->device == RO_DEVICE_CUDA)
        snprintf(where, sizeof where, "cuda, %llu launches", (unsigned long long)ran->launches);
    else
        snprintf(where, sizeof where, "%s, %d thread%s", ro_cpu_name(ran->cpu), ran->threads,
                 ran->threads == 1 ? "" : "s");
    if (r->sample_white > 255 && r->sample_white < 65535)
        snprintf(white, sizeof white, ", white is %u", r->sample_white);
    fprintf(stderr, "denoise: %s %s in %s%s%s, %u steps of %.4g%s, %u x %u, %s/%s, %s\n", scheme,
            ran->method, r->number, white, kappa, r->steps, r->time_step,
            r->converged ? " to the fixed point" : "", ran->width, ran->height, ran->schedule,
            where, time);
    if (until_converged && !r->converged)
        fprintf(stderr,
                "denoise: pixels were still changing after %u steps, so this is not a fixed point; "
                "--iterations N allows more\n",
                r->steps);
    double change = r->sum_after - r->sum_before;
    if (change != 0)
        fprintf(stderr, "denoise: the sum changed by %+.6g of %.6g (%+.4g %%)\n", change,
                r->sum_before, r->sum_before > 0 ? 100 * change / r->sum_before : 0);
    if (nearest && r->drift != 0)
        fprintf(stderr, "denoise: rounding to the levels of OUT changed the sum by %+.6g levels\n",
                r->drift);
    else if (r->difference != 0)
        fprintf(stderr, "denoise: the sum of OUT differs from that of IN by %+.6g levels of OUT\n",
                r->difference);
}

/* JSON knows no infinities: an empty range is left out before it comes to that. */
static void put_json(FILE *file, const ro_report *ran, const ro_denoise_report *r,
                     const struct operands *files, const char *scheme, double seconds)
{
    fputs("{\"command\": \"denoise\", \"input\": ", file);
    json_string(file, files->path[0]);
    fputs(", \"output\": ", file);
    json_string(file, files->path[1]);
    fprintf(file, ", \"model\": \"%s\", \"scheme\": \"%s\", \"number\": \"%s\"", ran->method,
            scheme, r->number);
    fprintf(file, ", \"schedule\": \"%s\", \"device\": \"%s\", \"cpu\": \"%s\", \"threads\": %d",
            ran->schedule, ro_device_name(ran->device), ro_cpu_name(ran->cpu), ran->threads);
    fprintf(file, ", \"width\": %u, \"height\": %u, \"steps\": %u, \"converged\": %s", ran->width,
            ran->height, r->steps, r->converged ? "true" : "false");
    const struct {
        const char *name;
        double value;
    } fields[] = {
        {"white", r->white},
        {"sample_white", r->sample_white},
        {"kappa", r->kappa},
        {"noise", r->noise},
        {"time_step", r->time_step},
        {"sum_before", r->sum_before},
        {"sum_after", r->sum_after},
        {"min_before", r->min_before},
        {"min_after", r->min_after},
        {"max_before", r->max_before},
        {"max_after", r->max_after},
        {"energy_before", r->energy_before},
        {"energy_after", r->energy_after},
        {"drift", r->drift},
        {"difference", r->difference},
        {"device_seconds", r->device_seconds},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fprintf(file, ", \"%s\": %.17g", fields[i].name, fields[i].value);
    pictures_json(file);
    fprintf(file, ", \"seconds\": %.6f}\n", seconds);
}

/* ---- The certificate ------------------------------------------------------------------------ */

/* Figures of every step, as they come. */
struct steps {
    size_t count, room;
    ro_denoise_step *list;
    bool no_memory;
};

static void remember(void *data, const ro_denoise_step *step)
{
    struct steps *steps = data;
    if (steps->count == steps->room) {
        const size_t room = 2 * steps->room + 64;
        ro_denoise_step *more = realloc(steps->list, room * sizeof *more);
        if (!more) {
            steps->no_memory = true;
            return;
        }
        steps->list = more;
        steps->room = room;
    }
    steps->list[steps->count++] = *step;
}

static void state_steps(struct certificate *to, const struct steps *steps)
{
    __int128 *values = malloc((steps->count + 1) * sizeof *values);
    if (!values || steps->no_memory) {
        to->status = ro_context_fail(to->context, RO_E_MEMORY, "no memory for a certificate");
        goto done;
    }
    if (!steps->list[0].exact) {
        const ro_denoise_step *ends[2] = {&steps->list[0], &steps->list[steps->count - 1]};
        static const char *const names[2][4] = {
            {"mass_before", "min_before", "max_before", "energy_before"},
            {"mass_after", "min_after", "max_after", "energy_after"}};
        for (int i = 0; i < 2; i++) {
            certificate_real(to, names[i][0], ends[i]->real_sum);
            certificate_real(to, names[i][1], ends[i]->real_min);
            certificate_real(to, names[i][2], ends[i]->real_max);
            certificate_real(to, names[i][3], ends[i]->real_energy);
        }
        goto done;
    }
    for (size_t i = 0; i < steps->count; i++)
        values[i] = steps->list[i].sum;
    certificate_integers(to, "mass", values, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        values[i] = steps->list[i].min;
    certificate_integers(to, "min", values, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        values[i] = steps->list[i].max;
    certificate_integers(to, "max", values, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        values[i] = (__int128)steps->list[i].energy_high << 64 | steps->list[i].energy_low;
    certificate_integers(to, "energy", values, steps->count);
done:
    free(values);
}

/* The filter once more, watched step by step, into what OUT is like. */
static ro_status watch(ro_context *context, const struct values *given, const ro_image *in,
                       ro_image *again, struct steps *steps, ro_denoise_report *report)
{
    struct values values = *given;
    values.schedule = NULL; /* changes no bits */
    values.steps_at_once = 0;
    ro_denoise_options denoise = options_of(&values);
    denoise.on_step = remember;
    denoise.on_step_data = steps;
    return ro_denoise(context, in, again, &denoise, report);
}

/* Steps are watched on the CPU, so with a context of its own. */
static ro_status certify(struct certificate *to, const void *given, const struct operands *files)
{
    struct steps steps = {0};
    ro_denoise_report report = {0};
    ro_image in = {0}, out = {0}, again = {0};
    ro_context *cpu = NULL;
    ro_status status = ro_image_load(to->context, files->path[0], NULL, &in, NULL, NULL);
    if (status == RO_OK)
        status = ro_image_load(to->context, files->path[1], NULL, &out, NULL, NULL);
    if (status == RO_OK)
        status = ro_image_alloc(to->context, out.format, out.width, out.height, out.maxval, &again);
    if (status == RO_OK)
        status = work_cpu_open(to->context, &cpu);
    if (status == RO_OK) {
        status = watch(cpu, given, &in, &again, &steps, &report);
        if (status != RO_OK)
            ro_context_fail(to->context, status, "%s", ro_context_message(cpu));
    }
    if (status == RO_OK) {
        certificate_picture(to, "input", &in);
        certificate_picture(to, "output", &out);
        certificate_text(to, "method", ro_context_report(cpu)->method);
        certificate_text(to, "number", report.number);
        certificate_real(to, "white", report.white);
        certificate_real(to, "kappa", report.kappa);
        certificate_real(to, "time_step", report.time_step);
        certificate_natural(to, "steps", report.steps);
        state_steps(to, &steps);
        certificate_unlike(to, &again, &out);
    }
    free(steps.list);
    work_cpu_close(to->context, cpu);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&again);
    return status;
}

/* The definition, where it has a schedule of its own. */
static const char *const *reference(const void *given)
{
    static const char *const plain[] = {"--cpu", "scalar", "--threads", "1", "!vectors", NULL};
    static const char *const defined[] = {"--schedule",     "reference", "--cpu",
                                          "scalar",         "--threads", "1",
                                          "!steps-at-once", "!vectors",  NULL};
    const struct values *values = given;
    return !values->scheme || ro_name_equal(values->scheme, "explicit") ? defined : plain;
}

static const char *scheme_of(const struct values *values)
{
    return values->scheme ? values->scheme : "explicit";
}

static ro_status work(struct task *task)
{
    const struct values *values = task->values;
    struct job *job = task->data;
    job->context = task->context;
    if (values->until_converged && !values->common.quiet)
        task->progress->notice = "denoise: running until no pixel changes, which can take a while; "
                                 "--iterations N sets a limit";
    bool linear = values->model && ro_name_equal(values->model, "linear");
    bool rows = values->schedule && ro_name_equal(values->schedule, "stream") &&
                !values->steps_at_once && (linear || !isnan(values->kappa)) &&
                ro_name_equal(scheme_of(values), "explicit") &&
                values->common.device != RO_DEVICE_CUDA;
    ro_status status = rows ? run_rows(job) : run_whole(job);
    task->ran = *ro_context_report(task->context);
    if (status == RO_OK && values->vectors)
        status = save_vectors(job, values->vectors);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct job *job = task->data;
    put_json(file, &task->ran, job->report, task->files, scheme_of(task->values), task->seconds);
}

static void print_line(const struct task *task)
{
    const struct values *values = task->values;
    const struct job *job = task->data;
    put_line(&task->ran, job->report, scheme_of(values),
             values->round && ro_name_equal(values->round, "nearest"), values->until_converged,
             task->seconds);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count != 2)
        return usage_error(command, "denoise needs IN and OUT");
    if (!isnan(values.kappa) && values.kappa <= 0)
        return usage_error(command, "--kappa %g: must be positive", values.kappa);
    if (values.white && !white_of(values.white))
        return usage_error(command, "--white %s: must be a number from 1 to 65535, or maxval",
                           values.white);
    if (!isnan(values.time_step) && values.time_step <= 0)
        return usage_error(command, "--time-step %g: must be positive", values.time_step);

    ro_denoise_report report = {0};
    struct job job = {.files = &files, .denoise = options_of(&values), .report = &report};
    return task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = files.path[1],
        .data = &job,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_line,
    });
}

const struct command command_denoise = {
    .name = "denoise",
    .operands = "IN OUT",
    .summary = "removes noise by diffusion that keeps edges, and the sum exactly",
    .options = options,
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_QUIET | COMMON_JSON |
              COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certify,
    .reference = reference,
};
