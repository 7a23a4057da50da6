/* SPDX-License-Identifier: MIT */
/*
 * libtiff counts the directories up to the first that it cannot read. A stack whose end was cut off
 * would pass for a shorter one, so the chain is followed here:
 *
 *     header: "II" or "MM", 42, offset of the first      (BigTIFF: 43, 8, 0, offset in 8 bytes)
 *     directory: number of entries, entries of 12 bytes, offset of the next or 0   (8, 20, 8 bytes)
 */
#include "io/formats/tiff/tiff_pages.h"

#include <stdlib.h>
#include <string.h>

enum { SHAPE_TAGS = 5, MOST_ENTRIES = 4096 };

/* Width, height, bits, samples a pixel, format. */
static const uint16_t shape_tags[SHAPE_TAGS] = {256, 257, 258, 277, 339};

struct chain {
    struct byte_source *source;
    bool big_endian, big; /* the order of bytes; BigTIFF */
};

/* What of a directory tells a page's shape; values that lie elsewhere count by their number. */
struct shape {
    uint64_t value[SHAPE_TAGS];
};

static uint64_t number(const struct chain *chain, const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes[chain->big_endian ? size - 1 - i : i] << (8 * i);
    return value;
}

static void read_entry(const struct chain *chain, const uint8_t *entry, struct shape *shape)
{
    const int field = chain->big ? 8 : 4; /* bytes of a count and of a value */
    const uint64_t tag = number(chain, entry, 2), type = number(chain, entry + 2, 2);
    const uint64_t count = number(chain, entry + 4, field);
    for (int i = 0; i < SHAPE_TAGS; i++)
        if (tag == shape_tags[i])
            shape->value[i] =
                count > 1 ? count << 32 : number(chain, entry + 4 + field, type == 3 ? 2 : 4);
}

/* One directory; *next is the offset of the following one. */
static ro_status read_directory(const struct chain *chain, uint64_t offset, struct shape *shape,
                                uint64_t *next)
{
    const size_t size = chain->big ? 20 : 12;
    uint8_t bytes[20] = {0};
    struct byte_source *source = chain->source;
    ro_status status = source_seek(source, offset);
    if (status == RO_OK)
        status = source_need(source, bytes, chain->big ? 8 : 2);
    const uint64_t entries = number(chain, bytes, chain->big ? 8 : 2);
    if (status == RO_OK && entries > MOST_ENTRIES)
        return file_fail(source->file, RO_E_FORMAT,
                         "not a proper TIFF file: a page with too many tags");
    memset(shape, 0, sizeof *shape);
    for (uint64_t i = 0; i < entries && status == RO_OK; i++) {
        status = source_need(source, bytes, size);
        if (status == RO_OK)
            read_entry(chain, bytes, shape);
    }
    if (status == RO_OK)
        status = source_need(source, bytes, chain->big ? 8 : 4);
    *next = number(chain, bytes, chain->big ? 8 : 4);
    return status;
}

static bool add(struct tiff_pages *pages, uint64_t offset)
{
    if ((pages->count & (pages->count + 1)) == 0) { /* 0, 1, 3, 7, ...: room for twice as many */
        uint64_t *more = realloc(pages->offsets, (2 * (size_t)pages->count + 1) * sizeof *more);
        if (!more)
            return false;
        pages->offsets = more;
    }
    pages->offsets[pages->count++] = offset;
    return true;
}

static ro_status follow(struct tiff_pages *pages, const struct chain *chain, uint64_t offset)
{
    struct byte_source *source = chain->source;
    struct shape first = {{0}}, shape;
    uint64_t mark = 0; /* a directory passed before: the chain must not come back to it */
    pages->alike = true;
    while (offset) {
        if (offset >= source->size)
            return file_fail(source->file, RO_E_FORMAT,
                             "the file ends early: page %u lies beyond its end", pages->count + 1);
        if (offset == mark)
            return file_fail(source->file, RO_E_FORMAT,
                             "not a proper TIFF file: its pages go round in a circle");
        if ((pages->count & (pages->count - 1)) == 0)
            mark = offset;
        if (!add(pages, offset))
            return file_no_memory(source->file, pages->count * sizeof offset);
        ro_status status = read_directory(chain, offset, &shape, &offset);
        if (status != RO_OK)
            return status;
        if (pages->count == 1)
            first = shape;
        pages->alike = pages->alike && memcmp(&first, &shape, sizeof first) == 0;
    }
    return RO_OK;
}

ro_status tiff_pages_find(struct tiff_pages *pages, struct byte_source *source)
{
    uint8_t head[16] = {0};
    *pages = (struct tiff_pages){0};
    struct chain chain = {.source = source};
    ro_status status = source_seek(source, 0);
    if (status == RO_OK)
        status = source_need(source, head, 8);
    chain.big_endian = head[0] == 'M';
    chain.big = number(&chain, head + 2, 2) == 43;
    if (status == RO_OK && chain.big)
        status = source_need(source, head + 8, 8);
    if (status == RO_OK)
        status = follow(pages, &chain,
                        chain.big ? number(&chain, head + 8, 8) : number(&chain, head + 4, 4));
    return status;
}

void tiff_pages_free(struct tiff_pages *pages)
{
    free(pages->offsets);
    *pages = (struct tiff_pages){0};
}
