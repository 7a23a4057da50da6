/* SPDX-License-Identifier: MIT */
#include "io/video/y4m.h"

#include "io/filters/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "YUV4MPEG2", frame_mark[] = "FRAME";
const char y4m_frame_line[Y4M_FRAME_LINE + 1] = "FRAME\n";

/* Names of layouts; longer ones before those they begin with. Where samples of colour lie does not
 * matter here, and is kept for 8 bits, which alone have names for it. */
static const struct layout {
    const char *name, *base;
    int planes, across, down;
} layouts[] = {
    {"420jpeg", "420", 3, 1, 1}, {"420mpeg2", "420", 3, 1, 1}, {"420paldv", "420", 3, 1, 1},
    {"420", "420", 3, 1, 1},     {"411", "411", 3, 2, 0},      {"422", "422", 3, 1, 0},
    {"444", "444", 3, 0, 0},     {"mono", "mono", 1, 0, 0},
};

bool y4m_is(const uint8_t *head, size_t size)
{
    return size > sizeof magic - 1 && memcmp(head, magic, sizeof magic - 1) == 0 &&
           (head[sizeof magic - 1] == ' ' || head[sizeof magic - 1] == '\n');
}

/* A line without its end; *length is 0 at the end of the file. */
static ro_status read_line(struct byte_source *source, char line[Y4M_LINE], size_t *length)
{
    ro_status status = RO_OK;
    int byte = -1;
    *length = 0;
    while ((byte = source_byte(source, &status)) >= 0 && byte != '\n') {
        if (*length == Y4M_LINE - 1)
            return file_fail(source->file, RO_E_FORMAT, "a line of the video is too long");
        line[(*length)++] = (char)byte;
    }
    line[*length] = '\0';
    if (status == RO_OK && byte < 0 && *length > 0)
        return file_ends_early(source->file);
    return status;
}

static bool take_number(const char *text, uint32_t *number)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value <= UINT32_MAX;
}

static ro_status take_layout(struct open_file *file, const char *name, struct y4m *video)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct layout *layout = &layouts[i];
        const size_t length = strlen(layout->name);
        if (strncmp(name, layout->name, length) != 0)
            continue;
        const char *depth = name + length;
        uint32_t bits = 8;
        if (*depth == 'p' && layout->planes > 1)
            depth++;
        if (*depth && (!take_number(depth, &bits) || bits < 9 || bits > 16))
            break;
        video->planes = layout->planes;
        video->across = layout->across;
        video->down = layout->down;
        video->bits = (int)bits;
        video->base = layout->base;
        snprintf(video->layout, sizeof video->layout, "%s", name);
        return RO_OK;
    }
    return file_fail(file, RO_E_UNSUPPORTED,
                     "the video's layout '%.20s' is not one of 420, 411, 422, 444 and mono with "
                     "8 to 16 bits",
                     name);
}

static ro_status take_word(struct open_file *file, const char *word, struct y4m *video)
{
    static const char range[] = "XCOLORRANGE=", layout[] = "XYSCSS=";
    if (*word == 'W' || *word == 'H') {
        if (take_number(word + 1, *word == 'W' ? &video->width : &video->height))
            return RO_OK;
        return file_fail(file, RO_E_FORMAT, "'%.20s' is no size of a video", word);
    }
    if (*word == 'C')
        return take_layout(file, word + 1, video);
    if (strncmp(word, range, sizeof range - 1) == 0) {
        video->full = strcmp(word + sizeof range - 1, "FULL") == 0;
        return RO_OK;
    }
    if (strncmp(word, layout, sizeof layout - 1) == 0)
        return RO_OK; /* the layout once more */
    const size_t used = strlen(video->line);
    snprintf(video->line + used, sizeof video->line - used, " %s", word);
    return RO_OK;
}

ro_status y4m_open(struct byte_source *source, struct y4m *video)
{
    char line[Y4M_LINE], *rest = NULL;
    size_t length;
    *video = (struct y4m){0};
    ro_status status = take_layout(source->file, "420", video);
    if (status == RO_OK)
        status = read_line(source, line, &length);
    if (status != RO_OK)
        return status;
    char *word = strtok_r(line, " ", &rest);
    while (status == RO_OK && (word = strtok_r(NULL, " ", &rest)))
        status = take_word(source->file, word, video);
    return status == RO_OK ? stage_check_size(source->file, video->width, video->height) : status;
}

ro_status y4m_frame(struct byte_source *source, bool *more)
{
    char line[Y4M_LINE];
    size_t length, mark = sizeof frame_mark - 1, ready;
    *more = false;
    ro_status status = source_peek(source, 1, &ready);
    if (status != RO_OK || ready == 0)
        return status;
    status = read_line(source, line, &length);
    if (status == RO_OK &&
        (strncmp(line, frame_mark, mark) != 0 || (line[mark] != '\0' && line[mark] != ' ')))
        return file_fail(source->file, RO_E_FORMAT,
                         "there is no frame where the next should begin");
    *more = status == RO_OK;
    return status;
}

ro_status y4m_write_open(struct byte_sink *sink, const struct y4m *video)
{
    char line[Y4M_LINE + 128];
    const int length =
        snprintf(line, sizeof line, "%s W%u H%u%s C%s XCOLORRANGE=%s\n", magic, video->width,
                 video->height, video->line, video->layout, video->full ? "FULL" : "LIMITED");
    return sink_write(sink, line, (size_t)length);
}

ro_status y4m_write_frame(struct byte_sink *sink)
{
    return sink_write(sink, y4m_frame_line, Y4M_FRAME_LINE);
}

void y4m_plane(const struct y4m *video, int plane, uint32_t *width, uint32_t *height)
{
    const uint32_t columns = plane ? 1u << video->across : 1, rows = plane ? 1u << video->down : 1;
    *width = (uint32_t)(((uint64_t)video->width + columns - 1) / columns);
    *height = (uint32_t)(((uint64_t)video->height + rows - 1) / rows);
}

void y4m_set_bits(struct y4m *video, int bits)
{
    if (bits == video->bits)
        return;
    video->bits = bits;
    if (bits == 8)
        snprintf(video->layout, sizeof video->layout, "%s", video->base);
    else
        snprintf(video->layout, sizeof video->layout, "%s%s%d", video->base,
                 video->planes > 1 ? "p" : "", bits);
}
