/* SPDX-License-Identifier: MIT */
/* Every chunk of a PNG file carries a checksum: it is put right after each mutation, or nothing
 * behind it would ever be reached. */
#include "reader_fuzz.h"

RO_READER_FUZZ("png")

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    enum { MAGIC = 8, LENGTH = 4, TYPE = 4, SUM = 4 };
    (void)seed;
    size = LLVMFuzzerMutate(bytes, size, most);
    for (size_t at = MAGIC; at + LENGTH + TYPE + SUM <= size;) {
        size_t length = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                        (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (length > size - at - LENGTH - TYPE - SUM)
            break;
        uint32_t sum = checksum(bytes + at + LENGTH, TYPE + length);
        for (size_t i = 0; i < SUM; i++)
            bytes[at + LENGTH + TYPE + length + i] = (uint8_t)(sum >> (24 - 8 * i));
        at += LENGTH + TYPE + length + SUM;
    }
    return size;
}
