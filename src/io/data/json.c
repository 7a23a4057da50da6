/* SPDX-License-Identifier: MIT */
#include "io/data/json.h"

#include "io/data/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 16, DEEPEST = 32 };

ro_status ro_json_open(struct ro_json *json, ro_context *context, const char *path)
{
    struct ro_file file;
    *json = (struct ro_json){.context = context, .path = path};
    ro_file_init(&file, context, path, "standard input");
    ro_status status = ro_text_load(&file, path, MOST_BYTES, &json->text);
    json->at = json->text;
    return status;
}

void ro_json_close(struct ro_json *json)
{
    free(json->text);
    json->text = NULL;
}

void ro_json_fail(struct ro_json *json, const char *what)
{
    int line = 1;
    for (const char *c = json->text; c < json->at; c++)
        line += *c == '\n';
    if (!json->failed)
        ro_context_fail(json->context, RO_E_FORMAT, "%s: line %d: %s", json->path, line, what);
    json->failed = true;
}

char ro_json_next(struct ro_json *json)
{
    json->at += strspn(json->at, " \t\r\n");
    return *json->at;
}

bool ro_json_take(struct ro_json *json, char wanted)
{
    if (json->failed || ro_json_next(json) != wanted)
        return false;
    json->at++;
    return true;
}

void ro_json_expect(struct ro_json *json, char wanted)
{
    char what[] = "'?' is missing";
    what[1] = wanted;
    if (!ro_json_take(json, wanted))
        ro_json_fail(json, what);
}

void ro_json_text(struct ro_json *json, char *text, size_t size)
{
    ro_json_expect(json, '"');
    size_t length = strcspn(json->at, "\"\\\n");
    if (json->failed || json->at[length] != '"' || length >= size) {
        ro_json_fail(json, "a short text in quotes, without escapes, is needed");
        return;
    }
    memcpy(text, json->at, length);
    text[length] = '\0';
    json->at += length + 1;
}

double ro_json_number(struct ro_json *json)
{
    char c = ro_json_next(json), *end;
    double value = 0;
    if (c == '-' || (c >= '0' && c <= '9')) {
        value = strtod(json->at, &end);
        if (end != json->at) {
            json->at = end;
            return value;
        }
    }
    ro_json_fail(json, "a number is missing");
    return 0;
}

static void skip_text(struct ro_json *json)
{
    ro_json_expect(json, '"');
    while (!json->failed && *json->at != '"') {
        json->at += *json->at == '\\' && json->at[1];
        if (*json->at == '\0')
            ro_json_fail(json, "a text has no end");
        else
            json->at++;
    }
    ro_json_expect(json, '"');
}

static void skip(struct ro_json *json, int depth)
{
    char c = ro_json_next(json), end = c == '{' ? '}' : ']';
    if (json->failed)
        return;
    if (depth == DEEPEST) {
        ro_json_fail(json, "lists are nested too deeply");
    } else if (c == '"') {
        skip_text(json);
    } else if (c == '{' || c == '[') {
        json->at++;
        if (ro_json_take(json, end))
            return;
        do {
            if (c == '{') {
                skip_text(json);
                ro_json_expect(json, ':');
            }
            skip(json, depth + 1);
        } while (ro_json_take(json, ','));
        ro_json_expect(json, end);
    } else {
        size_t word = strcspn(json->at, " \t\r\n,]}");
        if (word == 0)
            ro_json_fail(json, "a value is missing");
        json->at += word;
    }
}

void ro_json_skip(struct ro_json *json) { skip(json, 0); }
