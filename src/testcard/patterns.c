/* SPDX-License-Identifier: MIT */
/*
 * The patterns that judge a halftone by numbers: ramps and steps for tone, a zone plate for every
 * frequency in every direction, a star and line pairs for what remains of fine detail.
 */
#include "testcard/draw.h"

/* Tone of pixel x of `width` on a ramp from `low` to `high`; both ends are reached exactly. */
static uint32_t ramp(int64_t x, int64_t width, uint32_t low, uint32_t high)
{
    if (width < 2)
        return low;
    int64_t span = width - 1;
    return low + (uint32_t)((x * (int64_t)(high - low) + span / 2) / span);
}

static void ramp_row(const struct draw_panel *panel, uint32_t low, uint32_t high,
                     struct draw_pixel *out)
{
    for (int64_t x = 0; x < panel->width; x++)
        out[x] = grey(ramp(x, panel->width, low, high));
}

void draw_ramp(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    (void)y;
    ramp_row(panel, 0, 65535, out);
}

void draw_shadow_ramp(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    (void)y;
    ramp_row(panel, 0, 4096, out);
}

void draw_highlight_ramp(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    (void)y;
    ramp_row(panel, 65535 - 4096, 65535, out);
}

void draw_wedge(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    static const uint8_t steps[] = {0,   1,   2,   4,   8,   16,  32,  48,  64,  80,  96,  112, 128,
                                    143, 159, 175, 191, 207, 223, 239, 247, 251, 253, 254, 255};
    (void)y;
    for (int64_t x = 0; x < panel->width; x++)
        out[x] = grey(steps[x * (int64_t)sizeof steps / panel->width] * 257u);
}

void draw_channel_ramps(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    static const uint32_t thirds[] = {0, 21845, 43690, 65535};
    int64_t strip = y * 3 / panel->height;
    if (!panel->colour) {
        ramp_row(panel, thirds[strip], thirds[strip + 1], out);
        return;
    }
    for (int64_t x = 0; x < panel->width; x++) {
        uint16_t tone = (uint16_t)ramp(x, panel->width, 0, 65535);
        out[x] = (struct draw_pixel){strip == 0 ? tone : 0, strip == 1 ? tone : 0,
                                     strip == 2 ? tone : 0};
    }
}

/* cos of a number of turns in [0, 1): a polynomial on the first quarter, the rest by symmetry. */
static double cos_turns(double t)
{
    if (t > 0.5)
        t = 1 - t;
    double sign = t > 0.25 ? -1 : 1;
    if (t > 0.25)
        t = 0.5 - t;
    double a = t * 6.283185307179586, s = a * a;
    return sign * (1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90)))));
}

/* Rings whose pitch falls from infinity to two pixels at the rim. Beyond, where it would alias, it
 * fades to grey. The phase is an integer, so that it is exact at any size. */
void draw_zone_plate(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    int64_t side = panel->width < panel->height ? panel->width : panel->height;
    int64_t turn = 8 * side;
    int64_t dy = 2 * y + 1 - panel->height;
    for (int64_t x = 0; x < panel->width; x++) {
        int64_t dx = 2 * x + 1 - panel->width;
        int64_t square = dx * dx + dy * dy;
        double r = sqrt((double)square) / (double)side;
        double wave = r < 1 ? cos_turns((double)(square % turn) / (double)turn) : 0;
        out[x] = grey(level(0.5 + 0.5 * wave * (1 - smooth(0.9, 1, r))));
    }
}

/* The angle of (x, y) in turns, from 0 to 1, to about 1e-6. */
static double turns(double x, double y)
{
    double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
    double q = ax > ay ? ay / ax : ay > 0 ? ax / ay : 0, s = q * q;
    double a = q * (0.99997726 +
                    s * (-0.33262347 +
                         s * (0.19354346 + s * (-0.11643287 + s * (0.05265332 - s * 0.01172120)))));
    a *= 0.15915494309189535;
    if (ay >= ax)
        a = 0.25 - a;
    if (x < 0)
        a = 0.5 - a;
    return y < 0 ? 1 - a : a;
}

void draw_star(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    enum { SPOKES = 36 };
    double radius = 0.48 * (double)(panel->width < panel->height ? panel->width : panel->height);
    double dy = (double)y + 0.5 - 0.5 * (double)panel->height;
    for (int64_t x = 0; x < panel->width; x++) {
        double dx = (double)x + 0.5 - 0.5 * (double)panel->width;
        double r = sqrt(dx * dx + dy * dy);
        double pitch = 6.283185307179586 * r / SPOKES; /* of a pair, in pixels */
        double part = turns(dx, dy) * SPOKES + 0.25;
        part -= (double)floor_int(part);
        /* from the nearest edge of a spoke, in pixels along the circle, dark side positive */
        double edge = (part < 0.5 ? 0.25 - (part < 0.25 ? 0.25 - part : part - 0.25)
                                  : (part < 0.75 ? 0.75 - part : part - 0.75) - 0.25) *
                      pitch;
        /* where a pair of spokes is narrower than two pixels only their mean is left */
        double dark = mix(0.5, clamp01(0.5 + edge), smooth(1.4, 2.2, pitch));
        dark *= clamp01(radius - r + 0.5);
        out[x] = grey(level(1 - dark));
    }
}

/* Lines one, two, three ... pixels wide, whatever the size of the card: upright above, level
 * below. */
void draw_line_pairs(const struct draw_panel *panel, int64_t y, struct draw_pixel *out)
{
    static const uint8_t widths[] = {1, 2, 3, 4, 6, 8};
    enum { GROUPS = sizeof widths };
    int64_t half = panel->height / 2;
    bool upright = y < half;
    int64_t group_height = upright ? half : panel->height - half;
    int64_t v = upright ? y : y - half;
    for (int64_t x = 0; x < panel->width; x++) {
        int64_t group = x * GROUPS / panel->width;
        int64_t start = (group * panel->width + GROUPS - 1) / GROUPS;
        int64_t end = ((group + 1) * panel->width + GROUPS - 1) / GROUPS;
        int64_t gap = (end - start) / 8;
        bool inside = x >= start + gap && x < end - gap && v >= gap && v < group_height - gap;
        int64_t across = upright ? x - start - gap : v - gap;
        out[x] = grey(inside && across / widths[group] % 2 == 0 ? 0 : 65535);
    }
}
