/* SPDX-License-Identifier: MIT */
/*
 * Roundoff: pictures with few bits, the rounding error kept where it does no harm.
 *
 * The whole public interface. A program needs three things: a context (threads, device, the last
 * message), image views (pixels the caller owns) and a call:
 *
 *     ro_context *context;
 *     ro_context_open(NULL, &context);
 *     ro_image in = {RO_GRAY8, width, height, 255, width, pixels};
 *     ro_image out = {RO_BITS, width, height, 0, (width + 7) / 8, bits};
 *     if (ro_halftone(context, &in, &out, NULL) != RO_OK)
 *         fprintf(stderr, "%s\n", ro_context_message(context));
 *     ro_context_close(context);
 *
 * Every structure of options may be zero or NULL: zero always means the default.
 * What a method computes is defined to the bit in docs/numerics.md; threads, instruction sets,
 * schedules and devices never change a bit of it.
 */
#ifndef ROUNDOFF_H
#define ROUNDOFF_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RO_API __attribute__((visibility("default")))
#define RO_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define RO_API
#define RO_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RO_VERSION "0.1.0"

/* The version of the library that is loaded, such as "0.1.0". */
RO_API
const char *ro_version(void);

/* ---- Status ------------------------------------------------------------------------------- */

typedef enum ro_status {
    RO_OK = 0,
    RO_E_ARGUMENT,    /* a parameter makes no sense, or does not apply to the method */
    RO_E_UNSUPPORTED, /* the variant, device or format asked for cannot do this */
    RO_E_SIZE,        /* an image is empty, too large, or two sizes do not match */
    RO_E_MEMORY,      /* not enough memory */
    RO_E_DEVICE,      /* the accelerator or its driver failed */
    RO_E_IO,          /* the operating system refused to read or write */
    RO_E_FORMAT,      /* a file is not what it claims to be */
    RO_E_STATE,       /* a stream was called out of order */
    RO_E_CANCELLED,   /* cancelled by the caller */
} ro_status;

/* A short name of a status, such as "bad argument"; never NULL. The sentence that says what went
 * wrong is in ro_context_message. */
RO_API
const char *ro_status_name(ro_status status);

/* ---- Context ------------------------------------------------------------------------------ */

typedef enum ro_device {
    RO_DEVICE_AUTO = 0, /* the fastest that is present */
    RO_DEVICE_CPU,
    RO_DEVICE_CUDA,
} ro_device;

/* Instruction sets in ascending order. Naming one forces it: a call fails where it cannot run. */
typedef enum ro_cpu {
    RO_CPU_AUTO = 0,
    RO_CPU_SCALAR,
    RO_CPU_AVX2,
    RO_CPU_AVX512, /* F, BW, DQ, VL */
} ro_cpu;

/* Called now and then during long work, from the thread that made the call. `done` runs from 0 to
 * 1 within a `phase`. Returning non-zero cancels the call, which then gives RO_E_CANCELLED. */
typedef int (*ro_progress_fn)(void *data, const char *phase, double done);

typedef struct ro_context_options {
    ro_device device;
    ro_cpu cpu;
    int threads; /* 0: one per online core */
    ro_progress_fn progress;
    void *progress_data;
} ro_context_options;

/* What the last call on a context ran: its schedule, where, and in how many steps. */
typedef struct ro_report {
    const char *method;
    const char *schedule;
    uint32_t width, height; /* of the image */
    ro_device device;
    ro_cpu cpu;
    int threads;
    uint64_t steps;    /* vector steps one after another; pixels for a sequential schedule */
    uint64_t launches; /* kernels launched on a device; 0 on the CPU */
} ro_report;

/* A context owns a worker pool and keeps the message of the last failure. One call at a time per
 * context; separate contexts are independent and may run in separate threads. */
typedef struct ro_context ro_context;

/* `options` may be NULL. On failure *context is NULL and the status says why: RO_E_UNSUPPORTED when
 * the processor lacks the instruction set asked for, RO_E_DEVICE when there is no such device. */
