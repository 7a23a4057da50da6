/* SPDX-License-Identifier: MIT */
/* The table of `bench quality` drawn: what eyes see of each method's error, the best on top, and
 * beside it how much its dots lie in rows. */
#include "bench/halftone/quality.h"

#include "roundoff/library.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEFT = 300, WIDE = 420, TOP = 46, STEP = 17, GAP = 40, BESIDE = 200, RIGHT = 24 };
enum { TEXTURE = LEFT + WIDE + GAP, TEXTURE_MOST = 30 }; /* dB */
static const double LEAST = 0.125, MOST = 8;
static const char WORMS[] = "#b03030", ANISOTROPY[] = "#999";
static const char *const colours[QUALITY_EYES] = {"#5c9bd6", "#2f6fb0", "#1b4a7d", "#0b2340",
                                                  "#f0b27a", "#d9772b", "#8c4512"};

static double across(double error)
{
    const double e = error < LEAST ? LEAST : error > MOST ? MOST : error;
    return LEFT + WIDE * log(e / LEAST) / log(MOST / LEAST);
}

static double along(double decibels)
{
    const double d = decibels < 0 ? 0 : decibels > TEXTURE_MOST ? TEXTURE_MOST : decibels;
    return TEXTURE + BESIDE * d / TEXTURE_MOST;
}

/* By what Naesaenen's eye at 3500 sees. */
static int by_error(const void *a, const void *b)
{
    const double x = (*(const struct quality_row *const *)a)->seen[5];
    const double y = (*(const struct quality_row *const *)b)->seen[5];
    return (x > y) - (x < y);
}

static void draw_texture_axis(FILE *file, int bottom)
{
    for (int at = 0; at <= TEXTURE_MOST; at += 5)
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                along(at), TOP - 8, along(at), bottom, along(at), bottom + 14, at);
    fprintf(
        file,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">dB</text>\n"
        "<circle cx=\"%d\" cy=\"16\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"20\">worms</text>\n"
        "<circle cx=\"%d\" cy=\"16\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"20\">anisotropy"
        "</text>\n",
        TEXTURE + BESIDE / 2, bottom + 30, TEXTURE, WORMS, TEXTURE + 8, TEXTURE + BESIDE / 2,
        ANISOTROPY, TEXTURE + BESIDE / 2 + 8);
}

static void draw_axis(FILE *file, int bottom)
{
    for (double at = LEAST; at <= MOST; at *= 2) {
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                across(at), TOP - 8, across(at), bottom, at == 1 ? "#777" : "#ddd", across(at),
                bottom + 14, at);
    }
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">error seen, Floyd-Steinberg = 1"
            "</text>\n",
            LEFT + WIDE / 2, bottom + 30);
    for (int e = 0; e < QUALITY_EYES; e++) {
        const int x = LEFT + e * WIDE / QUALITY_EYES;
        fprintf(file,
                "<circle cx=\"%d\" cy=\"16\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"20\">%s%s"
                "</text>\n",
                x, colours[e], x + 8, e < QUALITY_GAUSSIANS ? "σ " : "n ", quality_eyes[e] + 1);
    }
}

static void draw_row(FILE *file, const struct quality_row *row, int y)
{
    double least = MOST, most = LEAST;
    for (int e = 0; e < QUALITY_EYES; e++) {
        least = fmin(least, row->seen[e]);
        most = fmax(most, row->seen[e]);
    }
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n<line x1=\"%.1f\" y1=\"%d\" "
            "x2=\"%.1f\" y2=\"%d\" stroke=\"#bbb\"/>\n",
            LEFT - 12, y + 4, row->name, across(least), y, across(most), y);
    for (int e = 0; e < QUALITY_EYES; e++)
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", across(row->seen[e]),
                y, colours[e]);
    fprintf(
        file,
        "<circle cx=\"%.1f\" cy=\"%d\" r=\"4\" fill=\"%s\"/><circle cx=\"%.1f\" cy=\"%d\" r=\"4\" "
        "fill=\"%s\"/>\n",
        along(row->anisotropy), y, ANISOTROPY, along(row->worms), y, WORMS);
}

ro_status quality_plot(ro_context *context, const struct quality_row *rows, int count,
                       const char *path)
{
    const int bottom = TOP + count * STEP, width = TEXTURE + BESIDE + RIGHT, height = bottom + 40;
    const struct quality_row **sorted = malloc((size_t)count * sizeof *sorted);
    char *text = NULL;
    size_t size = 0;
    FILE *file = sorted ? open_memstream(&text, &size) : NULL;
    ro_status status = RO_OK;
    if (!file) {
        free(sorted);
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plot");
    }
    for (int i = 0; i < count; i++)
        sorted[i] = &rows[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_error);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            width, height, width, height, width, height);
    draw_axis(file, bottom);
    draw_texture_axis(file, bottom);
    for (int i = 0; i < count; i++)
        draw_row(file, sorted[i], TOP + i * STEP);
    fputs("</svg>\n", file);
    if (fclose(file) != 0)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a plot");
    if (status == RO_OK)
        status = ro_bytes_save(context, path, text, size);
    free(text);
    free(sorted);
    return status;
}
