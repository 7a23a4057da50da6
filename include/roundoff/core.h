/* SPDX-License-Identifier: MIT */
/*
 * What every method shares: status, context, devices, image views. Part of roundoff.h.
 */
#ifndef ROUNDOFF_CORE_H
#define ROUNDOFF_CORE_H

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

#define RO_VERSION_MAJOR 0
#define RO_VERSION_MINOR 2
#define RO_VERSION_PATCH 0
#define RO_VERSION "0.2.0"
#define RO_VERSION_NUMBER (10000 * RO_VERSION_MAJOR + 100 * RO_VERSION_MINOR + RO_VERSION_PATCH)

/* The version of the library that is loaded, as RO_VERSION. */
RO_API
const char *ro_version(void);

/* ---- Misuse ------------------------------------------------------------------------------- */

/*
 * Every function checks what it is given before it uses it. NULL where a comment does not allow it,
 * a size, stride, name or number that makes no sense, and rows of samples that are not aligned give
 * RO_E_ARGUMENT (sizes of images: RO_E_SIZE), a call out of order gives RO_E_STATE, and the
 * context's message says why if there is a context. A function that returns a pointer returns NULL,
 * one that returns a number 0, one that returns a text a text that says so, and one that returns
 * nothing does nothing. What a call was to make is NULL or zeros after a failure, and its other
 * arguments are as they were. Memory that was freed, or is shorter than its size says, cannot be
 * recognised.
 */

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

/* ---- Names --------------------------------------------------------------------------------- */

/* Enumerations whose values have names. */
typedef enum ro_names {
    RO_NAMES_STATUS, /* "bad argument"; the sentence that says why is in ro_context_message */
    RO_NAMES_DEVICE, /* "auto", "cpu", "cuda" */
    RO_NAMES_CPU,    /* "auto", "scalar", "v128", "avx2", "avx512" */
    RO_NAMES_FORMAT, /* "8-bit grey" */
} ro_names;

/* Returns the name of a value, and one that says so for what is no value; never NULL. */
RO_API
const char *ro_name_of(ro_names names, int value);
/* Finds the value of a name, in which case, '-', '_' and spaces do not count. RO_E_ARGUMENT: none
 * has it. */
RO_API
ro_status ro_name_find(ro_names names, const char *name, int *value);

static inline const char *ro_status_name(ro_status status)
{
    return ro_name_of(RO_NAMES_STATUS, (int)status);
}

/* ---- Options ------------------------------------------------------------------------------ */

/*
 * Every structure of options begins with its size. A function fills in the size and the defaults;
 * in C and C++ an initialiser of the structure's name in capitals does so, too, but leaves defaults
 * as 0, NULL or RO_DEFAULT:
 *
 *     ro_halftone_options options;
 *     ro_halftone_options_init(&options, sizeof options);
 *     options.strength = 80;
 *
 * A library that is newer than the program fills in defaults for members that the program does not
 * know; one that is older refuses members it does not know unless they are zero. Where zero makes
 * no sense, 0 or NULL stands for the default, as the member's comment says; elsewhere RO_DEFAULT
 * does, and zero is zero.
 *
 * Structures that a call fills in, reports and the like, begin with their size as well. The caller
 * sets it and the library writes no more than that; members that the library does not know are
 * zero:
 *
 *     ro_measure_report report = {.size = sizeof report};
 */
#define RO_DEFAULT (-2147483647 - 1)

/* The initialisers are made of these. In C the members alone (RO_HALFTONE_DEFAULTS) may begin a
 * list of members: (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "bayer"}. */
#define RO_NONE_UNSET(UNSET)
#ifdef __cplusplus
#define RO_UNSET(member) options.member = RO_DEFAULT;
#define RO_OPTIONS_OF(type, unset)                                                                 \
    ([] {                                                                                          \
        type options = type();                                                                     \
        options.size = sizeof options;                                                             \
        unset(RO_UNSET) return options;                                                            \
    }())
#else
#define RO_UNSET(member) , .member = RO_DEFAULT
#define RO_DEFAULTS_OF(type, unset) .size = sizeof(type) unset(RO_UNSET)
#define RO_OPTIONS_OF(type, unset)                                                                 \
    {                                                                                              \
        RO_DEFAULTS_OF(type, unset)                                                                \
    }
#endif

/* ---- Context ------------------------------------------------------------------------------ */

typedef enum ro_device {
    /* The CPU, with one exception. Denoising and level sets run on the first CUDA device if they
     * are long enough to be faster there and neither threads nor an instruction set is named.
     * Calls that take pixels in device memory run on that device. */
    RO_DEVICE_AUTO = 0,
    RO_DEVICE_CPU,
    RO_DEVICE_CUDA,
} ro_device;

