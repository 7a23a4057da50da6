/* SPDX-License-Identifier: MIT */
/*
 * Palettes as users name them: built-in ones, even steps of RGB or grey, or a list of colours.
 */
#include "core/names.h"
#include "core/misuse.h"
#include "halftone/palette/list.h"
#include "roundoff/command.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const ro_palette_info *ro_palette_at(int number)
{
    return number >= 0 && number < PALETTE_BUILT_IN ? &palette_built_in[number].info : NULL;
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

/* The nearest name of all, for a word that has none. */
static const char *nearest_name(const char *text)
{
    const char *candidates[PALETTE_NAMES + PALETTE_BUILT_IN];
    for (int i = 0; i < PALETTE_NAMES; i++)
        candidates[i] = palette_name[i].name;
    for (int i = 0; i < PALETTE_BUILT_IN; i++)
        candidates[PALETTE_NAMES + i] = palette_built_in[i].info.name;
    return ro_name_nearest(text, candidates, PALETTE_NAMES + PALETTE_BUILT_IN);
}

static ro_status read_colour(ro_context *context, const char *text, uint32_t *colour)
{
    for (int i = 0; i < PALETTE_NAMES; i++)
        if (ro_name_equal(text, palette_name[i].name)) {
            *colour = palette_name[i].colour;
            return RO_OK;
        }
    for (int i = 0; i < PALETTE_BUILT_IN; i++)
        if (ro_name_equal(text, palette_built_in[i].info.name))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "'%s' is a palette, not a colour of one; give it alone", text);
    if (read_hex(text + (text[0] == '#'), colour))
        return RO_OK;
    if (text[0] == '#')
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "'%s' is not a colour; use #rgb or #rrggbb, at most 8 bits per channel", text);
    const char *nearest = nearest_name(text);
    if (nearest)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "there is no colour or palette '%s'; did you mean '%s'?", text,
                               nearest);
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "there is no colour or palette '%s'; #rrggbb names any colour", text);
}

ro_status ro_colour_parse(ro_context *context, const char *text, uint8_t rgb[3])
{
    uint32_t colour = 0;
    if (MISSING(context, text, rgb))
        return RO_E_ARGUMENT;
    const ro_status status = read_colour(context, text, &colour);
    for (int c = 0; c < 3 && status == RO_OK; c++)
        rgb[c] = (uint8_t)(colour >> (16 - 8 * c));
    return status;
}

/* "rgb:3", "grey:8": even steps of sRGB. */
static bool read_steps(ro_context *context, const char *text, ro_palette *palette,
                       ro_status *status)
{
    char kind[8] = "";
    int steps = 0, used = 0;
    if (sscanf(text, "%7[a-zA-Z]:%4d%n", kind, &steps, &used) != 2 || text[used])
        return false;
    const bool rgb = ro_name_equal(kind, "rgb");
    if (!rgb && !ro_name_equal(kind, "grey") && !ro_name_equal(kind, "gray"))
        return false;
    const int most = rgb ? 6 : 256;
    *status = RO_OK;
    if (steps < 2 || steps > most) {
        *status = ro_context_fail(context, RO_E_ARGUMENT, "%s has 2 to %d levels, not %d", kind,
                                  most, steps);
        return true;
    }
    for (int i = 0; i < (rgb ? steps * steps * steps : steps); i++) {
        const int level[3] = {rgb ? i / steps / steps : i, rgb ? i / steps % steps : i, i % steps};
        uint32_t colour = 0;
        for (int c = 0; c < 3; c++)
            colour = colour << 8 | (uint32_t)((510 * level[c] + steps - 1) / (2 * (steps - 1)));
        put(palette, colour);
    }
    return true;
}

static bool find_built_in(const char *text, ro_palette *palette)
{
    for (int i = 0; i < PALETTE_BUILT_IN; i++) {
        const struct palette_built_in *own = &palette_built_in[i];
        if (!ro_name_equal(text, own->info.name) &&
            !(own->alias && ro_name_equal(text, own->alias)))
            continue;
        for (int k = 0; k < own->count; k++)
            put(palette, own->colours[k]);
        palette->panel = strstr(own->info.name, "-panel") != NULL;
        return true;
    }
    return false;
}

ro_status ro_palette_parse(ro_context *context, const char *text, ro_palette *palette)
{
    if (MISSING(context, text, palette))
        return RO_E_ARGUMENT;
    static const char separators[] = " ,;\t\r\n";
    ro_status status = RO_OK;
    *palette = (ro_palette){0};
    if (find_built_in(text, palette) || read_steps(context, text, palette, &status))
        return status;
    int found = 0;
    for (const char *at = text + strspn(text, separators); *at; at += strspn(at, separators)) {
        size_t length = strcspn(at, separators);
        char word[64];
        uint32_t colour = 0;
        if (length >= sizeof word)
            return ro_context_fail(context, RO_E_ARGUMENT, "'%.20s...' is not a colour", at);
        memcpy(word, at, length);
        word[length] = '\0';
        status = read_colour(context, word, &colour);
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
