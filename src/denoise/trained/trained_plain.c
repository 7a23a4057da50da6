/* SPDX-License-Identifier: MIT */
/* The kernels of trained_rows.h in plain C, for processors without vectors, and the list of all. */
#include "denoise/trained/trained_loops.h"
#include "simd/variants.h"

static void gather(enum trained_layout layout, uint32_t width, int distance,
                   const void *const rows[TRAINED_SIDE], void *const lines[3])
{
    gather_rows(layout, width, distance, rows, lines);
}

/* Returns what an entry's taps make of an entry's pixels. */
static int32_t product(bool bytes, const void *entry, int64_t x, const int32_t *taps)
{
    if (bytes) {
        const uint8_t *v = (const uint8_t *)entry + 2 * x;
        const int8_t *tap = (const int8_t *)taps;
        return v[0] * tap[0] + v[1] * tap[1];
    }
    const int16_t *v = (const int16_t *)entry + 2 * x;
    const int16_t *tap = (const int16_t *)(const void *)taps;
    return v[0] * tap[0] + v[1] * tap[1];
}

static void forward(const struct trained_line *line, bool bytes, int group, int64_t x)
{
    uint8_t *quad = (uint8_t *)(line->quads[group] + x);
    for (int i = 0; i < 4; i++) {
        int32_t z = 0;
        for (int e = 0; e < line->entries; e++)
            z += product(bytes, line->entry[e], x,
                         line->forward + (group * line->entries + e) * 4 + i);
        const int32_t slope = line->slopes ? line->slopes[x] : line->slope;
        const int32_t narrow = trained_clamp(trained_round(z, line->narrow), -32768, 32767);
        const int32_t q = trained_clamp(trained_round(narrow * slope, 15), 1 - TRAINED_FLUXES,
                                        TRAINED_FLUXES - 1);
        const uint8_t *flux = line->flux + (group * 4 + i) * TRAINED_FLUXES;
        if (line->slopes) {
            const int32_t y = q < 0 ? 128 - flux[-q] : flux[q] - 128;
            int16_t *pair = (int16_t *)(line->quads[2 * group + i / 2] + x);
            pair[i % 2] = (int16_t)trained_round(y * line->spreads[x], TRAINED_SPREAD);
        } else {
            quad[i] = (uint8_t)(q < 0 ? -flux[-q] : flux[q]);
        }
    }
}

/* Adds the taps of a pair of filters to the sums. */
static void spread_pair(const struct trained_line *line, int pair)
{
    const int16_t *y = (const int16_t *)line->quads[pair];
    for (int a = 0; a < TRAINED_TAPS; a++) {
        const int16_t *tap = (const int16_t *)(const void *)(line->back + pair * TRAINED_TAPS + a);
        int32_t *sum =
            line->sum[a / TRAINED_SIDE] + (a % TRAINED_SIDE - TRAINED_SIDE / 2) * line->distance;
        for (int64_t x = 0; x < (int64_t)line->width; x++)
            sum[x] += tap[0] * y[2 * x] + tap[1] * y[2 * x + 1];
    }
}

static void uneven(const struct trained_line *line)
{
    for (int group = 0; group < line->groups; group++)
        for (int64_t x = 0; x < (int64_t)line->width; x++)
            forward(line, false, group, x);
    for (int pair = 0; pair < 2 * line->groups; pair++)
        spread_pair(line, pair);
}

static void run(const struct trained_line *line, bool bytes)
{
    const int64_t width = line->width;
    for (int group = 0; group < line->groups; group++) {
        for (int64_t x = 0; x < width; x++)
            forward(line, bytes, group, x);
        const uint8_t *quads = (const uint8_t *)line->quads[group];
        for (int a = 0; a < TRAINED_TAPS; a++) {
            const int8_t *tap = (const int8_t *)(line->back + group * TRAINED_TAPS + a);
            int32_t *sum = line->sum[a / TRAINED_SIDE] +
                           (a % TRAINED_SIDE - TRAINED_SIDE / 2) * line->distance;
            for (int64_t x = 0; x < width; x++)
                for (int i = 0; i < 4; i++)
                    sum[x] += tap[i] * (quads[4 * x + i] - 128);
        }
    }
}

static void words(const struct trained_line *line) { run(line, false); }
static void bytes(const struct trained_line *line) { run(line, true); }
static void move(const struct trained_move *work) { move_row(work); }

static const struct trained_kernel plain = {
    .cpu = RO_CPU_SCALAR,
    .name = "plain",
    .layout = TRAINED_PAIRS8,
    .gather = gather,
    .words = words,
    .bytes = bytes,
    .uneven = uneven,
    .move = move,
};

/* ---- All kernels ---------------------------------------------------------------------------- */

RO_VARIANTS_DECLARE(const struct trained_kernel, trained_kernel)
#if defined(RO_HAS_AVX512)
extern const struct trained_kernel
    trained_kernel_vnni; /* of AVX-512, for processors that have it */
static bool has_vnni(void)
{
    return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi");
}
#define KERNEL_VNNI [RO_CPUS] = &trained_kernel_vnni,
#else
static bool has_vnni(void) { return false; }
#define KERNEL_VNNI
#endif

static const struct trained_kernel *const kernels[RO_CPUS + 1] = {
    [RO_CPU_SCALAR] = &plain, RO_VARIANTS_OF(trained_kernel) KERNEL_VNNI};

const struct trained_kernel *trained_kernel_of(ro_cpu cpu)
{
    return kernels[cpu == RO_CPU_AVX512 && has_vnni() ? RO_CPUS : (int)cpu];
}

const struct trained_kernel *trained_kernel_at(int number)
{
    for (int i = 0; i <= RO_CPUS; i++)
        if (kernels[i] && kernels[i]->cpu <= cpu_best() && (i < RO_CPUS || has_vnni()) &&
            number-- == 0)
            return kernels[i];
    return NULL;
}
