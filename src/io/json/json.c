/* SPDX-License-Identifier: MIT */
#include "io/json/json.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

void json_fail(struct json_parser *json, const char *what)
{
    int line = 1;
    for (const char *c = json->text; c < json->at; c++)
        line += *c == '\n';
    if (!json->failed)
        ro_context_fail(json->context, RO_E_FORMAT, "%s: line %d: %s", json->path, line, what);
    json->failed = true;
}

char json_next(struct json_parser *json)
{
    json->at += strspn(json->at, " \t\r\n");
    return *json->at;
}

bool json_take(struct json_parser *json, char wanted)
{
    if (json->failed || json_next(json) != wanted)
        return false;
    json->at++;
    return true;
}

void json_expect(struct json_parser *json, char wanted)
{
    char what[] = "'?' is missing";
    what[1] = wanted;
    if (!json_take(json, wanted))
        json_fail(json, what);
}

/* The letter after a backslash, from 1 to 0xffff; 0: there is none. */
static unsigned escaped(struct json_parser *json)
{
    static const char names[] = "\"\\/bfnrt", letters[] = "\"\\/\b\f\n\r\t";
    const char *name = *json->at ? strchr(names, *json->at) : NULL;
    if (name) {
        json->at++;
        return (unsigned char)letters[name - names];
    }
    unsigned value = 0;
    if (*json->at != 'u')
        return 0;
    for (int i = 1; i <= 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = json->at[i] ? strchr(digits, json->at[i]) : NULL;
        if (!digit)
            return 0;
        value = 16 * value + (unsigned)(digit - digits) % 16;
    }
    json->at += 5;
    return value >= 0xd800 && value < 0xe000 ? 0 : value; /* halves of a pair are no letters */
}

/* A letter as UTF-8; how many bytes. */
static size_t encode(unsigned letter, char to[3])
{
    if (letter < 0x80) {
        to[0] = (char)letter;
        return 1;
    }
    if (letter < 0x800) {
        to[0] = (char)(0xc0 | letter >> 6);
        to[1] = (char)(0x80 | (letter & 0x3f));
        return 2;
    }
    to[0] = (char)(0xe0 | letter >> 12);
    to[1] = (char)(0x80 | (letter >> 6 & 0x3f));
    to[2] = (char)(0x80 | (letter & 0x3f));
    return 3;
}

/* The next letter of a string; 0 bytes: there is none. */
static size_t take_letter(struct json_parser *json, char bytes[3])
{
    if (*json->at == '\0' || *json->at == '\n')
        return 0;
    bytes[0] = *json->at++;
    if (bytes[0] != '\\')
        return 1;
    const unsigned letter = escaped(json);
    return letter ? encode(letter, bytes) : 0;
}

void json_read_text(struct json_parser *json, char *text, size_t size)
{
    size_t length = 0;
    json_expect(json, '"');
    while (!json->failed && *json->at != '"') {
        char bytes[3];
        const size_t count = take_letter(json, bytes);
        if (count == 0 || count >= size - length) {
            json_fail(json, "a short text in quotes is needed");
            return;
        }
        memcpy(text + length, bytes, count);
        length += count;
    }
    if (json->failed)
        return;
    text[length] = '\0';
    json->at++;
}

double json_read_number(struct json_parser *json)
{
    char c = json_next(json), *end;
    double value = 0;
    if (c == '-' || (c >= '0' && c <= '9')) {
        value = strtod(json->at, &end);
        if (end != json->at) {
            json->at = end;
            return value;
        }
    }
    json_fail(json, "a number is missing");
    return 0;
}

static void skip_text(struct json_parser *json)
{
    json_expect(json, '"');
    while (!json->failed && *json->at != '"') {
        json->at += *json->at == '\\' && json->at[1];
        if (*json->at == '\0')
            json_fail(json, "a text has no end");
        else
            json->at++;
    }
    json_expect(json, '"');
}

static void skip(struct json_parser *json, int depth)
{
    char c = json_next(json), end = c == '{' ? '}' : ']';
    if (json->failed)
        return;
    if (depth == DEEPEST) {
        json_fail(json, "lists are nested too deeply");
    } else if (c == '"') {
        skip_text(json);
    } else if (c == '{' || c == '[') {
        json->at++;
        if (json_take(json, end))
            return;
        do {
            if (c == '{') {
                skip_text(json);
                json_expect(json, ':');
            }
            skip(json, depth + 1);
        } while (json_take(json, ','));
        json_expect(json, end);
    } else {
        size_t word = strcspn(json->at, " \t\r\n,]}");
        if (word == 0)
            json_fail(json, "a value is missing");
        json->at += word;
    }
}

void json_skip(struct json_parser *json) { skip(json, 0); }
