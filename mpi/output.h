/* SPDX-License-Identifier: MIT */
/*
 * A file that all ranks write together, by bands of rows.
 *
 * Rows that lie as they come have known places. Bands of packed parts lie one after another: a band
 * learns from the one before where it begins and tells the next at once where that begins. With a
 * checkpoint the same message says that all bands before are on the disk.
 */
#ifndef RO_MPI_OUTPUT_H
#define RO_MPI_OUTPUT_H

#include "checkpoint.h"
#include "roundoff_io_pieces.h"

struct bands {
    uint32_t width, height;
    uint32_t rows, count; /* of a band, but for the last; of bands */
    uint32_t first;       /* that is still to be made */
};

struct output {
    const struct ranks *ranks;
    struct times *times;
    struct bands bands;
    ro_parts *parts;
    const ro_parts_info *about;
    MPI_File file;
    int fd; /* of the same file, to bring it to the disk before a checkpoint; -1: there is none */
    uint64_t *sizes; /* of packed parts: those that this rank has made */
    uint64_t place;  /* of the next band, as the one before has told */
    uint64_t told;
    MPI_Request telling;
    bool resumed, keeps;
    struct checkpoint checkpoint;
    char part[4096]; /* the path of the file until the commit */
};

/* What a rank needs for a row, beside the output's, and what a band hands on, for checkpoints. */
struct output_needs {
    size_t row_bytes;
    uint64_t carried; /* numbers */
    uint64_t mark;    /* of the input and the options */
    uint32_t rows;    /* of a band, if the caller does not say; 0: as usual */
    uint32_t whole;   /* rows that cannot be parted; 0: none */
};

/* Collective. `how` may be NULL. */
ro_status output_open(struct output *output, const struct ranks *ranks, struct times *times,
                      const char *path, const ro_file_info *info, const ro_write_options *write,
                      const ro_mpi_options *how, const struct output_needs *needs);

static inline int rank_of_band(const struct output *output, uint32_t band)
{
    return (int)(band % (uint32_t)output->ranks->count);
}
static inline uint32_t rows_of_band(const struct bands *bands, uint32_t band)
{
    const uint32_t left = bands->height - band * bands->rows;
    return left < bands->rows ? left : bands->rows;
}

/* Of one rank. `carried` is what the band hands on; NULL: nothing. */
ro_status output_band(struct output *output, uint32_t band, const void *rows, ptrdiff_t stride,
                      const int32_t *carried);

/* The same for a rectangle of a file whose rows lie as they come. */
ro_status output_rectangle(struct output *output, uint32_t x, uint32_t y, uint32_t height,
                           const void *bytes, size_t width_bytes, size_t pixel_bytes);

/* Collective: all that is left, and the name. */
ro_status output_commit(struct output *output);

/* After a failure, of any rank alone: what need not stay goes. After a commit: nothing but memory.
 */
void output_close(struct output *output);

#endif
