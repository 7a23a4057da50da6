/* SPDX-License-Identifier: MIT */
/* The codes of GIF, unpacked: the dictionary method of Lempel, Ziv and Welch. */
#ifndef RO_IO_FORMATS_LZW_H
#define RO_IO_FORMATS_LZW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RO_LZW_CODES = 4096 };

struct lzw_state {
    const uint8_t *at, *end;
    unsigned block; /* bytes left in the block */
    uint32_t held;  /* bits that were taken from it */
    unsigned held_bits;
    unsigned least, bits, next; /* bits of a number, of a code; the next code to be made */
    int before;                 /* the code before; -1: none */
    uint8_t first;              /* the first number of it */
    bool ended;                 /* no more codes came */
    uint16_t prefix[RO_LZW_CODES];
    uint8_t suffix[RO_LZW_CODES];
    uint8_t stack[RO_LZW_CODES]; /* numbers of a code that nobody took yet, the last one first */
    unsigned waiting;
};

/* From the byte that gives the size of a number, at the blocks behind it; false: no such size. */
bool lzw_begin(struct lzw_state *lzw, const uint8_t *bytes, size_t size);

/* The next `count` numbers; fewer: there are no more (`ended`), or a code makes no sense. */
size_t lzw_read(struct lzw_state *lzw, uint8_t *numbers, size_t count);

#endif
