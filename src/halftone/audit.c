/* SPDX-License-Identifier: MIT */
/*
 * Accounts of a halftone that is there: where its tone went, and whether it is the one that the
 * method makes.
 *
 * Error diffusion is walked one pixel after another. The level is not chosen but taken from the
 * halftone; the error that follows from it goes to the taps, and what a tap would put outside the
 * image is summed up. So the account of tone holds for any picture, and a pixel that the method
 * would have rounded otherwise is found where it stands.
 */
#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "halftone/error_diffusion/acuity.h"
#include "halftone/error_diffusion/diffusion.h"
#include "halftone/error_diffusion/tone_dependent.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct diffusion_plan *plan;
    uint32_t width, height;
    int32_t *errors; /* rows of errors kept, in a ring; or of what flows in */
    ro_halftone_audit *audit;
};

static void unlike(ro_halftone_audit *audit, uint32_t x, uint32_t y)
{
    if (audit->unlike++ == 0) {
        audit->unlike_x = x;
        audit->unlike_y = y;
    }
}

static size_t line_length(uint32_t width) { return (size_t)width + 2 * DIFFUSION_PAD; }

/* As diffusion_ref.c has it. */
static void walk_fixed(struct walk *walk, const unsigned char *in, const uint8_t *levels,
                       uint32_t y)
{
    const struct diffusion_plan *plan = walk->plan;
    const struct diffusion_kernel *kernel = &plan->kernel;
    const int64_t divisor = kernel->divisor, width = walk->width;
    ro_halftone_audit *audit = walk->audit;
    int32_t *line[DIFFUSION_MAX_DY + 1];
    for (uint32_t dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
        line[dy] = walk->errors + (y - dy) % (DIFFUSION_MAX_DY + 1) * line_length(walk->width) +
                   DIFFUSION_PAD;
    memset(line[0] - DIFFUSION_PAD, 0, line_length(walk->width) * sizeof(int32_t));
    const bool mirrored = plan->serpentine && y % 2 == 1;
    int64_t c = divisor / 2;
    for (int64_t i = 0; i < width; i++) {
        const int64_t x = mirrored ? width - 1 - i : i;
        int64_t t = c;
        for (int k = 0; k < kernel->count; k++) {
            const struct diffusion_tap tap = kernel->taps[k];
            const bool from_mirror = plan->serpentine && (y - (uint32_t)tap.dy) % 2 == 1;
            t += (int64_t)tap.weight * line[tap.dy][from_mirror ? x + tap.dx : x - tap.dx];
        }
        const int64_t whole = floor_divide(t, divisor);
        c = t - divisor * whole;
        const int32_t tone = diffusion_tone(plan, in, (uint32_t)x), v = tone + (int32_t)whole;
        const int32_t seen = diffusion_seen(plan, v, tone, (uint32_t)x, y);
        if (diffusion_nearest(plan, seen) != levels[x])
            unlike(audit, (uint32_t)x, y);
        const int32_t e = v - plan->level[levels[x]], kept = diffusion_kept(plan, e);
        line[0][x] = kept;
        audit->lost += divisor * (e - kept) + (divisor - plan->weight_sum) * (int64_t)kept;
        for (int k = 0; k < kernel->count; k++) {
            const struct diffusion_tap tap = kernel->taps[k];
            const int64_t to = mirrored ? x - tap.dx : x + tap.dx;
            if (to < 0 || to >= width || y + (uint64_t)tap.dy >= walk->height)
                audit->border += (int64_t)tap.weight * kept;
        }
    }
    audit->carried += c - divisor / 2;
}

/* As tone_dependent_ref.c has it. */
static void walk_tonal(struct walk *walk, const unsigned char *in, const uint8_t *levels,
                       uint32_t y)
{
    const struct diffusion_plan *plan = walk->plan;
    const struct tonal_plan *tonal = plan->tonal;
    const int64_t width = walk->width;
    const size_t length = line_length(walk->width);
    ro_halftone_audit *audit = walk->audit;
    int32_t *here = walk->errors + (y % 2) * length + DIFFUSION_PAD;
    int32_t *below = walk->errors + ((y + 1) % 2) * length + DIFFUSION_PAD;
    memset(below - DIFFUSION_PAD, 0, length * sizeof *below);
    here[-1] = here[width] = 0; /* what left the image a row above was counted there */
    const int ahead = plan->serpentine && y % 2 == 1 ? -1 : 1;
    for (int64_t n = 0; n < width; n++) {
        const int64_t x = ahead > 0 ? n : width - 1 - n;
        const struct tonal_tone tone = tonal_tone_of(plan, diffusion_tone(plan, in, (uint32_t)x));
        const int32_t i = tone.index, v = tone.above + here[x];
        const int32_t rise = tonal_rise(tone.modulation, hash_of_row(plan->seed, y), (uint32_t)x);
        if (tone.level + (v - rise > tone.step / 2) != levels[x])
            unlike(audit, (uint32_t)x, y);
        const int64_t e = v + plan->level[tone.level] - plan->level[levels[x]], sum = tonal->sum[i];
        const int64_t right = floor_divide(2 * tonal->weights[i][0] * e + sum, 2 * sum);
        const int64_t left = floor_divide(2 * tonal->weights[i][1] * e + sum, 2 * sum);
        here[x + ahead] += (int32_t)right;
        below[x - ahead] += (int32_t)left;
        below[x] += (int32_t)(e - right - left);
    }
    audit->border += here[ahead > 0 ? width : -1];
    audit->border += below[ahead > 0 ? -1 : width];
    for (int64_t x = 0; x < width && y + 1 == walk->height; x++)
        audit->border += below[x];
}

/* As acuity_ref.c has it. */
static void walk_acuity(struct walk *walk, const unsigned char *in, const uint8_t *levels,
                        uint32_t y)
{
    const struct diffusion_plan *plan = walk->plan;
    const size_t length = line_length(walk->width);
    ro_halftone_audit *audit = walk->audit;
    int32_t *flow[3];
    for (uint32_t dy = 0; dy < 3; dy++)
        flow[dy] = walk->errors + (y + dy) % 3 * length + DIFFUSION_PAD;
    memset(flow[2] - DIFFUSION_PAD, 0, length * sizeof(int32_t));
    for (int64_t x = 0; x < walk->width; x++) {
        const int32_t sample = diffusion_tone(plan, in, (uint32_t)x) / 16;
        const struct acuity_tone *tone = &plan->acuity->tones[sample];
        const int8_t *weights = plan->acuity->table->weights[tone->class];
        const int32_t v = tone->above + flow[0][x];
        if (tone->level + (v > tone->threshold) != levels[x])
            unlike(audit, (uint32_t)x, y);
        const int32_t e = v + plan->level[tone->level] - plan->level[levels[x]];
        const int32_t kept = acuity_kept(tone, e);
        audit->lost += e - kept;
        int32_t share[ACUITY_TAPS], rest = kept;
        for (int i = 0; i < ACUITY_TAPS; i++)
            if (i != ACUITY_DOWN)
                rest -= share[i] = acuity_share(weights[i], kept);
        share[ACUITY_DOWN] = rest;
        for (int i = 0; i < ACUITY_TAPS; i++) {
            const struct diffusion_tap tap = acuity_taps.taps[i];
            const int64_t to = x + tap.dx;
            flow[tap.dy][to] += share[i];
            if (to < 0 || to >= walk->width || y + (uint64_t)tap.dy >= walk->height)
                audit->border += share[i];
        }
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

struct rows {
    ro_context *context;
    struct halftoner work;
    const ro_image *in, *out;
    ro_image grey; /* what the engine sees; the input's own pixels where it sees them */
    bool own;
};

static ro_status open_rows(struct rows *rows, const ro_halftone_options *options)
{
    ro_context *context = rows->context;
    const ro_image *in = rows->in;
    ro_halftone_options given = *options, plain;
    given.schedule = NULL; /* schedules change no bits, and not every one runs on the CPU */
    ro_status status = halftone_read(context, &given, &plain);
    if (status == RO_OK)
        status = halftoner_open(&rows->work, context, in, PLANE_LUMA, rows->out->format, &plain,
                                RO_DEVICE_CPU);
    if (status != RO_OK)
        return status;
    const struct grey_form *form = &rows->work.grey;
    rows->grey = *in;
    rows->grey.maxval = form->white;
    if (form->direct)
        return RO_OK;
    rows->own = true;
    status = ro_image_alloc(context, form->sample_bytes == 1 ? RO_GREY8 : RO_GREY16, in->width,
                            in->height, form->white, &rows->grey);
    for (uint32_t y = 0; y < in->height && status == RO_OK; y++)
        status = grey_row(context, in, (const char *)in->data + (ptrdiff_t)y * in->stride, y, form,
                          (char *)rows->grey.data + (ptrdiff_t)y * rows->grey.stride);
    return status;
}

static const unsigned char *grey_at(const struct rows *rows, uint32_t y)
{
    return (const unsigned char *)rows->grey.data + (ptrdiff_t)y * rows->grey.stride;
}

/* The levels of a row as numbers. */
static ro_status levels_at(const struct rows *rows, uint32_t y, uint8_t *levels)
{
    const uint8_t *row = (const uint8_t *)rows->out->data + (ptrdiff_t)y * rows->out->stride;
    const uint32_t width = rows->in->width, count = (uint32_t)rows->work.options.levels;
    for (uint32_t x = 0; x < width; x++) {
        levels[x] = rows->out->format == RO_BITS ? row[x / 8] >> (7 - x % 8) & 1 : row[x];
        if (levels[x] >= count)
            return ro_context_fail(rows->context, RO_E_ARGUMENT,
                                   "level %d at (%u, %u) is not one of %u", levels[x], x, y, count);
    }
    return RO_OK;
}

static ro_status sum_tones(struct rows *rows, uint8_t *levels, struct walk *walk)
{
    const bool words = rows->work.grey.sample_bytes == 2;
    const int64_t white = 16 * (int64_t)rows->work.grey.white, n = rows->work.options.levels;
    ro_halftone_audit *audit = walk->audit;
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < walk->height && status == RO_OK; y++) {
        const unsigned char *in = grey_at(rows, y);
        const uint16_t *in16 = (const uint16_t *)(const void *)in;
        status = levels_at(rows, y, levels);
        for (uint32_t x = 0; x < walk->width && status == RO_OK; x++) {
            audit->tone_in += 16 * (int64_t)(words ? in16[x] : in[x]);
            audit->tone_out += halftone_level(white, n, levels[x]);
        }
        if (status == RO_OK && walk->plan)
            (walk->plan->acuity  ? walk_acuity
             : walk->plan->tonal ? walk_tonal
                                 : walk_fixed)(walk, in, levels, y);
        if (status == RO_OK && y % 256 == 255)
            status = ro_context_progress(rows->context, "audit", (double)y / walk->height);
    }
    return status;
}

/* Methods that are not walked are run again. */
static ro_status run_again(struct rows *rows, const ro_halftone_options *options, uint8_t *levels,
                           ro_halftone_audit *audit)
{
    ro_context *context = rows->context;
    const uint32_t width = rows->in->width, height = rows->in->height;
    const bool bits = rows->out->format == RO_BITS;
    const bool searched = rows->work.engine == &dbs_engine;
    ro_image again;
    ro_status status =
        ro_image_alloc(context, bits || searched ? RO_BITS : RO_INDEX8, width, height, 0, &again);
    if (status != RO_OK)
        return status;
    if (searched)
        status = dbs_audit(&rows->work, &rows->grey, &again, audit);
    else
        status = ro_halftone(context, rows->in, &again, options);
    for (uint32_t y = 0; y < height && status == RO_OK; y++) {
        const uint8_t *row = (const uint8_t *)again.data + (ptrdiff_t)y * again.stride;
        status = levels_at(rows, y, levels);
        for (uint32_t x = 0; x < width && status == RO_OK; x++)
            if (levels[x] != (again.format == RO_BITS ? row[x / 8] >> (7 - x % 8) & 1 : row[x]))
                unlike(audit, x, y);
    }
    ro_image_free(&again);
    return status;
}

static ro_status check(ro_context *context, const ro_image *in, const ro_image *out,
                       const ro_halftone_options *options)
{
    ro_status status = image_check(context, in, "input");
    if (status == RO_OK)
        status = image_check(context, out, "halftone");
    if (status != RO_OK)
        return status;
    if (in->width != out->width || in->height != out->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the input is %u x %u but the halftone is %u x %u", in->width,
                               in->height, out->width, out->height);
    if (out->format != RO_BITS && out->format != RO_INDEX8)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "an audit needs a halftone of packed bits or level numbers, not %s",
                               ro_format_name(out->format));
    if (options->palette || options->channels != RO_CHANNELS_GREY)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "only grey halftones can be audited");
    return RO_OK;
}

