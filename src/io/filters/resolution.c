/* SPDX-License-Identifier: MIT */
/* What becomes of a file's resolution when pixels are resized. */
#include "io/filters/stage.h"
#include "roundoff_io_pieces.h"

void stage_scale_resolution(ro_file_info *info, double across, double down)
{
    info->dpi_x = ro_resolution_is_stated(info->dpi_x) ? info->dpi_x * across : 0;
    info->dpi_y = ro_resolution_is_stated(info->dpi_y) ? info->dpi_y * down : 0;
}
