/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* strcasestr */
#include "io/formats/tiff/tiff_file.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OWN_HANDLERS (TIFFLIB_VERSION >= 20221213) /* since 4.5.0 each handle has its own */

/* ---- Messages ----------------------------------------------------------------------------- */

static void keep_text(struct tiff_file *tiff, const char *format, va_list arguments)
{
    char text[sizeof tiff->text];
    vsnprintf(text, sizeof text, format, arguments);
    tiff->no_memory |= strcasestr(text, "memory") || strcasestr(text, "to allocate");
    if (tiff->text[0] == '\0')
        memcpy(tiff->text, text, sizeof text);
}

/* Data that stops too soon is only a warning to some decoders. A line of a fax may: its rest is
 * white. */
static void keep_early_end(struct tiff_file *tiff, const char *format, va_list arguments)
{
    char text[sizeof tiff->text];
    vsnprintf(text, sizeof text, format, arguments);
    tiff->no_palette |= strstr(text, "ColorMap") != NULL;
    if (strcasestr(text, "premature eol"))
        file_drop(tiff->file, RO_DROPPED_DAMAGE,
                  "ends of fax lines that are missing (taken as "
                  "white)");
    else if (strcasestr(text, "premature e") && tiff->text[0] == '\0')
        memcpy(tiff->text, text, sizeof text);
}

#if OWN_HANDLERS

static int on_error(TIFF *handle, void *data, const char *module, const char *format,
                    va_list arguments)
{
    (void)handle;
    (void)module;
    keep_text(data, format, arguments);
    return 1; /* not printed */
}

static int on_warning(TIFF *handle, void *data, const char *module, const char *format,
                      va_list arguments)
{
    (void)handle;
    (void)module;
    keep_early_end(data, format, arguments);
    return 1;
}

static void before_open(struct tiff_file *tiff) { (void)tiff; }
static void after_close(struct tiff_file *tiff) { (void)tiff; }

#else /* handlers are the process's: they look for the file in a list */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tiff_file *open_files;

static struct tiff_file *find(thandle_t handle)
{
    struct tiff_file *found;
    pthread_mutex_lock(&list_lock);
    for (found = open_files; found && found != handle; found = found->next)
        ;
    pthread_mutex_unlock(&list_lock);
    return found;
}

static void on_error(thandle_t handle, const char *module, const char *format, va_list arguments)
{
    struct tiff_file *tiff = find(handle);
    (void)module;
    if (tiff)
        keep_text(tiff, format, arguments);
}

static void on_warning(thandle_t handle, const char *module, const char *format, va_list arguments)
{
    struct tiff_file *tiff = find(handle);
    (void)module;
    if (tiff)
        keep_early_end(tiff, format, arguments);
}

static void before_open(struct tiff_file *tiff)
{
    pthread_mutex_lock(&list_lock);
    TIFFSetErrorHandler(NULL); /* these would print */
    TIFFSetWarningHandler(NULL);
    TIFFSetErrorHandlerExt(on_error);
    TIFFSetWarningHandlerExt(on_warning);
    tiff->next = open_files;
    open_files = tiff;
    pthread_mutex_unlock(&list_lock);
}

static void after_close(struct tiff_file *tiff)
{
    pthread_mutex_lock(&list_lock);
    for (struct tiff_file **link = &open_files; *link; link = &(*link)->next)
        if (*link == tiff) {
            *link = tiff->next;
            break;
        }
    pthread_mutex_unlock(&list_lock);
}

#endif

ro_status tiff_failed(struct tiff_file *tiff)
{
    if (tiff->status != RO_OK)
        return tiff->status;
    if (tiff->no_memory)
        return file_fail(tiff->file, RO_E_MEMORY, "not enough memory for libtiff");
    const char *text = tiff->text[0] ? tiff->text : "it cannot be decoded";
    size_t name = strlen(tiff->file->name);
    if (strncmp(text, tiff->file->name, name) == 0 && strncmp(text + name, ": ", 2) == 0)
        text += name + 2; /* libtiff says it too */
    if (tiff->sink)
        return file_fail(tiff->file, RO_E_IO, "cannot be written as TIFF: %s", text);
    return file_fail(tiff->file, RO_E_FORMAT, "not a proper TIFF file: %s", text);
}

