/* SPDX-License-Identifier: MIT */
/* roundoff segment with fronts that compete: seeds from words, lists and masks, and what becomes of
 * them as labels, outlines, pictures and tables. */
#include "cli/segment/segment.h"

#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/progress.h"
#include "cli/common/session.h"
#include "cli/common/stacks.h"
#include "cli/common/string_buffer.h"
#include "cli/task/task.h"
#include "roundoff/command.h"
#include "roundoff/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Which fronts --------------------------------------------------------------------------- */

static const char *const of_free[] = {"window",     "speed",     "gaussian", "edge", "curvature",
                                      "velocity",   "distance",  "number",   "norm", "vectors",
                                      "iterations", "time-step", "sigma",    NULL};
static const char *const of_competing[] = {"seeds", "table", NULL};

bool segment_is_free(const struct segment_values *values)
{
    char name[OPTION_NAME];
    return values->fronts ? values->fronts == FRONTS_FREE
                          : first_set(&command_segment, values, of_free, false, name);
}

int check_fronts(const struct command *command, const struct segment_values *v)
{
    char odd[OPTION_NAME], name[OPTION_NAME];
    const bool is_odd = first_set(command, v, of_free, false, odd);
    if (segment_is_free(v)) {
        if (!first_set(command, v, of_competing, false, name))
            return 0;
        return is_odd
                   ? usage_error(command, "--%s is for competing fronts, --%s for free ones", name,
                                 odd)
                   : usage_error(command, "--%s is for competing fronts, not for free ones", name);
    }
    if (is_odd)
        return usage_error(command, "--%s is for free fronts, not for competing ones", odd);
    if (v->phi)
        return usage_error(command, "--phi is for free fronts: add --fronts free");
    return 0;
}

/* Whether seeds are to be found rather than read from a file; ./auto is a file. */
static bool finds_seeds(const struct segment_values *values)
{
    return values->seeds && strcmp(values->seeds, "auto") == 0;
}

/* ---- What goes in --------------------------------------------------------------------------- */

struct job {
    ro_context *context;
    const struct segment_values *values;
    const struct operands *files;
    ro_regions_options grow;
    ro_regions_report report;
    ro_seed *seeds;
    ro_image in, mask, factor, picture;
    struct frames frames;
    ro_regions *result;
    ro_report ran;
    struct segment_pages pages;
};

/* Discs of the words and behind them those of a list. */
static int read_seeds(const struct command *command, struct job *job)
{
    const struct segment_values *values = job->values;
    ro_segment_options words = RO_SEGMENT_OPTIONS;
    struct named unused[RO_LABELS] = {{0}};
    ro_seed *listed = NULL;
    size_t count = 0;
    job->seeds = calloc(RO_MOST_TEXTS, sizeof *job->seeds);
    if (!job->seeds)
        return fail("not enough memory to start");
    int result = read_words(command, &values->words, RO_REGION_LABELS, &words, job->seeds, unused);
    if (result)
        return result;
    job->grow.find_seeds = finds_seeds(values);
    if (values->seeds && !job->grow.find_seeds) {
        if (ro_seeds_load(job->context, values->seeds, &listed, &count) != RO_OK)
            return fail("%s", ro_context_message(job->context));
        ro_seed *all = realloc(job->seeds, (words.seed_count + count + 1) * sizeof *all);
        if (all) {
            memcpy(all + words.seed_count, listed, count * sizeof *all);
            job->seeds = all;
        }
        free(listed);
        if (!all)
            return fail("not enough memory to start");
    }
    job->grow.seeds = job->seeds;
    job->grow.seed_count = words.seed_count + count;
    if (job->grow.find_seeds && (job->grow.seed_count || values->mask))
        return usage_error(command, "--seeds auto finds all seeds itself: leave out --%s",
                           values->mask ? "mask" : "at");
    if (!job->grow.find_seeds && !job->grow.seed_count && !values->mask)
        return usage_error(command, "there is no seed: give --at X,Y, --seeds, --mask, or --seeds "
                                    "auto");
    return 0;
}

static ro_status number_components(struct job *job)
{
    ro_image labels = {0};
    uint32_t count;
    ro_status status =
        ro_image_alloc(job->context, RO_GREY16, job->mask.width, job->mask.height, 65535, &labels);
    if (status == RO_OK)
        status = ro_mask_components(job->context, &job->mask, &labels, &count);
    ro_image_free(&job->mask);
    job->mask = labels;
    return status;
}

