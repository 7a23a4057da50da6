// SPDX-License-Identifier: MIT
// Kernels with one mistake each. The emulator must end the process with a message that names it.
// Each kernel runs in a process of its own; one without a mistake comes first.
#include <cuda_runtime.h>

#include <cooperative_groups.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void correct(uint32_t *out)
{
    __shared__ uint32_t words[64];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[63 - threadIdx.x];
}

__global__ void two_barriers(uint32_t *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    out[0] = 1;
}

__global__ void counts_differ(uint32_t *)
{
    const unsigned count = threadIdx.x < 32 ? 64 : 32;
    asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(count) : "memory");
}

__global__ void barrier_never_full(uint32_t *)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(64) : "memory");
}

__global__ void not_in_mask(uint32_t *) { __syncwarp(0xfffffffe); }

__global__ void masks_cross(uint32_t *)
{
    if (threadIdx.x % 2)
        __syncwarp(0xffffffff);
    else
        __syncwarp(0x7fffffff);
}

__global__ void two_shuffles(uint32_t *out)
{
    if (threadIdx.x % 2)
        out[0] = __shfl_sync(0xffffffff, threadIdx.x, 0);
    else
        out[1] = __shfl_sync(0xffffffff, threadIdx.x, 1);
}

__global__ void lane_missing(uint32_t *)
{
    if (threadIdx.x < 32) {
        if (threadIdx.x != 5)
            __syncwarp();
        else
            asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(64) : "memory");
    }
}

__global__ void waits_for_ever(uint32_t *flag)
{
    uint32_t seen = 0;
    while (!seen)
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
}

__global__ void misaligned_load(uint32_t *out)
{
    uint32_t a, b;
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "l"(out + 1)
                 : "memory");
    out[0] = a + b;
}

__global__ void misaligned_store(uint32_t *out)
{
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(out + 1), "r"(1), "r"(2)
                 : "memory");
}

__global__ void misaligned_copy(uint32_t *in)
{
    __shared__ __align__(16) uint32_t words[8];
    const unsigned to = (unsigned)__cvta_generic_to_shared(words);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + 4), "l"(in), "r"(16)
                 : "memory");
}

__global__ void copy_too_long(uint32_t *in)
{
    __shared__ __align__(16) uint32_t words[8];
    const unsigned to = (unsigned)__cvta_generic_to_shared(words);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in), "r"(20)
                 : "memory");
}

__global__ void copies_pile_up(uint32_t *in)
{
    __shared__ __align__(16) uint32_t words[8];
    const unsigned to = (unsigned)__cvta_generic_to_shared(words);
    for (int i = 0; i < 1000; i++)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in), "r"(16)
                     : "memory");
}

__global__ void array_too_large(uint32_t *out)
{
    __shared__ uint32_t words[100000];
    out[0] = words[threadIdx.x];
}

__global__ void beyond_shared(uint32_t *out)
{
    __shared__ uint32_t words[8];
    const unsigned at = (unsigned)__cvta_generic_to_shared(words);
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(out[0]) : "r"(at + 32) : "memory");
}

__global__ void not_shared(uint32_t *out) { out[0] = (uint32_t)__cvta_generic_to_shared(out); }

__global__ void grid_not_cooperative(uint32_t *) { cooperative_groups::this_grid().sync(); }

__global__ void traps(uint32_t *) { __trap(); }

// The address and undefined behaviour sanitizers see these. The gap behind a shared array makes the
// second one visible.
__global__ void beyond_global(uint32_t *out)
{
    if (threadIdx.x == 0)
        out[64] = 1;
}
__global__ void beyond_array(uint32_t *out)
{
    __shared__ uint32_t words[8];
    uint32_t *volatile at = words;
    for (int i = 0; threadIdx.x == 0 && i < 64; i++)
        at[i] = 1;
    out[threadIdx.x] = 0;
}

__global__ void misaligned_vector(uint32_t *out)
{
    if (threadIdx.x == 0)
        *(uint64_t *)(out + 1) = 1;
}

// The thread sanitizer sees this one.
__global__ void race(uint32_t *out)
{
    __shared__ uint32_t words[64];
    words[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = words[63 - threadIdx.x];
}

struct mistake {
    const char *name;
    void (*kernel)(uint32_t *);
    const char *message; // NULL: none
};
#if defined(__SANITIZE_ADDRESS__)
#define BOUNDS_MESSAGE "AddressSanitizer"
#define ALIGNMENT_MESSAGE "misaligned address"
#else
#define BOUNDS_MESSAGE NULL
#define ALIGNMENT_MESSAGE NULL
#endif
#if defined(__SANITIZE_THREAD__)
#define RACE_MESSAGE "data race"
#else
#define RACE_MESSAGE NULL
#endif
static const struct mistake mistakes[] = {
    {"correct", correct, NULL},
    {"two barriers", two_barriers, "threads meet at"},
    {"counts differ", counts_differ, "threads of a barrier expect"},
    {"barrier never full", barrier_never_full, "all threads wait"},
    {"not in mask", not_in_mask, "lane 0 is not in its mask fffffffe"},
    {"masks cross", masks_cross, ", but lanes wait with"},
    {"two shuffles", two_shuffles, "lanes of a warp meet at"},
    {"lane missing", lane_missing, "all threads wait"},
    {"waits for ever", waits_for_ever, "threads only poll"},
    {"misaligned load", misaligned_load, "a misaligned load of 8 bytes"},
    {"misaligned store", misaligned_store, "a misaligned store of 8 bytes"},
    {"misaligned copy", misaligned_copy, "a misaligned copy"},
    {"copy too long", copy_too_long, "a copy of 20 bytes to 16"},
    {"copies pile up", copies_pile_up, "too many pending copies"},
    {"array too large", array_too_large, "too much shared memory"},
    {"beyond shared memory", beyond_shared, "shared memory at"},
    {"not shared memory", not_shared, "not a pointer to shared memory"},
    {"grid not cooperative", grid_not_cooperative, "a grid meets that was not launched to"},
    {"trap", traps, "__trap at"},
    {"beyond global memory", beyond_global, BOUNDS_MESSAGE},
    {"beyond an array", beyond_array, BOUNDS_MESSAGE},
    {"misaligned vector", misaligned_vector, ALIGNMENT_MESSAGE},
    {"race", race, RACE_MESSAGE},
};

// Runs one kernel in a process of its own. Returns whether it said what it should.
static bool try_one(const struct mistake *m)
{
    char said[4096];
    size_t length = 0;
    int ends[2], status;
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        uint32_t *memory;
        dup2(ends[1], 2);
        cudaMalloc(&memory, 64 * sizeof *memory);
        cudaMemset(memory, 0, 64 * sizeof *memory);
        m->kernel<<<1, 64>>>(memory);
        cudaDeviceSynchronize();
        exit(0); // the thread sanitizer then says what it found
    }
    close(ends[1]);
    for (ssize_t n = 1; n > 0 && length < sizeof said - 1; length += n < 0 ? 0 : (size_t)n)
        n = read(ends[0], said + length, sizeof said - 1 - length);
    said[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    const bool right = m->message ? status != 0 && strstr(said, m->message) : status == 0;
    printf("%s %s\n", right ? "ok  " : "FAIL", m->name);
    if (!right)
        printf("expected '%s', got:\n%s\n", m->message ? m->message : "success", said);
    return right;
}

int main()
{
    int failed = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        fflush(stdout);
        failed += !try_one(&mistakes[i]);
    }
    return failed != 0;
}
