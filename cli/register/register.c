/* SPDX-License-Identifier: MIT */
/* roundoff register: finds a displacement; see apply.c for those found before. */
#include "cli/register/register.h"
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/shared_rows.h"
#include "cli/common/stacks.h"
#include "cli/common/string_buffer.h"
#include "cli/register/pictures.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER(member) RO_MEMBER(struct register_values, member)

/* What files need; the library has the other options. */
static const ro_option rows[] = {
    {MEMBER(field), "FILE", "the displacement as .npy (h, w, 2), .flo, .nrrd or .mha", .writes = 1,
     .more = "With `--transform` also the map as .json, .tfm (ITK) or .txt (the matrix), which "
             "`register apply` reads."},
    {MEMBER(figure), "FILE", "six tiles: images, bent grid, differences before and after",
     .writes = 1,
     .more = "They are the moving image, the fixed image and the squares of their differences, ten "
             "times as light; the grid, the warped image, and the differences that are left."},
    {MEMBER(series), "S", "the page that those of the stack IN are aligned to", .topic = "pages",
     .words = RO_WORDS({"first", .value = SERIES_FIRST},
                       {"previous", .value = SERIES_PREVIOUS, .help = "as that was aligned"}),
     .more = "The operands are IN and OUT, and the first page stays as it is. Without this option "
             "the pages of a stack MOVING are taken to those of FIXED, or all to its only one. "
             "Files beside OUT are of one pair."},
    {MEMBER(sampling), "S", "how tones between pixels are found", .preset = "bilinear",
     .words = RO_WORDS({"bilinear", .value = RO_SAMPLE_BILINEAR},
                       {"nearest", .value = RO_SAMPLE_NEAREST, .help = "for labels"})},
    {MEMBER(force), ROW_FORCE,
     .more =
         "It is of none if too few points agree with it, if less than a tenth of the pixels lie "
         "in the moving image, or if it folds at more than a hundredth of them. If `--scheme` "
         "or `--init` is given, it is of none if more than half of the pixels lie outside, or "
         "if the images are less alike than before. Without this option nothing is written "
         "then, and the exit status is 3."},
    {MEMBER(fixed_mask), "FILE", "an image: where it is 0 or NaN, FIXED does not count",
     .topic = "masks"},
    {MEMBER(moving_mask), "FILE", "an image: where it is 0 or NaN, MOVING does not count",
     .topic = "masks"},
    {MEMBER(inverse), NULL, "apply the inverse of the field, in the size of IN", .topic = "apply"},
    {MEMBER(page), ROW_PAGE, .topic = "pages apply", .more = PAGES_OF_OUT},
    {MEMBER(energy), "FILE", "energy after each update, as CSV", .topic = "tuning", .writes = 1},
    {0},
};

static const struct register_values defaults = {.search = RO_REGISTER_OPTIONS};

static const ro_option_table own = {
    .name = "register", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff register fixed.png moving.png moved.png --field u.npy",
    "roundoff register apply u.npy labels.png out.png --sampling nearest",
    NULL,
};

ro_status masks_load(ro_context *context, const struct register_values *values, struct masks *masks,
                     ro_register_options *with)
{
    ro_status status = RO_OK;
    if (values->fixed_mask)
        status = ro_image_load(context, values->fixed_mask, NULL, &masks->fixed, NULL, NULL);
    if (status == RO_OK && values->moving_mask)
        status = ro_image_load(context, values->moving_mask, NULL, &masks->moving, NULL, NULL);
    with->fixed_mask = values->fixed_mask ? &masks->fixed : NULL;
    with->moving_mask = values->moving_mask ? &masks->moving : NULL;
    return status;
}

void masks_free(struct masks *masks)
{
    ro_image_free(&masks->fixed);
    ro_image_free(&masks->moving);
}

/* ---- A search -----------------------------------------------------------------------------------
 */

struct job {
    ro_context *context;
    const char *const *path; /* FIXED, MOVING, OUT */
    const struct register_values *values;
    ro_register_options with;
    ro_register_report report;
    ro_report ran;
};

static ro_file_info figure_info(const ro_image *image)
{
    return (ro_file_info){.format = RO_GREY8,
                          .width = figure_width(image->width),
                          .height = figure_height(image->height),
                          .maxval = 255};
}

static const char *transform_of(const struct register_values *values)
{
    return values->search.transform ? values->search.transform : "dense";
}

