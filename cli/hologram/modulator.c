/* SPDX-License-Identifier: MIT */
/* The modulator that options name, and files of what it is sent. */
#include "cli/common/pictures.h"
#include "cli/hologram/hologram.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <string.h>

static void drive_fully(ro_modulator *m)
{
    for (int k = 0; k < m->count; k++)
        m->drive[k] = (uint8_t)((2 * 255 * k + m->count - 1) / (2 * (m->count - 1)));
    m->driven = 1;
}

static void drive_by_numbers(ro_modulator *m)
{
    for (int k = 0; k < m->count; k++)
        m->drive[k] = (uint8_t)k;
    m->driven = 0;
}

ro_status hologram_device(ro_context *context, const struct hologram_values *values,
                          ro_modulator *m)
{
    const char *levels = values->quantize.levels ? values->quantize.levels : "phase:256";
    ro_status status = hologram_is_list(levels) ? ro_modulator_load(context, levels, m)
                                                : ro_modulator_named(context, levels, m);
    const bool packed = values->drive == DRIVE_PACKED;
    if (status == RO_OK && (values->drive == DRIVE_BITS || packed) && m->count != 2)
        status = ro_context_fail(context, RO_E_ARGUMENT, "--drive %s needs two levels, not %d",
                                 packed ? "packed" : "bits", m->count);
    if (values->drive == DRIVE_NUMBERS || values->drive == DRIVE_BITS || packed)
        drive_by_numbers(m);
    else if (values->drive == DRIVE_FULL)
        drive_fully(m);
    return status;
}

ro_status hologram_largest(ro_context *context, const struct hologram_values *values,
                           const ro_modulator *m, const char *path, uint32_t *largest)
{
    const ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    const ro_file_info info = {
        .format = RO_GREY8, .width = 1, .height = 1, .maxval = 255, .pages = 1};
    bool bytes = values->drive != DRIVE_BITS;
    ro_status status = RO_OK;
    if (values->drive == DRIVE_AUTO && m->count == 2 && !m->driven)
        status = pictures_hold(context, path, &info, &write, &bytes);
    *largest = bytes ? 255 : 1;
    return status;
}

ro_status hologram_accepts(ro_context *context, const struct hologram_values *values,
                           const ro_modulator *m, const char *path)
{
    ro_file_info info = {.format = RO_GREY8, .width = 1, .height = 1, .maxval = 255, .pages = 1};
    const bool packed = values->drive == DRIVE_PACKED;
    if (packed)
        info.format = RO_RGB8;
    const ro_status status =
        packed ? RO_OK : hologram_largest(context, values, m, path, &info.maxval);
    return status == RO_OK
               ? ro_writer_accepts(context, path, &info,
                                   &(ro_write_options){RO_WRITE_DEFAULTS, .type = values->type})
               : status;
}

ro_status hologram_save_numbers(ro_context *context, const struct hologram_values *values,
                                const ro_modulator *m, const char *path, ro_image *numbers)
{
    ro_image image = *numbers;
    image.format = RO_GREY8; /* the numbers themselves, not tones */
    ro_status status = hologram_largest(context, values, m, path, &image.maxval);
    if (status == RO_OK)
        status = ro_modulator_drive(context, m, numbers);
    return status == RO_OK
               ? ro_image_save(context, path, &image,
                               &(ro_write_options){RO_WRITE_DEFAULTS, .type = values->type})
               : status;
}

static bool holds(const ro_image *image, uint8_t sample)
{
    for (uint32_t y = 0; y < image->height; y++)
        if (memchr((const uint8_t *)image->data + (ptrdiff_t)y * image->stride, sample,
                   image->width))
            return true;
    return false;
}

ro_status hologram_load_numbers(ro_context *context, const struct hologram_values *values,
                                const ro_modulator *m, const char *path, ro_image *numbers)
{
    ro_modulator how = *m;
    ro_status status = pictures_load(context, path, numbers, NULL);
    if (status == RO_OK && numbers->format != RO_GREY8)
        status = ro_context_fail(context, RO_E_FORMAT, "%s: level numbers are 8-bit grey, not %s",
                                 path, ro_format_name(numbers->format));
    /* Of two levels the upper one may be 1, or white. */
    const bool two = how.count == 2 && !m->driven && values->drive != DRIVE_NUMBERS;
    if (status == RO_OK && two && numbers->maxval != 1 && holds(numbers, 255))
        drive_fully(&how);
    if (status == RO_OK && (status = ro_modulator_read(context, &how, numbers)) != RO_OK) {
        char why[256];
        snprintf(why, sizeof why, "%s", ro_context_message(context));
        ro_context_fail(context, status, "%s: %s", path, why);
    }
    return status;
}

ro_status hologram_load_light(ro_context *context, const struct hologram_values *values,
                              const char *path, ro_field *field, ro_optics *optics)
{
    ro_modulator device;
    ro_image numbers = {0};
    ro_status status = RO_OK;
    if (!values->quantize.levels) {
        status = ro_hologram_load(context, path, values->sidecar, field, optics);
    } else {
        status = hologram_device(context, values, &device);
        if (status == RO_OK)
            status = hologram_load_numbers(context, values, &device, path, &numbers);
        if (status == RO_OK)
            status = ro_field_alloc(context, numbers.width, numbers.height, field);
        if (status == RO_OK)
            status = ro_modulator_light(context, &device, &numbers, field);
        if (status == RO_OK)
            status = ro_optics_load(context, path, values->sidecar, optics);
        ro_image_free(&numbers);
    }
    if (status == RO_OK && (optics->wavelength == 0 || optics->pitch == 0))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "%s has no sidecar with its wavelength and pitch: give --sidecar, "
                                 "or --wavelength and --pitch",
                                 path);
    return status;
}
