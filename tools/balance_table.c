/* SPDX-License-Identifier: MIT */
/*
 * Prints src/halftone/error_diffusion/tables/balanced_threshold.c. A flat of every place between
 * two levels is halftoned; moving what the choice sees by the mean of the errors moves that mean to
 * zero, up to what the borders do. The same a few times is enough.
 */
#include "halftone/error_diffusion/diffusion.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 768, EDGE = 96, ROUNDS = 4, MAXVAL = 16 * BALANCE_PLACES, MOST = 500 };

/* The mean error of a flat inside its borders, in BALANCE_UNITs of a step. */
static double mean_error(const struct diffusion_plan *plan, int place, int32_t *state)
{
    static uint16_t in[SIZE];
    static unsigned char out[SIZE];
    struct diffusion_run run = {.plan = plan, .state = state};
    double sum = 0;
    for (int x = 0; x < SIZE; x++)
        in[x] = (uint16_t)(16 * place);
    for (uint32_t y = 0; y < SIZE; y++) {
        struct halftone_block block = {(unsigned char *)in, sizeof in, out, SIZE, 1, y};
        diffusion_reference.run(&run, &block);
        const int32_t *line =
            state + y % (DIFFUSION_MAX_DY + 1) * (SIZE + 2 * DIFFUSION_PAD) + DIFFUSION_PAD;
        for (int x = EDGE; y >= EDGE && x < SIZE - EDGE; x++)
            sum += line[x];
    }
    return sum / ((SIZE - EDGE) * (double)(SIZE - 2 * EDGE)) * BALANCE_UNIT / plan->white;
}

static void balance(int kernel, bool serpentine, int16_t *table, int32_t *state)
{
    struct diffusion_request request = {.kernel = &diffusion_kernels[kernel],
                                        .kernel_id = kernel,
                                        .width = SIZE,
                                        .maxval = MAXVAL,
                                        .sample_bytes = 2,
                                        .levels = 2,
                                        .balance = table,
                                        .serpentine = serpentine};
    static struct diffusion_plan plan;
    diffusion_plan_make(&plan, &request);
    for (int place = 1; place < BALANCE_PLACES / 2; place++)
        for (int round = 0; round < ROUNDS; round++) {
            double moved = table[place] + mean_error(&plan, place, state);
            moved = moved < -MOST ? -MOST : moved > MOST ? MOST : moved;
            table[place] = (int16_t)(moved < 0 ? moved - 0.5 : moved + 0.5);
        }
    table[0] = table[1];
}

int main(void)
{
    int32_t *state = calloc((DIFFUSION_MAX_DY + 1) * (SIZE + 2 * DIFFUSION_PAD), sizeof *state);
    if (!state)
        return EXIT_FAILURE;
    puts("/* SPDX-License-Identifier: MIT */\n"
         "/* Printed by tools/balance_table.c. */\n"
         "#include \"halftone/error_diffusion/balanced_threshold.h\"\n\n"
         "/* clang-format off */\n"
         "const int16_t balance_table[DIFFUSION_KERNELS][2][BALANCE_PLACES / 2 + 1] = {");
    for (int kernel = 0; kernel < DIFFUSION_KERNELS; kernel++)
        for (int serpentine = 0; serpentine < 2; serpentine++) {
            int16_t table[BALANCE_PLACES / 2 + 1] = {0};
            balance(kernel, serpentine, table, state);
            printf(serpentine ? "     {" : "    {{");
            for (int i = 0; i <= BALANCE_PLACES / 2; i++)
                printf("%s%d", i == 0 ? "" : i % 22 == 0 ? ",\n      " : ",", table[i]);
            puts(serpentine ? "}}," : "},");
            fflush(stdout);
        }
    puts("};");
    free(state);
    return EXIT_SUCCESS;
}
