/* SPDX-License-Identifier: MIT */
/* Plans of transforms on their way to a device. */
#include "fft/cuda/dft_device.cuh"

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

/* Steps two by two, as far as a pass can have them. */
static void add_short(struct tables *t, const struct dft_short *from, struct dft_device_short *to)
{
    to->n = from->n > 1 ? from->n : 1;
    to->passes = 0;
    for (int i = 0, m = to->n; i < from->steps;) {
        struct dft_device_pass *pass = &to->pass[to->passes++];
        const bool pair = i + 1 < from->steps && from->radix[i + 1] <= 5 &&
                          from->radix[i] * from->radix[i + 1] <= DFT_POINTS;
        memset(pass, 0, sizeof *pass);
        pass->radix[1] = 1;
        pass->count = to->n;
        for (int k = 0; k < (pair ? 2 : 1); k++, i++) {
            const int radix = from->radix[i];
            m /= radix;
            pass->radix[k] = radix;
            pass->count /= radix;
            pass->turns[k] = add(t, from->turns[i], (m - 1) * (radix - 1));
            pass->root = add(t, from->roots[i], from->roots[i] ? radix : 0);
        }
        pass->distance = m;
        pass->over = dft_over(m);
    }
}

/* Where result k of a short transform is: its digits the other way round. */
static int place_of(const struct dft_short *plan, int k)
{
    int place = 0;
    for (int i = 0, m = plan->n; i < plan->steps; i++) {
        m /= plan->radix[i];
        place += k % plan->radix[i] * m;
        k /= plan->radix[i];
    }
    return place;
}

/* Rows of a power of two are read at distances that would fall into a few banks. */
static int skew_of(int rows)
{
    int skew = 0;
    while (16 << skew < rows)
        skew++;
    return rows > 16 && 16 << skew == rows ? skew : 31;
}

static void add_places(struct tables *t, const struct dft *run, const struct dft_device *d)
{
    int *place = t->at ? (int *)(t->at + t->used) : NULL;
    for (int i = 0; i < d->length && place; i++) {
        const int row = place_of(&run->first, i % d->n1);
        place[i] = row * d->pitch + (row >> d->skew) + place_of(&run->second, i / d->n1);
    }
    t->used += (d->length + 1) / 2;
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
    d->skew = skew_of(d->n1);
    d->lane = d->n1 * d->pitch + (d->n1 >> d->skew);
    d->over1 = dft_over(d->n1);
    d->over2 = dft_over(d->n2);
    d->between = t->used;
    t->used += run->between ? d->n1 * d->n2 : 0;
    for (int k = 0; k < d->n1 && run->between && t->at; k++) /* row by row, as results come */
        for (int p = 0; p < d->n2; p++)
            memcpy(t->at + d->between + place_of(&run->first, k) * d->n2 + p,
                   run->between + 2 * ((size_t)d->n1 * p + k), sizeof *t->at);
    d->chirp = plan->padded ? add(t, plan->chirp, plan->n) : -1;
    d->filter = plan->padded ? add(t, plan->filter, d->length) : -1;
    d->place = (const int *)(ptrdiff_t)t->used; /* until the table's address is known */
    add_places(t, run, d);
}

ro_status dft_device_open(struct device_state *cuda, const struct dft *plan,
                          struct dft_device *device)
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
    ro_status status = cuda_own(cuda, bytes, &data);
    if (status == RO_OK)
        status = cuda_check(
            cuda->context,
            cudaMemcpyAsync(data, tables.at, bytes, cudaMemcpyHostToDevice, cuda->compute),
            "copying tables");
    if (status == RO_OK) /* the copy has been staged, or the memory would have to stay */
        status = cuda_check(cuda->context, cudaStreamSynchronize(cuda->compute), "copying");
    device->table = (const float2 *)data;
    device->place = (const int *)(device->table + (ptrdiff_t)device->place);
    free(tables.at);
    return status;
}

void dft_device_close(struct device_state *cuda, struct dft_device *device)
{
    cuda_disown(cuda, (void *)device->table);
    device->table = NULL;
}

/* What the passes of a block cost so many threads, of which some have nothing to do at the end, and
 * the more the fewer warps are there to wait for each other; `blocks` have room side by side. */
static double cost_of(const struct dft_device *device, int lanes, int threads, int blocks)
{
    const struct dft_device_short *parts[] = {&device->first, &device->second};
    const int warps = threads / 32, beside = DFT_WARPS / warps;
    double cost = 0;
    for (const struct dft_device_short *part : parts)
        for (int i = 0; i < part->passes; i++) {
            const int points = part->pass[i].radix[0] * part->pass[i].radix[1];
            const int units = lanes * device->length / points;
            cost += (double)((units + threads - 1) / threads) * points * threads;
        }
    return cost / (warps * (beside < blocks ? beside : blocks));
}

ro_status dft_device_fit(struct device_state *cuda, struct dft_device *device, int wanted,
                         bool columns, struct dft_block *block)
{
    enum { MOST = 16, USUAL = 1024, SHARE = 40 << 10, BANKS = 16, LEAST = 64, OWN = 1 << 10 };
    int shared = 0, all = 0, lanes = 1;
    RO_CUDA_TRY(cuda->context, cudaDeviceGetAttribute(
                                   &shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device));
    RO_CUDA_TRY(
        cuda->context,
        cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, cuda->device));
    const long lane = (long)device->lane * (long)sizeof(float2);
    while (lanes < MOST &&
           (lanes * device->length < USUAL || (lanes < wanted && 2 * lanes * lane <= SHARE)))
        lanes *= 2;
    while (columns && lanes > 1 && device->lane % BANKS != BANKS / lanes)
        device->lane++;
    const size_t bytes = (size_t)lanes * device->lane * sizeof(float2);
    const int numbers = lanes * device->length;
    const bool many = device->chirp >= 0 || numbers > DFT_FEW * DFT_FEW_THREADS;
    if (bytes > (size_t)shared || numbers > DFT_MANY * DFT_MANY_THREADS)
        return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                               "transforms of %d numbers do not fit the shared memory of the CUDA "
                               "device; the CPU can do them",
                               device->n);
    const int hold = !columns && device->chirp < 0 ? numbers : many ? DFT_MANY : DFT_FEW;
    const int blocks = all / (int)(bytes + OWN) > 1 ? all / (int)(bytes + OWN) : 1;
    int threads = many ? DFT_MANY_THREADS : DFT_FEW_THREADS;
    double least = cost_of(device, lanes, threads, blocks);
    for (int fewer = threads - 32; fewer >= LEAST && hold * fewer >= numbers; fewer -= 32) {
        const double cost = cost_of(device, lanes, fewer, blocks);
        threads = cost < least ? fewer : threads;
        least = cost < least ? cost : least;
    }
    *block = {lanes, threads, many, bytes};
    return RO_OK;
}
