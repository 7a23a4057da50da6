// SPDX-License-Identifier: MIT
// Every intrinsic function and PTX instruction that our kernels use, against a plain definition.
// The emulator runs this file; nvcc compiles it too, so that ./run gpu checks the definitions on a
// card. covered_test.py finds what the kernels use and this file lacks.
#include <cuda_runtime.h>

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, checks;

static void fail(const char *name, const char *what, unsigned long long got,
                 unsigned long long want, unsigned long long of)
{
    if (failures++ < 20)
        printf("FAIL %s: %s %#llx is %#llx, not %#llx\n", name, what, of, got, want);
}

static void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        printf("FAIL: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// ---- operations of one thread -------------------------------------------------------------------

struct sample {
    uint32_t a, b, c;
};
enum { SAMPLES = 20000 };

static __host__ __device__ float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
// All NaNs count as one, because their bits differ between processors.
static __host__ __device__ uint64_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return f != f ? 0x7fc00000 : bits;
}
static __host__ __device__ uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return d != d ? 0x7ff8000000000000 : bits;
}
static __host__ __device__ double as_double(uint32_t high, uint32_t low)
{
    const uint64_t bits = (uint64_t)high << 32 | low;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// An operation: what a device does with three words, and its definition.
#define OPERATION_WITHIN(NAME, ULPS, DEVICE, PLAIN)                                                \
    struct op_##NAME {                                                                             \
        static const char *name() { return #NAME; }                                                \
        static int ulps() { return ULPS; }                                                         \
        static __device__ uint64_t device(uint32_t a, uint32_t b, uint32_t c)                      \
        {                                                                                          \
            (void)a, (void)b, (void)c;                                                             \
            DEVICE                                                                                 \
        }                                                                                          \
        static uint64_t plain(uint32_t a, uint32_t b, uint32_t c)                                  \
        {                                                                                          \
            (void)a, (void)b, (void)c;                                                             \
            PLAIN                                                                                  \
        }                                                                                          \
    };
#define OPERATION(NAME, DEVICE, PLAIN) OPERATION_WITHIN(NAME, 0, return DEVICE;, return PLAIN;)
#define F(bits) as_float(bits)

OPERATION(float_as_uint, __float_as_uint(F(a)), a)
OPERATION(float_as_int, (uint32_t)__float_as_int(F(a)), a)
OPERATION(uint_as_float, bits_of(__uint_as_float(a)), bits_of(F(a)))
OPERATION(int_as_float, bits_of(__int_as_float((int)a)), bits_of(F(a)))
OPERATION(longlong_as_double, bits_of(__longlong_as_double((long long)((uint64_t)a << 32 | b))),
          bits_of(as_double(a, b)))
OPERATION(double_as_longlong, (uint64_t)__double_as_longlong((double)(int)a),
          bits_of((double)(int)a))

// Arithmetic in a mode of rounding, at run time.
static float rounded(int mode, char operation, uint32_t a, uint32_t b, uint32_t c)
{
    volatile float x = F(a), y = F(b), z = F(c), r;
    fesetround(mode);
    switch (operation) {
    case '*':
        r = x * y;
        break;
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
        break;
    case '/':
        r = x / y;
        break;
    case 'q':
        r = sqrtf(x);
        break;
    default:
        r = fmaf(x, y, z);
    }
    fesetround(FE_TONEAREST);
    return r;
}
#define ARITHMETIC(NAME, DEVICE, MODE, SIGN)                                                       \
    OPERATION(NAME, bits_of(DEVICE), bits_of(rounded(MODE, SIGN, a, b, c)))
ARITHMETIC(fmaf_rn, __fmaf_rn(F(a), F(b), F(c)), FE_TONEAREST, 'f')
ARITHMETIC(fmaf_rz, __fmaf_rz(F(a), F(b), F(c)), FE_TOWARDZERO, 'f')
ARITHMETIC(fmul_rn, __fmul_rn(F(a), F(b)), FE_TONEAREST, '*')
ARITHMETIC(fmul_rz, __fmul_rz(F(a), F(b)), FE_TOWARDZERO, '*')
ARITHMETIC(fadd_rn, __fadd_rn(F(a), F(b)), FE_TONEAREST, '+')
ARITHMETIC(fsub_rn, __fsub_rn(F(a), F(b)), FE_TONEAREST, '-')
ARITHMETIC(fdiv_rn, __fdiv_rn(F(a), F(b)), FE_TONEAREST, '/')
ARITHMETIC(fsqrt_rn, __fsqrt_rn(F(a)), FE_TONEAREST, 'q')
OPERATION(frcp_rn, bits_of(__frcp_rn(F(a))), bits_of((float)(1 / (long double)F(a))))
OPERATION(dadd_rn, bits_of(__dadd_rn(as_double(a, b), as_double(b, c))),
          bits_of(as_double(a, b) + as_double(b, c)))
OPERATION(dsub_rn, bits_of(__dsub_rn(as_double(a, b), as_double(b, c))),
          bits_of(as_double(a, b) - as_double(b, c)))

// Conversions: the nearest integer, even ones at ties, or the next one in a direction; bounds.
static int64_t integer(double v, char to, double low, double high, int64_t nan)
{
    if (v != v)
        return nan;
    double whole = to == 'z' ? (v < 0 ? ceil(v) : floor(v)) : floor(v);
    if (to == 'n' && (v - whole > 0.5 || (v - whole == 0.5 && fmod(whole, 2) != 0)))
        whole += 1;
    return whole < low ? (int64_t)low : whole > high ? (int64_t)high : (int64_t)whole;
}
#define INTEGER(v, to, nan) (uint32_t) integer(v, to, -2147483648.0, 2147483647.0, nan)
OPERATION(float2int_rn, (uint32_t)__float2int_rn(F(a)), INTEGER(F(a), 'n', 0))
OPERATION(float2int_rz, (uint32_t)__float2int_rz(F(a)), INTEGER(F(a), 'z', 0))
OPERATION(float2int_rd, (uint32_t)__float2int_rd(F(a)), INTEGER(F(a), 'd', 0))
OPERATION(float2uint_rn, __float2uint_rn(F(a)), (uint64_t)integer(F(a), 'n', 0, 4294967295.0, 0))
// Doubles near integers: a whole number and a fraction.
static __host__ __device__ double near_integer(uint32_t a, uint32_t b)
{
    return (double)(int)a + (double)(b >> 29) / 4 * 4294967296.0 * (double)(b >> 28 & 1) +
           (double)(b & 7) / 8;
}
OPERATION(double2int_rn, (uint32_t)__double2int_rn(near_integer(a, b)),
          INTEGER(near_integer(a, b), 'n', INT32_MIN))
OPERATION(double2uint_rn, __double2uint_rn(near_integer(a, b)),
          (uint64_t)integer(near_integer(a, b), 'n', 0, 4294967295.0, 0))
OPERATION(double2ull_rn, __double2ull_rn(near_integer(a, b)),
          (uint64_t)integer(near_integer(a, b), 'n', 0, 1e18, 0))
OPERATION(double2float_rn, bits_of(__double2float_rn(as_double(a, b))),
          bits_of((float)as_double(a, b)))
OPERATION(int2float_rn, bits_of(__int2float_rn((int)a)), bits_of((float)(double)(int)a))

static int bit(uint32_t v, int i) { return v >> i & 1; }
OPERATION_WITHIN(clz, 0, return (uint32_t)__clz((int)a);, {
    int n = 0;
    while (n < 32 && !bit(a, 31 - n))
        n++;
    return (uint64_t)n;
})
OPERATION_WITHIN(ffs, 0, return (uint32_t)__ffs((int)a);, {
    for (int i = 0; i < 32; i++)
        if (bit(a, i))
            return (uint64_t)i + 1;
    return 0;
})
OPERATION_WITHIN(popc, 0, return (uint32_t)__popc(a);, {
    int n = 0;
    for (int i = 0; i < 32; i++)
        n += bit(a, i);
    return (uint64_t)n;
})
OPERATION_WITHIN(brev, 0, return __brev(a);, {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r = r << 1 | (uint32_t)bit(a, i);
    return r;
})
OPERATION(umulhi, __umulhi(a, b), (uint32_t)((uint64_t)a *b >> 32))
OPERATION_WITHIN(funnelshift_r, 0, return __funnelshift_r(a, b, c);, {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) {
        const int from = i + (int)(c % 32);
        r |= (uint32_t)(from < 32 ? bit(a, from) : bit(b, from - 32)) << i;
    }
    return r;
})
OPERATION(min_int, (uint32_t)min((int)a, (int)b), (uint32_t)((int)a < (int)b ? a : b))
OPERATION(max_uint, max(a, b), a > b ? a : b)

