/* SPDX-License-Identifier: MIT */
/* A picture that every rank reads for itself, from any row on. */
#ifndef RO_MPI_INPUT_H
#define RO_MPI_INPUT_H

#include "ranks.h"

struct input {
    const struct ranks *ranks;
    struct times *times;
    ro_reader *reader;
    ro_file_info info;
    size_t row_bytes;
    uint64_t mark; /* of the file */
};

/* Collective: all must see the same file. */
ro_status input_open(struct input *input, const struct ranks *ranks, struct times *times,
                     const char *path, const ro_read_options *read);

/* Of one rank: rows without gaps between them. */
ro_status input_rows(struct input *input, uint32_t y, uint32_t count, void *rows);
void input_close(struct input *input);

/* Collective: what was dropped, by whom it may be. */
void input_dropped(const struct input *input, ro_dropped *dropped);

/* Its resolution, where `out` has no place for it: told in `dropped`, an error if `strict`. */
ro_status input_resolution(const struct input *input, const char *out,
                           const ro_write_options *write, bool strict, ro_dropped *dropped);

#endif
