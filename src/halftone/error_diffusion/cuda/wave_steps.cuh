/* SPDX-License-Identifier: MIT */
/*
 * The steps of the wave (wave.cu): a warp runs a band of 32 rows, a lane a row, group by group of
 * four quads.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_STEPS_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_STEPS_CUH

#include "halftone/error_diffusion/cuda/wave_quads.cuh"

template <int ID, int SAMPLE_BYTES> struct shared_memory {
    typedef typename depth<SAMPLE_BYTES>::pixels pixels;
    static constexpr int rows_down = kernel_of<ID>::rows_down;
    static constexpr int words = depth<SAMPLE_BYTES>::words;
    pixels staged[WARPS][LANES][GRANULES * 16 / sizeof(pixels)];
    unsigned long long ring[WARPS][rows_down][RING * words]; /* ring w is what warp w reads */
    volatile int consumed[WARPS + 1]; /* quads of ring w that its reader no longer needs */
    unsigned ticket;
};

/* Where one warp's band lies. */
struct band {
    unsigned char *out; /* the lane's row */
    bool row_exists;
    int quads; /* of a row */
};

/* Errors that a pixel may look back at: own[a] is a steps old, moved[d][a] is of the row d + 1
 * above and a steps old; moved[d][0] is made at the end of a step. */
template <int ID> struct history {
    static constexpr int own_length = kernel_of<ID>::own_reach + 1;
    static constexpr int length = kernel_of<ID>::oldest + 1;
    unsigned own[own_length < 2 ? 2 : own_length];
    unsigned moved[kernel_of<ID>::rows_down][length];
    unsigned rest; /* divisor * error + carry of the pixel to the left */
};

template <int ID, int I>
static __device__ __forceinline__ unsigned sum_of_taps(const history<ID> &h)
{
    if constexpr (I < kernel_of<ID>::count) {
        constexpr diffusion_tap tap = diffusion_kernels[ID].taps[I];
        constexpr unsigned weight = (unsigned)(tap.weight / kernel_of<ID>::factor);
        if constexpr (tap.dy == 0 && tap.dx == 1)
            return sum_of_taps<ID, I + 1>(h); /* the newest comes last */
        else if constexpr (tap.dy == 0)
            return weight * h.own[tap.dx] + sum_of_taps<ID, I + 1>(h);
        else
            return weight * h.moved[tap.dy - 1][tap.dx + 4 * tap.dy] + sum_of_taps<ID, I + 1>(h);
    } else {
        return 0;
    }
}

/*
 * One pixel: whether it is the upper level, its error, what is left. The chain from the pixel to
 * the left is kept short: with u = divisor * error + carry the sum is
 * t = early + u + (weight - divisor) * error, which is one addition beside a shift, one
 * multiplication and one minimum. What is known early is summed first; the empty assembly keeps the
 * compiler from summing in another order.
 */
template <int ID, int SAMPLE_BYTES, levels_form FORM>
static __device__ __forceinline__ unsigned round_pixel(const diffusion_launch &p, history<ID> &h,
                                                       unsigned sample, unsigned *error)
{
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    constexpr unsigned weight = (unsigned)kernel_of<ID>::next_weight;
    constexpr int top_bit = 8 * SAMPLE_BYTES - 1; /* of uneven steps: the longer one */
    unsigned early = sum_of_taps<ID, 0>(h), step = 0;
    if constexpr (FORM == UNEVEN) {
        early += (sample & ~(1u << top_bit)) * divisor;
        step = p.steps.gap_sum + (sample >> top_bit) * divisor;
    } else if constexpr (FORM == EVEN) {
        early += sample * divisor;
    } else if constexpr (SAMPLE_BYTES == 1 && divisor == 16) {
        early += sample; /* comes shifted */
    } else {
        early += sample * (16 * divisor);
    }
    if constexpr (kernel_of<ID>::weight_sum != (int)divisor)
        early += p.bias * (divisor - (unsigned)kernel_of<ID>::weight_sum);
    asm volatile("" : "+r"(early));
    unsigned t = early + h.rest;
    asm volatile("" : "+r"(t));
    t += (weight - divisor) * h.own[1];
    unsigned u, up;
    if constexpr (FORM == UNEVEN) {
        const bool reached = t >= max(p.steps.limit_sum, step);
        u = reached ? t - step : t;
        up = reached;
    } else {
        u = __viaddmin_u32(t, p.minus_white, t);
        up = (u - t) >> 31;
    }
    *error = u / divisor;
    h.rest = u;
    return up;
}

/* What a pixel outside the image leaves: no error, and the carry that a row starts with. */
template <int ID> static __device__ __forceinline__ unsigned empty_rest(const diffusion_launch &p)
{
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    return p.bias * divisor + divisor / 2;
}

