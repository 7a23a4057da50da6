/* SPDX-License-Identifier: MIT */
#include "io/filters/samples.h"

#include "io/filters/convert.h"
#include "io/filters/half.h"

#include <math.h>
#include <stdlib.h>

static const struct kind {
    const char *name;
    char kind; /* as NumPy names it */
    int bytes;
} kinds[] = {
    [RO_SAMPLE_PLAIN] = {"plain", 0, 0},       [RO_SAMPLE_UINT16] = {"uint16", 'u', 2},
    [RO_SAMPLE_INT8] = {"int8", 'i', 1},       [RO_SAMPLE_INT16] = {"int16", 'i', 2},
    [RO_SAMPLE_UINT32] = {"uint32", 'u', 4},   [RO_SAMPLE_INT32] = {"int32", 'i', 4},
    [RO_SAMPLE_UINT64] = {"uint64", 'u', 8},   [RO_SAMPLE_INT64] = {"int64", 'i', 8},
    [RO_SAMPLE_FLOAT16] = {"float16", 'f', 2}, [RO_SAMPLE_FLOAT64] = {"float64", 'f', 8},
};
enum { KINDS = sizeof kinds / sizeof *kinds, LARGEST = 65535 };
#define EXACT (INT64_C(1) << 53) /* whole numbers below are doubles */

static const struct kind *kind_of(ro_sample sample)
{
    return &kinds[(unsigned)sample < KINDS ? sample : RO_SAMPLE_PLAIN];
}

const char *sample_name(ro_sample sample) { return kind_of(sample)->name; }

size_t bytes_of_sample(ro_sample sample) { return (size_t)kind_of(sample)->bytes; }

bool sample_is_whole(ro_sample sample)
{
    return kind_of(sample)->kind == 'u' || kind_of(sample)->kind == 'i';
}

ro_sample sample_type_of(char kind, int bytes)
{
    for (int i = RO_SAMPLE_INT8; i < KINDS; i++)
        if (kinds[i].kind == kind && kinds[i].bytes == bytes)
            return (ro_sample)i;
    return RO_SAMPLE_PLAIN;
}

void sample_swap(void *numbers, size_t bytes, size_t count)
{
    if (bytes == 2)
        swap16(numbers, count);
    else if (bytes == 4)
        swap32(numbers, count);
    else if (bytes == 8)
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)numbers)[i] = __builtin_bswap64(((uint64_t *)numbers)[i]);
}

/* A whole number; of uint64 those above INT64_MAX come as negative ones, see `beyond`. */
static int64_t whole(ro_sample sample, const void *numbers, size_t i)
{
    switch (sample) {
    case RO_SAMPLE_INT8:
        return ((const int8_t *)numbers)[i];
    case RO_SAMPLE_UINT16:
        return ((const uint16_t *)numbers)[i];
    case RO_SAMPLE_INT16:
        return ((const int16_t *)numbers)[i];
    case RO_SAMPLE_UINT32:
        return ((const uint32_t *)numbers)[i];
    case RO_SAMPLE_INT32:
        return ((const int32_t *)numbers)[i];
    default:
        return ((const int64_t *)numbers)[i];
    }
}

static bool beyond(ro_sample sample, int64_t number)
{
    return sample == RO_SAMPLE_UINT64 && number < 0;
}

static double real(ro_sample sample, int64_t number)
{
    return beyond(sample, number) ? (double)(uint64_t)number : (double)number;
}

void span_add(struct sample_span *span, ro_sample sample, const void *numbers, size_t count)
{
    int64_t least = span->least, largest = span->largest;
    double low = span->low, high = span->high;
    for (size_t i = 0; i < count; i++) {
        int64_t number = whole(sample, numbers, i);
        const double value = real(sample, number);
        low = value < low ? value : low;
        high = value > high ? value : high;
        if (beyond(sample, number)) /* no range of 16 bits that int64_t can tell */
            least = 0, number = INT64_MAX;
        least = number < least ? number : least;
        largest = number > largest ? number : largest;
    }
    span->least = least;
    span->largest = largest;
    span->low = low;
    span->high = high;
    span->known = true;
}

