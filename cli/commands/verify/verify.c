/* SPDX-License-Identifier: MIT */
/*
 * roundoff verify: states anew what the files give and compares it with a certificate, line by
 * line; with --recompute it also makes the output once more, by the plain code, and compares bits.
 */
#include "cli/commands/verify/verify_options.h"
#include "cli/frame/work.h"
#include "roundoff_io.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct values {
    struct common common;
    bool recompute;
};

static const struct option options[] = {
    {"recompute", NULL, "make OUT again by the plain code and compare its bits", OPTION_FLAG,
     .offset = offsetof(struct values, recompute)},
    {0},
};

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
            snprintf(first, sizeof first, "number %d of %s is another", place_of(now, value), name);
        else
            snprintf(first, sizeof first, "%s is %s, the certificate says %s", name, b, a);
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
        status =
            ro_context_fail(context, RO_E_FORMAT, "%s: has another shape than the reference", out);
    const size_t bytes = status == RO_OK ? ro_format_row_bytes(a.format, a.width) : 0;
    const size_t pixel = status == RO_OK ? ro_format_row_bytes(a.format, 1) : 1;
    for (uint32_t y = 0; y < a.height && status == RO_OK; y++) {
        const char *p = (const char *)a.data + (ptrdiff_t)y * a.stride;
        const char *q = (const char *)b.data + (ptrdiff_t)y * b.stride;
        size_t x = 0;
        while (x < bytes && p[x] == q[x])
            x++;
        if (x < bytes)
            status =
                ro_context_fail(context, RO_E_FORMAT, "%s: pixel (%zu, %u) is not the reference's",
                                out, x / pixel, y);
    }
    ro_image_free(&a);
    ro_image_free(&b);
    return status;
}

/* Compares every file that the run left in `folder` with its namesake beside OUT. */
static ro_status compare_folder(ro_context *context, const char *folder, const char *out, bool *any)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    ro_status status = RO_OK;
    const char *slash = strrchr(out, '/');
    const int length = slash ? (int)(slash - out + 1) : 0;
    *any = false;
    while (list && (entry = readdir(list))) {
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
    if (list)
        closedir(list);
    return status;
}

/* Runs the command once more into a folder of its own. */
static int recompute(const struct command *command, struct work *work,
                     const struct certificate *stated, const void *values,
                     const struct operands *files)
{
    const char *place = getenv("TMPDIR"), *out = files->path[files->count - 1];
    const char *slash = strrchr(out, '/'), *const *reference = command->reference(values);
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s/roundoff-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        return fail("%s: no folder can be made to recompute in", folder);
    snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : out);
    struct arguments arguments = {0};
    if (command->verb)
        arguments_add(&arguments, command->verb, "");
    ro_status status = arguments_of(command, stated, reference, &arguments);
    for (int i = 0; reference[i]; i++)
        if (reference[i][0] != '!')
            arguments_add(&arguments, reference[i], "");
    arguments_add(&arguments, "--quiet", "");
    arguments_add(&arguments, "--", "");
    for (int i = 0; i + 1 < files->count; i++)
        arguments_add(&arguments, files->path[i], "");
    arguments_add(&arguments, path, "");
    if (status == RO_OK && arguments.status != RO_OK)
        status = ro_context_fail(work->context, arguments.status, "no memory for a certificate");
    int result = status == RO_OK ? command->run(command, arguments.count, arguments.list) : 0;
    arguments_free(&arguments);
    bool any = true;
    if (status == RO_OK)
        status = compare_folder(work->context, folder, out, &any);
    if (rmdir(folder) != 0 && result == 0)
        result = fail("%s: cannot be removed", folder);
    if (result)
        return result;
    if (status == RO_OK && !any)
        status = ro_context_fail(work->context, RO_E_IO, "the reference left no file");
    return status == RO_OK ? 0 : work_failed(work, status, "-");
}

/* ---- The command ---------------------------------------------------------------------------- */

static bool is_named(const struct command *command, const char *name)
{
    return command->certify && strcmp(name, command->name) == 0;
}

static const struct command *find_command(const char *quoted)
{
    const struct command *found = NULL;
    char *name = certificate_plain(quoted);
    for (int i = 0; name && commands[i] && !found; i++)
        found = is_named(commands[i], name) ? commands[i] : NULL;
    if (name && !found && is_named(&command_calibrate_fit, name))
        found = &command_calibrate_fit;
    free(name);
    return found;
}

