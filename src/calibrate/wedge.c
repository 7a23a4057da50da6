/* SPDX-License-Identifier: MIT */
/* Drawing the step wedge: patches, paper and marks. */
#include "calibrate/wedge.h"

#include "context/context.h"
#include "core/image.h"
#include "core/random.h"

#include <string.h>

/* Neighbours should have nothing to do with one another, so that light that falls off to a side
 * does not look like a tone curve: the order is shuffled. */
void wedge_steps(int steps[WEDGE_PATCHES])
{
    for (int i = 0; i < WEDGE_PATCHES; i++)
        steps[i] = i < RO_WEDGE_STEPS ? i : 0;
    for (int i = WEDGE_PATCHES - 1; i > 0; i--) {
        const int k = (int)(pixel_hash(33, (uint32_t)i, 0) % (uint32_t)(i + 1)), step = steps[i];
        steps[i] = steps[k];
        steps[k] = step;
    }
}

static void fill(const ro_image *image, uint32_t unit, int x, int y, int width, int height,
                 int value)
{
    for (uint32_t row = (uint32_t)y * unit; row < (uint32_t)(y + height) * unit; row++)
        memset((char *)image->data + (ptrdiff_t)row * image->stride + (size_t)x * unit, value,
               (size_t)width * unit);
}

ro_status ro_wedge_draw(ro_context *context, uint32_t patch, ro_image *image)
{
    ro_status status = image_check(context, image, "wedge");
    if (status != RO_OK)
        return status;
    if (!ro_wedge_width(patch))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "patches of %u pixels: must be a multiple of 8 from 16 to 4096",
                               patch);
    if (image->format != RO_GREY8 || ro_image_white(image) != 255 ||
        image->width != ro_wedge_width(patch) || image->height != ro_wedge_height(patch))
        return ro_context_fail(context, RO_E_SIZE,
                               "a wedge with patches of %u pixels is 8-bit grey, %u x %u", patch,
                               ro_wedge_width(patch), ro_wedge_height(patch));
    const uint32_t unit = patch / WEDGE_PATCH;
    const int right = WEDGE_MARGIN + WEDGE_ACROSS, bottom = WEDGE_MARGIN + WEDGE_DOWN;
    const int marks[4][2] = {{WEDGE_MARGIN, WEDGE_MARGIN},
                             {right, WEDGE_MARGIN},
                             {WEDGE_MARGIN, bottom},
                             {right, bottom}};
    int steps[WEDGE_PATCHES];
    fill(image, unit, 0, 0, (int)(ro_wedge_width(patch) / unit),
         (int)(ro_wedge_height(patch) / unit), 255);
    for (int i = 0; i < 4; i++)
        for (int ring = 0; ring < 3; ring++)
            fill(image, unit, marks[i][0] + ring, marks[i][1] + ring, WEDGE_MARK - 2 * ring,
                 WEDGE_MARK - 2 * ring, ring % 2 ? 255 : 0);
    wedge_steps(steps);
    for (int i = 0; i < WEDGE_PATCHES; i++)
        fill(image, unit, WEDGE_LEFT + i % WEDGE_COLUMNS * WEDGE_PITCH,
             WEDGE_TOP + i / WEDGE_COLUMNS * WEDGE_PITCH, WEDGE_PATCH, WEDGE_PATCH,
             (2 * 255 * steps[i] + RO_WEDGE_STEPS - 1) / (2 * (RO_WEDGE_STEPS - 1)));
    return RO_OK;
}
