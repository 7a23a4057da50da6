/* SPDX-License-Identifier: MIT */
/*
 * Image files for Roundoff: libroundoff_io, a small library on top of libroundoff.
 *
 * Readers and writers work in rows, so that an image larger than memory passes through. A file
 * type that was left out of the build gives RO_E_UNSUPPORTED and says so.
 */
#ifndef ROUNDOFF_IO_H
#define ROUNDOFF_IO_H

#include "roundoff.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a file holds its samples, where it is not as the format has them. */
typedef enum ro_sample {
    RO_SAMPLE_PLAIN,  /* as the format: bits, uint8, uint16, float32; tones up to maxval */
    RO_SAMPLE_UINT16, /* numbers rather than tones: they stay as they are in wider samples */
    RO_SAMPLE_INT8,
    RO_SAMPLE_INT16,
    RO_SAMPLE_UINT32,
    RO_SAMPLE_INT32,
    RO_SAMPLE_UINT64,
    RO_SAMPLE_INT64,
    RO_SAMPLE_FLOAT16,
    RO_SAMPLE_FLOAT64,
} ro_sample;

enum { RO_OUTER_AXES = 6 };

/* What a file holds, as ro_reader_rows will give it. */
typedef struct ro_file_info {
    ro_format format; /* never RO_INDEX8 from a reader; bits arrive as RO_GREY8 with maxval 1 */
    uint32_t width, height;
    uint32_t maxval;
    double dpi_x, dpi_y; /* 0: not stated */
    unsigned pages;      /* pages in the file, of a pipe those up to the one read; mostly 1 */
    char type[8];        /* "pnm", "png", "tiff", "jpeg", "npy" */

    /* For writers, with RO_INDEX8. */
    const ro_palette *palette; /* the numbers' colours; must outlive the writer. NULL: levels */
    int inks;                  /* 1: the low four bits are the inks of RO_CHANNELS_CMYK */

    /* Measurements. A reader gives integers of other types than uint8 and uint16 as samples from 0
     * to maxval, the least of them being 0, where these need no more than 16 bits, else as floats;
     * a writer makes the file's numbers of them again. */
    ro_sample sample;
    int64_t zero; /* the file's number is sample + zero; 0 of floats */

    /* Stacks. `stack` is how many pages a reader was asked for, and a writer takes: all of them
     * have the same shape, and their rows follow one another. 0: one. */
    unsigned stack;
    uint32_t outer[RO_OUTER_AXES]; /* sizes of the axes that pages lie on, the slowest first, ended
                                      by 0; their product is `pages`. {0}: pages alone */

    /* What else a file says. The text and the bytes of the header belong to the reader, or to the
     * image of ro_image_load, and are freed with it. ro_info_carry passes on what is still true of
     * a result. */
    const char *description; /* NULL: none */
    double spacing[3];       /* of pixels, rows and pages in `unit`; 0: not stated */
    char unit[12];           /* "um", "mm", ...; "": not stated */
    double slope, intercept; /* number n stands for slope * n + intercept; slope 0: for itself */
    const void *header;      /* for a writer of the same type; NULL: none */
    size_t header_size;
    int with_alpha; /* for writers: 1: rows come with alpha, by ro_writer_rows_alpha */

    /* Inks, for writers: these instead of those of RO_CHANNELS_CMYK, as RO_CHANNELS_INKS has them.
     */
    const ro_ink *ink_list; /* NULL: those */
    int ink_count;
    int light; /* 1: levels of RO_INDEX8 are evenly spaced in light, and written as sRGB of it */
} ro_file_info;

