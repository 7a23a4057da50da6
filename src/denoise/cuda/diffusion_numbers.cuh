/* SPDX-License-Identifier: MIT */
/*
 * Numbers on the device: how they are added, how a flux is rounded, and the weights of an element,
 * for integers (as denormalized floats), for s23e8 and for the smaller float formats. The bits are
 * those of diffusion.h and float_rows.h.
 */
#ifndef RO_DENOISE_CUDA_DIFFUSION_NUMBERS_CUH
#define RO_DENOISE_CUDA_DIFFUSION_NUMBERS_CUH

#include <stdint.h>

enum { LINEAR, TABLED, FALLING, DIRECTED }; /* by a table; Perona-Malik in floats; anisotropic */

/* What the weights of an element are made of. */
struct weights_of {
    float diagonal, side, two_sides; /* the linear model */
    const float *table;              /* see below; entries behind the end are 0 */
    int entries;
    uint32_t shift, cap, factor; /* place of a squared norm: min(norm >> shift, cap) factor >> 16 */
    float whole, scale;          /* of floats, as in struct float_weights */
    float least, most;           /* small floats: the smallest normal number and the largest, */
    uint32_t spare;              /* and the mantissa's missing bits, shifted to the exponent */
};

struct weights {
    float se, sw, e, s;
};

__device__ inline float masked(float value, uint32_t mask)
{
    return __uint_as_float(__float_as_uint(value) & mask);
}

/* ---- Integers ------------------------------------------------------------------------------ */

/*
 * Weights are w 2^-16. Half of one, rounded down, is found beside 128, where floats are 2^-16
 * apart. NEAREST: the flux is floor(|x| + 1/2) = floor((floor(2 |x|) + 1) / 2) with its sign.
 * WIDE: squared norms do not fit 31 bits.
 */
template <bool NEAREST, bool WIDE> struct whole_numbers {
    static constexpr bool REAL = false;
    const struct weights_of &of;

    __device__ explicit whole_numbers(const struct weights_of &weights) : of(weights) {}

    __device__ static float add(float a, float b) { return __fadd_rn(a, b); }
    __device__ static float subtract(float a, float b) { return __fsub_rn(a, b); }

    __device__ static float flux(float weight, float difference)
    {
        if (!NEAREST)
            return __fmul_rz(difference, weight);
        float twice = __fmul_rz(__fadd_rn(difference, difference), weight);
        float one = __uint_as_float((__float_as_uint(twice) & 0x80000000) | 1);
        return __fmul_rz(__fadd_rn(twice, one), 0.5f);
    }

    template <int C> __device__ uint32_t index_of(const float *p, const float *q) const
    {
        if (!WIDE) { /* the sign drops out of the square of all 32 bits */
            uint32_t norm = 0;
#pragma unroll
            for (int c = 0; c < C; c++) {
                uint32_t a = __float_as_uint(p[c]), b = __float_as_uint(q[c]);
                norm += a * a + b * b;
            }
            return min(norm >> of.shift, of.cap) * of.factor >> 16;
        }
        uint64_t norm = 0;
#pragma unroll
        for (int c = 0; c < C; c++) {
            uint64_t a = __float_as_uint(fabsf(p[c])), b = __float_as_uint(fabsf(q[c]));
            norm += a * a + b * b;
        }
        uint64_t scaled = norm >> of.shift;
        return (scaled < of.cap ? (uint32_t)scaled : of.cap) * of.factor >> 16;
    }

    /*
     * The direction. |gx| and |gy| are |p| + |q| and ||p| - |q||; the sign of the difference is
     * that of the sine, and p q < 0 turns the cosine. Both are shifted to 7 bits by a product that
     * rounds toward zero. Quotients of such small integers, with one correction by the remainder,
     * never round onto a multiple of 1/512 that they do not equal. Table entries are w/4.
     */
    template <int C>
    __device__ static struct weights directed(float entry, const float *p, const float *q)
    {
        const float up = 0x1p127f; /* n 2^-149 to n 2^-22 */
        float large[C], small[C], top = 0, square = 0, sine = 0, cosine = 0;
#pragma unroll
        for (int c = 0; c < C; c++) {
            large[c] = __fadd_rn(fabsf(p[c]), fabsf(q[c]));
            small[c] = __fsub_rn(fabsf(p[c]), fabsf(q[c]));
            top = fmaxf(top, large[c]);
        }
        int exponent = __float_as_int(__fmul_rn(top, up)) & 0x7f800000;
        float shift = __int_as_float(min(0x3f800000, (238 << 23) - exponent)); /* a power of 1/2 */
#pragma unroll
        for (int c = 0; c < C; c++) {
            float x = __fmul_rn(__fmul_rz(large[c], shift), up);
            float y = __fmul_rn(__fmul_rz(small[c], shift), up);
            float yy = __fmul_rn(y, y), difference = __fmaf_rn(x, x, -yy);
            uint32_t turned = (__float_as_uint(p[c]) ^ __float_as_uint(q[c])) & 0x80000000;
            difference = __uint_as_float(__float_as_uint(difference) ^ turned);
            square = C == 1 ? __fmaf_rn(x, x, yy) : __fadd_rn(square, __fmaf_rn(x, x, yy));
            cosine = C == 1 ? difference : __fadd_rn(cosine, difference);
            sine = C == 1 ? __fmul_rn(x, y) : __fmaf_rn(x, y, sine); /* half of it */
        }
        square = fmaxf(square, 0x1p-44f);
        float inverse;
        asm("rcp.approx.f32 %0, %1;" : "=f"(inverse) : "f"(square));
        sine = trunc_ratio(sine, square, inverse, 0x1p-140f);
        cosine = trunc_ratio(cosine, square, inverse, 0x1p-141f);
        const float one = 0x1p-14f, two = 0x1p-13f; /* 256 and 512 times 2^-22 */
        return {part(__fmaf_rn(sine, -up, two), entry), part(__fmaf_rn(sine, up, two), entry),
                part(__fmaf_rn(cosine, -up, one), entry), part(__fmaf_rn(cosine, up, one), entry)};
    }

    __device__ static float trunc_ratio(float value, float by, float inverse, float unit)
    {
        float quotient = __fmul_rn(value, inverse);
        quotient = __fmaf_rn(__fmaf_rn(-quotient, by, value), inverse, quotient);
        return __fmul_rz(quotient, unit);
    }

    /* floor(n w / 256) 2^-16 of n 2^-22 and w/4 */
    __device__ static float part(float factor, float entry)
    {
        return __fsub_rn(__fmaf_rz(factor, entry, 128.0f), 128.0f);
    }

    template <int MODEL, int C>
    __device__ struct weights element(const float *table, const float *p, const float *q,
                                      uint32_t mask) const
    {
        if (MODEL == LINEAR) {
            float diagonal = masked(of.diagonal, mask), side = masked(of.side, mask);
            return {diagonal, diagonal, side, side};
        }
        float entry = masked(table[index_of<C>(p, q)], mask);
        if (MODEL == DIRECTED)
            return directed<C>(entry, p, q);
        float half = part(0.5f, entry);
        return {entry, entry, half, half};
    }
};

