/* SPDX-License-Identifier: MIT */
/* Scenes on the device: a thread for each pixel of a plane. */
#include "hologram/scene/cuda/scene_cuda.h"

#include "hologram/propagate/propagate.cuh"

#define PHASOR_INLINE static __device__ __forceinline__
#define LIGHT_INLINE static __device__ __forceinline__
#include "hologram/scene/picture_light.h"
#include "hologram/scene/scene_light.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, IMAGES = 3 };

struct scene_cuda {
    ro_context *context;
    struct device_state *cuda;
    uint32_t width, height;
    float2 *light;
};

struct scene_cuda_pictures {
    ro_context *context;
    struct device_state *cuda;
    int count;
    struct {
        float *image[IMAGES];
        uint32_t width, height;
    } * picture;
    void *found; /* struct found */
};

/* ---- Light ---------------------------------------------------------------------------------- */

/* The part of the plane that it may be in: pixels, and metres. */
struct part {
    uint32_t x, y, wide, high;
    double low[2], above[2];
};

static __global__ void light_scene(const __grid_constant__ scene s, int plane, light_grid grid,
                                   part at, float2 *light)
{
    const uint32_t column = at.x + blockIdx.x * blockDim.x + threadIdx.x, row = at.y + blockIdx.y;
    if (column >= at.x + at.wide)
        return;
    const double x = light_grid_x(&grid, column), y = light_grid_y(&grid, row);
    if (x < at.low[0] || x > at.above[0] || y < at.low[1] || y > at.above[1])
        return;
    const double amplitude = scene_light(&s, plane, x, y);
    float v[2];
    if (!(amplitude >= 0))
        return;
    scene_light_of(&s, plane, amplitude, column, row, x, y, v);
    light[(size_t)row * grid.width + column] = make_float2(v[0], v[1]);
}

static __global__ void light_picture(const __grid_constant__ picture_layer layer, light_grid grid,
                                     float2 *light)
{
    const uint32_t column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column < grid.width)
        picture_light(&layer, &grid, column, row,
                      (float *)&light[(size_t)row * grid.width + column]);
}

/* Pixels from `low` to `high` metres, with one to spare. */
static void part_of(double low, double high, uint32_t size, double pitch, uint32_t *first,
                    uint32_t *count)
{
    const double a = floor(low / pitch + size / 2.0 - 0.5) - 1;
    const double b = ceil(high / pitch + size / 2.0 - 0.5) + 1;
    const double from = a > 0 ? a : 0, to = b < size - 1.0 ? b : size - 1.0;
    *first = (uint32_t)(from < size ? from : 0);
    *count = to >= from ? (uint32_t)(to - from) + 1 : 0;
}

static ro_status emit_scene(struct scene_cuda *d, const struct scene *s, int plane,
                            const struct light_grid *grid)
{
    struct part at;
    scene_extent(s, plane, at.low, at.above);
    part_of(at.low[0], at.above[0], grid->width, grid->pitch[0], &at.x, &at.wide);
    part_of(at.low[1], at.above[1], grid->height, grid->pitch[1], &at.y, &at.high);
    if (!at.wide || !at.high)
        return RO_OK;
    light_scene<<<dim3((at.wide + THREADS - 1) / THREADS, at.high), THREADS, 0, d->cuda->compute>>>(
        *s, plane, *grid, at, d->light);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status emit_picture(struct scene_cuda *d, const struct scene_cuda_pictures *pictures,
                              int number, const struct picture_layer *layer,
                              const struct light_grid *grid)
{
    const auto *from = &pictures->picture[number];
    struct picture_layer there = *layer;
    there.amplitude = from->image[0];
    there.depths = from->image[1];
    there.phases = from->image[2];
    there.amplitude_stride = there.depths_stride = there.phases_stride =
        (ptrdiff_t)from->width * (ptrdiff_t)sizeof(float);
    light_picture<<<dim3((grid->width + THREADS - 1) / THREADS, grid->height), THREADS, 0,
                    d->cuda->compute>>>(there, *grid, d->light);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

/* ---- Planes --------------------------------------------------------------------------------- */

static void scene_close(struct scene_cuda *d)
{
    if (!d)
        return;
    if (d->cuda)
        cuda_disown(d->cuda, d->light);
    free(d);
}

static ro_status open_light(struct scene_cuda *d)
{
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    RO_TRY(cuda_of(d->context, &d->cuda));
    RO_TRY(cuda_own(d->cuda, bytes, (void **)&d->light));
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->light, 0, bytes, d->cuda->compute));
    return RO_OK;
}

