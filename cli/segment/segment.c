/* SPDX-License-Identifier: MIT */
/* roundoff segment: contours that grow from seeds, as labels, lines, pictures and fields. */
#include "cli/segment/segment.h"

#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/progress.h"
#include "cli/common/session.h"
#include "cli/common/shared_rows.h"
#include "cli/common/stacks.h"
#include "cli/task/task.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER(member) RO_MEMBER(struct segment_values, member)
#define WORDS(member) RO_MEMBER_AS(struct segment_values, words.member, #member)

/* Seeds, speeds and files; the library has the other options. */
static const ro_option rows[] = {
    {WORDS(at), "X,Y[,R]", "a click inside the object, or a disc of radius R",
     .more = "As with all options of numbers separated by commas, `2:X,Y` is "
             "for label 2. Without a label every seed of competing fronts is an object of its own "
             "and has the lowest label that is free, a seed of free fronts belongs to label 1, and "
             "a speed to all labels. Free fronts start from discs, of radius 5 unless R is given."},
    {MEMBER(mask), "FILE", "start from what is white, part by part, or from tones",
     .more = "Of a mask of black and white every connected part is a label. In other pictures, "
             "whose brightest tone is 255, tones are numbered from dark to light; what has no 255 "
             "holds the numbers of labels. For free fronts one tone is label 1."},
    {MEMBER(seeds), "FILE", "clicks or discs from a CSV file: x,y[,radius][,label] per line",
     .topic = "fronts",
     .more = "The first line may name the columns. A radius or label may be empty; fields are "
             "parted by semicolons, commas, tabs or blanks, whichever of these a line has first in "
             "this order. A column z or slice must have the same number in all lines, because "
             "pages are segmented one by one. `auto` finds the objects itself, all bright or all "
             "dark, and gives each "
             "a confidence in the table: the contrast of its outline, in differences of "
             "neighbours in the ground. Where there is nothing, none is found."},
    {WORDS(window), "LO,HI", "grow from LO to HI of 255, retract elsewhere",
     .more = "By default competing fronts find a window for each seed. A third number is the "
             "weight."},
    {MEMBER(overlay), "FILE", "the image with the outlines drawn over it", .writes = 1},
    {MEMBER(contours), "FILE", "outlines as .svg or .geojson", .writes = 1,
     .more = "They lie between pixels and are closed along the border of the image; in GeoJSON a "
             "valid MultiPolygon with holes for each label, whose area is within 2 % (below 25 "
             "pixels: half a pixel) of the label's pixels. In SVG (0, 0) is the corner of the "
             "image, and the centre of the first pixel (0.5, 0.5); in GeoJSON, as with `at`, (0, "
             "0) is the centre of the first pixel."},
    {MEMBER(table), "FILE", "area, perimeter, box, centroid, mean of labels; .csv or .json",
     .writes = 1,
     .more = "Means and windows are in the numbers of IN. `medians` is the area in medians of the "
             "other labels: above 10 a warning says that the label is most likely a flood."},
    {MEMBER(frames), "FILE", "the evolution as .gif, or as a series FILE-0000.png",
     .topic = "steps fronts", .writes = 1,
     .more = "There is a frame every 10 steps, or 10 pixels that competing fronts travel, and one "
             "of the end. The files appear together when all are complete."},
    {MEMBER(fronts), "F", "how the fronts of labels meet", .topic = "fronts",
     .derived = "competing; free with an option that only free fronts have",
     .words = RO_WORDS(
         {"competing", .value = FRONTS_COMPETE},
         {"free", .value = FRONTS_FREE, .help = "they do not: level sets, up to 4 labels"})},
    {MEMBER(factor), "FILE", "a grey picture: fronts are as fast as it is bright",
     .topic = "fronts",
     .more = "Competing fronts do not enter what is darker than 1/64 of white, free ones what is "
             "black. Of free fronts it may hold floats, also below 0."},
    {MEMBER(page), ROW_PAGE, .topic = "steps fronts",
     .more = PAGES_OF_OUT " Files beside OUT are of one page."},
    {MEMBER(force), ROW_FORCE, .topic = "steps fronts",
     .more =
         "It is of none if a label filled the whole picture or all vanished. Without this "
         "option nothing is written then, and the exit status is 3; with `strict` the same "
         "holds if any label vanished or reached the border of the picture, a label of competing "
         "fronts has more than 20 times the median area of the others, or a free front "
         "stalled."},
    {MEMBER(distance), "FILE", "start from signed distances in pixels, negative inside",
     .topic = "speed", .more = "It is a float image."},
    {WORDS(speed), "C[,C1...]", "constant, or a polynomial of the intensity from 0 to 1",
     .topic = "speed", .more = "Below 0 the contour retracts. All parts that are given are added."},
    {WORDS(gaussian), "M,S[,W]", "a Gaussian of the intensity around M of 255, of width S",
     .topic = "speed", .more = "W is its height, 1 by default."},
    {WORDS(edge), "K[,W]", "slow down at gradients of K/255 per pixel", .topic = "speed",
     .more = "The speed is W / (1 + (gradient/K)^2)."},
    {WORDS(curvature), "C", "shorten the contour, so that it does not leak through gaps",
     .topic = "speed", .more = "In few bits it is felt at sharp bends only."},
    {MEMBER(velocity), "FILE", "a field (u, v) that carries the contour, .npy or .flo",
     .topic = "speed",
     .more = "It is in pixels per unit of time, an .npy file of shape (h, w, 2)."},
    {MEMBER(phi), "FILE", "the level-set function in pixels, as .npy or .tif", .topic = "steps",
     .writes = 1, .more = "FILE-1.npy and so on for several labels."},
    {MEMBER(vectors), ROW_VECTORS, .topic = "steps",
     .more = "The file has the function and the speed of a pixel before the first step and the "
             "function after the last on each line: of label 1, in integers, without curvature and "
             "velocity."},
    {0},
};

