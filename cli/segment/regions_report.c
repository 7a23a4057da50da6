/* SPDX-License-Identifier: MIT */
/* What roundoff segment says of fronts that competed: lines, JSON, and a table of the labels. */
#include "cli/segment/segment.h"

#include "cli/common/pictures.h"

#include <string.h>

enum { MOST_LINES = 8 }; /* labels that get a line each */

static const char *const kinds[] = {"none", "bright", "dark", "band"};

/* A number of the library as one of the file. */
static double own(const struct regions_told *told, double number)
{
    return told->zero + told->unit * number;
}

static const char *ending(const ro_region *region)
{
    return region->useless & RO_LABEL_EVERYTHING ? "everything"
           : region->useless & RO_LABEL_NOTHING  ? "nothing"
           : region->border                      ? "border"
                                                 : "held";
}

/* Labels of more than so many medians of the others. */
static size_t count_floods(const struct regions_told *told, double medians)
{
    size_t count = 0;
    for (size_t i = 0; i < told->labels; i++)
        count += told->table[i].medians > medians;
    return count;
}

/* "5, 9 and 12" or "5, 9, 12 and 7 more". */
static void list_floods(const struct regions_told *told, char *text, size_t size)
{
    enum { MOST = 5 };
    const size_t all = told->report->floods;
    size_t named = 0, used = 0;
    *text = '\0';
    for (size_t i = 0; i < told->labels && named < MOST && used < size; i++) {
        if (!(told->table[i].medians > RO_MEDIANS_OF_FLOOD))
            continue;
        const char *const before = named == 0 ? "" : named + 1 == all ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%u", before, told->table[i].label);
        named++;
    }
    if (named < all && used < size)
        snprintf(text + used, size - used, " and %zu more", all - named);
}

static size_t count_endings(const struct regions_told *told, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < told->labels; i++)
        count += strcmp(ending(&told->table[i]), name) == 0;
    return count;
}

void regions_lines(const struct regions_told *told)
{
    const ro_report *ran = told->ran;
    fprintf(stderr,
            "segment: %zu competing front%s, %zu label%s, smoothed by %.1f px, %u x %u, %s, %d "
            "thread%s, %.1f ms\n",
            told->report->fronts, told->report->fronts == 1 ? "" : "s", told->labels,
            told->labels == 1 ? "" : "s", told->report->smooth, ran->width, ran->height,
            ran->schedule, ran->threads, ran->threads == 1 ? "" : "s", 1e3 * told->seconds);
    for (size_t i = 0; i < told->labels && told->labels <= MOST_LINES; i++) {
        const ro_region *r = &told->table[i];
        fprintf(
            stderr, "segment: label %u: area %llu, perimeter %.1f, centre (%.1f, %.1f), mean %.4g",
            r->label, (unsigned long long)r->area, r->perimeter, r->x, r->y, own(told, r->mean));
        if (told->report->fronts == 1)
            fprintf(stderr, ", window %.4g to %.4g", own(told, told->fronts[0].low),
                    own(told, told->fronts[0].high));
        fputc('\n', stderr);
    }
    const size_t border = count_endings(told, "border"), nothing = count_endings(told, "nothing");
    if (border)
        fprintf(stderr, "segment: %zu label%s reached the border of the picture\n", border,
                border == 1 ? "" : "s");
    if (told->report->floods) {
        char floods[128];
        list_floods(told, floods, sizeof floods);
        fprintf(stderr,
                "segment: warning: label%s %s %s more than %d times the median area of the others: "
                "most likely a flood\n",
                told->report->floods == 1 ? "" : "s", floods,
                told->report->floods == 1 ? "has" : "have", RO_MEDIANS_OF_FLOOD);
    }
    if (nothing)
        fprintf(stderr, "segment: warning: %zu label%s got no pixel: others cover the seed%s\n",
                nothing, nothing == 1 ? "" : "s", nothing == 1 ? "" : "s");
}

