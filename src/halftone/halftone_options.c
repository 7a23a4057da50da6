/* SPDX-License-Identifier: MIT */
/* The options of a halftoning, one row each. */
#include "halftone/halftone.h"
#include "options/shared_rows.h"
#include "options/table.h"
#include "roundoff/command.h"

#include <string.h>

#define MEMBER(member) RO_MEMBER(ro_halftone_options, member)
#define TONE(member) RO_MEMBER_AS(ro_halftone_options, tone.member, #member)
#define AM "method=am"
#define INKS "channels=cmyk,inks"
#define SHARE .unit = "%"

static const ro_option rows[] = {
    {MEMBER(method), "M", "how to round; list shows the methods",
     .derived = "acuity up to 16 levels, else floyd-steinberg; am with lpi, screen with screen, "
                "fan with a palette of a panel",
     .words = halftone_method_words,
     .more = "Case, hyphens and underscores in the name do not matter."},
    {MEMBER(levels), "N", "levels of the output", .min = 2, .max = 65536, .preset = "2",
     .trait = OPTION_LEVELS, .excludes = "palette " INKS,
     .more = "Only the kernels of error diffusion and ordered dithering make more than 256, which "
             "are written with 16 bits per pixel; there are never more than 16 times the white of "
             "the input, plus one. An NPY file holds numbers of levels up to 256 of them, and "
             "tones up to 65535 beyond. With 2 levels the output has one bit per pixel if its type "
             "allows it; TIFF is compressed as CCITT group 4."},
    {MEMBER(schedule), ROW_SCHEDULE, .topic = "diffusion", .trait = OPTION_SCHEDULE,
     .words = RO_WORDS({"auto", .help = "the fastest"},
                       {"wave", .help = "rows as vector lanes, bands of rows on all threads"},
                       {"ed", .help = "sequential, errors are sent on; one thread, no vectors"},
                       {"ec", .help = "sequential, errors are collected; one thread, no vectors"},
                       {"pwed", .help = "pixel-wise, on a CUDA device"},
                       {"pwec", .help = "pixel-wise, on a CUDA device"},
                       {"bwed", .help = "block-wise, on a CUDA device"},
                       {"bwec", .help = "block-wise, on a CUDA device"})},
    {MEMBER(seed), ROW_SEED, .topic = "diffusion screens search", .trait = OPTION_SEED},
    {MEMBER(strength), "P%", "share of each error that is passed on", .topic = "diffusion",
     .min = 1, .max = 100, SHARE, .preset = "100", .trait = OPTION_STRENGTH,
     .more = "Less gives more contrast and less texture."},
    {MEMBER(noise), "P%", "noise added to the threshold; 100% is half a step", .topic = "diffusion",
     .max = 100, SHARE, .preset = "0", .trait = OPTION_NOISE,
     .more = "It breaks up regular patterns; `seed` changes it."},
    {MEMBER(threshold), "P%", "where white begins between a level and the next",
     .topic = "diffusion", .min = 1, .max = 99, SHARE, .preset = "50", .trait = OPTION_THRESHOLD,
     .excludes = "palette",
     .words = RO_WORDS({"balanced", .value = RO_THRESHOLD_BALANCED,
                        .help = "by tone, such that a flat tone carries no error on average"}),
     .more = "Error diffusion takes a percentage with 2 levels only, and `balanced` with built-in "
             "kernels only: the picture is not sharpened then, and its error as seen from a "
             "distance is much smaller."},
    {MEMBER(serpentine), NULL, "odd rows run from right to left, all on one thread",
     .topic = "diffusion", .trait = OPTION_SERPENTINE,
     .more = "Each row waits for the whole row above, so only the schedules `ed` and `ec` run "
             "it."},
    {MEMBER(like), "PROGRAM", "match another program byte for byte", .topic = "diffusion",
     .derived = "none", .excludes = "palette",
     .words = RO_WORDS({"pillow", .help = "convert(\"1\")"},
                       {"netpbm", .help = "pgmtopbm -fs -randomseed=N, N being `seed`"},
                       {"zimg", .help = "its plain C code"},
                       {"paper", .help = "as published, in real numbers"}),
     .more = "It is Floyd-Steinberg of 8-bit grey to 2 levels. What the program cannot do is an "
             "error."},
    {MEMBER(kernel), .excludes = "method like"},
    {TONE(invert), NULL, "swap black and white", .topic = "tone"},
    {TONE(brightness), "P%", "lighter, or darker below 0", .topic = "tone", .min = -100, .max = 100,
     SHARE, .preset = "0"},
    {TONE(contrast), "P%", "steeper about middle grey, or flatter below 0", .topic = "tone",
     .min = -100, .max = 100, SHARE, .preset = "0"},
    {TONE(gamma), "G", "raise tones to the power 1/G; above 1 is lighter", .topic = "tone",
     .min = 0.1, .max = 10, .preset = "1"},
    {TONE(linear), ROW_LINEAR, .topic = "tone", .excludes = "separation channels=inks"},
    {TONE(curve)},
    {TONE(curve_points), "N", .max = RO_CURVE_POINTS},
    {TONE(dot_gain), "P%", "what 50% of ink prints as, minus 50%", .topic = "tone", .max = 45,
     SHARE, .preset = "0", .excludes = "palette recolour",
     .more = "For printers that were not calibrated. The print is then as light as the picture is "
             "on a screen; shares of inks only lose the gain. Laser printers have some 20 percent, "
             "more for finer dots. A curve of `calibrate` does better and excludes it."},
    {MEMBER(palette), .excludes = "channels recolour"},
    {MEMBER(fit), ROW_FIT, .topic = "colour"},
    {MEMBER(channels), "C", "what colour becomes", .topic = "colour", .preset = "grey",
     .excludes = "recolour",
     .words =
         RO_WORDS({"grey", .value = RO_CHANNELS_GREY, .help = "its luma"},
                  {"rgb", .value = RO_CHANNELS_RGB, .help = "red, green and blue, each by itself"},
                  {"cmyk", .value = RO_CHANNELS_CMYK, .help = "four inks of 2 levels"},
                  {"inks", .value = RO_CHANNELS_INKS, .help = "the inks of `inks`"})},
    {MEMBER(black_ink), "P%", "share of grey that black ink replaces", .topic = "inks", .max = 100,
     SHARE, .preset = "100", .needs = "channels=cmyk", .excludes = "separation"},
    {MEMBER(ink_limit), "P%", "ink at most, all inks together", .topic = "inks",
     .max = 100 * RO_INKS_MOST, .above_min = 1, SHARE, .derived = "none", .needs = "channels=inks",
     .excludes = "separation"},
    {MEMBER(recolour)},
    {MEMBER(inks), .needs = INKS},
    {MEMBER(ink_count), "N", .max = RO_INKS_MOST},
    {MEMBER(cell), ROW_CELL, .topic = "screens", .derived = "by the method", .trait = OPTION_CELL,
     .more = "Of bayer they are 2, 4, 8 ... 256, of clustered-dot 2 to 256, of blue-noise 2 to "
             "1024, of green-noise 16 to 256."},
    {MEMBER(separation), .needs = INKS},
    {MEMBER(lpi), ROW_LPI, .topic = "screens", .derived = "an eighth of dpi", .trait = OPTION_LINES,
     .more = "The report says which number and angle were reached, and how many greys there are. "
             "Without `dpi` the resolution is what IN states, which is then reported."},
    {MEMBER(angle), ROW_ANGLE, .topic = "screens", .trait = OPTION_ANGLE,
     .more = "The method clustered-dot has 0 or 45 degrees."},
    {MEMBER(dpi), ROW_DPI, .topic = "files screens search", .count = 2, .least = 1,
     .derived = "that of IN",
     .more = "600x300 is 300 from row to row. It is written into OUT. The eye of a search follows "
             "it from 300 to 400, and at any resolution if `distance` is given."}, /* dpi_y */
    {MEMBER(shape), ROW_SHAPE, .topic = "screens", .derived = "round; euclidean with dot",
     .trait = OPTION_SHAPE, .words = WORDS_OF_SHAPE(AM)},
    {MEMBER(spot), .trait = OPTION_LINES, .excludes = "shape"},
    {MEMBER(screen), .trait = OPTION_SCREEN},
    {MEMBER(dot), ROW_DOT, .topic = "screens", .trait = OPTION_DOT,
     .more = "In the lightest and darkest tones dots become fewer, not smaller. Above 1, `am` "
             "takes the shapes `round`, `ellipse`, `diamond` and `euclidean`."},
    {MEMBER(rounds), "N", "stop after N rounds", .topic = "search", .min = 1, .max = 1000000,
     .derived = "when nothing changes", .trait = OPTION_SEARCH},
    {MEMBER(distance), ROW_DISTANCE, .topic = "search", .preset = NULL,
     .derived = "300 unless sigma is given", .trait = OPTION_EYE, .excludes = "sigma",
     .more = "The eye of a search is Naesaenen's, for `dpi` at this distance."},
    {MEMBER(sigma), "S", "a Gaussian eye of S pixels instead", .topic = "search", .max = 1000,
     .above_min = 1, .derived = "none; 1.2 with aim picture", .trait = OPTION_EYE},
    {MEMBER(aim), "A", "what a search compares with the blurred halftone", .topic = "search",
     .preset = "seen", .trait = OPTION_EYE,
     .words = RO_WORDS({"seen", .help = "the picture blurred in the same way"},
                       {"picture", .help = "the picture as it is, which sharpens"})},
    {MEMBER(start), "S", "where a search begins: a method, random, or a file", .topic = "search",
     .preset = "acuity", /* the least error, and no worms that show: docs/methods.md */
     .trait = OPTION_SEARCH,
     .more = "The method must be one of two levels, or of as many levels or colours as there are. "
             "Of a file, whose name has a dot or a slash, the picture is a halftone to start from; "
             "`search` starts from methods only."},
    {MEMBER(first), .trait = OPTION_EYE, .excludes = "start seed"},
    {MEMBER(black), .min = -1e300, .max = 1e300},
    {MEMBER(white), .min = -1e300, .max = 1e300},
    {MEMBER(range), "R", "the samples that are black and white", .topic = "tone",
     .derived = "full; of a video by its header", .excludes = "black white",
     .words = RO_WORDS({"full", .value = RO_RANGE_FULL, .help = "0 and the largest"},
                       {"limited", .value = RO_RANGE_LIMITED,
                        .help = "16 and 235 of 8 bits and so on, as video has them"})},
    {MEMBER(abreast), "N", .max = 64},
    {MEMBER(quality), "Q", "how far a search goes", .topic = "search", .preset = "best",
     .trait = OPTION_SWAPS, .excludes = "rounds",
     .words = RO_WORDS({"fast", .help = "two rounds"}, {"best", .help = "until nothing changes"})},
    {MEMBER(swaps), NULL, "a search only exchanges pixels, so that each colour keeps its count",
     .topic = "search", .trait = OPTION_SWAPS},
    {0},
};

