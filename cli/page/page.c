/* SPDX-License-Identifier: MIT */
#include "cli/page/page.h"

#include "roundoff_io.h"

#include <stdlib.h>
#include <string.h>

static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? '?' : *text, file);
        }
}

ro_status page_open(ro_context *context, struct page *page, const char *title)
{
    const ro_status status = printed_open(context, &page->printed);
    page->data = page->printed.file;
    if (status != RO_OK)
        return status;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          page->data);
    put_escaped(page->data, title);
    fprintf(page->data,
            "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n<body>\n"
            "<noscript>This page draws its plots with a script.</noscript>\n"
            "<script type=\"application/json\" id=\"data\">{\"version\": \"%s\"",
            page_page_css, ro_version());
    return RO_OK;
}

static void put_base64(FILE *file, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t word = (uint32_t)bytes[i] << 16 |
                              (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[word >> 18], file);
        fputc(digits[word >> 12 & 63], file);
        fputc(left > 1 ? digits[word >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[word & 63] : '=', file);
    }
}

ro_status page_picture(ro_context *context, struct page *page, const ro_image *image)
{
    void *bytes;
    size_t size;
    ro_status status = ro_image_encode(context, "png", image, &bytes, &size);
    if (status != RO_OK)
        return status;
    fputs("\"data:image/png;base64,", page->data);
    put_base64(page->data, bytes, size);
    fputc('"', page->data);
    free(bytes);
    return RO_OK;
}

ro_status page_save(ro_context *context, struct page *page, const char *script, const char *path)
{
    fprintf(page->data, "}</script>\n<script>\n%s%s</script>\n</body>\n</html>\n", page_plots_js,
            script);
    return printed_save(context, &page->printed, path);
}

void page_close(struct page *page)
{
    printed_close(&page->printed);
    page->data = NULL;
}

ro_image page_part(const ro_image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    ro_image part = *image;
    part.width = width;
    part.height = height;
    part.data = (char *)image->data + (ptrdiff_t)y * image->stride +
                (x ? ro_format_row_bytes(image->format, x) : 0);
    return part;
}
