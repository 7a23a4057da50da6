/* SPDX-License-Identifier: MIT */
#ifndef RO_IO_BYTES_THREAD_H
#define RO_IO_BYTES_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that no signal is delivered to: handlers run where the caller expects them, and
 * writing to a closed pipe is an error, not the end of the program. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *data);

#endif
