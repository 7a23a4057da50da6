/* SPDX-License-Identifier: MIT */
#include "output.h"
#include "roundoff/library.h"
#include "roundoff_io_pieces.h"

#include "pace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_WRITE = 1 << 30 };

/* ---- The partial file of the process, for signals ------------------------------------------- */

static char partial[4096];
static atomic_bool partial_is_there;

static atomic_int guard = -1;

void ro_mpi_guard(int descriptor) { atomic_store(&guard, descriptor); }

/* In one piece, so that the guard has it or has it not. */
static void tell_guard(const char *line, size_t length)
{
    const int to = atomic_load(&guard);
    if (to >= 0)
        (void)!write(to, line, length);
}

static void abandon(void)
{
    if (atomic_exchange(&partial_is_there, false)) {
        unlink(partial);
        tell_guard("\n", 1);
    }
}

void ro_mpi_abandon(void)
{
    ro_temporaries_remove(); /* rank 0 may just be making it */
    abandon();
}

/* ---- Opening -------------------------------------------------------------------------------- */

static ro_status mpi_failed(const struct output *output, int code)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    return ro_context_fail(output->ranks->context, RO_E_IO, "%s cannot be written: %s",
                           output->part, words);
}

/* The greatest common one. */
static uint64_t divisor(uint64_t a, uint64_t b) { return b ? divisor(b, a % b) : a; }

static void cut(struct output *output, uint32_t rows, const struct output_needs *needs)
{
    struct bands *bands = &output->bands;
    uint64_t whole = output->about->rows;
    if (needs->whole > 1)
        whole = whole / divisor(whole, needs->whole) * needs->whole;
    whole = whole < bands->height ? whole : bands->height;
    if (rows == 0)
        rows = needs->rows ? needs->rows : pace_usual(needs->row_bytes);
    rows = rows < bands->height ? rows : bands->height;
    if (rows > bands->height - bands->height % whole)
        rows = bands->height;
    else
        rows = (uint32_t)((rows + whole - 1) / whole * whole);
    bands->rows = rows;
    bands->count = bands->height / rows + (bands->height % rows != 0);
}

static ro_status open_checkpoint(struct output *output, const ro_mpi_options *how,
                                 const struct output_needs *needs)
{
    struct bands *bands = &output->bands;
    const uint64_t shape[] = {bands->width, bands->height, output->about->rows};
    struct checkpoint_record record = {
        .mark = mark_of(shape, sizeof shape, needs->mark),
        .rows = bands->rows,
        .bands = bands->count,
        .parts = output->about->bytes ? 0 : output->about->count,
        .carried = needs->carried,
        .place = output->about->head,
    };
    if (how->words)
        record.mark = mark_of(how->words, strlen(how->words), record.mark);
    ro_status status =
        checkpoint_open(&output->checkpoint, output->ranks, how->checkpoint, how->resume, &record);
    if (status != RO_OK || !how->resume)
        return status;
    const struct checkpoint_record *found = &output->checkpoint.record;
    bands->rows = (uint32_t)found->rows;
    bands->count = (uint32_t)found->bands;
    bands->first = (uint32_t)found->next;
    output->place = found->place;
    output->resumed = found->part[0] != '\0';
    if (output->ranks->rank == 0 && found->parts && found->next)
        status = checkpoint_sizes(&output->checkpoint, output->sizes,
                                  found->next * found->rows / output->about->rows);
    return ranks_agree(output->ranks, status);
}

static void watch_partial(const struct output *output)
{
    char line[sizeof partial + 1];
    memcpy(partial, output->part, sizeof partial);
    atomic_store(&partial_is_there, true);
    if (output->ranks->rank == 0)
        tell_guard(line, (size_t)snprintf(line, sizeof line, "%s\n", partial));
}

static void forget_partial(void)
{
    atomic_store(&partial_is_there, false);
    tell_guard("\n", 1);
}

/* The signal came before there was a file, and whoever sent it may not wait for long. */
static void give_up_if_stopped(const struct output *output)
{
    if (ro_context_cancelled(output->ranks->context))
        abandon();
}

static const char *name_in_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A run of the same call began before, and is not gone on with. */
static void remove_replaced(const struct output *output)
{
    char path[sizeof output->part + PART_NAME];
    const char *replaced = output->checkpoint.replaced;
    if (replaced[0] != '.' || strchr(replaced, '/'))
        return;
    snprintf(path, sizeof path, "%.*s%s", (int)(name_in_folder(output->part) - output->part),
             output->part, replaced);
    unlink(path);
}

static ro_status begin_file(struct output *output)
{
    const char *kept = output->checkpoint.record.part, *name = "";
    const ro_status status =
        ro_parts_begin(output->parts, output->keeps, output->resumed ? kept : NULL, &name);
    if (status != RO_OK)
        return status;
    if (strlen(name) >= sizeof output->part)
        return ro_context_fail(output->ranks->context, RO_E_ARGUMENT, "a path is too long");
    strcpy(output->part, name);
    if (output->keeps && !output->resumed)
        remove_replaced(output);
    return RO_OK;
}

