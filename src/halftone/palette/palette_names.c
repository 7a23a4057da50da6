/* SPDX-License-Identifier: MIT */
/*
 * Palettes as users name them: built-in ones for e-paper, or a list of colours.
 *
 * The colours of the built-in palettes are those of the drivers that panels are sold with, in the
 * order of the panel's own colour numbers. `-panel` palettes hold what the ink looks like on paper,
 * the others the pure colours it stands for.
 */
#include "core/names.h"
#include "roundoff/halftone.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MOST_BUILT_IN 7
#define DRIVER "github.com/pimoroni/inky, "

static const struct built_in {
    ro_palette_info info;
    const char *alias;
    int count;
    uint32_t colours[MOST_BUILT_IN];
} built_in[] = {
    {{"bw", "black and white", "the two ends of sRGB"}, "blackwhite", 2, {0x000000, 0xffffff}},
    {{"bwr", "three-colour e-paper: black, white, red",
      "pure colours, as in " DRIVER "inky_jd79661.py, DESATURATED_PALETTE"},
     "blackwhitered",
     3,
     {0x000000, 0xffffff, 0xff0000}},
    {{"bwry", "four-colour e-paper: black, white, yellow, red",
      DRIVER "inky_jd79661.py, DESATURATED_PALETTE"},
     "blackwhiteredyellow",
     4,
     {0x000000, 0xffffff, 0xffff00, 0xff0000}},
    {{"7-colour", "ACeP e-paper: black, white, green, blue, red, yellow, orange",
      DRIVER "inky_uc8159.py, DESATURATED_PALETTE"},
     "acep",
     7,
     {0x000000, 0xffffff, 0x00ff00, 0x0000ff, 0xff0000, 0xffff00, 0xff8c00}},
    {{"7-colour-panel", "the same as it looks on the panel",
      DRIVER "inky_ac073tc1a.py, SATURATED_PALETTE"},
     "acep-panel",
     7,
     {0x000000, 0xd9f2ff, 0x037c4c, 0x1b2ec6, 0xf55022, 0xffff44, 0xef792c}},
    {{"spectra6", "Spectra 6 e-paper: black, white, yellow, red, blue, green",
      DRIVER "inky_e673.py, DESATURATED_PALETTE"},
     "e6",
     6,
     {0x000000, 0xffffff, 0xffff00, 0xff0000, 0x0000ff, 0x00ff00}},
    {{"spectra6-panel", "the same as it looks on the panel",
      DRIVER "inky_e673.py, SATURATED_PALETTE"},
     "e6-panel",
     6,
     {0x000000, 0xa1a4a5, 0xd0be47, 0x9c484b, 0x3d3b5e, 0x3a5b46}},
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

/* The sixteen names of CSS level 1, and orange. */
static const struct {
    const char *name;
    uint32_t colour;
} names[] = {
    {"black", 0x000000},  {"white", 0xffffff},  {"red", 0xff0000},  {"green", 0x008000},
    {"blue", 0x0000ff},   {"yellow", 0xffff00}, {"cyan", 0x00ffff}, {"magenta", 0xff00ff},
    {"orange", 0xffa500}, {"grey", 0x808080},   {"gray", 0x808080}, {"silver", 0xc0c0c0},
    {"maroon", 0x800000}, {"purple", 0x800080}, {"lime", 0x00ff00}, {"olive", 0x808000},
    {"navy", 0x000080},   {"teal", 0x008080},   {"aqua", 0x00ffff}, {"fuchsia", 0xff00ff},
};
enum { NAMES = sizeof names / sizeof *names };

const ro_palette_info *ro_palette_at(int number)
{
    return number >= 0 && number < BUILT_IN ? &built_in[number].info : NULL;
}

static void put(ro_palette *palette, uint32_t colour)
{
    uint8_t *rgb = palette->colours[palette->count++];
    rgb[0] = (uint8_t)(colour >> 16);
    rgb[1] = (uint8_t)(colour >> 8);
    rgb[2] = (uint8_t)colour;
}

/* #rgb or #rrggbb, the sign already taken off. */
static bool read_hex(const char *text, uint32_t *colour)
{
    size_t length = strlen(text);
    if ((length != 3 && length != 6) || strspn(text, "0123456789abcdefABCDEF") != length)
        return false;
    *colour = 0;
    for (size_t i = 0; i < length; i++) {
        int letter = tolower((unsigned char)text[i]);
        uint32_t digit = (uint32_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
        *colour = *colour << 4 | digit;
        if (length == 3)
            *colour = *colour << 4 | digit;
    }
    return true;
}

static ro_status read_colour(ro_context *context, const char *text, uint32_t *colour)
{
    const char *candidates[NAMES];
    if (text[0] == '#') {
        if (read_hex(text + 1, colour))
            return RO_OK;
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "'%s' is not a colour; use #rgb or #rrggbb, at most 8 bits per channel", text);
    }
    for (int i = 0; i < NAMES; i++) {
        candidates[i] = names[i].name;
        if (ro_name_equal(text, names[i].name)) {
            *colour = names[i].colour;
            return RO_OK;
        }
    }
    const char *nearest = ro_name_nearest(text, candidates, NAMES);
    if (nearest)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "there is no colour '%s'; did you mean '%s'?", text, nearest);
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "there is no colour or palette '%s'; #rrggbb names any colour", text);
}

ro_status ro_palette_parse(ro_context *context, const char *text, ro_palette *palette)
{
    static const char separators[] = " ,\t\n";
    *palette = (ro_palette){0};
    for (int i = 0; i < BUILT_IN; i++)
        if (ro_name_equal(text, built_in[i].info.name) || ro_name_equal(text, built_in[i].alias)) {
            for (int k = 0; k < built_in[i].count; k++)
                put(palette, built_in[i].colours[k]);
            return RO_OK;
        }
    int found = 0;
    for (const char *at = text + strspn(text, separators); *at; at += strspn(at, separators)) {
        size_t length = strcspn(at, separators);
        char word[64];
        uint32_t colour = 0;
        if (length >= sizeof word)
            return ro_context_fail(context, RO_E_ARGUMENT, "'%.20s...' is not a colour", at);
        memcpy(word, at, length);
        word[length] = '\0';
        ro_status status = read_colour(context, word, &colour);
        if (status != RO_OK)
            return status;
        if (found++ < 256)
            put(palette, colour);
        at += length;
    }
    if (found < 2 || found > 256)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                               found);
    for (int i = 1; i < palette->count; i++)
        if (memcmp(palette->colours[i], palette->colours[0], 3) != 0)
            return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT, "all %d colours of the palette are the same",
                           found);
}