static const ro_halftone_options unset = RO_HALFTONE_OPTIONS;

static unsigned traits_of(const char *method)
{
    const struct halftone_method *found = halftone_method_named(method);
    if (!found && strcmp(method, halftone_own_kernel.info.name) == 0)
        found = &halftone_own_kernel;
    return found ? found->options : halftone_like_options(method);
}

const ro_option_table halftone_table = {
    .name = "halftone",
    .structure = "ro_halftone_options",
    .initialiser = "RO_HALFTONE_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
    .method = "method",
    .traits = traits_of,
};

ro_status halftone_rules(ro_context *context, const ro_halftone_options *options,
                         const struct halftone_method *method)
{
    ro_halftone_options resolved = *options;
    resolved.method = method->info.name;
    return options_check(context, &halftone_table, options, &resolved);
}

static const ro_option *row_of(const char *name) { return ro_option_find(&halftone_table, name); }

bool halftone_is_set(const ro_halftone_options *options, const char *name)
{
    return ro_option_is_set(&halftone_table, row_of(name), options);
}

/* Whether what is asked for is something that only kernels of error diffusion do. */
static bool asks_for_a_kernel(const ro_halftone_options *options)
{
    static const char *const rows_of_kernels[] = {"strength", "noise", "threshold", "serpentine",
                                                  "seed"};
    for (size_t i = 0; i < sizeof rows_of_kernels / sizeof *rows_of_kernels; i++)
        if (halftone_is_set(options, rows_of_kernels[i]))
            return true;
    return false;
}

