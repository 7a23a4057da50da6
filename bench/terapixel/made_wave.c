/* SPDX-License-Identifier: MIT */
/* Windows on a picture that is made where it is used, and the wave over all of it. */
#include "bench/terapixel/made_wave.h"

#include "bench/terapixel/made.h"
#include "context/context.h"
#include "halftone/error_diffusion/wave/wave.h"

#include <stdlib.h>
#include <string.h>

static void samples(uint8_t *to, uint32_t y, int64_t x, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = (uint8_t)made_sample(made_step(y) * (uint32_t)(x + i));
}

static uint64_t hash_of(const uint64_t *words, uint32_t y, uint32_t first, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        uint64_t word = 0;
        for (int b = 0; b < 8; b++)
            word = word << 8 | ((const uint8_t *)&words[i])[b];
        sum += made_hash(word, y, first + (uint32_t)i);
    }
    return sum;
}

static const struct made_code made_code_ref = {samples, hash_of};

/* Where rows would begin in memory if the window were a part of them, and how far apart. */
struct made_rows {
    const unsigned char *in;
    unsigned char *out;
    ptrdiff_t in_stride, out_stride;
};

/* Makes what rows y to y + rows - 1, each `skew` columns behind the one above, need for steps first
 * to last - 1, MADE_STEPS at most. */
static struct made_rows fill(struct made_window *window, uint32_t y, int rows, int skew,
                             int64_t first, int64_t last)
{
    for (int i = 0; i < rows; i++)
        window->code->samples(window->in[i] + MADE_MARGIN, y + (uint32_t)i,
                              first - (int64_t)skew * i, (int)(last - first + 63) & -64);
    memset(window->out, 0, sizeof window->out);
    return (struct made_rows){
        .in = window->in[0] + MADE_MARGIN - first,
        .in_stride = (ptrdiff_t)sizeof window->in[0] + skew,
        .out = (unsigned char *)(window->out[0] + MADE_BEHIND) - first / 8,
        .out_stride = (ptrdiff_t)sizeof window->out[0],
    };
}

/* Takes the words in again once these steps have run. */
static void take(struct made_window *window, uint32_t y, int rows, int skew, uint32_t width,
                 int64_t first, int64_t last)
{
    const int64_t words = ((int64_t)width + 63) >> 6;
    for (int i = 0; i < rows; i++) {
        const int64_t next = (first - (int64_t)skew * i) >> 6; /* floor, also of negative numbers */
        const int64_t beyond = next + ((last - first + 63) >> 6);
        const int64_t from = next < 0 ? 0 : next, end = beyond < words ? beyond : words;
        const uint64_t *out = window->out[i] + MADE_BEHIND + (from - (first >> 6));
        if (from < end)
            window->hash +=
                window->code->hash(out, y + (uint32_t)i, (uint32_t)from, (int)(end - from));
    }
}

static int64_t window_end(int64_t first, int64_t last)
{
    return first + MADE_STEPS < last ? first + MADE_STEPS : last;
}

static void vector_steps(void *data, int thread, const struct diffusion_plan *plan,
                         const struct wave_code *code, struct wave_band *band, int64_t first,
                         int64_t last)
{
    struct made_window *window = (struct made_window *)data + thread;
    for (int64_t k = first, end; k < last; k = end) {
        end = window_end(k, last);
        const struct made_rows rows = fill(window, band->first_row, band->rows, plan->skew, k, end);
        band->in = rows.in;
        band->in_stride = rows.in_stride;
        band->readable = MADE_ROWS; /* the first row's window is not where other lanes look */
        band->out = rows.out;
        band->out_stride = rows.out_stride;
        code->steps(plan, band, k, end);
        take(window, band->first_row, band->rows, plan->skew, plan->width, k, end);
    }
}

static void scalar_steps(void *data, int thread, const struct diffusion_plan *plan,
                         struct diffusion_row *row, int64_t first, int64_t last)
{
    struct made_window *window = (struct made_window *)data + thread;
    for (int64_t k = first, end; k < last; k = end) {
        end = window_end(k, last);
        const struct made_rows rows = fill(window, row->y, 1, 0, k, end);
        row->in = rows.in;
        row->out = rows.out;
        diffusion_gather(plan, row, k, end);
        take(window, row->y, 1, 0, plan->width, k, end);
    }
}

ro_status diffusion_made(ro_context *context, uint32_t side, uint64_t *hash)
{
    static const struct made_code *const codes[RO_CPUS] = {[RO_CPU_SCALAR] = &made_code_ref,
                                                           RO_VARIANTS_OF(made_code)};
    struct diffusion_plan *plan = malloc(sizeof *plan);
    struct made_window *windows = NULL;
    void *memory = NULL;
    ro_status status = RO_E_MEMORY;
    if (!plan)
        goto done;
    diffusion_plan_make(plan, &(struct diffusion_request){
                                  .kernel = &diffusion_kernels[KERNEL_FLOYD_STEINBERG],
                                  .kernel_id = KERNEL_FLOYD_STEINBERG,
                                  .width = side,
                                  .maxval = 255,
                                  .sample_bytes = 1,
                                  .levels = 2,
                                  .bits_out = true,
                              });
    const size_t bytes = diffusion_wave.state_bytes(plan, context->cpu, context->threads);
    const size_t of_windows = (size_t)context->threads * sizeof *windows;
    if (posix_memalign(&memory, 64, bytes) != 0)
        goto done;
    memset(memory, 0, bytes);
    void *aligned = NULL;
    if (posix_memalign(&aligned, 64, of_windows) != 0)
        goto done;
    windows = aligned;
    memset(windows, 0, of_windows);
    for (int i = 0; i < context->threads; i++)
        windows[i].code = codes[context->cpu];
    const struct wave_source source = {vector_steps, scalar_steps, windows};
    struct diffusion_run run = {
        .plan = plan,
        .pool = context->pool,
        .cpu = context->cpu,
        .threads = context->threads,
        .abreast = 1,
        .state = memory,
        .end_row = side,
        .source = &source,
    };
    diffusion_wave.begin(&run);
    diffusion_wave.run(&run, &(struct halftone_block){.rows = side});
    *hash = 0;
    for (int i = 0; i < context->threads; i++)
        *hash += windows[i].hash;
    status = RO_OK;
done:
    if (status != RO_OK)
        ro_context_fail(context, status, "no memory for rows of %u pixels", side);
    free(windows);
    free(memory);
    free(plan);
    return status;
}
