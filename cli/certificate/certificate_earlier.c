/* SPDX-License-Identifier: MIT */
/* Certificates of earlier versions: what options meant that were called otherwise, did not exist or
 * had another default. */
#include "cli/certificate/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ran_is(const struct certificate *stated, const char *method)
{
    const char *ran = certificate_value(stated, "ran_method"); /* in quotes */
    return ran && strlen(ran) == strlen(method) + 2 &&
           strncmp(ran + 1, method, strlen(method)) == 0;
}

/* Whether the other option was given with which alone one has changed. */
static bool was_with(const struct option *option, const struct certificate *stated)
{
    char name[80];
    snprintf(name, sizeof name, "option_%s", option->before_with ? option->before_with : "");
    const char *with = certificate_value(stated, name);
    return !option->before_with || (with && strcmp(with, "null") != 0);
}

/* Whether what an option was before holds for what ran. */
static bool was_of(const struct option *option, const struct certificate *stated)
{
    if (!was_with(option, stated))
        return false;
    if (!option->before || !option->before_of)
        return option->before;
    for (const char *const *method = option->before_of; *method; method++)
        if (ran_is(stated, *method))
            return true;
    return false;
}

/* Another text in the place of one. */
static void replace(struct certificate *stated, char **text, const char *with)
{
    char *copy = strdup(with);
    if (!copy) {
        stated->status =
            ro_context_fail(stated->context, RO_E_MEMORY, "no memory for a certificate");
        return;
    }
    free(*text);
    *text = copy;
}

/* A line that states no value gets one, as JSON has it. */
static void replace_null(struct certificate *stated, const char *name, const char *json)
{
    for (int i = 0; i < stated->count; i++)
        if (strcmp(stated->lines[i].name, name) == 0 && strcmp(stated->lines[i].value, "null") == 0)
            replace(stated, &stated->lines[i].value, json);
}

/* The default has become another since: what ran is what was meant. */
static void state_default(struct certificate *stated, const char *name, const char *once)
{
    if (ran_is(stated, once))
        replace_null(stated, name, certificate_value(stated, "ran_method"));
}

/* The same where it is the version that tells. */
static void state_first_default(struct certificate *stated, const char *name,
                                const struct option *option)
{
    const char *version = certificate_value(stated, "version");
    char value[80];
    snprintf(value, sizeof value, "\"%s\"", option->before);
    if (version && strncmp(version, "\"0.1.", 5) == 0 && was_of(option, stated))
        replace_null(stated, name, value);
}

/* A line of a certificate from before its option got another name. */
static void rename_line(struct certificate *stated, const char *was, const char *name)
{
    for (int i = 0; i < stated->count; i++)
        if (strncmp(stated->lines[i].name, "option_", 7) == 0 &&
            strcmp(stated->lines[i].name + 7, was) == 0)
            replace(stated, &stated->lines[i].name, name);
}

/* Palettes were made for pictures in another way once, as those of 256 colours may have been: the
 * colours that are stated are what was meant. */
static void state_colours(struct certificate *stated)
{
    const char *palette = certificate_value(stated, "option_palette");
    const char *number = certificate_value(stated, "palette");
    if (!palette || !number || certificate_value(stated, "palette_by"))
        return;
    char text[8 * 256 + 3] = "\"";
    size_t used = 1;
    int count = 0;
    for (char *end; *number && count < 3 * 256; number = end) {
        number += strcspn(number, "0123456789");
        const long sample = strtol(number, &end, 10);
        if (end == number)
            break;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%02lx",
                                 count % 3 ? "" : count ? " #" : "#", (unsigned long)sample & 255);
        count++;
    }
    text[used] = '"';
    if (strncmp(palette, "\"auto", 5) == 0 || count == 3 * 256)
        for (int i = 0; i < stated->count; i++)
            if (strcmp(stated->lines[i].name, "option_palette") == 0)
                replace(stated, &stated->lines[i].value, text);
}

/* Whether the option takes what is stated; of those that may be idle, a choice or a share. */
static bool takes(const struct option *option, const char *value)
{
    for (int i = 0; option->choices && option->choices[i]; i++) {
        char choice[80];
        snprintf(choice, sizeof choice, "\"%s\"", option->choices[i]);
        if (strcmp(value, choice) == 0)
            return true;
    }
    char *end;
    const double number = strtod(value, &end);
    return !option->choices && (strcmp(value, "null") == 0 || (end != value && !*end &&
                                                               number >= option->min &&
                                                               number <= option->max));
}

/* Whether an option means nothing, for the one that it belongs to was not given. */
static bool is_idle(const struct option *option, const struct certificate *stated)
{
    if (!option->idle_without)
        return false;
    char name[80], own[80];
    snprintf(name, sizeof name, "option_%s", option->idle_without);
    snprintf(own, sizeof own, "option_%s", option->name);
    const char *with = certificate_value(stated, name), *value = certificate_value(stated, own);
    return (!with || strcmp(with, "null") == 0) && (!value || takes(option, value));
}

/* A line that is not stated any more: an idle option, or a prediction, which is no property of the
 * result. */
static void drop_line(struct certificate *stated, const char *name)
{
    for (int i = 0; i < stated->count; i++)
        if (strcmp(stated->lines[i].name, name) == 0) {
            free(stated->lines[i].name);
            free(stated->lines[i].value);
            stated->count--;
            memmove(stated->lines + i, stated->lines + i + 1,
                    (size_t)(stated->count - i) * sizeof *stated->lines);
            return;
        }
}

void certificate_complete(struct certificate *stated, const struct command *command)
{
    const struct option *list[MOST_OPTIONS];
    const int count = options_list(command, list);
    drop_line(stated, "hogel_predicted_snr_tenths_of_db");
    state_colours(stated);
    for (int i = 0; i < count; i++) {
        char name[80];
        snprintf(name, sizeof name, "option_%s", list[i]->name);
        if (list[i]->was)
            rename_line(stated, list[i]->was, name);
        if (!certificate_states(list[i]))
            continue;
        if (list[i]->once && was_with(list[i], stated))
            state_default(stated, name, list[i]->once);
        if (list[i]->before_in_0_1)
            state_first_default(stated, name, list[i]);
        const bool idle = is_idle(list[i], stated);
        if (idle)
            drop_line(stated, name);
        if (certificate_value(stated, name))
            continue;
        if (!idle && was_of(list[i], stated))
            certificate_text(stated, name, list[i]->before);
        else
            certificate_option(stated, list[i], command->defaults);
    }
}
