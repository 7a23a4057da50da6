/* SPDX-License-Identifier: MIT */
/* Error diffusion: every kernel, and acuity of any taps, on every schedule, through the public
 * interface. */
#include "core/names.h"
#include "halftone/error_diffusion/acuity.h"
#include "rocheck.h"
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct schedule {
    const char *name;
    bool cpu, cuda;
    bool any_kernel; /* on CUDA the paper's run Floyd-Steinberg only */
} schedules[] = {
    {"ed", true, false, true},    {"ec", true, false, true},    {"wave", true, true, true},
    {"pwed", false, true, false}, {"pwec", false, true, false}, {"bwed", false, true, false},
    {"bwec", false, true, false},
};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

enum { ACUITY = DIFFUSION_KERNELS, KERNELS = ACUITY + ACUITY_VARIANTS };

/* Methods of the family, in the order of the table; the last are acuity's. */
static const ro_method *method_of(int number)
{
    for (int i = 0; ro_halftone_method_at(i); i++) {
        const ro_method *method = ro_halftone_method_at(i);
        if (number >= ACUITY ? strncmp(method->name, "acuity", 6) == 0 && number-- == ACUITY
                             : strcmp(method->family, "error diffusion") == 0 && number-- == 0)
            return method;
    }
    return NULL;
}

static const struct schedule *schedule_of(int number) { return &schedules[number % SCHEDULES]; }

static const char *case_name(int number)
{
    static char name[96];
    snprintf(name, sizeof name, "%s/%s", method_of(number / SCHEDULES)->name,
             schedule_of(number)->name);
    return name;
}

static bool supports(int number, const struct variant *variant)
{
    const struct schedule *schedule = schedule_of(number);
    if (number / SCHEDULES >= ACUITY && strcmp(schedule->name, "ec") == 0)
        return false;
    if (variant->device == RO_DEVICE_CUDA)
        return schedule->cuda &&
               (schedule->any_kernel || number / SCHEDULES == KERNEL_FLOYD_STEINBERG);
    return schedule->cpu && (variant->cpu == RO_CPU_SCALAR || strcmp(schedule->name, "wave") == 0);
}

/* ---- images ---------------------------------------------------------------------------------- */

struct picture {
    ro_image in, want, got;
    unsigned char *in_memory, *want_memory, *got_memory;
    size_t out_bytes;
    int levels;
};

/* What a pixel is, by kind of image: noise, flat, ramp, black and white noise, checks, a step. */
static uint32_t pixel(struct check *check, int kind, uint32_t x, uint32_t y, uint32_t width,
                      uint32_t white, uint32_t flat)
{
    switch (kind) {
    case 0:
        return draw(check, white + 1);
    case 1:
        return flat;
    case 2:
        return (uint32_t)((uint64_t)x * white / width);
    case 3:
        return draw(check, 2) * white;
    case 4:
        return (x + y) % 2 * white;
    default:
        return (x > width / 2) == (y % 16 < 8) ? white : 0;
    }
}

/* Sizes that only a device is given. From about 512 rows on, blocks hand rows to other blocks. */
static const uint32_t sides[][2] = {
    {RO_ON_DEVICE(20000, 700), RO_ON_DEVICE(3000, 200)},
    {RO_ON_DEVICE(4099, 259), RO_ON_DEVICE(1001, 301)},
    {1, RO_ON_DEVICE(5000, 1500)},
    {RO_ON_DEVICE(5000, 500), 1},
    {3, RO_ON_DEVICE(2049, 1349)},
    {RO_ON_DEVICE(1023, 103), RO_ON_DEVICE(4097, 1097)},
    {RO_ON_DEVICE(8192, 819), RO_ON_DEVICE(640, 140)},
    {1, 1},
    {32, RO_ON_DEVICE(4097, 1197)},
    {33, RO_ON_DEVICE(2049, 549)},
    {64, RO_ON_DEVICE(5000, 1500)},
    {RO_ON_DEVICE(65536, 2048), RO_ON_DEVICE(300, 150)},
};
enum { LARGE = sizeof sides / sizeof *sides };

