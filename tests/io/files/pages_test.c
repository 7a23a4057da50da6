/* SPDX-License-Identifier: MIT */
/*
 * Pages that differ. Two-page TIFF files of every pair of 22 kinds of pages, through the reader and
 * the commands: each page comes out as it does from a file of its own, or the call is refused and
 * nothing is written. Every page of a kind spans the same numbers, so that a page's result does not
 * depend on the other page.
 */
#include "io/io_test.h"
#include "roundoff_io_pieces.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

enum { WIDE = 300, HEAD = 8, TAGS = 15, MOST_BYTES = 1 << 16, PROFILE_BYTES = 200 };
enum { UINT = 1, INT, FLOAT };                  /* SampleFormat */
enum { INVERTED, GREY, RGB };                   /* PhotometricInterpretation */
enum { MULTIPLIED = 1, STRAIGHT, PROFILE = 4 }; /* ExtraSamples; and an ICC profile */

static const struct kind {
    uint16_t width, height, bits, format, samples, photometric, orientation, extra;
} kinds[] = {
    {20, 16, 8, UINT, 1, GREY, 1, 0},        {WIDE, 16, 8, UINT, 1, GREY, 1, 0},
    {20, 40, 8, UINT, 1, GREY, 1, 0},        {20, 16, 8, UINT, 1, INVERTED, 1, 0},
    {20, 16, 8, UINT, 1, GREY, 2, 0},        {16, 20, 8, UINT, 1, GREY, 6, 0},
    {20, 16, 8, UINT, 2, GREY, 1, STRAIGHT}, {20, 16, 8, UINT, 2, GREY, 3, MULTIPLIED},
    {20, 16, 8, UINT, 1, GREY, 1, PROFILE},  {20, 16, 8, UINT, 3, RGB, 1, 0},
    {20, 16, 1, UINT, 1, GREY, 1, 0},        {20, 16, 16, UINT, 1, GREY, 1, 0},
    {20, 16, 8, INT, 1, GREY, 1, 0},         {20, 16, 16, INT, 1, GREY, 1, 0},
    {WIDE, 16, 16, INT, 1, GREY, 1, 0},      {20, 40, 16, INT, 1, GREY, 1, 0},
    {16, 20, 16, INT, 1, GREY, 8, 0},        {20, 16, 16, INT, 1, GREY, 4, PROFILE},
    {20, 16, 32, UINT, 1, GREY, 1, 0},       {20, 16, 16, FLOAT, 1, GREY, 1, 0},
    {20, 16, 32, FLOAT, 1, GREY, 1, 0},      {20, 16, 64, FLOAT, 1, GREY, 1, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- Files ----------------------------------------------------------------------------------- */

struct bytes {
    uint8_t data[4 * MOST_BYTES];
    uint32_t size;
};

static void put_at(struct bytes *to, uint32_t at, const void *bytes, uint32_t size)
{
    assert_true(at + size <= sizeof to->data);
    memcpy(to->data + at, bytes, size);
    to->size = at + size > to->size ? at + size : to->size;
}

static void put(struct bytes *to, const void *bytes, uint32_t size)
{
    put_at(to, to->size, bytes, size);
}

/* Sample i of a page, in the order of the machine: the first two are the least and the largest. */
static void put_sample(struct bytes *to, const struct kind *kind, uint32_t i, uint32_t noise)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x3800, 0x3400, 0x3a00};
    const uint32_t part = i == 0 ? 0 : i == 1 ? 200 : noise % 201;
    if (kind->format == FLOAT && kind->bits == 16) {
        put(to, &halves[i < 2 ? i : noise % 5], 2);
    } else if (kind->format == FLOAT && kind->bits == 32) {
        put(to, &(float){(float)part / 200}, 4);
    } else if (kind->format == FLOAT) {
        put(to, &(double){(double)part / 200}, 8);
    } else if (kind->bits == 32) {
        put(to, &(uint32_t){100000 + 300 * part}, 4);
    } else if (kind->bits == 16) {
        const int value = kind->format == INT ? (int)part * 20 - 1000 : (int)part * 300;
        put(to, &(uint16_t){(uint16_t)value}, 2);
    } else {
        put(to, &(uint8_t){(uint8_t)(kind->format == INT ? part - 100 : part)}, 1);
    }
}

