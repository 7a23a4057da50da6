/* SPDX-License-Identifier: MIT */
#include "io/formats/types.h"

#include "core/misuse.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#if RO_WITH_PNG
#define PNG_DECODE png_decode
#define PNG_ENCODE png_encode
#else
#define PNG_DECODE NULL
#define PNG_ENCODE NULL
#endif
#if RO_WITH_TIFF
#define TIFF_DECODE tiff_decode
#define TIFF_ENCODE tiff_encode
#else
#define TIFF_DECODE NULL
#define TIFF_ENCODE NULL
#endif
#if RO_WITH_JPEG
#define JPEG_DECODE jpeg_decode
#else
#define JPEG_DECODE NULL
#endif
#if RO_WITH_WEBP
#define WEBP_DECODE webp_decode
#else
#define WEBP_DECODE NULL
#endif

static bool is_pnm(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' &&
           memchr(" \t\n\r\v\f#", head[2], 7);
}

static bool is_png(const uint8_t *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static bool is_tiff(const uint8_t *head, size_t size)
{
    return size >= 4 &&
           (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
            memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0); /* + is BigTIFF */
}

static bool is_jpeg(const uint8_t *head, size_t size)
{
    return size >= 3 && memcmp(head, "\xff\xd8\xff", 3) == 0;
}

static bool is_npy(const uint8_t *head, size_t size)
{
    return size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

static bool is_nifti(const uint8_t *head, size_t size)
{
    return size >= 4 && /* the length of its header, of NIfTI-2 too, in either byte order */
           (memcmp(head, "\x5c\x01\0\0", 4) == 0 || memcmp(head, "\0\0\x01\x5c", 4) == 0 ||
            memcmp(head, "\x1c\x02\0\0", 4) == 0 || memcmp(head, "\0\0\x02\x1c", 4) == 0);
}

static bool is_nrrd(const uint8_t *head, size_t size)
{
    return size >= 7 && memcmp(head, "NRRD000", 7) == 0;
}

/* MATLAB's have a text before it. */
static bool is_hdf5(const uint8_t *head, size_t size)
{
    return (size >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0) ||
           (size >= 16 && memcmp(head, "MATLAB 7.3 MAT-f", 16) == 0);
}

static bool is_bmp(const uint8_t *head, size_t size)
{
    return size >= 2 && memcmp(head, "BM", 2) == 0;
}

static bool is_gif(const uint8_t *head, size_t size)
{
    return size >= 6 && (memcmp(head, "GIF87a", 6) == 0 || memcmp(head, "GIF89a", 6) == 0);
}

static bool is_pam(const uint8_t *head, size_t size)
{
    return size >= 3 && memcmp(head, "P7", 2) == 0 && (head[2] == '\n' || head[2] == '\r');
}

static bool is_pfm(const uint8_t *head, size_t size)
{
    return size >= 3 && (memcmp(head, "PF", 2) == 0 || memcmp(head, "Pf", 2) == 0) &&
           memchr(" \t\n\r", head[2], 4);
}

static bool is_webp(const uint8_t *head, size_t size)
{
    return size >= 12 && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0;
}

/* Some types are written and not read. */
static bool is_none(const uint8_t *head, size_t size)
{
    (void)head, (void)size;
    return false;
}

enum {
    PNM,
    PNG,
    TIFF,
    JPEG,
    NPY,
    NPZ,
    MAT,
    NIFTI,
    NRRD,
    HDF5,
    BMP,
    GIF,
    WEBP,
    PAM,
    PFM,
    MEM,
    BITS,
    PACKED,
    CARRAY,
    TYPES
};

static const struct file_type types[TYPES] = {
    [PNM] = {"pnm", "PNM", is_pnm, false, pnm_decode, pnm_encode},
    [PNG] = {"png", "PNG", is_png, !RO_WITH_PNG, PNG_DECODE, PNG_ENCODE},
    [TIFF] = {"tiff", "TIFF", is_tiff, !RO_WITH_TIFF, TIFF_DECODE, TIFF_ENCODE},
    [JPEG] = {"jpeg", "JPEG", is_jpeg, !RO_WITH_JPEG, JPEG_DECODE, NULL},
    [NPY] = {"npy", "NPY", is_npy, false, npy_decode, npy_encode},
    [NIFTI] = {"nifti", "NIfTI", is_nifti, false, nifti_decode, nifti_encode},
    [NRRD] = {"nrrd", "NRRD", is_nrrd, false, nrrd_decode, nrrd_encode},
    [HDF5] = {"hdf5", "HDF5", is_hdf5, false, hdf5_decode, hdf5_encode, hdf5_alone},
    [MAT] = {"mat", "MAT", is_none, false, hdf5_decode, NULL},
    [NPZ] = {"npz", "NPZ", is_none, false, npy_decode, npz_encode, npz_alone},
    [BMP] = {"bmp", "BMP", is_bmp, false, bmp_decode, bmp_encode},
    [GIF] = {"gif", "GIF", is_gif, false, gif_decode, NULL},
    [WEBP] = {"webp", "WebP", is_webp, !RO_WITH_WEBP, WEBP_DECODE, NULL},
    [PAM] = {"pam", "PAM", is_pam, false, pam_decode, NULL},
    [PFM] = {"pfm", "PFM", is_pfm, false, pfm_decode, NULL},
    [MEM] = {"mem", "MEM", is_none, false, NULL, mem_encode},
    [BITS] = {"bits", "bits", is_none, false, NULL, bits_encode},
    [PACKED] = {"packed", "packed", is_none, false, NULL, packed_encode},
    [CARRAY] = {"c", "C", is_none, false, NULL, carray_encode},
};

enum {
    IMAGE = RO_HOLDS_BITS | RO_HOLDS_GREY | RO_HOLDS_COLOUR,
    MEASUREMENTS = RO_HOLDS_FLOAT | RO_HOLDS_PAGES | RO_HOLDS_NUMBERS,
    ARRAYS = RO_HOLDS_GREY | RO_HOLDS_COLOUR | MEASUREMENTS | RO_KEEPS_LEVELS | RO_HOLDS_TRUTH,
    NUMBERS = RO_HOLDS_BITS | RO_KEEPS_LEVELS | RO_TAKES_PACKING,
};

static const struct file_extension extensions[] = {
    {"pbm", &types[PNM], RO_HOLDS_BITS},
    {"pgm", &types[PNM], RO_HOLDS_GREY | RO_KEEPS_MAXVAL},
    {"ppm", &types[PNM], RO_HOLDS_COLOUR | RO_KEEPS_MAXVAL},
    {"pnm", &types[PNM], IMAGE | RO_KEEPS_MAXVAL},
    {"png", &types[PNG],
     IMAGE | RO_SMALL_DEPTHS | RO_HOLDS_PALETTE | RO_HOLDS_RESOLUTION | RO_HOLDS_ALPHA |
         RO_HOLDS_CLEAR},
    {"tif", &types[TIFF],
     IMAGE | MEASUREMENTS | RO_HOLDS_PALETTE | RO_HOLDS_INKS | RO_HOLDS_RESOLUTION |
         RO_TAKES_COMPRESSION | RO_HOLDS_SPACING | RO_HOLDS_DESCRIPTION | RO_HOLDS_ALPHA},
    {"tiff", &types[TIFF],
     IMAGE | MEASUREMENTS | RO_HOLDS_PALETTE | RO_HOLDS_INKS | RO_HOLDS_RESOLUTION |
         RO_TAKES_COMPRESSION | RO_HOLDS_SPACING | RO_HOLDS_DESCRIPTION | RO_HOLDS_ALPHA},
    {"jpg", &types[JPEG], 0},
    {"jpeg", &types[JPEG], 0},
    {"gif", &types[GIF], 0},
    {"webp", &types[WEBP], 0},
    {"pam", &types[PAM], 0},
    {"pfm", &types[PFM], 0},
    {"bmp", &types[BMP],
     IMAGE | RO_SMALL_DEPTHS | RO_HOLDS_PALETTE | RO_ONLY_BYTES | RO_HOLDS_RESOLUTION},
    {"npy", &types[NPY], ARRAYS},
    {"nii", &types[NIFTI],
     RO_HOLDS_GREY | RO_HOLDS_COLOUR | MEASUREMENTS | RO_KEEPS_LEVELS | RO_HOLDS_SPACING},
    {"nrrd", &types[NRRD],
     RO_HOLDS_GREY | RO_HOLDS_COLOUR | MEASUREMENTS | RO_KEEPS_LEVELS | RO_HOLDS_SPACING},
    {"npz", &types[NPZ], ARRAYS},
    {"h5", &types[HDF5], ARRAYS},
    {"hdf5", &types[HDF5], ARRAYS},
    {"mat", &types[MAT], 0},
    {"mem", &types[MEM], RO_HOLDS_GREY | RO_KEEPS_MAXVAL | RO_KEEPS_LEVELS},
    {"bits", &types[BITS], NUMBERS},
    {"packed", &types[PACKED], NUMBERS},
    {"c", &types[CARRAY], NUMBERS},
    {"h", &types[CARRAY], NUMBERS},
};

const struct file_type *file_type_of(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].matches(head, size))
            return &types[i];
    return NULL;
}

