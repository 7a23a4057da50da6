/* SPDX-License-Identifier: MIT */
/* mpirun -n N mpi_same FOLDER SEED COUNT: pictures, options, file types and bands by chance; ranks
 * write the bytes that one process writes, or both refuse. */
#include "roundoff_io_command.h"
#include "roundoff_mpi.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

struct choice {
    ro_halftone_options options;
    ro_palette palette;
    ro_image shape;
    uint32_t rows;
    char in[512], one[512], many[512];
};

/* Kernels first, then what else goes round the ranks, and two that cannot. */
static const char *const methods[] = {
    "floyd-steinberg", "jarvis-judice-ninke",
    "stucki",          "stevenson-arce",
    "atkinson",        "ostromoukhov",
    "acuity",          "blue-noise",
    "bayer8",          "random",
    "threshold",       "clustered-dot",
    "riemersma",       "dot-diffusion",
};
enum { KERNELS = 5, ALL = sizeof methods / sizeof *methods };

static void choose(struct choice *choice, const char *folder)
{
    static const char *const ins[] = {"pgm", "npy", "tif"};
    static const char *const colours[] = {"ppm", "npy", "tif"}, *const inks[] = {"npy", "tif"};
    static const char *const bits[] = {"pbm", "pgm", "npy", "tif"};
    static const int levels[] = {2, 2, 2, 3, 4, 5, 16, 256, 300};
    const bool colour = draw(3) == 0, wide = draw(3) == 0;
    const uint32_t method = draw(2) ? draw(KERNELS) : draw(ALL);
    const uint32_t kind = draw(5); /* 0: a palette; 1: channels or inks of a colour picture */
    ro_halftone_options *options = &choice->options;
    *options = (ro_halftone_options)RO_HALFTONE_OPTIONS;
    choice->shape =
        (ro_image){.format = colour ? (wide ? RO_RGB16 : RO_RGB8) : (wide ? RO_GREY16 : RO_GREY8),
                   .width = 1 + draw(draw(2) ? 1500 : 60),
                   .height = 1 + draw(300),
                   .maxval = 0,
                   .stride = 0,
                   .data = NULL};
    options->method = methods[method];
    if (method < KERNELS || method > 6)
        options->levels = levels[draw(sizeof levels / sizeof *levels - (method < KERNELS ? 0 : 1))];
    if (method < KERNELS && kind > 0) {
        options->noise = draw(4) == 0 ? 1 + (int)draw(100) : 0;
        options->seed = options->noise ? draw(9) : 0;
        options->serpentine = draw(5) == 0;
    }
    if (draw(4) == 0)
        options->tone = (ro_tone){.gamma = 1.8, .contrast = 10};
    const char *out = bits[options->levels > 2 ? 1 + draw(3) : draw(4)];
    if (kind == 0) {
        choice->palette = (ro_palette){
            .count = 4, .colours = {{0, 0, 0}, {255, 255, 255}, {200, 0, 0}, {0, 90, 200}}};
        options->palette = &choice->palette;
        options->levels = 0;
        options->method = methods[method % KERNELS];
        out = colours[draw(3)];
    } else if (kind == 1 && colour && draw(2)) {
        options->channels = RO_CHANNELS_RGB;
        out = colours[draw(3)];
    } else if (kind == 1 && colour) {
        options->channels = RO_CHANNELS_CMYK;
        options->levels = 0;
        out = inks[draw(2)];
    }
    choice->rows = draw(3) ? 1 + draw(70) : 0;
    const char *in = colour ? colours[draw(3)] : ins[draw(3)];
    snprintf(choice->in, sizeof choice->in, "%s/in.%s", folder, in);
    snprintf(choice->one, sizeof choice->one, "%s/one.%s", folder, out);
    snprintf(choice->many, sizeof choice->many, "%s/many.%s", folder, out);
}

