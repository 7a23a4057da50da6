/* SPDX-License-Identifier: MIT */
#include "denoise/trained/trained_picture.h"

#include "core/image.h"
#include "core/options.h"

#include <math.h>
#include <string.h>

enum {
    SEEN_LEVELS = 65535, /* a range of floats is seen in so many steps at most, */
    NOISE_LEVELS = 256,  /* and their noise in so many */
};
static const double MOST_FLOAT = 1e30;    /* whose square is a double still */
static const double FLOAT_WHITE = 0x1p32; /* floats become levels by way of so many */

/* Channels' shares of the planes' changes, in sixths. */
static const int8_t shares[3][3] = {{2, 3, 1}, {2, 0, -2}, {2, -3, 1}};

/* ---- Ranges --------------------------------------------------------------------------------- */

ro_status trained_range(ro_context *context, const ro_image *in, uint32_t top, double *least,
                        double *most)
{
    const size_t channels = ro_format_is_colour(in->format) ? 3 : 1, samples = channels * in->width;
    *least = INFINITY;
    *most = -INFINITY;
    for (uint32_t y = 0; y < in->height; y++) {
        const float *row = (const void *)((const char *)in->data + (ptrdiff_t)y * in->stride);
        for (size_t i = 0; i < samples; i++) {
            const double x = (double)row[i];
            const uint32_t column = (uint32_t)(i / channels);
            if (!isfinite(x))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "the input at (%u, %u) is %g, not a finite number", column,
                                       top + y, x);
            if (fabs(x) > MOST_FLOAT)
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "the input is %g at (%u, %u); model trained takes up to %g",
                                       x, column, top + y, MOST_FLOAT);
            *least = x < *least ? x : *least;
            *most = x > *most ? x : *most;
        }
    }
    return RO_OK;
}

/* Makes the plans of the planes for samples that are numbers from 0 to `high`. */
static void make_plans(struct trained_picture *picture, int32_t high, double noise)
{
    static const double sizes[3] = {3, 2, 6}; /* squared lengths of the basis */
    const struct trained_network *network = picture->work->network;
    const int32_t low[3] = {0, -high, -2 * high}, top[3] = {3 * high, high, 2 * high};
    picture->idle = false;
    for (int p = 0; p < picture->planes; p++) {
        const bool grey = picture->planes == 1;
        bool (*const make)(struct trained_plan *, const struct trained_network *, int32_t, int32_t,
                           double) = picture->tones.uneven ? trained_make_uneven : trained_make;
        if (!make(&picture->plan[p], network, grey ? 0 : low[p], grey ? high : top[p],
                  grey ? noise : noise * sqrt(sizes[p])))
            picture->idle = true; /* the ranges are wide enough for the largest noise */
        if (picture->plan[p].fraction > picture->fraction || p == 0)
            picture->fraction = picture->plan[p].fraction;
    }
    if (picture->idle)
        picture->fraction = 0;
}

/* The variance of a tone in squares of 1/255 of white. That of tones darker than all measured ones
 * is not known: it is at least a quarter of theirs. */
static double variance_at(const struct trained_noise *noise, double tone)
{
    return fmax(noise->base + noise->gain * tone, noise->dark * noise->dark / 1);
}

/* The noise of the brightest tone that has a level of its own: tones with more than twice the noise
 * of those that were measured have the highest level. */
static double find_top(struct trained_picture *picture, double brightest)
{
    const struct trained_noise *noise = &picture->work->noise;
    picture->tones.uneven = noise->gain > 0;
    return picture->tones.uneven ? fmin(sqrt(variance_at(noise, brightest)), 2 * noise->sigma)
                                 : noise->sigma;
}

/* Fills in the levels: a sample counts `number` / 255 of white from `origin` / 255 on, and goes to
 * `high`. */
