/* SPDX-License-Identifier: MIT */
/*
 * A proof: what the plates look like on each other. Plates are read beside each other, a pixel's
 * inks let through their share of light one after another, and squares of pixels are averaged as
 * light is. With a diameter, a pixel of ink is a disc that reaches over its neighbours. With Yule
 * and Nielsen's number n, light spreads in the paper: it is the n-th roots that are averaged.
 */
#include "core/dot_gain.h"
#include "core/options.h"
#include "io/files/reader.h"
#include "io/files/writer.h"
#include "io/filters/light.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = RO_DISC_REACH, WINDOW = RO_DISC_WINDOW };
enum { LARGEST = 2000, PATH_BYTES = 4096 };

struct proof {
    ro_reader *plates[RO_INKS_MOST];
    int count;
    uint32_t width, height, reduce;
    struct light_curve light;
    float colours[256][3]; /* light of each set of inks, or its root */
    struct dot_discs around;
    double spread;  /* n; 0: light does not spread */
    uint8_t *rows;  /* WINDOW rows of sets of inks, with REACH more at either end */
    uint8_t *plate; /* a row of one */
    double *sums;
    uint8_t *out;
};

static uint8_t *row_at(const struct proof *proof, uint32_t y)
{
    return proof->rows + (size_t)(y % WINDOW) * (proof->width + 2 * REACH) + REACH;
}

/* The next row of all plates, as bits of a number; beyond the last, none. */
static ro_status read_row(struct proof *proof, uint32_t y)
{
    uint8_t *to = row_at(proof, y);
    ro_status status = RO_OK;
    memset(to - REACH, 0, proof->width + 2 * REACH);
    for (int i = 0; i < proof->count && y < proof->height && status == RO_OK; i++) {
        uint32_t got;
        status = ro_reader_rows(proof->plates[i], proof->plate, 0, 1, &got);
        for (uint32_t x = 0; x < proof->width && status == RO_OK; x++)
            to[x] |= (uint8_t)((proof->plate[x] == 0) << i);
    }
    return status;
}

/* Light of a pixel's points that are `open` to inks from `ink` on, `set` being those that cover
 * them. */
static void add_points(const struct proof *proof, const uint64_t *covered, int ink, unsigned set,
                       uint64_t open, double *sum)
{
    for (; ink < proof->count && open; ink++) {
        const uint64_t under = open & covered[ink];
        if (under)
            add_points(proof, covered, ink + 1, set | 1u << ink, under, sum);
        open &= ~covered[ink];
    }
    const int points = __builtin_popcountll(open);
    for (int c = 0; c < 3 && points; c++)
        sum[c] += points * (double)proof->colours[set][c];
}

static void add_row(struct proof *proof, uint32_t y)
{
    const uint8_t *rows[WINDOW];
    for (int k = 0; k < WINDOW; k++) /* rows above the first are empty: that of row -1 is row 4's */
        rows[k] = row_at(proof, y + WINDOW - REACH + (uint32_t)k);
    for (uint32_t x = 0; x < proof->width; x++) {
        uint64_t covered[RO_INKS_MOST] = {0};
        for (int k = 0; k < proof->around.count; k++) {
            unsigned set =
                rows[REACH + proof->around.from[k].y][(ptrdiff_t)x + proof->around.from[k].x];
            for (int i = 0; set; i++, set >>= 1)
                if (set & 1)
                    covered[i] |= proof->around.from[k].points;
        }
        add_points(proof, covered, 0, 0, UINT64_MAX, proof->sums + 3 * (size_t)(x / proof->reduce));
    }
}

static void make_row(struct proof *proof, uint32_t rows)
{
    const uint32_t width = (proof->width + proof->reduce - 1) / proof->reduce;
    for (uint32_t x = 0; x < width; x++) {
        const uint32_t left = proof->width - x * proof->reduce;
        const double points =
            (double)rows * (left < proof->reduce ? left : proof->reduce) * RO_DISC_POINTS;
        for (int c = 0; c < 3; c++) {
            double light = proof->sums[3 * (size_t)x + (size_t)c] / points;
            if (proof->spread > 0)
                light = pow(light, proof->spread);
            proof->out[3 * (size_t)x + (size_t)c] = (uint8_t)light_to_sample(&proof->light, light);
        }
    }
    memset(proof->sums, 0, 3 * (size_t)width * sizeof *proof->sums);
}

static ro_status write_proof(struct proof *proof, ro_writer *writer)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < REACH && status == RO_OK; y++)
        status = read_row(proof, y);
    for (uint32_t y = 0, rows = 0; y < proof->height && status == RO_OK; y++) {
        status = read_row(proof, y + REACH);
        if (status != RO_OK)
            break;
        add_row(proof, y);
        if (++rows == proof->reduce || y + 1 == proof->height) {
            make_row(proof, rows);
            status = ro_writer_rows(writer, proof->out, 0, 1);
            rows = 0;
        }
    }
    return status == RO_OK ? ro_writer_commit(writer) : status;
}

