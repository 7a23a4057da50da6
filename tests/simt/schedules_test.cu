// SPDX-License-Identifier: MIT
// What a seed may change and what it may not: kernels and hosts that rely on an order which nobody
// promises must be right without a seed, and wrong in some run with one; those that wait as they
// should must be right in every run.
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 200, LANES = 32, COUNT = 64 };

static uint32_t *memory, *other; // of the device
static cudaStream_t first, second;

// A lane reads what another wrote before a meeting. A shuffle is no barrier for memory.
template <bool BARRIER> __global__ void read_partner(uint32_t *out)
{
    __shared__ uint32_t words[LANES];
    const unsigned lane = threadIdx.x;
    words[lane] = 0;
    __syncwarp();
    words[lane] = lane + 1;
    if (BARRIER)
        __syncwarp();
    else
        (void)__shfl_sync(0xffffffff, lane, (int)lane);
    out[lane] = words[LANES - 1 - lane];
}

static bool partners_read(bool barrier)
{
    if (barrier)
        read_partner<true><<<1, LANES>>>(memory);
    else
        read_partner<false><<<1, LANES>>>(memory);
    cudaDeviceSynchronize();
    for (uint32_t i = 0; i < LANES; i++)
        if (memory[i] != LANES - i)
            return false;
    return true;
}
static bool barrier_orders() { return partners_read(true); }
static bool shuffle_orders() { return partners_read(false); }

// A copy arrives when it is waited for, or earlier.
template <bool WAIT> __global__ void copy_words(const uint32_t *in, uint32_t *out)
{
    __shared__ __align__(16) uint32_t words[4];
    for (int i = 0; i < 4; i++)
        words[i] = 0;
    const unsigned to = (unsigned)__cvta_generic_to_shared(words);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in), "r"(16)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (WAIT)
        asm volatile("cp.async.wait_group %0;" ::"n"(0) : "memory");
    out[0] = words[3];
}

static bool copied(bool wait)
{
    cudaMemset(other, 0x11, COUNT * sizeof *other);
    if (wait)
        copy_words<true><<<1, 1>>>(other, memory);
    else
        copy_words<false><<<1, 1>>>(other, memory);
    cudaDeviceSynchronize();
    return memory[0] == 0x11111111;
}
static bool copy_waited_for() { return copied(true); }
static bool copy_not_there() { return !copied(false); }

// One stream fills what another copies.
__global__ void fill(uint32_t *out) { out[threadIdx.x] = 7; }

static bool streams_meet(bool wait)
{
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    cudaMemset(memory, 0, COUNT * sizeof *memory);
    fill<<<1, COUNT, 0, first>>>(memory);
    cudaEventRecord(filled, first);
    if (wait)
        cudaStreamWaitEvent(second, filled, 0);
    cudaMemcpyAsync(other, memory, COUNT * sizeof *memory, cudaMemcpyDeviceToDevice, second);
    cudaDeviceSynchronize();
    cudaEventDestroy(filled);
    return other[COUNT - 1] == 7;
}
static bool event_waited_for() { return streams_meet(true); }
static bool no_event() { return streams_meet(false); }

// Blocks and warps take their turns in an order of their own.
__global__ void queue(uint32_t *ticket, uint32_t *out)
{
    if (threadIdx.x % LANES == 0)
        out[atomicAdd(ticket, 1u)] = blockIdx.x * 2 + threadIdx.x / LANES;
}

static bool same_turns()
{
    static uint32_t before[8]; // one more than the number
    bool same = true;
    cudaMemset(memory, 0, sizeof *memory);
    queue<<<4, 2 * LANES>>>(memory, other);
    cudaDeviceSynchronize();
    for (uint32_t i = 0; i < 8; i++) {
        same = same && (before[i] == 0 || before[i] == other[i] + 1);
        before[i] = other[i] + 1;
    }
    return same;
}

// Memory that nobody has written holds no zeros that a kernel could count on.
__global__ void look(uint32_t *out)
{
    __shared__ uint32_t fixed[4];
    extern __shared__ uint32_t given[];
    out[0] = fixed[3];
    out[1] = given[3];
}

static bool memory_is_spoilt()
{
    uint32_t *fresh;
    cudaMalloc(&fresh, 1024);
    bool spoilt = fresh[255] != 0;
    look<<<1, 1, 16>>>(fresh);
    cudaDeviceSynchronize();
    spoilt = spoilt && fresh[0] && fresh[1];
    cudaFree(fresh);
    return spoilt;
}

static const struct {
    const char *name;
    bool (*run)();
    bool relies; // on an order: with a seed it must be wrong in some run
} checks[] = {
    {"a barrier of a warp orders memory", barrier_orders, false},
    {"a shuffle orders memory", shuffle_orders, true},
    {"a copy has come that was waited for", copy_waited_for, false},
    {"a copy has not come that nobody waited for", copy_not_there, true},
    {"a stream waits for an event", event_waited_for, false},
    {"a stream goes on by itself", no_event, true},
    {"warps take the same turns", same_turns, true},
    {"memory is not cleared", memory_is_spoilt, false},
};

int main()
{
#if defined(__SANITIZE_THREAD__)
    printf("skipped: these kernels race on purpose\n");
    return 77;
#endif
    const char *seed = getenv("RO_SIMT_SEED");
    const bool random = seed && atoi(seed) != 0;
    int failed = 0;
    cudaMalloc(&memory, COUNT * sizeof *memory);
    cudaMalloc(&other, COUNT * sizeof *other);
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        int wrong = 0;
        for (int r = 0; r < RUNS; r++)
            wrong += !checks[i].run();
        const bool right = random && checks[i].relies ? wrong > 0 : wrong == 0;
        printf("%s %s: wrong in %d of %d runs\n", right ? "ok  " : "FAIL", checks[i].name, wrong,
               RUNS);
        failed += !right;
    }
    return failed != 0;
}
