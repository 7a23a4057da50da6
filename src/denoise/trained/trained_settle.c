/* SPDX-License-Identifier: MIT */
/* From options to a network and a noise. */
#include "core/image.h"
#include "core/options.h"
#include "denoise/trained/trained_picture.h"
#include "options/table.h"

ro_status trained_settle(struct denoiser *work)
{
    static const struct trained_network *const networks[] = {&trained_fast, &trained_best};
    const ro_denoise_options *o = &work->options;
    ro_denoise_report *report = &work->report;
    work->network = networks[options_word(&denoise_table, o, quality)];
    work->schedule = (enum denoise_schedule)options_word(&denoise_table, o, schedule);
    work->nearest = options_word(&denoise_table, o, round);
    work->in_white = ro_format_sample_bytes(work->in.format) == 4 ? 1 : ro_image_white(&work->in);
    work->out_white =
        ro_format_sample_bytes(work->out.format) == 4 ? 1 : ro_image_white(&work->out);
    if (o->unclip && ro_format_sample_bytes(work->in.format) == 4)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "unclip does not apply to floats, which are not clipped");
    work->nearest |= o->unclip != 0;
    report->number = "samples";
    report->quality = work->network->name;
    report->white = work->in_white;
    struct trained_noise *noise = &work->noise;
    if (!is_default(o->noise_level))
        *noise = (struct trained_noise){.sigma = o->noise_level, .dark = o->noise_level};
    else if ((work->in.width == 1) != (work->in.height == 1))
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            "the noise of a single row or column cannot be estimated: give noise-level");
    else if (work->extent)
        *noise = work->extent->noise;
    else if (!work->in.data)
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            "the noise cannot be estimated from a stream of rows: give noise-level");
    ro_status status = RO_OK;
    if (is_default(o->noise_level) && !work->extent)
        status = trained_noise(work->context, &work->in, noise);
    report->noise = noise->sigma;
    report->noise_dark = noise->dark;
    return status;
}
