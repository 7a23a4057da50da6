/* SPDX-License-Identifier: MIT */
/* The command `roundoff`: finds the command in the table and runs it. */
#include "cli/frame/cli.h"
#include "cli/frame/signals.h"
#include "core/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* clang-format off */
const struct command *const commands[] = {
    &command_halftone,
    &command_screen,
    &command_denoise,
    &command_hologram,
    &command_register,
    &command_segment,
    &command_measure,
    &command_compare,
    &command_calibrate,
    &command_verify,
    &command_testcard,
    &command_devices,
    &command_bench,
    NULL,
};
/* clang-format on */

/* A file name may hold anything; the sentence stays one line. */
static void say(const char *more, const char *format, va_list arguments)
{
    char sentence[1024];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    for (char *c = sentence; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "roundoff: %s%s\n", sentence, more);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
    return 1;
}

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

int usage_error(const struct command *command, const char *format, ...)
{
    char more[80];
    snprintf(more, sizeof more, " (see roundoff %s%s--help)", command ? command->name : "",
             command ? " " : "");
    va_list arguments;
    va_start(arguments, format);
    say(more, format, arguments);
    va_end(arguments);
    return EXIT_BAD_USAGE;
}

int finish_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return fail("standard output: %s", strerror(errno));
}

/* The length of the UTF-8 character that starts here, 0 if none does. */
static int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char from, to, low, high; /* of the first byte, and of the second */
        int length;
    } rows[] = {
        {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text[0] < rows[i].from || text[0] > rows[i].to)
            continue;
        if (rows[i].length > 1 && (text[1] < rows[i].low || text[1] > rows[i].high))
            return 0;
        for (int k = 2; k < rows[i].length; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        return rows[i].length;
    }
    return 0;
}

void json_string(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        unsigned char c = (unsigned char)*text;
        int length = utf8_length((const unsigned char *)text);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (c < 0x20 || c == 0x7f || c == '<') /* "</script>" must not end a page's data */
            fprintf(file, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else
            fwrite(text, 1, (size_t)length, file);
        text += length ? length : 1;
    }
    fputc('"', file);
}

static int help(void)
{
    puts("Usage: roundoff COMMAND [options]\n"
         "Pictures with few bits, the rounding error kept where it does no harm.\n");
    for (int i = 0; commands[i]; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n"
         "  --version  print the version\n"
         "  --help     print this; after a command, its options\n"
         "  -          as the name of a file: standard input or output, PNM\n"
         "\n"
         "Examples:\n"
         "  roundoff halftone photo.jpg photo.tif\n"
         "  roundoff testcard - | roundoff halftone - card.png --levels 4");
    return finish_stdout();
}

static int unknown_command(const char *name)
{
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (; commands[count]; count++)
        names[count] = commands[count]->name;
    const char *nearest = ro_name_nearest(name, names, count);
    const char *kind = name[0] == '-' ? "option" : "command";
    if (nearest && name[0] != '-')
        return usage_error(NULL, "unknown %s %s, did you mean %s?", kind, name, nearest);
    return usage_error(NULL, "unknown %s %s", kind, name);
}

int main(int argc, char **argv)
{
    signals_catch();
    if (argc < 2)
        return usage_error(NULL, "no command given");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("roundoff %s\n", ro_version());
        return finish_stdout();
    }
    for (int i = 0; commands[i]; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(commands[i], argc - 2, argv + 2);
    return unknown_command(argv[1]);
}
