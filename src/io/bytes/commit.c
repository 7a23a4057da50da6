/* SPDX-License-Identifier: MIT */
/*
 * Files that belong together. Each is completed under a temporary name; when all are, all are
 * renamed and their folders synced. Until the first rename nothing has happened to any old file.
 * Everything that takes memory is done before, so that between two renames only the system can
 * fail.
 */
#include "io/bytes/commit.h"
#include "core/misuse.h"
#include "roundoff_io_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* A file by its place: two paths may lead to the same. */
struct place {
    char *path;   /* behind all links */
    char *folder; /* "." is the current one */
    dev_t device; /* of the folder */
    ino_t number; /* the same */
};

struct waiting {
    struct temporary_file *temporary;
    struct place place;
};

struct list {
    struct waiting *files;
    size_t count, room;
};

/* ---- Places --------------------------------------------------------------------------------- */

char *follow_links(const char *path)
{
    char *place = strdup(path);
    for (int links = 0; place; links++) {
        char link[PATH_MAX];
        ssize_t length = readlink(place, link, sizeof link - 1);
        if (length < 0)
            return place; /* not a link, or not there */
        link[length] = '\0';
        size_t folder = link[0] == '/' ? 0 : folder_length(place);
        char *next = links < MOST_LINKS ? malloc(folder + (size_t)length + 1) : NULL;
        if (next) {
            memcpy(next, place, folder);
            memcpy(next + folder, link, (size_t)length + 1);
        } else if (links >= MOST_LINKS) {
            errno = ELOOP;
        }
        free(place);
        place = next;
    }
    return NULL;
}

static void free_place(struct place *place)
{
    free(place->path);
    free(place->folder);
    *place = (struct place){0};
}

/* 0, or -1 with errno set. */
static int find_place(const char *path, struct place *place)
{
    struct stat about;
    *place = (struct place){.path = follow_links(path)};
    if (place->path) {
        const size_t length = folder_length(place->path);
        place->folder = length ? strndup(place->path, length) : strdup(".");
    }
    if (!place->folder || stat(place->folder, &about) != 0) {
        const int error = errno;
        free_place(place);
        errno = error;
        return -1;
    }
    place->device = about.st_dev;
    place->number = about.st_ino;
    return 0;
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->device == b->device && a->number == b->number &&
           strcmp(a->path + folder_length(a->path), b->path + folder_length(b->path)) == 0;
}

static const struct waiting *find(const struct list *list, const struct place *place)
{
    for (size_t i = 0; i < list->count; i++)
        if (same_place(&list->files[i].place, place))
            return &list->files[i];
    return NULL;
}

/* ---- The list ------------------------------------------------------------------------------- */

static void close_list(void *data)
{
    struct list *list = data;
    for (size_t i = 0; i < list->count; i++) {
        temporary_remove(list->files[i].temporary);
        free_place(&list->files[i].place);
    }
    free(list->files);
    free(list);
}

ro_status ro_commit_begin(ro_context *context)
{
    if (!context)
        return RO_E_ARGUMENT;
    if (ro_context_attached(context))
        return ro_context_fail(context, RO_E_STATE, "a list of files is open already");
    struct list *list = calloc(1, sizeof *list);
    if (!list)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory for a list of files");
    const ro_status status = ro_context_attach(context, list, close_list);
    if (status != RO_OK)
        close_list(list);
    return status;
}

void ro_commit_drop(ro_context *context) { ro_context_attach(context, NULL, NULL); }

static ro_status cannot_commit(struct open_file *file)
{
    return file_fail(file, errno == ENOMEM ? RO_E_MEMORY : RO_E_IO, "cannot be written: %s",
                     strerror(errno));
}

