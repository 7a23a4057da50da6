/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion on the device, seen from the host: which schedule, and how rows get there.
 *
 * Rows in host memory go through in bands (cuda/bands.cuh). The errors of a band's last rows
 * stay on the device for the next.
 */
#include "cuda/bands.cuh"
#include "halftone/error_diffusion/cuda/wave.cuh"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char aligned_scratch = 0; /* key of copies of images whose rows are not aligned */

struct schedule {
    const char *name;
    enum { WAVE, PIXELWISE, BLOCKWISE } kind;
    bool scatter;
};

static const struct schedule schedules[] = {
    {"wave", schedule::WAVE, false},      {"pwed", schedule::PIXELWISE, true},
    {"pwec", schedule::PIXELWISE, false}, {"bwed", schedule::BLOCKWISE, true},
    {"bwec", schedule::BLOCKWISE, false},
};

struct diffusion_cuda {
    ro_context *context;
    struct device_state *cuda;
    struct diffusion_cuda_plan plan;
    const struct schedule *schedule;
    struct diffusion_launch launch; /* all but the images */
    void *tables;                   /* of levels, or acuity's */
    void *lines[2];                 /* errors handed from band to band of rows */
    size_t line_bytes;
    bool started; /* a line of errors is left from the rows before */
    int parity;   /* which of the two it is */
    unsigned tag; /* that the wave gave it */
};

/* The levels, where the paper's schedules find them; the wave computes them. */
static ro_status send_tables(struct diffusion_cuda *work)
{
    const struct diffusion_cuda_plan *plan = &work->plan;
    struct device_state *cuda = work->cuda;
    const size_t bytes = 256 * sizeof(int32_t);
    const int32_t *host[3] = {plan->level, plan->middle, plan->below};
    if (plan->fold || (work->schedule->kind == schedule::WAVE && !plan->table))
        return RO_OK;
    RO_TRY(cuda_scratch_begin(cuda, cuda->compute));
    if (plan->table) {
        const size_t table_bytes = plan->table_entries * sizeof *plan->table;
        RO_TRY(cuda_own(cuda, table_bytes, &work->tables));
        RO_CUDA_TRY(work->context, cudaMemcpyAsync(work->tables, plan->table, table_bytes,
                                                   cudaMemcpyHostToDevice, cuda->compute));
        RO_CUDA_TRY(work->context, cudaStreamSynchronize(cuda->compute)); /* the caller frees it */
        work->launch.table = work->tables;
        return cuda_scratch_end(cuda, cuda->compute);
    }
    RO_TRY(cuda_own(cuda, 3 * bytes, &work->tables));
    for (int i = 0; i < 3; i++)
        RO_CUDA_TRY(work->context, cudaMemcpyAsync((char *)work->tables + i * bytes, host[i], bytes,
                                                   cudaMemcpyHostToDevice, cuda->compute));
    work->launch.level = (const int32_t *)work->tables;
    work->launch.middle = work->launch.level + 256;
    work->launch.below = work->launch.middle + 256;
    return cuda_scratch_end(cuda, cuda->compute);
}

static void diffusion_cuda_close(struct diffusion_cuda *work)
{
    if (!work)
        return;
    void *own[] = {work->tables, work->lines[0], work->lines[1]};
    for (void *data : own)
        cuda_disown(work->cuda, data);
    free(work);
}

static int rows_down_of(const struct diffusion_cuda_plan *plan)
{
    const struct diffusion_kernel *kernel = &diffusion_kernels[plan->kernel_id];
    int rows_down = 0;
    for (int i = 0; i < kernel->count; i++)
        rows_down = kernel->taps[i].dy > rows_down ? kernel->taps[i].dy : rows_down;
    return rows_down;
}

/* Words that rows leave for the next. */
static size_t words_left(const struct diffusion_cuda_plan *plan)
{
    if (plan->table)
        return acuity_line_words((int)plan->width, plan->sample_bytes);
    return line_words((int)plan->width, rows_down_of(plan));
}

/* level(k) <= T, or < T, for the highest k: see find_base of many_levels.c. */
static struct step_numbers steps_of(const struct diffusion_cuda_plan *plan)
{
    const long long n = plan->levels - 1, white = plan->white;
    struct step_numbers steps = {};
    steps.base = fixed_line_of(32 * n, plan->least ? -n - 1 : n - 1, 2 * white);
    steps.level = fixed_line_of(2 * white, n, 2 * n);
    steps.top = (int)n - 1;
    steps.gap = (unsigned)(white / n);
    steps.uneven = white % n != 0;
    steps.limit = (unsigned)plan->limit;
    return steps;
}

