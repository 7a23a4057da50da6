/* SPDX-License-Identifier: MIT */
/*
 * The list of temporary files only grows; places in it are used again. A place's path is taken by
 * an exchange, either by its owner, who frees it, or by a signal handler, which removes the file,
 * never frees, and leaves the path to the owner when it is done with it: so neither sees a path
 * that the other has given back.
 */
#include "io/bytes/temporary.h"

#include "core/random.h"
#include "roundoff_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_TRIES = 100,
    LONGEST_STEM = 200, /* of the target's name within the temporary's */
};

struct temporary_file {
    _Atomic(char *) path;    /* NULL: there is no such file */
    _Atomic(char *) removed; /* by a handler */
    atomic_bool taken;
    struct temporary_file *next;
};

static _Atomic(struct temporary_file *) first;

size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static struct temporary_file *take_place(void)
{
    for (struct temporary_file *place = atomic_load(&first); place; place = place->next) {
        bool idle = false;
        if (atomic_compare_exchange_strong(&place->taken, &idle, true))
            return place;
    }
    struct temporary_file *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    atomic_init(&made->taken, true);
    made->next = atomic_load(&first);
    while (!atomic_compare_exchange_weak(&first, &made->next, made))
        ;
    return made;
}

static void give_back(struct temporary_file *temporary)
{
    free(atomic_exchange(&temporary->path, NULL));
    free(atomic_exchange(&temporary->removed, NULL));
    atomic_store(&temporary->taken, false);
}

struct temporary_file *temporary_make(const char *target, mode_t mode, int *fd)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    size_t folder = folder_length(target), size = strlen(target) + 16;
    struct temporary_file *made = take_place();
    char *name = made ? malloc(size) : NULL;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (unsigned number = 0; name && number < MOST_TRIES; number++) {
        uint32_t mixed = pixel_hash((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
                                    (uint32_t)getpid(), number);
        char suffix[7] = {0};
        for (int i = 0; i < 6; i++)
            suffix[i] = letters[mixed >> (5 * i) & 31];
        snprintf(name, size, "%.*s.%.*s.%s", (int)folder, target, LONGEST_STEM, target + folder,
                 suffix);
        /* Known before it is there: a signal may come at once. open() rather than mkstemp(), so
         * that the umask counts. */
        atomic_store(&made->path, name);
        *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (*fd >= 0)
            return made;
        const int error = errno;
        name = atomic_exchange(&made->path, NULL);
        errno = error;
        if (error != EEXIST)
            break;
    }
    const int error = made && name ? errno : ENOMEM;
    free(name);
    if (made)
        give_back(made);
    errno = error;
    return NULL;
}

const char *temporary_path(const struct temporary_file *temporary)
{
    const char *path = atomic_load(&temporary->path);
    return path ? path : ""; /* a handler took it: the process ends */
}

int temporary_rename(struct temporary_file *temporary, const char *target)
{
    if (rename(temporary_path(temporary), target) != 0)
        return -1;
    give_back(temporary);
    return 0;
}

struct temporary_file *temporary_adopt(const char *path)
{
    struct temporary_file *made = take_place();
    char *name = made ? strdup(path) : NULL;
    if (made && !name)
        give_back(made);
    if (!name)
        return NULL;
    atomic_store(&made->path, name);
    return made;
}

void temporary_keep(struct temporary_file *temporary) { give_back(temporary); }

void temporary_remove(struct temporary_file *temporary)
{
    if (!temporary)
        return;
    unlink(temporary_path(temporary));
    give_back(temporary);
}

void ro_temporaries_remove(void)
{
    for (struct temporary_file *place = atomic_load(&first); place; place = place->next) {
        char *path = atomic_exchange(&place->path, NULL);
        if (!path)
            continue;
        unlink(path);
        atomic_store(&place->removed, path);
    }
}
