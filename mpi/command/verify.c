/* SPDX-License-Identifier: MIT */
/* roundoff-mpi verify: the hashes that a certificate of roundoff states, against files of any size;
 * roundoff-mpi hash: such hashes. What else a certificate states needs whole pictures. */
#include "cli/certificate/certificate.h"

#include "cli/common/signals.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>

struct values {
    struct common common;
    int rows;
};

static const ro_option rows[] = {
    {RO_MEMBER(struct values, rows), "N", "rows of a band; bands go round the ranks", .min = 1,
     .max = 1 << 24, .derived = "256"},
    {0},
};

static const struct values defaults;

static const ro_option_table own = {
    .name = "hash", .rows = rows, .unset = &defaults, .size = sizeof defaults};

/* ---- Hashes ---------------------------------------------------------------------------------- */

static ro_status hash_file(ro_context *context, const struct values *values, const char *path,
                           char text[RO_HASH_TEXT], ro_mpi_report *report)
{
    const ro_mpi_options how = {RO_MPI_DEFAULTS, .rows = (uint32_t)values->rows};
    const ro_read_options read = {RO_READ_DEFAULTS, .pages = RO_PAGES_STACK};
    return ro_mpi_hash(MPI_COMM_WORLD, context, path, &read, &how, text, report);
}

static ro_status print_hashes(ro_context *context, const struct values *values,
                              const struct operands *files, ro_mpi_report *report)
{
    char text[RO_HASH_TEXT];
    ro_status status = RO_OK;
    for (int i = 0; i < files->count && status == RO_OK; i++) {
        status = hash_file(context, values, files->path[i], text, report);
        if (status == RO_OK && values->common.json) {
            printf("%s{\"hash\": \"%s\", \"file\": ", i ? ",\n " : "[", text);
            json_string(stdout, files->path[i]);
            fputs(i + 1 < files->count ? "}" : "}]\n", stdout);
        } else if (status == RO_OK) {
            printf("%s  %s\n", text, files->path[i]);
        }
    }
    return status;
}

/* ---- Verifying ------------------------------------------------------------------------------- */

static bool is(const struct certificate *stated, const char *name, const char *text)
{
    const char *value = certificate_value(stated, name);
    const size_t length = strlen(text);
    return value && strlen(value) == length + 2 && value[0] == '"' &&
           strncmp(value + 1, text, length) == 0;
}

static ro_status compare(ro_context *context, const struct values *values,
                         const struct certificate *stated, const char *role, const char *path,
                         ro_mpi_report *report)
{
    char name[32], text[RO_HASH_TEXT];
    snprintf(name, sizeof name, "%s_hash", role);
    const ro_status status = hash_file(context, values, path, text, report);
    if (status != RO_OK || is(stated, name, text))
        return status;
    return ro_context_fail(context, RO_E_FORMAT,
                           "%s: its pixels have the hash %s, but the certificate says %s", path,
                           text, certificate_value(stated, name));
}

/* Which certificates: those whose files are read as they are. */
static ro_status check(ro_context *context, const struct certificate *stated,
                       const struct operands *files, bool *has_input)
{
    const char *count = certificate_value(stated, "files");
    const bool known = is(stated, "command", "halftone") || is(stated, "command", "denoise") ||
                       is(stated, "command", "testcard");
    *has_input = certificate_value(stated, "input_hash") != NULL;
    if (!known || !count || !certificate_value(stated, "output_hash"))
        return ro_context_fail(
            context, RO_E_UNSUPPORTED,
            "%s: ranks verify certificates of halftone, denoise and testcard with "
            "one output; roundoff verify knows the others",
            files->path[0]);
    if (files->count != (*has_input ? 3 : 2))
        return ro_context_fail(context, RO_E_ARGUMENT, "%s: is verified with %s", files->path[0],
                               *has_input ? "IN and OUT" : "OUT");
    return RO_OK;
}

static ro_status verify(ro_context *context, const struct values *values,
                        const struct operands *files, ro_mpi_report *report)
{
    struct certificate stated = {0};
    bool has_input = false;
    ro_status status = certificate_read(context, files->path[0], &stated);
    if (status == RO_OK)
        status = check(context, &stated, files, &has_input);
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst != RO_OK && status == RO_OK)
        status = ro_context_fail(context, (ro_status)worst, "a rank cannot read the certificate");
    if (status == RO_OK && has_input)
        status = compare(context, values, &stated, "input", files->path[1], report);
    if (status == RO_OK)
        status = compare(context, values, &stated, "output", files->path[files->count - 1], report);
    certificate_close(&stated);
    return status;
}

/* ---- The commands ---------------------------------------------------------------------------- */

static int run(const struct command *command, int argc, char **argv)
{
    const bool verifies = command == &ranks_verify;
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count < (verifies ? 2 : 1))
        return usage_error(command, verifies ? "verify needs CERT, IN and OUT" : "hash needs FILE");
    ro_context *context = ranks_context(&values.common);
    if (!context)
        return EXIT_FAILURE;
    ro_mpi_report report = {0};
    const ro_status status = verifies ? verify(context, &values, &files, &report)
                                      : print_hashes(context, &values, &files, &report);
    const int result = ranks_end(context, status, &report, NULL);
    if (result == 0 && verifies && values.common.json) {
        json_put(stdout, "{command %s, certificate %s, hashes %d, verified true}\n", "verify",
                 files.path[0], files.count - 1);
    } else if (result == 0 && verifies && !values.common.quiet) {
        tell("verify: the hashes of %s hold; its other lines were not checked", files.path[0]);
    }
    signals_watch(NULL);
    ro_context_close(context);
    return result ? result : finish_stdout();
}

static const char *const examples[] = {
    "mpirun -n 8 roundoff-mpi verify wall.json wall.tif wall-2.tif",
    "mpirun -n 8 roundoff-mpi hash wall.tif wall-2.tif",
    NULL,
};

const struct command ranks_verify = {.name = "verify",
                                     .operands = "CERT [IN] OUT",
                                     .summary = "checks files against the hashes of a certificate",
                                     .own = &own,
                                     .common = COMMON_QUIET | COMMON_JSON,
                                     .examples = examples,
                                     .run = run};

const struct command ranks_hash = {.name = "hash",
                                   .operands = "FILE...",
                                   .summary = "hashes of pictures, as certificates have them",
                                   .own = &own,
                                   .common = COMMON_QUIET | COMMON_JSON,
                                   .examples = examples,
                                   .run = run};
