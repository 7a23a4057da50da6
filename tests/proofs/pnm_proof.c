/* SPDX-License-Identifier: MIT */
/*
 * sources: io/bytes/source.c io/filters/convert.c core/image.c
 * options: --unwind 11 --object-bits 12 --unwinding-assertions
 *
 * The PNM reader stays inside its bytes and inside the rows that it fills, whatever the up to 5
 * bytes are: numbers and comments of a header and of plain pixels, rows of raw pixels and bits.
 */
#include "io/formats/pnm.c"
#include "proofs/proof.h"

enum { LENGTH = 5 };

/* ---- What the reader calls ------------------------------------------------------------------ */

ro_status file_fail(struct open_file *file, ro_status status, const char *format, ...)
{
    (void)file, (void)format;
    return status;
}
ro_status file_ends_early(struct open_file *file) { return (void)file, RO_E_FORMAT; }
ro_status file_check_stop(struct open_file *file) { return (void)file, RO_OK; }
void file_drop(struct open_file *file, unsigned what, const char *format, ...)
{
    (void)file, (void)what, (void)format;
}

/* ---- The proofs ----------------------------------------------------------------------------- */

static struct open_file file;
static struct byte_source source;

static void open_any(void)
{
    uint8_t *bytes = malloc(LENGTH); /* what lies behind them is not ours */
    assume(bytes);
    for (int i = 0; i < LENGTH; i++)
        bytes[i] = nondet_byte();
    source_open_memory(&source, &file, bytes, LENGTH);
}

static void check(void) { assert(source.begin <= source.end && source.end == LENGTH); }

void proof_numbers(void)
{
    uint64_t value;
    open_any();
    if (number(&source, &value) == RO_OK)
        number(&source, &value);
    check();
}

static void read_all(char kind, ro_format format, uint32_t maxval, uint32_t width, uint32_t height)
{
    struct pnm pnm = {.source = &source, .kind = kind};
    pnm.stage.file = &file;
    pnm.stage.info =
        (ro_file_info){.format = format, .width = width, .height = height, .maxval = maxval};
    const size_t row = ro_format_row_bytes(format, width);
    uint8_t *rows = malloc(row * height);
    pnm.line = malloc((width + 7) / 8);
    assume(rows && pnm.line);
    open_any();
    read_rows(&pnm.stage, rows, (ptrdiff_t)row, height);
    check();
}

/* one that fits and one that ends early */
void proof_raw(void)
{
    read_all('5', RO_GREY8, 200, 2, 2);
    read_all('5', RO_GREY8, 200, 3, 2);
}
void proof_raw_wide(void)
{
    read_all('5', RO_GREY16, 300, 2, 1);
    read_all('5', RO_GREY16, 300, 3, 1);
}
void proof_bits(void)
{
    read_all('4', RO_GREY8, 1, 3, 2);
    read_all('4', RO_GREY8, 1, 9, 3);
}
void proof_plain_bits(void) { read_all('1', RO_GREY8, 1, 2, 1); }
