/* SPDX-License-Identifier: MIT */
/* roundoff hologram: makes, quantizes, propagates and reconstructs holograms. */
#include "cli/hologram/hologram.h"

#include "cli/common/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAKE = 1, QUANTIZE = 2, RECONSTRUCT = 4, PROPAGATE = 8 };
#define AT(field) .offset = offsetof(struct hologram_values, field)

static const char *const schedules[] = {"auto", "reference", "bands", NULL};

static const char *const gains[] = {"auto", NULL};

static const char *const drives[] = {"auto", "numbers", "full", "bits", NULL};

static const struct hologram_values defaults = {.gain = RO_DEFAULT};

static const struct option options[] = {
    {"size", "WxH", "pixels, such as 2048x2048", OPTION_SIZE, AT(size), .min = 1, .max = 1 << 16,
     .topic = "make"},
    {"scene", "F@D", "pictures at depths D behind OUT, or points: .ply, .xyz, .csv", OPTION_LIST,
     AT(scenes), .topic = "make"},
    {"depth-map", "F", "depth map of --scene F: black is near, white is far", OPTION_TEXT,
     AT(depth_map), .topic = "make"},
    {"target", "T", "dice (default), disc, ring or bars; of --refine: F", OPTION_TEXT, AT(target),
     .topic = "make", .also = "refine"},
    {"phase", "P", "random (default), smooth, constant, spherical, given, F", OPTION_TEXT,
     AT(phase), .topic = "make", .also = "refine"},
    {"view-specific", NULL, "only light that reaches the viewing area", OPTION_FLAG,
     AT(view_specific), .topic = "make"},
    {"levels", "L", "phase:N, amplitude:N, binary, phase-binary or F.csv", OPTION_TEXT, AT(levels),
     .topic = "quantize", .also = "reconstruct"},
    {"drive", "D", "files hold numbers, full (0 to 255), bits or auto (default)", OPTION_CHOICE,
     AT(drive), .choices = drives, .topic = "quantize", .also = "reconstruct"},
    {"algorithm", "A", "vded (default), swed, floyd-steinberg, truncate", OPTION_TEXT,
     AT(algorithm), .topic = "quantize"},
    {"weights", "W", "ls (default), paper, or taps from F.csv", OPTION_TEXT, AT(weights),
     .topic = "quantize"},
    {"p", "P", "columns each row lags behind: auto (default) or 1 to 8", OPTION_TEXT, AT(p),
     .topic = "quantize"},
    {"window", "X,E,W,H", "centre and size, cycles per pixel (default: optics)", OPTION_TEXT,
     AT(window), .topic = "quantize"},
    {"gain", "G", "root mean square of the field in levels (0.4), or auto", OPTION_NUMBER, AT(gain),
     .min = 0, .max = GAIN_MOST, .choices = gains, .topic = "quantize"},
    {"snr", "D", "of --gain auto: the most light with D dB", OPTION_NUMBER, AT(snr), .min = 0,
     .max = 200, .topic = "quantize"},
    {"report", "F", "write figures for each hogel to a JSON file", OPTION_TEXT, AT(report),
     .topic = "quantize", .writes = true},
    {"spectrum", "F", "draw the noise of the middle hogel, -50 to 10 dB", OPTION_TEXT, AT(spectrum),
     .topic = "quantize", .writes = true},
    {"schedule", "S", "auto (default), reference or bands: the same bits", OPTION_CHOICE,
     AT(schedule), .choices = schedules, .topic = "quantize"},
    {"refine", "N", "make OUT fit --target: N iterations or passes, or auto", OPTION_TEXT,
     AT(refine), .topic = "refine"},
    {"distance", "L", "from IN to the target or OUT, positive with the light", OPTION_TEXT,
     AT(distance), .topic = "refine", .also = "propagate"},
    {"region", "X,Y,W,H", "part of the target, in pixels (default: all but black)", OPTION_TEXT,
     AT(region), .topic = "refine"},
    {"light", "P%", "share of the light that the region should get", OPTION_TEXT, AT(light),
     .topic = "refine"},
    {"edges", "E", "around the modulator: auto (default), dark or wrap", OPTION_TEXT, AT(edges),
     .topic = "refine"},
    {"frames", "N", "frames in time, OUT-1 to OUT-N, whose mean is IN's", OPTION_WHOLE, AT(frames),
     .min = 1, .max = 1024, .topic = "refine"},
    {"depth", "D,D,...", "depths: where eyes focus; of make: the nearest and farthest", OPTION_TEXT,
     AT(depth), .topic = "reconstruct", .also = "make"},
    {"scale", "I", "the intensity of white, or none (default: mean + sigma)", OPTION_TEXT,
     AT(scale), .topic = "reconstruct"},
    {"reference", "F", "the picture that should be seen: PSNR, SSIM, speckle", OPTION_TEXT,
     AT(reference), .topic = "reconstruct"},
    {"type", "T", "type of OUT (default: its name)", OPTION_TEXT, AT(type), .topic = "reconstruct",
     .also = "quantize"},
    {"wavelength", "L", "wavelength (make: 635nm; three for colour)", OPTION_TEXT, AT(wavelength),
     .topic = "optics"},
    {"pitch", "L", "pixel pitch (make: 750nm)", OPTION_TEXT, AT(pitch), .topic = "optics"},
    {"viewer", "X,Y,Z", "centre of the viewing area (make: 0,0,-36mm)", OPTION_TEXT, AT(viewer),
     .topic = "optics"},
    {"viewing-area", "WxH", "size of the viewing area (make: 9.2mmx9.2mm)", OPTION_TEXT,
     AT(viewing_area), .topic = "optics"},
    {"hogel", "N", "pixels per side of a hogel (default: the sidecar's, or 2048)", OPTION_WHOLE,
     AT(hogel), .min = 8, .max = 1 << 16, .topic = "optics"},
    {"sidecar", "F", "read the optics from this file (default: IN's .json)", OPTION_TEXT,
     AT(sidecar), .topic = "optics"},
    {0},
};

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

