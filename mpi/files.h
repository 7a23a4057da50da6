/* SPDX-License-Identifier: MIT */
/* Pictures whose rows lie at known places of a file, read and written by all ranks at once. */
#ifndef ROUNDOFF_MPI_FILES_H
#define ROUNDOFF_MPI_FILES_H

#include "roundoff_mpi.h"

#include <stdbool.h>

struct picture_file {
    MPI_File file;
    MPI_Datatype row;
    MPI_Offset first; /* byte of the first row */
    ro_image shape;   /* format, size, maxval */
    size_t row_bytes;
    bool negative; /* PBM: a set bit is black, and bits beyond the width are 0 */
    bool swapped;  /* 16 bits, high byte first */
    char path[4096], temporary[4200];
};

/* Reads the head of a PGM; the same on all ranks. */
ro_status picture_open(MPI_Comm comm, ro_context *context, const char *path,
                       struct picture_file *file);

/* The format that a halftone is to have for a file of this name; RO_FORMAT_NONE: not known here. */
ro_format picture_format(const char *path);

/* A temporary file beside `path`, with its head. */
ro_status picture_create(MPI_Comm comm, ro_context *context, const char *path, uint32_t width,
                         uint32_t height, struct picture_file *file);

/* Rows in the machine's form, in place. */
ro_status picture_read(const struct picture_file *file, ro_context *context, uint32_t y,
                       uint32_t rows, void *data);
ro_status picture_write(const struct picture_file *file, ro_context *context, uint32_t y,
                        uint32_t rows, void *data);

/* Closes; a file that was created gets its name if `complete`, else it goes. */
ro_status picture_close(MPI_Comm comm, ro_context *context, struct picture_file *file,
                        bool complete);

#endif