/* Asked before the work, so that it is not lost. */
static ro_status all_accepted(struct job *job, const ro_file_info *out, const ro_image *image)
{
    ro_context *context = job->context;
    ro_status status = ro_writer_accepts(context, job->path[2], out, NULL);
    if (status == RO_OK && job->values->field && ro_map_named(job->values->field))
        status = ro_map_accepts(context, job->values->field, transform_of(job->values));
    else if (status == RO_OK && job->values->field)
        status = ro_displacement_accepts(context, job->values->field);
    const ro_file_info figure = figure_info(image);
    if (status == RO_OK && job->values->figure)
        status = ro_writer_accepts(context, job->values->figure, &figure, NULL);
    if (status == RO_OK && job->values->energy)
        status = ro_bytes_accepts(context, job->values->energy);
    return status;
}

static ro_status save_figure(struct job *job, const struct pictures *of)
{
    ro_image picture = {0};
    const ro_file_info info = figure_info(of->fixed);
    ro_status status =
        ro_image_alloc(job->context, RO_GREY8, info.width, info.height, 255, &picture);
    if (status != RO_OK)
        return status;
    draw_figure(of, &picture);
    status = ro_image_save(job->context, job->values->figure, &picture, NULL);
    ro_image_free(&picture);
    return status;
}

static ro_status save_energies(struct job *job)
{
    struct printed text;
    ro_status status = printed_open(job->context, &text);
    if (status != RO_OK)
        return status;
    fputs("update,scale,width,height,epsilon,sigma,energy,change,trials\n", text.file);
    for (uint32_t i = 0; i < job->report.steps; i++) {
        const ro_register_step *s = &job->report.record[i];
        fprintf(text.file, "%u,%u,%u,%u,%.6g,%.6g,%.9g,%.6g,%u\n", i + 1, s->scale + 1, s->width,
                s->height, s->epsilon, s->sigma, s->energy, s->change, s->trials);
    }
    return printed_save(job->context, &text, job->values->energy);
}

static ro_status save_all(struct job *job, const struct pictures *of, const ro_file_info *out)
{
    const struct register_values *values = job->values;
    ro_status status = stack_save(job->context, job->path[2], of->warped, out);
    if (status == RO_OK && values->field && ro_map_named(values->field))
        status = ro_map_save(job->context, values->field, job->report.transform, job->report.map,
                             of->fixed->width, of->fixed->height);
    else if (status == RO_OK && values->field)
        status = ro_displacement_save(job->context, values->field, of->field);
    if (status == RO_OK && values->figure)
        status = save_figure(job, of);
    if (status == RO_OK && values->energy)
        status = save_energies(job);
    return status;
}

ro_status register_load(ro_context *context, const char *path, const struct register_values *values,
                        ro_image *image, ro_reader **kept)
{
    ro_reader *reader;
    ro_read_options read = pictures_read(path);
    ro_dropped *dropped = pictures_dropped(path);
    if (values->page || kept) /* else the first, and a line about those behind it */
        stack_pages(values->page, &read);
    read.carries = kept != NULL;
    ro_status status = ro_reader_open(context, path, &read, &reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(reader);
    status = ro_image_alloc(context, info->format, info->width, info->height, info->maxval, image);
    if (status == RO_OK)
        status = stack_read(reader, 0, image);
    if (dropped)
        *dropped = *ro_reader_dropped(reader);
    if (kept && status == RO_OK)
        *kept = reader;
    else
        ro_reader_close(reader);
    return status;
}

static ro_status search(struct job *job)
{
    ro_context *context = job->context;
    ro_image fixed = {0}, moving = {0}, warped = {0}, field = {0};
    ro_file_info info = {0};
    struct masks masks = {.fixed = {0}};
    ro_reader *reader = NULL;
    ro_status status = register_load(context, job->path[0], job->values, &fixed, NULL);
    if (status == RO_OK)
        status = register_load(context, job->path[1], job->values, &moving, &reader);
    if (status == RO_OK)
        info = *ro_reader_info(reader);
    if (status == RO_OK)
        status = masks_load(context, job->values, &masks, &job->with);
    info.width = fixed.width;
    info.height = fixed.height;
    if (status == RO_OK)
        status = pictures_carry(context, job->path[1], ro_reader_info(reader), job->path[2], &info);
    if (status == RO_OK)
        status = all_accepted(job, &info, &fixed);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, 2 * fixed.width, fixed.height, 0, &field);
    job->report.size = sizeof job->report;
    if (status == RO_OK)
        status = ro_register(context, &fixed, &moving, &field, &job->with, &job->report);
    const ro_report ran = *ro_context_report(context);
    const bool wanted = status == RO_OK && (!job->report.useless || job->values->force);
    if (wanted)
        status = ro_image_alloc(context, moving.format, fixed.width, fixed.height, moving.maxval,
                                &warped);
    if (wanted && status == RO_OK)
        status = ro_warp(context, &moving, &field, &warped, job->values->sampling);
    if (wanted && status == RO_OK) {
        const struct pictures of = {&fixed, &moving, &warped, &field};
        status = save_all(job, &of, &info);
    }
    job->ran = ran;
    ro_reader_close(reader);
    ro_image_free(&fixed);
    ro_image_free(&moving);
    ro_image_free(&warped);
    ro_image_free(&field);
    masks_free(&masks);
    return status;
}

