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

#include <string.h>

#define DIFFUSION                                                                                  \
    &diffusion_engine, OPTION_LEVELS | OPTION_DEEP | OPTION_SCHEDULE | OPTION_SEED |               \
                           OPTION_STRENGTH | OPTION_NOISE | OPTION_THRESHOLD | OPTION_SERPENTINE

#define TONAL &tonal_engine, OPTION_LEVELS | OPTION_DEEP | OPTION_SCHEDULE | OPTION_SERPENTINE

#define ACUITY &acuity_engine, OPTION_LEVELS | OPTION_SCHEDULE
#define SEARCH &dbs_engine, OPTION_SEED | OPTION_SEARCH | OPTION_EYE
#define SEEK &seek_engine, OPTION_LEVELS | OPTION_SEARCH | OPTION_SWAPS
#define ORDERED(more) &ordered_engine, OPTION_LEVELS | OPTION_DEEP | (more)
#define BAYER_1973                                                                                 \
    "Bayer, An optimum method for two-level rendition of continuous-tone pictures, 1973"

#define METHOD(name, family, summary, paper, variant, ...)                                         \
    {{name, family, summary, paper}, __VA_ARGS__, variant},
#define ALIAS(alias, name)
static const struct halftone_method methods[] = {
#include "halftone/method_list.inc"
};
#undef METHOD
#undef ALIAS

#define METHOD(name_, ...) {.name = name_},
#define ALIAS(alias_, name_) {.name = alias_, .alias = name_},
const ro_word halftone_method_words[] = {
#include "halftone/method_list.inc"
    {0}};

const struct halftone_method halftone_own_kernel = {
    {"own kernel", "error diffusion", "the taps that were given", ""},
    DIFFUSION,
    DIFFUSION_KERNELS,
};

enum { METHODS = sizeof methods / sizeof *methods };

const ro_method *ro_halftone_method_at(int number)
{
    return number >= 0 && number < METHODS ? &methods[number].info : NULL;
}

const struct halftone_method *halftone_method_named(const char *name)
{
    for (const ro_word *word = halftone_method_words; word->name; word++)
        for (int i = 0; ro_name_equal(name, word->name) && i < METHODS; i++)
            if (strcmp(methods[i].info.name, word->alias ? word->alias : word->name) == 0)
                return &methods[i];
    return NULL;
}
