// SPDX-License-Identifier: MIT
// Four pixels of a level set in the registers of a lane, and their next values: what the windows of
// levelset_lanes.cuh are made of. One struct a kind of numbers:
//
//   narrow_numbers   8 and 12 bits with a linear norm, two pixels a register
//   whole_numbers    integers of up to 16 bits with any norm, a pixel a register
//   real_numbers     floats with any norm
//
// All give the bits of levelset.h. Products of integers are floor((F N + 2^(k-1)) / 2^k), which is
// what the definition's rounding comes to for speeds of either sign, ties included:
// phi' = phi - floor((F N + 2^(k-1)) / 2^k). Nothing is clamped where the monotone bound holds and
// nothing but the result is rounded.
#ifndef RO_SEGMENT_LEVELSET_CUDA_LEVELSET_NUMBERS_CUH
#define RO_SEGMENT_LEVELSET_CUDA_LEVELSET_NUMBERS_CUH

#include <cstdint>
#include <cuda_runtime.h>

// What a step needs beside pixels.
struct lanes_rule {
    int a;          // of the norm; 0: Euclidean
    int shift;      // of speeds: whole numbers keep F 2^shift, shift = 32 - k
    float parts[2]; // a / 128 and the rest
    float low, high;
};

// ---- Memory ------------------------------------------------------------------------------------

// Four samples of 16 bits.
struct lanes_sixteen {
    typedef uint16_t sample;
    typedef uint2 four;
    static __device__ four join(const sample *v)
    {
        return make_uint2(v[0] | static_cast<unsigned>(v[1]) << 16,
                          v[2] | static_cast<unsigned>(v[3]) << 16);
    }
    static __device__ sample part(four v, int i)
    {
        return static_cast<sample>((i < 2 ? v.x : v.y) >> 16 * (i & 1));
    }
};

struct lanes_floats {
    typedef float sample;
    typedef float4 four;
    static __device__ four join(const sample *v) { return make_float4(v[0], v[1], v[2], v[3]); }
    static __device__ sample part(four v, int i)
    {
        return i < 2 ? (i ? v.y : v.x) : i == 2 ? v.z : v.w;
    }
};

// Bytes of two registers by their numbers; 8 more: the sign of that byte, eight times.
static __device__ __forceinline__ unsigned permute(unsigned low, unsigned high, unsigned numbers)
{
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(numbers));
    return result;
}

// ---- Two pixels a register ---------------------------------------------------------------------
//
// phi is counted from its least value, so that a pixel is 0 .. top; c = top - psi of a neighbour,
// psi being phi, or top - phi where the speed is negative. With q the four neighbours,
//
//     Y = max(psi + c, top) = X + top     X the difference against the motion
//     N = a sum(Y) + (128 - a) max(Y) - (128 + 3 a) top
//
// Speeds count in 1/2^11 of a pixel; of 8-bit numbers, in 1/2^8, they are taken eightfold. 2^30 is
// added before and 2^12 taken off after the shift, so that both pixels can be shifted at once.
template <unsigned top> struct narrow_numbers : lanes_sixteen {
    typedef uint2 pixels;
    typedef uint2 rates;
    static const unsigned low = (top + 1) / 2, lows = low | low << 16, tops = top | top << 16;

    static __device__ pixels load(four v)
    {
        return make_uint2((v.x & tops) ^ lows, (v.y & tops) ^ lows);
    }
    static __device__ four store(pixels p)
    {
        return make_uint2(__vsub2(p.x, lows), __vsub2(p.y, lows));
    }
    static __device__ rates load_rates(four v, const lanes_rule &)
    {
        if (top == 255)
            v = make_uint2((v.x & 0x1fff1fff) << 3, (v.y & 0x1fff1fff) << 3);
        return v;
    }
    static __device__ unsigned unlike(pixels a, pixels b) { return (a.x ^ b.x) | (a.y ^ b.y); }
    // A bit for each pixel, by its sign.
    static __device__ unsigned signs(pixels p)
    {
        const unsigned x = p.x / low & 0x10001u, y = p.y / low & 0x10001u;
        return (x | x >> 15 | y << 2 | y >> 13) & 15;
    }

    // p the pixels themselves, l and r those shifted by one, u and d the rows above and below.
    static __device__ __forceinline__ unsigned two(unsigned p, unsigned l, unsigned r, unsigned u,
                                                   unsigned d, unsigned f, unsigned weights,
                                                   unsigned offset)
    {
        const unsigned turn = permute(f, 0, 0xbb99); // all ones in the halves that are negative
        const unsigned psi = p ^ (turn & tops);
        const unsigned yl = __viaddmax_u16x2(psi, l ^ (~turn & tops), tops);
        const unsigned yr = __viaddmax_u16x2(psi, r ^ (~turn & tops), tops);
        const unsigned yu = __viaddmax_u16x2(psi, u ^ (~turn & tops), tops);
        const unsigned yd = __viaddmax_u16x2(psi, d ^ (~turn & tops), tops);
        const unsigned sum = yl + yr + yu + yd;
        const unsigned most = __vimax3_u16x2(yl, yr, __vmaxu2(yu, yd));
        const unsigned n0 = __dp2a_lo(permute(sum, most, 0x5410), weights, offset);
        const unsigned n1 = __dp2a_lo(permute(sum, most, 0x7632), weights, offset);
        const int f0 = static_cast<int>(permute(f, 0, 0x9910)), f1 = static_cast<int>(f) >> 16;
        const unsigned t0 = n0 * static_cast<unsigned>(f0) + ((1u << 30) + (1u << 17));
        const unsigned t1 = n1 * static_cast<unsigned>(f1) + ((1u << 30) + (1u << 17));
        const unsigned change = permute(t0, t1, 0x7632) >> 2 & 0x3fff3fff;
        return p + 0x10001000u - change;
    }

    static __device__ __forceinline__ pixels next(pixels here, pixels above, pixels below, rates f,
                                                  const lanes_rule &rule)
    {
        const unsigned a = rule.a, weights = a | (128 - a) << 8, offset = 0u - (128 + 3 * a) * top;
        const unsigned before = __shfl_up_sync(~0u, here.y, 1);
        const unsigned behind = __shfl_down_sync(~0u, here.x, 1);
        const unsigned middle = permute(here.x, here.y, 0x5432);
        return make_uint2(two(here.x, permute(before, here.x, 0x5432), middle, above.x, below.x,
                              f.x, weights, offset),
                          two(here.y, middle, permute(here.y, behind, 0x5432), above.y, below.y,
                              f.y, weights, offset));
    }
};

