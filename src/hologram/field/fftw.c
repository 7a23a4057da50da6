/* SPDX-License-Identifier: MIT */
#include "hologram/field/fftw.h"

#include "context/context.h"
#include "core/checked.h"

#include <stdlib.h>
#include <string.h>

static ro_status no_memory(ro_context *context, uint32_t width, uint32_t height)
{
    return ro_context_fail(context, RO_E_MEMORY, "no memory for a field of %u x %u pixels", width,
                           height);
}

float complex *fft_alloc(ro_context *context, uint32_t width, uint32_t height)
{
    size_t bytes;
    void *data = NULL;
    if (!ro_size_multiply((size_t)width * sizeof(float complex), height, &bytes) ||
        !ro_size_add(bytes, 63, &bytes) || !(data = aligned_alloc(64, bytes / 64 * 64)))
        no_memory(context, width, height);
    return data;
}

void fft_free(float complex *data) { free(data); }

#if RO_WITH_FFTW

#include <fftw3.h>
#include <pthread.h>

enum { BLOCK = 8 }; /* columns at a time: a cache line of them */

struct fft {
    ro_context *context;
    uint32_t width, height;
    fftwf_plan rows[2], columns[2]; /* forward, inverse */
    float complex *scratch;         /* a block of columns for each thread */
    size_t stride;                  /* of these columns, each on a boundary of 64 bytes */
    float complex *data;            /* of the run at hand */
    bool inverse;
    atomic_uint_fast32_t ticket;
};

static pthread_mutex_t planning = PTHREAD_MUTEX_INITIALIZER; /* FFTW plans one at a time */

bool fft_present(void) { return true; }

void fft_close(struct fft *fft)
{
    if (!fft)
        return;
    pthread_mutex_lock(&planning);
    for (int i = 0; i < 2; i++) {
        if (fft->rows[i])
            fftwf_destroy_plan(fft->rows[i]);
        if (fft->columns[i])
            fftwf_destroy_plan(fft->columns[i]);
    }
    pthread_mutex_unlock(&planning);
    fft_free(fft->scratch);
    free(fft);
}

ro_status fft_open(ro_context *context, uint32_t width, uint32_t height, struct fft **out)
{
    *out = NULL;
    int threads = ro_pool_threads(context->pool);
    struct fft *fft = calloc(1, sizeof *fft);
    if (!fft)
        return no_memory(context, width, height);
    *fft = (struct fft){.context = context, .width = width, .height = height};
    uint32_t longer = width > height ? width : height;
    fft->stride = ((size_t)longer + 7) / 8 * 8 + 8; /* no power of two */
    fft->scratch = fft_alloc(context, (uint32_t)fft->stride, (uint32_t)threads * BLOCK);
    if (!fft->scratch) {
        fft_close(fft);
        return RO_E_MEMORY;
    }
    pthread_mutex_lock(&planning);
    bool planned = true;
    fftwf_complex *s = (fftwf_complex *)fft->scratch;
    for (int i = 0; i < 2; i++) {
        int sign = i ? FFTW_BACKWARD : FFTW_FORWARD;
        /* Estimated, so that the same plan is made every time. Rows of odd length begin anywhere.
         */
        unsigned odd = width % 2 ? FFTW_UNALIGNED : 0;
        fft->rows[i] = fftwf_plan_dft_1d((int)width, s, s, sign, FFTW_ESTIMATE | odd);
        fft->columns[i] = fftwf_plan_dft_1d((int)height, s, s, sign, FFTW_ESTIMATE);
        planned &= fft->rows[i] && fft->columns[i];
    }
    pthread_mutex_unlock(&planning);
    if (!planned) {
        fft_close(fft);
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "FFTW cannot transform a field of %u x %u pixels", width, height);
    }
    *out = fft;
    return RO_OK;
}

static void run_rows(void *data, int thread)
{
    struct fft *fft = data;
    (void)thread;
    for (uint_fast32_t y; (y = atomic_fetch_add(&fft->ticket, 1)) < fft->height;) {
        fftwf_complex *row = (fftwf_complex *)(fft->data + (size_t)y * fft->width);
        fftwf_execute_dft(fft->rows[fft->inverse], row, row);
    }
}

static void run_columns(void *data, int thread)
{
    struct fft *fft = data;
    const size_t width = fft->width, height = fft->height;
    const size_t stride = fft->stride;
    float complex *scratch = fft->scratch + (size_t)thread * BLOCK * stride;
    for (uint_fast32_t block; (block = atomic_fetch_add(&fft->ticket, 1)) * BLOCK < width;) {
        size_t x = (size_t)block * BLOCK, count = width - x < BLOCK ? width - x : BLOCK;
        for (size_t y = 0; y < height; y++)
            for (size_t i = 0; i < count; i++)
                scratch[i * stride + y] = fft->data[y * width + x + i];
        for (size_t i = 0; i < count; i++) {
            fftwf_complex *column = (fftwf_complex *)(scratch + i * stride);
            fftwf_execute_dft(fft->columns[fft->inverse], column, column);
        }
        for (size_t y = 0; y < height; y++)
            for (size_t i = 0; i < count; i++)
                fft->data[y * width + x + i] = scratch[i * stride + y];
    }
}

void fft_run(struct fft *fft, float complex *data, bool inverse)
{
    struct ro_pool *pool = fft->context->pool;
    fft->data = data;
    fft->inverse = inverse;
    atomic_store(&fft->ticket, 0);
    ro_pool_run(pool, ro_pool_threads(pool), run_rows, fft);
    atomic_store(&fft->ticket, 0);
    ro_pool_run(pool, ro_pool_threads(pool), run_columns, fft);
}

#else

bool fft_present(void) { return false; }

ro_status fft_open(ro_context *context, uint32_t width, uint32_t height, struct fft **fft)
{
    (void)width, (void)height;
    *fft = NULL;
    return ro_context_fail(context, RO_E_UNSUPPORTED,
                           "this build has no FFTW (Debian: libfftw3-dev), which this needs");
}

void fft_close(struct fft *fft) { (void)fft; }

void fft_run(struct fft *fft, float complex *data, bool inverse)
{
    (void)fft, (void)data, (void)inverse;
}

#endif