RO_API
ro_status ro_context_open(const ro_context_options *options, ro_context **context);
RO_API
void ro_context_close(ro_context *context); /* NULL is allowed */

/* One sentence on the last failure, without a newline; "" if there was none. It stays valid until
 * the next call on the context. */
RO_API
const char *ro_context_message(const ro_context *context);

/* What the last successful call ran; valid until the next call on the context. */
RO_API
const ro_report *ro_context_report(const ro_context *context);

/* Asks the call in progress to stop; the next check of it returns RO_E_CANCELLED. May be called
 * from any thread and from a signal handler. The request stays until ro_context_resume. */
RO_API
void ro_context_cancel(ro_context *context);
RO_API
void ro_context_resume(ro_context *context);

/* For libraries on top of this one (libroundoff_io is one): records a message and returns `status`;
 * tells whether the context was cancelled; reports progress (RO_E_CANCELLED when told to stop). */
RO_API
ro_status ro_context_fail(ro_context *context, ro_status status, const char *format, ...)
    RO_PRINTF(3, 4);
RO_API
int ro_context_cancelled(const ro_context *context);
RO_API
ro_status ro_context_progress(ro_context *context, const char *phase, double done);

/* ---- Devices ------------------------------------------------------------------------------ */

typedef struct ro_device_info {
    ro_device device;
    int index;        /* among devices of its kind */
    char name[128];   /* as the system names it */
    char detail[128]; /* instruction set and threads, or compute capability and multiprocessors */
    uint64_t memory;  /* bytes */
} ro_device_info;

/* The devices found: the CPU first, then accelerators. ro_device_at gives RO_E_ARGUMENT past the
 * end. No accelerator or no driver is not an error: there are just none. */
RO_API
int ro_device_count(void);
RO_API
ro_status ro_device_at(int number, ro_device_info *info);
RO_API
const char *ro_device_name(ro_device device); /* "auto", "cpu", "cuda" */
RO_API
const char *ro_cpu_name(ro_cpu cpu); /* "auto", "scalar", "avx2", "avx512" */

/* ---- Images ------------------------------------------------------------------------------- */

typedef enum ro_format {
    RO_FORMAT_NONE = 0,
    RO_GRAY8,  /* uint8_t, 0 to maxval */
    RO_GRAY16, /* uint16_t in the machine's byte order, 0 to maxval */
    RO_GRAYF,  /* float, 0 to 1 */
    RO_RGB8,   /* red, green, blue interleaved */
    RO_RGB16,
    RO_RGBF,
    RO_BITS,   /* packed bits, most significant first, 1 = white, rows padded to whole bytes */
    RO_INDEX8, /* uint8_t: the number of an output level or palette colour */
} ro_format;

/* A view of pixels the caller owns. `stride` is the distance of rows in bytes and may be larger
 * than a row. `maxval` is the value of white of an integer format (0 means all bits set). */
typedef struct ro_image {
    ro_format format;
    uint32_t width, height;
    uint32_t maxval;
    ptrdiff_t stride;
    void *data;
} ro_image;

/* Bytes of a row without padding; 0 for a format that does not exist or a size that overflows. */
RO_API
size_t ro_format_row_bytes(ro_format format, uint32_t width);
RO_API
const char *ro_format_name(ro_format format);

/* Allocates pixels (zeroed, rows aligned to 64 bytes) for a view; ro_image_free gives them back and
 * clears the view. */
RO_API
ro_status ro_image_alloc(ro_context *context, ro_format format, uint32_t width, uint32_t height,
                         uint32_t maxval, ro_image *image);
RO_API
void ro_image_free(ro_image *image);

/* Draws the built-in test card into a view of RO_GRAY8, RO_GRAY16, RO_RGB8 or RO_RGB16: ramps, a
 * zone plate, shaded solids, fine text, a photograph-like scene. The same pixels everywhere. */
RO_API
ro_status ro_testcard(ro_context *context, const ro_image *image);

/* ---- Tone and colour ---------------------------------------------------------------------- */

/* A point of a tone curve: tone in, tone out, 0 (black) to 1 (white). */
typedef struct ro_tone_point {
    double in, out;
} ro_tone_point;