/* What a file holds that a reader does not give. */
enum {
    RO_DROPPED_PAGES = 1 << 0,    /* further pages, images or frames, where no page was asked for */
    RO_DROPPED_ALPHA = 1 << 1,    /* some pixel was not opaque and was laid over white */
    RO_DROPPED_CHANNELS = 1 << 2, /* channels that are neither colour nor alpha */
    RO_DROPPED_PROFILE = 1 << 3,  /* an ICC profile that is not sRGB's */
    RO_DROPPED_GAMMA = 1 << 4,    /* gamma or primaries that are not sRGB's */
    RO_DROPPED_METADATA = 1 << 5, /* EXIF but for turning and resolution, XMP, text, ... */
    RO_DROPPED_RESOLUTION = 1 << 6, /* dots per inch that the output has no place for */
    RO_DROPPED_PRECISION = 1 << 7,  /* bits of numbers that the samples have no room for */
    RO_DROPPED_ABOVE = 1 << 8,  /* most floats of a halftoned file lie above 1, which is white */
    RO_DROPPED_DAMAGE = 1 << 9, /* flaws that the picture survives: bytes between the markers of a
                                   JPEG file, tiles that a TIFF file leaves out */
};
typedef struct ro_dropped {
    unsigned what;
    char text[240]; /* in words, "2 further pages, EXIF data"; "": nothing was dropped */
} ro_dropped;

/* What becomes of alpha, which colours of a file may have. */
typedef enum ro_alpha {
    RO_ALPHA_DEFAULT = 0, /* laid over the background, else over white, which counts as dropped */
    RO_ALPHA_OVER,        /* the same, and nothing is dropped: it was asked for */
    RO_ALPHA_KEEP,        /* colours as they are; the background where nothing is seen.
                             ro_halftone_file: the result has the same alpha */
    RO_ALPHA_DROP,        /* colours as they are, whatever is seen of them */
    RO_ALPHA_ONLY,        /* alpha itself, as grey; of a picture without it all is opaque */
} ro_alpha;

/* What becomes of colours that are not sRGB's by the file's ICC profile, gamma or primaries. */
typedef enum ro_profile_use {
    RO_PROFILE_DROP = 0, /* samples are taken as sRGB's, and the profile counts as dropped */
    RO_PROFILE_APPLY,    /* they become sRGB's, where lcms2 is part of the build; else the same */
    RO_PROFILE_IGNORE,   /* samples are sRGB's: it was asked for, and nothing is dropped */
} ro_profile_use;

/* What width and height mean that a picture is resized to. */
typedef enum ro_resize_rule {
    RO_RESIZE_EXACT = 0, /* what they say, whatever becomes of the proportions */
    RO_RESIZE_FIT,       /* the largest that lies within them; proportions stay */
    RO_RESIZE_FILL,      /* the smallest that covers them; what stands out is cut off both sides */
} ro_resize_rule;

/* What a picture shows. */
typedef enum ro_content {
    RO_CONTENT_PHOTO = 0, /* samples as they are */
    RO_CONTENT_PAGE,      /* text, lines and codes become black and white, as 8-bit grey */
} ro_content;

typedef struct ro_read_options {
    size_t size;                          /* RO_READ_OPTIONS sets it */
    const char *type;                     /* NULL: by content */
    unsigned page;                        /* 0: the first; pages count from 1 */
    uint32_t resize_width, resize_height; /* both 0: as it is; one 0: in proportion */
    double resize_percent;                /* of both sides, instead of the two; 0: none */
    int resize_light; /* 1: samples are sRGB and mixed as light; 0: as the numbers they are */
    int strict;       /* 1: what would be dropped is an error, RO_E_UNSUPPORTED */
    ro_alpha alpha;
    int background_given;  /* 0: white */
    uint8_t background[3]; /* sRGB; a colour makes grey pictures with alpha RGB */
    ro_resize_rule resize_rule;
    uint32_t enlarge; /* every pixel so many times each way, as it is, instead; 0: none */
    unsigned pages;   /* how many, from `page` on; 0: one; RO_PAGES_ALL, RO_PAGES_STACK */
    int carries;      /* 1: the caller passes on what else a file says, by ro_info_carry, and asks
                         ro_writer_loses; else it counts as dropped */
    ro_profile_use profile;
    double least, largest; /* what samples of integers that are no plain ones must be able to stand
                              for, beside the file's own numbers; both 0: nothing */
    int colours; /* ro_halftone_file, ro_halftone_files: 2 to 256: the picture is read whole, and
                    its palette is made by ro_palette_adapt; 0: the options say which */
    ro_palette *made; /* that palette, if not NULL */
    ro_content content;
    /* The part of an upright picture that is read, before it is turned, mirrored and resized;
     * width 0: all of it. */
    uint32_t crop_left, crop_top, crop_width, crop_height;
    int turns;  /* quarter turns clockwise, 0 to 3 */
    int mirror; /* 1: left and right change places, after turning */
} ro_read_options;
#define RO_PAGES_ALL UINT_MAX /* to the last one */
#define RO_PAGES_STACK                                                                             \
    (UINT_MAX - 1) /* all where they are a stack, pages of one shape; else one                     \
                    */
