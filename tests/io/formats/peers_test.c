/* SPDX-License-Identifier: MIT */
/* Files that other programs write and read: libtiff's own conversion to RGB is what ours must give,
 * flaws beside the pixels are noted, and NIfTI-2 holds what NIfTI-1 holds. */
#include "io/io_test.h"

enum { W = 37, H = 22 };

static uint32_t seed;
static uint8_t noise(void)
{
    seed = seed * 1664525 + 1013904223;
    return (uint8_t)(seed >> 24);
}

/* Reads a file; *info and the text of what was dropped are kept. */
static uint8_t *read_file(const char *path, const ro_read_options *options, ro_file_info *info)
{
    size_t size;
    uint8_t *pixels, *bytes = get_file(path, &size);
    if (read_memory(bytes, size, options, 5, info, &pixels) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    free(bytes);
    return pixels;
}

#if RO_WITH_TIFF
#include <tiffio.h>

static TIFF *create(uint16_t compression, uint16_t photometric, int samples, int bits)
{
    TIFF *tiff = TIFFOpen(path_to("a.tif"), "w");
    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, W);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, H);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 8);
    return tiff;
}

/* All strips or tiles, of noise. */
static void fill(TIFF *tiff)
{
    const bool tiled = TIFFIsTiled(tiff);
    const tmsize_t most = tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
    const uint32_t count = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    uint8_t *chunk = malloc((size_t)most);
    for (uint32_t i = 0; i < count; i++) {
        tmsize_t size = most;
        if (!tiled && i % 3 == 2) /* the last strip is shorter */
            size = TIFFVStripSize(tiff, H % 8);
        for (tmsize_t k = 0; k < size; k++)
            chunk[k] = noise();
        assert_true((tiled ? TIFFWriteEncodedTile(tiff, i, chunk, size)
                           : TIFFWriteEncodedStrip(tiff, i, chunk, size)) == size);
    }
    free(chunk);
    TIFFClose(tiff);
}

/* Pixels from `width` on are left out. */
static void compare_with_libtiff(const char *what, int width)
{
    ro_file_info info;
    uint8_t *ours = read_file(path_to("a.tif"), NULL, &info);
    uint32_t *theirs = malloc(sizeof *theirs * W * H);
    TIFF *tiff = TIFFOpen(path_to("a.tif"), "r");
    assert_true(TIFFReadRGBAImageOriented(tiff, W, H, theirs, ORIENTATION_TOPLEFT, 1));
    TIFFClose(tiff);
    assert_int_equal(info.format, RO_RGB8);
    for (int i = 0; i < W * H; i++)
        if (i % W < width &&
            (ours[3 * i] != TIFFGetR(theirs[i]) || ours[3 * i + 1] != TIFFGetG(theirs[i]) ||
             ours[3 * i + 2] != TIFFGetB(theirs[i])))
            fail_msg("%s: pixel %d, %d differs", what, i % W, i / W);
    free(ours);
    free(theirs);
}

static void ycbcr(void **state)
{
    (void)state;
    static const uint16_t schemes[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_PACKBITS};
    static const uint16_t shared[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}};
    const float studio[6] = {16, 235, 128, 240, 128, 240}, other[3] = {0.2126f, 0.7152f, 0.0722f};
    char what[80];
    for (size_t c = 0; c < sizeof schemes / sizeof *schemes; c++)
        for (size_t s = 0; s < sizeof shared / sizeof *shared; s++)
            for (int tiled = 0; tiled < 2; tiled++) {
                TIFF *tiff = create(schemes[c], PHOTOMETRIC_YCBCR, 3, 8);
                TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, shared[s][0], shared[s][1]);
                if (s % 2)
                    TIFFSetField(tiff, TIFFTAG_REFERENCEBLACKWHITE, studio);
                if (s % 3 == 0)
                    TIFFSetField(tiff, TIFFTAG_YCBCRCOEFFICIENTS, other);
                if (tiled) {
                    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
                    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
                }
                fill(tiff);
                snprintf(what, sizeof what, "%u x %u, scheme %u, tiled %d", shared[s][0],
                         shared[s][1], schemes[c], tiled);
                /* libtiff 4.5 takes wrong rows of tiles that are cut off, if blocks are 4 x 4 */
                compare_with_libtiff(what, tiled && s == 6 ? W / 16 * 16 : W);
            }
}

