/* SPDX-License-Identifier: MIT */
/*
 * The rule for pages: windows of rows give what the whole picture gives, text on grey becomes black
 * on white, photographs and even grounds stay, and the stage reads what comes in any format.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "io/filters/page_rule.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 203, HEIGHT = 331 };

/* Letters, roughly: strokes of 3 pixels in a grid, ink on a ground. */
static void draw_text(uint8_t *rows, uint32_t left, uint32_t top, uint32_t width, uint32_t height,
                      int ground, int ink)
{
    for (uint32_t y = top; y < top + height; y++)
        for (uint32_t x = left; x < left + width; x++) {
            const uint32_t u = (x - left) % 12, v = (y - top) % 18;
            const bool letter = v < 12 && u < 9;
            const uint32_t shape = pixel_hash(3, (x - left) / 12, (y - top) / 18);
            const bool stroke =
                letter && ((shape & 1 && u < 3) || (shape & 2 && u >= 6) || (shape & 4 && v < 3) ||
                           (shape & 8 && v >= 9) || (u >= 3 && u < 6 && v % 6 < 3));
            rows[(size_t)y * WIDTH + x] = (uint8_t)(stroke ? ink : ground);
        }
}

/* A page: text on white, on grey and on dark, something like a photograph, and noise. */
static uint8_t *page_of(void)
{
    uint8_t *rows = malloc(WIDTH * HEIGHT);
    assert_non_null(rows);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            rows[(size_t)y * WIDTH + x] =
                (uint8_t)(y < 250 ? 255 : 60 + x / 2 + (pixel_hash(1, x, y) & 31));
    draw_text(rows, 0, 0, 192, 72, 255, 0);
    draw_text(rows, 0, 80, 192, 72, 200, 20);
    draw_text(rows, 0, 160, 192, 72, 30, 230);
    return rows;
}

static void windows_are_the_whole(void **state)
{
    (void)state;
    uint8_t *rows = page_of(), *whole = malloc(WIDTH * HEIGHT), *part = malloc(WIDTH * HEIGHT);
    assert_true(page_rule(&(struct page_window){rows, WIDTH, HEIGHT}, 0, HEIGHT, whole));
    for (uint32_t band = PAGE_CELL; band <= 128; band *= 2)
        for (uint32_t first = 0; first < HEIGHT; first += band) {
            const uint32_t around = PAGE_REACH * PAGE_CELL;
            const uint32_t end = HEIGHT - first < band ? HEIGHT : first + band;
            const uint32_t top = first < around ? 0 : first - around;
            const uint32_t last = HEIGHT - end < around ? HEIGHT : end + around;
            const struct page_window window = {rows + (size_t)top * WIDTH, WIDTH, last - top};
            assert_true(page_rule(&window, first - top, end - top, part));
            assert_memory_equal(part, whole + (size_t)first * WIDTH, (end - first) * WIDTH);
        }
    free(rows);
    free(whole);
    free(part);
}

static void text_is_black_and_white(void **state)
{
    (void)state;
    uint8_t *rows = page_of(), *to = malloc(WIDTH * HEIGHT);
    assert_true(page_rule(&(struct page_window){rows, WIDTH, HEIGHT}, 0, HEIGHT, to));
    static const struct {
        uint32_t top;
        int ground;
    } grounds[] = {{90, 200}, {170, 30}};
    for (int i = 0; i < 2; i++) {
        unsigned wrong = 0, seen = 0;
        for (uint32_t y = grounds[i].top; y < grounds[i].top + 50; y++)
            for (uint32_t x = 20; x < 170; x++, seen++) {
                const size_t at = (size_t)y * WIDTH + x;
                wrong += to[at] != (rows[at] > 128 ? 255 : 0);
            }
        assert_true(wrong * 100 < seen);
    }
    for (uint32_t y = 300; y < HEIGHT; y++) /* far from text */
        assert_memory_equal(rows + (size_t)y * WIDTH, to + (size_t)y * WIDTH, WIDTH);
    free(rows);
    free(to);
}

static void small_and_even_pictures_stay(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 9; width += 4)
        for (uint32_t height = 1; height <= 9; height++) {
            uint8_t rows[81], to[81];
            for (size_t i = 0; i < sizeof rows; i++)
                rows[i] = (uint8_t)(pixel_hash(5, (uint32_t)i, 0) >> 24);
            assert_true(page_rule(&(struct page_window){rows, width, height}, 0, height, to));
            assert_memory_equal(rows, to, width * height);
            memset(rows, 90, sizeof rows);
            assert_true(page_rule(&(struct page_window){rows, width, height}, 0, height, to));
            assert_memory_equal(rows, to, width * height);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_the_whole),
        cmocka_unit_test(text_is_black_and_white),
        cmocka_unit_test(small_and_even_pictures_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
