/* SPDX-License-Identifier: MIT */
/* What acuity_lanes.h needs of an instruction set; included by wave_simd.c. */

#if defined(RO_SIMD_AVX512)
#define ACUITY_OPERATION(name) _mm512_##name

/* A table by class: 32 words are one vector. */
struct acuity_classes {
    whole index;
};
RO_INLINE struct acuity_classes acuity_classes_of(lanes16 class)
{
    return (struct acuity_classes){(whole) class};
}
RO_INLINE ints16 acuity_look_up(const struct acuity_plan *acuity,
                                const struct acuity_classes *classes, int table)
{
    return (ints16)_mm512_permutexvar_epi16(classes->index,
                                            _mm512_loadu_si512(acuity->words[table]));
}

#else
#if defined(RO_SIMD_V128)
#define ACUITY_OPERATION(name) v_##name
RO_INLINE whole in_all_parts(const char *from) { return v_load(from); }
#else
#define ACUITY_OPERATION(name) _mm256_##name
RO_INLINE whole in_all_parts(const char *from)
{
    return _mm256_broadcastsi128_si256((__m128i)v_load(from));
}
#endif

/* A table by class, into the high bytes of words: two halves of sixteen, of which a place beyond
 * the end gives nothing. */
struct acuity_classes {
    whole low, high;
};
RO_INLINE struct acuity_classes acuity_classes_of(lanes16 class)
{
    const lanes16 none = (lanes16){0} + 0x80, second = (lanes16)(class > 15);
    const lanes16 place = (class & 15) << 8 | none, nowhere = (lanes16){0} + 0x8080;
    return (struct acuity_classes){(whole)(place | (second & nowhere)),
                                   (whole)(place | (~second & nowhere))};
}
RO_INLINE ints16 acuity_look_up(const struct acuity_plan *acuity,
                                const struct acuity_classes *classes, int table)
{
    const char *half = (const char *)acuity->bytes[table];
    return (ints16)(ACUITY_OPERATION(shuffle_epi8)(in_all_parts(half), classes->low) |
                    ACUITY_OPERATION(shuffle_epi8)(in_all_parts(half + 16), classes->high));
}
#endif

/* (a * b + 2^14) >> 15: with b = 256 * weight that is a share. */
RO_INLINE ints16 rounded_product(ints16 a, ints16 b)
{
    return (ints16)ACUITY_OPERATION(mulhrs_epi16)((whole)a, (whole)b);
}

RO_INLINE ints16 acuity_within_16(ints16 e, ints16 most)
{
    whole low = ACUITY_OPERATION(max_epi16)((whole)e, (whole)-most);
    return (ints16)ACUITY_OPERATION(min_epi16)(low, (whole)most);
}
RO_INLINE ints32 acuity_within_32(ints32 e, ints32 most)
{
    whole low = ACUITY_OPERATION(max_epi32)((whole)e, (whole)-most);
    return (ints32)ACUITY_OPERATION(min_epi32)(low, (whole)most);
}