/* Shades with some noise; only rank 0 draws for it, from a state of its own. */
static ro_status make(ro_context *context, const struct choice *choice)
{
    const uint32_t before = state;
    ro_image card;
    ro_status status = ro_image_alloc(context, choice->shape.format, choice->shape.width,
                                      choice->shape.height, 0, &card);
    for (uint32_t y = 0; status == RO_OK && y < card.height; y++) {
        uint8_t *row = (uint8_t *)card.data + (ptrdiff_t)y * card.stride;
        for (size_t i = 0; i < ro_format_row_bytes(card.format, card.width); i++)
            row[i] = (uint8_t)(i * 5 / 8 + y / 2 + draw(40));
    }
    if (status == RO_OK)
        status = ro_image_save(context, choice->in, &card, NULL);
    ro_image_free(&card);
    state = before;
    if (status != RO_OK)
        return RO_E_IO;
    return ro_halftone_file(context, choice->in, choice->one, &choice->options, NULL, NULL, NULL);
}

static int same_bytes(ro_context *context, const struct choice *choice)
{
    char *a = NULL, *b = NULL;
    size_t sizes[2] = {0, 1};
    ro_bytes_load(context, choice->one, 1 << 26, &a, &sizes[0]);
    ro_bytes_load(context, choice->many, 1 << 26, &b, &sizes[1]);
    const int same = a && b && sizes[0] == sizes[1] && memcmp(a, b, sizes[0]) == 0;
    ro_free(a);
    ro_free(b);
    return same;
}

/* 0: right, and *made counts it if there was something to make; 1: wrong, and told. */
static int check(ro_context *context, int rank, const struct choice *choice, int *made)
{
    ro_mpi_report report;
    char part[600];
    const ro_mpi_options how = {RO_MPI_DEFAULTS, .rows = choice->rows};
    int expected = rank == 0 ? (int)make(context, choice) : 0, wrong = 0;
    MPI_Bcast(&expected, 1, MPI_INT, 0, MPI_COMM_WORLD);
    const ro_status status = ro_mpi_halftone(MPI_COMM_WORLD, context, choice->in, choice->many,
                                             &choice->options, NULL, NULL, &how, &report);
    if (status != RO_OK && report.alone) {
        fprintf(stderr, "rank %d failed alone: %s\n", rank, ro_context_message(context));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0) {
        const int whole =
            status == RO_E_UNSUPPORTED && strstr(ro_context_message(context), "ranks");
        const int folder = (int)(strrchr(choice->many, '/') - choice->many);
        snprintf(part, sizeof part, "%.*s/.*.??????", folder, choice->many);
        const bool left = glob(part, 0, NULL, &(glob_t){0}) == 0;
        wrong = left || (expected != RO_OK) != (status != RO_OK && !whole) ||
                (status == RO_OK && !same_bytes(context, choice));
        *made += status == RO_OK;
        if (status != RO_OK && getenv("VERBOSE"))
            fprintf(stderr, "refused: %s\n", ro_context_message(context));
        if (wrong)
            fprintf(stderr,
                    "%s, %s to %s, %u x %u, bands of %u rows: one process %d, ranks %d %s\n",
                    choice->options.method ? choice->options.method : "-", choice->in, choice->many,
                    choice->shape.width, choice->shape.height, choice->rows, expected, (int)status,
                    ro_context_message(context));
        remove(choice->one);
        remove(choice->many);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return wrong;
}

int main(int argc, char **argv)
{
    int granted, rank, ranks, wrong = 0, made = 0;
    if (argc != 4)
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    state = (uint32_t)atoi(argv[2]);
    const int count = atoi(argv[3]);
    for (int i = 0; i < count && !wrong; i++) {
        static struct choice choice;
        ro_context *context;
        choose(&choice, argv[1]);
        const ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                            .threads = 1 + (int)draw(2)};
        if (ro_context_open(&options, &context) != RO_OK)
            MPI_Abort(MPI_COMM_WORLD, 1);
        wrong = check(context, rank, &choice, &made);
        ro_context_close(context);
    }
    if (rank == 0 && !wrong)
        printf("%d ranks, seed %s: %d of %d calls made the same bytes, the others were refused by "
               "both\n",
               ranks, argv[2], made, count);
    if (rank == 0 && 2 * made < count)
        wrong = 1; /* a test that refuses most shows nothing */
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong;
}
