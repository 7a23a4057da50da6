/* SPDX-License-Identifier: MIT */
/* roundoff segment: contours that grow from seeds, as labels, lines, pictures and fields. */
#include "cli/segment/segment.h"

#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/progress.h"
#include "cli/common/session.h"
#include "cli/common/stacks.h"
#include "cli/task/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct segment_values defaults = {
    .iterations = RO_DEFAULT, .time_step = NAN, .smooth = NAN};

#define PLACE(member) .offset = offsetof(struct segment_values, member)

static const struct option options[] = {
    {"at", "X,Y[,R]", "a disc to start from; repeatable, 2:X,Y for label 2", OPTION_LIST,
     PLACE(words.at)},
    {"mask", "FILE", "start from what is white, part by part, or from tones", OPTION_TEXT,
     PLACE(mask)},
    {"seeds", "FILE", "discs from a CSV file: x,y[,radius][,label] per line", OPTION_TEXT,
     PLACE(seeds)},
    {STACK_PAGES, PLACE(page), .topic = "steps", .also = "fronts"},
    {"distance", "FILE", "start from signed distances, .npy, negative inside", OPTION_TEXT,
     PLACE(distance), .topic = "speed"},
    {"window", "LO,HI", "grow from LO to HI of 255 (default: found for each seed)", OPTION_LIST,
     PLACE(words.window)},
    {"fronts", "F", "competing (default), or free: level sets, up to 4 labels", OPTION_TEXT,
     PLACE(fronts), .topic = "fronts"},
    {"factor", "FILE", "a grey picture: fronts are as fast as it is bright", OPTION_TEXT,
     PLACE(factor), .topic = "fronts"},
    {"overlay", "FILE", "the image with the outlines drawn over it", OPTION_TEXT, PLACE(overlay),
     .writes = true},
    {"contours", "FILE", "outlines as .svg or .geojson", OPTION_TEXT, PLACE(contours),
     .writes = true},
    {"table", "FILE", "area, perimeter, box, centroid, mean of labels; .csv, .json", OPTION_TEXT,
     PLACE(table), .writes = true},
    {"phi", "FILE", "the level-set function in pixels, as .npy or .tif", OPTION_TEXT, PLACE(phi),
     .topic = "steps", .writes = true},
    {"frames", "FILE", "the evolution as .gif, or as a series FILE-0000.png", OPTION_TEXT,
     PLACE(frames), .writes = true},
    {"force", NULL, "write labels even if they fill everything or nothing", OPTION_FLAG,
     PLACE(force), .topic = "steps", .also = "fronts"},
    {"speed", "C[,..]", "constant, or a polynomial of the intensity from 0 to 1", OPTION_LIST,
     PLACE(words.speed), .topic = "speed"},
    {"gaussian", "M,S[,W]", "around intensity M of 255, width S, weight W", OPTION_LIST,
     PLACE(words.gaussian), .topic = "speed"},
    {"edge", "K[,W]", "slow down at gradients of K/255 per pixel, weight W", OPTION_LIST,
     PLACE(words.edge), .topic = "speed"},
    {"curvature", "C", "shorten the contour (numbers s16 and s23e8)", OPTION_LIST,
     PLACE(words.curvature), .topic = "speed"},
    {"velocity", "FILE", "a field (u, v) that carries the contour, .npy or .flo", OPTION_TEXT,
     PLACE(velocity), .topic = "speed"},
    {"smooth", "S", "smooth intensities by S pixels (default: by noise; free: 0)", OPTION_NUMBER,
     PLACE(smooth), .min = 0, .max = 1000000, .topic = "speed", .also = "fronts"},
    {"sigma", "S", "the same for the gradient of --edge (default 0)", OPTION_NUMBER, PLACE(sigma),
     .min = 0, .max = 1000000, .topic = "speed"},
    {"number", "Q", "u8, s12, s16 (default) or s23e8 (floats)", OPTION_TEXT, PLACE(number),
     .topic = "steps"},
    {"norm", "N", "lin (default), euclid, interpolative[-2], volume[-2]", OPTION_TEXT, PLACE(norm),
     .topic = "steps"},
    {"vectors", "FILE", "phi and speed before, phi after, for a test bench", OPTION_TEXT,
     PLACE(vectors), .topic = "steps", .writes = true},
    {"iterations", "N", "steps, at most (default 16 x (width + height))", OPTION_WHOLE,
     PLACE(iterations), .min = 1, .max = 1 << 30, .topic = "steps"},
    {"time-step", "T", "time per step (default: the largest monotone one)", OPTION_NUMBER,
     PLACE(time_step), .min = 0, .max = 1000000, .topic = "steps"},
    {"schedule", "S", "active (default), stream, passes, reference; fused on CUDA", OPTION_TEXT,
     PLACE(schedule), .topic = "steps"},
    {0},
};