// Bytes: digit i of the selector names one of eight bytes; with `sign`, bit 3 of it asks for its
// sign.
static uint64_t permute(uint32_t a, uint32_t b, uint32_t s, bool sign)
{
    uint8_t all[8];
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        all[i] = (uint8_t)(a >> 8 * i);
        all[4 + i] = (uint8_t)(b >> 8 * i);
    }
    for (int i = 0; i < 4; i++) {
        const unsigned digit = s >> 4 * i & 15;
        const uint8_t byte = all[digit % 8];
        r |= (uint32_t)(sign && digit >= 8 ? (byte >= 128 ? 255 : 0) : byte) << 8 * i;
    }
    return r;
}
OPERATION(byte_perm, __byte_perm(a, b, c), permute(a, b, c, false))
OPERATION_WITHIN(
    prmt_b32, 0,
    {
        uint32_t d;
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
        return d;
    },
    return permute(a, b, c, true);)
OPERATION_WITHIN(
    prmt_b32_constant, 0,
    {
        uint32_t d;
        asm("prmt.b32 %0, %1, 0, 0x00b9;" : "=r"(d) : "r"(a));
        return d;
    },
    return permute(a, 0, 0x00b9, true);)
OPERATION_WITHIN(
    shl_b32, 0,
    {
        uint32_t d;
        asm("shl.b32 %0, 1, %1;" : "=r"(d) : "r"(a % 40));
        return d;
    },
    return a % 40 < 32 ? 1u << a % 40 : 0;)