const struct file_extension *file_extension_of(const char *name)
{
    name += *name == '.';
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(name, extensions[i].name) == 0)
            return &extensions[i];
    return NULL;
}

int ro_type_keeps_levels(const char *type)
{
    if (ABSENT(type))
        return 0;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(type, extensions[i].type->name) == 0)
            return (extensions[i].holds & RO_KEEPS_LEVELS) != 0;
    return 0;
}

/* Puts a name behind others: "a", "a, b", and before the last "a, b or c". */
static void list_name(char *text, size_t size, const char *name, bool last)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", !used ? "" : last ? " or " : ", ", name);
}

const char *types_read(char *text, size_t size)
{
    const char *before = NULL;
    *text = '\0';
    for (size_t i = 0; i < TYPES; i++) {
        if (types[i].matches == is_none)
            continue;
        if (before)
            list_name(text, size, before, false);
        before = types[i].label;
    }
    list_name(text, size, before, true);
    return text;
}

const char *types_written(char *text, size_t size, const char *dot)
{
    char name[16], before[16] = "";
    *text = '\0';
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (!extensions[i].holds || strcmp(extensions[i].name, "tiff") == 0 ||
            strcmp(extensions[i].name, "hdf5") == 0 || strcmp(extensions[i].name, "h") == 0)
            continue;
        snprintf(name, sizeof name, "%s%s", dot, extensions[i].name);
        if (*before)
            list_name(text, size, before, false);
        memcpy(before, name, sizeof before);
    }
    list_name(text, size, before, true);
    return text;
}

