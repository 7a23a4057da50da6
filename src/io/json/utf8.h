/* SPDX-License-Identifier: MIT */
/* Characters of UTF-8, for whoever writes texts that may hold anything. */
#ifndef RO_IO_JSON_UTF8_H
#define RO_IO_JSON_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the UTF-8 character that starts here, 0 if none does. */
static inline int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char from, to, low, high; /* of the first byte, and of the second */
        int length;
    } rows[] = {
        {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text[0] < rows[i].from || text[0] > rows[i].to)
            continue;
        if (rows[i].length > 1 && (text[1] < rows[i].low || text[1] > rows[i].high))
            return 0;
        for (int k = 2; k < rows[i].length; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        return rows[i].length;
    }
    return 0;
}

/* A control character, of one byte or of two (U+0080 to U+009F). */
static inline bool utf8_is_control(const unsigned char *c)
{
    return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

#endif