OPERATION_WITHIN(
    setp_ne_s32, 0,
    {
        uint32_t d = 7;
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t"
                     "@p prmt.b32 %0, %2, 0, 0x3210;\n\t}"
                     : "+r"(d)
                     : "r"((int)(a & 1)), "r"(b));
        return d;
    },
    return a & 1 ? b : 7;)

// Products of lanes, added to c.
static int64_t lane(uint32_t v, int bits, int i, bool is_signed)
{
    const int64_t raw = v >> bits * i & ((1u << bits) - 1);
    return is_signed && raw >> (bits - 1) ? raw - (1 << bits) : raw;
}
static uint64_t products(uint32_t a, uint32_t b, uint32_t c, int bits, int first, int count,
                         bool a_signed, bool b_signed)
{
    int64_t sum = c;
    for (int i = 0; i < count; i++)
        sum += lane(a, bits, i, a_signed) * lane(b, 8, first + i, b_signed);
    return (uint32_t)sum;
}
OPERATION(dp2a_lo, (uint32_t)__dp2a_lo((int)a, (int)b, (int)c), products(a, b, c, 16, 0, 2, 1, 1))
OPERATION(dp2a_lo_unsigned, __dp2a_lo(a, b, c), products(a, b, c, 16, 0, 2, 0, 0))
OPERATION(dp2a_hi, (uint32_t)__dp2a_hi((int)a, (int)b, (int)c), products(a, b, c, 16, 2, 2, 1, 1))
OPERATION(dp2a_hi_unsigned, __dp2a_hi(a, b, c), products(a, b, c, 16, 2, 2, 0, 0))
OPERATION(dp4a, (uint32_t)__dp4a((int)a, (int)b, (int)c), products(a, b, c, 8, 0, 4, 1, 1))
OPERATION(dp4a_unsigned, __dp4a(a, b, c), products(a, b, c, 8, 0, 4, 0, 0))
OPERATION_WITHIN(
    dp2a_lo_s32_u32, 0,
    {
        uint32_t d;
        asm("dp2a.lo.s32.u32 %0, %1, %2, 0;" : "=r"(d) : "r"((int)a), "r"(b));
        return d;
    },
    return products(a, b, 0, 16, 0, 2, 1, 0);)