ro_status type_left_out(struct open_file *file, const struct file_type *type)
{
    return file_fail(file, RO_E_UNSUPPORTED, "this build has no %s support", type->label);
}

/* Numbers that stand for colours or inks. */
static ro_status layout_colours(struct open_file *file, const struct file_extension *extension,
                                ro_file_info *layout)
{
    unsigned holds = extension->holds;
    if (layout->inks && !(holds & (RO_HOLDS_INKS | RO_KEEPS_LEVELS)))
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a .%s file cannot hold four inks; use .tif, or one file per ink",
                         extension->name);
    if (layout->inks || holds & (RO_HOLDS_PALETTE | RO_KEEPS_LEVELS))
        return RO_OK;
    if (!(holds & RO_HOLDS_COLOUR))
        return file_fail(file, RO_E_UNSUPPORTED, "a .%s file cannot hold colour", extension->name);
    layout->format = RO_RGB8;
    layout->maxval = 255;
    return RO_OK;
}

/* Pages, and numbers that are no samples of ours; *done: the layout is complete. */
static ro_status layout_numbers(struct open_file *file, const struct file_extension *extension,
                                ro_file_info *layout, bool *done)
{
    const unsigned holds = extension->holds;
    *done = false;
    if (layout->stack > 1 && !(holds & RO_HOLDS_PAGES))
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a .%s file holds one page, not %u; .tif and .npy hold more",
                         extension->name, layout->stack);
    if (layout->sample == RO_SAMPLE_PLAIN)
        return RO_OK;
    if (holds & RO_HOLDS_NUMBERS) {
        *done = true;
        return samples_check(file, layout);
    }
    if (layout->sample != RO_SAMPLE_UINT16 && sample_is_whole(layout->sample))
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a .%s file cannot hold %s numbers; .tif and .npy can", extension->name,
                         sample_name(layout->sample));
    layout->sample = RO_SAMPLE_PLAIN; /* tones, or the floats that a format has */
    return RO_OK;
}