/* ---- In ------------------------------------------------------------------------------------- */

struct samples {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    uint8_t *line; /* a row of the file's numbers */
    uint32_t row;  /* of the page, the next one */
};

static void whole_row(const struct samples *self, uint16_t *to, size_t count)
{
    const int64_t zero = self->stage.info.zero;
    const ro_sample sample = self->stage.info.sample;
    for (size_t i = 0; i < count; i++)
        to[i] = (uint16_t)(whole(sample, self->line, i) - zero);
}

/* False: a number lost bits, or became infinite. */
static bool real_row(const struct samples *self, float *to, size_t count)
{
    const ro_sample sample = self->stage.info.sample;
    bool exact = true;
    for (size_t i = 0; i < count; i++) {
        if (sample == RO_SAMPLE_FLOAT16) {
            to[i] = half_to_float(((const uint16_t *)(const void *)self->line)[i]);
        } else if (sample == RO_SAMPLE_FLOAT64) {
            to[i] = (float)((const double *)(const void *)self->line)[i];
        } else {
            const int64_t number = whole(sample, self->line, i);
            const double value = real(sample, number);
            to[i] = (float)value;
            exact = exact && (double)to[i] == value && !beyond(sample, number) && number > -EXACT &&
                    number < EXACT;
        }
    }
    return exact;
}

