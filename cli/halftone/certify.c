/* SPDX-License-Identifier: MIT */
/* What a certificate says of a halftone: both pictures, the files that options named, and the
 * account of its tone or of its search. */
#include "cli/certificate/certificate.h"
#include "cli/halftone/halftone.h"
#include "roundoff/library.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

static void state_curve(struct certificate *to, const char *name, const ro_tone_point *points,
                        int count)
{
    char hash[RO_HASH_TEXT];
    if (count && ro_bytes_hash(to->context, points, (size_t)count * sizeof *points, hash) == RO_OK)
        certificate_text(to, name, hash);
}

static void state_files(struct certificate *to, const struct halftone_request *request)
{
    const ro_halftone_options *options = &request->options;
    if (options->screen)
        certificate_picture(to, "screen", options->screen);
    if (options->first)
        certificate_picture(to, "start", options->first);
    if (options->spot)
        certificate_picture(to, "spot", options->spot);
    if (options->kernel) {
        __int128 taps[1 + 3 * RO_KERNEL_TAPS];
        size_t count = 0;
        taps[count++] = options->kernel->divisor;
        for (int i = 0; i < options->kernel->count; i++) {
            taps[count++] = options->kernel->taps[i].dx;
            taps[count++] = options->kernel->taps[i].dy;
            taps[count++] = options->kernel->taps[i].weight;
        }
        certificate_integers(to, "kernel", taps, count);
    }
    if (options->palette) {
        __int128 colours[3 * 256];
        for (int i = 0; i < 3 * options->palette->count; i++)
            colours[i] = options->palette->colours[i / 3][i % 3];
        certificate_integers(to, "palette", colours, 3 * (size_t)options->palette->count);
    }
    if (options->separation)
        certificate_text(to, "profile_out_hash", request->profile_hash);
    state_curve(to, "curve_hash", options->tone.curve, options->tone.curve_points);
    for (int i = 0; i < options->ink_count; i++) {
        char name[96];
        snprintf(name, sizeof name, "curve_hash_%s", options->inks[i].name);
        state_curve(to, name, options->inks[i].curve, options->inks[i].curve_points);
    }
}

/* Whether each level has a tone of its own: of many in light the lightest share theirs. */
static bool tones_differ(const ro_halftone_options *options)
{
    const int levels = options->levels;
    return !options->tone.linear ||
           ro_level_tone(levels, levels - 1, 1) != ro_level_tone(levels, levels - 2, 1);
}

/* Tones of a picture file back to numbers of levels. */
static ro_status numbers_of(ro_context *context, const char *path, const ro_image *picture,
                            bool numbers, int levels, int linear, ro_image *out)
{
    int16_t level_of[256];
    const uint32_t white = picture->maxval ? picture->maxval : 255;
    if (picture->format != RO_GREY8)
        return ro_context_fail(context, RO_E_FORMAT, "%s: is %s, not a halftone of %d levels", path,
                               ro_format_name(picture->format), levels);
    for (int i = 0; i < 256; i++)
        level_of[i] = (int16_t)(numbers && i < levels ? i : -1);
    for (int k = 0; k < levels && !numbers; k++)
        level_of[linear && levels > 2 ? ro_level_tone(levels, k, 1)
                                      : (2 * white * (uint32_t)k + (uint32_t)levels - 1) /
                                            (2 * ((uint32_t)levels - 1))] = (int16_t)k;
    ro_status status = ro_image_alloc(context, RO_INDEX8, picture->width, picture->height,
                                      (uint32_t)levels - 1, out);
    for (uint32_t y = 0; y < picture->height && status == RO_OK; y++) {
        const uint8_t *from = (const uint8_t *)picture->data + (ptrdiff_t)y * picture->stride;
        uint8_t *to = (uint8_t *)out->data + (ptrdiff_t)y * out->stride;
        for (uint32_t x = 0; x < picture->width && status == RO_OK; x++) {
            if (level_of[from[x]] < 0)
                status =
                    ro_context_fail(context, RO_E_FORMAT,
                                    "%s: pixel (%u, %u) is %u, which is not one of the %d levels",
                                    path, x, y, from[x], levels);
            to[x] = (uint8_t)level_of[from[x]];
        }
    }
    return status;
}

static ro_status state_account(struct certificate *to, const ro_image *in, const ro_image *levels,
                               const ro_halftone_options *options)
{
    ro_halftone_audit audit = {.size = sizeof audit};
    ro_status status = ro_halftone_audit_of(to->context, in, levels, options, &audit);
    if (status != RO_OK)
        return status;
    certificate_text(to, "method", audit.method);
    certificate_integer(to, "tone_white", audit.white);
    certificate_integer(to, "tone_in", audit.tone_in);
    certificate_integer(to, "tone_out", audit.tone_out);
    certificate_natural(to, "pixels_unlike_the_method", audit.unlike);
    if (audit.diffused) {
        certificate_integer(to, "tone_divisor", audit.divisor);
        certificate_integer(to, "tone_over_borders", audit.border);
        certificate_integer(to, "tone_carried", audit.carried);
        certificate_integer(to, "tone_lost", audit.lost);
    }
    if (audit.searched) {
        certificate_natural(to, "search_error", audit.error);
        certificate_natural(to, "search_rounds", audit.rounds);
        certificate_natural(to, "search_changes", audit.changes);
        certificate_natural(to, "search_improving_trials", audit.improving);
    }
    return RO_OK;
}

