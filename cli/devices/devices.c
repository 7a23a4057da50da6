/* SPDX-License-Identifier: MIT */
/* roundoff devices: what can compute here. */
#include "cli/common/cli.h"

struct values {
    struct common common;
};

static const char *const examples[] = {
    "roundoff devices",
    "roundoff devices --json",
    NULL,
};

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = {0};
    struct operands none;
    int ended;
    if (!options_take(command, argc, argv, &values, &none, &ended))
        return ended;
    if (none.count)
        return usage_error(command, "devices takes no file; %s was given", none.path[0]);

    if (values.common.json)
        puts("[");
    for (int i = 0;; i++) {
        ro_device_info info = {.size = sizeof info};
        ro_status status = ro_device_at(i, &info);
        if (status == RO_E_ARGUMENT) /* there are no more */
            break;
        if (status != RO_OK)
            return fail("device %d: %s", i, ro_status_name(status));
        if (!values.common.json) {
            printf("%s:%d  %s (%s), %.1f GiB\n", ro_device_name(info.device), info.index, info.name,
                   info.detail, (double)info.memory / (1 << 30));
            continue;
        }
        fputs(i ? ",\n  " : "  ", stdout);
        json_put(stdout, "{device %s, index %d, name %s, detail %s", ro_device_name(info.device),
                 info.index, info.name, info.detail);
        printf(", \"memory\": %llu}", (unsigned long long)info.memory);
    }
    if (values.common.json)
        puts("\n]");
    return finish_stdout();
}

const struct command command_devices = {
    .name = "devices",
    .operands = "",
    .summary = "lists the processors and accelerators found here",
    .common = COMMON_JSON,
    .examples = examples,
    .run = run,
};