static void make_tones(struct trained_picture *picture, double origin, double number, int32_t high,
                       double top)
{
    struct trained_tones *tones = &picture->tones;
    const int64_t cells = (int64_t)(TRAINED_TAPS * picture->planes);
    while ((cells * high) >> tones->shift >= TONES)
        tones->shift++;
    for (int i = 0; i < TONES; i++) {
        const double middle = ((i + 0.5) * (double)(1 << tones->shift) - 0.5) / (double)cells;
        const double sigma = sqrt(variance_at(&picture->work->noise, origin + number * middle));
        const double level = floor(TRAINED_LEVELS * sigma / top + 0.5);
        tones->level[i] = (uint8_t)(level < 1                ? 1
                                    : level > TRAINED_LEVELS ? TRAINED_LEVELS
                                                             : level);
    }
}

/* The noise at a tone, both in parts of white. */
static double noise_at(const void *data, double tone)
{
    const struct denoiser *work = data;
    const double sigma =
        work->noise.gain > 0 ? sqrt(variance_at(&work->noise, 255 * tone)) : work->noise.sigma;
    return sigma * work->options.strength / 255;
}

static ro_status find_floats(struct trained_picture *picture, double strength)
{
    double least, most;
    const struct denoiser *work = picture->work;
    if (!work->in.data)
        return ro_context_fail(picture->work->context, RO_E_UNSUPPORTED,
                               "model trained takes floats as whole images, because what they "
                               "span is not known row by row");
    if (work->extent) {
        least = work->extent->least;
        most = work->extent->most;
    } else {
        const ro_status status = trained_range(work->context, &work->in, 0, &least, &most);
        if (status != RO_OK)
            return status;
    }
    const double top = find_top(picture, 255 * most), noise = strength * top / 255;
    int exponent;
    frexp(fmax((most - least) / SEEN_LEVELS, noise / NOISE_LEVELS), &exponent);
    picture->origin = least;
    picture->unit = ldexp(1, exponent);
    const double high = fmax(ceil((most - least) / picture->unit), NOISE_LEVELS);
    make_plans(picture, (int32_t)high, noise / picture->unit);
    if (picture->tones.uneven)
        make_tones(picture, 255 * least, 255 * picture->unit, (int32_t)high, top);
    return RO_OK;
}

ro_status trained_picture_make(struct trained_picture *picture, struct denoiser *work)
{
    const ro_context *context = work->context;
    const double strength = work->options.strength, white = work->in_white;
    ro_status status = RO_OK;
    *picture = (struct trained_picture){
        .work = work,
        .planes = work->channels,
        .kernel = trained_kernel_of(context->options.cpu ? context->options.cpu : context->cpu),
        .parts = work->channels == 3 ? 6 : 1,
        .unit = 1,
        .in_bytes = ro_format_sample_bytes(work->in.format),
        .out_bytes = ro_format_sample_bytes(work->out.format),
    };
    picture->floats = picture->in_bytes == 4;
    picture->carried = !work->nearest;
    if (picture->floats)
        status = find_floats(picture, strength);
    else {
        const double top = find_top(picture, 255);
        make_plans(picture, (int32_t)work->in_white, strength * top / 255 * white);
        if (picture->tones.uneven)
            make_tones(picture, 0, 255 / white, (int32_t)work->in_white, top);
        picture->unclips = work->options.unclip && !picture->idle;
        if (picture->unclips)
            trained_unclip_make(&picture->unclip, noise_at, work);
    }
    const uint64_t numbers = (uint64_t)picture->parts << picture->fraction;
    const bool alike = !picture->floats && work->in_white == work->out_white;
    picture->step = picture->unit / (double)numbers;
    picture->times = alike ? 1 : work->out_white;
    picture->total = picture->floats ? (uint64_t)FLOAT_WHITE
                     : alike         ? numbers
                                     : numbers * work->in_white;
    return status;
}

/* ---- What the filters see ------------------------------------------------------------------- */

static int32_t sample_at(const struct trained_picture *picture, const char *samples, size_t i)
{
    return picture->in_bytes == 1 ? ((const uint8_t *)samples)[i]
           : picture->in_bytes == 2
               ? ((const uint16_t *)(const void *)samples)[i]
               : (int32_t)((((double)((const float *)(const void *)samples)[i]) - picture->origin) /
                               picture->unit +
                           0.5);
}

