/* SPDX-License-Identifier: MIT */
/*
 * Palettes by a screen in blocks of 64 pixels: first the nodes of all, as numbers; then their
 * mixtures, four or eight at a time, which are loaded one by one (faster than to gather them) and
 * compared with the shares of the places. Pixels whose mixture is not made yet are left to the
 * definition; those that may have a colour of the palette are compared with all of its colours, if
 * samples have 8 bits, or left to the definition too. AVX-512 uses vectors of 32 bytes here,
 * because numbers are read back sooner from them than from longer ones.
 */
#include "core/random.h"
#include "halftone/palette/dither/screen.h"
#include "simd/simd.h"

#include <string.h>

/* Pixels at once. */
#if defined(RO_SIMD_V128)
enum { GROUP = 4 };
typedef v_all vec;
#define V(name) v_##name
#else
enum { GROUP = 8 };
typedef __m256i vec;
#define V(name) _mm256_##name
#endif

/* The places of a block. */
static const uint32_t *find_places(const struct palette_screen_plan *plan, uint32_t x, uint32_t y,
                                   uint32_t row, uint32_t own[MIX_BLOCK])
{
    if (!plan->by_hash)
        return plan->places + y % plan->screen.height * plan->pitch + x % plan->period;
    /* The rank is the hash's first 20 bits, of which the share is the first ten. */
    for (uint32_t i = 0; i < MIX_BLOCK; i++) {
        const uint32_t hash = mix_bits(row ^ (x + i));
        own[i] = palette_place_pack(hash >> 22, hash >> 12 & (MIX_STEP - 1));
    }
    return own;
}

/* The same 16 bytes in every 128-bit part. */
RO_INLINE vec repeated(v_u8 bytes)
{
#if defined(RO_SIMD_V128)
    return (vec)bytes;
#else
    return _mm256_broadcastsi128_si256((__m128i)bytes);
#endif
}

/* A group of pixels of 8-bit samples: red, green, blue and zero in each lane. Four more bytes are
 * loaded. */
RO_INLINE vec samples_of(const unsigned char *in)
{
#if defined(RO_SIMD_V128)
    const vec bytes = v_load(in);
#else
    const vec bytes = _mm256_set_m128i((__m128i)v_load(in + 12), (__m128i)v_load(in));
#endif
    return V(shuffle_epi8)(
        bytes, repeated((v_u8){0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255}));
}

RO_INLINE vec group_of(const uint32_t *numbers)
{
#if defined(RO_SIMD_V128)
    return v_load(numbers);
#else
    return _mm256_loadu_si256((const __m256i *)(const void *)numbers);
#endif
}

/* A bit for each lane that is set. */
RO_INLINE unsigned lanes_set(vec v)
{
#if defined(RO_SIMD_V128)
    return v_mask32(v);
#else
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(v));
#endif
}

/* A sample's position is the sample, and one more in the upper half. Bytes have no room for the sum
 * with `last`, but for its half, which is the complement of the complements' mean. */
RO_INLINE vec nodes_of(vec sample, vec place)
{
    const vec spread = repeated((v_u8){0, 0, 0, 255, 4, 4, 4, 255, 8, 8, 8, 255, 12, 12, 12, 255});
    const vec upper = V(cmpgt_epi8)((vec){0}, sample);
    const vec more = V(add_epi8)(V(shuffle_epi8)(place, spread), upper);
    const vec half = V(avg_epu8)(~sample, more);
    const vec node = ~V(srli_epi16)(half, 2) & V(set1_epi32)(0x3f3f3f);
    const vec pairs = V(maddubs_epi16)(node, V(set1_epi32)(1 | MIX_NODES << 8 | MIX_NODES << 16));
    return V(madd_epi16)(pairs, V(set1_epi32)(1 | MIX_NODES << 16));
}

#if !defined(RO_SIMD_V128)
RO_INLINE __m256 four_entries(const uint64_t *entry, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)(entry + a));
    const __m128i high = _mm_loadl_epi64((const __m128i *)(const void *)(entry + c));
    return _mm256_set_m128(
        _mm_loadh_pi(_mm_castsi128_ps(high), (const __m64 *)(const void *)(entry + d)),
        _mm_loadh_pi(_mm_castsi128_ps(low), (const __m64 *)(const void *)(entry + b)));
}
#endif

