/* SPDX-License-Identifier: MIT */
/*
 * Diffusion of images that lie on the device, on a caller's stream: pixels become numbers and
 * numbers pixels there, in every format and number system, with the bits that the host's
 * conversions have (denoise_numbers.c, denoise_levels.c).
 */
#include "denoise/cuda/diffusion_device.cuh"
#include "denoise/cuda/diffusion_numbers.cuh"
#include "denoise/cuda/diffusion_sums.cuh"

/* ---- Pixels to numbers ---------------------------------------------------------------------- */

/* From floats to floats, which a table cannot hold. */
template <bool SMALL>
__global__ void load_real_kernel(const struct pixels pixels, const struct weights_of weights)
{
    const real_numbers<SMALL> numbers(weights);
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    float *field = (float *)pixels.field;
    if (x >= pixels.width)
        return;
    for (uint32_t y = blockIdx.y; y < pixels.height; y += gridDim.y) {
        const float *in = (const float *)((const char *)pixels.data + y * pixels.row_bytes);
        for (uint32_t c = 0; c < pixels.channels; c++) {
            const float number = numbers.r(in[(size_t)x * pixels.channels + c]);
            field[c * pixels.plane + y * pixels.pitch + x] =
                SMALL ? __fadd_rn(number, 0) : number; /* -0 becomes 0 */
        }
    }
}

static int sample_bytes(const struct diffusion_device *work, const ro_image *image)
{
    return (int)ro_format_row_bytes(image->format, 1) / work->diffusion->planes;
}

template <class Sample>
static void launch_load(struct diffusion_device *work, const struct pixels *pixels, int bytes)
{
    const dim3 grid = pixel_grid(work);
    if (bytes == 1)
        load_kernel<uint8_t, Sample><<<grid, 256, 0, work->stream>>>(*pixels, work->numbers);
    else if (bytes == 2)
        load_kernel<uint16_t, Sample><<<grid, 256, 0, work->stream>>>(*pixels, work->numbers);
    else
        load_kernel<float, Sample><<<grid, 256, 0, work->stream>>>(*pixels, work->numbers);
}

static ro_status load(struct diffusion_device *work, const ro_image *in)
{
    const struct step_weights *d = work->diffusion;
    const struct pixels pixels = pixels_beside(work, in->data, in->stride);
    const int bytes = sample_bytes(work, in);
    if (bytes == 4 && d->real && d->real->mantissa < 23)
        load_real_kernel<true>
            <<<pixel_grid(work), 256, 0, work->stream>>>(pixels, work->step.weights);
    else if (bytes == 4 && d->real)
        load_real_kernel<false>
            <<<pixel_grid(work), 256, 0, work->stream>>>(pixels, work->step.weights);
    else if (work->samples_of_32)
        launch_load<uint32_t>(work, &pixels, bytes);
    else
        launch_load<uint16_t>(work, &pixels, bytes);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    work->launches++;
    return RO_OK;
}

/* ---- Numbers to pixels ---------------------------------------------------------------------- */

/* What a number is rounded by. */
struct scale {
    uint64_t white;     /* of integers */
    uint32_t out_white; /* of integer pixels */
};

/* Each number by itself, to integers and to floats. */
static __device__ inline void round_to(uint32_t *pixel, uint64_t number, const struct scale &scale)
{
    const uint64_t rounded = (2 * number * scale.out_white + scale.white) / (2 * scale.white);
    *pixel = rounded < scale.out_white ? (uint32_t)rounded : scale.out_white;
}

static __device__ inline void round_to(uint32_t *pixel, float number, const struct scale &scale)
{
    const double value = (double)number * scale.out_white;
    *pixel = value > 0 ? value < scale.out_white ? __double2uint_rn(value) : scale.out_white : 0;
}

static __device__ inline void round_to(float *pixel, uint64_t number, const struct scale &scale)
{
    *pixel = __double2float_rn((double)number / (double)scale.white);
}

static __device__ inline void round_to(float *pixel, float number, const struct scale &)
{
    *pixel = number;
}

template <class Pixel> struct pixel_as { /* what round_to makes of it */
    typedef uint32_t type;
};
template <> struct pixel_as<float> {
    typedef float type;
};
template <class Sample> struct number_as {
    typedef uint64_t type;
};
template <> struct number_as<float> {
    typedef float type;
};

template <class Pixel, class Sample>
__global__ void round_kernel(const struct pixels pixels, const struct scale scale)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const Sample *field = (const Sample *)pixels.field;
    if (x >= pixels.width)
        return;
    for (uint32_t y = blockIdx.y; y < pixels.height; y += gridDim.y) {
        Pixel *out = (Pixel *)((char *)pixels.data + y * pixels.row_bytes);
        for (uint32_t c = 0; c < pixels.channels; c++) {
            const typename number_as<Sample>::type number =
                field[c * pixels.plane + y * pixels.pitch + x];
            typename pixel_as<Pixel>::type pixel;
            round_to(&pixel, number, scale);
            out[(size_t)x * pixels.channels + c] = (Pixel)pixel;
        }
    }
}

