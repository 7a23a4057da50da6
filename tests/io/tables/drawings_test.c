/* SPDX-License-Identifier: MIT */
/* Text drawings: long texts are written whole, and what would be read beyond an array is refused.
 */
#include "io/io_test.h"

static void points_outside_images(void **state)
{
    (void)state;
    static const double far[] = {1e300, -1e300, 1, 1, 2, 5}, none[] = {0, 0.0 / 0.0, 1, 1, 2, 5};
    static const double good[] = {1, 1, 1, 9, 9, 9};
    const char *const names[] = {"a.svg", "a.geojson"};
    const ro_polyline lines[] = {
        {1, 1, 3, far}, {1, 1, 3, none}, {1, 1, 0, good}, {1, 0, 0, good}, {1, 1, 3, NULL}};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            assert_int_equal(ro_contours_save(context, path_to(names[k]), &lines[i], 1, 64, 64),
                             RO_E_ARGUMENT);
        assert_int_equal(ro_contours_save(context, path_to(names[k]), NULL, 1, 64, 64),
                         RO_E_ARGUMENT);
    }
    assert_int_equal(count_files(), 0);
    const ro_polyline fine = {-2147483647 - 1, 1, 3, good};
    assert_int_equal(ro_contours_save(context, path_to("b.svg"), &fine, 1, 64, 64), RO_OK);
    empty_folder();
}

static void moire_of_long_names(void **state)
{
    (void)state;
    static char name[2000];
    memset(name, 'k', sizeof name - 1);
    ro_ink inks[2] = {{.name = "cyan", .lpi = 100, .degrees = 15},
                      {.name = name, .lpi = 100, .degrees = 40}};
    const ro_screen_options screen = {RO_SCREEN_DEFAULTS, .kind = "am", .dpi = 1200, .lpi = 100};
    ro_moire moire = {.size = sizeof moire};
    size_t size;
    assert_int_equal(ro_moire_find(context, &screen, inks, 2, 0, &moire), RO_OK);
    assert_int_equal(ro_moire_save(context, path_to("a.svg"), &moire, inks, 2), RO_OK);
    uint8_t *bytes = get_file(path_to("a.svg"), &size);
    bytes[size] = '\0';
    assert_int_equal(strlen((char *)bytes), size);
    char *found = strstr((char *)bytes, name);
    assert_non_null(found);
    assert_memory_equal(found + sizeof name - 1, ": ", 2);
    assert_non_null(strstr((char *)bytes, "</svg>\n"));
    free(bytes);
    empty_folder();
}

static void moire_of_too_much(void **state)
{
    (void)state;
    ro_ink inks[1] = {{.name = "cyan"}};
    ro_moire moire = {.dots = {{.lpi = 100}}, .rows = {{{100, 0}, {0, 100}}}};
    const int counts[] = {-1, RO_MOIRE_WAVES + 1, 1 << 30};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        moire.count = counts[i];
        assert_int_equal(ro_moire_save(context, path_to("a.svg"), &moire, inks, 1), RO_E_ARGUMENT);
    }
    moire.count = RO_MOIRE_WAVES;
    assert_int_equal(ro_moire_save(context, path_to("a.svg"), NULL, inks, 1), RO_E_ARGUMENT);
    assert_int_equal(ro_moire_save(context, path_to("a.svg"), &moire, NULL, 1), RO_E_ARGUMENT);
    inks[0].name = NULL;
    assert_int_equal(ro_moire_save(context, path_to("a.svg"), &moire, inks, 1), RO_E_ARGUMENT);
    assert_int_equal(count_files(), 0);
    inks[0].name = "cyan";
    assert_int_equal(ro_moire_save(context, path_to("a.svg"), &moire, inks, 1), RO_OK);
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_outside_images),
        cmocka_unit_test(moire_of_long_names),
        cmocka_unit_test(moire_of_too_much),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
