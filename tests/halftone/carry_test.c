/* SPDX-License-Identifier: MIT */
/* Pictures cut into pieces, what one carries on given to the next: the bits of the whole picture,
 * and numbers that are the same for every instruction set and number of threads. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/cpu.h"
#include "core/random.h"
#include "roundoff.h"
#include "roundoff/pieces.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 211, TALLEST = 200, LINES = 16, CONTEXTS = 7, STEP = 37 };

/* One for every instruction set, with one thread and with three, and one for a device. */
/* A kernel, whose errors are carried. */
static const ro_halftone_options classic = {RO_HALFTONE_DEFAULTS, .method = "floyd-steinberg"};

static ro_context *contexts[CONTEXTS];
static int contexts_made;

static _Alignas(8) uint8_t pixels[6 * WIDEST * TALLEST];
static uint8_t whole[3 * WIDEST * TALLEST], pieces[3 * WIDEST * TALLEST];

static int open_contexts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof pixels; i++) /* dark, bright and all between */
        pixels[i] = (uint8_t)((pixel_hash(1, i, 0) >> 26) + i / 3 % WIDEST * 192 / WIDEST);
    for (ro_cpu cpu = RO_CPU_SCALAR; cpu <= cpu_best(); cpu++)
        for (int threads = 1; threads <= 3; threads += 2) {
            const ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                                .cpu = cpu, .threads = threads};
            if (ro_context_open(&options, &contexts[contexts_made++]) != RO_OK)
                return 1;
        }
    const ro_context_options device = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CUDA};
    contexts_made += ro_context_open(&device, &contexts[contexts_made]) == RO_OK;
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < contexts_made; i++)
        ro_context_close(contexts[i]);
    return 0;
}

/* ---- Pieces --------------------------------------------------------------------------------- */

static ptrdiff_t row_of(ro_format format, uint32_t width)
{
    return (ptrdiff_t)ro_format_row_bytes(format, width);
}

/* Pushes and pulls rows first to end - 1 of a piece. */
static void run_rows(ro_stream *stream, const ro_image *in, ro_format format, uint32_t first,
                     uint32_t end, uint8_t *out)
{
    const ptrdiff_t row = row_of(format, in->width);
    for (uint32_t pushed = first, pulled = first, taken, given; pulled < end;
         pushed += taken, pulled += given) {
        const uint8_t *from = (const uint8_t *)in->data + (ptrdiff_t)pushed * in->stride;
        assert_int_equal(ro_stream_push(stream, from, in->stride, end - pushed, &taken), RO_OK);
        assert_int_equal(
            ro_stream_pull(stream, out + (ptrdiff_t)pulled * row, row, end - pulled, &given),
            RO_OK);
    }
}

/* Who carries: what comes in, and what goes on, by some columns at a time. */
struct carrying {
    ro_stream *stream;
    uint32_t width, given, taken;
    int lines;
    const int32_t *in;
    int32_t *out;
    ro_status brought, took;
};

static uint32_t step_at(const struct carrying *c, uint32_t x)
{
    return c->width - x < STEP ? c->width - x : STEP;
}

static void bring(void *data, uint32_t columns)
{
    struct carrying *c = data;
    int32_t part[LINES * STEP];
    while (c->given < columns && c->brought == RO_OK) {
        const uint32_t x = c->given, count = step_at(c, x);
        for (int i = 0; i < c->lines; i++)
            memcpy(part + (size_t)i * count, c->in + (size_t)i * c->width + x, 4 * count);
        c->brought = ro_halftone_carry_in(c->stream, x, count, part);
        c->given += count;
    }
}

static void take(void *data, uint32_t ready)
{
    struct carrying *c = data;
    int32_t part[LINES * STEP];
    while (c->taken < c->width && c->taken + step_at(c, c->taken) <= ready && c->took == RO_OK) {
        const uint32_t x = c->taken, count = step_at(c, x);
        c->took = ro_halftone_carry_out(c->stream, x, count, part);
        for (int i = 0; i < c->lines; i++)
            memcpy(c->out + (size_t)i * c->width + x, part + (size_t)i * count, 4 * count);
        c->taken += count;
    }
}

/* A piece, with what is carried into it, of which it makes what it carries on: given before and
 * asked for behind, or carried while it runs. */