/* Levels that every variant is given at every one of these depths. */
static const int named_levels[] = {2, 3, 4, 15, 16, 17, 255, 256, 1024, 4096, 65536};
static const uint32_t named_whites[] = {255, 1023, 65535};
enum {
    NAMED_LEVELS = sizeof named_levels / sizeof *named_levels,
    NAMED = NAMED_LEVELS * (int)(sizeof named_whites / sizeof *named_whites)
};

/* `large`: one of these, `plain`: 8 bits to packed bits, which have code of their own, `deep`: also
 * numbers of 16 bits, `named`: levels and depth of this number, or -1. */
static void make(struct check *check, struct picture *picture, int large, bool plain, bool deep,
                 int named)
{
    static const uint32_t heights[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 65, 97};
    static const uint32_t whites[] = {255, 255, 255, 1, 100, 254, 65535, 65535, 1023, 256};
    uint32_t width = draw(check, 6) ? 1 + draw(check, 200) : 1 + draw(check, 1500);
    uint32_t height = heights[draw(check, sizeof heights / sizeof *heights)];
    if (large > 0) {
        width = sides[large - 1][0];
        height = sides[large - 1][1];
    }
    uint32_t white = plain ? 255 : whites[draw(check, sizeof whites / sizeof *whites)];
    if (named >= 0)
        white = named_whites[named / NAMED_LEVELS];
    bool wide = white > 255;
    static const int many[] = {3,   4,   15,  16,   17,   64,    100,   255,
                               256, 257, 877, 1024, 4096, 16384, 60000, 65536};
    picture->levels = plain || draw(check, 3) ? 2 : 2 + (int)draw(check, 255);
    if (!plain && draw(check, 3) == 0)
        picture->levels = many[draw(check, deep ? sizeof many / sizeof *many : 9)];
    if (named >= 0 && (deep || named_levels[named % NAMED_LEVELS] <= 256))
        picture->levels = named_levels[named % NAMED_LEVELS];
    if (picture->levels > 16 * (int)white + 1)
        picture->levels = 16 * (int)white + 1;
    ro_format format = picture->levels > 256 ? RO_GREY16 : RO_INDEX8;
    if (picture->levels == 2 && (plain || draw(check, 3)))
        format = RO_BITS;
    else if (deep && draw(check, 4) == 0)
        format = RO_GREY16;

    size_t in_row = (size_t)width << wide, in_stride = in_row + 2 * draw(check, 40);
    size_t out_row = ro_format_row_bytes(format, width), out_stride = out_row + 2 * draw(check, 20);
    picture->out_bytes = out_stride * height + 2 * GUARD;
    picture->in_memory = malloc(in_stride * height + GUARD);
    picture->want_memory = malloc(picture->out_bytes);
    picture->got_memory = malloc(picture->out_bytes);
    memset(picture->in_memory, POISON, in_stride * height + GUARD);
    memset(picture->want_memory, POISON, picture->out_bytes);
    picture->in = (ro_image){.format = wide ? RO_GREY16 : RO_GREY8,
                             .width = width,
                             .height = height,
                             .maxval = white,
                             .stride = (ptrdiff_t)in_stride,
                             .data = picture->in_memory};
    picture->want = (ro_image){.format = format,
                               .width = width,
                               .height = height,
                               .maxval = 0,
                               .stride = (ptrdiff_t)out_stride,
                               .data = picture->want_memory + GUARD};
    picture->got = picture->want;
    picture->got.data = picture->got_memory + GUARD;

    int kind = (int)draw(check, 6);
    uint32_t flat = draw(check, white + 1);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t value = pixel(check, kind, x, y, width, white, flat);
            unsigned char *row = picture->in_memory + y * in_stride;
            if (wide)
                ((uint16_t *)row)[x] = (uint16_t)value;
            else
                row[x] = (unsigned char)value;
        }
}

static void discard(struct picture *picture)
{
    free(picture->in_memory);
    free(picture->want_memory);
    free(picture->got_memory);
}

