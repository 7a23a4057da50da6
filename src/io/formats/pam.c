/* SPDX-License-Identifier: MIT */
/*
 * PAM, Netpbm's file of any number of channels (P7): a head of lines "NAME value", then samples of
 * one or two bytes. One channel is grey, two are grey and alpha, three RGB, four RGB and alpha;
 * others are dropped.
 */
#include "io/filters/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 256, MOST_LINES = 1000 };

struct pam {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    uint64_t depth; /* channels in the file */
    size_t sample;  /* bytes */
    size_t taken;   /* channels that are passed on */
    uint8_t *line;
    uint32_t row;
};

/* A line without its end; longer ones are cut. */
static ro_status next_line(struct pam *self, char line[LONGEST_LINE])
{
    ro_status status = RO_OK;
    size_t used = 0;
    int c;
    while ((c = source_byte(self->source, &status)) != -1 && c != '\n')
        if (used < LONGEST_LINE - 1)
            line[used++] = (char)c;
    line[used] = '\0';
    if (c == -1 && status == RO_OK)
        status = file_ends_early(self->stage.file);
    return status;
}

static ro_status read_head(struct pam *self, uint64_t *maxval, char *kind, size_t kind_size)
{
    static const char *const names[] = {"WIDTH", "HEIGHT", "DEPTH", "MAXVAL"};
    uint64_t values[4] = {0};
    char line[LONGEST_LINE], name[LONGEST_LINE], rest[LONGEST_LINE];
    ro_status status = next_line(self, line);
    for (int lines = 0; status == RO_OK; lines++) {
        if ((status = next_line(self, line)) != RO_OK)
            break;
        rest[0] = '\0';
        if (lines > MOST_LINES)
            return file_fail(self->stage.file, RO_E_FORMAT, "not a proper PAM file: no ENDHDR");
        if (line[0] == '#')
            file_drop(self->stage.file, RO_DROPPED_METADATA, "a comment");
        if (line[0] == '#' || sscanf(line, "%255s %255[^\n]", name, rest) < 1)
            continue;
        if (strcmp(name, "ENDHDR") == 0)
            break;
        if (strcmp(name, "TUPLTYPE") == 0 && !*kind)
            snprintf(kind, kind_size, "%s", rest);
        for (int i = 0; i < 4; i++)
            if (strcmp(name, names[i]) == 0 && sscanf(rest, "%10" SCNu64, &values[i]) != 1)
                return file_fail(self->stage.file, RO_E_FORMAT,
                                 "not a proper PAM file: %s is no number", name);
    }
    if (status == RO_OK)
        status = stage_check_size(self->stage.file, values[0], values[1]);
    if (status == RO_OK && (values[2] < 1 || values[2] > 65535))
        status = file_fail(self->stage.file, RO_E_FORMAT,
                           "not a proper PAM file: %" PRIu64 " channels", values[2]);
    if (status == RO_OK && (values[3] < 1 || values[3] > 65535))
        status = file_fail(self->stage.file, RO_E_FORMAT,
                           "the largest value is %" PRIu64 ", it must be 1 to 65535", values[3]);
    self->stage.info.width = (uint32_t)values[0];
    self->stage.info.height = (uint32_t)values[1];
    self->depth = values[2];
    *maxval = values[3];
    return status;
}

/* Channels by their number, unless the file says that alpha is none. */
static void choose_channels(struct pam *self, const char *kind, uint64_t maxval)
{
    ro_file_info *info = &self->stage.info;
    const bool wide = maxval > 255, named = *kind != '\0';
    const bool alpha = (self->depth == 2 || self->depth == 4) && (!named || strstr(kind, "_ALPHA"));
    const bool colour = self->depth >= 3;
    self->sample = wide ? 2 : 1;
    self->taken = (colour ? 3 : 1) + (alpha ? 1 : 0);
    info->format = colour ? (wide ? RO_RGB16 : RO_RGB8) : (wide ? RO_GREY16 : RO_GREY8);
    info->maxval = (uint32_t)maxval;
    info->pages = 1;
    self->stage.alpha = alpha ? RO_STRAIGHT_ALPHA : RO_NO_ALPHA;
    if (self->depth > self->taken)
        file_drop(self->stage.file, RO_DROPPED_CHANNELS, "%u further channel%s",
                  (unsigned)(self->depth - self->taken), self->depth - self->taken > 1 ? "s" : "");
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct pam *self = (struct pam *)stage;
    const size_t pixel = self->depth * self->sample, taken = self->taken * self->sample;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = source_need(self->source, self->line, stage->info.width * pixel);
        if (status != RO_OK)
            return status;
        for (size_t x = 0; x < stage->info.width; x++)
            memcpy(rows + x * taken, self->line + x * pixel, taken);
        const size_t samples = stage->info.width * self->taken;
        if (self->sample == 2 && little_endian())
            swap16((uint16_t *)(void *)rows, samples);
        const uint32_t most = self->sample == 2 ? largest16((uint16_t *)(void *)rows, samples)
                                                : largest8(rows, samples);
        if (most > stage->info.maxval)
            return file_fail(stage->file, RO_E_FORMAT, "a value of %u is above the largest, %u",
                             most, stage->info.maxval);
    }
    self->row += count;
    if (count > 0 && self->row == stage->info.height) {
        size_t have;
        ro_status status = source_peek(self->source, 1, &have);
        if (status != RO_OK)
            return status;
        if (have)
            file_drop(stage->file, RO_DROPPED_PAGES, "what follows the picture");
    }
    return RO_OK;
}

static void close_reader(struct row_stage *stage)
{
    free(((struct pam *)stage)->line);
    free(stage);
}

ro_status pam_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct pam *self = calloc(1, sizeof *self);
    char kind[LONGEST_LINE] = "";
    uint64_t maxval = 0;
    (void)page;
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->source = source;
    ro_status status = read_head(self, &maxval, kind, sizeof kind);
    if (status == RO_OK) {
        choose_channels(self, kind, maxval);
        const uint64_t row = (uint64_t)self->stage.info.width * self->depth * self->sample;
        if (source_left(source) / row < self->stage.info.height)
            status = file_ends_early(source->file);
        else if (row > memory_limit(source->file) || !(self->line = malloc(row)))
            status = file_no_memory(source->file, row);
    }
    return stage_opened(&self->stage, status, stage);
}
