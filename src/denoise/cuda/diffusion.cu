/* SPDX-License-Identifier: MIT */
/*
 * Diffusion on the device, seen from the host: fields that take turns, launches of several steps,
 * and the end where nothing moves any more. The kernels are in diffusion_kernels.cuh.
 */
#include "cuda/cuda.cuh"
#include "denoise/cuda/diffusion_device.cuh"
#include "denoise/cuda/diffusion_sums.cuh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char fields_scratch = 0, tables_scratch = 0; /* keys */

enum {
    MOST_ENTRIES = 2048, /* of the diffusivity's table: places are below 2048 */
    LOOK = 1 << 30,      /* pixel-steps between two looks at the clock, in units of 16 */
};

/* ---- What runs ----------------------------------------------------------------------------- */

static int model_of(const struct step_weights *d)
{
    switch (d->model) {
    case RO_MODEL_LINEAR:
        return LINEAR;
    case RO_MODEL_PERONA_MALIK:
        return d->real ? FALLING : TABLED;
    case RO_MODEL_TABLE:
        return TABLED;
    default: /* a tensor does not come here */
        return DIRECTED;
    }
}

static struct step_variant find_variant(const struct step_weights *d, int64_t white,
                                        bool samples_of_32, int model, int joint, bool guided)
{
    if (d->real)
        return find_real(model, joint, guided, d->real->mantissa < 23);
    const int64_t largest = 2 * joint * white * white;
    if (samples_of_32 || (model != LINEAR && largest > INT32_MAX))
        return find_wide(model, joint, guided, d->nearest, samples_of_32);
    return find_narrow(model, joint, guided, d->nearest);
}

/* A wave is as many warps as the device holds at once. Bands are as many as make the waves times
 * the rows of one warp least: a warp does T rows more above and below its band. At the end of all
 * waves some warps are late by a sixteenth. */
static ro_status fit(struct diffusion_device *work, struct plan *plan)
{
    const struct step_weights *d = work->diffusion;
    const struct step_variant *v = &plan->variant;
    int blocks = 0;
    RO_CUDA_TRY(work->context,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)v->kernel,
                                                              32 * WARPS, plan->shared_bytes));
    const int64_t room = (int64_t)blocks * WARPS * work->cuda->processors;
    const int64_t useful = 32 * v->columns - 2 * margin_of(v->steps, v->columns);
    const int64_t height = d->height, strips = (d->width + useful - 1) / useful;
    const int64_t across = strips * (d->planes / plan->planes);
    int64_t least = INT64_MAX;
    for (int64_t bands = 1; bands <= height && bands <= 65536; bands++) {
        const int64_t rows = (height + bands - 1) / bands;
        const int64_t waves = room > 0 ? (across * bands + room - 1) / room : bands;
        const int64_t cost = (16 * waves + 1) * (rows + 2 * v->steps);
        if (cost < least) {
            least = cost;
            plan->rows = (int)rows;
        }
    }
    plan->strips = (int)strips;
    plan->bands = (int)((height + plan->rows - 1) / plan->rows);
    return RO_OK;
}

static float scaled(int32_t weight) { return (float)weight / 65536; }

/* Places in the table: a shift to the left becomes part of the factor, and norms are cut off where
 * the diffusivity ends. */
static void set_places(const struct step_weights *d, struct weights_of *w, bool wide)
{
    const int left = d->shift < 0 ? -d->shift : 0, most = wide ? 63 : 31;
    w->shift = (uint32_t)(d->shift < 0 ? 0 : d->shift > most ? most : d->shift);
    w->factor = d->factor << left;
    w->cap = (uint32_t)(((uint64_t)RO_TABLE * 65536 + w->factor - 1) / w->factor);
    w->entries = (int)((uint64_t)w->cap * w->factor >> 16) + 1;
}

