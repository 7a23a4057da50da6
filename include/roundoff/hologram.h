/* SPDX-License-Identifier: MIT */
/*
 * Holograms: complex fields, the levels of a modulator, and error diffusion that keeps the rounding
 * noise out of the window a viewer looks through. Part of roundoff.h.
 *
 * Lengths are metres. The hologram lies at z = 0, its centre at x = y = 0, x to the right and y
 * down; the scene is at positive depth, the viewer at negative z. Frequencies are cycles per pixel.
 */
#ifndef ROUNDOFF_HOLOGRAM_H
#define ROUNDOFF_HOLOGRAM_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Fields ------------------------------------------------------------------------------- */

/* A view of complex pixels the caller owns: pairs of floats, real and imaginary. `stride` is the
 * distance of rows in bytes. */
typedef struct ro_field {
    uint32_t width, height;
    ptrdiff_t stride;
    float *data;
} ro_field;

RO_API
ro_status ro_field_alloc(ro_context *context, uint32_t width, uint32_t height, ro_field *field);
RO_API
void ro_field_free(ro_field *field);

/* What is known of a field's physics; zeros: not known. */
typedef struct ro_optics {
    /* Wavelength of the light: a number from 1e-09 to 0.001 metres, such as 0.5um. Default (0): of
     * the sidecar; make: 635 nm. */
    double wavelength;
    /* Distance of pixels; LxL if that of rows differs: 1 to 2 numbers from 1e-09 to 0.01 metres,
     * such as 0.5um. Default (0): of the sidecar; make: 750 nm, 8 um of scenes. */
    double pitch;
    /* Of the rows, where it differs; 0: as `pitch`. */
    double pitch_y;
    /* Centre of the viewing area, z being negative: 3 numbers from -100 to 100 metres, such as
     * 0.5um. Default (0): of the sidecar; make: where the angle suffices. */
    double viewer[3];
    /* Size of the viewing area: 2 numbers above 0, up to 100 metres, such as 0.5um. Default (0): of
     * the sidecar; make: half of the hologram. */
    double viewing_area[2];
    /* Where a picture of the scene is in focus. */
    double depth;
    /* Pixels a side. */
    uint32_t hogel;
} ro_optics;

/* Takes a row of a field, from the top; anything but RO_OK ends the work. */
typedef ro_status ro_field_rows(void *to, uint32_t y, const float *row);

/* ---- Making ------------------------------------------------------------------------------- */

/* The paper's scene for a hologram of 18.4 mm; its lengths are scaled by the hologram's longer side
 * over that. */
typedef struct ro_hologram_scene {
    /* RO_HOLOGRAM_SCENE sets it. */
    size_t size;
    /* What is to be seen: dice, disc, ring or bars. Default (NULL): dice. */
    const char *target;
    /* Phases of the light: random or smooth. Default (NULL): random. */
    const char *phase;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* Of wavelength and pitch 0 is 635 nm and 750 nm, of viewer and viewing area: scaled. */
    ro_optics optics;
    /* Layers of each die, up to 16; 0: 4. */
    int layers;
    /* Compute only the light that reaches the viewing area. */
    int view_specific;
    /* If not NULL takes the rows, with `rows_to`; if view-specific, the field then needs no memory
     * and only says how large it is. */
    ro_field_rows *rows;
    void *rows_to;
} ro_hologram_scene;
#define RO_HOLOGRAM_SCENE_DEFAULTS RO_DEFAULTS_OF(ro_hologram_scene, RO_NONE_UNSET)
#define RO_HOLOGRAM_SCENE RO_OPTIONS_OF(ro_hologram_scene, RO_NONE_UNSET)
RO_API
void ro_hologram_scene_init(ro_hologram_scene *options, size_t size);

/* Computes the field of a scene on the hologram, layer by layer from the back, each layer hiding
 * what lies behind it. `optics` is filled in. The same bits on every CPU and device. */
RO_API
ro_status ro_hologram_make(ro_context *context, const ro_hologram_scene *scene, ro_field *field,
                           ro_optics *optics);

/* A picture in a scene, seen from the front, its middle on the axis. */
typedef struct ro_scene_picture {
    ro_image amplitude; /* RO_GREYF */
    ro_image depths; /* RO_GREYF of the same size, metres behind the hologram; no data: it is flat,
                        and black is nothing, through which one sees what is behind */
    double depth;    /* of a flat one */
    double width;    /* metres; 0: as wide and high as the hologram allows */
    ro_image phases; /* "given": RO_GREYF of the same size, radians */
} ro_scene_picture;

