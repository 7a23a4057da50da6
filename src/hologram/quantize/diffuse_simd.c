/* SPDX-License-Identifier: MIT */
/*
 * A band of rows as lanes (diffuse.h). The ring holds, for each of the last steps, its errors as
 * they are and moved down by each distance that a tap has, so that a tap is one aligned load, and
 * two multiplications of pairs: (e_re, e_im) by (w_re, -w_im) and by (w_im, w_re).
 */
#include "hologram/quantize/diffuse.h"
#include "simd/simd.h"
#include "simd/transpose.h"

#include <string.h>

enum { LANES = RO_VECTOR_BYTES / 4, VECTORS = BAND_ROWS / LANES };

typedef int32_t lanes __attribute__((vector_size(RO_VECTOR_BYTES)));
typedef float reals __attribute__((vector_size(RO_VECTOR_BYTES)));

RO_INLINE lanes all(int32_t v) { return (lanes){0} + v; }
RO_INLINE lanes load(const void *from) { return *(const lanes *)from; }
RO_INLINE void store(void *to, lanes v) { *(lanes *)to = v; }
RO_INLINE lanes choose(lanes mask, lanes a, lanes b) { return (mask & a) | (~mask & b); }

#if defined(RO_SIMD_AVX512)
RO_INLINE lanes madd(lanes a, lanes b) { return (lanes)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
RO_INLINE lanes smaller(lanes a, lanes b)
{
    return (lanes)_mm512_min_epi32((__m512i)a, (__m512i)b);
}
RO_INLINE lanes larger(lanes a, lanes b) { return (lanes)_mm512_max_epi32((__m512i)a, (__m512i)b); }
RO_INLINE lanes shifted(lanes a, int by)
{
    return (lanes)_mm512_sra_epi32((__m512i)a, _mm_cvtsi32_si128(by));
}
RO_INLINE lanes gather(const int *table, lanes at)
{
    return (lanes)_mm512_i32gather_epi32((__m512i)at, table, 4);
}
RO_INLINE reals real(lanes a) { return (reals)_mm512_cvtepi32_ps((__m512i)a); }
RO_INLINE lanes nearest_whole(reals a) { return (lanes)_mm512_cvtps_epi32((__m512)a); }
RO_INLINE reals reciprocal(reals a) { return (reals)_mm512_rcp14_ps((__m512)a); }
RO_INLINE lanes moved(lanes above, lanes here, lanes by)
{
    return (lanes)_mm512_permutex2var_epi32((__m512i)above, (__m512i)by, (__m512i)here);
}
RO_INLINE lanes load_carry(const uint32_t *from)
{
    return (lanes)_mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)from));
}
RO_INLINE void store_carry(uint32_t *to, lanes last)
{
    _mm256_storeu_si256((void *)to, _mm512_extracti64x4_epi64((__m512i)last, 1));
}
RO_INLINE void store_numbers(uint8_t *to, lanes numbers)
{
    _mm_storeu_si128((void *)to, _mm512_cvtepi32_epi8((__m512i)numbers));
}
/* Pixels to pairs; LANES / 2 of them. */
RO_INLINE void convert(uint32_t *to, const float *from, reals scale)
{
    const __m512 limit = _mm512_set1_ps(HOLOGRAM_LIMIT);
    __m512 t = _mm512_mul_ps(_mm512_loadu_ps(from), (__m512)scale);
    t = _mm512_max_ps(_mm512_min_ps(t, limit), _mm512_sub_ps(_mm512_setzero_ps(), limit));
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(t)));
}
#elif defined(RO_SIMD_V128)
RO_INLINE lanes madd(lanes a, lanes b) { return (lanes)v_madd_epi16((v_all)a, (v_all)b); }
RO_INLINE lanes smaller(lanes a, lanes b) { return (lanes)v_min_epi32((v_all)a, (v_all)b); }
RO_INLINE lanes larger(lanes a, lanes b) { return (lanes)v_max_epi32((v_all)a, (v_all)b); }
RO_INLINE lanes shifted(lanes a, int by) { return a >> by; }
RO_INLINE lanes gather(const int *table, lanes at)
{
    return (lanes)v_gather32(table, (v_all)at, 4);
}
RO_INLINE reals real(lanes a) { return __builtin_convertvector(a, reals); }
RO_INLINE lanes nearest_whole(reals a) { return (lanes)v_cvtps_epi32((v_f32)a); }
RO_INLINE reals reciprocal(reals a) { return 1 / a; }
RO_INLINE void store_numbers(uint8_t *to, lanes numbers)
{
    const v_all words = v_packs_epi32((v_all)numbers, (v_all)numbers);
    const v_all bytes = v_packus_epi16(words, words);
    memcpy(to, &bytes, 4);
}
RO_INLINE void convert(uint32_t *to, const float *from, reals scale)
{
    const v_f32 limit = v_set1_ps(HOLOGRAM_LIMIT);
    v_f32 t = (v_f32)v_load(from) * (v_f32)scale;
    t = v_max_ps(v_min_ps(t, limit), -limit);
    const v_all v = v_cvtps_epi32(t), words = v_packs_epi32(v, v);
    memcpy(to, &words, 8);
}
#else
RO_INLINE lanes madd(lanes a, lanes b) { return (lanes)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
RO_INLINE lanes smaller(lanes a, lanes b)
{
    return (lanes)_mm256_min_epi32((__m256i)a, (__m256i)b);
}
RO_INLINE lanes larger(lanes a, lanes b) { return (lanes)_mm256_max_epi32((__m256i)a, (__m256i)b); }
RO_INLINE lanes shifted(lanes a, int by)
{
    return (lanes)_mm256_sra_epi32((__m256i)a, _mm_cvtsi32_si128(by));
}
RO_INLINE lanes gather(const int *table, lanes at)
{
    return (lanes)_mm256_i32gather_epi32(table, (__m256i)at, 4);
}
RO_INLINE reals real(lanes a) { return (reals)_mm256_cvtepi32_ps((__m256i)a); }
RO_INLINE lanes nearest_whole(reals a) { return (lanes)_mm256_cvtps_epi32((__m256)a); }
RO_INLINE reals reciprocal(reals a) { return (reals)_mm256_rcp_ps((__m256)a); }
RO_INLINE lanes moved(lanes above, lanes here, lanes by) /* by: lane numbers, 8 more from `here` */
{
    __m256i a = _mm256_permutevar8x32_epi32((__m256i)above, (__m256i)by);
    __m256i b = _mm256_permutevar8x32_epi32((__m256i)here, (__m256i)by);
    return (lanes)_mm256_blendv_epi8(a, b, (__m256i)(by >= all(LANES)));
}
RO_INLINE lanes load_carry(const uint32_t *from)
{
    return (lanes)_mm256_loadu_si256((const void *)from);
}
RO_INLINE void store_carry(uint32_t *to, lanes last)
{
    _mm256_storeu_si256((void *)to, (__m256i)last);
}
RO_INLINE void store_numbers(uint8_t *to, lanes numbers)
{
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)numbers),
                                    _mm256_extracti128_si256((__m256i)numbers, 1));
    _mm_storel_epi64((void *)to, _mm_packus_epi16(words, words));
}
RO_INLINE void convert(uint32_t *to, const float *from, reals scale)
{
    const __m256 limit = _mm256_set1_ps(HOLOGRAM_LIMIT);
    __m256 t = _mm256_mul_ps(_mm256_loadu_ps(from), (__m256)scale);
    t = _mm256_max_ps(_mm256_min_ps(t, limit), _mm256_sub_ps(_mm256_setzero_ps(), limit));
    __m256i v = _mm256_cvtps_epi32(t);
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storeu_si128((void *)to, words);
}
#endif