static ro_status scene_open_there(ro_context *context, uint32_t width, uint32_t height,
                                  struct scene_cuda **device)
{
    *device = NULL;
    struct scene_cuda *d = (struct scene_cuda *)calloc(1, sizeof *d);
    if (!d)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a scene");
    d->context = context;
    d->width = width;
    d->height = height;
    ro_status status = open_light(d);
    if (status == RO_OK)
        *device = d;
    else
        scene_close(d);
    return status;
}

static ro_status propagate(struct scene_cuda *d, struct propagate_cuda *light,
                           const struct propagate_filter *filter)
{
    RO_TRY(propagate_on_device(light, d->light, d->light, filter, false));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->cuda->compute));
    return RO_OK;
}

static bool reaches(const void *memory)
{
    struct cudaPointerAttributes of;
    const bool known = cudaPointerGetAttributes(&of, memory) == cudaSuccess;
    cudaGetLastError();
    return known && of.type != cudaMemoryTypeUnregistered;
}

static ro_status store(struct scene_cuda *d, const ro_field *field)
{
    const size_t row = (size_t)d->width * sizeof(float2);
    RO_CUDA_TRY(d->context, cudaMemcpy2DAsync(field->data, (size_t)field->stride, d->light, row,
                                              row, d->height, cudaMemcpyDefault, d->cuda->compute));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->cuda->compute));
    return RO_OK;
}

static ro_status send(struct scene_cuda *d, int turn, uint32_t first, uint32_t rows)
{
    const size_t row = (size_t)d->width * sizeof(float2);
    void *host;
    RO_TRY(cuda_reserve_pinned(d->cuda, RO_CUDA_LANES + turn, rows * row, &host));
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(host, d->light + (size_t)first * d->width, rows * row,
                                            cudaMemcpyDeviceToHost, d->cuda->copy_out));
    RO_CUDA_TRY(d->context, cudaEventRecord(d->cuda->fetched[turn], d->cuda->copy_out));
    return RO_OK;
}

static ro_status wait(struct scene_cuda *d, int turn, const float **rows)
{
    RO_CUDA_TRY(d->context, cudaEventSynchronize(d->cuda->fetched[turn]));
    *rows = (const float *)d->cuda->pinned[RO_CUDA_LANES + turn];
    return RO_OK;
}

/* ---- Pictures ------------------------------------------------------------------------------- */

/* Floats in an order of whole numbers. */
static __host__ __device__ __forceinline__ int ordered(int bits)
{
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

struct found {
    int low, high; /* ordered */
    unsigned long long place;
};

static __global__ void look_at(const float *image, size_t count, picture_range range,
                               struct found *found)
{
    int low = 0x7fffffff, high = -0x7fffffff - 1;
    unsigned long long place = ~0ull;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const float v = image[i];
        if (!picture_sample_is_good(&range, v)) {
            place = i < place ? i : place;
            continue;
        }
        const int at = ordered(__float_as_int(v));
        low = min(low, at);
        high = max(high, at);
    }
    atomicMin(&found->low, low);
    atomicMax(&found->high, high);
    if (place != ~0ull)
        atomicMin(&found->place, place);
}

