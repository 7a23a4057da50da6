/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion: our schedules beside a copy of the same bytes (the limit) and zimg (the peer),
 * and the CPU rows of Table I of Kasagi, Nakano and Ito beside ours.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/halftone/diffusion_cuda.h"
#include "bench/peers/peer_zimg.h"
#include "bench/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, MOST = 12 };
static const double BUDGET = 4; /* seconds for one contender at one size */

/* Milliseconds of the paper's Table I, Intel Core i7-3770K. */
static const struct {
    int size;
    double ed, ec;
} paper[] = {{1024, 14.24, 8.29}, {4096, 222.1, 130.8}, {16384, 3555, 2092}};

static double paper_ms(int size, const char *schedule)
{
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
        if (paper[i].size == size)
            return strcmp(schedule, "ed") == 0   ? paper[i].ed
                   : strcmp(schedule, "ec") == 0 ? paper[i].ec
                                                 : 0;
    return 0;
}

struct field {
    ro_image in, out;
    void *bytes; /* where the copy and zimg write */
    struct contender list[MOST];
    struct halftoning ours[MOST];
    struct copying copy;
    struct peer_zimg *zimg[2];
    int count;
};

static void enter(struct field *field, const char *schedule, int threads, ro_cpu cpu)
{
    struct halftoning *ours = &field->ours[field->count];
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = threads,
                              .cpu = cpu};
    if (ro_context_open(&how, &ours->context) != RO_OK)
        return;
    ours->in = &field->in;
    ours->out = &field->out;
    ours->options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .schedule = schedule};
    field->list[field->count++] = (struct contender){
        .name = schedule, .threads = threads, .run = run_halftoning, .data = ours};
}

/* The test card, beside and below itself where the picture is larger: to draw it takes longer than
 * to halftone it. */
static ro_status draw_cards(ro_context *context, const ro_image *in)
{
    enum { CARD = 2048 };
    ro_image card = *in;
    size_t sample = in->format == RO_GREY16 ? 2 : 1;
    card.width = in->width < CARD ? in->width : CARD;
    card.height = in->height < CARD ? in->height : CARD;
    ro_status status = ro_testcard(context, &card);
    for (uint32_t y = 0; y < in->height && status == RO_OK; y++) {
        unsigned char *row = (unsigned char *)in->data + (ptrdiff_t)y * in->stride;
        const unsigned char *from =
            (const unsigned char *)in->data + (ptrdiff_t)(y % card.height) * in->stride;
        for (uint32_t x = 0; x < in->width; x += card.width) {
            uint32_t columns = in->width - x < card.width ? in->width - x : card.width;
            if (row + x * sample != from)
                memcpy(row + x * sample, from, columns * sample);
        }
    }
    return status;
}

/* Fills the table's entries and times them. */
static bool open_field(struct field *field, int size, ro_format format, ro_context *context)
{
    *field = (struct field){0};
    if (ro_image_alloc(context, format, (uint32_t)size, (uint32_t)size, 0, &field->in) != RO_OK ||
        ro_image_alloc(context, RO_BITS, (uint32_t)size, (uint32_t)size, 0, &field->out) != RO_OK ||
        draw_cards(context, &field->in) != RO_OK)
        return false;
    if (posix_memalign(&field->bytes, 64, (size_t)field->in.stride * field->in.height) != 0)
        return false;
    ro_device_info info = {.size = sizeof info};
    int threads = 1;
    if (ro_device_at(0, &info) == RO_OK)
        sscanf(strrchr(info.detail, ',') + 1, "%d", &threads);
    enter(field, "ed", 1, RO_CPU_SCALAR);
    enter(field, "ec", 1, RO_CPU_SCALAR);
    enter(field, "wave", 1, RO_CPU_AUTO);
    if (threads > 1)
        enter(field, "wave", threads, RO_CPU_AUTO);
    enter(field, "wave", 1, RO_CPU_AVX2);
    enter(field, "wave", 1, RO_CPU_V128);
    field->copy = (struct copying){&field->in, field->bytes};
    field->list[field->count++] = (struct contender){
        .name = "memcpy", .variant = "", .threads = 1, .run = run_copying, .data = &field->copy};
    for (int simd = 0; simd < 2; simd++) {
        field->zimg[simd] = peer_zimg_open(&field->in, field->bytes, simd);
        if (field->zimg[simd])
            field->list[field->count++] = (struct contender){.name = "zimg",
                                                             .variant = simd ? "best simd" : "c",
                                                             .threads = 1,
                                                             .run = peer_zimg_run,
                                                             .data = field->zimg[simd]};
    }
    time_in_turns(field->list, field->count, ROUNDS, BUDGET);
    for (int i = 0; i < field->count; i++)
        if (field->list[i].run == run_halftoning)
            field->list[i].variant = ro_cpu_name(ro_context_report(field->ours[i].context)->cpu);
    return true;
}

