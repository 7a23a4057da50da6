/* SPDX-License-Identifier: MIT */
/* Opening a file: its type from its first bytes, its decoder, then upright and resized. */
#include "io/files/reader.h"

#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "io/bytes/inflate.h"
#include "io/filters/alpha.h"
#include "io/filters/profile.h"
#include "io/formats/types.h"
#include "io/video/y4m.h"
#include "roundoff_io_command.h"
#include "roundoff_io_pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONG_ROW = 1 << 20 };

ro_status stage_check_size(struct open_file *file, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0)
        return file_fail(file, RO_E_SIZE, "the image is empty (%ju x %ju)", (uintmax_t)width,
                         (uintmax_t)height);
    if (width > RO_MAX_SIDE || height > RO_MAX_SIDE)
        return file_too_large(file, width, height);
    return RO_OK;
}

static ro_status find_type(struct ro_reader *reader, const char *asked,
                           const struct file_type **type)
{
    struct byte_source *source = &reader->source;
    char types[RO_TYPES_TEXT];
    size_t have;
    ro_status status = source_peek(source, RO_TYPE_HEAD, &have);
    if (status != RO_OK)
        return status;
    if (have == 0)
        return file_fail(&reader->file, RO_E_FORMAT, "the file is empty");
    *type = file_type_of(source->bytes + source->begin, have);
    if (asked) {
        const struct file_extension *extension = file_extension_of(asked);
        if (!extension)
            return file_fail(&reader->file, RO_E_ARGUMENT,
                             "'%s' is not a known type; a picture may be %s", asked,
                             types_read(types, sizeof types));
        if (*type != extension->type)
            return file_fail(&reader->file, RO_E_FORMAT, "not a %s file", extension->type->label);
    }
    if (!*type && have >= 10 && memcmp(source->bytes + source->begin, "MATLAB 5.0", 10) == 0)
        return file_fail(&reader->file, RO_E_UNSUPPORTED,
                         "a MAT file of version 5; those of 7.3 are read (save -v7.3)");
    if (!*type)
        return file_fail(&reader->file, RO_E_FORMAT, "not an image that can be read (%s)",
                         types_read(types, sizeof types));
    return (*type)->left_out ? type_left_out(&reader->file, *type) : RO_OK;
}

/* The last stage of the chain, for a further one, which owns it. */
static struct row_stage *take_last(struct ro_reader *reader)
{
    struct row_stage *last = reader->stage;
    reader->stage = NULL;
    return last;
}