OPERATION_WITHIN(
    dp2a_hi_s32_s32, 0,
    {
        uint32_t d;
        asm("dp2a.hi.s32.s32 %0, %1, %2, 0;" : "=r"(d) : "r"((int)a), "r"((int)b));
        return d;
    },
    return products(a, b, 0, 16, 2, 2, 1, 1);)

// Both halves of a word.
template <class F> static uint64_t both(bool is_signed, uint32_t a, uint32_t b, uint32_t c, F f)
{
    uint32_t r = 0;
    for (int i = 0; i < 2; i++)
        r |= (uint32_t)(uint16_t)f(lane(a, 16, i, is_signed), lane(b, 16, i, is_signed),
                                   lane(c, 16, i, is_signed))
             << 16 * i;
    return r;
}
#define HALVES(NAME, DEVICE, SIGNED, EXPRESSION)                                                   \
    OPERATION(NAME, DEVICE, both(SIGNED, a, b, c, [](int64_t x, int64_t y, int64_t z) {            \
                  (void)z;                                                                         \
                  return EXPRESSION;                                                               \
              }))
#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))
HALVES(vadd2, __vadd2(a, b), false, x + y)
HALVES(vsub2, __vsub2(a, b), false, x - y)
HALVES(vmins2, __vmins2(a, b), true, LESS(x, y))
HALVES(vmaxs2, __vmaxs2(a, b), true, MORE(x, y))
HALVES(vmaxu2, __vmaxu2(a, b), false, MORE(x, y))
HALVES(viaddmax_u16x2, __viaddmax_u16x2(a, b, c), false, MORE((x + y) % 65536, z))
HALVES(viaddmin_u16x2, __viaddmin_u16x2(a, b, c), false, LESS((x + y) % 65536, z))
HALVES(vimax3_u16x2, __vimax3_u16x2(a, b, c), false, MORE(MORE(x, y), z))
OPERATION(viaddmin_u32, __viaddmin_u32(a, b, c), LESS((uint32_t)(a + b), c))
OPERATION(vimin_s32_relu, (uint32_t)__vimin_s32_relu((int)a, (int)b),
          (uint32_t)MORE(LESS((int)a, (int)b), 0))

// Approximations; .ftz takes and gives 0 for subnormal numbers.
static float flush(float f) { return fabsf(f) < 1.17549435e-38f ? copysignf(0, f) : f; }
OPERATION_WITHIN(
    rcp_approx_f32, 1,
    {
        float d;
        asm("rcp.approx.f32 %0, %1;" : "=f"(d) : "f"(F(a)));
        return bits_of(d);
    },
    return bits_of((float)(1 / (long double)F(a)));)
OPERATION_WITHIN(
    rcp_approx_ftz_f32, 1,
    {
        float d;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(F(a)));
        return bits_of(d);
    },
    return bits_of(flush((float)(1 / (long double)flush(F(a)))));)
OPERATION_WITHIN(
    rsqrt_approx_ftz_f32, 2,
    {
        float d;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(F(a)));
        return bits_of(d);
    },
    return bits_of(flush((float)(1 / sqrtl((long double)flush(F(a))))));)

template <class O> __global__ void apply(const struct sample *in, uint64_t *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < SAMPLES)
        out[i] = O::device(in[i].a, in[i].b, in[i].c);
}

static struct sample *samples, *device_samples;
static uint64_t *results, *device_results;

