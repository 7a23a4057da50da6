/* SPDX-License-Identifier: MIT */
/* mpirun -n N mpi_groups FOLDER, of 3 ranks or more: communicators that are not the whole world.
 * Two groups at the same time, ranks in another order, a rank that is in none, pictures of one row.
 */
#include "roundoff_io_command.h"
#include "roundoff_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_context *context;
static const char *folder;
static int wrong;

static void check(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s: %s\n", what, ro_context_message(context));
        wrong = 1;
    }
}

static void name_of(char path[512], const char *name, int number, const char *type)
{
    snprintf(path, 512, "%s/%s-%d.%s", folder, name, number, type);
}

/* Rank 0 of a group draws and halftones alone, the group does it together. */
static void compare(MPI_Comm comm, int number, uint32_t width, uint32_t height)
{
    char in[512], one[512], many[512], *a = NULL, *b = NULL;
    size_t sizes[2] = {0, 0};
    int rank, status = RO_OK;
    ro_mpi_report report;
    MPI_Comm_rank(comm, &rank);
    name_of(in, "in", number, "pgm");
    name_of(one, "one", number, "pbm");
    name_of(many, "many", number, "pbm");
    if (rank == 0) {
        ro_image card;
        status = ro_image_alloc(context, RO_GREY8, width, height, 255, &card);
        if (status == RO_OK)
            status = ro_testcard(context, &card);
        if (status == RO_OK)
            status = ro_image_save(context, in, &card, NULL);
        if (status == RO_OK)
            status = ro_halftone_file(context, in, one, NULL, NULL, NULL, NULL);
        ro_image_free(&card);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, comm);
    check(status == RO_OK, "a picture cannot be made");
    if (status != RO_OK)
        return;
    const ro_mpi_options how = {RO_MPI_DEFAULTS, .rows = 20};
    status = ro_mpi_halftone(comm, context, in, many, NULL, NULL, NULL, &how, &report);
    check(status == RO_OK, "a group");
    if (status == RO_OK && rank == 0) {
        ro_bytes_load(context, one, 1 << 26, &a, &sizes[0]);
        ro_bytes_load(context, many, 1 << 26, &b, &sizes[1]);
        check(a && b && sizes[0] == sizes[1] && memcmp(a, b, sizes[0]) == 0, "other bytes");
        ro_free(a);
        ro_free(b);
        int ranks;
        MPI_Comm_size(comm, &ranks);
        check(report.ranks == ranks &&
                  report.idle == (report.bands < (uint32_t)ranks ? ranks - (int)report.bands : 0),
              "the report counts other ranks");
    }
}

int main(int argc, char **argv)
{
    int granted, rank, ranks;
    MPI_Comm half, turned, some;
    if (argc != 2)
        return 2;
    folder = argv[1];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    if (ro_context_open(&options, &context) != RO_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    compare(half, rank % 2, 700, rank % 2 ? 90 : 130);
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &turned);
    compare(turned, 2, 301, 200);
    compare(turned, 3, 300, 1); /* more ranks than rows */
    compare(turned, 4, 1, 61);

    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &some);
    if (some != MPI_COMM_NULL) {
        compare(some, 5, 100, 100);
    } else {
        ro_mpi_report report;
        check(ro_mpi_halftone(some, context, "none", "none", NULL, NULL, NULL, NULL, &report) ==
                      RO_E_ARGUMENT &&
                  strstr(ro_context_message(context), "no ranks"),
              "a rank of no communicator");
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    ro_context_close(context);
    MPI_Finalize();
    return wrong;
}