static void ycbcr_in_planes(void **state)
{
    (void)state;
    for (int subsampled = 0; subsampled < 2; subsampled++) {
        TIFF *tiff = create(COMPRESSION_LZW, PHOTOMETRIC_YCBCR, 3, 8);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_SEPARATE);
        TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1 + subsampled, 1);
        fill(tiff);
        if (!subsampled)
            compare_with_libtiff("planes", W);
    }
    size_t size;
    uint8_t *bytes = get_file(path_to("a.tif"), &size);
    expect_failure(bytes, size, NULL, RO_E_UNSUPPORTED, "fewer pixels in separate planes");
    free(bytes);
}

/* Inks of 16 bits keep them. */
static void wide_inks(void **state)
{
    (void)state;
    ro_file_info info;
    uint16_t row[H][W][4];
    TIFF *tiff = create(COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_SEPARATED, 4, 16);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++)
                row[y][x][c] = (uint16_t)(noise() << 8 | noise());
        assert_int_equal(TIFFWriteScanline(tiff, row[y], (uint32_t)y, 0), 1);
    }
    TIFFClose(tiff);
    uint16_t *rgb = (uint16_t *)read_file(path_to("a.tif"), NULL, &info);
    assert_int_equal(info.format, RO_RGB16);
    assert_int_equal(info.maxval, 65535);
    for (int i = 0; i < W * H * 3; i++) {
        const uint16_t *inks = row[i / 3 / W][i / 3 % W];
        const double light = (65535.0 - inks[i % 3]) * (65535.0 - inks[3]) / 65535;
        assert_true(rgb[i] - light < 0.51 && light - rgb[i] < 0.51);
    }
    free(rgb);
}

/* A palette with alpha beside the numbers, as ImageMagick writes it. */
static void palette_with_alpha(void **state)
{
    (void)state;
    ro_file_info info;
    uint16_t map[3][256];
    const uint16_t kind = EXTRASAMPLE_UNASSALPHA;
    uint8_t pairs[H][2 * W];
    TIFF *tiff = create(COMPRESSION_LZW, PHOTOMETRIC_PALETTE, 2, 8);
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 3; c++)
            map[c][i] = (uint16_t)(257 * ((i * (c + 3)) & 255));
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    for (int y = 0; y < H; y++) {
        for (int i = 0; i < 2 * W; i++)
            pairs[y][i] = noise();
        assert_int_equal(TIFFWriteScanline(tiff, pairs[y], (uint32_t)y, 0), 1);
    }
    TIFFClose(tiff);
    uint8_t *alpha = read_file(path_to("a.tif"),
                               &(ro_read_options){RO_READ_DEFAULTS, .alpha = RO_ALPHA_ONLY}, &info);
    uint8_t *rgb = read_file(path_to("a.tif"),
                             &(ro_read_options){RO_READ_DEFAULTS, .alpha = RO_ALPHA_DROP}, &info);
    assert_int_equal(info.format, RO_RGB8);
    for (int i = 0; i < W * H; i++) {
        const uint8_t *pair = &pairs[i / W][i % W * 2];
        assert_int_equal(alpha[i], pair[1]);
        for (int c = 0; c < 3; c++)
            assert_int_equal(rgb[3 * i + c], (pair[0] * (c + 3)) & 255);
    }
    free(alpha);
    free(rgb);
}

