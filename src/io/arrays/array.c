/* SPDX-License-Identifier: MIT */
#include "io/arrays/array.h"

#include "core/checked.h"
#include "io/arrays/columns.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are samples of ours. */
static const struct plain {
    char kind;
    int bytes;
    ro_format grey, colour;
    uint32_t maxval;
} plains[] = {
    {'u', 1, RO_GREY8, RO_RGB8, 255},
    {'u', 2, RO_GREY16, RO_RGB16, 65535},
    {'b', 1, RO_GREY8, RO_RGB8, 1},
    {'f', 4, RO_GREYF, RO_RGBF, 1},
};
enum { PLAINS = sizeof plains / sizeof *plains };

static const struct plain *plain_of(char kind, int bytes)
{
    for (int i = 0; i < PLAINS; i++)
        if (plains[i].kind == kind && plains[i].bytes == bytes)
            return &plains[i];
    return NULL;
}

bool array_knows(char kind, int bytes)
{
    return plain_of(kind, bytes) || sample_type_of(kind, bytes) != RO_SAMPLE_PLAIN;
}

ro_status array_axes(struct open_file *file, const uint64_t *sizes, int axes, const char *shape,
                     struct array_file *array)
{
    const uint64_t last = axes ? sizes[axes - 1] : 0;
    array->channels = 1;
    if (axes < 2 || axes > RO_OUTER_AXES + 2)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "an array of shape %s is not an image; (h, w), (h, w, 1) and (h, w, 3) "
                         "are, with up to %d axes of pages before them",
                         shape, RO_OUTER_AXES);
    if (axes > 2 && (last == 2 || last == 4))
        return file_fail(
            file, RO_E_UNSUPPORTED,
            "an array of shape %s is not an image: it may be %d channels, or pages that are %d "
            "wide; a[..., 0] takes a channel, a[..., :3] three",
            shape, (int)last, (int)last);
    if (axes > 2 && (last == 1 || last == 3)) {
        array->channels = (int)last;
        axes--;
    }
    array->height = sizes[axes - 2];
    array->width = sizes[axes - 1];
    array->outer_count = axes - 2;
    if (array->outer_count > RO_OUTER_AXES)
        return file_fail(file, RO_E_UNSUPPORTED, "an array of shape %s has too many axes", shape);
    memcpy(array->outer, sizes, (size_t)array->outer_count * sizeof *sizes);
    return RO_OK;
}

/* ---- Rows in -------------------------------------------------------------------------------- */

struct decoder {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    struct array_file array;
    struct column_reader columns; /* of an array stored by columns */
    size_t row_bytes, samples;
    uint32_t row;
    unsigned page;  /* from 0 */
    uint64_t first; /* where the page that was asked for begins */
    unsigned first_page;
    void *header; /* the one of the info */
};

/* Where a page lies among those of an array by columns, whose first index is the fastest. */
static size_t place_by_columns(const struct array_file *array, unsigned page)
{
    size_t place = 0, step = 1, at[RO_OUTER_AXES] = {0};
    for (int i = array->outer_count - 1; i >= 0; i--) {
        at[i] = page % array->outer[i];
        page /= (unsigned)array->outer[i];
    }
    for (int i = 0; i < array->outer_count; i++) {
        place += at[i] * step;
        step *= (size_t)array->outer[i];
    }
    return place;
}

static ro_status open_columns(struct decoder *self)
{
    const struct array_file *array = &self->array;
    ro_status status = columns_open(
        &self->columns, self->source, (size_t)array->bytes, self->stage.info.pages,
        self->stage.info.height, (size_t)array->width, array->pair ? 2 : (size_t)array->channels);
    if (status == RO_OK)
        columns_page(&self->columns, place_by_columns(array, self->page));
    return status;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct decoder *self = (struct decoder *)stage;
    ro_status status = RO_OK;
    if (self->array.by_columns && !self->columns.bytes)
        status = open_columns(self);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        if (self->array.by_columns)
            columns_row(&self->columns, self->row, rows);
        else
            status = source_need(self->source, rows, self->row_bytes);
        self->row++;
        if (self->array.swapped)
            sample_swap(rows, (size_t)self->array.bytes, self->samples);
        if (self->array.kind == 'b')
            for (size_t i = 0; i < self->samples; i++)
                rows[i] = rows[i] != 0;
    }
    return status;
}

