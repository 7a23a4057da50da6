/* SPDX-License-Identifier: MIT */
/* Hashes: known values, padding that does not count, pixels that do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "roundoff.h"
#include "roundoff/pieces.h"

#include <stdio.h>
#include <string.h>

static ro_context *context;
static char text[RO_HASH_TEXT], other[RO_HASH_TEXT];

static void test_known(void **state)
{
    (void)state;
    /* of the empty text, as xxHash's own tests have it */
    assert_int_equal(ro_bytes_hash(context, "", 0, text), RO_OK);
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
    /* a picture's hash is that of its head and rows */
    const uint16_t rows[2][4] = {{0x0102, 0x0304, 9, 9}, {0x0506, 0x0708, 9, 9}};
    const ro_image image = {.format = RO_GREY16,
                            .width = 2,
                            .height = 2,
                            .maxval = 0x1000,
                            .stride = sizeof rows[0],
                            .data = (void *)rows};
    static const char bytes[8] = {2, 1, 4, 3, 6, 5, 8, 7};
    char head[64];
    const int length = snprintf(head, sizeof head, "%s 2 2 4096\n", ro_format_name(RO_GREY16));
    memcpy(head + length, bytes, sizeof bytes);
    assert_int_equal(ro_image_hash(context, &image, text), RO_OK);
    assert_int_equal(ro_bytes_hash(context, head, (size_t)length + 8, other), RO_OK);
    assert_string_equal(text, other);
}

static void test_padding(void **state)
{
    (void)state;
    uint8_t rows[2][3] = {{0xaa, 0x60, 0x11}, {0x55, 0xa0, 0x22}};
    const ro_image image = {
        .format = RO_BITS, .width = 11, .height = 2, .maxval = 0, .stride = 3, .data = rows};
    assert_int_equal(ro_image_hash(context, &image, text), RO_OK);
    rows[0][1] |= 0x1f; /* behind the last pixel */
    rows[1][2] = 0x77;  /* between rows */
    assert_int_equal(ro_image_hash(context, &image, other), RO_OK);
    assert_string_equal(text, other);
    rows[0][1] ^= 0x20;
    assert_int_equal(ro_image_hash(context, &image, other), RO_OK);
    assert_string_not_equal(text, other);
    rows[0][1] ^= 0x20;
    const ro_image turned = {
        .format = RO_BITS, .width = 11, .height = 1, .maxval = 0, .stride = 3, .data = rows};
    assert_int_equal(ro_image_hash(context, &turned, other), RO_OK);
    assert_string_not_equal(text, other);
}

/* Rows in pieces, the state going from one to the next as bytes. */
static void test_pieces(void **state)
{
    (void)state;
    static uint8_t rows[40][301];
    const ro_image image = {.format = RO_RGB8,
                            .width = 100,
                            .height = 40,
                            .maxval = 0,
                            .stride = sizeof rows[0],
                            .data = rows};
    ro_hash_state hash[2];
    for (size_t i = 0; i < sizeof rows; i++)
        ((uint8_t *)rows)[i] = (uint8_t)(i * i >> 3);
    assert_int_equal(ro_image_hash(context, &image, text), RO_OK);
    assert_int_equal(ro_hash_begin(context, &image, &hash[0]), RO_OK);
    for (uint32_t y = 0, count; y < 40; y += count) {
        count = y < 3 ? 1 : y < 20 ? 17 : 40 - y;
        const ro_image part = {.format = RO_RGB8,
                               .width = 100,
                               .height = count,
                               .maxval = 0,
                               .stride = sizeof rows[0],
                               .data = rows[y]};
        assert_int_equal(ro_hash_rows(context, &hash[0], &part), RO_OK);
        memcpy(&hash[1], &hash[0], sizeof hash[0]);
        memset(&hash[0], 0, sizeof hash[0]);
        memcpy(&hash[0], &hash[1], sizeof hash[0]);
    }
    assert_int_equal(ro_hash_end(context, &hash[0], other), RO_OK);
    assert_string_equal(text, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_padding),
                                       cmocka_unit_test(test_pieces)};
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (ro_bytes_hash(context, "", 0, text) == RO_E_UNSUPPORTED) {
        printf("skipped: %s\n", ro_context_message(context));
        return 77;
    }
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return result;
}
