/* SPDX-License-Identifier: MIT */
/* roundoff hologram: makes, quantizes, propagates and reconstructs holograms. */
#include "cli/hologram/hologram.h"

#include "cli/common/session.h"
#include "cli/common/shared_rows.h"
#include "roundoff/command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(member) RO_MEMBER(struct hologram_values, member)
#define OF_IN "quantize propagate reconstruct"

/* What files need, and what several structures of the library have; these have the other options.
 */
static const ro_option rows[] = {
    {MEMBER(size), ROW_SIZE, .topic = "make show"},
    {MEMBER(modulator), "NAME", "a modulator by its name, such as pluto-2", .topic = "show",
     .more = "It has a size, a pitch and levels, which options may replace: `pluto-2`, `gaea-2`, "
             "`leto` (HOLOEYE), `meadowlark-1920`, `meadowlark-1024`, `plm-47`, `plm-67` (phase "
             "light modulators of TI, whose file holds the bits of their electrodes), `dlp4710`, "
             "`dlp7000`, `dlp9000` (micromirrors, 0 and 255)."},
    {MEMBER(scene), "F@D", "pictures at depths D, or points: .ply, .xyz, .csv",
     .topic = "make show",
     .more = "A picture hides what is behind it where it is not black. Samples are intensities, or "
             "amplitudes if they are floating point "
             "numbers. With three wavelengths, red, green and blue make one field each, whose "
             "names end in -r, -g and -b. A file of points has x, y and z in metres, y upwards, z "
             "being the depth; amplitude (or intensity, or red, green, blue up to 255) and phase "
             "(or degrees) where it has them. Points hide nothing. Of show they are planes "
             "beside TARGET."},
    {MEMBER(depth_map), "FILE", "depths of the one picture of scene: black is near",
     .topic = "make", .more = "Without `depth` its samples are floating point numbers, metres."},
    {MEMBER(depth), "D,D,...", "depths: where eyes focus; of make the nearest and the farthest",
     .topic = "make reconstruct", .derived = OF_SIDECAR,
     .more = "They are positive behind the hologram; several make as many numbered views. Of make "
             "they are those of black and white in the depth map; points are moved to fill nine "
             "tenths of the hologram and to lie between them."},
    {MEMBER(target), ROW_TARGET, .derived = "dice",
     .more = "Of make it is `dice` (three before a checkerboard), `disc`, `ring` or `bars`; with "
             "`refine` a picture, whose samples are as those of `scene`."},
    {MEMBER(place), "P", "how pictures lie in the field", .topic = "make refine reconstruct",
     .preset = "fit",
     .words = RO_WORDS({"fit", .value = RO_PLACE_FIT, .help = "as large as the field allows"},
                       {"fill", .value = RO_PLACE_FILL, .help = "they cover all of it"},
                       {"centre", .value = RO_PLACE_CENTRE, .help = "pixel by pixel"}),
     .more = "It holds for `scene`, `target` and `reference`. Their middle is the field's, and "
             "they shrink by means of intensities."},
    {MEMBER(phase), ROW_PHASE, .derived = "random",
     .more = "Of make it is `random`, `smooth` (towards the viewer), or with `scene` `constant` or "
             "`spherical` (the wave that converges on the viewer, which leaves no seams between "
             "layers), of points also `given`, the default where the file has phases; of one "
             "picture also the name of a grey picture of its size, black being 0 and white a whole "
             "turn, or of floating point numbers in radians. Of `frames` it is `random`, other "
             "phases in every frame, or `smooth`, those of IN."},
    {MEMBER(drive), "D", "what the files of level numbers hold", .topic = OF_IN " show",
     .preset = "auto",
     .words = RO_WORDS({"auto", .value = DRIVE_AUTO,
                        .help = "drives of a file of levels that has "
                                "them, bits in a .pbm, else numbers"},
                       {"numbers", .value = DRIVE_NUMBERS, .help = "those of the levels"},
                       {"full", .value = DRIVE_FULL, .help = "level k of N as 255 k / (N - 1)"},
                       {"bits", .value = DRIVE_BITS,
                        .help = "of two levels, where the type has "
                                "bits"},
                       {"packed", .value = DRIVE_PACKED,
                        .help = "up to 24 frames of two levels in one picture of 24 bits"})},
    {MEMBER(weights), ROW_WEIGHTS, .derived = "ls",
     .more =
         "They are `ls` (12 by least squares), `paper` (27 by Eq. 1 of the paper), or a file of "
         "taps dx, dy, real, imaginary: the pixel dx to the left and dy above."},
    {MEMBER(report), "FILE", "write figures for each hogel (.json)", .topic = "quantize",
     .writes = 1,
     .more = "They are the predicted and the reached signal-to-noise ratio in the window, p, taps, "
             "the sum of the weights, errors cut off, and as shares of the light on the modulator "
             "all that leaves it (outgoing), all that arrives in the window (in_window) and the "
             "part of that which is the image (efficiency). The light of binary levels is 0 and 1; "
             "their twin image and zero order are noise where the window holds them, and a line "
             "reports where it overlaps its mirror image."},
    {MEMBER(spectrum), "FILE", "draw the noise of the middle hogel, -50 to 10 dB",
     .topic = "quantize", .writes = 1,
     .more = "0 dB is the mean energy of a pixel; the zero frequency is in the middle."},
    {MEMBER(refine), ROW_REFINE,
     .words = RO_WORDS({"auto", .value = RO_DEFAULT, .help = "50 iterations or 10 passes"}),
     .more = "The amplitude at `distance` becomes that of `target`, whatever its phase. 64 phases "
             "or more are many. With `frames` N are sweeps (auto: 2) in which each frame is "
             "searched for what all others leave."},
    {MEMBER(distance), ROW_AWAY},
    {MEMBER(source), "S", "light on the modulator: .npy, phases, lens:F or tilt:X,Y",
     .topic = "show refine",
     .more = "It is what leaves where a level is 1, and may be given several times: complex "
             "numbers or radians (.npy), such as a beam that was measured; a picture of phases, "
             "black to white a whole turn, such as a flatness map; a lens or a tilt (cycles per "
             "pixel) in front of the modulator. The hologram makes up for it."},
    {MEMBER(reference), "FILE", "the picture that should be seen: PSNR, SSIM, speckle",
     .topic = "reconstruct", .more = "It is as in `scene`; the view is scaled to fit."},
    {MEMBER(type), ROW_TYPE, .topic = "quantize reconstruct show"},
    {MEMBER(wavelength), ROW_WAVELENGTH, .derived = OF_SIDECAR "; make: 635 nm; show: 532 nm",
     .more = "Of make with `scene`, show and reconstruct it may be three, for red, green and "
             "blue, whose files have names that end in -r, -g and -b."},
    {MEMBER(sidecar), "FILE", "read the optics from this file", .topic = OF_IN,
     .derived = "beside IN, .json"},
    {0},
};