/* Strips that were never written are 0, and a note says so. */
static void sparse(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < 3; scheme++) {
        ro_file_info info;
        uint8_t strip[8 * W];
        TIFF *tiff =
            create(scheme ? COMPRESSION_LZW : COMPRESSION_NONE, PHOTOMETRIC_MINISBLACK, 1, 8);
        if (scheme == 2) {
            TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
            TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
        }
        memset(strip, 9, sizeof strip);
        if (scheme == 2)
            assert_true(TIFFWriteEncodedTile(tiff, 1, strip, 256) > 0);
        else
            assert_true(TIFFWriteEncodedStrip(tiff, 1, strip, 8 * W) > 0);
        TIFFClose(tiff);
        uint8_t *pixels = read_file(path_to("a.tif"), NULL, &info);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                assert_int_equal(
                    pixels[y * W + x],
                    (scheme == 2 ? y < 16 && x >= 16 && x < 32 : y >= 8 && y < 16) ? 9 : 0);
        free(pixels);
        assert_int_equal(was_dropped.what, RO_DROPPED_DAMAGE);
        assert_non_null(strstr(was_dropped.text, "leaves out"));
    }
}

/* A fax line of fewer pixels than the page has. */
static void short_fax_line(void **state)
{
    (void)state;
    ro_file_info info;
    uint8_t lines[H][(W + 7) / 8] = {{0}};
    TIFF *tiff = create(COMPRESSION_CCITTFAX3, PHOTOMETRIC_MINISWHITE, 1, 1);
    for (int y = 0; y < H; y++)
        assert_int_equal(TIFFWriteScanline(tiff, lines[y], (uint32_t)y, 0), 1);
    TIFFClose(tiff);
    size_t size;
    uint8_t *bytes = get_file(path_to("a.tif"), &size);
    for (size_t i = size - 200; i + 12 < size; i++) /* the page is said to be a pixel wider */
        if (bytes[i] == 0 && bytes[i + 1] == 1 && bytes[i + 8] == W && bytes[i + 9] == 0)
            bytes[i + 8]++;
    put_file(path_to("a.tif"), bytes, size);
    free(bytes);
    uint8_t *pixels = read_file(path_to("a.tif"), NULL, &info);
    assert_int_equal(info.width, W + 1);
    for (int i = 0; i < (W + 1) * H; i++)
        assert_int_equal(pixels[i], 1);
    free(pixels);
    assert_non_null(strstr(was_dropped.text, "fax lines"));
}
#else
static void ycbcr(void **state) { (void)state, skip(); }
static void ycbcr_in_planes(void **state) { (void)state, skip(); }
static void wide_inks(void **state) { (void)state, skip(); }
static void palette_with_alpha(void **state) { (void)state, skip(); }
static void sparse(void **state) { (void)state, skip(); }
static void short_fax_line(void **state) { (void)state, skip(); }
#endif

/* Bytes between the scan and the end, and a version of JFIF that nobody knows: pixels are what they
 * were, a note says so, and `strict` makes it an error. */
static void odd_jpeg(void **state)
{
    (void)state;
#if RO_WITH_JPEG
    char path[400];
    size_t size;
    ro_file_info info;
    uint8_t *pixels, *odd;
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/jpeg/plain",
             getenv("SOURCE_DIR") ? getenv("SOURCE_DIR") : ".");
    uint8_t *plain = read_file(path, NULL, &info), *bytes = get_file(path, &size);
    uint8_t *more = malloc(size + 8);
    memcpy(more, bytes, size - 2);
    memset(more + size - 2, 0x11, 8);
    memcpy(more + size + 6, "\xff\xd9", 2);
    put_file(path_to("more.jpg"), more, size + 8);
    bytes[11] = 9; /* the version of JFIF */
    put_file(path_to("version.jpg"), bytes, size);
    static const char *const names[] = {"more.jpg", "version.jpg"};
    for (int i = 0; i < 2; i++) {
        pixels = read_file(path_to(names[i]), NULL, &info);
        assert_memory_equal(pixels, plain,
                            ro_format_row_bytes(info.format, info.width) * info.height);
        assert_int_equal(was_dropped.what, RO_DROPPED_DAMAGE);
        assert_non_null(strstr(was_dropped.text, "oddities"));
        free(pixels);
        odd = get_file(path_to(names[i]), &size);
        expect_failure(odd, size, &(ro_read_options){RO_READ_DEFAULTS, .strict = 1},
                       RO_E_UNSUPPORTED, "must not be dropped: oddities");
        free(odd);
    }
    free(plain);
    free(bytes);
    free(more);