static const struct segment_values defaults = {.free = RO_SEGMENT_OPTIONS};

static const ro_option_table own = {
    .name = "segment", .rows = rows, .unset = &defaults, .size = sizeof defaults};

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
    ro_image in, mask, distance, factor, velocity, picture;
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
    if (mask->format != RO_GREY8)
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
    if (status == RO_OK && values->factor) {
        status = pictures_load(job->context, values->factor, &job->factor, NULL);
        job->segment.factor = &job->factor;
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
        ro_image_alloc(job->context, RO_GREYF, job->in.width, job->in.height, 0, &phi);
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
    ro_image *const images[] = {&job->in,     &job->mask,     &job->distance,
                                &job->factor, &job->velocity, &job->picture};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        ro_image_free(images[i]);
    ro_segmentation_free(job->result);
    job->result = NULL;
    job->vectors.phi = NULL;
    job->segment.velocity = NULL;
}

static void find_faults(struct job *job)
{
    const bool strict = job->values->common.strict;
    job->faults = (struct segment_faults){0};
    for (int i = 0; i < RO_LABELS; i++) {
        const ro_segment_label *label = &job->report.label[i];
        job->faults.useless |= (unsigned)(label->useless != 0) << i;
        job->faults.stalled |= (unsigned)(strict && label->stalled) << i;
        job->faults.border |= (unsigned)(strict && label->border) << i;
    }
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
    job->report.size = sizeof job->report;
    if (status == RO_OK)
        status = ro_segment(job->context, &job->in, &job->segment, &job->result, &job->report);
    if (status == RO_E_CANCELLED && job->frames.status != RO_OK) /* a frame could not be written */
        status = ro_context_fail(job->context, job->frames.status, "%s", job->frames.message);
    if (status == RO_OK)
        find_faults(job);
    if (status == RO_OK && !is_refused(job))
        status = save_all(job);
    frames_close(&job->frames);
    close_job(job);
    return status;
}

static struct job job_of(const struct segment_values *values, const struct operands *files)
{
    return (struct job){.values = values, .files = files, .segment = values->free};
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
    values.free.schedule = NULL; /* changes no bits */
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
    job.report.size = sizeof job.report;
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
        if (values.factor)
            certificate_picture(to, "factor", &job.factor);
        if (values.velocity)
            certificate_picture(to, "velocity", &job.velocity);
        certificate_picture(to, "output", &out);
        state_labels(to, &job.report);
        certificate_natural(to, "pixels_unlike_the_method",
                            labels_unlike(&labels, &out, labels_are_numbers(&info, &labels)));
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
    .own = &own,
    .families = {{"segment", offsetof(struct segment_values, free)}},
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
