/* SPDX-License-Identifier: MIT */
/* What a registration has on a device, and how its kernels of many passes are launched. */
#ifndef RO_REGISTER_CUDA_DEVICE_CUH
#define RO_REGISTER_CUDA_DEVICE_CUH

#include "register/cuda/descend.cuh"
#include "register/cuda/kernels.cuh"
#include "register/cuda/prepare.cuh"
#include "solver/multigrid/multigrid.cuh"

/* Of kernels of many passes: threads of a block, its shared memory beside what it asks for, and
 * blocks that are a cluster. */
enum { TEAM = 512, OWN_SHARED = 4 << 10, CLUSTER = 16 };

struct device {
    struct registration *flow;
    struct device_state *cuda;
    struct grid_cuda grids;
    float *base[2][RO_GRID_LEVELS], *u[2][RO_GRID_LEVELS];
    float *g[2], *d[2], *smooth[2], *normal[2], *balance[2];
    float *between[2];              /* of two smoothings along lines */
    float *keep[2][RO_GRID_LEVELS]; /* NULL: all counts */
    const float *image[2];
    float *tables;              /* of filters */
    struct tally *tally, *host; /* host: pinned */
    const struct scale_plan *scale;
    int level;
    struct descent_memory *descent, *found; /* found: pinned */
    struct team_grids team_grids;
    void *result; /* the field that stays */
};

/* Sums and steps of a scale. */
static size_t descent_bytes(const struct registration *flow)
{
    return sizeof(struct descent_memory) + flow->constants.updates * sizeof(struct descent_step);
}

static bool failed(struct device *device, cudaError_t error, const char *doing)
{
    struct registration *flow = device->flow;
    if (flow->status == RO_OK)
        flow->status = cuda_check(flow->context, error, doing);
    return flow->status != RO_OK;
}

static descent_rows rows_of(const struct device *device)
{
    const solver_grid &grid = device->grids.level[device->level];
    descent_rows rows = {};
    rows.width = grid.width;
    rows.height = grid.height;
    rows.stride = grid.stride;
    rows.moving = device->image[0] ? device->image[0] + RO_GRID_MARGIN : NULL;
    rows.end = device->flow->ends[device->level];
    rows.masked = device->flow->masked;
    const float *seen = device->keep[0][device->level], *kept = device->keep[1][device->level];
    rows.seen = seen ? seen + RO_GRID_MARGIN : NULL;
    rows.kept = kept ? kept + RO_GRID_MARGIN : NULL;
    rows.round = device->flow->round;
    return rows;
}

static arrays arrays_of(const struct device *device)
{
    const int l = device->level;
    return {device->u[0][l] + RO_GRID_MARGIN,
            device->u[1][l] + RO_GRID_MARGIN,
            device->d[0] + RO_GRID_MARGIN,
            device->d[1] + RO_GRID_MARGIN,
            device->image[1] ? device->image[1] + RO_GRID_MARGIN : NULL,
            device->g[0] + RO_GRID_MARGIN,
            device->g[1] + RO_GRID_MARGIN};
}

static dim3 blocks_of(const struct device *device, int planes)
{
    const solver_grid &grid = device->grids.level[device->level];
    return dim3((unsigned)(grid.width + 31) / 32,
                (unsigned)((grid.height + THREADS / 32 - 1) / (THREADS / 32)), (unsigned)planes);
}

/* ---- Kernels of many passes -------------------------------------------------------------------
 */

static line_planes planes_of(const struct device *device)
{
    const solver_grid &grid = device->grids.level[device->level];
    return plan_lines(grid.width, grid.height, grid.stride,
                      (size_t)device->cuda->shared - OWN_SHARED);
}

static long long pieces(int count, int size) { return (count + size - 1) / size; }

/* As many blocks as there is work for, one at most on each multiprocessor. */
static unsigned blocks_for(const struct device *device, int level)
{
    const solver_grid &grid = device->grids.level[level];
    const long long processors = device->cuda->processors, all = processors > 2 ? processors : 2;
    const long long rows = pieces(grid.width, 32) * grid.height / (TEAM / 32) + 1;
    long long tiles, work, most;
    if (device->flow->by_lines) {
        const long long along = pieces(grid.height, LINES), across = pieces(grid.width, LINES);
        tiles = 2 * (along > across ? along : across);
        most = tiles <= all / 2 ? all / 2 : all;
    } else {
        tiles = 2 * pieces(grid.width, FINE) * pieces(grid.height, FINE);
        most = tiles <= all ? all / 2 : all;
    }
    work = rows > tiles ? rows : tiles;
    return (unsigned)(work < most ? work : most < 2 ? 2 : most);
}