#ifdef RO_SIMD_AVX512

/* An end is at or below the share where it is so as the first bits of a number, whatever follows:
 * of the place these are ones, but for the last three. */
RO_INLINE void choose(__m256i colours, __m256i ends, __m256i place, unsigned char *out)
{
    const __m256i third =
        _mm256_and_si256(_mm256_slli_epi32(ends, 2), _mm256_set1_epi32(-MIX_STEP));
    const __mmask8 past[] = {_mm256_cmple_epu32_mask(_mm256_slli_epi32(ends, 22), place),
                             _mm256_cmple_epu32_mask(_mm256_slli_epi32(ends, 12), place),
                             _mm256_cmple_epu32_mask(third, place)};
    for (int i = 0; i < MIX_PARTS - 1; i++)
        colours = _mm256_mask_srli_epi32(colours, past[i], colours, 8);
    _mm256_mask_cvtepi32_storeu_epi8(out, 255, colours);
}

#else

/* Stores the lowest byte of each lane. */
RO_INLINE void store_numbers(unsigned char *to, vec v)
{
    v = V(shuffle_epi8)(v, V(set1_epi32)(0x0c080400));
#if defined(RO_SIMD_V128)
    memcpy(to, &v, 4);
#else
    _mm_storeu_si32(to, _mm256_castsi256_si128(v));
    _mm_storeu_si32(to + 4, _mm256_extracti128_si256(v, 1));
#endif
}

RO_INLINE void choose(vec colours, vec ends, vec place, unsigned char *out)
{
    const vec share = V(srli_epi32)(place, PLACE_SHIFT), part = V(set1_epi32)(MIX_WHOLE - 1);
#if defined(RO_SIMD_V128) /* SSE4.1 has no shift by a count of each lane */
    for (int i = 0; i < MIX_PARTS - 1; i++) {
        const vec end = V(srli_epi32)(ends, i * MIX_SHARE_BITS) & part;
        colours = v_chosen(V(cmpgt_epi32)(end, share), colours, V(srli_epi32)(colours, 8));
    }
#else
    vec parts = V(set1_epi32)(MIX_PARTS - 1);
    for (int i = 0; i < MIX_PARTS - 1; i++) {
        const vec end = V(srli_epi32)(ends, i * MIX_SHARE_BITS) & part;
        parts = V(add_epi32)(parts, V(cmpgt_epi32)(end, share));
    }
    colours = V(srlv_epi32)(colours, V(slli_epi32)(parts, 3));
#endif
    store_numbers(out, colours);
}

#endif

/* Stores the colours of a group of pixels and returns a bit for each that needs another look. */
RO_INLINE unsigned colours_of(const uint64_t *entry, const uint32_t *n, vec place,
                              unsigned char *out)
{
    /* Entries that are known and near no colour begin with the bits 01. */
    const vec least = V(set1_epi32)(MIX_KNOWN >> 32);
#if defined(RO_SIMD_V128)
    const v_i32 even = (v_i32)(v_u64){entry[n[0]], entry[n[1]]};
    const v_i32 odd = (v_i32)(v_u64){entry[n[2]], entry[n[3]]};
    const vec colours = (vec)__builtin_shufflevector(even, odd, 0, 2, 4, 6);
    const vec ends = (vec)__builtin_shufflevector(even, odd, 1, 3, 5, 7);
#else
    const __m256 even = four_entries(entry, n[0], n[1], n[4], n[5]);
    const __m256 odd = four_entries(entry, n[2], n[3], n[6], n[7]);
    const vec ends = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0xdd));
    const vec colours = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0x88));
#endif
    choose(colours, ends, place, out);
    return lanes_set(V(cmpgt_epi32)(least, ends));
}

static void nodes_of_any(const struct palette_screen_plan *plan, const unsigned char *in,
                         const uint32_t *places, uint32_t nodes[MIX_BLOCK])
{
    for (int i = 0; i < MIX_BLOCK; i++) {
        const uint32_t last = palette_place_unpack(places[i]).last;
        uint32_t node = 0;
        for (int c = 2; c >= 0; c--) {
            const uint32_t sample = plan->sample_bytes == 1
                                        ? in[3 * i + c]
                                        : ((const uint16_t *)(const void *)in)[3 * i + c];
            node = MIX_NODES * node + (plan->position[sample] + last) / MIX_STEP;
        }
        nodes[i] = node;
    }
}