typedef struct ro_picture_scene {
    /* RO_PICTURE_SCENE sets it. */
    size_t size;
    const ro_scene_picture *pictures;
    int count;
    /* Layers that depths are cut into, up to 1024; 0: 16. */
    int layers;
    /* Phases of the light: random, constant, smooth, spherical or given. Default (NULL): random. */
    const char *phase;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* Wavelength and pitch are needed; viewer and viewing area 0: as far away as the angle needs
     * that the pitch allows. */
    ro_optics optics;
    /* Compute only the light that reaches the viewing area. */
    int view_specific;
    /* As in ro_hologram_scene. */
    ro_field_rows *rows;
    void *rows_to;
} ro_picture_scene;
#define RO_PICTURE_SCENE_DEFAULTS RO_DEFAULTS_OF(ro_picture_scene, RO_NONE_UNSET)
#define RO_PICTURE_SCENE RO_OPTIONS_OF(ro_picture_scene, RO_NONE_UNSET)
RO_API
void ro_picture_scene_init(ro_picture_scene *options, size_t size);

/* As ro_hologram_make, of pictures: layer by layer from the back, each hiding what is behind it. In
 * a context with a CUDA device pictures, the field, and the field that ro_hologram_quantize takes
 * may lie in device memory. */
RO_API
ro_status ro_hologram_pictures(ro_context *context, const ro_picture_scene *scene, ro_field *field,
                               ro_optics *optics);

/* A point in a scene: metres from the axis, to the right and down, and behind the hologram. It is
 * as bright as a pixel of the hologram's size with this amplitude. */
typedef struct ro_scene_point {
    double x, y, depth;
    double amplitude, phase; /* radians */
} ro_scene_point;

typedef struct ro_point_scene {
    /* RO_POINT_SCENE sets it. */
    size_t size;
    const ro_scene_point *points;
    size_t count;
    /* Phases of the light: random, constant, smooth, spherical or given. Default (NULL): random. */
    const char *phase;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* As in ro_picture_scene. */
    ro_optics optics;
    /* Compute only the light that reaches the viewing area. */
    int view_specific;
    /* As in ro_hologram_scene. */
    ro_field_rows *rows;
    void *rows_to;
} ro_point_scene;
#define RO_POINT_SCENE_DEFAULTS RO_DEFAULTS_OF(ro_point_scene, RO_NONE_UNSET)
#define RO_POINT_SCENE RO_OPTIONS_OF(ro_point_scene, RO_NONE_UNSET)
RO_API
void ro_point_scene_init(ro_point_scene *options, size_t size);

/* As ro_hologram_make, of points, which hide nothing. */
RO_API
ro_status ro_hologram_points(ro_context *context, const ro_point_scene *scene, ro_field *field,
                             ro_optics *optics);

/* Propagates a field by `distance` (positive: in the direction of the light, from the scene to the
 * viewer), as if nothing surrounded it; of the optics wavelength and pitch count. `in` and `out`
 * may be the same. The same bits on every CPU and device. */
RO_API
ro_status ro_field_propagate(ro_context *context, const ro_field *in, ro_field *out,
                             const ro_optics *optics, double distance);

/* ---- Quantizing --------------------------------------------------------------------------- */

enum { RO_HOLOGRAM_TAPS = 64, RO_HOLOGRAM_LEVELS = 256, RO_HOLOGRAM_SKEW = 8 };

/* A window of frequencies: centre and size, cycles per pixel. */
typedef struct ro_window {
    double xi, eta, width, height;
} ro_window;

/* What became of one hogel. */
typedef struct ro_hogel_report {
    uint32_t x, y, width, height;
    ro_window window; /* size 0: none */
    int taps, p;
    double rho;         /* of least squares, as it was in the end */
    double weight_sum;  /* sum of |w| */
    double weight_norm; /* sum of |w|^2 */
    double rejection;   /* integral of |1 - W|^2 over the window, over the window's area */
    uint64_t clips;
    int mirrored; /* the window overlaps its mirror image, and the levels are real */
    /* With `measure`; decibels. Twin image and zero order count as noise. */
    double predicted_snr, reached_snr;
    double noise_inside,
        noise_outside; /* mean noise spectrum, dB over the mean energy of a pixel */
    /* Shares of the light that falls on the hogel, a modulus of 1 at every pixel. */
    double efficiency; /* what arrives in the window as the field */
    double in_window;  /* all that arrives there */
    double outgoing;   /* all that leaves the modulator */
} ro_hogel_report;