/* Of a mask of black and white each connected part is a label. Tones of other pictures, whose
 * brightest one is 255, become labels in the order of their brightness; other masks hold numbers.
 */
static ro_status read_mask(struct job *job)
{
    ro_image *mask = &job->mask;
    ro_status status = pictures_load(job->context, job->values->mask, mask, NULL);
    if (status != RO_OK)
        return status;
    job->grow.mask = mask;
    if (mask->format != RO_GREY8)
        return RO_OK;
    uint8_t label[256] = {0};
    for (uint32_t y = 0; y < mask->height; y++)
        for (uint32_t x = 0; x < mask->width; x++)
            label[((const uint8_t *)mask->data + (ptrdiff_t)y * mask->stride)[x]] = 1;
    int tones = label[0] = 0;
    for (int i = 1; i < 256; i++)
        label[i] = label[i] ? (uint8_t)++tones : 0;
    if (tones == 1 && label[ro_image_white(mask)])
        return number_components(job);
    if (!label[255])
        return RO_OK;
    for (uint32_t y = 0; y < mask->height; y++)
        for (uint32_t x = 0; x < mask->width; x++) {
            uint8_t *pixel = (uint8_t *)mask->data + (ptrdiff_t)y * mask->stride + x;
            *pixel = label[*pixel];
        }
    return RO_OK;
}

static ro_status read_pictures(struct job *job)
{
    const struct segment_values *values = job->values;
    ro_file_info info = {0};
    ro_status status = segment_load(job->context, &job->pages, &job->in, &info);
    if (status == RO_OK)
        status = pictures_resolution(job->context, job->files->path[0], &info, NULL);
    if (status == RO_OK && values->mask)
        status = read_mask(job);
    if (status == RO_OK && values->factor) {
        status = pictures_load(job->context, values->factor, &job->factor, NULL);
        job->grow.factor = &job->factor;
    }
    return status;
}

/* ---- What comes out ------------------------------------------------------------------------- */

/* Label numbers, in 8 bits as far as they go: there a picture shows them as greys up to white. */
static ro_status make_labels(struct job *job, ro_image *labels)
{
    size_t count;
    const ro_region *table = ro_regions_table(job->result, &count);
    const uint32_t highest = count ? table[count - 1].label : 1;
    /* pages on which objects are found have different labels, and one type in the file */
    const bool narrow = highest < 256 && !(job->pages.count > 1 && job->grow.find_seeds);
    ro_status status = ro_image_alloc(job->context, narrow ? RO_INDEX8 : RO_GREY16, job->in.width,
                                      job->in.height, narrow ? highest : 65535, labels);
    return status == RO_OK ? ro_regions_labels(job->result, labels) : status;
}

static struct regions_told told_of(const struct job *job, double seconds)
{
    struct regions_told told = {.ran = &job->ran,
                                .report = &job->report,
                                .zero = job->pages.zero,
                                .unit = job->pages.unit,
                                .seconds = seconds};
    size_t count;
    told.table = ro_regions_table(job->result, &told.labels);
    told.fronts = ro_regions_fronts(job->result, &count);
    return told;
}

static ro_status save_table(struct job *job)
{
    const char *path = job->values->table, *dot = strrchr(path, '.');
    const struct regions_told told = told_of(job, 0);
    struct printed table;
    ro_status status = printed_open(job->context, &table);
    if (status != RO_OK)
        return status;
    regions_table(table.file, &told, dot && strcasecmp(dot, ".json") == 0);
    status = printed_save(job->context, &table, path);
    printed_close(&table);
    return status;
}

/* How the fronts went, a picture every so many pixels of their way. */
static ro_status save_frames(struct job *job)
{
    ro_status status = frames_open(&job->frames, job->context, job->values->frames, &job->picture);
    for (double way = 0; status == RO_OK; way += FRAMES_EVERY) {
        const bool last = way >= job->report.way;
        size_t count;
        status = ro_regions_show(job->result, last ? job->report.way + 1 : way);
        const ro_polyline *lines = ro_regions_contours(job->result, &count);
        if (status == RO_OK)
            status = frames_draw(&job->frames, lines, count);
        if (last)
            break;
    }
    return status == RO_OK ? frames_commit(&job->frames) : status;
}

