/* SPDX-License-Identifier: MIT */
/*
 * How long a step of the wave with two rows to a lane takes at least: the same steps
 * (pairs_steps.cuh), but by one warp alone on the device, with tones and errors that are in
 * registers already. No memory, no waiting, nobody else on the scheduler. Nobody takes the bits and
 * the errors for the band below, so the compiler leaves them out, and the chain from step to step
 * remains. Two lengths are timed, so that the launch drops out.
 */
#include "halftone/error_diffusion/cuda/pairs_steps.cuh"

static __global__ void run_chain(unsigned *last, int chunks, unsigned tone, unsigned bias)
{
    const int lane = threadIdx.x;
    const unsigned none = both(bias), first = both(tone + 16 * lane);
    lane_state s = {none, both(8), {none, none, none}, none, none};
    words_above above;
    above.half[0] = above.half[1] = {none, none, none, none};
    uint4 tones[4];
    for (int c = 0; c < 4; c++)
        tones[c] = {first + both(64 * c), first + both(64 * c + 16), first + both(64 * c + 32),
                    first + both(64 * c + 48)};
    unsigned sent[8];
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; chunk++)
        run_chunk<KERNEL_FLOYD_STEINBERG, false>(s, tones, above, lane == 0, bias, 0, sent,
                                                 [](int) {});
    last[lane] = s.error;
}

/* Best of several, in ms. */
static ro_status time_chain(struct device_state *cuda, unsigned *last, int chunks, double *best)
{
    for (int i = 0; i < 5; i++) {
        double ms;
        RO_TRY(cuda_timer_start(cuda->context));
        run_chain<<<1, LANES, 0, cuda->compute>>>(last, chunks, 16 * 60, WHITE / 2 - 1);
        RO_CUDA_TRY(cuda->context, cudaGetLastError());
        RO_TRY(cuda_timer_stop(cuda->context, &ms));
        *best = i == 0 || ms < *best ? ms : *best;
    }
    return RO_OK;
}

ro_status diffusion_cuda_chain(ro_context *context, double *nanoseconds)
{
    enum { FEW = 1000, MANY = 5000 };
    struct device_state *cuda;
    void *last;
    double few, many;
    *nanoseconds = 0;
    RO_TRY(cuda_of(context, &cuda));
    RO_TRY(cuda_alloc(context, LANES * sizeof(unsigned), &last));
    ro_status status = time_chain(cuda, (unsigned *)last, FEW, &few);
    if (status == RO_OK)
        status = time_chain(cuda, (unsigned *)last, MANY, &many);
    if (status == RO_OK)
        *nanoseconds = (many - few) * 1e6 / ((MANY - FEW) * CHUNK);
    cuda_free(last);
    return status;
}
