/* SPDX-License-Identifier: MIT */
/* The size that a picture is resized to: WxH, Wx, xH, P%, fit:WxH, fill:WxH or up:N. */
#include "cli/input/resize.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 1 << 30, MOST_TIMES = 1024 };

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

static bool read_sides(const char *text, ro_read_options *read)
{
    if (!read_side(&text, MOST_SIDE, &read->resize_width) || (*text != 'x' && *text != 'X'))
        return false;
    text++;
    return read_side(&text, MOST_SIDE, &read->resize_height) && !*text &&
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

static bool read_rule(const char *text, ro_resize_rule rule, ro_read_options *read)
{
    struct size size;
    if (!size_parse(text, MOST_SIDE, &size))
        return false;
    read->resize_rule = rule;
    read->resize_width = size.width;
    read->resize_height = size.height;
    return true;
}

bool resize_parse(const char *text, ro_read_options *read)
{
    if (!text)
        return true;
    if (strncmp(text, "fit:", 4) == 0)
        return read_rule(text + 4, RO_RESIZE_FIT, read);
    if (strncmp(text, "fill:", 5) == 0)
        return read_rule(text + 5, RO_RESIZE_FILL, read);
    if (strncmp(text, "up:", 3) == 0) {
        text += 3;
        return read_side(&text, MOST_TIMES, &read->enlarge) && !*text && read->enlarge;
    }
    if (*text && text[strlen(text) - 1] == '%')
        return read_percent(text, read);
    return read_sides(text, read);
}

int resize_check(const struct command *command, const char *text)
{
    ro_read_options read = RO_READ_OPTIONS;
    if (resize_parse(text, &read))
        return 0;
    return usage_error(command, "resize %s: must be WxH, Wx, xH, P%%, fit:WxH, fill:WxH or up:N",
                       *text ? text : "\"\"");
}