static const struct hologram_values defaults = {.made = RO_HOLOGRAM_SCENE,
                                                .quantize = RO_HOLOGRAM_OPTIONS,
                                                .refinement = RO_REFINEMENT,
                                                .spots = RO_SPOTS,
                                                .frames = RO_FRAMES,
                                                .view = RO_VIEW};

static const ro_option_table own = {
    .name = "hologram", .rows = rows, .unset = &defaults, .size = sizeof defaults};

/* Those of several structures: the command has them itself. */
static const char *const without[] = {"seed", NULL};

static const char *const examples[] = {
    "roundoff hologram make dice.npy --size 512x512",
    "roundoff hologram quantize dice.npy dice.png --levels phase:16",
    NULL,
};

/* ---- Numbers with units --------------------------------------------------------------------- */

bool hologram_is_list(const char *name)
{
    const char *dot = name ? strrchr(name, '.') : NULL;
    return dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".txt") == 0);
}

static const struct {
    const char *name;
    double metres;
} units[] = {{"nm", 1e-9}, {"um", 1e-6}, {"\u00b5m", 1e-6}, {"\u03bcm", 1e-6},
             {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}};

bool hologram_numbers(const char *text, const char *between, bool lengths, double *values, int most,
                      int *count)
{
    *count = 0;
    for (;;) {
        char *end;
        if (*count == most || (!isdigit((unsigned char)*text) && !strchr("+-.", *text)) || !*text)
            return false;
        double value = strtod(text, &end);
        if (end == text)
            return false;
        for (size_t i = 0; lengths && i < sizeof units / sizeof *units; i++) {
            size_t length = strlen(units[i].name);
            if (strncmp(end, units[i].name, length) == 0) {
                value *= units[i].metres;
                end += length;
                break;
            }
        }
        values[(*count)++] = value;
        if (*end == '\0')
            return true;
        if (!strchr(between, *end))
            return false;
        text = end + 1;
    }
}