template <class O> static void check_operation()
{
    apply<O><<<(SAMPLES + 255) / 256, 256>>>(device_samples, device_results);
    must(cudaGetLastError());
    must(cudaMemcpy(results, device_results, SAMPLES * sizeof *results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample s = samples[i];
        const uint64_t want = O::plain(s.a, s.b, s.c);
        const int64_t off = (int64_t)(results[i] - want);
        if (off < -O::ulps() || off > O::ulps())
            fail(O::name(), "of", results[i], want, (unsigned long long)s.a << 32 | s.b);
        checks++;
    }
}

// Numbers of all kinds: bounds, powers of two and their neighbours, floats of moderate size, any.
static uint32_t draw_word()
{
    static uint64_t state = 1;
    static const uint32_t special[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff,
                                       0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x4f800000,
                                       0x3effffff, 0x3f000000, 0x3fc00000, 0x40200000, 0x0000ffff};
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint32_t r = (uint32_t)(state >> 32), kind = (uint32_t)(state >> 20) % 8;
    if (kind == 0)
        return special[r % (sizeof special / sizeof *special)];
    if (kind == 1)
        return (1u << r % 32) + (r >> 8) % 3 - 1;
    if (kind < 5) // a float between 2^-16 and 2^34
        return (r & 0x807fffff) | (111 + (r >> 23) % 50) << 23;
    return r;
}

// ---- operations of a warp or a block ------------------------------------------------------------

// What lane i gets of a shuffle by n in parts of `width` lanes; the lane itself if there is none.
static int shuffled(char kind, int i, int n, int width)
{
    const int first = i / width * width;
    int from = kind == 'i' ? first + n % width : kind == 'u' ? i - n : kind == 'd' ? i + n : i ^ n;
    if (kind == 'x' ? from >= first + width : from < first || from >= first + width)
        from = i;
    return from;
}

enum { WARP_RESULTS = 9 };
__global__ void meet(uint32_t *out, int n, int width)
{
    const unsigned all = 0xffffffffu, lane = threadIdx.x, odd = lane & 1;
    uint32_t *mine = out + lane * WARP_RESULTS;
    mine[0] = (uint32_t)__shfl_sync(all, lane * 3, n, width);
    mine[1] = (uint32_t)__shfl_up_sync(all, lane * 3, (unsigned)n, width);
    mine[2] = (uint32_t)__shfl_down_sync(all, lane * 3, (unsigned)n, width);
    mine[3] = (uint32_t)__shfl_xor_sync(all, lane * 3, n, width);
    mine[4] = __ballot_sync(all, lane % 3 == 0);
    mine[5] = (uint32_t)(__any_sync(all, (int)lane == n) != 0);
    mine[6] = (uint32_t)(__all_sync(all, (int)lane != n) != 0);
    // Halves of the warp meet apart.
    mine[7] = odd ? __ballot_sync(0xaaaaaaaau, lane < 9) : __ballot_sync(0x55555555u, lane > 9);
    mine[8] = (uint32_t)(__shfl_down_sync(all, (unsigned long long)lane << 33, 1) >> 32);
    __syncwarp();
}

static void check_warp()
{
    static const char kinds[] = "iudx";
    uint32_t *device, host[32 * WARP_RESULTS];
    must(cudaMalloc(&device, sizeof host));
    for (int width = 1; width <= 32; width *= 2)
        for (int n = 0; n < 32; n++) {
            meet<<<1, 32>>>(device, n, width);
            must(cudaGetLastError());
            must(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
            for (int i = 0; i < 32; i++) {
                const uint32_t *got = host + i * WARP_RESULTS;
                uint32_t want[WARP_RESULTS] = {0, 0, 0, 0, 0x49249249, 1, 0, 0xaa & 0x1ff, 0};
                for (int k = 0; k < 4; k++)
                    want[k] = (uint32_t)shuffled(kinds[k], i, n, width) * 3;
                if (i % 2 == 0)
                    want[7] = 0x55555400;
                want[8] = 2 * (uint32_t)(i < 31 ? i + 1 : 31);
                for (int k = 0; k < WARP_RESULTS; k++, checks++)
                    if (got[k] != want[k])
                        fail("a warp", "result", got[k], want[k], (unsigned)k);
            }
        }
    must(cudaFree(device));
}

enum { THREADS = 96 };
__global__ void gather(uint32_t *out, unsigned *sums, const uint32_t *in)
{
    __shared__ __align__(16) uint32_t words[4 * THREADS];
    __shared__ uint32_t total[2];
    const unsigned t = threadIdx.x;
    const unsigned at = (unsigned)__cvta_generic_to_shared(words);
    if (t < 2)
        total[t] = 0;
    words[t] = t * t;
    __syncthreads();
    out[t] = words[THREADS - 1 - t];
    out[THREADS + t] = (uint32_t)__syncthreads_count(t % 5 == 0);
    out[2 * THREADS + t] = (uint32_t)(__syncthreads_or(t == 77) != 0);
    out[3 * THREADS + t] = (uint32_t)(__syncthreads_or(t == 777) != 0);
    // Two warps meet at barrier 1 without the third.
    if (t < 64) {
        atomicAdd(&total[0], t);
        asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(64) : "memory");
        out[4 * THREADS + t] = total[0];
    } else {
        out[4 * THREADS + t] = 64 * 63 / 2;
    }
    __syncthreads();
    // Copies of 16, 8 and 4 bytes, the last of few bytes; what is left is 0.
    if (t < 8) {
        const unsigned size = t < 4 ? 16 : t < 6 ? 8 : 4, bytes = t == 7 ? 1 : t == 3 ? 5 : size;
        if (size == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at + 16 * t),
                         "l"(in + 4 * t), "r"(bytes)
                         : "memory");
        else if (size == 8)
            asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(at + 16 * t),
                         "l"(in + 4 * t), "r"(bytes), "n"(8)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(at + 16 * t),
                         "l"(in + 4 * t), "r"(bytes), "n"(4)
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(0) : "memory");
        for (unsigned i = 0; i < size / 4; i++)
            out[5 * THREADS + 4 * t + i] = words[4 * t + i];
        for (unsigned i = size / 4; i < 4; i++)
            out[5 * THREADS + 4 * t + i] = 0;
    }
    atomicAdd(&sums[0], t);
    atomicMax(&sums[1], t * 7 % 31);
    atomicMin(&sums[2], t * 7 % 31 + 5);
    atomicOr(&sums[3], 1u << t % 20);
    atomicXor(&sums[4], 1u << t % 20);
    __threadfence();
    __threadfence_system();
    __nanosleep(1);
    if (t > THREADS)
        __trap();
}