static void run_piece(ro_plan *plan, const ro_image *in, ro_format format, uint32_t first,
                      uint32_t end, int lines, int32_t *carried)
{
    static int32_t next[LINES * WIDEST];
    const bool above = lines > 0 && first > 0, below = lines > 0 && end < in->height;
    struct carrying c = {.width = in->width, .lines = lines, .in = carried, .out = next};
    const ro_carrier carrier = {bring, take, &c};
    assert_int_equal(ro_stream_open_piece(plan, first, end - first, &c.stream), RO_OK);
    if ((first + end) % 2)
        assert_int_equal(ro_halftone_carry_by(c.stream, &carrier), RO_OK);
    else if (above)
        bring(&c, c.width);
    run_rows(c.stream, in, format, first, end, pieces);
    if (above)
        assert_int_equal(c.given, c.width);
    if (below) {
        assert_int_equal(ro_halftone_carry_ready(c.stream), c.width);
        if ((first + end) % 2 == 0)
            take(&c, c.width);
        assert_int_equal(c.taken, c.width);
        memcpy(carried, next, 4 * (size_t)lines * c.width);
    }
    assert_int_equal(c.brought, RO_OK);
    assert_int_equal(c.took, RO_OK);
    ro_stream_close(c.stream);
}

static void assert_same(const ro_image *in, ro_format format, const ro_halftone_options *options,
                        uint32_t cut)
{
    const size_t row = (size_t)row_of(format, in->width);
    for (uint32_t y = 0; y < in->height; y++)
        if (memcmp(whole + y * row, pieces + y * row, row) != 0)
            fail_msg("%s, %u x %u, cut at row %u: row %u differs",
                     options->method ? options->method : "floyd-steinberg", in->width, in->height,
                     cut, y);
}

/* Cuts at every row, or every some, with a piece of one to four rows in between. */
static void cut_at(const ro_image *in, ro_format format, const ro_halftone_options *options,
                   uint32_t apart)
{
    static int32_t numbers[TALLEST][LINES * WIDEST]; /* that flow into each row */
    static int32_t carried[LINES * WIDEST];
    const ptrdiff_t row = row_of(format, in->width);
    for (int c = 0; c < contexts_made; c++) {
        ro_plan *plan;
        ro_plan_info info = {.size = sizeof info};
        ro_image out = {.format = format,
                        .width = in->width,
                        .height = in->height,
                        .maxval = 0,
                        .stride = row,
                        .data = whole};
        ro_halftone_options own = *options;
        own.abreast = c % 2 ? 2 + c : 0; /* how bands are run changes nothing */
        ro_status status = ro_halftone_plan(contexts[c], in, format, &own, &plan);
        if (status == RO_E_UNSUPPORTED) /* sequential, or too wide for lanes */
            continue;
        if (status != RO_OK)
            fail_msg("%s", ro_context_message(contexts[c]));
        assert_int_equal(ro_plan_query(plan, &info), RO_OK);
        if (info.device == RO_DEVICE_CUDA && strncmp(info.method, "acuity", 6) == 0) {
            ro_stream *stream; /* there it keeps numbers of its own */
            assert_int_equal(info.carried, -1);
            assert_int_equal(ro_stream_open_piece(plan, 0, 1, &stream), RO_E_UNSUPPORTED);
            ro_plan_free(plan);
            continue;
        }
        assert_in_range(info.carried, 0, LINES);
        const size_t bytes = 4 * (size_t)info.carried * in->width;
        assert_int_equal(ro_plan_run(plan, in, &out, NULL), RO_OK);
        for (uint32_t cut = 1; cut < in->height; cut += apart) {
            const uint32_t end = cut + 1 + cut % 4;
            memset(pieces, 0xaa, sizeof pieces);
            run_piece(plan, in, format, 0, cut, info.carried, carried);
            if (c == 0)
                memcpy(numbers[cut], carried, bytes);
            assert_memory_equal(numbers[cut], carried, bytes);
            if (end < in->height) {
                run_piece(plan, in, format, cut, end, info.carried, carried);
                run_piece(plan, in, format, end, in->height, info.carried, carried);
            } else {
                run_piece(plan, in, format, cut, in->height, info.carried, carried);
            }
            assert_same(in, format, options, cut);
        }
        ro_plan_free(plan);
    }
}

static void cut_everywhere(const ro_image *in, ro_format format, const ro_halftone_options *options)
{
    cut_at(in, format, options, 1);
}

