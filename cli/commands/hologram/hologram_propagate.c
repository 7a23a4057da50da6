/* SPDX-License-Identifier: MIT */
/* roundoff hologram propagate: a field after a distance. */
#include "cli/commands/hologram/hologram.h"
#include "cli/frame/work.h"
#include "roundoff_io.h"

#include <string.h>

/* The optics as seen from where the field is now. */
static ro_optics moved(ro_optics o, double distance)
{
    if (o.depth != 0)
        o.depth += distance;
    o.viewer[2] += o.viewer[2] != 0 ? distance : 0;
    if (!(o.viewer[2] < 0)) { /* it lies behind the viewer */
        memset(o.viewer, 0, sizeof o.viewer);
        memset(o.viewing_area, 0, sizeof o.viewing_area);
    }
    return o;
}

int hologram_propagate(const struct command *command, const struct hologram_values *values,
                       const struct operands *files)
{
    const char *const *path = files->path;
    ro_optics optics = {0};
    ro_field field = {0};
    struct work work;
    double distance = 0;
    int result = hologram_optics(command, values, &optics);
    if (!result && !values->distance)
        result =
            usage_error(command, "hologram propagate needs --distance, such as --distance 150mm");
    if (!result)
        result = hologram_length(command, "distance", values->distance, true, &distance);
    const char *dot = strrchr(path[1], '.');
    if (!result && (!dot || strcmp(dot, ".npy") != 0))
        result = usage_error(command, "%s: a field is written as .npy", path[1]);
    if (!result)
        result = work_begin(&work, &values->common);
    if (result)
        return result;
    ro_status status = ro_bytes_accepts(work.context, path[1]);
    if (status == RO_OK)
        status = hologram_load_light(work.context, values, path[0], &field, &optics);
    if (status == RO_OK)
        status = ro_field_propagate(work.context, &field, &field, &optics, distance);
    const ro_optics there = moved(optics, distance);
    if (status == RO_OK)
        status = ro_hologram_save(work.context, path[1], &field, &there);
    status = work_commit(&work, status);
    work_end(&work);
    if (status != RO_OK) {
        result = work_failed(&work, status, path[1]);
    } else if (values->common.json) {
        fputs("{\"command\": \"hologram propagate\", \"input\": ", stdout);
        json_string(stdout, path[0]);
        fputs(", \"output\": ", stdout);
        json_string(stdout, path[1]);
        printf(", \"width\": %u, \"height\": %u, \"distance\": %.9g, \"seconds\": %.6f}\n",
               field.width, field.height, distance, work.seconds);
        result = finish_stdout();
    } else if (!values->common.quiet) {
        fprintf(stderr, "hologram: %u x %u, propagated by %.6g mm, %.2f s\n", field.width,
                field.height, distance * 1e3, work.seconds);
    }
    ro_field_free(&field);
    work_close(&work);
    return result;
}
