/* SPDX-License-Identifier: MIT */
/*
 * A file to a file: options are resolved, the input opened, the halftoning planned, the output
 * opened, rows run and files committed. The type of the input decides which rows come, the method
 * which way they go (halftone_job.h). A video has a way of its own (io/video/).
 */
#include "io/files/halftone_job.h"
#include "roundoff_io_pieces.h"

#include "core/options.h"
#include "io/video/video.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <string.h>

ro_file_info ro_halftone_result(const ro_halftone_options *options)
{
    if (!options)
        return (ro_file_info){0};
    int levels = options->levels ? options->levels : 2;
    const ro_palette *colours = options->palette ? options->palette : options->recolour;
    if (colours)
        return (ro_file_info){
            .format = RO_INDEX8, .maxval = (uint32_t)colours->count - 1, .palette = colours};
    if (options->channels == RO_CHANNELS_RGB && levels > 256)
        return (ro_file_info){.format = RO_RGB16, .maxval = (uint32_t)levels - 1};
    if (options->channels == RO_CHANNELS_RGB)
        return (ro_file_info){.format = RO_RGB8, .maxval = 255};
    if (options->channels == RO_CHANNELS_CMYK || options->channels == RO_CHANNELS_INKS) {
        const bool own = options->channels == RO_CHANNELS_INKS && options->ink_count >= 1 &&
                         options->ink_count <= RO_INKS_MOST;
        return (ro_file_info){.format = RO_INDEX8,
                              .maxval = own ? (1u << options->ink_count) - 1 : 15,
                              .inks = 1,
                              .ink_list = own ? options->inks : NULL,
                              .ink_count = own ? options->ink_count : 0};
    }
    return (ro_file_info){.format = levels == 2     ? RO_BITS
                                    : levels <= 256 ? RO_INDEX8
                                                    : RO_GREY16,
                          .maxval = (uint32_t)levels - 1,
                          .light = options->tone.linear && levels > 2};
}

/* ---- Before anything is opened --------------------------------------------------------------- */

static ro_status check_colours(ro_context *context, const ro_halftone_options *options, int colours)
{
    if (colours < 2 || colours > 256)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                               colours);
    if (options->palette || options->recolour)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a palette cannot both be given and made for the picture");
    if (options->range || options->black != 0 || options->white > 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a palette made for a picture takes all of the range, not a part");
    return RO_OK;
}

/* The options whose inks have a file each; NULL: all goes into one file. */
static const ro_halftone_options *plates_of(const struct halftone_job *job)
{
    return job->write.split_inks ? &job->options : NULL;
}

static ro_status resolve_result(struct halftone_job *job)
{
    const ro_halftone_options *options = &job->options;
    if (options->channels == RO_CHANNELS_INKS &&
        (!options->inks || options->ink_count < 1 || options->ink_count > RO_INKS_MOST))
        return ro_context_fail(job->context, RO_E_ARGUMENT, "%d inks: must be from 1 to %d",
                               options->ink_count, RO_INKS_MOST);
    job->result = ro_halftone_result(options);
    if (job->write.shown &&
        (!options->palette || job->write.shown->count != options->palette->count))
        return ro_context_fail(job->context, RO_E_ARGUMENT,
                               "%d colours cannot stand for those of %s", job->write.shown->count,
                               options->palette ? "a palette of another number" : "no palette");
    if (job->write.shown)
        job->result.palette = job->write.shown;
    if (job->write.split_inks && !job->result.inks)
        return ro_context_fail(job->context, RO_E_ARGUMENT,
                               "a file per ink applies to separations only");
    if (job->write.split_inks)
        job->result = (ro_file_info){.format = RO_BITS, .maxval = 1};
    if (job->result.maxval < 1 || job->result.maxval > 65535)
        return RO_OK; /* the method says what is allowed */
    return video_named(job->out, job->write.type)
               ? RO_OK
               : output_accepts(job->context, job->out, &job->result, &job->write, plates_of(job),
                                job->in);
}

static ro_status resolve(struct halftone_job *job, const ro_halftone_options *options,
                         const ro_read_options *read, const ro_write_options *write)
{
    ro_status status = take_options(job->context, options, &job->options, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK)
        status = take_options(job->context, read, &job->read, "RO_READ_OPTIONS");
    if (status == RO_OK)
        status = take_options(job->context, write, &job->write, "RO_WRITE_OPTIONS");
    if (status == RO_OK)
        status = file_named(job->context, job->out);
    if (status == RO_OK && job->read.content == RO_CONTENT_PAGE &&
        (job->options.palette || job->read.colours || job->options.channels != RO_CHANNELS_GREY))
        return ro_context_fail(job->context, RO_E_ARGUMENT,
                               "content page makes a picture grey, so it excludes palettes, "
                               "channels and inks");
    if (status == RO_OK && job->read.colours) {
        status = check_colours(job->context, &job->options, job->read.colours);
        job->palette.count = job->read.colours; /* at most, until it is made */
        job->options.palette = &job->palette;
    }
    job->read.least = job->options.black;
    job->read.largest = job->options.white;
    return status == RO_OK ? resolve_result(job) : status;
}

/* ---- With the input open --------------------------------------------------------------------- */

/* Black and white as the reader's samples count, or where the file's numbers begin and end. */
static ro_status take_range(struct halftone_job *job)
{
    ro_halftone_options *options = &job->options;
    const ro_file_info *info = ro_reader_info(job->reader);
    ro_status status = RO_OK;
    if (options->black != 0 || options->white != 0) {
        options->black -= (double)info->zero;
        options->white -= (double)info->zero;
    } else if (options->range == RO_RANGE_AUTO || options->range == RO_RANGE_FULL) {
        status = ro_reader_range(job->reader, &options->black, &options->white);
        if (options->black < options->white)
            options->range = RO_RANGE_AUTO;
    }
    if (status == RO_OK && job->read.colours && options->black < options->white)
        return file_fail(&job->reader->file, RO_E_UNSUPPORTED,
                         "%s numbers: a palette is made for integers that span 16 bits at most",
                         sample_name(info->sample));
    return status;
}

