/* SPDX-License-Identifier: MIT */
/* A job's field and level numbers on the device: bringing them there and back, and the field's size. */
#include "hologram/place.cuh"

#include "hologram/diffuse_cuda.h"
#include "hologram/row_sum.h"

static size_t pitch_of(size_t bytes) { return (bytes + 255) / 256 * 256; }

ro_status hologram_find_place(struct hologram_job *job, struct place *place)
{
    void *field, *out;
    place->field_pitch = pitch_of((size_t)job->field->width * 8);
    place->out_pitch = pitch_of(job->field->width);
    RO_TRY(ro_cuda_of(job->context, &place->cuda));
    cudaStream_t stream = place->cuda->compute;
    RO_TRY(ro_cuda_reserve(place->cuda, RO_CUDA_HOLOGRAM_FIELD,
                           place->field_pitch * job->field->height, stream, &field, NULL));
    RO_TRY(ro_cuda_reserve(place->cuda, RO_CUDA_HOLOGRAM_NUMBERS,
                           place->out_pitch * job->field->height, stream, &out, NULL));
    place->field = (char *)field;
    place->out = (unsigned char *)out;
    return RO_OK;
}

ro_status hologram_cuda_load(struct hologram_job *job)
{
    struct place at;
    RO_TRY(hologram_find_place(job, &at));
    RO_CUDA_TRY(job->context,
                cudaMemcpy2DAsync(at.field, at.field_pitch, job->field->data,
                                  (size_t)job->field->stride, (size_t)job->field->width * 8,
                                  job->field->height, cudaMemcpyDefault, at.cuda->compute));
    return RO_OK;
}

ro_status hologram_cuda_store(struct hologram_job *job)
{
    struct place at;
    RO_TRY(hologram_find_place(job, &at));
    RO_CUDA_TRY(job->context,
                cudaMemcpy2DAsync(job->out, (size_t)job->out_stride, at.out, at.out_pitch,
                                  job->field->width, job->field->height, cudaMemcpyDefault,
                                  at.cuda->compute));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(at.cuda->compute));
    return RO_OK;
}

/* ---- root mean square ------------------------------------------------------------------------------- */

enum { SUM_THREADS = 256 };

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
ro_status hologram_cuda_rms(struct hologram_job *job, bool real, double *rms)
{
    struct place at;
    void *rows, *host;
    RO_TRY(hologram_find_place(job, &at));
    cudaStream_t stream = at.cuda->compute;
    size_t bytes = job->field->height * sizeof(struct row_sum);
    RO_TRY(ro_cuda_reserve(at.cuda, RO_CUDA_WORK, bytes, stream, &rows, NULL));
    RO_TRY(ro_cuda_reserve_pinned(at.cuda, 0, bytes, &host));
    sum_rows<<<job->field->height, SUM_THREADS, 0, stream>>>(
        at.field, at.field_pitch, (int)job->field->width, real, (struct row_sum *)rows);
    RO_CUDA_TRY(job->context, cudaGetLastError());
    RO_CUDA_TRY(job->context, cudaMemcpyAsync(host, rows, bytes, cudaMemcpyDefault, stream));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(stream));
    return field_rms_of(job->context, (const struct row_sum *)host,
                        (uint64_t)job->field->width * job->field->height, job->field->height, rms);
}
