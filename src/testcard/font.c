/* SPDX-License-Identifier: MIT */
/*
 * Text: a bitmap font of 5 x 7 dots for letters as small as pixels allow, and the name of the
 * program as strokes, smooth at any size.
 */
#include "testcard/draw.h"

#include <stdio.h>
#include <string.h>

/* Bit 4 is the leftmost dot. */
static const uint8_t letters[128][FONT_HEIGHT] = {
    ['!'] = {0x04, 0x04, 0x04, 0x04, 0x04, 0x00, 0x04},
    ['%'] = {0x18, 0x19, 0x02, 0x04, 0x08, 0x13, 0x03},
    ['('] = {0x02, 0x04, 0x08, 0x08, 0x08, 0x04, 0x02},
    [')'] = {0x08, 0x04, 0x02, 0x02, 0x02, 0x04, 0x08},
    ['+'] = {0x00, 0x04, 0x04, 0x1f, 0x04, 0x04, 0x00},
    [','] = {0x00, 0x00, 0x00, 0x00, 0x0c, 0x04, 0x08},
    ['-'] = {0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00},
    ['.'] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c},
    ['/'] = {0x00, 0x01, 0x02, 0x04, 0x08, 0x10, 0x00},
    ['0'] = {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e},
    ['1'] = {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e},
    ['2'] = {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f},
    ['3'] = {0x1f, 0x02, 0x04, 0x06, 0x01, 0x11, 0x0e},
    ['4'] = {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02},
    ['5'] = {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e},
    ['6'] = {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e},
    ['7'] = {0x1f, 0x01, 0x02, 0x04, 0x04, 0x08, 0x08},
    ['8'] = {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e},
    ['9'] = {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c},
    [':'] = {0x00, 0x0c, 0x0c, 0x00, 0x0c, 0x0c, 0x00},
    ['='] = {0x00, 0x00, 0x1f, 0x00, 0x1f, 0x00, 0x00},
    ['?'] = {0x0e, 0x11, 0x01, 0x02, 0x04, 0x00, 0x04},
    ['A'] = {0x04, 0x0a, 0x11, 0x11, 0x1f, 0x11, 0x11},
    ['B'] = {0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e},
    ['C'] = {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e},
    ['D'] = {0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e},
    ['E'] = {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f},
    ['F'] = {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10},
    ['G'] = {0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0f},
    ['H'] = {0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11},
    ['I'] = {0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e},
    ['J'] = {0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c},
    ['K'] = {0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11},
    ['L'] = {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f},
    ['M'] = {0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11},
    ['N'] = {0x11, 0x19, 0x19, 0x15, 0x13, 0x13, 0x11},
    ['O'] = {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e},
    ['P'] = {0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10},
    ['Q'] = {0x0e, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0d},
    ['R'] = {0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11},
    ['S'] = {0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e},
    ['T'] = {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04},
    ['U'] = {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e},
    ['V'] = {0x11, 0x11, 0x11, 0x11, 0x0a, 0x0a, 0x04},
    ['W'] = {0x11, 0x11, 0x11, 0x15, 0x15, 0x1b, 0x11},
    ['X'] = {0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11},
    ['Y'] = {0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04},
    ['Z'] = {0x1f, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1f},
    ['a'] = {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f},
    ['b'] = {0x10, 0x10, 0x1e, 0x11, 0x11, 0x11, 0x1e},
    ['c'] = {0x00, 0x00, 0x0e, 0x11, 0x10, 0x11, 0x0e},
    ['d'] = {0x01, 0x01, 0x0f, 0x11, 0x11, 0x11, 0x0f},
    ['e'] = {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e},
    ['f'] = {0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08},
    ['g'] = {0x00, 0x00, 0x0f, 0x11, 0x0f, 0x01, 0x0e},
    ['h'] = {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11},
    ['i'] = {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e},
    ['j'] = {0x02, 0x00, 0x06, 0x02, 0x02, 0x12, 0x0c},
    ['k'] = {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12},
    ['l'] = {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e},
    ['m'] = {0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15},
    ['n'] = {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11},
    ['o'] = {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e},
    ['p'] = {0x00, 0x00, 0x1e, 0x11, 0x1e, 0x10, 0x10},
    ['q'] = {0x00, 0x00, 0x0f, 0x11, 0x0f, 0x01, 0x01},
    ['r'] = {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10},
    ['s'] = {0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e},
    ['t'] = {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06},
    ['u'] = {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d},
    ['v'] = {0x00, 0x00, 0x11, 0x11, 0x0a, 0x0a, 0x04},
    ['w'] = {0x00, 0x00, 0x11, 0x11, 0x15, 0x15, 0x0a},
    ['x'] = {0x00, 0x00, 0x11, 0x0a, 0x04, 0x0a, 0x11},
    ['y'] = {0x00, 0x00, 0x11, 0x11, 0x0f, 0x01, 0x0e},
    ['z'] = {0x00, 0x00, 0x1f, 0x02, 0x04, 0x08, 0x1f},
};

