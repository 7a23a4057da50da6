/* SPDX-License-Identifier: MIT */
/*
 * JPEG in, by libjpeg. Grey stays grey, YCbCr becomes RGB, CMYK and YCCK become RGB. libjpeg would
 * rather show a damaged picture than none: here damage and a missing end are errors.
 *
 * libjpeg reports errors by longjmp. Each function below that calls into it sets the jump itself
 * and keeps no local variable across it.
 */
#include "io/filters/convert.h"
#include "io/filters/profile.h"
#include "io/filters/stage.h"
#include "io/formats/exif.h"

#include <stdio.h> /* jpeglib.h needs it before */

#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SCANS = 1000,      /* a progressive file can ask for endless work */
    PIXELS_PER_BYTE = 512,  /* a block of 64 takes a bit at least */
    LONGEST_MARKER = 65535, /* as the format has it */
    ADOBE_CHANNELS = 4,
    ONLY_ITS_NAME = 32, /* enough of a marker to know it */
    ICC_HEAD = 14,      /* of a part of a profile */
};

struct jpeg {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr input;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    ro_status status;
    bool created, started;
    uint8_t *line; /* CMYK of a row */
};

/* ---- What libjpeg calls ------------------------------------------------------------------- */

static void leave(struct jpeg *self, ro_status status)
{
    self->status = status;
    longjmp(self->jump, 1);
}

/* Valid kinds of JPEG that libjpeg was not built for: 12 bits, and the frames that are lossless
 * (SOF3, 7, 11, 15) or hierarchical. */
static ro_status check_supported(j_common_ptr common)
{
    struct jpeg *self = common->client_data;
    const int what = common->err->msg_parm.i[0];
    if (common->err->msg_code == JERR_BAD_PRECISION && (what == 12 || what == 16))
        return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                         "a JPEG file of %d bits a sample: it is valid, but only 8 are read", what);
    if (common->err->msg_code == JERR_SOF_UNSUPPORTED)
        return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                         "a %s JPEG file: it is valid, but only baseline and progressive ones "
                         "are read",
                         (what & 3) == 3 ? "lossless" : "hierarchical");
    return RO_OK;
}

static void leave_with_text(j_common_ptr common)
{
    struct jpeg *self = common->client_data;
    char text[JMSG_LENGTH_MAX];
    const ro_status status = check_supported(common);
    if (status != RO_OK)
        leave(self, status);
    common->err->format_message(common, text);
    leave(self, common->err->msg_code == JERR_OUT_OF_MEMORY
                    ? file_fail(self->stage.file, RO_E_MEMORY, "not enough memory")
                    : file_fail(self->stage.file, RO_E_FORMAT, "not a proper JPEG file: %s", text));
}

/* Damage to the picture is an error; any other warning of libjpeg is noted. */
static void on_message(j_common_ptr common, int level)
{
    struct jpeg *self = common->client_data;
    char text[JMSG_LENGTH_MAX];
    static const int damage[] = {JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_JPEG_EOF,
                                 JWRN_MUST_RESYNC, JWRN_BOGUS_PROGRESSION};
    for (size_t i = 0; level < 0 && i < sizeof damage / sizeof *damage; i++)
        if (common->err->msg_code == damage[i])
            leave_with_text(common);
    if (level >= 0 || self->stage.file->dropped.what & RO_DROPPED_DAMAGE)
        return;
    common->err->format_message(common, text);
    file_drop(self->stage.file, RO_DROPPED_DAMAGE, "oddities beside its pixels (%.60s)", text);
}

static void print_nothing(j_common_ptr common) { (void)common; }

static void on_progress(j_common_ptr common)
{
    struct jpeg *self = common->client_data;
    ro_status status = file_check_stop(self->stage.file);
    if (status == RO_OK && self->jpeg.input_scan_number > MOST_SCANS)
        status = file_fail(self->stage.file, RO_E_FORMAT, "more than %d scans", MOST_SCANS);
    if (status != RO_OK)
        leave(self, status);
}

