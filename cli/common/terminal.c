/* SPDX-License-Identifier: MIT */
/*
 * What is said to people. Names and texts of files may hold anything: escape sequences
 * that a terminal obeys, ends of lines, letters that turn the direction of writing round. All that
 * is said passes one filter, which leaves a line of letters.
 */
#include "cli/common/cli.h"
#include "io/json/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Marks of direction (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and ends of lines
 * (U+2028, U+2029). */
static bool is_mark(const unsigned char *c)
{
    return c[0] == 0xe2 &&
           ((c[1] == 0x80 && ((c[2] >= 0xa8 && c[2] <= 0xae) || c[2] == 0x8e || c[2] == 0x8f)) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

/* In place: what is no letter becomes a question mark. */
static void make_plain(char *text)
{
    char *to = text;
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (length == 0 || utf8_is_control(c) || is_mark(c)) {
            *to++ = '?';
            c += length ? length : 1;
        } else {
            for (; length > 0; length--)
                *to++ = (char)*c++;
        }
    }
    *to = '\0';
}

static bool silent;

void speak(bool speaks) { silent = !speaks; }

/* `named`: the program says it. */
static void say(bool named, const char *more, const char *format, va_list arguments)
{
    char sentence[1024];
    if (silent)
        return;
    vsnprintf(sentence, sizeof sentence, format, arguments);
    make_plain(sentence);
    fprintf(stderr, "%s%s%s%s\n", named ? program.name : "", named ? ": " : "", sentence, more);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(true, "", format, arguments);
    va_end(arguments);
    return 1;
}

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(true, "", format, arguments);
    va_end(arguments);
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(false, "", format, arguments);
    va_end(arguments);
}

int usage_error(const struct command *command, const char *format, ...)
{
    char more[80];
    snprintf(more, sizeof more, " (see %s %s%s--help)", program.name, command ? command->name : "",
             command ? " " : "");
    va_list arguments;
    va_start(arguments, format);
    say(true, more, format, arguments);
    va_end(arguments);
    return EXIT_BAD_USAGE;
}

int finish_stdout(void) { return finish_stdout_after(NULL); }

int finish_stdout_after(const char *out)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    const bool file = out && strcmp(out, "-") != 0;
    return fail("standard output: %s%s", strerror(errno),
                file ? ", but the files were written" : "");
}

bool read_degrees(const char *text, double *degrees)
{
    char *end;
    *degrees = strtod(text, &end);
    return end != text && *end == '\0' && strspn(text, "+-.0123456789") == strlen(text) &&
           *degrees >= -360 && *degrees <= 360;
}