static const char *const examples[] = {
    "roundoff segment scan.png cell.png --at 120,80 --overlay look.png",
    "roundoff segment scan.png two.png --at 60,50 --at 2:150,90 --contours two.svg",
    NULL,
};

struct job {
    ro_context *context;
    const struct segment_values *values;
    const struct operands *files;
    ro_segment_options segment;
    ro_segment_report report;
    struct segment_faults faults;
    struct named named[RO_LABELS];
    ro_image in, mask, distance, velocity, picture;
    struct frames frames;
    ro_segment_vectors vectors;
    ro_segmentation *result;
    struct segment_pages pages;
};

/* ---- What goes in ---------------------------------------------------------------------------- */

/* Tones of a mask become labels: one tone is label 1, up to four are numbered from dark to light,
 * numbers from 1 to 4 stay what they are. */
static ro_status number_mask(struct job *job)
{
    ro_image *mask = &job->mask;
    if (mask->format != RO_GRAY8)
        return ro_context_fail(job->context, RO_E_ARGUMENT, "%s: a mask must be 8-bit grey, not %s",
                               job->values->mask, ro_format_name(mask->format));
    if (mask->width != job->in.width || mask->height != job->in.height)
        return ro_context_fail(job->context, RO_E_SIZE,
                               "the mask is %u x %u but the image is %u x %u", mask->width,
                               mask->height, job->in.width, job->in.height);
    uint8_t label[256] = {0};
    bool seen[256] = {0};
    for (uint32_t y = 0; y < mask->height; y++) {
        const uint8_t *row = (const uint8_t *)mask->data + (ptrdiff_t)y * mask->stride;
        for (uint32_t x = 0; x < mask->width; x++)
            seen[row[x]] = true;
    }
    int tones = 0, highest = 0;
    for (int i = 1; i < 256; i++)
        if (seen[i]) {
            label[i] = (uint8_t)(++tones <= RO_LABELS ? tones : 0);
            highest = i;
        }
    if (tones > RO_LABELS)
        return ro_context_fail(
            job->context, RO_E_ARGUMENT,
            "%s: the mask has %d tones besides black; at most %d labels are allowed",
            job->values->mask, tones, RO_LABELS);
    for (int i = 1; i <= RO_LABELS && highest <= RO_LABELS && tones > 1; i++)
        label[i] = (uint8_t)i;
    for (uint32_t y = 0; y < mask->height; y++) {
        uint8_t *row = (uint8_t *)mask->data + (ptrdiff_t)y * mask->stride;
        for (uint32_t x = 0; x < mask->width; x++)
            row[x] = label[row[x]];
    }
    mask->maxval = 255;
    return RO_OK;
}