static void no_action(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean fill_input(j_decompress_ptr jpeg)
{
    struct jpeg *self = jpeg->client_data;
    struct byte_source *source = self->source;
    size_t have;
    ro_status status = source_peek(source, 1, &have);
    if (status == RO_OK && have == 0)
        status = file_ends_early(self->stage.file);
    if (status != RO_OK)
        leave(self, status);
    self->input.next_input_byte = source->bytes + source->begin;
    self->input.bytes_in_buffer = have;
    source->begin += have;
    source->position += have;
    return TRUE;
}

static void skip_input(j_decompress_ptr jpeg, long count)
{
    struct jpeg *self = jpeg->client_data;
    if (count <= 0)
        return;
    if ((size_t)count <= self->input.bytes_in_buffer) {
        self->input.next_input_byte += count;
        self->input.bytes_in_buffer -= (size_t)count;
        return;
    }
    ro_status status = source_skip(self->source, (size_t)count - self->input.bytes_in_buffer);
    if (status != RO_OK)
        leave(self, status);
    self->input.bytes_in_buffer = 0;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static bool begins(jpeg_saved_marker_ptr marker, int code, const char *mark, size_t size)
{
    return marker->marker == code && marker->data_length > size &&
           memcmp(marker->data, mark, size) == 0;
}

static void note_dropped(struct jpeg *self)
{
    static const struct {
        int code;
        const char *mark;
        size_t size;
        unsigned what;
        const char *words;
    } known[] = {
        {JPEG_APP0 + 1, "http://ns.adobe.com/x", 21, RO_DROPPED_METADATA, "XMP data"},
        {JPEG_APP0 + 2, "MPF", 4, RO_DROPPED_PAGES, "further pictures"},
        {JPEG_APP0 + 13, "", 0, RO_DROPPED_METADATA, "Photoshop data"},
        {JPEG_COM, "", 0, RO_DROPPED_METADATA, "a comment"},
    };
    struct open_file *file = self->stage.file;
    for (jpeg_saved_marker_ptr marker = self->jpeg.marker_list; marker; marker = marker->next) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (begins(marker, known[i].code, known[i].mark, known[i].size))
                file_drop(file, known[i].what, "%s", known[i].words);
    }
}

/* A profile may lie in many markers, each of which says which of how many it is. */
static jpeg_saved_marker_ptr part_of_profile(struct jpeg *self, int part)
{
    enum { PART = 12 };
    jpeg_saved_marker_ptr marker = self->jpeg.marker_list;
    while (marker && !(begins(marker, JPEG_APP0 + 2, "ICC_PROFILE", PART) &&
                       marker->data_length > ICC_HEAD && marker->data[PART] == part))
        marker = marker->next;
    return marker;
}

static void read_profile(struct jpeg *self, bool ink)
{
    size_t size = 0, used = 0;
    jpeg_saved_marker_ptr marker;
    const jpeg_saved_marker_ptr first = part_of_profile(self, 1);
    const int parts = first ? first->data[ICC_HEAD - 1] : 0;
    bool whole = true;
    for (int i = 1; i <= parts; i++) {
        marker = part_of_profile(self, i);
        whole = whole && marker;
        size += marker ? marker->data_length - ICC_HEAD : 0;
    }
    uint8_t *bytes = parts && whole ? malloc(size) : NULL;
    for (int i = 1; bytes && i <= parts; i++) {
        marker = part_of_profile(self, i);
        memcpy(bytes + used, marker->data + ICC_HEAD, marker->data_length - ICC_HEAD);
        used += marker->data_length - ICC_HEAD;
    }
    self->stage.no_memory = parts && whole && !bytes;
    if (bytes)
        profile_take(&self->stage, bytes, size);
    else if (first)
        file_drop(self->stage.file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
    if (self->stage.profile && ink && profile_is(bytes, size, "CMYK")) {
        self->stage.profile->inks = true;
        self->stage.profile->inverted = self->jpeg.saw_Adobe_marker;
    }
    free(bytes);
}

static void read_resolution(struct jpeg *self)
{
    static const char mark[6] = "Exif\0";
    const struct jpeg_decompress_struct *jpeg = &self->jpeg;
    ro_file_info *info = &self->stage.info;
    for (jpeg_saved_marker_ptr marker = jpeg->marker_list; marker; marker = marker->next)
        if (begins(marker, JPEG_APP0 + 1, mark, sizeof mark)) {
            struct exif_data exif =
                exif_read(marker->data + sizeof mark, marker->data_length - sizeof mark);
            self->stage.orientation = exif.orientation;
            info->dpi_x = exif.dpi_x;
            info->dpi_y = exif.dpi_y;
            if (exif.more)
                file_drop(self->stage.file, RO_DROPPED_METADATA, "EXIF data");
            break;
        }
    if (jpeg->saw_JFIF_marker && (jpeg->density_unit == 1 || jpeg->density_unit == 2)) {
        double scale = jpeg->density_unit == 2 ? 2.54 : 1;
        info->dpi_x = jpeg->X_density * scale;
        info->dpi_y = jpeg->Y_density * scale;
    }
}

static ro_status check_memory(struct jpeg *self)
{
    uint64_t pixels = (uint64_t)self->jpeg.image_width * self->jpeg.image_height;
    if (!self->jpeg.arith_code && !stage_plausible(self->source->size, pixels, PIXELS_PER_BYTE))
        return file_ends_early(self->stage.file);
    /* The coefficients of a file of several scans are all held until its last scan. */
    uint64_t held = pixels * (uint64_t)self->jpeg.num_components * sizeof(JCOEF);
    if (jpeg_has_multiple_scans(&self->jpeg) && held > memory_limit(self->stage.file))
        return file_no_memory(self->stage.file, held);
    return RO_OK;
}

static ro_status read_info(struct jpeg *self)
{
    struct jpeg_decompress_struct *jpeg = &self->jpeg;
    if (setjmp(self->jump))
        return self->status;
    jpeg_create_decompress(jpeg);
    self->created = true;
    jpeg->src = &self->input;
    jpeg->progress = &self->progress;
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, LONGEST_MARKER);
    jpeg_save_markers(jpeg, JPEG_APP0 + 2, LONGEST_MARKER);
    jpeg_save_markers(jpeg, JPEG_APP0 + 13, ONLY_ITS_NAME);
    jpeg_save_markers(jpeg, JPEG_COM, ONLY_ITS_NAME);
    jpeg_read_header(jpeg, TRUE);

    bool grey = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    bool ink = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    if (!grey && !ink && jpeg->jpeg_color_space != JCS_YCbCr && jpeg->jpeg_color_space != JCS_RGB)
        return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                         "a JPEG file of %d channels of unknown colours", jpeg->num_components);
    jpeg->out_color_space = grey ? JCS_GRAYSCALE : ink ? JCS_CMYK : JCS_RGB;
    self->stage.info = (ro_file_info){.format = grey ? RO_GREY8 : RO_RGB8,
                                      .width = jpeg->image_width,
                                      .height = jpeg->image_height,
                                      .maxval = 255,
                                      .pages = 1};
    read_resolution(self);
    note_dropped(self);
    read_profile(self, ink);
    self->status = stage_check_size(self->stage.file, jpeg->image_width, jpeg->image_height);
    return self->status == RO_OK ? check_memory(self) : self->status;
}

