/* SPDX-License-Identifier: MIT */
/* From the options of a denoising to what runs: names, defaults, stability, the number system. */
#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "pde/denoise/denoise.h"

#include <math.h>

/* Fixed points of s9 come within some hundred steps, of s12 mostly within some thousand; in s16
 * what is left after this many steps is a matter of hundred thousands, which end in a flat grey. */
enum { MOST_UNTIL_CONVERGED = 10000 };

/* Of the steps that an estimate chooses, times as many as usual. */
enum { MOST_STEPS_CHOSEN = 16 };

static const struct ro_denoise_scheme schemes[] = {
    {
        .name = "explicit",
        .options = RO_OPTION_MODEL | RO_OPTION_SCHEDULE | RO_OPTION_NUMBER | RO_OPTION_CONVERGED |
                   RO_OPTION_ROUNDING | RO_OPTION_STOP,
        .iterations = 20,
        .run = ro_denoise_explicit,
    },
    {
        .name = "implicit",
        .options = RO_OPTION_MODEL | RO_OPTION_SCHEDULE | RO_OPTION_NUMBER | RO_OPTION_SEED |
                   RO_OPTION_ROUNDING | RO_OPTION_STOP,
        .largest_time = 32, /* lines.h has room for it */
        .default_time = 2,
        .iterations = 5,
        .run = ro_denoise_implicit,
    },
    {
        .name = "conjugate",
        .options = RO_OPTION_MODEL | RO_OPTION_SCHEDULE | RO_OPTION_NUMBER | RO_OPTION_SEED |
                   RO_OPTION_STOP,
        .largest_time = 32, /* lines.h has room for it */
        .default_time = 2,
        .iterations = 5,
        .conjugate = true,
        .run = ro_denoise_implicit,
    },
    {
        .name = "naive",
        .options = RO_OPTION_MODEL | RO_OPTION_NUMBER | RO_OPTION_ROUNDING,
        .iterations = 20,
        .any_rounding = true,
        .integers_only = true,
        .run = ro_denoise_naive,
    },
    {
        .name = "xpp24",
        .largest_time = 8,
        .default_time = 1,
        .iterations = 5,
        .integers_only = true,
        .run = ro_denoise_xpp24,
    },
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const char *const schedules[] = {
    [RO_SCHEDULE_AUTO] = "auto",
    [RO_SCHEDULE_REFERENCE] = "reference",
    [RO_SCHEDULE_PASSES] = "passes",
    [RO_SCHEDULE_STREAM] = "stream",
};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static ro_status unknown(ro_context *context, const char *what, const char *name,
                         const char *const *names, size_t count)
{
    const char *nearest = ro_name_nearest(name, names, count);
    if (nearest)
        return ro_context_fail(context, RO_E_ARGUMENT, "unknown %s %s, did you mean %s?", what,
                               name, nearest);
    return ro_context_fail(context, RO_E_ARGUMENT, "unknown %s %s", what, name);
}

/* Fluxes of few bits are rounded to nothing where a system that is solved still moves. */
const char *ro_denoise_scheme(const ro_denoise_options *options)
{
    const char *number = options->number;
    if (options->scheme)
        return options->scheme;
    const bool few = number && (ro_name_equal(number, "u8") || ro_name_equal(number, "s9"));
    return few && !options->until_converged ? "implicit" : "explicit";
}

static ro_status find_scheme(struct ro_denoiser *work)
{
    const char *name = ro_denoise_scheme(&work->options), *names[SCHEMES];
    for (int i = 0; i < SCHEMES; i++) {
        names[i] = schemes[i].name;
        if (ro_name_equal(name, names[i])) {
            work->scheme = &schemes[i];
            break;
        }
    }
    if (!work->scheme)
        return unknown(work->context, "scheme", name, names, SCHEMES);
    const ro_denoise_options *o = &work->options;
    const struct {
        unsigned flag;
        bool set;
        const char *name;
    } given[] = {
        {RO_OPTION_MODEL, o->model != NULL, "model"},
        {RO_OPTION_MODEL, o->diffusivity != NULL, "diffusivity"},
        {RO_OPTION_SCHEDULE, o->schedule != NULL, "schedule"},
        {RO_OPTION_SCHEDULE, o->steps_at_once != 0, "steps-at-once"},
        {RO_OPTION_NUMBER, o->number != NULL, "number"},
        {RO_OPTION_CONVERGED, o->until_converged != 0, "until-converged"},
        {RO_OPTION_SEED, o->seed != 0, "seed"},
        {RO_OPTION_ROUNDING, o->rounding != NULL, "rounding"},
        {RO_OPTION_STOP, o->stop != NULL, "stop"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].set && !(work->scheme->options & given[i].flag))
            return ro_context_fail(work->context, RO_E_ARGUMENT, "%s does not apply to scheme %s",
                                   given[i].name, work->scheme->name);
    return RO_OK;
}

static ro_status find_diffusivity(struct ro_denoiser *work)
{
    const char *name = work->options.diffusivity, *names[RO_DIFFUSIVITIES];
    const enum ro_model model = work->parameters.model;
    int found = -1;
    if (!name)
        return RO_OK;
    for (int i = 0; i < RO_DIFFUSIVITIES; i++) {
        names[i] = ro_diffusivity_name((enum ro_diffusivity)i);
        if (ro_name_equal(name, names[i]))
            found = i;
    }
    if (found < 0)
        return unknown(work->context, "diffusivity", name, names, RO_DIFFUSIVITIES);
    if (model == RO_MODEL_LINEAR ||
        (model == RO_MODEL_EXPONENTIAL && found != RO_DIFFUSIVITY_EXPONENTIAL))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "diffusivity %s does not apply to the %s model", names[found],
                               ro_model_name(model));
    work->parameters.diffusivity = (enum ro_diffusivity)found;
    return RO_OK;
}