/* Finite numbers stay finite. */
static ro_status check_large(const struct samples *self, const float *row, size_t count)
{
    const double *given = (const double *)(const void *)self->line;
    const size_t channels = (size_t)channels_of(self->stage.info.format);
    for (size_t i = 0; i < count; i++)
        if (isinf(row[i]) && isfinite(given[i]))
            return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                             "%g at (%zu, %u) is too large for the float32 that it becomes",
                             given[i], i / channels, self->row);
    return RO_OK;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct samples *self = (struct samples *)stage;
    const size_t samples = (size_t)stage->info.width * (size_t)channels_of(stage->info.format);
    for (uint32_t y = 0; y < count; y++, rows += stride, self->row++) {
        ro_status status = self->before->rows(self->before, self->line, 0, 1);
        if (status != RO_OK)
            return status;
        if (stage->info.format == RO_GREY16 || stage->info.format == RO_RGB16)
            whole_row(self, (uint16_t *)(void *)rows, samples);
        else if (!real_row(self, (float *)(void *)rows, samples))
            file_drop(stage->file, RO_DROPPED_PRECISION, "bits beyond 24 of its %s numbers",
                      sample_name(stage->info.sample));
        if (stage->info.sample == RO_SAMPLE_FLOAT64)
            status = check_large(self, (const float *)(const void *)rows, samples);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static ro_status next_page(struct row_stage *stage)
{
    struct samples *self = (struct samples *)stage;
    self->row = 0;
    return self->before->next(self->before);
}

static ro_status seek_row(struct row_stage *stage, uint32_t row)
{
    struct row_stage *before = ((struct samples *)stage)->before;
    ((struct samples *)stage)->row = row;
    return before->seek(before, row);
}

static void close_stage(struct row_stage *stage)
{
    struct samples *self = (struct samples *)stage;
    self->before->close(self->before);
    free(self->line);
    free(self);
}

ro_status samples_stage(struct row_stage *before, const struct sample_span *span,
                        struct row_stage **stage)
{
    const ro_sample sample = before->info.sample;
    const bool colour = channels_of(before->info.format) == 3;
    const size_t channels = colour ? 3 : 1;
    const size_t row = before->info.width * channels * bytes_of_sample(sample);
    struct samples *self = calloc(1, sizeof *self);
    uint8_t *line = malloc(row);
    if (!self || !line) {
        ro_status status = file_no_memory(before->file, row);
        free(self);
        free(line);
        before->close(before);
        return status;
    }
    self->stage = (struct row_stage){.file = before->file,
                                     .info = before->info,
                                     .orientation = before->orientation,
                                     .stack = before->stack,
                                     .rows = read_rows,
                                     .seek = before->seek ? seek_row : NULL,
                                     .next = before->next ? next_page : NULL,
                                     .close = close_stage};
    self->before = before;
    self->line = line;
    ro_file_info *info = &self->stage.info;
    info->format = colour ? RO_RGBF : RO_GREYF;
    info->maxval = 1;
    if (sample_is_whole(sample) && span->known && span->least <= span->largest &&
        (uint64_t)span->largest - (uint64_t)span->least <= LARGEST) {
        info->format = colour ? RO_RGB16 : RO_GREY16;
        info->zero = span->least;
        info->maxval = span->largest > span->least ? (uint32_t)(span->largest - span->least) : 1;
    }
    *stage = &self->stage;
    return RO_OK;
}

/* ---- Out ------------------------------------------------------------------------------------ */

ro_status samples_check(struct open_file *file, const ro_file_info *info)
{
    const ro_format format = info->format;
    const bool real = format == RO_GREYF || format == RO_RGBF;
    const bool wide = format == RO_GREY16 || format == RO_RGB16;
    if (real || (wide && sample_is_whole(info->sample)))
        return RO_OK;
    return file_fail(file, RO_E_ARGUMENT, "%s samples cannot be made of %s",
                     sample_name(info->sample), ro_format_name(format));
}

static void put_whole(ro_sample sample, void *numbers, size_t i, int64_t value)
{
    static const struct {
        int64_t least, largest;
    } range[] = {
        [RO_SAMPLE_UINT16] = {0, UINT16_MAX},       [RO_SAMPLE_INT8] = {INT8_MIN, INT8_MAX},
        [RO_SAMPLE_INT16] = {INT16_MIN, INT16_MAX}, [RO_SAMPLE_UINT32] = {0, UINT32_MAX},
        [RO_SAMPLE_INT32] = {INT32_MIN, INT32_MAX}, [RO_SAMPLE_UINT64] = {0, INT64_MAX},
        [RO_SAMPLE_INT64] = {INT64_MIN, INT64_MAX},
    };
    value = value < range[sample].least     ? range[sample].least
            : value > range[sample].largest ? range[sample].largest
                                            : value;
    switch (bytes_of_sample(sample)) {
    case 1:
        ((int8_t *)numbers)[i] = (int8_t)value;
        break;
    case 2:
        ((uint16_t *)numbers)[i] = (uint16_t)value;
        break;
    case 4:
        ((uint32_t *)numbers)[i] = (uint32_t)value;
        break;
    default:
        ((int64_t *)numbers)[i] = value;
        break;
    }
}

static int64_t nearest(double value)
{
    if (!(value > -0x1p63))
        return INT64_MIN;
    return value < 0x1p63 ? llrint(value) : INT64_MAX;
}

void samples_pack(const ro_file_info *info, void *numbers, const void *samples, size_t count)
{
    const bool real = info->format == RO_GREYF || info->format == RO_RGBF;
    const uint16_t *levels = samples;
    const float *values = samples;
    for (size_t i = 0; i < count; i++)
        if (info->sample == RO_SAMPLE_FLOAT16)
            ((uint16_t *)numbers)[i] = float_to_half(values[i]);
        else if (info->sample == RO_SAMPLE_FLOAT64)
            ((double *)numbers)[i] = (double)values[i];
        else if (real && info->sample == RO_SAMPLE_UINT64 && values[i] >= 0x1p63f)
            ((uint64_t *)numbers)[i] = values[i] < 0x1p64f ? (uint64_t)values[i] : UINT64_MAX;
        else if (real)
            put_whole(info->sample, numbers, i, nearest((double)values[i]));
        else
            put_whole(info->sample, numbers, i, levels[i] + info->zero);
}