/* Rank 0 makes the file; the others must find the same one. */
static ro_status make_file(struct output *output)
{
    const struct ranks *ranks = output->ranks;
    struct stat made = {0};
    ro_status status = ranks_agree(ranks, ranks->rank == 0 ? begin_file(output) : RO_OK);
    if (status != RO_OK)
        return status;
    MPI_Bcast(output->part, sizeof output->part, MPI_CHAR, 0, ranks->comm);
    if (!output->keeps)
        watch_partial(output);
    give_up_if_stopped(output);
    (void)!stat(output->part, &made);
    status = ranks_same(ranks, (uint64_t)made.st_ino, "folder for the output");
    if (status != RO_OK)
        return status;
    if (output->keeps)
        status = checkpoint_note(&output->checkpoint, name_in_folder(output->part));
    status = ranks_agree(ranks, status);
    if (status != RO_OK)
        return status;
    const int code =
        MPI_File_open(ranks->comm, output->part, MPI_MODE_WRONLY, MPI_INFO_NULL, &output->file);
    status = code == MPI_SUCCESS ? RO_OK : mpi_failed(output, code);
    if (status == RO_OK && output->keeps &&
        (output->fd = open(output->part, O_WRONLY | O_CLOEXEC)) < 0)
        status = ro_context_fail(ranks->context, RO_E_IO, "%s: %s", output->part, strerror(errno));
    return ranks_agree(ranks, status);
}

ro_status output_open(struct output *output, const struct ranks *ranks, struct times *times,
                      const char *path, const ro_file_info *info, const ro_write_options *write,
                      const ro_mpi_options *how, const struct output_needs *needs)
{
    *output = (struct output){.ranks = ranks,
                              .times = times,
                              .bands = {.width = info->width, .height = info->height},
                              .file = MPI_FILE_NULL,
                              .telling = MPI_REQUEST_NULL,
                              .fd = -1,
                              .checkpoint = {.ranks = ranks, .fd = -1}};
    ro_status status = ro_parts_open(ranks->context, path, info, write, &output->parts);
    if (status == RO_OK && how->resume && !how->checkpoint)
        status = ro_context_fail(ranks->context, RO_E_ARGUMENT, "there is no checkpoint to resume");
    if (status == RO_OK) {
        output->about = ro_parts_query(output->parts);
        output->place = output->about->head;
        if (!output->about->bytes &&
            !(output->sizes = calloc(output->about->count, sizeof *output->sizes)))
            status = ro_context_fail(ranks->context, RO_E_MEMORY, "no memory for %u strips",
                                     output->about->count);
    }
    status = ranks_agree(ranks, status);
    if (status != RO_OK)
        return status;
    cut(output, how->rows, needs);
    output->keeps = how->checkpoint != NULL;
    if (output->keeps)
        status = open_checkpoint(output, how, needs);
    return status == RO_OK ? make_file(output) : status;
}

/* ---- Bands ---------------------------------------------------------------------------------- */

static ro_status put(struct output *output, uint64_t place, const void *bytes, size_t size)
{
    const double start = MPI_Wtime();
    for (const char *from = bytes; size > 0;) {
        const int part = size < LONGEST_WRITE ? (int)size : LONGEST_WRITE;
        MPI_Status about;
        int done = 0;
        const int code =
            MPI_File_write_at(output->file, (MPI_Offset)place, from, part, MPI_BYTE, &about);
        if (code != MPI_SUCCESS)
            return mpi_failed(output, code);
        MPI_Get_count(&about, MPI_BYTE, &done);
        if (done != part)
            return ro_context_fail(output->ranks->context, RO_E_IO,
                                   "%s cannot be written: the disk is full", output->part);
        from += part;
        place += (uint64_t)part;
        size -= (size_t)part;
    }
    output->times->writing += MPI_Wtime() - start;
    return RO_OK;
}

/* Where the band before says that this one begins. */
static ro_status hear(struct output *output, uint32_t band)
{
    if (band == output->bands.first || output->ranks->count == 1)
        return RO_OK;
    MPI_Request request;
    MPI_Irecv(&output->place, 1, MPI_UINT64_T, rank_of_band(output, band - 1), TAG_PLACE,
              output->ranks->comm, &request);
    return ranks_wait(output->ranks, &request);
}

static ro_status tell(struct output *output, uint32_t band, uint64_t next)
{
    output->place = next;
    if (band + 1 == output->bands.count || output->ranks->count == 1)
        return RO_OK;
    const ro_status status = ranks_wait(output->ranks, &output->telling);
    output->told = next;
    if (status == RO_OK)
        MPI_Isend(&output->told, 1, MPI_UINT64_T, rank_of_band(output, band + 1), TAG_PLACE,
                  output->ranks->comm, &output->telling);
    return status;
}