static void put_lines(const struct job *job, double seconds)
{
    const ro_register_report *r = &job->report;
    const ro_report *ran = &job->ran;
    fprintf(stderr, "register: %s, field in %s, %u x %u, %s/%s, %d thread%s, %.*f %s\n",
            ran->method, r->number, ran->width, ran->height, ran->schedule,
            ran->device == RO_DEVICE_CUDA ? "cuda" : ro_cpu_name(ran->cpu), ran->threads,
            ran->threads == 1 ? "" : "s", seconds < 1 ? 1 : 2,
            seconds < 1 ? 1e3 * seconds : seconds, seconds < 1 ? "ms" : "s");
    if (strcmp(ran->method, "auto") == 0)
        fprintf(stderr,
                "register: %s%s, start %.3f %.3f %.1f %.3f %.3f %.1f, noise %.1f of 255%s\n",
                r->match, r->negative ? " of the negative" : "", r->start[0], r->start[1],
                r->start[2], r->start[3], r->start[4], r->start[5], 255 * r->noise,
                r->counted < 1 ? "; borders of one tone or masked pixels left out" : "");
    fprintf(stderr, "register: energy %.4g before, %.4g after; %u updates (", r->energy_before,
            r->energy_after, r->steps);
    for (uint32_t i = 0; i < r->scales; i++)
        fprintf(stderr, "%s%u", i ? " " : "", r->updates[i]);
    fprintf(stderr, ")\nregister: displacement %.3f px RMS, %.2f at most; least Jacobian %.3f\n",
            r->rms, r->largest, r->jacobian);
    if (r->confidence >= 0 && r->matches == 0)
        fprintf(stderr,
                "register: confidence %.2f: the images are alike as they lie, but for a "
                "shift\n",
                r->confidence);
    else if (r->confidence >= 0)
        fprintf(stderr, "register: confidence %.2f: %u of %u points that look the same agree%s\n",
                r->confidence, r->support, r->matches,
                r->descended ? "" : "; the start is kept, for the descent made it no better");
    if (strcmp(r->transform, "dense") != 0)
        fprintf(stderr,
                "register: %s %.6g %.6g %.4f %.6g %.6g %.4f%s, %.3f px from the displacement\n",
                r->transform, r->map[0], r->map[1], r->map[2], r->map[3], r->map[4], r->map[5],
                r->map[6] != 0 || r->map[7] != 0 ? " and perspective" : "", r->residual);
    if (r->jacobian <= 0)
        fprintf(stderr, "register: warning: the displacement folds at %llu pixels\n",
                (unsigned long long)r->folds);
    if (r->useless & RO_REGISTER_UNSURE)
        fputs("register: warning: too little speaks for it\n", stderr);
    if (r->useless & RO_REGISTER_LEAVES)
        fprintf(stderr,
                "register: warning: %.0f %% of the pixels map to outside the moving image\n",
                100 * r->outside);
    if (r->useless & RO_REGISTER_WORSE)
        fputs("register: warning: the images are less alike than before\n", stderr);
}

