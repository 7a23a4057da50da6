/* SPDX-License-Identifier: MIT */
/* The command `roundoff`: finds the command in the table and runs it. */
#include "cli/frame/cli.h"
#include "cli/frame/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

/* A standard descriptor that is closed would be given to the next file that is opened, and what is
 * said would go there. /dev/null takes its place, the wrong way round: using it fails as before. */
static void fill_standard(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    fill_standard();
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
