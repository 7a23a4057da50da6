/* SPDX-License-Identifier: MIT */
/* What a file says beside its pixels, on its way to another file. */
#include "core/misuse.h"
#include "io/files/reader.h"
#include "io/files/writer.h"
#include "io/formats/types.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <string.h>

static unsigned pages_of(const ro_file_info *info) { return info->stack ? info->stack : 1; }

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Some descriptions state how many pages there are, and OME's also their type. */
static bool still_true(const char *text, bool whole, bool same)
{
    if (begins(text, "ImageJ=") || begins(text, "{\"shape\""))
        return whole;
    return strstr(text, "<OME") ? whole && same : true;
}

void ro_info_carry(const ro_file_info *in, ro_file_info *out)
{
    if (ABSENT(in, out))
        return;
    const bool whole = pages_of(out) == in->pages;
    const bool same = in->format == out->format && in->sample == out->sample;
    out->description =
        in->description && still_true(in->description, whole, same) ? in->description : NULL;
    memcpy(out->spacing, in->spacing, sizeof out->spacing);
    memcpy(out->unit, in->unit, sizeof out->unit);
    out->slope = same ? in->slope : 0;
    out->intercept = same ? in->intercept : 0;
    out->header = same ? in->header : NULL;
    out->header_size = same ? in->header_size : 0;
    memcpy(out->type, in->type, sizeof out->type);
}

static void add(ro_dropped *lost, unsigned what, const char *words)
{
    const size_t used = strlen(lost->text);
    lost->what |= what;
    snprintf(lost->text + used, sizeof lost->text - used, "%s%s", used ? ", " : "", words);
}

void ro_writer_loses(const char *path, const char *type, const ro_file_info *in,
                     const ro_file_info *out, ro_dropped *lost)
{
    if (ABSENT(in, lost))
        return;
    const struct file_extension *extension = path ? writer_extension(path, type) : NULL;
    const unsigned holds = extension ? extension->holds : 0;
    const bool header = extension && out && out->header && header_fits(out, extension);
    char scale[64];
    *lost = (ro_dropped){0};
    if ((in->dpi_x > 0 || in->dpi_y > 0) && !(holds & RO_HOLDS_RESOLUTION))
        add(lost, RO_DROPPED_RESOLUTION, "its resolution");
    if (in->description && !(out && out->description && holds & RO_HOLDS_DESCRIPTION))
        add(lost, RO_DROPPED_METADATA, "its description");
    if (in->spacing[0] > 0 && !(out && out->spacing[0] > 0 && holds & RO_HOLDS_SPACING))
        add(lost, RO_DROPPED_RESOLUTION, "its spacing");
    if (in->slope != 0 && !header) {
        snprintf(scale, sizeof scale, "its scale (%g n %+g)", in->slope, in->intercept);
        add(lost, RO_DROPPED_METADATA, scale);
    }
    if (in->header && !header)
        add(lost, RO_DROPPED_METADATA, "fields of its header");
}
