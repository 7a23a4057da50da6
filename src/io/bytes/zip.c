/* SPDX-License-Identifier: MIT */
/*
 * Members of a ZIP archive, which is what NumPy's .npz is: a directory at its end names each and
 * says where it begins.
 */
#include "io/bytes/inflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    END = 22,                  /* bytes of the record at the end of the archive */
    LONGEST_END = END + 65535, /* with its comment */
    ENTRY = 46,                /* of an entry in the directory, without its name */
    LOCAL = 30,                /* of what lies before a member */
    LOCATOR = 20,              /* of what tells where the end in 64 bits is, */
    WIDE_END = 56,             /* and of that */
    MOST_DIRECTORY = 1 << 24,
    STORED = 0,
    DEFLATED = 8,
};

static uint32_t u16(const uint8_t *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8; }
static uint32_t u32(const uint8_t *bytes) { return u16(bytes) | u16(bytes + 2) << 16; }
static uint64_t u64(const uint8_t *bytes) { return u32(bytes) | (uint64_t)u32(bytes + 4) << 32; }

struct member {
    const char *name;
    int length;
    uint32_t method;
    uint64_t size, packed, offset;
};

static ro_status not_proper(struct byte_source *source)
{
    return file_fail(source->file, RO_E_FORMAT, "not a proper ZIP archive");
}

/* The directory, to be freed; a zero lies behind it. */
static ro_status read_directory(struct byte_source *source, uint8_t **bytes, size_t *size)
{
    const uint64_t total = source->size;
    *bytes = NULL;
    if (!source->seekable || total == RO_SIZE_UNKNOWN)
        return file_fail(source->file, RO_E_UNSUPPORTED,
                         "an archive cannot be read from a pipe; it needs a file with a name");
    const size_t tail = total < LONGEST_END ? (size_t)total : LONGEST_END;
    uint8_t *end = malloc(tail + 1), *found = NULL;
    if (!end)
        return file_no_memory(source->file, tail);
    ro_status status = source_seek(source, total - tail);
    if (status == RO_OK)
        status = source_need(source, end, tail);
    for (size_t i = 0; status == RO_OK && i + END <= tail; i++)
        if (memcmp(end + i, "PK\5\6", 4) == 0)
            found = end + i;
    uint64_t start = found ? u32(found + 16) : 0;
    *size = found ? u32(found + 12) : 0;
    const bool wide = found && start == UINT32_MAX && found >= end + LOCATOR &&
                      memcmp(found - LOCATOR, "PK\6\7", 4) == 0;
    const uint64_t wide_end = wide ? u64(found - LOCATOR + 8) : 0;
    free(end);
    if (status == RO_OK && wide && wide_end <= total - WIDE_END) {
        uint8_t record[WIDE_END];
        status = source_seek(source, wide_end);
        if (status == RO_OK)
            status = source_need(source, record, sizeof record);
        start = u64(record + 48);
    }
    if (status != RO_OK)
        return status;
    if (!found || *size > MOST_DIRECTORY || start > total || *size > total - start)
        return not_proper(source);
    if (!(*bytes = malloc(*size + 1)))
        return file_no_memory(source->file, *size);
    status = source_seek(source, start);
    if (status == RO_OK)
        status = source_need(source, *bytes, *size);
    return status;
}

/* Sizes that need more than 32 bits lie behind the name, in the order of those that do. */
static void read_wide(struct member *member, const uint8_t *extra, size_t size)
{
    while (size >= 4) {
        const size_t length = u16(extra + 2);
        if (length > size - 4)
            return;
        if (u16(extra) == 1) {
            uint64_t *const fields[] = {&member->size, &member->packed, &member->offset};
            size_t at = 4;
            for (int i = 0; i < 3; i++)
                if (*fields[i] == UINT32_MAX && at + 8 <= 4 + length) {
                    *fields[i] = u64(extra + at);
                    at += 8;
                }
        }
        extra += 4 + length;
        size -= 4 + length;
    }
}

