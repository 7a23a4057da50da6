/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- Heads ------------------------------------------------------------------------------------
 */

/* A number of a PNM head, behind blanks and comments; -1: there is none. */
static long read_number(FILE *file)
{
    int c = fgetc(file);
    while (isspace(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != EOF)
                c = fgetc(file);
        c = fgetc(file);
    }
    long number = isdigit(c) ? 0 : -1;
    for (; isdigit(c) && number < 1l << 31; c = fgetc(file))
        number = 10 * number + (c - '0');
    return number; /* the blank behind it is taken */
}

/* What rank 0 finds and tells the others. */
struct head {
    long width, height, maxval, first, size;
    int failure; /* of the system */
};

static struct head read_head(const char *path)
{
    struct head head = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        head.failure = errno;
        return head;
    }
    if (fgetc(file) == 'P' && fgetc(file) == '5') {
        head.width = read_number(file);
        head.height = read_number(file);
        head.maxval = read_number(file);
        head.first = ftell(file);
        if (fseek(file, 0, SEEK_END) == 0)
            head.size = ftell(file);
    }
    fclose(file);
    return head;
}

/* ---- Opening -----------------------------------------------------------------------------------
 */

static ro_status mpi_failed(ro_context *context, int code, const char *what, const char *path)
{
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, words, &length);
    return ro_context_fail(context, RO_E_IO, "%s cannot be %s: %s", path, what, words);
}

static void set_rows(struct picture_file *file)
{
    file->row_bytes = ro_format_row_bytes(file->shape.format, file->shape.width);
    MPI_Type_contiguous((int)file->row_bytes, MPI_BYTE, &file->row);
    MPI_Type_commit(&file->row);
}

ro_status picture_open(MPI_Comm comm, ro_context *context, const char *path,
                       struct picture_file *file)
{
    int rank;
    struct head head = {0};
    *file = (struct picture_file){.file = MPI_FILE_NULL, .row = MPI_DATATYPE_NULL};
    snprintf(file->path, sizeof file->path, "%s", path);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        head = read_head(path);
    MPI_Bcast(&head, (int)sizeof head, MPI_BYTE, 0, comm);
    if (head.failure)
        return ro_context_fail(context, RO_E_IO, "%s: %s", path, strerror(head.failure));
    if (head.width < 1 || head.height < 1 || head.maxval < 1 || head.maxval > 65535 ||
        head.width > INT32_MAX / 2 || head.height > INT32_MAX)
        return ro_context_fail(context, RO_E_FORMAT,
                               "%s is not a PGM file (P5), which ranks can "
                               "read together",
                               path);
    file->shape = (ro_image){head.maxval > 255 ? RO_GRAY16 : RO_GRAY8,
                             (uint32_t)head.width,
                             (uint32_t)head.height,
                             (uint32_t)head.maxval,
                             0,
                             NULL};
    file->swapped = head.maxval > 255;
    file->first = head.first;
    set_rows(file);
    if (head.size < head.first + (long)file->row_bytes * head.height)
        return ro_context_fail(context, RO_E_FORMAT, "%s ends before its last row", path);
    int code = MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file->file);
    return code == MPI_SUCCESS ? RO_OK : mpi_failed(context, code, "read", path);
}

ro_format picture_format(const char *path)
{
    static const struct {
        const char *ending;
        ro_format format;
    } known[] = {{".pbm", RO_BITS}, {".pgm", RO_GRAY8}, {".npy", RO_INDEX8}};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length > 4 && strcasecmp(path + length - 4, known[i].ending) == 0)
            return known[i].format;
    return RO_FORMAT_NONE;
}

/* The head that the command writes. */
static size_t make_head(ro_format format, uint32_t width, uint32_t height, char head[128])
{
    if (format == RO_BITS)
        return (size_t)snprintf(head, 128, "P4\n%u %u\n", width, height);
    if (format == RO_GRAY8)
        return (size_t)snprintf(head, 128, "P5\n%u %u\n255\n", width, height);
    memset(head, ' ', 128);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length =
        snprintf(head + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': (%u, %u), }",
                 height, width);
    head[10 + length] = ' ';
    head[127] = '\n';
    return 128;
}

