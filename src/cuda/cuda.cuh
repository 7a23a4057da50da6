/* SPDX-License-Identifier: MIT */
/* The CUDA side of a context, for .cu files. */
#ifndef RO_CUDA_CUDA_CUH
#define RO_CUDA_CUDA_CUH

#include "cuda/cuda.h"

#include <cuda_runtime.h>

enum {
    RO_CUDA_LANES = 3,  /* bands of rows under way at once: one comes, one is worked on, one goes */
    RO_CUDA_SLOTS = 32, /* pieces of scratch memory */
};

/* Scratch memory on the device, kept between calls. Whoever asks finds it again by a key, the
 * address of something of its own. */
struct cuda_scratch {
    const void *key;
    void *data;
    size_t bytes;
    unsigned count; /* the owner's; 0 when the memory is new */
};

/* Keys for rows on their way to and from the device: of bands, or of whole images. */
extern const char cuda_in[RO_CUDA_LANES], cuda_out[RO_CUDA_LANES];

struct device_state {
    ro_context *context;
    int device;
    int processors;
    int shared;         /* bytes of shared memory that a block may ask for */
    size_t memory;      /* bytes of the device */
    cudaMemPool_t pool; /* of all that is made in the order of a stream; keeps what it is given */
    cudaStream_t copy_in, compute, copy_out;
    cudaEvent_t begin, end;                  /* of the timer */
    cudaEvent_t ready[RO_CUDA_LANES];        /* band of rows is on the device */
    cudaEvent_t computed[RO_CUDA_LANES];     /* and halftoned */
    cudaEvent_t fetched[RO_CUDA_LANES];      /* and back */
    cudaEvent_t scratch_free;                /* the last user of the scratch is done */
    bool scratch_used;                       /* if there was one */
    struct cuda_scratch slot[RO_CUDA_SLOTS]; /* the first ones, up to one without a key */
    void *pinned[2 * RO_CUDA_LANES];         /* staging for pageable memory: in, then out */
    size_t pinned_bytes[2 * RO_CUDA_LANES];
    cudaGraphExec_t graph; /* the last series of launches that was captured, and its key */
    void *graph_key;
    size_t graph_key_bytes;
    int graph_launches;
};

/* The context's CUDA side, opened at first use. */
ro_status cuda_of(ro_context *context, struct device_state **cuda);

/* RO_E_DEVICE (or RO_E_MEMORY) with the driver's words, or RO_OK. */
ro_status cuda_check(ro_context *context, cudaError_t error, const char *doing);

/* Scratch of at least `bytes`, in the order of `stream`; made anew it is zero. */
ro_status cuda_reserve(struct device_state *cuda, const void *key, size_t bytes,
                       cudaStream_t stream, void **data);
struct cuda_scratch *cuda_scratch_of(struct device_state *cuda, const void *key); /* NULL: none */
ro_status cuda_reserve_pinned(struct device_state *cuda, int number, size_t bytes, void **data);

/* Memory of a job that may live beside others of the context, made on its compute stream; given
 * back after whatever used the scratch last. NULL is allowed there. */
ro_status cuda_own(struct device_state *cuda, size_t bytes, void **data);
void cuda_disown(struct device_state *cuda, void *data);

void cuda_drop_graph(struct device_state *cuda);

/* Scratch is shared by all streams of a context: the next user waits on the device for the last. */
ro_status cuda_scratch_begin(struct device_state *cuda, cudaStream_t stream);
ro_status cuda_scratch_end(struct device_state *cuda, cudaStream_t stream);

#define RO_CUDA_TRY(context, call)                                                                 \
    do {                                                                                           \
        ro_status try_status = cuda_check(context, call, #call);                                   \
        if (try_status != RO_OK)                                                                   \
            return try_status;                                                                     \
    } while (0)
#define RO_TRY(call)                                                                               \
    do {                                                                                           \
        ro_status try_status = (call);                                                             \
        if (try_status != RO_OK)                                                                   \
            return try_status;                                                                     \
    } while (0)

#endif