/* Where a warp's last rows send their errors: the ring of the next warp, or lines in global memory;
 * line after line. */
struct outlet {
    unsigned long long *words;    /* NULL: nobody wants them */
    unsigned pitch;               /* of lines in global memory, in quads */
    const volatile int *consumed; /* of a ring */
};

/* Where a group of steps lies. */
enum place {
    INTERIOR, /* every lane's columns are inside the image */
    SIDES,    /* whole quads are inside or outside, for the width is a multiple of four */
    ANYWHERE,
};

/* Reads the quads of each line above that a group of steps takes in; false: not all are there. */
template <int ID, int WORDS, place PLACE>
static __device__ __forceinline__ bool
read_above(const unsigned long long (*ring)[RING * WORDS], int first, int quads, unsigned bias,
           quad_words<WORDS> (&above)[GROUP][kernel_of<ID>::rows_down])
{
    constexpr int rows_down = kernel_of<ID>::rows_down;
    bool there = true;
#pragma unroll
    for (int d = 0; d < rows_down; d++)
#pragma unroll
        for (int c = 0; c < GROUP; c++) {
            int quad = first + c + d + 1;
            above[c][d] = load_shared<WORDS>(&ring[d][ring_place(quad) * WORDS]);
            bool right = tagged(above[c][d], ring_tag(quad));
            if (PLACE != INTERIOR && (unsigned)quad >= (unsigned)quads) {
                unsigned zero[4] = {bias, bias, bias, bias};
                above[c][d] = pack(zero, 0, quad_words<WORDS>());
                right = true;
            }
            there &= right;
        }
    return there;
}

/*
 * GROUP quads of the warp's steps from `first` on; lane l works on quad `first` - l. The sides are
 * on the way of every band, and a band waits for the one above, so they must not be slow: left of
 * the image pixels are zeros, which make no error as long as none comes in, so that only what
 * leaves a quad outside has to be set right.
 */
template <int ID, int SAMPLE_BYTES, levels_form FORM, place PLACE>
static __device__ __forceinline__ void
run_group(const diffusion_launch &p, const band &b, history<ID> &h, int first, int lane,
          const typename depth<SAMPLE_BYTES>::pixels *staged,
          const unsigned long long (*ring)[RING * depth<SAMPLE_BYTES>::words], const outlet &out,
          unsigned &bits)
{
    constexpr int words = depth<SAMPLE_BYTES>::words;
    constexpr int rows_down = kernel_of<ID>::rows_down, length = history<ID>::length;
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    constexpr int mask = GRANULES * 16 / (int)sizeof(*staged) - 1;
    typename depth<SAMPLE_BYTES>::pixels pixels[GROUP];
#pragma unroll
    for (int c = 0; c < GROUP; c++)
        pixels[c] = staged[(first + c - lane) & mask];
    quad_words<words> above[GROUP][rows_down];
    SPIN_COUNT;
    for (int looks = 0; !read_above<ID, words, PLACE>(ring, first, b.quads, p.bias, above);
         looks++) {
        SPIN_CHECK;
        pause_after(looks);
    }
#pragma unroll
    for (int c = 0; c < GROUP; c++) {
        const int quad = first + c - lane;
        const bool inside = PLACE == INTERIOR || (unsigned)quad < (unsigned)b.quads;
        unsigned errors[4];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            unsigned value;
            if constexpr (FORM == FOLD && SAMPLE_BYTES == 1 && divisor == 16)
                value = __byte_perm(pixels[c], 0, 0x4404 | q << 4);
            else
                value = sample(pixels[c], q);
            unsigned error, level = round_pixel<ID, SAMPLE_BYTES, FORM>(p, h, value, &error);
            if (PLACE == SIDES) {
                error = inside ? error : p.bias;
                if (q == 3)
                    h.rest = inside ? h.rest : empty_rest<ID>(p);
            } else if (PLACE == ANYWHERE) {
                bool outside = (unsigned)(quad * 4 + q) >= (unsigned)p.width;
                error = outside ? p.bias : error;
                h.rest = outside ? empty_rest<ID>(p) : h.rest;
                level = outside ? 0 : level;
            }
            errors[q] = error;
            bits = bits << 1 | level;

#pragma unroll
            for (int a = history<ID>::own_length; a-- > 2;)
                h.own[a] = h.own[a - 1];
            h.own[1] = error;
#pragma unroll
            for (int d = 0; d < rows_down; d++) {
                unsigned moved = d == 0 ? error : h.moved[d - 1][1];
                moved = __shfl_up_sync(0xffffffff, moved, 1);
                unsigned inserted = unpack(above[c][d], q);
                moved = lane == 0 ? inserted : moved;
#pragma unroll
                for (int a = length; a-- > 2;)
                    h.moved[d][a] = h.moved[d][a - 1];
                h.moved[d][1] = moved;
            }
        }
        const int line = LANES - 1 - lane;
        const bool sends = line < rows_down && inside && out.words;
        const unsigned place = out.consumed ? (unsigned)(line * RING + ring_place(quad))
                                            : (unsigned)line * out.pitch + (unsigned)quad;
        const unsigned tag = out.consumed ? ring_tag(quad) : p.tag;
        store_quad(out.words + (size_t)place * words, pack(errors, tag, quad_words<words>()),
                   sends);
    }
}