static void close_field(struct field *field)
{
    for (int i = 0; i < field->count; i++)
        ro_context_close(field->ours[i].context);
    peer_zimg_close(field->zimg[0]);
    peer_zimg_close(field->zimg[1]);
    ro_image_free(&field->in);
    ro_image_free(&field->out);
    free(field->bytes);
}

static void print_rows(const struct field *field, int size, int depth, bool json, bool *first)
{
    double pixels = (double)size * size;
    for (int i = 0; i < field->count; i++) {
        const struct contender *c = &field->list[i];
        if (c->failed)
            continue;
        if (json) {
            printf("%s\n  {\"size\": %d, \"depth\": %d, \"schedule\": \"%s\", \"variant\": \"%s\", "
                   "\"threads\": %d, \"ms\": %.4f, \"mpixels_per_s\": %.1f}",
                   *first ? "" : ",", size, depth, c->name, c->variant, c->threads, c->best * 1e3,
                   pixels / c->best / 1e6);
            *first = false;
            continue;
        }
        printf("| %5d | %2d | %-8s | %-9s | %2d | %9.3f | %8.0f |", size, depth, c->name,
               c->variant, c->threads, c->best * 1e3, pixels / c->best / 1e6);
        double theirs = c->run == run_halftoning ? paper_ms(size, c->name) : 0;
        if (theirs > 0 && depth == 8)
            printf(" %8.2f |\n", theirs);
        else
            printf("          |\n");
    }
}

/* How much faster than zimg's best code the wave is; 0 without zimg. */
static double ratio(const struct field *field, bool all_threads)
{
    double ours = 0, peer = 0;
    for (int i = 0; i < field->count; i++) {
        const struct contender *c = &field->list[i];
        if (c->failed)
            continue;
        if (strcmp(c->name, "wave") == 0 && (c->threads > 1) == all_threads &&
            (ours == 0 || c->best < ours))
            ours = c->best;
        if (strcmp(c->name, "zimg") == 0 && (peer == 0 || c->best < peer))
            peer = c->best;
    }
    return ours > 0 ? peer / ours : 0;
}

static int run(const struct bench_options *options)
{
    static const int sizes[] = {1024, 4096, 16384};
    ro_context *context;
    if (options->cuda)
        return bench_diffusion_cuda(options);
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (options->json) {
        printf("[");
    } else {
        printf("Error diffusion, Floyd-Steinberg, test card to packed bits. ");
        print_machine();
        printf("Best of %d, in turns; a row that takes over %.0f s in all gets fewer.\n\n", ROUNDS,
               BUDGET);
        printf("|  size | bit | schedule | variant   | threads |      ms | Mpixel/s | paper ms |\n"
               "| ----: | -: | -------- | --------- | -: | --------: | -------: | -------: |\n");
    }
    double one = 0, all = 0, sixteen = 0;
    bool first = true, done = false;
    for (int i = 0; i < (options->size ? 1 : 3); i++) {
        int size = options->size ? options->size : sizes[i];
        for (int depth = 8; depth <= (size == 4096 || options->size ? 16 : 8); depth += 8) {
            struct field field;
            done = open_field(&field, size, depth == 8 ? RO_GREY8 : RO_GREY16, context);
            if (done) {
                print_rows(&field, size, depth, options->json, &first);
                fflush(stdout);
                if ((size == 4096 || options->size) && depth == 8) {
                    one = ratio(&field, false);
                    all = ratio(&field, true);
                } else if (depth == 16) {
                    sixteen = ratio(&field, false);
                }
            }
            close_field(&field);
            if (!done) {
                fprintf(stderr, "roundoff: no memory to measure %d x %d\n", size, size);
                break;
            }
        }
    }
    if (options->json) {
        printf("\n]\n");
    } else if (one > 0) {
        printf("\nratio wave1/zimg %.2f\nratio waveN/zimg %.2f\nratio wave1/zimg, 16 bit %.2f\n",
               one, all, sixteen);
    } else {
        printf("\nno libzimg here: no ratios\n");
    }
    ro_context_close(context);
    return done ? 0 : 1;
}

const struct bench bench_diffusion = {
    .name = "diffusion",
    .summary = "error diffusion by every schedule, memcpy and zimg",
    .run = run,
    .cuda = true,
};