/* ---- Which options go with which verb -------------------------------------------------------- */

static const struct {
    const char *verb, *operands;
    int files;
    hologram_action *run;
} actions[] = {
    {"make", "OUT", 1, hologram_make},
    {"quantize", "IN and OUT", 2, hologram_quantize},
    {"show", "TARGET and OUT", 2, hologram_show},
    {"propagate", "IN and OUT", 2, hologram_propagate},
    {"reconstruct", "IN and OUT", 2, hologram_reconstruct},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* Topics are verbs, optics of all verbs, and refine of quantize and show. */
static bool goes_with(const struct option *option, const char *verb)
{
    const char *topic = option->topic;
    return strstr(topic, verb) || strstr(topic, "optics") ||
           ((strcmp(verb, "quantize") == 0 || strcmp(verb, "show") == 0) &&
            strstr(topic, "refine"));
}

static int check_verb(const struct command *command, const struct hologram_values *values,
                      const char *verb)
{
    struct option_list list;
    const bool quantize = strcmp(verb, "quantize") == 0;
    const bool light = strcmp(verb, "reconstruct") == 0 && values->quantize.levels;
    options_list(command, &list);
    for (int i = 0; i < list.count; i++) {
        const struct option *o = &list.at[i];
        if (o->table != &common_table &&
            ro_option_is_set(o->table, o->row, (const char *)values + o->offset) &&
            !goes_with(o, verb))
            return usage_error(command, "--%s does not apply to hologram %s", o->name, verb);
    }
    if (strcmp(verb, "make") != 0 && strcmp(verb, "show") != 0 && !values->frames.count &&
        values->common.seed)
        return usage_error(command, "--seed does not apply to hologram %s", verb);
    if (!quantize && values->common.certificate)
        return usage_error(command, "--certificate does not apply to hologram %s", verb);
    if (values->common.strict && !light)
        return usage_error(command, "--strict applies to hologram reconstruct --levels only");
    return 0;
}

/* ---- The command ---------------------------------------------------------------------------- */

static int run(const struct command *command, int argc, char **argv)
{
    struct hologram_values values = defaults;
    struct operands names;
    int which = 0;
    while (which < ACTIONS && (argc == 0 || strcmp(argv[0], actions[which].verb) != 0))
        which++;
    bool named = which < ACTIONS;
    int ended;
    if (named && argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        options_help(command, actions[which].verb, stdout);
        return finish_stdout();
    }
    if (!options_take(command, argc - named, argv + named, &values, &names, &ended))
        return ended;
    if (!named)
        return usage_error(command,
                           "hologram must be followed by make, quantize, show, propagate or "
                           "reconstruct");
    if (names.count != actions[which].files)
        return usage_error(command, "hologram %s needs %s", actions[which].verb,
                           actions[which].operands);
    if (values.size && !size_read(command, values.size, 1 << 16, &values.pixels))
        return EXIT_BAD_USAGE;
    const int wrong = check_verb(command, &values, actions[which].verb);
    return wrong ? wrong : actions[which].run(command, &values, &names);
}

const struct command command_hologram = {
    .name = "hologram",
    .operands = "make|quantize|show|propagate|reconstruct [IN] OUT",
    .summary = "holograms rounded so that the noise misses the viewer",
    .own = &own,
    .families = {{"hologram-optics", offsetof(struct hologram_values, optics)},
                 {"hologram-scene", offsetof(struct hologram_values, made)},
                 {"hologram-quantize", offsetof(struct hologram_values, quantize)},
                 {"hologram-refine", offsetof(struct hologram_values, refinement)},
                 {"hologram-spots", offsetof(struct hologram_values, spots)},
                 {"hologram-frames", offsetof(struct hologram_values, frames)},
                 {"hologram-view", offsetof(struct hologram_values, view)}},
    .without = without,
    .common = COMMON_DEVICE | COMMON_THREADS | COMMON_CPU | COMMON_SEED | COMMON_QUIET |
              COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .verb = "quantize",
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = hologram_certify,
    .reference = hologram_reference,
};
