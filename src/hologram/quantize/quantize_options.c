/* SPDX-License-Identifier: MIT */
/* The options of rounding a field to levels, one row each. */
#include "core/image.h"
#include "hologram/quantize/quantize.h"
#include "options/shared_rows.h"
#include "options/table.h"
#include "roundoff/command.h"

#include <math.h>
#include <string.h>

#define MEMBER(member) RO_MEMBER(ro_hologram_options, member)
#define WINDOWED "algorithm=vded,swed"

static const ro_option rows[] = {
    {MEMBER(algorithm), "A", "how errors are passed on", .topic = "quantize", .preset = "vded",
     .words = RO_WORDS({"vded", .value = VDED, .help = "each hogel has weights of its own"},
                       {"swed", .value = SWED, .help = "the field is one hogel"},
                       {.name = "floyd-steinberg", .value = FLOYD_STEINBERG},
                       {"truncate", .value = TRUNCATE, .help = "each pixel by itself"},
                       {"view-dependent", .value = VDED, .alias = "vded"},
                       {"signal-window", .value = SWED, .alias = "swed"},
                       {"fs", .value = FLOYD_STEINBERG, .alias = "floyd-steinberg"},
                       {"truncation", .value = TRUNCATE, .alias = "truncate"})},
    {MEMBER(weights), ROW_WEIGHTS, .preset = "ls", .needs = WINDOWED,
     .words = RO_WORDS(
         {"ls", .value = LEAST_SQUARES, .help = "12 by least squares"},
         {"paper", .value = PAPER, .help = "27 by Eq. 1 of the paper, of errors against the field"},
         {"paper-rounding", .value = PAPER_ROUNDING, .help = "of errors of rounding alone"},
         {"window", .value = WINDOW, .help = "27 of the window alone, against the field"})},
    {MEMBER(own), .needs = WINDOWED},
    {MEMBER(levels), "L", "levels of the modulator", .topic = "quantize propagate reconstruct show",
     .preset = "phase:256",
     .more = "They are `phase:N`, `amplitude:N`, `binary`, `phase-binary` or a file of levels, one "
             "per line: real and imaginary part, or columns that a heading names: \"phase\" "
             "(radians) or \"degrees\" with \"amplitude\", \"real, imaginary\", and before them "
             "\"level\" (0, 1, 2 and so on) and \"drive\", what the device is sent for the level, "
             "0 to 255. With the verbs `propagate` and `reconstruct` IN holds level numbers then."},
    {MEMBER(table)},
    {MEMBER(table_count), "N", .max = RO_HOLOGRAM_LEVELS},
    {MEMBER(schedule), ROW_SCHEDULE, .topic = "quantize",
     .words = RO_WORDS({.name = "auto", .value = BEST}, {.name = "reference", .value = REFERENCE},
                       {.name = "bands", .value = BANDS})},
    {MEMBER(taps), "N", .min = 1, .max = RO_HOLOGRAM_TAPS, .needs = WINDOWED},
    {MEMBER(p), "P", "columns that each row lags behind", .topic = "quantize", .min = 1,
     .max = RO_HOLOGRAM_SKEW, .preset = "auto", .needs = WINDOWED,
     .words = RO_WORDS({"auto", .value = 0, .help = "2 for ls, 6 for window, what paper needs"}),
     .more = "Each row lags behind the one above: fewer are faster, more allow more weights."},
    {MEMBER(hogel), "N", "pixels per side of a hogel", .topic = "quantize", .min = 8,
     .max = RO_MAX_SIDE, .derived = "the sidecar's, or 2048", .needs = "algorithm=vded"},
    {MEMBER(rho), "R", .max = 1e6, .above_min = 1, .needs = WINDOWED " weights=ls",
     .excludes = "own"},
    {MEMBER(gain), "G", "root mean square of the field in levels", .topic = "quantize", .max = 4,
     .above_min = 1, .preset = "0.4",
     .words = RO_WORDS({"auto", .value = RO_GAIN_AUTO,
                        .help = "that with the highest signal-to-noise ratio in the windows"})},
    {MEMBER(snr), "D", "the largest gain, so the most light, with D dB", .topic = "quantize",
     .max = 200, .derived = "the highest", .needs = "gain=auto"},
    {MEMBER(optics)},
    {RO_MEMBER_AS(ro_hologram_options, window.xi, "window"), "X,E,W,H",
     "window's centre and size, cycles per pixel", .topic = "quantize", .min = -0.5, .max = 1,
     .count = 4, .derived = "optics"},
    {MEMBER(measure)},
    {MEMBER(source)},
    {0},
};

static const ro_hologram_options unset = RO_HOLOGRAM_OPTIONS;

const ro_option_table hologram_table = {
    .name = "hologram-quantize",
    .structure = "ro_hologram_options",
    .initialiser = "RO_HOLOGRAM_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};

ro_status hologram_read(ro_context *context, const ro_hologram_options *given,
                        ro_hologram_options *options)
{
    const ro_status status = options_read(context, &hologram_table, given, options);
    return status == RO_OK ? options_check(context, &hologram_table, options, options) : status;
}

ro_status hologram_takes_only(ro_context *context, const ro_hologram_options *options,
                              const char *what, const char *const *names)
{
    char name[RO_OPTION_NAME];
    for (const ro_option *row = rows; row->name; row++) {
        const char *const *of = names;
        while (*of && strcmp(*of, row->name) != 0)
            of++;
        if (!*of && ro_option_is_set(&hologram_table, row, options))
            return ro_context_fail(context, RO_E_ARGUMENT, "%s does not apply to %s",
                                   option_spelled(row, name), what);
    }
    return RO_OK;
}

ro_status hologram_check_window(ro_context *context, const ro_window *w)
{
    static const ro_window none;
    if (memcmp(w, &none, sizeof none) == 0 ||
        (w->width > 0 && w->width <= 1 && w->height > 0 && w->height <= 1 && fabs(w->xi) <= 0.5 &&
         fabs(w->eta) <= 0.5))
        return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "a window at %g,%g of %g x %g cycles per pixel: its centre must be "
                           "from -0.5 to 0.5 and its size at most 1",
                           w->xi, w->eta, w->width, w->height);
}
