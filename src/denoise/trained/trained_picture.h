/* SPDX-License-Identifier: MIT */
/*
 * Samples to planes that the trained filters see, and their changes back to samples.
 *
 * Grey is one plane. Colour is filtered in the orthogonal basis R + G + B, R - B, R - 2 G + B,
 * whose planes have sqrt 3, sqrt 2 and sqrt 6 times the noise of a channel; with their changes A,
 * B, C the channels change by (2 A + 3 B + C) / 6, (2 A - 2 C) / 6 and (2 A - 3 B + C) / 6. The sum
 * of each of A, B, C is 0, and so is that of each channel's changes.
 *
 * Floats are numbers for the filters only: (x - least) / unit, rounded, `unit` a power of two. The
 * change is subtracted from x itself.
 *
 * Where the noise grows with the tone, its level at a pixel is that of the mean of the samples of 5
 * x 5 pixels, all channels together. Beyond the picture its nearest pixels are repeated.
 */
#ifndef RO_DENOISE_TRAINED_TRAINED_PICTURE_H
#define RO_DENOISE_TRAINED_TRAINED_PICTURE_H

#include "denoise/denoise.h"
#include "denoise/trained/trained_rows.h"

enum { TONES = 4096 };

/* Uneven noise: a level for a tone, the sum of all samples of 5 x 5 pixels in 2^shift. */
struct trained_tones {
    bool uneven;
    int shift;
    uint8_t level[TONES];
};

enum { UNCLIPPED = 1024 };

/* The tone, in parts of white, that clipped noise gives a mean of i / UNCLIPPED (trained_unclip.c).
 */
struct trained_unclip {
    double tone[UNCLIPPED + 1];
};
/* `noise_at` returns the standard deviation at a tone, both in parts of white. */
void trained_unclip_make(struct trained_unclip *unclip, double (*noise_at)(const void *, double),
                         const void *data);
double trained_unclip(const struct trained_unclip *unclip, double mean);

struct trained_picture {
    struct denoiser *work;
    int planes;
    bool idle; /* the noise is too little to change anything */
    struct trained_plan plan[3];
    const struct trained_kernel *kernel;
    int parts, fraction; /* a channel's change counts in 1/(parts * 2^fraction) */
    double origin, unit; /* of floats */
    double step;         /* what a change of 1 is in samples */
    bool floats, carried;
    uint64_t total, times; /* a value is n * times / total levels of the output */
    int in_bytes, out_bytes;
    struct trained_tones tones;
    bool unclips;
    struct trained_unclip unclip;
};

/* Of the denoiser's images; floats have to have their pixels there. Fails if one is no number. */
ro_status trained_picture_make(struct trained_picture *picture, struct denoiser *work);

/* The range of floats. Fails if one is no number, or very large; `top` is the first row's number.
 */
ro_status trained_range(ro_context *context, const ro_image *in, uint32_t top, double *least,
                        double *most);

/* Levels of uneven noise of row y: those of the mean tones round its pixels. `columns` is memory
 * for a row. */
void trained_levels(const struct trained_picture *picture, uint32_t y, int32_t *columns,
                    uint8_t *levels);

/* v0 of a row of samples, for a plane's band. */
void trained_see(const struct trained_picture *picture, int plane, const char *samples, void *seen);

/* The rows of D of all planes. Returns what a channel's values leave to those behind them, from 0
 * to total - 1, when they begin with 0. */
uint64_t trained_rest(const struct trained_picture *picture, const char *samples,
                      const int32_t *const change[3], int channel);

/* Writes a row; `carry` is what each channel's pixels before have left, and becomes what these
 * leave. It begins with trained_start. Figures are added if the denoiser's are wanted. */
uint64_t trained_start(const struct trained_picture *picture);
void trained_write(const struct trained_picture *picture, const char *samples,
                   const int32_t *const change[3], char *out, uint64_t carry[3],
                   struct step_figures *before, struct step_figures *after);

/* Fills in the reports, once all figures are there. */
void trained_report(struct denoiser *work, const char *schedule, ro_cpu cpu, int threads);

#endif
