/* SPDX-License-Identifier: MIT */
/* The options of roundoff halftone that are about files, or that stand for several members of the
 * library's structure. */
#include "cli/halftone/halftone.h"

#define MEMBER(member) RO_MEMBER(struct halftone_given, member)
#define READ(member, name) RO_MEMBER_AS(struct halftone_given, read.member, name)
#define WRITE(member, name) RO_MEMBER_AS(struct halftone_given, write.member, name)
#define RAW "Of the types bits, packed and c. "

const struct halftone_given halftone_unset = {
    .options = RO_HALFTONE_OPTIONS,
    .read = {RO_READ_DEFAULTS, .profile = RO_PROFILE_APPLY},
    .write = RO_WRITE_OPTIONS,
    .proof_options = RO_PROOF_OPTIONS};

static const ro_option rows[] = {
    {MEMBER(list), ROW_LIST},
    {WRITE(type, "type"), ROW_TYPE,
     .more = "It can be `pbm`, `pgm`, `ppm`, `png`, `tiff`, `bmp`, `npy`, `mem`, `bits`, `packed` "
             "or `c`; section FILES says what each holds."},
    {MEMBER(out_dir), "D", "many images at a time: IN ... into folder D", .topic = "files",
     .writes = 1, .excludes = "vectors proof",
     .more = "There is no OUT then. Every IN becomes a file in the folder, which is made if need "
             "be, with its own name and the ending of `type`, by default png. Images are halftoned "
             "side by side; `threads` are those of all together. Each has a line when it is "
             "complete, and a summary follows. If one fails, the others go on, and the exit status "
             "is 1. Two images that would have one name are refused before anything is done. There "
             "is no `certificate`."},
    {MEMBER(vectors), ROW_VECTORS, .topic = "files",
     .more = "There is a sample and its level on each line. IN must be an 8-bit or 16-bit grey "
             "file, not a pipe; options of tone, colour and size are refused."},
    {MEMBER(page), ROW_PAGE, .topic = "files", .more = PAGES_OF_OUT},
    {READ(profile, "profile"), "P", "what becomes of colours that are not those of sRGB",
     .topic = "files", .preset = "apply",
     .words =
         RO_WORDS({"apply", .value = RO_PROFILE_APPLY,
                   .help = "they become sRGB, relative colorimetric with black points matched"},
                  {"ignore", .value = RO_PROFILE_IGNORE, .help = "samples are taken as sRGB"}),
     .more = "They differ by the ICC profile of a PNG, JPEG, TIFF, WebP or BMP file, or by the "
             "gamma and primaries of a PNG or BMP file. A damaged profile is ignored, and a line "
             "says so; without lcms2 all are. Lab in TIFF files always becomes sRGB."},
    {READ(alpha, "alpha"), "A", "what becomes of alpha", .topic = "files", .preset = "auto",
     .words = RO_WORDS({"auto", .value = RO_ALPHA_DEFAULT,
                        .help = "over white; a line says so if any pixel was not opaque"},
                       {"over", .value = RO_ALPHA_OVER, .help = "over the background"},
                       {"keep", .value = RO_ALPHA_KEEP,
                        .help = "OUT, a PNG or TIFF file, has the alpha of IN, no pipe"},
                       {"drop", .value = RO_ALPHA_DROP, .help = "colours are taken as they are"}),
     .more = "If alpha is kept, colours are halftoned as they are, and as the background where "
             "nothing is seen of them. With a palette in a PNG file, what is less than half opaque "
             "becomes a transparent number of its own."},
    {MEMBER(background), "C", "colour that is seen through alpha", .topic = "files",
     .derived = "white", .excludes = "alpha=drop", .more = "By name or as #rrggbb."},
    {READ(content, "content"), "C", "what the picture shows", .topic = "tone", .preset = "photo",
     .excludes = "palette separate=cmyk,cmyk-tiff,inks,inks-tiff inks",
     .words = RO_WORDS({"photo", .value = RO_CONTENT_PHOTO},
                       {"page", .value = RO_CONTENT_PAGE,
                        .help = "also text, lines and codes, which become black and white"}),
     .more = "Text on any even ground stays sharp, and photographs on the page stay smooth, which "
             "is decided for each region. Small comics, stars and masts can be taken for text. "
             "Colours become grey."},
    {WRITE(compression, "compression"), "C", "how a TIFF file is packed", .topic = "files",
     .preset = "auto",
     .words = RO_WORDS({"auto", .value = RO_COMPRESSION_DEFAULT, .help = "g4 for bits, else zip"},
                       {.name = "none", .value = RO_COMPRESSION_NONE},
                       {.name = "g4", .value = RO_COMPRESSION_G4},
                       {.name = "packbits", .value = RO_COMPRESSION_PACKBITS},
                       {.name = "zip", .value = RO_COMPRESSION_ZIP},
                       {.name = "lzw", .value = RO_COMPRESSION_LZW})},
    {WRITE(low_bits_first, "bit_order"), "O", "where the first pixel of a byte is", .topic = "raw",
     .preset = "msb",
     .words = RO_WORDS({"msb", .value = 0, .help = "in its highest bits"},
                       {"lsb", .value = 1, .help = "in its lowest bits"}),
     .more = RAW},
    {WRITE(ones_are_black, "ones"), "C", "the colour of ones", .topic = "raw", .preset = "white",
     .words = RO_WORDS({.name = "white", .value = 0}, {.name = "black", .value = 1}),
     .more = RAW "If there are two levels; numbers of a palette are as the palette has them."},
    {WRITE(pixel_bits, "pixel_bits"), "N", "bits that a pixel takes", .topic = "raw", .min = 1,
     .max = 8, .derived = "as few as its numbers need", .more = RAW "They are 1, 2, 4 or 8."},
    {MEMBER(numbers), "LIST", "numbers that stand for colours or levels, such as 0,1,2,3,5,6",
     .topic = "raw", .derived = "0, 1, 2 and so on",
     .more = RAW "There is one for each in its order, and none twice. Drivers of Spectra 6 leave "
                 "out 4."},
    {MEMBER(resize), ROW_RESIZE,
     .more = "Wx, xH and P% keep the proportions; so do fit, the largest picture within that size, "
             "and fill, the smallest that covers it, cut to it on both sides. Sides are pixels, or "
             "with `dpi` lengths "
             "such as 50mm, 5cm or 2in. up:N makes every "
             "pixel N by N of the same, up to 1024. Samples are mixed in linear light if the "
             "method works in light, with `linear` and palettes."},
    {MEMBER(crop), "WxH+X+Y", "take a part of the picture first", .topic = "files",
     .more = "Its left upper pixel is (X, Y) of the upright picture."},
    {READ(turns, "rotate"), "A", "turn the picture clockwise first", .topic = "files",
     .preset = "0",
     .words = RO_WORDS({.name = "0", .value = 0}, {.name = "90", .value = 1},
                       {.name = "180", .value = 2}, {.name = "270", .value = 3})},
    {READ(mirror, "mirror"), NULL, "exchange left and right first, after rotate", .topic = "files",
     .more = "As film, transfers and engraving from behind need it."},
    {WRITE(enlarge, "scale_after"), "N", "make every pixel N by N of the same after rounding",
     .topic = "files", .min = 1, .max = 1024, .preset = "1",
     .excludes = "separate=cmyk,inks inks vectors"},
    {MEMBER(resample), "R", "what resizing mixes", .topic = "tone", .preset = "auto",
     .needs = "resize",
     .words = RO_WORDS({"auto", .value = RESAMPLE_AUTO, .help = "what is rounded then"},
                       {.name = "light", .value = RESAMPLE_LIGHT},
                       {"values", .value = RESAMPLE_VALUES, .help = "those of the file"})},
    {MEMBER(range), "R", "the samples that are black and white", .topic = "tone",
     .derived = "full; of a video by its header",
     .more = "`full` is 0 and the largest; `limited` is 16 and 235 of 8 bits, 64 and 940 of 10 and "
             "so on, as video has them; `data` is the least and the largest of the picture, which "
             "is read twice; or two samples such as 64,940. Of floats they may be any two, by "
             "default 0 and 1. Of integers other than uint8 and uint16, black is by default the "
             "least and white the largest of the file. What lies outside is cut off."},
    {MEMBER(curve), ROW_CURVE, .topic = "tone",
     .more = "One pair on each line, with straight lines between the points. It is applied last. "
             "Input tones must increase, output tones must not fall."},
    {MEMBER(kernel), "FILE", "diffuse errors with a kernel of your own, as JSON",
     .topic = "diffusion",
     .more = "Such as {\"divisor\": 16, \"taps\": [[1,0,7], [-1,1,3], [0,1,5], [1,1,1]]}, where a "
             "tap is the distance to the right, the distance below and the weight, or "
             "{\"divisor\": 16, \"matrix\": [[0,0,7], [3,5,1]]}, where the first row is the "
             "pixel's own and the pixel stands just before the first weight. Taps lead to pixels "
             "still to come, at most 7 columns and 3 rows away. There are at most 24, and the "
             "absolute weights sum to at most the divisor."},
    {MEMBER(spot), ROW_SPOT, .topic = "screens"},
    {MEMBER(screen), "FILE", "threshold image for ordered dithering", .topic = "screens",
     .more = "It has at most 4096 by 4096 cells. Its values are ranked, equal ones from left to "
             "right and top to bottom; the lowest become white first. Without a `method` the "
             "method is `screen`."},
    {RO_MEMBER_AS(struct halftone_given, options.channels, "channels"), "C", "what colour becomes",
     .topic = "colour", .preset = "grey",
     .words =
         RO_WORDS({"grey", .value = RO_CHANNELS_GREY, .help = "its luma"},
                  {"rgb", .value = RO_CHANNELS_RGB, .help = "red, green and blue, each by itself"}),
     .more = "Of rgb more than 256 levels are written with 16 bits per channel. `separate` and "
             "`inks` make inks of colour."},
    {MEMBER(palette), "P", "round to colours: a name, a file, auto:N, or list",
     .excludes = "separate=cmyk,cmyk-tiff,inks,inks-tiff inks",
     .more = "Round to the colours of a palette in linear light, by error diffusion, by dot "
             "diffusion, along a curve or by a screen. Colours that the palette cannot mix become "
             "the nearest ones that it can. P is a list of colours, by the names of CSS or as "
             "hexadecimal digits (\"black white #c00000\"); a file: .gpl, .pal, .act, .hex, text "
             "with a colour a line, or a picture, of whose colours, if there are more than 256, as "
             "many are chosen (- is a text from standard input); rgb:N or grey:N for even steps; "
             "or the name of a built-in palette, which `list` lists with the source of its "
             "colours. PNG and TIFF files keep the palette, PPM files hold its colours, NPY files "
             "the numbers. auto:N makes a palette of at most N colours for the picture, for each "
             "of those of `out_dir` its own."},
    {MEMBER(recolour), "C", "colours for levels of grey, black first: \"navy #c60 ivory\"",
     .topic = "colour",
     .more = "Grey is rounded to as many levels as there are colours, given as a palette is. With "
             "`palette` they are what the file has for the colours of the palette, in their order: "
             "a picture is rounded to the colours that a panel shows, and written in those that "
             "its driver takes. BMP files for palettes named -panel have the driver's colours "
             "unless others are given."},
    {MEMBER(separate), "S", "separate into inks of 2 levels", .topic = "inks", .preset = "none",
     .words = RO_WORDS(
         {.name = "none", .value = SEPARATE_NONE},
         {"cmyk", .value = SEPARATE_CMYK,
          .help = "a file per ink, with -c, -m, -y and -k before the extension"},
         {"cmyk-tiff", .value = SEPARATE_CMYK_TIFF, .help = "one TIFF file of 4 bits per pixel"},
         {"inks", .value = SEPARATE_INKS, .needs = "inks",
          .help = "a file per ink, with its name before the extension, which is the "
                  "default of `inks`"},
         {"inks-tiff", .value = SEPARATE_INKS_TIFF, .needs = "inks",
          .help = "one TIFF file with a bit for each ink"})},
    {MEMBER(inks), ROW_INKS, .topic = "inks", .needs = "separate=none,inks,inks-tiff",
     .more = "Shares of ink are those that come nearest to the light of the picture, inks lying on "
             "each other as chance has it."},
    {MEMBER(ink), ROW_INK, .topic = "inks",
     .more = "It may have a curve=FILE, too, and be given for each ink. Without it cyan has an "
             "angle of 15 degrees, magenta 75, yellow 0 and black 45; other inks have 45, 75, 15, "
             "0, 60, 30, 22.5 and 67.5 degrees in their order."},
    {MEMBER(angles), ROW_ANGLES, .topic = "inks",
     .more = "They are in the order of the inks; auto has whole and half degrees with the least "
             "moire between inks and with the pixels that an eye 300 mm away sees."},
    {MEMBER(profile_out), "FILE", "CMYK by an ICC output profile (.icc), by lcms2", .topic = "inks",
     .needs = "separate=cmyk,cmyk-tiff"},
    {MEMBER(intent), "I", "what the profile does to colours that cannot be printed",
     .topic = "inks", .preset = "perceptual", .needs = "profile_out",
     .words = RO_WORDS(
         {.name = "perceptual", .value = RO_INTENT_PERCEPTUAL},
         {.name = "relative", .value = RO_INTENT_RELATIVE},
         {.name = "saturation", .value = RO_INTENT_SATURATION},
         {"absolute", .value = RO_INTENT_ABSOLUTE, .help = "keeps the white of the paper"}),
     .more = "Black points are matched but with the last."},
    {MEMBER(proof), "FILE", "all plates on each other, as RGB", .topic = "inks", .writes = 1,
     .more = "It needs a file per ink, and has at most 2000 pixels a side; light is averaged."},
    {RO_MEMBER_AS(struct halftone_given, proof_options.diameter, "gain"), ROW_GAIN, .topic = "inks",
     .derived = "squares", .needs = "proof"},
    {RO_MEMBER_AS(struct halftone_given, proof_options.yule_nielsen, "yule_nielsen"),
     ROW_YULE_NIELSEN, .topic = "inks", .derived = "light does not spread", .needs = "proof"},
    {0},
};

const ro_option_table halftone_own = {
    .name = "halftone", .rows = rows, .unset = &halftone_unset, .size = sizeof halftone_unset};
