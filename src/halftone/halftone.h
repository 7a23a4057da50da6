/* SPDX-License-Identifier: MIT */
/*
 * What every halftoning method is to the rest: a row of the table of methods, with an engine that
 * runs it. The engine gets rows as samples it can work on, top to bottom, in blocks.
 */
#ifndef RO_HALFTONE_HALFTONE_H
#define RO_HALFTONE_HALFTONE_H

#include "context/context.h"
#include "halftone/tone/grey.h"
#include "roundoff/halftone.h"
#include "roundoff/options.h"

struct halftoner;

/* Options that not every method knows; one that is set and does not apply is an error. */
enum halftone_option {
    OPTION_LEVELS = 1 << 0,
    OPTION_SCHEDULE = 1 << 1,
    OPTION_SEED = 1 << 2,
    OPTION_CELL = 1 << 3,
    OPTION_ANGLE = 1 << 4,
    OPTION_SHAPE = 1 << 5,
    OPTION_SCREEN = 1 << 6,
    OPTION_THRESHOLD = 1 << 7,
    OPTION_STRENGTH = 1 << 8,
    OPTION_NOISE = 1 << 9,
    OPTION_SERPENTINE = 1 << 10,
    OPTION_LINES = 1 << 12, /* of dots: lpi, the dots of your own */
    OPTION_DOT = 1 << 13,
    OPTION_DEEP = 1 << 11, /* more than 256 levels, numbers of 16 bits */
    OPTION_PALETTE = 1 << 16,
    OPTION_SEARCH = 1 << 18, /* where it starts, rounds */
    OPTION_EYE = 1 << 19,    /* sigma, distance, aim; a halftone to start from */
    OPTION_SWAPS = 1 << 20,  /* swaps, quality */
};

/* The tone of level k of `levels` up to white. */
static inline int32_t halftone_level(int64_t white, int64_t levels, int64_t k)
{
    return (int32_t)((2 * white * k + levels - 1) / (2 * (levels - 1)));
}

struct halftone_block {
    const unsigned char *in; /* samples of the form work->grey */
    ptrdiff_t in_stride;
    unsigned char *out; /* packed bits if work->out is RO_BITS, else a byte per pixel: the level */
    ptrdiff_t out_stride;
    uint32_t rows;
    uint32_t first_row; /* in the image */
};

/* Rows first to first + count - 1 of a block, as many of them as there are. */
static inline struct halftone_block halftone_block_part(const struct halftone_block *block,
                                                        uint32_t first, uint32_t count)
{
    const uint32_t left = block->rows - first;
    struct halftone_block part = *block;
    part.in += (ptrdiff_t)first * block->in_stride;
    part.out += (ptrdiff_t)first * block->out_stride;
    part.first_row += first;
    part.rows = left < count ? left : count;
    return part;
}

struct halftone_engine {
    /* Checks options, allocates work->state, sets work->granularity and what the report says. */
    ro_status (*open)(struct halftoner *work);
    /* Before the first block of a run, the state being that after open or after another run, ended
     * or not. NULL: a run leaves nothing behind. */
    ro_status (*begin)(struct halftoner *work);
    /* What rows above the run carry into it, and what it carries on: work->carried lines of numbers
     * for `count` columns from x on. The state takes them in after begin, and has them once the
     * last row has passed the columns. NULL: there is nothing. */
    void (*carry_in)(struct halftoner *work, uint32_t x, uint32_t count, const int32_t *values);
    void (*carry_out)(const struct halftoner *work, uint32_t x, uint32_t count, int32_t *values);
    ro_status (*run)(struct halftoner *work, const struct halftone_block *block);
    void (*close)(struct halftoner *work);        /* also after a failed open */
    bool whole_image;                             /* run gets all rows in one block */
    bool (*passes)(const struct halftoner *work); /* run looks at work->pass; NULL: it does not */
    /* Images in device memory; NULL: the method has no device code. */
    ro_status (*run_resident)(struct halftoner *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream);
    const struct halftone_engine *coloured; /* the same with a palette; NULL: there is none */
    const char *no_palette;                 /* why not */
};

struct halftone_method {
    ro_method info;
    const struct halftone_engine *engine;
    unsigned options; /* halftone_option flags that apply */
    int variant;      /* which of the engine's tables: for error diffusion the kernel */
};