void trained_levels(const struct trained_picture *picture, uint32_t y, int32_t *columns,
                    uint8_t *levels)
{
    enum { REACH = TRAINED_SIDE / 2 };
    const struct denoiser *work = picture->work;
    const int64_t width = work->in.width, bottom = (int64_t)work->in.height - 1;
    const size_t channels = (size_t)work->channels;
    memset(columns, 0, (size_t)width * sizeof *columns);
    for (int64_t r = (int64_t)y - REACH; r <= (int64_t)y + REACH; r++) {
        const int64_t row = r < 0 ? 0 : r > bottom ? bottom : r;
        const char *samples =
            (const char *)work->in.data + (row - (int64_t)work->top) * work->in.stride;
        for (size_t x = 0; x < (size_t)width; x++)
            for (size_t c = 0; c < channels; c++)
                columns[x] += sample_at(picture, samples, x * channels + c);
    }
    int32_t sum = REACH * columns[0];
    for (int64_t x = 0; x < REACH; x++)
        sum += columns[x < width ? x : width - 1];
    for (int64_t x = 0; x < width; x++) { /* columns x - 2 to x + 2 */
        sum += columns[x + REACH < width ? x + REACH : width - 1];
        const int32_t tone = sum >> picture->tones.shift;
        levels[x] = picture->tones.level[tone < TONES ? tone : TONES - 1];
        sum -= columns[x > REACH ? x - REACH : 0];
    }
}

static void see_grey(const struct trained_picture *picture, const char *samples, int16_t *seen)
{
    const struct trained_plan plan = picture->plan[0];
    const size_t width = picture->work->in.width;
    if (picture->in_bytes == 1) {
        const uint8_t *in = (const uint8_t *)samples;
        for (size_t x = 0; x < width; x++)
            seen[x] = trained_seen(&plan, in[x]);
        return;
    }
    for (size_t x = 0; x < width; x++)
        seen[x] = trained_seen(&plan, sample_at(picture, samples, x));
}

void trained_see(const struct trained_picture *picture, int plane, const char *samples, void *seen)
{
    const size_t width = picture->work->in.width;
    if (picture->plan[plane].bytes && picture->in_bytes == 1) {
        memcpy(seen, samples, width);
        return;
    }
    if (picture->plan[plane].bytes) {
        for (size_t x = 0; x < width; x++)
            ((uint8_t *)seen)[x] = (uint8_t)sample_at(picture, samples, x);
        return;
    }
    if (picture->planes == 1) {
        see_grey(picture, samples, seen);
        return;
    }
    for (size_t x = 0; x < width; x++) {
        const int32_t r = sample_at(picture, samples, 3 * x),
                      g = sample_at(picture, samples, 3 * x + 1),
                      b = sample_at(picture, samples, 3 * x + 2);
        const int32_t number = plane == 0 ? r + g + b : plane == 1 ? r - b : r - 2 * g + b;
        ((int16_t *)seen)[x] = trained_seen(&picture->plan[plane], number);
    }
}

/* ---- Changes of samples --------------------------------------------------------------------- */

/* Returns the change of a channel at x in 1/(parts * 2^fraction). */
static inline int64_t change_at(const struct trained_picture *picture,
                                const int32_t *const change[3], int channel, size_t x)
{
    if (picture->idle)
        return 0;
    if (picture->planes == 1)
        return change[0][x];
    int64_t sum = 0;
    for (int p = 0; p < 3; p++)
        sum +=
            shares[channel][p] * ((int64_t)change[p][x] *
                                  ((int64_t)1 << (picture->fraction - picture->plan[p].fraction)));
    return sum;
}

/* Takes back what clipping did to a number of samples. */
static double unclipped(const struct trained_picture *picture, double sample)
{
    const double white = picture->work->in_white;
    return picture->unclips ? white * trained_unclip(&picture->unclip, sample / white) : sample;
}

static double real_at(const struct trained_picture *picture, const char *samples, size_t i,
                      int64_t change)
{
    const double sample = picture->floats ? (double)((const float *)(const void *)samples)[i]
                                          : (double)sample_at(picture, samples, i);
    return sample - (double)change * picture->step;
}

