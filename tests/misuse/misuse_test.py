# SPDX-License-Identifier: MIT
"""Each function of the public headers is called with NULL for each of its pointers, and with sizes,
strides, numbers, names of enumerations, images and options that make no sense: no call may crash, and
where NULL is not allowed it must give RO_E_ARGUMENT (the section "Misuse" of core.h). The calls are made
from the declarations, so that a new function is tested without a line here; a line is needed where the
plain argument of a type does not do.

    misuse_test.py [FUNCTION...]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
HERE = os.path.join(SOURCE, "tests", "misuse")

# Valid arguments: (function, parameter, type, expression); the first row that matches in full counts.
ANY = r".*"
ARGUMENTS = [
    (r"ro_context_close", ANY, ANY, "another_context()"),
    (ANY, ANY, r"(const )?ro_context \*", "the_context()"),
    (r"ro_context_open", "context", ANY, None),
    (r"ro_device_at", "number", ANY, "0"),
    (r"ro_option_applies", "method", ANY, '"explicit"'),
    (r"ro_vectors_save", "vectors", ANY, "vectors()"),
    (r"ro_field_reader_rows", "y", ANY, "0"),
    (r"ro_proof_file", "options", ANY, "plates()"),
    (ANY, ANY, "MPI_Comm", "MPI_COMM_SELF"),
    (r"ro_mpi_hologram", "in", ANY, "light()"),
    (r"ro_mpi_.*", "in|path", ANY, "picture()"),
    (r"ro_mpi_bench", "folder", ANY, "folder"),
    (r"ro_mpi_(bench|plan)", "ranks|threads", ANY, "1"),
    (r"ro_mpi_denoise", "options", ANY, "explicitly()"),
    (r"ro_mpi_hologram", "options", ANY, "fixed_gain()"),
    (r"ro_mpi_hologram", "modulator", ANY, "modulator()"),
    (r"ro_mpi_hologram", "largest", ANY, "255"),
    (r"ro_mpi_testcard|ro_mpi_bench", "shape", ANY, "image(RO_GREY8)"),
    (r"ro_mpi_guard", "descriptor", ANY, "-1"),
    (r"ro_mpi_plan", "costs", ANY, "&(ro_mpi_costs){.pixel = 1e-9, .rows = 16, .in_bits = 8, .out_bits = 1, "
     ".clock = 1, .lines = 1}"),
    # files
    (r"ro_(hologram|optics)_load|ro_field_reader_open", "path", ANY, "light()"),
    (r"ro_hologram_load|ro_optics_load", "sidecar", ANY, 'path_to("light.json")'),
    (r"ro_(hologram_save|field_writer_open)", "path", ANY, 'path_to("field.npy")'),
    (r"ro_map_load", "path", ANY, r'file_of("m.txt", "1 0 2\n0 1 3\n0 0 1\n")'),
    (r"ro_map_.*", "path", ANY, 'path_to("map.txt")'),
    (r"ro_map_.*", "transform", ANY, '"affine"'),
    (r"ro_map_.*", "map", ANY, "(double[9]){1, 0, 2, 0, 1, 3, 0, 0, 1}"),
    (r"ro_map_field", "field", r".*ro_image \*", "displacement()"),
    (r"ro_displacement_load", "path", ANY, "flow()"),
    (r"ro_displacement_.*", "path", ANY, 'path_to("field.npy")'),
    (r"ro_contours_.*|ro_moire_accepts|ro_moire_save", "path", ANY, 'path_to("out.svg")'),
    (r"ro_gif_open", "path", ANY, 'path_to("out.gif")'),
    (r"ro_kernel_read", "path", ANY, r'file_of("k.json", "{\"divisor\": 2, \"matrix\": [[0, 1], [1, 0]]}")'),
    (r"ro_palette_load", "path", ANY, r'file_of("p.hex", "000000\nffffff\n")'),
    (r"ro_curve_load", "path", ANY, r'file_of("c.csv", "0, 0\n1, 1\n")'),
    (r"ro_points_load", "path", ANY, r'file_of("p.xyz", "0 0 0.1\n1 1 0.2\n")'),
    (r"ro_seeds_load", "path", ANY, r'file_of("s.csv", "3, 4, 2\n")'),
    (r"ro_modulator_load", "path", ANY, r'file_of("m.csv", "1, 0\n-1, 0\n")'),
    (r"ro_taps_load", "path", ANY, r'file_of("t.csv", "1, 0, 0.5\n0, 1, 0.5\n")'),
    (r"ro_separation_load", "path", ANY, r'file_of("s.icc", "no profile")'),
    (r"ro_bytes_load", "path", ANY, r'file_of("b.txt", "bytes")'),
    (r"ro_bytes_load", "most", ANY, "100"),
    (r"ro_(image|amplitudes)_load|ro_reader_open|ro_picture_range", "path", ANY, "picture()"),
    (r"ro_halftone_file", "in", r"const char \*", "picture()"),
    (r"ro_proof_file", "out", r"const char \*", 'path_to("plates.pbm")'),
    (r"ro_proof_file", "path", r"const char \*", 'path_to("proof.png")'),
    (r"ro_parts_begin", "kept", ANY, "NULL"),
    (ANY, "type", r"const char \*", '"pgm"'),
    (ANY, "path|out", r"const char \*", 'path_to("out.pgm")'),
    # texts
    (r"ro_palette_parse", "text", r"const char \*", '"black white"'),
    (r"ro_colour_parse", "text", r"const char \*", '"#c00000"'),
    (r"ro_name_find", "name", ANY, '"cuda"'),
    (r"ro_name_find", "names", ANY, "RO_NAMES_DEVICE"),
    (r"ro_modulator_named", "name", ANY, '"phase:16"'),
    (r"ro_slm_find", "name", ANY, '"pluto-2"'),
    (r"ro_option_find", "name", ANY, '"model"'),
    (r"ro_options_of", "family", ANY, '"denoise"'),
    (r"ro_option_set", "text", ANY, '"linear"'),
    (r"ro_option.*", "option", ANY, 'ro_option_find(ro_options_of("denoise"), "model")'),
    (r"ro_option.*", "table", ANY, 'ro_options_of("denoise")'),
    (r"ro_option.*", "options", ANY, "explicitly()"),
    (r"ro_name_nearest", "names", ANY, '(const char *const[]){"a", "b"}'),
    (r"ro_context_fail", "format", ANY, '"a message"'),
    (ANY, ANY, r"const char \*", '"s16"'),
    # images
    (r"ro_(denoise_(plan|piece_open)|ro_denoise)", "in|out", ANY, "image(RO_GREY8)"),
    (r"ro_denoise", "out", ANY, "image(RO_GREY8)"),
    (r"ro_hologram_plan", "in", ANY, "displacement()"),
    (r"ro_wedge_draw", "image", ANY, "wedge()"),
    (r"ro_wedge_.*", "scan", ANY, "wedge()"),
    (r"ro_wedge_.*", "patch", ANY, "16"),
    (r"ro_palette_adapt", "in", ANY, "image(RO_RGB8)"),
    (r"ro_palette_adapt", "count", "int", "4"),
    (r"ro_hologram_(quantize|refine|frames|quantize_piece)", "out", ANY, "image(RO_INDEX8)"),
    (r"ro_hologram_spots", "out", ANY, "image(RO_INDEX8)"),
    (r"ro_slm_frame|ro_frames_pack", "numbers|frames", ANY, "numbers()"),
    (r"ro_slm_frame|ro_frames_pack", "frame|packed", ANY, "room()"),
    (r"ro_hologram_(noise|reconstruct)", "out", ANY, "image(RO_GREYF)"),
    (r"ro_hologram_noise|ro_modulator_.*", "numbers|image", ANY, "numbers()"),
    (r"ro_view_compare|ro_picture_place", "view|reference|picture", ANY, "bright()"),
    (r"ro_multigrid_solve", "b|x", ANY, "image(RO_GREYF)"),
    (r"ro_register|ro_warp|ro_displacement_.*", "field|inverse", r".*ro_image \*", "displacement()"),
    (r"ro_register", "fixed|moving", ANY, "image(RO_GREY8)"),
    (r"ro_warp", ANY, r".*ro_image \*", "image(RO_GREY8)"),
    (r"ro_mask_components", "labels", ANY, "image(RO_GREY16)"),
    (r"ro_segmentation_phi", "phi", ANY, "image(RO_GREYF)"),
    (r"ro_measure_colour", ANY, r".*ro_image \*", "image(RO_RGB8)"),
    (r"ro_halftone.*|ro_plan_run.*", "out", r"ro_image \*|const ro_image \*", "image(RO_BITS)"),
    (ANY, ANY, r"(const )?ro_image \*", "image(RO_GREY8)"),
    (ANY, ANY, r"(const )?ro_field \*", "field()"),
    (ANY, ANY, r"(const )?ro_optics \*", "optics()"),
    # options
    (r"ro_denoise.*", "options", ANY, "explicitly()"),
    (r"ro_segment.*", "options", ANY, "one_seed()"),
    (r"ro_regions_grow", "options", ANY, "one_front()"),
    (r"ro_dots_find|ro_moire_find|ro_angles_find", "options|screen", ANY, "dots()"),
    (r"ro_hologram_refine", "options", ANY, "lit_phases()"),
    (r"ro_hologram_spots", "options", ANY, "lit_levels()"),
    (r"ro_hologram_.*", "options", ANY, "phases()"),
    (r"ro_plate_path|ro_proof_file", "options", ANY, "cmyk()"),
    (r"ro_hologram_refine", "refinement", ANY, "refinement()"),
    (r"ro_hologram_spots", "wanted", ANY, "spots()"),
    (r"ro_hologram_(make|pictures|points)", "field", ANY, "field()"),
    (r"ro_hologram_frames", "frames", ANY, "frames()"),
    (r"ro_hologram_pictures", "scene", ANY, "picture_scene()"),
    (r"ro_hologram_points", "scene", ANY, "point_scene()"),
    (r"ro_hologram_reconstruct", "view", ANY, "view()"),
    (r"ro_hologram_quantize_piece", "piece", ANY, "&(ro_hologram_piece){0, HEIGHT, WIDTH * HEIGHT}"),
    (r"ro_matrix_.*", "a", ANY, "&(ro_matrix){1, (const size_t[]){0, 1}, (const uint32_t[]){0}, "
     "(const int32_t[]){5}, 5}"),
    (r"ro_stencil_product", "a", ANY, "&(ro_stencil){2, 2, 1, &(ro_stencil_tap){1, 0, 1}, 5}"),
    (r"ro_(matrix|stencil)_product", "options", ANY,
     "&(ro_product_options){.size = sizeof(ro_product_options)}"),
    (r"ro_(matrix|stencil)_product", "report", ANY,
     "&(ro_product_report){.size = sizeof(ro_product_report)}"),
    # handles in the state that the call needs
    (r"ro_plan_.*|ro_halftone_(pass|passes)|ro_stream_open_piece", "plan", ANY, "plan()"),
    (r"ro_stream_open", "plan", ANY, "denoise_plan()"),
    (r"ro_stream_open", "report", ANY, "&(ro_denoise_report){.size = sizeof(ro_denoise_report)}"),
    (r"ro_stream_pull", "stream", ANY, "halftone_stream(1)"),
    (r"ro_stream_(push|close)", "stream", ANY, "halftone_stream(0)"),
    (r"ro_halftone_carry_(in|by)", "stream", ANY, "half(1)"),
    (r"ro_halftone_carry_(out|ready)", "stream", ANY, "half(0)"),
    (r"ro_halftone_carry_(in|out)", "x", ANY, "0"),
    (r"ro_halftone_carry_by", "carrier", ANY, "&carrier"),
    (r"ro_halftone_pass", "rows", ANY, "&some_rows"),
    (r"ro_denoise_piece_round", "piece", ANY, "piece(1, 1)"),
    (r"ro_denoise_piece_(extent|measure)", "piece", ANY, "trained_piece(0)"),
    (r"ro_denoise_piece_settle", "piece", ANY, "trained_piece(1)"),
    (r"ro_denoise_piece_measure", "extent", ANY, "(double[3]){0}"),
    (r"ro_denoise_piece_(run|sums)", "piece", ANY, "piece(1, 0)"),
    (r"ro_denoise_piece_.*", "piece", ANY, "piece(0, 0)"),
    (r"ro_denoise_piece_open", "first", ANY, "0"),
    (r"ro_denoise_piece_open", "rows", ANY, "HEIGHT"),
    (r"ro_reader_.*", "reader", ANY, "reader()"),
    (r"ro_writer_(complete|commit)", "writer", ANY, "writer(HEIGHT, 0)"),
    (r"ro_writer_rows_alpha", "writer", ANY, "writer(0, 1)"),
    (r"ro_writer_.*", "writer", ANY, "writer(0, 0)"),
    (r"ro_parts_commit", "parts", ANY, "parts(1)"),
    (r"ro_parts_.*", "parts", ANY, "parts(0)"),
    (r"ro_parts_make", "count", ANY, "HEIGHT"),
    (r"ro_gif_commit", "gif", ANY, "gif_of_a_frame()"),
    (r"ro_gif_.*", "gif", ANY, "gif()"),
    (r"ro_field_reader_.*", "reader", ANY, "field_reader()"),
    (r"ro_field_writer_close", "writer", ANY, "field_writer(HEIGHT)"),
    (r"ro_field_writer_.*", "writer", ANY, "field_writer(0)"),
    (r"ro_segmentation_.*", "result", ANY, "segmentation()"),
    (r"ro_regions_.*", "result", ANY, "regions()"),
    (r"ro_modulator_.*", "modulator", r"const ro_modulator \*", "modulator()"),
    (r"ro_hologram_noise", "report", ANY, "hologram_report()"),
    (r"ro_slm_.*", "slm", r"const ro_slm \*", "ro_slm_at(0)"),
    (r"ro_hologram_noise", "hogel", ANY, "0"),
    (r"ro_hologram_noise", "table", ANY, "modulator()->table"),
    (r"ro_hash_end", "state", ANY, "hash_state(1)"),
    (r"ro_hash_rows", "state", ANY, "hash_state(0)"),
    (r"ro_halftone_files", "jobs", ANY, "jobs()"),
    # structures
    (ANY, ANY, r"(const )?ro_palette \*", "palette()"),
    (r"ro_writer_.*|ro_parts_open", "info", ANY, "info()"),
    (r"ro_writer_loses|ro_info_carry", "in|out", ANY, "info()"),
    (ANY, ANY, r"(const )?ro_ink \*", "inks()"),
    (ANY, ANY, r"const ro_fixed \*", "fixed()"),
    (ANY, ANY, r"const ro_small_float \*", "small_float()"),
    (r"ro_contours_save", "lines", ANY, "polyline()"),
    (r"ro_context_attach", "what|close", ANY, "NULL"),
    (r"ro_free", "memory", ANY, "malloc(1)"),
    # numbers
    (ANY, "stride", "ptrdiff_t", "2 * WIDTH"),
    (ANY, "width", "uint32_t", "WIDTH"),
    (ANY, "height", "uint32_t", "HEIGHT"),
    (r"ro_(moire|angles)_.*", "count", "int", "2"),
    (r"ro_testcard_part", "x|y", ANY, "0"),
    (r"ro_fixed_system", "base", ANY, "2"),
    (r"ro_(points_fit)", "near", ANY, "0.1"),
    (r"ro_(points_fit)", "far", ANY, "0.9"),
    (r"ro_amplitudes_load", "channel", ANY, "-1"),
    (r"ro_plate_path", "size", ANY, "256"),
    (r"ro_halftone_plan", "out", "ro_format", "RO_BITS"),
    (r"ro_(segment|regions)_plan", "out", "ro_format", "RO_INDEX8"),
    (r"ro_stream_open_piece", "first_row", ANY, "0"),
    (r"ro_stream_open_piece", "rows", ANY, "HEIGHT"),
    (r"ro_image_alloc", "format", ANY, "RO_GREY8"),
    (r"ro_image_alloc", "maxval", ANY, "255"),
    (r"ro_field_writer_close", "status", ANY, "RO_OK"),
    (r"ro_context_progress", "phase", ANY, '"phase"'),
    (ANY, "numerator|a|b|c|x|rho|denominator", r"int64_t|int|double", "1"),
]

# What valid arguments give, where it is not RO_OK.
STATUS = {
    "ro_context_fail": "RO_E_ARGUMENT", "ro_separation_load": "RO_E_FORMAT",
    "ro_commit_all": "RO_E_STATE", "ro_reader_next": "RO_E_STATE",
}

# Where NULL is allowed: (function, parameter, type).
OPTIONAL = [
    (ANY, ANY, r".*(_options|ro_dropped|ro_run) \*"),
    (r"ro_stream_open", "report", ANY),
    (r"ro_matrix_check", "symmetric|unit", ANY),
    (r"(?!ro_wedge|ro_measure|ro_hologram_noise).*", ANY, r".*_report \*"),
    (r"ro_angles_find", "moire", ANY),
    (r"ro_denoise_piece_settle", "blocks", ANY),
    (r"ro_palette_adapt", "tone", ANY),
    (r"ro_hologram_.*", "scale|refinement|frames", ANY),
    (r"ro_hologram_make", "scene", ANY),
    (r"ro_hologram_refine", "in", ANY),
    (r"ro_picture_place", "wide", ANY),
    (r"ro_hologram_(make|pictures|points)", "optics", ANY),
    (r"ro_displacement_inverse", "missed", ANY),
    (r"ro_separation_load", "hash", ANY),
    (r"ro_parts_(make|frame)", "sizes", ANY),
    (r"ro_halftone_files", "data", ANY),
    (r"ro_mpi_(hologram|bench)", "modulator|shape", ANY),
    (r"ro_(image|hologram|optics)_load", "info|sidecar|optics", ANY),
    (r"ro_(hologram_save|field_writer_close)", "optics|writer", ANY),
]

# What cannot be recognised, or is passed on as it is: (function, parameter, type).
LEFT_OUT = [
    (r"ro_(image|field)_free", ANY, r"ro_(image|field) \*"),
    (r"ro_context_fail|ro_field_writer_close", "status|format", ANY),
]

# Calls that take long: with these only NULL is tried, where it is not allowed.
SLOW = {"ro_mpi_bench"}


def declarations(paths):
    """(result, name, [(type, parameter)]) of every function."""
    for path in paths:
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        for declaration in re.findall(r"^RO_API\s(.*?);", text, re.S | re.M):
            result, name, rest = re.match(r"(.*?)\b(ro_\w+)\s*\((.*)\)", " ".join(declaration.split())).groups()
            parameters, depth, word = [], 0, ""
            rest = re.sub(r"\) RO_PRINTF.*", "", rest)
            for letter in rest + ",":
                depth += (letter in "([") - (letter in ")]")
                if letter == "," and depth == 0:
                    parameters.append(word.strip())
                    word = ""
                else:
                    word += letter
            yield result.strip(), name, [parameter(text) for text in parameters if text not in ("void", "...")]


def parameter(text):
    """The type of a parameter as a pointer, and its name."""
    function = re.match(r"(.*)\(\*(\w+)\)(\(.*\))", text)
    if function:
        return "%s(*)%s" % (function[1], function[3]), function[2]
    kind, name, array = re.match(r"(.*?)(\w+)(\[\w*\])?$", text).groups()
    kind = kind.strip() + (" *" if array else "")
    return kind.replace("* *", "**"), name


def first(rows, name, kind, parameter):
    for row in rows:
        if (re.fullmatch(row[0], name) and re.fullmatch(row[1], parameter) and re.fullmatch(row[2], kind)):
            return row
    return None


class Headers:
    def __init__(self, paths, others=()):
        """Calls of `paths`; structures of `others`, too."""
        text = "".join(open(path, encoding="utf-8").read() for path in [*paths, *others])
        self.initialisers = {kind: name for name, kind in
                             re.findall(r"#define (RO_\w+) RO_OPTIONS_OF\((\w+),", text)}
        self.sized = set(re.findall(r"typedef struct (\w+) \{\s+size_t size;\s+/\* of the structure;", text))
        self.enums = set(re.findall(r"typedef enum (\w+)", text))
        self.calls = [call for call in declarations(paths)]

    def valid(self, name, kind, parameter):
        row = first(ARGUMENTS, name, kind, parameter)
        if row and row[3]:
            return row[3]
        pointed = re.sub(r"^const | \*$", "", kind)
        if pointed in self.initialisers:
            return "&(%s)%s" % (pointed, self.initialisers[pointed])
        if pointed in self.sized and kind.endswith("*"):
            return "&(%s){.size = sizeof(%s)}" % (pointed, pointed)
        if kind.endswith("**"):
            return "(void *)&(%s){(void *)garbage}" % kind[:-1].strip()
        if "(*)" in kind or kind.endswith("_fn"):
            return "NULL"
        return "room()" if kind.endswith("*") else "1"

    def bad(self, kind):
        """An expression of `how` and the valid argument, and how many of them there are."""
        pointed = re.sub(r"^const | \*$", "", kind)
        if pointed in ("ro_image", "ro_field") and kind.endswith("*"):
            return "bad_%s(%%s, how)" % pointed[3:], "BAD_%sS" % pointed[3:].upper()
        if pointed in self.initialisers and kind.endswith("*"):
            return ("how ? bad_options(%%s, sizeof(%s), how - 1) : NULL" % pointed, "BAD_OPTIONS + 1")
        if kind == "const char *":
            return "bad_texts[how]", "BAD_TEXTS"
        if pointed in self.sized and kind == pointed + " *":
            return "how ? &(%s){.size = how - 1} : NULL" % pointed, "4"
        if kind.endswith("*"):
            return "NULL", "1"
        for plain, word in (("ptrdiff_t", "stride"), ("int", "int"), ("uint32_t", "count"), ("double", "double"),
                            ("int64_t", "long")):
            if kind == plain:
                return "bad_%ss[how]" % word, "BAD_%sS" % word.upper()
        if kind in self.enums:
            return "(%s)bad_enums[how]" % kind, "BAD_ENUMS"
        return None, None

    def program(self, only, begin):
        """The program's source; `begin`: what is to be called first, in C."""
        functions, attempts = [], []
        for result, name, parameters in self.calls:
            if only and name not in only:
                continue
            lines, made = [], "NULL"
            tries = [("with valid arguments", -1, STATUS.get(name, "RO_OK"), 0, "1")]
            if name in SLOW:
                tries = []
            for number, (kind, parameter) in enumerate(parameters):
                valid = self.valid(name, kind, parameter)
                bad, count = self.bad(kind)
                if first(LEFT_OUT, name, kind, parameter):
                    bad, count = "NULL" if kind[-1] == "*" else None, "1"
                value = valid
                if bad:
                    bad = bad % valid if "%s" in bad else bad
                    value = "argument == %d ? (%s) : (%s)" % (number, bad, valid)
                    refused = (result == "ro_status" and kind.endswith("*") and
                               not first(OPTIONAL, name, kind, parameter) and valid != "NULL")
                    if name in SLOW:
                        count = "%d" % refused
                    tries.append(("%s: %s" % (parameter, kind), number, None, refused, count))
                declared = (kind.replace("(*)", "(*a%d)" % number) if "(*)" in kind else
                            kind + (" " if kind[-1] != "*" else "") + "a%d" % number)
                lines.append("    %s = %s;" % (declared, value))
                if kind.endswith("**") and not kind.startswith("const char"):
                    made = "(void **)a%d" % number
                    lines.append("    if (a%d) *(void **)a%d = (void *)garbage;" % (number, number))
            call = "%s(%s)" % (name, ", ".join("a%d" % i for i in range(len(parameters))))
            call = "check(%s, %s)" % (call, made) if result == "ro_status" else "(void)" + call
            functions.append("static void call_%s(int argument, int how)\n{\n    (void)argument, (void)how;\n"
                             "%s\n    %s;\n}\n" % (name, "\n".join(lines), call))
            for what, number, status, refused, count in tries:
                attempts.append('    add("%s, %s", call_%s, %d, %s, %d, %s);' % (
                    name, what, name, number, status or 0, refused, count))
        return """#include "misuse.h"
%s
static char garbage[1];
%s
static struct attempt attempts[1 << 14];
static size_t count;
static void add(const char *what, void (*call)(int, int), int argument, int status, int refused, int variants)
{
    for (int how = 0; how < variants; how++) {
        char *text = room();
        snprintf(text, ROOM, "%%s, variant %%d", what, how);
        attempts[count++] = (struct attempt){strdup(text), call, argument, argument < 0 ? status : how,
                                             refused && how == 0};
        free(text);
    }
}
int main(void)
{
%s
    if (run(attempts, count, %s))
        return 1;
    fprintf(stderr, "%%zu calls\\n", count);
    return 0;
}
""" % (begin, "\n".join(functions), "\n".join(attempts), "begin" if begin else "NULL")


