/* SPDX-License-Identifier: MIT */
/* The table of halftoning methods. */
#include "core/names.h"
#include "halftone/error_diffusion/acuity.h"
#include "halftone/error_diffusion/kernels.h"
#include "halftone/error_diffusion/tone_dependent.h"
#include "halftone/halftone.h"
#include "halftone/ordered/ordered.h"
#include "halftone/search/search.h"
#include "halftone/traversal/dot_diffusion.h"

#define DIFFUSION                                                                                  \
    &diffusion_engine, OPTION_LEVELS | OPTION_DEEP | OPTION_SCHEDULE | OPTION_SEED |               \
                           OPTION_STRENGTH | OPTION_NOISE | OPTION_THRESHOLD | OPTION_SERPENTINE

#define TONAL &tonal_engine, OPTION_LEVELS | OPTION_DEEP | OPTION_SCHEDULE | OPTION_SERPENTINE

#define ACUITY &acuity_engine, OPTION_LEVELS | OPTION_SCHEDULE
#define SEARCH &dbs_engine, OPTION_SEED | OPTION_SEARCH
#define ORDERED(more) &ordered_engine, OPTION_LEVELS | OPTION_DEEP | (more)
#define BAYER_1973                                                                                 \
    "Bayer, An optimum method for two-level rendition of continuous-tone pictures, 1973"