static ro_status diffusion_cuda_open(ro_context *context, const struct diffusion_cuda_plan *plan,
                                     const char *name, struct diffusion_cuda **work)
{
    const struct schedule *found = NULL;
    *work = NULL;
    if (strcmp(name, "auto") == 0)
        name = "wave";
    for (const struct schedule &schedule : schedules)
        if (strcasecmp(name, schedule.name) == 0)
            found = &schedule;
    if (!found)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "there is no schedule '%s' on CUDA; it has wave, pwed, pwec, bwed, "
                               "bwec",
                               name);
    if (found->kind != schedule::WAVE && plan->kernel_id != KERNEL_FLOYD_STEINBERG)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "schedule %s is the one of the paper and runs floyd-steinberg only",
                               name);
    if (found->kind != schedule::WAVE && plan->number_bytes == 2)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "schedule %s is the one of the paper and makes 256 levels at most, "
                               "in numbers of 8 bits",
                               name);
    if (plan->kernel_id >= DIFFUSION_KERNELS && !plan->table)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "CUDA runs built-in kernels only, not your own");
    struct device_state *cuda;
    RO_TRY(cuda_of(context, &cuda));

    struct diffusion_cuda *made = (struct diffusion_cuda *)calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    made->context = context;
    made->cuda = cuda;
    made->plan = *plan;
    made->schedule = found;
    struct diffusion_launch *launch = &made->launch;
    launch->width = (int)plan->width;
    launch->images = 1;
    launch->bits_out = plan->bits_out;
    launch->number_bytes = plan->number_bytes;
    launch->steps = steps_of(plan);
    launch->white = (unsigned)plan->white;
    launch->bias = (unsigned)plan->bias;
    launch->levels = plan->levels;
    launch->guess_off = plan->guess_off;
    launch->levels_per_tone = plan->levels_per_tone;
    made->line_bytes = words_left(plan) * sizeof(unsigned long long);
    ro_status status = send_tables(made);
    if (status != RO_OK) {
        diffusion_cuda_close(made);
        return status;
    }
    *work = made;
    return RO_OK;
}

static const char *diffusion_cuda_schedule(const struct diffusion_cuda *work)
{
    return work->schedule->name;
}

static void diffusion_cuda_begin(struct diffusion_cuda *work, int piece)
{
    work->started = false;
    work->launch.quads_only = piece;
}

/* ---- lines of errors, in and out ------------------------------------------------------------ */

static int diffusion_cuda_runs_pieces(const struct diffusion_cuda *work)
{
    return work->schedule->kind == schedule::WAVE && !work->plan.table;
}

static ro_status own_lines(struct diffusion_cuda *work)
{
    for (void *&line : work->lines)
        if (!line)
            RO_TRY(cuda_own(work->cuda, work->line_bytes, &line));
    return RO_OK;
}

/* The wave's words on the host (pack and unpack of wave_quads.cuh): four biased errors of 12 bits
 * in one, or, of deeper samples and many levels, of 24 bits in two, and a tag of 16 bits above. */
static int errors_a_word(const struct diffusion_cuda *work)
{
    return work->plan.sample_bytes == 1 && work->plan.fold ? 4 : 2;
}

static ro_status diffusion_cuda_put_lines(struct diffusion_cuda *work, const int32_t *lines)
{
    enum { TAG = 1 };
    const size_t width = work->plan.width, quads = (width + 3) / 4;
    const size_t many = (size_t)errors_a_word(work), words = quads * 4 / many;
    const int bits = 48 / (int)many;
    const size_t rows = (size_t)rows_down_of(&work->plan);
    unsigned long long *made = (unsigned long long *)malloc(rows * words * sizeof *made);
    if (!made)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for lines of %u pixels",
                               work->plan.width);
    for (size_t i = 0; i < rows * words; i++) {
        made[i] = (unsigned long long)TAG << 48;
        for (size_t k = 0; k < many; k++) {
            const size_t x = i % words * many + k;
            const int32_t error = x < width ? lines[i / words * width + x] : 0;
            made[i] |= (unsigned long long)(error + work->plan.bias) << ((int)k * bits);
        }
    }
    ro_status status = own_lines(work);
    if (status == RO_OK && cudaMemcpy(work->lines[work->parity], made, rows * words * sizeof *made,
                                      cudaMemcpyHostToDevice) != cudaSuccess)
        status =
            ro_context_fail(work->context, RO_E_DEVICE, "lines cannot be copied to the device");
    free(made);
    work->started = true;
    work->tag = TAG;
    return status;
}

