/* SPDX-License-Identifier: MIT */
/* What the actions of roundoff hologram share. */
#ifndef RO_CLI_HOLOGRAM_HOLOGRAM_H
#define RO_CLI_HOLOGRAM_HOLOGRAM_H

#include "cli/certificate/certificate.h"

enum { COLOURS = 3 };
enum { DRIVE_AUTO, DRIVE_NUMBERS, DRIVE_FULL, DRIVE_BITS, DRIVE_PACKED };

struct hologram_values {
    struct common common;
    const char *size;
    ro_texts scene, source;
    const char *depth_map, *depth, *target, *phase;
    int place, drive;
    const char *weights, *report, *spectrum;
    int refine; /* 0: not at all */
    double distance;
    const char *reference, *type, *wavelength, *sidecar, *modulator;
    struct size pixels; /* of `size` */
    ro_optics optics;
    ro_hologram_scene made;
    ro_hologram_options quantize;
    ro_refinement refinement;
    ro_spots spots;
    ro_frames frames;
    ro_view view;
};

typedef int hologram_action(const struct command *command, const struct hologram_values *values,
                            const struct operands *files);
hologram_action hologram_scene;  /* make of --scene */
hologram_action hologram_points; /* of a cloud of points */
hologram_action hologram_frames; /* quantize of --frames */
hologram_action hologram_make, hologram_quantize, hologram_show, hologram_propagate;
hologram_action hologram_reconstruct;

/* The nearest and the farthest depth of a scene, where --depth gives them; 0, or an exit status:
 * told. */
int hologram_depths(const struct command *command, const struct hologram_values *values,
                    double depths[2]);

/* A picture's amplitudes by --place, as ro_picture_place has them. */
ro_status hologram_place(ro_context *context, const struct hologram_values *values,
                         const char *path, int channel, uint32_t width, uint32_t height,
                         const ro_optics *optics, ro_image *picture, double *wide);

/* A grey picture as numbers, black being `low` and white `high`; floats as they are unless they are
 * `scaled` too. */
ro_status hologram_load_map(ro_context *context, const char *path, double low, double high,
                            bool scaled, ro_image *numbers);

/* The light of --source, which is made; nothing without that option. */
ro_status hologram_source(ro_context *context, const struct hologram_values *values,
                          const ro_optics *optics, uint32_t width, uint32_t height,
                          ro_field *source);

/* "slm.png" becomes "slm-r.png" if there are several channels; NULL without memory. */
char *hologram_channel(const char *path, int channels, int channel);

/* One wavelength or three of --wavelength; what is not given stays. 0, or the exit status. */
int hologram_waves(const struct command *command, const struct hologram_values *values,
                   double waves[COLOURS], int *count);

/* Whether a scene is a file of points. */
bool hologram_is_cloud(const char *name);

/* A field that is made row by row goes to its file as it comes; the rest is the writer's. */
ro_status hologram_take_row(void *writer, uint32_t y, const float *row);

/* For --certificate of quantize. */
ro_status hologram_certify(struct certificate *to, const void *values,
                           const struct operands *files);
const char *const *hologram_reference(const void *values);
ro_status hologram_certify_frames(struct certificate *to, const struct hologram_values *values,
                                  const struct operands *files);
uint64_t hologram_unlike(const ro_image *a, const ro_image *b); /* pixels, of images of one size */

/* Numbers with characters of `between` after all but the last, as lengths with units (nm, um or µm,
 * mm, cm, m; none: metres); false where the text is something else. */
bool hologram_numbers(const char *text, const char *between, bool lengths, double *values, int most,
                      int *count);

/* What `make` says of a scene that it made of `count` pictures, fields or points. */
struct task;
void hologram_made_json(const struct task *task, FILE *file, const char *counted, size_t count,
                        const ro_optics *optics);
void hologram_made_line(const struct task *task, const char *counted, size_t count,
                        const ro_optics *optics);

/* "view.png" becomes "view-2.png"; NULL without memory. */
char *hologram_numbered(const char *path, int number);

/* Whether a name is that of a text file of levels or taps; NULL is none. */
bool hologram_is_list(const char *name);

/* The optics that options give, before a sidecar fills in the rest; 0, or the exit status. */
int hologram_optics(const struct command *command, const struct hologram_values *values,
                    ro_optics *optics);

/* A length above zero; left as it is where it was not given. */
int hologram_length(const struct command *command, const char *name, const char *text,
                    double *value);

/* The light of IN: a field, or what a modulator of --levels sends out; optics from options and
 * sidecars. */
ro_status hologram_load_light(ro_context *context, const struct hologram_values *values,
                              const char *path, ro_field *field, ro_optics *optics);

/* For quantize: what it is to do, and what it did. */
struct quantize {
    ro_hologram_options options;
    ro_hologram_taps taps;
    ro_modulator device;
    ro_hologram_report report;
    ro_refinement refinement;
    ro_refinement_report refined;
};
/* Its options; 0, or the exit status. Then the files that they name, and whether OUT can be made.
 */
int hologram_take_quantize(const struct command *command, const struct hologram_values *values,
                           struct quantize *q);
ro_status hologram_prepare_quantize(ro_context *context, const struct hologram_values *values,
                                    struct quantize *q, const char *out);
/* What the window is, where no option says it: a missing sidecar gets a sentence of its own. */
ro_status hologram_check_physics(ro_context *context, const ro_hologram_options *options,
                                 const char *in);

/* For quantize --refine: the run, which reads the target, and what is said of it, as members of a
 * JSON object or as words. */
ro_status hologram_refine(ro_context *context, const struct hologram_values *values,
                          const ro_hologram_options *options, ro_refinement *refinement,
                          const ro_field *field, ro_image *numbers, ro_refinement_report *report);
void hologram_write_refined(FILE *file, const ro_refinement_report *report);
void hologram_say_refined(const ro_refinement_report *report, const ro_report *ran, double seconds);

/* The modulator of --levels, with drives as --drive wants them. */
ro_status hologram_device(ro_context *context, const struct hologram_values *values,
                          ro_modulator *modulator);

/* The largest number in a file of what it is sent: 255, or 1 where the file holds only bits. */
ro_status hologram_largest(ro_context *context, const struct hologram_values *values,
                           const ro_modulator *modulator, const char *path, uint32_t *largest);

/* Files of what it is sent: whether a path can hold it; saved, which turns the level numbers into
 * drives; and read back as level numbers. */
ro_status hologram_accepts(ro_context *context, const struct hologram_values *values,
                           const ro_modulator *modulator, const char *path);
ro_status hologram_save_numbers(ro_context *context, const struct hologram_values *values,
                                const ro_modulator *modulator, const char *path, ro_image *numbers);
ro_status hologram_load_numbers(ro_context *context, const struct hologram_values *values,
                                const ro_modulator *modulator, const char *path, ro_image *numbers);

#endif