const uint8_t *draw_font(char character)
{
    unsigned char code = (unsigned char)character;
    return letters[code < 128 ? code : ' '];
}

/* ---- the wordmark ------------------------------------------------------------------------- */

/* A stroke is a straight line from (x, y) to (x2, y2), or with a radius an arc round (x, y): all of
 * the circle, or the half of it that lies towards (x2, y2). */
static const struct stroke {
    double x, y, x2, y2, radius;
} strokes[] = {
    /* R */
    {0.20, 0.20, 0.20, 1.65, 0},
    {0.20, 0.20, 0.60, 0.20, 0},
    {0.60, 0.57, 1, 0, 0.37},
    {0.20, 0.94, 0.60, 0.94, 0},
    {0.58, 0.94, 1.02, 1.65, 0},
    /* o */
    {1.83, 1.20, 0, 0, 0.45},
    /* u */
    {2.70, 0.75, 2.70, 1.25, 0},
    {3.10, 1.25, 0, 1, 0.40},
    {3.50, 0.75, 3.50, 1.65, 0},
    /* n */
    {3.98, 0.75, 3.98, 1.65, 0},
    {4.38, 1.15, 0, -1, 0.40},
    {4.78, 1.15, 4.78, 1.65, 0},
    /* d */
    {5.64, 1.20, 0, 0, 0.45},
    {6.09, 0.10, 6.09, 1.65, 0},
    /* o */
    {6.96, 1.20, 0, 0, 0.45},
    /* f f */
    {7.92, 0.50, 7.92, 1.65, 0},
    {8.22, 0.50, -1, -2.4, 0.30},
    {8.497, 0.385, 8.50, 0.392, 0},
    {7.70, 0.78, 8.34, 0.78, 0},
    {8.84, 0.50, 8.84, 1.65, 0},
    {9.14, 0.50, -1, -2.4, 0.30},
    {9.417, 0.385, 9.42, 0.392, 0},
    {8.62, 0.78, 9.26, 0.78, 0},
};

static double stroke_distance(const struct stroke *s, double x, double y)
{
    double px = x - s->x, py = y - s->y;
    if (s->radius > 0) {
        if (px * s->x2 + py * s->y2 < 0)
            return 1e9;
        double d = sqrt(px * px + py * py) - s->radius;
        return d < 0 ? -d : d;
    }
    double dx = s->x2 - s->x, dy = s->y2 - s->y;
    double t = clamp01((px * dx + py * dy) / (dx * dx + dy * dy));
    px -= t * dx;
    py -= t * dy;
    return sqrt(px * px + py * py);
}

double draw_wordmark(double x, double y, double pixel)
{
    const double half_width = 0.105;
    double nearest = 1e9;
    for (size_t i = 0; i < sizeof strokes / sizeof *strokes; i++) {
        double d = stroke_distance(&strokes[i], x, y);
        nearest = d < nearest ? d : nearest;
    }
    return clamp01((half_width - nearest) / pixel + 0.5);
}

/* ---- captions ----------------------------------------------------------------------------- */

enum { LINE_HEIGHT = FONT_HEIGHT + 3 };

/* A line of text: its number, the pixels of a dot, the top row. */
struct line {
    int number, scale;
    int64_t top;
};