/* The table on the host; entries behind the diffusivity's end are zero. */
static void fill_weights(struct diffusion_device *work, float *table)
{
    const struct step_weights *d = work->diffusion;
    struct weights_of *w = &work->step.weights, *smooth = &work->smoothing.weights;
    memset(table, 0, MOST_ENTRIES * sizeof *table);
    if (d->real) {
        const struct float_weights *f = &d->weights;
        w->diagonal = f->diagonal;
        w->side = f->side;
        w->whole = f->whole;
        w->scale = f->scale;
        w->entries = RO_TABLE + 1;
        memcpy(table, f->exponential, sizeof f->exponential);
        const int bias = (1 << (d->real->exponent - 1)) - 1;
        w->least = ldexpf(1, 1 - bias);
        w->most = ldexpf(2 - ldexpf(1, -d->real->mantissa), bias);
        w->spare = (uint32_t)(23 - d->real->mantissa) << 23;
        *smooth = *w;
        smooth->diagonal = f->smooth_diagonal;
        smooth->side = f->smooth_side;
    } else {
        w->diagonal = scaled(d->constant.se);
        w->side = scaled(d->constant.e);
        if (d->model != RO_MODEL_LINEAR)
            set_places(d, w, true);
        for (int i = 0; i < RO_TABLE && d->model != RO_MODEL_LINEAR; i++)
            table[i] =
                d->model == RO_MODEL_ANISOTROPIC ? (float)d->table[i] / 4 : scaled(d->table[i]);
        *smooth = *w;
        smooth->diagonal = scaled(d->smoothing.se);
        smooth->side = scaled(d->smoothing.e);
    }
    w->two_sides = 2 * w->side;
    smooth->two_sides = 2 * smooth->side;
    w->table = smooth->table = work->table;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static size_t pitch_of(const struct step_weights *d) { return ((size_t)d->width + 8) & ~(size_t)7; }

static int fields_of(const struct step_weights *d, bool until_converged)
{
    return d->smoothings ? 5 : until_converged ? 3 : 2;
}

static bool is_wide(const struct step_weights *d, int64_t white, bool tables)
{
    return d->real || white >= MOST_VALUES || !tables;
}

static size_t diffusion_device_bytes(const struct step_weights *d, int64_t white,
                                     bool until_converged, bool tables)
{
    const size_t sample = is_wide(d, white, tables) ? 4 : 2;
    return pitch_of(d) * d->height * (size_t)d->planes *
           (sample * (size_t)fields_of(d, until_converged) + (tables ? 4 : 0));
}

/* Scratch of the context, or memory of its own. */
static ro_status take(struct diffusion_device *work, int number, size_t bytes, void **memory)
{
    static const void *const keys[] = {&fields_scratch, &tables_scratch};
    if (!work->resident)
        return cuda_reserve(work->cuda, keys[number], bytes, work->stream, memory);
    RO_TRY(cuda_own(work->cuda, bytes, &work->own[number]));
    *memory = work->own[number];
    return RO_OK;
}

ro_status clear_fields(struct diffusion_device *work)
{
    const int fields = fields_of(work->diffusion, work->until_converged);
    for (int i = 0; i < fields; i++)
        RO_CUDA_TRY(work->context,
                    cudaMemsetAsync(work->field[i], 0, work->field_bytes, work->stream));
    return RO_OK;
}

static ro_status reserve(struct diffusion_device *work)
{
    const int fields = fields_of(work->diffusion, work->until_converged);
    void *memory;
    RO_TRY(take(work, 0, work->field_bytes * (size_t)fields, &memory));
    for (int i = 0; i < fields; i++)
        work->field[i] = (unsigned char *)memory + (size_t)i * work->field_bytes;
    RO_TRY(clear_fields(work));
    const size_t words = MOST_ENTRIES + 2 * MOST_VALUES;
    RO_TRY(
        take(work, 1,
             words * sizeof(uint32_t) + FIGURE_BLOCKS * sizeof(struct partial) + sizeof(uint32_t),
             &memory));
    work->table = (float *)memory;
    work->numbers = (uint32_t *)memory + MOST_ENTRIES;
    work->pixels = work->numbers + MOST_VALUES;
    work->partials = (struct partial *)(work->pixels + MOST_VALUES);
    work->flag = (uint32_t *)(work->partials + FIGURE_BLOCKS);
    return RO_OK;
}

static ro_status prepare(struct diffusion_device *work, int64_t white)
{
    const struct step_weights *d = work->diffusion;
    const int model = model_of(d);
    float table[MOST_ENTRIES];
    struct plan *step = &work->step, *smoothing = &work->smoothing;
    fill_weights(work, table);
    step->variant = find_variant(d, white, work->samples_of_32, model, d->joint, d->smoothings > 0);
    step->planes = d->joint;
    step->shared_bytes = model == LINEAR ? 0 : (size_t)step->weights.entries * sizeof(float);
    if (!d->real && step->weights.shift > 31 && 2 * d->joint * white * white <= INT32_MAX)
        step->weights.shift = 31; /* norms of 31 bits are shifted as 32 */
    RO_TRY(fit(work, step));
    if (d->smoothings) {
        smoothing->variant = find_variant(d, white, work->samples_of_32, LINEAR, 1, false);
        smoothing->planes = 1;
        RO_TRY(fit(work, smoothing));
    }
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(work->table, table, sizeof table,
                                               cudaMemcpyHostToDevice, work->stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(work->stream));
    return RO_OK;
}

static ro_status check_room(struct diffusion_device *work, size_t bytes)
{
    size_t unused, all;
    RO_CUDA_TRY(work->context, cudaMemGetInfo(&unused, &all));
    if (bytes <= all)
        return RO_OK;
    return ro_context_fail(
        work->context, RO_E_DEVICE,
        "%u x %u pixels take %.1f GiB on the CUDA device, which has %.1f GiB of memory",
        work->diffusion->width, work->diffusion->height, (double)bytes / (1 << 30),
        (double)all / (1 << 30));
}

static void diffusion_device_close(struct diffusion_device *work)
{
    if (work && work->field[0] && !work->resident)
        cuda_scratch_end(work->cuda, work->stream);
    for (int i = 0; work && i < 2; i++)
        cuda_disown(work->cuda, work->own[i]);
    free(work);
}

static ro_status diffusion_device_open(ro_context *context, const struct step_weights *diffusion,
                                       int64_t white, bool until_converged, bool tables,
                                       bool resident, struct diffusion_device **made)
{
    *made = NULL;
    struct diffusion_device *work = (struct diffusion_device *)calloc(1, sizeof *work);
    if (!work)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a denoising");
    work->context = context;
    work->diffusion = diffusion;
    work->until_converged = until_converged;
    work->resident = resident;
    work->samples_of_32 = is_wide(diffusion, white, tables);
    work->pitch = pitch_of(diffusion);
    work->plane = work->pitch * diffusion->height;
    work->field_bytes = work->plane * (size_t)diffusion->planes * (work->samples_of_32 ? 4 : 2);
    ro_status status = cuda_of(context, &work->cuda);
    if (status == RO_OK)
        status =
            check_room(work, diffusion_device_bytes(diffusion, white, until_converged, tables));
    if (status == RO_OK) {
        work->stream = work->cuda->compute;
        status = cuda_scratch_begin(work->cuda, work->stream);
    }
    if (status == RO_OK)
        status = reserve(work);
    if (status == RO_OK)
        status = prepare(work, white);
    if (status != RO_OK) {
        diffusion_device_close(work);
        return status;
    }
    *made = work;
    return RO_OK;
}

/* ---- Numbers there and back ---------------------------------------------------------------- */

/* Rows of an image of the host, in either direction; rows on the device lie `bytes` apart. */
static ro_status copy_rows(struct diffusion_device *work, void *device, const ro_image *image,
                           size_t bytes, bool to_device)
{
    cudaStream_t stream = work->stream;
    unsigned char *row = (unsigned char *)image->data, *there = (unsigned char *)device;
    const bool flipped = image->stride < 0;
    const size_t stride = flipped ? bytes : (size_t)image->stride;
    for (uint32_t y = 0, rows = flipped ? 1 : image->height; y < image->height; y += rows) {
        if (to_device)
            RO_CUDA_TRY(work->context, cudaMemcpy2DAsync(there, bytes, row, stride, bytes, rows,
                                                         cudaMemcpyHostToDevice, stream));
        else
            RO_CUDA_TRY(work->context, cudaMemcpy2DAsync(row, stride, there, bytes, bytes, rows,
                                                         cudaMemcpyDeviceToHost, stream));
        row += image->stride;
        there += bytes;
    }
    return RO_OK;
}

static ro_status send_values(struct diffusion_device *work, uint32_t *to, const uint32_t *values,
                             uint32_t count)
{
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(to, values, count * sizeof *values,
                                               cudaMemcpyHostToDevice, work->stream));
    return RO_OK;
}