enum { RO_CURVE_POINTS = 4096 };

/* What is done to samples before any method sees them, in this order: invert, brightness, contrast,
 * gamma, linear, then grey from colour, then the curve. */
typedef struct ro_tone {
    int invert;                 /* 1: black becomes white */
    double brightness;          /* -100 to 100 percent of white, added */
    double contrast;            /* -100 to 100 percent more slope about the middle */
    double gamma;               /* 0.1 to 10: tone to the power 1/gamma; 0: 1 */
    int linear;                 /* 1: samples are sRGB and become linear light */
    const ro_tone_point *curve; /* points in growing order of `in`; `out` must not fall */
    int curve_points;           /* 2 to RO_CURVE_POINTS; 0: no curve */
} ro_tone;

/* Colours to choose from, as sRGB; 2 to 256. */
typedef struct ro_palette {
    int count;
    uint8_t colours[256][3]; /* red, green, blue */
} ro_palette;

/* A palette that has a name, with the source of its colours. */
typedef struct ro_palette_info {
    const char *name;
    const char *summary;
    const char *source;
} ro_palette_info;

/* The built-in palettes, in order; NULL past the end. */
RO_API
const ro_palette_info *ro_palette_at(int number);

/* A palette from text: the name of a built-in one, or colours by name or as #rgb or #rrggbb,
 * separated by spaces or commas: "black white #c00000". */
RO_API
ro_status ro_palette_parse(ro_context *context, const char *text, ro_palette *palette);

/* What a colour picture is halftoned as. */
typedef enum ro_channels {
    RO_CHANNELS_GREY = 0, /* one plane: its luma */
    RO_CHANNELS_RGB,      /* red, green and blue, each on its own, into RO_RGB8 */
    RO_CHANNELS_CMYK, /* four inks, two levels each, into RO_INDEX8: cyan 8, magenta 4, yellow 2,
                         black 1, a bit that is set is ink */
} ro_channels;

/* ---- Halftoning --------------------------------------------------------------------------- */

/* A kernel of error diffusion: weight/divisor of a pixel's error goes to the pixel dx to the right
 * and dy below. Taps go to pixels still to come (dy > 0, or dy = 0 and dx > 0), at most 7 columns
 * and 3 rows away; the sizes of the weights sum to the divisor at most. */
enum { RO_KERNEL_TAPS = 24 };
typedef struct ro_kernel {
    int divisor; /* 1 to 4095 */
    int count;
    struct {
        int dx, dy, weight;
    } taps[RO_KERNEL_TAPS];
} ro_kernel;

typedef struct ro_halftone_options {
    const char *method;   /* NULL: "floyd-steinberg"; see ro_halftone_method_at */
    int levels;           /* 2 to 256; 0: 2 */
    const char *schedule; /* NULL or "auto": the fastest; "ed", "ec", "wave" */
    uint64_t seed;        /* for methods that draw random numbers */

    /* Screens, for ordered dithering. */
    int cell;               /* cells a side of a screen that is made; 0: the method's own */
    int angle;              /* of clustered dots: 0 or 45 */
    const char *shape;      /* of clustered dots: NULL: "round"; "line", "diamond" */
    const ro_image *screen; /* the threshold image of the method "screen" */

    /* Error diffusion. */
    int strength;            /* per cent of the error that is passed on, 1 to 100; 0: 100 */
    int noise;               /* shakes the choice of a level, per cent of a step, 0 to 100 */
    int threshold;           /* where black ends and white begins, per cent, 1 to 99; 0: 50 */
    int serpentine;          /* 1: odd rows right to left; such rows cannot run side by side */
    const ro_kernel *kernel; /* a kernel of your own instead of a method */
    const char *like; /* "pillow", "netpbm", "zimg": Floyd-Steinberg as they do it, to the byte */

    /* Tone and colour. */
    ro_tone tone;
    ro_channels channels;
    double grey_in_colour;     /* CMYK: percent of grey that stays in coloured inks; 0: all black */
    const ro_palette *palette; /* NULL: levels; else error diffusion to these colours */
    int overshoot; /* palettes: per cent of white by which errors may pass black and white, 0 to 100
                    */

    /* Direct binary search. dbs-clipping-free takes a square `screen` too; NULL: the built-in. */
    double sigma;       /* of the eye, in pixels; 0: 1.2 */
    int radius;         /* of the eye, 1 to 8 pixels; 0: 4 */
    const char *order;  /* NULL: "groups"; "raster" */
    const char *start;  /* NULL: "random"; "floyd-steinberg" */
    int rounds;         /* at most so many; 0: until nothing changes */
    uint32_t shadow[2]; /* the shadow limit as a fraction, {9, 255}; zeros: follows sigma */
} ro_halftone_options;