#define RO_READ_DEFAULTS RO_DEFAULTS_OF(ro_read_options, RO_NONE_UNSET)
#define RO_READ_OPTIONS RO_OPTIONS_OF(ro_read_options, RO_NONE_UNSET)
RO_API
void ro_read_options_init(ro_read_options *options, size_t size);

/* Reading. Path "-" is standard input (PNM). Alpha is laid over white
 * and profiles are dropped unless the options say otherwise; Lab becomes sRGB by lcms2; EXIF and
 * TIFF orientation is applied; CMYK becomes RGB; palettes become grey (if all entries are) or RGB.
 * Resizing uses Lanczos-3, at least a pixel each way; the resolution changes with it, so that the
 * size on paper stays (72 and 96 dpi become unknown), and bits become tones of maxval 255. What is
 * then rounded in linear light (ro_tone.linear, palettes) should be resized there too. A reader
 * uses the context for messages and cancellation only, so it may run in a thread beside a call on
 * it. The last rows of a PNM pipe wait for its end or for a further image, to tell of it. */
typedef struct ro_reader ro_reader;
RO_API
ro_status ro_reader_open(ro_context *context, const char *path, const ro_read_options *options,
                         ro_reader **reader);
RO_API
const ro_file_info *ro_reader_info(const ro_reader *reader);

/* Reads the next `count` rows; *got is fewer only at the end of the image. A file that ends early
 * is an error (RO_E_FORMAT), never a short image. */
RO_API
ro_status ro_reader_rows(ro_reader *reader, void *rows, ptrdiff_t stride, uint32_t count,
                         uint32_t *got);
/* Goes on to the next page once all rows were read; what follows is as the page before. A page that
 * has another shape is an error (RO_E_FORMAT), and so is one beyond those asked for
 * (RO_E_STATE). */
RO_API
ro_status ro_reader_next(ro_reader *reader);
RO_API
void ro_reader_close(ro_reader *reader); /* NULL is allowed */

/* What was dropped so far; complete after the last row. */
RO_API
const ro_dropped *ro_reader_dropped(const ro_reader *reader);

typedef enum ro_compression {
    RO_COMPRESSION_DEFAULT = 0, /* G4 for bits, else ZIP */
    RO_COMPRESSION_NONE,
    RO_COMPRESSION_G4, /* bits only */
    RO_COMPRESSION_PACKBITS,
    RO_COMPRESSION_ZIP,
    RO_COMPRESSION_LZW,
} ro_compression;

typedef struct ro_write_options {
    size_t size;         /* RO_WRITE_OPTIONS sets it */
    const char *type;    /* NULL: by the path's extension; "pbm", "pgm", "ppm", "png", ... */
    double dpi_x, dpi_y; /* both 0: as in the info; one 0: as the other */
    int split_inks;      /* ro_halftone_file: 1: a file per ink, "out-c.tif" to "out-k.tif", or with
                            the names of the inks */
    ro_compression compression; /* of TIFF */
    /* "bits", "packed" and "c": */
    int low_bits_first;     /* 1: a byte's first pixel is in its lowest bits */
    int ones_are_black;     /* 1: of two levels; else ones are white */
    int pixel_bits;         /* 1, 2, 4 or 8; 0: as few as the numbers need */
    const uint8_t *numbers; /* what stands for each level or colour; NULL: 0, 1, 2, ... */
    int number_count;
    const ro_palette *shown; /* the colours that the file has for the numbers of a palette, of as
                                many colours, in the same order; NULL: those of the palette */
    uint32_t enlarge;        /* every pixel so many times each way, after rounding; 0: once */
} ro_write_options;
#define RO_WRITE_DEFAULTS RO_DEFAULTS_OF(ro_write_options, RO_NONE_UNSET)
#define RO_WRITE_OPTIONS RO_OPTIONS_OF(ro_write_options, RO_NONE_UNSET)
RO_API
void ro_write_options_init(ro_write_options *options, size_t size);

