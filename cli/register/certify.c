/* SPDX-License-Identifier: MIT */
/* What a certificate says of a registration: the pictures, the fields, and the search run again. */
#include "cli/certificate/certificate.h"
#include "cli/common/stacks.h"
#include "cli/register/register.h"
#include "roundoff/library.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

static void state_field(struct certificate *to, const char *name, const ro_image *field)
{
    char hash[RO_HASH_TEXT];
    if (to->status == RO_OK)
        to->status = ro_image_hash(to->context, field, hash);
    certificate_text(to, name, to->status == RO_OK ? hash : "");
}

static void state_search(struct certificate *to, const ro_register_report *report)
{
    __int128 updates[RO_REGISTER_SCALES];
    for (uint32_t i = 0; i < report->scales; i++)
        updates[i] = report->updates[i];
    certificate_text(to, "number", report->number);
    certificate_integers(to, "updates", updates, report->scales);
    certificate_natural(to, "trials", report->trials);
    certificate_natural(to, "folds", report->folds);
    certificate_real(to, "energy_before", report->energy_before);
    certificate_real(to, "energy_after", report->energy_after);
    certificate_real(to, "jacobian", report->jacobian);
}

/* `page` as --page says it; NULL: the first. */
static ro_status load(struct certificate *to, const char *path, const char *page, const char *name,
                      ro_image *image)
{
    ro_read_options read = RO_READ_OPTIONS;
    stack_pages(page, &read);
    read.pages = 1;
    const ro_status status = ro_image_load(to->context, path, &read, image, NULL, NULL);
    if (status == RO_OK)
        certificate_picture(to, name, image);
    return status;
}

/* The field that a search finds, and that it wrote if it was asked to. */
static ro_status search(struct certificate *to, const struct register_values *values,
                        const ro_image *fixed, const ro_image *moving, ro_image *field)
{
    ro_context *context = to->context;
    ro_register_report report = {.size = sizeof report};
    ro_register_options options = values->search;
    struct masks masks = {.fixed = {0}};
    ro_status status = masks_load(context, values, &masks, &options);
    if (status == RO_OK && values->fixed_mask)
        certificate_picture(to, "fixed_mask", &masks.fixed);
    if (status == RO_OK && values->moving_mask)
        certificate_picture(to, "moving_mask", &masks.moving);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, 2 * fixed->width, fixed->height, 0, field);
    if (status == RO_OK)
        status = ro_register(context, fixed, moving, field, &options, &report);
    masks_free(&masks);
    if (status != RO_OK)
        return status;
    state_search(to, &report);
    state_field(to, "found_field_hash", field);
    if (values->field && !ro_map_named(values->field)) {
        ro_image written = {0};
        status = ro_displacement_load(context, values->field, &written);
        if (status == RO_OK)
            state_field(to, "field_hash", &written);
        ro_image_free(&written);
    }
    return status;
}

/* What the field makes of the image once more. */
static ro_status state_warped(struct certificate *to, const struct register_values *values,
                              const ro_image *image, const ro_image *field, const ro_image *out)
{
    ro_image again = {0};
    ro_status status = ro_image_alloc(to->context, image->format, field->width / 2, field->height,
                                      image->maxval, &again);
    if (status == RO_OK)
        status = ro_warp(to->context, image, field, &again, values->sampling);
    if (status == RO_OK)
        certificate_unlike(to, &again, out);
    ro_image_free(&again);
    return status;
}

ro_status register_certify(struct certificate *to, const void *given, const struct operands *files)
{
    const struct register_values *values = given;
    ro_image fixed = {0}, moving = {0}, out = {0}, field = {0};
    if (files->count != 3)
        return ro_context_fail(to->context, RO_E_FORMAT, "register takes another number of files");
    ro_status status = load(to, files->path[0], values->page, "fixed", &fixed);
    if (status == RO_OK)
        status = load(to, files->path[1], values->page, "moving", &moving);
    if (status == RO_OK)
        status = load(to, files->path[2], NULL, "output", &out);
    if (status == RO_OK)
        status = search(to, values, &fixed, &moving, &field);
    if (status == RO_OK)
        status = state_warped(to, values, &moving, &field, &out);
    ro_image_free(&fixed);
    ro_image_free(&moving);
    ro_image_free(&out);
    ro_image_free(&field);
    return status;
}

ro_status register_apply_certify(struct certificate *to, const void *given,
                                 const struct operands *files)
{
    const struct register_values *values = given;
    ro_image image = {0}, out = {0}, field = {0};
    if (files->count != 3)
        return ro_context_fail(to->context, RO_E_FORMAT, "register apply needs FIELD, IN and OUT");
    ro_status status = load(to, files->path[1], values->page, "input", &image);
    if (status == RO_OK)
        status = load(to, files->path[2], NULL, "output", &out);
    if (status == RO_OK)
        status = register_field(to->context, values, files->path[0], &image, &field);
    if (status == RO_OK)
        state_field(to, "field_hash", &field);
    if (status == RO_OK)
        status = state_warped(to, values, &image, &field, &out);
    ro_image_free(&image);
    ro_image_free(&out);
    ro_image_free(&field);
    return status;
}

/* Without vectors, on one thread; the files beside OUT stay as they are. */
const char *const *register_reference(const void *given)
{
    (void)given;
    static const char *const plain[] = {"--cpu",  "scalar",  "--threads", "1",
                                        "!field", "!figure", "!energy",   NULL};
    return plain;
}