/* A method as `roundoff halftone --list` shows it. */
typedef struct ro_method {
    const char *name;
    const char *family;
    const char *summary;
    const char *paper;
} ro_method;

/* The halftoning methods, in order; NULL past the end. */
RO_API
const ro_method *ro_halftone_method_at(int number);

/* A threshold array to be made. */
typedef struct ro_screen_options {
    const char *kind;  /* NULL: "void-and-cluster"; see ro_screen_kind_at */
    uint32_t size;     /* cells a side; 0: the kind's own */
    uint64_t seed;     /* for kinds that draw random numbers */
    int angle;         /* of clustered dots: 0 or 45 */
    const char *shape; /* of clustered dots: NULL: "round"; "line", "diamond" */
    ro_format format;  /* RO_GRAY16 (default): the rank r of K cells is the value r * 65536 / K,
                          rounded down; RO_GRAYF: (r + 1/2) / K, which tells any ranks apart */
} ro_screen_options;

/* A kind of screen as `roundoff screen --list` shows it. */
typedef struct ro_screen_kind {
    const char *name;
    const char *summary;
} ro_screen_kind;

/* The kinds of screens, in order; NULL past the end. */
RO_API
const ro_screen_kind *ro_screen_kind_at(int number);

/* Makes a screen; `options` may be NULL. Low values become white first. ro_image_free gives it
 * back; after a failure there is nothing to give back. */
RO_API
ro_status ro_screen_make(ro_context *context, const ro_screen_options *options, ro_image *screen);

/* Halftones `in` (grey, RGB or float; colour becomes grey by a stated luma) into `out`, of the same
 * size: RO_BITS (2 levels), RO_INDEX8 (level numbers) or RO_GRAY8 (levels as tones, maxval 255);
 * RO_RGB8 for RO_CHANNELS_RGB; RO_INDEX8 (numbers of colours) or RO_RGB8 with a palette.
 * `in` and `out` must not overlap. */
RO_API
ro_status ro_halftone(ro_context *context, const ro_image *in, const ro_image *out,
                      const ro_halftone_options *options);

/* The same for images in the memory of a CUDA device: `in` and `out` are `count` views each, all of
 * one shape, whose data are device pointers (grey of 8 or 16 bits in, RO_BITS or RO_INDEX8 out).
 * Runs on `stream`, a cudaStream_t, and returns when everything is launched: no copy and no waiting
 * of its own, so errors of the run show at the caller's next synchronisation. Rows that start at
 * multiples of 16 bytes are read in place, others are copied on the device first. Values above
 * maxval are not looked for. */
RO_API
ro_status ro_halftone_device(ro_context *context, const ro_image *in, const ro_image *out,
                             uint32_t count, const ro_halftone_options *options, void *stream);

/* The same, row by row, in memory that grows with the width only:
 *
 *     ro_halftone_open(context, &in, RO_BITS, &options, &stream);
 *     repeat: ro_halftone_push(stream, rows, stride, n, &taken);   until all rows are taken
 *             ro_halftone_pull(stream, rows, stride, n, &given);   until it gives none
 *     ro_halftone_close(stream);
 *
 * Of `in` only format, width, height and maxval are used. A push takes what there is room for and
 * may take fewer rows than offered while finished rows wait to be pulled; rows come out in order,
 * some rows later than they went in. Methods that need the whole image give RO_E_UNSUPPORTED. */
