/* SPDX-License-Identifier: MIT */
/*
 * Rows on their way. A reader is a chain of stages: a decoder (one per file type), then upright
 * turning and resizing where they are asked for. Each gives rows one after another and owns the
 * stage before it. A writer is one encoder.
 */
#ifndef RO_IO_FILTERS_STAGE_H
#define RO_IO_FILTERS_STAGE_H

#include "io/bytes/sink.h"
#include "io/bytes/source.h"
#include "io/filters/convert.h"

/* Whether the colours of each pixel have alpha behind them, 0 to maxval, in the same row. */
enum row_alpha { RO_NO_ALPHA, RO_STRAIGHT_ALPHA, RO_MULTIPLIED_ALPHA };

struct sample_profile;

struct row_stage {
    struct open_file *file;
    ro_file_info info;
    int orientation;                /* as EXIF and TIFF count, 1 to 8; 0 and 1: upright */
    enum row_alpha alpha;           /* of decoders only */
    struct sample_profile *profile; /* the same: what samples mean; NULL: sRGB */
    bool no_memory;                 /* for what states its colours, which would come out wrong */
    bool stack;                     /* all pages have one shape */
    bool raw; /* rows hold numbers of info.sample, which become those of a format later */
    /* Gives the next `count` rows; never asked for more than there are, nor after a failure. */
    ro_status (*rows)(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count);
    /* Makes `row` the next one; NULL: rows come one after another only. */
    ro_status (*seek)(struct row_stage *stage, uint32_t row);
    void (*close)(struct row_stage *stage);
    /* Where rows begin in a plain file if they lie there one after another, as bytes of the whole
     * row; 0: they do not. `turn` makes what lies there what a stage gives; NULL: it is. */
    uint64_t place;
    void (*turn)(uint8_t *rows, size_t bytes);
    /* Goes on to the next page, when all rows were given. A decoder's info, alpha, orientation,
     * profile and raw are then those of that page, and the reader builds the chain anew where they
     * differ; a stage on top passes the call on. NULL: the page is opened anew. */
    ro_status (*next)(struct row_stage *stage);
};

struct row_encoder {
    /* Takes the next `count` rows, in the format that was agreed on at the start; the first of a
     * page follows the last of the page before. */
    ro_status (*rows)(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                      uint32_t count);
    ro_status (*finish)(struct row_encoder *encoder);
    void (*close)(struct row_encoder *encoder);
    /* The same for writing: rows of `row_bytes` from `place` on, turned before. */
    uint64_t place;
    size_t row_bytes;
    void (*turn)(const struct row_encoder *encoder, uint8_t *rows, uint32_t count);
};

/* Encoders whose rows are packed by groups that know nothing of each other, for ro_parts. */
struct packed_groups {
    uint32_t (*rows)(const struct row_encoder *encoder);              /* of a group */
    ro_status (*sizes)(struct row_encoder *encoder, uint64_t *sizes); /* of what was written */
    /* Takes the sizes of all groups instead of rows. */
    ro_status (*frame)(struct row_encoder *encoder, const uint64_t *sizes);
};
extern const struct packed_groups tiff_groups;

/* Opens a decoder at the given page (from 1). It need not check that the page exists if its type
 * has one page only. */
typedef ro_status decode_fn(struct byte_source *source, unsigned page, struct row_stage **stage);

/* Opens an encoder; `info` is what its rows will be, resolution included, and `options` are those
 * of the writer, which a type looks at only for what it alone has. */
typedef ro_status encode_fn(struct byte_sink *sink, const ro_file_info *info,
                            const ro_write_options *options, struct row_encoder **encoder);

decode_fn pnm_decode, png_decode, tiff_decode, jpeg_decode, npy_decode, bmp_decode, gif_decode,
    pam_decode, pfm_decode, webp_decode;
encode_fn pnm_encode, png_encode, tiff_encode, npy_encode, bmp_encode, mem_encode, packed_encode,
    bits_encode, carray_encode;

decode_fn nifti_decode, nrrd_decode, hdf5_decode;
encode_fn nifti_encode, nrrd_encode, npz_encode, hdf5_encode;

/* See struct file_type. */
ro_status npz_alone(struct byte_source *source, const char *member);
ro_status hdf5_alone(struct byte_source *source, const char *member);

/* Writes two floats per pixel, (h, w, 2) in the file, from rows of RO_GREYF twice as wide. */
encode_fn npy_encode_pairs;

/* Stages on top of `before`, which they own from then on; on a failure they close it. */
ro_status orient_stage(struct row_stage *before, struct row_stage **stage);
ro_status resize_stage(struct row_stage *before, const ro_read_options *options,
                       struct row_stage **stage);

/* As often each way, and the middle of a picture that is no smaller; the same. */
ro_status replicate_stage(struct row_stage *before, uint32_t times, struct row_stage **stage);
ro_status crop_stage(struct row_stage *before, uint32_t width, uint32_t height,
                     struct row_stage **stage);
/* A part of it that lies anywhere in it; the same. */
ro_status crop_at_stage(struct row_stage *before, uint32_t left, uint32_t top, uint32_t width,
                        uint32_t height, struct row_stage **stage);

/* Puts the stages on top of *stage that the options ask for; after a failure *stage is NULL, or as
 * it was. */
ro_status shape_stages(struct row_stage **stage, const ro_read_options *options);

/* Scales the resolution with the pixels, so that the size on paper stays; one that says nothing
 * (ro_resolution_is_stated) becomes unknown. */
void stage_scale_resolution(ro_file_info *info, double across, double down);

/* 8-bit grey in which text, lines and codes are black and white; the same. */
ro_status page_stage(struct row_stage *before, struct row_stage **stage);

/* Ends the opening of a decoder: it is given if `status` is RO_OK, else closed. Returns `status`.
 */
static inline ro_status stage_opened(struct row_stage *made, ro_status status,
                                     struct row_stage **stage)
{
    if (status == RO_OK)
        *stage = made;
    else
        made->close(made);
    return status;
}

/* row_encoder.finish of files that end with their last row. */
static inline ro_status encoder_finished(struct row_encoder *encoder)
{
    (void)encoder;
    return RO_OK;
}

/* What every decoder does first with the size that a file declares. */
ro_status stage_check_size(struct open_file *file, uint64_t width, uint64_t height);

/* Bytes of a row of what a stage gives. */
static inline size_t stage_row_bytes(const struct row_stage *stage)
{
    size_t bytes = ro_format_row_bytes(stage->info.format, stage->info.width);
    if (stage->alpha != RO_NO_ALPHA)
        bytes += bytes / (size_t)channels_of(stage->info.format);
    return bytes;
}

/* Whether `left` bytes of a file can hold `pixels` bytes when at best `ratio` to one is packed: a
 * tiny file that declares a huge image is refused before memory is taken for it. */
static inline bool stage_plausible(uint64_t left, uint64_t pixels, uint64_t ratio)
{
    return left == RO_SIZE_UNKNOWN || pixels / ratio <= left;
}

#endif
