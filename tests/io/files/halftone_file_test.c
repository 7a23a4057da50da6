/* SPDX-License-Identifier: MIT */
/* A file halftoned into a file: the same bits as in memory, and nothing left behind on a failure.
 */
#include "io/io_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Some smooth tones with noise, saved as PGM or PPM. */
static void make_input(const char *path, ro_format format, uint32_t width, uint32_t height)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, format, width, height, 0, &image), RO_OK);
    size_t row = ro_format_row_bytes(format, width);
    for (uint32_t y = 0; y < height; y++)
        for (size_t i = 0; i < row; i++)
            ((uint8_t *)image.data)[y * (size_t)image.stride + i] =
                (uint8_t)(i / 4 + y / 3 + ((i * 2654435761u + y * 40503u) >> 9 & 15));
    assert_int_equal(ro_image_save(context, path, &image, NULL), RO_OK);
    ro_image_free(&image);
}

/* The output file, read back, against ro_halftone on the whole image. */
static void expect_same(const char *in, const char *out, const ro_halftone_options *options,
                        const ro_read_options *read)
{
    ro_image from, expected, got;
    int levels = options && options->levels ? options->levels : 2;
    if (ro_halftone_file(context, in, out, options, read, NULL, NULL) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    assert_int_equal(ro_image_load(context, in, read, &from, NULL, NULL), RO_OK);
    assert_int_equal(ro_image_load(context, out, NULL, &got, NULL, NULL), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, from.width, from.height,
                                    (uint32_t)levels - 1, &expected),
                     RO_OK);
    assert_int_equal(ro_halftone(context, &from, &expected, options), RO_OK);
    assert_int_equal(got.width, from.width);
    assert_int_equal(got.height, from.height);
    bool numbers = strstr(out, ".npy") || got.maxval == (uint32_t)levels - 1;
    for (uint32_t y = 0; y < from.height; y++)
        for (uint32_t x = 0; x < from.width; x++) {
            unsigned k = ((uint8_t *)expected.data)[y * (size_t)expected.stride + x];
            unsigned tone =
                numbers ? k : (2 * 255 * k + (unsigned)levels - 1) / (2u * (unsigned)(levels - 1));
            if (((uint8_t *)got.data)[y * (size_t)got.stride + x] != tone)
                fail_msg("%s differs at %u, %u", out, x, y);
        }
    ro_image_free(&from);
    ro_image_free(&expected);
    ro_image_free(&got);
}

static void same_as_in_memory(void **state)
{
    (void)state;
    static const char *const outputs[] = {
        "out.pbm",
        "out.pgm",
        "out.npy",
#if RO_WITH_PNG
        "out.png",
#endif
#if RO_WITH_TIFF
        "out.tif",
#endif
    };
    static const struct {
        const char *name;
        ro_format format;
        uint32_t width, height;
    } inputs[] = {{"a.pgm", RO_GREY8, 1, 1},       {"b.pgm", RO_GREY8, 37, 700},
                  {"c.ppm", RO_RGB8, 300, 41},     {"d.pgm", RO_GREY16, 130, 333},
                  {"e.pgm", RO_GREY8, 9001, 1500}, /* many blocks */
                  {"f.ppm", RO_RGB16, 3000, 900}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const char *in = path_to(inputs[i].name);
        make_input(in, inputs[i].format, inputs[i].width, inputs[i].height);
        for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++) {
            bool large = inputs[i].width > 1000;
            char out[128];
            snprintf(out, sizeof out, "%s/%s", folder, outputs[o]);
            expect_same(in, out, NULL, NULL);
            if (o > 0 && !large) {
                expect_same(in, out, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 3},
                            NULL);
                expect_same(in, out, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 4},
                            NULL);
                expect_same(
                    in, out, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 256},
                    &(ro_read_options){RO_READ_DEFAULTS, .resize_width = 50, .resize_height = 60});
            }
        }
        empty_folder();
    }
}

static void expect_failed(const char *in, const char *out, const ro_halftone_options *options,
                          ro_status status, const char *words)
{
    int files = count_files();
    size_t size;
    assert_int_equal(ro_halftone_file(context, in, out, options, NULL, NULL, NULL), status);
    if (!strstr(ro_context_message(context), words))
        fail_msg("%s", ro_context_message(context));
    assert_int_equal(count_files(), files);
    uint8_t *old = get_file(out, &size);
    if (old) {
        assert_int_equal(size, 3);
        assert_memory_equal(old, "old", 3);
    }
    free(old);
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    const char *out = path_to("out.pbm"), *in = path_to("in.pgm");
    make_input(in, RO_GREY8, 3000, 4000);
    put_file(out, "old", 3);
    expect_failed(path_to("none.pgm"), out, NULL, RO_E_IO, "none.pgm: cannot be opened");
    expect_failed(folder, out, NULL, RO_E_IO, "is a directory");
    expect_failed(in, path_to("x.xyz"), NULL, RO_E_ARGUMENT, "cannot be told");
    expect_failed(in, path_to("x.pbm"), &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 3},
                  RO_E_UNSUPPORTED, "2 levels only, not 3");
    expect_failed(in, out, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 1}, RO_E_ARGUMENT,
                  "1");
    expect_failed(in, path_to("x.pgm"),
                  &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 65537}, RO_E_ARGUMENT,
                  "65537");
    expect_failed(in, out, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "nothing"},
                  RO_E_ARGUMENT, "nothing");
    /* Damage far into the file, so that the other stages are at work when it is found. */
    size_t size;
    uint8_t *bytes = get_file(in, &size);
    memcpy(bytes, "P5\n3000 4000\n254\n", 17);
    for (size_t i = 17; i < size - 5; i++)
        bytes[i] = bytes[i] == 255 ? 254 : bytes[i];
    bytes[size - 5] = 255;
    put_file(in, bytes, size);
    free(bytes);
    expect_failed(in, out, NULL, RO_E_FORMAT, "in.pgm: a value of 255 is above the largest, 254");
    empty_folder();
}