static ro_status audit_halftone(ro_context *context, const ro_image *in, const ro_image *out,
                                const ro_halftone_options *given, ro_halftone_audit *audit)
{
    if (MISSING(context, in, out, audit))
        return RO_E_ARGUMENT;
    DEVICE_TURN(context);
    *audit = (ro_halftone_audit){0};
    ro_halftone_options full;
    const ro_halftone_options *options = &full;
    ro_status status = halftone_read(context, given, &full);
    if (status == RO_OK)
        status = check(context, in, out, options);
    if (status != RO_OK)
        return status;
    struct rows rows = {.context = context, .in = in, .out = out};
    struct walk walk = {.width = in->width, .height = in->height, .audit = audit};
    uint8_t *levels = malloc(in->width);
    size_t bytes;
    if (size_multiply((DIFFUSION_MAX_DY + 1) * line_length(in->width), sizeof(int32_t), &bytes))
        walk.errors = calloc(bytes, 1);
    if (!levels || !walk.errors) {
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels", in->width);
        goto done;
    }
    status = open_rows(&rows, options);
    if (status != RO_OK)
        goto done;
    const struct halftone_engine *engine = rows.work.engine;
    if (engine == &diffusion_engine || engine == &tonal_engine || engine == &acuity_engine) {
        walk.plan = &((const struct diffusion_state *)rows.work.state)->plan;
        audit->diffused = 1;
        audit->divisor = walk.plan->tonal || walk.plan->acuity ? 1 : walk.plan->kernel.divisor;
    }
    audit->method = rows.work.method->info.name;
    audit->white = 16 * (int64_t)rows.work.grey.white;
    status = sum_tones(&rows, levels, &walk);
    if (status == RO_OK && !walk.plan)
        status = run_again(&rows, options, levels, audit);
done:
    free(levels);
    free(walk.errors);
    if (rows.own)
        ro_image_free(&rows.grey);
    halftoner_close(&rows.work);
    return status;
}

ro_status ro_halftone_audit_of(ro_context *context, const ro_image *in, const ro_image *out,
                               const ro_halftone_options *given, ro_halftone_audit *audit)
{
    ro_halftone_audit full = {.size = sizeof full};
    ro_status status = report_check(context, audit);
    if (status != RO_OK)
        return status;
    status = audit_halftone(context, in, out, given, audit ? &full : NULL);
    report_give(audit, &full);
    return status;
}
