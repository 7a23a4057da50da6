/* SPDX-License-Identifier: MIT */
/*
 * roundoff verify: states anew what the files give and compares it with a certificate, line by
 * line; with --recompute it also makes the output once more, by the plain code, and compares bits.
 */
#include "cli/common/pictures.h"
#include "cli/task/task.h"
#include "cli/verify/options.h"
#include "roundoff/library.h"
#include "roundoff_io.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct values {
    struct common common;
    int recompute;
};

static const ro_option rows[] = {
    {RO_MEMBER(struct values, recompute), NULL,
     "make OUT again with the reference code and compare bits",
     .more = "The command runs on one thread."},
    {0},
};

static const struct values defaults;

static const ro_option_table own = {
    .name = "verify", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff verify photo.json photo.png photo.pbm",
    "roundoff verify photo.json photo.png photo.pbm --recompute",
    NULL,
};

/* ---- Comparing ------------------------------------------------------------------------------ */

static void shorten(const char *value, char text[56])
{
    snprintf(text, 56, "%.40s%s", value, strlen(value) > 40 ? " and more" : "");
}

static bool is_of_the_run(const char *name)
{
    return strncmp(name, "ran_", 4) == 0 || strcmp(name, "version") == 0;
}

/* Where two lists part: "..., 5th of 21". */
static int place_of(const char *a, const char *b)
{
    int place = 1;
    for (; *a && *a == *b; a++, b++)
        place += *a == ',';
    return place;
}

static ro_status compare(ro_context *context, const struct certificate *stated,
                         const struct certificate *found)
{
    int differ = 0;
    char first[256] = "", a[56], b[56];
    for (int i = 0; i < stated->count; i++) {
        const char *name = stated->lines[i].name, *value = stated->lines[i].value;
        const char *now = certificate_value(found, name);
        if (is_of_the_run(name) || (now && strcmp(now, value) == 0))
            continue;
        if (differ++ > 0)
            continue;
        shorten(value, a);
        shorten(now ? now : "missing", b);
        if (now && *now == '[' && strlen(now) > 40)
            snprintf(first, sizeof first, "number %d of %s differs", place_of(now, value), name);
        else
            snprintf(first, sizeof first, "%s is %s, but the certificate says %s", name, b, a);
    }
    for (int i = 0; i < found->count; i++)
        if (!is_of_the_run(found->lines[i].name) &&
            !certificate_value(stated, found->lines[i].name) && differ++ == 0)
            snprintf(first, sizeof first, "the certificate does not state %s",
                     found->lines[i].name);
    if (differ == 0)
        return RO_OK;
    if (differ > 1)
        return ro_context_fail(context, RO_E_FORMAT, "%s; %d more lines differ", first, differ - 1);
    return ro_context_fail(context, RO_E_FORMAT, "%s", first);
}

/* ---- Recomputing ---------------------------------------------------------------------------- */

static ro_status compare_pixels(ro_context *context, const char *made, const char *out)
{
    ro_image a = {0}, b = {0};
    ro_status status = ro_image_load(context, made, NULL, &a, NULL, NULL);
    if (status == RO_OK)
        status = ro_image_load(context, out, NULL, &b, NULL, NULL);
    if (status == RO_OK && (a.format != b.format || a.width != b.width || a.height != b.height ||
                            a.maxval != b.maxval))
        status = ro_context_fail(context, RO_E_FORMAT,
                                 "%s: has a different shape from the reference", out);
    const size_t bytes = status == RO_OK ? ro_format_row_bytes(a.format, a.width) : 0;
    const size_t pixel = status == RO_OK ? ro_format_row_bytes(a.format, 1) : 1;
    for (uint32_t y = 0; y < a.height && status == RO_OK; y++) {
        const unsigned char *p = (const unsigned char *)a.data + (ptrdiff_t)y * a.stride;
        const unsigned char *q = (const unsigned char *)b.data + (ptrdiff_t)y * b.stride;
        size_t x = 0;
        while (x < bytes && p[x] == q[x])
            x++;
        if (x < bytes)
            status = ro_context_fail(context, RO_E_FORMAT,
                                     "%s: pixel (%zu, %u) differs from the reference", out,
                                     x / pixel, y);
    }
    ro_image_free(&a);
    ro_image_free(&b);
    return status;
}