/* ---- Rows in ------------------------------------------------------------------------------ */

static ro_status start(struct jpeg *self)
{
    if (setjmp(self->jump))
        return self->status;
    if (self->jpeg.out_color_space == JCS_CMYK) {
        size_t bytes = (size_t)self->jpeg.image_width * ADOBE_CHANNELS;
        self->line = malloc(bytes);
        if (!self->line)
            return file_no_memory(self->stage.file, bytes);
    }
    jpeg_start_decompress(&self->jpeg);
    self->started = true;
    return RO_OK;
}

static ro_status read_row(struct jpeg *self, uint8_t *row)
{
    if (setjmp(self->jump))
        return self->status;
    JSAMPROW to = self->line ? self->line : row;
    jpeg_read_scanlines(&self->jpeg, &to, 1);
    if (self->line && self->stage.profile && self->stage.profile->inks)
        memcpy(row, self->line, (size_t)self->stage.info.width * ADOBE_CHANNELS);
    else if (self->line) /* Adobe's programs store ink upside down, and only they do */
        cmyk_to_rgb(row, self->line, self->stage.info.width, self->jpeg.saw_Adobe_marker);
    if (self->jpeg.output_scanline == self->jpeg.output_height)
        jpeg_finish_decompress(&self->jpeg); /* checks that the file has its end */
    return RO_OK;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct jpeg *self = (struct jpeg *)stage;
    ro_status status = self->started ? RO_OK : start(self);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride)
        status = read_row(self, rows);
    return status;
}

static void close_reader(struct row_stage *stage)
{
    struct jpeg *self = (struct jpeg *)stage;
    if (self->created)
        jpeg_destroy_decompress(&self->jpeg);
    profile_free(stage);
    free(self->line);
    free(self);
}

ro_status jpeg_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct jpeg *self = calloc(1, sizeof *self);
    (void)page;
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->source = source;
    self->jpeg.err = jpeg_std_error(&self->errors);
    self->jpeg.client_data = self;
    self->errors.error_exit = leave_with_text;
    self->errors.emit_message = on_message;
    self->errors.output_message = print_nothing;
    self->progress.progress_monitor = on_progress;
    self->input.init_source = no_action;
    self->input.fill_input_buffer = fill_input;
    self->input.skip_input_data = skip_input;
    self->input.resync_to_restart = jpeg_resync_to_restart;
    self->input.term_source = no_action;
    ro_status status = read_info(self);
    return stage_opened(&self->stage, status, stage);
}
