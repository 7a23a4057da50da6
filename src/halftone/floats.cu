/* SPDX-License-Identifier: MIT */
/* Floats to samples of 16 bits on the device, by the definition in tone/grey.c. */
#include "cuda/bands.cuh"
#include "halftone/floats_cuda.h"

#include <limits.h>

static const char samples_scratch = 0, wrong_scratch = 0; /* keys */

struct float_rows {
    const unsigned char *in;
    size_t in_pitch;
    unsigned char *out;
    size_t out_pitch;
    unsigned width, height;
};

/* `wrong` is the place of the first pixel that is not a number, or all ones. */
static __global__ void to_samples(float_rows rows, bool cuts, double low, double width,
                                  unsigned long long *wrong)
{
    for (unsigned y = blockIdx.y; y < rows.height; y += gridDim.y)
        for (unsigned x = blockIdx.x * blockDim.x + threadIdx.x; x < rows.width;
             x += gridDim.x * blockDim.x) {
            const float sample = ((const float *)(rows.in + y * rows.in_pitch))[x];
            if (sample != sample)
                atomicMin(wrong, (unsigned long long)y << 32 | x);
            double tone = sample;
            if (cuts)
                tone = (tone - low) / width;
            tone = tone < 0 ? 0.0 : tone > 1 ? 1.0 : tone;
            ((unsigned short *)(rows.out + y * rows.out_pitch))[x] =
                (unsigned short)__double2int_rn(65535.0 * tone);
        }
}

static ro_status floats_to_samples(ro_context *context, const ro_image *in, uint32_t count,
                                   int cuts, double low, double width, void *stream_pointer,
                                   ro_image *made)
{
    cudaStream_t stream = (cudaStream_t)stream_pointer;
    struct device_state *cuda;
    void *memory, *found;
    unsigned long long wrong = ULLONG_MAX;
    RO_TRY(cuda_of(context, &cuda));
    const size_t pitch = cuda_band_pitch(2 * (size_t)in->width), each = pitch * in->height;
    RO_TRY(cuda_scratch_begin(cuda, stream));
    RO_TRY(cuda_reserve(cuda, &samples_scratch, each * count, stream, &memory));
    RO_TRY(cuda_reserve(cuda, &wrong_scratch, sizeof wrong, stream, &found));
    RO_CUDA_TRY(context, cudaMemsetAsync(found, 0xff, sizeof wrong, stream));
    for (uint32_t i = 0; i < count; i++) {
        made[i] = in[i];
        made[i].format = RO_GREY16;
        made[i].maxval = 65535;
        made[i].stride = (ptrdiff_t)pitch;
        made[i].data = (unsigned char *)memory + each * i;
        const float_rows rows = {(const unsigned char *)in[i].data,
                                 (size_t)in[i].stride,
                                 (unsigned char *)made[i].data,
                                 pitch,
                                 in->width,
                                 in->height};
        const dim3 grid((in->width + 255) / 256, in->height < 4096 ? in->height : 4096);
        to_samples<<<grid, 256, 0, stream>>>(rows, cuts, low, width, (unsigned long long *)found);
        RO_CUDA_TRY(context, cudaGetLastError());
    }
    RO_CUDA_TRY(context,
                cudaMemcpyAsync(&wrong, found, sizeof wrong, cudaMemcpyDeviceToHost, stream));
    RO_TRY(cuda_scratch_end(cuda, stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(stream));
    if (wrong != ULLONG_MAX)
        return ro_context_fail(context, RO_E_FORMAT,
                               "the pixel at column %u, row %u is not a number", (unsigned)wrong,
                               (unsigned)(wrong >> 32));
    return RO_OK;
}

static const struct floats_cuda_calls calls = {floats_to_samples};
const struct floats_cuda_calls *floats_on_cuda = &calls;
