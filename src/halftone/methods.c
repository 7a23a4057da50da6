/* SPDX-License-Identifier: MIT */
/* The table of halftoning methods. */
#include "core/names.h"
#include "halftone/halftone.h"
#include "halftone/kernels.h"

#define DIFFUSION &diffusion_engine, OPTION_LEVELS | OPTION_SCHEDULE | OPTION_PALETTE

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