static ro_image grey8(uint32_t width, uint32_t height)
{
    return (ro_image){.format = RO_GREY8,
                      .width = width,
                      .height = height,
                      .maxval = 255,
                      .stride = WIDEST,
                      .data = pixels};
}

static ro_image grey16(uint32_t width, uint32_t height)
{
    return (ro_image){.format = RO_GREY16,
                      .width = width,
                      .height = height,
                      .maxval = 65535,
                      .stride = 2 * WIDEST,
                      .data = pixels};
}

/* ---- What is cut ---------------------------------------------------------------------------- */

static void every_method(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, height;
    } sizes[] = {{1, 20}, {64, 40}, {130, 37}};
    uint16_t cells[6] = {1, 4, 2, 5, 3, 0};
    const ro_image screen = ro_image_view(RO_GREY16, 3, 2, cells);
    const ro_method *method;
    for (int m = 0; (method = ro_halftone_method_at(m)); m++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const ro_image in = grey8(sizes[i].width, sizes[i].height);
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method->name};
            ro_plan_info info = {.size = sizeof info};
            ro_plan *plan;
            if (strcmp(method->name, "screen") == 0)
                options.screen = &screen;
            assert_int_equal(ro_halftone_plan(contexts[0], &in, RO_BITS, &options, &plan), RO_OK);
            ro_plan_query(plan, &info);
            ro_plan_free(plan);
            if (info.streams)
                cut_everywhere(&in, RO_BITS, &options);
        }
}

static void depths_and_levels(void **state)
{
    (void)state;
    static const char *const methods[] = {"floyd-steinberg", "stucki",    "stevenson-arce",
                                          "ostromoukhov",    "zhou-fang", "acuity",
                                          "acuity-6",        "acuity-4"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int wide = 0; wide < 2; wide++)
            for (int levels = 2; levels <= 5; levels += 3) {
                const ro_image in = wide ? grey16(97, 35) : grey8(97, 35);
                const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                                     .levels = levels};
                if (levels == 2 || (m != 3 && m != 4))
                    cut_everywhere(&in, RO_INDEX8, &options);
            }
}

static void options_of_diffusion(void **state)
{
    (void)state;
    static const ro_halftone_options all[] = {
        {RO_HALFTONE_DEFAULTS, .noise = 30, .seed = 7},
        {RO_HALFTONE_DEFAULTS, .method = "jjn", .strength = 80},
        {RO_HALFTONE_DEFAULTS, .threshold = 40, .noise = 5},
        {RO_HALFTONE_DEFAULTS, .method = "atkinson", .levels = 3, .noise = 60, .strength = 99},
        {RO_HALFTONE_DEFAULTS, .method = "burkes", .tone = {.gamma = 2.2, .invert = 1}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ro_image in = grey8(75, 35);
        cut_everywhere(&in, RO_INDEX8, &all[i]);
    }
}

static void kernels_of_ones_own(void **state)
{
    (void)state;
    static const ro_kernel far = {
        100, 6, {{7, 0, 20}, {-7, 1, 20}, {7, 1, 10}, {0, 2, 25}, {-7, 3, 10}, {7, 3, 15}}};
    static const ro_kernel negative = {9, 4, {{1, 0, 4}, {-1, 1, -1}, {0, 1, 3}, {2, 3, 1}}};
    const ro_image in = grey8(80, 35);
    cut_everywhere(&in, RO_BITS, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .kernel = &far});
    cut_everywhere(&in, RO_BITS, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .kernel = &negative});
}

/* Bands of a device are taller than the pictures above. */
static void tall_pictures(void **state)
{
    (void)state;
    static const char *const methods[] = {"floyd-steinberg", "stucki", "stevenson-arce", "acuity"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int wide = 0; wide < 2; wide++) {
            const ro_image in = wide ? grey16(WIDEST - 1, TALLEST) : grey8(WIDEST, TALLEST);
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m]};
            cut_at(&in, RO_BITS, &options, 21); /* 64 is among them */
            options.levels = 4;
            cut_at(&in, RO_INDEX8, &options, 50);
        }
}

static void serpentine_rows(void **state)
{
    (void)state;
    static const char *const methods[] = {"floyd-steinberg", "jjn", "stevenson-arce",
                                          "ostromoukhov", "zhou-fang"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const ro_image in = grey8(61, 24);
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m], .serpentine = 1};
        cut_everywhere(&in, RO_BITS, &options);
        options.schedule = "ec";
        if (m < 3)
            cut_everywhere(&in, RO_BITS, &options);
    }
}

