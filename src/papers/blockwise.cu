/* SPDX-License-Identifier: MIT */
/*
 * BWED and BWEC of Kasagi, Nakano and Ito: parallelogram blocks of 32 x 32 pixels, a warp each; all
 * blocks of an anti-diagonal k = x + 3y run in one launch, and the end of a launch is the barrier.
 *
 *        u = 0  1  2  3  4 ...       row i of a block is shifted 2i to the left, so that
 *   row 0    #  #  #  #  #           the warp runs down its columns u: the neighbours of a pixel
 *   row 1  #  #  #  #  #             lie in columns u-1 (left, above right), u-2 and u-3
 *   row 2 #  #  #  #  #
 *
 * Between blocks errors pass through C, the row below the last blocks run in each column, and R,
 * the last three columns of the last block run in each row. The launches of an image are captured
 * into a graph once; launches to come load their pixels while the ones before still run.
 *
 * (The paper's text gives the shift as 3; its array of w + 3 columns and its dependencies, blocks
 * (y-1, x+1), (y-1, x+2) and (y, x-1), are those of 2.)
 */
#include "halftone/error_diffusion/cuda/wave.cuh"

#include <stdlib.h>
#include <string.h>

static const char errors_scratch = 0; /* key */

enum { SIDE = 32, SHIFT = 2, LEFT = 3 };

/* What passes between blocks: C, a line of errors, and for each row R, its last three, with its
 * carry. */
struct passing {
    int *line;
    int4 *rows;
};

/* Errors (BWEC) or sums (BWED), as in the paper's figure: LEFT columns of the block to the left,
 * and for sums the columns that belong to the next. */
struct tile {
    int cell[SIDE + 1][SIDE + 2 * LEFT];
    int sample[SIDE][SIDE + 1];
};

/* Loads the pixels of a block; columns outside the image are zeros. */
static __device__ void load_samples(const diffusion_launch &p, tile &t, int row, int x,
                                    int sample_bytes, int lane)
{
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        int column = x * SIDE - SHIFT * i + lane, value = 0;
        if (row + i < p.rows && column >= 0 && column < p.width) {
            const unsigned char *in = p.in + (size_t)(row + i) * p.in_pitch;
            value = sample_bytes == 1 ? in[column] : ((const unsigned short *)in)[column];
        }
        t.sample[i][lane] = value;
    }
}

/* Rounds a pixel of this lane's row; one outside the image makes no error. Two levels without a
 * branch: a lone warp pays for each. */
template <bool TWO>
static __device__ __forceinline__ int round_at(const diffusion_launch &p, int tone, int sum,
                                               bool inside, int &carry, int &level)
{
    const int t = sum + carry, v = tone + (t >> 4);
    int e;
    if (TWO) {
        const int white = (int)p.white;
        const bool lit = v > white / 2;
        e = lit ? v - white : v;
        level = lit & inside;
    } else {
        level = inside ? nearest_level(p, v) : 0;
        e = v - p.level[level];
    }
    carry = inside ? t & 15 : carry;
    return inside ? e : 0;
}

static __device__ void put_levels(const diffusion_launch &p, int row, int first, const int *levels)
{
    unsigned char *out = p.out + (size_t)row * p.out_pitch;
    for (int u = 0; u < SIDE; u++)
        if (first + u >= 0 && first + u < p.width)
            out[first + u] = (unsigned char)levels[u];
}

