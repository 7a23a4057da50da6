/* SPDX-License-Identifier: MIT */
/*
 * An HDF5 file of one dataset, written without a library: everything but the numbers is known
 * before them, so that rows go out as they come (HDF5 File Format Specification, version 3.0).
 *
 *     superblock -> root -> group -> ... -> dataset -> numbers without gaps, to the file's end
 *
 * Each is an object header of version 2; a group holds one link. file.h5:/group/name gives the
 * dataset its place; without one it is /data.
 */
#include "io/arrays/array.h"

#include "io/filters/convert.h"

#include <string.h>

enum { LONGEST_PATH = 200, MOST_GROUPS = 8, ROOM = 4096, SUPERBLOCK = 48, ALIGNMENT = 64 };

/* ---- The checksum: Jenkins, lookup3, of bytes -------------------------------------------------
 */

static uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }

static uint32_t word(const uint8_t *bytes, size_t size)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size && i < 4; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t a = 0xdeadbeef + (uint32_t)size, b = a, c = a;
    for (; size > 12; size -= 12, bytes += 12) {
        static const int by[] = {4, 6, 8, 16, 19, 4};
        a += word(bytes, 4);
        b += word(bytes + 4, 4);
        c += word(bytes + 8, 4);
        for (int i = 0; i < 6; i += 3) {
            a -= c, a ^= turned(c, by[i]), c += b;
            b -= a, b ^= turned(a, by[i + 1]), a += c;
            c -= b, c ^= turned(b, by[i + 2]), b += a;
        }
    }
    if (size == 0)
        return c;
    a += word(bytes, size);
    b += size > 4 ? word(bytes + 4, size - 4) : 0;
    c += size > 8 ? word(bytes + 8, size - 8) : 0;
    c ^= b, c -= turned(b, 14);
    a ^= c, a -= turned(c, 11);
    b ^= a, b -= turned(a, 25);
    c ^= b, c -= turned(b, 16);
    a ^= c, a -= turned(c, 4);
    b ^= a, b -= turned(a, 14);
    c ^= b, c -= turned(b, 24);
    return c;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

struct header {
    uint8_t bytes[ROOM];
    size_t used, object, message; /* where the last of them began */
};

