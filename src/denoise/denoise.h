/* SPDX-License-Identifier: MIT */
/*
 * A denoising made ready to run: options checked, weights and tables derived, and how pixels become
 * numbers and numbers pixels. A scheme is a row of the table in denoise_plan.c with a function.
 */
#ifndef RO_DENOISE_DENOISE_H
#define RO_DENOISE_DENOISE_H

#include "context/context.h"
#include "denoise/diffusion.h"
#include "denoise/trained/noise/trained_noise.h"
#include "roundoff/command.h"

struct denoiser;
struct trained_network;

enum denoise_schedule {
    RO_SCHEDULE_AUTO,
    RO_SCHEDULE_REFERENCE,
    RO_SCHEDULE_PASSES,
    RO_SCHEDULE_STREAM
};

/* Whether a denoising that may run anywhere should run on a CUDA device. */
bool denoise_prefers_cuda(const struct denoiser *work);

/* Options that not every scheme knows; one that is set and does not apply is an error. */
enum denoise_option {
    RO_OPTION_MODEL = 1 << 0,
    RO_OPTION_SCHEDULE = 1 << 1,
    RO_OPTION_NUMBER = 1 << 3,
    RO_OPTION_CONVERGED = 1 << 4,
    RO_OPTION_SEED = 1 << 5,
    RO_OPTION_ROUNDING = 1 << 6,
    RO_OPTION_STOP = 1 << 7,
};

enum { MODEL_TRAINED = -1 }; /* beside those of diffusion_model */

/* Returns the model that options stand for: trained, unless an option is set that it does not take.
 */
const char *denoise_model(const ro_denoise_options *options);

/* The options of a scheme, bits of denoise_option. */
unsigned denoise_traits(const char *scheme);

enum { RO_LONGEST_IN_LINES = 32 }; /* time step that the implicit schemes' vectors have room for */

struct ro_denoise_scheme {
    const char *name;
    unsigned options;
    double largest_time; /* 0: as the rounding allows */
    double default_time; /* 0: the largest */
    uint32_t iterations; /* by default */
    bool integers_only;
    bool conjugate; /* gradients instead of Jacobi sweeps */
    ro_status (*run)(struct denoiser *work);
};

/* Figures of one row or of an image: exact integers, or doubles for the float formats. They are
 * only taken where a report is wanted. */
struct step_figures {
    __int128 sum, pixels; /* of the numbers, and of the pixels they came from or became */
    unsigned __int128 squares;
    double float_sum, float_squares;
    double min, max;
};

/* How numbers become levels of the file: a number is levels/numbers of one (denoise_levels.c). */
struct level_tables {
    uint64_t levels, numbers; /* in lowest terms */
    uint64_t largest;         /* the number of white */
    bool carried;             /* the running sum is rounded: what is left goes to the next pixel */
};

/* What sweeps over all rows need (convert.c), made by the first of them. */
struct sweep_memory {
    char *lines;                  /* a line of values per thread */
    struct step_figures *figures; /* a row each */
    uint64_t *carry;              /* of every channel before a row, and behind the last */
    size_t bytes, carry_bytes;
};

struct denoiser {
    ro_context *context;
    ro_image in, out; /* views, or only shapes */
    ro_denoise_options options;
    const struct ro_denoise_scheme *scheme;
    const struct ro_number *number;
    struct number_scale scale; /* of integers */
    int channels;
    uint32_t in_white, out_white; /* maxval; 65535 where floats become integers; 1 between floats */
    struct level_tables levels;
    enum ro_rounding rounding;
    enum denoise_schedule schedule;
    struct diffusion_parameters parameters;
    struct step_weights diffusion;
    ro_denoise_report report;
    ro_denoise_report
        *told; /* where the caller wants it; NULL: nowhere, and no figures are taken */
    struct step_figures before, after;
    const struct trained_network *network; /* of the trained model, else NULL */
    struct trained_noise noise;            /* for it */
    const struct trained_extent *extent;   /* of the picture that a piece is part of, else NULL */
    uint32_t top;                          /* the first row that `in` has; not 0 of pieces only */
    bool nearest;                          /* it rounds each pixel by itself */
    struct sweep_memory sweep;
    struct explicit_steps *ready;      /* the explicit scheme on the CPU, ready to run; or NULL */
    struct diffusion_device *resident; /* for images on a device, since the first run; or NULL */
    struct stop_watch *watch;          /* of a run that tells when to stop; or NULL */
    struct step_frames *frames;        /* what a caller who watches is shown; or NULL */
};

/* From options to a denoiser. `in` may have no pixels if kappa is given. */
ro_status denoiser_make(struct denoiser *work, ro_context *context, const ro_image *in,
                        const ro_image *out, const ro_denoise_options *options);