static void put_tag(struct bytes *to, uint16_t tag, uint16_t type, uint32_t count, uint32_t value)
{
    put(to, &tag, 2);
    put(to, &type, 2);
    put(to, &count, 4);
    if (type == 3)
        put(to, (uint16_t[]){(uint16_t)value, 0}, 4);
    else
        put(to, &value, 4);
}

/* Adds a page; `link` is where its offset is to stand, and becomes the place for that of the next.
 */
static void put_page(struct bytes *to, uint32_t *link, int number, unsigned seed)
{
    static const uint8_t profile[PROFILE_BYTES] = {[3] = PROFILE_BYTES, [36] = 'a', 'c', 's', 'p'};
    const struct kind *kind = &kinds[number];
    const uint32_t at = to->size;
    const uint32_t row = (kind->width * kind->samples * kind->bits + 7u) / 8;
    uint32_t noise = 77u * (unsigned)number + 1000u * seed + 5;
    const uint32_t count =
        kind->bits == 1 ? row * kind->height : (uint32_t)kind->width * kind->height * kind->samples;
    for (uint32_t i = 0; i < count; i++) {
        noise = noise * 1664525u + 1013904223u;
        put_sample(to, kind, i, noise >> 8);
    }
    const uint32_t bytes = to->size - at, profile_at = to->size;
    put(to, profile, PROFILE_BYTES);
    put_at(to, *link, &(uint32_t){to->size}, 4);
    const bool extra = kind->extra == STRAIGHT || kind->extra == MULTIPLIED;
    const bool coloured = kind->extra == PROFILE;
    put(to, &(uint16_t){(uint16_t)(11 + extra + coloured)}, 2);
    put_tag(to, 256, 3, 1, kind->width);
    put_tag(to, 257, 3, 1, kind->height);
    put_tag(to, 258, 3, 1, kind->bits); /* of each of three samples too: the value stands for all */
    put_tag(to, 259, 3, 1, 1);
    put_tag(to, 262, 3, 1, kind->photometric);
    put_tag(to, 273, 4, 1, at);
    put_tag(to, 274, 3, 1, kind->orientation);
    put_tag(to, 277, 3, 1, kind->samples);
    put_tag(to, 278, 3, 1, kind->height);
    put_tag(to, 279, 4, 1, bytes);
    if (extra)
        put_tag(to, 338, 3, 1, kind->extra);
    put_tag(to, 339, 3, 1, kind->format);
    if (coloured)
        put_tag(to, 34675, 7, PROFILE_BYTES, profile_at);
    *link = to->size;
    put(to, &(uint32_t){0}, 4);
}

/* A file of one page, or of two (`second` < 0: of one). */
static void make_file(const char *path, int first, int second, unsigned seed)
{
    static struct bytes file;
    const uint16_t one = 1;
    uint32_t link = 4;
    file.size = 0;
    put(&file, *(const uint8_t *)&one ? "II*\0" : "MM\0*", 4);
    put(&file, &(uint32_t){0}, 4);
    put_page(&file, &link, first, seed);
    if (second >= 0)
        put_page(&file, &link, second, seed + 1);
    put_file(path, file.data, file.size);
}

/* ---- What is read ---------------------------------------------------------------------------- */

struct page {
    ro_file_info info;
    unsigned dropped;
    double *numbers;
    size_t count;
};

static ro_status read_page(ro_reader *reader, struct page *page)
{
    page->info = *ro_reader_info(reader);
    const ro_file_info *info = &page->info;
    const size_t row = ro_format_row_bytes(info->format, info->width);
    const int sample = ro_format_sample_bytes(info->format);
    uint8_t *bytes = malloc(row * info->height);
    ro_status status = RO_OK;
    for (uint32_t y = 0, got; y < info->height && status == RO_OK; y += got)
        status = ro_reader_rows(reader, bytes + y * row, (ptrdiff_t)row, 7, &got);
    page->count = status == RO_OK ? row / (size_t)sample * info->height : 0;
    page->numbers = malloc((page->count + 1) * sizeof *page->numbers);
    for (size_t i = 0; i < page->count; i++)
        page->numbers[i] = (sample == 1   ? bytes[i]
                            : sample == 2 ? ((const uint16_t *)(const void *)bytes)[i]
                                          : (double)((const float *)(const void *)bytes)[i]) +
                           (double)info->zero;
    page->dropped = ro_reader_dropped(reader)->what;
    free(bytes);
    return status;
}

