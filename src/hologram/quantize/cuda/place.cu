/* SPDX-License-Identifier: MIT */
/* A job's field and level numbers on the device: bringing them there and back, and the field's
 * size. */
#include "hologram/quantize/cuda/place.cuh"

#include "hologram/field/row_sum.h"
#include "hologram/quantize/cuda/diffuse_cuda.h"

static const char field_scratch = 0, numbers_scratch = 0, sums_scratch = 0; /* keys */

static size_t pitch_of(size_t bytes) { return (bytes + 255) / 256 * 256; }

ro_status hologram_find_place(struct hologram_job *job, struct place *place)
{
    void *field, *out;
    place->field_pitch = pitch_of((size_t)job->field->width * 8);
    place->out_pitch = pitch_of(job->field->width);
    RO_TRY(cuda_of(job->context, &place->cuda));
    cudaStream_t stream = place->cuda->compute;
    RO_TRY(cuda_reserve(place->cuda, &field_scratch, place->field_pitch * job->field->height,
                        stream, &field));
    RO_TRY(cuda_reserve(place->cuda, &numbers_scratch, place->out_pitch * job->field->height,
                        stream, &out));
    place->field = (char *)field;
    place->out = (unsigned char *)out;
    return RO_OK;
}

ro_status hologram_cuda_store(struct hologram_job *job)
{
    struct place at;
    if (job->stored)
        return RO_OK;
    RO_TRY(hologram_find_place(job, &at));
    RO_TRY(hologram_fetch_rows(job, &at, 0, job->field->height));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(at.cuda->copy_out));
    return RO_OK;
}

ro_status hologram_fetch_rows(struct hologram_job *job, const struct place *at, uint32_t first,
                              uint32_t after)
{
    if (first < after)
        RO_CUDA_TRY(job->context,
                    cudaMemcpy2DAsync(job->out + (ptrdiff_t)first * job->out_stride,
                                      (size_t)job->out_stride, at->out + first * at->out_pitch,
                                      at->out_pitch, job->field->width, after - first,
                                      cudaMemcpyDefault, at->cuda->copy_out));
    return RO_OK;
}

/* ---- root mean square ----------------------------------------------------------------------- */

enum { SUM_THREADS = 256, PIECE_BYTES = 8 << 20 };

static __global__ void sum_rows(const char *field, size_t pitch, int width, int real,
                                struct row_sum *rows)
{
    __shared__ int most_of[SUM_THREADS / 32];
    __shared__ unsigned long long sum_of[SUM_THREADS / 32];
    const float2 *row = (const float2 *)(field + (size_t)blockIdx.x * pitch);
    int most = 0;
    for (int x = threadIdx.x; x < width; x += SUM_THREADS) {
        float2 v = row[x];
        most = max(most, max(__float_as_int(v.x) & 0x7fffffff, __float_as_int(v.y) & 0x7fffffff));
    }
    for (int d = 16; d; d /= 2)
        most = max(most, __shfl_xor_sync(0xffffffff, most, d));
    if (threadIdx.x % 32 == 0)
        most_of[threadIdx.x / 32] = most;
    __syncthreads();
    for (int i = 0; i < SUM_THREADS / 32; i++)
        most = max(most, most_of[i]);
    float largest = __int_as_float(most);
    unsigned long long sum = 0;
    int exponent = 0;
    if (most < 0x7f800000 && largest >= 1e-30f) {
        frexpf(largest, &exponent);
        exponent = 15 - exponent;
        float scale = ldexpf(1.0f, exponent);
        for (int x = threadIdx.x; x < width; x += SUM_THREADS) {
            float2 v = row[x];
            int re = __float2int_rn(v.x * scale), im = real ? 0 : __float2int_rn(v.y * scale);
            sum += (unsigned)(re * re) + (unsigned)(im * im);
        }
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        sum_of[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < SUM_THREADS / 32; i++)
            sum += sum_of[i];
        rows[blockIdx.x].squares = sum;
        rows[blockIdx.x].exponent = exponent;
        rows[blockIdx.x].most = (unsigned)most;
    }
}
/* Where the sums of rows are. */
static ro_status find_sums(struct device_state *cuda, uint32_t height, void **device, void **host)
{
    const size_t bytes = height * sizeof(struct row_sum);
    RO_TRY(cuda_reserve(cuda, &sums_scratch, bytes, cuda->compute, device));
    return cuda_reserve_pinned(cuda, 0, bytes, host);
}

/* In pieces: rows are added up while the next ones come. */
ro_status hologram_cuda_load(struct hologram_job *job, bool real)
{
    const ro_field *field = job->field;
    struct place at;
    void *rows, *host;
    RO_TRY(hologram_find_place(job, &at));
    struct device_state *cuda = at.cuda;
    RO_TRY(find_sums(cuda, field->height, &rows, &host));
    RO_CUDA_TRY(job->context, cudaEventRecord(cuda->computed[0], cuda->compute));
    RO_CUDA_TRY(job->context, cudaStreamWaitEvent(cuda->copy_in, cuda->computed[0], 0));
    const uint32_t piece = (uint32_t)(PIECE_BYTES / at.field_pitch) + 1;
    for (uint32_t y = 0, i = 0; y < field->height; y += piece, i++) {
        const uint32_t count = field->height - y < piece ? field->height - y : piece;
        char *to = at.field + (size_t)y * at.field_pitch;
        RO_CUDA_TRY(job->context,
                    cudaMemcpy2DAsync(to, at.field_pitch,
                                      (const char *)field->data + (ptrdiff_t)y * field->stride,
                                      (size_t)field->stride, (size_t)field->width * 8, count,
                                      cudaMemcpyDefault, cuda->copy_in));
        cudaEvent_t here = cuda->ready[i % RO_CUDA_LANES];
        RO_CUDA_TRY(job->context, cudaEventRecord(here, cuda->copy_in));
        RO_CUDA_TRY(job->context, cudaStreamWaitEvent(cuda->compute, here, 0));
        sum_rows<<<count, SUM_THREADS, 0, cuda->compute>>>(to, at.field_pitch, (int)field->width,
                                                           real, (struct row_sum *)rows + y);
        RO_CUDA_TRY(job->context, cudaGetLastError());
    }
    return RO_OK;
}

ro_status hologram_cuda_rms(struct hologram_job *job, double *rms)
{
    const uint32_t height = job->field->height;
    struct device_state *cuda;
    void *rows, *host;
    RO_TRY(cuda_of(job->context, &cuda));
    RO_TRY(find_sums(cuda, height, &rows, &host));
    RO_CUDA_TRY(job->context, cudaMemcpyAsync(host, rows, height * sizeof(struct row_sum),
                                              cudaMemcpyDefault, cuda->compute));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(cuda->compute));
    return field_rms_of(job->context, (const struct row_sum *)host,
                        (uint64_t)job->field->width * height, height, rms);
}

void hologram_cuda_wait(struct hologram_job *job)
{
    struct device_state *cuda;
    if (cuda_of(job->context, &cuda) == RO_OK) {
        cudaStreamSynchronize(cuda->copy_in);
        cudaStreamSynchronize(cuda->compute);
        cudaStreamSynchronize(cuda->copy_out);
    }
}