static ro_status read_velocity(struct job *job)
{
    ro_image *field = &job->velocity;
    ro_status status = ro_displacement_load(job->context, job->values->velocity, field);
    if (status != RO_OK)
        return status;
    if (field->width != 2 * job->in.width || field->height != job->in.height)
        return ro_context_fail(job->context, RO_E_SIZE,
                               "the velocity is %u x %u but the image is %u x %u", field->width / 2,
                               field->height, job->in.width, job->in.height);
    float *values = malloc((size_t)field->width * field->height * sizeof *values);
    if (!values)
        return ro_context_fail(job->context, RO_E_MEMORY, "no memory for a velocity field");
    for (uint32_t y = 0; y < field->height; y++)
        memcpy(values + (size_t)y * field->width,
               (const char *)field->data + (ptrdiff_t)y * field->stride,
               field->width * sizeof *values);
    job->segment.velocity = values;
    return RO_OK;
}

static ro_status read_all(struct job *job)
{
    const struct segment_values *values = job->values;
    ro_file_info info = {0};
    ro_status status = segment_load(job->context, &job->pages, &job->in, &info);
    if (status == RO_OK)
        status = pictures_resolution(job->context, job->files->path[0], &info, NULL);
    if (status == RO_OK && values->mask) {
        status = pictures_load(job->context, values->mask, &job->mask, NULL);
        if (status == RO_OK)
            status = number_mask(job);
        job->segment.mask = &job->mask;
    }
    if (status == RO_OK && values->distance) {
        status = pictures_load(job->context, values->distance, &job->distance, NULL);
        job->segment.distance = &job->distance;
    }
    if (status == RO_OK && values->velocity)
        status = read_velocity(job);
    return status;
}

/* ---- What comes out -------------------------------------------------------------------------- */

static int used_labels(const ro_segment_report *report, int *highest)
{
    int count = 0;
    for (int i = 0; i < RO_LABELS; i++)
        if (report->label[i].used) {
            count++;
            *highest = i + 1;
        }
    return count;
}

/* phi of one label has the name itself, of several "name-1.npy" and so on. */
static void name_phi(const char *path, int label, bool alone, char *name, size_t size)
{
    const char *dot = strrchr(path, '.');
    int stem = (int)(dot ? dot - path : (ptrdiff_t)strlen(path));
    if (alone)
        snprintf(name, size, "%s", path);
    else
        snprintf(name, size, "%.*s-%d%s", stem, path, label, path + stem);
}

static ro_status make_labels(struct job *job, ro_image *labels)
{
    int highest = 1;
    used_labels(&job->report, &highest);
    ro_status status = ro_image_alloc(job->context, RO_INDEX8, job->in.width, job->in.height,
                                      (uint32_t)highest, labels);
    return status == RO_OK ? ro_segmentation_labels(job->result, labels) : status;
}

static ro_status save_labels(struct job *job)
{
    ro_image labels = {0};
    ro_status status = make_labels(job, &labels);
    if (status == RO_OK)
        status = segment_save(job->context, &job->pages, job->files->path[1], &labels);
    ro_image_free(&labels);
    return status;
}

static ro_status save_phi(struct job *job)
{
    int highest = 1;
    bool alone = used_labels(&job->report, &highest) == 1;
    ro_image phi = {0};
    ro_status status =
        ro_image_alloc(job->context, RO_GRAYF, job->in.width, job->in.height, 0, &phi);
    for (int i = 1; i <= RO_LABELS && status == RO_OK; i++) {
        char name[4096];
        if (!job->report.label[i - 1].used)
            continue;
        name_phi(job->values->phi, i, alone, name, sizeof name);
        status = ro_segmentation_phi(job->result, i, &phi);
        if (status == RO_OK)
            status = ro_image_save(job->context, name, &phi, NULL);
    }
    ro_image_free(&phi);
    return status;
}

/* ---- Vectors for a test bench ---------------------------------------------------------------- */

static ro_status want_vectors(struct job *job)
{
    const size_t pixels = (size_t)job->in.width * job->in.height;
    int32_t *numbers = malloc(3 * pixels * sizeof *numbers);
    if (!numbers)
        return ro_context_fail(job->context, RO_E_MEMORY, "no memory for vectors");
    job->vectors = (ro_segment_vectors){1, numbers, numbers + pixels, numbers + 2 * pixels};
    job->segment.vectors = &job->vectors;
    return RO_OK;
}