typedef struct ro_hologram_report {
    size_t size;     /* of the structure; set it before the call */
    uint32_t hogels; /* those that the optics make, or one window for all; also of algorithms that
                        take the field as a whole, whose clips are counted together only */
    ro_hogel_report *hogel; /* ro_free gives it back */
    int levels, real_device;
    int amplitude_device; /* its levels of -1 to 1 stand for light of 0 to 1 */
    uint32_t mirrored;    /* hogels whose windows overlap their mirror images */
    double gain;          /* the field was multiplied by this */
    uint64_t clips;
    double kernel_ms; /* of the CUDA kernel alone; 0 on the CPU */
    int measured;
    double predicted_snr, reached_snr, efficiency, in_window, outgoing; /* of all hogels together */
    double level; /* the field's root mean square in levels: the gain of the options, or found */
    double field_in_window; /* the share of the given field's energy that lies in the windows */
    /* The share of its energy outside of the polygon that phases span, which they cannot show: more
     * than a hundredth or so, and the gain is too high for it. */
    double field_beyond_levels;
    const char *weights; /* of the options, or found with the gain; NULL: those of the algorithm */
    double rho;          /* of the options, or found with the gain; 0: other weights */
} ro_hologram_report;

/* A set of taps of one's own: (dx, dy) is the pixel dx to the left and dy above. */
typedef struct ro_hologram_taps {
    int count;
    int dx[RO_HOLOGRAM_TAPS], dy[RO_HOLOGRAM_TAPS];
    double re[RO_HOLOGRAM_TAPS], im[RO_HOLOGRAM_TAPS];
} ro_hologram_taps;

enum { RO_GAIN_AUTO = -2 };

typedef struct ro_hologram_options {
    /* RO_HOLOGRAM_OPTIONS sets it. */
    size_t size;
    /* How errors are passed on: vded, swed, floyd-steinberg or truncate. Default (NULL): vded. */
    const char *algorithm;
    /* Weights that errors are passed on with: ls, paper, paper-rounding or window. Default (NULL):
     * ls. */
    const char *weights;
    /* Used instead of `weights` if not NULL. */
    const ro_hologram_taps *own;
    /* Levels of the modulator. Default (NULL): phase:256. */
    const char *levels;
    /* Complex levels, used instead of `levels` if not NULL. */
    const float *table;
    int table_count;
    /* How the CPU runs it, with the same bits: auto, reference or bands. Default (NULL): auto. */
    const char *schedule;
    /* Number of weights, up to 64; 0: 12 of least squares, 27 of the paper's. */
    int taps;
    /* Columns that each row lags behind: a whole number from 1 to 8 or auto. Default (0): auto. */
    int p;
    /* Pixels per side of a hogel: a whole number from 8 to 1073741824. Default (0): the sidecar's,
     * or 2048. */
    uint32_t hogel;
    /* Cost of weights, of least squares; default 0.01, 0.03 for two levels. */
    double rho;
    /* Root mean square of the field in levels: a number above 0, up to 4 or auto. Default
     * (RO_DEFAULT): 0.4. */
    double gain;
    /* The largest gain, so the most light, with D dB: a number from 0 to 200. Default (0): the
     * highest. */
    double snr;
    ro_optics optics;
    /* Window's centre and size, cycles per pixel: 4 numbers from -0.5 to 1. Default (0): optics. */
    ro_window window;
    /* Fill in the measured figures. */
    int measure;
    /* The light that leaves the modulator where a level is 1, of the field's size: what falls on
     * it, bent by its own unevenness; NULL: 1 everywhere. Of refinement and spots only. */
    const ro_field *source;
} ro_hologram_options;
#define RO_HOLOGRAM_UNSET(UNSET) UNSET(rho) UNSET(gain)
#define RO_HOLOGRAM_DEFAULTS RO_DEFAULTS_OF(ro_hologram_options, RO_HOLOGRAM_UNSET)
#define RO_HOLOGRAM_OPTIONS RO_OPTIONS_OF(ro_hologram_options, RO_HOLOGRAM_UNSET)
RO_API
void ro_hologram_options_init(ro_hologram_options *options, size_t size);