struct pixels pixels_beside(const struct diffusion_device *work, void *data, int64_t stride)
{
    const struct step_weights *d = work->diffusion;
    return {data,     work->field[0], work->pitch, work->plane, (uint32_t)d->planes,
            d->width, d->height,      stride};
}

static struct pixels pixels_of(const struct diffusion_device *work, const ro_image *image,
                               void *data)
{
    return pixels_beside(work, data, (int64_t)ro_format_row_bytes(image->format, image->width));
}

static bool is_of_bytes(const struct diffusion_device *work, const ro_image *image)
{
    return ro_format_row_bytes(image->format, 1) == (size_t)work->diffusion->planes;
}

dim3 pixel_grid(const struct diffusion_device *work)
{
    const struct step_weights *d = work->diffusion;
    return dim3((d->width + 255) / 256, d->height < 32768 ? d->height : 32768);
}

/* Of pixels that lie on the device; the host would take longer than all the rest. */
static ro_status sum_pixels(struct diffusion_device *work, const ro_image *in, const void *data,
                            uint64_t *sum)
{
    cudaStream_t stream = work->stream;
    uint64_t *there = (uint64_t *)work->partials, parts[FIGURE_BLOCKS];
    const uint64_t count = (uint64_t)in->width * in->height * (uint64_t)work->diffusion->planes;
    if (is_of_bytes(work, in))
        pixel_sum_kernel<<<FIGURE_BLOCKS, SUM_THREADS, 0, stream>>>((const uint8_t *)data, count,
                                                                    there);
    else
        pixel_sum_kernel<<<FIGURE_BLOCKS, SUM_THREADS, 0, stream>>>((const uint16_t *)data, count,
                                                                    there);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    RO_CUDA_TRY(work->context,
                cudaMemcpyAsync(parts, there, sizeof parts, cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(stream));
    work->launches++;
    *sum = 0;
    for (uint64_t part : parts)
        *sum += part;
    return RO_OK;
}

static ro_status diffusion_device_load(struct diffusion_device *work, const ro_image *in,
                                       const uint32_t *numbers, uint32_t count, uint64_t *sum)
{
    cudaStream_t stream = work->stream;
    const size_t bytes = ro_format_row_bytes(in->format, in->width);
    void *data;
    RO_TRY(cuda_reserve(work->cuda, &cuda_in[0], bytes * in->height, stream, &data));
    RO_TRY(send_values(work, work->numbers, numbers, count));
    RO_TRY(copy_rows(work, data, in, bytes, true));
    const struct pixels pixels = pixels_of(work, in, data);
    if (is_of_bytes(work, in))
        load_kernel<uint8_t, uint16_t><<<pixel_grid(work), 256, 0, stream>>>(pixels, work->numbers);
    else
        load_kernel<uint16_t, uint16_t>
            <<<pixel_grid(work), 256, 0, stream>>>(pixels, work->numbers);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    work->launches++;
    return sum ? sum_pixels(work, in, data, sum) : RO_OK;
}

static ro_status diffusion_device_store(struct diffusion_device *work, const ro_image *out,
                                        const uint32_t *values, uint32_t count)
{
    cudaStream_t stream = work->stream;
    const size_t bytes = ro_format_row_bytes(out->format, out->width);
    void *data;
    RO_TRY(cuda_reserve(work->cuda, &cuda_out[0], bytes * out->height, stream, &data));
    RO_TRY(send_values(work, work->pixels, values, count));
    const struct pixels pixels = pixels_of(work, out, data);
    if (is_of_bytes(work, out))
        store_kernel<uint8_t, uint16_t><<<pixel_grid(work), 256, 0, stream>>>(pixels, work->pixels);
    else
        store_kernel<uint16_t, uint16_t>
            <<<pixel_grid(work), 256, 0, stream>>>(pixels, work->pixels);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    RO_TRY(copy_rows(work, data, out, bytes, false));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(stream));
    work->launches++;
    return RO_OK;
}

