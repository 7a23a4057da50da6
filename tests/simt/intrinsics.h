/* SPDX-License-Identifier: MIT */
/* CUDA's vector types, built-in variables and intrinsic functions, as far as our kernels use them.
 */
#ifndef RO_SIMT_INTRINSICS_H
#define RO_SIMT_INTRINSICS_H

#include "simt.h"

#include <math.h>
#include <string.h>

/* ---- vectors and places --------------------------------------------------------------------- */

#define SIMT_VECTORS(T, NAME)                                                                      \
    struct alignas(2 * sizeof(T)) NAME##2 { T x, y; };                                             \
    static inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                              \
    struct alignas(16) NAME##4 { T x, y, z, w; };                                                  \
    static inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SIMT_VECTORS(float, float)
SIMT_VECTORS(int, int)
SIMT_VECTORS(unsigned, uint)
SIMT_VECTORS(unsigned long long, ulonglong)

/* ---- meetings ------------------------------------------------------------------------------- */

/* Two parameters that tell where a function is called. */
#define SIMT_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(SIMT_AT) { simt::meet_block(0, 0, 0, file, line); }
static inline int __syncthreads_count(int p, SIMT_AT)
{
    return (int)simt::meet_block(0, 0, p != 0, file, line);
}
static inline int __syncthreads_or(int p, SIMT_AT)
{
    return simt::meet_block(0, 0, p != 0, file, line) != 0;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_AT)
{
    simt::meet_warp(simt::SYNC, mask, 0, 0, 0, file, line);
}
static inline unsigned __ballot_sync(unsigned mask, int p, SIMT_AT)
{
    return (unsigned)simt::meet_warp(simt::BALLOT, mask, p != 0, 0, 0, file, line);
}
static inline int __any_sync(unsigned mask, int p, SIMT_AT)
{
    return simt::meet_warp(simt::BALLOT, mask, p != 0, 0, 0, file, line) != 0;
}
static inline int __all_sync(unsigned mask, int p, SIMT_AT)
{
    return simt::meet_warp(simt::BALLOT, mask, p == 0, 0, 0, file, line) == 0;
}
#define SIMT_SHUFFLE(NAME, KIND)                                                                   \
    template <class T>                                                                             \
    static inline T NAME(unsigned mask, T value, int parameter, int width = 32, SIMT_AT)           \
    {                                                                                              \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word or two");                          \
        uint64_t bits = 0;                                                                         \
        memcpy(&bits, &value, sizeof value);                                                       \
        bits = simt::meet_warp(simt::KIND, mask, bits, parameter, width, file, line);              \
        memcpy(&value, &bits, sizeof value);                                                       \
        return value;                                                                              \
    }
SIMT_SHUFFLE(__shfl_sync, SHUFFLE_INDEX)
SIMT_SHUFFLE(__shfl_up_sync, SHUFFLE_UP)
SIMT_SHUFFLE(__shfl_down_sync, SHUFFLE_DOWN)
SIMT_SHUFFLE(__shfl_xor_sync, SHUFFLE_XOR)

static inline void __nanosleep(unsigned) { simt::yield(); }
static inline void __trap(SIMT_AT) { simt::fail("__trap at %s:%d", file, line); }
static inline size_t __cvta_generic_to_shared(const void *p) { return simt::shared_address(p); }

#if defined(__SANITIZE_THREAD__) /* it does not know fences */
extern char simt_fence;
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
#endif
static inline void __threadfence()
{
#if defined(__SANITIZE_THREAD__)
    __tsan_release(&simt_fence);
    __tsan_acquire(&simt_fence);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    simt::may_yield();
}
static inline void __threadfence_system() { __threadfence(); }

/* ---- memory --------------------------------------------------------------------------------- */

namespace simt
{

/* Replaces the value at `at` by change(value) in one step. Returns the old value. */
template <class T, class F> static inline T replace(T *at, F change)
{
    may_yield();
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, (T)change(old), false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}

/* What (volatile T *) becomes: a pointer through which a thread polls. */
template <class T> struct polled {
    T *at;
    polled(const volatile void *p) : at((T *)p) {}
    operator volatile T *() const { return at; }
    struct cell {
        T *at;
        operator T() const
        {
            yield();
            return __atomic_load_n(at, __ATOMIC_RELAXED);
        }
        void operator=(T value)
        {
            may_yield();
            __atomic_store_n(at, value, __ATOMIC_RELAXED);
        }
    };
    cell operator*() const { return {at}; }
    cell operator[](size_t i) const { return {at + i}; }
};

} // namespace simt

template <class T, class V> static inline T atomicAdd(T *at, V v)
{
    return simt::replace(at, [=](T old) { return old + (T)v; });
}
template <class T, class V> static inline T atomicOr(T *at, V v)
{
    return simt::replace(at, [=](T old) { return old | (T)v; });
}
template <class T, class V> static inline T atomicXor(T *at, V v)
{
    return simt::replace(at, [=](T old) { return old ^ (T)v; });
}
template <class T, class V> static inline T atomicMax(T *at, V v)
{
    return simt::replace(at, [=](T old) { return old < (T)v ? (T)v : old; });
}
template <class T, class V> static inline T atomicMin(T *at, V v)
{
    return simt::replace(at, [=](T old) { return (T)v < old ? (T)v : old; });
}

template <class T> static inline T __ldg(const T *p) { return *p; }
template <class T> static inline T __ldcg(const T *p) { return *p; }
template <class T> static inline T __ldcs(const T *p) { return *p; }
template <class T> static inline void __stcg(T *p, T v) { *p = v; }
template <class T> static inline void __stcs(T *p, T v) { *p = v; }

namespace simt
{
template <class T, int ID> static inline T &shared_static()
{
    static char key;
    return *(T *)shared_array(&key, sizeof(T), alignof(T) > 16 ? alignof(T) : 16);
}
} // namespace simt

/* ---- numbers -------------------------------------------------------------------------------- */

#define SIMT_MIN_MAX(T)                                                                            \
    static inline T min(T a, T b) { return a < b ? a : b; }                                        \
    static inline T max(T a, T b) { return a > b ? a : b; }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
static inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
static inline float min(float a, float b) { return fminf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

namespace simt
{

template <class T, class F> static inline T bits_of(F from)
{
    static_assert(sizeof(T) == sizeof(F), "the same number of bits");
    T to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/* The half of a word that begins at a bit. */
static inline int s16(unsigned v, int bit) { return (int16_t)(v >> bit); }
static inline unsigned u16(unsigned v, int bit) { return (uint16_t)(v >> bit); }

/* Does one operation on both halves of a word. */
template <class F> static inline unsigned halves(F f)
{
    return (unsigned)(uint16_t)f(0) | (unsigned)(uint16_t)f(16) << 16;
}

/* Converts to an integer within bounds; what is not a number becomes `nan`. */
static inline int64_t clamped(double v, double low, double high, int64_t nan = 0)
{
    return v != v ? nan : v < low ? (int64_t)low : v > high ? (int64_t)high : (int64_t)v;
}
static inline int clamped_int(double v, int nan = 0)
{
    return (int)clamped(v, -2147483648.0, 2147483647.0, nan);
}

/* Rounds to a float, towards zero. */
static inline float truncated(double value)
{
    const float f = (float)value;
    const bool beyond = isfinite(f) ? fabs((double)f) > fabs(value) : isfinite(value);
    return beyond ? nextafterf(f, 0) : f;
}

/* Returns four bytes of a and b, chosen by the digits of s; with `sign`, the highest bit of a digit
 * asks for the byte's sign instead. */
static inline unsigned permuted(unsigned a, unsigned b, unsigned s, bool sign)
{
    const uint64_t all = (uint64_t)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned digit = s >> 4 * i & 15;
        unsigned byte = (unsigned)(all >> 8 * (digit & 7)) & 255;
        if (sign && digit & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * i;
    }
    return r;
}

} // namespace simt

static inline unsigned __float_as_uint(float f) { return simt::bits_of<unsigned>(f); }
static inline int __float_as_int(float f) { return simt::bits_of<int>(f); }
static inline float __uint_as_float(unsigned u) { return simt::bits_of<float>(u); }
static inline float __int_as_float(int i) { return simt::bits_of<float>(i); }
static inline double __longlong_as_double(long long i) { return simt::bits_of<double>(i); }
static inline long long __double_as_longlong(double d) { return simt::bits_of<long long>(d); }

static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1 / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline float __fmul_rz(float a, float b) { return simt::truncated((double)a * b); }
static inline float __fmaf_rz(float a, float b, float c)
{
    /* The product is exact in double. The sum is not, so it is first cut towards zero in double. */
    const double product = (double)a * b, sum = product + c;
    const double part = sum - product, lost = (product - (sum - part)) + (c - part);
    const bool beyond = isfinite(sum) && lost != 0 && (lost > 0) != (sum > 0);
    return simt::truncated(beyond ? nextafter(sum, 0) : sum);
}

static inline int __float2int_rn(float f) { return simt::clamped_int(rint(f)); }
static inline int __float2int_rz(float f) { return simt::clamped_int(trunc(f)); }
static inline int __float2int_rd(float f) { return simt::clamped_int(floor(f)); }
static inline unsigned __float2uint_rn(float f)
{
    return (unsigned)simt::clamped(rint(f), 0, 4294967295.0);
}
static inline int __double2int_rn(double d) { return simt::clamped_int(rint(d), INT32_MIN); }
static inline unsigned __double2uint_rn(double d)
{
    return (unsigned)simt::clamped(rint(d), 0, 4294967295.0);
}
static inline unsigned long long __double2ull_rn(double d)
{
    d = rint(d);
    return !(d > 0) ? 0 : d >= 18446744073709551616.0 ? ~0ull : (unsigned long long)d;
}
static inline float __double2float_rn(double d) { return (float)d; }
static inline float __int2float_rn(int i) { return (float)i; }

static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline unsigned __brev(unsigned v)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    return simt::permuted(a, b, s, false);
}

static inline int __dp2a_lo(int a, int b, int c)
{
    return (int)((unsigned)c + (unsigned)(simt::s16(a, 0) * (int8_t)b) +
                 (unsigned)(simt::s16(a, 16) * (int8_t)(b >> 8)));
}
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    return c + simt::u16(a, 0) * (b & 255) + simt::u16(a, 16) * (b >> 8 & 255);
}
static inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c)
{
    return __dp2a_lo(a, b >> 16, c);
}
static inline int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8)
        c = (int)((unsigned)c + (unsigned)((int8_t)(a >> i) * (int8_t)(b >> i)));
    return c;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}

#define SIMT_HALVES(NAME, EXPRESSION)                                                              \
    static inline unsigned NAME(unsigned a, unsigned b)                                            \
    {                                                                                              \
        return simt::halves([=](int i) { return EXPRESSION; });                                    \
    }
SIMT_HALVES(__vadd2, simt::u16(a, i) + simt::u16(b, i))
SIMT_HALVES(__vsub2, simt::u16(a, i) - simt::u16(b, i))
SIMT_HALVES(__vmins2, min(simt::s16(a, i), simt::s16(b, i)))
SIMT_HALVES(__vmaxs2, max(simt::s16(a, i), simt::s16(b, i)))
SIMT_HALVES(__vminu2, min(simt::u16(a, i), simt::u16(b, i)))
SIMT_HALVES(__vmaxu2, max(simt::u16(a, i), simt::u16(b, i)))
static inline unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxu2(__vadd2(a, b), c);
}
static inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vminu2(__vadd2(a, b), c);
}
static inline unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vmaxu2(__vmaxu2(a, b), c);
}
static inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
static inline int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }

#endif