/* Compares every file that the run left in `folder` with its namesake beside OUT, and removes it.
 */
static ro_status compare_folder(ro_context *context, DIR *list, const char *folder, const char *out,
                                bool *any)
{
    const struct dirent *entry;
    ro_status status = RO_OK;
    const char *slash = strrchr(out, '/');
    const int length = slash ? (int)(slash - out + 1) : 0;
    *any = false;
    rewinddir(list);
    while ((entry = readdir(list))) {
        char made[4096], given[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(made, sizeof made, "%s/%s", folder, entry->d_name);
        snprintf(given, sizeof given, "%.*s%s", length, out, entry->d_name);
        *any = true;
        if (status == RO_OK)
            status = compare_pixels(context, made, given);
        unlink(made);
    }
    return status;
}

/* The work ends here: what is wrong has been told. */
static ro_status told(struct task *task, int exit_status)
{
    task->ended = exit_status;
    return RO_E_ARGUMENT;
}

/* The certificate's options and `files` as a command line that writes to `path`. */
static ro_status compose(const struct command *command, const struct certificate *stated,
                         const char *const *reference, const struct operands *files,
                         const char *path, struct arguments *arguments)
{
    if (command->verb)
        arguments_add(arguments, command->verb, "");
    const ro_status status = arguments_of(command, stated, reference, arguments);
    for (int i = 0; reference[i]; i++)
        if (reference[i][0] != '!')
            arguments_add(arguments, reference[i], "");
    arguments_add(arguments, "--quiet", "");
    arguments_add(arguments, "--", "");
    for (int i = 0; i + 1 < files->count; i++)
        arguments_add(arguments, files->path[i], "");
    arguments_add(arguments, path, "");
    if (status != RO_OK || arguments->status == RO_OK)
        return status;
    return ro_context_fail(stated->context, arguments->status, "no memory for a certificate");
}

/* Runs the command once more into a folder of its own. */
static ro_status recompute(struct task *task, const struct command *command,
                           const struct certificate *stated, const void *values,
                           const struct operands *files)
{
    const char *place = getenv("TMPDIR"), *out = files->path[files->count - 1];
    const char *slash = strrchr(out, '/'), *const *reference = command->reference(values);
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s/roundoff-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        return told(task, fail("%s: cannot make a folder to recompute in", folder));
    DIR *list = opendir(folder); /* now: later there may be no memory to empty it */
    if (!list) {
        rmdir(folder);
        return told(task, fail("%s: cannot make a folder to recompute in", folder));
    }
    snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : out);
    struct arguments arguments = {0};
    ro_status status = compose(command, stated, reference, files, path, &arguments);
    int result = status == RO_OK ? command->run(command, arguments.count, arguments.list) : 0;
    arguments_free(&arguments);
    bool any = true;
    if (status == RO_OK)
        status = compare_folder(task->context, list, folder, out, &any);
    closedir(list);
    if (rmdir(folder) != 0 && result == 0)
        result = fail("%s: cannot be removed", folder);
    if (result)
        return told(task, result);
    if (status == RO_OK && !any)
        status = ro_context_fail(task->context, RO_E_IO, "the reference run wrote no file");
    return status;
}

/* ---- The command ---------------------------------------------------------------------------- */

static bool is_named(const struct command *command, const char *name)
{
    return command->certify && strcmp(name, command->name) == 0;
}

static const struct command *find_command(const struct certificate *stated)
{
    const struct command *found = NULL;
    char *name = certificate_plain(stated->context, certificate_value(stated, "command"));
    for (int i = 0; name && commands[i] && !found; i++)
        found = is_named(commands[i], name) ? commands[i] : NULL;
    const struct command *const verbs[] = {&command_calibrate_fit, &command_register_apply};
    for (int i = 0; name && i < 2 && !found; i++)
        found = is_named(verbs[i], name) ? verbs[i] : NULL;
    free(name);
    return found;
}

