/* SPDX-License-Identifier: MIT */
#include "plan/call_plan.h"

#include "context/plan.h"
#include "core/image.h"

#include <stdlib.h>

enum { LARGEST = 4096 }; /* structure of options */

struct call_plan {
    struct ro_plan plan; /* first: the public handle */
    const struct call_family *family;
    ro_image in[CALL_INPUTS], out; /* shapes */
    void *options;                 /* in one piece with all that they point to */
    size_t bytes;                  /* of them */
};

static const char *role_of(const struct call_family *family, int input)
{
    return family->inputs == 1 ? "input" : input == 0 ? "first image" : "second image";
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void keep_all(struct keep *keep, const struct call_family *family, void *options,
                     const ro_image *in)
{
    options_keep_texts(keep, family->table, options);
    if (family->keep)
        family->keep(keep, options, in);
}

/* Copies options that were read; `own` is overwritten. */
static ro_status keep_options(struct call_plan *plan, void *own)
{
    const size_t room = (plan->family->table->size + 15) & ~(size_t)15;
    struct keep keep = {0};
    keep_all(&keep, plan->family, own, plan->in);
    unsigned char *memory = malloc(room + keep.bytes);
    if (!memory)
        return ro_context_fail(plan->plan.context, RO_E_MEMORY, "no memory for a plan");
    plan->bytes = room + keep.bytes;
    keep = (struct keep){.memory = memory + room};
    keep_all(&keep, plan->family, own, plan->in);
    memcpy(memory, own, plan->family->table->size);
    plan->options = memory;
    return RO_OK;
}

static ro_status take_shape(ro_context *context, const ro_image *given, const char *role,
                            ro_image *shape)
{
    static _Alignas(8) unsigned char no_pixels;
    *shape = *given;
    shape->data = &no_pixels;
    shape->stride = (ptrdiff_t)ro_format_row_bytes(shape->format, shape->width);
    const ro_status status = image_check(context, shape, role);
    shape->data = NULL;
    return status;
}

static const struct plan_kind call_kind;

ro_status call_plan_make(ro_context *context, const struct call_family *family, const ro_image *in,
                         const ro_image *out, const void *options, ro_plan **made)
{
    _Alignas(16) unsigned char own[LARGEST];
    *made = NULL;
    struct call_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    plan_init(&plan->plan, &call_kind, context);
    plan->plan.inputs = (uint32_t)family->inputs;
    plan->family = family;
    ro_status status = options_read(context, family->table, options, own);
    for (int i = 0; i < family->inputs && status == RO_OK; i++)
        status = take_shape(context, &in[i], role_of(family, i), &plan->in[i]);
    if (status == RO_OK)
        status = take_shape(context, out, "output", &plan->out);
    if (status == RO_OK)
        status = family->check(context, plan->in, &plan->out, own);
    if (status == RO_OK)
        status = keep_options(plan, own);
    if (status == RO_OK)
        *made = &plan->plan;
    else
        ro_plan_free(&plan->plan);
    return status;
}

static void free_plan(ro_plan *base)
{
    struct call_plan *plan = (struct call_plan *)base;
    free(plan->options);
    free(plan);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void query(const ro_plan *base, ro_plan_info *info)
{
    const struct call_plan *plan = (const struct call_plan *)base;
    const struct call_family *family = plan->family;
    const ro_option *schedule = ro_option_find(family->table, "schedule");
    char room[RO_OPTION_MESSAGE];
    const char *word =
        schedule ? ro_option_text(family->table, schedule, plan->options, room) : NULL;
    info->method = family->method;
    info->schedule = word && word != room ? word : "auto";
    info->device = base->context->options.device == RO_DEVICE_CUDA ? RO_DEVICE_CUDA : RO_DEVICE_CPU;
    info->cpu = base->context->cpu;
    info->threads = base->context->threads;
    info->rows = plan->in[0].height;
    info->inputs = family->inputs;
    info->bytes = sizeof *plan + plan->bytes;
}

static ro_status check_image(const struct call_plan *plan, const ro_image *image,
                             const ro_image *shape, const char *role)
{
    ro_context *context = plan->plan.context;
    const ro_status status = image_check(context, image, role);
    if (status != RO_OK)
        return status;
    if (image->width != shape->width || image->height != shape->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the plan has %u x %u pixels as its %s, not %u x %u", shape->width,
                               shape->height, role, image->width, image->height);
    if (image->format != shape->format || ro_image_white(image) != ro_image_white(shape))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the plan has %s of maxval %u as its %s, not %s of %u",
                               ro_format_name(shape->format), ro_image_white(shape), role,
                               ro_format_name(image->format), ro_image_white(image));
    return RO_OK;
}

static ro_status run(ro_plan *base, const ro_image *in, const ro_image *out, void *report)
{
    const struct call_plan *plan = (const struct call_plan *)base;
    const struct call_family *family = plan->family;
    ro_image to = *out;
    ro_status status = check_image(plan, out, &plan->out, "output");
    for (int i = 0; i < family->inputs && status == RO_OK; i++)
        status = check_image(plan, &in[i], &plan->in[i], role_of(family, i));
    return status == RO_OK ? family->run(base->context, in, &to, plan->options, report) : status;
}

static const struct plan_kind call_kind = {query, run, NULL, NULL, NULL, free_plan};