/* Gives those of a group of 8-bit pixels that have a colour of the palette that colour. Most are
 * near one and have none. */
static void keep_colours(const struct palette_screen_plan *plan, const unsigned char *in,
                         unsigned char *out)
{
    const vec own = samples_of(in);
    vec any = {0};
    for (int i = 0; i < plan->exact; i++)
        any |= V(cmpeq_epi32)(own, V(set1_epi32)(plan->bytes[i]));
    unsigned found = lanes_set(any);
    for (; found; found &= found - 1) {
        const int k = __builtin_ctz(found);
        const int32_t bytes = in[3 * k] | in[3 * k + 1] << 8 | in[3 * k + 2] << 16;
        int i = 0;
        while (plan->bytes[i] != bytes)
            i++;
        out[k] = plan->exacts[i].colour;
    }
}

/* A group of pixels whose mixtures gave no answer. Not inline, or its addresses take the loop's
 * time. */
__attribute__((noinline)) static void answer(const struct palette_screen_plan *plan,
                                             struct palette_screen_known *known,
                                             const unsigned char *in, const uint32_t *nodes,
                                             const uint32_t *places, unsigned open,
                                             unsigned char *out)
{
    uint64_t all = MIX_KNOWN;
    for (int i = 0; i < GROUP; i++)
        all &= known->entry[nodes[i]];
    if (all && plan->sample_bytes == 1) {
        keep_colours(plan, in, out);
        return;
    }
    for (; open; open &= open - 1) {
        const size_t k = (size_t)__builtin_ctz(open);
        uint32_t sample[3];
        for (size_t c = 0; c < 3; c++)
            sample[c] = plan->sample_bytes == 1 ? in[3 * k + c]
                                                : ((const uint16_t *)(const void *)in)[3 * k + c];
        out[k] = palette_screen_pixel(plan, known, sample, palette_place_unpack(places[k]));
    }
}

void RO_SIMD_NAME(palette_screen_row)(const struct palette_screen_plan *plan,
                                      struct palette_screen_known *known, const unsigned char *in,
                                      unsigned char *out, uint32_t y)
{
    const size_t pixel = 3 * (size_t)plan->sample_bytes;
    const bool bytes = plan->sample_bytes == 1 && plan->white == UINT8_MAX;
    const uint32_t row = hash_of_row(plan->seed, y);
    uint32_t own_places[MIX_BLOCK];
    _Alignas(64) uint32_t nodes[MIX_BLOCK];
    _Alignas(16) unsigned char rest_in[6 * MIX_BLOCK + 16] = {0}, rest_out[MIX_BLOCK];
    for (uint32_t x = 0; x < plan->width; x += MIX_BLOCK) {
        const uint32_t left = plan->width - x;
        const unsigned char *from = in + pixel * x;
        unsigned char *to = out + x;
        /* The last pixels are loaded with four bytes behind them. */
        if (left <= MIX_BLOCK + 1) {
            memcpy(rest_in, from, pixel * (left < MIX_BLOCK ? left : MIX_BLOCK));
            from = rest_in;
            to = left < MIX_BLOCK ? rest_out : to;
        }
        const uint32_t *places = find_places(plan, x, y, row, own_places);
        if (bytes)
            for (int i = 0; i < MIX_BLOCK; i += GROUP)
                *(vec *)(void *)(nodes + i) =
                    nodes_of(samples_of(from + 3 * i), group_of(places + i));
        else
            nodes_of_any(plan, from, places, nodes);
        for (int i = 0; i < MIX_BLOCK; i += GROUP) {
            const unsigned open = colours_of(known->entry, nodes + i, group_of(places + i), to + i);
            if (open)
                answer(plan, known, from + pixel * (size_t)i, nodes + i, places + i, open, to + i);
        }
        if (to == rest_out)
            memcpy(out + x, rest_out, left);
    }
}