static void close_pictures(struct scene_cuda_pictures *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->count && p->cuda; i++)
        for (float *image : p->picture[i].image)
            cuda_disown(p->cuda, image);
    if (p->cuda)
        cuda_disown(p->cuda, p->found);
    free(p->picture);
    free(p);
}

static ro_status open_picture(struct scene_cuda_pictures *p, int number,
                              const ro_scene_picture *from, bool phases)
{
    const ro_image *images[IMAGES] = {&from->amplitude, &from->depths, &from->phases};
    auto *to = &p->picture[number];
    to->width = from->amplitude.width;
    to->height = from->amplitude.height;
    const size_t row = (size_t)to->width * sizeof(float);
    for (int i = 0; i < (phases ? 3 : 2); i++) {
        if (!images[i]->data)
            continue;
        RO_TRY(cuda_own(p->cuda, row * to->height, (void **)&to->image[i]));
        RO_CUDA_TRY(p->context,
                    cudaMemcpy2DAsync(to->image[i], row, images[i]->data, (size_t)images[i]->stride,
                                      row, to->height, cudaMemcpyDefault, p->cuda->compute));
    }
    return RO_OK;
}

static ro_status open_all(struct scene_cuda_pictures *p, const ro_scene_picture *pictures,
                          bool phases)
{
    RO_TRY(cuda_of(p->context, &p->cuda));
    RO_TRY(cuda_own(p->cuda, sizeof(struct found), &p->found));
    for (int i = 0; i < p->count; i++)
        RO_TRY(open_picture(p, i, &pictures[i], phases));
    return RO_OK;
}

static ro_status open_pictures(ro_context *context, const ro_scene_picture *pictures, int count,
                               bool phases, struct scene_cuda_pictures **device)
{
    *device = NULL;
    struct scene_cuda_pictures *p = (struct scene_cuda_pictures *)calloc(1, sizeof *p);
    if (p)
        *(void **)&p->picture = calloc((size_t)count, sizeof *p->picture);
    if (!p || !p->picture) {
        free(p);
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the pictures");
    }
    p->context = context;
    p->count = count;
    ro_status status = open_all(p, pictures, phases);
    if (status == RO_OK)
        *device = p;
    else
        close_pictures(p);
    return status;
}

static float float_of(int at)
{
    const int bits = ordered(at);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static ro_status range_of(struct scene_cuda_pictures *p, int number, int which,
                          struct picture_range *range, float *value)
{
    const auto *picture = &p->picture[number];
    const size_t count = (size_t)picture->width * picture->height;
    const float *image = picture->image[which];
    struct found found = {0x7fffffff, -0x7fffffff - 1, ~0ull};
    cudaStream_t stream = p->cuda->compute;
    RO_CUDA_TRY(p->context,
                cudaMemcpyAsync(p->found, &found, sizeof found, cudaMemcpyDefault, stream));
    look_at<<<4 * p->cuda->processors, THREADS, 0, stream>>>(image, count, *range,
                                                             (struct found *)p->found);
    RO_CUDA_TRY(p->context, cudaGetLastError());
    RO_CUDA_TRY(p->context,
                cudaMemcpyAsync(&found, p->found, sizeof found, cudaMemcpyDefault, stream));
    RO_CUDA_TRY(p->context, cudaStreamSynchronize(stream));
    range->low = float_of(found.low);
    range->high = float_of(found.high);
    range->place = found.place;
    if (found.place != ~0ull) {
        RO_CUDA_TRY(p->context, cudaMemcpyAsync(value, image + found.place, sizeof *value,
                                                cudaMemcpyDefault, stream));
        RO_CUDA_TRY(p->context, cudaStreamSynchronize(stream));
    }
    return RO_OK;
}

static const struct scene_cuda_calls calls = {
    scene_open_there, scene_close, emit_scene, emit_picture, propagate,
    reaches,          store,       send,       wait,         open_pictures,
    close_pictures,   range_of,
};
const struct scene_cuda_calls *scene_on_cuda = &calls;
