/* SPDX-License-Identifier: MIT */
/*
 * The wave on the device for numbers of levels (wave.cu), in three passes. The first finds the
 * level below each sample, which needs no error, writes its number as the output and what the tone
 * has above it, the rest, beside it; the wave rounds rests to bits, as it does samples of two
 * levels; the last adds the bits to the numbers. All but the wave is bound by memory alone, and the
 * wave's chain is as short as that of two levels.
 */
#include "halftone/error_diffusion/cuda/wave_block.cuh"

static const char rests_scratch = 0, bits_scratch = 0; /* keys */

enum { PASS_THREADS = 256, PASS_ROWS = 4, MOST_BLOCKS = 65535 /* of a column */ };

/* Where rests and bits lie: an image behind the other. */
struct passes {
    unsigned char *rests, *bits;
    size_t rest_pitch, bit_pitch;
};

template <typename SAMPLE> static __device__ __forceinline__ SAMPLE *row_of(void *image, size_t at)
{
    return (SAMPLE *)((unsigned char *)image + at);
}

/* A thread has a column of every so many rows. */
template <typename SAMPLE, typename REST, typename NUMBER>
static __global__ void __launch_bounds__(PASS_THREADS)
    split_samples(const __grid_constant__ diffusion_launch p,
                  const __grid_constant__ diffusion_images images, const passes to)
{
    const int x = (int)(blockIdx.x * PASS_THREADS + threadIdx.x), image = (int)blockIdx.z;
    if (x >= p.width)
        return;
    for (int y = (int)blockIdx.y; y < p.rows; y += (int)gridDim.y) {
        const unsigned sample =
            row_of<const SAMPLE>((void *)images.in[image], (size_t)y * p.in_pitch)[x];
        const int k = min(max((int)(fixed_product(p.steps.base, sample) >> 40), 0), p.steps.top);
        const long long product = fixed_product(p.steps.level, (unsigned)k);
        const unsigned level = (unsigned)(product >> 40),
                       next = (unsigned)((product + (long long)p.steps.level.by) >> 40);
        const unsigned longer = next - level - p.steps.gap;
        const size_t row = (size_t)image * (size_t)p.rows + (size_t)y;
        row_of<REST>(to.rests, row * to.rest_pitch)[x] =
            (REST)(sample * 16 - level | longer << (8 * sizeof(REST) - 1));
        row_of<NUMBER>(images.out[image], (size_t)y * p.out_pitch)[x] = (NUMBER)k;
    }
}

template <typename NUMBER>
static __global__ void __launch_bounds__(PASS_THREADS)
    add_bits(const __grid_constant__ diffusion_launch p,
             const __grid_constant__ diffusion_images images, const passes from)
{
    const int x = (int)(blockIdx.x * PASS_THREADS + threadIdx.x), image = (int)blockIdx.z;
    if (x >= p.width)
        return;
    for (int y = (int)blockIdx.y; y < p.rows; y += (int)gridDim.y) {
        const size_t row = (size_t)image * (size_t)p.rows + (size_t)y;
        const unsigned bits = from.bits[row * from.bit_pitch + (size_t)(x / 8)];
        NUMBER *number = row_of<NUMBER>(images.out[image], (size_t)y * p.out_pitch) + x;
        *number = (NUMBER)(*number + (bits >> (7 - x % 8) & 1));
    }
}

/* ---- host --------------------------------------------------------------------------------- */

typedef void pass_fn(const diffusion_launch, const diffusion_images, const passes);

template <typename SAMPLE, typename REST> static pass_fn *split_for(int number_bytes)
{
    return number_bytes == 1 ? split_samples<SAMPLE, REST, uint8_t>
                             : split_samples<SAMPLE, REST, uint16_t>;
}

ro_status wave_numbers_launch(struct device_state *cuda, struct diffusion_launch *launch,
                              const struct diffusion_images *images, int kernel_id,
                              int sample_bytes, cudaStream_t stream)
{
    const bool deep = launch->steps.gap + 1 >= 1u << 15;
    const size_t width = (size_t)launch->width, rest_bytes = deep ? 4 : 2;
    const size_t rows = (size_t)launch->rows * (size_t)launch->images;
    void *rests, *bits;
    struct passes passes = {};
    passes.rest_pitch = (width * rest_bytes + 15) & ~(size_t)15;
    passes.bit_pitch = (width + 31) / 32 * 4;
    RO_TRY(cuda_reserve(cuda, &rests_scratch, rows * passes.rest_pitch, stream, &rests));
    RO_TRY(cuda_reserve(cuda, &bits_scratch, rows * passes.bit_pitch, stream, &bits));
    passes.rests = (unsigned char *)rests;
    passes.bits = (unsigned char *)bits;

    const int down = (launch->rows + PASS_ROWS - 1) / PASS_ROWS;
    const dim3 grid((unsigned)((width + PASS_THREADS - 1) / PASS_THREADS),
                    (unsigned)(down < MOST_BLOCKS ? down : MOST_BLOCKS), (unsigned)launch->images);
    pass_fn *split = sample_bytes == 1 ? split_for<uint8_t, uint16_t>(launch->number_bytes)
                     : deep            ? split_for<uint16_t, uint32_t>(launch->number_bytes)
                                       : split_for<uint16_t, uint16_t>(launch->number_bytes);
    split<<<grid, PASS_THREADS, 0, stream>>>(*launch, *images, passes);
    RO_CUDA_TRY(cuda->context, cudaGetLastError());

    struct diffusion_launch inner = *launch;
    struct diffusion_images between = {};
    inner.in_pitch = passes.rest_pitch;
    inner.out_pitch = passes.bit_pitch;
    inner.bits_out = inner.words_out = 1;
    for (int i = 0; i < launch->images; i++) {
        const size_t row = (size_t)i * (size_t)launch->rows;
        between.in[i] = passes.rests + row * passes.rest_pitch;
        between.out[i] = passes.bits + row * passes.bit_pitch;
    }
    ro_status status = deep ? launch_kernel<4, UNEVEN>(cuda, &inner, &between, kernel_id, stream)
                       : launch->steps.uneven
                           ? launch_kernel<2, UNEVEN>(cuda, &inner, &between, kernel_id, stream)
                           : launch_kernel<2, EVEN>(cuda, &inner, &between, kernel_id, stream);
    if (status != RO_OK)
        return status;
    launch->tag = inner.tag;
    pass_fn *add = launch->number_bytes == 1 ? add_bits<uint8_t> : add_bits<uint16_t>;
    add<<<grid, PASS_THREADS, 0, stream>>>(*launch, *images, passes);
    RO_CUDA_TRY(cuda->context, cudaGetLastError());
    return RO_OK;
}
