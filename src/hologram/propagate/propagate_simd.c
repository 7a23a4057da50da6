/* SPDX-License-Identifier: MIT */
/* Propagation, lanes being rows or columns. H is the same at v and -v: half of it is computed. */
#include "simd/simd.h"

#include <string.h>

#include "fft/phasor_lanes.h"
#include "hologram/propagate/propagate_panel.h"

#if defined(RO_SIMD_AVX512)
RO_INLINE wide root(wide x) { return (wide)_mm512_sqrt_pd((__m512d)x); }
#elif defined(RO_SIMD_V128)
RO_INLINE wide root(wide x) { return (wide)v_sqrt_pd((v_f64)x); }
#else
RO_INLINE wide root(wide x) { return (wide)_mm256_sqrt_pd((__m256d)x); }
#endif

/* The factors of all lanes at frequency n down the column; *passes: which are not zero. */
RO_INLINE void factors(const struct propagate_filter *f, const wide across_u[2], whole inside,
                       double across_v, real *c, real *s, whole *passes)
{
    narrow angle[2];
    narrow_whole quarter[2], real_root[2];
    for (int i = 0; i < 2; i++) {
        const wide across = across_u[i] + across_v, rest = f->wave * f->wave - across;
        real_root[i] = __builtin_convertvector(rest > 0, narrow_whole);
        cut(f->whole - f->distance * (across / (root(rest) + f->wave)), &angle[i], &quarter[i]);
    }
    real a;
    whole q, root_exists;
    memcpy(&root_exists, real_root, sizeof root_exists);
    memcpy(&a, angle, sizeof a);
    memcpy(&q, quarter, sizeof q);
    phasors(a, q, c, s);
    *c *= f->scale;
    *s *= f->scale;
    *passes = inside & root_exists;
}

RO_INLINE void pass(real *x, real c, real s, whole passes)
{
    const real re = x[0] * c - x[1] * s, im = x[0] * s + x[1] * c;
    x[0] = (real)((whole)im & passes);
    x[1] = (real)((whole)re & passes);
}

static void filter_columns(float *panel, const struct propagate_filter *f, int a, int b, int x,
                           int w, int h)
{
    real *p = (real *)panel;
    wide across_u[2];
    whole inside;
    for (int l = 0; l < LANES; l++) {
        const int m = x + l < w ? propagate_number(x + l, a, w) : 0;
        const double u = m * f->step[0];
        across_u[l / HALF][l % HALF] = u * u;
        inside[l] = -propagate_passes(f, 0, m);
    }
    for (int i = 0; i < h; i++) {
        const int n = propagate_number(i, b, h), mirror = b ? h - 1 - i : (h - i) % h;
        const whole here = (whole){0} - propagate_passes(f, 1, n);
        const whole there = (whole){0} - propagate_passes(f, 1, propagate_number(mirror, b, h));
        const double v = n * f->step[1];
        real c = {0}, s = {0};
        whole passes = {0};
        if (mirror < i) /* done with it */
            continue;
        if (here[0] || there[0])
            factors(f, across_u, inside, v * v, &c, &s, &passes);
        pass(p + 2 * i, c, s, passes & here);
        if (mirror != i)
            pass(p + 2 * mirror, c, s, passes & there);
    }
}

const struct propagate_kernel RO_SIMD_NAME(propagate_kernel) = {&RO_SIMD_NAME(dft_kernel),
                                                                turn_panel,
                                                                turn_row,
                                                                add_row,
                                                                row_to_blocks,
                                                                blocks_to_row,
                                                                filter_columns};
