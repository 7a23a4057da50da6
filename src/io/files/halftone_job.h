/* SPDX-License-Identifier: MIT */
/*
 * A file to a file: what the steps of ro_halftone_file share, and the three ways that rows go.
 *
 *     in order    a thread reads, one halftones, one writes        halftone_stream.c
 *     in place    each thread reads and writes its own rows        halftone_in_place.c
 *     whole       for methods that need the whole picture          halftone_whole.c
 */
#ifndef RO_IO_FILES_HALFTONE_JOB_H
#define RO_IO_FILES_HALFTONE_JOB_H

#include "io/files/output.h"
#include "io/files/reader.h"

struct halftone_job {
    ro_context *context;
    const char *in, *out;
    ro_halftone_options options; /* with defaults; black and white count as the reader's samples */
    ro_read_options read;
    ro_write_options write;
    ro_palette palette;  /* made for the picture, where that is wanted */
    ro_file_info result; /* of what is written */
    ro_reader *reader;
    ro_image picture; /* all of it, where it was read for its palette */
    ro_plan *plan;
    struct file_output output;
};

/* Makes the palette of the picture, which is then read already. */
ro_status job_adapt(struct halftone_job *job);

/* Run one page, reader and output being at its first row. */
ro_status job_stream(struct halftone_job *job);
bool job_suits_in_place(const struct halftone_job *job);
ro_status job_in_place(struct halftone_job *job);
ro_status job_whole(struct halftone_job *job);

#endif