static ro_status find_model(struct ro_denoiser *work)
{
    static const char *const names[] = {"linear",      "perona-malik",   "exponential",
                                        "anisotropic", "edge-enhancing", "non-linear"};
    ro_denoise_options *o = &work->options;
    work->parameters.model = RO_MODEL_ANISOTROPIC;
    if (work->scheme->run == ro_denoise_xpp24)
        work->parameters.model = RO_MODEL_PERONA_MALIK;
    if (o->model && !ro_model_find(o->model, &work->parameters.model))
        return unknown(work->context, "model", o->model, names, sizeof names / sizeof *names);
    if (!(o->kappa >= 0) || isinf(o->kappa))
        return ro_context_fail(work->context, RO_E_ARGUMENT, "kappa is %g; it must be positive",
                               o->kappa);
    const bool smoothed = !ro_is_default(o->sigma);
    if (!smoothed)
        o->sigma = work->scheme->run == ro_denoise_xpp24 ? 0.5 : 0;
    if (!(o->sigma >= 0) || o->sigma > RO_MAX_SIGMA)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "sigma is %g pixels; it must be from 0 to %d", o->sigma,
                               RO_MAX_SIGMA);
    if (work->scheme->run == ro_denoise_xpp24 && o->sigma > 4)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "sigma is %g pixels; scheme xpp24 has 0 to 4", o->sigma);
    if (work->parameters.model == RO_MODEL_LINEAR)
        for (int i = 0; i < 3; i++) {
            bool set = i == 0   ? o->kappa > 0
                       : i == 1 ? smoothed && o->sigma > 0
                                : o->independent != 0;
            if (set)
                return ro_context_fail(work->context, RO_E_ARGUMENT,
                                       "%s does not apply to the linear model",
                                       i == 0   ? "kappa"
                                       : i == 1 ? "sigma"
                                                : "independent");
        }
    if (o->independent && work->channels == 1)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "independent does not apply to a grey image");
    return RO_OK;
}

