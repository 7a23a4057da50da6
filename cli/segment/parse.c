/* SPDX-License-Identifier: MIT */
/* Words of roundoff segment: numbers separated by commas, with "2:" before them for label 2. */
#include "cli/segment/segment.h"
#include "roundoff/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = RO_POLYNOMIAL };

struct numbers {
    int label; /* 0: none was named */
    int count;
    double value[MOST_NUMBERS];
};

static bool read_numbers(const char *text, struct numbers *numbers)
{
    const char *colon = strchr(text, ':');
    char *end;
    *numbers = (struct numbers){0};
    if (colon) {
        long label = strtol(text, &end, 10);
        if (end != colon || end == text || label < 1 || label > 1000000)
            return false;
        numbers->label = (int)label;
        text = colon + 1;
    }
    for (;;) {
        if (numbers->count == MOST_NUMBERS || *text == ' ')
            return false;
        double value = strtod(text, &end);
        if (end == text || !isfinite(value))
            return false;
        numbers->value[numbers->count++] = value;
        if (*end == 0)
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
}

static void set_speed(const struct numbers *n, ro_speed *speed)
{
    speed->coefficients = n->count;
    memcpy(speed->polynomial, n->value, sizeof speed->polynomial);
}

static void set_gaussian(const struct numbers *n, ro_speed *speed)
{
    speed->mean = n->value[0];
    speed->deviation = n->value[1];
    speed->gaussian = n->count > 2 ? n->value[2] : 1;
}

static void set_window(const struct numbers *n, ro_speed *speed)
{
    speed->low = n->value[0];
    speed->high = n->value[1];
    speed->window = n->count > 2 ? n->value[2] : 1;
}

static void set_edge(const struct numbers *n, ro_speed *speed)
{
    speed->kappa = n->value[0];
    speed->edge = n->count > 1 ? n->value[1] : 1;
}

static void set_curvature(const struct numbers *n, ro_speed *speed)
{
    speed->curvature = n->value[0];
}

int read_words(const struct command *command, const struct speed_words *words, int most_label,
               ro_segment_options *options, ro_seed *seeds, struct named named[RO_LABELS])
{
    const struct {
        const char *name, *form;
        const ro_texts *texts;
        int least, most;
        void (*set)(const struct numbers *numbers, ro_speed *speed); /* NULL: a seed */
    } kinds[] = {
        {"at", "X,Y or X,Y,RADIUS", &words->at, 2, 3, NULL},
        {"speed", "up to 8 numbers C,C1,...", &words->speed, 1, RO_POLYNOMIAL, set_speed},
        {"gaussian", "MEAN,WIDTH or MEAN,WIDTH,WEIGHT", &words->gaussian, 2, 3, set_gaussian},
        {"window", "LOW,HIGH or LOW,HIGH,WEIGHT", &words->window, 2, 3, set_window},
        {"edge", "GRADIENT or GRADIENT,WEIGHT", &words->edge, 1, 2, set_edge},
        {"curvature", "a number", &words->curvature, 1, 1, set_curvature},
    };
    bool given[RO_LABELS] = {false};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < kinds[i].texts->count; k++) {
            const char *text = kinds[i].texts->text[k];
            struct numbers numbers;
            if (!read_numbers(text, &numbers) || numbers.count < kinds[i].least ||
                numbers.count > kinds[i].most)
                return usage_error(command,
                                   "--%s %s: must be %s, with \"2:\" before it for label 2",
                                   kinds[i].name, *text ? text : "\"\"", kinds[i].form);
            const int most = kinds[i].set ? RO_LABELS : most_label;
            if (numbers.label > most)
                return usage_error(command, "--%s %s: labels go from 1 to %d", kinds[i].name, text,
                                   most);
            if (!kinds[i].set) {
                if (numbers.count == 3 && !(numbers.value[2] > 0))
                    return usage_error(
                        command, "--at %s: the radius must be positive; a click has none", text);
                seeds[options->seed_count++] =
                    (ro_seed){numbers.label, numbers.value[0], numbers.value[1], numbers.value[2]};
                continue;
            }
            if (numbers.label)
                named[numbers.label - 1] = (struct named){kinds[i].name, text};
            for (int label = 1; label <= RO_LABELS; label++)
                if (numbers.label == 0 || numbers.label == label) {
                    kinds[i].set(&numbers, &options->speed[label - 1]);
                    given[label - 1] |= kinds[i].set != set_curvature;
                }
        }
    /* a speed of zero is not the same as none: the constant polynomial 0 */
    for (int i = 0; i < RO_LABELS; i++)
        if (given[i] && options->speed[i].coefficients == 0)
            options->speed[i].coefficients = 1;
    options->seeds = seeds;
    return 0;
}

ro_status check_named(ro_context *context, const ro_segment_options *options,
                      const struct named named[RO_LABELS])
{
    for (int i = 0; i < RO_LABELS; i++)
        if (named[i].text && !ro_segment_has_seed(options, i + 1))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "--%s %s: label %d has no seed; give --at %d:X,Y",
                                   named[i].option, named[i].text, i + 1, i + 1);
    return RO_OK;
}