/* Writing. `info` gives format, size and maxval; RO_INDEX8 with maxval N-1 is N levels, which a
 * picture file shows as evenly spaced tones and .npy keeps as numbers; numbers of colours become a
 * palette in .png, .tif and .bmp, RGB in .ppm, packed numbers in .bits, .packed and .c; four inks
 * make a TIFF of 4 bits. The file appears under its name only at ro_writer_commit: until then
 * everything goes to a temporary file beside it, which ro_writer_close without a commit removes.
 * Path "-" is standard output (PNM). */
typedef struct ro_writer ro_writer;
RO_API
ro_status ro_writer_open(ro_context *context, const char *path, const ro_file_info *info,
                         const ro_write_options *options, ro_writer **writer);
RO_API
ro_status ro_writer_rows(ro_writer *writer, const void *rows, ptrdiff_t stride, uint32_t count);
RO_API
ro_status ro_writer_commit(ro_writer *writer);
RO_API
void ro_writer_close(ro_writer *writer); /* NULL is allowed */

/* Removes all temporary files of the process, which then must not go on writing. May be called from
 * a signal handler that ends it. */
RO_API
void ro_temporaries_remove(void);

/* Whether a path (or a `type` that overrides it) can be written with this format and maxval; the
 * context's message says why not. Asked before long work, so that it is not lost. */
RO_API
ro_status ro_writer_accepts(ro_context *context, const char *path, const ro_file_info *info,
                            const ro_write_options *options);

/* Whole images: loads into memory that ro_image_free gives back, and saves. `info` and `dropped`
 * may be NULL. The description and the header of `info` lie in the image's memory: they stay valid
 * until ro_image_free of this image, and nothing else frees them. After a failure `info` is all
 * zeros. */
RO_API
ro_status ro_image_load(ro_context *context, const char *path, const ro_read_options *options,
                        ro_image *image, ro_file_info *info, ro_dropped *dropped);
RO_API
ro_status ro_image_save(ro_context *context, const char *path, const ro_image *image,
                        const ro_write_options *options);

/* The bytes of a picture file, `type` as in ro_write_options ("png"); ro_free gives them back. */
RO_API
ro_status ro_image_encode(ro_context *context, const char *type, const ro_image *image,
                          void **bytes, size_t *size);

/* Discs to segment from, a line each: x, y, and as far as given the radius and the label, separated
 * by commas, semicolons or blanks. The first line may name its columns (x, y, r or radius, label),
 * in any order, others being left out; a column of planes (z, slice, plane, page, frame, position)
 * must have the same number in all lines. ro_free gives the list back. */
RO_API
ro_status ro_seeds_load(ro_context *context, const char *path, ro_seed **seeds, size_t *count);

/* Contours as .svg, over the picture's pixels from (0, 0) to (width, height), or as .geojson,
 * pixels having their centres at whole numbers. Each line has at least one point, in GeoJSON at
 * least three and it is closed; coordinates are finite and at most 1e10 in magnitude. */
RO_API
ro_status ro_contours_save(ro_context *context, const char *path, const ro_polyline *lines,
                           size_t count, uint32_t width, uint32_t height);

/* Reads a kernel of error diffusion from a JSON file, as taps [dx, dy, weight] or as a matrix whose
 * first row is the pixel's own, the pixel just before the row's first weight:
 *
 *     {"name": "floyd-steinberg", "divisor": 16, "taps": [[1,0,7], [-1,1,3], [0,1,5], [1,1,1]]}
 *     {"name": "floyd-steinberg", "divisor": 16, "matrix": [[0,0,7], [3,5,1]]}
 */
RO_API
ro_status ro_kernel_read(ro_context *context, const char *path, ro_kernel *kernel);