/* Returns a value in `total / times`ths of a level, from black to white. */
static inline uint64_t value_at(const struct trained_picture *picture, const char *samples,
                                size_t i, int64_t change)
{
    if (picture->floats) {
        const double v = real_at(picture, samples, i, change);
        return v > 0 ? v < 1 ? (uint64_t)llrint(v * FLOAT_WHITE) : (uint64_t)FLOAT_WHITE : 0;
    }
    const int64_t numbers = (int64_t)picture->parts << picture->fraction;
    const int64_t white = picture->work->in_white * numbers;
    const int64_t value = sample_at(picture, samples, i) * numbers - change;
    if (picture->unclips)
        return (uint64_t)(unclipped(picture, (double)value / (double)numbers) * (double)numbers);
    return (uint64_t)(value < 0 ? 0 : value > white ? white : value);
}

uint64_t trained_start(const struct trained_picture *picture) { return picture->total / 2; }

/* Whether a picture is the most usual one: grey samples of 8 bits, whose levels stay as they are.
 */
static bool is_plain(const struct trained_picture *picture)
{
    return picture->planes == 1 && picture->in_bytes == 1 && picture->out_bytes == 1 &&
           picture->times == 1 && picture->carried && !picture->idle && !picture->unclips;
}

static inline int64_t plain_value(int fraction, int64_t white, uint8_t sample, int32_t change)
{
    const int64_t value = ((int64_t)sample << fraction) - change;
    return value < 0 ? 0 : value > white ? white : value;
}

/* Returns the sum of a plain row's values; that of a row is below 2^63. */
static uint64_t plain_sum(const struct trained_picture *picture, const uint8_t *samples,
                          const int32_t *change)
{
    const size_t width = picture->work->in.width;
    const int fraction = picture->fraction;
    const int64_t white = (int64_t)picture->work->in_white << fraction;
    uint64_t sum = 0;
    for (size_t x = 0; x < width; x++)
        sum += (uint64_t)plain_value(fraction, white, samples[x], change[x]) & (picture->total - 1);
    return sum;
}

uint64_t trained_rest(const struct trained_picture *picture, const char *samples,
                      const int32_t *const change[3], int channel)
{
    if (is_plain(picture))
        return plain_sum(picture, (const uint8_t *)samples, change[0]) & (picture->total - 1);
    const size_t width = picture->work->in.width, channels = (size_t)picture->work->channels;
    unsigned __int128 sum = 0;
    for (size_t x = 0; x < width; x++)
        sum += value_at(picture, samples, x * channels + (size_t)channel,
                        change_at(picture, change, channel, x));
    return (uint64_t)(sum * picture->times % picture->total);
}

static void put(char *row, int bytes, size_t i, uint64_t level)
{
    if (bytes == 1)
        ((uint8_t *)row)[i] = (uint8_t)level;
    else
        ((uint16_t *)(void *)row)[i] = (uint16_t)level;
}

static void write_plain(const struct trained_picture *picture, const uint8_t *samples,
                        const int32_t *change, uint8_t *out, uint64_t *carry)
{
    const int fraction = picture->fraction;
    const int64_t mask = ((int64_t)1 << fraction) - 1;
    const int64_t white = (int64_t)picture->work->in_white << fraction;
    int64_t rest = (int64_t)*carry;
    for (size_t x = 0; x < picture->work->in.width; x++) {
        rest += plain_value(fraction, white, samples[x], change[x]);
        out[x] = (uint8_t)(rest >> fraction);
        rest &= mask;
    }
    *carry = (uint64_t)rest;
}

static void write_channel(const struct trained_picture *picture, const char *samples,
                          const int32_t *const change[3], int channel, char *out, uint64_t *carry)
{
    const struct denoiser *work = picture->work;
    const size_t channels = (size_t)work->channels;
    for (size_t x = 0; x < work->in.width; x++) {
        const size_t i = x * channels + (size_t)channel;
        const int64_t moved = change_at(picture, change, channel, x);
        if (picture->out_bytes == 4) {
            const double white = picture->floats ? 1 : (double)work->in_white;
            const double real = unclipped(picture, real_at(picture, samples, i, moved));
            ((float *)(void *)out)[i] = (float)(real / white);
            continue;
        }
        const uint64_t value = value_at(picture, samples, i, moved);
        const uint64_t rest = picture->carried ? *carry : picture->total / 2;
        const unsigned __int128 sum = (unsigned __int128)value * picture->times + rest;
        const uint64_t level =
            sum >> 64 ? (uint64_t)(sum / picture->total) : (uint64_t)sum / picture->total;
        *carry = (uint64_t)(sum - (unsigned __int128)level * picture->total);
        put(out, picture->out_bytes, i, level);
    }
}

