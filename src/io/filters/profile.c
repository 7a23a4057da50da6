/* SPDX-License-Identifier: MIT */
/* An ICC profile is a header of 128 bytes, a list of tags of 12 bytes each, and their data. */
#include "io/filters/profile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool says_srgb(const uint8_t *bytes, size_t size)
{
    char name[NAME];
    read_name(bytes, size, name);
    return strstr(name, "srgb") && !strstr(name, "linear") && !strstr(name, "g10");
}

bool profile_is(const uint8_t *bytes, size_t size, const char *space)
{
    enum { SPACE = 16 };
    return size >= HEADER && memcmp(bytes + SPACE, space, 4) == 0;
}

/* Gives the stage its profile. Returns NULL if there is no lcms2 in this build, or no memory. */
static struct sample_profile *new_profile(struct row_stage *stage, struct sample_profile profile)
{
#if RO_WITH_LCMS
    if (!stage->profile && (stage->profile = malloc(sizeof profile))) {
        *stage->profile = profile;
        return stage->profile;
    }
    stage->no_memory |= !stage->profile;
#else
    (void)stage, (void)profile;
#endif
    return NULL;
}

void profile_take(struct row_stage *stage, const uint8_t *bytes, size_t size)
{
    if (stage->profile || says_srgb(bytes, size))
        return;
    uint8_t *copy = malloc(size + 1);
    stage->no_memory |= !copy;
    const struct sample_profile icc = {
        .kind = RO_KIND_ICC, .words = RO_PROFILE_WORDS, .bytes = copy, .size = size};
    if (copy && new_profile(stage, icc)) {
        memcpy(copy, bytes, size);
        return;
    }
    free(copy);
    file_drop(stage->file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
}

void profile_take_gamma(struct row_stage *stage, double gamma, const double xy[4][2],
                        const char *words)
{
    struct sample_profile profile = {.kind = RO_KIND_GAMMA, .gamma = gamma, .has_primaries = xy};
    snprintf(profile.words, sizeof profile.words, "%s", words);
    if (xy)
        memcpy(profile.xy, xy, sizeof profile.xy);
    if (!new_profile(stage, profile))
        file_drop(stage->file, RO_DROPPED_GAMMA, "%s", words);
}

ro_status profile_take_lab(struct row_stage *stage)
{
    if (stage->profile && stage->profile->kind == RO_KIND_LAB) /* of the page before */
        return RO_OK;
    if (new_profile(stage, (struct sample_profile){.kind = RO_KIND_LAB}))
        return RO_OK;
    if (stage->no_memory)
        return file_no_memory(stage->file, sizeof *stage->profile);
    return file_fail(stage->file, RO_E_UNSUPPORTED, "this build has no lcms2, which Lab needs");
}

void profile_free(struct row_stage *stage)
{
    if (stage->profile)
        free(stage->profile->bytes);
    free(stage->profile);
    stage->profile = NULL;
}