static ro_status save_vectors(struct job *job)
{
    const ro_segment_label *label = &job->report.label[0];
    char title[256];
    snprintf(title, sizeof title,
             "level set %s, norm %s, %u x %u pixels row by row: %u steps, %d rescalings, %s",
             job->report.number, job->report.norm, job->in.width, job->in.height, label->steps,
             label->rescalings, label->ended || label->stalled ? "at rest" : "stopped");
    const ro_vectors vectors = {
        .title = title,
        .columns = 3,
        .names = {"phi", "speed", "next"},
        .numbers = {job->vectors.phi, job->vectors.speed, job->vectors.next},
        .rows = (size_t)job->in.width * job->in.height};
    return ro_vectors_save(job->context, job->values->vectors, &vectors);
}

static ro_status save_all(struct job *job)
{
    const struct segment_values *values = job->values;
    const ro_polyline *lines;
    size_t count;
    ro_status status = ro_segmentation_contours(job->result, &lines, &count);
    if (status == RO_OK && values->frames)
        status = frames_commit(&job->frames);
    if (status == RO_OK && values->overlay)
        status = save_overlay(job->context, values->overlay, &job->picture, lines, count);
    if (status == RO_OK && values->contours)
        status = ro_contours_save(job->context, values->contours, lines, count, job->in.width,
                                  job->in.height);
    if (status == RO_OK && values->phi)
        status = save_phi(job);
    if (status == RO_OK && values->vectors)
        status = save_vectors(job);
    if (status == RO_OK)
        status = save_labels(job);
    return status;
}

static void close_job(struct job *job)
{
    free((void *)job->segment.velocity);
    free(job->vectors.phi);
    ro_image *const images[] = {&job->in, &job->mask, &job->distance, &job->velocity,
                                &job->picture};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        ro_image_free(images[i]);
    ro_segmentation_free(job->result);
    job->result = NULL;
    job->vectors.phi = NULL;
    job->segment.velocity = NULL;
}

/* Which labels have a pixel on the border, as bits. */
static ro_status find_border(struct job *job, unsigned *border)
{
    ro_image labels = {0};
    ro_status status = make_labels(job, &labels);
    const uint32_t right = job->in.width - 1, bottom = job->in.height - 1;
    unsigned seen = 0;
    for (uint32_t y = 0; y <= bottom && status == RO_OK; y++) {
        const uint8_t *row = (const uint8_t *)labels.data + (ptrdiff_t)y * labels.stride;
        for (uint32_t x = 0; x <= right; x += y == 0 || y == bottom || x == right ? 1 : right - x)
            seen |= 1U << row[x];
    }
    *border = seen >> 1;
    ro_image_free(&labels);
    return status;
}

static ro_status find_faults(struct job *job)
{
    const bool strict = job->values->common.strict;
    job->faults = (struct segment_faults){0};
    for (int i = 0; i < RO_LABELS; i++) {
        const ro_segment_label *label = &job->report.label[i];
        job->faults.useless |= (unsigned)(label->useless != 0) << i;
        job->faults.stalled |= (unsigned)(strict && label->stalled) << i;
    }
    return strict ? find_border(job, &job->faults.border) : RO_OK;
}

static bool is_refused(const struct job *job)
{
    const struct segment_faults *faults = &job->faults;
    return (faults->useless || faults->stalled || faults->border) && !job->values->force;
}

