/* SPDX-License-Identifier: MIT */
/*
 * One list of all names that options may have. The families find names in tables of their own, with
 * what belongs to each; tests/core has every name here run and every name there looked up here.
 */
#include "roundoff/choices.h"
#include "core/misuse.h"

#include <string.h>

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const ro_choices choices[] = {
    {"ro_halftone_options", "schedule",
     NAMES("auto", "wave", "ed", "ec", "pwed", "pwec", "bwed", "bwec")},
    {"ro_halftone_options", "shape",
     NAMES("round", "ellipse", "square", "diamond", "line", "euclidean", "cross")},
    {"ro_halftone_options", "like", NAMES("pillow", "netpbm", "zimg")},
    {"ro_halftone_options", "aim", NAMES("seen", "picture")},
};
enum { CHOICES = sizeof choices / sizeof *choices };

const ro_choices *ro_choices_at(int number)
{
    return number >= 0 && number < CHOICES ? &choices[number] : NULL;
}

const ro_choices *ro_choices_of(const char *options, const char *member)
{
    if (ABSENT(options, member))
        return NULL;
    for (int i = 0; i < CHOICES; i++)
        if (strcmp(choices[i].options, options) == 0 && strcmp(choices[i].member, member) == 0)
            return &choices[i];
    return NULL;
}
