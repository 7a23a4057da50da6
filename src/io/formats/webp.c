/* SPDX-License-Identifier: MIT */
/*
 * WebP in, by libwebp: lossy and lossless, with alpha, and any frame of an animation as a page. The
 * file is held, and its pixels are unpacked with the first row that is asked for.
 */
#include "io/filters/profile.h"
#include "io/filters/stage.h"
#include "io/formats/exif.h"

#include <stdlib.h>
#include <string.h>
#include <webp/demux.h>

enum {
    LARGEST_FILE = 1 << 30,
    SMALL_SCREEN = 1 << 22, /* pixels of an animation that are believed whatever the file's size */
    PIXELS_PER_BYTE = 1 << 14,
};

struct webp {
    struct row_stage stage; /* first, so that a stage can be cast back */
    char *bytes;
    size_t size;
    unsigned page;
    WebPAnimDecoder *decoder; /* owns `pixels` */
    uint8_t *pixels;          /* red, green, blue, alpha; NULL: nothing was unpacked yet */
    uint32_t row;
};

static ro_status improper(struct webp *self)
{
    return file_fail(self->stage.file, RO_E_FORMAT, "not a proper WebP file");
}

static void read_chunks(struct webp *self, const WebPDemuxer *demuxer, uint32_t flags)
{
    static const char mark[6] = "Exif\0";
    struct open_file *file = self->stage.file;
    WebPChunkIterator chunk;
    if (flags & ICCP_FLAG && WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk)) {
        profile_take(&self->stage, chunk.chunk.bytes, chunk.chunk.size);
        WebPDemuxReleaseChunkIterator(&chunk);
    }
    if (flags & EXIF_FLAG && WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk)) {
        const uint8_t *bytes = chunk.chunk.bytes;
        size_t size = chunk.chunk.size;
        if (size > sizeof mark && memcmp(bytes, mark, sizeof mark) == 0) {
            bytes += sizeof mark;
            size -= sizeof mark;
        }
        const struct exif_data exif = exif_read(bytes, size);
        self->stage.orientation = exif.orientation;
        self->stage.info.dpi_x = exif.dpi_x;
        self->stage.info.dpi_y = exif.dpi_y;
        if (exif.more)
            file_drop(file, RO_DROPPED_METADATA, "EXIF data");
        WebPDemuxReleaseChunkIterator(&chunk);
    }
    if (flags & XMP_FLAG)
        file_drop(file, RO_DROPPED_METADATA, "XMP data");
}

static ro_status read_info(struct webp *self)
{
    const WebPData data = {(const uint8_t *)self->bytes, self->size};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    WebPDemuxer *demuxer = WebPDemuxPartial(&data, &state);
    if (!demuxer || state != WEBP_DEMUX_DONE) {
        const bool early = demuxer || state == WEBP_DEMUX_PARSING_HEADER;
        WebPDemuxDelete(demuxer);
        return early ? file_ends_early(self->stage.file) : improper(self);
    }
    const uint32_t flags = WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS);
    self->stage.info = (ro_file_info){.format = RO_RGB8,
                                      .width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH),
                                      .height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT),
                                      .maxval = 255,
                                      .pages = WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)};
    if (flags & (ALPHA_FLAG | ANIMATION_FLAG))
        self->stage.alpha = RO_STRAIGHT_ALPHA;
    const uint64_t pixels = (uint64_t)self->stage.info.width * self->stage.info.height;
    if (flags & ANIMATION_FLAG && pixels > SMALL_SCREEN &&
        !stage_plausible(self->size, pixels, PIXELS_PER_BYTE)) {
        WebPDemuxDelete(demuxer);
        return improper(self);
    }
    read_chunks(self, demuxer, flags);
    WebPDemuxDelete(demuxer);
    return stage_check_size(self->stage.file, self->stage.info.width, self->stage.info.height);
}

static ro_status unpack(struct webp *self)
{
    const WebPData data = {(const uint8_t *)self->bytes, self->size};
    const uint64_t held = UINT64_C(8) * self->stage.info.width * self->stage.info.height;
    if (held > memory_limit(self->stage.file))
        return file_no_memory(self->stage.file, held);
    self->decoder = WebPAnimDecoderNew(&data, NULL);
    if (!self->decoder)
        return improper(self);
    for (unsigned i = 0; i < self->page; i++) {
        int time;
        ro_status status = file_check_stop(self->stage.file);
        if (status != RO_OK)
            return status;
        if (!WebPAnimDecoderGetNext(self->decoder, &self->pixels, &time))
            return improper(self);
    }
    return RO_OK;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct webp *self = (struct webp *)stage;
    const size_t given = stage->alpha == RO_NO_ALPHA ? 3 : 4;
    ro_status status = self->pixels ? RO_OK : unpack(self);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride, self->row++) {
        const uint8_t *from = self->pixels + 4 * (size_t)self->row * stage->info.width;
        for (size_t x = 0; x < stage->info.width; x++)
            memcpy(rows + x * given, from + 4 * x, given);
    }
    return status;
}

static void close_reader(struct row_stage *stage)
{
    struct webp *self = (struct webp *)stage;
    WebPAnimDecoderDelete(self->decoder);
    profile_free(stage);
    free(self->bytes);
    free(self);
}

ro_status webp_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct webp *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->page = page;
    ro_status status = source_all(source, LARGEST_FILE, &self->bytes, &self->size);
    if (status == RO_OK)
        status = read_info(self);
    return stage_opened(&self->stage, status, stage);
}
