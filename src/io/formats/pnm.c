/* SPDX-License-Identifier: MIT */
/*
 * PBM, PGM and PPM, plain (P1 to P3) and raw (P4 to P6). A raw file may hold several images one
 * after another: its pages. Raw 8-bit rows are read straight into the caller's buffer. In a PBM
 * file white is 0; here it is 1.
 */
#include "io/filters/convert.h"
#include "io/filters/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pnm {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    char kind;                 /* '1' to '6' */
    bool counted;              /* what follows the image is known */
    uint32_t row;              /* the next one */
    uint64_t first, row_bytes; /* of a raw file: where its rows begin, and of one of them */
    uint8_t *line;             /* packed bits of a row of P4 */
};

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* A byte, a comment counting as the newline that ends it. */
static int byte_or_comment(struct byte_source *source, ro_status *status)
{
    int c = source_byte(source, status);
    if (c == '#')
        file_drop(source->file, RO_DROPPED_METADATA, "a comment");
    if (c == '#')
        while (c != -1 && c != '\n' && c != '\r')
            c = source_byte(source, status);
    return c;
}

/* A decimal number after any blanks, and the one byte behind it. Too many digits give a number
 * that is too large, not a wrong one. */
static ro_status number(struct byte_source *source, uint64_t *value)
{
    ro_status status = RO_OK;
    int c = byte_or_comment(source, &status);
    while (is_space(c))
        c = byte_or_comment(source, &status);
    if (c == -1)
        return status != RO_OK ? status : file_ends_early(source->file);
    if (c < '0' || c > '9')
        return file_fail(source->file, RO_E_FORMAT,
                         "not a proper PNM file: a number is expected at byte %" PRIu64,
                         source->position - 1);
    for (*value = 0; c >= '0' && c <= '9'; c = byte_or_comment(source, &status))
        if (*value < UINT64_MAX / 100)
            *value = 10 * *value + (uint64_t)(c - '0');
    if (status != RO_OK)
        return status;
    if (c != -1 && !is_space(c))
        return file_fail(source->file, RO_E_FORMAT,
                         "not a proper PNM file: a blank is expected at byte %" PRIu64,
                         source->position - 1);
    return RO_OK;
}

/* ---- Headers and pages -------------------------------------------------------------------- */

struct header {
    char kind;
    uint64_t width, height, maxval;
};

static bool is_raw(char kind) { return kind >= '4'; }

static ro_status read_header(struct byte_source *source, struct header *header)
{
    size_t have;
    ro_status status = source_peek(source, 2, &have);
    if (status != RO_OK)
        return status;
    const uint8_t *head = source->bytes + source->begin;
    if (have < 2 || head[0] != 'P' || head[1] < '1' || head[1] > '6')
        return file_fail(source->file, RO_E_FORMAT, "not a PNM file");
    header->kind = (char)head[1];
    header->maxval = 1;
    if ((status = source_skip(source, 2)) != RO_OK ||
        (status = number(source, &header->width)) != RO_OK ||
        (status = number(source, &header->height)) != RO_OK)
        return status;
    if (header->kind != '1' && header->kind != '4' &&
        (status = number(source, &header->maxval)) != RO_OK)
        return status;
    status = stage_check_size(source->file, header->width, header->height);
    if (status == RO_OK && (header->maxval < 1 || header->maxval > 65535))
        status =
            file_fail(source->file, RO_E_FORMAT,
                      "the largest value is %" PRIu64 ", it must be 1 to 65535", header->maxval);
    return status;
}

static uint64_t raster_bytes(const struct header *header)
{
    if (header->kind == '4')
        return (header->width + 7) / 8 * header->height;
    return header->width * header->height * (header->kind == '6' ? 3 : 1) *
           (header->maxval > 255 ? 2 : 1);
}

