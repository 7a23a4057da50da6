/* SPDX-License-Identifier: MIT */
/* EXIF data is a small TIFF file: a byte order, then a list of tagged entries of 12 bytes. */
#include "io/formats/exif.h"

#include <string.h>

enum {
    TAG_ORIENTATION = 0x112,
    TAG_X_RESOLUTION = 0x11a,
    TAG_Y_RESOLUTION = 0x11b,
    TAG_UNIT = 0x128,
    TYPE_SHORT = 3,
    TYPE_RATIONAL = 5,
    UNIT_CENTIMETRE = 3,
    HEADER = 8,
    ENTRY = 12,
};

struct data {
    const uint8_t *bytes;
    size_t size;
    bool big;
};

static uint32_t number(const struct data *data, size_t at, int bytes)
{
    uint32_t value = 0;
    if (at > data->size || data->size - at < (size_t)bytes)
        return 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)data->bytes[at + (size_t)i] << 8 * (data->big ? bytes - 1 - i : i);
    return value;
}

static double rational(const struct data *data, size_t at)
{
    uint32_t over = number(data, at, 4), under = number(data, at + 4, 4);
    return under ? (double)over / under : 0;
}

struct exif_data exif_read(const uint8_t *bytes, size_t size)
{
    struct exif_data exif = {0};
    struct data data = {bytes, size, size > 0 && bytes[0] == 'M'};
    uint32_t unit = 2; /* inches, where none is stated */
    if (size < HEADER || memcmp(bytes, data.big ? "MM" : "II", 2) != 0)
        return exif;
    size_t list = number(&data, 4, 4);
    uint32_t entries = number(&data, list, 2);
    for (uint32_t i = 0; i < entries; i++) {
        size_t at = list + 2 + (size_t)i * ENTRY;
        if (at >= size)
            break;
        uint32_t type = number(&data, at + 2, 2);
        switch (number(&data, at, 2)) {
        case TAG_ORIENTATION:
            if (type == TYPE_SHORT && number(&data, at + 8, 2) <= 8)
                exif.orientation = (int)number(&data, at + 8, 2);
            break;
        case TAG_X_RESOLUTION:
            if (type == TYPE_RATIONAL)
                exif.dpi_x = rational(&data, number(&data, at + 8, 4));
            break;
        case TAG_Y_RESOLUTION:
            if (type == TYPE_RATIONAL)
                exif.dpi_y = rational(&data, number(&data, at + 8, 4));
            break;
        case TAG_UNIT:
            unit = number(&data, at + 8, 2);
            break;
        default:
            exif.more = true;
        }
    }
    double scale = unit == UNIT_CENTIMETRE ? 2.54 : unit == 2 ? 1 : 0;
    exif.dpi_x *= scale;
    exif.dpi_y *= scale;
    return exif;
}