typedef struct ro_halftone_stream ro_halftone_stream;
RO_API
ro_status ro_halftone_open(ro_context *context, const ro_image *in, ro_format out,
                           const ro_halftone_options *options, ro_halftone_stream **stream);
RO_API
ro_status ro_halftone_push(ro_halftone_stream *stream, const void *rows, ptrdiff_t stride,
                           uint32_t count, uint32_t *taken);
RO_API
ro_status ro_halftone_pull(ro_halftone_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                           uint32_t *given);
RO_API
void ro_halftone_close(ro_halftone_stream *stream); /* NULL is allowed */

/* ---- Denoising ---------------------------------------------------------------------------- */

/* What a denoising did. Sums, extrema and energies (sums of squares) are of the numbers the method
 * worked in, `white` being the number that stands for white; whole numbers below 2^53 are exact. */
typedef struct ro_denoise_report {
    const char *number; /* the number system */
    double white;
    double kappa;     /* in 1/255 of white; 0 where it does not apply */
    double noise;     /* estimated standard deviation in 1/255 of white, if kappa came from it */
    double time_step; /* tau/h^2 */
    uint32_t steps;   /* iterations done; with until_converged, until nothing moved */
    int converged;    /* a step was seen that changed nothing */
    double sum_before, sum_after;
    double min_before, min_after, max_before, max_after;
    double energy_before, energy_after;
    double
        drift; /* sum of the output, in its levels, minus that of the result it was rounded from */
} ro_denoise_report;

typedef struct ro_denoise_options {
    const char *model;    /* NULL: "anisotropic"; "linear", "perona-malik", "exponential" */
    const char *scheme;   /* NULL: "explicit"; "implicit", "conjugate", "naive",
                             "xpp24" */
    const char *number;   /* NULL: s16 for 8-bit images, s17 for 16-bit, s23e8 for float; also u8,
                             s9, s12, s24, s10e5, s16e7 */
    const char *rounding; /* NULL: "zero"; "nearest" */
    const char *schedule; /* NULL or "auto"; "reference", "passes", "stream": the same bits */
    uint32_t
        iterations;   /* 0: 20, or 5 of the implicit schemes; until converged, as many as needed */
    uint32_t depth;   /* iterations in one pass of "stream", up to 64; 0: the fastest */
    double kappa;     /* edges: differences per pixel in 1/255 of white; 0: from the noise */
    double sigma;     /* smoothing of the gradient in pixels, 0 to 64; xpp24: 0 is 0.5 */
    double time_step; /* tau/h^2; 0: the largest that is stable */
    int independent;  /* channels do not share the gradient */
    int until_converged;       /* end at the fixed point */
    uint64_t seed;             /* of the implicit scheme's dither */
    ro_denoise_report *report; /* filled in on success; NULL: not wanted */
} ro_denoise_options;

/* Filters `in` (grey or RGB of any depth) into `out`, of the same size and number of channels and
 * any depth; both may be the same image. The explicit scheme keeps the sum of every channel in the
 * working numbers exactly and no pixel leaves the range of the input. */
RO_API
ro_status ro_denoise(ro_context *context, const ro_image *in, const ro_image *out,
                     const ro_denoise_options *options);

/* The same, row by row, in memory that grows with the width and the iterations only: as with
 * ro_halftone_open. Explicit scheme; kappa must be given unless the model is linear. Of `in` and
 * `out` format, width, height and maxval are used. The report is complete after the last pull. */
typedef struct ro_denoise_stream ro_denoise_stream;
RO_API
ro_status ro_denoise_open(ro_context *context, const ro_image *in, const ro_image *out,
                          const ro_denoise_options *options, ro_denoise_stream **stream);
RO_API
ro_status ro_denoise_push(ro_denoise_stream *stream, const void *rows, ptrdiff_t stride,
                          uint32_t count, uint32_t *taken);
RO_API
ro_status ro_denoise_pull(ro_denoise_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                          uint32_t *given);
RO_API
void ro_denoise_close(ro_denoise_stream *stream); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