/* A palette from a file: GIMP's (.gpl), JASC's or Microsoft's (.pal), Adobe's (.act), a colour a
 * line
 * (.hex, .txt), or the colours of a picture, in order of their first appearance; 2 to 256 of them.
 * Of a picture that has more, or 16 bits a channel, those that ro_palette_adapt makes of it. "-" is
 * standard input, which gives no picture. */
RO_API
ro_status ro_palette_load(ro_context *context, const char *path, ro_palette *palette);

/* A tone curve from text: a pair "tone in, tone out" a line, as 0 to 1 or in percent. */
RO_API
ro_status ro_curve_load(ro_context *context, const char *path,
                        ro_tone_point points[RO_CURVE_POINTS], int *count);

/* Displacement fields as ro_register makes them, images of RO_GREYF twice as wide: .npy of shape
 * (h, w, 2), Middlebury's .flo, and .nrrd or .mha for ITK. Loading takes memory that ro_image_free
 * gives back; the file's type is told by its content. */
RO_API
ro_status ro_displacement_load(ro_context *context, const char *path, ro_image *field);
RO_API
ro_status ro_displacement_save(ro_context *context, const char *path, const ro_image *field);

/* Maps as ro_register_report has them, of the kind `transform`: JSON with the size of the fixed
 * image, ITK's .tfm (no homography), or .txt with three rows of numbers, by the ending. Loading
 * leaves `size` (width, height) 0 where the file does not say it. */
RO_API
ro_status ro_map_load(ro_context *context, const char *path, double map[9], uint32_t size[2]);
RO_API
ro_status ro_map_save(ro_context *context, const char *path, const char *transform,
                      const double map[9], uint32_t width, uint32_t height);

/* A field of light from a .npy file of complex64 or complex128, or of float32 or float64, which are
 * phases in radians of light of modulus 1. What is 0 in `optics`, if that is not NULL, is filled in
 * from the sidecar: the file's name with .json for its ending, or `sidecar` if that is not NULL;
 * without such a file it stays. A sidecar that leaves wavelength or pitch at 0 is refused. */
RO_API
ro_status ro_hologram_load(ro_context *context, const char *path, const char *sidecar,
                           ro_field *field, ro_optics *optics);

/* A field as .npy of complex64, and its sidecar if `optics` is not NULL. Both appear under their
 * names only when they are complete. */
RO_API
ro_status ro_hologram_save(ro_context *context, const char *path, const ro_field *field,
                           const ro_optics *optics);

/* Points of a PLY file, or of a list of numbers (.xyz, .csv): x, y, z and, where the file has them,
 * amplitude, intensity or red, green and blue (up to 255, whose roots are taken), and phase or
 * degrees. z is the depth. ro_free gives the points back; *phases: whether they have any. */
RO_API
ro_status ro_points_load(ro_context *context, const char *path, ro_scene_point **points,
                         size_t *count, int *phases);

/* A modulator from text, a level a line: "real, imaginary", or columns as a heading names them:
 * "phase" (radians) or "degrees" with "amplitude", which is 1 where "level" (0, 1, 2 ...) or
 * "drive" are told without it; or "real" and "imaginary". A drive is what the device is sent for a
 * level. */
RO_API
ro_status ro_modulator_load(ro_context *context, const char *path, ro_modulator *modulator);

/* How an output profile treats colours that cannot be printed. */
typedef enum ro_intent {
    RO_INTENT_PERCEPTUAL = 0,
    RO_INTENT_RELATIVE, /* colorimetric; black points are matched */
    RO_INTENT_SATURATION,
    RO_INTENT_ABSOLUTE, /* colorimetric, the paper's white included */
} ro_intent;

/* The separation of an ICC output profile for CMYK, by lcms2, from sRGB; ro_free gives its
 * shares back.
 * `hash`, if not NULL, receives that of the file's bytes (ro_bytes_hash). RO_E_FORMAT: it is no
 * such profile; RO_E_UNSUPPORTED: lcms2 is no part of this build. */
RO_API
ro_status ro_separation_load(ro_context *context, const char *path, ro_intent intent,
                             ro_separation *separation, char hash[RO_HASH_TEXT]);