/* A plain file has a digit for every sample and, but for bits, a blank between two of them. */
static uint64_t least_bytes(const struct header *header)
{
    if (is_raw(header->kind))
        return raster_bytes(header);
    uint64_t samples = header->width * header->height * (header->kind == '3' ? 3 : 1);
    return header->kind == '1' ? samples : 2 * samples - 1;
}

/* Pages that follow the current one, whose pixels start here; comes back to them. */
static unsigned count_more(struct byte_source *source, struct header header)
{
    uint64_t start = source->position;
    unsigned pages = 0;
    bool rest = false;
    if (!source->seekable || !is_raw(header.kind))
        return 0;
    source->file->quiet = true;
    while (raster_bytes(&header) <= source_left(source) &&
           source_skip(source, raster_bytes(&header)) == RO_OK) {
        size_t have;
        if (source_peek(source, 3, &have) != RO_OK || have < 3)
            break;
        const uint8_t *head = source->bytes + source->begin;
        bool page = head[0] == 'P' && head[1] >= '4' && head[1] <= '6' && is_space(head[2]);
        rest = !page || read_header(source, &header) != RO_OK ||
               raster_bytes(&header) > source_left(source);
        if (rest)
            break; /* anything else behind an image is no page */
        pages++;
    }
    source->file->quiet = false;
    if (rest)
        file_drop(source->file, RO_DROPPED_PAGES, "what follows the pictures");
    return source_seek(source, start) == RO_OK ? pages : 0;
}

/* ---- Rows in ------------------------------------------------------------------------------ */

static ro_status too_bright(struct pnm *pnm, uint64_t value)
{
    return file_fail(pnm->stage.file, RO_E_FORMAT,
                     "a value of %" PRIu64 " is above the largest, %u", value,
                     pnm->stage.info.maxval);
}

static ro_status check_values(struct pnm *pnm, const void *samples, size_t count, bool wide)
{
    uint32_t maxval = pnm->stage.info.maxval;
    if (maxval == (wide ? 65535u : 255u))
        return RO_OK;
    uint32_t largest = wide ? largest16(samples, count) : largest8(samples, count);
    return largest > maxval ? too_bright(pnm, largest) : RO_OK;
}

static ro_status raw_rows(struct pnm *pnm, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    const ro_file_info *info = &pnm->stage.info;
    size_t row = stage_row_bytes(&pnm->stage);
    bool wide = info->format == RO_GREY16 || info->format == RO_RGB16;
    if (stride == (ptrdiff_t)row) { /* no gaps: all rows are one long read */
        row *= count;
        count = 1;
    }
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = source_need(pnm->source, rows, row);
        if (status != RO_OK)
            return status;
        if (wide && little_endian())
            swap16((uint16_t *)rows, row / 2);
        if ((status = check_values(pnm, rows, wide ? row / 2 : row, wide)) != RO_OK)
            return status;
    }
    return RO_OK;
}

static ro_status raw_bits(struct pnm *pnm, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    uint32_t width = pnm->stage.info.width;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = source_need(pnm->source, pnm->line, ((size_t)width + 7) / 8);
        if (status != RO_OK)
            return status;
        unpack_bits(rows, pnm->line, width, 1, 1);
    }
    return RO_OK;
}

/* Digits of a plain PBM need no blanks between them. */
static ro_status plain_bit(struct pnm *pnm, uint64_t *value)
{
    ro_status status = RO_OK;
    int c = byte_or_comment(pnm->source, &status);
    while (is_space(c))
        c = byte_or_comment(pnm->source, &status);
    if (c == -1)
        return status != RO_OK ? status : file_ends_early(pnm->stage.file);
    if (c != '0' && c != '1')
        return file_fail(pnm->stage.file, RO_E_FORMAT,
                         "not a proper PBM file: 0 or 1 is expected at byte %" PRIu64,
                         pnm->source->position - 1);
    *value = c == '0';
    return RO_OK;
}