/* The method that follows from the other options. Few levels of grey have what an eye prefers
 * (docs/acuity.md); more look alike with any method, and plates are left to their presses. */
static const char *usual_method(const ro_halftone_options *options)
{
    enum { FEW_LEVELS = 16 };
    bool in_rows = options->lpi > 0;
    for (int i = 0; options->inks && i < options->ink_count; i++)
        in_rows = in_rows || options->inks[i].lpi > 0;
    if (in_rows)
        return "am";
    if (options->screen)
        return "screen";
    if (options->palette && options->palette->panel)
        return "fan";
    const bool inks =
        options->channels == RO_CHANNELS_CMYK || options->channels == RO_CHANNELS_INKS;
    const bool few = options->levels <= FEW_LEVELS && !options->palette && !inks;
    return few && !asks_for_a_kernel(options) ? "acuity" : "floyd-steinberg";
}

bool halftone_is_fitted(const ro_halftone_options *options)
{
    return options->fit == RO_FIT_FULL ||
           (options->fit == RO_FIT_AUTO && options->palette && options->palette->panel);
}

ro_status halftone_read(ro_context *context, const ro_halftone_options *given,
                        ro_halftone_options *taken)
{
    const ro_status status = options_read(context, &halftone_table, given, taken);
    if (status != RO_OK)
        return status;
    if (!taken->method && !taken->kernel && !taken->like)
        taken->method = usual_method(taken);
    const struct halftone_method *method = halftone_method_of(context, taken);
    return method ? halftone_rules(context, taken, method) : RO_E_ARGUMENT;
}

const char *halftone_preset(const char *name) { return row_of(name)->preset; }