static void palettes_and_planes(void **state)
{
    (void)state;
    ro_palette few, many;
    assert_int_equal(ro_palette_parse(contexts[0], "black white red yellow #2040c0", &few), RO_OK);
    many.count = 60;
    for (uint32_t i = 0; i < 180; i++)
        many.colours[i / 3][i % 3] = (uint8_t)pixel_hash(3, i, 0);
    const ro_image in = {.format = RO_RGB8,
                         .width = 69,
                         .height = 30,
                         .maxval = 255,
                         .stride = 3 * WIDEST,
                         .data = pixels};
    const ro_image wide = {.format = RO_RGB16,
                           .width = 69,
                           .height = 30,
                           .maxval = 65535,
                           .stride = 6 * WIDEST,
                           .data = pixels};
    cut_everywhere(&in, RO_INDEX8, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &few});
    cut_everywhere(
        &in, RO_RGB8,
        &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "stucki", .palette = &few});
    cut_everywhere(&wide, RO_INDEX8,
                   &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &many});
    cut_everywhere(
        &in, RO_RGB8,
        &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB, .levels = 3});
    cut_everywhere(&in, RO_INDEX8,
                   &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK,
                                          .method = "sierra"});
}

/* ---- What the numbers are ------------------------------------------------------------------- */

/* Floyd-Steinberg by its definition: the errors of row y, from those of the row above. */
static void errors_are_those_of_the_definition(void **state)
{
    (void)state;
    const ro_image in = grey8(93, 33);
    int32_t line[2][WIDEST + 2] = {{0}}, carried[WIDEST];
    for (uint32_t y = 0; y + 1 < in.height; y++) {
        int32_t *own = line[y % 2] + 1, *above = line[(y + 1) % 2] + 1, c = 8;
        memset(own - 1, 0, sizeof line[0]);
        for (uint32_t x = 0; x < in.width; x++) {
            const int32_t t =
                c + 7 * own[(int)x - 1] + 3 * above[x + 1] + 5 * above[x] + above[(int)x - 1];
            const int32_t v = 16 * pixels[y * WIDEST + x] + (t >> 4);
            c = t & 15;
            own[x] = v > 2040 ? v - 4080 : v;
        }
        for (int i = 0; i < contexts_made; i++) {
            ro_plan *plan;
            assert_int_equal(ro_halftone_plan(contexts[i], &in, RO_BITS, &classic, &plan), RO_OK);
            run_piece(plan, &in, RO_BITS, 0, y + 1, 1, carried);
            ro_plan_free(plan);
            assert_memory_equal(carried, own, 4 * in.width);
        }
    }
}

/* ---- Beside a push -------------------------------------------------------------------------- */

/* Hands columns on from one stream to another while both run. */
struct courier {
    ro_stream *from, *to;
    uint32_t width;
    int lines;
};

static void *carry_columns(void *data)
{
    const struct courier *way = data;
    int32_t values[LINES * STEP];
    for (uint32_t x = 0; x < way->width; x += STEP) {
        const uint32_t count = way->width - x < STEP ? way->width - x : STEP;
        if (ro_halftone_carry_out(way->from, x, count, values) != RO_OK ||
            ro_halftone_carry_in(way->to, x, count, values) != RO_OK)
            return data;
    }
    return NULL;
}

struct piece {
    ro_stream *stream;
    const ro_image *in;
    uint32_t first, end;
};

static void *push_piece(void *data)
{
    const struct piece *piece = data;
    uint32_t taken, given;
    const ptrdiff_t row = row_of(RO_BITS, piece->in->width);
    const uint8_t *from = (const uint8_t *)piece->in->data + piece->first * piece->in->stride;
    if (ro_stream_push(piece->stream, from, piece->in->stride, piece->end - piece->first, &taken) !=
            RO_OK ||
        ro_stream_pull(piece->stream, pieces + (ptrdiff_t)piece->first * row, row,
                       piece->end - piece->first, &given) != RO_OK ||
        given != piece->end - piece->first)
        return data;
    return NULL;
}

