/* SPDX-License-Identifier: MIT */
/*
 * Files in parts, by writers into memory. Rows that lie as they come are what one writer makes of
 * them. A strip of a TIFF is packed on its own: a writer of a picture of just these rows makes it,
 * and another of the whole picture makes the head and the directory round a hole.
 */
#include "core/misuse.h"
#include "core/options.h"
#include "io/bytes/commit.h"
#include "io/files/writer.h"
#include "io/formats/types.h"
#include "roundoff_io_pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct ro_parts {
    ro_context *context;
    ro_file_info file;
    ro_write_options options;
    char type[16];
    ro_parts_info info;
    const struct packed_groups *packed; /* NULL: rows lie as they come */
    ro_writer *rows;  /* of the whole picture if parts are plain; else of those made last */
    ro_writer *frame; /* of the whole picture, if parts are packed */
    uint8_t *head;
    uint64_t *sizes; /* of the parts made last */
    char *path;
    struct open_file out;
    struct byte_sink sink; /* where the parts go, from ro_parts_begin on */
    char *name;            /* of that file until the commit */
    bool keeps;            /* it stays after a failure */
    struct stat before;    /* what had its name at the beginning; zeros: nothing */
};

#if RO_WITH_TIFF
static const struct packed_groups *const tiff_packed = &tiff_groups;
#else
static const struct packed_groups *const tiff_packed = NULL;
#endif

/* The types that can be written in parts. */
static bool has_parts(const char *type, const struct packed_groups **packed)
{
    const struct file_extension *extension = file_extension_of(type);
    const char *name = extension ? extension->type->name : "";
    *packed = strcmp(name, "tiff") == 0 ? tiff_packed : NULL;
    return *packed || strcmp(name, "pnm") == 0 || strcmp(name, "npy") == 0;
}

static ro_status no_memory(ro_parts *parts)
{
    return ro_context_fail(parts->context, RO_E_MEMORY, "not enough memory for parts of a file");
}

static ro_status open_writer(ro_parts *parts, uint32_t height, ro_writer **writer)
{
    ro_file_info info = parts->file;
    info.height = height;
    ro_writer_close(*writer);
    *writer = NULL;
    return writer_open(parts->context, NULL, &info, &parts->options, writer);
}

ro_status ro_parts_open(ro_context *context, const char *path, const ro_file_info *info,
                        const ro_write_options *options, ro_parts **parts)
{
    if (parts)
        *parts = NULL;
    if (MISSING(context, path, info, parts))
        return RO_E_ARGUMENT;
    ro_status status = ro_writer_accepts(context, path, info, options);
    ro_parts *made = status == RO_OK ? calloc(1, sizeof *made) : NULL;
    if (status != RO_OK)
        return status;
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory to write %s", path);
    made->context = context;
    made->sink.fd = -1;
    made->path = strdup(path);
    if (!made->path) {
        status = no_memory(made);
        ro_parts_close(made);
        return status;
    }
    made->file = *info;
    made->options = (ro_write_options)RO_WRITE_OPTIONS;
    status = take_options(context, options, &made->options, "RO_WRITE_OPTIONS");
    const char *dot = strrchr(path, '.');
    const char *type = made->options.type ? made->options.type : dot ? dot + 1 : "pnm";
    const size_t length = strlen(type); /* of a name that was accepted */
    memcpy(made->type, type, length < sizeof made->type ? length : sizeof made->type - 1);
    made->options.type = made->type;
    if (status == RO_OK && !has_parts(made->type, &made->packed))
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "%s: a .%s file cannot be written in parts; .pbm, .pgm, .ppm, "
                                 ".npy and .tif can",
                                 path, made->type);
    if (status == RO_OK && strcmp(made->type, "npy") == 0 && info->sample != RO_SAMPLE_PLAIN &&
        info->sample != RO_SAMPLE_UINT16 && info->sample != RO_SAMPLE_INT16)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "%s: only numbers of 8 and 16 bits and float32 are written in "
                                 "parts; one process writes the others",
                                 path);
    if (status == RO_OK)
        status = open_writer(made, info->height, &made->frame);
    if (status == RO_OK) {
        const ro_file_info *layout = &made->frame->layout;
        const uint32_t rows = made->packed ? made->packed->rows(made->frame->encoder) : 1;
        made->info = (ro_parts_info){
            .rows = rows,
            .count = info->height / rows + (info->height % rows != 0),
            .head = made->frame->sink.used,
            .bytes = made->packed ? 0 : rows * ro_format_row_bytes(layout->format, layout->width)};
        made->head = malloc((size_t)made->info.head + 1);
        if (!made->head)
            status = no_memory(made);
        else
            memcpy(made->head, made->frame->sink.buffer, (size_t)made->info.head);
    }
    if (status != RO_OK) {
        ro_parts_close(made);
        return status;
    }
    if (!made->packed) {
        made->rows = made->frame;
        made->frame = NULL;
    }
    *parts = made;
    return RO_OK;
}

