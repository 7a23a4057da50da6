/* SPDX-License-Identifier: MIT */
/*
 * A file to a file: one thread reads, the caller's computes, one writes.
 *
 *     reader --> ring of input blocks --> ro_halftone_push / pull --> ring of blocks --> writer
 *
 * A block is some megabytes of rows, a ring a few blocks: memory grows with the width only. Whoever
 * fails first sets `stop`, which the others notice even while they wait on a pipe; its sentence is
 * the one that is reported.
 */
#include "core/options.h"
#include "io/bytes/readers.h"
#include "io/bytes/thread.h"
#include "io/files/output.h"
#include "io/files/reader.h"
#include "io/video/video.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 3,
    BLOCK_BYTES = 2 << 20,
    LARGEST_BLOCK = 64 << 20,
    BAND_ROWS = 64, /* rows come in multiples of it: bands are run straight from a block */
};

struct block {
    uint8_t *rows;
    uint32_t count;
};

/* One side fills, one empties; both counts only grow. */
struct ring {
    struct block blocks[BLOCKS];
    size_t stride;
    uint64_t filled, emptied;
};

struct pump {
    ro_context *context;
    ro_reader *reader;
    struct ro_output output;
    ro_plan *plan;
    ro_image picture; /* read before its turn, for its palette */
    ro_halftone_stream *stream;
    uint32_t height, block_rows;
    struct ring in, out;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool stop;
    ro_status status; /* of the first thread that failed; the caller's own failure is not kept */
    char message[sizeof((struct ro_file *)0)->message];
};

/* Notes floats most of which are white only because white is 1 where nobody says what it is. */
static ro_status note_above(ro_reader *reader, const ro_halftone_options *options)
{
    char words[96];
    if (options->black != 0 || options->white != 0 || reader->above <= reader->floats / 2)
        return RO_OK;
    snprintf(words, sizeof words,
             "numbers above white, %.0f%% of them (white is 1; up to %g, see --range data)",
             100.0 * (double)reader->above / (double)reader->floats, (double)reader->largest);
    return reader_drop(reader, RO_DROPPED_ABOVE, words);
}

/* ---- Rings -------------------------------------------------------------------------------- */

static bool ring_open(struct ring *ring, size_t row_bytes, uint32_t rows)
{
    ring->stride = row_bytes;
    for (int i = 0; i < BLOCKS; i++)
        if (!(ring->blocks[i].rows = malloc(ring->stride * rows)))
            return false;
    return true;
}

static void ring_close(struct ring *ring)
{
    for (int i = 0; i < BLOCKS; i++)
        free(ring->blocks[i].rows);
}

/* The next block to fill, or NULL when all stopped. */
static struct block *wait_empty(struct pump *pump, struct ring *ring)
{
    pthread_mutex_lock(&pump->lock);
    while (ring->filled - ring->emptied == BLOCKS && !atomic_load(&pump->stop))
        pthread_cond_wait(&pump->changed, &pump->lock);
    pthread_mutex_unlock(&pump->lock);
    return atomic_load(&pump->stop) ? NULL : &ring->blocks[ring->filled % BLOCKS];
}

/* The next block to empty, or NULL when all stopped. */
static struct block *wait_filled(struct pump *pump, struct ring *ring)
{
    pthread_mutex_lock(&pump->lock);
    while (ring->filled == ring->emptied && !atomic_load(&pump->stop))
        pthread_cond_wait(&pump->changed, &pump->lock);
    pthread_mutex_unlock(&pump->lock);
    return atomic_load(&pump->stop) ? NULL : &ring->blocks[ring->emptied % BLOCKS];
}

static void advance(struct pump *pump, uint64_t *count)
{
    pthread_mutex_lock(&pump->lock);
    ++*count;
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
}

/* Stops all. The sentence of a file counts if it is the first; NULL: the caller's own failure. */
static void stop(struct pump *pump, ro_status status, const struct ro_file *file)
{
    pthread_mutex_lock(&pump->lock);
    if (file && !atomic_load(&pump->stop)) {
        pump->status = status;
        memcpy(pump->message, file->message, sizeof pump->message);
    }
    atomic_store(&pump->stop, true);
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
}

