/* SPDX-License-Identifier: MIT */
/*
 * A picture too large to store, halftoned and hashed: 10^6 x 10^6 pixels unless told otherwise, by
 * Floyd-Steinberg to bits (halftone/diffusion/made.h says what it shows and what the hash is). On
 * the CPU some threads make rows and hash bits while the others halftone; on a device both are done
 * in the kernel.
 */
#include "bench/bench.h"
#include "halftone/diffusion/cuda/diffusion_cuda.h"
#include "halftone/diffusion/made.h"
#include "roundoff.h"
#include "bench/timing.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1000000, BLOCK_BYTES = 1 << 24, BAND = 64, MAKERS = 8 };

struct block {
    uint8_t *rows; /* samples, or bits */
    uint32_t first, count;
};

struct tera {
    uint32_t side, block_rows, makers;
    size_t bits; /* bytes of a row of bits, to whole words */
    ro_context *context;
    ro_plan *plan;
    ro_halftone_stream *stream;
    struct block in[2], out;
    uint64_t hash;
};

static void make_row(uint8_t *row, uint32_t width, uint32_t y)
{
    const uint32_t step = made_step(y);
    uint32_t product = 0;
    for (uint32_t x = 0; x < width; x++, product += step)
        row[x] = (uint8_t)made_sample(product);
}

static uint64_t hash_row(const uint8_t *bits, size_t bytes, uint32_t y)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t word = 0;
        for (int b = 0; b < 8; b++)
            word = word << 8 | bits[8 * i + (size_t)b];
        sum += made_hash(word, y, (uint32_t)i);
    }
    return sum;
}

/* The next rows, and a hash of those that have come out: each maker has every so manieth. */
struct beside {
    struct tera *tera;
    struct block *next;
    uint32_t maker;
    uint64_t hash;
};

static void *make_and_hash(void *data)
{
    struct beside *beside = data;
    const struct tera *tera = beside->tera;
    for (uint32_t r = beside->maker; r < beside->next->count; r += tera->makers)
        make_row(beside->next->rows + (size_t)r * tera->side, tera->side, beside->next->first + r);
    for (uint32_t r = beside->maker; r < tera->out.count; r += tera->makers)
        beside->hash += hash_row(tera->out.rows + r * tera->bits, tera->bits, tera->out.first + r);
    return NULL;
}

static void next_block(const struct tera *tera, struct block *block, uint32_t first)
{
    block->first = first;
    block->count = tera->side - first < tera->block_rows ? tera->side - first : tera->block_rows;
}

/* Rows in, and out as far as they are finished, from row *pulled on. */
static ro_status halftone(struct tera *tera, const struct block *in, uint8_t *bits,
                          uint32_t *pulled, uint32_t *got)
{
    ro_status status = RO_OK;
    *got = 0;
    for (uint32_t done = 0, taken = 0, given; done < in->count && status == RO_OK; done += taken) {
        status = ro_halftone_push(tera->stream, in->rows + (size_t)done * tera->side, tera->side,
                                  in->count - done, &taken);
        do {
            given = 0;
            if (status == RO_OK)
                status =
                    ro_halftone_pull(tera->stream, bits + *got * tera->bits, (ptrdiff_t)tera->bits,
                                     2 * tera->block_rows - *got, &given);
            *got += given;
            *pulled += given;
        } while (given > 0);
    }
    return status;
}

static ro_status run_all(struct tera *tera, uint8_t *bits)
{
    uint32_t pulled = 0;
    ro_status status = RO_OK;
    next_block(tera, &tera->in[0], 0);
    for (uint32_t m = 0; m < tera->makers; m++)
        make_and_hash(&(struct beside){tera, &tera->in[0], m, 0});
    for (int now = 0; status == RO_OK && (pulled < tera->side || tera->out.count); now = 1 - now) {
        struct beside beside[MAKERS];
        pthread_t threads[MAKERS];
        const uint32_t first = pulled;
        uint32_t got = 0, begun = 0;
        next_block(tera, &tera->in[1 - now], tera->in[now].first + tera->in[now].count);
        for (; begun < tera->makers && status == RO_OK; begun += status == RO_OK) {
            beside[begun] = (struct beside){tera, &tera->in[1 - now], begun, 0};
            if (pthread_create(&threads[begun], NULL, make_and_hash, &beside[begun]) != 0)
                status = ro_context_fail(tera->context, RO_E_MEMORY, "cannot start a thread");
        }
        if (status == RO_OK)
            status = halftone(tera, &tera->in[now], bits, &pulled, &got);
        for (uint32_t m = 0; m < begun; m++) {
            pthread_join(threads[m], NULL);
            tera->hash += beside[m].hash;
        }
        uint8_t *hashed = tera->out.rows;
        tera->out = (struct block){bits, first, got};
        bits = hashed;
    }
    return status;
}

