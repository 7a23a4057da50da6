/* SPDX-License-Identifier: MIT */
/* Pages of a stack: each is segmented by itself, with the same words, into a page of OUT. */
#include "cli/segment/segment.h"

#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "roundoff/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Files beside OUT are of one picture. */
static ro_status check_beside(ro_context *context, const struct segment_values *v)
{
    static const char *const beside[] = {"overlay", "contours", "table",       "phi",
                                         "frames",  "vectors",  "certificate", NULL};
    char name[OPTION_NAME];
    return first_set(&command_segment, v, beside, false, name)
               ? ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "--%s is of one page; --page N picks it", name)
               : RO_OK;
}

ro_status segment_pages_open(ro_context *context, const struct segment_values *values,
                             const char *path, struct segment_pages *pages)
{
    ro_read_options read = pictures_read(path);
    *pages = (struct segment_pages){.count = 1, .path = path};
    stack_pages(values->page, &read);
    pages->first = read.page;
    if (!stack_can_look(path))
        return RO_OK;
    read.carries = 1;
    ro_status status = ro_reader_open(context, path, &read, &pages->reader);
    if (status != RO_OK)
        return status;
    pages->stack = *ro_reader_info(pages->reader);
    pages->count = stack_count(&pages->stack);
    if (pages->count == 1)
        return RO_OK;
    pages->first = pages->first ? pages->first : 1;
    status = check_beside(context, values);
    if (status == RO_OK)
        status = printed_open(context, &pages->told);
    return status;
}

/* Integers of more than 16 bits, and floats that do not lie from 0 to 1, become tones: 0, or the
 * least of them, is black. */
static void make_tones(const ro_file_info *info, ro_image *in, struct segment_pages *pages)
{
    float least = 0, most = 0;
    const size_t samples = (size_t)in->width * (in->format == RO_RGBF ? 3 : 1);
    for (uint32_t y = 0; y < in->height; y++) {
        const float *row = (const void *)((const char *)in->data + (ptrdiff_t)y * in->stride);
        for (size_t i = 0; i < samples; i++) {
            least = row[i] < least ? row[i] : least;
            most = row[i] > most ? row[i] : most;
        }
    }
    if (!isfinite(least) || !isfinite(most) ||
        (!stack_is_wide(info) && least >= -0.001f && most <= 1.001f))
        return;
    stack_scale(in, 1, -(double)least);
    pages->unit = stack_unit(in);
    pages->zero = least;
    stack_scale(in, 1 / pages->unit, 0);
}

ro_status segment_load(ro_context *context, struct segment_pages *pages, ro_image *in,
                       ro_file_info *info)
{
    ro_read_options read = pictures_read(pages->path);
    read.page = pages->first ? pages->first + pages->at : 0;
    read.carries = pages->reader != NULL;
    ro_status status =
        ro_image_load(context, pages->path, &read, in, info, pictures_dropped(pages->path));
    const ro_file_info *stack = &pages->stack;
    if (status == RO_OK && pages->count > 1 &&
        (in->width != stack->width || in->height != stack->height)) {
        status = ro_context_fail(context, RO_E_FORMAT,
                                 "%s: is %u x %u, where the first page that is read is %u x %u; "
                                 "pages of one stack have the same shape",
                                 pages->path, in->width, in->height, stack->width, stack->height);
        ro_image_free(in);
    }
    pages->zero = status == RO_OK ? (double)info->zero : 0;
    pages->unit = 1;
    if (status == RO_OK && (in->format == RO_GREYF || in->format == RO_RGBF))
        make_tones(info, in, pages);
    return status;
}

/* Labels lie where the pixels of IN do, so what IN says of those is true of them. */
static ro_status open_writer(ro_context *context, struct segment_pages *pages, const char *out,
                             const ro_image *labels)
{
    ro_file_info info = {.format = labels->format,
                         .width = labels->width,
                         .height = labels->height,
                         .maxval = labels->maxval,
                         .dpi_x = pages->stack.dpi_x,
                         .dpi_y = pages->stack.dpi_y,
                         .stack = pages->count > 1 ? pages->count : 0};
    ro_status status = RO_OK;
    for (int i = 0; i < RO_OUTER_AXES && pages->count > 1; i++)
        info.outer[i] = pages->stack.outer[i];
    if (pages->reader)
        status = pictures_carry(context, pages->path, &pages->stack, out, &info);
    return status == RO_OK ? ro_writer_open(context, out, &info, NULL, &pages->writer) : status;
}

static bool is_tiff(const char *out)
{
    const char *dot = strrchr(out, '.');
    return dot && (strcasecmp(dot, ".tif") == 0 || strcasecmp(dot, ".tiff") == 0);
}

bool labels_are_numbers(const ro_file_info *info, const ro_image *labels)
{
    return strcmp(info->type, "npy") == 0 ||
           (strcmp(info->type, "tiff") == 0 && labels->maxval > 1);
}

/* TIFF has label numbers, and 255 for the only label. Levels would be tones there, and two levels
 * bits, whose usual compression scientific programs cannot read. */
static void make_bytes(ro_image *labels)
{
    const bool one = labels->maxval == 1;
    labels->format = RO_GREY8;
    labels->maxval = 255;
    for (uint32_t y = 0; y < labels->height && one; y++) {
        uint8_t *row = (uint8_t *)labels->data + (ptrdiff_t)y * labels->stride;
        for (uint32_t x = 0; x < labels->width; x++)
            row[x] = row[x] ? 255 : 0;
    }
}

ro_status segment_save(ro_context *context, struct segment_pages *pages, const char *out,
                       ro_image *labels)
{
    ro_status status = RO_OK;
    if (labels->format == RO_INDEX8 && is_tiff(out))
        make_bytes(labels);
    if (!pages->writer)
        status = open_writer(context, pages, out, labels);
    if (status == RO_OK)
        status = stack_write(pages->writer, labels);
    if (status == RO_OK && pages->at + 1 == pages->count)
        status = ro_writer_commit(pages->writer);
    return status;
}

void segment_pages_json(FILE *file, struct segment_pages *pages)
{
    json_put(file, "{command %s, pages ", "segment");
    printed_list(&pages->told, file);
    fputs("}\n", file);
}

void segment_pages_close(struct segment_pages *pages)
{
    printed_close(&pages->told);
    ro_writer_close(pages->writer);
    ro_reader_close(pages->reader);
    *pages = (struct segment_pages){0};
}
