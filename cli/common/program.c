/* SPDX-License-Identifier: MIT */
#include "cli/common/program.h"

#include "cli/common/signals.h"
#include "roundoff/library.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int help(void)
{
    printf("Usage: %s COMMAND [options]\n%s\n\n", program.name, program.summary);
    for (int i = 0; commands[i]; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n"
           "  --version  print the version; --describe: all options, as JSON\n"
           "  help       print this; before a command, its options, as --help after it\n"
           "%s\n"
           "Examples:\n%s\n",
           program.names, program.examples);
    return finish_stdout();
}

static void unknown_command(const char *name)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    for (; commands[count] && count < MOST; count++)
        names[count] = commands[count]->name;
    const char *nearest = ro_name_nearest(name, names, count);
    const char *kind = name[0] == '-' ? "option" : "command";
    if (nearest && name[0] != '-')
        usage_error(NULL, "unknown %s %s, did you mean %s?", kind, name, nearest);
    else
        usage_error(NULL, "unknown %s %s", kind, name);
}

/* A standard descriptor that is closed would be given to the next file that is opened, and what is
 * said would go there. /dev/null takes its place, the wrong way round: using it fails as before. */
static void fill_standard(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void program_begin(void)
{
    fill_standard();
    signals_catch();
}

/* The command of that name; or NULL, and what is wrong has been said. */
static const struct command *find_command(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    unknown_command(name);
    return NULL;
}

/* "help" alone, or before a command and its arguments, which may name a topic. */
static int help_with(int argc, char **argv)
{
    enum { MOST = 8 };
    char *arguments[MOST + 1] = {"--help"};
    if (argc == 0)
        return help();
    if (argc > MOST)
        return usage_error(NULL, "help: too many arguments");
    for (int i = 1; i < argc; i++)
        arguments[i] = argv[i];
    const struct command *command = find_command(argv[0]);
    return command ? command->run(command, argc, arguments) : EXIT_BAD_USAGE;
}

int program_run(int argc, char **argv)
{
    if (argc < 2)
        return usage_error(NULL, "no command given");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", program.name, ro_version());
        return finish_stdout();
    }
    if (strcmp(argv[1], "--describe") == 0)
        return describe();
    if (strcmp(argv[1], "help") == 0)
        return help_with(argc - 2, argv + 2);
    const struct command *command = find_command(argv[1]);
    return command ? command->run(command, argc - 2, argv + 2) : EXIT_BAD_USAGE;
}
