/* SPDX-License-Identifier: MIT */
#include "cli/common/pictures.h"

#include "cli/common/cli.h"
#include "roundoff_io_command.h"
#include "roundoff_io_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_PICTURES = 8 };

/* A command reads its pictures in one thread, and one command runs in a process. */
static struct {
    bool strict;
    int count;
    char *path[MOST_PICTURES];         /* copies: a caller's may be gone before the report */
    ro_dropped dropped[MOST_PICTURES]; /* filled in as the readers close */
    ro_dropped lost[MOST_PICTURES];    /* by what is written, dropped too */
} pictures;

void pictures_begin(bool strict)
{
    for (int i = 0; i < pictures.count; i++)
        free(pictures.path[i]);
    memset(&pictures, 0, sizeof pictures);
    pictures.strict = strict;
}

/* The number of a picture; MOST_PICTURES: there is no room for it. */
static int place_of(const char *path)
{
    for (int i = 0; i < pictures.count; i++)
        if (strcmp(pictures.path[i], path) == 0)
            return i;
    char *copy = pictures.count < MOST_PICTURES ? strdup(path) : NULL;
    if (!copy)
        return MOST_PICTURES;
    pictures.path[pictures.count] = copy;
    return pictures.count++;
}

ro_read_options pictures_read(const char *path)
{
    place_of(path);
    return (ro_read_options){RO_READ_DEFAULTS, .strict = pictures.strict};
}

ro_dropped *pictures_dropped(const char *path)
{
    const int place = place_of(path);
    return place < MOST_PICTURES ? &pictures.dropped[place] : NULL;
}

ro_status pictures_load(ro_context *context, const char *path, ro_image *image, ro_file_info *info)
{
    const ro_read_options read = pictures_read(path);
    return ro_image_load(context, path, &read, image, info, pictures_dropped(path));
}

double pictures_dpi(double given, const ro_file_info *first, const ro_file_info *second)
{
    if (given > 0)
        return given;
    if (ro_resolution_is_stated(first->dpi_x))
        return first->dpi_x;
    return second && ro_resolution_is_stated(second->dpi_x) ? second->dpi_x : 300;
}

static ro_status note_lost(ro_context *context, const char *path, const ro_dropped *lost)
{
    const int place = place_of(path);
    if (lost->what && pictures.strict)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s: must not be dropped: %s", path,
                               lost->text);
    if (lost->what && place < MOST_PICTURES)
        pictures.lost[place] = *lost;
    return RO_OK;
}

ro_status pictures_carry(ro_context *context, const char *path, const ro_file_info *info,
                         const char *out, ro_file_info *out_info)
{
    ro_dropped lost;
    ro_info_carry(info, out_info);
    ro_writer_loses(out, NULL, info, out_info, &lost);
    return note_lost(context, path, &lost);
}

ro_status pictures_resolution(ro_context *context, const char *path, const ro_file_info *info,
                              const char *out)
{
    const ro_file_info dpi = {.dpi_x = info->dpi_x, .dpi_y = info->dpi_y};
    ro_dropped lost;
    ro_writer_loses(out, NULL, &dpi, NULL, &lost);
    return note_lost(context, path, &lost);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* In words what was dropped of a picture; "": nothing. */
static const char *words_of(int place)
{
    static char words[2 * sizeof(ro_dropped)];
    const char *text = pictures.dropped[place].text, *lost = pictures.lost[place].text;
    snprintf(words, sizeof words, "%s%s%s", text, *text && *lost ? ", " : "", lost);
    return words;
}

ro_status pictures_hold(ro_context *context, const char *path, const ro_file_info *info,
                        const ro_write_options *options, bool *holds)
{
    const ro_status status = ro_writer_accepts(context, path, info, options);
    *holds = status == RO_OK;
    return status == RO_E_MEMORY ? status : RO_OK;
}

void pictures_tell(void)
{
    for (int i = 0; i < pictures.count; i++)
        if (*words_of(i))
            note("%s: dropped %s", name_of(pictures.path[i]), words_of(i));
}

void pictures_json(FILE *file)
{
    const char *between = "";
    json_put(file, ", dropped {");
    for (int i = 0; i < pictures.count; i++)
        if (*words_of(i)) {
            fputs(between, file);
            json_string(file, name_of(pictures.path[i]));
            fputs(": ", file);
            json_string(file, words_of(i));
            between = ", ";
        }
    fputc('}', file);
}

uint8_t picture_byte(const ro_image *in, const char *row, size_t at)
{
    const uint32_t white = ro_image_white(in);
    switch (ro_format_sample_bytes(in->format)) {
    case 1:
        return (uint8_t)((((const uint8_t *)row)[at] * 255u + white / 2) / white);
    case 2:
        return (uint8_t)((((const uint16_t *)(const void *)row)[at] * (uint64_t)255 + white / 2) /
                         white);
    default: {
        float v = ((const float *)(const void *)row)[at];
        return (uint8_t)(v > 0 ? v < 1 ? lrintf(255 * v) : 255 : 0);
    }
    }
}

bool picture_is_named(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

bool picture_name(const char *path, uint32_t number, char *name, size_t size)
{
    const int stem = (int)ro_path_stem(path);
    int length = snprintf(name, size, "%.*s-%04u%s", stem, path, number, path + stem);
    return length > 0 && (size_t)length < size;
}
