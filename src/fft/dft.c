/* SPDX-License-Identifier: MIT */
/* Plans of transforms: radices and tables, which own arithmetic makes the same on every machine. */
#include "fft/dft.h"

#include "context/context.h"
#include "fft/phasor.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_PRIME = 31 }; /* DFT_RADIX of the butterflies */

static ro_status no_memory(ro_context *context, uint32_t n)
{
    return ro_context_fail(context, RO_E_MEMORY, "no memory for transforms of %u numbers", n);
}

/* `rows` times `columns` pairs e^{2 pi i sign r c / n}, from the given first ones on. */
static float *turns_of(int sign, int n, int first_row, int rows, int first_column, int columns)
{
    float *table = malloc((size_t)(rows * columns + 1) * 2 * sizeof *table);
    for (int r = 0; table && r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const int64_t product = (int64_t)(first_row + r) * (first_column + c) % n;
            double x, y;
            phasor_double(sign * (double)product / n, &x, &y);
            table[2 * (r * columns + c)] = (float)x;
            table[2 * (r * columns + c) + 1] = (float)y;
        }
    return table;
}

/* ---- Short ones ------------------------------------------------------------------------------ */

static bool short_open(struct dft_short *plan, int n)
{
    int left = n;
    *plan = (struct dft_short){.n = n};
    while (left > 1) {
        int radix = left % 4 == 0 ? 4 : 2;
        while (left % radix)
            radix += radix == 2 ? 1 : 2;
        const int i = plan->steps++, m = left / radix;
        plan->radix[i] = radix;
        plan->turns[i] = turns_of(-1, left, 1, m - 1, 1, radix - 1);
        plan->roots[i] = radix > 5 ? turns_of(1, radix, 0, radix, 1, 1) : NULL;
        if (!plan->turns[i] || (radix > 5 && !plan->roots[i]))
            return false;
        left = m;
    }
    return true;
}

static void short_close(struct dft_short *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        free(plan->turns[i]);
        free(plan->roots[i]);
    }
}

/* ---- Long ones ------------------------------------------------------------------------------- */

/* As many as whole vectors hold, of the real and of the imaginary parts. */
size_t dft_across_gap(int n2) { return 2 * (((size_t)n2 + 15) / 16 * 16); }

static bool open_across(struct dft *plan)
{
    const int n1 = plan->first.n, n2 = plan->second.n;
    const size_t gap = dft_across_gap(n2), bytes = (size_t)n1 * gap * sizeof *plan->across;
    plan->across = aligned_alloc(64, bytes);
    if (!plan->across)
        return false;
    memset(plan->across, 0, bytes);
    for (int p = 0; p < n2; p++)
        for (int k = 0; k < n1; k++) {
            float *at = plan->across + (size_t)k * gap + p;
            at[0] = plan->between[2 * (n1 * p + k)];
            at[gap / 2] = plan->between[2 * (n1 * p + k) + 1];
        }
    return true;
}

/* n1, or 0 where the steps cannot do it. */
static int first_part(int n)
{
    int left = n, n1 = 1;
    for (int prime = 2; prime <= LARGEST_PRIME; prime++)
        while (left % prime == 0)
            left /= prime;
    if (left > 1)
        return 0;
    if (n <= DFT_ALONE)
        return 1;
    for (int i = 1; i * i <= n; i++)
        if (n % i == 0)
            n1 = i;
    return n / n1 <= DFT_SHORT ? n1 : 0;
}

void dft_close(struct dft *plan)
{
    if (!plan)
        return;
    short_close(&plan->first);
    short_close(&plan->second);
    free(plan->between);
    free(plan->across);
    free(plan->chirp);
    free(plan->filter);
    dft_close(plan->padded);
    free(plan);
}

