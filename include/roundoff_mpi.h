/* SPDX-License-Identifier: MIT */
/*
 * Roundoff over MPI: pictures too large for one machine, with the bits of one machine.
 * libroundoff_mpi, on top of libroundoff_io; needs MPI_THREAD_MULTIPLE.
 *
 *     MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &granted);
 *     ro_context_open(NULL, &context);
 *     ro_mpi_halftone(MPI_COMM_WORLD, context, "wall.tif", "wall-2.tif", NULL, NULL, NULL, NULL,
 *                     &report);
 *
 * All ranks of a communicator make a call together, with the same arguments but for the context,
 * which each has opened for itself. The picture is cut into bands of rows, which go round the
 * ranks; a rank holds one band. Files are read from anywhere (ro_reader_seek) and written in parts
 * (ro_parts): PBM, PGM, PPM, NPY and TIFF.
 *
 * The output appears when all of it is complete. Until then it is a file beside its name that no
 * other run uses, .NAME.XXXXXX with random letters. What can be told before the first row is told
 * to all: every rank returns the same status, one of them with the reason. Later a rank that fails
 * returns alone, while the others wait for it: end them by MPI_Abort.
 */
#ifndef ROUNDOFF_MPI_H
#define ROUNDOFF_MPI_H

#include "roundoff_io.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ro_mpi_options {
    size_t size;            /* RO_MPI_OPTIONS sets it */
    uint32_t rows;          /* of a band; 0: as many as memory and packed strips suggest */
    const char *checkpoint; /* a file that keeps how far the run is, with .NAME.XXXXXX, until it is
                               complete; NULL: nothing stays of a run that fails */
    int resume;             /* 1: go on from `checkpoint`, of the same call, with any ranks */
    const char *words;      /* what else must be the same to go on, such as a command's options */
} ro_mpi_options;
#define RO_MPI_DEFAULTS RO_DEFAULTS_OF(ro_mpi_options, RO_NONE_UNSET)
#define RO_MPI_OPTIONS RO_OPTIONS_OF(ro_mpi_options, RO_NONE_UNSET)

/* What all ranks did together; the same on all of them. Seconds are sums over the ranks but for the
 * first two. */
typedef struct ro_mpi_report {
    int alone;     /* 1: the call failed on this rank while the others wait for it */
    ro_report run; /* of one of the rank's bands */
    int ranks;
    int idle;             /* ranks without a band */
    uint32_t bands, rows; /* of the picture, and of a band */
    uint32_t first;       /* the band it went on from */
    uint32_t columns;     /* of a piece of what bands hand on; 0: nothing is handed on */
    double seconds;       /* of the slowest rank */
    double fill;          /* until the last rank could begin its first band */
    double computing;     /* of processors */
    double reading, writing;
    double waiting;     /* for what the bands before hand on, or for a processor */
    double efficiency;  /* computing / (seconds * ranks * threads) */
    uint64_t sent;      /* bytes from rank to rank */
    ro_dropped dropped; /* of the input, by one of the ranks */
    double gain;        /* of a hologram, as of ro_hologram_report */
    uint64_t clips;
} ro_mpi_report;

/* As ro_halftone_file, for methods that stream and can be cut. */
RO_API
ro_status ro_mpi_halftone(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_halftone_options *options, const ro_read_options *read,
                          const ro_write_options *write, const ro_mpi_options *how,
                          ro_mpi_report *report);

/* Denoises by the explicit scheme, as ro_denoise; kappa must be given unless the model is linear.
 * Every rank has one block of rows and holds it in working numbers, 4 bytes a sample; neighbours
 * exchange rows every few steps. The output has the form of the input. No checkpoints, and `rows`
 * does not apply. */
RO_API
ro_status ro_mpi_denoise(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                         const ro_denoise_options *options, const ro_read_options *read,
                         const ro_write_options *write, const ro_mpi_options *how,
                         ro_mpi_report *report);

