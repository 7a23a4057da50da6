/* SPDX-License-Identifier: MIT */
/*
 * The coefficients of a line. Elimination from one end leaves a + e[i] on the diagonal, with e[0] =
 * 1 and e[i] = 1 + a e[i-1]/(a + e[i-1]): sums of positive numbers only, which converge.
 */
#include "solver/smooth.h"

struct line_chain chain_make(int count, double a, float *memory)
{
    const int half = count / 2;
    float *r = memory, *q = memory + chain_floats(count) / 2;
    struct line_chain chain = {.count = count, .r = r, .q = q, .middle = 1};
    double e = 1, before = 0;
    for (int i = 0; i < half; i++) {
        if (i > 0 && e == before) { /* and so for all that follow */
            r[i] = r[i - 1];
            q[i] = q[i - 1];
            continue;
        }
        if (i > 0) {
            before = e;
            e = 1 + a * e / (a + e);
        }
        r[i] = (float)(a / (a + e));
        q[i] = (float)(1 / (a + e));
    }
    if (count % 2 == 0) {
        chain.middle = (float)((a + e) / (e * (2 * a + e)));
        chain.crossed = (float)(a / (e * (2 * a + e)));
    } else if (half > 0) {
        chain.middle = (float)(1 / (1 + 2 * a * e / (a + e)));
    }
    return chain;
}
