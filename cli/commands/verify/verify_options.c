/* SPDX-License-Identifier: MIT */
#include "cli/commands/verify/verify_options.h"

#include <stdlib.h>
#include <string.h>

void arguments_add(struct arguments *to, const char *a, const char *b)
{
    const size_t size = strlen(a) + strlen(b) + 1;
    if (to->count == to->room) {
        const int room = 2 * to->room + 16;
        char **more = realloc(to->list, (size_t)room * sizeof *more);
        if (!more) {
            to->status = RO_E_MEMORY;
            return;
        }
        to->list = more;
        to->room = room;
    }
    char *text = malloc(size);
    if (!text) {
        to->status = RO_E_MEMORY;
        return;
    }
    snprintf(text, size, "%s%s", a, b);
    to->list[to->count++] = text;
}

void arguments_free(struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        free(arguments->list[i]);
    free(arguments->list);
    *arguments = (struct arguments){0};
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Of escapes, those that json_string writes, as a letter up to U+07FF. -1: another one. */
static int escaped(const char **at)
{
    const char *c = *at;
    if (*c == '"' || *c == '\\') {
        *at += 1;
        return *c;
    }
    int value = *c == 'u' ? 0 : -1;
    for (int i = 1; i <= 4 && value >= 0; i++) {
        const char *digits = "0123456789abcdef", *digit = c[i] ? strchr(digits, c[i]) : NULL;
        value = digit ? 16 * value + (int)(digit - digits) : -1;
    }
    if (value <= 0 || value >= 0x800)
        return -1;
    *at += 5;
    return value;
}

/* A string at *at as plain text, to be freed, and *at behind it. */
static char *take_text(const char **at)
{
    const char *c = *at;
    char *text = *c++ == '"' ? malloc(strlen(c) + 1) : NULL, *to = text;
    while (text && *c != '"') {
        const bool plain = *c != '\\';
        int next = (unsigned char)*c++;
        if (!plain)
            next = escaped(&c);
        if (next <= 0) { /* the end too */
            free(text);
            return NULL;
        }
        if (!plain && next >= 0x80) {
            *to++ = (char)(0xc0 | next >> 6);
            next = 0x80 | (next & 0x3f);
        }
        *to++ = (char)next;
    }
    if (text)
        *to = '\0';
    *at = c + 1;
    return text;
}

char *certificate_plain(const char *value)
{
    char *text = value ? take_text(&value) : NULL;
    if (text && *value) {
        free(text);
        return NULL;
    }
    return text;
}

/* `["a", "b"]`. */
static bool add_texts(struct arguments *to, const char *option, const char *list)
{
    if (strcmp(list, "[]") == 0)
        return true;
    while (*list == '[' || strncmp(list, ", ", 2) == 0) {
        list += *list == '[' ? 1 : 2;
        char *text = take_text(&list);
        if (!text)
            return false;
        arguments_add(to, option, text);
        free(text);
    }
    return strcmp(list, "]") == 0;
}

static bool add_value(struct arguments *to, const struct option *option, const char *value)
{
    char name[128];
    if (strcmp(value, "null") == 0)
        return option->kind != OPTION_FLAG && option->kind != OPTION_LIST;
    snprintf(name, sizeof name, "--%s%s", option->name, option->kind == OPTION_FLAG ? "" : "=");
    if (option->kind == OPTION_FLAG) {
        if (strcmp(value, "true") == 0)
            arguments_add(to, name, "");
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    }
    if (option->kind == OPTION_LIST)
        return add_texts(to, name, value);
    const bool words = option->kind == OPTION_TEXT || option->kind == OPTION_CHOICE ||
                       option->kind == OPTION_SIZE || option->kind == OPTION_SCALE;
    if (!words) { /* a number: the parser of options takes no other */
        arguments_add(to, name, value);
        return true;
    }
    char *text = certificate_plain(value);
    if (!text)
        return false;
    arguments_add(to, name, text);
    free(text);
    return true;
}

/* Files beside OUT are not written again. */
static bool is_left(const struct option *option, const char *const *instead)
{
    if (instead && option->writes)
        return true;
    for (int i = 0; instead && instead[i]; i++)
        if (strcmp(instead[i] + strspn(instead[i], "-!"), option->name) == 0)
            return true;
    return false;
}

ro_status arguments_of(const struct command *command, const struct certificate *from,
                       const char *const *instead, struct arguments *to)
{
    const struct option *list[MOST_OPTIONS];
    const int count = options_list(command, list);
    for (int i = 0; i < from->count; i++) {
        const char *name = from->lines[i].name;
        int k = 0;
        if (strncmp(name, "option_", 7) != 0)
            continue;
        while (k < count && (!certificate_states(list[k]) || strcmp(list[k]->name, name + 7) != 0))
            k++;
        if (k < count && is_left(list[k], instead))
            continue;
        if (k == count || !add_value(to, list[k], from->lines[i].value))
            return ro_context_fail(from->context, RO_E_FORMAT,
                                   "the certificate's line %s is none of %s", name, command->name);
    }
    return to->status == RO_OK
               ? RO_OK
               : ro_context_fail(from->context, to->status, "no memory for a certificate");
}