static void pieces_run_side_by_side(void **state)
{
    (void)state;
    static const char *const methods[] = {"floyd-steinberg", "jjn", "ostromoukhov", "acuity",
                                          "acuity-4"};
    const uint32_t tall = 70;
    const ro_image in = grey8(WIDEST, tall);
    for (int c = 0; c + 1 < contexts_made; c += 2)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m]};
            ro_plan *plan[2];
            ro_plan_info info = {.size = sizeof info};
            struct piece piece[2] = {{NULL, &in, 0, 32}, {NULL, &in, 32, tall}};
            pthread_t threads[2];
            void *failed[2];
            for (int i = 0; i < 2; i++) {
                assert_int_equal(
                    ro_halftone_plan(contexts[c + i], &in, RO_BITS, &options, &plan[i]), RO_OK);
                assert_int_equal(ro_stream_open_piece(plan[i], piece[i].first,
                                                      piece[i].end - piece[i].first,
                                                      &piece[i].stream),
                                 RO_OK);
            }
            ro_plan_query(plan[0], &info);
            struct courier courier = {piece[0].stream, piece[1].stream, WIDEST, info.carried};
            memset(pieces, 0xaa, sizeof pieces);
            pthread_create(&threads[0], NULL, push_piece, &piece[1]);
            pthread_create(&threads[1], NULL, carry_columns, &courier);
            assert_null(push_piece(&piece[0]));
            for (int i = 0; i < 2; i++)
                pthread_join(threads[i], &failed[i]);
            assert_null(failed[0]);
            assert_null(failed[1]);
            for (int i = 0; i < 2; i++)
                ro_plan_free(plan[i]);
            ro_image out = {.format = RO_BITS,
                            .width = WIDEST,
                            .height = tall,
                            .maxval = 0,
                            .stride = row_of(RO_BITS, WIDEST),
                            .data = whole};
            assert_int_equal(ro_halftone(contexts[0], &in, &out, &options), RO_OK);
            assert_same(&in, RO_BITS, &options, 32);
        }
}