static ro_status save_all(struct job *job)
{
    const struct segment_values *values = job->values;
    ro_image labels = {0};
    size_t count;
    ro_status status = RO_OK;
    if (values->overlay || values->frames)
        status = picture_of(job->context, &job->in, &job->picture);
    if (status == RO_OK && values->frames)
        status = save_frames(job);
    const ro_polyline *lines = ro_regions_contours(job->result, &count);
    if (status == RO_OK && values->overlay)
        status = save_overlay(job->context, values->overlay, &job->picture, lines, count);
    if (status == RO_OK && values->contours)
        status = ro_contours_save(job->context, values->contours, lines, count, job->in.width,
                                  job->in.height);
    if (status == RO_OK && values->table)
        status = save_table(job);
    if (status == RO_OK)
        status = make_labels(job, &labels);
    if (status == RO_OK)
        status = segment_save(job->context, &job->pages, job->files->path[1], &labels);
    ro_image_free(&labels);
    return status;
}

static struct job job_of(const struct segment_values *values, const struct operands *files)
{
    return (struct job){.values = values,
                        .files = files,
                        .grow = {.size = sizeof(ro_regions_options),
                                 .smooth = values->free.smooth,
                                 .schedule = values->free.schedule}};
}

static void close_job(struct job *job)
{
    frames_close(&job->frames);
    ro_image *const images[] = {&job->in, &job->mask, &job->factor, &job->picture};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        ro_image_free(images[i]);
    ro_regions_free(job->result);
    segment_pages_close(&job->pages);
    free(job->seeds);
}

static ro_status grow(struct job *job)
{
    job->report.size = sizeof job->report;
    ro_status status =
        ro_regions_grow(job->context, &job->in, &job->grow, &job->result, &job->report);
    job->ran = *ro_context_report(job->context);
    return status;
}

/* ---- The certificate ------------------------------------------------------------------------ */

uint64_t labels_unlike(const ro_image *labels, const ro_image *out, bool numbers)
{
    const uint64_t steps = labels->maxval, white = out->maxval ? out->maxval : 255;
    const bool wide = labels->format == RO_GREY16;
    uint64_t count = 0;
    if (out->format != (wide ? RO_GREY16 : RO_GREY8) || out->width != labels->width ||
        out->height != labels->height)
        return (uint64_t)labels->width * labels->height;
    for (uint32_t y = 0; y < out->height; y++) {
        const char *from = (const char *)labels->data + (ptrdiff_t)y * labels->stride;
        const char *row = (const char *)out->data + (ptrdiff_t)y * out->stride;
        for (uint32_t x = 0; x < out->width; x++) {
            const uint64_t label =
                wide ? ((const uint16_t *)(const void *)from)[x] : ((const uint8_t *)from)[x];
            const uint64_t pixel =
                wide ? ((const uint16_t *)(const void *)row)[x] : ((const uint8_t *)row)[x];
            count += pixel != (numbers || wide ? label : (2 * white * label + steps) / (2 * steps));
        }
    }
    return count;
}

static void state_regions(struct certificate *to, const struct job *job)
{
    const struct regions_told told = told_of(job, 0);
    __int128 *values = calloc(told.labels + told.report->fronts + 1, sizeof *values);
    if (!values) {
        to->status = ro_context_fail(to->context, RO_E_MEMORY, "no memory for a certificate");
        return;
    }
    for (size_t i = 0; i < told.labels; i++)
        values[i] = told.table[i].label;
    certificate_integers(to, "labels", values, told.labels);
    for (size_t i = 0; i < told.labels; i++)
        values[i] = (__int128)told.table[i].area;
    certificate_integers(to, "label_area", values, told.labels);
    for (size_t i = 0; i < told.report->fronts; i++)
        values[i] = (__int128)told.fronts[i].area;
    certificate_integers(to, "front_area", values, told.report->fronts);
    certificate_real(to, "smooth", told.report->smooth);
    free(values);
}

