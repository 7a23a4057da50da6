/* SPDX-License-Identifier: MIT */
/* Names of files and of arrays in them, taken apart where one is to be written. */
#include "io/files/names.h"

#include "core/misuse.h"
#include "io/formats/types.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* The last dot before `end` in the last part of the path; `end`: there is none. */
static size_t dot_before(const char *path, size_t end)
{
    for (size_t i = end; i > 0 && path[i - 1] != '/'; i--)
        if (path[i - 1] == '.')
            return i - 1;
    return end;
}

/* The type of an archive whose name ends there; NULL: it is none. */
static const struct file_type *archive_before(const char *path, size_t end)
{
    const size_t dot = dot_before(path, end);
    char ending[16];
    if (dot == 0 || end - dot >= sizeof ending)
        return NULL;
    snprintf(ending, sizeof ending, "%.*s", (int)(end - dot), path + dot);
    const struct file_extension *extension = file_extension_of(ending);
    return extension && extension->type->alone ? extension->type : NULL;
}

size_t path_file(const char *path)
{
    if (ABSENT(path))
        return 0;
    for (const char *colon = path; (colon = strchr(colon, ':')); colon++)
        if (colon[1] && archive_before(path, (size_t)(colon - path)))
            return (size_t)(colon - path);
    return strlen(path);
}

const char *path_member(const char *path)
{
    const size_t length = path_file(path);
    return path[length] ? path + length + 1 : NULL;
}

bool path_is_packed(const char *path)
{
    const size_t length = path_file(path);
    return length > 3 && strncasecmp(path + length - 3, ".gz", 3) == 0;
}

size_t ro_path_stem(const char *path)
{
    if (ABSENT(path))
        return 0;
    const size_t end = path_file(path), dot = dot_before(path, end);
    const size_t inner = path_is_packed(path) ? dot_before(path, dot) : dot;
    return inner < dot ? inner : dot;
}

/* ---- Archives -------------------------------------------------------------------------------- */

/* Whether no part of a member's name is empty, "." or "..", which others take for a place outside.
 */
static bool is_proper(const char *member)
{
    for (const char *part = member; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        const size_t length = strcspn(part, "/");
        if (length <= 2 && strspn(part, ".") >= length)
            return false;
    }
    return !strchr(member, '\\');
}

ro_status archive_check(struct open_file *file, const char *path,
                        const struct file_extension *extension)
{
    const char *member = path_member(path);
    struct stat about;
    if (member && archive_before(path, path_file(path)) != extension->type)
        return file_fail(
            file, RO_E_ARGUMENT,
            "an array in such a file cannot be of type %s; leave '%s' or the type away",
            extension->name, member - 1);
    if (!extension->type->alone)
        return RO_OK;
    if (path_is_packed(path))
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a .%s file is not packed once more; leave .gz away", extension->name);
    if (member && !is_proper(member + (*member == '/')))
        return file_fail(file, RO_E_ARGUMENT, "'%s' is not the name of an array in a file", member);
    char *only = strndup(path, path_file(path));
    if (!only)
        return file_no_memory(file, strlen(path));
    ro_status status = RO_OK;
    if (stat(only, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        struct byte_source source;
        status = source_open(&source, file, only);
        if (status == RO_OK)
            status = extension->type->alone(&source, member);
        source_close(&source);
    }
    free(only);
    return status;
}