template <int ID, int SAMPLE_BYTES, levels_form FORM>
static __device__ __forceinline__ void run_band(const diffusion_launch &p,
                                                const diffusion_images &images,
                                                shared_memory<ID, SAMPLE_BYTES> &s, int image,
                                                int row, int warp, int lane, const outlet &out)
{
    constexpr int rows_down = kernel_of<ID>::rows_down;
    band b;
    b.row_exists = row + lane < p.rows;
    b.out = images.out[image] + (size_t)(row + lane) * p.out_pitch;
    b.quads = (p.width + 3) / 4;
    history<ID> h;
    for (int i = 0; i < (int)(sizeof h.own / sizeof *h.own); i++)
        h.own[i] = p.bias;
    for (int d = 0; d < rows_down; d++)
        for (int i = 0; i < history<ID>::length; i++)
            h.moved[d][i] = p.bias;
    h.rest = empty_rest<ID>(p);
    unsigned bits = 0;

    /* Quads of a lane lie `lane` behind; its granules likewise, so that all are equally far ahead.
     * A granule is four quads of bytes, or two of words; `before` of them lie left of the image. */
    constexpr int per_granule = 4 / SAMPLE_BYTES, granules_a_chunk = CHUNK / per_granule;
    const int start = -CHUNK, row_bytes = b.row_exists ? p.width * SAMPLE_BYTES : 0;
    auto *staged = s.staged[warp][lane];
    const unsigned buffer = (unsigned)__cvta_generic_to_shared(staged);
    const int before = lane / per_granule - start / per_granule;
    pixel_stream stream;
    stream.row = images.in[image] + (size_t)(b.row_exists ? row + lane : 0) * p.in_pitch;
    stream.from = stream.row - 16 * before;
    stream.left = row_bytes + 16 * before;
    stream.slot = (unsigned)(-before * 16) & (GRANULES * 16 - 1);
#pragma unroll 1
    for (int g = 0; g < depth<SAMPLE_BYTES>::ahead; g += granules_a_chunk) {
        for (int i = 0; i < granules_a_chunk; i++)
            stage<GRANULES>(stream, buffer, row_bytes);
        copy_async_commit();
    }
    const int end = (b.quads + 7) / 8 * 8 + LANES - 1; /* until the last word of bits is whole */
    const bool quads_whole = p.width % 4 == 0;
    unsigned bits_before = 0;
#pragma unroll 1
    for (int step = start; step < end; step += CHUNK) {
        for (int i = 0; i < granules_a_chunk; i++)
            stage<GRANULES>(stream, buffer, row_bytes);
        copy_async_commit();
        copy_async_wait<depth<SAMPLE_BYTES>::ahead / granules_a_chunk>();
        /* Room in the ring below for what this turn makes. */
        if (out.consumed)
            wait_for(out.consumed, step + CHUNK - (LANES - 1) - (RING - 2 * rows_down - GROUP));
#pragma unroll 1
        for (int group = step; group < step + CHUNK; group += GROUP) {
            if (group >= LANES && (group + GROUP) * 4 <= p.width &&
                group + GROUP + rows_down < b.quads)
                run_group<ID, SAMPLE_BYTES, FORM, INTERIOR>(p, b, h, group, lane, staged,
                                                            s.ring[warp], out, bits);
            else if (quads_whole)
                run_group<ID, SAMPLE_BYTES, FORM, SIDES>(p, b, h, group, lane, staged, s.ring[warp],
                                                         out, bits);
            else
                run_group<ID, SAMPLE_BYTES, FORM, ANYWHERE>(p, b, h, group, lane, staged,
                                                            s.ring[warp], out, bits);
        }
        put_word(p, b.row_exists ? b.out : NULL, 4 * (step + CHUNK - lane), bits_before, bits);
        bits_before = bits;
        __syncwarp();
        if (lane == 0)
            s.consumed[warp] = step + CHUNK + 1;
    }
    copy_async_wait<0>();
}

#endif
