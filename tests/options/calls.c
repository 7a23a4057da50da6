/* SPDX-License-Identifier: MIT */
/*
 * Calls of the library with options as text, for agree_test.py: `calls FIXED MOVING` reads lines
 * "family TAB name=value TAB ..." and prints "status TAB sentence" for each. The status is 0, that
 * of the library, or "value" where an option does not take its value.
 */
#include "roundoff.h"
#include "roundoff_io.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_context *context;
static ro_image fixed, moving;

static ro_status denoise(const void *options)
{
    ro_image out = {0};
    ro_status status =
        ro_image_alloc(context, fixed.format, fixed.width, fixed.height, fixed.maxval, &out);
    if (status == RO_OK)
        status = ro_denoise(context, &fixed, &out, options, NULL);
    ro_image_free(&out);
    return status;
}

static ro_status halftone(const void *options)
{
    const ro_halftone_options *asked = options;
    const bool rgb = asked->channels == RO_CHANNELS_RGB, deep = asked->levels > 256;
    ro_image out = {0};
    ro_status status = ro_image_alloc(context,
                                      deep  ? (rgb ? RO_RGB16 : RO_GREY16)
                                      : rgb ? RO_RGB8
                                            : RO_INDEX8,
                                      fixed.width, fixed.height, 0, &out);
    if (status == RO_OK)
        status = ro_halftone(context, &fixed, &out, options);
    ro_image_free(&out);
    return status;
}

static ro_status measure(const void *options)
{
    ro_measure_report report = {.size = sizeof report};
    const ro_status status = ro_measure(context, &fixed, &moving, options, &report);
    ro_free(report.fields);
    return status;
}

static ro_status registration(const void *options)
{
    ro_image field = {0};
    ro_status status = ro_image_alloc(context, RO_GREYF, 2 * fixed.width, fixed.height, 0, &field);
    if (status == RO_OK)
        status = ro_register(context, &fixed, &moving, &field, options, NULL);
    ro_image_free(&field);
    return status;
}

static ro_status segment(const void *options)
{
    static const ro_seed seed = {1, 12, 10, 4};
    ro_segment_options seeded = *(const ro_segment_options *)options;
    ro_segmentation *result = NULL;
    seeded.seeds = &seed;
    seeded.seed_count = 1;
    const ro_status status = ro_segment(context, &fixed, &seeded, &result, NULL);
    ro_segmentation_free(result);
    return status;
}

static ro_status screen(const void *options)
{
    ro_image made = {0};
    const ro_status status = ro_screen_make(context, options, &made);
    ro_image_free(&made);
    return status;
}

static ro_status call(const char *family, char *text, const char **sentence)
{
    static const struct {
        const char *family;
        ro_status (*run)(const void *options);
    } calls[] = {{"halftone", halftone},     {"denoise", denoise}, {"measure", measure},
                 {"register", registration}, {"segment", segment}, {"screen", screen}};
    static char message[RO_OPTION_MESSAGE];
    const ro_option_table *table = ro_options_of(family);
    void *options = malloc(table->size);
    if (!options)
        abort();
    memcpy(options, table->unset, table->size);
    ro_status status = RO_OK;
    for (char *word = strtok(text, "\t"); word; word = strtok(NULL, "\t")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (ro_option_set(table, ro_option_find(table, word), options, value, message) != RO_OK) {
            free(options);
            *sentence = message;
            return -1;
        }
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].family, family) == 0)
            status = calls[i].run(options);
    free(options);
    *sentence = status == RO_OK ? "" : ro_context_message(context);
    return status;
}

int main(int argc, char **argv)
{
    static char line[8192];
    const ro_context_options one = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    if (argc != 3 || ro_context_open(&one, &context) != RO_OK ||
        ro_image_load(context, argv[1], NULL, &fixed, NULL, NULL) != RO_OK ||
        ro_image_load(context, argv[2], NULL, &moving, NULL, NULL) != RO_OK)
        return EXIT_FAILURE;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *options = line + strcspn(line, "\t");
        if (*options)
            *options++ = '\0';
        const char *sentence = "";
        const int status = (int)call(line, options, &sentence);
        if (status < 0)
            printf("value\t%s\n", sentence);
        else
            printf("%d\t%s\n", status, sentence);
        fflush(stdout);
    }
    ro_image_free(&fixed);
    ro_image_free(&moving);
    ro_context_close(context);
    return EXIT_SUCCESS;
}
