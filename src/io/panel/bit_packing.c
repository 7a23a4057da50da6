/* SPDX-License-Identifier: MIT */
#include "io/panel/bit_packing.h"

#include <string.h>

/* Numbers of the caller's own; the largest. */
static ro_status take_numbers(struct packing *packing, struct open_file *file,
                              const ro_write_options *options, uint32_t *most)
{
    if (!options->numbers)
        return RO_OK;
    if (options->number_count != (int)*most + 1)
        return file_fail(file, RO_E_ARGUMENT, "%d numbers were given for %u levels or colours",
                         options->number_count, *most + 1);
    *most = 0;
    for (int k = 0; k < options->number_count; k++) {
        for (int j = 0; j < k; j++)
            if (options->numbers[j] == options->numbers[k])
                return file_fail(file, RO_E_ARGUMENT, "number %d is given twice",
                                 options->numbers[k]);
        packing->number[k] = options->numbers[k];
        *most = options->numbers[k] > *most ? options->numbers[k] : *most;
    }
    return RO_OK;
}

ro_status packing_open(struct packing *packing, struct open_file *file, const ro_file_info *info,
                       const ro_write_options *options)
{
    uint32_t most = info->format == RO_BITS ? 1
                    : info->inks            ? 15
                    : info->palette         ? (uint32_t)info->palette->count - 1
                                            : info->maxval;
    *packing = (struct packing){
        .from = info->format, .width = info->width, .low_first = options->low_bits_first};
    for (int k = 0; k < 256; k++)
        packing->number[k] = (uint8_t)(options->ones_are_black ? k ^ 1 : k);
    ro_status status = take_numbers(packing, file, options, &most);
    if (status != RO_OK)
        return status;
    if (options->numbers && options->ones_are_black)
        return file_fail(file, RO_E_ARGUMENT, "numbers of one's own say what ones are");
    const int least = most <= 1 ? 1 : most <= 3 ? 2 : most <= 15 ? 4 : 8;
    const int asked = options->pixel_bits;
    if (asked && asked != 1 && asked != 2 && asked != 4 && asked != 8)
        return file_fail(file, RO_E_ARGUMENT, "pixels of %d bits: 1, 2, 4 or 8 can be packed",
                         asked);
    if (asked && asked < least && options->numbers)
        return file_fail(file, RO_E_ARGUMENT, "the number %u needs %d bits a pixel, not %d", most,
                         least, asked);
    if (asked && asked < least)
        return file_fail(file, RO_E_UNSUPPORTED, "%u %s need %d bits a pixel, not %d", most + 1,
                         info->palette ? "colours" : "levels", least, asked);
    if (options->ones_are_black && (info->palette || info->inks || most > 1))
        return file_fail(file, RO_E_ARGUMENT,
                         "ones can be black only where there are two levels and no palette");
    packing->bits = asked ? asked : least;
    return RO_OK;
}

size_t packing_bytes(const struct packing *packing)
{
    return (size_t)(((uint64_t)packing->width * (unsigned)packing->bits + 7) / 8);
}

void packing_row(const struct packing *packing, uint8_t *to, const uint8_t *row)
{
    const unsigned bits = (unsigned)packing->bits, each = 8 / bits;
    memset(to, 0, packing_bytes(packing));
    for (uint32_t x = 0; x < packing->width; x++) {
        const unsigned number = packing->from == RO_BITS ? row[x / 8] >> (7 - x % 8) & 1u : row[x];
        const unsigned place = x % each;
        to[x / each] |= (uint8_t)(packing->number[number]
                                  << bits * (packing->low_first ? place : each - 1 - place));
    }
}
