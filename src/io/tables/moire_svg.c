/* SPDX-License-Identifier: MIT */
/*
 * Moiré as a drawing (SVG): on the left where the waves of all screens lie, in waves per inch, with
 * the moiré as rings about the middle; on the right the dots on each other; below, the waves that
 * are seen best.
 */
#include "io/bytes/sink.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SIDE = 420, EDGE = 30, WIDTH = 2 * SIDE + 3 * EDGE, LINE = 18, ACROSS = 14 };

struct drawing {
    struct open_file file;
    struct byte_sink sink;
    ro_status status;
    const ro_moire *moire;
    const ro_ink *inks;
    int count;
};

#define print(drawing, ...) sink_print(&(drawing)->sink, &(drawing)->status, __VA_ARGS__)

static double closest_rows(const struct drawing *drawing, bool most)
{
    double found = drawing->moire->dots[0].lpi;
    for (int i = 1; i < drawing->count; i++)
        if ((drawing->moire->dots[i].lpi > found) == most)
            found = drawing->moire->dots[i].lpi;
    return found;
}

/* ---- The spectrum --------------------------------------------------------------------------- */

static void draw_spectrum(struct drawing *drawing)
{
    const ro_moire *moire = drawing->moire;
    const double middle = EDGE + SIDE / 2.0, most = closest_rows(drawing, true);
    const double scale = SIDE / 2.0 / (1.15 * most);
    print(drawing, "<g stroke=\"#ccc\" fill=\"none\">\n");
    for (int i = 1; i <= 4; i++)
        print(drawing, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", middle, middle,
              most * i / 4 * scale);
    print(drawing, "<path d=\"M%d %.1fh%dM%.1f %dv%d\"/></g>\n", EDGE, middle, SIDE, middle, EDGE,
          SIDE);
    print(drawing, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#888\">%.4g lpi</text>\n",
          middle + most * scale * 0.72, middle + most * scale * 0.78, most);
    for (int i = 0; i < drawing->count; i++)
        for (int k = 0; k < 4; k++) {
            const double sign = k / 2 ? -1 : 1, *f = moire->rows[i][k % 2];
            const uint8_t *c = drawing->inks[i].colour;
            print(drawing,
                  "<path d=\"M%.1f %.1fL%.2f %.2f\" stroke=\"#%02x%02x%02x\" opacity=\"0.4\"/>\n",
                  middle, middle, middle + sign * f[0] * scale, middle + sign * f[1] * scale, c[0],
                  c[1], c[2]);
            print(drawing,
                  "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\" fill=\"#%02x%02x%02x\" "
                  "stroke=\"#666\"/>\n",
                  middle + sign * f[0] * scale, middle + sign * f[1] * scale, c[0], c[1], c[2]);
        }
    for (int i = moire->count - 1; i >= 0; i--)
        for (int k = -1; k <= 1; k += 2) {
            const ro_moire_wave *wave = &moire->waves[i];
            print(drawing,
                  "<circle class=\"moire\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"none\" "
                  "stroke=\"%s\" stroke-width=\"1.5\"/>\n",
                  middle + k * wave->x * scale, middle + k * wave->y * scale,
                  2 + 60 * sqrt(wave->seen), wave->pixels[0] || wave->pixels[1] ? "#c60" : "#c00");
        }
}

/* ---- Dots on each other --------------------------------------------------------------------- */