/* The field that a next step would go to has room for a sum of every row. */
static ro_status diffusion_device_store_sums(struct diffusion_device *work, const ro_image *out,
                                             uint32_t levels, uint32_t numbers, uint64_t totals[3])
{
    cudaStream_t stream = work->stream;
    const size_t bytes = ro_format_row_bytes(out->format, out->width);
    const struct step_weights *d = work->diffusion;
    const uint64_t rows = (uint64_t)d->height * (uint64_t)d->planes;
    const unsigned grid = (unsigned)(rows < 65536 ? rows : 65536);
    uint64_t *sums = (uint64_t *)work->field[1], *ends = (uint64_t *)work->partials;
    void *data;
    RO_TRY(cuda_reserve(work->cuda, &cuda_out[0], bytes * out->height, stream, &data));
    const struct pixels pixels = pixels_of(work, out, data);
    const struct ratio ratio = {levels, numbers};
    row_sum_kernel<uint16_t><<<grid, SUM_THREADS, 0, stream>>>(pixels, sums);
    sums_before_kernel<<<(unsigned)d->planes, SUM_THREADS, 0, stream>>>(sums, d->height, ends);
    if (is_of_bytes(work, out))
        store_sums_kernel<uint8_t, uint16_t><<<grid, SUM_THREADS, 0, stream>>>(pixels, sums, ratio);
    else
        store_sums_kernel<uint16_t, uint16_t>
            <<<grid, SUM_THREADS, 0, stream>>>(pixels, sums, ratio);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(totals, ends, (size_t)d->planes * sizeof *totals,
                                               cudaMemcpyDeviceToHost, stream));
    RO_TRY(copy_rows(work, data, out, bytes, false));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(stream));
    work->launches += 3;
    return RO_OK;
}