/* ---- Floats -------------------------------------------------------------------------------- */

/* SMALL: every result is rounded to fewer bits, ties to even, and saturates. */
template <bool SMALL> struct real_numbers {
    static constexpr bool REAL = true;
    const struct weights_of &of;

    __device__ explicit real_numbers(const struct weights_of &weights) : of(weights) {}

    __device__ float r(float x) const
    {
        if (!SMALL || x == 0)
            return x;
        float size = fminf(fabsf(x), of.most);
        uint32_t exponent = __float_as_uint(fmaxf(size, of.least)) & 0x7f800000;
        float magic = __uint_as_float(exponent + of.spare);
        float rounded = __fsub_rn(__fadd_rn(size, magic), magic);
        return x < 0 && rounded > 0 ? -rounded : rounded;
    }

    __device__ float add(float a, float b) const { return r(__fadd_rn(a, b)); }
    __device__ float subtract(float a, float b) const { return r(__fsub_rn(a, b)); }
    __device__ float times(float a, float b) const { return r(__fmul_rn(a, b)); }
    __device__ float over(float a, float b) const { return r(__fdiv_rn(a, b)); }
    __device__ float flux(float weight, float difference) const
    {
        return times(weight, difference);
    }

    template <int MODEL, int C>
    __device__ struct weights element(const float *table, const float *p, const float *q,
                                      uint32_t mask) const
    {
        if (MODEL == LINEAR) {
            float diagonal = masked(of.diagonal, mask), side = masked(of.side, mask);
            return {diagonal, diagonal, side, side};
        }
        float norm = 0, sine = 0, cosine = 0, value;
#pragma unroll
        for (int c = 0; c < C; c++) {
            float pp = times(p[c], p[c]), qq = times(q[c], q[c]);
            norm = add(norm, add(pp, qq));
            if (MODEL == DIRECTED) {
                sine = add(sine, subtract(pp, qq));
                cosine = add(cosine, times(2, times(p[c], q[c])));
            }
        }
        float square = times(norm, of.scale);
        if (MODEL == TABLED) {
            float place = __fmul_rn(8, square);
            value = times(of.whole, table[place < of.entries - 1 ? (int)place : of.entries - 1]);
        } else {
            value = square < 64 ? over(of.whole, add(1, square)) : 0;
        }
        if (MODEL != DIRECTED) {
            value = masked(value, mask);
            float half = times(0.5f, value);
            return {value, value, half, half};
        }
        float by = norm > 0 ? norm : 1;
        sine = over(sine, by);
        cosine = over(cosine, by);
        return {masked(times(value, subtract(2, sine)), mask),
                masked(times(value, add(2, sine)), mask),
                masked(times(value, subtract(1, cosine)), mask),
                masked(times(value, add(1, cosine)), mask)};
    }
};

#endif