static void check_block()
{
    enum { OUT = 6 * THREADS };
    uint32_t *device_out, *device_in, out[OUT], in[32];
    unsigned *device_sums, sums[5] = {0, 0, 99, 0, 0};
    for (int i = 0; i < 32; i++)
        in[i] = 0x01020304u * (unsigned)(i + 1);
    must(cudaMalloc(&device_out, sizeof out));
    must(cudaMalloc(&device_in, sizeof in));
    must(cudaMalloc(&device_sums, sizeof sums));
    must(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    must(cudaMemcpy(device_sums, sums, sizeof sums, cudaMemcpyHostToDevice));
    gather<<<1, THREADS>>>(device_out, device_sums, device_in);
    must(cudaGetLastError());
    must(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost));
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t want[] = {(THREADS - 1 - t) * (THREADS - 1 - t), 20, 1, 0, 64 * 63 / 2};
        for (int k = 0; k < 5; k++, checks++)
            if (out[k * THREADS + t] != want[k])
                fail("a block", "result", out[k * THREADS + t], want[k], (unsigned)k);
    }
    for (uint32_t t = 0; t < 8; t++) {
        const uint32_t size = t < 4 ? 16 : t < 6 ? 8 : 4, bytes = t == 7 ? 1 : t == 3 ? 5 : size;
        for (uint32_t i = 0; i < 16; i++, checks++) {
            const uint8_t want = i < bytes ? ((const uint8_t *)(in + 4 * t))[i] : 0;
            const uint8_t got = ((const uint8_t *)(out + 5 * THREADS + 4 * t))[i];
            if (got != want)
                fail("cp.async", "byte", got, want, 16 * t + i);
        }
    }
    uint32_t most = 0, least = 99, any = 0, parity = 0;
    for (uint32_t t = 0; t < THREADS; t++) {
        most = MORE(most, t * 7 % 31);
        least = LESS(least, t * 7 % 31 + 5);
        any |= 1u << t % 20;
        parity ^= 1u << t % 20;
    }
    const uint32_t want[] = {THREADS * (THREADS - 1) / 2, most, least, any, parity};
    for (int k = 0; k < 5; k++, checks++)
        if (sums[k] != want[k])
            fail("an atomic", "number", sums[k], want[k], (unsigned)k);
    must(cudaFree(device_out));
    must(cudaFree(device_in));
    must(cudaFree(device_sums));
}

