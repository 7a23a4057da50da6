/* SPDX-License-Identifier: MIT */
/*
 * Modulators by name: pixels, pitch, levels and what they are sent. Every row cites where its
 * figures were read; a device whose source could not be opened is not here.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/names.h"
#include "roundoff/command.h"
#include "roundoff/hologram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLM_LEVELS = 16 };

/* A mirror that is moved by four electrodes, two by two in what the device is sent. */
struct plm {
    double displacement[PLM_LEVELS]; /* over the largest, which is 15/16 of a turn */
    uint8_t memory[PLM_LEVELS];      /* the electrodes' bits for each level */
    uint8_t electrode[2][2];         /* the bit at each place */
    bool flipped;                    /* from left to right */
};

/* github.com/slmsuite/slmsuite, hardware/slms/texas_instruments.yaml: values of Texas Instruments'
 * ti-phase-light-modulator; those of the 0.67 inch one as its user's guide has them. */
static const struct plm plm_47 = {
    .displacement = {0.0, 0.0126, 0.0259, 0.0495, 0.071, 0.0878, 0.1382, 0.2153, 0.3274, 0.361,
                     0.4204, 0.5046, 0.5916, 0.673, 0.8254, 1.0},
    .memory = {3, 2, 1, 7, 0, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
    .electrode = {{2, 3}, {0, 1}},
};
static const struct plm plm_67 = {
    .displacement = {0.0, 0.0107, 0.0219, 0.0450, 0.0598, 0.0775, 0.1206, 0.1850, 0.3655, 0.3955,
                     0.4510, 0.5244, 0.6393, 0.7116, 0.8502, 1.0},
    .memory = {3, 2, 1, 7, 0, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
    .electrode = {{1, 3}, {0, 2}},
    .flipped = true,
};

static const struct device {
    ro_slm slm;
    const struct plm *plm;
} devices[] = {
    {{"pluto-2", "HOLOEYE PLUTO-2", 1920, 1080, 8e-6, "phase:256",
      "github.com/QITI/pySLM2, pySLM2/slm.py, PLUTO_2"},
     NULL},
    {{"gaea-2", "HOLOEYE GAEA-2", 4160, 2464, 3.74e-6, "phase:256",
      "project page of DPENet, experimental setup: GAEA-2-VIS-036"},
     NULL},
    {{"leto", "HOLOEYE LETO", 1920, 1080, 6.4e-6, "phase:256",
      "slmutils, generate/slm.py, HoloeyeLETO"},
     NULL},
    {{"meadowlark-1920", "Meadowlark 1920 x 1152", 1920, 1152, 9.2e-6, "phase:256",
      "github.com/slmsuite/slmsuite, hardware/slms/meadowlark.csv; pitch: tooltips of "
      "slm-hologram-app"},
     NULL},
    {{"meadowlark-1024", "Meadowlark 1024 x 1024", 1024, 1024, 17e-6, "phase:256",
      "github.com/slmsuite/slmsuite, hardware/slms/meadowlark.csv; pitch: defaults of the "
      "Meadowlark1024_SLM driver"},
     NULL},
    {{"plm-47", "TI PLM 0.47 inch", 960, 540, 10.8e-6, NULL,
      "github.com/slmsuite/slmsuite, hardware/slms/texas_instruments.yaml, p47"},
     &plm_47},
    {{"plm-67", "TI PLM 0.67 inch", 1358, 800, 10.8e-6, NULL,
      "github.com/slmsuite/slmsuite, hardware/slms/texas_instruments.yaml, p67"},
     &plm_67},
    {{"dlp4710", "TI DLP4710", 1920, 1080, 5.4e-6, "binary",
      "a laboratory's first steps with a DLP4710: 1920 x 1080, pixels of 5.4 um"},
     NULL},
    {{"dlp7000", "TI DLP7000", 1024, 768, 13.68e-6, "binary",
      "github.com/QITI/pySLM2, pySLM2/slm.py, DLP7000"},
     NULL},
    {{"dlp9000", "TI DLP9000", 2560, 1600, 7.56e-6, "binary",
      "github.com/QITI/pySLM2, pySLM2/slm.py, DLP9000"},
     NULL},
};
enum { DEVICES = sizeof devices / sizeof *devices };

const ro_slm *ro_slm_at(int number)
{
    return number >= 0 && number < DEVICES ? &devices[number].slm : NULL;
}

ro_status ro_slm_find(ro_context *context, const char *name, const ro_slm **slm)
{
    char all[512] = "";
    if (slm)
        *slm = NULL;
    if (MISSING(context, name, slm))
        return RO_E_ARGUMENT;
    for (int i = 0; i < DEVICES; i++) {
        if (ro_name_equal(devices[i].slm.name, name)) {
            *slm = &devices[i].slm;
            return RO_OK;
        }
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", devices[i].slm.name);
    }
    return ro_context_fail(context, RO_E_ARGUMENT, "modulator %s: must be one of %s", name, all);
}

static const struct plm *plm_of(const ro_slm *slm)
{
    for (int i = 0; i < DEVICES; i++)
        if (slm == &devices[i].slm)
            return devices[i].plm;
    return NULL;
}

ro_status ro_slm_modulator(ro_context *context, const ro_slm *slm, ro_modulator *modulator)
{
    if (MISSING(context, slm, modulator))
        return RO_E_ARGUMENT;
    const struct plm *plm = plm_of(slm);
    if (!plm)
        return ro_modulator_named(context, slm->levels, modulator);
    *modulator = (ro_modulator){.count = PLM_LEVELS};
    for (int k = 0; k < PLM_LEVELS; k++) {
        const double turn = plm->displacement[k] * (PLM_LEVELS - 1) / PLM_LEVELS;
        modulator->table[2 * k] = (float)cos(6.283185307179586 * turn);
        modulator->table[2 * k + 1] = (float)sin(6.283185307179586 * turn);
        modulator->drive[k] = (uint8_t)k;
    }
    return RO_OK;
}

static void fill_electrodes(const struct plm *plm, const ro_image *numbers, ro_image *frame)
{
    for (uint32_t y = 0; y < frame->height; y++) {
        const uint8_t *from = (const uint8_t *)numbers->data + (ptrdiff_t)(y / 2) * numbers->stride;
        uint8_t *to = (uint8_t *)frame->data + (ptrdiff_t)y * frame->stride;
        for (uint32_t x = 0; x < frame->width; x++) {
            const int bit = plm->electrode[y % 2][x % 2];
            const uint32_t at = plm->flipped ? frame->width - 1 - x : x;
            to[at] = plm->memory[from[x / 2]] >> bit & 1 ? 255 : 0;
        }
    }
}

ro_status ro_slm_frame(ro_context *context, const ro_slm *slm, const ro_image *numbers,
                       ro_image *frame)
{
    if (frame)
        *frame = (ro_image){0};
    if (MISSING(context, slm, frame))
        return RO_E_ARGUMENT;
    ro_status status = image_check(context, numbers, "the image of level numbers");
    if (status != RO_OK)
        return status;
    if (numbers->format != RO_INDEX8)
        return ro_context_fail(context, RO_E_ARGUMENT, "level numbers are %s, not %s",
                               ro_format_name(RO_INDEX8), ro_format_name(numbers->format));
    ro_modulator modulator;
    const struct plm *plm = plm_of(slm);
    const uint32_t each = plm ? 2 : 1;
    status = ro_slm_modulator(context, slm, &modulator);
    for (uint32_t y = 0; y < numbers->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < numbers->width && status == RO_OK; x++) {
            const int k = ((const uint8_t *)numbers->data + (ptrdiff_t)y * numbers->stride)[x];
            if (k >= modulator.count)
                status =
                    ro_context_fail(context, RO_E_ARGUMENT, "pixel %u,%u is level %d; %s has %d", x,
                                    y, k, slm->title, modulator.count);
        }
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY8, numbers->width * each, numbers->height * each,
                                255, frame);
    if (status != RO_OK)
        return status;
    if (plm) {
        fill_electrodes(plm, numbers, frame);
        return RO_OK;
    }
    for (uint32_t y = 0; y < frame->height; y++) {
        const uint8_t *from = (const uint8_t *)numbers->data + (ptrdiff_t)y * numbers->stride;
        uint8_t *to = (uint8_t *)frame->data + (ptrdiff_t)y * frame->stride;
        for (uint32_t x = 0; x < frame->width; x++)
            to[x] = modulator.count == 2 ? (from[x] ? 255 : 0) : from[x];
    }
    return RO_OK;
}

/* Bits 0 to 7 of green, of red, of blue. */
ro_status ro_frames_pack(ro_context *context, const ro_image *frames, int count, ro_image *packed)
{
    static const int channel[] = {1, 0, 2};
    if (packed)
        *packed = (ro_image){0};
    if (MISSING(context, frames, packed))
        return RO_E_ARGUMENT;
    if (count < 1 || count > 24)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d frames: a picture of 24 bits holds 24",
                               count);
    ro_status status = RO_OK;
    for (int i = 0; i < count && status == RO_OK; i++) {
        status = image_check(context, &frames[i], "a frame");
        if (status == RO_OK && (frames[i].format != RO_INDEX8 || frames[i].width != frames->width ||
                                frames[i].height != frames->height))
            status = ro_context_fail(context, RO_E_ARGUMENT, "a frame is %s of %u x %u",
                                     ro_format_name(RO_INDEX8), frames->width, frames->height);
    }
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_RGB8, frames->width, frames->height, 255, packed);
    for (uint32_t y = 0; status == RO_OK && y < packed->height; y++) {
        uint8_t *to = (uint8_t *)packed->data + (ptrdiff_t)y * packed->stride;
        memset(to, 0, 3 * (size_t)packed->width);
        for (int i = 0; i < count; i++) {
            const uint8_t *from = (const uint8_t *)frames[i].data + (ptrdiff_t)y * frames[i].stride;
            for (uint32_t x = 0; x < packed->width; x++)
                to[3 * x + (uint32_t)channel[i / 8]] |= (uint8_t)((from[x] != 0) << i % 8);
        }
    }
    return status;
}