/* ---- The three stages --------------------------------------------------------------------- */

static void *read_stage(void *data)
{
    struct pump *pump = data;
    for (uint32_t y = 0; y < pump->height;) {
        struct block *block = wait_empty(pump, &pump->in);
        if (!block)
            break;
        ro_status status = ro_reader_rows(pump->reader, block->rows, (ptrdiff_t)pump->in.stride,
                                          pump->block_rows, &block->count);
        if (status != RO_OK) {
            stop(pump, status, &pump->reader->file);
            break;
        }
        y += block->count;
        advance(pump, &pump->in.filled);
    }
    return NULL;
}

static void *write_stage(void *data)
{
    struct pump *pump = data;
    for (uint32_t y = 0; y < pump->height;) {
        struct block *block = wait_filled(pump, &pump->out);
        if (!block)
            break;
        ro_status status =
            output_rows(&pump->output, block->rows, (ptrdiff_t)pump->out.stride, block->count);
        if (status != RO_OK) {
            stop(pump, status, output_file(&pump->output));
            break;
        }
        y += block->count;
        advance(pump, &pump->out.emptied);
    }
    return NULL;
}

/* Passes on all rows that are finished; *pulled counts them. RO_E_CANCELLED when all stopped. */
static ro_status pull_rows(struct pump *pump, uint32_t *pulled)
{
    for (;;) {
        struct block *block = wait_empty(pump, &pump->out);
        if (!block)
            return RO_E_CANCELLED;
        ro_status status = ro_halftone_pull(pump->stream, block->rows, (ptrdiff_t)pump->out.stride,
                                            pump->block_rows, &block->count);
        if (status != RO_OK || block->count == 0)
            return status;
        *pulled += block->count;
        advance(pump, &pump->out.filled);
    }
}

static ro_status compute_stage(struct pump *pump)
{
    uint32_t pulled = 0;
    while (pulled < pump->height) {
        struct block *block = wait_filled(pump, &pump->in);
        if (!block)
            return RO_E_CANCELLED;
        for (uint32_t done = 0, taken; done < block->count; done += taken) {
            ro_status status =
                ro_halftone_push(pump->stream, block->rows + (size_t)done * pump->in.stride,
                                 (ptrdiff_t)pump->in.stride, block->count - done, &taken);
            if (status == RO_OK)
                status = pull_rows(pump, &pulled);
            if (status == RO_OK)
                status =
                    ro_context_progress(pump->context, "halftone", (double)pulled / pump->height);
            if (status != RO_OK)
                return status;
        }
        advance(pump, &pump->in.emptied);
    }
    return RO_OK;
}

/* ---- Running them ------------------------------------------------------------------------- */

/* One core copies five gigabytes a second or so from the system's cache; four halftone more. */
static int other_readers(const ro_context *context)
{
    enum { MOST = 3 };
    const int readers = ro_context_threads(context) / 4;
    return readers < MOST ? readers : MOST;
}

static ro_status run_threads(struct pump *pump)
{
    pthread_t reader, writer;
    ro_status status = RO_OK;
    pump->reader->file.stop = &pump->stop;
    source_share(&pump->reader->source, other_readers(pump->context));
    output_set_stop(&pump->output, &pump->stop);
    bool reading = thread_start(&reader, read_stage, pump);
    bool writing = reading && thread_start(&writer, write_stage, pump);
    if (writing)
        status = compute_stage(pump);
    else
        status = ro_context_fail(pump->context, RO_E_MEMORY, "cannot start a thread");
    if (status != RO_OK)
        stop(pump, status, NULL);
    if (reading)
        pthread_join(reader, NULL);
    if (writing)
        pthread_join(writer, NULL);
    pump->reader->file.stop = NULL;
    output_set_stop(&pump->output, NULL);
    if (pump->status != RO_OK)
        status = ro_context_fail(pump->context, pump->status, "%s", pump->message);
    return status;
}