static ro_status diffusion_device_load_planes(struct diffusion_device *work, const void *planes)
{
    const struct step_weights *d = work->diffusion;
    const size_t bytes = (size_t)d->width * sizeof(uint32_t);
    RO_CUDA_TRY(work->context,
                cudaMemcpy2DAsync(work->field[0], work->pitch * sizeof(uint32_t), planes, bytes,
                                  bytes, (size_t)d->height * (size_t)d->planes,
                                  cudaMemcpyHostToDevice, work->stream));
    return RO_OK;
}

static ro_status diffusion_device_store_planes(struct diffusion_device *work, void *planes)
{
    const struct step_weights *d = work->diffusion;
    const size_t bytes = (size_t)d->width * sizeof(uint32_t);
    RO_CUDA_TRY(work->context,
                cudaMemcpy2DAsync(planes, bytes, work->field[0], work->pitch * sizeof(uint32_t),
                                  bytes, (size_t)d->height * (size_t)d->planes,
                                  cudaMemcpyDeviceToHost, work->stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(work->stream));
    return RO_OK;
}

static ro_status diffusion_device_figures(struct diffusion_device *work, const uint32_t *values,
                                          uint32_t count, struct diffusion_figures *figures)
{
    cudaStream_t stream = work->stream;
    struct partial partials[FIGURE_BLOCKS];
    const ro_image none = {};
    if (values)
        RO_TRY(send_values(work, work->pixels, values, count));
    figure_kernel<<<FIGURE_BLOCKS, 256, 0, stream>>>(pixels_of(work, &none, NULL),
                                                     values ? work->pixels : NULL, work->partials);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(partials, work->partials, sizeof partials,
                                               cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(stream));
    work->launches++;
    unsigned __int128 squares = 0;
    *figures = {0, 0, 0, 0, UINT32_MAX, 0};
    for (const struct partial &part : partials) {
        figures->sum += part.sum;
        figures->pixels += part.pixels;
        squares += part.squares;
        figures->min = part.min < figures->min ? part.min : figures->min;
        figures->max = part.max > figures->max ? part.max : figures->max;
    }
    figures->squares_low = (uint64_t)squares;
    figures->squares_high = (uint64_t)(squares >> 64);
    return RO_OK;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static ro_status launch(struct diffusion_device *work, const struct plan *plan, const void *in,
                        const void *guide, void *out, int active)
{
    const struct step_weights *d = work->diffusion;
    const struct steps steps = {in,
                                guide,
                                out,
                                work->pitch,
                                work->plane,
                                (int)d->width,
                                (int)d->height,
                                plan->strips,
                                plan->bands,
                                plan->rows,
                                active,
                                plan->weights};
    const dim3 grid((unsigned)((int64_t)plan->strips * plan->bands + WARPS - 1) / WARPS,
                    (unsigned)(d->planes / plan->planes));
    plan->variant.kernel<<<grid, 32 * WARPS, plan->shared_bytes, work->stream>>>(steps);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    work->launches++;
    return RO_OK;
}

/* `count` iterations from field 0 to field 1; with a guide, one. */
static ro_status advance(struct diffusion_device *work, int count)
{
    const struct step_weights *d = work->diffusion;
    const void *guide = work->field[0];
    for (int done = 0, turn = 0; done < d->smoothings; turn = 1 - turn) {
        const int most = work->smoothing.variant.steps, left = d->smoothings - done;
        const int now = left < most ? left : most;
        RO_TRY(launch(work, &work->smoothing, guide, NULL, work->field[3 + turn], now));
        guide = work->field[3 + turn];
        done += now;
    }
    return launch(work, &work->step, work->field[0], guide, work->field[1], count);
}

static ro_status is_same(struct diffusion_device *work, bool *same)
{
    cudaStream_t stream = work->stream;
    uint32_t differs;
    RO_CUDA_TRY(work->context, cudaMemsetAsync(work->flag, 0, sizeof *work->flag, stream));
    compare_kernel<<<1024, 256, 0, stream>>>((const uint4 *)work->field[0],
                                             (const uint4 *)work->field[1],
                                             work->field_bytes / sizeof(uint4), work->flag);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(&differs, work->flag, sizeof differs,
                                               cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(stream));
    work->launches++;
    *same = !differs;
    return RO_OK;
}

static void swap_fields(struct diffusion_device *work, int a, int b)
{
    unsigned char *field = work->field[a];
    work->field[a] = work->field[b];
    work->field[b] = field;
}

/* To the fixed point. Launches of many steps overshoot it: when one changes nothing, the one before
 * it is repeated step by step. */
static ro_status run_until_converged(struct diffusion_device *work, uint32_t most,
                                     struct diffusion_run *run)
{
    const uint32_t depth = (uint32_t)work->step.variant.steps;
    uint32_t last = 0; /* steps from the field before to this one */
    bool singly = false;
    while (run->steps < most && !run->converged) {
        const uint32_t now = singly || most - run->steps <= depth ? 1 : depth;
        bool same;
        RO_TRY(advance(work, (int)now));
        RO_TRY(is_same(work, &same));
        if (!same) {
            swap_fields(work, 0, 1);
            if (depth > 1)
                swap_fields(work, 1, 2);
            run->steps += now;
            last = now;
        } else if (last > 1) {
            swap_fields(work, 0, 2);
            run->steps -= last;
            last = 0;
            singly = true;
        } else {
            run->converged = true;
        }
        RO_TRY(ro_context_progress(work->context, "denoise", (double)run->steps / most));
    }
    return RO_OK;
}

static ro_status run_iterations(struct diffusion_device *work, uint32_t iterations,
                                struct diffusion_run *run)
{
    const struct step_weights *d = work->diffusion;
    const uint32_t depth = (uint32_t)work->step.variant.steps;
    const double pixels = (double)d->width * d->height * d->planes * (1 + d->smoothings);
    double since = 0;
    while (run->steps < iterations) {
        const uint32_t left = iterations - run->steps, now = left < depth ? left : depth;
        RO_TRY(advance(work, (int)now));
        swap_fields(work, 0, 1);
        run->steps += now;
        since += pixels * now;
        if (since >= 16.0 * LOOK && !work->resident) { /* a look waits for all launched */
            RO_CUDA_TRY(work->context, cudaStreamSynchronize(work->stream));
            RO_TRY(ro_context_progress(work->context, "denoise", (double)run->steps / iterations));
            since = 0;
        }
    }
    return RO_OK;
}

ro_status march(struct diffusion_device *work, uint32_t iterations, struct diffusion_run *run)
{
    *run = {};
    RO_TRY(work->until_converged ? run_until_converged(work, iterations, run)
                                 : run_iterations(work, iterations, run));
    run->launches = work->launches;
    return RO_OK;
}

static ro_status diffusion_device_run(struct diffusion_device *work, uint32_t iterations,
                                      struct diffusion_run *run)
{
    ro_context *context = work->context;
    double milliseconds;
    RO_TRY(cuda_timer_start(context));
    RO_TRY(march(work, iterations, run));
    RO_TRY(cuda_timer_stop(context, &milliseconds));
    run->seconds = 1e-3 * milliseconds;
    return ro_context_progress(context, "denoise", 1);
}

static const struct flow_cuda_calls calls = {
    diffusion_device_bytes,       diffusion_device_open,         diffusion_device_close,
    diffusion_device_load,        diffusion_device_store,        diffusion_device_store_sums,
    diffusion_device_load_planes, diffusion_device_store_planes, diffusion_device_figures,
    diffusion_device_run,         diffusion_resident_prepare,    diffusion_resident_run,
};
const struct flow_cuda_calls *flow_on_cuda = &calls;