/* Runs the definition. */
static void run_reference(const struct picture *picture, int kernel)
{
    struct diffusion_plan plan;
    struct diffusion_request request = {
        .width = picture->in.width,
        .maxval = picture->in.maxval,
        .sample_bytes = picture->in.format == RO_GREY16 ? 2 : 1,
        .levels = picture->levels,
        .bits_out = picture->want.format == RO_BITS,
        .number_bytes = picture->want.format == RO_GREY16 ? 2 : 1,
    };
    struct acuity_plan *acuity = NULL;
    const struct diffusion_schedule *reference = &diffusion_reference;
    if (kernel >= ACUITY) {
        reference = &acuity_reference;
        acuity = acuity_plan_make(&plan, &request, (enum acuity_variant)(kernel - ACUITY));
    } else {
        request.kernel = &diffusion_kernels[kernel];
        request.kernel_id = kernel;
        diffusion_plan_make(&plan, &request);
    }
    struct diffusion_run run = {.plan = &plan};
    run.state = calloc(1, reference->state_bytes(&plan, RO_CPU_SCALAR, 1));
    struct halftone_block block = {picture->in.data,     picture->in.stride, picture->want.data,
                                   picture->want.stride, picture->in.height, 0};
    reference->run(&run, &block);
    free(run.state);
    free(acuity);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static int value_at(const ro_image *image, uint32_t x, uint32_t y)
{
    const unsigned char *row = (const unsigned char *)image->data + (ptrdiff_t)y * image->stride;
    if (image->format == RO_GREY16)
        return ((const uint16_t *)(const void *)row)[x];
    return image->format == RO_BITS ? row[x / 8] >> (7 - x % 8) & 1 : row[x];
}

/* Equal to the last byte, guards and padding too. */
static bool same(const struct picture *picture, struct check *check)
{
    if (memcmp(picture->want_memory, picture->got_memory, picture->out_bytes) == 0)
        return true;
    const ro_image *want = &picture->want, *got = &picture->got;
    for (uint32_t y = 0; y < want->height; y++)
        for (uint32_t x = 0; x < want->width; x++)
            if (value_at(want, x, y) != value_at(got, x, y)) {
                snprintf(check->failure, sizeof check->failure,
                         "%u x %u, maxval %u, %d levels: pixel (%u, %u) is %d, not %d", want->width,
                         want->height, picture->in.maxval, picture->levels, x, y,
                         value_at(got, x, y), value_at(want, x, y));
                return false;
            }
    snprintf(check->failure, sizeof check->failure,
             "%u x %u, %s: bytes outside the pixels were written", want->width, want->height,
             ro_format_name(want->format));
    return false;
}

/* Pushes rows in pieces of changing size and pulls what is there. */
static ro_status run_stream(ro_context *context, struct check *check, const struct picture *picture,
                            const ro_halftone_options *options)
{
    ro_plan *plan;
    ro_stream *stream;
    ro_status status =
        open_halftone(context, &picture->in, picture->got.format, options, &plan, &stream);
    uint32_t pushed = 0, pulled = 0;
    while (status == RO_OK && pulled < picture->in.height) {
        uint32_t left = picture->in.height - pushed, taken, given;
        uint32_t offer = left ? 1 + draw(check, left) : 0;
        status = ro_stream_push(stream,
                                (const unsigned char *)picture->in.data +
                                    (ptrdiff_t)pushed * picture->in.stride,
                                picture->in.stride, offer, &taken);
        if (status != RO_OK)
            break;
        pushed += taken;
        status = ro_stream_pull(
            stream, (unsigned char *)picture->got.data + (ptrdiff_t)pulled * picture->got.stride,
            picture->got.stride, 1 + draw(check, 50), &given);
        pulled += given;
    }
    close_stream(plan, stream);
    return status;
}

static bool ran_as_asked(const ro_context *context, const struct variant *variant,
                         const ro_halftone_options *options, int threads, struct check *check)
{
    const ro_report *report = ro_context_report(context);
    if (strcmp(report->schedule, options->schedule) == 0 && report->device == variant->device &&
        (variant->device != RO_DEVICE_CPU ||
         (report->cpu == variant->cpu && report->threads == threads)))
        return true;
    snprintf(check->failure, sizeof check->failure, "asked for %s, but %s on %s with %s ran",
             variant->name, report->schedule, ro_device_name(report->device),
             ro_cpu_name(report->cpu));
    return false;
}

static bool test(int number, struct check *check)
{
    const struct schedule *schedule = schedule_of(number);
    const struct variant *variant = check->variant;
    bool sequential = strcmp(schedule->name, "wave") != 0;
    bool right = true;
    for (int threads = 1; threads <= (sequential || variant->device != RO_DEVICE_CPU ? 1 : 3);
         threads++) {
        ro_context *context;
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = variant->device,
                                  .cpu = variant->cpu, .threads = threads};
        if (ro_context_open(&how, &context) != RO_OK) {
            snprintf(check->failure, sizeof check->failure, "no context with %d threads", threads);
            return false;
        }
        /* The first case has all large sizes as plain pictures, which have code of their own, and
         * once more as any others. Where all is repeated for the sake of races, few will do. */
        const bool repeated = check->repeats >= 10;
        const int large_ones = variant->device != RO_DEVICE_CUDA ? 0
                               : repeated                        ? 2
                               : number                          ? LARGE
                                                                 : 2 * LARGE;
        const int images = repeated ? 32 : 120;
        for (int i = 0; i < images && right; i += check->few) {
            struct picture picture;
            const bool is_large = i < large_ones;
            const int named = is_large || i - large_ones >= NAMED ? -1 : i - large_ones;
            make(check, &picture, is_large ? i % LARGE + 1 : 0,
                 is_large && (number ? i % 2 == 0 : i < LARGE),
                 number / SCHEDULES < ACUITY &&
                     (variant->device == RO_DEVICE_CPU || schedule->any_kernel),
                 named);
            const bool is_huge = (uint64_t)picture.in.width * picture.in.height > 4000000;
            const int repeats = is_huge ? (check->repeats + 9) / 10 : check->repeats;
            run_reference(&picture, number / SCHEDULES);
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS,
                                           .method = method_of(number / SCHEDULES)->name,
                                           .levels = picture.levels, .schedule = schedule->name};
            for (int r = 0; r < repeats && right; r++) {
                memset(picture.got_memory, POISON, picture.out_bytes);
                ro_status status = i % 3 == 2
                                       ? run_stream(context, check, &picture, &options)
                                       : ro_halftone(context, &picture.in, &picture.got, &options);
                if (status != RO_OK) {
                    snprintf(check->failure, sizeof check->failure, "%s",
                             ro_context_message(context));
                    right = false;
                } else {
                    right = same(&picture, check) &&
                            ran_as_asked(context, variant, &options, threads, check);
                }
            }
            discard(&picture);
        }
        ro_context_close(context);
    }
    return right;
}

