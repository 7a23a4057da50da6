/* SPDX-License-Identifier: MIT */
/* From the options of a denoising to what runs: names, defaults, stability, the number system. */
#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "denoise/denoise.h"
#include "options/table.h"
#include "roundoff/command.h"

#include <math.h>
#include <string.h>

/* Fixed points of s9 come within some hundred steps, of s12 mostly within some thousand; in s16
 * what is left after this many steps is a matter of hundred thousands, which end in a flat grey. */
enum { MOST_UNTIL_CONVERGED = 10000 };

/* Times are 32-bit numbers of 1 / RO_TIME_ONE. */
enum { LONGEST_TIME = (1 << 18) - 1 };

/* Of the steps that an estimate chooses, times as many as usual. */
enum { MOST_STEPS_CHOSEN = 16 };

static const struct ro_denoise_scheme schemes[] = {
    {
        .name = "explicit",
        .options = RO_OPTION_MODEL | RO_OPTION_SCHEDULE | RO_OPTION_NUMBER | RO_OPTION_CONVERGED |
                   RO_OPTION_ROUNDING | RO_OPTION_STOP,
        .iterations = 20,
        .run = denoise_explicit,
    },
    {
        .name = "implicit",
        .options = RO_OPTION_MODEL | RO_OPTION_SCHEDULE | RO_OPTION_NUMBER | RO_OPTION_SEED |
                   RO_OPTION_ROUNDING | RO_OPTION_STOP,
        .largest_time = RO_LONGEST_IN_LINES,
        .default_time = 2,
        .iterations = 5,
        .run = denoise_implicit,
    },
    {
        .name = "conjugate",
        .options = RO_OPTION_MODEL | RO_OPTION_SCHEDULE | RO_OPTION_NUMBER | RO_OPTION_SEED |
                   RO_OPTION_STOP,
        .largest_time = RO_LONGEST_IN_LINES,
        .default_time = 2,
        .iterations = 5,
        .conjugate = true,
        .run = denoise_implicit,
    },
    {
        .name = "naive",
        .options = RO_OPTION_MODEL | RO_OPTION_NUMBER | RO_OPTION_ROUNDING,
        .iterations = 20,
        .integers_only = true,
        .run = denoise_naive,
    },
    {
        .name = "xpp24",
        .largest_time = 8,
        .default_time = 1,
        .iterations = 5,
        .integers_only = true,
        .run = denoise_xpp24,
    },
    {
        .name = "trained", /* which no option says: the model has no schemes */
        .options = ~0u,    /* rows exclude the model */
        .run = denoise_trained,
    },
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

const char *denoise_model(const ro_denoise_options *options)
{
    if (options->model)
        return options->model;
    for (const ro_option *row = denoise_table.rows; row->name; row++)
        if (row->excludes && strstr(row->excludes, "model=trained") &&
            ro_option_is_set(&denoise_table, row, options))
            return "anisotropic";
    const bool passes = options->schedule && ro_name_equal(options->schedule, "passes");
    return passes ? "anisotropic" : "trained";
}

/* Fluxes of few bits are rounded to nothing where a system that is solved still moves. */
const char *ro_denoise_scheme(const ro_denoise_options *options)
{
    static const ro_denoise_options unset = RO_DENOISE_OPTIONS;
    options = options ? options : &unset;
    const char *number = options->number;
    if (options->scheme || ro_name_equal(denoise_model(options), "trained"))
        return options->scheme;
    const bool few = number && (ro_name_equal(number, "u8") || ro_name_equal(number, "s9"));
    return few && !options->until_converged ? "implicit" : "explicit";
}

static const struct ro_denoise_scheme *scheme_named(const char *name)
{
    for (int i = 0; i < SCHEMES; i++)
        if (strcmp(name ? name : "trained", schemes[i].name) == 0)
            return &schemes[i];
    return NULL;
}

unsigned denoise_traits(const char *name)
{
    const struct ro_denoise_scheme *scheme = scheme_named(name);
    return scheme ? scheme->options : 0;
}

/* The number system that the options and the image stand for. */
static const char *number_name(const struct denoiser *work)
{
    const int bytes = ro_format_sample_bytes(work->in.format);
    return work->options.number                         ? work->options.number
           : work->scheme->run == denoise_xpp24         ? "s24"
           : bytes == 4 && !work->scheme->integers_only ? "s23e8"
           : work->scheme->conjugate                    ? "s24"
           : bytes == 1                                 ? "s16"
                                                        : "s17";
}

/* Checks the rules between the options, once the scheme is known. */
static ro_status check_rules(const struct denoiser *work)
{
    ro_denoise_options resolved = work->options;
    resolved.model = denoise_model(&work->options);
    /* Rules see the trained model, which has no scheme, as an explicit one. */
    resolved.scheme = work->scheme->run == denoise_trained ? "explicit" : work->scheme->name;
    if (work->scheme->run != denoise_trained)
        resolved.number = number_name(work);
    return options_check(work->context, &denoise_table, &work->options, &resolved);
}

/* What words stand for. */
static ro_status find_model(struct denoiser *work)
{
    ro_denoise_options *o = &work->options;
    const bool xpp24 = work->scheme->run == denoise_xpp24;
    work->parameters.model = xpp24 ? RO_MODEL_PERONA_MALIK
                                   : (enum diffusion_model)options_word(&denoise_table, o, model);
    work->parameters.diffusivity = (enum diffusivity)options_word(&denoise_table, o, diffusivity);
    work->rounding = (enum ro_rounding)options_word(&denoise_table, o, rounding);
    work->schedule = (enum denoise_schedule)options_word(&denoise_table, o, schedule);
    if (is_default(o->sigma))
        o->sigma = xpp24 ? 0.5 : 0;
    if (xpp24 && o->sigma > 4)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "sigma is %g pixels; scheme xpp24 has 0 to 4", o->sigma);
    if (o->independent && work->channels == 1)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "independent does not apply to a grey image");
    return RO_OK;
}