/* The transform of the conjugate chirp, wrapped round, over the length that it is padded to. */
static bool make_filter(struct dft *plan)
{
    const struct dft_kernel *kernel = &dft_kernel_plain;
    const int n = plan->n, padded = plan->padded->n;
    const size_t lanes = (size_t)kernel->lanes;
    float *panel =
        aligned_alloc(64, (dft_panel_numbers(plan) * lanes * sizeof *panel + 63) / 64 * 64);
    float *spare =
        aligned_alloc(64, (dft_spare_numbers(plan) * lanes * sizeof *spare + 63) / 64 * 64);
    plan->filter = malloc((size_t)padded * 2 * sizeof *plan->filter);
    bool made = panel && spare && plan->filter;
    if (made) {
        memset(plan->filter, 0, (size_t)padded * 2 * sizeof *plan->filter);
        for (int i = 0; i < n; i++)
            for (int place = i; place <= padded - i; place += padded - 2 * i) {
                plan->filter[2 * (place % padded)] = plan->chirp[2 * i];
                plan->filter[2 * (place % padded) + 1] = -plan->chirp[2 * i + 1];
                if (i == 0)
                    break;
            }
        kernel->load_rows(panel, plan->filter, 0, 1, padded, false);
        kernel->run(plan->padded, panel, spare);
        kernel->store_rows(panel, plan->filter, 0, 1, padded, false);
        for (int i = 0; i < 2 * padded; i++)
            plan->filter[i] /= (float)padded;
    }
    free(panel);
    free(spare);
    return made;
}

static ro_status open_chirp(ro_context *context, struct dft *plan)
{
    int padded = 2;
    while (padded < 2 * plan->n - 1)
        padded *= 2;
    ro_status status = dft_open(context, (uint32_t)padded, &plan->padded);
    if (status != RO_OK)
        return status;
    plan->chirp = malloc((size_t)plan->n * 2 * sizeof *plan->chirp);
    for (int64_t k = 0; plan->chirp && k < plan->n; k++) {
        double x, y;
        phasor_double(-(double)(k * k % (2 * plan->n)) / (2 * plan->n), &x, &y);
        plan->chirp[2 * k] = (float)x;
        plan->chirp[2 * k + 1] = (float)y;
    }
    return plan->chirp && make_filter(plan) ? RO_OK : no_memory(context, (uint32_t)plan->n);
}

ro_status dft_open(ro_context *context, uint32_t n, struct dft **out)
{
    *out = NULL;
    if (n < 1 || n > 2 * DFT_LONGEST)
        return ro_context_fail(context, RO_E_SIZE,
                               "transforms of %u numbers: at most %d are possible", n, DFT_LONGEST);
    struct dft *plan = calloc(1, sizeof *plan);
    if (!plan)
        return no_memory(context, n);
    plan->n = (int)n;
    const int n1 = first_part((int)n);
    ro_status status = RO_OK;
    if (n1 == 0) {
        status = n > DFT_LONGEST
                     ? ro_context_fail(context, RO_E_SIZE,
                                       "transforms of %u numbers: at most %d are possible", n,
                                       DFT_LONGEST)
                     : open_chirp(context, plan);
    } else {
        const int n2 = (int)n / n1;
        if (!short_open(&plan->first, n1) || !short_open(&plan->second, n2) ||
            (n1 > 1 &&
             (!(plan->between = turns_of(-1, (int)n, 0, n2, 0, n1)) || !open_across(plan))))
            status = no_memory(context, n);
    }
    if (status == RO_OK)
        *out = plan;
    else
        dft_close(plan);
    return status;
}

size_t dft_panel_numbers(const struct dft *plan)
{
    return 2 * (size_t)(plan->padded ? plan->padded->n : plan->n);
}

size_t dft_spare_numbers(const struct dft *plan) { return dft_panel_numbers(plan) + 4 * DFT_SHORT; }

bool dft_by_rows(const struct dft *plan) { return !plan->padded && plan->first.n > 1; }

const struct dft_kernel *dft_kernel_of(const ro_context *context)
{
    static const struct dft_kernel *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &dft_kernel_plain,
                                                              RO_VARIANTS_OF(dft_kernel)};
    return kernels[context->cpu];
}