const ro_parts_info *ro_parts_query(const ro_parts *parts) { return &parts->info; }

static ro_status make_plain(ro_parts *parts, const void *rows, ptrdiff_t stride, uint32_t count)
{
    ro_writer *writer = parts->rows;
    writer->row = 0;
    writer->sink.used = 0;
    writer->sink.position = 0;
    return ro_writer_rows(writer, rows, stride, count);
}

static ro_status make_packed(ro_parts *parts, const void *rows, ptrdiff_t stride, uint32_t count,
                             size_t *head)
{
    free(parts->sizes);
    parts->sizes = calloc(count / parts->info.rows + 1, sizeof *parts->sizes);
    if (!parts->sizes)
        return no_memory(parts);
    ro_status status = open_writer(parts, count, &parts->rows);
    if (status != RO_OK)
        return status;
    *head = parts->rows->sink.used;
    status = ro_writer_rows(parts->rows, rows, stride, count);
    if (status == RO_OK)
        status = parts->packed->sizes(parts->rows->encoder, parts->sizes);
    return status;
}

ro_status ro_parts_make(ro_parts *parts, const void *rows, ptrdiff_t stride, uint32_t count,
                        const void **bytes, size_t *size, uint64_t *sizes)
{
    if (bytes)
        *bytes = NULL;
    if (ABSENT(parts, bytes, size))
        return RO_E_ARGUMENT;
    const bool packed = parts->packed;
    size_t head = 0;
    ro_status status = RO_E_ARGUMENT;
    if (count == 0 || count > parts->file.height)
        status = ro_context_fail(parts->context, RO_E_ARGUMENT, "there are no %u rows", count);
    else if (!rows_fit(rows, stride, count,
                       ro_format_row_bytes(parts->file.format, parts->file.width)))
        status = ro_context_fail(parts->context, RO_E_ARGUMENT, "rows are missing or overlap");
    else if (packed)
        status = make_packed(parts, rows, stride, count, &head);
    else
        status = make_plain(parts, rows, stride, count);
    if (status != RO_OK)
        return status;
    const uint32_t made = count / parts->info.rows + (count % parts->info.rows != 0);
    for (uint32_t i = 0; sizes && i < made; i++)
        sizes[i] = packed ? parts->sizes[i] : parts->info.bytes;
    *bytes = parts->rows->sink.buffer + head;
    *size = parts->rows->sink.used - head;
    return RO_OK;
}

ro_status ro_parts_frame(ro_parts *parts, const uint64_t *sizes, const void **head,
                         const void **tail, size_t *tail_size)
{
    if (head)
        *head = NULL;
    if (tail)
        *tail = NULL;
    if (ABSENT(parts, head, tail, tail_size))
        return RO_E_ARGUMENT;
    *head = parts->head;
    *tail = "";
    *tail_size = 0;
    if (!parts->packed)
        return RO_OK;
    ro_status status = open_writer(parts, parts->file.height, &parts->frame);
    if (!sizes)
        return ro_context_fail(parts->context, RO_E_ARGUMENT,
                               "the parts are packed: their sizes count");
    if (status != RO_OK)
        return status;
    struct byte_sink *sink = &parts->frame->sink;
    struct row_encoder *encoder = parts->frame->encoder;
    sink->hole = parts->info.head;
    for (uint32_t i = 0; i < parts->info.count; i++)
        sink->hole_bytes += sizes[i];
    status = parts->packed->frame(encoder, sizes);
    if (status == RO_OK)
        status = encoder->finish(encoder);
    *head = sink->buffer;
    *tail = sink->buffer + parts->info.head;
    *tail_size = sink->used - (size_t)parts->info.head;
    return status;
}

/* ---- The file ------------------------------------------------------------------------------- */

static ro_status cannot_write(ro_parts *parts)
{
    return file_fail(&parts->out, errno == ENOMEM ? RO_E_MEMORY : RO_E_IO, "cannot be written: %s",
                     strerror(errno));
}

