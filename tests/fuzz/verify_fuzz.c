/* SPDX-License-Identifier: MIT */
/* roundoff verify on certificates that a forger wrote: whatever lines come get the checksum that
 * fits them, and the whole command runs. */
#define _GNU_SOURCE /* memfd_create */
#include "roundoff_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef main
int roundoff_main(int argc, char **argv);

static ro_context *context;
static char picture[64], bits[64];

/* A small picture that lies in memory under a name. */
static void keep(char path[64], const char *head, const void *pixels, size_t size)
{
    const int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, head, strlen(head)) < 0 || write(file, pixels, size) < 0)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", file);
}

static void begin(void)
{
    static const uint8_t grey[20] = {9, 200, 30, 255, 0, 90, 128, 127, 64, 1};
    static const uint8_t black[4] = {0x50, 0xa0, 0x48, 0x90};
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context))
        abort();
    keep(picture, "P5 5 4 255\n", grey, sizeof grey);
    keep(bits, "P4 5 4\n", black, sizeof black);
    if (!freopen("/dev/null", "w", stdout)) /* what it prints is not looked at */
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64], hash[RO_HASH_TEXT], tail[64 + RO_HASH_TEXT];
    static char text[1 << 16];
    if (!context)
        begin();
    if (size + 3 > sizeof text)
        return 0;
    memcpy(text, "{\n", 2);
    memcpy(text + 2, bytes, size);
    if (ro_bytes_hash(context, text, size + 2, hash) != RO_OK)
        return 0;
    const int file = memfd_create("certificate", 0);
    const int length = snprintf(tail, sizeof tail, "  \"checksum\": \"%s\"\n}\n", hash);
    if (file < 0 || write(file, text, size + 2) < 0 || write(file, tail, (size_t)length) < 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    char *arguments[] = {"roundoff", "verify",    path, picture, bits,
                         "--quiet",  "--threads", "1",  NULL};
    const int result = roundoff_main(8, arguments);
    if (result < 0 || result > 2)
        abort();
    close(file);
    return 0;
}