static void print_region(FILE *file, const struct regions_told *told, const ro_region *r)
{
    json_put(file,
             "{label %u, fronts %u, area %llu, perimeter %.6f, box [%u, %u, %u, %u], centroid "
             "[%.6f, %.6f], mean %.6f, ended %s, useless %hhd, confidence %.3f, medians "
             "%.3f}",
             r->label, r->fronts, (unsigned long long)r->area, r->perimeter, r->left, r->top,
             r->right, r->bottom, r->x, r->y, own(told, r->mean), ending(r), r->useless,
             r->confidence, r->medians);
}

static void print_regions(FILE *file, const struct regions_told *told, const char *between)
{
    fputc('[', file);
    for (size_t i = 0; i < told->labels; i++) {
        fputs(i ? between : "", file);
        print_region(file, told, &told->table[i]);
    }
    fputc(']', file);
}

void regions_json(FILE *file, const struct regions_told *told, const struct operands *files)
{
    json_put(file,
             "{command %s, input %s, output %s, fronts %s, schedule %s, device %s, threads %d, "
             "width %u, height %u, smooth %.17g, way %.17g, labels ",
             "segment", files->path[0], files->path[1], "competing", told->ran->schedule, "cpu",
             told->ran->threads, told->ran->width, told->ran->height, told->report->smooth,
             told->report->way);
    print_regions(file, told, ", ");
    json_put(file, ", seeds [");
    for (size_t i = 0; i < told->report->fronts; i++) {
        const ro_region_front *front = &told->fronts[i];
        json_put(file, "%c{label %u, x %.6f, y %.6f, kind %s, window [%.6f, %.6f], area %llu}",
                 i > 0, front->label, front->x, front->y, kinds[front->kind], own(told, front->low),
                 own(told, front->high), (unsigned long long)front->area);
    }
    fputc(']', file);
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", told->seconds);
}

void regions_table(FILE *file, const struct regions_told *told, bool json)
{
    if (json) {
        print_regions(file, told, ",\n");
        fputc('\n', file);
        return;
    }
    fputs("label,fronts,area,perimeter,left,top,right,bottom,x,y,mean,ended,confidence,medians\n",
          file);
    for (size_t i = 0; i < told->labels; i++) {
        const ro_region *r = &told->table[i];
        fprintf(file, "%u,%u,%llu,%.6f,%u,%u,%u,%u,%.6f,%.6f,%.6f,%s,%.3f,%.3f\n", r->label,
                r->fronts, (unsigned long long)r->area, r->perimeter, r->left, r->top, r->right,
                r->bottom, r->x, r->y, own(told, r->mean), ending(r), r->confidence, r->medians);
    }
}

bool regions_are_useless(const struct regions_told *told, bool strict)
{
    const size_t nothing = count_endings(told, "nothing"); /* and where no object was found */
    return count_endings(told, "everything") || nothing == told->labels ||
           (strict && (nothing || count_endings(told, "border") ||
                       count_floods(told, RO_MEDIANS_OF_FAILURE)));
}

int regions_useless(const struct regions_told *told, bool strict, const char *out)
{
    const size_t nothing = count_endings(told, "nothing"), border = count_endings(told, "border");
    if (told->labels == 0)
        fail("no object was found, so %s was not written: give seeds, or --force", out);
    else if (count_endings(told, "everything"))
        fail("a label filled the whole picture, so %s was not written: try seeds that lie inside "
             "the object, --window LO,HI, or --force",
             out);
    else if (nothing == told->labels || (strict && nothing))
        fail("%zu of %zu labels got no pixel, so %s was not written: try seeds that do not cover "
             "one another, or --force",
             nothing, told->labels, out);
    else if (count_floods(told, RO_MEDIANS_OF_FAILURE))
        fail("%zu of %zu labels have more than %d times the median area of the others, so %s was "
             "not written: leave out --strict, or add --force",
             count_floods(told, RO_MEDIANS_OF_FAILURE), told->labels, RO_MEDIANS_OF_FAILURE, out);
    else
        fail("%zu of %zu labels reached the border of the picture, so %s was not written: leave "
             "out --strict, or add --force",
             border, told->labels, out);
    return EXIT_USELESS;
}
