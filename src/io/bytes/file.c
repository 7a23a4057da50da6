/* SPDX-License-Identifier: MIT */
#include "io/bytes/file.h"

#include "core/one_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void file_init(struct open_file *file, ro_context *context, const char *path, const char *standard)
{
    *file = (struct open_file){.context = context};
    if (strcmp(path, "-") == 0)
        path = standard;
    size_t length = strlen(path), room = sizeof file->name - 1;
    if (length > room)
        snprintf(file->name, sizeof file->name, "...%s", path + length - (room - 3));
    else
        memcpy(file->name, path, length + 1);
}

ro_status file_fail(struct open_file *file, ro_status status, const char *format, ...)
{
    va_list arguments;
    if (file->quiet)
        return status;
    int used = snprintf(file->message, sizeof file->message, "%s: ", file->name);
    va_start(arguments, format);
    vsnprintf(file->message + used, sizeof file->message - (size_t)used, format, arguments);
    va_end(arguments);
    make_one_line(file->message);
    return ro_context_fail(file->context, status, "%s", file->message);
}

ro_status file_named(ro_context *context, const char *path)
{
    return context && path ? RO_OK
                           : ro_context_fail(context, RO_E_ARGUMENT, "the file has no name");
}

ro_status file_no_memory(struct open_file *file, uint64_t bytes)
{
    return file_fail(file, RO_E_MEMORY, "not enough memory (%" PRIu64 " MB are needed)",
                     (bytes + (1 << 20) - 1) >> 20);
}

ro_status file_ends_early(struct open_file *file)
{
    return file_fail(file, RO_E_FORMAT, "the file ends early");
}

ro_status file_too_large(struct open_file *file, uint64_t width, uint64_t height)
{
    return file_fail(file, RO_E_SIZE, "an image of %" PRIu64 " x %" PRIu64 " is too large", width,
                     height);
}

ro_status file_unpacks(struct open_file *file, uint64_t ratio)
{
    return file_fail(file, RO_E_SIZE,
                     "would unpack to more than %ju times its size; a limit of its pixels "
                     "(limit-pixels) allows it",
                     (uintmax_t)ratio);
}

void file_drop(struct open_file *file, unsigned what, const char *format, ...)
{
    char words[100];
    va_list arguments;
    if (file->quiet || what & file->not_dropped)
        return;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    make_one_line(words);
    ro_dropped *dropped = &file->dropped;
    dropped->what |= what;
    size_t used = strlen(dropped->text), room = sizeof dropped->text - used;
    if (strstr(dropped->text, words) || strlen(words) + 3 > room)
        return;
    snprintf(dropped->text + used, room, "%s%s", used ? ", " : "", words);
}

ro_status file_check_stop(struct open_file *file)
{
    if (ro_context_cancelled(file->context)) {
        snprintf(file->message, sizeof file->message, "cancelled");
        return ro_context_fail(file->context, RO_E_CANCELLED, "cancelled");
    }
    if (file->stop && atomic_load(file->stop))
        return RO_E_CANCELLED;
    return RO_OK;
}

uint64_t memory_limit(const struct open_file *file)
{
    return ro_context_limits(file->context)->memory;
}
