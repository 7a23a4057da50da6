/* SPDX-License-Identifier: MIT */
/* A registration that went astray: what is wrong with it, and what to try instead. */
#include "cli/register/register.h"

#include <string.h>

int register_useless(const struct register_values *values, const ro_register_report *report,
                     const char *out)
{
    char what[160], tries[160] = "";
    if (report->useless & RO_REGISTER_FOLDS)
        snprintf(what, sizeof what, "the displacement folds at %llu pixels",
                 (unsigned long long)report->folds);
    else if (report->useless & RO_REGISTER_UNSURE)
        snprintf(what, sizeof what,
                 "the images do not match: of %u points that look the same %u agree (confidence "
                 "%.2f)",
                 report->matches, report->support, report->confidence);
    else if (report->useless & RO_REGISTER_LEAVES)
        snprintf(what, sizeof what, "%.0f %% of the pixels map to outside the moving image",
                 100 * report->outside);
    else if (report->energy_after > report->energy_before)
        snprintf(what, sizeof what,
                 "the images are less alike than before (energy %.4g after %.4g)",
                 report->energy_after, report->energy_before);
    else /* tones that were stretched apart are compared by how they go together */
        snprintf(what, sizeof what, "the images go together less than before");
    const ro_register_options *search = &values->search;
    const bool told = search->scheme && strcmp(search->scheme, "auto") != 0;
    if (search->match ? strcmp(search->match, "ssd") == 0 : told)
        strcat(tries, "--match ncc for a change of brightness, ");
    if (search->init ? strcmp(search->init, "affine") != 0 : told)
        strcat(tries, "--init affine for images that are turned or far apart, ");
    if (report->useless & RO_REGISTER_UNSURE)
        snprintf(tries, sizeof tries, "masks, or --init none for images that lie nearly alike, ");
    else if (!*tries)
        snprintf(tries, sizeof tries, "%sa larger --sigma, ",
                 search->match ? "" : "--match ncc-size for contrast that is inverted in places, ");
    fail("%s, so %s was not written: try %sor --force", what, out, tries);
    return EXIT_USELESS;
}
