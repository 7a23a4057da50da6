/* SPDX-License-Identifier: MIT */
/* Pixels in memory, with the core library alone: a grey ramp as dots on the terminal. */
#include <roundoff.h>
#include <stdio.h>

int main(void)
{
    enum { WIDTH = 64, HEIGHT = 12 };
    unsigned char pixels[HEIGHT][WIDTH], dots[HEIGHT][WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            pixels[y][x] = (unsigned char)(x * 255 / (WIDTH - 1));

    ro_context *context;
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    ro_image in = ro_image_view(RO_GREY8, WIDTH, HEIGHT, pixels);
    ro_image out = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, dots);
    out.maxval = 1;
    ro_status status = ro_halftone(context, &in, &out, NULL);
    for (int y = 0; y < HEIGHT && status == RO_OK; y++) {
        for (int x = 0; x < WIDTH; x++)
            putchar(dots[y][x] ? '#' : '.');
        putchar('\n');
    }
    if (status != RO_OK)
        fprintf(stderr, "%s\n", ro_context_message(context));
    ro_context_close(context);
    return status != RO_OK;
}
