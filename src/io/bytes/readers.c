/* SPDX-License-Identifier: MIT */
#include "io/bytes/readers.h"

#include "io/bytes/thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { PART = 1 << 18 }; /* bytes that a thread takes at a time */

struct worker_readers {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    uint64_t job; /* how many there were */
    int working;  /* threads that are not done with it */
    int threads;
    bool closing;
    /* The job. */
    int fd;
    uint64_t position;
    uint8_t *bytes;
    size_t size;
    atomic_size_t next; /* byte that nobody has taken */
    atomic_size_t end;  /* where the file ends, as far as anyone has seen */
    atomic_int error;
    pthread_t thread[];
};

static void shorten(atomic_size_t *end, size_t to)
{
    size_t known = atomic_load(end);
    while (to < known && !atomic_compare_exchange_weak(end, &known, to))
        ;
}

int read_at(int fd, uint64_t position, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        const ssize_t count =
            pread(fd, (uint8_t *)bytes + *got, size - *got, (off_t)(position + *got));
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0)
            return count < 0 ? errno : 0;
        *got += (size_t)count;
    }
    return 0;
}

static void read_part(struct worker_readers *readers, size_t first, size_t size)
{
    size_t done;
    const int error =
        read_at(readers->fd, readers->position + first, readers->bytes + first, size, &done);
    if (error)
        atomic_store(&readers->error, error);
    if (done < size)
        shorten(&readers->end, first + done);
}

static void read_parts(struct worker_readers *readers)
{
    for (;;) {
        const size_t first = atomic_fetch_add(&readers->next, PART);
        if (first >= readers->size)
            return;
        const size_t left = readers->size - first;
        read_part(readers, first, left < PART ? left : PART);
    }
}

static void *run_reader(void *data)
{
    struct worker_readers *readers = data;
    uint64_t done = 0;
    pthread_mutex_lock(&readers->lock);
    while (!readers->closing) {
        if (readers->job == done) {
            pthread_cond_wait(&readers->begun, &readers->lock);
            continue;
        }
        done = readers->job;
        pthread_mutex_unlock(&readers->lock);
        read_parts(readers);
        pthread_mutex_lock(&readers->lock);
        if (--readers->working == 0)
            pthread_cond_signal(&readers->ended);
    }
    pthread_mutex_unlock(&readers->lock);
    return NULL;
}

struct worker_readers *readers_open(int threads)
{
    if (threads < 1)
        return NULL;
    struct worker_readers *readers =
        calloc(1, sizeof *readers + (size_t)threads * sizeof *readers->thread);
    if (!readers)
        return NULL;
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->begun, NULL);
    pthread_cond_init(&readers->ended, NULL);
    while (readers->threads < threads &&
           thread_start(&readers->thread[readers->threads], run_reader, readers))
        readers->threads++;
    return readers;
}

void readers_close(struct worker_readers *readers)
{
    if (!readers)
        return;
    pthread_mutex_lock(&readers->lock);
    readers->closing = true;
    pthread_cond_broadcast(&readers->begun);
    pthread_mutex_unlock(&readers->lock);
    for (int i = 0; i < readers->threads; i++)
        pthread_join(readers->thread[i], NULL);
    pthread_cond_destroy(&readers->ended);
    pthread_cond_destroy(&readers->begun);
    pthread_mutex_destroy(&readers->lock);
    free(readers);
}

int readers_read(struct worker_readers *readers, int fd, uint64_t position, uint8_t *bytes,
                 size_t size, size_t *got)
{
    pthread_mutex_lock(&readers->lock);
    readers->fd = fd;
    readers->position = position;
    readers->bytes = bytes;
    readers->size = size;
    atomic_store(&readers->next, 0);
    atomic_store(&readers->end, size);
    atomic_store(&readers->error, 0);
    readers->working = readers->threads;
    readers->job++;
    pthread_cond_broadcast(&readers->begun);
    pthread_mutex_unlock(&readers->lock);
    read_parts(readers);
    pthread_mutex_lock(&readers->lock);
    while (readers->working > 0)
        pthread_cond_wait(&readers->ended, &readers->lock);
    pthread_mutex_unlock(&readers->lock);
    *got = atomic_load(&readers->end);
    return atomic_load(&readers->error);
}