/* Whether a cluster, whose blocks meet in less time, has enough of them. */
static bool suits_a_cluster(const struct device *device)
{
    const solver_grid &grid = device->grids.level[device->level];
    const int longer = grid.width > grid.height ? grid.width : grid.height;
    return device->flow->by_lines && 2 * pieces(longer, LINES) <= CLUSTER;
}

/* Makes a launch one of a cluster, if the device has room for two of that size, and if the kernel's
 * code knows of clusters: code for older devices, which newer ones translate, meets as a grid. */
static bool made_a_cluster(const void *kernel, cudaLaunchConfig_t *config)
{
    enum { FIRST_CODE = 90 };
    cudaFuncAttributes code = {};
    cudaLaunchConfig_t clustered = *config;
    cudaLaunchAttribute how = {};
    int clusters = 0;
    how.id = cudaLaunchAttributeClusterDimension;
    how.val.clusterDim = {CLUSTER, 1, 1};
    clustered.gridDim = dim3(CLUSTER);
    clustered.attrs = &how;
    if (cudaFuncGetAttributes(&code, kernel) != cudaSuccess || code.ptxVersion < FIRST_CODE ||
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) !=
            cudaSuccess ||
        cudaOccupancyMaxActiveClusters(&clusters, kernel, &clustered) != cudaSuccess ||
        clusters < 2) {
        cudaGetLastError();
        return false;
    }
    config->gridDim = clustered.gridDim;
    *config->attrs = how;
    return true;
}

static cudaError_t launch(struct device *device, const void *kernel, void *job, size_t shared)
{
    void *arguments[] = {job};
    cudaLaunchAttribute how = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks_for(device, device->level));
    config.blockDim = dim3(TEAM);
    config.dynamicSmemBytes = shared;
    config.stream = device->grids.stream;
    config.attrs = &how;
    config.numAttrs = 1;
    if (!suits_a_cluster(device) || !made_a_cluster(kernel, &config)) {
        how.id = cudaLaunchAttributeCooperative;
        how.val.cooperative = 1;
    }
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

static bool launched(struct device *device, const void *kernel, void *job, size_t shared)
{
    device->grids.launches++;
    return !failed(device,
                   cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)shared),
                   "cudaFuncSetAttribute") &&
           !failed(device, launch(device, kernel, job, shared), "a kernel of registration");
}

/* ---- Smoothing: what its kernels are told, and the shared memory they need --------------------
 */

static size_t prepare_smoother(const struct device *device, by_cycles *smoother)
{
    const size_t at_most = 160 << 10;
    const size_t room = (size_t)device->cuda->shared - OWN_SHARED;
    const size_t most = room < at_most ? room : at_most; /* 60 KiB on devices of 7.5 */
    const int levels = device->flow->grids.levels;
    const solver_grid &last = device->grids.level[levels - 1];
    const size_t nx = (size_t)last.width, ny = (size_t)last.height;
    const size_t direct = 2 * nx * ny, kept = 2 * (nx * nx + ny * ny);
    const size_t tiles = TEAM / TILE_THREADS * TILE_FLOATS;
    team_shared *shared = &smoother->shared;
    smoother->level = device->level;
    smoother->grids = device->team_grids;
    shared->joins = levels > 1 && coarse_joins(device->grids.level[levels - 2], last) &&
                    (JOINED_FLOATS + KEPT_FLOATS) * sizeof(float) <= most;
    const size_t planes = shared->joins ? (size_t)JOINED_FLOATS : direct;
    const size_t floats = planes > tiles ? planes : tiles;
    shared->tile_floats = (int)((floats + 3) / 4 * 4);
    shared->keeps = (shared->tile_floats + kept) * sizeof(float) <= most;
    const size_t at_hand = shared->keeps ? kept : 0;
    return (shared->tile_floats + (shared->joins ? (size_t)KEPT_FLOATS : at_hand)) * sizeof(float);
}

static size_t prepare_smoother(const struct device *device, by_lines *smoother)
{
    smoother->planes = planes_of(device);
    smoother->between[0] = device->between[0];
    smoother->between[1] = device->between[1];
    return (size_t)smoother->planes.floats * sizeof(float);
}

static void prepare_filter(const struct device *device, const struct field_filter *from,
                           team_filter *to)
{
    for (int l = device->level; l < device->flow->grids.levels; l++)
        to->stencils[l] = from->stencils[l];
    to->inverse = device->tables + (from->inverse - device->flow->tables);
}

static line_chain chain_of(const struct device *device, line_chain chain)
{
    const float *const host = device->flow->tables;
    chain.r = device->tables + (chain.r - host);
    chain.q = device->tables + (chain.q - host);
    return chain;
}

static void prepare_filter(const struct device *device, const struct field_filter *from,
                           line_filter *to)
{
    to->along = chain_of(device, from->along);
    to->across = chain_of(device, from->across);
}

#endif
