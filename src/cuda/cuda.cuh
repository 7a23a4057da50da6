/* SPDX-License-Identifier: MIT */
/* The CUDA side of a context, for .cu files. */
#ifndef RO_CUDA_CUDA_CUH
#define RO_CUDA_CUDA_CUH

#include "cuda/cuda.h"

#include <cuda_runtime.h>

/* Bands of rows that are under way at once: one comes, one is worked on, one goes. */
enum { RO_CUDA_LANES = 3 };

/* Scratch memory on the device, kept between calls; one purpose each. */
enum ro_cuda_slot {
    RO_CUDA_LINES,   /* errors handed from block to block of the wave */
    RO_CUDA_PAIR_LINES, /* the same of the wave with two rows to a lane */
    RO_CUDA_IN, /* bands of rows on their way, RO_CUDA_LANES of them */
    RO_CUDA_OUT = RO_CUDA_IN + RO_CUDA_LANES,
    RO_CUDA_AFTER_OUT = RO_CUDA_OUT + RO_CUDA_LANES - 1,
    RO_CUDA_TICKET,
    RO_CUDA_ALIGNED, /* copies of images whose rows are not aligned */
    RO_CUDA_WORK, /* whatever else a schedule keeps */
    RO_CUDA_DBS_TABLES, /* of a direct binary search */
    RO_CUDA_DBS_STATE,
    RO_CUDA_DBS_FIRST, /* the padded picture and the halftone that a search starts from */
    RO_CUDA_PDE_FIELDS, /* images of a diffusion */
    RO_CUDA_PDE_TABLES,
    RO_CUDA_GRIDS, /* tables and planes of multigrid and registration */
    RO_CUDA_HOLOGRAM_TABLES,
    RO_CUDA_HOLOGRAM_LINES,
    RO_CUDA_HOLOGRAM_FIELD,
    RO_CUDA_HOLOGRAM_NUMBERS,
    RO_CUDA_SLOTS,
};

struct ro_cuda {
    ro_context *context;
    int device;
    int processors;
    size_t memory;
    cudaStream_t copy_in, compute, copy_out;
    cudaEvent_t begin, end;     /* of the timer */
    cudaEvent_t ready[RO_CUDA_LANES];       /* band of rows is on the device */
    cudaEvent_t computed[RO_CUDA_LANES];    /* and halftoned */
    cudaEvent_t fetched[RO_CUDA_LANES];     /* and back */
    cudaEvent_t scratch_free;   /* the last user of the scratch is done */
    bool scratch_used;          /* if there was one */
    struct {
        void *data;
        size_t bytes;
    } slot[RO_CUDA_SLOTS];
    void *pinned[2 * RO_CUDA_LANES]; /* staging for pageable memory: in, then out */
    size_t pinned_bytes[2 * RO_CUDA_LANES];
    cudaGraphExec_t graph; /* the last series of launches that was captured, and its key */
    void *graph_key;
    size_t graph_key_bytes;
    int graph_launches;
    unsigned wave_tag;    /* tells launches apart in the wave's lines; 0 is never used */
    unsigned pairs_tag;
    unsigned wave_ticket; /* tickets given out so far */
};

/* The context's CUDA side, opened at first use. */
ro_status ro_cuda_of(ro_context *context, struct ro_cuda **cuda);

/* RO_E_DEVICE (or RO_E_MEMORY) with the driver's words, or RO_OK. */
ro_status ro_cuda_check(ro_context *context, cudaError_t error, const char *doing);

/* A slot of at least `bytes`, in the order of `stream`; *fresh: it was made anew, and is zero. */
ro_status ro_cuda_reserve(struct ro_cuda *cuda, enum ro_cuda_slot slot, size_t bytes,
                          cudaStream_t stream, void **data, bool *fresh);
ro_status ro_cuda_reserve_pinned(struct ro_cuda *cuda, int number, size_t bytes, void **data);

/* Memory of a job that may live beside others of the context, made on its compute stream; given back
 * after whatever used the scratch last. NULL is allowed there. */
ro_status ro_cuda_own(struct ro_cuda *cuda, size_t bytes, void **data);
void ro_cuda_disown(struct ro_cuda *cuda, void *data);

void ro_cuda_drop_graph(struct ro_cuda *cuda);

/* Scratch is shared by all streams of a context: the next user waits on the device for the last. */
ro_status ro_cuda_scratch_begin(struct ro_cuda *cuda, cudaStream_t stream);
ro_status ro_cuda_scratch_end(struct ro_cuda *cuda, cudaStream_t stream);

#define RO_CUDA_TRY(context, call)                                                                 \
    do {                                                                                           \
        ro_status try_status = ro_cuda_check(context, call, #call);                                \
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