static ro_status diffusion_cuda_take_lines(struct diffusion_cuda *work, int32_t *lines)
{
    const size_t width = work->plan.width, quads = (width + 3) / 4;
    const size_t many = (size_t)errors_a_word(work), words = quads * 4 / many;
    const int bits = 48 / (int)many;
    const size_t rows = (size_t)rows_down_of(&work->plan);
    unsigned long long *left = (unsigned long long *)malloc(rows * words * sizeof *left);
    if (!left)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for lines of %u pixels",
                               work->plan.width);
    ro_status status = RO_OK;
    if (cudaMemcpy(left, work->lines[work->parity], rows * words * sizeof *left,
                   cudaMemcpyDeviceToHost) != cudaSuccess)
        status =
            ro_context_fail(work->context, RO_E_DEVICE, "lines cannot be copied from the device");
    for (size_t d = 0; d < rows; d++)
        for (size_t x = 0; x < width; x++) {
            const unsigned long long word = left[d * words + x / many];
            const unsigned long long error =
                word >> (x % many * (size_t)bits) & ((1ull << bits) - 1);
            lines[d * width + x] = (int32_t)error - work->plan.bias;
        }
    free(left);
    return status;
}

static ro_status launch_schedule(struct diffusion_cuda *work, struct diffusion_launch *launch,
                                 struct diffusion_images *images, cudaStream_t stream,
                                 struct diffusion_cuda_count *count)
{
    const struct diffusion_cuda_plan *plan = &work->plan;
    const struct schedule *schedule = work->schedule;
    launch->in = images->in[0];
    launch->out = images->out[0];
    switch (schedule->kind) {
    case schedule::WAVE:
        if (plan->table)
            return acuity_launch(work->cuda, launch, images, plan->sample_bytes, stream, count);
        return wave_launch(work->cuda, launch, images, plan->kernel_id, plan->sample_bytes,
                           plan->fold, stream, count);
    case schedule::PIXELWISE:
        return pixelwise_launch(work->cuda, launch, plan->sample_bytes, schedule->scatter, stream,
                                count);
    case schedule::BLOCKWISE:
        return blockwise_launch(work->cuda, launch, plan->sample_bytes, schedule->scatter, stream,
                                count);
    }
    return RO_E_ARGUMENT;
}

/* ---- rows in host memory -------------------------------------------------------------------- */

/* Rows that a caller gave, and what is counted while they run. */
struct run {
    struct diffusion_cuda *work;
    const struct diffusion_cuda_rows *rows;
    struct diffusion_cuda_count *count;
};

static ro_status run_band(void *data, const struct cuda_band *band, cudaStream_t stream)
{
    const struct run *run = (const struct run *)data;
    struct diffusion_cuda *work = run->work;
    struct diffusion_launch launch = work->launch;
    struct diffusion_images images;
    const uint32_t done = run->rows->first_row + band->first + band->rows;
    const bool more = done < run->rows->height;
    if (more)
        RO_TRY(own_lines(work));
    images.in[0] = band->in;
    images.out[0] = band->out;
    launch.in_pitch = band->in_pitch;
    launch.out_pitch = band->out_pitch;
    launch.words_out = 1;
    launch.rows = (int)band->rows;
    launch.above = work->started ? (const unsigned long long *)work->lines[work->parity] : NULL;
    launch.above_tag = work->tag;
    launch.left_below = more ? (unsigned long long *)work->lines[!work->parity] : NULL;
    RO_TRY(launch_schedule(work, &launch, &images, stream, run->count));
    work->started = true;
    work->tag = launch.tag;
    work->parity = !work->parity;
    return ro_context_progress(work->context, "halftone", (double)done / run->rows->height);
}

static size_t out_row_bytes(const struct diffusion_cuda_plan *plan)
{
    return plan->bits_out ? ((size_t)plan->width + 7) / 8
                          : (size_t)plan->width * (size_t)plan->number_bytes;
}

/* Rows of a band: enough for the copy to cover the computing, few enough to start soon, and no more
 * than the device has room for. Pinned memory, through which they may have to go, is slow to get.
 */
static ro_status band_rows(struct diffusion_cuda *work, uint32_t rows, size_t row_bytes,
                           bool staged, uint32_t *band)
{
    size_t free_bytes, total;
    RO_CUDA_TRY(work->context, cudaMemGetInfo(&free_bytes, &total));
    /* The pixelwise forms keep a number per pixel; blocks and waves little. */
    size_t cost =
        RO_CUDA_LANES * (cuda_band_pitch(row_bytes) + cuda_band_pitch(out_row_bytes(&work->plan))) +
        (work->schedule->kind == schedule::PIXELWISE ? 4 * (size_t)work->plan.width : 64);
    size_t fit = free_bytes / 2 / cost, wanted = ((size_t)(staged ? 16 : 32) << 20) / row_bytes;
    wanted = wanted < 1024 ? 1024 : wanted;
    if (work->schedule->kind != schedule::WAVE)
        wanted = rows; /* one series of launches, as in the paper */
    if (fit < DIFFUSION_CUDA_ROWS)
        return ro_context_fail(work->context, RO_E_MEMORY,
                               "the CUDA device has no room for %d rows of %u pixels",
                               (int)DIFFUSION_CUDA_ROWS, work->plan.width);
    size_t chosen = wanted < fit ? wanted : fit;
    *band = chosen >= rows ? rows : (uint32_t)(chosen - chosen % DIFFUSION_CUDA_ROWS);
    return RO_OK;
}

