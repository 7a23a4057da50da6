/* SPDX-License-Identifier: MIT */
/*
 * The record of a descent: a table, and a curve after Figure 4.16 of Strzodka's thesis. The curve
 * breaks where the scale changes; an x on the axis marks a finer grid.
 */
#include "cli/register/pictures.h"

#include <math.h>
#include <stdbool.h>

void write_energies_csv(FILE *file, const ro_register_step *steps, uint32_t count)
{
    fputs("update,scale,width,height,epsilon,sigma,energy,change,trials\n", file);
    for (uint32_t i = 0; i < count; i++) {
        const ro_register_step *s = &steps[i];
        fprintf(file, "%u,%u,%u,%u,%.6g,%.6g,%.9g,%.6g,%u\n", i + 1, s->scale + 1, s->width,
                s->height, s->epsilon, s->sigma, s->energy, s->change, s->trials);
    }
}

enum { WIDTH = 720, HEIGHT = 420, LEFT = 78, RIGHT = 16, TOP = 28, BOTTOM = 48 };

struct axes {
    double least, most; /* powers of ten of the energy */
    uint32_t count;
};

static double place_x(const struct axes *axes, double update)
{
    double along = axes->count > 1 ? (update - 1) / (axes->count - 1) : 0.5;
    return LEFT + 6 + along * (WIDTH - LEFT - RIGHT - 12);
}

static double place_y(const struct axes *axes, double energy)
{
    double up = (log10(energy) - axes->least) / (axes->most - axes->least);
    return HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM);
}

static void write_axes(FILE *file, const struct axes *axes)
{
    fprintf(file,
            "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">update</text>\n"
            "<text x=\"%d\" y=\"18\">energy</text>\n",
            LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
            LEFT - 50);
    for (double power = axes->least; power <= axes->most; power++) {
        double y = place_y(axes, pow(10, power));
        fprintf(file,
                "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%.0f</text>\n",
                LEFT + 1, y, WIDTH - RIGHT, LEFT - 8, y + 4, power);
    }
    uint32_t every = axes->count > 100 ? 20 : axes->count > 20 ? 10 : 1;
    for (uint32_t i = every; i <= axes->count; i += every)
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                place_x(axes, i), HEIGHT - BOTTOM + 22, i);
}

void write_energies_svg(FILE *file, const ro_register_step *steps, uint32_t count)
{
    struct axes axes = {.least = INFINITY, .most = -INFINITY, .count = count};
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].energy > 0) {
            axes.least = fmin(axes.least, floor(log10(steps[i].energy)));
            axes.most = fmax(axes.most, ceil(log10(steps[i].energy)));
        }
    if (!(axes.least < axes.most)) { /* nothing moved, or all energies are one power of ten */
        axes.least = isfinite(axes.least) ? axes.least - 1 : -6;
        axes.most = axes.least + 2;
    }
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT);
    write_axes(file, &axes);
    for (uint32_t i = 0; i < count; i++) {
        bool begins = i == 0 || steps[i].scale != steps[i - 1].scale;
        bool ends = i + 1 == count || steps[i + 1].scale != steps[i].scale;
        double x = place_x(&axes, i + 1.0);
        double y = place_y(&axes, fmax(steps[i].energy, pow(10, axes.least)));
        if (i > 0 && steps[i].width != steps[i - 1].width)
            fprintf(file, "<path d=\"M%.1f %dl8 8m0 -8l-8 8\" stroke=\"#c00\"/>\n", x - 4,
                    HEIGHT - BOTTOM - 4);
        if (begins)
            fprintf(file, "<path fill=\"none\" stroke=\"#036\" stroke-width=\"1.5\" d=\"M");
        fprintf(file, "%s%.1f %.1f", begins ? "" : "L", x, y);
        if (ends)
            fputs("\"/>\n", file);
    }
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\" fill=\"#036\"/>\n",
                place_x(&axes, i + 1.0),
                place_y(&axes, fmax(steps[i].energy, pow(10, axes.least))));
    fputs("</svg>\n", file);
}