RO_INLINE lanes low_half(lanes pairs) { return pairs << 16 >> 16; }
RO_INLINE lanes high_half(lanes pairs) { return pairs >> 16; }
RO_INLINE lanes pairs_of(lanes low, lanes high) { return (low & all(0xffff)) | high << 16; }
RO_INLINE lanes clamped(lanes v, int limit) { return larger(smaller(v, all(limit)), all(-limit)); }

/* ---- Pixels in, numbers out ----------------------------------------------------------------- */

/* The columns of row r in the chunk, as steps from t0: `first` up to, not including, `end`. */
RO_INLINE void columns_of(const struct band *band, int t0, int r, int *first, int *end)
{
    int lag = band->taps->p * r;
    *first = lag > t0 ? lag - t0 : 0;
    *end = band->width + lag - t0;
    *first = *first < BAND_CHUNK ? *first : BAND_CHUNK;
    *end = *end < *first ? *first : *end < BAND_CHUNK ? *end : BAND_CHUNK;
}

#if defined(RO_SIMD_V128)

/* Transposes eight rows of eight pairs, in four squares. */
RO_INLINE void turn_pairs(const uint32_t *from, size_t stride, uint32_t *to, size_t to_stride)
{
    for (size_t y = 0; y < 8; y += 4)
        for (size_t x = 0; x < 8; x += 4) {
            v_all square[4];
            for (size_t i = 0; i < 4; i++)
                square[i] = v_load(from + (y + i) * stride + x);
            transpose32(square);
            for (size_t i = 0; i < 4; i++)
                v_store(to + (x + i) * to_stride + y, square[i]);
        }
}

