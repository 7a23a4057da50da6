/* SPDX-License-Identifier: MIT */
/*
 * Alpha. A decoder hands over what its file holds, alpha behind the colours of each pixel; this
 * stage makes of it what halftones can be made of.
 */
#include "io/filters/alpha.h"

#include "io/filters/convert.h"

#include <stdlib.h>
#include <string.h>

static uint32_t one(const struct alpha_rule *rule, uint32_t colour, uint32_t alpha, uint32_t ground)
{
    const uint32_t all = rule->white;
    if (rule->what == RO_ALPHA_DROP && !rule->multiplied)
        return colour;
    if (rule->what != RO_ALPHA_OVER) {
        if (alpha == 0)
            return rule->what == RO_ALPHA_DROP ? colour : ground;
        if (!rule->multiplied)
            return colour;
        uint64_t whole = ((uint64_t)colour * all + alpha / 2) / alpha;
        return whole < all ? (uint32_t)whole : all;
    }
    const uint64_t rest = (uint64_t)(all - alpha) * ground;
    if (rule->multiplied) {
        uint64_t sum = colour + (rest + all / 2) / all;
        return sum < all ? (uint32_t)sum : all;
    }
    return (uint32_t)(((uint64_t)alpha * colour + rest + all / 2) / all);
}

#define ALPHA_ROW(name, sample)                                                                    \
    bool name(const struct alpha_rule *rule, sample *to, const sample *from, uint32_t width)       \
    {                                                                                              \
        const int channels = rule->channels, given = rule->given;                                  \
        uint32_t least = rule->white;                                                              \
        for (uint32_t x = 0; x < width; x++, from += channels + 1, to += given) {                  \
            const uint32_t alpha = from[channels] < rule->white ? from[channels] : rule->white;    \
            least = alpha < least ? alpha : least;                                                 \
            if (rule->what == RO_ALPHA_ONLY)                                                       \
                to[0] = (sample)alpha;                                                             \
            else                                                                                   \
                for (int c = 0; c < given; c++)                                                    \
                    to[c] = (sample)one(rule, from[channels == 1 ? 0 : c], alpha,                  \
                                        rule->background[c]);                                      \
        }                                                                                          \
        return least < rule->white;                                                                \
    }

ALPHA_ROW(alpha_row8, uint8_t)
ALPHA_ROW(alpha_row16, uint16_t)

struct alpha {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    struct alpha_rule rule;
    bool tell; /* what is not opaque was laid over white without being asked for */
    uint8_t *line;
};

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct alpha *self = (struct alpha *)stage;
    const bool wide = stage->info.format == RO_GREY16 || stage->info.format == RO_RGB16;
    const uint32_t width = stage->info.width;
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        status = self->before->rows(self->before, self->line,
                                    (ptrdiff_t)stage_row_bytes(self->before), 1);
        if (status != RO_OK)
            break;
        const bool holes =
            wide ? alpha_row16(&self->rule, (uint16_t *)rows, (uint16_t *)self->line, width)
                 : alpha_row8(&self->rule, rows, self->line, width);
        if (holes && self->tell)
            file_drop(stage->file, RO_DROPPED_ALPHA, "alpha (laid over white)");
    }
    return status;
}

/* A picture without alpha is opaque all over; its rows are read to notice damage. */
static ro_status opaque_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride,
                             uint32_t count)
{
    struct alpha *self = (struct alpha *)stage;
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        status = self->before->rows(self->before, self->line,
                                    (ptrdiff_t)stage_row_bytes(self->before), 1);
        memset(rows, 255, stage->info.width);
    }
    return status;
}

static ro_status seek_row(struct row_stage *stage, uint32_t row)
{
    struct row_stage *before = ((struct alpha *)stage)->before;
    return before->seek(before, row);
}

static void close_stage(struct row_stage *stage)
{
    struct alpha *self = (struct alpha *)stage;
    self->before->close(self->before);
    free(self->line);
    free(self);
}

/* Format and largest value of what the stage gives. */
static void set_format(struct alpha *self, const ro_file_info *from)
{
    ro_file_info *info = &self->stage.info;
    const bool wide = from->format == RO_GREY16 || from->format == RO_RGB16;
    if (self->before->alpha == RO_NO_ALPHA) {
        info->format = RO_GREY8;
        info->maxval = 255;
        return;
    }
    if (self->rule.given == 1)
        info->format = wide ? RO_GREY16 : RO_GREY8;
    else
        info->format = wide ? RO_RGB16 : RO_RGB8;
}

ro_status alpha_stage(struct row_stage *before, const ro_read_options *options,
                      struct row_stage **stage)
{
    const ro_file_info *from = &before->info;
    struct alpha *self = calloc(1, sizeof *self);
    if (self)
        self->line = malloc(stage_row_bytes(before));
    if (!self || !self->line) {
        ro_status status = file_no_memory(before->file, stage_row_bytes(before));
        free(self);
        before->close(before);
        return status;
    }
    const uint8_t *ground = options->background;
    const bool coloured = options->background_given &&
                          (ground[0] != ground[1] || ground[1] != ground[2]) &&
                          options->alpha != RO_ALPHA_DROP;
    const int channels = channels_of(from->format);
    self->before = before;
    self->tell = options->alpha == RO_ALPHA_DEFAULT && !options->background_given;
    self->rule = (struct alpha_rule){.what = options->alpha == RO_ALPHA_DEFAULT ? RO_ALPHA_OVER
                                                                                : options->alpha,
                                     .multiplied = before->alpha == RO_MULTIPLIED_ALPHA,
                                     .channels = channels,
                                     .given = options->alpha == RO_ALPHA_ONLY ? 1
                                              : coloured                      ? 3
                                                                              : channels,
                                     .white = from->maxval};
    for (int c = 0; c < 3; c++)
        self->rule.background[c] =
            options->background_given
                ? (uint32_t)((2 * (uint64_t)ground[c] * from->maxval + 255) / 510)
                : from->maxval;
    self->stage = (struct row_stage){.file = before->file,
                                     .info = *from,
                                     .orientation = before->orientation,
                                     .rows = before->alpha == RO_NO_ALPHA ? opaque_rows : read_rows,
                                     .seek = before->seek ? seek_row : NULL,
                                     .close = close_stage};
    set_format(self, from);
    *stage = &self->stage;
    return RO_OK;
}
