/* SPDX-License-Identifier: MIT */
/* Pipes: read in small pieces, given up when cancelled, and no signal when their reader left. */
#include "io/io_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* Cancels the context after a moment: the call under test is waiting by then. */
static void *cancel_later(void *data)
{
    (void)data;
    usleep(150000);
    ro_context_cancel(context);
    return NULL;
}

/* Writes a plain file byte by byte. */
static void *dribble(void *data)
{
    static const char text[] = "P5 4 3 255\nabcdefghijkl";
    int fd = open(data, O_WRONLY);
    for (size_t i = 0; i < sizeof text - 1; i++)
        if (write(fd, text + i, 1) != 1)
            break;
    close(fd);
    return NULL;
}

static void read_in_pieces(void **state)
{
    (void)state;
    const char *path = path_to("in");
    pthread_t writer;
    ro_image image;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, dribble, (void *)path), 0);
    ro_status status = ro_image_load(context, path, NULL, &image, NULL, NULL);
    pthread_join(writer, NULL);
    assert_int_equal(status, RO_OK);
    for (int y = 0; y < 3; y++)
        assert_memory_equal((char *)image.data + y * image.stride, "abcdefghijkl" + 4 * y, 4);
    ro_image_free(&image);
    empty_folder();
}

static void waiting_for_input_is_cancelled(void **state)
{
    (void)state;
    const char *path = path_to("in");
    pthread_t thread;
    ro_reader *reader;
    assert_int_equal(mkfifo(path, 0600), 0);
    int keep = open(path, O_RDWR); /* a writer that says nothing */
    pthread_create(&thread, NULL, cancel_later, NULL);
    ro_status status = ro_reader_open(context, path, NULL, &reader);
    pthread_join(thread, NULL);
    ro_context_resume(context);
    assert_int_equal(status, RO_E_CANCELLED);
    assert_string_equal(ro_context_message(context), "cancelled");
    close(keep);
    empty_folder();
}

static void waiting_to_write_is_cancelled(void **state)
{
    (void)state;
    const char *path = path_to("out");
    pthread_t thread;
    ro_image image;
    ro_write_options pgm = {RO_WRITE_DEFAULTS, .type = "pgm"};
    assert_int_equal(ro_image_alloc(context, RO_GREY8, 4096, 4096, 0, &image), RO_OK);
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_create(&thread, NULL, cancel_later, NULL); /* while no reader is there at all */
    ro_status status = ro_image_save(context, path, &image, &pgm);
    pthread_join(thread, NULL);
    ro_context_resume(context);
    assert_int_equal(status, RO_E_CANCELLED);

    int keep = open(path, O_RDWR); /* a reader that never reads */
    pthread_create(&thread, NULL, cancel_later, NULL);
    status = ro_image_save(context, path, &image, &pgm);
    pthread_join(thread, NULL);
    ro_context_resume(context);
    assert_int_equal(status, RO_E_CANCELLED);
    close(keep);
    ro_image_free(&image);
    empty_folder();
}

static void reader_went_away(void **state)
{
    (void)state;
    const char *path = path_to("out");
    ro_image image;
    ro_write_options pgm = {RO_WRITE_DEFAULTS, .type = "pgm"};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, 4096, 4096, 0, &image), RO_OK);
    assert_int_equal(mkfifo(path, 0600), 0);
    sigaction(SIGPIPE, &ignore, &before);
    pid_t child = fork();
    if (child == 0) {
        char some[1000];
        int fd = open(path, O_RDONLY);
        _exit(read(fd, some, sizeof some) <= 0);
    }
    ro_status status = ro_image_save(context, path, &image, &pgm);
    int code;
    waitpid(child, &code, 0);
    sigaction(SIGPIPE, &before, NULL);
    assert_int_equal(status, RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "the reader of the output has gone away"));
    ro_image_free(&image);
    empty_folder();
}

static void cancelled_between_rows(void **state)
{
    (void)state;
    ro_reader *reader;
    ro_writer *writer;
    uint8_t rows[4];
    uint32_t got;
    ro_file_info info = {.format = RO_GREY8, .width = 2, .height = 2};
    put_file(path_to("in.pgm"), "P2 2 2 9 1 2 3 4", 16);
    assert_int_equal(ro_reader_open(context, path_to("in.pgm"), NULL, &reader), RO_OK);
    assert_int_equal(ro_writer_open(context, path_to("out.pgm"), &info, NULL, &writer), RO_OK);
    assert_int_equal(ro_writer_rows(writer, rows, 2, 2), RO_OK);
    ro_context_cancel(context);
    assert_int_equal(ro_reader_rows(reader, rows, 2, 1, &got), RO_E_CANCELLED);
    assert_int_equal(ro_writer_commit(writer), RO_E_CANCELLED);
    ro_context_resume(context);
    ro_writer_close(writer);
    ro_reader_close(reader);
    assert_int_equal(count_files(), 1); /* the input alone */
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_in_pieces),
        cmocka_unit_test(waiting_for_input_is_cancelled),
        cmocka_unit_test(waiting_to_write_is_cancelled),
        cmocka_unit_test(reader_went_away),
        cmocka_unit_test(cancelled_between_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
