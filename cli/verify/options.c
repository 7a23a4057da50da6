/* SPDX-License-Identifier: MIT */
#include "cli/verify/options.h"

#include "io/json/json.h"
#include "roundoff/library.h"

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

char *certificate_plain(ro_context *context, const char *value)
{
    const size_t size = value ? strlen(value) : 0; /* with its quotes */
    char *text = size ? malloc(size) : NULL;
    struct json_parser json = json_of(context, "certificate", value);
    if (text)
        json_read_text(&json, text, size);
    if (text && (json.failed || *json.at)) {
        free(text);
        return NULL;
    }
    return text;
}

/* `["a", "b"]`. */
static bool add_texts(struct arguments *to, ro_context *context, const char *option,
                      const char *list)
{
    const size_t size = strlen(list) + 1;
    char *text = malloc(size);
    struct json_parser json = json_of(context, "certificate", list);
    if (!text) {
        to->status = RO_E_MEMORY;
        return true;
    }
    json_expect(&json, '[');
    if (!json_take(&json, ']')) {
        do {
            json_read_text(&json, text, size);
            if (!json.failed)
                arguments_add(to, option, text);
        } while (json_take(&json, ','));
        json_expect(&json, ']');
    }
    free(text);
    return !json.failed && *json.at == '\0';
}

static bool add_value(struct arguments *to, ro_context *context, const struct option *option,
                      const char *value)
{
    char name[128];
    const bool flag = !option->argument;
    const bool list = option->row->kind == RO_OPTION_TEXTS;
    if (strcmp(value, "null") == 0)
        return !flag && !list;
    snprintf(name, sizeof name, "--%s%s", option->name, flag ? "" : "=");
    if (flag) {
        if (strcmp(value, "true") == 0)
            arguments_add(to, name, "");
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    }
    if (list)
        return add_texts(to, context, name, value);
    if (option->row->kind != RO_OPTION_TEXT && *value != '"') { /* not a word for a number */
        arguments_add(to, name, value);
        return true;
    }
    char *text = certificate_plain(context, value);
    if (!text)
        return false;
    arguments_add(to, name, text);
    free(text);
    return true;
}

/* Files beside OUT are not written again. */
static bool is_left(const struct option *option, const char *const *instead)
{
    if (instead && option->row->writes)
        return true;
    for (int i = 0; instead && instead[i]; i++)
        if (strcmp(instead[i] + strspn(instead[i], "-!"), option->name) == 0)
            return true;
    return false;
}

ro_status arguments_of(const struct command *command, const struct certificate *from,
                       const char *const *instead, struct arguments *to)
{
    struct option_list list;
    options_list(command, &list);
    for (int i = 0; i < list.count; i++) {
        char name[80];
        snprintf(name, sizeof name, "option_%s", list.at[i].name);
        if (certificate_states(&list.at[i]) && !certificate_value(from, name))
            return ro_context_fail(from->context, RO_E_FORMAT, "the certificate does not state %s",
                                   name);
    }
    for (int i = 0; i < from->count; i++) {
        const char *name = from->lines[i].name;
        int k = 0;
        if (strncmp(name, "option_", 7) != 0)
            continue;
        while (k < list.count &&
               (!certificate_states(&list.at[k]) || strcmp(list.at[k].name, name + 7) != 0))
            k++;
        if (k < list.count && is_left(&list.at[k], instead))
            continue;
        if (k == list.count || !add_value(to, from->context, &list.at[k], from->lines[i].value))
            return ro_context_fail(from->context, RO_E_FORMAT,
                                   "the certificate's line %s does not belong to %s", name,
                                   command->name);
    }
    return to->status == RO_OK
               ? RO_OK
               : ro_context_fail(from->context, to->status, "no memory for a certificate");
}
