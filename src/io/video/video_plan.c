/* SPDX-License-Identifier: MIT */
#include "io/video/video_plan.h"

#include "io/video/video.h"
#include "io/video/video_picture.h"
#include "roundoff/library.h"

#include <string.h>

bool video_named(const char *out, const char *type)
{
    if (type)
        return ro_name_equal(type, "y4m");
    const char *dot = strrchr(out, '.');
    return dot && ro_name_equal(dot + 1, "y4m");
}

ro_status video_check_files(struct open_file *file, const char *out, const ro_read_options *read,
                            const ro_write_options *write)
{
    if (!video_named(out, write->type) && (write->type || strcmp(out, "-") != 0))
        return file_fail(file, RO_E_ARGUMENT, "is a video; the output's name should end in .y4m");
    if (read->page)
        return file_fail(file, RO_E_ARGUMENT, "is a video, which has no pages");
    if (read->content)
        return file_fail(file, RO_E_ARGUMENT, "is a video, not a page");
    if (read->colours)
        return file_fail(file, RO_E_ARGUMENT,
                         "is a video; a palette is made for a picture, such as one of its frames");
    if (write->dpi_x > 0 || write->dpi_y > 0 || write->split_inks)
        return file_fail(file, RO_E_ARGUMENT, "is a video, which has no resolution and no inks");
    if (read->alpha || read->background_given)
        return file_fail(file, RO_E_ARGUMENT, "is a video, which has no alpha");
    if (write->shown || write->enlarge > 1)
        return file_fail(file, RO_E_ARGUMENT,
                         "is a video, whose pixels and colours stay as they were rounded");
    if (write->compression)
        return file_fail(file, RO_E_ARGUMENT, "is a video; compression is of TIFF only");
    if (write->low_bits_first || write->ones_are_black || write->pixel_bits || write->numbers)
        return file_fail(file, RO_E_ARGUMENT,
                         "is a video; the order of bits and the numbers of colours are those of "
                         "raw files only");
    return RO_OK;
}

static ro_status check_options(struct open_file *file, const ro_halftone_options *options)
{
    const struct {
        bool set;
        const char *name;
    } given[] = {
        {options->channels != RO_CHANNELS_GREY && options->channels != RO_CHANNELS_RGB, "inks"},
        {options->black != 0 || options->white != 0, "black and white samples"},
        {options->first != NULL, "a start from a picture"},
        {options->recolour != NULL, "colours for levels"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].set)
            return file_fail(file, RO_E_ARGUMENT, "%s cannot be given for a video", given[i].name);
    return RO_OK;
}

static bool changes_tone(const ro_tone *tone)
{
    return tone->invert || tone->brightness != 0 || tone->contrast != 0 ||
           (tone->gamma != 0 && tone->gamma != 1) || tone->linear || tone->curve_points ||
           tone->dot_gain > 0;
}

/* As many bits as number the levels exactly; 0: no such number. */
static int bits_of(int levels)
{
    int bits = 0;
    while (1 << bits < levels)
        bits++;
    return 1 << bits == levels ? bits : 0;
}

/*
 * Levels that are numbers of the output. Limited numbers of 10 bits are those of 8 times 4, and so
 * are all numbers of colour, whose middle is 2^(bits - 1): there the whole range has a white of
 * (levels - 1) times a power of two. Full numbers of brightness end at the largest of both.
 */
static void plan_numbers(struct video_plan *plan, ro_halftone_options *options, int plane)
{
    const int less = plan->in.bits - plan->out.bits;
    if (!plan->in.full || plane > 0)
        options->white = (double)((options->levels - 1) << less);
}

/* Fewer levels than a byte has: from black to white, by the numbers that these have. */
static void plan_tones(struct video_plan *plan, ro_halftone_options *options, int plane)
{
    const int black = plan->in.full ? 0 : 16;
    const int white = plan->in.full ? 255 : plane ? 240 : 235;
    const int n = options->levels - 1;
    for (int k = 0; k <= n; k++)
        plan->tones[plane][k] =
            options->tone.linear
                ? (uint8_t)(black + (2 * (white - black) * ro_level_tone(n + 1, k, 1) + 255) / 510)
                : (uint8_t)(black + (2 * (white - black) * k + n) / (2 * n));
    if (!plan->in.full) {
        options->black = (double)(black << (plan->in.bits - 8));
        options->white = (double)(white << (plan->in.bits - 8));
    }
}