/* Rounds a field to level numbers: `out` is RO_INDEX8 of the field's size. `report` may be NULL. */
RO_API
ro_status ro_hologram_quantize(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, ro_hologram_report *report);

/* ---- Refining ------------------------------------------------------------------------------ */

enum { RO_REFINEMENT_MANY = 64 }; /* as many phases need iterations only, fewer a search as well */

typedef struct ro_refinement_report {
    size_t size; /* of the structure; set it before the call */
    int iterations, passes;
    double start_psnr,
        psnr;          /* of the amplitude in the region, decibels, scaled to fit the target */
    double efficiency; /* light in the region over the light that falls on the modulator */
    const char *edges; /* as they were taken */
} ro_refinement_report;

/* One more plane: amplitudes, as those of the target, at a distance. */
typedef struct ro_refinement_plane {
    ro_image target;
    double distance;
} ro_refinement_plane;

typedef struct ro_refinement {
    /* RO_REFINEMENT sets it. */
    size_t size;
    /* Amplitudes, RO_GREYF of the field's size; the phase is free. */
    ro_image target;
    /* Distance from IN to the target or OUT, positive with the light: a number from -100 to 100
     * metres, such as 0.5um. */
    double distance;
    /* Part of the target that counts, in pixels: 4 whole numbers from 0 to 4294967294. Default (0):
     * round all that is not black. */
    uint32_t region[4];
    /* Share of the light that the region should get: a percentage above 0, up to 100. Default (0):
     * by the levels. */
    double light;
    /* Make the light fit target: N iterations, or N passes with few levels: a whole number from 1
     * to 100000 or auto. Default (RO_DEFAULT): auto. */
    int refine;
    /* Between both planes; default `refine`, and 15 of few levels. */
    int iterations;
    /* Of search, of few levels; default `refine`. */
    int passes;
    /* What surrounds the modulator: dark or wrap. Default (NULL): dark. */
    const char *edges;
    /* Planes that the same light is to show as well, up to 15, each with as much light; of 64
     * phases and more, on the CPU. The report's figure is that of the worst. */
    const ro_refinement_plane *planes;
    int plane_count;
} ro_refinement;
#define RO_REFINEMENT_UNSET(UNSET) UNSET(refine) UNSET(iterations) UNSET(passes)
#define RO_REFINEMENT_DEFAULTS RO_DEFAULTS_OF(ro_refinement, RO_REFINEMENT_UNSET)
#define RO_REFINEMENT RO_OPTIONS_OF(ro_refinement, RO_REFINEMENT_UNSET)
RO_API
void ro_refinement_init(ro_refinement *options, size_t size);

/* Makes level numbers whose light has the target's amplitude. It starts from `in`, or if that is
 * NULL or shows the target worse, from light of a smooth phase. Of the options levels or table,
 * window (size 0: the whole band) and the optics' wavelength and pitch count; light of a smooth
 * phase goes to the viewing area, if there is one. */
RO_API
ro_status ro_hologram_refine(ro_context *context, const ro_field *in, ro_image *out,
                             const ro_hologram_options *options, const ro_refinement *refinement,
                             ro_refinement_report *report);

/* ---- Spots behind a lens ------------------------------------------------------------------- */

/* A spot: metres from the axis in the back focal plane of the lens, to the right and down, and
 * behind that plane; the intensity it should have beside the others. */
typedef struct ro_spot {
    double x, y, z, weight;
} ro_spot;

typedef struct ro_spots_report {
    size_t size; /* of the structure; set it before the call */
    int iterations;
    double efficiency; /* light in the spots over the light that falls on the modulator */
    double uniformity; /* 1 - (most - least) / (most + least) of intensities over weights */
} ro_spots_report;

typedef struct ro_spots {
    /* RO_SPOTS sets it. */
    size_t size;
    const ro_spot *spots;
    size_t count;
    /* Focal length. */
    double focal;
    /* Of weighted Gerchberg-Saxton; 0: 30. */
    int iterations;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
} ro_spots;
#define RO_SPOTS_DEFAULTS RO_DEFAULTS_OF(ro_spots, RO_NONE_UNSET)
#define RO_SPOTS RO_OPTIONS_OF(ro_spots, RO_NONE_UNSET)
RO_API
void ro_spots_init(ro_spots *options, size_t size);

