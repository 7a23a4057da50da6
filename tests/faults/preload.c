/* SPDX-License-Identifier: MIT */
/*
 * A library to load before a program: it refuses the n-th call of a kind, as a system does that has
 * run out of memory, disk or threads.
 *
 *   FAULT_KIND   alloc, read, write, sync, close, rename or thread
 *   FAULT_AT     the call that fails, from 1; 0: none, the calls are only counted
 *   FAULT_LASTS  1: every call from there on fails
 *   FAULT_COUNT  a file that is told how many calls there were
 *   FAULT_WHERE  a file that is told whose call was refused: the library that made it
 *   FAULT_FROM   only calls of files whose names end so count, such as "_core.abi3.so"
 *
 * Allocations are those of the program and of the C library on its behalf. A close that fails has
 * closed all the same, as Linux does it. Whatever fails here leaves the program's data alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ALLOC, READ, WRITE, SYNC, CLOSE, RENAME, THREAD, KINDS };
static const char *const names[KINDS] = {"alloc", "read",   "write", "sync",
                                         "close", "rename", "thread"};

static enum kind failing = KINDS; /* none until the program starts */
static bool lasts;
static const char *from; /* whose calls count; NULL: everybody's */
static atomic_long at, calls;

/* The C library's own, which need no search for them. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* System calls by number: the functions are the ones that fail. */
static void put(const char *path, const char *text)
{
    const long fd =
        path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd < 0)
        return;
    if (syscall(SYS_write, fd, text, strlen(text)) < 0)
        _exit(99);
    syscall(SYS_close, fd);
}

static bool calls_from(void *caller)
{
    Dl_info whose;
    const size_t length = strlen(from);
    if (!dladdr(caller, &whose) || strlen(whose.dli_fname) < length)
        return false;
    return strcmp(whose.dli_fname + strlen(whose.dli_fname) - length, from) == 0;
}

static bool refused_to(enum kind kind, void *caller)
{
    if (kind != failing || (from && !calls_from(caller)))
        return false;
    const long call = atomic_fetch_add(&calls, 1) + 1, wanted = atomic_load(&at);
    Dl_info whose;
    if (wanted == 0 || (call != wanted && !(lasts && call > wanted)))
        return false;
    if (call == wanted)
        put(getenv("FAULT_WHERE"), dladdr(caller, &whose) ? whose.dli_fname : "unknown");
    return true;
}
#define refused(kind) refused_to(kind, __builtin_return_address(0))

static void *real(const char *name)
{
    const enum kind kept = failing;
    failing = KINDS; /* looking for it allocates */
    void *found = dlsym(RTLD_NEXT, name);
    failing = kept;
    return found;
}
#define REAL(name) ((__typeof__(&name))real(#name))

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAULT_KIND"), *number = getenv("FAULT_AT");
    atomic_store(&at, number ? atol(number) : 0);
    lasts = getenv("FAULT_LASTS") != NULL;
    from = getenv("FAULT_FROM");
    for (int i = 0; kind && i < KINDS; i++)
        if (strcmp(kind, names[i]) == 0)
            failing = (enum kind)i;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    failing = KINDS;
    if (from && atomic_load(&calls) == 0)
        return; /* another program that this one has started */
    snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    put(getenv("FAULT_COUNT"), text);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return refused(ALLOC) ? none() : __libc_malloc(size); }

void *calloc(size_t count, size_t size)
{
    return refused(ALLOC) ? none() : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return refused(ALLOC) ? none() : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
    return refused(ALLOC) ? none() : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *taken = memalign(alignment, size);
    if (!taken)
        return ENOMEM;
    *memory = taken;
    return 0;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static int failed(int error)
{
    errno = error;
    return -1;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    return refused(READ) ? failed(EIO) : REAL(read)(fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t place)
{
    return refused(READ) ? failed(EIO) : REAL(pread)(fd, bytes, size, place);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    return refused(WRITE) ? failed(ENOSPC) : REAL(write)(fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t place)
{
    return refused(WRITE) ? failed(ENOSPC) : REAL(pwrite)(fd, bytes, size, place);
}

int fsync(int fd) { return refused(SYNC) ? failed(EIO) : REAL(fsync)(fd); }

int close(int fd)
{
    const int result = REAL(close)(fd);
    return refused(CLOSE) ? failed(EIO) : result;
}

int rename(const char *from, const char *to)
{
    return refused(RENAME) ? failed(EIO) : REAL(rename)(from, to);
}

/* ---- Threads -------------------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *data)
{
    return refused(THREAD) ? EAGAIN : REAL(pthread_create)(thread, attributes, start, data);
}