// ---- loads and stores ---------------------------------------------------------------------------

// Every kind of store, then every kind of load of the same bytes, and loads that name a cache.
enum { WORDS = 64 };
__global__ void move(uint32_t *g, uint32_t *out)
{
    __shared__ __align__(16) uint32_t s[WORDS];
    const unsigned at = (unsigned)__cvta_generic_to_shared(s);
    const unsigned long long big = 0x1122334455667788ull, low = 0x99aabbccddeeff00ull;
    uint32_t a, b, c, d;
    int i, j, k, l;
    unsigned long long u;
    for (unsigned n = 0; n < WORDS; n++)
        s[n] = 0;
    for (int p = 0; p < 2; p++) { // predicates: the first time nothing is stored
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t@p st.relaxed.gpu.v2.u32 "
                     "[%0], {%1, %2};\n\t}" ::"l"(g),
                     "r"(1), "r"(2), "r"(p)
                     : "memory");
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t@p "
                     "st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};\n\t}" ::"l"(g + 4),
                     "l"(big), "l"(low), "r"(p)
                     : "memory");
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %5, 0;\n\t@p st.volatile.shared.v4.u32 "
                     "[%0], {%1, %2, %3, %4};\n\t}" ::"r"(at),
                     "r"(3), "r"(4), "r"(5), "r"(6), "r"(p)
                     : "memory");
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t@p st.volatile.shared.s32 "
                     "[%0], %1;\n\t}" ::"r"(at + 16),
                     "r"(-7), "r"(p)
                     : "memory");
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t@p st.relaxed.cta.shared.s32 "
                     "[%0], %1;\n\t}" ::"r"(at + 20),
                     "r"(-8), "r"(p)
                     : "memory");
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t@p "
                     "st.relaxed.cta.shared.v2.u64 [%0], {%1, %2};\n\t}" ::"r"(at + 32),
                     "l"(big), "l"(low), "r"(p)
                     : "memory");
        out[40 + p] = g[0] + s[0] + s[4] + s[5] + s[8] + g[4];
    }
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(g + 2), "r"(9), "r"(10)
                 : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(g + 8), "r"(11) : "memory");
    asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(at + 24), "l"(low) : "memory");
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + 48), "r"(12) : "memory");
    __stcg(g + 9, 13u);
    __stcs(g + 10, 14u);
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "l"(g)
                 : "memory");
    out[0] = a, out[1] = b;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(u) : "l"(g + 2) : "memory");
    out[2] = (uint32_t)u, out[3] = (uint32_t)(u >> 32);
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(u) : "l"(g + 4) : "memory");
    out[4] = (uint32_t)u, out[5] = (uint32_t)(u >> 32);
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(u) : "l"(g + 6) : "memory");
    out[6] = (uint32_t)u, out[7] = (uint32_t)(u >> 32);
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(a) : "l"(g + 8) : "memory");
    out[8] = a;
    out[9] = __ldg(g + 12); // only what was there before the launch may be read this way
    out[10] = __ldcg(g + 10) + __ldcs(g + 9);
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at)
                 : "memory");
    out[12] = a, out[13] = b, out[14] = c, out[15] = d;
    asm volatile("ld.relaxed.cta.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at)
                 : "memory");
    out[16] = a, out[17] = b, out[18] = c, out[19] = d;
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(i), "=r"(j), "=r"(k), "=r"(l)
                 : "r"(at + 16)
                 : "memory");
    out[20] = (uint32_t)i, out[21] = (uint32_t)j, out[22] = (uint32_t)k, out[23] = (uint32_t)l;
    asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];" : "=r"(i) : "r"(at + 16) : "memory");
    out[24] = (uint32_t)i;
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(u) : "r"(at + 32) : "memory");
    out[25] = (uint32_t)u, out[26] = (uint32_t)(u >> 32);
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(u) : "r"(at + 40) : "memory");
    out[27] = (uint32_t)u;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at + 48) : "memory");
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(i) : "r"(at + 20) : "memory");
    out[28] = a, out[29] = (uint32_t)i;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