static void put(struct header *h, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        h->bytes[h->used++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct header *h, const char *text, size_t length)
{
    memcpy(h->bytes + h->used, text, length);
    h->used += length;
}

static void begin_object(struct header *h)
{
    h->object = h->used;
    put_text(h, "OHDR", 4);
    put(h, 2, 1);
    put(h, 1, 1); /* sizes of 2 bytes */
    put(h, 0, 2); /* filled in at the end */
}

static void begin_message(struct header *h, int type)
{
    put(h, (uint64_t)type, 1);
    h->message = h->used;
    put(h, 0, 2);
    put(h, 0, 1);
}

static void end_message(struct header *h)
{
    const size_t size = h->used - h->message - 3;
    h->bytes[h->message] = (uint8_t)size;
    h->bytes[h->message + 1] = (uint8_t)(size >> 8);
}

static void end_object(struct header *h)
{
    const size_t size = h->used - h->object - 8;
    h->bytes[h->object + 6] = (uint8_t)size;
    h->bytes[h->object + 7] = (uint8_t)(size >> 8);
    put(h, checksum(h->bytes + h->object, h->used - h->object), 4);
}

/* A group with a link to what lies behind it. */
static void put_group(struct header *h, const char *name, size_t length)
{
    begin_object(h);
    begin_message(h, 2); /* no heap and no tree of links */
    put(h, 0, 2);
    put(h, UINT64_MAX, 8);
    put(h, UINT64_MAX, 8);
    end_message(h);
    begin_message(h, 10);
    put(h, 0, 2);
    end_message(h);
    begin_message(h, 6); /* a hard link, its name's length in a byte */
    put(h, 1, 1);
    put(h, 0, 1);
    put(h, length, 1);
    put_text(h, name, length);
    put(h, h->used + 8 + 4, 8); /* and then the checksum */
    end_message(h);
    end_object(h);
}

/* Of integers and of IEEE floats, in this machine's order of bytes. */
static void put_type(struct header *h, const struct array_file *array)
{
    const bool real = array->kind == 'f';
    const int bits = 8 * array->bytes, order = little_endian() ? 0 : 1;
    begin_message(h, 3);
    if (real) {
        const int exponent = bits == 64 ? 11 : bits == 32 ? 8 : 5, mantissa = bits - 1 - exponent;
        put(h, 0x11, 1);
        put(h, (uint64_t)(0x20 | order), 1); /* a hidden one */
        put(h, (uint64_t)(bits - 1), 1);     /* where the sign is */
        put(h, 0, 1);
        put(h, (uint64_t)array->bytes, 4);
        put(h, 0, 2);
        put(h, (uint64_t)bits, 2);
        put(h, (uint64_t)mantissa, 1);
        put(h, (uint64_t)exponent, 1);
        put(h, 0, 1);
        put(h, (uint64_t)mantissa, 1);
        put(h, ((uint64_t)1 << (exponent - 1)) - 1, 4);
    } else {
        put(h, 0x10, 1);
        put(h, (uint64_t)(order | (array->kind == 'i' ? 8 : 0)), 1);
        put(h, 0, 2);
        put(h, (uint64_t)array->bytes, 4);
        put(h, 0, 2);
        put(h, (uint64_t)bits, 2);
    }
    end_message(h);
}

/* Truth, as h5py knows it: names for two numbers of 8 bits. */
static void put_truth(struct header *h)
{
    begin_message(h, 3);
    put(h, 0x38, 1); /* an enumeration, version 3, */
    put(h, 2, 3);    /* of two */
    put(h, 1, 4);
    put(h, 0x10, 1); /* integers with a sign */
    put(h, 8, 3);
    put(h, 1, 4);
    put(h, 0, 2);
    put(h, 8, 2);
    put_text(h, "FALSE", 6);
    put_text(h, "TRUE", 5);
    put(h, 0x0100, 2);
    end_message(h);
}

/* `data` is where the numbers will be. */
static void put_dataset(struct header *h, const struct array_file *array, bool truth, uint64_t data,
                        uint64_t bytes)
{
    begin_object(h);
    begin_message(h, 1);
    const int axes = array->outer_count + 2 + (array->channels > 1);
    put(h, 2, 1);
    put(h, (uint64_t)axes, 1);
    put(h, 0, 1);
    put(h, 1, 1);
    for (int i = 0; i < array->outer_count; i++)
        put(h, array->outer[i], 8);
    put(h, array->height, 8);
    put(h, array->width, 8);
    if (array->channels > 1)
        put(h, (uint64_t)array->channels, 8);
    end_message(h);
    if (truth)
        put_truth(h);
    else
        put_type(h, array);
    begin_message(h, 5); /* no value to fill with; space is there from the beginning */
    put(h, 3, 1);
    put(h, 0x09, 1);
    end_message(h);
    begin_message(h, 8);
    put(h, 3, 1);
    put(h, 1, 1);
    put(h, data, 8);
    put(h, bytes, 8);
    end_message(h);
    end_object(h);
}

static const char signature[] = "\x89HDF\r\n\x1a\n";
enum { SIGNATURE = sizeof signature - 1 };

static void put_superblock(struct header *h, uint64_t end)
{
    put_text(h, signature, SIGNATURE);
    put(h, 2, 1);
    put(h, 8, 1);
    put(h, 8, 1);
    put(h, 0, 1);
    put(h, 0, 8);
    put(h, UINT64_MAX, 8);
    put(h, end, 8);
    put(h, SUPERBLOCK, 8); /* the root, behind this */
    put(h, checksum(h->bytes, h->used), 4);
}

static ro_status check_path(struct open_file *file, const char *path)
{
    int groups = 0;
    for (const char *at = path; *at; at++)
        groups += *at == '/';
    if (strlen(path) > LONGEST_PATH || groups >= MOST_GROUPS)
        return file_fail(file, RO_E_ARGUMENT,
                         "a dataset's name has %d letters and %d groups at most", LONGEST_PATH,
                         MOST_GROUPS);
    return RO_OK;
}

static const char *path_of(const char *member)
{
    return !member ? "data" : member + (*member == '/');
}

static void put_groups(struct header *h, const char *path)
{
    const char *name = path;
    for (const char *slash; (slash = strchr(name, '/')); name = slash + 1)
        put_group(h, name, (size_t)(slash - name));
    put_group(h, name, strlen(name));
}

/* Whether an HDF5 file begins at 512, 1024, 2048 and so on, behind bytes of somebody else. */
static bool begins_later(struct byte_source *source)
{
    const uint64_t size = source->seekable && source->size != RO_SIZE_UNKNOWN ? source->size : 0;
    bool found = false;
    for (uint64_t at = 512; !found && at < size; at *= 2) {
        size_t have = 0;
        found = source_seek(source, at) == RO_OK &&
                source_peek(source, SIGNATURE, &have) == RO_OK && have >= SIGNATURE &&
                memcmp(source->bytes + source->begin, signature, SIGNATURE) == 0;
    }
    return found;
}

/* A file with the groups that would be written has nothing but that dataset; of others it takes a
 * library to tell. */
ro_status hdf5_alone(struct byte_source *source, const char *member)
{
    const char *path = path_of(member);
    struct header h = {.used = 0};
    size_t have = 0;
    ro_status status = check_path(source->file, path);
    if (status != RO_OK)
        return status;
    put_superblock(&h, 0);
    put_groups(&h, path);
    status = source_peek(source, h.used, &have);
    if (status != RO_OK)
        return status;
    const uint8_t *head = source->bytes + source->begin;
    const bool begins = have >= SIGNATURE && memcmp(head, signature, SIGNATURE) == 0;
    const bool same = begins && have >= h.used &&
                      memcmp(head + SUPERBLOCK, h.bytes + SUPERBLOCK, h.used - SUPERBLOCK) == 0;
    if (!same && (begins || begins_later(source)))
        return file_fail(source->file, RO_E_ARGUMENT,
                         "the file is there and may hold more than /%s, which would be lost: one "
                         "that is written has one dataset; choose a new name",
                         path);
    return RO_OK;
}

ro_status hdf5_encode(struct byte_sink *sink, const ro_file_info *info,
                      const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    const char *path = path_of(sink->member);
    const struct array_file array = array_of(info);
    ro_status status = array_encode(sink, info, encoder);
    if (status == RO_OK)
        status = check_path(sink->file, path);
    if (status != RO_OK)
        return status;
    uint64_t bytes = array.width * array.height * (uint64_t)(array.channels * array.bytes);
    for (int i = 0; i < array.outer_count; i++)
        bytes *= array.outer[i];
    /* Twice: once to see how long it gets. */
    struct header h = {.used = 0};
    uint64_t data = 0;
    for (int turn = 0; turn < 2; turn++) {
        h = (struct header){.used = 0};
        put_superblock(&h, data + bytes);
        put_groups(&h, path);
        put_dataset(&h, &array, array_is_truth(info), data, bytes);
        data = (h.used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return sink_write(sink, h.bytes, data);
}