/* The line that row y lies in. Lines grow by the table while they fit into `height`; what is left
 * over is filled with the smallest text. False below the last line that fits. */
static bool find_line(int64_t y, int64_t height, struct line *line)
{
    static const uint8_t scales[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};
    *line = (struct line){0, 1, 0};
    for (; line->number < (int)sizeof scales; line->number++) {
        line->scale = scales[line->number];
        if (line->top + line->scale * (FONT_HEIGHT + 1) > height)
            break;
        if (y < line->top + line->scale * LINE_HEIGHT)
            return true;
        line->top += line->scale * LINE_HEIGHT;
    }
    int64_t more = (y - line->top) / LINE_HEIGHT;
    line->scale = 1;
    line->top += more * LINE_HEIGHT;
    line->number += (int)more;
    return line->top + FONT_HEIGHT + 1 <= height;
}

static void text_row(const struct draw_panel *panel, int64_t y, int64_t height,
                     struct draw_pixel *out)
{
    static const char *const words[] = {
        "The rounding error is not thrown away, it is steered.",
        "Pack my box with five dozen liquor jugs: 0123456789",
        "ABCDEFGHIJKLM NOPQRSTUVWXYZ abcdefghijklm nopqrstuvwxyz",
    };
    struct line line;
    if (!find_line(y, height, &line) || (y - line.top) / line.scale >= FONT_HEIGHT)
        return;
    int64_t row = (y - line.top) / line.scale;
    char text[160];
    if (line.scale == 1 && line.number > 0)
        snprintf(text, sizeof text, "%s", words[line.number % 3]);
    else if (line.scale == 1)
        snprintf(text, sizeof text, "Roundoff %d x %d px  %s %s", (int)panel->card_width,
                 (int)panel->card_height, words[0], words[1]);
    else
        snprintf(text, sizeof text, "Roundoff %dx  %s", line.scale, words[line.number % 3]);

    /* as many whole words as fit */
    int64_t advance = (int64_t)(FONT_WIDTH + 1) * line.scale, margin = 2 + panel->width / 64;
    int64_t room = (panel->width - 2 * margin + line.scale) / advance;
    size_t length = strlen(text);
    if (room < (int64_t)length) {
        length = room > 0 ? (size_t)room : 0;
        for (size_t i = length; i > 0; i--)
            if (text[i] == ' ') {
                length = i;
                break;
            }
    }
    for (size_t i = 0; i < length; i++) {
        struct draw_pixel *left = out + margin + (int64_t)i * advance;
        uint8_t dots = draw_font(text[i])[row];
        for (int x = 0; x < FONT_WIDTH * line.scale; x++)
            if (dots >> (FONT_WIDTH - 1 - x / line.scale) & 1)
                left[x] = grey(0);
    }
}

static void name_row(const struct draw_panel *panel, int64_t y, int64_t height,
                     struct draw_pixel *out)
{
    double unit = (double)panel->width / (DRAW_WORDMARK_WIDTH + 0.6);
    double tall = (double)height / (DRAW_WORDMARK_HEIGHT + 0.3);
    unit = unit < tall ? unit : tall;
    double left = ((double)panel->width / unit - DRAW_WORDMARK_WIDTH) / 2;
    double top = ((double)height / unit - DRAW_WORDMARK_HEIGHT) / 2;
    for (int64_t x = 0; x < panel->width; x++) {
        double dark = draw_wordmark(((double)x + 0.5) / unit - left, ((double)y + 0.5) / unit - top,
                                    1 / unit);
        out[x] = grey(level(1 - dark));
    }
}

/* The name above, text from one dot a pixel up below it, at the foot white on black. */
void draw_captions(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    int64_t name = panel->height * 38 / 100, dark = panel->height * 76 / 100;
    for (int64_t x = 0; x < panel->width; x++)
        out[x] = grey(65535);
    if (y < name) {
        name_row(panel, y, name, out);
    } else if (y < dark) {
        text_row(panel, y - name, dark - name, out);
    } else {
        if (y >= dark + 2)
            text_row(panel, y - dark - 2, panel->height - dark - 2, out);
        for (int64_t x = 0; x < panel->width; x++)
            out[x] = grey(65535u - out[x].r);
    }
}
