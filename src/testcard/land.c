/* SPDX-License-Identifier: MIT */
/*
 * The land and the sky: a lake shore, wooded hills, mountains with snow, haze, and clouds.
 *
 * Mountains are octaves of noise, each weakened where the ones before are steep: slopes stay clean
 * and valleys gather detail, as if water had run there.
 */
#include "testcard/lake.h"

static const double sun_x = 0.90, sun_y = 0.36, sun_z = -0.2458; /* towards the sun, unit length */

/* Stops where the sum cannot reach `least` any more. */
static double eroded(const struct draw_noise *noise, double x, double z, int octaves, double least)
{
    double sum = 0, weight = 0.5, dx = 0, dz = 0;
    for (int i = 0; i < octaves && sum + 2 * weight > least; i++) {
        struct draw_slope n = draw_noise_slope(noise, x, z);
        dx += n.dx;
        dz += n.dy;
        sum += weight * n.value / (1 + 0.8 * (dx * dx + dz * dz));
        double turned = 1.6 * x - 1.2 * z;
        z = 1.2 * x + 1.6 * z;
        x = turned;
        weight *= 0.5;
    }
    return sum;
}

/* Octaves of a noise of `frequency` whose waves are wider than two pixels. */
static int octaves_above(double frequency, double pixel, int most)
{
    int octaves = 2;
    for (double f = 4 * frequency * pixel; f < 0.6 && octaves < most; f *= 2)
        octaves++;
    return octaves;
}

static double bump(double x, double z, double width, double depth)
{
    return 1 / (1 + x * x / (width * width) + z * z / (depth * depth));
}

double draw_land_height(const struct draw_noise *noise, double x, double z, double pixel,
                        double least)
{
    double shore = 8.0 + 3.4 * draw_noise_at(noise, x * 0.30 + 40.2, 7.5) +
                   0.5 * draw_noise_at(noise, x * 1.7, 11.5);
    double inland = z - shore;
    if (inland <= 0)
        return inland * 0.05;
    double rise = smooth(8, 22, inland);
    double hills = smooth(-1.5, 9, inland) * clamp01(inland * 2.5) *
                   (0.12 + 1.9 * draw_noise_sum(noise, x * 0.25 + 3.7, z * 0.25 + 9.1,
                                                octaves_above(0.25, pixel, rise > 0.9 ? 2 : 5)));
    double wood = smooth(0.25, 0.8, inland) * (1 - smooth(9, 16, inland));
    if (wood > 0 && pixel < 0.1) { /* the crowns of trees */
        double crown = draw_noise_at(noise, x * 9, z * 7);
        hills += wood * 0.16 * crown * crown + wood * 0.05 * draw_noise_at(noise, x * 23, z * 17);
    }
    if (rise <= 0)
        return hills;
    double size = 5.3 + 16.3 * bump(x + 9, z - 37, 8, 8) + 11.6 * bump(x - 17, z - 45, 9, 8);
    size *= rise;
    return hills + size * eroded(noise, x * 0.105 + 1.9, z * 0.105 + 0.6,
                                 octaves_above(0.105, pixel, 7), (least - hills) / size);
}

/* The land is followed towards the sun in growing steps. */
double draw_land_sun(const struct draw_noise *noise, double x, double y, double z)
{
    double open = 1, t = 0.3;
    for (int i = 0; i < 7 && open > 0; i++) {
        double ray = y + 0.03 + t * sun_y;
        double above =
            ray - draw_land_height(noise, x + t * sun_x, z + t * sun_z, 0.5, ray - 0.2 * t);
        double part = clamp01(0.5 + 4 * above / t);
        open = part < open ? part : open;
        t *= 1.8;
    }
    return open;
}