/* Discs of three tenths of a cell; the dots of an ink lie where both of its waves are whole. */
static void draw_rosette(struct drawing *drawing)
{
    const double left = SIDE + 2 * EDGE, inch = SIDE * closest_rows(drawing, false) / ACROSS;
    print(drawing,
          "<svg x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"%d\" style=\"isolation:isolate\">"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\" stroke=\"#ccc\"/>\n",
          left, EDGE, SIDE, SIDE);
    for (int n = 0; n < drawing->count; n++) {
        const double(*f)[2] = drawing->moire->rows[n];
        const double area = f[0][0] * f[1][1] - f[0][1] * f[1][0];
        const double u[2] = {f[1][1] / area * inch, -f[1][0] / area * inch};
        const double v[2] = {-f[0][1] / area * inch, f[0][0] / area * inch};
        const double radius = sqrt(0.3 * inch * inch / fabs(area) / 3.141592653589793);
        const int most = (int)(SIDE * 1.5 / sqrt(u[0] * u[0] + u[1] * u[1])) + 2;
        const uint8_t *c = drawing->inks[n].colour;
        print(drawing, "<g fill=\"#%02x%02x%02x\" style=\"mix-blend-mode:multiply\">\n", c[0], c[1],
              c[2]);
        for (int i = -most; i <= most; i++)
            for (int j = -most; j <= most; j++) {
                const double x = SIDE / 2.0 + i * u[0] + j * v[0];
                const double y = SIDE / 2.0 + i * u[1] + j * v[1];
                if (x > -radius && y > -radius && x < SIDE + radius && y < SIDE + radius)
                    print(drawing, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", x, y, radius);
            }
        print(drawing, "</g>\n");
    }
    print(drawing, "</svg>\n");
}

/* ---- In words ------------------------------------------------------------------------------- */

static void print_sum(struct drawing *drawing, const ro_moire_wave *wave)
{
    for (int i = 0; i < drawing->count; i++)
        if (wave->times[i][0] || wave->times[i][1])
            print(drawing, " %s (%d, %d)", drawing->inks[i].name, wave->times[i][0],
                  wave->times[i][1]);
    if (wave->pixels[0] || wave->pixels[1])
        print(drawing, " pixels (%d, %d)", wave->pixels[0], wave->pixels[1]);
}

static void print_words(struct drawing *drawing, int waves)
{
    const ro_moire *moire = drawing->moire;
    int y = SIDE + 2 * EDGE;
    for (int i = 0; i < drawing->count; i++, y += LINE)
        print(drawing, "<text x=\"%d\" y=\"%d\">%s: %.3f lpi at %.3f degrees, %u greys</text>\n",
              EDGE, y, drawing->inks[i].name, moire->dots[i].lpi, moire->dots[i].angle,
              moire->dots[i].greys);
    y += LINE / 2;
    print(drawing,
          "<text x=\"%d\" y=\"%d\">moiré that is seen: %.4f; shift of plates: %.4f</text>\n", EDGE,
          y, moire->seen, moire->shift);
    for (int i = 0; i < waves; i++) {
        const ro_moire_wave *wave = &moire->waves[i];
        y += LINE;
        print(drawing,
              "<text x=\"%d\" y=\"%d\">%.3f mm, %.1f pixels, contrast %.2f %%, seen %.2f %%:", EDGE,
              y, wave->period, wave->pixels_long, 100 * wave->contrast, 100 * wave->seen);
        print_sum(drawing, wave);
        print(drawing, "</text>\n");
    }
}

static ro_status check_name(struct open_file *file, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strcasecmp(dot, ".svg") != 0)
        return file_fail(file, RO_E_ARGUMENT, "moiré is drawn as .svg");
    return RO_OK;
}

ro_status ro_moire_accepts(ro_context *context, const char *path)
{
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct open_file file;
    file_init(&file, context, path, "standard output");
    ro_status status = check_name(&file, path);
    return status == RO_OK ? sink_check(&file, path) : status;
}

ro_status ro_moire_save(ro_context *context, const char *path, const ro_moire *moire,
                        const ro_ink *inks, int count)
{
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    if (count < 1 || count > RO_INKS_MOST)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d inks: must be from 1 to %d", count,
                               RO_INKS_MOST);
    if (!moire || !inks || moire->count < 0 || moire->count > RO_MOIRE_WAVES)
        return ro_context_fail(context, RO_E_ARGUMENT, "moiré needs inks and from 0 to %d waves",
                               RO_MOIRE_WAVES);
    for (int i = 0; i < count; i++)
        if (!inks[i].name)
            return ro_context_fail(context, RO_E_ARGUMENT, "ink %d has no name", i + 1);
    struct drawing drawing = {.sink = {.fd = -1}, .moire = moire, .inks = inks, .count = count};
    file_init(&drawing.file, context, path, "standard output");
    drawing.status = check_name(&drawing.file, path);
    if (drawing.status == RO_OK)
        drawing.status = sink_open(&drawing.sink, &drawing.file, path);
    if (drawing.status == RO_OK) {
        const int waves = moire->count < 12 ? moire->count : 12;
        const int height = SIDE + 3 * EDGE + (count + waves + 2) * LINE;
        print(&drawing,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
              "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"
              "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
              WIDTH, height, WIDTH, height);
        draw_spectrum(&drawing);
        draw_rosette(&drawing);
        print_words(&drawing, waves);
        print(&drawing, "</svg>\n");
    }
    if (drawing.status == RO_OK)
        drawing.status = sink_commit(&drawing.sink);
    sink_close(&drawing.sink);
    return drawing.status;
}