static void print(const struct bench_options *options, uint32_t side, const char *schedule,
                  const char *where, int threads, uint64_t hash, double took)
{
    const double pixels = (double)side * side;
    char more[32] = "";
    if (options->json) {
        if (threads)
            snprintf(more, sizeof more, "\"threads\": %d, ", threads);
        printf("{\"side\": %u, \"hash\": \"%016" PRIx64 "\", \"%s\": \"%s\", %s"
               "\"seconds\": %.3f, \"gpixels_per_s\": %.3f}\n",
               side, hash, threads ? "cpu" : "device", where, more, took, pixels / took * 1e-9);
        return;
    }
    if (threads)
        snprintf(more, sizeof more, ", %d threads", threads);
    printf("%u x %u pixels, made where they are used, halftoned by floyd-steinberg (%s/%s%s) and "
           "hashed: %016" PRIx64 ", %.3f s, %.2f Gpixel/s\n",
           side, side, schedule, where, more, hash, took, pixels / took * 1e-9);
}

/* The time is that of the whole call, memory for the lines between rows made anew; a small picture
 * comes first, so that the device is awake and has loaded its code. */
static int run_cuda(const struct bench_options *options, uint32_t side)
{
    enum { FIRST = 4096 };
    ro_context *context = bench_device();
    uint64_t hash;
    double ms;
    if (!context)
        return EXIT_FAILURE;
    ro_status status = diffusion_on_cuda->made(context, FIRST, &hash, &ms);
    const double start = bench_seconds();
    if (status == RO_OK)
        status = diffusion_on_cuda->made(context, side, &hash, &ms);
    const double took = bench_seconds() - start;
    if (status != RO_OK)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(context));
    else
        print(options, side, "wave", "cuda", 0, hash, took);
    ro_context_close(context);
    return status == RO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(const struct bench_options *options)
{
    struct tera tera = {.side = options->size ? (uint32_t)options->size : SIDE};
    if (options->cuda)
        return run_cuda(options, tera.side);
    const size_t block_rows = (BLOCK_BYTES / tera.side / BAND + 1) * BAND;
    tera.block_rows = (uint32_t)block_rows;
    tera.bits = ((size_t)tera.side + 63) / 64 * 8;
    ro_image shape = {RO_GRAY8, tera.side, tera.side, 255, 0, NULL};
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU};
    ro_plan_info way = {0};
    if (ro_context_open(&how, &tera.context) != RO_OK)
        return EXIT_FAILURE;
    /* what is pulled at once may be more than was pushed; rows end in zeros */
    uint8_t *bits = calloc(2 * block_rows, tera.bits), *out = calloc(2 * block_rows, tera.bits);
    ro_status status = bits && out ? RO_OK : RO_E_MEMORY;
    for (int i = 0; i < 2; i++)
        if (!(tera.in[i].rows = malloc(block_rows * tera.side)))
            status = RO_E_MEMORY;
    if (status == RO_OK)
        status = ro_halftone_plan(tera.context, &shape, RO_BITS, NULL, &tera.plan);
    if (status == RO_OK)
        status = ro_plan_query(tera.plan, &way);
    if (status == RO_OK)
        status = ro_halftone_begin(tera.plan, 0, tera.side, &tera.stream);
    const int makers = 1 + way.threads / 4;
    tera.makers = makers < MAKERS ? (uint32_t)makers : MAKERS;
    const double start = bench_seconds();
    tera.out.rows = out;
    if (status == RO_OK)
        status = run_all(&tera, bits);
    const double took = bench_seconds() - start;
    if (status != RO_OK)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(tera.context));
    else
        print(options, tera.side, way.schedule, ro_cpu_name(way.cpu), way.threads, tera.hash, took);
    ro_halftone_close(tera.stream);
    ro_plan_free(tera.plan);
    for (int i = 0; i < 2; i++)
        free(tera.in[i].rows);
    free(bits);
    free(out);
    ro_context_close(tera.context);
    return status == RO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct bench bench_terapixel = {
    .name = "terapixel",
    .summary = "10^12 pixels that are nowhere stored, halftoned and hashed",
    .run = run,
    .cuda = true,
    .alone = true,
};
