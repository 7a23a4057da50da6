/* SPDX-License-Identifier: MIT */
/*
 * Pages: one HTML file that needs nothing else, opened from the disk. The style and the scripts lie
 * in cli/page/ and are compiled in; the program adds the data as JSON, pictures as PNG within it.
 */
#ifndef RO_CLI_PAGE_PAGE_H
#define RO_CLI_PAGE_PAGE_H

#include "cli/common/cli.h"
#include "cli/common/string_buffer.h"

/* A page in the making; `data` takes the members of its JSON object. */
struct page {
    FILE *data;
    struct printed printed;
};

ro_status page_open(ro_context *context, struct page *page, const char *title);

/* Puts a picture into the data, as a string. */
ro_status page_picture(ro_context *context, struct page *page, const ro_image *image);

/* Adds a script of cli/page/ and writes the file. */
ro_status page_save(ro_context *context, struct page *page, const char *script, const char *path);
void page_close(struct page *page);

/* A view of a part of an image; of packed bits, x must be a multiple of 8. */
ro_image page_part(const ro_image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

/* The page of `roundoff measure`. */
ro_status page_measure(ro_context *context, const char *path, const char *const names[2],
                       const ro_image *original, const ro_image *result,
                       const ro_measure_report *report);

/* As compiled in. */
extern const char page_page_css[], page_plots_js[], page_measure_js[], page_compare_js[];

#endif
