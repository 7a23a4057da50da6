/* SPDX-License-Identifier: MIT */
/* Prints src/screen/uniform_table.c, the built-in threshold array as uniform_make makes
 * it. */
#include "screen/uniform.h"

#include <stdio.h>
#include <stdlib.h>

static const char opening[] =
    "/* SPDX-License-Identifier: MIT */\n"
    "/* The built-in threshold array, printed by tools/uniform_table.c; a test makes it again. */\n"
    "#include \"screen/uniform.h\"\n\n"
    "/* clang-format off */\n";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

int main(void)
{
    enum { CELLS_A_LINE = 31 };
    uint32_t count = uniform_cells(UNIFORM_SIZE, UNIFORM_TABLE_LEVELS);
    uint32_t *order = malloc(count * sizeof *order);
    ro_context *context = NULL;
    if (!order || ro_context_open(NULL, &context) != RO_OK ||
        uniform_make(context, UNIFORM_SIZE, UNIFORM_SEED, UNIFORM_TABLE_LEVELS, order) != RO_OK)
        return EXIT_FAILURE;
    printf("%sconst char uniform_digits[65] = \"%s\";\n\nconst char uniform_table[] =", opening,
           digits);
    for (uint32_t i = 0; i < count; i++) {
        if (i % CELLS_A_LINE == 0)
            printf("%s\n    \"", i ? "\"" : "");
        printf("%c%c%c", digits[order[i] >> 12], digits[order[i] >> 6 & 63], digits[order[i] & 63]);
    }
    puts("\";");
    ro_context_close(context);
    free(order);
    return EXIT_SUCCESS;
}