/* ---- Which options go with which action ------------------------------------------------------ */

/* The actions of a topic; those of optics go with all. */
static int actions_of_topic(const char *topic)
{
    return strcmp(topic, "make") == 0          ? MAKE
           : strcmp(topic, "quantize") == 0    ? QUANTIZE
           : strcmp(topic, "refine") == 0      ? QUANTIZE
           : strcmp(topic, "reconstruct") == 0 ? RECONSTRUCT
           : strcmp(topic, "propagate") == 0   ? PROPAGATE
                                               : MAKE | QUANTIZE | RECONSTRUCT | PROPAGATE;
}

static int actions_of(const struct option *option)
{
    static const struct {
        const char *name;
        int actions;
    } others[] = {{"sidecar", QUANTIZE | RECONSTRUCT | PROPAGATE},
                  {"hogel", QUANTIZE},
                  {"levels", QUANTIZE | RECONSTRUCT | PROPAGATE},
                  {"drive", QUANTIZE | RECONSTRUCT | PROPAGATE}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(option->name, others[i].name) == 0)
            return others[i].actions;
    return actions_of_topic(option->topic) | (option->also ? actions_of_topic(option->also) : 0);
}

static size_t size_of(const struct option *option)
{
    switch (option->kind) {
    case OPTION_FLAG:
        return sizeof(bool);
    case OPTION_SIZE:
        return sizeof(struct size);
    case OPTION_NUMBER:
        return sizeof(double);
    case OPTION_LIST:
        return sizeof(ro_texts);
    case OPTION_TEXT:
        return sizeof(const char *);
    default:
        return sizeof(int);
    }
}

static const struct option *misplaced(const struct hologram_values *values, int action)
{
    for (const struct option *o = options; o->name; o++)
        if (memcmp((const char *)values + o->offset, (const char *)&defaults + o->offset,
                   size_of(o)) &&
            !(actions_of(o) & action))
            return o;
    return NULL;
}

/* ---- The command ---------------------------------------------------------------------------- */

static const struct {
    const char *name, *operands;
    int action, files;
    hologram_action *run;
} actions[] = {
    {"make", "OUT", MAKE, 1, hologram_make},
    {"quantize", "IN and OUT", QUANTIZE, 2, hologram_quantize},
    {"propagate", "IN and OUT", PROPAGATE, 2, hologram_propagate},
    {"reconstruct", "IN and OUT", RECONSTRUCT, 2, hologram_reconstruct},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int run(const struct command *command, int argc, char **argv)
{
    struct hologram_values values = defaults;
    struct operands names;
    int which = 0;
    while (which < ACTIONS && (argc == 0 || strcmp(argv[0], actions[which].name) != 0))
        which++;
    bool named = which < ACTIONS;
    int ended;
    if (named && argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        options_help(command, actions[which].name, stdout);
        return finish_stdout();
    }
    if (!options_take(command, argc - named, argv + named, &values, &names, &ended))
        return ended;
    if (!named)
        return usage_error(command,
                           "hologram must be followed by make, quantize, propagate or reconstruct");
    if (names.count != actions[which].files)
        return usage_error(command, "hologram %s needs %s", actions[which].name,
                           actions[which].operands);
    const struct option *wrong = misplaced(&values, actions[which].action);
    if (wrong)
        return usage_error(command, "--%s does not apply to hologram %s", wrong->name,
                           actions[which].name);
    if (actions[which].action != MAKE && !values.frames && values.common.seed)
        return usage_error(command, "--seed does not apply to hologram %s", actions[which].name);
    if (actions[which].action != QUANTIZE && values.common.certificate)
        return usage_error(command, "--certificate does not apply to hologram %s",
                           actions[which].name);
    if (values.common.strict && !(actions[which].action == RECONSTRUCT && values.levels))
        return usage_error(command, "--strict applies to hologram reconstruct --levels only");
    return actions[which].run(command, &values, &names);
}

const struct command command_hologram = {
    .name = "hologram",
    .operands = "make|quantize|propagate|reconstruct [IN] OUT",
    .summary = "holograms rounded so that the noise misses the viewer",
    .options = options,
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