static ro_status plain_rows(struct pnm *pnm, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    const ro_file_info *info = &pnm->stage.info;
    size_t samples = (size_t)info->width * (size_t)channels_of(info->format);
    bool wide = info->format == RO_GREY16 || info->format == RO_RGB16;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = file_check_stop(pnm->stage.file);
        for (size_t i = 0; i < samples && status == RO_OK; i++) {
            uint64_t value = 0;
            status = pnm->kind == '1' ? plain_bit(pnm, &value) : number(pnm->source, &value);
            if (status == RO_OK && value > info->maxval)
                status = too_bright(pnm, value);
            if (wide)
                ((uint16_t *)rows)[i] = (uint16_t)value;
            else
                rows[i] = (uint8_t)value;
        }
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

/* After the last row of a pipe or a plain file: a further image, or something else. */
static ro_status look_behind(struct pnm *pnm)
{
    ro_status status = RO_OK;
    int c = ' ';
    if (pnm->counted || pnm->stage.file->not_dropped & RO_DROPPED_PAGES)
        return RO_OK;
    while (is_space(c))
        c = source_byte(pnm->source, &status);
    int kind = c == 'P' ? source_byte(pnm->source, &status) : -1;
    if (kind >= '1' && kind <= '6')
        file_drop(pnm->stage.file, RO_DROPPED_PAGES, "further images");
    else if (c != -1)
        file_drop(pnm->stage.file, RO_DROPPED_PAGES, "what follows the picture");
    return status;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct pnm *pnm = (struct pnm *)stage;
    ro_status status = pnm->kind == '4'    ? raw_bits(pnm, rows, stride, count)
                       : is_raw(pnm->kind) ? raw_rows(pnm, rows, stride, count)
                                           : plain_rows(pnm, rows, stride, count);
    pnm->row += count;
    if (status == RO_OK && count > 0 && pnm->row == stage->info.height)
        status = look_behind(pnm);
    return status;
}

static ro_status seek_row(struct row_stage *stage, uint32_t row)
{
    struct pnm *pnm = (struct pnm *)stage;
    pnm->row = row;
    return source_seek(pnm->source, pnm->first + row * pnm->row_bytes);
}

static void close_reader(struct row_stage *stage)
{
    free(((struct pnm *)stage)->line);
    free(stage);
}

static void swap_rows(uint8_t *rows, size_t bytes) { swap16((uint16_t *)rows, bytes / 2); }

ro_status pnm_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct header header;
    for (unsigned at = 1;; at++) {
        ro_status status = read_header(source, &header);
        if (status != RO_OK)
            return status;
        if (at == page)
            break;
        size_t have;
        if (is_raw(header.kind) &&
            ((status = source_skip(source, raster_bytes(&header))) != RO_OK ||
             (status = source_peek(source, 1, &have)) != RO_OK))
            return status;
        if (!is_raw(header.kind) || have == 0)
            return file_fail(source->file, RO_E_ARGUMENT, "there is no page %u; the last one is %u",
                             page, at);
    }
    if (least_bytes(&header) > source_left(source))
        return file_fail(source->file, RO_E_FORMAT,
                         "the file ends early: %" PRIu64 " x %" PRIu64 " pixels take %" PRIu64
                         " bytes%s, %" PRIu64 " are there",
                         header.width, header.height, least_bytes(&header),
                         is_raw(header.kind) ? "" : " at least", source_left(source));

    struct pnm *pnm = calloc(1, sizeof *pnm);
    if (!pnm)
        return file_no_memory(source->file, sizeof *pnm);
    bool colour = header.kind == '3' || header.kind == '6', wide = header.maxval > 255;
    pnm->stage = (struct row_stage){
        .file = source->file,
        .rows = read_rows,
        .seek = is_raw(header.kind) ? seek_row : NULL,
        .close = close_reader,
        .info = {.format = colour ? (wide ? RO_RGB16 : RO_RGB8) : (wide ? RO_GREY16 : RO_GREY8),
                 .width = (uint32_t)header.width,
                 .height = (uint32_t)header.height,
                 .maxval = (uint32_t)header.maxval,
                 .pages = page + count_more(source, header)}};
    pnm->source = source;
    pnm->kind = header.kind;
    pnm->counted = source->seekable && is_raw(header.kind);
    pnm->first = source->position;
    pnm->row_bytes = raster_bytes(&header) / header.height;
    /* of other depths every value is looked at */
    if (is_raw(header.kind) && (header.maxval == 255 || header.maxval == 65535))
        pnm->stage.place = pnm->first;
    if (header.maxval == 65535 && little_endian())
        pnm->stage.turn = swap_rows;
    if (header.kind == '4' && !(pnm->line = malloc((header.width + 7) / 8))) {
        close_reader(&pnm->stage);
        return file_no_memory(source->file, header.width / 8);
    }
    *stage = &pnm->stage;
    return RO_OK;
}