/* ---- speed and steps ------------------------------------------------------------------------- */

static bool run_once(int number, const struct variant *variant, int threads, uint32_t side,
                     int times, double *best, ro_report *report)
{
    ro_context *context;
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = variant->device, .cpu = variant->cpu,
                              .threads = threads};
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS,
                                   .method = method_of(number / SCHEDULES)->name,
                                   .schedule = schedule_of(number)->name};
    ro_image in, out;
    if (ro_context_open(&how, &context) != RO_OK)
        return false;
    bool done = ro_image_alloc(context, RO_GREY8, side, side, 0, &in) == RO_OK &&
                ro_image_alloc(context, RO_BITS, side, side, 0, &out) == RO_OK &&
                ro_testcard(context, &in) == RO_OK;
    *best = 1e9;
    for (int i = 0; i < times && done; i++) {
        double start = seconds_now();
        done = ro_halftone(context, &in, &out, &options) == RO_OK;
        double took = seconds_now() - start;
        *best = took < *best ? took : *best;
    }
    *report = *ro_context_report(context);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
    return done;
}

static double bench(int number, const struct variant *variant, int threads)
{
    enum { SIDE = 4096 };
    double best;
    ro_report report;
    if (!run_once(number, variant, threads, SIDE, 7, &best, &report))
        return 0;
    return (double)SIDE * SIDE / best / 1e6;
}

static void steps(int number, const struct variant *variant)
{
    enum { SIDE = 1024 };
    double best;
    ro_report report;
    if (!run_once(number, variant, 1, SIDE, 1, &best, &report))
        return;
    printf("%-36s %-8s %u x %u: %9llu steps, %6.2f pixels a step, %llu launches\n",
           case_name(number), variant->name, SIDE, SIDE, (unsigned long long)report.steps,
           (double)SIDE * SIDE / (double)report.steps, (unsigned long long)report.launches);
}

const struct suite diffusion_suite = {
    .name = "diffusion",
    .cases = KERNELS * SCHEDULES,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
    .steps = steps,
};
