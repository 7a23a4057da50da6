/* SPDX-License-Identifier: MIT */
/* Pixels to numbers by tables and 16-bit numbers back, figures of a field, and whether two fields
 * differ. */
#ifndef RO_DENOISE_CUDA_DIFFUSION_PIXELS_CUH
#define RO_DENOISE_CUDA_DIFFUSION_PIXELS_CUH

#include <stdint.h>

/* Interleaved pixels beside a field of planes. */
struct pixels {
    void *data;
    void *field;         /* 16-bit numbers, 32-bit ones or floats */
    size_t pitch, plane; /* of the field, in samples */
    uint32_t channels, width, height;
    int64_t row_bytes; /* of the pixels */
};

/* Where a table has the number of a pixel: floats are rounded to 65536 levels. */
static __device__ inline uint32_t place_of(uint8_t pixel) { return pixel; }
static __device__ inline uint32_t place_of(uint16_t pixel) { return pixel; }
static __device__ inline uint32_t place_of(float pixel)
{
    return pixel > 0 ? pixel < 1 ? __float2uint_rn(__fmul_rn(65535, pixel)) : 65535 : 0;
}

template <class Pixel, class Sample>
__global__ void load_kernel(const struct pixels pixels, const uint32_t *numbers)
{
    Sample *field = (Sample *)pixels.field;
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= pixels.width)
        return;
    for (uint32_t y = blockIdx.y; y < pixels.height; y += gridDim.y) {
        const Pixel *in = (const Pixel *)((const char *)pixels.data + y * pixels.row_bytes);
        for (uint32_t c = 0; c < pixels.channels; c++)
            field[c * pixels.plane + y * pixels.pitch + x] =
                (Sample)numbers[place_of(in[(size_t)x * pixels.channels + c])];
    }
}

template <class Pixel, class Sample>
__global__ void store_kernel(const struct pixels pixels, const uint32_t *values)
{
    const Sample *field = (const Sample *)pixels.field;
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= pixels.width)
        return;
    for (uint32_t y = blockIdx.y; y < pixels.height; y += gridDim.y) {
        Pixel *out = (Pixel *)((char *)pixels.data + y * pixels.row_bytes);
        for (uint32_t c = 0; c < pixels.channels; c++)
            out[(size_t)x * pixels.channels + c] =
                (Pixel)values[field[c * pixels.plane + y * pixels.pitch + x]];
    }
}

enum { FIGURE_BLOCKS = 1024 };

struct partial {
    uint64_t sum, squares, pixels;
    uint32_t min, max;
};

/* Of all 16-bit numbers of a field; each block leaves its part. */
static __global__ void figure_kernel(const struct pixels pixels, const uint32_t *values,
                                     struct partial *partials)
{
    __shared__ struct partial parts[256];
    const uint16_t *field = (const uint16_t *)pixels.field;
    struct partial part = {0, 0, 0, UINT32_MAX, 0};
    const uint64_t rows = (uint64_t)pixels.height * pixels.channels;
    for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x)
        for (uint32_t x = threadIdx.x; x < pixels.width; x += blockDim.x) {
            const uint32_t n = field[row * pixels.pitch + x];
            part.sum += n;
            part.squares += n * n;
            part.pixels += values ? values[n] : 0;
            part.min = min(part.min, n);
            part.max = max(part.max, n);
        }
    parts[threadIdx.x] = part;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) {
            struct partial *a = &parts[threadIdx.x];
            const struct partial *b = a + half;
            a->sum += b->sum;
            a->squares += b->squares;
            a->pixels += b->pixels;
            a->min = min(a->min, b->min);
            a->max = max(a->max, b->max);
        }
    }
    if (threadIdx.x == 0)
        partials[blockIdx.x] = parts[0];
}

static __global__ void compare_kernel(const uint4 *a, const uint4 *b, size_t count,
                                      uint32_t *differs)
{
    bool found = false;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const uint4 x = a[i], y = b[i];
        found |= x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
    }
    if (found)
        *differs = 1;
}

#endif