/* Frames as pictures: colours, few levels, other tones and sizes. Brightness alone of few levels
 * would be tinted by planes of colour that have no more. */
static ro_status plan_pictures(struct open_file *file, const ro_halftone_options *options,
                               const ro_read_options *read, struct video_plan *plan)
{
    ro_halftone_options *own = &plan->options[0];
    const bool few = own->levels < 256;
    if (own->levels > 256)
        return file_fail(file, RO_E_ARGUMENT,
                         "a video of %d levels has planes each on their own: no palette, channels, "
                         "tones or other size",
                         own->levels);
    plan->pictures = true;
    plan->coloured = options->palette || options->channels == RO_CHANNELS_RGB || !few;
    plan->out = plan->in;
    if (plan->coloured) {
        plan->out.planes = 3;
        plan->out.across = plan->out.down = 0;
        plan->out.base = "444";
        plan->out.bits = 0; /* so that the layout is named anew */
    }
    y4m_set_bits(&plan->out, 8);
    plan->read = *read;
    const ro_status status =
        video_picture_size(file->context, &plan->in, read, &plan->out.width, &plan->out.height);
    plan->reshaped = plan->out.width != plan->in.width || plan->out.height != plan->in.height ||
                     read->turns || read->mirror;
    plan->shown = !plan->coloured;
    *own = *options;
    own->levels = options->palette ? 0 : plan->options[1].levels;
    own->range = RO_RANGE_AUTO;
    if (plan->coloured) {
        own->channels = options->palette ? RO_CHANNELS_GREY : RO_CHANNELS_RGB;
        plan->from = RO_RGB16;
        plan->to = RO_RGB8;
    } else {
        plan->to = RO_INDEX8;
        plan_tones(plan, own, 0);
    }
    return status;
}

ro_status video_plan_make(struct open_file *file, const struct y4m *in,
                          const ro_halftone_options *options, const ro_read_options *read,
                          struct video_plan *plan)
{
    const int levels = options->levels ? options->levels : 2, bits = bits_of(levels);
    ro_status status = check_options(file, options);
    if (status != RO_OK)
        return status;
    if (levels > 256 && bits == 0)
        return file_fail(file, RO_E_ARGUMENT,
                         "%d levels: a video of more than 256 has a power of two of them", levels);
    if (bits > in->bits)
        return file_fail(file, RO_E_ARGUMENT, "a video of %d bits cannot become one of %d",
                         in->bits, bits);
    *plan = (struct video_plan){.in = *in, .out = *in};
    plan->shown = levels < 256;
    y4m_set_bits(&plan->out, levels > 256 ? bits : 8);
    plan->from = y4m_sample_bytes(in) == 1 ? RO_GREY8 : RO_GREY16;
    plan->to = y4m_sample_bytes(&plan->out) == 1 ? RO_INDEX8 : RO_GREY16;
    for (int i = 0; i < Y4M_PLANES; i++) {
        plan->options[i] = *options;
        plan->options[i].levels = levels;
        plan->options[i].range = RO_RANGE_AUTO;
        if (plan->shown)
            plan_tones(plan, &plan->options[i], i);
        else
            plan_numbers(plan, &plan->options[i], i);
    }
    const bool reshapes = read->resize_width || read->resize_height || read->resize_percent > 0 ||
                          read->enlarge > 1 || read->crop_width || read->turns || read->mirror;
    if (levels < 256 || options->palette || options->channels == RO_CHANNELS_RGB || reshapes ||
        changes_tone(&options->tone))
        return plan_pictures(file, options, read, plan);
    return RO_OK;
}

ro_image video_plane(const struct video_plan *plan, int plane)
{
    ro_image image = {.format = plan->from, .maxval = (1u << plan->in.bits) - 1};
    if (plan->coloured)
        image.maxval = 65535;
    y4m_plane(plan->pictures ? &plan->out : &plan->in, plane, &image.width, &image.height);
    return image;
}