/* Makes level numbers (RO_INDEX8) whose light a lens gathers in spots, the modulator standing in
 * its front focal plane. Of the options levels or table and the optics' wavelength and pitch count.
 * The same bits on every CPU. */
RO_API
ro_status ro_hologram_spots(ro_context *context, const ro_spots *wanted, ro_image *out,
                            const ro_hologram_options *options, ro_spots_report *report);

/* ---- Frames in time ---------------------------------------------------------------------------
 */

typedef struct ro_frames_report {
    size_t size; /* of the structure; set it before the call */
    double psnr; /* of the root of the mean intensity in the window, scaled to fit, decibels */
    double first_psnr; /* of the first frame alone */
    double efficiency; /* the mean light in the window over the light that falls on the modulator */
} ro_frames_report;

typedef struct ro_frames {
    /* RO_FRAMES sets it. */
    size_t size;
    /* Of frames, shown one after another, faster than the eye sees. */
    int count;
    /* Distance from IN to the target or OUT, positive with the light: a number from -100 to 100
     * metres, such as 0.5um. */
    double distance;
    /* Phases of the light: random or smooth. Default (NULL): random. */
    const char *phase;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* 1: errors of the intensity are not carried, for comparison. */
    int independent;
    /* Sweeps in which each frame is searched for what all others leave; 0: none. */
    int refine;
} ro_frames;
#define RO_FRAMES_DEFAULTS RO_DEFAULTS_OF(ro_frames, RO_NONE_UNSET)
#define RO_FRAMES RO_OPTIONS_OF(ro_frames, RO_NONE_UNSET)
RO_API
void ro_frames_init(ro_frames *options, size_t size);

/* Rounds a field to level numbers of several frames whose mean intensity, through the window, is
 * that of the field: what a frame shows too much or too little the next ones make up for. `out` has
 * a RO_INDEX8 of the field's size for each frame. Of the options levels or table, window, gain and,
 * for a distance, the optics' wavelength and pitch count. */
RO_API
ro_status ro_hologram_frames(ro_context *context, const ro_field *in, ro_image *out,
                             const ro_hologram_options *options, const ro_frames *frames,
                             ro_frames_report *report);

/* The levels of a modulator, the light at each of them and what it is sent to show it. */
typedef struct ro_modulator {
    int count;
    float table[2 * RO_HOLOGRAM_LEVELS]; /* real and imaginary parts */
    uint8_t drive[RO_HOLOGRAM_LEVELS];   /* numbers of their own, no two alike */
    int driven; /* these were told, they are not just the levels' numbers */
} ro_modulator;

/* The light of a named modulator, such as "phase:16"; "binary" and "amplitude:N" from 0 to 1. */
RO_API
ro_status ro_modulator_named(ro_context *context, const char *name, ro_modulator *modulator);

/* The light that leaves a modulator at these level numbers. */
RO_API
ro_status ro_modulator_light(ro_context *context, const ro_modulator *modulator,
                             const ro_image *numbers, ro_field *light);

/* ---- Reconstructing ----------------------------------------------------------------------- */

enum { RO_SCALE_NONE = -2 };

typedef struct ro_view {
    /* RO_VIEW sets it. */
    size_t size;
    /* Wavelength and pitch are needed; viewer and area, or the whole light. */
    ro_optics optics;
    /* Where the eye focuses. */
    double depth;
    /* The intensity of white: a number above 0, up to 1e+30 or none. Default (0): mean plus
     * standard deviation of each view. */
    double scale;
} ro_view;
#define RO_VIEW_DEFAULTS RO_DEFAULTS_OF(ro_view, RO_NONE_UNSET)
#define RO_VIEW RO_OPTIONS_OF(ro_view, RO_NONE_UNSET)
RO_API
void ro_view_init(ro_view *options, size_t size);

/* What an eye sees: the field goes to the viewer's plane, is cropped to the viewing area and goes
 * back to `depth`; `out` (RO_GREYF, the field's size) is its intensity. `scale`, if not NULL,
 * receives the intensity that is white, or would be, for further views. */
RO_API
ro_status ro_hologram_reconstruct(ro_context *context, const ro_field *in, ro_image *out,
                                  const ro_view *view, double *scale);

#ifdef __cplusplus
}
#endif

#endif
