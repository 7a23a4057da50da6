/* SPDX-License-Identifier: MIT */
/* The options of a denoising, one row each. */
#include "denoise/denoise.h"
#include "options/shared_rows.h"
#include "options/table.h"

#define MEMBER(member) RO_MEMBER(ro_denoise_options, member)
#define FLOATS "number=s10e5,s16e7,s23e8"
#define NAIVE "scheme=naive"
#define EXPLICIT "scheme=explicit"
#define REAL "scheme=explicit,implicit,conjugate"
#define TRAINED "model=trained"
#define DIFFUSION "model=anisotropic,edge-enhancing,perona-malik,linear"
#define CLASSIC "model=trained" /* what options of the other models exclude */

static const ro_option rows[] = {
    {MEMBER(model), "M", "how to smooth",
     .derived = "trained; anisotropic with an option that trained does not take",
     .trait = RO_OPTION_MODEL,
     .words = RO_WORDS({"trained", .value = MODEL_TRAINED,
                        .help = "by trained filters, which suits photographs best"},
                       {"anisotropic", .value = RO_MODEL_ANISOTROPIC, .help = "along edges"},
                       {"edge-enhancing", .value = RO_MODEL_TENSOR,
                        .help = "along edges, and there no more than half as much"},
                       {"perona-malik", .value = RO_MODEL_PERONA_MALIK,
                        .help = "less where the gradient is large"},
                       {"linear", .value = RO_MODEL_LINEAR, .help = "everywhere"},
                       {"non-linear", .value = RO_MODEL_PERONA_MALIK, .alias = "perona-malik"})},
    {MEMBER(scheme), "S", "how a time step is computed", .topic = "diffusion", .excludes = CLASSIC,
     .derived = "explicit; implicit for u8 and s9",
     .words =
         RO_WORDS({"explicit", .value = 0, .help = "keeps the sum and the range exactly"},
                  {"implicit", .value = 1,
                   .help = "larger time steps by Jacobi sweeps, on the CPU, whole images"},
                  {"conjugate", .value = 2, .help = "larger time steps by conjugate gradients"},
                  {"naive", .value = 3, .help = "loses mass and shows why the others do not"},
                  {"xpp24", .value = 4, .help = "the hardware profile of a paper"})},
    {MEMBER(number), ROW_NUMBER, .topic = "numbers", .excludes = CLASSIC,
     .derived = "by the bits of IN", .trait = RO_OPTION_NUMBER,
     .words = RO_WORDS({.name = "u8"}, {.name = "s9"}, {.name = "s12"}, {.name = "s16"},
                       {.name = "s17"}, {.name = "s24"}, {.name = "s10e5", .needs = REAL},
                       {.name = "s16e7", .needs = REAL}, {.name = "s23e8", .needs = REAL},
                       {.name = "u16"}, {.name = "s8"}, {.name = "q15"}),
     .more = "The default is `s16` for 8-bit images, `s17` for 16-bit images and `s23e8` for float "
             "images, whose white is 1; it is `s24` with the schemes `conjugate` and `xpp24`."},
    {MEMBER(rounding), "R", "how fluxes between pixels are rounded", .topic = "numbers",
     .preset = "zero", .trait = RO_OPTION_ROUNDING, .excludes = CLASSIC " " FLOATS,
     .words = RO_WORDS({"zero", .value = RO_ROUND_ZERO}, {"nearest", .value = RO_ROUND_NEAREST},
                       {"away", .value = RO_ROUND_AWAY, .needs = NAIVE},
                       {"down", .value = RO_ROUND_DOWN, .needs = NAIVE},
                       {"up", .value = RO_ROUND_UP, .needs = NAIVE},
                       {"nearest-up", .value = RO_ROUND_NEAREST_UP, .needs = NAIVE},
                       {"nearest-down", .value = RO_ROUND_NEAREST_DOWN, .needs = NAIVE},
                       {"nearest-even", .value = RO_ROUND_NEAREST_EVEN, .needs = NAIVE})},
    {MEMBER(round), "R", "how numbers become levels of an integer output", .topic = "output",
     .preset = "sum",
     .words =
         RO_WORDS({"sum", .value = 0, .help = "rounds the running sum, so that the sum is kept"},
                  {"nearest", .value = 1, .help = "rounds each pixel by itself"})},
    {MEMBER(schedule), ROW_SCHEDULE, .topic = "run", .trait = RO_OPTION_SCHEDULE,
     .words = RO_WORDS({"auto", .value = RO_SCHEDULE_AUTO},
                       {"reference", .value = RO_SCHEDULE_REFERENCE},
                       {"passes", .value = RO_SCHEDULE_PASSES, .needs = EXPLICIT " " DIFFUSION},
                       {"stream", .value = RO_SCHEDULE_STREAM, .needs = EXPLICIT}),
     .more = "With `stream` and `noise_level` (or `kappa`) rows go from file to file, and "
             "memory grows with the width and the steps only."},
    {MEMBER(iterations), ROW_ITERATIONS, .topic = "diffusion", .excludes = CLASSIC,
     .derived = "as stop says",
     .more = "With `until_converged` they are the bound, by default 10000."},
    {MEMBER(steps_at_once), "T", "time steps in one pass over the image", .topic = "run", .min = 1,
     .max = 64, .derived = "the fastest, at most 8", .trait = RO_OPTION_SCHEDULE,
     .needs = "schedule=stream", .excludes = CLASSIC},
    {MEMBER(white), "N", "the sample value of white", .topic = "output", .min = 1,
     .max = UINT32_MAX - 1.0, .derived = "the maxval, or the bits in use",
     .words = RO_WORDS({"maxval", .value = RO_WHITE_MAXVAL}),
     .more = "Where `kappa` is estimated and samples have 16 bits, white is the smallest 2^n - 1 "
             "that no sample exceeds, so that 10 and 12 bits in 16-bit files are treated as such."},
    {MEMBER(kappa), "K", "gradient of an edge in 1/255 per pixel", .topic = "diffusion", .max = 1e6,
     .above_min = 1, .derived = "half the noise", .excludes = "model=trained,linear"},
    {MEMBER(sigma), ROW_SIGMA, .topic = "diffusion", .max = RO_MAX_SIGMA, .preset = "0",
     .derived = "0; 0.5 with xpp24", .excludes = "model=trained,linear " NAIVE},
    {MEMBER(time_step), ROW_TIME_STEP, .topic = "diffusion", .excludes = CLASSIC,
     .derived = "the largest stable one",
     .more = "It is tau/h^2. With the explicit scheme in integers a longer one, up to 1, runs with "
             "a warning: "
             "neither sum nor extrema are kept then. Otherwise it is refused, and the message "
             "names the largest."},
    {MEMBER(independent), NULL, "colour channels do not share the gradient", .topic = "diffusion",
     .excludes = "model=trained,linear"},
    {MEMBER(until_converged), NULL, "stop when no pixel changes", .topic = "diffusion",
     .trait = RO_OPTION_CONVERGED, .excludes = CLASSIC " stop schedule=stream " FLOATS,
     .more = "A line says whether that point was reached within `iterations`."},
    {MEMBER(seed), ROW_SEED, .topic = "run", .trait = RO_OPTION_SEED, .excludes = CLASSIC,
     .more = "The implicit schemes draw their dither from it."},
    {MEMBER(on_step)},
    {MEMBER(on_step_data)},
    {MEMBER(stop), "S", "when to stop", .topic = "diffusion", .derived = "auto without kappa",
     .trait = RO_OPTION_STOP, .excludes = CLASSIC,
     .words =
         RO_WORDS({"auto", .value = 1,
                   .help = "after the steps with the smallest estimated error; "
                           "`iterations` is the bound"},
                  {"usual", .value = 2, .help = "after 20 steps, 5 with the implicit schemes"}),
     .more = "By default `auto`, unless `kappa`, `iterations` or `until_converged` is given."},
    {MEMBER(impulse), NULL, "mend salt and pepper first, by medians",
     .more = "The sum is then that of the mended picture. Without it a line reports if more than "
             "two samples in a hundred look like impulse noise."},
    {MEMBER(diffusivity), "D", "how diffusion falls with the gradient x, in units of kappa",
     .topic = "diffusion", .preset = "perona-malik", .trait = RO_OPTION_MODEL,
     .excludes = "model=trained,linear",
     .words =
         RO_WORDS({"perona-malik", .value = RO_DIFFUSIVITY_PERONA_MALIK, .help = "1/(1 + x^2)"},
                  {"exponential", .value = RO_DIFFUSIVITY_EXPONENTIAL, .help = "exp(-x^2)"},
                  {"decay", .value = RO_DIFFUSIVITY_DECAY, .help = "exp(-x)"},
                  {"lines", .value = RO_DIFFUSIVITY_LINES,
                   .help = "the first by four straight lines in x^2"})},
    {MEMBER(noise_level), "S", "standard deviation of the noise in 1/255 of white", .max = 1000,
     .derived = "estimated", .needs = TRAINED},
    {MEMBER(strength), "F", "how many times the noise is removed", .max = 4, .above_min = 1,
     .preset = "1", .needs = TRAINED,
     .more =
         "The trained filters take the noise for so many times what it is. Below 1 more texture "
         "and more noise remain."},
    {MEMBER(quality), "Q", "which filters are taken", .preset = "best", .needs = TRAINED,
     .words =
         RO_WORDS({"fast", .value = 0, .help = "12 filters in 5 steps, in bytes of 8-bit grey"},
                  {"best", .value = 1, .help = "24 filters in 6 steps"})},
    {MEMBER(frame_every), .max = UINT32_MAX},
    {MEMBER(frame)},
    {MEMBER(frame_data)},
    {MEMBER(unclip), NULL, "undo the bias of noise that was cut off, which changes the sum",
     .topic = "numbers", .needs = TRAINED,
     .more = "Noise on a dark tone is cut off at black, so that its mean is too bright, and near "
             "white too dark. This is worth 0.3 dB for 8-bit pictures with noise of 25/255 and 1.0 "
             "with 50/255."},
    {MEMBER(tolerance), "T", "how near to its solution a time step is solved, in numbers",
     .topic = "diffusion", .max = 1e6, .above_min = 1, .derived = "as 8 sweeps bring it",
     .needs = "scheme=implicit",
     .more =
         "Sweeps go on until no number is further than T from the solution of the system, which "
         "is then rounded to the nearest number and its sum kept by dithering: 0.5 is half a "
         "working unit. Of floats a number counts as white/255. It runs on one thread."},
    {0},
};

static const ro_denoise_options unset = RO_DENOISE_OPTIONS;

const ro_option_table denoise_table = {
    .name = "denoise",
    .structure = "ro_denoise_options",
    .initialiser = "RO_DENOISE_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
    .method = "scheme",
    .traits = denoise_traits,
};