// ---- A pixel a register ------------------------------------------------------------------------

// The frame of both kinds: what is at the sides comes from the lanes beside.
template <typename N, typename V>
static __device__ __forceinline__ V next_four(V here, V above, V below, V f, const lanes_rule &rule)
{
    const auto before = __shfl_up_sync(~0u, here.w, 1);
    const auto behind = __shfl_down_sync(~0u, here.x, 1);
    V next;
    next.x = N::one(here.x, before, here.y, above.x, below.x, f.x, rule);
    next.y = N::one(here.y, here.x, here.z, above.y, below.y, f.y, rule);
    next.z = N::one(here.z, here.y, here.w, above.z, below.z, f.z, rule);
    next.w = N::one(here.w, here.z, behind, above.w, below.w, f.w, rule);
    return next;
}

// floor(128 sqrt(Q)), Q the sum of four squares of up to 16 bits. A float root r of a float sum is
// right within some units of its 24 bits; with the remainder 128^2 Q - r^2, of which 32 bits are
// enough, it is brought to at most one below, and a second remainder tells whether it is there.
// Numbers come as X + 2^23 in a float's bits: only 18 bits of their squares count, and those are
// the squares of X.
static __device__ __forceinline__ int whole_root(int l, int r, int u, int d)
{
    const float two23 = 8388608.0f, step_back = 1.0f / 4096;
    const unsigned squares = static_cast<unsigned>(l) * l + static_cast<unsigned>(r) * r +
                             static_cast<unsigned>(u) * u + static_cast<unsigned>(d) * d;
    const float fl = __int_as_float(l) - two23, fr = __int_as_float(r) - two23;
    const float fu = __int_as_float(u) - two23, fd = __int_as_float(d) - two23;
    const float sum =
        __fmaf_rn(fl, fl, __fmaf_rn(fr, fr, __fmaf_rn(fu, fu, __fmaf_rn(fd, fd, 1e-30f))));
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(sum));
    inverse = 128 * inverse;
    const int first = __float2int_rz(sum * inverse);
    const int rest = static_cast<int>((squares << 14) - static_cast<unsigned>(first) * first);
    const int root =
        first + __float2int_rd(__fmaf_rn(__int2float_rn(rest), inverse * 0x1p-15f, -step_back));
    const int left = static_cast<int>((squares << 14) - static_cast<unsigned>(root) * root);
    return root + (left > 2 * root);
}

