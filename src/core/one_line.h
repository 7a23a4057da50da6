/* SPDX-License-Identifier: MIT */
/* Messages are one line, whatever names and texts of files they quote. */
#ifndef RO_CORE_ONE_LINE_H
#define RO_CORE_ONE_LINE_H

/* In place: control characters become question marks. */
static inline void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

#endif
