/* SPDX-License-Identifier: MIT */
/* The table of halftoning methods. */
#include "core/names.h"
#include "halftone/halftone.h"
#include "halftone/kernels.h"

#define DIFFUSION &diffusion_engine, OPTION_LEVELS | OPTION_SCHEDULE

static const struct halftone_method methods[] = {
    {{"floyd-steinberg", "error diffusion", "4 taps; sharp, the classic",
      "Floyd and Steinberg, An adaptive algorithm for spatial grayscale, 1976"},
     {"fs", "floyd"},
     DIFFUSION,
     KERNEL_FLOYD_STEINBERG},
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