/* ---- Rows out ----------------------------------------------------------------------------- */

struct pnm_encoder {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    ro_format format;
    size_t row;
    uint8_t *line;   /* NULL: rows are written as they are */
    uint8_t padding; /* the bits of a row's last byte that count */
};

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct pnm_encoder *pnm = (struct pnm_encoder *)encoder;
    if (!pnm->line && stride == (ptrdiff_t)pnm->row)
        return sink_write(pnm->sink, rows, pnm->row * count);
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        if (pnm->format == RO_BITS) {
            for (size_t i = 0; i < pnm->row; i++)
                pnm->line[i] = (uint8_t)~rows[i];
            pnm->line[pnm->row - 1] &= pnm->padding;
        } else if (pnm->line) {
            memcpy(pnm->line, rows, pnm->row);
            swap16((uint16_t *)pnm->line, pnm->row / 2);
        }
        ro_status status = sink_write(pnm->sink, pnm->line ? pnm->line : rows, pnm->row);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static void turn_rows(const struct row_encoder *encoder, uint8_t *rows, uint32_t count)
{
    const struct pnm_encoder *pnm = (const struct pnm_encoder *)encoder;
    const size_t row = pnm->row;
    if (pnm->format != RO_BITS) {
        swap16((uint16_t *)rows, row / 2 * count);
        return;
    }
    for (size_t i = 0; i < row * count; i++)
        rows[i] = (uint8_t)~rows[i];
    for (uint32_t y = 0; y < count; y++)
        rows[y * row + row - 1] &= pnm->padding;
}

static void close_writer(struct row_encoder *encoder)
{
    free(((struct pnm_encoder *)encoder)->line);
    free(encoder);
}

ro_status pnm_encode(struct byte_sink *sink, const ro_file_info *info,
                     const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    char header[64];
    bool bits = info->format == RO_BITS, wide = info->maxval > 255;
    struct pnm_encoder *pnm = calloc(1, sizeof *pnm);
    if (!pnm)
        return file_no_memory(sink->file, sizeof *pnm);
    pnm->encoder =
        (struct row_encoder){.rows = write_rows, .finish = encoder_finished, .close = close_writer};
    pnm->sink = sink;
    pnm->format = info->format;
    pnm->row = ro_format_row_bytes(info->format, info->width);
    pnm->padding = (uint8_t)(0xff << (7 - (info->width + 7) % 8));
    if ((bits || (wide && little_endian())) && !(pnm->line = malloc(pnm->row))) {
        close_writer(&pnm->encoder);
        return file_no_memory(sink->file, pnm->row);
    }
    int used = snprintf(header, sizeof header, "P%c\n%u %u\n",
                        bits ? '4' : (channels_of(info->format) == 3 ? '6' : '5'), info->width,
                        info->height);
    if (!bits)
        used += snprintf(header + used, sizeof header - (size_t)used, "%u\n", info->maxval);
    pnm->encoder.place = sink->position + (size_t)used;
    pnm->encoder.row_bytes = pnm->row;
    pnm->encoder.turn = pnm->line ? turn_rows : NULL;
    *encoder = &pnm->encoder;
    return sink_write(sink, header, (size_t)used);
}