static ro_status run_job(struct job *job)
{
    const struct segment_values *values = job->values;
    ro_status status = read_all(job);
    if (status == RO_OK)
        status = check_named(job->context, &job->segment, job->named);
    if (status == RO_OK)
        status = segment_accepts(job->context, job->values, job->files->path[1], &job->in);
    if (status == RO_OK && (values->overlay || values->frames))
        status = picture_of(job->context, &job->in, &job->picture);
    if (status == RO_OK && values->frames) {
        status = frames_open(&job->frames, job->context, values->frames, &job->picture);
        job->segment.frame = frames_add;
        job->segment.frame_data = &job->frames;
        job->segment.frame_every = FRAMES_EVERY;
    }
    if (status == RO_OK && values->vectors)
        status = want_vectors(job);
    if (status == RO_OK)
        status = ro_segment(job->context, &job->in, &job->segment, &job->result, &job->report);
    if (status == RO_E_CANCELLED && job->frames.status != RO_OK) /* a frame could not be written */
        status = ro_context_fail(job->context, job->frames.status, "%s", job->frames.message);
    if (status == RO_OK)
        status = find_faults(job);
    if (status == RO_OK && !is_refused(job))
        status = save_all(job);
    frames_close(&job->frames);
    close_job(job);
    return status;
}

static struct job job_of(const struct segment_values *values, const struct operands *files)
{
    return (struct job){
        .values = values,
        .files = files,
        .segment = {RO_SEGMENT_DEFAULTS, .number = values->number, .norm = values->norm,
                    .schedule = values->schedule, .iterations = (uint32_t)values->iterations,
                    .time_step = isnan(values->time_step) ? 0 : values->time_step,
                    .smooth = isnan(values->smooth) ? 0 : values->smooth, .sigma = values->sigma},
    };
}

/* ---- The certificate ------------------------------------------------------------------------- */

static void state_labels(struct certificate *to, const ro_segment_report *r)
{
    __int128 areas[RO_LABELS], steps[RO_LABELS], rescalings[RO_LABELS], ended[RO_LABELS];
    for (int i = 0; i < RO_LABELS; i++) {
        areas[i] = (__int128)r->label[i].area;
        steps[i] = r->label[i].steps;
        rescalings[i] = r->label[i].rescalings;
        ended[i] = r->label[i].ended;
    }
    certificate_text(to, "number", r->number);
    certificate_text(to, "norm", r->norm);
    certificate_integers(to, "label_area", areas, RO_LABELS);
    certificate_integers(to, "label_steps", steps, RO_LABELS);
    certificate_integers(to, "label_rescalings", rescalings, RO_LABELS);
    certificate_integers(to, "label_ended", ended, RO_LABELS);
}

/* The evolution once more. */
static ro_status certify(struct certificate *to, const void *given, const struct operands *files)
{
    struct segment_values values = *(const struct segment_values *)given;
    if (!segment_is_free(&values))
        return competing_certify(to, &values, files);
    ro_seed *seeds = calloc(RO_MOST_TEXTS, sizeof *seeds);
    ro_image out = {0}, labels = {0};
    ro_file_info info = {0};
    int highest = 1;
    values.schedule = NULL; /* changes no bits */
    struct job job = job_of(&values, files);
    job.context = to->context;
    ro_status status = RO_OK;
    if (!seeds ||
        read_words(&command_segment, &values.words, RO_LABELS, &job.segment, seeds, job.named) != 0)
        status = ro_context_fail(to->context, RO_E_ARGUMENT, "the options cannot be read");
    if (status == RO_OK)
        status = segment_pages_open(to->context, &values, files->path[0], &job.pages);
    if (status == RO_OK)
        status = read_all(&job);
    if (status == RO_OK)
        status = ro_image_load(to->context, files->path[1], NULL, &out, &info, NULL);
    if (status == RO_OK)
        status = ro_segment(to->context, &job.in, &job.segment, &job.result, &job.report);
    if (status == RO_OK) {
        used_labels(&job.report, &highest);
        status = ro_image_alloc(to->context, RO_INDEX8, job.in.width, job.in.height,
                                (uint32_t)highest, &labels);
    }
    if (status == RO_OK)
        status = ro_segmentation_labels(job.result, &labels);
    if (status == RO_OK) {
        certificate_picture(to, "input", &job.in);
        if (values.mask)
            certificate_picture(to, "mask", &job.mask);
        if (values.distance)
            certificate_picture(to, "distance", &job.distance);
        if (values.velocity)
            certificate_picture(to, "velocity", &job.velocity);
        certificate_picture(to, "output", &out);
        state_labels(to, &job.report);
        certificate_natural(to, "pixels_unlike_the_method",
                            labels_unlike(&labels, &out, strcmp(info.type, "npy") == 0));
    }
    close_job(&job);
    segment_pages_close(&job.pages);
    ro_image_free(&out);
    ro_image_free(&labels);
    free(seeds);
    return status;
}

