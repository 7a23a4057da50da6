/* SPDX-License-Identifier: MIT */
/* The size that a picture is resized to: WxH, Wx, xH, P%, fit:WxH, fill:WxH or up:N, sides being
 * pixels or lengths; and the part that is cut out before. */
#include "cli/input/resize.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 1 << 30, MOST_TIMES = 1024 };

/* Reads a length on paper, such as 50mm; false: it is none. */
static bool read_length(const char **text, double dpi, uint32_t *side)
{
    static const struct {
        const char *name;
        double inches;
    } units[] = {{"mm", 1 / 25.4}, {"cm", 1 / 2.54}, {"in", 1}};
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    const double length = strtod(*text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strncmp(end, units[i].name, 2) != 0)
            continue;
        const double pixels = floor(length * units[i].inches * dpi + 0.5);
        *text = end + 2;
        *side = pixels >= 1 && pixels <= MOST_SIDE ? (uint32_t)pixels : 0;
        return *side > 0;
    }
    return false;
}

/* Reads digits; 0 if there are none. */
static bool read_side(const char **text, unsigned long most, uint32_t *side)
{
    char *end;
    *side = 0;
    if (!isdigit((unsigned char)**text))
        return true;
    const unsigned long number = strtoul(*text, &end, 10);
    *text = end;
    *side = (uint32_t)number;
    return number >= 1 && number <= most;
}

static bool read_either(const char **text, double dpi, uint32_t *side)
{
    return read_length(text, dpi, side) || read_side(text, MOST_SIDE, side);
}

static bool read_sides(const char *text, double dpi, ro_read_options *read)
{
    if (!read_either(&text, dpi, &read->resize_width) || (*text != 'x' && *text != 'X'))
        return false;
    text++;
    return read_either(&text, dpi, &read->resize_height) && !*text &&
           (read->resize_width || read->resize_height);
}

static bool read_percent(const char *text, ro_read_options *read)
{
    static const ro_option rows[] = {{RO_MEMBER(ro_read_options, resize_percent), "P%", "percent",
                                      .max = 1e6, .above_min = 1, .unit = "%"},
                                     {0}};
    static const ro_read_options unset = RO_READ_OPTIONS;
    static const ro_option_table table = {.rows = rows, .unset = &unset, .size = sizeof unset};
    char message[RO_OPTION_MESSAGE];
    return ro_option_set(&table, rows, read, text, message) == RO_OK && read->resize_percent > 0;
}

bool resize_parse(const char *text, double dpi, ro_read_options *read)
{
    if (!text)
        return true;
    if (strncmp(text, "fit:", 4) == 0 || strncmp(text, "fill:", 5) == 0) {
        const bool fit = text[2] == 't';
        read->resize_rule = fit ? RO_RESIZE_FIT : RO_RESIZE_FILL;
        return read_sides(text + (fit ? 4 : 5), dpi, read) && read->resize_width &&
               read->resize_height;
    }
    if (strncmp(text, "up:", 3) == 0) {
        text += 3;
        return read_side(&text, MOST_TIMES, &read->enlarge) && !*text && read->enlarge;
    }
    if (*text && text[strlen(text) - 1] == '%')
        return read_percent(text, read);
    return read_sides(text, dpi, read);
}

bool crop_parse(const char *text, ro_read_options *read)
{
    unsigned width, height, left, top;
    int used = 0;
    if (!text)
        return true;
    if (strspn(text, "0123456789xX+") != strlen(text) || strlen(text) > 40 ||
        sscanf(text, "%9ux%9u+%9u+%9u%n", &width, &height, &left, &top, &used) != 4 || text[used] ||
        width < 1 || height < 1)
        return false;
    read->crop_width = width;
    read->crop_height = height;
    read->crop_left = left;
    read->crop_top = top;
    return true;
}

int resize_check(const struct command *command, const char *text, double dpi)
{
    ro_read_options read = RO_READ_OPTIONS;
    if (resize_parse(text, dpi, &read))
        return 0;
    if (resize_parse(text, 300, &read) && !(dpi > 0))
        return usage_error(command, "resize %s: lengths need dpi", text);
    return usage_error(command, "resize %s: must be WxH, Wx, xH, P%%, fit:WxH, fill:WxH or up:N",
                       *text ? text : "\"\"");
}