static void free_page(struct page *page)
{
    free(page->numbers);
    *page = (struct page){0};
}

/* Page `number` alone. */
static void read_alone(const char *path, unsigned number, struct page *page)
{
    ro_reader *reader;
    if (ro_reader_open(context, path, &(ro_read_options){RO_READ_DEFAULTS, .page = number},
                       &reader) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    assert_int_equal(read_page(reader, page), RO_OK);
    ro_reader_close(reader);
}

static bool same_page(const struct page *a, const struct page *b)
{
    return a->info.width == b->info.width && a->info.height == b->info.height &&
           a->info.format == b->info.format && a->info.maxval == b->info.maxval &&
           a->info.sample == b->info.sample && a->count == b->count &&
           memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0;
}

static bool same_shape(const ro_file_info *a, const ro_file_info *b)
{
    return a->width == b->width && a->height == b->height && a->format == b->format &&
           a->maxval == b->maxval && a->sample == b->sample;
}

/* After a failure each call gives the same failure, and says so. */
static void expect_failed(ro_reader *reader, ro_status status)
{
    uint8_t row[8 * WIDE];
    uint32_t got = 9;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ro_reader_rows(reader, row, 0, 1, &got), status);
        assert_int_equal(got, 0);
        assert_int_equal(ro_reader_next(reader), status);
        assert_int_equal(ro_reader_seek(reader, 0), status);
        assert_non_null(ro_reader_info(reader));
        assert_non_null(ro_reader_dropped(reader));
        assert_true(*ro_context_message(context));
        assert_null(strchr(ro_context_message(context), '\n'));
    }
}

/* ---- Readers --------------------------------------------------------------------------------- */

static struct page alone[2][KINDS];

static void make_alone(void)
{
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 2; i++) {
            make_file(path_to("alone.tif"), k, -1, (unsigned)i);
            read_alone(path_to("alone.tif"), 0, &alone[i][k]);
        }
}

static void free_alone(void)
{
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 2; i++)
            free_page(&alone[i][k]);
}

static void pairs_through_the_reader(void **state)
{
    (void)state;
    const ro_read_options all = {RO_READ_DEFAULTS, .pages = RO_PAGES_ALL};
    int right = 0;
    make_alone();
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++) {
            const bool alike = same_shape(&alone[0][a].info, &alone[1][b].info);
            struct page first = {0}, second = {0};
            ro_reader *reader;
            make_file(path_to("two.tif"), a, b, 0);
            ro_status status = ro_reader_open(context, path_to("two.tif"), &all, &reader);
            assert_int_equal(status, RO_OK);
            assert_int_equal(read_page(reader, &first), RO_OK);
            if (!same_page(&first, &alone[0][a]))
                fail_msg("kinds %d and %d: the first page is another one", a, b);
            status = ro_reader_next(reader);
            if (alike != (status == RO_OK))
                fail_msg("kinds %d and %d: %s", a, b, ro_context_message(context));
            if (status == RO_OK) {
                assert_int_equal(read_page(reader, &second), RO_OK);
                if (!same_page(&second, &alone[1][b]))
                    fail_msg("kinds %d and %d: the second page is another one", a, b);
                assert_int_equal(second.dropped, alone[0][a].dropped | alone[1][b].dropped);
                right++;
            } else {
                assert_int_equal(status, RO_E_FORMAT);
                expect_failed(reader, status);
            }
            ro_reader_close(reader);
            free_page(&first);
            free_page(&second);
            /* The second page alone, in the file of two. */
            read_alone(path_to("two.tif"), 2, &second);
            assert_true(same_page(&second, &alone[1][b]));
            free_page(&second);
        }
    free_alone();
    assert_true(right > KINDS); /* pages of other kinds can go together */
    empty_folder();
}