/* Instruction sets in ascending order. Naming one forces it: a call fails where it cannot run. */
typedef enum ro_cpu {
    RO_CPU_AUTO = 0,
    RO_CPU_SCALAR,
    RO_CPU_V128, /* 16-byte vectors: SSE4.1, NEON or WebAssembly SIMD128 */
    RO_CPU_AVX2,
    RO_CPU_AVX512, /* F, BW, DQ, VL */
} ro_cpu;

/* Hooks of a host program. Each gets the `user` of the context's options. Those that say so may be
 * called from several threads at the same time. */

/* Called now and then during long work, by one thread of a call: the one that made it, unless a
 * host runs the tasks. `done` runs from 0 to 1 within a `phase`. Returning non-zero cancels as
 * ro_context_cancel does. */
typedef int (*ro_progress_fn)(void *user, const char *phase, double done);

/* Returns non-zero to cancel, as ro_context_cancel does. Called often and by any thread, so it
 * must be quick, such as the load of an atomic flag. */
typedef int (*ro_cancelled_fn)(void *user);

typedef enum ro_log_level {
    RO_LOG_ERROR, /* a call fails: the same sentence as ro_context_message */
    RO_LOG_INFO,  /* a context was opened: what it may use */
} ro_log_level;
/* Gets one sentence without a newline. Called by any thread. It must not call the library. */
typedef void (*ro_log_fn)(void *user, ro_log_level level, const char *message);

/* Runs task(argument, 0) to task(argument, count - 1), each once, and returns when all have
 * returned. They may run at the same time, on any threads and in any order, or one after another on
 * the calling thread. */
typedef void (*ro_parallel_for_fn)(void *user, int count, void (*task)(void *argument, int index),
                                   void *argument);

enum { RO_MAX_THREADS = 1024 };

/* How much may be taken for an image or a file. 0 stands for the default of each; UINT64_MAX sets
 * no limit. A file beyond a limit is refused before memory is taken for it. */
typedef struct ro_limits {
    uint64_t memory; /* bytes of an image, or of a buffer made for one. Default: three quarters of
                        the machine's memory, of its control group's limit, or of RLIMIT_AS or
                        RLIMIT_DATA, whichever is least */
    uint64_t pixels; /* of a page that is read. Default: no limit */
    uint64_t pages;  /* that are read of a file. Default: no limit */
    uint64_t ratio; /* bytes of pixels per byte of the file they come from, where they are more than
                       128 MB. Default: 1000, or no limit if `pixels` is given */
} ro_limits;

typedef struct ro_context_options {
    size_t size; /* RO_CONTEXT_OPTIONS sets it */
    ro_device device;
    ro_cpu cpu;
    int threads; /* 1 to RO_MAX_THREADS; 0: one per online core */
    void *user;  /* passed to the hooks, which may be NULL */
    ro_progress_fn progress;
    ro_cancelled_fn cancelled;
    ro_log_fn log;
    ro_parallel_for_fn parallel_for; /* instead of threads of the context's own; `threads` is then
                                        the largest number of tasks */
    int device_number; /* of a CUDA device, from 0; default: the one that is the thread's own when
                          the context first needs it. Calls on the context make it the thread's own
                        */
    ro_limits limits;
} ro_context_options;
#define RO_CONTEXT_UNSET(UNSET) UNSET(device_number)
#define RO_CONTEXT_DEFAULTS RO_DEFAULTS_OF(ro_context_options, RO_CONTEXT_UNSET)
#define RO_CONTEXT_OPTIONS RO_OPTIONS_OF(ro_context_options, RO_CONTEXT_UNSET)
RO_API
void ro_context_options_init(ro_context_options *options, size_t size);

/* What a call ran: its schedule, where, and in how many steps. */
typedef struct ro_report {
    const char *method;
    const char *schedule;
    uint32_t width, height; /* of the image */
    ro_device device;
    ro_cpu cpu;
    int threads;
    uint64_t steps;    /* vector steps one after another; pixels for a sequential schedule */
    uint64_t launches; /* kernels launched on a device; 0 on the CPU */
    char detail[96];   /* what a method says of itself; "" for most */
} ro_report;

/* A context owns a worker pool and what it needs of a device. Threads may share one: any number of
 * them may make calls on it at the same time, and the calls share its workers. Calls that run on a
 * device take turns. Messages and reports are the calling thread's own. */
typedef struct ro_context ro_context;

/* `options` may be NULL. On failure *context is NULL, and ro_context_message(NULL) says why:
 * RO_E_UNSUPPORTED when the processor lacks the instruction set asked for, RO_E_DEVICE when there
 * is no such device. */
RO_API
ro_status ro_context_open(const ro_context_options *options, ro_context **context);
RO_API
void ro_context_close(ro_context *context); /* NULL is allowed */

/* Returns one sentence on the last failure of a call of this thread, without a newline. It stays
 * valid until the thread's next call, and is "" if no call failed or the thread's last call was on
 * another context. With NULL, returns why the last ro_context_open of this thread failed. */
RO_API
const char *ro_context_message(const ro_context *context);