static ro_status diffusion_cuda_run(struct diffusion_cuda *work,
                                    const struct diffusion_cuda_rows *rows,
                                    struct diffusion_cuda_count *count)
{
    struct run run = {work, rows, count};
    struct cuda_rows bands = {rows->in,
                              rows->in_stride,
                              rows->out,
                              rows->out_stride,
                              (size_t)work->plan.width * (size_t)work->plan.sample_bytes,
                              out_row_bytes(&work->plan),
                              rows->rows,
                              0,
                              rows->fetch,
                              rows->take,
                              rows->ends};
    RO_TRY(band_rows(work, rows->rows, bands.in_bytes, rows->fetch != NULL, &bands.band));
    return cuda_run_bands(work->cuda, &bands, run_band, &run);
}

/* ---- images in device memory ---------------------------------------------------------------- */

/* The wave copies rows by 16 bytes; images whose rows do not start there are copied first. */
static ro_status align_rows(struct diffusion_cuda *work, struct diffusion_launch *launch,
                            struct diffusion_images *images, cudaStream_t stream)
{
    const size_t bytes = (size_t)launch->width * (size_t)work->plan.sample_bytes;
    size_t odd = launch->in_pitch;
    for (int i = 0; i < launch->images; i++)
        odd |= (size_t)images->in[i];
    if (work->schedule->kind != schedule::WAVE || odd % 16 == 0)
        return RO_OK;
    void *memory;
    const size_t pitch = cuda_band_pitch(bytes), each = pitch * (size_t)launch->rows;
    RO_TRY(
        cuda_reserve(work->cuda, &aligned_scratch, each * (size_t)launch->images, stream, &memory));
    for (int i = 0; i < launch->images; i++) {
        unsigned char *to = (unsigned char *)memory + each * (size_t)i;
        RO_CUDA_TRY(work->context,
                    cudaMemcpy2DAsync(to, pitch, images->in[i], launch->in_pitch, bytes,
                                      (size_t)launch->rows, cudaMemcpyDeviceToDevice, stream));
        images->in[i] = to;
    }
    launch->in_pitch = pitch;
    return RO_OK;
}

static ro_status diffusion_cuda_run_resident(struct diffusion_cuda *work, const ro_image *in,
                                             const ro_image *out, uint32_t images,
                                             void *stream_pointer,
                                             struct diffusion_cuda_count *count)
{
    cudaStream_t stream = (cudaStream_t)stream_pointer;
    uint32_t at_once = work->schedule->kind == schedule::WAVE ? WAVE_MAX_IMAGES : 1;
    RO_TRY(cuda_scratch_begin(work->cuda, stream));
    for (uint32_t first = 0; first < images; first += at_once) {
        uint32_t batch = images - first < at_once ? images - first : at_once;
        struct diffusion_launch launch = work->launch;
        struct diffusion_images list;
        launch.images = (int)batch;
        launch.rows = (int)in->height;
        launch.in_pitch = (size_t)in->stride;
        launch.out_pitch = (size_t)out->stride;
        const size_t word = launch.bits_out ? 4 : 4 * (size_t)launch.number_bytes;
        launch.words_out = (size_t)out->stride % word == 0;
        for (uint32_t i = 0; i < batch; i++) {
            list.in[i] = (const unsigned char *)in[first + i].data;
            list.out[i] = (unsigned char *)out[first + i].data;
            launch.words_out &= (size_t)list.out[i] % word == 0;
        }
        RO_TRY(align_rows(work, &launch, &list, stream));
        RO_TRY(launch_schedule(work, &launch, &list, stream, count));
    }
    return cuda_scratch_end(work->cuda, stream);
}

static const struct diffusion_cuda_calls calls = {
    diffusion_cuda_open,        diffusion_cuda_schedule,     diffusion_cuda_begin,
    diffusion_cuda_runs_pieces, diffusion_cuda_put_lines,    diffusion_cuda_take_lines,
    diffusion_cuda_run,         diffusion_cuda_run_resident, diffusion_cuda_close,
    diffusion_cuda_chain,       diffusion_cuda_made,
};
const struct diffusion_cuda_calls *diffusion_on_cuda = &calls;
