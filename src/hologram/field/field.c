/* SPDX-License-Identifier: MIT */
#include "hologram/field/field.h"

#include "context/context.h"
#include "core/checked.h"
#include "core/cpu.h"
#include "core/huge_pages.h"
#include "core/image.h"
#include "core/misuse.h"
#include "hologram/field/row_sum_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ro_status ro_field_alloc(ro_context *context, uint32_t width, uint32_t height, ro_field *field)
{
    if (MISSING(context, field))
        return RO_E_ARGUMENT;
    size_t row, bytes;
    *field = (ro_field){0};
    if (!width || !height || width > RO_MAX_SIDE || height > RO_MAX_SIDE)
        return ro_context_fail(context, RO_E_SIZE, "a field of %u x %u pixels is empty", width,
                               height);
    row = ((size_t)width * 8 + 63) / 64 * 64;
    if (row % 4096 == 0) /* rows a power of two apart share their places in a cache */
        row += 64;
    void *data =
        size_multiply(row, height, &bytes) && bytes <= PTRDIFF_MAX ? pages_alloc(bytes) : NULL;
    if (!data)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a field of %u x %u pixels",
                               width, height);
    *field = (ro_field){width, height, (ptrdiff_t)row, data};
    return RO_OK;
}

void ro_field_free(ro_field *field)
{
    if (!field)
        return;
    free(field->data);
    *field = (ro_field){0};
}

ro_status field_check(ro_context *context, const ro_field *field, const char *role)
{
    if (!field || !field->data)
        return ro_context_fail(context, RO_E_ARGUMENT, "%s has no pixels", role);
    if (!field->width || !field->height || field->width > RO_MAX_SIDE ||
        field->height > RO_MAX_SIDE)
        return ro_context_fail(context, RO_E_SIZE, "%s is %u x %u", role, field->width,
                               field->height);
    if (field->stride < (ptrdiff_t)field->width * 8 || field->stride % 4 ||
        (uintptr_t)field->data % 4 || field->stride > PTRDIFF_MAX / field->height)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "%s has rows %td bytes apart; %u pixels need %td and a multiple of 4", role,
            field->stride, field->width, (ptrdiff_t)field->width * 8);
    return RO_OK;
}

ro_status field_check_out(ro_context *context, const ro_field *field, bool rows)
{
    ro_field sized = *field;
    if (rows) {
        sized.data = &(float){0};
        sized.stride = 8 * (ptrdiff_t)field->width;
    }
    return field_check(context, &sized, "the hologram");
}

void field_pitch(const ro_optics *optics, double pitch[2])
{
    pitch[0] = optics->pitch;
    pitch[1] = optics->pitch_y != 0 ? optics->pitch_y : optics->pitch;
}

ro_status field_check_physics(ro_context *context, const ro_optics *optics)
{
    double pitch[2];
    field_pitch(optics, pitch);
    if (!(optics->wavelength >= 1e-9 && optics->wavelength <= 1e-3))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a wavelength of %g m: must be from 1e-9 to 1e-3",
                               optics->wavelength);
    for (int i = 0; i < 2; i++)
        if (!(pitch[i] >= 1e-9 && pitch[i] <= 1e-2))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "a pixel pitch of %g m: must be from 1e-9 to 1e-2", pitch[i]);
    return RO_OK;
}

void field_get(const ro_field *field, float *data)
{
    for (uint32_t y = 0; y < field->height; y++)
        memcpy(data + 2 * (size_t)y * field->width, field_row(field, y), (size_t)field->width * 8);
}

void field_put(const ro_field *field, const float *data)
{
    for (uint32_t y = 0; y < field->height; y++)
        memcpy(field_row(field, y), data + 2 * (size_t)y * field->width, (size_t)field->width * 8);
}

/* ---- Root mean square ------------------------------------------------------------------------ */

struct totals {
    const ro_field *field;
    bool real;
    atomic_uint_fast32_t ticket;
    row_sum_fn *sum;
    struct row_sum *rows;
};

static struct row_sum sum_plain(const float *row, size_t width, bool real)
{
    return sum_of_row(row, width, real);
}

static void sum_rows(void *data, int thread)
{
    struct totals *totals = data;
    (void)thread;
    for (uint_fast32_t y; (y = atomic_fetch_add(&totals->ticket, 1)) < totals->field->height;)
        totals->rows[y] =
            totals->sum(field_row(totals->field, (uint32_t)y), totals->field->width, totals->real);
}

static double energy_of(const struct row_sum *row)
{
    return ldexp((double)row->squares, -2 * row->exponent);
}

static ro_status check_finite(ro_context *context, const struct row_sum *rows, uint32_t height)
{
    uint32_t y = 0;
    while (y < height && rows[y].most < 0x7f800000)
        y++;
    if (y == height)
        return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT, "row %u of the field holds %s", y,
                           rows[y].most > 0x7f800000 ? "a NaN" : "an infinite number");
}

ro_status field_rms_of(ro_context *context, const struct row_sum *rows, uint64_t pixels,
                       uint32_t height, double *rms)
{
    const ro_status status = check_finite(context, rows, height);
    double sum = 0;
    for (uint32_t y = 0; y < height && status == RO_OK; y++)
        sum += energy_of(&rows[y]);
    if (status == RO_OK)
        *rms = sqrt(sum / (double)pixels);
    return status;
}

/* malloc'ed; NULL without memory. */
static struct row_sum *sums_of(ro_context *context, const ro_field *field, bool real)
{
    static row_sum_fn *const sums[RO_CPUS] = {[RO_CPU_SCALAR] = sum_plain, RO_VARIANTS_OF(row_sum)};
    struct totals totals = {.field = field, .real = real, .sum = sums[context->cpu]};
    totals.rows = malloc(field->height * sizeof *totals.rows);
    if (totals.rows)
        pool_run(context->pool, pool_threads(context->pool), sum_rows, &totals);
    else
        ro_context_fail(context, RO_E_MEMORY, "no memory for the sums of %u rows", field->height);
    return totals.rows;
}

ro_status field_rms(ro_context *context, const ro_field *field, bool real, double *rms)
{
    struct row_sum *rows = sums_of(context, field, real);
    if (!rows)
        return RO_E_MEMORY;
    const uint64_t pixels = (uint64_t)field->width * field->height;
    const ro_status status = field_rms_of(context, rows, pixels, field->height, rms);
    free(rows);
    return status;
}

ro_status field_has_transform(ro_context *context, const ro_field *field)
{
    double rms = 0;
    ro_status status = field_rms(context, field, false, &rms);
    if (status == RO_OK && rms * (double)field->width * field->height > 1e38)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "the field's root mean square is %.2g, and what is made of it "
                                 "would be beyond floats; make it smaller",
                                 rms);
    return status;
}

ro_status field_energies(ro_context *context, const ro_field *field, bool real, double *energies)
{
    struct row_sum *rows = sums_of(context, field, real);
    if (!rows)
        return RO_E_MEMORY;
    const ro_status status = check_finite(context, rows, field->height);
    for (uint32_t y = 0; y < field->height && status == RO_OK; y++)
        energies[y] = energy_of(&rows[y]);
    free(rows);
    return status;
}