/* Returns what the last successful call of this thread ran. It stays valid until the thread's next
 * call, and is zeros if there was none or the thread's last call was on another context. */
RO_API
const ro_report *ro_context_report(const ro_context *context);

/* Asks all calls in progress on the context to stop: they return RO_E_CANCELLED at their next
 * check. May be called from any thread and from a signal handler. The request stays until
 * ro_context_resume. */
RO_API
void ro_context_cancel(ro_context *context);
RO_API
void ro_context_resume(ro_context *context);

/* ---- Devices ------------------------------------------------------------------------------ */

typedef struct ro_device_info {
    size_t size; /* of the structure; set it before the call */
    ro_device device;
    int index;        /* among devices of its kind */
    char name[128];   /* as the system names it */
    char detail[128]; /* instruction set and threads, or compute capability and multiprocessors */
    uint64_t memory;  /* bytes */
} ro_device_info;

/* Describes a device: the CPU has number 0, accelerators follow. RO_E_ARGUMENT past the end. No
 * accelerator or no driver is not an error: there are just none. */
RO_API
ro_status ro_device_at(int number, ro_device_info *info);

static inline const char *ro_device_name(ro_device device)
{
    return ro_name_of(RO_NAMES_DEVICE, (int)device);
}
static inline const char *ro_cpu_name(ro_cpu cpu) { return ro_name_of(RO_NAMES_CPU, (int)cpu); }

/* Gives back lists and bytes that a call has made for its caller. NULL is allowed. */
RO_API
void ro_free(void *memory);

/* ---- Images ------------------------------------------------------------------------------- */

typedef enum ro_format {
    RO_FORMAT_NONE = 0,
    RO_GREY8,  /* uint8_t, 0 to maxval */
    RO_GREY16, /* uint16_t in the machine's byte order, 0 to maxval */
    RO_GREYF,  /* float, 0 to 1 */
    RO_RGB8,   /* red, green, blue interleaved */
    RO_RGB16,
    RO_RGBF,
    RO_BITS,   /* packed bits, most significant first, 1 = white, rows padded to whole bytes */
    RO_INDEX8, /* uint8_t: the number of an output level or palette colour */
    RO_RGBA8,  /* red, green, blue and alpha interleaved, 0 to 255: inputs of halftones only, which
                  lay it over white */
} ro_format;

/* A view of pixels the caller owns. `stride` is the distance of rows in bytes and may be larger
 * than a row; rows of 16-bit samples begin at multiples of 2 bytes, of floats of 4. `maxval` is the
 * value of white of an integer format (0 means all bits set). */
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
/* Returns a view of rows without gaps, whose white is the largest number that samples have. */
static inline ro_image ro_image_view(ro_format format, uint32_t width, uint32_t height, void *data)
{
    ro_image image;
    image.format = format;
    image.width = width;
    image.height = height;
    image.maxval = 0;
    image.stride = (ptrdiff_t)ro_format_row_bytes(format, width);
    image.data = data;
    return image;
}
static inline const char *ro_format_name(ro_format format)
{
    return ro_name_of(RO_NAMES_FORMAT, (int)format);
}
static inline int ro_format_is_colour(ro_format format)
{
    return format == RO_RGB8 || format == RO_RGB16 || format == RO_RGBF || format == RO_RGBA8;
}
/* Bytes of a sample; 0 for RO_BITS. */
static inline int ro_format_sample_bytes(ro_format format)
{
    switch (format) {
    case RO_GREY8:
    case RO_RGB8:
    case RO_INDEX8:
    case RO_RGBA8:
        return 1;
    case RO_GREY16:
    case RO_RGB16:
        return 2;
    case RO_GREYF:
    case RO_RGBF:
        return 4;
    case RO_BITS:
    case RO_FORMAT_NONE:
        break;
    }
    return 0;
}
/* The value of white: maxval, or all bits set where it is 0; 1 of floats. */
static inline uint32_t ro_image_white(const ro_image *image)
{
    const int bytes = image ? ro_format_sample_bytes(image->format) : 0;
    if (!image || (bytes == 0 && image->format != RO_BITS))
        return 0;
    if (image->maxval)
        return image->maxval;
    return bytes == 1 ? 255 : bytes == 2 ? 65535 : 1;
}

/* Allocates pixels for a view: zeroed, rows of 256 bytes and more at multiples of 64. Only
 * ro_image_free gives them back, and clears the view. */
RO_API
ro_status ro_image_alloc(ro_context *context, ro_format format, uint32_t width, uint32_t height,
                         uint32_t maxval, ro_image *image);
RO_API
void ro_image_free(ro_image *image);

/* Draws the built-in test card into a view of RO_GREY8, RO_GREY16, RO_RGB8 or RO_RGB16: ramps, a
 * zone plate, shaded solids, fine text, a photograph-like scene. The same pixels everywhere. */
RO_API
ro_status ro_testcard(ro_context *context, ro_image *image);

#ifdef __cplusplus
}
#endif

#endif
