/* SPDX-License-Identifier: MIT */
/*
 * What the command needs beside the stable interface: rows of tables, and small steps between files
 * and methods. Unstable: it may change with any version, and is no part of roundoff.h.
 */
#ifndef ROUNDOFF_COMMAND_H
#define ROUNDOFF_COMMAND_H

#include "roundoff.h"
#include "roundoff/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options --------------------------------------------------------------------------------- */

/* The tables in order; NULL past the end. */
RO_API
const ro_option_table *ro_options_at(int number);

/* A row by its place; NULL: there is none. */
RO_API
const ro_option *ro_option_at(const ro_option_table *table, int number);

/* Whether the value differs from the default. */
RO_API
int ro_option_is_set(const ro_option_table *table, const ro_option *option, const void *options);

/* What values are allowed, in words: "a number from 0 to 64". */
RO_API
const char *ro_option_allowed(const ro_option *option, char room[RO_OPTION_MESSAGE]);

/* Checks what the options that are set need of the method and of each other; values that are
 * derived and that rules name must be filled in. On failure `message` says which rule does not
 * hold. */
RO_API
ro_status ro_options_check(const ro_option_table *table, const void *options,
                           char message[RO_OPTION_MESSAGE]);

/* Fills in the defaults that are constants. */
RO_API
void ro_options_fill(const ro_option_table *table, void *options);

/* Whether the option applies to a method. */
RO_API
int ro_option_applies(const ro_option_table *table, const ro_option *option, const char *method);

/* ---- Halftones ------------------------------------------------------------------------------- */

/* A colour, as ro_palette_parse reads them. */
RO_API
ro_status ro_colour_parse(ro_context *context, const char *text, uint8_t rgb[3]);

/* ---- Denoising and segmentation -------------------------------------------------------------- */

/* The scheme that options stand for, by name; NULL: model trained has none. */
RO_API
const char *ro_denoise_scheme(const ro_denoise_options *options);

/* Whether seeds, mask or distance have something of a label. */
RO_API
int ro_segment_has_seed(const ro_segment_options *options, int label);

/* ---- Registration ---------------------------------------------------------------------------- */

/* Points (x, y) of the fixed image to where they are in the moving one by a map, as
 * ro_register_report has it, or by its inverse; `moved` may be `points`. And the displacement of
 * each pixel by it, as an image of RO_GREYF. */
RO_API
ro_status ro_map_points(ro_context *context, const double map[9], int inverse, size_t count,
                        const double *points, double *moved);
RO_API
ro_status ro_map_field(ro_context *context, const double map[9], int inverse,
                       const ro_image *field);

/* ---- Holograms --------------------------------------------------------------------------------
 */

enum { RO_PLACE_FIT, RO_PLACE_FILL, RO_PLACE_CENTRE };

/* Places a picture of amplitudes (RO_GREYF) in a field of these pixels and pitch, its middle in the
 * middle: as large as it fits (RO_PLACE_FIT), so large that it fills the field, or pixel by pixel.
 * With `wide`, which receives its width in metres, it is made ready for a scene: one with more
 * pixels than it covers is replaced by a smaller one, whose intensities are means, and what lies
 * beyond the field is cut off. Without, it is replaced by the field's pixels: each takes that of
 * the picture which holds its middle, or 0. */
RO_API
ro_status ro_picture_place(ro_context *context, ro_image *picture, uint32_t width, uint32_t height,
                           const ro_optics *optics, int place, double *wide);

/* Moves points so that they fill nine tenths of a width or height, keeping proportions, and lie
 * between two depths, the least depth becoming `near`. */
RO_API
ro_status ro_points_fit(ro_context *context, ro_scene_point *points, size_t count, double width,
                        double height, double near, double far);

/* The spectrum of the noise in one hogel of what ro_hologram_quantize made: |q - alpha g|^2 in
 * decibels over the mean energy of a pixel, the zero frequency in the middle; `out` is RO_GREYF of
 * the hogel's size. `table` holds the levels, `report` is the one of the run. */
RO_API
ro_status ro_hologram_noise(ro_context *context, const ro_field *in, const ro_image *numbers,
                            const float *table, const ro_hologram_report *report, uint32_t hogel,
                            ro_image *out);

typedef struct ro_view_figures {
    size_t size;                 /* of the structure; set it before the call */
    double psnr, amplitude_psnr; /* of the intensity and of its root, scaled to fit, decibels */
    double ssim;                 /* of the intensity, mean over squares of 8 x 8 pixels */
    double speckle; /* sigma over mean of the intensity where the reference is even and bright,
                       mean over such squares; -1: there are none */
} ro_view_figures;

/* A view (RO_GREYF, intensities that are not cut off: RO_SCALE_NONE) beside what should be seen:
 * the reference's amplitudes (RO_GREYF) lie as a picture of a scene does, in the middle, as large
 * as the hologram allows; of the optics the pitch counts. */
RO_API
ro_status ro_view_compare(ro_context *context, const ro_image *view, const ro_image *reference,
                          const ro_optics *optics, ro_view_figures *figures);

/* Level numbers to what the device is sent, in place, and back; numbers that are none of the
 * modulator's are an error. `image` is RO_INDEX8 or RO_GREY8. */
RO_API
ro_status ro_modulator_drive(ro_context *context, const ro_modulator *modulator, ro_image *image);

RO_API
ro_status ro_modulator_read(ro_context *context, const ro_modulator *modulator, ro_image *image);

/* Labels and outlines as they were when fronts had gone this many pixels at full speed. */
RO_API
ro_status ro_regions_show(ro_regions *result, double way);

/* ---- Modulators that can be bought
 * ------------------------------------------------------------------------------- */

/* A spatial light modulator that can be bought. */
typedef struct ro_slm {
    const char *name, *title; /* "pluto-2", "HOLOEYE PLUTO-2" */
    uint32_t width, height;
    double pitch;       /* metres */
    const char *levels; /* as in ro_hologram_options; NULL: ro_slm_modulator has measured ones */
    const char *source; /* where these figures were read */
} ro_slm;

/* Those that are known, from 0; NULL: there are no more. And one by its name. */
RO_API
const ro_slm *ro_slm_at(int number);
RO_API
ro_status ro_slm_find(ro_context *context, const char *name, const ro_slm **slm);

RO_API
ro_status ro_slm_modulator(ro_context *context, const ro_slm *slm, ro_modulator *modulator);

/* What the device is sent for level numbers, as a picture (RO_GREY8) that is made: the numbers
 * themselves, 0 and 255 of two levels, and of a phase light modulator the bits of four electrodes,
 * two by two, as 0 and 255. */
RO_API
ro_status ro_slm_frame(ro_context *context, const ro_slm *slm, const ro_image *numbers,
                       ro_image *frame);

/* Up to 24 frames of two levels as a picture of 24 bits (RO_RGB8), which is made: bits 0 to 7 of
 * green, then of red, then of blue, the order in which the DLPC350 and DLPC900 show them. */
RO_API
ro_status ro_frames_pack(ro_context *context, const ro_image *frames, int count, ro_image *packed);

#ifdef __cplusplus
}
#endif

#endif
