/* SPDX-License-Identifier: MIT */
/*
 * Colours of a profile to sRGB's, by lcms2: relative colorimetric, with black points matched. Grey
 * stays grey, inks and Lab become RGB. Rows may have alpha, which passes by.
 */
#include "io/filters/lcms.h"
#include "io/filters/profile.h"

#include <stdlib.h>
#include <string.h>

struct to_srgb {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    struct lcms_calls *lcms; /* owns the transform */
    cmsHTRANSFORM transform; /* NULL: samples are passed on, or inks become RGB in the usual way */
    size_t row_bytes;        /* of a row before */
    uint8_t *line;
    uint8_t scale[256]; /* samples of few bits to 8 */
    uint8_t grey[256];  /* of 8 bits, by the transform */
    bool scaled;
};

static bool is_wide(ro_format format) { return format == RO_GREY16 || format == RO_RGB16; }
static bool is_real(ro_format format) { return format == RO_GREYF || format == RO_RGBF; }

/* ---- Profiles ----------------------------------------------------------------------------- */

static cmsToneCurve *srgb_curve(cmsContext lcms)
{
    const cmsFloat64Number sRGB[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    return cmsBuildParametricToneCurve(lcms, 4, sRGB);
}

static cmsHPROFILE grey_profile(cmsContext lcms, const cmsToneCurve *curve)
{
    return curve ? cmsCreateGrayProfileTHR(lcms, cmsD50_xyY(), curve) : NULL;
}

/* Gamma and primaries as a profile; sRGB's where there are none. */
static cmsHPROFILE calibrated(cmsContext lcms, const struct sample_profile *profile, bool colour)
{
    cmsToneCurve *curve =
        profile->gamma > 0 ? cmsBuildGamma(lcms, profile->gamma) : srgb_curve(lcms);
    cmsCIExyY white = {0.3127, 0.3290, 1};
    cmsCIExyYTRIPLE primaries = {{0.64, 0.33, 1}, {0.30, 0.60, 1}, {0.15, 0.06, 1}};
    if (profile->has_primaries) {
        cmsCIExyY *const at[4] = {&white, &primaries.Red, &primaries.Green, &primaries.Blue};
        for (int i = 0; i < 4; i++)
            *at[i] = (cmsCIExyY){profile->xy[i][0], profile->xy[i][1], 1};
    }
    if (!colour)
        return grey_profile(lcms, curve);
    return curve && white.y > 0 ? cmsCreateRGBProfileTHR(lcms, &white, &primaries,
                                                         (cmsToneCurve *[3]){curve, curve, curve})
                                : NULL;
}

static cmsHPROFILE source_profile(cmsContext lcms, const struct sample_profile *profile,
                                  bool colour)
{
    if (profile->kind == RO_KIND_LAB)
        return cmsCreateLab4ProfileTHR(lcms, NULL);
    if (profile->kind == RO_KIND_GAMMA)
        return calibrated(lcms, profile, colour);
    if (profile->size > UINT32_MAX)
        return NULL;
    cmsHPROFILE made =
        cmsOpenProfileFromMemTHR(lcms, profile->bytes, (cmsUInt32Number)profile->size);
    const cmsColorSpaceSignature wanted = profile->inks ? cmsSigCmykData
                                          : colour      ? cmsSigRgbData
                                                        : cmsSigGrayData;
    return made && cmsGetColorSpace(made) == wanted ? made : NULL;
}

static cmsHPROFILE target_profile(cmsContext lcms, bool colour)
{
    return colour ? cmsCreate_sRGBProfileTHR(lcms) : grey_profile(lcms, srgb_curve(lcms));
}

/* ---- Transform ---------------------------------------------------------------------------- */

static cmsUInt32Number type_of(unsigned space, unsigned channels, ro_format format, bool alpha)
{
    const unsigned bytes = is_real(format) ? 4 : is_wide(format) ? 2 : 1;
    return COLORSPACE_SH(space) | CHANNELS_SH(channels) | BYTES_SH(bytes) |
           EXTRA_SH(alpha ? 1u : 0u) | FLOAT_SH(is_real(format) ? 1u : 0u);
}

/* Makes none if the profile makes no sense. */
static void make_transform(cmsContext lcms, void *data)
{
    struct to_srgb *self = data;
    const struct sample_profile *profile = self->before->profile;
    const ro_format format = self->stage.info.format;
    const bool colour = channels_of(format) == 3;
    const bool alpha = self->before->alpha != RO_NO_ALPHA && format != RO_GREY8;
    cmsHPROFILE from = source_profile(lcms, profile, colour);
    cmsHPROFILE to = target_profile(lcms, colour);
    const unsigned channels = colour ? 3 : 1;
    cmsUInt32Number type_from = type_of(colour ? PT_RGB : PT_GRAY, channels, format, alpha);
    const cmsUInt32Number type_to = type_from;
    if (profile->inks)
        type_from = is_wide(format)     ? TYPE_CMYK_16
                    : profile->inverted ? TYPE_CMYK_8_REV
                                        : TYPE_CMYK_8;
    else if (profile->kind == RO_KIND_LAB)
        type_from = type_of(PT_Lab, 3, format, alpha);
    /* What lcms2 makes quicker by tables of few points is not exact in dark tones. */
    const bool quick = format == RO_RGB8 && profile->kind != RO_KIND_LAB;
    const cmsUInt32Number flags = cmsFLAGS_BLACKPOINTCOMPENSATION |
                                  (quick ? 0 : cmsFLAGS_NOOPTIMIZE) |
                                  (alpha ? cmsFLAGS_COPY_ALPHA : 0);
    if (from && to)
        self->transform = cmsCreateTransformTHR(lcms, from, type_from, to, type_to,
                                                INTENT_RELATIVE_COLORIMETRIC, flags);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Few bits to all of 8 or 16; alpha has the same white. */
static void scale_row(const struct to_srgb *self, void *row)
{
    const size_t samples =
        stage_row_bytes(&self->stage) / (is_wide(self->stage.info.format) ? 2 : 1);
    const uint64_t white = self->before->info.maxval;
    if (is_wide(self->stage.info.format))
        for (size_t i = 0; i < samples; i++)
            ((uint16_t *)row)[i] =
                (uint16_t)((((uint16_t *)row)[i] * UINT64_C(131070) + white) / (2 * white));
    else
        for (size_t i = 0; i < samples; i++)
            ((uint8_t *)row)[i] = self->scale[((uint8_t *)row)[i]];
}

static void map_grey(const struct to_srgb *self, uint8_t *row)
{
    const size_t step = self->stage.alpha == RO_NO_ALPHA ? 1 : 2;
    memcpy(row, self->line, self->row_bytes);
    for (size_t x = 0; x < self->row_bytes; x += step)
        row[x] = self->grey[row[x]];
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct to_srgb *self = (struct to_srgb *)stage;
    const struct sample_profile *profile = self->before->profile;
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        status = self->before->rows(self->before, self->line, (ptrdiff_t)self->row_bytes, 1);
        if (status != RO_OK)
            break;
        if (self->scaled)
            scale_row(self, self->line);
        if (self->transform && stage->info.format == RO_GREY8)
            map_grey(self, rows);
        else if (self->transform)
            cmsDoTransform(self->transform, self->line, rows, stage->info.width);
        else if (profile->inks && is_wide(stage->info.format))
            cmyk16_to_rgb((uint16_t *)(void *)rows, (const uint16_t *)(const void *)self->line,
                          stage->info.width);
        else if (profile->inks)
            cmyk_to_rgb(rows, self->line, stage->info.width, profile->inverted);
        else
            memcpy(rows, self->line, self->row_bytes);
    }
    return status;
}

static void close_stage(struct row_stage *stage)
{
    struct to_srgb *self = (struct to_srgb *)stage;
    lcms_close(self->lcms);
    self->before->close(self->before);
    free(self->line);
    free(self);
}

static void note_dropped(const struct to_srgb *self, const struct sample_profile *profile,
                         bool damaged)
{
    const bool icc = profile->kind == RO_KIND_ICC;
    file_drop(self->stage.file, icc ? RO_DROPPED_PROFILE : RO_DROPPED_GAMMA, "%s",
              !damaged ? profile->words
              : icc ? "its ICC profile, damaged or not for such pixels (colours are taken as sRGB)"
                    : "its gamma or primaries, which are damaged (taken as sRGB's)");
}

ro_status profile_stage(struct row_stage *before, const ro_read_options *options,
                        struct row_stage **stage)
{
    const struct sample_profile *profile = before->profile;
    const ro_file_info *info = &before->info;
    struct to_srgb *self = calloc(1, sizeof *self);
    const size_t bytes = profile->inks ? 4 * (size_t)info->width * (is_wide(info->format) ? 2 : 1)
                                       : stage_row_bytes(before);
    if (self)
        self->line = malloc(bytes);
    if (!self || !self->line) {
        ro_status status = file_no_memory(before->file, bytes);
        free(self);
        before->close(before);
        return status;
    }
    self->before = before;
    self->row_bytes = bytes;
    self->stage = (struct row_stage){.file = before->file,
                                     .info = *info,
                                     .orientation = before->orientation,
                                     .alpha = before->alpha,
                                     .rows = read_rows,
                                     .close = close_stage};
    *stage = &self->stage;
    if (info->maxval == 1 && !is_real(info->format))
        return RO_OK; /* black stays black, and white white */
    const bool wanted = options->profile == RO_PROFILE_APPLY || profile->kind == RO_KIND_LAB;
    if (wanted && !(self->lcms = lcms_run(make_transform, self))) {
        const ro_status status =
            file_fail(before->file, RO_E_MEMORY, "no memory for its colour profile");
        *stage = NULL;
        close_stage(&self->stage);
        return status;
    }
    if (!self->transform && options->profile != RO_PROFILE_IGNORE)
        note_dropped(self, profile, wanted);
    if (!self->transform)
        return RO_OK;
    if (info->format == RO_GREY8) {
        uint8_t all[256];
        for (int k = 0; k < 256; k++)
            all[k] = (uint8_t)k;
        cmsDoTransform(self->transform, all, self->grey, 256);
    }
    const uint32_t white = is_real(info->format) ? 1 : is_wide(info->format) ? 65535 : 255;
    self->scaled = info->maxval != white;
    self->stage.info.maxval = white;
    for (uint32_t k = 0; self->scaled && k < 256; k++) {
        const uint32_t sample = k < info->maxval ? k : info->maxval;
        self->scale[k] = (uint8_t)((510 * sample + info->maxval) / (2 * info->maxval));
    }
    return RO_OK;
}