static void put_json(FILE *file, const struct job *job, double seconds)
{
    static const char *const roles[] = {"fixed", "moving", "output"};
    const ro_register_report *r = &job->report;
    const ro_report *ran = &job->ran;
    json_put(file, "{command %s", "register");
    for (int i = 0; i < 3; i++) {
        json_put(file, ", %s: %s", roles[i], job->path[i]);
    }
    json_put(file,
             ", match %s, negative %hhd, noise %.6g, counted %.6g, scheme %s, number %s, schedule "
             "%s, device %s, cpu %s, threads %d, launches %llu, width %u, height %u, updates [",
             r->match, r->negative, r->noise, r->counted, ran->method, r->number, ran->schedule,
             ro_device_name(ran->device), ro_cpu_name(ran->cpu), ran->threads,
             (unsigned long long)ran->launches, ran->width, ran->height);
    for (uint32_t i = 0; i < r->scales; i++)
        fprintf(file, "%s%u", i ? ", " : "", r->updates[i]);
    json_put(file, "], start [");
    for (int i = 0; i < 6; i++)
        fprintf(file, "%s%.17g", i ? ", " : "", r->start[i]);
    json_put(file, "]");
    if (strcmp(r->transform, "dense") != 0) {
        json_put(file, ", map [");
        for (int i = 0; i < 9; i++)
            fprintf(file, "%s%.17g", i ? ", " : "", r->map[i]);
        json_put(file, "], residual %.17g", r->residual);
    }
    json_put(file,
             ", transform %s, steps %u, trials %u, folds %llu, useless %hhd, matches %u, support "
             "%u, descended "
             "%hhd",
             r->transform, r->steps, r->trials, (unsigned long long)r->folds, r->useless,
             r->matches, r->support, r->descended);
    const struct {
        const char *name;
        double value;
    } fields[] = {
        {"energy_before", r->energy_before},
        {"energy_after", r->energy_after},
        {"rms", r->rms},
        {"largest", r->largest},
        {"jacobian", r->jacobian},
        {"outside", r->outside},
        {"confidence", r->confidence},
        {"directions", r->directions},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_put(file, ", %s: %.17g", fields[i].name, fields[i].value);
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", seconds);
}

/* ---- The command ---------------------------------------------------------------------------- */

static ro_status work(struct task *task)
{
    struct job *job = task->data;
    job->context = task->context;
    ro_status status = search(job);
    task->ran = job->ran; /* pictures may have been made after it */
    task->refused = status == RO_OK && job->report.useless && !job->values->force;
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    put_json(file, task->data, task->seconds);
}

static void print_lines(const struct task *task) { put_lines(task->data, task->seconds); }

static int refuse(const struct task *task)
{
    const struct job *job = task->data;
    return register_useless(job->values, &job->report, task->out);
}

/* Whether MOVING is several pages; if it cannot be read, whoever reads it says so. */
static bool register_is_stack(const struct register_values *values, const struct operands *files)
{
    ro_context *context;
    ro_file_info info = {0};
    ro_read_options read = RO_READ_OPTIONS;
    if (!stack_can_look(files->path[1]) ||
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context) !=
            RO_OK)
        return false;
    stack_pages(values->page, &read);
    read.carries = 1;
    const bool several =
        stack_look(context, files->path[1], &read, &info) == RO_OK && stack_count(&info) > 1;
    ro_context_close(context);
    return several;
}

static int run_search(const struct command *command, const struct register_values *values,
                      const struct operands *files)
{
    struct job job = {.path = files->path, .values = values};
    const char *const masks[] = {values->fixed_mask, values->moving_mask};
    if (files->count > 3)
        return usage_error(command, "%s is one name too many", files->path[3]);
    for (int i = 0; i < 2 && files->count > 0; i++)
        if (masks[i] && strcmp(masks[i], "-") != 0 &&
            same_file(masks[i], files->path[files->count - 1]))
            return usage_error(command, "a mask and OUT are the same file, %s", masks[i]);
    if (values->series)
        return files->count == 2 ? register_series(command, values, files)
                                 : usage_error(command, "--series needs IN and OUT");
    if (files->count == 2)
        return usage_error(command, "register needs FIXED, MOVING and OUT, or --series");
    if (files->count != 3)
        return usage_error(command, "register needs FIXED, MOVING and OUT");
    if (register_is_stack(values, files))
        return register_series(command, values, files);
    job.with = values->search;
    job.with.record = values->energy != NULL;
    int result = task_run(&(struct task){
        .command = command,
        .values = values,
        .files = files,
        .out = files->path[2],
        .data = &job,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_lines,
        .refuse = refuse,
    });
    ro_free(job.report.record);
    return result;
}

/* Of a certificate that is recomputed. */
static int run_apply(const struct command *command, int argc, char **argv)
{
    struct register_values values = defaults;
    struct operands files;
    int ended;
    return options_take(command, argc, argv, &values, &files, &ended)
               ? register_apply(&values, &files)
               : ended;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct register_values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (stack_check(command, values.page) != 0)
        return EXIT_BAD_USAGE;
    if (files.count > 0 && strcmp(files.path[0], "apply") == 0) {
        memmove(files.path, files.path + 1, (size_t)--files.count * sizeof *files.path);
        return register_apply(&values, &files);
    }
    return values.inverse ? usage_error(command, "--inverse is for register apply")
                          : run_search(command, &values, &files);
}

const struct command command_register = {
    .name = "register",
    .operands = "FIXED MOVING OUT | apply FIELD IN OUT",
    .summary = "warps one image onto another",
    .own = &own,
    .families = {{"register", offsetof(struct register_values, search)}},
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_QUIET | COMMON_JSON |
              COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = register_certify,
    .reference = register_reference,
};

/* As certificates know it: FIELD is a word before the files. */
const struct command command_register_apply = {
    .name = "register apply",
    .operands = "FIELD IN OUT",
    .summary = "warps an image by a field",
    .own = &own,
    .families = {{"register", offsetof(struct register_values, search)}},
    .with = register_apply_options,
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_QUIET | COMMON_JSON |
              COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run_apply,
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = register_apply_certify,
    .reference = register_reference,
};
