/* SPDX-License-Identifier: MIT */
/* Words of options are words of the methods: each runs, and no other does. */
#include "roundoff.h"
#include "roundoff/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 24 };
static ro_context *context;
static uint8_t grey[SIDE * SIDE];
static float floats[2 * SIDE * SIDE];
static const ro_image in = {
    .format = RO_GREY8, .width = SIDE, .height = SIDE, .maxval = 255, .stride = SIDE, .data = grey};
static ro_image field = {.format = RO_GREYF,
                         .width = 2 * SIDE,
                         .height = SIDE,
                         .maxval = 0,
                         .stride = 8 * SIDE,
                         .data = floats};
static const ro_seed seed = {1, 8, 8, 3};

static ro_status segment(const ro_option *row, const char *word)
{
    ro_segment_options options = RO_SEGMENT_OPTIONS;
    ro_segmentation *result = NULL;
    options.seeds = &seed;
    options.seed_count = 1;
    memcpy((char *)&options + row->offset, &word, sizeof word);
    const ro_status status = ro_segment(context, &in, &options, &result, NULL);
    ro_segmentation_free(result);
    return status;
}

static ro_status regions(const ro_option *row, const char *word)
{
    ro_regions_options options = RO_REGIONS_OPTIONS;
    ro_regions *result = NULL;
    options.seeds = &seed;
    options.seed_count = 1;
    memcpy((char *)&options + row->offset, &word, sizeof word);
    const ro_status status = ro_regions_grow(context, &in, &options, &result, NULL);
    ro_regions_free(result);
    return status;
}

/* A word of one option may need another: a screen, lines of dots, inks. */
static const ro_palette black_and_white = {.count = 2, .colours = {{0}, {255, 255, 255}}};

static ro_status halftone(const ro_option *row, const char *word)
{
    static uint8_t pixels[3 * SIDE * SIDE];
    static const ro_format formats[] = {RO_BITS, RO_RGB8, RO_INDEX8, RO_INDEX8}; /* of channels */
    const ro_ink ink = {.name = "black"};
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    char message[RO_OPTION_MESSAGE];
    if (ro_option_set(ro_options_of("halftone"), row, &options, word, message) != RO_OK)
        return RO_E_ARGUMENT;
    if (strcmp(row->name, "aim") == 0)
        options.method = "dbs";
    if (strcmp(row->name, "quality") == 0)
        options.method = "search";
    if (strcmp(row->name, "shape") == 0)
        options.lpi = 40;
    if (strcmp(row->name, "fit") == 0)
        options.palette = &black_and_white;
    options.dpi = 600;
    if (options.method && strcmp(options.method, "screen") == 0)
        options.screen = &in;
    if (options.channels == RO_CHANNELS_INKS) {
        options.inks = &ink;
        options.ink_count = 1;
    }
    ro_image out = {.format = options.palette ? RO_INDEX8 : formats[options.channels],
                    .width = SIDE,
                    .height = SIDE,
                    .maxval = 0,
                    .stride = 3 * SIDE,
                    .data = pixels};
    const ro_status status = ro_halftone(context, &in, &out, &options);
    const bool elsewhere = strstr(ro_context_message(context), "on the CPU") != NULL;
    return status == RO_E_ARGUMENT && elsewhere ? RO_E_UNSUPPORTED : status;
}

static ro_status registration(const ro_option *row, const char *word)
{
    ro_register_options options = RO_REGISTER_OPTIONS;
    options.scales = 2;
    memcpy((char *)&options + row->offset, &word, sizeof word);
    return ro_register(context, &in, &in, &field, &options, NULL);
}

/* A word that runs elsewhere is refused by its own name, and not as one that is unknown. */
static void check_word(ro_status status, const char *word)
{
    if (status != RO_OK && (status == RO_E_ARGUMENT || !strstr(ro_context_message(context), word)))
        fail_msg("%s: %s", word, ro_context_message(context));
}

static void words_run(void **state)
{
    static const struct {
        const char *family;
        ro_status (*run)(const ro_option *row, const char *word);
    } families[] = {{"segment", segment},
                    {"regions", regions},
                    {"register", registration},
                    {"halftone", halftone}};
    int words = 0;
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const ro_option_table *table = ro_options_of(families[i].family);
        const ro_option *row;
        for (int k = 0; (row = ro_option_at(table, k)); k++) {
            for (const ro_word *word = row->words; word && word->name; word++, words++)
                check_word(families[i].run(row, word->name), word->name);
            if (row->words)
                assert_int_equal(families[i].run(row, "no-such-word"), RO_E_ARGUMENT);
        }
    }
    assert_true(words > 30);
}

int main(void)
{
    const ro_context_options cpu = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_run)};
    for (int i = 0; i < SIDE * SIDE; i++)
        grey[i] = (uint8_t)((i % SIDE * 9) ^ (i / SIDE * 5));
    if (ro_context_open(&cpu, &context) != RO_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