def mpi_compiler():
    """mpicc, if this build has the library of its kind."""
    there = os.path.exists(os.path.join(BUILD, "libroundoff_mpi.so")) and not os.environ.get("SANITIZE")
    return shutil.which("mpicc") if there else None


def calls(headers, compiler, libraries, begin):
    """What went wrong with the calls of some headers."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "calls.c"), os.path.join(folder, "calls")
        with open(source, "w", encoding="utf-8") as file:
            file.write(headers.program(sys.argv[1:], begin))
        sanitize = os.environ.get("SANITIZE")
        subprocess.run([*compiler, "-O0", "-g", "-w", "-I", os.path.join(SOURCE, "include"), "-I", HERE,
                        source, *(["-fsanitize=" + sanitize] if sanitize else []), "-L", BUILD,
                        "-Wl,-rpath," + BUILD, *["-l" + name for name in libraries], "-lm",
                        "-o", program], check=True)
        done = subprocess.run([program], cwd=folder, stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, TMPDIR=folder))
    return done.stdout.splitlines() or (["the calls end with %d" % done.returncode] if done.returncode else [])


def main():
    include = os.path.join(SOURCE, "include")
    parts = os.path.join(include, "roundoff")
    public = [os.path.join(parts, name) for name in sorted(os.listdir(parts))]
    public += [os.path.join(include, name) for name in sorted(os.listdir(include))
               if re.fullmatch(r"roundoff_io\w*\.h", name)]
    headers = Headers(public)
    if len(headers.calls) < 100:
        sys.exit("only %d functions were found in the headers" % len(headers.calls))
    libraries = ["roundoff_io", "roundoff"]
    found = calls(headers, [os.environ.get("CC", "cc")], libraries, "")
    if mpi_compiler():
        headers = Headers([os.path.join(include, "roundoff_mpi.h")], public)
        found += calls(headers, [mpi_compiler()], ["roundoff_mpi", *libraries],
                       '#include "roundoff_mpi.h"\nstatic void begin(void) '
                       '{ int level; MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level); }')
    if found:
        sys.exit("\n".join(found) + "\n%d calls went wrong" % len(found))


if __name__ == "__main__":
    main()
