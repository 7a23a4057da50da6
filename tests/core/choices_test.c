/* SPDX-License-Identifier: MIT */
/*
 * Every name that ro_choices_at tells is known where it is used, and none that runs there is
 * missing: a name that nobody has is compared with all that there are, and the linker leads those
 * comparisons here.
 */
#include "roundoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 16 };

static ro_context *context;
static uint8_t grey[SIDE * SIDE], numbers[SIDE * SIDE];
static const ro_image in = {RO_GRAY8, SIDE, SIDE, 255, SIDE, grey};
static ro_image levels = {RO_INDEX8, SIDE, SIDE, 0, SIDE, numbers};

/* ---- What a name is compared with -------------------------------------------------------------
 */

static const char nobody[] = "no-such-name";
enum { MOST = 64 };
static const char *compared[MOST]; /* with nobody */
static int count;

int __real_ro_name_equal(const char *a, const char *b);
int __wrap_ro_name_equal(const char *a, const char *b);

int __wrap_ro_name_equal(const char *a, const char *b)
{
    if (strcmp(a, nobody) == 0 && count < MOST)
        compared[count++] = b;
    return __real_ro_name_equal(a, b);
}

/* Other spellings of names; they are taken but not told. */
static int is_alias(const char *name)
{
    static const char *const aliases[] = {"non-linear"};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i]) == 0)
            return 1;
    return 0;
}

static int is_told(const ro_choices *choices, const char *name)
{
    for (int i = 0; choices->names[i]; i++)
        if (strcmp(choices->names[i], name) == 0)
            return 1;
    return is_alias(name);
}

/* ---- The calls --------------------------------------------------------------------------------
 */

/* A member that is a string, by its place. */
static void set(void *options, size_t place, const char *name)
{
    memcpy((char *)options + place, &name, sizeof name);
}

static ro_status halftone(size_t place, const char *name)
{
    ro_halftone_options o = RO_HALFTONE_OPTIONS;
    if (place == offsetof(ro_halftone_options, shape))
        o.method = "am", o.lpi = 60, o.dpi = 300;
    if (place == offsetof(ro_halftone_options, aim))
        o.method = "dbs";
    set(&o, place, name);
    return ro_halftone(context, &in, &levels, &o);
}

#define MEMBER(options, member, call)                                                              \
    {                                                                                              \
#options, #member, offsetof(options, member), call                                         \
    }
static const struct user {
    const char *options, *member;
    size_t place;
    ro_status (*call)(size_t place, const char *name);
} users[] = {
    MEMBER(ro_halftone_options, schedule, halftone),
    MEMBER(ro_halftone_options, shape, halftone),
    MEMBER(ro_halftone_options, like, halftone),
    MEMBER(ro_halftone_options, aim, halftone),
};
enum { USERS = sizeof users / sizeof *users };

/* Those that run on a device or with vectors only are known all the same. */
static int is_known(ro_status status, const char *name)
{
    static const char *const elsewhere[] = {"pwed", "pwec", "bwed", "bwec", "zimg"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(name, elsewhere[i]) == 0)
            return status == RO_OK || strstr(ro_context_message(context), name) != NULL;
    return status == RO_OK;
}

static void every_name_runs(void **state)
{
    (void)state;
    const ro_choices *choices;
    int missing = 0;
    for (int i = 0; (choices = ro_choices_at(i)); i++) {
        const struct user *user = users;
        while (user < users + USERS && (strcmp(user->options, choices->options) != 0 ||
                                        strcmp(user->member, choices->member) != 0))
            user++;
        assert_true(user < users + USERS);
        assert_ptr_equal(ro_choices_of(choices->options, choices->member), choices);
        for (int k = 0; choices->names[k]; k++)
            if (!is_known(user->call(user->place, choices->names[k]), choices->names[k]))
                fail_msg("%s.%s = %s: %s", choices->options, choices->member, choices->names[k],
                         ro_context_message(context));
        count = 0;
        assert_int_not_equal(user->call(user->place, nobody), RO_OK);
        if (count == 0)
            fail_msg("%s.%s is compared with nothing", choices->options, choices->member);
        for (int k = 0; k < count; k++)
            if (!is_told(choices, compared[k]) && user->call(user->place, compared[k]) == RO_OK) {
                print_error("%s.%s may be %s, which is not told\n", choices->options,
                            choices->member, compared[k]);
                missing++;
            }
    }
    assert_int_equal(missing, 0);
    assert_null(ro_choices_of("ro_halftone_options", "strength"));
    assert_null(ro_choices_at(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_name_runs)};
    for (int i = 0; i < SIDE * SIDE; i++)
        grey[i] = (uint8_t)(i * 5);
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
