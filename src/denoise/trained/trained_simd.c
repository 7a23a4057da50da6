/* SPDX-License-Identifier: MIT */
/*
 * The kernels of trained_rows.h in vectors. trained_line_body.h has them once; AVX-512 has them a
 * second time with the dot products of VNNI and the table of VBMI.
 */
#include "denoise/trained/trained_line_body.h"
#include "denoise/trained/trained_loops.h"

static void gather(enum trained_layout layout, uint32_t width, int distance,
                   const void *const rows[TRAINED_SIDE], void *const lines[3])
{
    gather_rows(layout, width, distance, rows, lines);
}

static void move(const struct trained_move *work) { move_row(work); }

const struct trained_kernel RO_SIMD_NAME(trained_kernel) = {
    .cpu = RO_SIMD_CPU,
    .name = RO_SIMD_SET,
    .layout = TRAINED_PAIRS8,
    .gather = gather,
    .words = words,
    .bytes = bytes,
    .uneven = uneven,
    .move = move,
};

#if defined(RO_SIMD_AVX512)

#define TARGET __attribute__((target("avx512vnni,avx512vbmi")))
#define NAME(name) name##_vnni
TARGET RO_INLINE vec dot_words_vnni(vec sum, vec a, vec b) { return V(dpwssd_epi32)(sum, a, b); }
TARGET RO_INLINE vec dot_bytes_vnni(vec sum, vec a, vec b) { return V(dpbusd_epi32)(sum, a, b); }
TARGET RO_INLINE vec look_up_vnni(const uint8_t *table, vec at)
{
    return V(permutex2var_epi8)(load(table), at, load(table + 64));
}
#define DOT_WORDS dot_words_vnni
#define DOT_BYTES dot_bytes_vnni
#define LOOK_UP look_up_vnni
#define BYTES_IN_PAIRS false
#include "denoise/trained/trained_line_body.h"

extern const struct trained_kernel trained_kernel_vnni;
const struct trained_kernel trained_kernel_vnni = {
    .cpu = RO_CPU_AVX512,
    .name = "avx512 with VNNI",
    .layout = TRAINED_QUADS8,
    .gather = gather,
    .words = words_vnni,
    .bytes = bytes_vnni,
    .uneven = uneven_vnni,
    .move = move,
};

#endif