/* The same with options of another denoiser: its derived values may lie outside of what a caller
 * may give. */
ro_status denoiser_remake(struct denoiser *work, ro_context *context, const ro_image *in,
                          const ro_image *out, const ro_denoise_options *options);

/* A piece of a picture of that shape; see trained_piece.c. */
ro_status denoiser_make_piece(struct denoiser *work, ro_context *context, const ro_image *in,
                              const ro_image *out, const ro_denoise_options *options,
                              const struct trained_extent *extent);

/* Before another run: nothing done, nothing counted. */
void denoiser_restart(struct denoiser *work);
void denoiser_free(struct denoiser *work);

/* Fills in the reports of the context and of the options. */
void denoiser_report(struct denoiser *work, const char *schedule, ro_cpu cpu, int threads);

/* ---- Pixels and numbers: a row of one channel, int32_t or float ------------------------------ */

/* A value in the working float format, where zero has no sign; for s23e8 the machine rounds. */
float denoiser_round(const struct denoiser *work, double value);
/* RO_E_ARGUMENT for a value that is no number. */
ro_status denoiser_read(struct denoiser *work, const char *row, uint32_t y, int channel,
                        void *values, struct step_figures *figures);
/* `carry` is what the pixels before left, of this channel; it becomes what these leave. */
void denoiser_write(const struct denoiser *work, char *row, int channel, const void *values,
                    uint64_t *carry, struct step_figures *figures);
/* The same for all channels, the values of one after those of another. */
ro_status denoiser_read_row(struct denoiser *work, const char *row, uint32_t y, void *values,
                            struct step_figures *figures);
void denoiser_write_row(const struct denoiser *work, char *row, const void *values, uint64_t *carry,
                        struct step_figures *figures);
uint64_t samples_sum(const char *row, int bytes, size_t first, size_t step, uint32_t width);
void figures_count(const struct denoiser *work, struct step_figures *figures, const void *values);
/* Rows are added in order, for sums of floats must not notice threads. */
void figures_add(struct step_figures *sum, const struct step_figures *part);
extern const struct step_figures step_figures_none;

/* The last rounding: what the first pixel of a channel finds, and how much more a row leaves, mod
 * levels.numbers. */
void levels_make(struct level_tables *levels, const struct denoiser *work, bool nearest);
uint64_t levels_start(const struct level_tables *levels);
uint64_t levels_row(const struct denoiser *work, const void *values);

/* Whole images by all threads. A store gives the values of a row, in `line` or where they lie, and
 * takes them from there. */
struct row_store {
    const void *data;
    const void *(*fetch)(const void *data, uint32_t y, int channel, void *line);
    void (*keep)(const void *data, uint32_t y, int channel, const void *line);
};
ro_status sweep_open(struct denoiser *work);
ro_status denoiser_load_rows(struct denoiser *work, const struct row_store *store);
ro_status denoiser_store_rows(struct denoiser *work, const struct row_store *store);
/* One plane after another. */
ro_status denoiser_load(struct denoiser *work, void *planes);
ro_status denoiser_store(struct denoiser *work, const void *planes);

/* The explicit scheme or model trained from rows to rows; `report` may be NULL. */
struct denoise_stream;
struct ro_stream;
struct stream_kind;
extern const struct stream_kind denoise_stream_kind;
ro_status denoise_stream_open(ro_context *context, const ro_image *in, const ro_image *out,
                              const ro_denoise_options *options, struct denoise_stream **made,
                              ro_denoise_report *report);
void denoise_stream_close(struct denoise_stream *stream);
/* Why this cannot go from rows to rows; NULL: it can. */
const char *denoise_no_rows(const struct denoiser *work);
/* The same in numbers instead of samples, all channels of a row: false where it has no room, and
 * where no row is ready. A step reaches so many rows up and down. */
bool denoise_take_row(struct denoise_stream *stream, const void *values);
bool denoise_give_row(struct denoise_stream *stream, void *values);
const struct denoiser *denoise_work(const struct denoise_stream *stream);
uint32_t denoise_reach(const struct denoise_stream *stream);

/* The standard deviation of the noise, in 1/255 of white. */
ro_status noise_estimate(ro_context *context, const ro_image *image, double *sigma);
/* The same of every `step`-th row and the one below it. */
ro_status noise_of_rows(ro_context *context, const ro_image *image, uint32_t step, double *sigma);
ro_status noise_in_blocks(ro_context *context, const ro_image *image, double *sigma);

/* The share of samples that are impulses, on some rows; and a copy in which they are mended. */
ro_status impulses_notice(ro_context *context, const ro_image *image, double *share);
ro_status impulses_mend(ro_context *context, const ro_image *in, ro_image *out, double *share);