static void full_disk(void **state)
{
    (void)state;
    struct rlimit before, small;
    const char *in = path_to("in.pgm"), *out = path_to("out.pgm");
    make_input(in, RO_GREY8, 3000, 2000);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &small);
    expect_failed(in, out, NULL, RO_E_IO, "out.pgm: cannot be written");
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    empty_folder();
}

/* The writer stops the reader although that waits for input that never comes. */
static void a_closed_output_ends_a_waiting_input(void **state)
{
    (void)state;
    const char *in = path_to("in"), *out = path_to("out");
    assert_int_equal(mkfifo(in, 0600), 0);
    assert_int_equal(mkfifo(out, 0600), 0);
    int keep = open(in, O_RDWR);
    pid_t child = fork();
    if (child == 0) { /* gives a part of the image, takes a little of the output, and goes */
        static char rows[1 << 16];
        int to = open(in, O_WRONLY);
        dprintf(to, "P5 4096 100000 255\n");
        int from = open(out, O_RDONLY);
        for (int i = 0; i < 256; i++) /* its output is more than a pipe holds */
            if (write(to, rows, sizeof rows) <= 0)
                _exit(1);
        _exit(read(from, rows, 100) != 100);
    }
    ro_status status = ro_halftone_file(
        context, in, out, NULL, NULL, &(ro_write_options){RO_WRITE_DEFAULTS, .type = "pbm"}, NULL);
    int code;
    waitpid(child, &code, 0);
    close(keep);
    assert_int_equal(code, 0);
    assert_int_equal(status, RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "the reader of the output has gone away"));
    empty_folder();
}

static int progress_calls;
static int cancel_half_way(void *data, const char *phase, double done)
{
    (void)data;
    (void)phase;
    progress_calls++;
    return done > 0.3;
}

static void cancelled_by_progress(void **state)
{
    (void)state;
    const char *in = path_to("in.pgm"), *out = path_to("out.pbm");
    make_input(in, RO_GREY8, 4096, 6000);
    put_file(out, "old", 3);
    ro_context *other = context;
    assert_int_equal(ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 2,
                                                           .progress = cancel_half_way},
                                     &context),
                     RO_OK);
    expect_failed(in, out, NULL, RO_E_CANCELLED, "cancelled");
    assert_true(progress_calls > 1);
    ro_context_close(context);
    context = other;
    empty_folder();
}

static void resolution_passes(void **state)
{
    (void)state;
#if RO_WITH_PNG
    const char *in = path_to("in.png"), *out = path_to("out.png");
    uint8_t pixels[6] = {0, 50, 100, 150, 200, 255};
    ro_image image = ro_image_view(RO_GREY8, 3, 2, pixels);
    ro_file_info info;
    ro_write_options dpi = {RO_WRITE_DEFAULTS, .dpi_x = 300, .dpi_y = 600};
    assert_int_equal(ro_image_save(context, in, &image, &dpi), RO_OK);
    assert_int_equal(ro_halftone_file(context, in, out, NULL, NULL, NULL, NULL), RO_OK);
    assert_int_equal(ro_image_load(context, out, NULL, &image, &info, NULL), RO_OK);
    ro_image_free(&image);
    assert_true(info.dpi_x > 299.9 && info.dpi_x < 300.1);
    assert_true(info.dpi_y > 599.9 && info.dpi_y < 600.1);
    dpi = (ro_write_options){RO_WRITE_DEFAULTS, .dpi_x = 1200};
    assert_int_equal(ro_halftone_file(context, in, out, NULL, NULL, &dpi, NULL), RO_OK);
    assert_int_equal(ro_image_load(context, out, NULL, &image, &info, NULL), RO_OK);
    ro_image_free(&image);
    assert_true(info.dpi_x > 1199.9 && info.dpi_x < 1200.1 && info.dpi_y == info.dpi_x);
    empty_folder();
#endif
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_in_memory),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(a_closed_output_ends_a_waiting_input),
        cmocka_unit_test(cancelled_by_progress),
        cmocka_unit_test(resolution_passes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
