/* SPDX-License-Identifier: MIT */
/*
 * What the drawing files share: pixels, panels, noise and small arithmetic.
 *
 * Every pixel must come out the same on every machine. So there is nothing from libm here but sqrt
 * and sqrtf, which IEEE 754 defines to the last bit; sums and products are evaluated in the order
 * they are written, without contraction.
 */
#ifndef RO_TESTCARD_DRAW_H
#define RO_TESTCARD_DRAW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A pixel before it is reduced to a format: display values, 65535 is white. */
struct draw_pixel {
    uint16_t r, g, b;
};

/* Light, or a display value from 0 to 1. */
struct draw_light {
    float r, g, b;
};

/* A rectangle of the card. Sides may be 0; then nothing of it is drawn. */
struct draw_panel {
    int64_t x, y, width, height;
    int64_t card_width, card_height; /* of the whole picture, for captions */
    bool colour;
};

/* ---- small arithmetic --------------------------------------------------------------------- */

/* Written so that it compiles to a maximum and a minimum, without a branch. */
static inline double clamp01(double x)
{
    x = x > 0 ? x : 0;
    return x < 1 ? x : 1;
}

/* The quotient is folded where `from` and `to` are constants. */
static inline double smooth(double from, double to, double x)
{
    double t = clamp01((x - from) * (1 / (to - from)));
    return t * t * (3 - 2 * t);
}

static inline double mix(double a, double b, double t) { return a + (b - a) * t; }

static inline struct draw_light light(double r, double g, double b)
{
    return (struct draw_light){(float)r, (float)g, (float)b};
}

static inline struct draw_light light_mix(struct draw_light a, struct draw_light b, double amount)
{
    float t = (float)amount;
    return (struct draw_light){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static inline struct draw_light light_scale(struct draw_light a, double amount)
{
    float t = (float)amount;
    return (struct draw_light){a.r * t, a.g * t, a.b * t};
}

static inline struct draw_light light_add(struct draw_light a, struct draw_light b)
{
    return (struct draw_light){a.r + b.r, a.g + b.g, a.b + b.b};
}

static inline struct draw_light light_filter(struct draw_light a, struct draw_light b)
{
    return (struct draw_light){a.r * b.r, a.g * b.g, a.b * b.b};
}

static inline int64_t floor_int(double x)
{
    int64_t i = (int64_t)x;
    return i - (x < (double)i);
}

static inline uint16_t level(double value) { return (uint16_t)(clamp01(value) * 65535 + 0.5); }

static inline struct draw_pixel grey(uint32_t value)
{
    return (struct draw_pixel){(uint16_t)value, (uint16_t)value, (uint16_t)value};
}

static inline struct draw_pixel display(struct draw_light a)
{
    return (struct draw_pixel){level(a.r), level(a.g), level(a.b)};
}

/* ---- noise -------------------------------------------------------------------------------- */

/* Value noise on a lattice that repeats after NOISE_SIDE: smooth, from 0 to 1. */
enum { NOISE_SIDE = 128 };
struct draw_noise {
    double lattice[NOISE_SIDE][NOISE_SIDE];
};
void draw_noise_fill(struct draw_noise *noise, uint64_t seed);

struct draw_slope {
    double value, dx, dy;
};

static inline struct draw_slope draw_noise_slope(const struct draw_noise *noise, double x, double y)
{
    int64_t i = floor_int(x), j = floor_int(y);
    double s = x - (double)i, t = y - (double)j;
    const double *upper = noise->lattice[j & (NOISE_SIDE - 1)];
    const double *lower = noise->lattice[(j + 1) & (NOISE_SIDE - 1)];
    unsigned left = i & (NOISE_SIDE - 1), right = (i + 1) & (NOISE_SIDE - 1);
    double a = upper[left], b = upper[right] - a, c = lower[left] - a;
    double d = lower[right] - a - b - c;
    double u = s * s * (3 - 2 * s), v = t * t * (3 - 2 * t);
    return (struct draw_slope){a + b * u + (c + d * u) * v, 6 * s * (1 - s) * (b + d * v),
                               6 * t * (1 - t) * (c + d * u)};
}

static inline double draw_noise_at(const struct draw_noise *noise, double x, double y)
{
    return draw_noise_slope(noise, x, y).value;
}

/* Octaves of noise, each turned against the one before so that no lattice direction shows. About
 * 0.5 on average. */
static inline double draw_noise_sum(const struct draw_noise *noise, double x, double y, int octaves)
{
    double sum = 0, weight = 0.5, total = 0;
    for (int i = 0; i < octaves; i++) {
        sum += weight * draw_noise_at(noise, x, y);
        total += weight;
        double turned = 1.6 * x - 1.2 * y;
        y = 1.2 * x + 1.6 * y + 17.3;
        x = turned + 5.1;
        weight *= 0.5;
    }
    return sum / total;
}

/* ---- panels ------------------------------------------------------------------------------- */

/* Draws one row of a panel into `out`, panel->width pixels. */
typedef void draw_row_fn(const struct draw_panel *panel, int64_t y, struct draw_pixel *out);

draw_row_fn draw_ramp;           /* black to white */
draw_row_fn draw_wedge;          /* steps, the ends in single 8-bit levels */
draw_row_fn draw_shadow_ramp;    /* the darkest sixteenth */
draw_row_fn draw_highlight_ramp; /* the brightest sixteenth */
draw_row_fn draw_channel_ramps;  /* red, green and blue; in grey, three thirds of the ramp */
draw_row_fn draw_zone_plate;
draw_row_fn draw_star;
draw_row_fn draw_line_pairs;
draw_row_fn draw_captions;
draw_row_fn draw_solids;

/* The photograph-like scene goes by columns, as its terrain is cast column by column. A column is
 * accumulated in `column`, panel->height samples that the caller lends, and written to
 * out[y * out_step]. */
struct draw_sample {
    struct draw_light sum;
    float weight;
};
struct draw_scene {
    struct draw_noise noise;
    double house_x, house_y, house_size; /* where the house stands, in picture heights */
};
void draw_scene_open(struct draw_scene *scene);
void draw_scene_column(const struct draw_scene *scene, const struct draw_panel *panel, int64_t x,
                       struct draw_sample *column, struct draw_pixel *out, int64_t out_step);

/* The 5x7 letters: bit 4 - x of row y is the dot at (x, y). Characters without a letter are blank.
 */
enum { FONT_WIDTH = 5, FONT_HEIGHT = 7 };
const uint8_t *draw_font(char character);

/* How dark the wordmark is at a point: 1 inside a stroke, 0 outside, in between over one `pixel`.
 * The x-height is 1, y points down from the top. */
double draw_wordmark(double x, double y, double pixel);
#define DRAW_WORDMARK_WIDTH 9.6
#define DRAW_WORDMARK_HEIGHT 1.85

#endif