/* The shape of what is halftoned, its range, and its palette where one is made for it. */
static ro_status take_input(struct halftone_job *job, ro_image *shape)
{
    const ro_file_info *info = ro_reader_info(job->reader);
    *shape = (ro_image){.format = info->format,
                        .width = info->width,
                        .height = info->height,
                        .maxval = info->maxval,
                        .stride = 0,
                        .data = NULL};
    if (video_named(job->out, job->write.type))
        return file_fail(&job->reader->file, RO_E_ARGUMENT,
                         "is a picture and cannot become a video");
    ro_status status = take_range(job);
    return status == RO_OK && job->read.colours ? job_adapt(job) : status;
}

/* What is written, as far as the input decides it. */
static ro_status complete_result(struct halftone_job *job)
{
    const ro_file_info *info = ro_reader_info(job->reader);
    const bool stated = job->write.dpi_x > 0 || job->write.dpi_y > 0;
    const bool inks = job->options.ink_count > 0 || job->write.split_inks;
    ro_file_info *result = &job->result;
    ro_status status = RO_OK;
    result->width = info->width;
    result->height = info->height;
    result->dpi_x = info->dpi_x;
    result->dpi_y = info->dpi_y;
    result->stack = info->stack;
    memcpy(result->outer, info->outer, sizeof result->outer);
    if ((info->dpi_x > 0 || info->dpi_y > 0) && !stated &&
        !ro_writer_holds_resolution(job->out, job->write.type))
        status = reader_drop(job->reader, RO_DROPPED_RESOLUTION, "its resolution");
    result->with_alpha = job->reader->has_alpha && job->reader->options.alpha == RO_ALPHA_KEEP;
    if (status == RO_OK && result->with_alpha && inks)
        status = ro_context_fail(job->context, RO_E_ARGUMENT, "alpha cannot be kept with inks");
    if (status == RO_OK && result->with_alpha)
        status = output_take_alpha(&job->output, job->context, job->in, job->reader);
    return status;
}

/* Each page by itself, with the plan of the first. */
static ro_status run(struct halftone_job *job)
{
    ro_plan_info way = {.size = sizeof way};
    ro_status status = ro_plan_query(job->plan, &way);
    const bool streams = way.streams && !job->picture.data;
    if (status == RO_OK && streams && job_suits_in_place(job))
        return job_in_place(job);
    for (unsigned page = 0; page < job->result.stack && status == RO_OK; page++) {
        if (page > 0)
            status = ro_reader_next(job->reader);
        if (status == RO_OK)
            status = streams ? job_stream(job) : job_whole(job);
    }
    return status;
}

/* Notes floats most of which are white only because white is 1 where nobody says what it is. */
static ro_status note_above(ro_reader *reader, const ro_halftone_options *options)
{
    char words[96];
    if (options->black != 0 || options->white != 0 || reader->above <= reader->floats / 2)
        return RO_OK;
    snprintf(words, sizeof words,
             "numbers above white, %.0f%% of them (white is 1; up to %g, see range data)",
             100.0 * (double)reader->above / (double)reader->floats, (double)reader->largest);
    return reader_drop(reader, RO_DROPPED_ABOVE, words);
}

static ro_status commit(struct halftone_job *job)
{
    ro_status status = RO_OK;
    if (job->output.writers[0]->cut_alpha)
        status = reader_drop(job->reader, RO_DROPPED_ALPHA,
                             "soft alpha (a palette's is all or nothing)");
    if (status == RO_OK)
        status = note_above(job->reader, &job->options);
    return status == RO_OK ? file_output_commit(&job->output) : status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void close_job(struct halftone_job *job)
{
    ro_plan_free(job->plan);
    ro_image_free(&job->picture);
    file_output_close(&job->output);
    ro_reader_close(job->reader);
}

ro_status ro_halftone_file(ro_context *context, const char *in, const char *out,
                           const ro_halftone_options *options, const ro_read_options *read,
                           const ro_write_options *write, ro_file_report *report)
{
    struct halftone_job job = {.context = context,
                               .in = in,
                               .out = out,
                               .options = RO_HALFTONE_OPTIONS,
                               .read = RO_READ_OPTIONS,
                               .write = RO_WRITE_OPTIONS};
    ro_file_report full = {.size = sizeof full};
    ro_image shape;
    bool video = false;
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = resolve(&job, options, read, write);
    if (status == RO_OK)
        status = reader_open(context, in, NULL, &job.read, &video, &job.reader);
    if (status == RO_OK && video) {
        status = video_halftone(context, &job.reader->source, out, &job.options, &job.read,
                                &job.write, &full.video);
        goto done;
    }
    if (status == RO_OK)
        status = take_input(&job, &shape);
    if (status == RO_OK)
        status = ro_halftone_plan(context, &shape, job.result.format, &job.options, &job.plan);
    if (status == RO_OK)
        status = complete_result(&job);
    if (status == RO_OK)
        status =
            file_output_open(&job.output, context, out, &job.result, &job.write, plates_of(&job));
    if (status == RO_OK)
        status = run(&job);
    if (status == RO_OK)
        status = commit(&job);
    if (status == RO_OK && job.output.plate_bytes)
        full.empty_plates = ~job.output.inked & ((1u << job.output.count) - 1);
    if (job.reader)
        full.dropped = *ro_reader_dropped(job.reader);
done:
    close_job(&job);
    report_give(report, &full);
    return status;
}