/* An integer of the second page may lie outside what the first one spans, whatever their widths. */
static void numbers_of_turned_pages(void **state)
{
    (void)state;
    enum { W = 3, H = 2 };
    static struct bytes file;
    uint32_t link = 4;
    const uint16_t one = 1;
    put(&file, *(const uint8_t *)&one ? "II*\0" : "MM\0*", 4);
    put(&file, &(uint32_t){0}, 4);
    for (int page = 0; page < 2; page++) {
        const uint32_t at = file.size;
        for (int i = 0; i < W * H; i++)
            put(&file, &(int16_t){(int16_t)(page ? 500 * i - 900 : i)}, 2);
        put_at(&file, link, &(uint32_t){file.size}, 4);
        put(&file, &(uint16_t){10}, 2);
        put_tag(&file, 256, 3, 1, page ? H : W);
        put_tag(&file, 257, 3, 1, page ? W : H);
        put_tag(&file, 258, 3, 1, 16);
        put_tag(&file, 259, 3, 1, 1);
        put_tag(&file, 262, 3, 1, GREY);
        put_tag(&file, 273, 4, 1, at);
        put_tag(&file, 274, 3, 1, page ? 5 : 1); /* rows are columns */
        put_tag(&file, 278, 3, 1, page ? W : H);
        put_tag(&file, 279, 4, 1, 2 * W * H);
        put_tag(&file, 339, 3, 1, INT);
        link = file.size;
        put(&file, &(uint32_t){0}, 4);
    }
    put_file(path_to("turned.tif"), file.data, file.size);
    const ro_read_options all = {RO_READ_DEFAULTS, .pages = RO_PAGES_ALL};
    ro_reader *reader;
    struct page page;
    assert_int_equal(ro_reader_open(context, path_to("turned.tif"), &all, &reader), RO_OK);
    assert_int_equal(read_page(reader, &page), RO_OK);
    assert_int_equal(page.info.zero, -900);
    assert_int_equal(page.info.maxval, 2500);
    for (int i = 0; i < W * H; i++)
        assert_true(page.numbers[i] == i);
    free_page(&page);
    assert_int_equal(ro_reader_next(reader), RO_OK);
    assert_int_equal(read_page(reader, &page), RO_OK);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            assert_true(page.numbers[y * W + x] == 500 * (x * H + y) - 900);
    free_page(&page);
    ro_reader_close(reader);
    empty_folder();
}