static ro_status seek_row(struct row_stage *stage, uint32_t row)
{
    struct decoder *self = (struct decoder *)stage;
    const uint64_t rows = (uint64_t)(self->page - self->first_page) * stage->info.height + row;
    self->row = row;
    return source_seek(self->source, self->first + rows * self->row_bytes);
}

static ro_status next_page(struct row_stage *stage)
{
    struct decoder *self = (struct decoder *)stage;
    self->page++;
    self->row = 0;
    if (self->columns.bytes)
        columns_page(&self->columns, place_by_columns(&self->array, self->page));
    return RO_OK;
}

static void close_reader(struct row_stage *stage)
{
    struct decoder *self = (struct decoder *)stage;
    columns_close(&self->columns);
    free(self->header);
    free(self);
}

ro_status array_info(struct open_file *file, const struct array_file *array, ro_file_info *info,
                     bool *raw)
{
    const struct plain *plain = plain_of(array->kind, array->bytes);
    uint64_t pages = 1;
    ro_status status =
        array->width > UINT32_MAX
            ? file_too_large(file, array->width, array->height)
            : stage_check_size(file, array->width * (array->pair ? 2 : 1), array->height);
    if (status != RO_OK)
        return status;
    for (int i = 0; i < array->outer_count; i++) {
        if (array->outer[i] == 0)
            return file_fail(file, RO_E_SIZE, "the stack has no pages");
        if (array->outer[i] > INT32_MAX || __builtin_mul_overflow(pages, array->outer[i], &pages) ||
            pages > INT32_MAX)
            return file_fail(file, RO_E_SIZE, "the stack has too many pages");
    }
    info->width = (uint32_t)array->width * (array->pair ? 2 : 1);
    info->height = (uint32_t)array->height;
    info->pages = (unsigned)pages;
    memset(info->outer, 0, sizeof info->outer);
    if (array->outer_count > 1)
        for (int i = 0; i < array->outer_count; i++)
            info->outer[i] = (uint32_t)array->outer[i];
    info->sample = plain ? RO_SAMPLE_PLAIN : sample_type_of(array->kind, array->bytes);
    info->format = array->channels == 3 ? plain ? plain->colour : RO_RGBF
                   : plain              ? plain->grey
                                        : RO_GREYF;
    info->maxval = plain ? plain->maxval : 1;
    *raw = !plain;
    return RO_OK;
}

/* Size, pages and format; the sizes are what a file claims. */
static ro_status read_shape(struct decoder *self)
{
    const ro_file_info *info = &self->stage.info;
    ro_status status =
        array_info(self->stage.file, &self->array, &self->stage.info, &self->stage.raw);
    self->stage.stack = true;
    self->samples = (size_t)info->width * (size_t)self->array.channels;
    self->row_bytes = self->samples * (size_t)self->array.bytes;
    return status;
}

/* The array must be there whole: a stack that ends early is no shorter one. */
static ro_status check_bytes(struct decoder *self)
{
    const ro_file_info *info = &self->stage.info;
    const uint64_t left = source_left(self->source);
    size_t page, all;
    if (!size_multiply(self->row_bytes, info->height, &page) ||
        !size_multiply(page, info->pages, &all))
        return file_too_large(self->stage.file, info->width, info->height);
    if (left == RO_SIZE_UNKNOWN)
        return RO_OK;
    if (all > left)
        return file_fail(self->stage.file, RO_E_FORMAT,
                         "the file ends early: its array takes %zu bytes, %" PRIu64 " are there",
                         all, left);
    if (all < left)
        file_drop(self->stage.file, RO_DROPPED_PAGES, "what follows the array");
    return RO_OK;
}

ro_status array_decode(struct byte_source *source, const struct array_file *array, unsigned page,
                       const ro_file_info *more, struct row_stage **stage)
{
    struct decoder *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage = (struct row_stage){
        .file = source->file, .rows = read_rows, .close = close_reader, .next = next_page};
    if (more)
        self->stage.info = *more;
    if (more && more->header_size > 0) {
        self->header = malloc(more->header_size);
        if (!self->header) {
            close_reader(&self->stage);
            return file_no_memory(source->file, more->header_size);
        }
        memcpy(self->header, more->header, more->header_size);
        self->stage.info.header = self->header;
    }
    self->source = source;
    self->array = *array;
    self->page = page - 1;
    ro_status status = read_shape(self);
    if (status == RO_OK)
        status = check_bytes(self);
    if (status == RO_OK && !array->by_columns && page > 1 && page <= self->stage.info.pages)
        status =
            source_skip(source, (uint64_t)(page - 1) * self->row_bytes * self->stage.info.height);
    if (status != RO_OK) {
        close_reader(&self->stage);
        return status;
    }
    self->first = source->position;
    self->first_page = self->page;
    if (!array->by_columns)
        self->stage.seek = seek_row;
    *stage = &self->stage;
    return RO_OK;
}