ro_status picture_create(MPI_Comm comm, ro_context *context, const char *path, uint32_t width,
                         uint32_t height, struct picture_file *file)
{
    int rank;
    char head[128];
    *file = (struct picture_file){.file = MPI_FILE_NULL, .row = MPI_DATATYPE_NULL};
    snprintf(file->path, sizeof file->path, "%s", path);
    snprintf(file->temporary, sizeof file->temporary, "%s.part", file->path);
    file->shape = (ro_image){picture_format(path), width, height, 0, 0, NULL};
    file->negative = file->shape.format == RO_BITS;
    const size_t length = make_head(file->shape.format, width, height, head);
    file->first = (MPI_Offset)length;
    set_rows(file);
    MPI_Comm_rank(comm, &rank);
    int code = MPI_File_open(comm, file->temporary, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                             MPI_INFO_NULL, &file->file);
    if (code == MPI_SUCCESS)
        code = MPI_File_set_size(file->file,
                                 file->first + (MPI_Offset)file->row_bytes * (MPI_Offset)height);
    if (code == MPI_SUCCESS && rank == 0)
        code = MPI_File_write_at(file->file, 0, head, (int)length, MPI_BYTE, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? RO_OK : mpi_failed(context, code, "written", file->temporary);
}

/* ---- Rows --------------------------------------------------------------------------------------
 */

static MPI_Offset place_of(const struct picture_file *file, uint32_t y)
{
    return file->first + (MPI_Offset)y * (MPI_Offset)file->row_bytes;
}

ro_status picture_read(const struct picture_file *file, ro_context *context, uint32_t y,
                       uint32_t rows, void *data)
{
    int code = MPI_File_read_at(file->file, place_of(file, y), data, (int)rows, file->row,
                                MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return mpi_failed(context, code, "read", file->path);
    uint16_t *samples = data;
    for (size_t i = 0; file->swapped && i < (size_t)rows * file->shape.width; i++)
        samples[i] = (uint16_t)(samples[i] >> 8 | samples[i] << 8);
    return RO_OK;
}

ro_status picture_write(const struct picture_file *file, ro_context *context, uint32_t y,
                        uint32_t rows, void *data)
{
    const unsigned spare = (8 - file->shape.width % 8) % 8;
    uint8_t *bytes = data;
    for (uint32_t r = 0; file->negative && r < rows; r++, bytes += file->row_bytes) {
        for (size_t i = 0; i < file->row_bytes; i++)
            bytes[i] ^= 0xff;
        bytes[file->row_bytes - 1] &= (uint8_t)(0xff << spare);
    }
    int code = MPI_File_write_at(file->file, place_of(file, y), data, (int)rows, file->row,
                                 MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? RO_OK : mpi_failed(context, code, "written", file->temporary);
}

ro_status picture_close(MPI_Comm comm, ro_context *context, struct picture_file *file,
                        bool complete)
{
    int rank, failure = 0;
    MPI_Comm_rank(comm, &rank);
    if (file->row != MPI_DATATYPE_NULL)
        MPI_Type_free(&file->row);
    if (file->file != MPI_FILE_NULL)
        MPI_File_close(&file->file);
    if (!*file->temporary)
        return RO_OK;
    if (rank == 0 && !complete)
        unlink(file->temporary);
    else if (rank == 0 && rename(file->temporary, file->path) != 0)
        failure = errno;
    MPI_Bcast(&failure, 1, MPI_INT, 0, comm);
    *file->temporary = '\0';
    if (failure)
        return ro_context_fail(context, RO_E_IO, "%s: %s", file->path, strerror(failure));
    return RO_OK;
}