static ro_status save(struct output *output, uint32_t band, uint64_t next, const int32_t *carried)
{
    const uint64_t part = (uint64_t)band * output->bands.rows / output->about->rows;
    const uint32_t rows = rows_of_band(&output->bands, band), whole = output->about->rows;
    if (fdatasync(output->fd) != 0)
        return ro_context_fail(output->ranks->context, RO_E_IO, "%s: %s", output->part,
                               strerror(errno));
    return checkpoint_save(&output->checkpoint, (uint64_t)band + 1, next,
                           output->sizes ? output->sizes + part : NULL, part,
                           rows / whole + (rows % whole != 0), carried);
}

ro_status output_band(struct output *output, uint32_t band, const void *rows, ptrdiff_t stride,
                      const int32_t *carried)
{
    const uint64_t y = (uint64_t)band * output->bands.rows;
    const uint32_t count = rows_of_band(&output->bands, band);
    const bool packed = output->sizes;
    const void *bytes = NULL;
    size_t size = 0;
    const double start = MPI_Wtime();
    ro_status status = ro_parts_make(output->parts, rows, stride, count, &bytes, &size,
                                     packed ? output->sizes + y / output->about->rows : NULL);
    output->times->writing += MPI_Wtime() - start;
    uint64_t place = output->about->head + y * output->about->bytes;
    if (status == RO_OK && (packed || output->keeps))
        status = hear(output, band);
    if (packed)
        place = output->place;
    if (status == RO_OK && packed && !output->keeps)
        status = tell(output, band, place + size);
    if (status == RO_OK)
        status = put(output, place, bytes, size);
    if (status == RO_OK && output->keeps)
        status = save(output, band, place + size, carried);
    if (status == RO_OK && output->keeps)
        status = tell(output, band, place + size);
    if (status == RO_OK && output->ranks->rank == 0)
        status = ro_context_progress(output->ranks->context, "bands",
                                     (band + 1.0) / output->bands.count);
    return status;
}

ro_status output_rectangle(struct output *output, uint32_t x, uint32_t y, uint32_t height,
                           const void *bytes, size_t width_bytes, size_t pixel_bytes)
{
    ro_status status = RO_OK;
    for (uint32_t i = 0; i < height && status == RO_OK; i++) {
        const uint64_t row = output->about->head + ((uint64_t)y + i) * output->about->bytes;
        status = put(output, row + (uint64_t)x * pixel_bytes, (const char *)bytes + i * width_bytes,
                     width_bytes);
    }
    return status;
}

/* ---- Closing -------------------------------------------------------------------------------- */

/* Head and tail, by rank 0, which learns the sizes of all packed parts. */
static ro_status put_frame(struct output *output)
{
    const struct ranks *ranks = output->ranks;
    const void *head = NULL, *tail = NULL;
    size_t tail_size = 0;
    uint64_t place = output->about->head;
    if (output->sizes)
        for (uint32_t i = 0; i < output->about->count; i += LONGEST_WRITE / 8) {
            const uint32_t left = output->about->count - i;
            const int count = left < LONGEST_WRITE / 8 ? (int)left : LONGEST_WRITE / 8;
            MPI_Reduce(ranks->rank ? output->sizes + i : MPI_IN_PLACE, output->sizes + i, count,
                       MPI_UINT64_T, MPI_SUM, 0, ranks->comm);
        }
    if (ranks->rank != 0)
        return RO_OK;
    ro_status status = ro_parts_frame(output->parts, output->sizes, &head, &tail, &tail_size);
    for (uint32_t i = 0; output->sizes && i < output->about->count; i++)
        place += output->sizes[i];
    if (status == RO_OK)
        status = put(output, 0, head, (size_t)output->about->head);
    return status == RO_OK ? put(output, place, tail, tail_size) : status;
}

ro_status output_commit(struct output *output)
{
    const struct ranks *ranks = output->ranks;
    ro_status status = ranks_wait(ranks, &output->telling);
    if (status == RO_OK)
        status = put_frame(output);
    status = ranks_agree(ranks, status);
    if (status != RO_OK)
        return status;
    int code = MPI_File_sync(output->file);
    const int closed = MPI_File_close(&output->file);
    if (code == MPI_SUCCESS)
        code = closed;
    status = ranks_agree(ranks, code == MPI_SUCCESS ? RO_OK : mpi_failed(output, code));
    if (status != RO_OK)
        return status;
    status = ranks_agree(ranks, ranks->rank == 0 ? ro_parts_commit(output->parts) : RO_OK);
    if (status == RO_OK)
        forget_partial();
    if (status == RO_OK && output->keeps)
        checkpoint_close(&output->checkpoint, true);
    return status;
}

/* MPI's handle stays open after a failure: closing it needs all ranks. */
void output_close(struct output *output)
{
    abandon();
    if (output->fd >= 0)
        close(output->fd);
    checkpoint_close(&output->checkpoint, false);
    ro_parts_close(output->parts);
    free(output->sizes);
    output->sizes = NULL;
    output->parts = NULL;
    output->fd = -1;
}
