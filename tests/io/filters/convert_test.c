/* SPDX-License-Identifier: MIT */
/* Conversions against their definitions, written out once more. */
#include "io/io_test.h"

#include "io/filters/convert.h"
#include "io/formats/exif.h"

static void small_samples(void **state)
{
    (void)state;
    static const uint8_t packed[] = {0x1b, 0xe4, 0x5a};
    for (int depth = 1; depth <= 4; depth *= 2)
        for (uint32_t width = 1; width <= 24 / (uint32_t)depth; width++) {
            uint8_t samples[25];
            uint8_t all = (uint8_t)((1 << depth) - 1);
            memset(samples, 0xee, sizeof samples);
            unpack_bits(samples, packed, width, depth, all);
            for (uint32_t i = 0; i < width; i++) {
                unsigned bit = i * (unsigned)depth, value = 0;
                for (int k = 0; k < depth; k++, bit++)
                    value = value << 1 | (packed[bit / 8] >> (7 - bit % 8) & 1);
                assert_int_equal(samples[i], all - value);
            }
            assert_int_equal(samples[width], 0xee);
        }
}

static void ink(void **state)
{
    (void)state;
    uint8_t in[8] = {0, 0, 0, 0, 255, 100, 0, 51}, out[6];
    cmyk_to_rgb(out, in, 2, false);
    assert_memory_equal(out, ((uint8_t[]){255, 255, 255, 0, (155 * 204 + 127) / 255, 204}), 6);
    for (int i = 0; i < 8; i++)
        in[i] = (uint8_t)(255 - in[i]);
    uint8_t again[6];
    cmyk_to_rgb(again, in, 2, true);
    assert_memory_equal(out, again, 6);
}

/* The tones of N levels, as docs/numerics.md has them. */
static void levels_to_tones(void **state)
{
    (void)state;
    for (unsigned levels = 2; levels <= 256; levels++) {
        struct row_conversion conversion;
        uint8_t in[256], out[256];
        conversion_init(&conversion, RO_INDEX8, levels - 1, RO_GREY8, 255);
        assert_int_equal(conversion_needed(&conversion), levels != 256);
        for (unsigned k = 0; k < 256; k++)
            in[k] = (uint8_t)k;
        conversion_row(&conversion, out, in, 256);
        for (unsigned k = 0; k < levels; k++)
            assert_int_equal(out[k], (2 * 255 * k + levels - 1) / (2 * (levels - 1)));
        for (unsigned k = levels; k < 256; k++)
            assert_int_equal(out[k], 255);
    }
}

static void bits_both_ways(void **state)
{
    (void)state;
    for (uint32_t width = 1; width < 40; width++) {
        struct row_conversion pack, unpack;
        uint8_t in[40], bits[5] = {0}, out[40];
        for (uint32_t i = 0; i < width; i++)
            in[i] = (i * i + width) % 3 == 0;
        conversion_init(&pack, RO_INDEX8, 1, RO_BITS, 1);
        conversion_init(&unpack, RO_BITS, 1, RO_GREY8, 255);
        conversion_row(&pack, bits, in, width);
        for (uint32_t i = 0; i < width; i++)
            assert_int_equal(bits[i / 8] >> (7 - i % 8) & 1, in[i]);
        conversion_row(&unpack, out, bits, width);
        for (uint32_t i = 0; i < width; i++)
            assert_int_equal(out[i], 255 * in[i]);
    }
}

static void wide_scaling(void **state)
{
    (void)state;
    struct row_conversion conversion;
    uint16_t in[] = {0, 1, 500, 999, 1000, 1001}, out[6];
    conversion_init(&conversion, RO_GREY16, 1000, RO_GREY16, 65535);
    conversion_row(&conversion, out, in, 6);
    for (int i = 0; i < 5; i++)
        assert_int_equal(out[i], (2 * 65535u * in[i] + 1000) / 2000);
    assert_int_equal(out[5], 65535);
}

static void exif_data(void **state)
{
    (void)state;
    static const uint8_t little[] = {
        'I',  'I', 42, 0, 8,   0, 0, 0, 3,  0,       /* three entries */
        0x12, 1,   3,  0, 1,   0, 0, 0, 6,  0, 0, 0, /* orientation 6 */
        0x1a, 1,   5,  0, 1,   0, 0, 0, 50, 0, 0, 0, /* x resolution at byte 50 */
        0x28, 1,   3,  0, 1,   0, 0, 0, 3,  0, 0, 0, /* per centimetre */
        0,    0,   0,  0, 200, 0, 0, 0, 2,  0, 0, 0};
    struct exif_data exif = exif_read(little, sizeof little);
    assert_int_equal(exif.orientation, 6);
    assert_true(exif.dpi_x > 253.99 && exif.dpi_x < 254.01);
    assert_true(exif.dpi_y == 0);
    for (size_t size = 0; size < sizeof little; size++) { /* none of these may read past the end */
        uint8_t *copy = malloc(size ? size : 1);
        memcpy(copy, little, size);
        exif_read(copy, size);
        free(copy);
    }
    static const uint8_t big[] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                                  3,   0,   0, 0,  1, 0, 8, 0, 0, 0, 0, 0,    0};
    assert_int_equal(exif_read(big, sizeof big).orientation, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_samples),   cmocka_unit_test(ink),
        cmocka_unit_test(levels_to_tones), cmocka_unit_test(bits_both_ways),
        cmocka_unit_test(wide_scaling),    cmocka_unit_test(exif_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
