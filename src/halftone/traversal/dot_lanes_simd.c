/* SPDX-License-Identifier: MIT */
/* A class of dot diffusion in a row of tiles, compiled once per instruction set: see dot_lanes.h.
 */
#include "halftone/traversal/dot_lanes.h"
#include "simd/simd.h"

#include <math.h>
#include <string.h>

enum { LANES = RO_VECTOR_BYTES / 4 };

typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int32_t ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), aligned(4))) int32_t loose_ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) float floats;
typedef __attribute__((vector_size(LANES))) uint8_t few_bytes;
typedef __attribute__((vector_size(LANES), aligned(1))) uint8_t loose_few;

#if defined(RO_SIMD_AVX512)
RO_INLINE ints nearest(floats x) { return (ints)_mm512_cvtps_epi32((__m512)x); }
RO_INLINE floats fused(floats a, float b, float c)
{
    return (floats)_mm512_fmadd_ps((__m512)a, _mm512_set1_ps(b), _mm512_set1_ps(c));
}
#elif defined(RO_SIMD_V128)
RO_INLINE ints nearest(floats x) { return (ints)v_cvtps_epi32((v_f32)x); }
RO_INLINE floats fused(floats a, float b, float c)
{
    return (floats)v_fmadd_ps((v_f32)a, v_set1_ps(b), v_set1_ps(c));
}
#else
RO_INLINE ints nearest(floats x) { return (ints)_mm256_cvtps_epi32((__m256)x); }
RO_INLINE floats fused(floats a, float b, float c)
{
    return (floats)_mm256_fmadd_ps((__m256)a, _mm256_set1_ps(b), _mm256_set1_ps(c));
}
#endif

RO_INLINE void round_lanes(const struct dots_line *line, size_t i, int count)
{
    const ints v = *(const loose_ints *)(line->value + i), up = v > line->white / 2;
    const ints e = v - (up & line->white);
    const floats real = __builtin_convertvector(e, floats);
    ints left = e;
    RO_UNROLL
    for (int t = 0; t < count; t++) {
        loose_ints *to = (loose_ints *)(line->to[t] + i);
        const ints share =
            t == count - 1 ? left : nearest(fused(real, line->share[t], line->quarter));
        *to += share;
        left -= share;
    }
    *(loose_few *)(line->bits + i) |= __builtin_convertvector(up, few_bytes) & line->bit;
}

static void round_place(const struct dots_line *line, size_t i)
{
    const int32_t v = line->value[i];
    const bool up = v > line->white / 2;
    const int32_t e = v - (up ? line->white : 0);
    int32_t left = e;
    for (int t = 0; t < line->count; t++) {
        const float real = fmaf((float)e, line->share[t], line->quarter);
        const int32_t share = t == line->count - 1 ? left : (int32_t)lrintf(real);
        line->to[t][i] += share;
        left -= share;
    }
    if (up)
        line->bits[i] |= line->bit;
}

/* The pointers of a line are known to be its own once they are copied. */
#define ROUND(count)                                                                               \
    case count: {                                                                                  \
        const struct dots_line own = *line;                                                        \
        for (; i + LANES <= last; i += LANES)                                                      \
            round_lanes(&own, i, count);                                                           \
        break;                                                                                     \
    }

static void round_places(const struct dots_line *line, size_t first, size_t last)
{
    size_t i = first;
    switch (line->count) {
        ROUND(0)
        ROUND(1)
        ROUND(2)
        ROUND(3)
        ROUND(4)
        ROUND(5)
        ROUND(6)
        ROUND(7)
        ROUND(8)
    }
    for (; i < last; i++)
        round_place(line, i);
}

static void load_tiles(const uint8_t *samples, size_t tiles, int32_t *const lines[DOTS_SIDE])
{
    for (int c = 0; c < DOTS_SIDE; c++) {
        int32_t *line = lines[c];
        for (size_t i = 0; i < tiles; i++) {
            uint64_t tile;
            memcpy(&tile, samples + DOTS_SIDE * i, sizeof tile);
            line[i] = (int32_t)(tile >> (8 * c) & 255) << 4;
        }
    }
}

const struct dots_lanes RO_SIMD_NAME(dots_lanes) = {round_places, load_tiles};