static ro_status find_number(struct ro_denoiser *work)
{
    const char *name = work->options.number, *names[32];
    int bytes = ro_format_sample_bytes(work->in.format);
    size_t count = 0;
    if (!name)
        name = work->scheme->run == ro_denoise_xpp24        ? "s24"
               : bytes == 4 && !work->scheme->integers_only ? "s23e8"
               : work->scheme->conjugate                    ? "s24"
               : bytes == 1                                 ? "s16"
                                                            : "s17";
    work->number = ro_number_find(name);
    for (const struct ro_number *n; count < 32 && (n = ro_number_at((int)count)); count++)
        names[count] = n->name;
    if (!work->number)
        return unknown(work->context, "number system", name, names, count);
    if (work->number->floating && work->scheme->integers_only)
        return ro_context_fail(work->context, RO_E_ARGUMENT, "scheme %s has no float numbers (%s)",
                               work->scheme->name, work->number->name);
    if (!work->number->floating && !ro_fixed_has_zero(&work->number->fixed))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "number system %s has no zero, which differences need",
                               work->number->name);
    bool to_float = ro_format_sample_bytes(work->out.format) == 4;
    work->in_white = bytes == 4 ? (work->number->floating ? 1 : 65535) : ro_image_white(&work->in);
    work->out_white = to_float ? 1 : ro_image_white(&work->out);
    if (!work->number->floating)
        work->scale = ro_scale_make(&work->number->fixed, work->in_white);
    return RO_OK;
}

/* Rows in a stream cannot tell what they will use; a schedule changes no bits, so a picture with a
 * kappa of its own is not asked either. */
static ro_status find_white(struct ro_denoiser *work)
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
    if (asked && work->in.data && ro_image_largest(&work->in) > asked)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "white is %u but the input goes up to %u", asked,
                               ro_image_largest(&work->in));
    if (!asked && !maxval && alike && work->in.data && work->options.kappa == 0 &&
        work->parameters.model != RO_MODEL_LINEAR)
        white = ro_image_white_in_use(&work->in);
    if (white)
        work->in.maxval = work->out.maxval = white;
    work->report.sample_white = bytes == 4 ? 0 : ro_image_white(&work->in);
    return RO_OK;
}

static ro_status find_rounding(struct ro_denoiser *work)
{
    const char *name = work->options.rounding, *names[RO_ROUNDINGS];
    work->rounding = RO_ROUND_ZERO;
    if (!name)
        return RO_OK;
    for (int i = 0; i < RO_ROUNDINGS; i++)
        names[i] = ro_rounding_name((enum ro_rounding)i);
    if (!ro_rounding_find(name, &work->rounding))
        return unknown(work->context, "rounding", name, names, RO_ROUNDINGS);
    if (work->number->floating)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "rounding does not apply to the float number system %s",
                               work->number->name);
    if (work->scheme->any_rounding || work->rounding == RO_ROUND_ZERO ||
        work->rounding == RO_ROUND_NEAREST)
        return RO_OK;
    if (!ro_rounding_is_odd(work->rounding))
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            "rounding %s treats gains and losses differently; scheme %s needs zero or nearest",
            name, work->scheme->name);
    return ro_context_fail(work->context, RO_E_ARGUMENT,
                           "scheme %s takes rounding zero or nearest, not %s", work->scheme->name,
                           name);
}

/* How numbers become levels of the output: the running sum is rounded, or each pixel. */
static ro_status find_levels(struct ro_denoiser *work)
{
    static const char *const names[] = {"sum", "nearest"};
    const char *name = work->options.round;
    const bool nearest = name && ro_name_equal(name, "nearest");
    if (name && !nearest && !ro_name_equal(name, "sum"))
        return unknown(work->context, "round", name, names, 2);
    if (name && !nearest && ro_format_sample_bytes(work->out.format) == 4)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "an output of floats has no levels to round sums to");
    ro_levels_make(&work->levels, work, nearest);
    return RO_OK;
}

static ro_status find_time(struct ro_denoiser *work)
{
    double wanted = work->options.time_step, largest = work->scheme->largest_time;
    bool nearest = work->rounding == RO_ROUND_NEAREST;
    if (largest == 0)
        largest = (double)(nearest ? RO_TIME_NEAREST : RO_TIME_ZERO) / RO_TIME_ONE;
    if (wanted == 0)
        wanted = work->scheme->default_time > 0 ? work->scheme->default_time : largest;
    if (!(wanted > 0))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "the time step is %g; it must be positive", wanted);
    if (floor(wanted * RO_TIME_ONE) == floor(largest * RO_TIME_ONE))
        wanted = fmin(wanted, largest); /* steps are whole numbers of 1 / RO_TIME_ONE */
    const bool saturates = work->scheme->run == ro_denoise_explicit && !work->number->floating;
    if (wanted > (saturates ? 1 : largest))
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            saturates ? "a time step of %.10g is not stable; the largest stable one is %.10g, and "
                        "none goes beyond 1"
                      : "a time step of %.10g is not stable; the largest stable one is %.10g",
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