/* Bits go where two blocks may share a byte, one launch after the other. */
static __device__ void put_bits(const diffusion_launch &p, int row, int first, unsigned bits)
{
    unsigned char *out = p.out + (size_t)row * p.out_pitch;
    int bytes = (p.width + 7) / 8;
    if (p.words_out && bytes % 4 == 0) { /* two words, without waiting for what they were */
        int word = first >> 5, shift = first & 31;
        unsigned long long two = (unsigned long long)bits << 32 >> shift;
        unsigned parts[2] = {(unsigned)(two >> 32), (unsigned)two};
        for (int i = 0; i < 2; i++)
            if (parts[i] && word + i >= 0 && word + i < bytes / 4)
                atomicOr((unsigned *)out + word + i, __byte_perm(parts[i], 0, 0x0123));
        return;
    }
    /* 32 columns, the first at bit 31, spread over five bytes from the one that holds `first`. */
    int byte = first >> 3, shift = first & 7;
    unsigned long long wide = (unsigned long long)bits << 32 >> shift;
#pragma unroll
    for (int i = 0; i < 5; i++) {
        unsigned char value = (unsigned char)(wide >> (56 - 8 * i));
        if (value && byte + i >= 0 && byte + i < bytes)
            out[byte + i] |= value;
    }
}

/* A lane's row of a block: which it is, what came from the left, and what becomes of it. */
template <bool BITS> struct block_row {
    int row, first;              /* the column that the lane begins with */
    int tone[SIDE];              /* ready before the errors come */
    int left[LEFT], carry;       /* errors of the block to the left, newest last; then this one's */
    int levels[BITS ? 1 : SIDE]; /* the last one, or all of them */
    unsigned bits;

    __device__ __forceinline__ bool inside(const diffusion_launch &p, int u) const
    {
        return first + u >= 0 && first + u < p.width && row < p.rows;
    }

    __device__ __forceinline__ int round(const diffusion_launch &p, int u, int sum)
    {
        int &level = levels[BITS ? 0 : u];
        const int e = round_at<BITS>(p, tone[u], sum, inside(p, u), carry, level);
        bits = bits << 1 | ((unsigned)level & 1);
        left[0] = left[1];
        left[1] = left[2];
        left[2] = e;
        return e;
    }
};

/* Collect: what lies above is read from the tile once and kept in registers. */
template <bool BITS>
static __device__ __forceinline__ void collect_errors(const diffusion_launch &p, tile &t,
                                                      block_row<BITS> &r, int lane)
{
    for (int c = 0; c < LEFT; c++)
        t.cell[lane + 1][c] = r.left[c];
    __syncwarp();
    int above_left = t.cell[lane][0], above = t.cell[lane][1], e = r.left[2];
    int line[SIDE]; /* what lane 0 has above to the right */
#pragma unroll
    for (int u = 0; u < SIDE; u++)
        line[u] = t.cell[0][u + LEFT - 1];
#pragma unroll
    for (int u = 0; u < SIDE; u++) {
        /* The error above right was made a step ago, by the lane above; lane 0 has it from C. */
        int above_right = __shfl_up_sync(0xffffffff, e, 1);
        above_right = lane == 0 ? line[u] : above_right;
        e = r.round(p, u, 7 * e + above_left + 5 * above + 3 * above_right);
        if (lane == SIDE - 1)
            t.cell[SIDE][u + LEFT] = e;
        above_left = above;
        above = above_right;
    }
    __syncwarp();
}

/* The errors from outside, scattered into the tile before the first pixel. */
template <bool BITS>
static __device__ __forceinline__ void scatter_outside(tile &t, const block_row<BITS> &r, int lane)
{
    int up[SIDE + LEFT];
    for (int c = 0; c < SIDE + LEFT && lane == 0; c++)
        up[c] = t.cell[0][c];
    __syncwarp();
    for (int c = 0; c < SIDE + 2 * LEFT; c++)
        t.cell[lane][c] = 0;
    __syncwarp();
    int upper[LEFT];
    for (int c = 0; c < LEFT; c++)
        upper[c] = __shfl_up_sync(0xffffffff, r.left[c], 1);
    if (lane == 0) {
        for (int u = 0; u < SIDE; u++)
            t.cell[0][LEFT + u] = up[u] + 5 * up[u + 1] + 3 * up[u + 2];
    } else {
        t.cell[lane][LEFT] = 3 * upper[2] + 5 * upper[1] + upper[0];
        t.cell[lane][LEFT + 1] = 5 * upper[2] + upper[1];
        t.cell[lane][LEFT + 2] = upper[2];
    }
    t.cell[lane][LEFT] += 7 * r.left[2];
    __syncwarp();
}