ro_status tiff_go(struct tiff_file *tiff, uint64_t offset)
{
    tiff->no_palette = false;
    return TIFFSetSubDirectory(tiff->tiff, offset) ? RO_OK : tiff_failed(tiff);
}

ro_status tiff_check(struct tiff_file *tiff)
{
    return tiff->status != RO_OK || tiff->text[0] ? tiff_failed(tiff) : RO_OK;
}

/* ---- Bytes -------------------------------------------------------------------------------- */

static tmsize_t read_bytes(thandle_t handle, void *bytes, tmsize_t size)
{
    struct tiff_file *tiff = handle;
    size_t got = 0;
    if (size < 0)
        return -1;
    /* A new page is linked to those before, which libtiff reads for it. */
    ro_status status = tiff->source ? source_read(tiff->source, bytes, (size_t)size, &got)
                                    : sink_read(tiff->sink, bytes, (size_t)size, &got);
    if (status != RO_OK)
        tiff->status = status;
    return status == RO_OK ? (tmsize_t)got : -1;
}

static tmsize_t write_bytes(thandle_t handle, void *bytes, tmsize_t size)
{
    struct tiff_file *tiff = handle;
    if (!tiff->sink || size < 0 || tiff->status != RO_OK)
        return -1;
    tiff->status = sink_write(tiff->sink, bytes, (size_t)size);
    if (tiff->sink->position > tiff->end)
        tiff->end = tiff->sink->position;
    return tiff->status == RO_OK ? size : -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct tiff_file *tiff = handle;
    uint64_t here = tiff->source ? tiff->source->position : tiff->sink->position;
    uint64_t end = tiff->source ? tiff->source->size : tiff->end;
    uint64_t to = offset + (whence == SEEK_CUR ? here : whence == SEEK_END ? end : 0);
    ro_status status = RO_OK;
    if (tiff->source)
        status = to <= INT64_MAX ? source_seek(tiff->source, to) : RO_E_FORMAT;
    else if (tiff->status == RO_OK)
        tiff->status = status = sink_seek(tiff->sink, to);
    return status == RO_OK ? to : (toff_t)-1;
}

static toff_t size_of(thandle_t handle)
{
    struct tiff_file *tiff = handle;
    return tiff->source ? tiff->source->size : tiff->end;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static int map_nothing(thandle_t handle, void **base, toff_t *size)
{
    (void)handle;
    (void)base;
    (void)size;
    return 0;
}

static void unmap_nothing(thandle_t handle, void *base, toff_t size)
{
    (void)handle;
    (void)base;
    (void)size;
}

/* ---- Opening ------------------------------------------------------------------------------ */

ro_status tiff_open(struct tiff_file *tiff, bool big)
{
    const char *mode = tiff->source ? "r" : big ? "w8" : "w";
    bool seekable = tiff->source ? tiff->source->seekable : tiff->sink->seekable;
    if (!seekable)
        return file_fail(tiff->file, RO_E_UNSUPPORTED,
                         "a TIFF file cannot be %s; it needs a file with a name",
                         tiff->source ? "read from a pipe" : "written to standard output");
    before_open(tiff);
#if OWN_HANDLERS
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return file_no_memory(tiff->file, 1 << 10);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, tiff);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, tiff);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)memory_limit(tiff->file));
    tiff->tiff = TIFFClientOpenExt(tiff->file->name, mode, tiff, read_bytes, write_bytes, seek,
                                   close_nothing, size_of, map_nothing, unmap_nothing, options);
    TIFFOpenOptionsFree(options);
#else
    tiff->tiff = TIFFClientOpen(tiff->file->name, mode, tiff, read_bytes, write_bytes, seek,
                                close_nothing, size_of, map_nothing, unmap_nothing);
#endif
    return tiff->tiff ? RO_OK : tiff_failed(tiff);
}

void tiff_close(struct tiff_file *tiff)
{
    if (tiff->tiff)
        TIFFClose(tiff->tiff);
    tiff->tiff = NULL;
    after_close(tiff);
}