/* A halftoning made ready to run: what ro_halftone and the stream share. */
struct halftoner {
    ro_context *context;
    ro_image in; /* the shape of the input; its pixels are not used */
    ro_format out;
    ro_halftone_options options; /* with defaults filled in */
    const struct halftone_method *method;
    const struct halftone_engine *engine; /* the method's, or its coloured one */
    int plate;     /* of those that lie on each other, from 1; 0: alone. See colour_planes.h */
    uint64_t seed; /* of its random numbers */
    struct tone tone;
    struct halftone_fit *fit; /* to a palette: rows go through it; NULL: none */
    ro_device device;         /* where it runs */
    struct grey_form grey;
    uint32_t granularity; /* rows go in by multiples of this, but for the last */
    size_t bytes;         /* of memory that its state takes, as far as it grows with the image */
    uint32_t first_row, end_row; /* of the run */
    uint32_t rows_done;          /* the row that comes next */
    struct wavefront_link *link; /* to the rows above and below the run; NULL: to none */
    struct halftone_pass *pass;  /* threads fetch rows by themselves (row_callbacks.h), and a block
                                    has none; NULL: they do not */
    int carried;                 /* lines of numbers that rows hand on; -1: not to be cut */
    int32_t carried_least, carried_most; /* what such a number can be */
    unsigned char shown[256];            /* the tone of each level, for RO_GREY8 output */
    ro_report report;
    void *state; /* the engine's */
};

extern const struct halftone_engine diffusion_engine, tonal_engine, acuity_engine, like_engine;
extern const struct halftone_engine ordered_engine, otsu_engine, dbs_engine;
/* With a palette: any error diffusion kernel, weights by tone, screens, dot diffusion, a curve.
 */
extern const struct halftone_engine palette_engine, palette_tonal_engine, palette_screen_engine;
extern const struct halftone_engine palette_acuity_engine, palette_seek_engine, seek_engine;
extern const struct halftone_engine palette_dots_engine, palette_curve_engine;
extern const struct halftone_engine dots_engine, riemersma_engine, pinwheel_engine;

/* Pictures fitted to a palette, as rows of 16-bit sRGB (palette/fit.c), by threads 0 to
 * `threads` - 1; close frees, also after a failed open. */
struct halftone_fit;
ro_status halftone_fit_open(ro_context *context, const struct grey_form *form, uint32_t width,
                            int threads, const ro_palette *palette, const struct tone *tone,
                            struct halftone_fit **fit);
ro_status halftone_fit_row(ro_context *context, struct halftone_fit *fit, const ro_image *in,
                           const void *row, uint32_t y, int thread, uint16_t *out);
void halftone_fit_close(struct halftone_fit *fit);

/* The method behind a kernel of the user's own; it is not in the list. */
extern const struct halftone_method halftone_own_kernel;

/* Finds another program's Floyd-Steinberg for options->like; NULL and a message if the options have
 * another method. */
const struct halftone_method *halftone_like_find(ro_context *context,
                                                 const ro_halftone_options *options);
/* Returns the options that apply to a method of that kind, by its name. */
unsigned halftone_like_options(const char *name);

/* Finds a method by name or alias; NULL: there is none. */
const struct halftone_method *halftone_method_named(const char *name);
extern const ro_word halftone_method_words[]; /* ended by a NULL name */

/* ---- Options (halftone_options.c) ------------------------------------------------------------ */

/* Finds the method that options which were read have; NULL and a message: they exclude it. */
const struct halftone_method *halftone_method_of(ro_context *context,
                                                 const ro_halftone_options *options);

/* Checks values and rules, and fills in the defaults that are constants and the method. */
ro_status halftone_read(ro_context *context, const ro_halftone_options *given,
                        ro_halftone_options *taken);
/* Checks the rules between options that were read, for a method. */
ro_status halftone_rules(ro_context *context, const ro_halftone_options *options,
                         const struct halftone_method *method);
/* Whether the picture is fitted to its palette. */
bool halftone_is_fitted(const ro_halftone_options *options);
bool halftone_is_set(const ro_halftone_options *options, const char *name);
/* Returns the default of an option that has a constant one. */
const char *halftone_preset(const char *name);

/* For engines without vectors: whether the context asks for what they do not have. */
ro_status halftone_scalar_only(struct halftoner *work, bool threaded);

/* Checks the rules between the options, which halftone_read has read, and opens the engine;
 * halftoner_close frees, also after a failure. `device` is where it shall run, RO_DEVICE_AUTO:
 * where the context says. */
ro_status halftoner_open(struct halftoner *work, ro_context *context, const ro_image *in,
                         enum grey_plane plane, ro_format out, const ro_halftone_options *options,
                         ro_device device);
void halftoner_close(struct halftoner *work);

/* A run of rows first_row to end_row - 1. */
ro_status halftoner_begin(struct halftoner *work, uint32_t first_row, uint32_t end_row,
                          struct wavefront_link *link);

/* Runs the next rows, given in the form work->grey. */
ro_status halftoner_run(struct halftoner *work, const void *grey, ptrdiff_t grey_stride, void *out,
                        ptrdiff_t out_stride, uint32_t rows);

/* The search once more, from the grey that the engine works on into packed bits, with its figures.
 */
ro_status dbs_audit(struct halftoner *work, const ro_image *grey, const ro_image *bits,
                    ro_halftone_audit *audit);

#endif