/* Some bands for every thread, so that most of the time all of them have one. */
static uint32_t rows_per_block(const ro_file_info *info, int threads)
{
    uint64_t row = ro_format_row_bytes(info->format, info->width);
    uint64_t rows = (BLOCK_BYTES / row / BAND_ROWS + 1) * BAND_ROWS;
    const uint64_t shared = 2 * BAND_ROWS * (uint64_t)threads;
    rows = rows > shared ? rows : shared;
    if (rows * row > LARGEST_BLOCK) /* very wide: fewer rows than a band, down to one */
        rows = row < LARGEST_BLOCK ? LARGEST_BLOCK / row : 1;
    return rows < info->height ? (uint32_t)rows : info->height;
}

static ro_status run_stream(struct pump *pump, ro_format out)
{
    const ro_file_info *info = ro_reader_info(pump->reader);
    pump->height = info->height;
    pump->block_rows = rows_per_block(info, ro_context_threads(pump->context));
    pump->in = pump->out = (struct ring){0};
    ro_status status;
    pthread_mutex_init(&pump->lock, NULL);
    pthread_cond_init(&pump->changed, NULL);
    if (ring_open(&pump->in, ro_format_row_bytes(info->format, info->width), pump->block_rows) &&
        ring_open(&pump->out, ro_format_row_bytes(out, info->width) * (size_t)pump->output.count,
                  pump->block_rows))
        status = run_threads(pump);
    else
        status = ro_context_fail(pump->context, RO_E_MEMORY,
                                 "not enough memory for rows of %u pixels", info->width);
    ring_close(&pump->in);
    ring_close(&pump->out);
    pthread_cond_destroy(&pump->changed);
    pthread_mutex_destroy(&pump->lock);
    return status;
}

/*
 * Where rows lie one after another in plain files, in and out, the threads that halftone them read
 * and write them too: nothing waits in between, and no row leaves the cache of its core.
 */
static bool lies_in_places(const struct pump *pump)
{
    const ro_reader *reader = pump->reader;
    const ro_writer *writer = pump->output.writers[0];
    return reader->stage->place && source_plain(&reader->source) && !reader->ahead &&
           reader->row == 0 && reader->info.stack <= 1 && pump->output.count == 1 &&
           !pump->output.alpha && writer->encoder->place && !writer->converted && !writer->joined &&
           sink_plain(&writer->sink) && ro_halftone_passes(pump->plan);
}

static ro_status fetch_rows(void *data, uint32_t first_row, uint32_t count, void *rows)
{
    struct pump *pump = data;
    const struct ro_stage *stage = pump->reader->stage;
    struct ro_file *file = &pump->reader->file;
    const size_t row = stage_row_bytes(stage), size = row * count;
    size_t got;
    const int error = read_at(pump->reader->source.fd, stage->place + (uint64_t)first_row * row,
                              rows, size, &got);
    if (!error && got == size) {
        if (stage->turn)
            stage->turn(rows, size);
        return RO_OK;
    }
    pthread_mutex_lock(&pump->lock);
    if (pump->status == RO_OK) /* the first one's sentence is told */
        pump->status = error ? file_fail(file, RO_E_IO, "cannot be read: %s", strerror(error))
                             : file_ends_early(file);
    pthread_mutex_unlock(&pump->lock);
    return pump->status;
}

static ro_status take_rows(void *data, uint32_t first_row, uint32_t count, void *rows)
{
    struct pump *pump = data;
    ro_writer *writer = pump->output.writers[0];
    const struct ro_encoder *encoder = writer->encoder;
    const size_t row = encoder->row_bytes;
    if (encoder->turn)
        encoder->turn(encoder, rows, count);
    const int error =
        sink_put(&writer->sink, encoder->place + (uint64_t)first_row * row, rows, row * count);
    if (!error)
        return RO_OK;
    pthread_mutex_lock(&pump->lock);
    if (pump->status == RO_OK)
        pump->status = sink_cannot(&writer->sink, error);
    pthread_mutex_unlock(&pump->lock);
    return pump->status;
}

