/* SPDX-License-Identifier: MIT */
/*
 * Where rows lie one after another in plain files, in and out, the threads that halftone them read
 * and write them too: nothing waits in between, and no row leaves the cache of its core.
 */
#include "io/files/halftone_job.h"
#include "roundoff/pieces.h"

#include "io/bytes/readers.h"
#include "io/bytes/thread.h"

#include <string.h>

/* What the threads share. */
struct pass {
    struct halftone_job *job;
    pthread_mutex_t lock;
    ro_status status; /* of the first that failed, whose message is kept */
};

bool job_suits_in_place(const struct halftone_job *job)
{
    const ro_reader *reader = job->reader;
    const ro_writer *writer = job->output.writers[0];
    return reader->stage->place && source_plain(&reader->source) && !reader->ahead &&
           reader->row == 0 && reader->info.stack <= 1 && job->output.count == 1 &&
           !job->output.alpha && !job->output.enlarged && writer->encoder->place &&
           !writer->converted && !writer->joined && sink_plain(&writer->sink) &&
           ro_halftone_passes(job->plan);
}

static ro_status fetch_rows(void *data, uint32_t first_row, uint32_t count, void *rows)
{
    struct pass *pass = data;
    const struct row_stage *stage = pass->job->reader->stage;
    struct open_file *file = &pass->job->reader->file;
    const size_t row = stage_row_bytes(stage), size = row * count;
    size_t got;
    const int error = read_at(pass->job->reader->source.fd,
                              stage->place + (uint64_t)first_row * row, rows, size, &got);
    if (!error && got == size) {
        if (stage->turn)
            stage->turn(rows, size);
        return RO_OK;
    }
    pthread_mutex_lock(&pass->lock);
    if (pass->status == RO_OK) /* the first one's sentence is told */
        pass->status = error ? file_fail(file, RO_E_IO, "cannot be read: %s", strerror(error))
                             : file_ends_early(file);
    pthread_mutex_unlock(&pass->lock);
    return pass->status;
}

static ro_status take_rows(void *data, uint32_t first_row, uint32_t count, void *rows)
{
    struct pass *pass = data;
    ro_writer *writer = pass->job->output.writers[0];
    const struct row_encoder *encoder = writer->encoder;
    const size_t row = encoder->row_bytes;
    if (encoder->turn)
        encoder->turn(encoder, rows, count);
    const int error =
        sink_put(&writer->sink, encoder->place + (uint64_t)first_row * row, rows, row * count);
    if (!error)
        return RO_OK;
    pthread_mutex_lock(&pass->lock);
    if (pass->status == RO_OK)
        pass->status = sink_cannot(&writer->sink, error);
    pthread_mutex_unlock(&pass->lock);
    return pass->status;
}

ro_status job_in_place(struct halftone_job *job)
{
    struct pass pass = {.job = job};
    ro_writer *writer = job->output.writers[0];
    const uint32_t height = ro_reader_info(job->reader)->height;
    pthread_mutex_init(&pass.lock, NULL);
    ro_status status =
        ro_halftone_pass(job->plan, &(ro_halftone_rows){&pass, fetch_rows, take_rows});
    pthread_mutex_destroy(&pass.lock);
    if (status != RO_OK)
        return status;
    job->reader->row = height;
    writer->row = height;
    return sink_seek(&writer->sink,
                     writer->encoder->place + (uint64_t)height * writer->encoder->row_bytes);
}