/* The definition; files beside OUT stay as they are. */
static const char *const *reference(const void *given)
{
    static const char *const defined[] = {
        "--schedule", "reference", "--cpu",   "scalar", "--threads", "1", "!overlay",
        "!contours",  "!phi",      "!frames", "!table", "!vectors",  NULL};
    (void)given;
    return defined;
}

static ro_status work(struct task *task)
{
    const struct segment_values *values = task->values;
    struct job *job = task->data;
    struct segment_pages *pages = &job->pages;
    job->context = task->context;
    ro_status status = segment_pages_open(job->context, values, job->files->path[0], pages);
    for (; pages->at < pages->count && status == RO_OK && !task->refused; pages->at++) {
        status = stack_failed(job->context, run_job(job), &pages->stack, pages->at, pages->first);
        task->refused = status == RO_OK && is_refused(job);
        if (status != RO_OK || !pages->told.file)
            continue;
        const double seconds = seconds_now() - task->progress->start;
        if (pages->at > 0)
            fputs(", ", pages->told.file);
        segment_json(pages->told.file, ro_context_report(job->context), &job->report, task->files,
                     seconds);
        if (!values->common.quiet && !values->common.json) {
            tell("segment: page %u", pages->first + pages->at);
            segment_lines(ro_context_report(job->context), &job->report, seconds);
        }
    }
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    struct job *job = task->data;
    if (job->pages.told.file)
        segment_pages_json(file, &job->pages);
    else
        segment_json(file, &task->ran, &job->report, task->files, task->seconds);
}

static void print_lines(const struct task *task)
{
    const struct job *job = task->data;
    if (!job->pages.told.file)
        segment_lines(&task->ran, &job->report, task->seconds);
}

static int refuse(const struct task *task)
{
    const struct job *job = task->data;
    return segment_useless(&job->report, &job->faults, task->out);
}

static int run(const struct command *command, int argc, char **argv)
{
    static ro_seed seeds[RO_MOST_TEXTS];
    struct segment_values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count != 2)
        return usage_error(command, "segment needs IN and OUT");
    if (!isnan(values.time_step) && values.time_step <= 0)
        return usage_error(command, "--time-step %g: must be positive", values.time_step);
    if (values.sigma > 0 && values.words.edge.count == 0)
        return usage_error(command, "--sigma needs --edge; --smooth smooths intensities");
    int result = check_fronts(command, &values);
    if (result == 0)
        result = stack_check(command, values.page);
    if (result)
        return result;
    if (!segment_is_free(&values))
        return run_competing(command, &values, &files);
    struct job job = job_of(&values, &files);
    result = read_words(command, &values.words, RO_LABELS, &job.segment, seeds, job.named);
    if (result)
        return result;
    if (!job.segment.seed_count && !values.mask && !values.distance)
        return usage_error(command,
                           "there is no seed: give --at X,Y, --seeds, --mask or --distance");
    result = task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = files.path[1],
        .data = &job,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_lines,
        .refuse = refuse,
    });
    segment_pages_close(&job.pages);
    return result;
}

const struct command command_segment = {
    .name = "segment",
    .operands = "IN OUT",
    .summary = "finds objects by fronts that grow from seeds and compete",
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