struct draw_light draw_land_light(const struct draw_noise *noise, double x, double y, double z,
                                  double pixel, double sun)
{
    double e = pixel > 0.012 ? pixel : 0.012;
    double nx = (y - draw_land_height(noise, x + e, z, pixel, ANY_HEIGHT)) / e;
    double nz = (y - draw_land_height(noise, x, z + e, pixel, ANY_HEIGHT)) / e;
    double scale = 1 / sqrt(nx * nx + nz * nz + 1), ny = scale;
    nx *= scale;
    nz *= scale;

    double patch = draw_noise_sum(noise, x * 0.9, z * 0.9, 4);
    double grain = draw_noise_sum(noise, x * 4 + z * 2, y * 7 + z * 3, 3);
    struct draw_light rock =
        light_mix(light(0.13, 0.11, 0.10), light(0.29, 0.25, 0.22), patch + 1.6 * (grain - 0.5));
    struct draw_light wood = light_mix(light(0.020, 0.040, 0.014), light(0.10, 0.085, 0.022),
                                       smooth(0.42, 0.72, patch) * 0.8 + 0.2 * grain);
    struct draw_light meadow = light_mix(light(0.13, 0.15, 0.04), light(0.24, 0.20, 0.07), patch);
    struct draw_light snow = light(0.86, 0.88, 0.92);
    double tree_line = y + 1.2 * (patch - 0.5);
    struct draw_light ground = light_mix(wood, rock, smooth(1.7, 2.9, tree_line));
    ground =
        light_mix(ground, meadow,
                  smooth(0.62, 0.75, patch) * smooth(0.85, 0.95, ny) * (1 - smooth(1.4, 2.2, y)));
    double white =
        smooth(2.9, 4.6, y + 3 * (patch - 0.5)) * smooth(0.40, 0.62, ny + 0.5 * (grain - 0.5));
    ground = light_mix(ground, snow, white);

    double lambert = nx * sun_x + ny * sun_y + nz * sun_z;
    double direct = lambert > 0 ? lambert * sun : 0;
    struct draw_light sunlight = light_scale(light(3.7, 2.8, 1.85), direct);
    struct draw_light sky = light_scale(light(0.24, 0.35, 0.54), 0.5 + 0.5 * ny);
    struct draw_light back = light_scale(light(0.20, 0.16, 0.11), clamp01(0.5 - 0.5 * nx));
    struct draw_light seen = light_filter(ground, light_add(sunlight, light_add(sky, back)));

    /* haze: bluish, towards the sun warm, thicker low down */
    double u = x * FOCUS / z;
    struct draw_light haze =
        light_mix(light(0.40, 0.52, 0.68), light(0.95, 0.78, 0.58), bump(u - SUN_U, 0, 0.55, 1));
    double depth = z * z / (z * z + 2600) + 0.22 * smooth(9, 16, z) * (1 - smooth(0, 1.6, y));
    return light_mix(seen, haze, clamp01(depth));
}

struct draw_light draw_sky(const struct draw_noise *noise, double u, double v)
{
    double up = HORIZON - v;
    struct draw_light low = light(0.92, 0.80, 0.66), middle = light(0.27, 0.46, 0.74);
    struct draw_light high = light(0.045, 0.13, 0.34);
    struct draw_light seen = light_mix(low, middle, smooth(0, 0.30, up));
    seen = light_mix(seen, high, smooth(0.16, 0.66, up));
    double glow = bump(u - SUN_U, v - SUN_V, 0.40, 0.30);
    seen = light_add(seen, light_scale(light(1.0, 0.66, 0.32), 0.62 * glow));

    /* clouds on a plane overhead, seen in perspective */
    double near = 1 / ((up > 0 ? up : 0) + 0.10);
    double x = u * near * 0.85 + 21.3, y = near * 1.25 + 39.3;
    double thick = draw_noise_sum(noise, x, y, 6);
    double cover = smooth(0.49, 0.66, thick) * smooth(0.02, 0.16, up);
    if (cover > 0) {
        double toward = draw_noise_sum(noise, x + 0.26, y - 0.20, 3);
        double bright =
            clamp01(0.60 + 3.6 * (thick - toward)) * (1 - 0.35 * smooth(0.62, 0.80, thick));
        struct draw_light shade = light(0.30, 0.35, 0.46);
        struct draw_light sunlit = light_mix(light(1.30, 1.18, 1.04), light(1.6, 1.25, 0.85), glow);
        seen = light_mix(seen, light_mix(shade, sunlit, bright), 0.92 * cover);
    }
    return seen;
}
