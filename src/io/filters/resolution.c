/* SPDX-License-Identifier: MIT */
/* What a file's resolution says, and what becomes of it when pixels are resized. */
#include "io/filters/stage.h"
#include "roundoff_io_pieces.h"

#include <math.h>

int ro_resolution_is_stated(double dpi)
{
    const double rounding = 0.02; /* of a whole number of pixels per metre */
    return dpi > 0 && fabs(dpi - 72) > rounding && fabs(dpi - 96) > rounding;
}

void stage_scale_resolution(ro_file_info *info, double across, double down)
{
    info->dpi_x = ro_resolution_is_stated(info->dpi_x) ? info->dpi_x * across : 0;
    info->dpi_y = ro_resolution_is_stated(info->dpi_y) ? info->dpi_y * down : 0;
}