static ro_status find_number(struct denoiser *work)
{
    const int bytes = ro_format_sample_bytes(work->in.format);
    work->number = ro_number_find(number_name(work));
    bool to_float = ro_format_sample_bytes(work->out.format) == 4;
    work->in_white = bytes == 4 ? (work->number->floating ? 1 : 65535) : ro_image_white(&work->in);
    work->out_white = to_float ? 1 : ro_image_white(&work->out);
    if (!work->number->floating)
        work->scale = scale_make(&work->number->fixed, work->in_white);
    return RO_OK;
}

/* Rows in a stream cannot tell what they will use; a schedule changes no bits, so a picture with a
 * kappa of its own is not asked either. */
static ro_status find_white(struct denoiser *work)
{
    const int bytes = ro_format_sample_bytes(work->in.format);
    const bool maxval = work->options.white == RO_WHITE_MAXVAL;
    const uint32_t asked = maxval ? 0 : work->options.white;
    const bool alike = bytes != 4 && bytes == ro_format_sample_bytes(work->out.format) &&
                       ro_image_white(&work->in) == ro_image_white(&work->out);
    uint32_t white = asked;
    if (asked && (!alike || asked > ro_image_white(&work->in)))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               alike ? "white is %u, more than the samples can be"
                                     : "white %u applies to integers in and out with the same "
                                       "levels",
                               asked);
    const bool known = work->in.data || work->extent;
    const uint32_t largest = work->extent                  ? work->extent->largest
                             : asked != 0 && work->in.data ? image_largest(&work->in)
                                                           : 0;
    if (asked && largest > asked)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "white is %u but the input goes up to %u", asked, largest);
    const bool trained = work->scheme->run == denoise_trained;
    const bool estimated =
        trained ? is_default(work->options.noise_level)
                : work->options.kappa == 0 && work->parameters.model != RO_MODEL_LINEAR;
    if (!asked && !maxval && alike && known && estimated)
        white = work->extent ? image_white_of(&work->in, largest) : image_white_in_use(&work->in);
    if (white)
        work->in.maxval = work->out.maxval = white;
    work->report.sample_white = bytes == 4 ? 0 : ro_image_white(&work->in);
    return RO_OK;
}

/* How numbers become levels of the output: the running sum is rounded, or each pixel. */
static ro_status find_levels(struct denoiser *work)
{
    levels_make(&work->levels, work, options_word(&denoise_table, &work->options, round));
    return RO_OK;
}

static ro_status find_time(struct denoiser *work)
{
    double wanted = work->options.time_step, largest = work->scheme->largest_time;
    if (work->scheme->conjugate || work->options.tolerance > 0)
        largest = LONGEST_TIME;
    bool nearest = work->rounding == RO_ROUND_NEAREST;
    if (largest == 0)
        largest = (double)(nearest ? RO_TIME_NEAREST : RO_TIME_ZERO) / RO_TIME_ONE;
    if (wanted == 0)
        wanted = work->scheme->default_time > 0 ? work->scheme->default_time : largest;
    if (floor(wanted * RO_TIME_ONE) == floor(largest * RO_TIME_ONE))
        wanted = fmin(wanted, largest); /* steps are whole numbers of 1 / RO_TIME_ONE */
    const bool saturates = work->scheme->run == denoise_explicit && !work->number->floating;
    if (wanted > (saturates ? 1 : largest))
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            saturates ? "a time step of %.10g is not stable; the largest stable one is %.10g, and "
                        "none goes beyond 1"
            : work->scheme->run != denoise_implicit
                ? "a time step of %.10g is not stable; the largest stable one is %.10g"
            : largest < LONGEST_TIME ? "a time step of %.10g is too long for a few sweeps: at most "
                                       "%.10g, or give tolerance"
                                     : "a time step of %.10g: must be at most %.10g",
            wanted, largest);
    work->parameters.time = (uint32_t)floor(wanted * RO_TIME_ONE);
    if (wanted > largest) {
        work->parameters.ceiling = (int32_t)work->scale.white;
        work->report.saturating = 1;
    }
    if (work->parameters.time == 0)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "a time step of %g is below 1/%d and does nothing", wanted,
                               RO_TIME_ONE);
    return RO_OK;
}