#else
    skip();
#endif
}

/* ---- NIfTI-2 -------------------------------------------------------------------------------- */

static void put(uint8_t *head, size_t at, const void *value, size_t size, bool swapped)
{
    for (size_t i = 0; i < size; i++)
        head[at + i] = ((const uint8_t *)value)[swapped ? size - 1 - i : i];
}

static void nifti_2(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        uint8_t file[544 + 2 * 6] = {0};
        const int32_t head = 540, units = 2, code = 3;
        const int16_t type = 4, bits = 16;
        const int64_t dim[4] = {3, 3, 1, 2}, start = 544, slices = 1;
        const double spacing = 0.7, slope = 0.1, matrix = 1.5;
        ro_file_info info;
        uint8_t *pixels;
        put(file, 0, &head, 4, swapped);
        memcpy(file + 4, "n+2\0\r\n\032\n", 8);
        put(file, 12, &type, 2, swapped);
        put(file, 14, &bits, 2, swapped);
        for (size_t i = 0; i < 4; i++)
            put(file, 16 + 8 * i, &dim[i], 8, swapped);
        put(file, 112, &spacing, 8, swapped);
        put(file, 168, &start, 8, swapped);
        put(file, 176, &slope, 8, swapped);
        put(file, 224, &slices, 8, swapped);
        memcpy(file + 240, "a text", 6);
        put(file, 348, &code, 4, swapped);
        put(file, 480, &matrix, 8, swapped);
        put(file, 500, &units, 4, swapped);
        for (int16_t i = 0; i < 6; i++) {
            const int16_t value = (int16_t)(i - 2);
            put(file, 544 + 2 * (size_t)i, &value, 2, swapped);
        }
        assert_int_equal(read_memory(file, sizeof file,
                                     &(ro_read_options){RO_READ_DEFAULTS, .page = 2}, 5, &info,
                                     &pixels),
                         RO_OK);
        assert_int_equal(info.width, 3);
        assert_int_equal(info.height, 1);
        assert_int_equal(info.pages, 2);
        assert_true(info.spacing[0] == spacing && info.slope == slope);
        assert_string_equal(info.unit, "mm");
        for (int i = 0; i < 3; i++)
            assert_int_equal(((uint16_t *)pixels)[i] + info.zero, i + 1);
        free(pixels);

        /* a header of version 1 that says the same */
        ro_image image;
        put_file(path_to("a.nii"), file, sizeof file);
        assert_int_equal(ro_image_load(context, path_to("a.nii"), NULL, &image, &info, NULL),
                         RO_OK);
        const uint8_t *first = info.header;
        float number;
        int16_t small;
        assert_int_equal(info.header_size, 348);
        assert_int_equal(first[0] | first[3], 0x5c);
        assert_string_equal((const char *)first + 148, "a text");
        assert_true(memcpy(&number, first + 80, 4) && number == 0.7f);
        assert_true(memcpy(&number, first + 256 + 16 * 4, 4) && number == 1.5f);
        assert_true(memcpy(&small, first + 74, 2) && small == 1);
        assert_true(memcpy(&small, first + 254, 2) && small == 3);
        assert_int_equal(first[123], 2);
        ro_image_free(&image);
        expect_failure(file, 500, NULL, RO_E_FORMAT, "ends early");
        file[5] = 'i';
        file[4] = 'n';
        memcpy(file + 4, "ni2", 4);
        expect_failure(file, sizeof file, NULL, RO_E_UNSUPPORTED, "in another file");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ycbcr),     cmocka_unit_test(ycbcr_in_planes),
        cmocka_unit_test(wide_inks), cmocka_unit_test(palette_with_alpha),
        cmocka_unit_test(sparse),    cmocka_unit_test(short_fax_line),
        cmocka_unit_test(odd_jpeg),  cmocka_unit_test(nifti_2),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