static ro_status open_plates(struct proof *proof, ro_context *context, const char *out,
                             const ro_halftone_options *options)
{
    ro_status status = RO_OK;
    proof->count = options->ink_count;
    for (int i = 0; i < proof->count && status == RO_OK; i++) {
        char path[PATH_BYTES];
        status = ro_plate_path(out, options, i, path, sizeof path);
        if (status != RO_OK)
            return ro_context_fail(context, status, "there is no plate %d of %s", i + 1, out);
        status = ro_reader_open(context, path, NULL, &proof->plates[i]);
        if (status != RO_OK)
            return status;
        const ro_file_info *info = ro_reader_info(proof->plates[i]);
        if (info->format != RO_GREY8 || info->maxval != 1 ||
            (i > 0 && (info->width != proof->width || info->height != proof->height)))
            return ro_context_fail(context, RO_E_FORMAT, "%s: is not a plate of its size and bits",
                                   path);
        proof->width = info->width;
        proof->height = info->height;
    }
    return status;
}

static ro_status prepare(struct proof *proof, ro_context *context,
                         const ro_halftone_options *options, const ro_proof_options *asked)
{
    struct open_file file;
    file_init(&file, context, "a proof", "standard output");
    const uint32_t longest = proof->width > proof->height ? proof->width : proof->height;
    proof->reduce = asked->reduce ? asked->reduce : (longest + LARGEST - 1) / LARGEST;
    const uint32_t spread = paper_spread(options->dpi);
    if (asked->yule_nielsen > 0 && proof->reduce < spread)
        proof->reduce = spread;
    proof->spread = asked->yule_nielsen;
    discs_find(&proof->around, asked->diameter);
    ro_status status = light_open(&proof->light, &file, RO_RGB8, 255, 255);
    if (status != RO_OK)
        return status;
    for (int set = 0; set < 1 << proof->count; set++)
        for (int c = 0; c < 3; c++) {
            proof->colours[set][c] = 1;
            for (int i = 0; i < proof->count; i++)
                if (set >> i & 1)
                    proof->colours[set][c] *= proof->light.of_sample[options->inks[i].colour[c]];
            if (proof->spread > 0)
                proof->colours[set][c] =
                    (float)pow((double)proof->colours[set][c], 1 / proof->spread);
        }
    const size_t width = proof->width, made = (width + proof->reduce - 1) / proof->reduce;
    proof->rows = calloc(WINDOW, width + 2 * REACH);
    proof->plate = malloc(width);
    proof->sums = calloc(3 * made, sizeof *proof->sums);
    proof->out = malloc(3 * made);
    return proof->rows && proof->plate && proof->sums && proof->out
               ? RO_OK
               : ro_context_fail(context, RO_E_MEMORY, "not enough memory for a proof");
}

ro_status ro_proof_file(ro_context *context, const char *out, const ro_halftone_options *options,
                        const ro_proof_options *given, const char *path)
{
    ro_proof_options asked = RO_PROOF_OPTIONS;
    ro_halftone_options full = RO_HALFTONE_OPTIONS;
    ro_writer *writer = NULL;
    ro_status status = take_options(context, given, &asked, "RO_PROOF_OPTIONS");
    if (status == RO_OK)
        status = take_options(context, options, &full, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK && (!full.inks || full.ink_count < 1 || full.ink_count > RO_INKS_MOST))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "a proof needs the colours of 1 to %d inks", RO_INKS_MOST);
    if (status == RO_OK && asked.diameter != 0 && !(asked.diameter >= 1 && asked.diameter <= 3))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "dots of %g pixels: must be from 1 to 3 wide", asked.diameter);
    if (status == RO_OK && asked.yule_nielsen != 0 &&
        !(asked.yule_nielsen >= 1 && asked.yule_nielsen <= 10))
        status =
            ro_context_fail(context, RO_E_ARGUMENT,
                            "Yule-Nielsen's number %g: must be from 1 to 10", asked.yule_nielsen);
    if (status != RO_OK)
        return status;
    struct proof *proof = calloc(1, sizeof *proof);
    if (!proof)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory for a proof");
    status = open_plates(proof, context, out, &full);
    if (status == RO_OK)
        status = prepare(proof, context, &full, &asked);
    const ro_file_info info = {
        .format = RO_RGB8,
        .maxval = 255,
        .width = proof->reduce ? (proof->width + proof->reduce - 1) / proof->reduce : 0,
        .height = proof->reduce ? (proof->height + proof->reduce - 1) / proof->reduce : 0};
    if (status == RO_OK)
        status = ro_writer_open(context, path, &info, NULL, &writer);
    if (status == RO_OK)
        status = write_proof(proof, writer);
    ro_writer_close(writer);
    for (int i = 0; i < proof->count; i++)
        ro_reader_close(proof->plates[i]);
    light_close(&proof->light);
    free(proof->rows);
    free(proof->plate);
    free(proof->sums);
    free(proof->out);
    free(proof);
    return status;
}