/* The stages on top of the decoder. */
static ro_status build_chain(struct ro_reader *reader)
{
    const ro_read_options *options = &reader->options;
    struct row_stage *decoder = reader->decoder = reader->stage;
    ro_status status = RO_OK;
    snprintf(decoder->info.type, sizeof decoder->info.type, "%s", reader->type->name);
    decoder->info.stack = reader->last - reader->options.page + 1;
    if (decoder->no_memory)
        return file_fail(&reader->file, RO_E_MEMORY, "not enough memory to read its head");
    if (decoder->raw && decoder->profile)
        file_drop(&reader->file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
    if (decoder->raw)
        status = samples_stage(take_last(reader), &reader->span, &reader->stage);
#if RO_WITH_LCMS
    if (status == RO_OK && reader->stage->profile)
        status = profile_stage(take_last(reader), options, &reader->stage);
#endif
    if (status != RO_OK)
        return status;
    reader->has_alpha = reader->stage->alpha != RO_NO_ALPHA;
    if (reader->has_alpha || options->alpha == RO_ALPHA_ONLY)
        status = alpha_stage(take_last(reader), options, &reader->stage);
    if (status == RO_OK && reader->stage->orientation > 1 && reader->stage->orientation <= 8)
        status = orient_stage(take_last(reader), &reader->stage);
    return status == RO_OK ? shape_stages(&reader->stage, options) : status;
}

/* Bytes of the pages that are read, as they would lie in a file that is not packed. */
static double bytes_of_pages(const struct ro_reader *reader)
{
    const struct row_stage *decoder = reader->stage;
    const ro_file_info *info = &decoder->info;
    const double pages = decoder->stack ? reader->last - reader->page + 1 : 1;
    const double samples = channels_of(info->format) + (decoder->alpha != RO_NO_ALPHA);
    const double bytes = decoder->raw ? bytes_of_sample(info->sample)
                         : info->format == RO_GREY8 && info->maxval == 1
                             ? 1 / 8.
                             : ro_format_sample_bytes(info->format);
    return (double)info->width * info->height * samples * bytes * pages;
}

/* The limits of the context, before memory is taken by the size that a file declares. */
static ro_status check_limits(struct ro_reader *reader)
{
    const ro_limits *limits = ro_context_limits(reader->file.context);
    const ro_file_info *info = &reader->stage->info;
    const uint64_t pixels = (uint64_t)info->width * info->height;
    const double bytes = bytes_of_pages(reader);
    if (pixels > limits->pixels)
        return file_fail(&reader->file, RO_E_SIZE, "%u x %u are more pixels than the limit, %ju",
                         info->width, info->height, (uintmax_t)limits->pixels);
    if (reader->last - reader->page >= limits->pages)
        return file_fail(&reader->file, RO_E_SIZE, "%u pages are more than the limit, %ju",
                         reader->last - reader->page + 1, (uintmax_t)limits->pages);
    if (reader->source.size != RO_SIZE_UNKNOWN && bytes > RO_SMALL_ENOUGH &&
        bytes / (double)limits->ratio > (double)reader->source.size)
        return file_unpacks(&reader->file, limits->ratio);
    return RO_OK;
}

static ro_status check_dropped(struct ro_reader *reader)
{
    if (!reader->strict || !reader->file.dropped.what)
        return RO_OK;
    return file_fail(&reader->file, RO_E_UNSUPPORTED, "must not be dropped: %s",
                     reader->file.dropped.text);
}

ro_status reader_drop(ro_reader *reader, unsigned what, const char *words)
{
    file_drop(&reader->file, what, "%s", words);
    return check_dropped(reader);
}

/* Very long rows: the first is read before anyone takes memory by the size that a file declares. */
static ro_status read_ahead(struct ro_reader *reader)
{
    size_t row = stage_row_bytes(reader->stage);
    if (row <= LONG_ROW)
        return RO_OK;
    if (row > memory_limit(&reader->file) || !(reader->ahead = malloc(row)))
        return file_no_memory(&reader->file, row);
    return reader->stage->rows(reader->stage, reader->ahead, (ptrdiff_t)row, 1);
}

/* What the file says, for as long as there is a reader; what nobody carries on is dropped. */
static ro_status keep_info(struct ro_reader *reader)
{
    const ro_read_options *options = &reader->options;
    ro_file_info *info = &reader->info;
    ro_dropped lost;
    *info = reader->stage->info;
    if (options->resize_width || options->resize_height || options->resize_percent != 0 ||
        options->enlarge > 1 || options->crop_width || options->turns || options->mirror) {
        memset(info->spacing, 0, sizeof info->spacing);
        info->header = NULL;
    }
    if (info->description && !(reader->description = strdup(info->description)))
        return file_no_memory(&reader->file, strlen(info->description));
    if (info->header && !(reader->header = malloc(info->header_size + 1)))
        return file_no_memory(&reader->file, info->header_size);
    if (info->header)
        memcpy(reader->header, info->header, info->header_size);
    info->description = reader->description;
    info->header = reader->header;
    ro_file_info said = *info;
    said.dpi_x = said.dpi_y = 0; /* which whoever writes tells of */
    ro_writer_loses(NULL, NULL, &said, NULL, &lost);
    if (lost.what && !options->carries)
        file_drop(&reader->file, lost.what, "%s", lost.text);
    return RO_OK;
}

/* The name behind "file.npz:", where there is no file of the whole name; NULL: none. */
static const char *member_of(const char *path)
{
    const char *colon = strchr(path, ':');
    struct stat about;
    return colon && colon > path && colon[1] && stat(path, &about) != 0 ? colon + 1 : NULL;
}

/* Whether a file is a video, which is then at its beginning. */
static ro_status look_for_video(struct byte_source *source, bool *video)
{
    size_t have = 0;
    ro_status status = source_peek(source, Y4M_HEAD, &have);
    *video = status == RO_OK && y4m_is(source->bytes + source->begin, have);
    return status;
}

static ro_status open_file(struct ro_reader *reader, const char *path)
{
    const char *member = member_of(path);
    if (!member)
        return source_open(&reader->source, &reader->file, path);
    reader->member = strdup(member);
    char *file = strndup(path, strlen(path) - strlen(member) - 1);
    ro_status status = reader->member && file ? source_open(&reader->source, &reader->file, file)
                                              : file_no_memory(&reader->file, strlen(path));
    free(file);
    return status;
}

static ro_status open_source(struct ro_reader *reader, const char *path,
                             const struct reader_bytes *bytes, bool *video)
{
    ro_status status = RO_OK;
    if (bytes)
        source_open_memory(&reader->source, &reader->file, bytes->data, bytes->size);
    else
        status = open_file(reader, path);
    if (status == RO_OK)
        status = source_unpack(&reader->source, reader->member);
    reader->source.member = reader->member;
    return status == RO_OK && video ? look_for_video(&reader->source, video) : status;
}

/* The reader without its file; NULL: there is no memory. */
static ro_reader *make_reader(ro_context *context, const char *path, const ro_read_options *options)
{
    ro_reader *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    file_init(&made->file, context, path, "standard input");
    made->strict = options->strict;
    made->page = options->page ? options->page : 1;
    made->options = *options;
    made->options.page = made->page;
    if (options->page || options->pages == RO_PAGES_ALL)
        made->file.not_dropped = RO_DROPPED_PAGES;
    if (options->profile == RO_PROFILE_IGNORE)
        made->file.not_dropped |= RO_DROPPED_PROFILE | RO_DROPPED_GAMMA;
    return made;
}

/* All on top of the decoder. */
static ro_status open_chain(struct ro_reader *reader)
{
    ro_status status = reader_choose_pages(reader);
    if (status == RO_OK)
        status = check_limits(reader);
    if (status == RO_OK)
        status = reader_measure(reader);
    if (status == RO_OK)
        status = build_chain(reader);
    if (status == RO_OK)
        status = read_ahead(reader);
    return status == RO_OK ? keep_info(reader) : status;
}

ro_status reader_open(ro_context *context, const char *path, const struct reader_bytes *bytes,
                      const ro_read_options *options, bool *video, ro_reader **reader)
{
    ro_read_options full = RO_READ_OPTIONS;
    *reader = NULL;
    if (video)
        *video = false;
    ro_status status = file_named(context, path);
    if (status == RO_OK)
        status = take_options(context, options, &full, "RO_READ_OPTIONS");
    if (status != RO_OK)
        return status;
    ro_reader *made = make_reader(context, path, &full);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory to open %s", path);
    status = open_source(made, path, bytes, video);
    if (!video || !*video) {
        if (status == RO_OK)
            status = find_type(made, made->options.type, &made->type);
        if (status == RO_OK)
            status = made->type->decode(&made->source, made->page, &made->stage);
        if (status == RO_OK)
            status = open_chain(made);
    }
    if (status == RO_OK)
        status = check_dropped(made);
    if (status == RO_OK)
        *reader = made;
    else
        ro_reader_close(made);
    return status;
}

ro_status ro_reader_open(ro_context *context, const char *path, const ro_read_options *options,
                         ro_reader **reader)
{
    if (reader)
        *reader = NULL;
    if (MISSING(context, path, reader))
        return RO_E_ARGUMENT;
    return reader_open(context, path, NULL, options, NULL, reader);
}

ro_status reader_open_memory(ro_context *context, const void *bytes, size_t size,
                             const ro_read_options *options, ro_reader **reader)
{
    return reader_open(context, "memory", &(struct reader_bytes){bytes, size}, options, NULL,
                       reader);
}

const ro_dropped *ro_reader_dropped(const ro_reader *reader)
{
    return reader ? &reader->file.dropped : NULL;
}

const ro_file_info *ro_reader_info(const ro_reader *reader)
{
    return reader ? &reader->info : NULL;
}

/* Counts samples above white; not those of integers, which have no such. */
static void count_above(ro_reader *reader, const uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    const ro_file_info *info = &reader->stage->info;
    if (info->format != RO_GREYF && info->format != RO_RGBF)
        return;
    const size_t samples = (size_t)info->width * (info->format == RO_RGBF ? 3 : 1);
    for (uint32_t y = 0; y < count; y++) {
        const float *row = (const float *)(const void *)(rows + (ptrdiff_t)y * stride);
        uint64_t above = 0;
        for (size_t i = 0; i < samples; i++) {
            above += row[i] > 1;
            reader->largest = row[i] > reader->largest ? row[i] : reader->largest;
        }
        reader->above += above;
    }
    reader->floats += samples * count;
}

ro_status ro_reader_rows(ro_reader *reader, void *rows, ptrdiff_t stride, uint32_t count,
                         uint32_t *got)
{
    if (ABSENT(reader, got))
        return RO_E_ARGUMENT;
    *got = 0;
    if (reader->status != RO_OK) /* a decoder that failed cannot go on, and may be gone */
        return ro_context_fail(reader->file.context, reader->status, "%s", reader->file.message);
    const uint32_t left = reader->stage->info.height - reader->row;
    if (count > left)
        count = left;
    if (!rows_fit(rows, stride, count, stage_row_bytes(reader->stage)))
        return ro_context_fail(reader->file.context, RO_E_ARGUMENT,
                               "there is no room for the rows to read");
    ro_status status = file_check_stop(&reader->file);
    uint32_t given = 0;
    if (status == RO_OK && count > 0 && reader->ahead) {
        memcpy(rows, reader->ahead, stage_row_bytes(reader->stage));
        free(reader->ahead);
        reader->ahead = NULL;
        given = 1;
    }
    if (status == RO_OK && count > given)
        status = reader->stage->rows(reader->stage, (uint8_t *)rows + given * stride, stride,
                                     count - given);
    if (status == RO_OK)
        status = check_dropped(reader);
    if (status != RO_OK)
        return reader->status = status;
    count_above(reader, rows, stride, count);
    reader->row += count;
    *got = count;
    return RO_OK;
}

ro_status ro_reader_seek(ro_reader *reader, uint32_t row)
{
    if (ABSENT(reader))
        return RO_E_ARGUMENT;
    struct row_stage *stage = reader->stage;
    if (reader->status != RO_OK)
        return ro_context_fail(reader->file.context, reader->status, "%s", reader->file.message);
    if (row > stage->info.height)
        return file_fail(&reader->file, RO_E_ARGUMENT, "there is no row %u of %u", row,
                         stage->info.height);
    if (!stage->seek || !reader->source.seekable)
        return file_fail(&reader->file, RO_E_UNSUPPORTED,
                         "its rows can be read one after another only; those of raw PNM, NPY by "
                         "rows and TIFF, upright and not resized, can be read from anywhere");
    if (row == reader->row)
        return RO_OK;
    free(reader->ahead);
    reader->ahead = NULL;
    reader->row = row;
    return reader->status = row < stage->info.height ? stage->seek(stage, row) : RO_OK;
}

static bool alike(const ro_file_info *a, const ro_file_info *b)
{
    return a->format == b->format && a->width == b->width && a->height == b->height &&
           a->maxval == b->maxval && a->sample == b->sample;
}

/* Whether the stages on top of decoder `a` are also right for decoder `b`. */
static bool same_stages(const struct row_stage *a, const struct row_stage *b)
{
    return alike(&a->info, &b->info) && a->raw == b->raw && a->alpha == b->alpha &&
           a->orientation == b->orientation && !a->profile == !b->profile;
}

static ro_status refuse_page(ro_reader *reader)
{
    const ro_file_info *first = &reader->info, *now = &reader->stage->info;
    return file_fail(&reader->file, RO_E_FORMAT,
                     "page %u is %u x %u of %s (%s, up to %u), where those before are %u x %u "
                     "of %s (%s, up to %u); pages of one stack have the same shape",
                     reader->page + 1, now->width, now->height, ro_format_name(now->format),
                     sample_name(now->sample), now->maxval, first->width, first->height,
                     ro_format_name(first->format), sample_name(first->sample), first->maxval);
}

/* The page may need other stages than the one before; what they give must be like the first page.
 */
static ro_status open_next(ro_reader *reader)
{
    const bool had_alpha = reader->has_alpha;
    bool rebuild = !reader->stage->next;
    ro_status status = RO_OK;
    if (!rebuild) {
        const struct row_stage before = *reader->decoder;
        status = reader->stage->next(reader->stage);
        rebuild = status == RO_OK && !same_stages(&before, reader->decoder);
    }
    if (rebuild)
        status = reader_reopen(reader, reader->page + 1);
    if (rebuild && status == RO_OK)
        status = build_chain(reader);
    if (status == RO_OK && !alike(&reader->info, &reader->stage->info))
        return refuse_page(reader);
    if (status == RO_OK && reader->has_alpha && !had_alpha &&
        reader->options.alpha == RO_ALPHA_KEEP)
        return file_fail(&reader->file, RO_E_FORMAT,
                         "page %u has alpha, which cannot be kept: those before have none",
                         reader->page + 1);
    reader->has_alpha = reader->has_alpha || had_alpha;
    return status;
}

ro_status ro_reader_next(ro_reader *reader)
{
    if (ABSENT(reader))
        return RO_E_ARGUMENT;
    if (reader->status != RO_OK)
        return ro_context_fail(reader->file.context, reader->status, "%s", reader->file.message);
    if (reader->page == reader->last)
        return file_fail(&reader->file, RO_E_STATE, "page %u is the last one that is read",
                         reader->page);
    if (reader->row < reader->stage->info.height)
        return file_fail(&reader->file, RO_E_STATE, "rows of page %u are left", reader->page);
    ro_status status = open_next(reader);
    if (status == RO_OK)
        status = check_dropped(reader);
    if (status != RO_OK)
        return reader->status = status;
    reader->page++;
    reader->row = 0;
    return RO_OK;
}

void ro_reader_close(ro_reader *reader)
{
    if (!reader)
        return;
    if (reader->stage)
        reader->stage->close(reader->stage);
    source_close(&reader->source);
    free(reader->member);
    free(reader->description);
    free(reader->header);
    free(reader->ahead);
    free(reader);
}