ro_status array_load_pairs(struct byte_source *source, const struct array_file *array,
                           ro_image *field)
{
    const struct sample_span none = RO_SPAN_EMPTY;
    struct array_file pairs = *array;
    struct row_stage *stage;
    pairs.pair = true;
    pairs.channels = 1;
    ro_status status = array_decode(source, &pairs, 1, NULL, &stage);
    if (status == RO_OK && stage->raw)
        status = samples_stage(stage, &none, &stage);
    if (status != RO_OK)
        return status;
    status = ro_image_alloc(source->file->context, RO_GREYF, stage->info.width, stage->info.height,
                            0, field);
    if (status == RO_OK)
        status = stage->rows(stage, field->data, field->stride, field->height);
    stage->close(stage);
    return status;
}

/* ---- Rows out ------------------------------------------------------------------------------- */

struct encoder {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    ro_file_info info;
    size_t row_bytes, samples; /* of a row in the file */
    uint8_t *line;             /* a row of packed numbers; NULL: samples are written as they are */
};

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct encoder *self = (struct encoder *)encoder;
    if (!self->line && stride == (ptrdiff_t)self->row_bytes)
        return sink_write(self->sink, rows, self->row_bytes * count);
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        if (self->line)
            samples_pack(&self->info, self->line, rows, self->samples);
        status = sink_write(self->sink, self->line ? self->line : rows, self->row_bytes);
    }
    return status;
}

static void close_writer(struct row_encoder *encoder)
{
    free(((struct encoder *)encoder)->line);
    free(encoder);
}

struct array_file array_of(const ro_file_info *info)
{
    struct array_file array = {
        .channels = channels_of(info->format), .width = info->width, .height = info->height};
    const unsigned pages = info->stack ? info->stack : 1;
    uint64_t product = 1;
    for (int i = 0; i < PLAINS; i++)
        if (plains[i].kind != 'b' &&
            (plains[i].grey == info->format || plains[i].colour == info->format)) {
            array.kind = plains[i].kind;
            array.bytes = plains[i].bytes;
        }
    if (!array.kind) /* levels, a byte each */
        array.kind = 'u', array.bytes = 1;
    if (info->sample != RO_SAMPLE_PLAIN) {
        array.kind = sample_is_whole(info->sample) ? *sample_name(info->sample) : 'f';
        array.bytes = (int)bytes_of_sample(info->sample);
    }
    for (int i = 0; i < RO_OUTER_AXES && info->outer[i]; i++) {
        array.outer[array.outer_count++] = info->outer[i];
        product *= info->outer[i];
    }
    if (product != pages || array.outer_count == 0) {
        array.outer_count = pages > 1;
        array.outer[0] = pages;
    }
    return array;
}

bool array_is_truth(const ro_file_info *info)
{
    return info->sample == RO_SAMPLE_PLAIN && !info->palette && !info->inks && info->maxval == 1 &&
           (info->format == RO_INDEX8 || info->format == RO_GREY8 || info->format == RO_RGB8);
}

ro_status array_encode(struct byte_sink *sink, const ro_file_info *info,
                       struct row_encoder **encoder)
{
    struct encoder *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(sink->file, sizeof *self);
    const struct array_file array = array_of(info);
    self->encoder =
        (struct row_encoder){.rows = write_rows, .finish = encoder_finished, .close = close_writer};
    self->sink = sink;
    self->info = *info;
    self->samples = (size_t)info->width * (size_t)array.channels;
    self->row_bytes = self->samples * (size_t)array.bytes;
    *encoder = &self->encoder;
    if (info->sample != RO_SAMPLE_PLAIN && !(self->line = malloc(self->row_bytes)))
        return file_no_memory(sink->file, self->row_bytes);
    return RO_OK;
}
