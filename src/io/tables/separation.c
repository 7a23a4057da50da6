/* SPDX-License-Identifier: MIT */
/* The separation of an ICC output profile: what lcms2 makes of even steps of sRGB. */
#include "core/misuse.h"
#include "io/bytes/source.h"

#include <stdlib.h>
#include <string.h>

#if RO_WITH_LCMS
#include "io/filters/lcms.h"
#include "roundoff_io_command.h"

enum {
    SIDE = RO_SEPARATION_SIDE,
    INKS = 4,
    SHARES_BYTES = SIDE * SIDE * SIDE * INKS * 2,
    MOST_BYTES = 1 << 28,
};

static const char *space_name(cmsColorSpaceSignature space)
{
    switch (space) {
    case cmsSigRgbData:
        return "RGB";
    case cmsSigGrayData:
        return "grey";
    case cmsSigLabData:
        return "Lab";
    case cmsSigXYZData:
        return "XYZ";
    case cmsSigCmyData:
        return "CMY";
    default:
        return "other inks";
    }
}

static ro_status check(struct open_file *file, cmsHPROFILE profile)
{
    if (!profile)
        return file_fail(file, RO_E_FORMAT, "is not an ICC profile");
    if (cmsGetColorSpace(profile) != cmsSigCmykData)
        return file_fail(file, RO_E_FORMAT, "is a profile for %s, not for CMYK",
                         space_name(cmsGetColorSpace(profile)));
    if (cmsGetDeviceClass(profile) != cmsSigOutputClass)
        return file_fail(file, RO_E_FORMAT, "is a profile for CMYK, but not of an output device");
    return RO_OK;
}

/* Black points are matched, but where colours are to stay as they are, paper and all. */
static cmsHTRANSFORM transform_to(cmsContext lcms, cmsHPROFILE profile, ro_intent intent)
{
    static const cmsUInt32Number intents[] = {
        [RO_INTENT_PERCEPTUAL] = INTENT_PERCEPTUAL,
        [RO_INTENT_RELATIVE] = INTENT_RELATIVE_COLORIMETRIC,
        [RO_INTENT_SATURATION] = INTENT_SATURATION,
        [RO_INTENT_ABSOLUTE] = INTENT_ABSOLUTE_COLORIMETRIC,
    };
    const cmsUInt32Number black =
        intent == RO_INTENT_ABSOLUTE ? 0 : cmsFLAGS_BLACKPOINTCOMPENSATION;
    cmsHPROFILE from = cmsCreate_sRGBProfileTHR(lcms);
    return from ? cmsCreateTransformTHR(lcms, from, TYPE_RGB_16, profile, TYPE_CMYK_16,
                                        intents[intent], cmsFLAGS_NOOPTIMIZE | black)
                : NULL;
}

static void fill(cmsHTRANSFORM transform, uint16_t *shares)
{
    uint16_t row[SIDE][3];
    for (int r = 0; r < SIDE; r++)
        for (int g = 0; g < SIDE; g++, shares += SIDE * INKS) {
            for (int b = 0; b < SIDE; b++) {
                const int steps[3] = {r, g, b};
                for (int c = 0; c < 3; c++)
                    row[b][c] = (uint16_t)((2 * 65535 * steps[c] + SIDE - 1) / (2 * (SIDE - 1)));
            }
            cmsDoTransform(transform, row, shares, SIDE);
        }
}

struct loading {
    struct open_file *file;
    const char *bytes;
    size_t size;
    ro_intent intent;
    uint16_t *shares;
    ro_status status;
};

static void load(cmsContext lcms, void *data)
{
    struct loading *loading = data;
    cmsHPROFILE profile =
        cmsOpenProfileFromMemTHR(lcms, loading->bytes, (cmsUInt32Number)loading->size);
    cmsHTRANSFORM transform = NULL;
    loading->status = check(loading->file, profile);
    if (loading->status == RO_OK && !(transform = transform_to(lcms, profile, loading->intent)))
        loading->status =
            file_fail(loading->file, RO_E_FORMAT, "the profile does not say how to make CMYK");
    if (loading->status == RO_OK)
        fill(transform, loading->shares);
}

ro_status ro_separation_load(ro_context *context, const char *path, ro_intent intent,
                             ro_separation *separation, char hash[RO_HASH_TEXT])
{
    if (MISSING(context, path, separation))
        return RO_E_ARGUMENT;
    *separation = (ro_separation){0};
    if (hash)
        *hash = '\0';
    if (intent < RO_INTENT_PERCEPTUAL || intent > RO_INTENT_ABSOLUTE)
        return ro_context_fail(context, RO_E_ARGUMENT, "there is no rendering intent %d",
                               (int)intent);
    char *bytes = NULL;
    size_t size = 0;
    ro_status status = ro_bytes_load(context, path, MOST_BYTES, &bytes, &size);
    if (status != RO_OK)
        return status;
    struct open_file file;
    file_init(&file, context, path, "standard input");
    struct loading loading = {&file, bytes, size, intent, malloc(SHARES_BYTES), RO_OK};
    struct lcms_calls *lcms = loading.shares ? lcms_run(load, &loading) : NULL;
    status = lcms ? loading.status : file_fail(&file, RO_E_MEMORY, "no memory for a separation");
    lcms_close(lcms);
    if (status == RO_OK)
        *separation = (ro_separation){.inks = INKS, .shares = loading.shares};
    else
        free(loading.shares);
    if (status == RO_OK && hash && ro_bytes_hash(context, bytes, size, hash) != RO_OK)
        *hash = '\0'; /* a build without hashes, which makes no certificates */
    ro_free(bytes);
    return status;
}

#else

ro_status ro_separation_load(ro_context *context, const char *path, ro_intent intent,
                             ro_separation *separation, char hash[RO_HASH_TEXT])
{
    if (MISSING(context, path, separation))
        return RO_E_ARGUMENT;
    (void)intent;
    *separation = (ro_separation){0};
    if (hash)
        *hash = '\0';
    return ro_context_fail(context, RO_E_UNSUPPORTED,
                           "%s: this build has no lcms2, which output profiles need", path);
}

#endif