/* A file that a run before has kept, beside the target. */
static ro_status open_kept(ro_parts *parts, const char *kept)
{
    struct stat about;
    if (kept[0] != '.' || strchr(kept, '/'))
        return file_fail(&parts->out, RO_E_ARGUMENT, "%s is not a file that was kept", kept);
    if (!(parts->sink.target = follow_links(parts->path)))
        return cannot_write(parts);
    const size_t folder = folder_length(parts->sink.target);
    parts->name = malloc(folder + strlen(kept) + 1);
    if (!parts->name)
        return no_memory(parts);
    memcpy(parts->name, parts->sink.target, folder);
    strcpy(parts->name + folder, kept);
    parts->sink.fd = open(parts->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (parts->sink.fd >= 0 && (fstat(parts->sink.fd, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(parts->sink.fd);
        parts->sink.fd = -1;
        errno = EINVAL;
    }
    parts->sink.owned = parts->sink.fd >= 0;
    return parts->sink.owned ? RO_OK
                             : file_fail(&parts->out, RO_E_IO, "%s, which was kept: %s",
                                         parts->name, strerror(errno));
}

ro_status ro_parts_begin(ro_parts *parts, int keeps, const char *kept, const char **name)
{
    if (ABSENT(parts, name))
        return RO_E_ARGUMENT;
    struct stat about;
    *name = "";
    if (parts->name)
        return ro_context_fail(parts->context, RO_E_STATE, "the file has been begun");
    parts->keeps = keeps;
    parts->sink = (struct byte_sink){.file = &parts->out, .fd = -1};
    file_init(&parts->out, parts->context, parts->path, "standard output");
    if (sink_is_standard(parts->path) ||
        (stat(parts->path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)))
        return file_fail(&parts->out, RO_E_UNSUPPORTED,
                         "only files are written in parts, not pipes or devices");
    if (stat(parts->path, &parts->before) != 0)
        parts->before = (struct stat){0};
    ro_status status =
        kept ? open_kept(parts, kept) : sink_open(&parts->sink, &parts->out, parts->path);
    if (status == RO_OK && !kept && !(parts->name = strdup(temporary_path(parts->sink.temporary))))
        status = no_memory(parts);
    if (status == RO_OK && !kept && keeps) {
        temporary_keep(parts->sink.temporary);
        parts->sink.temporary = NULL;
    }
    if (status == RO_OK)
        *name = parts->name;
    return status;
}

/* Whether another run has given the name to a file of its own since the beginning. */
static bool overtaken(const ro_parts *parts)
{
    const struct stat *before = &parts->before;
    struct stat now;
    if (stat(parts->path, &now) != 0)
        return false;
    return now.st_dev != before->st_dev || now.st_ino != before->st_ino ||
           now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

/* Runs that end at the same time look and rename one after another: the lock is on the folder. What
 * has no locks does without, and then only the moment between the two is open. */
static ro_status commit_unless_overtaken(ro_parts *parts)
{
    const char *slash = strrchr(parts->path, '/');
    char *folder = slash ? strndup(parts->path, (size_t)(slash - parts->path) + 1) : strdup(".");
    const int lock = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (lock >= 0)
        flock(lock, LOCK_EX);
    const ro_status status =
        overtaken(parts)
            ? file_fail(&parts->out, RO_E_STATE,
                        "another run has written it meanwhile, and what this one made is dropped")
            : sink_commit(&parts->sink);
    if (lock >= 0)
        close(lock);
    return status;
}

ro_status ro_parts_commit(ro_parts *parts)
{
    if (ABSENT(parts))
        return RO_E_ARGUMENT;
    if (!parts->name)
        return ro_context_fail(parts->context, RO_E_STATE, "no file has been begun");
    if (parts->keeps && !(parts->sink.temporary = temporary_adopt(parts->name)))
        return no_memory(parts);
    const ro_status status = commit_unless_overtaken(parts);
    if (status != RO_OK && parts->keeps && parts->sink.temporary) {
        temporary_keep(parts->sink.temporary);
        parts->sink.temporary = NULL;
    }
    return status;
}

void ro_parts_close(ro_parts *parts)
{
    if (!parts)
        return;
    sink_close(&parts->sink);
    free(parts->name);
    free(parts->path);
    ro_writer_close(parts->rows);
    ro_writer_close(parts->frame);
    free(parts->head);
    free(parts->sizes);
    free(parts);
}