/* A proof of plates that ro_halftone_file wrote for `out` with these options, whose inks have to
 * have colours: all of them on each other, as an RGB picture. */
typedef struct ro_proof_options {
    size_t size;     /* RO_PROOF_OPTIONS sets it */
    uint32_t reduce; /* pixels a side that become one; 0: so that no side has more than 2000 */
    double diameter; /* in pixels, 1 to 3, of the disc that a pixel of ink prints as; 0: itself */
    double yule_nielsen; /* light spreads in the paper over squares of 0.2 mm at least, by this
                            number n, 1 to 10; 0: it does not */
} ro_proof_options;
#define RO_PROOF_DEFAULTS RO_DEFAULTS_OF(ro_proof_options, RO_NONE_UNSET)
#define RO_PROOF_OPTIONS RO_OPTIONS_OF(ro_proof_options, RO_NONE_UNSET)
RO_API
void ro_proof_options_init(ro_proof_options *options, size_t size);
RO_API
ro_status ro_proof_file(ro_context *context, const char *out, const ro_halftone_options *options,
                        const ro_proof_options *proof, const char *path);

/* A drawing of the moiré of inks, as ro_moire_find has it, into a file whose name ends in .svg: the
 * waves of their screens, the dots on each other, and the waves that are seen best. */
RO_API
ro_status ro_moire_save(ro_context *context, const char *path, const ro_moire *moire,
                        const ro_ink *inks, int count);

/* What ro_halftone_file did to a video. */
typedef struct ro_video_report {
    const char *method, *schedule;
    ro_cpu cpu;
    int threads;
    uint32_t width, height; /* 0: the input was a picture */
    uint64_t frames;
    int bits_in, bits_out; /* of a sample */
    char layout[16];       /* of the output, as YUV4MPEG2 names it: "420", "422p10" */
} ro_video_report;

/* What ro_halftone_file did beside the pixels. */
typedef struct ro_file_report {
    size_t size;           /* of the structure; set it before the call */
    ro_dropped dropped;    /* of a picture */
    ro_video_report video; /* of a video */
    unsigned empty_plates; /* bit i: the file of ink i has no ink at all */
} ro_file_report;

/* Halftones a file into a file, reading and writing overlapped with computing; memory grows with
 * the width only where the formats and the method allow it. `report` may be NULL.
 *
 * A Y4M video (4:2:0, 4:1:1, 4:2:2, 4:4:4 or grey, 8 to 16 bits) becomes one of 256 levels or
 * more in each plane, or a grey one of fewer; with a palette, channels, tones or another size its
 * frames go by way of RGB. The name of `out` must end in .y4m, or be "-". Its range is limited
 * unless it or the options say otherwise. Frames are run by as many threads as the context has.
 * docs/numerics.md says what becomes what. */
RO_API
ro_status ro_halftone_file(ro_context *context, const char *in, const char *out,
                           const ro_halftone_options *options, const ro_read_options *read,
                           const ro_write_options *write, ro_file_report *report);

/* A file to a file among many, and what became of it. */
typedef struct ro_file_job {
    const char *in, *out;
    /* Set by the call: */
    ro_status status; /* RO_E_CANCELLED also of those that never began */
    ro_report report;
    ro_dropped dropped;
    char message[400]; /* why it failed */
    double seconds;
} ro_file_job;

/* Called with each that has ended, as they end, from the thread that made the call. */
typedef void (*ro_job_fn)(void *data, const ro_file_job *job);

/* Halftones many files, several at a time: each result has its name as soon as it is complete, and
 * the failure of one leaves the others. The call itself fails only where nothing could begin, as
 * when two results would have one name, and when it is cancelled. `workers` says on what they run
 * (NULL: on all cores); its threads are those of all together, and its progress is not called.
 * `done` may be NULL. */
RO_API
ro_status ro_halftone_files(ro_context *context, ro_file_job *jobs, size_t count,
                            const ro_halftone_options *options, const ro_read_options *read,
                            const ro_write_options *write, const ro_context_options *workers,
                            ro_job_fn done, void *data);

#ifdef __cplusplus
}
#endif

#endif