static ro_status run_places(struct pump *pump)
{
    ro_writer *writer = pump->output.writers[0];
    const uint32_t height = ro_reader_info(pump->reader)->height;
    pthread_mutex_init(&pump->lock, NULL);
    ro_status status =
        ro_halftone_pass(pump->plan, &(ro_halftone_rows){pump, fetch_rows, take_rows});
    pthread_mutex_destroy(&pump->lock);
    if (status != RO_OK)
        return status;
    pump->reader->row = height;
    writer->row = height;
    return sink_seek(&writer->sink,
                     writer->encoder->place + (uint64_t)height * writer->encoder->row_bytes);
}

/* Rows of plates that lie one after another, as the output takes them. */
static ro_status write_whole(struct pump *pump, const ro_image *out, uint32_t height)
{
    const size_t row = pump->output.plate_bytes;
    if (pump->output.count == 1 && row == 0)
        return output_rows(&pump->output, out->data, out->stride, height);
    uint8_t *together = malloc(row * (size_t)pump->output.count);
    ro_status status = together ? RO_OK : RO_E_MEMORY;
    for (uint32_t y = 0; y < height && status == RO_OK; y++) {
        for (int i = 0; i < pump->output.count; i++)
            memcpy(together + (size_t)i * row,
                   (const uint8_t *)out->data +
                       ((ptrdiff_t)y * pump->output.count + i) * out->stride,
                   row);
        status = output_rows(&pump->output, together, 0, 1);
    }
    free(together);
    return status == RO_E_MEMORY
               ? ro_context_fail(pump->context, status, "not enough memory for a row")
               : status;
}

/* For methods that cannot run row by row. */
static ro_status run_whole(struct pump *pump, ro_format format)
{
    ro_image in = pump->picture, out = {0};
    const ro_file_info *info = ro_reader_info(pump->reader);
    ro_status status = in.data ? RO_OK : reader_image(pump->reader, &in);
    pump->picture = (ro_image){0};
    const uint32_t plates = (uint32_t)pump->output.count; /* a row of each for every row */
    if (status == RO_OK && info->height > UINT32_MAX / plates)
        status = ro_context_fail(pump->context, RO_E_SIZE, "%u rows are too many for %u inks",
                                 info->height, plates);
    if (status == RO_OK)
        status = ro_image_alloc(pump->context, format, info->width, info->height * plates, 0, &out);
    if (status == RO_OK)
        status = ro_plan_run(pump->plan, &in, &out, NULL);
    if (status == RO_OK)
        status = write_whole(pump, &out, info->height);
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

/* Each page by itself, with the plan of the first. */
static ro_status run_pages(struct pump *pump, ro_format out, bool streams)
{
    const ro_file_info *info = ro_reader_info(pump->reader);
    ro_status status = RO_OK;
    if (streams && lies_in_places(pump))
        return run_places(pump);
    for (unsigned page = 0; page < info->stack && status == RO_OK; page++) {
        if (page > 0)
            status = ro_reader_next(pump->reader);
        if (status == RO_OK && streams)
            status = ro_halftone_begin(pump->plan, 0, info->height, &pump->stream);
        if (status == RO_OK)
            status = streams ? run_stream(pump, out) : run_whole(pump, out);
        ro_halftone_close(pump->stream);
        pump->stream = NULL;
    }
    return status;
}

/* A palette for the picture, which is then read already. */
static ro_status adapt(struct pump *pump, const ro_halftone_options *options, int colours,
                       ro_palette *palette)
{
    if (ro_reader_info(pump->reader)->stack > 1)
        return ro_context_fail(pump->context, RO_E_ARGUMENT,
                               "a palette is made for one picture, not for several pages");
    ro_status status = reader_image(pump->reader, &pump->picture);
    return status == RO_OK
               ? ro_palette_adapt(pump->context, &pump->picture, &options->tone, colours, palette)
               : status;
}

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
                                                    : RO_GRAY16,
                          .maxval = (uint32_t)levels - 1};
}