ro_status extension_alpha(struct open_file *file, const struct file_extension *extension,
                          ro_file_info *layout)
{
    if (!(extension->holds & RO_HOLDS_ALPHA))
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a .%s file has no place for alpha; .png and .tif have", extension->name);
    if (layout->inks || layout->format == RO_GREYF || layout->format == RO_RGBF)
        return file_fail(file, RO_E_UNSUPPORTED, "%s have no alpha in a file",
                         layout->inks ? "inks" : "floating point values");
    if (layout->palette && extension->holds & RO_HOLDS_CLEAR) {
        if (layout->palette->count < 256)
            return RO_OK;
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a palette of 256 colours has no number left for what is transparent");
    }
    if (layout->format != RO_GREY16 && layout->format != RO_RGB16) {
        layout->format = layout->palette || layout->format == RO_RGB8 ? RO_RGB8 : RO_GREY8;
        layout->maxval = 255;
        layout->palette = NULL;
    }
    return RO_OK;
}

ro_status extension_layout(struct open_file *file, const struct file_extension *extension,
                           const ro_file_info *info, ro_file_info *layout)
{
    unsigned holds = extension->holds;
    uint32_t white = white_of(info->format, info->maxval);
    bool narrow = info->format == RO_GREY8 || info->format == RO_INDEX8;
    bool wide = info->format == RO_GREY16 || info->format == RO_RGB16;
    bool real = info->format == RO_GREYF || info->format == RO_RGBF;
    bool colour = channels_of(info->format) == 3;
    bool bits = info->format == RO_BITS || (narrow && white == 1);

    *layout = *info;
    layout->maxval = white;
    if (extension->type->left_out)
        return type_left_out(file, extension->type);
    if (!extension->type->encode)
        return file_fail(file, RO_E_UNSUPPORTED, "%s files can be read but not written",
                         extension->type->label);
    bool done;
    ro_status status = layout_numbers(file, extension, layout, &done);
    if (status != RO_OK || done)
        return status;
    if (info->format == RO_INDEX8 && (info->palette || info->inks))
        return layout_colours(file, extension, layout);
    if (real)
        return holds & RO_HOLDS_FLOAT
                   ? RO_OK
                   : file_fail(file, RO_E_UNSUPPORTED,
                               "a .%s file cannot hold floating point values; .tif and .npy can",
                               extension->name);
    if (wide && holds & RO_ONLY_BYTES)
        return file_fail(file, RO_E_UNSUPPORTED, "a .%s file holds 8 bits per pixel, not 16",
                         extension->name);
    if (colour && !(holds & RO_HOLDS_COLOUR))
        return file_fail(file, RO_E_UNSUPPORTED, "a .%s file cannot hold colour", extension->name);
    if (!colour && holds & RO_HOLDS_BITS && bits) {
        layout->format = RO_BITS;
        return RO_OK;
    }
    if (holds & RO_HOLDS_TRUTH && white == 1 && !wide) {
        layout->format = info->format == RO_BITS ? RO_INDEX8 : info->format;
        return RO_OK;
    }
    if (info->format == RO_INDEX8 && holds & RO_KEEPS_LEVELS)
        return RO_OK;
    if (!colour && !(holds & RO_HOLDS_GREY)) {
        if (holds & RO_KEEPS_LEVELS)
            return file_fail(file, RO_E_UNSUPPORTED,
                             "a .%s file holds numbers of up to 256 levels, not tones",
                             extension->name);
        if (holds & RO_HOLDS_BITS)
            return file_fail(file, RO_E_UNSUPPORTED,
                             "a .%s file holds 2 levels only, not %u; .pgm and .png hold more",
                             extension->name, white + 1);
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a .%s file holds colour only; .pgm and .png hold grey", extension->name);
    }
    if (info->format == RO_BITS || info->format == RO_INDEX8) {
        if (holds & RO_KEEPS_LEVELS) {
            layout->format = RO_INDEX8;
            return RO_OK;
        }
        layout->format = RO_GREY8;
        if (info->light || !(holds & RO_SMALL_DEPTHS && (white == 3 || white == 15)))
            layout->maxval = 255;
        return RO_OK;
    }
    if (holds & RO_KEEPS_MAXVAL && (!(wide && white < 256) || holds & RO_KEEPS_LEVELS))
        return RO_OK;
    if (holds & RO_SMALL_DEPTHS && info->format == RO_GREY8 && (white == 3 || white == 15))
        return RO_OK;
    layout->maxval = wide ? 65535 : 255;
    return RO_OK;
}
