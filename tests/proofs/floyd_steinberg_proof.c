/* SPDX-License-Identifier: MIT */
/*
 * sources: halftone/error_diffusion/diffusion_plan.c papers/sequential.c
 * options: --unwind 300 --no-standard-checks
 *
 * One step of Floyd-Steinberg in a 16-bit lane (wave_step.h) gives the level, the error and the
 * remainder of the scalar step, whatever the sample and the state, and leaves such a state behind.
 * Solvers are slow to see that sums in another order are equal, so this comes in parts:
 *
 *   sum_fits       the lane's sum of all four errors is the one in 32 bits: nothing wraps
 *   taps           each error alone goes in with the scalar weight; both sums being sums of
 * products by constants, any four errors do rounding       from every sum that there is (four equal
 * errors give them all) the same follows
 */
#include "halftone/error_diffusion/diffusion.h"
#include "proofs/proof.h"

/* ---- wave_step.h for one number ------------------------------------------------------------- */

enum { WAVE_CHUNK = 1, HISTORY = 48 };
#define RO_INLINE static inline
#define RO_UNROLL
#define LANE_BITS 16

static uint16_t minimum16(uint16_t a, uint16_t b) { return a < b ? a : b; }
static uint32_t minimum32(uint32_t a, uint32_t b) { return a < b ? a : b; }

#define SIZED(name) name##16
#define lane uint16_t
#define vector uint16_t
#include "halftone/error_diffusion/wave/wave_step.h"
#undef SIZED
#undef lane
#undef vector
#define SIZED(name) name##32
#define lane uint32_t
#define vector uint32_t
#include "halftone/error_diffusion/wave/wave_step.h"
#undef SIZED
#undef lane
#undef vector

/* ---- A step of both ------------------------------------------------------------------------- */

enum { LEFT, UPPER_LEFT, UPPER, UPPER_RIGHT, ERRORS, X = 1 };
static struct diffusion_plan plan;

static void make_plan(uint32_t width, uint32_t maxval)
{
    diffusion_plan_make(&plan, &(struct diffusion_request){
                                   .kernel = &diffusion_kernels[KERNEL_FLOYD_STEINBERG],
                                   .kernel_id = KERNEL_FLOYD_STEINBERG,
                                   .width = width,
                                   .maxval = maxval,
                                   .sample_bytes = 1,
                                   .levels = 2,
                                   .bits_out = true,
                               });
}

static bool is_error(int32_t e) { return e >= -plan.bias && e < plan.white - plan.bias; }

static int32_t any_error(void)
{
    int32_t e = nondet_int();
    assume(is_error(e));
    return e;
}

/* The sum before it is divided, of biased errors. */
#define SUM(type, width)                                                                           \
    static type sum_of_##width(const int32_t errors[ERRORS], type carry)                           \
    {                                                                                              \
        type history[2][HISTORY + WAVE_CHUNK] = {{0}};                                             \
        int next_weight;                                                                           \
        for (int dx = -1; dx <= 1; dx++)                                                           \
            history[1][HISTORY - dx - plan.skew] = (type)(errors[UPPER - dx] + plan.bias);         \
        type early =                                                                               \
            early_##width(0, &plan.kernel, 1, history, HISTORY, plan.skew, false, &next_weight);   \
        return sum_##width((type)(early + carry), (type)(errors[LEFT] + plan.bias), next_weight,   \
                           false);                                                                 \
    }
SUM(uint16_t, 16)
SUM(uint32_t, 32)

/* A row's first column would start with half a remainder: the step is that of the second. */
static void compare(const int32_t errors[ERRORS], uint8_t sample, uint8_t carried)
{
    int32_t lines[2][2 * DIFFUSION_PAD + X + 1] = {{0}};
    uint8_t in[X + 1] = {[X] = sample}, out[1] = {0};
    struct diffusion_row row = {.in = in, .out = out, .carry = carried};
    for (int dy = 0; dy < 2; dy++)
        row.line[dy] = lines[dy] + DIFFUSION_PAD;
    row.line[0][X - 1] = errors[LEFT];
    for (int dx = -1; dx <= 1; dx++)
        row.line[1][X + dx] = errors[UPPER + dx];
    diffusion_gather(&plan, &row, X, X + 1);

    const int divisor = plan.kernel.divisor;
    const struct divider_16 divider = divider_of_16((uint32_t)divisor, UINT64_MAX);
    const uint16_t t = sum_of_16(errors, carried), white = (uint16_t)plan.white;
    uint16_t carry;
    uint16_t y = (uint16_t)((sample << 4) + divide_16(t, divisor, divider, false, &carry));
    assert((y >= white) == (out[0] >> (7 - X) & 1));
    assert(fold_16(y, white) == row.line[0][X] + plan.bias);
    assert(carry == row.carry);
    assert(carry < divisor && is_error(row.line[0][X]));
}

/* ---- The proofs ----------------------------------------------------------------------------- */

void proof_sum_fits(void)
{
    const uint8_t carry = nondet_byte();
    int32_t errors[ERRORS];
    assume(carry < 16);
    make_plan(X + 1, 255);
    assert(plan.lane_bits == 16 && plan.fold);
    for (int i = 0; i < ERRORS; i++)
        errors[i] = any_error();
    assert(sum_of_16(errors, carry) == sum_of_32(errors, carry));
}

void proof_taps(void)
{
    make_plan(X + 1, 255);
    for (int i = 0; i < ERRORS; i++) {
        int32_t errors[ERRORS] = {0};
        errors[i] = any_error();
        compare(errors, 100, 5);
    }
}

void proof_rounding(void)
{
    const uint8_t sample = nondet_byte(), carry = nondet_byte();
    assume(carry < 16);
    make_plan(X + 1, 255);
    const int32_t e = any_error(), errors[ERRORS] = {e, e, e, e};
    compare(errors, sample, carry);
}