/* Whether the output is to be a video, as far as its name or type tells. */
static bool names_video(const char *out, const char *type)
{
    if (type)
        return ro_name_equal(type, "y4m");
    const char *dot = strrchr(out, '.');
    return dot && ro_name_equal(dot + 1, "y4m");
}

static ro_status check_video(struct ro_file *file, const char *out, const ro_read_options *read,
                             const ro_write_options *write)
{
    if (!names_video(out, write->type) && (write->type || strcmp(out, "-") != 0))
        return file_fail(file, RO_E_ARGUMENT, "is a video; the output's name should end in .y4m");
    if (read->resize_width || read->resize_height || read->resize_percent > 0 || read->page)
        return file_fail(file, RO_E_ARGUMENT, "is a video, which has no pages and no other size");
    if (write->dpi_x > 0 || write->dpi_y > 0 || write->split_inks)
        return file_fail(file, RO_E_ARGUMENT, "is a video, which has no resolution and no inks");
    if (read->alpha || read->background_given)
        return file_fail(file, RO_E_ARGUMENT, "is a video, which has no alpha");
    if (write->compression)
        return file_fail(file, RO_E_ARGUMENT, "is a video; compression is of TIFF only");
    if (write->low_bits_first || write->ones_are_black || write->pixel_bits || write->numbers)
        return file_fail(file, RO_E_ARGUMENT,
                         "is a video; the order of bits and the numbers of colours are those of "
                         "raw files only");
    return RO_OK;
}

/* Opens the input; a video is run here, and then there is no reader. */
static ro_status open_input(ro_context *context, const char *in, const char *out,
                            const ro_halftone_options *options, const ro_read_options *read,
                            const ro_write_options *write, ro_reader **reader,
                            ro_video_report *report)
{
    bool video;
    ro_status status = reader_open_any(context, in, read, &video, reader);
    if (status != RO_OK)
        return status;
    if (!video && names_video(out, write->type))
        status =
            file_fail(&(*reader)->file, RO_E_ARGUMENT, "is a picture and cannot become a video");
    if (video)
        status = check_video(&(*reader)->file, out, read, write);
    if (status == RO_OK && video)
        status = video_halftone(context, &(*reader)->source, out, options, report);
    if (video || status != RO_OK) {
        ro_reader_close(*reader);
        *reader = NULL;
    }
    return status;
}