template <class Sample>
static void launch_round(struct diffusion_device *work, const struct pixels *pixels, int bytes,
                         const struct diffusion_rounding *rounding)
{
    const struct scale scale = {(uint64_t)rounding->white, rounding->out_white};
    const dim3 grid = pixel_grid(work);
    if (bytes == 1)
        round_kernel<uint8_t, Sample><<<grid, 256, 0, work->stream>>>(*pixels, scale);
    else if (bytes == 2)
        round_kernel<uint16_t, Sample><<<grid, 256, 0, work->stream>>>(*pixels, scale);
    else
        round_kernel<float, Sample><<<grid, 256, 0, work->stream>>>(*pixels, scale);
    work->launches++;
}

/* The field that a next step would go to has room for a sum of every row. */
template <class Sample>
static void launch_sums(struct diffusion_device *work, const struct pixels *pixels, int bytes,
                        const struct diffusion_rounding *rounding)
{
    const struct step_weights *d = work->diffusion;
    const struct ratio ratio = {rounding->levels, rounding->numbers};
    const uint64_t rows = (uint64_t)d->height * (uint64_t)d->planes;
    const unsigned grid = (unsigned)(rows < 65536 ? rows : 65536);
    uint64_t *sums = (uint64_t *)work->field[1], *ends = (uint64_t *)work->partials;
    cudaStream_t stream = work->stream;
    row_sum_kernel<Sample><<<grid, SUM_THREADS, 0, stream>>>(*pixels, sums);
    sums_before_kernel<<<(unsigned)d->planes, SUM_THREADS, 0, stream>>>(sums, d->height, ends);
    if (bytes == 1)
        store_sums_kernel<uint8_t, Sample><<<grid, SUM_THREADS, 0, stream>>>(*pixels, sums, ratio);
    else
        store_sums_kernel<uint16_t, Sample><<<grid, SUM_THREADS, 0, stream>>>(*pixels, sums, ratio);
    work->launches += 3;
}

template <class Sample>
static void launch_store(struct diffusion_device *work, const struct pixels *pixels, int bytes,
                         const struct diffusion_rounding *rounding)
{
    if (rounding->carried)
        launch_sums<Sample>(work, pixels, bytes, rounding);
    else
        launch_round<Sample>(work, pixels, bytes, rounding);
}

static ro_status store(struct diffusion_device *work, const struct diffusion_rounding *rounding,
                       const ro_image *out)
{
    const struct pixels pixels = pixels_beside(work, out->data, out->stride);
    const int bytes = sample_bytes(work, out);
    if (work->diffusion->real)
        launch_store<float>(work, &pixels, bytes, rounding);
    else if (work->samples_of_32)
        launch_store<uint32_t>(work, &pixels, bytes, rounding);
    else
        launch_store<uint16_t>(work, &pixels, bytes, rounding);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    return RO_OK;
}

/* ---- A run ---------------------------------------------------------------------------------- */

ro_status diffusion_resident_prepare(struct diffusion_device *work, const uint32_t *numbers,
                                     uint32_t count)
{
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(work->numbers, numbers, count * sizeof *numbers,
                                               cudaMemcpyHostToDevice, work->stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(work->stream));
    return RO_OK;
}

static ro_status run_on_stream(struct diffusion_device *work,
                               const struct diffusion_rounding *rounding, const ro_image *in,
                               const ro_image *out, uint32_t iterations, struct diffusion_run *run)
{
    work->launches = 0;
    RO_TRY(clear_fields(work)); /* sums of rows and other pixels lie there */
    RO_TRY(load(work, in));
    RO_TRY(march(work, iterations, run));
    RO_TRY(store(work, rounding, out));
    run->launches = work->launches;
    return RO_OK;
}

ro_status diffusion_resident_run(struct diffusion_device *work,
                                 const struct diffusion_rounding *rounding, const ro_image *in,
                                 const ro_image *out, uint32_t iterations, void *stream,
                                 struct diffusion_run *run)
{
    struct device_state *cuda;
    RO_TRY(cuda_of(work->context, &cuda)); /* its device is this thread's */
    work->stream = (cudaStream_t)stream;
    RO_TRY(cuda_scratch_begin(cuda, work->stream));
    ro_status status = run_on_stream(work, rounding, in, out, iterations, run);
    ro_status end = cuda_scratch_end(cuda, work->stream);
    return status == RO_OK ? end : status;
}