static ro_status add(struct list *list, struct open_file *file, struct temporary_file *temporary,
                     const char *target)
{
    struct place place;
    if (list->count == list->room) {
        const size_t room = 2 * list->room + 8;
        struct waiting *more = realloc(list->files, room * sizeof *more);
        if (!more)
            return file_no_memory(file, room * sizeof *more);
        list->files = more;
        list->room = room;
    }
    if (find_place(target, &place) != 0)
        return cannot_commit(file);
    if (find(list, &place)) {
        free_place(&place);
        return file_fail(file, RO_E_ARGUMENT, "would be written twice");
    }
    list->files[list->count++] = (struct waiting){temporary, place};
    return RO_OK;
}

const char *commit_place(ro_context *context, const char *path)
{
    const struct list *list = ro_context_attached(context);
    struct place place;
    if (!list || list->count == 0)
        return path;
    if (find_place(path, &place) != 0)
        return errno == ENOMEM ? NULL : path; /* opening it says what is wrong */
    const struct waiting *found = find(list, &place);
    free_place(&place);
    return found ? temporary_path(found->temporary) : path;
}

/* ---- The names ------------------------------------------------------------------------------ */

/* A name is on the disk when its folder is. Folders that cannot be read or synced are let be. */
static int sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int failed;
    do
        failed = fsync(fd);
    while (failed && errno == EINTR);
    const int error = failed && (errno == EIO || errno == ENOSPC || errno == EDQUOT) ? errno : 0;
    close(fd);
    errno = error;
    return error ? -1 : 0;
}

static ro_status not_synced(ro_context *context, const char *path)
{
    return ro_context_fail(context, RO_E_IO, "%s: is written, but its folder cannot be synced: %s",
                           path, strerror(errno));
}

ro_status commit_file(struct open_file *file, struct temporary_file *temporary, const char *target)
{
    struct list *list = ro_context_attached(file->context);
    if (list) {
        const ro_status status = add(list, file, temporary, target);
        if (status != RO_OK)
            temporary_remove(temporary);
        return status;
    }
    const size_t length = folder_length(target);
    char *folder = length ? strndup(target, length) : strdup(".");
    ro_status status = RO_OK;
    if (!folder || temporary_rename(temporary, target) != 0) {
        status = cannot_commit(file);
        temporary_remove(temporary);
    } else if (sync_folder(folder) != 0) {
        status = not_synced(file->context, target);
    }
    free(folder);
    return status;
}

ro_status ro_commit_all(ro_context *context)
{
    if (!context)
        return RO_E_ARGUMENT;
    struct list *list = ro_context_attached(context);
    ro_status status = RO_OK;
    size_t renamed = 0;
    if (!list)
        return ro_context_fail(context, RO_E_STATE, "no list of files is open");
    if (ro_context_cancelled(context))
        status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    for (; renamed < list->count && status == RO_OK; renamed++) {
        struct waiting *file = &list->files[renamed];
        if (temporary_rename(file->temporary, file->place.path) == 0) {
            file->temporary = NULL;
            continue;
        }
        status = ro_context_fail(context, RO_E_IO, "%s: cannot be written: %s%s%s%s",
                                 file->place.path, strerror(errno), renamed ? "; " : "",
                                 renamed ? list->files[0].place.path : "",
                                 renamed > 1   ? " and others are written already"
                                 : renamed > 0 ? " is written already"
                                               : "");
        break;
    }
    for (size_t i = 0; i < renamed; i++) {
        const struct place *place = &list->files[i].place;
        if ((i == 0 || strcmp(place->folder, list->files[i - 1].place.folder) != 0) &&
            sync_folder(place->folder) != 0 && status == RO_OK)
            status = not_synced(context, place->path);
    }
    ro_commit_drop(context);
    return status;
}

ro_status commit_own_begin(ro_context *context, bool *own)
{
    *own = !ro_context_attached(context);
    return *own ? ro_commit_begin(context) : RO_OK;
}

ro_status commit_own_end(ro_context *context, bool own, ro_status status)
{
    if (own && status == RO_OK)
        return ro_commit_all(context);
    if (own)
        ro_commit_drop(context);
    return status;
}