ro_status ro_halftone_video(ro_context *context, const char *in, const char *out,
                            const ro_halftone_options *given, const ro_read_options *read,
                            const ro_write_options *write, ro_dropped *dropped,
                            ro_video_report *video)
{
    struct pump pump = {.context = context};
    ro_halftone_options full = RO_HALFTONE_OPTIONS;
    const ro_halftone_options *options = &full;
    ro_read_options reading = RO_READ_OPTIONS;
    ro_write_options form = RO_WRITE_OPTIONS;
    ro_palette own_palette = {0}, *palette = &own_palette;
    ro_video_report own;
    video = video ? video : &own;
    *video = (ro_video_report){0};
    if (dropped)
        *dropped = (ro_dropped){0};
    ro_status status = take_options(context, given, &full, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK)
        status = take_options(context, read, &reading, "RO_READ_OPTIONS");
    if (status == RO_OK)
        status = take_options(context, write, &form, "RO_WRITE_OPTIONS");
    if (status != RO_OK || file_named(context, out) != RO_OK)
        return status == RO_OK ? RO_E_ARGUMENT : status;
    if (reading.colours) {
        status = check_colours(context, options, reading.colours);
        if (status != RO_OK)
            return status;
        palette->count = reading.colours; /* at most, until it is made */
        full.palette = palette;
    }
    if (options->channels == RO_CHANNELS_INKS &&
        (!options->inks || options->ink_count < 1 || options->ink_count > RO_INKS_MOST))
        return ro_context_fail(context, RO_E_ARGUMENT, "%d inks: must be from 1 to %d",
                               options->ink_count, RO_INKS_MOST);
    ro_file_info result = ro_halftone_result(options);
    const ro_halftone_options *plates = form.split_inks ? options : NULL;
    if (form.split_inks && !result.inks)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a file per ink applies to separations only");
    if (plates)
        result = (ro_file_info){.format = RO_BITS, .maxval = 1};
    if (result.maxval >= 1 && result.maxval <= 65535 && !names_video(out, form.type))
        status = output_accepts(context, out, &result, &form, plates,
                                in); /* else the method says what is allowed */
    reading.least = full.black;
    reading.largest = full.white;
    if (status == RO_OK)
        status = open_input(context, in, out, options, &reading, &form, &pump.reader, video);
    if (status != RO_OK || !pump.reader)
        return status;

    const ro_file_info *info = ro_reader_info(pump.reader);
    if (full.black != 0 || full.white != 0) { /* which count as the file does */
        full.black -= (double)info->zero;
        full.white -= (double)info->zero;
    } else if (full.range == RO_RANGE_AUTO || full.range == RO_RANGE_FULL) {
        status = ro_reader_range(pump.reader, &full.black, &full.white);
        if (full.black < full.white)
            full.range = RO_RANGE_AUTO;
    }
    if (status == RO_OK && reading.colours && full.black < full.white)
        status = file_fail(&pump.reader->file, RO_E_UNSUPPORTED,
                           "%s numbers: a palette is made for integers that span 16 bits at most",
                           ro_sample_name(info->sample));
    if (status == RO_OK && reading.colours) {
        status = adapt(&pump, options, reading.colours, palette);
        result.maxval = (uint32_t)palette->count - 1;
        if (reading.made)
            *reading.made = *palette;
    }
    ro_image shape = {info->format, info->width, info->height, info->maxval, 0, NULL};
    ro_plan_info way = {0};
    if (status == RO_OK)
        status = ro_halftone_plan(context, &shape, result.format, options, &pump.plan);
    if (status == RO_OK)
        status = ro_plan_query(pump.plan, &way);
    way.streams = way.streams && !pump.picture.data;
    result.width = info->width;
    result.height = info->height;
    result.dpi_x = info->dpi_x;
    result.dpi_y = info->dpi_y;
    result.stack = info->stack;
    memcpy(result.outer, info->outer, sizeof result.outer);
    const bool stated = form.dpi_x > 0 || form.dpi_y > 0;
    if (status == RO_OK && (info->dpi_x > 0 || info->dpi_y > 0) && !stated &&
        !ro_writer_holds_resolution(out, form.type))
        status = reader_drop(pump.reader, RO_DROPPED_RESOLUTION, "its resolution");
    result.with_alpha = pump.reader->has_alpha && pump.reader->options.alpha == RO_ALPHA_KEEP;
    if (status == RO_OK && result.with_alpha && options->ink_count + (plates != NULL) > 0)
        status = ro_context_fail(context, RO_E_ARGUMENT, "alpha cannot be kept with inks");
    if (status == RO_OK && result.with_alpha)
        status = output_take_alpha(&pump.output, context, in, pump.reader);
    if (status == RO_OK)
        status = file_output_open(&pump.output, context, out, &result, &form, plates);
    if (status == RO_OK)
        status = run_pages(&pump, result.format, way.streams);
    ro_halftone_close(pump.stream);
    ro_plan_free(pump.plan);
    ro_image_free(&pump.picture);
    if (status == RO_OK && pump.output.writers[0]->cut_alpha)
        status = reader_drop(pump.reader, RO_DROPPED_ALPHA,
                             "soft alpha (a palette's is all or nothing)");
    if (status == RO_OK)
        status = note_above(pump.reader, options);
    if (status == RO_OK)
        status = file_output_commit(&pump.output);
    file_output_close(&pump.output);
    if (dropped)
        *dropped = *ro_reader_dropped(pump.reader);
    ro_reader_close(pump.reader);
    return status;
}

ro_status ro_halftone_file(ro_context *context, const char *in, const char *out,
                           const ro_halftone_options *options, const ro_read_options *read,
                           const ro_write_options *write, ro_dropped *dropped)
{
    return ro_halftone_video(context, in, out, options, read, write, dropped, NULL);
}