/* The values of the certified command and its operands, as they were. */
static ro_status read_back(struct task *task, const struct command *command,
                           const struct certificate *stated, struct arguments *arguments,
                           void *values, struct operands *files)
{
    const struct operands *given = task->files;
    const char *operand = certificate_value(stated, "operand");
    ro_status status = arguments_of(command, stated, NULL, arguments);
    arguments_add(arguments, "--", "");
    if (operand) {
        char *text = certificate_plain(task->context, operand);
        if (!text && status == RO_OK)
            status = ro_context_fail(task->context, RO_E_FORMAT, "the operand is not text");
        arguments_add(arguments, text ? text : "", "");
        free(text);
    }
    for (int i = 1; i < given->count; i++)
        arguments_add(arguments, given->path[i], "");
    if (status == RO_OK && arguments->status != RO_OK)
        status = ro_context_fail(task->context, arguments->status, "no memory for a certificate");
    if (status != RO_OK)
        return status;
    memcpy(values, command->defaults, command->values_size);
    return options_parse(command, arguments->count, arguments->list, values, files) == PARSED
               ? RO_OK
               : told(task, EXIT_BAD_USAGE);
}

/* 0, or an exit status after saying why these files cannot be checked. */
static int refuse_files(const struct values *asked, const struct command *command,
                        const struct operands *given, const struct certificate *stated)
{
    if (!command || !certificate_value(stated, "version"))
        return fail("%s: certifies a command that this version does not know", given->path[0]);
    const char *files = certificate_value(stated, "files");
    const int wanted = files && strlen(files) == 1 ? *files - '0' : 0;
    if (wanted < 1 || wanted >= MAX_OPERANDS || (command->files && wanted != command->files))
        return fail("%s: is not a valid certificate of %s", given->path[0], command->name);
    if (asked->recompute && !command->reference)
        return fail("--recompute: %s makes no picture to recompute", command->name);
    if (given->count - 1 != wanted)
        return fail("a certificate of %s is verified with %s", command->name,
                    wanted == 1   ? strchr(command->operands, ' ') ? "OUT" : command->operands
                    : wanted == 2 ? "IN and OUT"
                                  : "both inputs and OUT");
    return 0;
}

static ro_status check(struct task *task, struct certificate *stated)
{
    const struct values *asked = task->values;
    struct certificate found = {0};
    struct arguments arguments = {0};
    struct operands files;
    const struct command *command = find_command(stated);
    const int refused = refuse_files(asked, command, task->files, stated);
    if (refused)
        return told(task, refused);
    void *values = malloc(command->values_size);
    if (!values)
        return ro_context_fail(task->context, RO_E_MEMORY, "no memory for a certificate");
    ro_status status = read_back(task, command, stated, &arguments, values, &files);
    if (status == RO_OK)
        status = certificate_state(command, task->context, values, &files, &found);
    if (status == RO_OK)
        status = compare(task->context, stated, &found);
    if (status == RO_OK && asked->recompute)
        status = recompute(task, command, stated, values, &files);
    certificate_close(&found);
    arguments_free(&arguments);
    free(values);
    return status;
}

static ro_status work(struct task *task)
{
    struct certificate *stated = task->data;
    ro_status status = certificate_read(task->context, task->files->path[0], stated);
    if (status == RO_OK)
        status = check(task, stated);
    pictures_begin(false); /* what was dropped was told when the files were made */
    return status;
}

static int lines_of(const struct certificate *stated)
{
    int lines = 0;
    for (int i = 0; i < stated->count; i++)
        lines += !is_of_the_run(stated->lines[i].name);
    return lines;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct values *values = task->values;
    json_put(file, "{command %s, certificate %s, lines %d, recomputed %hhd, verified true}\n",
             "verify", task->files->path[0], lines_of(task->data), values->recompute);
}

static void print_line(const struct task *task)
{
    const struct values *values = task->values;
    const struct certificate *stated = task->data;
    char *version = certificate_plain(task->context, certificate_value(stated, "version"));
    tell("verify: %s holds, %d lines checked%s (made by version %s)", task->files->path[0],
         lines_of(stated), values->recompute ? ", the reference gives the same bits" : "",
         version ? version : "");
    free(version);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count < 2)
        return usage_error(command, "verify needs CERT, IN and OUT");
    struct certificate stated = {0};
    const int result = task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .data = &stated,
        .work = work,
        .json = print_json,
        .say = print_line,
    });
    certificate_close(&stated);
    return result;
}

const struct command command_verify = {
    .name = "verify",
    .operands = "CERT IN... OUT",
    .summary = "checks files against a certificate; finds edits, not forgery",
    .own = &own,
    .common = COMMON_THREADS | COMMON_QUIET | COMMON_JSON,
    .examples = examples,
    .run = run,
};