/* Diffuse: each error goes into the tile as it is made. */
template <bool BITS>
static __device__ __forceinline__ void diffuse_errors(const diffusion_launch &p, tile &t,
                                                      block_row<BITS> &r, int lane)
{
    scatter_outside(t, r, lane);
#pragma unroll
    for (int u = 0; u < SIDE; u++) {
        const int e = r.round(p, u, t.cell[lane][LEFT + u]);
        /* The pixel to the right is also the one below left of the row above: in turns. */
        t.cell[lane][LEFT + u + 1] += 7 * e;
        __syncwarp();
        if (lane + 1 < SIDE) {
            t.cell[lane + 1][LEFT + u + 1] += 3 * e;
            t.cell[lane + 1][LEFT + u + 2] += 5 * e;
            t.cell[lane + 1][LEFT + u + 3] += e;
        }
        if (lane == SIDE - 1) /* the last row's errors go to C as they are */
            t.cell[SIDE][u + LEFT] = e;
        __syncwarp();
    }
}

template <bool SCATTER, bool BITS>
static __global__ void __launch_bounds__(32)
    blockwise(const __grid_constant__ diffusion_launch p, passing between, int sample_bytes, int k,
              int first_block)
{
    __shared__ tile t;
    const int lane = (int)threadIdx.x, y = first_block + (int)blockIdx.x, x = k - 3 * y;
    const int first_row = y * SIDE;
    block_row<BITS> r = {first_row + lane, x * SIDE - SHIFT * lane};
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    load_samples(p, t, first_row, x, sample_bytes, lane);
    __syncwarp();
#pragma unroll
    for (int u = 0; u < SIDE; u++)
        r.tone[u] = 16 * t.sample[lane][u];
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    /* The row above the block, in columns -1 .. 33 of it, and the three columns to its left. */
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int c = lane + i * 32, column = x * SIDE + c - 1;
        if (c < SIDE + LEFT)
            t.cell[0][c] = column >= 0 && column < p.width ? between.line[column] : 0;
    }
    r.carry = 8;
    if (r.row < p.rows && x > 0) {
        int4 kept = between.rows[r.row];
        r.left[0] = kept.x;
        r.left[1] = kept.y;
        r.left[2] = kept.z;
        r.carry = kept.w;
    }
    __syncwarp();
    if (SCATTER)
        diffuse_errors(p, t, r, lane);
    else
        collect_errors(p, t, r, lane);
    if (r.row < p.rows) {
        between.rows[r.row] = make_int4(r.left[0], r.left[1], r.left[2], r.carry);
        if (BITS)
            put_bits(p, r.row, r.first, r.bits);
        else
            put_levels(p, r.row, r.first, r.levels);
    }
    /* The last row of the block, or of the image's last, becomes the line above the next. */
    int bottom = min(SIDE, p.rows - first_row) - 1;
    int column = x * SIDE + lane - SHIFT * bottom;
    if (bottom == SIDE - 1 && column >= 0 && column < p.width)
        between.line[column] = t.cell[SIDE][lane + LEFT];
}

static __global__ void set_line(const __grid_constant__ diffusion_launch p, int *line)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < p.width)
        line[i] = p.above ? ((const int *)p.above)[i] : 0;
}

