/* SPDX-License-Identifier: MIT */
#include "cuda/bands.cuh"

#include <string.h>

size_t cuda_band_pitch(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

static bool is_pinned(const void *memory)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* A band's buffers; they take turns. */
struct lane {
    struct cuda_band band;
    void *staged_in, *staged_out; /* pinned, or NULL where the caller's memory is */
    bool busy;
};

static void copy_rows(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                      size_t bytes, uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++)
        memcpy((char *)to + (ptrdiff_t)r * to_stride,
               (const char *)from + (ptrdiff_t)r * from_stride, bytes);
}

/* Waits for a band's output and puts it where the caller wants it. */
static ro_status finish_band(struct device_state *cuda, const struct cuda_rows *rows,
                             struct lane *lane, int which)
{
    const struct cuda_band *band = &lane->band;
    if (!lane->busy)
        return RO_OK;
    lane->busy = false;
    RO_CUDA_TRY(cuda->context, cudaEventSynchronize(cuda->fetched[which]));
    if (rows->take)
        RO_TRY(rows->take(rows->ends, band->first, band->rows, lane->staged_out));
    else if (lane->staged_out)
        copy_rows((char *)rows->out + (ptrdiff_t)band->first * rows->out_stride, rows->out_stride,
                  lane->staged_out, (ptrdiff_t)rows->out_bytes, rows->out_bytes, band->rows);
    return RO_OK;
}

/* Rows without gaps are one copy, which is faster than many. */
static cudaError_t copy_band(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t bytes, uint32_t rows, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (to_pitch == bytes && from_pitch == bytes)
        return cudaMemcpyAsync(to, from, bytes * rows, kind, stream);
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, kind, stream);
}

static ro_status send_band(struct device_state *cuda, const struct cuda_rows *rows,
                           struct lane *lane, int which, cuda_band_fn *run, void *data)
{
    ro_context *context = cuda->context;
    const struct cuda_band *band = &lane->band;
    const char *from = (const char *)rows->in + (ptrdiff_t)band->first * rows->in_stride;
    char *to = (char *)rows->out + (ptrdiff_t)band->first * rows->out_stride;
    size_t from_pitch = (size_t)rows->in_stride, to_pitch = (size_t)rows->out_stride;
    if (rows->fetch)
        RO_TRY(rows->fetch(rows->ends, band->first, band->rows, lane->staged_in));
    else if (lane->staged_in)
        copy_rows(lane->staged_in, (ptrdiff_t)rows->in_bytes, from, rows->in_stride, rows->in_bytes,
                  band->rows);
    if (lane->staged_in) {
        from = (const char *)lane->staged_in;
        from_pitch = rows->in_bytes;
    }
    if (lane->staged_out) {
        to = (char *)lane->staged_out;
        to_pitch = rows->out_bytes;
    }
    RO_CUDA_TRY(context, copy_band(band->in, band->in_pitch, from, from_pitch, rows->in_bytes,
                                   band->rows, cudaMemcpyHostToDevice, cuda->copy_in));
    RO_CUDA_TRY(context, cudaEventRecord(cuda->ready[which], cuda->copy_in));
    RO_CUDA_TRY(context, cudaStreamWaitEvent(cuda->compute, cuda->ready[which], 0));
    RO_TRY(run(data, band, cuda->compute));
    RO_CUDA_TRY(context, cudaEventRecord(cuda->computed[which], cuda->compute));
    RO_CUDA_TRY(context, cudaStreamWaitEvent(cuda->copy_out, cuda->computed[which], 0));
    RO_CUDA_TRY(context, copy_band(to, to_pitch, band->out, band->out_pitch, rows->out_bytes,
                                   band->rows, cudaMemcpyDeviceToHost, cuda->copy_out));
    RO_CUDA_TRY(context, cudaEventRecord(cuda->fetched[which], cuda->copy_out));
    lane->busy = true;
    return RO_OK;
}

static ro_status open_lane(struct device_state *cuda, const struct cuda_rows *rows, int which,
                           struct lane *lane)
{
    struct cuda_band *band = &lane->band;
    void *in, *out;
    band->in_pitch = cuda_band_pitch(rows->in_bytes);
    band->out_pitch = cuda_band_pitch(rows->out_bytes);
    RO_TRY(cuda_reserve(cuda, &cuda_in[which], band->in_pitch * rows->band, cuda->compute, &in));
    RO_TRY(cuda_reserve(cuda, &cuda_out[which], band->out_pitch * rows->band, cuda->compute, &out));
    band->in = (unsigned char *)in;
    band->out = (unsigned char *)out;
    if (rows->fetch || rows->in_stride <= 0 || !is_pinned(rows->in))
        RO_TRY(cuda_reserve_pinned(cuda, which, rows->in_bytes * rows->band, &lane->staged_in));
    if (rows->take || rows->out_stride <= 0 || !is_pinned(rows->out))
        RO_TRY(cuda_reserve_pinned(cuda, RO_CUDA_LANES + which, rows->out_bytes * rows->band,
                                   &lane->staged_out));
    return RO_OK;
}

ro_status cuda_run_bands(struct device_state *cuda, const struct cuda_rows *rows, cuda_band_fn *run,
                         void *data)
{
    struct lane lanes[RO_CUDA_LANES] = {};
    RO_TRY(cuda_scratch_begin(cuda, cuda->compute));
    RO_TRY(cuda_scratch_begin(cuda, cuda->copy_in));
    for (int i = 0; i < RO_CUDA_LANES && (uint32_t)i * rows->band < rows->rows; i++)
        RO_TRY(open_lane(cuda, rows, i, &lanes[i]));
    /* Buffers made anew are cleared on the compute stream; copies must not overtake that. */
    RO_CUDA_TRY(cuda->context, cudaEventRecord(cuda->computed[0], cuda->compute));
    RO_CUDA_TRY(cuda->context, cudaStreamWaitEvent(cuda->copy_in, cuda->computed[0], 0));

    ro_status status = RO_OK;
    int which = 0;
    for (uint32_t first = 0; first < rows->rows && status == RO_OK; first += rows->band) {
        struct lane *lane = &lanes[which];
        status = finish_band(cuda, rows, lane, which);
        lane->band.first = first;
        lane->band.rows = rows->rows - first < rows->band ? rows->rows - first : rows->band;
        if (status == RO_OK)
            status = send_band(cuda, rows, lane, which, run, data);
        which = (which + 1) % RO_CUDA_LANES;
    }
    for (int i = 0; i < RO_CUDA_LANES; i++, which = (which + 1) % RO_CUDA_LANES) {
        ro_status finished = finish_band(cuda, rows, &lanes[which], which);
        status = status == RO_OK ? finished : status;
    }
    if (status != RO_OK) /* what was started may still be reading the caller's memory */
        cudaStreamSynchronize(cuda->copy_in);
    ro_status ended = cuda_scratch_end(cuda, cuda->compute);
    return status == RO_OK ? ended : status;
}
