/* SPDX-License-Identifier: MIT */
/*
 * PWED and PWEC of Kasagi, Nakano and Ito: one launch for every step of the wavefront k = j + 2i,
 * one thread for every row, the end of a launch as the barrier.
 *
 *   pwed  scatters: sums of weighted errors in an array as large as the image; the two additions
 *         that another thread may make at the same time are atomic
 *   pwec  gathers: errors in an array as large as the image, no atomics
 *
 * They are the paper's, kept for comparison: Floyd-Steinberg only. The remainder that our
 * definition carries from pixel to pixel has a place for every row.
 */
#include "halftone/error_diffusion/cuda/wave.cuh"

static const char errors_scratch = 0; /* key */

/* Error and carry of a pixel from its undivided sum, with the level written. */
static __device__ __forceinline__ int round_at(const diffusion_launch &p, int row, int column,
                                               int sample, int sum, int *carry)
{
    int t = sum + carry[row];
    int quotient = t >> 4;
    carry[row] = t & 15;
    int v = 16 * sample + quotient;
    int k = p.levels == 2 ? v > (int)(p.white / 2) : nearest_level(p, v);
    unsigned char *out = p.out + (size_t)row * p.out_pitch;
    if (!p.bits_out)
        out[column] = (unsigned char)k;
    else if (k) /* a row's bits are this thread's alone */
        out[column / 8] |= (unsigned char)(128 >> column % 8);
    return v - (p.levels == 2 ? k * (int)p.white : p.level[k]);
}

static __device__ __forceinline__ int sample_at(const diffusion_launch &p, int row, int column,
                                                int sample_bytes)
{
    const unsigned char *in = p.in + (size_t)row * p.in_pitch;
    return sample_bytes == 1 ? in[column] : ((const unsigned short *)in)[column];
}

/* `sums` has a column of its own on either side and a row below, for what leaves the image. */
static __global__ void pwed_step(const __grid_constant__ diffusion_launch p, int sample_bytes,
                                 int *sums, int *carry, int step, int first_row)
{
    int row = first_row + (int)(blockIdx.x * blockDim.x + threadIdx.x), column = step - 2 * row;
    if (row >= p.rows || column < 0 || column >= p.width)
        return;
    size_t pitch = (size_t)p.width + 2;
    int *here = sums + (size_t)row * pitch + 1 + column, *below = here + pitch;
    int e = round_at(p, row, column, sample_at(p, row, column, sample_bytes), *here, carry);
    below[1] += 1 * e;
    below[0] += 5 * e;
    atomicAdd(&here[1], 7 * e);
    atomicAdd(&below[-1], 3 * e);
}

/* `errors` has a row above and a column on either side, which stay zero but for the rows handed
 * over. */
static __global__ void pwec_step(const __grid_constant__ diffusion_launch p, int sample_bytes,
                                 int *errors, int *carry, int step, int first_row)
{
    int row = first_row + (int)(blockIdx.x * blockDim.x + threadIdx.x), column = step - 2 * row;
    if (row >= p.rows || column < 0 || column >= p.width)
        return;
    size_t pitch = (size_t)p.width + 2;
    int *above = errors + (size_t)row * pitch + 1 + column, *here = above + pitch;
    int sum = 7 * here[-1] + above[-1] + 5 * above[0] + 3 * above[1];
    *here = round_at(p, row, column, sample_at(p, row, column, sample_bytes), sum, carry);
}

/* Every row's carry starts at half of the divisor. The line handed over from the rows before is the
 * first row of the array, and the one handed on its last: for pwed sums, for pwec errors. */
static __global__ void begin_rows(const __grid_constant__ diffusion_launch p, int *array,
                                  int *carry)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < p.rows)
        carry[i] = 8;
    if (i < p.width && p.above)
        array[1 + i] = ((const int *)p.above)[i];
}

static __global__ void end_rows(const __grid_constant__ diffusion_launch p, const int *array)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < p.width)
        ((int *)p.left_below)[i] = array[(size_t)p.rows * ((size_t)p.width + 2) + 1 + i];
}

ro_status pixelwise_launch(struct device_state *cuda, struct diffusion_launch *p, int sample_bytes,
                           bool scatter, cudaStream_t stream, struct diffusion_cuda_count *count)
{
    enum { THREADS = 128 };
    ro_context *context = cuda->context;
    const size_t cells = ((size_t)p->rows + 1) * ((size_t)p->width + 2);
    void *memory;
    RO_TRY(cuda_reserve(cuda, &errors_scratch, (cells + (size_t)p->rows) * sizeof(int), stream,
                        &memory));
    int *array = (int *)memory, *carry = array + cells;
    RO_CUDA_TRY(context, cudaMemsetAsync(array, 0, cells * sizeof(int), stream));
    if (p->bits_out)
        RO_CUDA_TRY(context, cudaMemset2DAsync(p->out, p->out_pitch, 0, ((size_t)p->width + 7) / 8,
                                               (size_t)p->rows, stream));
    int longest = p->rows > p->width ? p->rows : p->width;
    begin_rows<<<(longest + 255) / 256, 256, 0, stream>>>(*p, array, carry);
    int steps = p->width - 1 + 2 * (p->rows - 1) + 1;
    for (int step = 0; step < steps; step++) {
        int first = step < p->width ? 0 : (step - p->width) / 2 + 1;
        int last = step / 2 < p->rows - 1 ? step / 2 : p->rows - 1;
        int blocks = (last - first + 1 + THREADS - 1) / THREADS;
        if (blocks <= 0)
            continue;
        if (scatter)
            pwed_step<<<blocks, THREADS, 0, stream>>>(*p, sample_bytes, array, carry, step, first);
        else
            pwec_step<<<blocks, THREADS, 0, stream>>>(*p, sample_bytes, array, carry, step, first);
        count->launches++;
    }
    if (p->left_below)
        end_rows<<<(p->width + 255) / 256, 256, 0, stream>>>(*p, array);
    RO_CUDA_TRY(context, cudaGetLastError());
    count->steps += (uint64_t)steps;
    return RO_OK;
}