/* After how many steps to stop, as a run on parts of the picture tells (stopping.c). Rows of each
 * step are shown to a watch in the same order, and then weighed. */
ro_status stop_choose(struct denoiser *work, uint32_t *steps);
void stop_see(struct stop_watch *watch, uint32_t step, const void *values);
void stop_weigh(struct stop_watch *watch, uint32_t step);
bool stop_is_over(const struct stop_watch *watch); /* NULL: it is not */

/* How far a run is; one that only tells when to stop keeps that to itself. */
ro_status denoiser_progress(const struct denoiser *work);
/* Fails: what is to be done has no code of that instruction set. */
ro_status denoiser_no_code(const struct denoiser *work, ro_cpu asked);

/* A run that is watched needs room for its frame and for the numbers of the step before; at its end
 * the last frame is shown, unless it was. */
ro_status step_frames_open(struct denoiser *work);
ro_status step_frames_end(struct denoiser *work);
void step_frames_close(struct denoiser *work);

/* Figures of a step, put together row by row and told to options.on_step. */
struct step_trace {
    __int128 sum;
    unsigned __int128 squares, changes;
    int64_t min, max;
    double real_sum, real_squares, real_min, real_max, real_changes;
    bool any;
};
void trace_add(struct step_trace *trace, const struct denoiser *work, uint32_t y, int channel,
               const void *values);
void trace_tell(const struct step_trace *trace, const struct denoiser *work);
bool denoiser_is_watched(const struct denoiser *work);
/* All planes at once; does nothing where nobody listens. */
void denoiser_trace(const struct denoiser *work, const void *planes);

/* ---- The schemes ---------------------------------------------------------------------------- */

/* The explicit scheme is made ready first, with all memory that it needs but for the reference, and
 * for the pixels of the picture: the first run takes memory for these, so that a plan that only
 * streams needs none. */
ro_status explicit_open(struct denoiser *work);
void explicit_close(struct explicit_steps *ready);
size_t explicit_bytes(const struct denoiser *work);
const char *explicit_schedule(const struct denoiser *work); /* once it is ready */
ro_status denoise_explicit(struct denoiser *work);
ro_status denoise_explicit_cuda(struct denoiser *work);
/* Images in the memory of the device, on a caller's stream; what it needs there is kept. */
ro_status denoise_resident(struct denoiser *work, const ro_image *in, const ro_image *out,
                           uint32_t count, void *stream);
void denoise_resident_close(struct denoiser *work);
ro_status denoise_implicit(struct denoiser *work);
ro_status denoise_implicit_cuda(struct denoiser *work);
bool implicit_fits_cuda(const struct denoiser *work, uint64_t memory); /* of a device */
ro_status trained_settle(struct denoiser *work);
ro_status denoise_trained(struct denoiser *work);
ro_status denoise_trained_cuda(struct denoiser *work);
ro_status denoise_naive(struct denoiser *work);
ro_status denoise_xpp24(struct denoiser *work);

/* A scheme on whole planes of integers, step by step in plain code: reads, marches, writes,
 * reports. A step makes all channels of `next` from `now`, with planes of scratch. */
typedef void plain_step(const struct denoiser *work, const void *data, const int32_t *now,
                        int32_t *next, int32_t *scratch);
ro_status denoiser_march(struct denoiser *work, size_t scratch_planes, plain_step *step,
                         const void *data);

/* u' = round(A u) product by product; `scratch` holds 4 images. */
void naive_step(const struct step_weights *diffusion, enum ro_rounding rounding, const int32_t *u,
                int32_t *out, int32_t *scratch);

/* ---- Parts of the hardware profile xpp24 ---------------------------------------------------- */

struct xpp24 {
    struct step_weights diffusion; /* for the place of a norm in the table */
    uint32_t time, smoothing_time; /* in 1/16384 */
    uint16_t weight[RO_TABLE];     /* 12 bits */
    uint16_t inverse[RO_TABLE];    /* 12 bits, of the sum of four weights */
    uint16_t smoothing_inverse[RO_TABLE];
};
void xpp24_make(struct xpp24 *xpp, const struct diffusion_parameters *parameters);
/* A time step. `scratch` holds 2 + planes images; the words of the last plane stay in the first. */
void xpp24_step(const struct xpp24 *xpp, const int32_t *u, int32_t *out, int32_t *scratch);
/* An iteration from x to next; a word is the weight of the element at a pixel's lower right and, in
 * its lower 12 bits, the pixel's inverse diagonal. */
void xpp24_iterate(const int32_t *words, int64_t width, int64_t height, uint32_t time,
                   const int32_t *r, const int32_t *x, int32_t *next);

#endif