/* The values of the certified command and its operands, as they were. */
static int read_back(const struct command *command, struct work *work,
                     const struct certificate *stated, const struct operands *given,
                     struct arguments *arguments, void *values, struct operands *files)
{
    const char *operand = certificate_value(stated, "operand");
    ro_status status = arguments_of(command, stated, NULL, arguments);
    arguments_add(arguments, "--", "");
    if (operand) {
        char *text = certificate_plain(operand);
        if (!text && status == RO_OK)
            status = ro_context_fail(work->context, RO_E_FORMAT, "the operand is no text");
        arguments_add(arguments, text ? text : "", "");
        free(text);
    }
    for (int i = 1; i < given->count; i++)
        arguments_add(arguments, given->path[i], "");
    if (status == RO_OK && arguments->status != RO_OK)
        status = ro_context_fail(work->context, arguments->status, "no memory for a certificate");
    if (status != RO_OK)
        return work_failed(work, status, "-");
    memcpy(values, command->defaults, command->values_size);
    return options_parse(command, arguments->count, arguments->list, values, files) == PARSED
               ? 0
               : EXIT_BAD_USAGE;
}

static int check(const struct values *asked, struct work *work, const struct operands *given,
                 struct certificate *stated)
{
    struct certificate found = {0};
    struct arguments arguments = {0};
    struct operands files;
    const struct command *command = find_command(certificate_value(stated, "command"));
    if (!command || !certificate_value(stated, "version"))
        return fail("%s: certifies a command that this roundoff does not know", given->path[0]);
    const char *files_stated = certificate_value(stated, "files");
    const int wanted = files_stated && strlen(files_stated) == 1 ? *files_stated - '0' : 0;
    if (wanted < 1 || wanted >= MAX_OPERANDS || (command->files && wanted != command->files))
        return fail("%s: is no certificate of %s, which it names", given->path[0], command->name);
    if (asked->recompute && !command->reference)
        return fail("--recompute: %s makes no picture that could be made again", command->name);
    if (given->count - 1 != wanted)
        return fail("this certificate of %s is verified with %s", command->name,
                    wanted == 1   ? strchr(command->operands, ' ') ? "OUT" : command->operands
                    : wanted == 2 ? "IN and OUT"
                                  : "both inputs and OUT");
    certificate_complete(stated, command);
    if (stated->status != RO_OK)
        return work_failed(work, stated->status, "-");
    void *values = malloc(command->values_size);
    if (!values)
        return fail("not enough memory");
    int result = read_back(command, work, stated, given, &arguments, values, &files);
    if (result == 0) {
        ro_status status = certificate_state(command, work->context, values, &files, &found);
        if (status == RO_OK)
            status = compare(work->context, stated, &found);
        if (status != RO_OK)
            result = work_failed(work, status, "-");
    }
    if (result == 0 && asked->recompute)
        result = recompute(command, work, stated, values, &files);
    certificate_close(&found);
    arguments_free(&arguments);
    free(values);
    return result;
}

static void say_verified(const struct values *values, const struct operands *files,
                         const struct certificate *stated)
{
    char *version = certificate_plain(certificate_value(stated, "version"));
    int lines = 0;
    for (int i = 0; i < stated->count; i++)
        lines += !is_of_the_run(stated->lines[i].name);
    if (values->common.json) {
        fputs("{\"command\": \"verify\", \"certificate\": ", stdout);
        json_string(stdout, files->path[0]);
        printf(", \"lines\": %d, \"recomputed\": %s, \"verified\": true}\n", lines,
               values->recompute ? "true" : "false");
    } else if (!values->common.quiet) {
        tell("verify: %s holds, %d lines checked%s (made by version %s)", files->path[0], lines,
             values->recompute ? ", the reference gives the same bits" : "",
             version ? version : "");
    }
    free(version);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = {0};
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count < 2)
        return usage_error(command, "verify needs CERT, IN and OUT");

    struct work work;
    int result = work_begin(&work, &values.common);
    if (result)
        return result;
    struct certificate stated = {0};
    ro_status status = certificate_read(work.context, files.path[0], &stated);
    if (status != RO_OK)
        result = work_failed(&work, status, "-");
    else
        result = check(&values, &work, &files, &stated);
    work_end(&work);
    if (result == 0) {
        say_verified(&values, &files, &stated);
        result = finish_stdout();
    }
    certificate_close(&stated);
    work_close(&work);
    return result;
}

const struct command command_verify = {
    .name = "verify",
    .operands = "CERT IN... OUT",
    .summary = "checks files against a certificate; finds edits, not forgery",
    .options = options,
    .common = COMMON_THREADS | COMMON_QUIET | COMMON_JSON,
    .examples = examples,
    .run = run,
};
