/* SPDX-License-Identifier: MIT */
/*
 * What acuity's code on a device (acuity_steps.cuh) looks up, in entries of four words. Bytes of
 * weights lie where its products pick them: taps 0, none, 1, 2; 3, 5, 6, 7; 8, 9.
 *
 * 8-bit pixels: an entry for every sample, with weights and all numbers of its tone. Deeper ones,
 * two levels to packed bits: an entry for each of 256 tones, with weights, threshold and the
 * threshold's rise to the next. Else one for every class, with its weights, then one for every
 * sample, with its numbers and class.
 */
#include "halftone/error_diffusion/acuity.h"

#include <stdlib.h>

static uint32_t join(int first, int second, int third, int fourth)
{
    return (uint32_t)(uint8_t)first | (uint32_t)(uint8_t)second << 8 |
           (uint32_t)(uint8_t)third << 16 | (uint32_t)(uint8_t)fourth << 24;
}

static void put_weights(uint32_t entry[4], const struct acuity_table *from, int class)
{
    const int8_t *w = from->weights[class];
    entry[0] = join(w[0], 0, w[1], w[2]);
    entry[1] = join(w[3], w[5], w[6], w[7]);
    entry[2] = join(w[8], w[9], 0, 0);
    entry[3] = 0;
}

/* The last word of two levels and packed bits is the threshold: all else follows from the sample.
 */
static void put_narrow(uint32_t entry[4], const struct acuity_table *from,
                       const struct acuity_tone *tone, bool bits)
{
    put_weights(entry, from, tone->class);
    if (bits) {
        entry[3] = (uint32_t)tone->threshold;
        return;
    }
    entry[2] |= (uint32_t)tone->threshold << 16;
    entry[3] = (uint32_t)tone->above | (uint32_t)tone->step << 12 | (uint32_t)tone->level << 24;
}

static void put_tone(uint32_t entry[4], const struct acuity_table *from, int tone)
{
    const int first = acuity_threshold_at(from, tone),
              next = tone < 255 ? acuity_threshold_at(from, tone + 1) : first;
    put_weights(entry, from, (tone < 128 ? tone : 255 - tone) >> 2);
    entry[3] = (uint32_t)first | (uint32_t)(next - first) << 16;
}

static void put_wide(uint32_t entry[4], const struct acuity_tone *tone)
{
    entry[0] = (uint32_t)tone->above;
    entry[1] = (uint32_t)tone->step;
    entry[2] = (uint32_t)tone->threshold;
    entry[3] = (uint32_t)tone->class | (uint32_t)tone->level << 8;
}

uint32_t (*acuity_cuda_table(const struct diffusion_plan *plan, size_t *entries))[4]
{
    const struct acuity_table *from = plan->acuity->table;
    const struct acuity_tone *tones = plan->acuity->tones;
    const uint32_t white = (uint32_t)plan->white / 16;
    const bool narrow = plan->sample_bytes == 1, by_tone = !narrow && plan->bits_out;
    *entries = narrow || by_tone ? ACUITY_TONES : ACUITY_CLASSES + 65536;
    uint32_t(*table)[4] = calloc(*entries, sizeof *table);
    if (!table)
        return NULL;
    for (int tone = 0; tone < ACUITY_TONES && by_tone; tone++)
        put_tone(table[tone], from, tone);
    for (uint32_t a = 0; a <= white && narrow; a++)
        put_narrow(table[a], from, &tones[a], plan->bits_out);
    if (narrow || by_tone)
        return table;
    for (int class = 0; class < ACUITY_CLASSES; class ++)
        put_weights(table[class], from, class);
    for (uint32_t a = 0; a <= white; a++)
        put_wide(table[ACUITY_CLASSES + a], &tones[a]);
    return table;
}
