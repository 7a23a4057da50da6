/* SPDX-License-Identifier: MIT */
/*
 * Copies from global to shared memory that go on while the thread does: started, gathered into
 * groups, waited for by their number. Devices before compute capability 8.0 copy at once.
 */
#ifndef RO_CUDA_COPY_ASYNC_CUH
#define RO_CUDA_COPY_ASYNC_CUH

/* The first `bytes` of SIZE (4, 8 or 16, where both addresses are aligned) and zeros for the rest;
 * with none nothing is read. `to` is an address in shared memory. */
template <int SIZE>
static __device__ __forceinline__ void copy_async(unsigned to, const void *from, unsigned bytes)
{
#if __CUDA_ARCH__ >= 800
    if (SIZE == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from),
                     "r"(bytes), "n"(SIZE)
                     : "memory");
#else
    unsigned words[SIZE / 4] = {};
    for (unsigned i = 0; i < bytes; i++)
        words[i / 4] |= (unsigned)((const unsigned char *)from)[i] << 8 * (i % 4);
    for (int i = 0; i < SIZE / 4; i++)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + 4 * i), "r"(words[i]) : "memory");
#endif
}

/* Ends a group of copies. */
static __device__ __forceinline__ void copy_async_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most PENDING groups, the last ones, are under way. */
template <int PENDING> static __device__ __forceinline__ void copy_async_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

#endif