/* Alpha that only a later page has cannot be kept, and a page without any is opaque. */
static void alpha_of_some_pages(void **state)
{
    (void)state;
    enum { PLAIN_KIND = 0, ALPHA_KIND = 6 };
    const ro_read_options keep = {RO_READ_DEFAULTS, .pages = RO_PAGES_ALL, .alpha = RO_ALPHA_KEEP};
    make_file(path_to("late.tif"), PLAIN_KIND, ALPHA_KIND, 0);
    assert_int_equal(
        ro_halftone_file(context, path_to("late.tif"), path_to("out.tif"), NULL, &keep, NULL, NULL),
        RO_E_FORMAT);
    assert_non_null(strstr(ro_context_message(context), "alpha"));
    assert_int_equal(count_files(), 1);
    make_file(path_to("early.tif"), ALPHA_KIND, PLAIN_KIND, 0);
    assert_int_equal(ro_halftone_file(context, path_to("early.tif"), path_to("out.tif"), NULL,
                                      &keep, NULL, NULL),
                     RO_OK);
    const ro_read_options only = {RO_READ_DEFAULTS, .page = 2, .alpha = RO_ALPHA_ONLY};
    ro_image alpha;
    assert_int_equal(ro_image_load(context, path_to("out.tif"), &only, &alpha, NULL, NULL), RO_OK);
    for (uint32_t y = 0; y < alpha.height; y++)
        for (uint32_t x = 0; x < alpha.width; x++)
            assert_int_equal(((const uint8_t *)alpha.data)[(ptrdiff_t)y * alpha.stride + x], 255);
    ro_image_free(&alpha);
    make_file(path_to("both.tif"), ALPHA_KIND, ALPHA_KIND, 0);
    assert_int_equal(
        ro_halftone_file(context, path_to("both.tif"), path_to("out.tif"), NULL, &keep, NULL, NULL),
        RO_OK);
    ro_image given;
    assert_int_equal(ro_image_load(context, path_to("both.tif"), &only, &given, NULL, NULL), RO_OK);
    assert_int_equal(ro_image_load(context, path_to("out.tif"), &only, &alpha, NULL, NULL), RO_OK);
    for (uint32_t y = 0; y < alpha.height; y++)
        assert_memory_equal((const uint8_t *)alpha.data + (ptrdiff_t)y * alpha.stride,
                            (const uint8_t *)given.data + (ptrdiff_t)y * given.stride, given.width);
    ro_image_free(&alpha);
    ro_image_free(&given);
    empty_folder();
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The exit status; messages go to the file "said". A signal fails the test. */
static int run(const char *const *words)
{
    extern char **environ;
    const char *program = getenv("ROUNDOFF");
    char *arguments[16] = {(char *)(uintptr_t)program};
    int count = 1, status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    while (*words)
        arguments[count++] = (char *)(uintptr_t)*words++;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, path_to("said"), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    assert_int_equal(posix_spawn(&child, program, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("roundoff %s ended by signal %d", arguments[1], WTERMSIG(status));
    return WEXITSTATUS(status);
}

struct command {
    const char *words[10]; /* behind IN and OUT */
    bool whole;            /* the second page does not depend on the first */
};

static const struct command commands[] = {
    {{"halftone"}, true},
    {{"denoise"}, true},
    {{"segment", "--at", "9,7", "--window", "60,140", "--force"}, true},
    {{"segment", "--at", "9,7", "--fronts", "free", "--iterations", "9", "--force"}, true},
    {{"register", "--series", "first", "--force"}, false},
};

static int run_command(const struct command *command, const char *in, const char *out)
{
    const char *words[16] = {command->words[0], in, out, "--page", "all"};
    int count = 5;
    for (int i = 1; command->words[i]; i++)
        words[count++] = command->words[i];
    remove(out);
    return run(words);
}

/* A process takes its time: all kinds go through the commands where FAULTS=all asks for them. */
static bool is_tried(int kind)
{
    const char *faults = getenv("FAULTS");
    const unsigned few = 1u << 0 | 1u << 1 | 1u << 5 | 1u << 6 | 1u << 13 | 1u << 14 | 1u << 16;
    return (faults && strcmp(faults, "all") == 0) || few >> kind & 1;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static void pairs_through_commands(void **state)
{
    (void)state;
    if (!getenv("ROUNDOFF"))
        skip();
    make_alone();
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        const struct command *command = &commands[c];
        int right = 0;
        struct page result[2][KINDS] = {0};
        for (int k = 0; k < KINDS && command->whole; k++)
            for (int i = 0; i < 2 && is_tried(k); i++) {
                make_file(path_to("in.tif"), k, -1, (unsigned)i);
                if (run_command(command, path_to("in.tif"), path_to("out.tif")) == 0)
                    read_alone(path_to("out.tif"), 0, &result[i][k]);
            }
        for (int a = 0; a < KINDS; a++)
            for (int b = 0; b < KINDS; b++) {
                if (!is_tried(a) || !is_tried(b))
                    continue;
                struct page page[2] = {0};
                make_file(path_to("in.tif"), a, b, 0);
                const int code = run_command(command, path_to("in.tif"), path_to("out.tif"));
                if (code != 0) {
                    assert_int_equal(code, 1);
                    assert_false(exists(path_to("out.tif")));
                    continue;
                }
                const ro_file_info *info[2] = {&alone[0][a].info, &alone[1][b].info};
                for (unsigned i = 0; i < 2; i++) {
                    read_alone(path_to("out.tif"), i + 1, &page[i]);
                    if (page[i].info.width != info[i]->width ||
                        page[i].info.height != info[i]->height)
                        fail_msg("%s of kinds %d and %d: page %u has another size",
                                 command->words[0], a, b, i + 1);
                    if (command->whole && !same_page(&page[i], &result[i][i ? b : a]))
                        fail_msg("%s of kinds %d and %d: page %u is another one", command->words[0],
                                 a, b, i + 1);
                }
                if (!command->whole && !same_page(&page[0], &alone[0][a]))
                    fail_msg("%s of kinds %d and %d: page 1 is another one", command->words[0], a,
                             b);
                right++;
                for (int i = 0; i < 2; i++)
                    free_page(&page[i]);
            }
        print_message("%s: %d pairs right, the others refused\n", command->words[0], right);
        assert_true(right >= 7);
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < 2; i++)
                free_page(&result[i][k]);
    }
    free_alone();
    empty_folder();
}

int main(void)
{
#if RO_WITH_TIFF
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_through_the_reader),
        cmocka_unit_test(numbers_of_turned_pages),
        cmocka_unit_test(alpha_of_some_pages),
        cmocka_unit_test(pairs_through_commands),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
#else
    return 77;
#endif
}