/* The next entry; false: there is none. */
static bool next_member(const uint8_t *bytes, size_t size, size_t *at, struct member *member)
{
    const uint8_t *entry = bytes + *at;
    if (size - *at < ENTRY || memcmp(entry, "PK\1\2", 4) != 0)
        return false;
    const size_t name = u16(entry + 28), extra = u16(entry + 30), comment = u16(entry + 32);
    if (size - *at - ENTRY < name + extra + comment)
        return false;
    *member = (struct member){.name = (const char *)entry + ENTRY,
                              .length = (int)name,
                              .method = u16(entry + 10),
                              .packed = u32(entry + 20),
                              .size = u32(entry + 24),
                              .offset = u32(entry + 42)};
    read_wide(member, entry + ENTRY + name, extra);
    *at += ENTRY + name + extra + comment;
    return true;
}

static int plain_length(const struct member *member)
{
    return member->length > 4 && memcmp(member->name + member->length - 4, ".npy", 4) == 0
               ? member->length - 4
               : member->length;
}

static bool is_named(const struct member *member, const char *name)
{
    const size_t length = strlen(name);
    return (length == (size_t)member->length || length == (size_t)plain_length(member)) &&
           memcmp(name, member->name, length) == 0;
}

static size_t add_name(char *names, size_t size, size_t used, const struct member *member)
{
    return used >= size
               ? used
               : used + (size_t)snprintf(names + used, size - used, "%s%.*s", used ? ", " : "",
                                         plain_length(member), member->name);
}

ro_status zip_others(struct byte_source *source, const char *name, char *names, size_t size)
{
    uint8_t *bytes = NULL;
    size_t length = 0, at = 0, used = 0;
    struct member member;
    ro_status status = read_directory(source, &bytes, &length);
    *names = '\0';
    while (status == RO_OK && next_member(bytes, length, &at, &member))
        if (!is_named(&member, name))
            used = add_name(names, size, used, &member);
    free(bytes);
    return status;
}

/* Which member; if it is not clear, those that there are. */
static ro_status choose(struct byte_source *source, const uint8_t *bytes, size_t size,
                        const char *name, struct member *chosen)
{
    char names[240] = "";
    size_t at = 0, count = 0, used = 0;
    struct member member;
    while (next_member(bytes, size, &at, &member)) {
        if (name && is_named(&member, name)) {
            *chosen = member;
            return RO_OK;
        }
        *chosen = member;
        used = add_name(names, sizeof names, used, &member);
        count++;
    }
    if (count == 1 && !name)
        return RO_OK;
    if (count == 0)
        return file_fail(source->file, RO_E_FORMAT, "the archive holds no member");
    if (!name)
        return file_fail(source->file, RO_E_ARGUMENT,
                         "the archive holds several arrays; add :NAME, one of %s", names);
    return file_fail(source->file, RO_E_ARGUMENT, "there is no '%s' in the archive; it has %s",
                     name, names);
}

ro_status zip_open(struct byte_source *source, const char *name)
{
    uint8_t *bytes = NULL, local[LOCAL];
    size_t size = 0;
    struct member member = {0};
    ro_status status = read_directory(source, &bytes, &size);
    if (status == RO_OK)
        status = choose(source, bytes, size, name, &member);
    if (status == RO_OK && member.method != STORED && member.method != DEFLATED)
        status = file_fail(source->file, RO_E_UNSUPPORTED,
                           "a member packed by method %u cannot be read", member.method);
    free(bytes);
    if (status == RO_OK)
        status = source_seek(source, member.offset);
    if (status == RO_OK)
        status = source_need(source, local, LOCAL);
    if (status != RO_OK)
        return status;
    const uint64_t start = member.offset + LOCAL + u16(local + 26) + u16(local + 28);
    if (memcmp(local, "PK\3\4", 4) != 0 || start > source->size ||
        member.packed > source->size - start)
        return not_proper(source);
    return source_unpack_from(source, member.method == STORED ? RO_STORED : RO_DEFLATED, start,
                              member.packed, member.size);
}