/* Puts every launch of the image on the stream. */
static ro_status enqueue(struct device_state *cuda, const diffusion_launch *p, passing between,
                         int sample_bytes, bool scatter, cudaStream_t stream, int *launches)
{
    ro_context *context = cuda->context;
    if (p->bits_out)
        RO_CUDA_TRY(context, cudaMemset2DAsync(p->out, p->out_pitch, 0, ((size_t)p->width + 7) / 8,
                                               (size_t)p->rows, stream));
    set_line<<<(p->width + 255) / 256, 256, 0, stream>>>(*p, between.line);
    int across = (p->width + SHIFT * (SIDE - 1) + SIDE - 1) / SIDE;
    int down = (p->rows + SIDE - 1) / SIDE;
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    auto *kernel = scatter ? (p->bits_out ? blockwise<true, true> : blockwise<true, false>)
                           : (p->bits_out ? blockwise<false, true> : blockwise<false, false>);
    *launches = across + 3 * (down - 1);
    for (int k = 0; k < *launches; k++) {
        int first = k < across ? 0 : (k - across) / 3 + 1;
        int last = k / 3 < down - 1 ? k / 3 : down - 1;
        if (last < first)
            continue;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3((unsigned)(last - first + 1));
        config.blockDim = dim3(32);
        config.stream = stream;
        config.attrs = &early;
        config.numAttrs = k > 0; /* the first must see the line and the cleared output */
        RO_CUDA_TRY(context,
                    cudaLaunchKernelEx(&config, kernel, *p, between, sample_bytes, k, first));
    }
    if (p->left_below)
        RO_CUDA_TRY(context,
                    cudaMemcpyAsync(p->left_below, between.line, (size_t)p->width * sizeof(int),
                                    cudaMemcpyDeviceToDevice, stream));
    return RO_OK;
}

/* A graph and what it was made for. */
struct blockwise_key {
    diffusion_launch launch;
    passing between;
    int sample_bytes, scatter;
};

ro_status blockwise_launch(struct device_state *cuda, struct diffusion_launch *p, int sample_bytes,
                           bool scatter, cudaStream_t stream, struct diffusion_cuda_count *count)
{
    ro_context *context = cuda->context;
    void *memory;
    size_t bytes = (size_t)p->rows * sizeof(int4) + (size_t)p->width * sizeof(int);
    RO_TRY(cuda_reserve(cuda, &errors_scratch, bytes, stream, &memory));
    struct blockwise_key key;
    memset(&key, 0, sizeof key);
    key.launch = *p;
    key.between.rows = (int4 *)memory;
    key.between.line = (int *)(key.between.rows + p->rows);
    key.sample_bytes = sample_bytes;
    key.scatter = scatter;
    if (!cuda->graph || cuda->graph_key_bytes != sizeof key ||
        memcmp(cuda->graph_key, &key, sizeof key) != 0) {
        cuda_drop_graph(cuda);
        cudaStream_t side;
        cudaGraph_t graph = NULL;
        RO_CUDA_TRY(context, cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
        ro_status status = cuda_check(
            context, cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal), "capture");
        if (status == RO_OK) {
            status =
                enqueue(cuda, p, key.between, sample_bytes, scatter, side, &cuda->graph_launches);
            cudaError_t ended = cudaStreamEndCapture(side, &graph);
            if (status == RO_OK)
                status = cuda_check(context, ended, "cudaStreamEndCapture");
        }
        if (status == RO_OK)
            status = cuda_check(context, cudaGraphInstantiate(&cuda->graph, graph, 0),
                                "cudaGraphInstantiate");
        if (graph)
            cudaGraphDestroy(graph);
        cudaStreamDestroy(side);
        if (status != RO_OK)
            return status;
        cuda->graph_key = malloc(sizeof key);
        cuda->graph_key_bytes = cuda->graph_key ? sizeof key : 0;
        if (cuda->graph_key)
            memcpy(cuda->graph_key, &key, sizeof key);
    }
    RO_CUDA_TRY(context, cudaGraphLaunch(cuda->graph, stream));
    count->launches += (uint64_t)cuda->graph_launches;
    count->steps += (uint64_t)cuda->graph_launches * SIDE;
    return RO_OK;
}