ro_status competing_certify(struct certificate *to, const struct segment_values *given,
                            const struct operands *files)
{
    struct segment_values values = *given;
    values.free.schedule = NULL; /* changes no bits */
    struct job job = job_of(&values, files);
    ro_image out = {0}, labels = {0};
    ro_file_info info = {0};
    job.context = to->context;
    ro_status status = RO_OK;
    if (read_seeds(&command_segment, &job) != 0)
        status = ro_context_fail(to->context, RO_E_ARGUMENT, "the options cannot be read");
    if (status == RO_OK)
        status = segment_pages_open(to->context, &values, files->path[0], &job.pages);
    if (status == RO_OK)
        status = read_pictures(&job);
    if (status == RO_OK)
        status = ro_image_load(to->context, files->path[1], NULL, &out, &info, NULL);
    if (status == RO_OK)
        status = grow(&job);
    if (status == RO_OK)
        status = make_labels(&job, &labels);
    if (status == RO_OK) {
        certificate_picture(to, "input", &job.in);
        if (values.mask)
            certificate_picture(to, "mask", &job.mask);
        if (values.factor)
            certificate_picture(to, "factor", &job.factor);
        certificate_picture(to, "output", &out);
        state_regions(to, &job);
        certificate_natural(to, "pixels_unlike_the_method",
                            labels_unlike(&labels, &out, labels_are_numbers(&info, &labels)));
    }
    close_job(&job);
    ro_image_free(&out);
    ro_image_free(&labels);
    return status;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* What the page before left. */
static void release_page(struct job *job)
{
    ro_image *const images[] = {&job->in, &job->mask, &job->factor};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        ro_image_free(images[i]);
    ro_regions_free(job->result);
    job->result = NULL;
}

static ro_status work_page(struct task *task)
{
    const struct segment_values *values = task->values;
    struct job *job = task->data;
    release_page(job);
    ro_status status = read_pictures(job);
    if (status == RO_OK)
        status = segment_accepts(job->context, job->values, job->files->path[1], &job->in);
    if (status == RO_OK)
        status = grow(job);
    if (status != RO_OK)
        return status;
    task->ran = job->ran; /* pictures may be made after it */
    const struct regions_told told = told_of(job, 0);
    task->refused = !values->force && regions_are_useless(&told, values->common.strict);
    return task->refused ? RO_OK : save_all(job);
}

/* Pages are told of as they come: there is no picture of them all. */
static void tell_page(const struct task *task)
{
    const struct segment_values *values = task->values;
    struct job *job = task->data;
    const struct regions_told told = told_of(job, seconds_now() - task->progress->start);
    if (job->pages.at > 0)
        fputs(", ", job->pages.told.file);
    regions_json(job->pages.told.file, &told, task->files);
    if (!values->common.quiet && !values->common.json) {
        if (job->pages.at == 0)
            tell(
                "segment: %u pages, each by itself: labels of a page have nothing to do with those "
                "of the next, and this is no segmentation in 3-D",
                job->pages.count);
        tell("segment: page %u", job->pages.first + job->pages.at);
        regions_lines(&told);
    }
}

static ro_status work(struct task *task)
{
    struct job *job = task->data;
    struct segment_pages *pages = &job->pages;
    job->context = task->context;
    task->ended = read_seeds(task->command, job);
    if (task->ended)
        return RO_OK;
    ro_status status =
        segment_pages_open(job->context, task->values, job->files->path[0], &job->pages);
    for (; pages->at < pages->count && status == RO_OK && !task->refused; pages->at++) {
        status =
            stack_failed(job->context, work_page(task), &pages->stack, pages->at, pages->first);
        if (status == RO_OK && pages->told.file && !task->refused)
            tell_page(task);
    }
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    struct job *job = task->data;
    const struct regions_told told = told_of(job, task->seconds);
    if (job->pages.told.file)
        segment_pages_json(file, &job->pages);
    else
        regions_json(file, &told, task->files);
}

static void print_lines(const struct task *task)
{
    const struct job *job = task->data;
    const struct regions_told told = told_of(job, task->seconds);
    if (!job->pages.told.file)
        regions_lines(&told);
}

static int refuse(const struct task *task)
{
    const struct common *common = task->values;
    const struct regions_told told = told_of(task->data, task->seconds);
    return regions_useless(&told, common->strict, task->out);
}

int run_competing(const struct command *command, const struct segment_values *values,
                  const struct operands *files)
{
    struct job job = job_of(values, files);
    int result = task_run(&(struct task){
        .command = command,
        .values = values,
        .files = files,
        .out = files->path[1],
        .data = &job,
        .states_run = true,
        .work = work,
        .json = print_json,
        .say = print_lines,
        .refuse = refuse,
    });
    close_job(&job);
    return result;
}
