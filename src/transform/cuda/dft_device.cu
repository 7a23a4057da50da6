/* SPDX-License-Identifier: MIT */
/* Plans of transforms on their way to a device. */
#include "transform/cuda/dft_device.cuh"

#include <stdlib.h>
#include <string.h>

/* All tables one after another. */
struct tables {
    float2 *at; /* NULL: they are only counted */
    int used;
};

static int add(struct tables *t, const float *pairs, int count)
{
    const int place = t->used;
    if (t->at && count > 0)
        memcpy(t->at + place, pairs, (size_t)count * sizeof(float2));
    t->used += count;
    return place;
}

static void add_short(struct tables *t, const struct dft_short *from, struct dft_device_short *to)
{
    to->n = from->n > 1 ? from->n : 1;
    to->steps = from->steps;
    for (int i = 0, m = to->n, s = 1; i < from->steps; s *= from->radix[i++]) {
        const int radix = from->radix[i];
        m /= radix;
        to->radix[i] = radix;
        to->m[i] = m;
        to->s[i] = s;
        to->over[i] = dft_over(s);
        to->turns[i] = add(t, from->turns[i], (m - 1) * (radix - 1));
        to->roots[i] = add(t, from->roots[i], from->roots[i] ? radix : 0);
    }
}

static void add_plan(struct tables *t, const struct dft *plan, struct dft_device *d)
{
    const struct dft *run = plan->padded ? plan->padded : plan;
    memset(d, 0, sizeof *d);
    d->n = plan->n;
    d->length = run->n;
    add_short(t, &run->first, &d->first);
    add_short(t, &run->second, &d->second);
    d->n1 = d->first.n;
    d->n2 = d->second.n;
    d->pitch = d->n2 | 1;
    d->lane = (d->n1 * d->pitch) | 1;
    d->over1 = dft_over(d->n1);
    d->over2 = dft_over(d->n2);
    d->between = t->used;
    for (int k = 0; k < d->n1 && run->between; k++) /* neighbours in one row, for the device */
        for (int p = 0; p < d->n2; p++)
            add(t, run->between + 2 * ((size_t)d->n1 * p + k), 1);
    d->chirp = plan->padded ? add(t, plan->chirp, plan->n) : -1;
    d->filter = plan->padded ? add(t, plan->filter, d->length) : -1;
}

ro_status dft_device_open(struct ro_cuda *cuda, const struct dft *plan, struct dft_device *device)
{
    struct tables tables = {};
    void *data = NULL;
    add_plan(&tables, plan, device);
    const size_t bytes = (size_t)(tables.used + 1) * sizeof(float2);
    tables.at = (float2 *)calloc(1, bytes);
    if (!tables.at)
        return ro_context_fail(cuda->context, RO_E_MEMORY, "no memory for transforms");
    tables.used = 0;
    add_plan(&tables, plan, device);
    ro_status status = ro_cuda_own(cuda, bytes, &data);
    if (status == RO_OK)
        status = ro_cuda_check(
            cuda->context,
            cudaMemcpyAsync(data, tables.at, bytes, cudaMemcpyHostToDevice, cuda->compute),
            "copying tables");
    if (status == RO_OK) /* the copy has been staged, or the memory would have to stay */
        status = ro_cuda_check(cuda->context, cudaStreamSynchronize(cuda->compute), "copying");
    device->table = (const float2 *)data;
    free(tables.at);
    return status;
}

void dft_device_close(struct ro_cuda *cuda, struct dft_device *device)
{
    ro_cuda_disown(cuda, (void *)device->table);
    device->table = NULL;
}

ro_status dft_device_fit(struct ro_cuda *cuda, const struct dft_device *device, int wanted,
                         struct dft_block *block)
{
    enum { MOST = 16, USUAL = 2048, SHARE = 100 << 10 }; /* lanes, numbers, bytes of a block */
    const int least = device->n1 > device->n2 ? device->n1 : device->n2;
    int shared = 0;
    RO_CUDA_TRY(cuda->context, cudaDeviceGetAttribute(
                                   &shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device));
    const long lane = (long)device->lane * (long)sizeof(float2);
    int lanes = 1;
    while (lanes < MOST && (lanes * device->length < USUAL ||
                            (lanes < wanted && 2 * lanes * lane <= SHARE - (32 << 10))))
        lanes *= 2;
    const int numbers = lanes * device->length;
    const int threads = numbers <= 4096 ? 256 : numbers <= 12288 ? 512 : 1024;
    const long left = (shared - lanes * lane) / (2 * (long)sizeof(float2));
    const int room = left < 4 * threads ? (int)left : 4 * threads;
    if (room < least)
        return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                               "transforms of %d numbers do not fit the shared memory of the CUDA "
                               "device; the CPU can do them",
                               device->n);
    *block = {lanes, threads, room, (size_t)lanes * lane + 2 * (size_t)room * sizeof(float2)};
    return RO_OK;
}
