/* SPDX-License-Identifier: MIT */
#include "input.h"
#include "roundoff/library.h"
#include "roundoff_io_command.h"
#include "roundoff_io_pieces.h"

#include <stdio.h>
#include <string.h>

ro_status input_open(struct input *input, const struct ranks *ranks, struct times *times,
                     const char *path, const ro_read_options *read)
{
    *input = (struct input){.ranks = ranks, .times = times};
    ro_status status = ro_reader_open(ranks->context, path, read, &input->reader);
    if (status == RO_OK) /* its type may have no places of rows */
        status = ro_reader_seek(input->reader, ro_reader_info(input->reader)->height);
    if (status == RO_OK) {
        input->info = *ro_reader_info(input->reader);
        input->row_bytes = ro_format_row_bytes(input->info.format, input->info.width);
        input->mark = file_mark(path);
    }
    status = ranks_agree(ranks, status);
    return status == RO_OK ? ranks_same(ranks, input->mark, "input") : status;
}

ro_status input_rows(struct input *input, uint32_t y, uint32_t count, void *rows)
{
    const double start = MPI_Wtime();
    uint32_t got = 0;
    ro_status status = ro_reader_seek(input->reader, y);
    if (status == RO_OK)
        status = ro_reader_rows(input->reader, rows, (ptrdiff_t)input->row_bytes, count, &got);
    input->times->reading += MPI_Wtime() - start;
    return status;
}

void input_close(struct input *input)
{
    ro_reader_close(input->reader);
    input->reader = NULL;
}

void input_dropped(const struct input *input, ro_dropped *dropped)
{
    const struct ranks *ranks = input->ranks;
    const ro_dropped *mine = ro_reader_dropped(input->reader);
    int speaker = mine->what ? ranks->rank : ranks->count;
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, ranks->comm);
    *dropped = *mine;
    if (speaker < ranks->count)
        MPI_Bcast(dropped, sizeof *dropped, MPI_BYTE, speaker, ranks->comm);
}

ro_status input_resolution(const struct input *input, const char *out,
                           const ro_write_options *write, bool strict, ro_dropped *dropped)
{
    static const char words[] = "its resolution";
    const ro_file_info *info = &input->info;
    const bool stated = write && (write->dpi_x > 0 || write->dpi_y > 0);
    if ((!(info->dpi_x > 0) && !(info->dpi_y > 0)) || stated ||
        ro_writer_holds_resolution(out, write ? write->type : NULL))
        return RO_OK;
    if (strict)
        return ro_context_fail(input->ranks->context, RO_E_UNSUPPORTED, "must not be dropped: %s",
                               words);
    const size_t length = strlen(dropped->text);
    dropped->what |= RO_DROPPED_RESOLUTION;
    snprintf(dropped->text + length, sizeof dropped->text - length, "%s%s", length ? ", " : "",
             words);
    return RO_OK;
}
