/* SPDX-License-Identifier: MIT */
#include "io/filters/light.h"

#include "number/power.h"

#include <stdlib.h>

enum { FEW_BUCKETS = 1 << 12, MANY_BUCKETS = 1 << 16 };

void light_close(struct light_curve *light)
{
    free(light->of_sample);
    free(light->threshold);
    free(light->start);
    *light = (struct light_curve){0};
}

ro_status light_open(struct light_curve *light, struct open_file *file, ro_format format,
                     uint32_t white_in, uint32_t white_out)
{
    *light =
        (struct light_curve){.real = format == RO_GREYF || format == RO_RGBF, .white = white_out};
    if (light->real)
        return RO_OK;
    light->buckets = white_out <= 255 ? FEW_BUCKETS : MANY_BUCKETS;
    light->of_sample = malloc(((size_t)white_in + 1) * sizeof *light->of_sample);
    light->threshold = malloc(white_out * sizeof *light->threshold);
    light->start = malloc(((size_t)light->buckets + 1) * sizeof *light->start);
    if (!light->of_sample || !light->threshold || !light->start) {
        light_close(light);
        return file_no_memory(file, white_out * sizeof *light->threshold);
    }
    for (uint32_t k = 0; k <= white_in; k++)
        light->of_sample[k] = (float)light_of_srgb((double)k / white_in);
    for (uint32_t k = 0; k < white_out; k++)
        light->threshold[k] = light_of_srgb((k + 0.5) / white_out);
    for (uint32_t b = 0, k = 0; b <= light->buckets; b++) {
        while (k < white_out && light->threshold[k] <= (double)b / light->buckets)
            k++;
        light->start[b] = (uint16_t)k;
    }
    return RO_OK;
}

void light_from_row(const struct light_curve *light, float *values, const void *row,
                    ro_format format, size_t count)
{
    if (light->real)
        for (size_t i = 0; i < count; i++)
            values[i] = (float)light_of_srgb(((const float *)row)[i]);
    else if (format == RO_GREY16 || format == RO_RGB16)
        for (size_t i = 0; i < count; i++)
            values[i] = light->of_sample[((const uint16_t *)row)[i]];
    else
        for (size_t i = 0; i < count; i++)
            values[i] = light->of_sample[((const uint8_t *)row)[i]];
}

uint32_t light_to_sample(const struct light_curve *light, double value)
{
    if (!(value > 0))
        return 0;
    if (value >= 1)
        return light->white;
    uint32_t k = light->start[(uint32_t)(value * light->buckets)];
    while (k < light->white && light->threshold[k] <= value)
        k++;
    return k;
}

float light_to_float(double value) { return (float)srgb_of_light(value); }