static ro_status find_kappa(struct denoiser *work)
{
    double kappa = work->options.kappa;
    if (work->parameters.model == RO_MODEL_LINEAR)
        return RO_OK;
    if (kappa == 0) {
        if (!work->in.data)
            return ro_context_fail(
                work->context, RO_E_ARGUMENT,
                "the noise cannot be estimated from a stream of rows: give kappa");
        ro_status status = noise_estimate(work->context, &work->in, &work->report.noise);
        if (status != RO_OK)
            return status;
        work->report.noise_dark = work->report.noise;
        /* half of the noise, which adds up where channels share a gradient */
        kappa = work->report.noise / 2 * sqrt(work->options.independent ? 1 : work->channels);
        kappa = kappa > 1 ? kappa : 1;
    }
    work->report.kappa = kappa;
    work->parameters.kappa = kappa / 255 * work->report.white;
    return RO_OK;
}

static ro_status find_steps(struct denoiser *work)
{
    ro_denoise_options *o = &work->options;
    const bool given = !is_default_count(o->iterations);
    const bool named = o->stop && strcmp(o->stop, "auto") == 0;
    const bool chosen = named || (!o->stop && !given && !o->until_converged && o->kappa == 0 &&
                                  work->scheme->options & RO_OPTION_STOP);
    if (!given)
        o->iterations = o->until_converged ? MOST_UNTIL_CONVERGED
                        : chosen           ? MOST_STEPS_CHOSEN * work->scheme->iterations
                                           : work->scheme->iterations;
    if (!chosen)
        return RO_OK;
    if (!work->in.data)
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            "when to stop cannot be told from a stream of rows: give iterations");
    return stop_choose(work, &o->iterations);
}

/* From options that were read to what runs. */
static ro_status plan(struct denoiser *work)
{
    ro_context *context = work->context;
    const ro_image *in = &work->in, *out = &work->out;
    work->before = work->after = step_figures_none;
    work->channels = ro_format_is_colour(in->format) ? 3 : 1;
    int in_bytes = ro_format_sample_bytes(in->format),
        out_bytes = ro_format_sample_bytes(out->format);
    if (in_bytes == 0 || in->format == RO_INDEX8)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s cannot be denoised",
                               ro_format_name(in->format));
    if (out_bytes == 0 || out->format == RO_INDEX8 ||
        ro_format_is_colour(out->format) != (work->channels == 3))
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s denoised cannot be %s",
                               ro_format_name(in->format), ro_format_name(out->format));
    if (work->scheme->run == denoise_trained) {
        const ro_status status = find_white(work);
        return status == RO_OK ? trained_settle(work) : status;
    }
    ro_status (*const steps[])(struct denoiser *) = {
        find_model, find_white, find_number, find_levels, find_time,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const ro_status status = steps[i](work);
        if (status != RO_OK)
            return status;
    }
    work->report.number = work->number->name;
    work->report.white = work->number->floating ? 1 : (double)work->scale.white;
    work->report.time_step = (double)work->parameters.time / RO_TIME_ONE;
    ro_status status = find_kappa(work);
    if (status != RO_OK)
        return status;
    status = find_steps(work);
    if (status != RO_OK)
        return status;
    work->parameters.width = in->width;
    work->parameters.height = in->height;
    work->parameters.planes = work->channels;
    work->parameters.independent = work->options.independent;
    work->parameters.sigma = work->options.sigma;
    work->parameters.nearest = work->rounding == RO_ROUND_NEAREST;
    work->parameters.real = work->number->floating ? &work->number->real : NULL;
    if (work->scheme->largest_time == 0)
        diffusion_make(&work->diffusion, &work->parameters);
    return RO_OK;
}

ro_status denoiser_make(struct denoiser *work, ro_context *context, const ro_image *in,
                        const ro_image *out, const ro_denoise_options *options)
{
    return denoiser_make_piece(work, context, in, out, options, NULL);
}

ro_status denoiser_make_piece(struct denoiser *work, ro_context *context, const ro_image *in,
                              const ro_image *out, const ro_denoise_options *options,
                              const struct trained_extent *extent)
{
    *work = (struct denoiser){.context = context, .in = *in, .out = *out, .extent = extent};
    ro_status status = options_read(context, &denoise_table, options, &work->options);
    if (status != RO_OK)
        return status;
    work->scheme = scheme_named(ro_denoise_scheme(&work->options));
    status = check_rules(work);
    work->options.model = denoise_model(&work->options);
    return status == RO_OK ? plan(work) : status;
}

ro_status denoiser_remake(struct denoiser *work, ro_context *context, const ro_image *in,
                          const ro_image *out, const ro_denoise_options *options)
{
    *work = (struct denoiser){.context = context, .in = *in, .out = *out, .options = *options};
    work->scheme = scheme_named(ro_denoise_scheme(options));
    return plan(work);
}
