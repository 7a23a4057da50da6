/* SPDX-License-Identifier: MIT */
/* How the pixels of a TIFF file are packed. */
#include "io/formats/tiff/tiff_file.h"

ro_status tiff_compression(struct open_file *file, ro_compression choice, bool bits,
                           uint16_t *scheme)
{
    static const struct {
        uint16_t scheme;
        const char *name;
    } schemes[] = {[RO_COMPRESSION_NONE] = {COMPRESSION_NONE, "none"},
                   [RO_COMPRESSION_G4] = {COMPRESSION_CCITTFAX4, "g4"},
                   [RO_COMPRESSION_PACKBITS] = {COMPRESSION_PACKBITS, "packbits"},
                   [RO_COMPRESSION_ZIP] = {COMPRESSION_ADOBE_DEFLATE, "zip"},
                   [RO_COMPRESSION_LZW] = {COMPRESSION_LZW, "lzw"}};
    static const uint16_t usual[] = {COMPRESSION_CCITTFAX4, COMPRESSION_ADOBE_DEFLATE,
                                     COMPRESSION_LZW};
    *scheme = COMPRESSION_NONE;
    if (choice == RO_COMPRESSION_DEFAULT) {
        for (size_t i = bits ? 0 : 1; i < sizeof usual / sizeof *usual; i++)
            if (TIFFIsCODECConfigured(usual[i])) {
                *scheme = usual[i];
                break;
            }
        return RO_OK;
    }
    if ((size_t)choice >= sizeof schemes / sizeof *schemes)
        return file_fail(file, RO_E_ARGUMENT, "there is no compression %d", (int)choice);
    if (!TIFFIsCODECConfigured(schemes[choice].scheme))
        return file_fail(file, RO_E_UNSUPPORTED, "this build's libtiff has no compression %s",
                         schemes[choice].name);
    *scheme = schemes[choice].scheme;
    return RO_OK;
}

bool tiff_predicts(uint16_t scheme)
{
    return scheme == COMPRESSION_ADOBE_DEFLATE || scheme == COMPRESSION_LZW;
}
