/* SPDX-License-Identifier: MIT */
/*
 * An emulator of CUDA. Each CUDA thread is a fiber, and one thread of the system runs all fibers of
 * a launch. A fiber runs until it waits for other threads (barrier, shuffle) or polls memory, so a
 * run can be repeated. Mistakes that the emulator detects end the process with a message that names
 * source lines. The environment chooses:
 *
 *   RO_SIMT_SEED=N    schedules drawn from N: which thread runs, which stream, when a copy arrives,
 *                     how far approximations are off. Without it, threads take turns and streams
 *                     run their work at once.
 *   RO_SIMT_SMS=N     number of multiprocessors (4; 2 under the thread sanitizer)
 *   RO_SIMT_TRACE=1   prints a line per launch
 */
#ifndef RO_SIMT_H
#define RO_SIMT_H

#include <functional>

#include <stddef.h>
#include <stdint.h>

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef struct simt_stream *cudaStream_t;

/* The place of the thread that runs. */
extern __thread uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace simt
{

/* ---- launches ------------------------------------------------------------------------------- */

struct shape { /* of a launch */
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    cudaStream_t stream;
    bool cooperative;
    unsigned cluster; /* blocks in a cluster */
    const char *file;
    int line;
};
typedef std::function<void()> body; /* a kernel with its arguments, as one thread runs it */

/* Runs a kernel. Returns when all its threads have ended. */
void run(const shape &shape, const body &kernel);

/* Returns how many blocks fit into a multiprocessor. */
int resident_blocks(size_t threads, size_t shared);
int multiprocessors();

/* Ends the process with a message, with the positions of all threads if a kernel runs. */
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the seed of random schedules; 0: none. */
uint64_t seed();
/* Returns a random number below `below`. */
uint64_t draw(uint64_t below);

enum {
    ARCH = __CUDA_ARCH__ / 10, /* compute capability: 75, 80 or 90 */
    SHARED_MOST = ARCH < 80   ? 64 << 10
                  : ARCH < 90 ? 163 << 10
                              : 227 << 10,
    SHARED_TAKEN = ARCH < 80 ? 0 : 1024, /* of each block, beside what it asks for */
    THREADS_MOST = 1024
};

/* ---- what a thread calls -------------------------------------------------------------------- */

void yield();     /* lets other threads run, because this one polls */
void may_yield(); /* the same, at random, if there is a seed; what it stores may end polls */

void *shared_dynamic();
void *shared_array(const void *key, size_t bytes, size_t alignment);
/* Converts between pointers and addresses of shared memory, and checks bounds. */
unsigned char *shared_at(unsigned address, size_t bytes);
unsigned shared_address(const void *pointer);

/* Meeting points. A thread returns when all others of the block, warp mask, grid or cluster have
 * come. `count` is the number of threads at a named barrier; 0: all that have not ended. */
uint64_t meet_block(int barrier, int count, uint64_t value, const char *file, int line);
enum meeting_kind { SYNC, BALLOT, SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };
uint64_t meet_warp(meeting_kind kind, unsigned mask, uint64_t value, int parameter, int width,
                   const char *file, int line);
void meet_grid();
void meet_cluster();
unsigned cluster_blocks();

/* cp.async: a copy arrives at copies_wait() or, if there is a seed, at any time before. */
void copy_later(unsigned to, const void *from, unsigned size, unsigned bytes);
void copies_commit();
void copies_wait(unsigned pending);

/* Returns `exact`, up to `ulps` off if there is a seed. */
float nearly(float exact, int ulps);

} // namespace simt

#endif
