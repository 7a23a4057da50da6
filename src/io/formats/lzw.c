/* SPDX-License-Identifier: MIT */
#include "io/formats/lzw.h"

bool lzw_begin(struct lzw_state *lzw, const uint8_t *bytes, size_t size)
{
    if (size < 1 || bytes[0] < 1 || bytes[0] > 8)
        return false;
    lzw->at = bytes + 1;
    lzw->end = bytes + size;
    lzw->block = lzw->held = lzw->held_bits = lzw->waiting = 0;
    lzw->least = bytes[0];
    lzw->bits = lzw->least + 1;
    lzw->next = (1u << lzw->least) + 2;
    lzw->before = -1;
    lzw->first = 0;
    lzw->ended = false;
    return true;
}

/* -1: no more. */
static int next_code(struct lzw_state *lzw)
{
    while (lzw->held_bits < lzw->bits) {
        while (lzw->block == 0) {
            if (lzw->at == lzw->end || *lzw->at == 0)
                return -1;
            lzw->block = *lzw->at++;
        }
        if (lzw->at == lzw->end)
            return -1;
        lzw->held |= (uint32_t)*lzw->at++ << lzw->held_bits;
        lzw->held_bits += 8;
        lzw->block--;
    }
    const int code = (int)(lzw->held & ((1u << lzw->bits) - 1));
    lzw->held >>= lzw->bits;
    lzw->held_bits -= lzw->bits;
    return code;
}

static void add_code(struct lzw_state *lzw, uint8_t suffix)
{
    if (lzw->next == RO_LZW_CODES)
        return; /* it stays as it is until it is cleared */
    lzw->prefix[lzw->next] = (uint16_t)lzw->before;
    lzw->suffix[lzw->next] = suffix;
    if (++lzw->next == 1u << lzw->bits && lzw->bits < 12)
        lzw->bits++;
}

/* Puts the numbers of the next code on the stack; false: there is none. */
static bool unpack_code(struct lzw_state *lzw)
{
    const unsigned clear = 1u << lzw->least, end = clear + 1;
    int code = next_code(lzw);
    while (code == (int)clear) {
        lzw->bits = lzw->least + 1;
        lzw->next = clear + 2;
        lzw->before = -1;
        code = next_code(lzw);
    }
    if (code < 0 || code == (int)end) {
        lzw->ended = true;
        return false;
    }
    unsigned left = (unsigned)code;
    if (lzw->before < 0 ? left >= clear : left > lzw->next)
        return false;
    if (left == lzw->next) { /* the code that is about to be made: the one before, and its first */
        lzw->stack[lzw->waiting++] = lzw->first;
        left = (unsigned)lzw->before;
    }
    while (left >= clear) { /* prefixes are smaller codes, so this ends */
        lzw->stack[lzw->waiting++] = lzw->suffix[left];
        left = lzw->prefix[left];
    }
    lzw->stack[lzw->waiting++] = (uint8_t)left;
    lzw->first = (uint8_t)left;
    if (lzw->before >= 0)
        add_code(lzw, lzw->first);
    lzw->before = code;
    return true;
}

size_t lzw_read(struct lzw_state *lzw, uint8_t *numbers, size_t count)
{
    size_t got = 0;
    while (got < count) {
        if (lzw->waiting == 0 && !unpack_code(lzw))
            break;
        numbers[got++] = lzw->stack[--lzw->waiting];
    }
    return got;
}