static const struct halftone_method methods[] = {
    {{"floyd-steinberg", "error diffusion", "4 taps; sharp, the classic",
      "Floyd and Steinberg, An adaptive algorithm for spatial grayscale, 1976"},
     {"fs", "floyd"},
     DIFFUSION,
     KERNEL_FLOYD_STEINBERG},
    {{"false-floyd-steinberg", "error diffusion", "3 taps; coarser, a favourite of old programs",
      "described in the FidoNet article of Crocker, Boulay and Morra, DHALF.TXT, 1991"},
     {"false-fs", "ffs"},
     DIFFUSION,
     KERNEL_FALSE_FLOYD_STEINBERG},
    {{"jarvis-judice-ninke", "error diffusion", "12 taps; smooth tones, soft edges",
      "Jarvis, Judice and Ninke, A survey of techniques for the display of continuous tone "
      "pictures on bilevel displays, 1976"},
     {"jjn", "jarvis", "jajuni"},
     DIFFUSION,
     KERNEL_JARVIS_JUDICE_NINKE},
    {{"stucki", "error diffusion", "12 taps; as Jarvis, a little sharper",
      "Stucki, MECCA: a multiple-error correction computation algorithm for bilevel image hardcopy "
      "reproduction, IBM RZ1060, 1981"},
     {0},
     DIFFUSION,
     KERNEL_STUCKI},
    {{"burkes", "error diffusion", "7 taps in two rows; a Stucki without its last row",
      "Burkes, Presentation of the Burkes error filter for use in preparing continuous-tone images "
      "for presentation on bi-level devices, 1988"},
     {"burke"},
     DIFFUSION,
     KERNEL_BURKES},
    {{"sierra", "error diffusion", "10 taps; near Jarvis, sharper",
      "Sierra, in LIB 17 of CompuServe's Graphics Support Forum, 1989"},
     {"sierra-3", "sierra3"},
     DIFFUSION,
     KERNEL_SIERRA},
    {{"sierra-two-row", "error diffusion", "7 taps in two rows",
      "Sierra, in LIB 17 of CompuServe's Graphics Support Forum, 1990"},
     {"sierra-2", "two-row-sierra"},
     DIFFUSION,
     KERNEL_SIERRA_TWO_ROW},
    {{"sierra-lite", "error diffusion", "3 taps; near Floyd-Steinberg",
      "Sierra, in LIB 17 of CompuServe's Graphics Support Forum, 1990"},
     {"sierra-2-4a", "filter-lite"},
     DIFFUSION,
     KERNEL_SIERRA_LITE},
    {{"atkinson", "error diffusion", "6 taps, a quarter of the error dropped; high contrast",
      "Atkinson, for the Apple Macintosh; see DHALF.TXT, 1991"},
     {0},
     DIFFUSION,
     KERNEL_ATKINSON},
    {{"fan", "error diffusion", "4 taps to the lower left; fewer worms",
      "Fan, A simple modification of error diffusion weights, 1992"},
     {0},
     DIFFUSION,
     KERNEL_FAN},
    {{"shiau-fan", "error diffusion", "4 taps, powers of two; fewer worms",
      "Shiau and Fan, A set of easily implementable coefficients in error diffusion with reduced "
      "worm artifacts, 1996"},
     {"shiaufan"},
     DIFFUSION,
     KERNEL_SHIAU_FAN},
    {{"shiau-fan-2", "error diffusion", "5 taps, powers of two; fewest worms",
      "Shiau and Fan, US patent 5353127, 1994"},
     {"shiaufan2"},
     DIFFUSION,
     KERNEL_SHIAU_FAN_2},
    {{"stevenson-arce", "error diffusion", "12 taps for a hexagonal grid",
      "Stevenson and Arce, Binary display of hexagonally sampled continuous-tone images, 1985"},
     {0},
     DIFFUSION,
     KERNEL_STEVENSON_ARCE},
    {{"ostromoukhov", "tone-dependent", "3 taps, weights by tone; even textures at every grey",
      "Ostromoukhov, A simple and efficient error-diffusion algorithm, 2001"},
     {"ostro"},
     TONAL,
     TONAL_OSTROMOUKHOV},
    {{"zhou-fang", "tone-dependent", "as Ostromoukhov, the threshold shaken; best in mid-tones",
      "Zhou and Fang, Improving mid-tone quality of variable-coefficient error diffusion using "
      "threshold modulation, 2003"},
     {"zhoufang"},
     TONAL | OPTION_SEED,
     TONAL_ZHOU_FANG},
    {{"acuity", "tone-dependent", "10 taps and thresholds by tone, trained to what an eye sees",
      "of this project; see docs/acuity.md"},
     {"acuity-10"},
     ACUITY,
     ACUITY_TEN},
    {{"acuity-6", "tone-dependent", "acuity of 6 taps in two rows; faster, some worms",
      "of this project; see docs/acuity.md"},
     {0},
     ACUITY,
     ACUITY_SIX},
    {{"acuity-4", "tone-dependent", "acuity of 4 taps; the fastest, more worms",
      "of this project; see docs/acuity.md"},
     {0},
     ACUITY,
     ACUITY_FOUR},
    {{"dot-diffusion", "dot diffusion", "in 64 classes, each in parallel; Knuth's order",
      "Knuth, Digital halftones by dot diffusion, 1987"},
     {"knuth"},
     &dots_engine,
     0,
     DOTS_KNUTH},
    {{"dot-diffusion-optimised", "dot diffusion", "the same in an order found by search",
      "Mese and Vaidyanathan, Optimized halftoning using dot diffusion and methods for inverse "
      "halftoning, 2000"},
     {"mese-vaidyanathan", "mese", "dot-diffusion-optimized"},
     &dots_engine,
     0,
     DOTS_MESE_VAIDYANATHAN},
    {{"riemersma", "space-filling curve", "along a Hilbert curve; no direction, some grain",
      "Riemersma, A balanced dithering technique, 1998"},
     {"hilbert"},
     &riemersma_engine,
     OPTION_LEVELS,
     0},
    {{"pinwheel", "block error diffusion", "blocks in two turns; parallel, with artefacts",
      "Li and Allebach, Block interlaced pinwheel error diffusion, 2005"},
     {0},
     &pinwheel_engine,
     0,
     0},

    {{"bayer", "ordered", "dispersed dots; --cell 2, 4, 8 ... 256 (default 8)", BAYER_1973},
     {"dispersed-dot", "ordered"},
     ORDERED(OPTION_CELL),
     ORDERED_BAYER},
    {{"bayer2", "ordered", "bayer of 2 x 2 cells", BAYER_1973},
     {"bayer2x2", "o2x2"},
     ORDERED(0),
     ORDERED_BAYER_2},
    {{"bayer4", "ordered", "bayer of 4 x 4 cells", BAYER_1973},
     {"bayer4x4", "o4x4"},
     ORDERED(0),
     ORDERED_BAYER_4},
    {{"bayer8", "ordered", "bayer of 8 x 8 cells", BAYER_1973},
     {"bayer8x8", "o8x8"},
     ORDERED(0),
     ORDERED_BAYER_8},
    {{"bayer16", "ordered", "bayer of 16 x 16 cells", BAYER_1973},
     {"bayer16x16", "o16x16"},
     ORDERED(0),
     ORDERED_BAYER_16},
    {{"clustered-dot", "ordered", "dots that grow; --cell, --angle, --shape",
      "Adobe, PostScript language reference, 3rd edition, 6.4 Halftones, 1999"},
     {"clustered", "dots"},
     ORDERED(OPTION_CELL | OPTION_ANGLE | OPTION_SHAPE),
     ORDERED_CLUSTERED_DOT},
    {{"blue-noise", "ordered", "void and cluster: even, without a pattern; --cell (64)",
      "Ulichney, The void-and-cluster method for dither array generation, 1993"},
     {"void-and-cluster", "vac"},
     ORDERED(OPTION_CELL | OPTION_SEED),
     ORDERED_BLUE_NOISE},
    {{"am", "ordered", "dots in rows, --lpi at any --angle for --dpi; --shape, --dot",
      "Adobe, PostScript language reference, 3rd edition, 6.4 Halftones, 1999"},
     {"amplitude-modulation", "halftone-dots"},
     ORDERED(OPTION_ANGLE | OPTION_SHAPE | OPTION_LINES | OPTION_DOT),
     ORDERED_AM},
    {{"green-noise", "ordered", "even dots of some pixels, without a pattern; --dot (4), --cell",
      "Lau, Arce and Gallagher, Green-noise digital halftoning, 1998"},
     {"green", "am-fm"},
     ORDERED(OPTION_CELL | OPTION_SEED | OPTION_DOT),
     ORDERED_GREEN_NOISE},
    {{"screen", "ordered", "a threshold image of your own, by --screen",
      "Limb, Design of dither waveforms for quantized visual signals, 1969"},
     {"threshold-image"},
     ORDERED(OPTION_SCREEN),
     ORDERED_SCREEN},
    {{"random", "ordered", "a random number for every pixel; grainy",
      "Roberts, Picture coding using pseudo-random noise, 1962"},
     {"white-noise"},
     ORDERED(OPTION_SEED),
     ORDERED_RANDOM},
    {{"threshold", "ordered", "no dithering: the level nearest, or by --threshold", ""},
     {"none", "nearest"},
     ORDERED(OPTION_THRESHOLD),
     ORDERED_THRESHOLD},
    {{"otsu", "ordered", "no dithering: a threshold that splits the tones best",
      "Otsu, A threshold selection method from gray-level histograms, 1979"},
     {"otsu-threshold"},
     &otsu_engine,
     0,
     ORDERED_OTSU},
    {{"dbs", "search", "the error an eye sees, made as small as single changes can",
      "Analoui and Allebach, Model-based halftoning by direct binary search, 1992"},
     {"direct-binary-search"},
     SEARCH,
     DBS_PLAIN},
    {{"dbs-clipping-free", "search", "direct binary search that keeps deep shadows and highlights",
      "Koge, Ito and Nakano, A GPU implementation of clipping-free halftoning using the direct "
      "binary search, 2014"},
     {"clipping-free", "clipping-free-dbs"},
     SEARCH | OPTION_SCREEN,
     DBS_CLIPPING_FREE},
};

const struct halftone_method halftone_own_kernel = {
    {"own kernel", "error diffusion", "the taps that were given", ""},
    {0},
    DIFFUSION,
    DIFFUSION_KERNELS,
};

enum { METHODS = sizeof methods / sizeof *methods, ALIASES = 4 };

const ro_method *ro_halftone_method_at(int number)
{
    return number >= 0 && number < METHODS ? &methods[number].info : NULL;
}

const struct halftone_method *halftone_method_find(ro_context *context, const char *name)
{
    const char *names[METHODS];
    if (!name)
        return &methods[0];
    for (int i = 0; i < METHODS; i++) {
        names[i] = methods[i].info.name;
        if (ro_name_equal(name, names[i]))
            return &methods[i];
        for (int a = 0; a < ALIASES && methods[i].aliases[a]; a++)
            if (ro_name_equal(name, methods[i].aliases[a]))
                return &methods[i];
    }
    const char *nearest = ro_name_nearest(name, names, METHODS);
    if (nearest)
        ro_context_fail(context, RO_E_ARGUMENT, "there is no method '%s'; did you mean '%s'?", name,
                        nearest);
    else
        ro_context_fail(context, RO_E_ARGUMENT, "there is no method '%s'", name);
    return NULL;
}