#else

/* Transposes eight rows of eight pairs. */
RO_INLINE void turn_pairs(const uint32_t *from, size_t stride, uint32_t *to, size_t to_stride)
{
    __m256i a[8], b[8], c[8];
    for (int i = 0; i < 8; i++)
        a[i] = _mm256_load_si256((const void *)(from + (size_t)i * stride));
    for (int i = 0; i < 8; i += 2) {
        b[i] = _mm256_unpacklo_epi32(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_epi32(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        c[i] = _mm256_unpacklo_epi64(b[i], b[i + 2]);
        c[i + 1] = _mm256_unpackhi_epi64(b[i], b[i + 2]);
        c[i + 2] = _mm256_unpacklo_epi64(b[i + 1], b[i + 3]);
        c[i + 3] = _mm256_unpackhi_epi64(b[i + 1], b[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_store_si256((void *)(to + (size_t)i * to_stride),
                           _mm256_permute2x128_si256(c[i], c[i + 4], 0x20));
        _mm256_store_si256((void *)(to + (size_t)(i + 4) * to_stride),
                           _mm256_permute2x128_si256(c[i], c[i + 4], 0x31));
    }
}

#endif

/* Transposes sixteen rows of sixteen bytes: the same shuffle of all of them, four times. */
RO_INLINE void turn_bytes(const uint8_t *from, size_t stride, uint8_t *to, size_t to_stride)
{
    v_all a[16], b[16];
    for (int i = 0; i < 16; i++)
        a[i] = v_load(from + (size_t)i * stride);
    RO_UNROLL
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++) {
            b[2 * i] = v_unpacklo_epi8(a[i], a[i + 8]);
            b[2 * i + 1] = v_unpackhi_epi8(a[i], a[i + 8]);
        }
        memcpy(a, b, sizeof a);
    }
    for (int i = 0; i < 16; i++)
        v_store(to + (size_t)i * to_stride, a[i]);
}

static void fill_pixels(const struct band *band, struct band_scratch *s, int t0)
{
    const reals scale = (reals){0} + band->scale;
    for (int r = 0; r < band->rows; r++) {
        int first, end, i;
        columns_of(band, t0, r, &first, &end);
        uint32_t *row = s->tile[r];
        const float *from =
            (const float *)((const char *)band->field + (ptrdiff_t)r * band->field_stride) +
            2 * (ptrdiff_t)(t0 - band->taps->p * r);
        for (i = first; i + LANES / 2 <= end; i += LANES / 2) {
            convert(row + i, from + 2 * i, scale);
            __builtin_prefetch(from + 2 * (i + BAND_CHUNK)); /* the next */
        }
        for (; i < end; i++)
            row[i] = ((uint32_t)hologram_fixed(from[2 * i], band->scale) & 0xffff) |
                     (uint32_t)hologram_fixed(from[2 * i + 1], band->scale) << 16;
        for (i = 0; i < BAND_CHUNK && band->levels->real; i++)
            row[i] &= 0xffff;
    }
    for (int r = 0; r < BAND_ROWS; r += 8)
        for (int i = 0; i < BAND_CHUNK; i += 8)
            turn_pairs(&s->tile[r][i], BAND_CHUNK, s->pixels + i * BAND_ROWS + r, BAND_ROWS);
}

static void put_numbers(const struct band *band, struct band_scratch *s, int t0)
{
    for (int r = 0; r < BAND_ROWS; r += 16)
        for (int i = 0; i < BAND_CHUNK; i += 16)
            turn_bytes(s->numbers + i * BAND_ROWS + r, BAND_ROWS, &s->byte_tile[r][i], BAND_CHUNK);
    for (int r = 0; r < band->rows; r++) {
        int first, end;
        columns_of(band, t0, r, &first, &end);
        uint8_t *to = band->out + (ptrdiff_t)r * band->out_stride + (t0 - band->taps->p * r);
        if (end - first == BAND_CHUNK)
            memcpy(to, s->byte_tile[r], BAND_CHUNK);
        else
            memcpy(to + first, s->byte_tile[r] + first, (size_t)(end - first));
    }
}

/* ---- The nearest level ---------------------------------------------------------------------- */

RO_INLINE lanes by_cells(const struct hologram_levels *levels, enum level_kind kind, lanes x,
                         lanes y, lanes pair, lanes *number)
{
    lanes cell;
    if (kind == LEVELS_RING) {
        reals fy = real(y);
        lanes size = larger(x, -x) + larger(y, -y);
        reals a = fy * reciprocal(real(larger(size, all(1))));
        reals d = (reals)choose(x >= 0, (lanes)(a + 1), (lanes)(3 - a));
        cell = nearest_whole(d * (LEVEL_CELLS / 4));
        pair = choose(pair == 0, all(1), pair);
    } else {
        cell = (x + LEVEL_CELLS / 2 * LINE_CELL) / LINE_CELL;
        cell = larger(smaller(cell, all(LEVEL_CELLS)), all(0));
    }
    const int *table = (const int *)levels->entry;
    cell *= 4;
    lanes last = gather(table + 3, cell);
    lanes up = madd(gather(table, cell), pair) >= high_half(last);
    *number = choose(up, last >> 8, last) & 255;
    return choose(up, gather(table + 2, cell), gather(table + 1, cell));
}

RO_INLINE lanes by_search(const struct hologram_levels *levels, lanes pair, lanes *number)
{
    lanes best = all(INT32_MIN), found = all(0);
    *number = all(0);
    for (int k = 0; k < levels->count; k++) {
        int x = levels->x[k], y = levels->y[k];
        lanes level = all((int32_t)(((uint32_t)x & 0xffff) | (uint32_t)y << 16));
        lanes score = 2 * madd(level, pair) - (x * x + y * y);
        lanes better = score > best;
        best = choose(better, score, best);
        found = choose(better, level, found);
        *number = choose(better, all(k), *number);
    }
    return found;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Keeps the errors of step t, as they are and moved down. */
RO_INLINE void keep_errors(const struct band *band, struct band_scratch *s, int t,
                           const lanes error[VECTORS])
{
    uint32_t *ring = s->ring + ((uint32_t)t * s->slot & s->mask);
    for (int v = 0; v < VECTORS; v++)
        store(ring + v * LANES, error[v]);
    const int above = t + band->taps->p * BAND_ROWS;
#if defined(RO_SIMD_V128) /* errors move down by more lanes than a vector has: through memory */
    _Alignas(64) uint32_t all[BAND_CARRY + BAND_ROWS];
    memcpy(all, band->carry + (size_t)above * BAND_CARRY, BAND_CARRY * sizeof *all);
    for (int v = 0; v < VECTORS; v++)
        store(all + BAND_CARRY + v * LANES, error[v]);
    for (int d = 0; d < s->used; d++) {
        const int dy = s->dy[d];
        for (int v = 0; v < VECTORS; v++)
            v_store(ring + dy * BAND_ROWS + v * LANES, v_load(all + BAND_CARRY + v * LANES - dy));
    }
#else
    const lanes top = load_carry(band->carry + (size_t)above * BAND_CARRY);
    for (int d = 0; d < s->used; d++) {
        const int dy = s->dy[d];
        const lanes move = load(s->moves[dy]);
        RO_UNROLL
        for (int v = 0; v < VECTORS; v++)
            store(ring + dy * BAND_ROWS + v * LANES, moved(v ? error[v - 1] : top, error[v], move));
    }
#endif
}

/* Before the first step only the rows above have errors: they are ahead. */
static void before_first(const struct band *band, struct band_scratch *s)
{
    const lanes none[VECTORS] = {{0}};
    for (int t = -band->taps->p * s->down; t < 0; t++)
        keep_errors(band, s, t, none);
}

RO_INLINE void run_steps(struct band *band, struct band_scratch *s, int t0, int count,
                         enum level_kind kind, int inside)
{
    const struct hologram_levels *levels = band->levels;
    const int taps = band->taps->count, p = band->taps->p, shift = band->taps->shift;
    const bool against_field = band->taps->against_field;
    const lanes half = all(shift ? 1 << (shift - 1) : 0);
    lanes clips = {0}, lag[VECTORS], exists[VECTORS];
    for (int v = 0; v < VECTORS; v++)
        for (int l = 0; l < LANES; l++) {
            lag[v][l] = p * (v * LANES + l);
            exists[v][l] = -(v * LANES + l < band->rows);
        }
    for (int i = 0; i < count; i++) {
        const int t = t0 + i;
        const uint32_t here = (uint32_t)t * s->slot;
        lanes re[VECTORS], im[VECTORS], error[VECTORS];
        for (int v = 0; v < VECTORS; v++)
            re[v] = im[v] = half;
        for (int k = 0; k < taps; k++) {
            const uint32_t *from = s->ring + ((here + s->place[k]) & s->mask);
            const lanes wr = all((int32_t)s->re[k]), wi = all((int32_t)s->im[k]);
            RO_UNROLL
            for (int v = 0; v < VECTORS; v++) {
                lanes e = load(from + v * LANES);
                re[v] += madd(e, wr);
                im[v] += madd(e, wi);
            }
        }
        RO_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            lanes g = load(s->pixels + i * BAND_ROWS + v * LANES), number;
            lanes x = clamped(low_half(g) + shifted(re[v], shift), HOLOGRAM_SUM);
            lanes y = clamped(high_half(g) + shifted(im[v], shift), HOLOGRAM_SUM);
            lanes pair = pairs_of(x, y);
            lanes level = kind == LEVELS_PLAIN ? by_search(levels, pair, &number)
                                               : by_cells(levels, kind, x, y, pair, &number);
            if (against_field) {
                x = low_half(g);
                y = high_half(g);
            }
            x -= low_half(level);
            y -= high_half(level);
            lanes ex = clamped(x, HOLOGRAM_LIMIT), ey = clamped(y, HOLOGRAM_LIMIT);
            lanes clipped = (ex != x) | (ey != y);
            error[v] = pairs_of(ex, ey);
            if (!inside) {
                lanes column = t - lag[v];
                lanes valid = (column >= 0) & (column < band->width) & exists[v];
                error[v] &= valid;
                clipped &= valid;
            }
            clips -= clipped;
            store_numbers(s->numbers + i * BAND_ROWS + v * LANES, number);
        }
        keep_errors(band, s, t, error);
#if defined(RO_SIMD_V128)
        memcpy(band->carry + (size_t)t * BAND_CARRY, &error[VECTORS - BAND_CARRY / LANES],
               BAND_CARRY * sizeof(uint32_t));
#else
        store_carry(band->carry + (size_t)t * BAND_CARRY, error[VECTORS - 1]);
#endif
    }
    for (int l = 0; l < LANES; l++)
        band->clips += (uint64_t)clips[l];
}

static void steps(struct band *band, struct band_scratch *s, int t0)
{
    const int p = band->taps->p, total = band_steps(band->width, p);
    const int count = total - t0 < BAND_CHUNK ? total - t0 : BAND_CHUNK;
    const int inside =
        band->rows == BAND_ROWS && t0 >= p * (BAND_ROWS - 1) && t0 + count <= band->width;
    if (t0 == 0)
        before_first(band, s);
    fill_pixels(band, s, t0);
    switch (band->levels->kind) {
    case LEVELS_RING:
        if (inside)
            run_steps(band, s, t0, count, LEVELS_RING, 1);
        else
            run_steps(band, s, t0, count, LEVELS_RING, 0);
        break;
    case LEVELS_LINE:
        run_steps(band, s, t0, count, LEVELS_LINE, inside);
        break;
    case LEVELS_PLAIN:
        run_steps(band, s, t0, count, LEVELS_PLAIN, inside);
        break;
    }
    put_numbers(band, s, t0);
}

static uint32_t power_above(int n)
{
    uint32_t power = 1;
    while (power <= (uint32_t)n)
        power *= 2;
    return power;
}

static void begin(const struct band *band, struct band_scratch *s)
{
    const struct hologram_taps *taps = band->taps;
    int oldest = 0, down = 0;
    for (int i = 0; i < taps->count; i++) {
        int age = taps->dx[i] + taps->p * taps->dy[i];
        oldest = age > oldest ? age : oldest;
        down = taps->dy[i] > down ? taps->dy[i] : down;
    }
    s->down = down;
    s->slot = power_above(down) * BAND_ROWS;
    s->mask = power_above(oldest) * s->slot - 1;
    memset(s->ring, 0, (s->mask + 1) * sizeof *s->ring);
    /* Lanes before the first and behind the last column round what the tile holds there. It is
     * thrown away, but tables are looked up with it: a pixel of an earlier chunk, or nothing. */
    memset(s->tile, 0, sizeof s->tile);
    s->used = 0;
    for (int dy = 1; dy <= down; dy++) {
        bool wanted = false;
        for (int i = 0; i < taps->count; i++)
            wanted |= taps->dy[i] == dy;
        if (wanted)
            s->dy[s->used++] = dy;
        for (int l = 0; l < LANES; l++)
            s->moves[dy][l] = (uint32_t)(LANES + l - dy);
    }
    for (int i = 0; i < taps->count; i++) {
        uint32_t re = (uint16_t)taps->re[i], im = (uint16_t)taps->im[i];
        s->re[i] = re | (uint32_t)(-taps->im[i]) << 16;
        s->im[i] = im | re << 16;
        s->place[i] = (uint32_t)(taps->dy[i] * BAND_ROWS) -
                      (uint32_t)(taps->dx[i] + taps->p * taps->dy[i]) * s->slot;
    }
}

const struct band_kernel RO_SIMD_NAME(band_kernel) = {RO_SIMD_CPU, begin, steps};