template <bool euclid> struct whole_numbers : lanes_sixteen {
    typedef int4 pixels;
    typedef int4 rates;

    static __device__ int4 extended(four v, int shift)
    {
        return make_int4(static_cast<int>(v.x << 16) >> (16 - shift),
                         static_cast<int>(v.x & 0xffff0000) >> (16 - shift),
                         static_cast<int>(v.y << 16) >> (16 - shift),
                         static_cast<int>(v.y & 0xffff0000) >> (16 - shift));
    }
    static __device__ pixels load(four v) { return extended(v, 0); }
    static __device__ four store(pixels p)
    {
        return make_uint2(permute(p.x, p.y, 0x5410), permute(p.z, p.w, 0x5410));
    }
    // F 2^shift; 8-bit numbers are shifted by more than the 16 bits that are free
    static __device__ rates load_rates(four v, const lanes_rule &rule)
    {
        const int4 f = extended(v, 0);
        return make_int4(f.x * (1 << rule.shift), f.y * (1 << rule.shift), f.z * (1 << rule.shift),
                         f.w * (1 << rule.shift));
    }
    static __device__ unsigned unlike(pixels a, pixels b)
    {
        return (a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w);
    }
    static __device__ unsigned signs(pixels p)
    {
        return static_cast<unsigned>(p.x < 0) | static_cast<unsigned>(p.y < 0) << 1 |
               static_cast<unsigned>(p.z < 0) << 2 | static_cast<unsigned>(p.w < 0) << 3;
    }

    static __device__ __forceinline__ int one(int p, int l, int r, int u, int d, int f,
                                              const lanes_rule &rule)
    {
        const int zero = euclid ? 0x4b000000 : 0; // 2^23 as a float
        const int side = f >> 31 | 1, own = side * p + zero;
        const int xl = max(own - side * l, zero), xr = max(own - side * r, zero);
        const int xu = max(own - side * u, zero), xd = max(own - side * d, zero);
        int size;
        if (euclid) {
            size = whole_root(xl, xr, xu, xd);
        } else {
            const int most = max(max(xl, xr), max(xu, xd));
            size = rule.a * (xl + xr + xu + xd) + (128 - rule.a) * most;
        }
        const int64_t flux = static_cast<int64_t>(f) * size + (int64_t{1} << 31);
        return p - static_cast<int>(flux >> 32);
    }

    static __device__ __forceinline__ pixels next(pixels here, pixels above, pixels below, rates f,
                                                  const lanes_rule &rule)
    {
        return next_four<whole_numbers<euclid>>(here, above, below, f, rule);
    }
};

// No speed is a negative zero: its sign is that of its first bit.
template <bool euclid> struct real_numbers : lanes_floats {
    typedef float4 pixels;
    typedef float4 rates;

    static __device__ pixels load(four v) { return v; }
    static __device__ four store(pixels p) { return p; }
    static __device__ rates load_rates(four v, const lanes_rule &) { return v; }
    static __device__ unsigned unlike(pixels a, pixels b)
    {
        return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
    }
    static __device__ unsigned signs(pixels) { return 0; } // crossings of floats are not asked for

    // side (p - q), rounded once: the products are exact.
    static __device__ __forceinline__ float one(float p, float l, float r, float u, float d,
                                                float f, const lanes_rule &rule)
    {
        const float side = __uint_as_float((__float_as_uint(f) & 0x80000000) | 0x3f800000);
        const float own = side * p;
        const float xl = fmaxf(__fmaf_rn(-side, l, own), 0),
                    xr = fmaxf(__fmaf_rn(-side, r, own), 0);
        const float xu = fmaxf(__fmaf_rn(-side, u, own), 0),
                    xd = fmaxf(__fmaf_rn(-side, d, own), 0);
        float size;
        if (euclid) { // the root of nothing, which is frequent, would take the long way
            const float square = (xl * xl + xr * xr) + (xu * xu + xd * xd);
            size = square > 0 ? sqrtf(square > 0 ? square : 1) : 0;
        } else {
            size = rule.parts[0] * ((xl + xr) + (xu + xd)) +
                   rule.parts[1] * fmaxf(fmaxf(xl, xr), fmaxf(xu, xd));
        }
        return fminf(fmaxf(p - f * size, rule.low), rule.high);
    }

    static __device__ __forceinline__ pixels next(pixels here, pixels above, pixels below, rates f,
                                                  const lanes_rule &rule)
    {
        return next_four<real_numbers<euclid>>(here, above, below, f, rule);
    }
};

#endif
