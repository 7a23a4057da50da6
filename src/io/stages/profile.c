/* SPDX-License-Identifier: MIT */
/* An ICC profile is a header of 128 bytes, a list of tags of 12 bytes each, and their data. */
#include "io/stages/profile.h"

#include <ctype.h>
#include <string.h>

enum { HEADER = 128, TAG = 12, MOST_TAGS = 100, NAME = 100 };

static uint32_t number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The letters of the tag 'desc': text of one or two bytes a letter, behind a few numbers. */
static void read_name(const uint8_t *bytes, size_t size, char name[NAME])
{
    size_t used = 0, from = 0, length = 0;
    uint32_t tags = size >= HEADER + 4 ? number(bytes + HEADER) : 0;
    for (uint32_t i = 0; i < tags && i < MOST_TAGS; i++) {
        size_t at = HEADER + 4 + (size_t)i * TAG;
        if (at + TAG > size)
            break;
        if (memcmp(bytes + at, "desc", 4) == 0) {
            from = number(bytes + at + 4);
            length = number(bytes + at + 8);
        }
    }
    for (size_t i = from; i < size && i - from < length && used < NAME - 1; i++)
        if (isprint(bytes[i]))
            name[used++] = (char)tolower(bytes[i]);
    name[used] = '\0';
}

void ro_profile_note(struct ro_file *file, const uint8_t *bytes, size_t size)
{
    char name[NAME];
    read_name(bytes, size, name);
    bool srgb = strstr(name, "srgb") && !strstr(name, "linear") && !strstr(name, "g10");
    if (!srgb)
        ro_file_drop(file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
}