/* Rounds a field, a .npy file by rows, to the levels of a modulator, as ro_hologram_quantize: a
 * rank has whole rows of hogels. The field is read twice, the first time for its gain. `modulator`
 * says what a device is sent for each level (NULL: the level numbers), `largest` whether the file's
 * numbers go up to 255 or 1 (0: 255). Algorithms "vded" and "truncate", with a gain that is given;
 * nothing is measured. */
RO_API
ro_status ro_mpi_hologram(MPI_Comm comm, ro_context *context, const char *in, const char *out,
                          const ro_hologram_options *options, const ro_modulator *modulator,
                          uint32_t largest, const ro_write_options *write,
                          const ro_mpi_options *how, ro_mpi_report *report);

/* The test card of ro_testcard: of `shape` format, width, height and maxval count. Into files whose
 * rows lie as they come (PGM, PPM, NPY) columns of the scene are drawn once; a TIFF is drawn band
 * by band. */
RO_API
ro_status ro_mpi_testcard(MPI_Comm comm, ro_context *context, const ro_image *shape,
                          const char *out, const ro_write_options *write, const ro_mpi_options *how,
                          ro_mpi_report *report);

/* The hash of a picture's file: what ro_image_hash says of it once it is loaded. Hashes take rows
 * in order; ranks read and unpack at the same time. Of `how` rows count. */
RO_API
ro_status ro_mpi_hash(MPI_Comm comm, ro_context *context, const char *path,
                      const ro_read_options *read, const ro_mpi_options *how,
                      char text[RO_HASH_TEXT], ro_mpi_report *report);

/* What parts of a halftone cost here, measured in some seconds; docs/scale.md. */
typedef struct ro_mpi_costs {
    double pixel;                 /* seconds of a processor, in bands as they would be cut */
    double read_byte, write_byte; /* seconds, of files in `folder` */
    double message, message_byte; /* from rank to rank; of one rank alone usual values */
    uint32_t rows;                /* that run at the same time in one thread */
    int lines;                    /* numbers a column that bands hand on; 0: none */
    int in_bits, out_bits;        /* of a pixel in the files */
    uint32_t band_rows;           /* of the bands measured */
    double clock;                 /* seconds by the clock for one of a processor: others work too */
    double sync_byte;             /* until a byte that was written is on the disk */
    double fixed;                 /* of a run: memory taken, files opened, closed and renamed */
    double fixed_processor;       /* of which so much is computing, on each rank */
} ro_mpi_costs;

/* For a picture of this shape (NULL: 30,000 x 30,000 of 8 bits) on `ranks` ranks (0: those of
 * `comm`): rows as long as its rows, up to 65,536 columns, and bands as tall as its bands. Of
 * `shape` format (grey, 8 or 16 bits), width, height and maxval count. All ranks of `comm` measure
 * at the same time, 100 MB of files each: let there be as many as will share a machine. */
RO_API
ro_status ro_mpi_bench(MPI_Comm comm, ro_context *context, const char *folder,
                       const ro_halftone_options *options, const ro_image *shape, int ranks,
                       ro_mpi_costs *costs);

/* What a halftone of a PGM would take on `ranks` ranks. */
typedef struct ro_mpi_prediction {
    uint32_t rows, bands, columns; /* as of ro_mpi_report */
    double seconds;
    double fill;      /* until the last rank could begin its first band */
    double computing; /* seconds of processors, of all ranks */
    double efficiency;
    double rank_bytes; /* memory of a rank */
    double sent;       /* bytes from rank to rank */
    double most_ranks; /* that the width keeps busy */
    double waiting;    /* seconds of ranks, as of ro_mpi_report */
} ro_mpi_prediction;
RO_API
void ro_mpi_plan(const ro_mpi_costs *costs, uint32_t width, uint32_t height, int ranks, int threads,
                 ro_mpi_prediction *prediction);

/* Removes the partial file of a call that is under way, unless there is a checkpoint, and what
 * ro_temporaries_remove does. For a signal handler that then ends the process. */
RO_API
void ro_mpi_abandon(void);

/* For somebody who removes it when the process is killed: rank 0 writes the partial file's path to
 * this descriptor, on a line, and an empty line when there is none any more. -1: nobody. */
RO_API
void ro_mpi_guard(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
