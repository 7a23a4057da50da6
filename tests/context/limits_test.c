/* SPDX-License-Identifier: MIT */
/* Limits: their defaults, and what they refuse. */
#include "context/limits.c"

#include "io/io_test.h"

#include <sys/wait.h>

/* The least limit on the way from a group to the root counts; "max" is none. */
static void groups(void **state)
{
    (void)state;
    char inner[128], group[PATH];
    snprintf(inner, sizeof inner, "%s/a", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    snprintf(inner, sizeof inner, "%s/a/b", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    static const struct {
        const char *outer, *middle, *own;
        uint64_t limit;
    } cases[] = {{"max\n", "max\n", "max\n", UINT64_MAX},
                 {"max\n", "1000\n", "max\n", 1000},
                 {"500\n", "1000\n", "2000\n", 500},
                 {"", "1000\n", "70\n", 70}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_file(path_to("memory.max"), cases[i].outer, strlen(cases[i].outer));
        put_file(path_to("a/memory.max"), cases[i].middle, strlen(cases[i].middle));
        put_file(path_to("a/b/memory.max"), cases[i].own, strlen(cases[i].own));
        strcpy(group, "/a/b");
        assert_int_equal(limit_of_group(folder, group, "memory.max"), cases[i].limit);
    }
    strcpy(group, "/");
    put_file(path_to("memory.max"), "8", 1);
    assert_int_equal(limit_of_group(folder, group, "memory.max"), 8);
    remove(path_to("a/b/memory.max"));
    remove(path_to("a/memory.max"));
    rmdir(path_to("a/b"));
    rmdir(path_to("a"));
}

static void defaults(void **state)
{
    (void)state;
    ro_limits limits = limits_resolve((ro_limits){.memory = 5, .pixels = 6, .pages = 7});
    assert_true(limits.memory == 5 && limits.pixels == 6 && limits.pages == 7);
    assert_true(limits.ratio == UINT64_MAX); /* of so many pixels */
    limits = limits_resolve((ro_limits){0});
    assert_true(limits.memory > 0 && limits.memory < UINT64_MAX && limits.ratio == 1000);
    assert_true(limits.pixels == UINT64_MAX && limits.pages == UINT64_MAX);
    assert_null(ro_context_limits(NULL));
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit rlimit = {1 << 30, 1 << 30};
        _exit(setrlimit(RLIMIT_DATA, &rlimit) != 0 ||
              limits_resolve((ro_limits){0}).memory != 3 << 28);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A file of two pages of 60 x 40, read by a context with these limits. */
static void expect(ro_limits limits, ro_status wanted, const char *words)
{
    ro_context *limited;
    ro_image image;
    const ro_read_options all = {RO_READ_DEFAULTS, .pages = RO_PAGES_ALL};
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1, .limits = limits},
                        &limited),
        RO_OK);
    assert_int_equal(ro_image_load(limited, path_to("two.npy"), &all, &image, NULL, NULL), wanted);
    if (wanted != RO_OK)
        assert_non_null(strstr(ro_context_message(limited), words));
    ro_image_free(&image);
    ro_context_close(limited);
}

static void files(void **state)
{
    (void)state;
    char head[129];
    uint8_t file[128 + 2 * 60 * 40] = {0};
    snprintf(head, sizeof head, "%-117s\n",
             "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 40, 60), }");
    memcpy(file, "\x93NUMPY\x01\0\x76\0", 10);
    memcpy(file + 10, head, 118);
    put_file(path_to("two.npy"), file, sizeof file);
    expect((ro_limits){0}, RO_OK, NULL);
    expect((ro_limits){.pixels = 2400, .pages = 2, .memory = 60 * 40, .ratio = 1}, RO_OK, NULL);
    expect((ro_limits){.pixels = 2399}, RO_E_SIZE, "60 x 40 are more pixels than the limit, 2399");
    expect((ro_limits){.pages = 1}, RO_E_SIZE, "2 pages are more than the limit, 1");
    expect((ro_limits){.memory = 60 * 40 - 1}, RO_E_MEMORY, "memory");
}

static void images(void **state)
{
    (void)state;
    ro_context *limited;
    ro_image image;
    assert_int_equal(ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1,
                                                           .limits = {.memory = 1 << 20}},
                                     &limited),
                     RO_OK);
    assert_int_equal(ro_image_alloc(limited, RO_GREYF, 512, 512, 0, &image), RO_OK);
    ro_image_free(&image);
    assert_int_equal(ro_image_alloc(limited, RO_GREYF, 512, 513, 0, &image), RO_E_MEMORY);
    assert_non_null(strstr(ro_context_message(limited), "the limit is 1 MB"));
    ro_context_close(limited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(defaults),
                                       cmocka_unit_test(files), cmocka_unit_test(images)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