static void cancelling_ends_the_wait(void **state)
{
    (void)state;
    const ro_image in = grey8(WIDEST, 40);
    for (int c = 0; c < contexts_made; c++) {
        ro_plan *plan;
        pthread_t thread;
        void *failed;
        int32_t number;
        struct piece piece = {NULL, &in, 20, 30};
        assert_int_equal(ro_halftone_plan(contexts[c], &in, RO_BITS, &classic, &plan), RO_OK);
        assert_int_equal(ro_stream_open_piece(plan, 20, 10, &piece.stream), RO_OK);
        pthread_create(&thread, NULL, push_piece, &piece);
        ro_context_cancel(contexts[c]);
        assert_int_equal(ro_halftone_carry_out(piece.stream, 0, 1, &number), RO_E_CANCELLED);
        pthread_join(thread, &failed);
        assert_ptr_equal(failed, &piece);
        ro_context_resume(contexts[c]);
        uint32_t given; /* nothing of a piece that was not finished is to be had */
        assert_int_equal(ro_halftone_carry_ready(piece.stream), 0);
        assert_int_equal(ro_stream_pull(piece.stream, pieces, WIDEST, 1, &given), RO_E_STATE);
        assert_int_equal(given, 0);
        assert_int_equal(ro_halftone_carry_out(piece.stream, 0, 1, &number), RO_E_STATE);
        ro_stream_close(piece.stream);
        ro_image out = {.format = RO_BITS,
                        .width = in.width,
                        .height = in.height,
                        .maxval = 0,
                        .stride = row_of(RO_BITS, WIDEST),
                        .data = whole};
        assert_int_equal(ro_plan_run(plan, &in, &out, NULL),
                         RO_OK); /* the plan is as good as new */
        ro_image again = out;
        again.data = pieces;
        assert_int_equal(ro_halftone(contexts[c], &in, &again, &classic), RO_OK);
        assert_same(&in, RO_BITS, &classic, 0);
        ro_plan_free(plan);
    }
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void assert_refused(ro_status status, ro_status expected, const char *words)
{
    assert_int_equal(status, expected);
    if (!strstr(ro_context_message(contexts[0]), words))
        fail_msg("'%s' does not say '%s'", ro_context_message(contexts[0]), words);
}

static void only_plans_to_halftone(void **state)
{
    (void)state;
    const ro_image in = grey8(WIDEST, 40);
    ro_plan *plan;
    ro_stream *stream;
    const ro_denoise_options linear = {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = 2};
    assert_int_equal(ro_denoise_plan(contexts[0], &in, &in, &linear, &plan), RO_OK);
    assert_refused(ro_stream_open_piece(plan, 0, 20, &stream), RO_E_UNSUPPORTED,
                   "ro_denoise_piece_open");
    ro_plan_free(plan);
    assert_int_equal(ro_stream_open_piece(NULL, 0, 40, &stream), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone_plan(contexts[0], &in, RO_BITS, NULL, NULL), RO_E_ARGUMENT);
    assert_int_equal(ro_denoise_plan(contexts[0], NULL, &in, NULL, &plan), RO_E_ARGUMENT);
}

static void refused(void **state)
{
    (void)state;
    static const ro_halftone_options not_cut[] = {
        {RO_HALFTONE_DEFAULTS, .method = "riemersma"}, {RO_HALFTONE_DEFAULTS, .method = "dbs"},
        {RO_HALFTONE_DEFAULTS, .method = "otsu"},      {RO_HALFTONE_DEFAULTS, .method = "knuth"},
        {RO_HALFTONE_DEFAULTS, .method = "pinwheel"},
    };
    const ro_image in = grey8(50, 40);
    ro_stream *stream;
    ro_plan *plan;
    int32_t values[50] = {0};
    for (size_t i = 0; i < sizeof not_cut / sizeof *not_cut; i++) {
        ro_plan_info info = {.size = sizeof info};
        assert_int_equal(ro_halftone_plan(contexts[0], &in, RO_BITS, &not_cut[i], &plan), RO_OK);
        ro_plan_query(plan, &info);
        assert_int_equal(info.carried, -1);
        assert_refused(ro_stream_open_piece(plan, 10, 10, &stream), RO_E_UNSUPPORTED,
                       "needs the whole image");
        ro_plan_free(plan);
    }
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .like = "pillow"};
    assert_int_equal(ro_halftone_plan(contexts[0], &in, RO_BITS, &options, &plan), RO_OK);
    assert_refused(ro_stream_open_piece(plan, 10, 10, &stream), RO_E_UNSUPPORTED,
                   "cannot run a piece of a picture");
    ro_plan_free(plan);
    options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "fs", .schedule = "ed"};
    assert_int_equal(ro_halftone_plan(contexts[0], &in, RO_BITS, &options, &plan), RO_OK);
    assert_refused(ro_stream_open_piece(plan, 0, 10, &stream), RO_E_UNSUPPORTED, "keeps sums");
    ro_plan_free(plan);

    assert_int_equal(ro_halftone_plan(contexts[0], &in, RO_BITS, &classic, &plan), RO_OK);
    assert_refused(ro_stream_open_piece(plan, 30, 11, &stream), RO_E_ARGUMENT, "has 40 rows");
    assert_refused(ro_stream_open_piece(plan, 30, 0, &stream), RO_E_ARGUMENT, "has 40 rows");
    assert_int_equal(ro_stream_open_piece(plan, 0, 10, &stream), RO_OK);
    assert_refused(ro_halftone_carry_in(stream, 0, 50, values), RO_E_STATE, "into row 0");
    ro_stream_close(stream);
    assert_int_equal(ro_stream_open_piece(plan, 30, 10, &stream), RO_OK);
    assert_refused(ro_halftone_carry_out(stream, 0, 50, values), RO_E_STATE, "on from row 39");
    assert_refused(ro_halftone_carry_in(stream, 1, 5, values), RO_E_STATE, "from left to right");
    assert_refused(ro_halftone_carry_in(stream, 0, 51, values), RO_E_ARGUMENT, "the image has 50");
    values[3] = 2041; /* white is 4080 */
    assert_refused(ro_halftone_carry_in(stream, 0, 50, values), RO_E_ARGUMENT, "into column 3");
    values[3] = 2040;
    assert_int_equal(ro_halftone_carry_in(stream, 0, 50, values), RO_OK);
    ro_stream_close(stream);
    ro_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(depths_and_levels),
        cmocka_unit_test(options_of_diffusion),
        cmocka_unit_test(kernels_of_ones_own),
        cmocka_unit_test(tall_pictures),
        cmocka_unit_test(serpentine_rows),
        cmocka_unit_test(palettes_and_planes),
        cmocka_unit_test(errors_are_those_of_the_definition),
        cmocka_unit_test(pieces_run_side_by_side),
        cmocka_unit_test(cancelling_ends_the_wait),
        cmocka_unit_test(only_plans_to_halftone),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