/* ---- Figures -------------------------------------------------------------------------------- */

/* Counts a row before it is written, because the output may take the input's place. */
static void count(const struct trained_picture *picture, const char *samples,
                  const int32_t *const change[3], struct step_figures *before,
                  struct step_figures *after)
{
    const size_t channels = (size_t)picture->work->channels, width = picture->work->in.width;
    __int128 moved = 0;
    for (size_t c = 0; c < channels; c++) {
        double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
        double sum[2] = {0}, squares[2] = {0};
        for (size_t x = 0; x < width; x++) {
            const int64_t d = change_at(picture, change, (int)c, x);
            const double f = real_at(picture, samples, x * channels + c, 0),
                         u = f - (double)d * picture->step;
            const double pair[2] = {f, u};
            moved += d;
            for (int i = 0; i < 2; i++) {
                sum[i] += pair[i];
                squares[i] += pair[i] * pair[i];
                least[i] = pair[i] < least[i] ? pair[i] : least[i];
                most[i] = pair[i] > most[i] ? pair[i] : most[i];
            }
        }
        const struct step_figures of[2] = {
            {.float_sum = sum[0], .float_squares = squares[0], .min = least[0], .max = most[0]},
            {.float_sum = sum[1], .float_squares = squares[1], .min = least[1], .max = most[1]}};
        figures_add(before, &of[0]);
        figures_add(after, &of[1]);
    }
    after->sum += moved; /* of the changes: 0 over the picture */
    if (!picture->floats)
        for (size_t c = 0; c < channels; c++)
            before->pixels += samples_sum(samples, picture->in_bytes, c, channels, (uint32_t)width);
}

void trained_write(const struct trained_picture *picture, const char *samples,
                   const int32_t *const change[3], char *out, uint64_t carry[3],
                   struct step_figures *before, struct step_figures *after)
{
    const struct denoiser *work = picture->work;
    if (work->told)
        count(picture, samples, change, before, after);
    if (is_plain(picture))
        write_plain(picture, (const uint8_t *)samples, change[0], (uint8_t *)out, &carry[0]);
    else
        for (int c = 0; c < work->channels; c++)
            write_channel(picture, samples, change, c, out, &carry[c]);
    if (work->told && picture->out_bytes != 4)
        for (int c = 0; c < work->channels; c++)
            after->pixels += samples_sum(out, picture->out_bytes, (size_t)c, (size_t)work->channels,
                                         work->in.width);
}

void trained_report(struct denoiser *work, const char *schedule, ro_cpu cpu, int threads)
{
    ro_denoise_report *report = &work->report;
    const struct step_figures *before = &work->before, *after = &work->after;
    const bool floats = ro_format_sample_bytes(work->in.format) == 4;
    report->steps = (uint32_t)work->network->steps;
    report->sum_before = floats ? before->float_sum : (double)before->pixels;
    report->sum_after = floats ? after->float_sum : report->sum_before - (double)after->sum;
    report->energy_before = before->float_squares;
    report->energy_after = after->float_squares;
    report->min_before = before->min;
    report->max_before = before->max;
    report->min_after = after->min;
    report->max_after = after->max;
    if (ro_format_sample_bytes(work->out.format) != 4) {
        const double levels = (double)work->out_white / work->in_white;
        report->difference = (double)after->pixels - report->sum_before * levels;
        report->drift = (double)after->pixels - report->sum_after * levels;
    }
    report_give(work->told, report);
    *context_report(work->context) = (ro_report){
        .method = "trained",
        .schedule = schedule,
        .width = work->in.width,
        .height = work->in.height,
        .device = RO_DEVICE_CPU,
        .cpu = cpu,
        .threads = threads,
        .steps = report->steps,
    };
}
