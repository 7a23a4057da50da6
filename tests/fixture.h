/* SPDX-License-Identifier: MIT */
/*
 * The context that the tests of a file share: cmocka_run_group_tests(tests, fixture_open,
 * fixture_close). It is `context`, and a test's *state. FIXTURE_OPTIONS, where it is defined before
 * this, says how it is opened.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "roundoff.h"

#ifndef FIXTURE_OPTIONS
#define FIXTURE_OPTIONS NULL
#endif

static ro_context *context;

static inline int fixture_open(void **state)
{
    const int failed = ro_context_open(FIXTURE_OPTIONS, &context) != RO_OK;
    *state = context;
    return failed;
}

static inline int fixture_close(void **state)
{
    (void)state;
    ro_context_close(context);
    return 0;
}

#endif