static ro_status find_schedule(struct ro_denoiser *work)
{
    ro_denoise_options *o = &work->options;
    if (o->schedule) {
        int found = -1;
        for (int i = 0; i < SCHEDULES; i++)
            if (ro_name_equal(o->schedule, schedules[i]))
                found = i;
        if (found < 0)
            return unknown(work->context, "schedule", o->schedule, schedules, SCHEDULES);
        work->schedule = (enum ro_denoise_schedule)found;
    }
    if (work->scheme->run == ro_denoise_implicit && work->schedule > RO_SCHEDULE_REFERENCE)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "schedule %s needs scheme explicit; %s has auto and reference",
                               schedules[work->schedule], work->scheme->name);
    if (o->steps_at_once && work->schedule != RO_SCHEDULE_STREAM)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "steps at once apply to schedule stream");
    if (o->steps_at_once > 64)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "%u steps at once, 1 to 64 are possible", o->steps_at_once);
    if (o->until_converged && work->schedule == RO_SCHEDULE_STREAM)
        return ro_context_fail(
            work->context, RO_E_ARGUMENT,
            "until-converged looks at every step, which schedule stream does not");
    if (o->until_converged && work->number->floating)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "until-converged needs integers; %s may never settle",
                               work->number->name);
    return RO_OK;
}

static ro_status find_kappa(struct ro_denoiser *work)
{
    double kappa = work->options.kappa;
    if (work->parameters.model == RO_MODEL_LINEAR)
        return RO_OK;
    if (kappa == 0) {
        if (!work->in.data)
            return ro_context_fail(
                work->context, RO_E_ARGUMENT,
                "the noise cannot be estimated from a stream of rows: give kappa");
        ro_status status = ro_noise_estimate(work->context, &work->in, &work->report.noise);
        if (status != RO_OK)
            return status;
        /* half of the noise, which adds up where channels share a gradient */
        kappa = work->report.noise / 2 * sqrt(work->options.independent ? 1 : work->channels);
        kappa = kappa > 1 ? kappa : 1;
    }
    work->report.kappa = kappa;
    work->parameters.kappa = kappa / 255 * work->report.white;
    return RO_OK;
}

static ro_status find_steps(struct ro_denoiser *work)
{
    static const char *const names[] = {"auto", "usual"};
    ro_denoise_options *o = &work->options;
    const bool given = !ro_is_default_count(o->iterations);
    const bool named = o->stop && ro_name_equal(o->stop, "auto");
    if (o->stop && !named && !ro_name_equal(o->stop, "usual"))
        return unknown(work->context, "stop", o->stop, names, 2);
    if (o->iterations == 0)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "0 iterations would leave the image as it is: must be 1 or more");
    if (o->stop && o->until_converged)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "stop %s and until-converged exclude each other", o->stop);
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
    return ro_stop_choose(work, &o->iterations);
}

ro_status ro_denoiser_make(struct ro_denoiser *work, ro_context *context, const ro_image *in,
                           const ro_image *out, const ro_denoise_options *options)
{
    *work = (struct ro_denoiser){.context = context, .in = *in, .out = *out};
    work->options = (ro_denoise_options)RO_DENOISE_OPTIONS;
    ro_status status = ro_options_take(context, options, &work->options, "RO_DENOISE_OPTIONS");
    if (status != RO_OK)
        return status;
    work->before = work->after = ro_figures_none;
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
    ro_status (*const steps[])(struct ro_denoiser *) = {
        find_scheme,   find_model,  find_diffusivity, find_white,    find_number,
        find_rounding, find_levels, find_time,        find_schedule,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        status = steps[i](work);
        if (status != RO_OK)
            return status;
    }
    work->report.number = work->number->name;
    work->report.white = work->number->floating ? 1 : (double)work->scale.white;
    work->report.time_step = (double)work->parameters.time / RO_TIME_ONE;
    status = find_kappa(work);
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
        ro_diffusion_make(&work->diffusion, &work->parameters);
    return RO_OK;
}