/* The plates, by the names of their inks. */
static ro_status state_inks(struct certificate *to, const ro_halftone_options *options,
                            const char *path)
{
    ro_status status = RO_OK;
    for (int i = 0; i < options->ink_count && status == RO_OK; i++) {
        char name[4096], line[96];
        ro_image ink = {0};
        status = ro_plate_path(path, options, i, name, sizeof name);
        snprintf(line, sizeof line, "output_%s", options->inks[i].name);
        if (status == RO_OK)
            status = ro_image_load(to->context, name, NULL, &ink, NULL, NULL);
        if (status == RO_OK)
            certificate_picture(to, line, &ink);
        ro_image_free(&ink);
    }
    return status;
}

/* All of them on each other, as it was seen. */
static ro_status state_proof(struct certificate *to, const char *path)
{
    ro_image proof = {0};
    ro_status status = ro_image_load(to->context, path, NULL, &proof, NULL, NULL);
    if (status == RO_OK)
        certificate_picture(to, "proof", &proof);
    ro_image_free(&proof);
    return status;
}

/* Colour once more, and how many pixels of OUT are others. */
static ro_status state_colour(struct certificate *to, const ro_image *in, const ro_image *out,
                              const ro_halftone_options *options)
{
    ro_image again = {0};
    if (out->format != RO_RGB8)
        return RO_OK; /* numbers of colours, or inks: the hash tells */
    ro_status status = ro_image_alloc(to->context, RO_RGB8, in->width, in->height, 255, &again);
    if (status == RO_OK && (in->width != out->width || in->height != out->height))
        status = ro_context_fail(to->context, RO_E_SIZE, "input and output differ in size");
    if (status == RO_OK)
        status = ro_halftone(to->context, in, &again, options);
    if (status == RO_OK) {
        certificate_text(to, "method", ro_context_report(to->context)->method);
        certificate_unlike(to, &again, out);
    }
    ro_image_free(&again);
    return status;
}

/* Black and white as ro_halftone_file has them; both count as the samples of `info` do. */
static ro_status take_range(ro_context *context, const char *path, const ro_file_info *info,
                            struct halftone_request *request)
{
    ro_halftone_options *options = &request->options;
    ro_reader *reader = NULL;
    if (options->black != 0 || options->white != 0) {
        options->black -= (double)info->zero;
        options->white -= (double)info->zero;
        return RO_OK;
    }
    if (options->range == RO_RANGE_LIMITED)
        return RO_OK;
    ro_status status = ro_reader_open(context, path, &request->read, &reader);
    if (status == RO_OK)
        status = ro_reader_range(reader, &options->black, &options->white);
    ro_reader_close(reader);
    if (options->black < options->white)
        options->range = RO_RANGE_AUTO;
    return status;
}

ro_status halftone_certify(struct certificate *to, const void *given, const struct operands *files)
{
    const struct halftone_given *values = given;
    ro_context *context = to->context;
    ro_image in = {0}, out = {0}, levels = {0};
    ro_file_info info;
    struct halftone_request *request = malloc(sizeof *request);
    if (!request)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a certificate");
    ro_status status = halftone_prepare(context, values, files->path[0], request);
    const ro_halftone_options *options = &request->options;
    request->read.least = options->black; /* as ro_halftone_file does */
    request->read.largest = options->white;
    if (status == RO_OK)
        status = ro_image_load(context, files->path[0], &request->read, &in, &info, NULL);
    if (status == RO_OK)
        status = take_range(context, files->path[0], &info, request);
    if (status == RO_OK)
        status = halftone_adapt(context, &in, request);
    if (status == RO_OK && info.stack > 1)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "a certificate is of one page; --page N picks it");
    if (status != RO_OK)
        goto done;
    state_files(to, request);
    certificate_picture(to, "input", &in);
    if (request->write.split_inks) {
        status = state_inks(to, options, files->path[1]);
        if (status == RO_OK && values->proof)
            status = state_proof(to, values->proof);
        goto done;
    }
    status = ro_image_load(context, files->path[1], NULL, &out, &info, NULL);
    if (status != RO_OK)
        goto done;
    certificate_picture(to, "output", &out);
    if (values->recolour && values->palette) {
        /* colours of the file stand for others: the hash tells */
    } else if (options->palette || options->recolour || options->channels == RO_CHANNELS_RGB) {
        status = state_colour(to, &in, &out, options);
    } else if (options->channels == RO_CHANNELS_GREY && options->levels <= 256 &&
               tones_differ(options)) {
        /* of more levels the hashes stand for themselves, and --recompute makes them again */
        status = numbers_of(context, files->path[1], &out, ro_type_keeps_levels(info.type),
                            options->levels, options->tone.linear, &levels);
        if (status == RO_OK)
            status = state_account(to, &in, &levels, options);
    }
done:
    halftone_release(request);
    inks_free(&request->inks);
    free(request);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&levels);
    return status;
}
