/* SPDX-License-Identifier: MIT */
/*
 * What every open file has: the name that messages show, where messages go, and who may stop it.
 *
 * A file keeps its own copy of its message. A reader and a writer may fail in two threads at once;
 * whoever joins them then knows both sentences and reports the first.
 */
#ifndef RO_IO_BYTES_FILE_H
#define RO_IO_BYTES_FILE_H

#include "roundoff/library.h"
#include "roundoff_io.h"

#include <stdatomic.h>
#include <stdbool.h>

struct open_file {
    ro_context *context;
    const atomic_bool *stop; /* NULL: only the context stops it */
    bool quiet;              /* a failure is only a finding: nothing is recorded */
    char name[160];
    char message[400];
    ro_dropped dropped;
    unsigned not_dropped; /* what the caller knows of: bits of RO_DROPPED_ */
};

/* "-" is shown as `standard`; a long path by its end. */
void file_init(struct open_file *file, ro_context *context, const char *path, const char *standard);

/* Records "name: sentence" here and in the context; returns `status`. */
ro_status file_fail(struct open_file *file, ro_status status, const char *format, ...)
    RO_PRINTF(3, 4);

/* Whether a call has a context and a name to work with; if not, RO_E_ARGUMENT, told. */
ro_status file_named(ro_context *context, const char *path);

/* The three sentences that every reader needs. */
ro_status file_no_memory(struct open_file *file, uint64_t bytes);
ro_status file_ends_early(struct open_file *file);
/* A file that is packed beyond the limit: it may be meant to fill memory or time. */
#define RO_SMALL_ENOUGH (1 << 27) /* bytes that may be packed as they like */
ro_status file_unpacks(struct open_file *file, uint64_t ratio);
ro_status file_too_large(struct open_file *file, uint64_t width, uint64_t height);

/* Notes what is not passed on, each thing once; nothing while the file is quiet. */
void file_drop(struct open_file *file, unsigned what, const char *format, ...) RO_PRINTF(3, 4);

/* RO_E_CANCELLED once the context or `stop` says so. */
ro_status file_check_stop(struct open_file *file);

/* Bytes that one image may hold in memory. */
uint64_t memory_limit(const struct open_file *file);

#endif