static void check_memory()
{
    static const uint32_t want[42] = {1,
                                      2,
                                      9,
                                      10,
                                      0x55667788,
                                      0x11223344,
                                      0xddeeff00,
                                      0x99aabbcc,
                                      11,
                                      13,
                                      27,
                                      0,
                                      3,
                                      4,
                                      5,
                                      6,
                                      3,
                                      4,
                                      5,
                                      6,
                                      (uint32_t)-7,
                                      (uint32_t)-8,
                                      0xddeeff00,
                                      0x99aabbcc,
                                      (uint32_t)-7,
                                      0x55667788,
                                      0x11223344,
                                      0xddeeff00,
                                      12,
                                      (uint32_t)-8,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      2 * 0x55667788u - 11};
    uint32_t *g, *device, out[42];
    must(cudaMalloc(&g, WORDS * 4));
    must(cudaMalloc(&device, sizeof out));
    must(cudaMemset(g, 0, WORDS * 4));
    must(cudaMemset(device, 0, sizeof out));
    const uint32_t before = 13;
    must(cudaMemcpy(g + 12, &before, sizeof before, cudaMemcpyHostToDevice));
    move<<<1, 1>>>(g, device);
    must(cudaGetLastError());
    must(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 42; i++, checks++)
        if (out[i] != want[i])
            fail("a load or store", "number", out[i], want[i], i);
    must(cudaFree(g));
    must(cudaFree(device));
}

template <class... O> static void check_operations() { (check_operation<O>(), ...); }

int main()
{
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0));
    samples = (struct sample *)malloc(SAMPLES * sizeof *samples);
    results = (uint64_t *)malloc(SAMPLES * sizeof *results);
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = {draw_word(), draw_word(), draw_word()};
    must(cudaMalloc(&device_samples, SAMPLES * sizeof *samples));
    must(cudaMalloc(&device_results, SAMPLES * sizeof *results));
    must(cudaMemcpy(device_samples, samples, SAMPLES * sizeof *samples, cudaMemcpyHostToDevice));
    check_operations<
        op_float_as_uint, op_float_as_int, op_uint_as_float, op_int_as_float, op_longlong_as_double,
        op_double_as_longlong, op_fmaf_rn, op_fmaf_rz, op_fmul_rn, op_fmul_rz, op_fadd_rn,
        op_fsub_rn, op_fdiv_rn, op_fsqrt_rn, op_frcp_rn, op_dadd_rn, op_dsub_rn, op_float2int_rn,
        op_float2int_rz, op_float2int_rd, op_float2uint_rn, op_double2int_rn, op_double2uint_rn,
        op_double2ull_rn, op_double2float_rn, op_int2float_rn, op_clz, op_ffs, op_popc, op_brev,
        op_umulhi, op_funnelshift_r, op_min_int, op_max_uint, op_byte_perm, op_prmt_b32,
        op_prmt_b32_constant, op_shl_b32, op_setp_ne_s32, op_dp2a_lo, op_dp2a_lo_unsigned,
        op_dp2a_hi, op_dp2a_hi_unsigned, op_dp4a, op_dp4a_unsigned, op_dp2a_lo_s32_u32,
        op_dp2a_hi_s32_s32, op_vadd2, op_vsub2, op_vmins2, op_vmaxs2, op_vmaxu2, op_viaddmax_u16x2,
        op_viaddmin_u16x2, op_vimax3_u16x2, op_viaddmin_u32, op_vimin_s32_relu, op_rcp_approx_f32,
        op_rcp_approx_ftz_f32, op_rsqrt_approx_ftz_f32>();
    check_warp();
    check_block();
    check_memory();
    must(cudaFree(device_samples));
    must(cudaFree(device_results));
    free(samples);
    free(results);
    printf("%s: %d checks of intrinsics, %d failed\n", device.name, checks, failures);
    return failures != 0;
}
