/* SPDX-License-Identifier: MIT */
/*
 * Arguments for calls of public functions: valid ones, and those that make no sense. misuse_test.py
 * writes a program around this header that calls each function of the public headers with one
 * argument of the second kind after another.
 */
#ifndef RO_MISUSE_H
#define RO_MISUSE_H

#include "roundoff/command.h"
#include "roundoff/number.h"
#include "roundoff/pieces.h"
#include "roundoff/solver.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"
#include "roundoff_io_pieces.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 16, HEIGHT = 12, ROOM = 1 << 20 };

/* ---- Valid arguments ------------------------------------------------------------------------ */

static ro_context *another_context(void)
{
    ro_context *context;
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context))
        abort();
    return context;
}

static ro_context *the_context(void)
{
    static ro_context *context;
    if (!context)
        context = another_context();
    return context;
}

static void need(ro_status status)
{
    if (status != RO_OK) {
        fprintf(stderr, "an argument cannot be made: %s\n", ro_context_message(the_context()));
        abort();
    }
}

/* Zeroed memory that is more than large enough for any structure or rows. */
static void *room(void)
{
    void *memory = calloc(1, ROOM);
    if (!memory)
        abort();
    return memory;
}

static ro_image *image(ro_format format)
{
    ro_image *made = room();
    need(ro_image_alloc(the_context(), format, WIDTH, HEIGHT, 0, made));
    for (int i = 0; made->format != RO_GREYF && made->format != RO_RGBF && i < HEIGHT; i++)
        memset((char *)made->data + i * made->stride, i * 20, ro_format_row_bytes(format, WIDTH));
    return made;
}

static ro_image *numbers(void)
{
    ro_image *made = image(RO_INDEX8);
    for (int i = 0; i < HEIGHT; i++)
        memset((char *)made->data + i * made->stride, i, WIDTH);
    return made;
}

static ro_image *bright(void)
{
    ro_image *made = image(RO_GREYF);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            ((float *)((char *)made->data + y * made->stride))[x] = 1;
    return made;
}

/* Two numbers a pixel. */
static ro_image *displacement(void)
{
    ro_image *made = room();
    need(ro_image_alloc(the_context(), RO_GREYF, 2 * WIDTH, HEIGHT, 0, made));
    return made;
}

static ro_field *field(void)
{
    ro_field *made = room();
    need(ro_field_alloc(the_context(), WIDTH, HEIGHT, made));
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (int part = 0; part < 2; part++)
                ((float *)((char *)made->data + y * made->stride))[2 * x + part] = 1;
    return made;
}

static ro_optics *optics(void)
{
    ro_optics *made = room();
    *made = (ro_optics){.wavelength = 635e-9, .pitch = 8e-6};
    return made;
}

static ro_palette *palette(void)
{
    ro_palette *made = room();
    need(ro_palette_parse(the_context(), "black white", made));
    return made;
}

static ro_file_info *info(void)
{
    ro_file_info *made = room();
    *made = (ro_file_info){.format = RO_GREY8, .width = WIDTH, .height = HEIGHT, .maxval = 255};
    return made;
}

static ro_file_info *field_info(void)
{
    ro_file_info *made = info();
    made->format = RO_GREYF;
    return made;
}

static ro_ink *inks(void)
{
    ro_ink *made = room();
    made[0] = (ro_ink){.name = "black"};
    made[1] = (ro_ink){.name = "cyan", .colour = {0, 255, 255}, .degrees = 15};
    return made;
}

static ro_screen_options *dots(void)
{
    static ro_screen_options made = RO_SCREEN_OPTIONS;
    made.kind = "am";
    made.lpi = 60;
    made.dpi = 600;
    return &made;
}

/* Options under which a stream can run row by row. */
static ro_denoise_options *explicitly(void)
{
    static ro_denoise_options made = RO_DENOISE_OPTIONS;
    made = (ro_denoise_options)RO_DENOISE_OPTIONS;
    made.kappa = 8;
    made.iterations = 2;
    return &made;
}

static ro_segment_options *one_seed(void)
{
    static const ro_seed seed = {.label = 1, .x = 8, .y = 6, .radius = 3};
    static ro_segment_options made = RO_SEGMENT_OPTIONS;
    made.seeds = &seed;
    made.seed_count = 1;
    made.iterations = 2;
    return &made;
}

static ro_regions_options *one_front(void)
{
    static const ro_seed seed = {.label = 1, .x = 8, .y = 6, .radius = 3};
    static ro_regions_options made = RO_REGIONS_OPTIONS;
    made.seeds = &seed;
    made.seed_count = 1;
    return &made;
}

static ro_hologram_options *phases(void)
{
    static ro_hologram_options made = RO_HOLOGRAM_OPTIONS;
    made.levels = "phase:16";
    made.window.width = made.window.height = 0.5;
    return &made;
}

static ro_image *wedge(void)
{
    ro_image *made = room();
    need(ro_image_alloc(the_context(), RO_GREY8, ro_wedge_width(16), ro_wedge_height(16), 0, made));
    need(ro_wedge_draw(the_context(), 16, made));
    return made;
}

static ro_halftone_options *cmyk(void)
{
    static ro_halftone_options made = RO_HALFTONE_OPTIONS;
    made.channels = RO_CHANNELS_CMYK;
    return &made;
}

static ro_refinement *refinement(void)
{
    static ro_refinement made = RO_REFINEMENT;
    made.target = *image(RO_GREYF);
    for (int x = 4; x < 8; x++)
        ((float *)made.target.data)[x] = 1;
    made.distance = 0.003; /* within the band limit of so few pixels */
    made.refine = made.iterations = made.passes = 1;
    return &made;
}

static ro_frames *frames(void)
{
    static ro_frames made = RO_FRAMES;
    made.count = 1;
    return &made;
}

static ro_picture_scene *picture_scene(void)
{
    static ro_scene_picture picture;
    static ro_picture_scene made = RO_PICTURE_SCENE;
    picture.amplitude = *image(RO_GREYF);
    picture.depth = 0.1;
    made.pictures = &picture;
    made.count = 1;
    made.optics = *optics();
    return &made;
}

static ro_point_scene *point_scene(void)
{
    static const ro_scene_point point = {.depth = 0.1, .amplitude = 1};
    static ro_point_scene made = RO_POINT_SCENE;
    made.points = &point;
    made.count = 1;
    made.optics = *optics();
    return &made;
}

static ro_view *view(void)
{
    static ro_view made = RO_VIEW;
    made.optics = *optics();
    made.depth = 0.1;
    return &made;
}

static ro_hologram_options *lit_phases(void)
{
    ro_hologram_options *made = phases();
    made->optics = *optics();
    return made;
}

/* Spots take no window. */
static ro_hologram_options *lit_levels(void)
{
    static ro_hologram_options made = RO_HOLOGRAM_OPTIONS;
    made.levels = "phase:16";
    made.optics = *optics();
    return &made;
}

static ro_spots *spots(void)
{
    static const ro_spot spot = {.weight = 1};
    static ro_spots made = RO_SPOTS;
    made.spots = &spot;
    made.count = 1;
    made.focal = 0.1;
    return &made;
}

static ro_hologram_options *fixed_gain(void)
{
    ro_hologram_options *made = phases();
    made->gain = 0.4;
    return made;
}

static ro_vectors *vectors(void)
{
    static const int32_t column[] = {1, 2};
    static ro_vectors made = {"title", 1, {"name"}, {column}, 2};
    return &made;
}

/* Options under which plates.pbm was halftoned. */
static const char *picture(void);
static const char *path_to(const char *name);
static ro_halftone_options *plates(void)
{
    static ro_halftone_options made = RO_HALFTONE_OPTIONS;
    made.channels = RO_CHANNELS_INKS;
    made.inks = inks();
    made.ink_count = 2;
    need(ro_halftone_file(the_context(), picture(), path_to("plates.pbm"), &made, NULL,
                          &(ro_write_options){RO_WRITE_DEFAULTS, .split_inks = 1}, NULL));
    return &made;
}

/* A file of the given contents; another of the same name is replaced. */
static char folder[] = "/tmp/roundoff-misuse.XXXXXX";
static const char *path_to(const char *name)
{
    char *path = room();
    snprintf(path, ROOM, "%s/%s", folder, name);
    return path;
}

static const char *file_of(const char *name, const char *text)
{
    const char *path = path_to(name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
    return path;
}

static const char *picture(void)
{
    const char *path = path_to("in.pgm");
    need(ro_image_save(the_context(), path, image(RO_GREY8), NULL));
    return path;
}

static const char *light(void)
{
    const char *path = path_to("light.npy");
    need(ro_hologram_save(the_context(), path, field(), optics()));
    return path;
}

static const char *flow(void)
{
    const char *path = path_to("flow.npy");
    need(ro_displacement_save(the_context(), path, displacement()));
    return path;
}

static ro_file_job *jobs(void)
{
    ro_file_job *made = room();
    *made = (ro_file_job){.in = picture(), .out = path_to("out.pbm")};
    return made;
}

static ro_reader *reader(void)
{
    ro_reader *made;
    need(ro_reader_open(the_context(), picture(), NULL, &made));
    return made;
}

static ro_writer *writer(int rows, int alpha)
{
    ro_writer *made;
    ro_file_info out = *info();
    out.with_alpha = alpha;
    need(ro_writer_open(the_context(), path_to(alpha ? "written.png" : "written.pgm"), &out, NULL,
                        &made));
    if (rows)
        need(ro_writer_rows(made, room(), WIDTH, (uint32_t)rows));
    return made;
}

static ro_parts *parts(int begun)
{
    ro_parts *made;
    const char *name;
    need(ro_parts_open(the_context(), path_to("parts.pgm"), info(), NULL, &made));
    if (begun)
        need(ro_parts_begin(made, 0, NULL, &name));
    return made;
}

static ro_gif *gif(void)
{
    ro_gif *made;
    need(ro_gif_open(the_context(), path_to("made.gif"), WIDTH, HEIGHT, room(), &made));
    return made;
}

static ro_gif *gif_of_a_frame(void)
{
    ro_gif *made = gif();
    need(ro_gif_frame(made, room(), WIDTH, 4));
    return made;
}

static ro_field_reader *field_reader(void)
{
    ro_field_reader *made;
    ro_field shape;
    need(ro_field_reader_open(the_context(), light(), &shape, &made));
    return made;
}

static ro_field_writer *field_writer(int rows)
{
    ro_field_writer *made;
    need(ro_field_writer_open(the_context(), path_to("field.npy"), WIDTH, HEIGHT, &made));
    for (int y = 0; y < rows; y++)
        need(ro_field_writer_row(made, room()));
    return made;
}

static ro_plan *plan(void)
{
    ro_plan *made;
    need(ro_halftone_plan(the_context(), image(RO_GREY8), RO_BITS, NULL, &made));
    return made;
}

static ro_plan *denoise_plan(void)
{
    ro_plan *made;
    need(ro_denoise_plan(the_context(), image(RO_GREY8), image(RO_GREY8), explicitly(), &made));
    return made;
}

static ro_stream *halftone_stream(int pushed)
{
    ro_stream *made;
    uint32_t taken;
    need(ro_stream_open(plan(), NULL, &made));
    if (pushed)
        need(ro_stream_push(made, room(), WIDTH, HEIGHT, &taken));
    return made;
}

/* The lower half of a picture, which waits for what the rows above carry on; or the upper one. */
static ro_stream *half(int lower)
{
    ro_stream *made;
    uint32_t taken;
    need(ro_stream_open_piece(plan(), lower ? HEIGHT / 2 : 0, HEIGHT / 2, &made));
    if (!lower)
        need(ro_stream_push(made, room(), WIDTH, HEIGHT / 2, &taken));
    return made;
}

static ro_denoise_piece *piece(int loaded, int run)
{
    ro_denoise_piece *made;
    need(ro_denoise_piece_open(the_context(), image(RO_GREY8), image(RO_GREY8), explicitly(), 0,
                               HEIGHT, 4, &made));
    if (loaded)
        need(ro_denoise_piece_load(made, room(), WIDTH));
    if (run)
        need(ro_denoise_piece_run(made, 2));
    return made;
}

static ro_denoise_piece *trained_piece(int measured)
{
    static const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "trained"};
    ro_denoise_piece *made;
    double extent[3];
    const void *blocks;
    size_t bytes;
    need(ro_denoise_piece_open(the_context(), image(RO_GREY8), image(RO_GREY8), &options, 0, HEIGHT,
                               0, &made));
    need(ro_denoise_piece_load(made, room(), WIDTH));
    if (measured) {
        need(ro_denoise_piece_extent(made, extent));
        need(ro_denoise_piece_measure(made, extent, &blocks, &bytes));
    }
    return made;
}

static ro_segmentation *segmentation(void)
{
    ro_segmentation *made;
    need(ro_segment(the_context(), image(RO_GREY8), one_seed(), &made, NULL));
    return made;
}

static ro_regions *regions(void)
{
    ro_regions *made;
    need(ro_regions_grow(the_context(), image(RO_GREY8), one_front(), &made, NULL));
    return made;
}

static ro_modulator *modulator(void)
{
    ro_modulator *made = room();
    need(ro_modulator_named(the_context(), "phase:16", made));
    return made;
}

static ro_hologram_report *hologram_report(void)
{
    ro_hologram_report *made = room();
    made->size = sizeof *made;
    need(ro_hologram_quantize(the_context(), field(), image(RO_INDEX8), phases(), made));
    return made;
}

static ro_hash_state *hash_state(int rows)
{
    ro_hash_state *made = room();
    need(ro_hash_begin(the_context(), image(RO_GREY8), made));
    if (rows)
        need(ro_hash_rows(the_context(), made, image(RO_GREY8)));
    return made;
}

static ro_separation *separation(void)
{
    ro_separation *made = room();
    return made;
}

static ro_fixed *fixed(void)
{
    ro_fixed *made = room();
    *made = ro_number_find("s16")->fixed;
    return made;
}

static ro_small_float *small_float(void)
{
    ro_small_float *made = room();
    *made = ro_number_find("s10e5")->real;
    return made;
}

static ro_polyline *polyline(void)
{
    static const double points[] = {1, 1, 5, 1, 5, 5};
    static ro_polyline line = {.label = 1, .closed = 1, .count = 3, .points = points};
    return &line;
}

static ro_status fetch(void *data, uint32_t first, uint32_t count, void *rows)
{
    (void)data, (void)first, (void)count, (void)rows;
    return RO_OK;
}
static void carried(void *data, uint32_t columns) { (void)data, (void)columns; }
static const ro_halftone_rows some_rows = {NULL, fetch, fetch};
static const ro_carrier carrier = {carried, carried, NULL};

/* ---- Arguments that make no sense ----------------------------------------------------------- */

/* Each gives the variant `how` of the valid argument. */
enum { BAD_IMAGES = 9, BAD_FIELDS = 5, BAD_OPTIONS = 3, BAD_STRIDES = 4, BAD_INTS = 3 };
enum { BAD_COUNTS = 2, BAD_ENUMS = 2, BAD_DOUBLES = 4, BAD_LONGS = 3, BAD_TEXTS = 3 };

static ro_image *bad_image(const ro_image *valid, int how)
{
    ro_image *made = room();
    *made = *valid;
    switch (how) {
    case 0:
        return NULL;
    case 1:
        made->data = NULL;
        break;
    case 2:
        made->width = 0;
        break;
    case 3:
        made->height = 0;
        break;
    case 4:
        made->format = (ro_format)99;
        break;
    case 5:
        made->stride = 1;
        break;
    case 6:
        made->stride = -1;
        break;
    case 7:
        made->width = made->height = UINT32_MAX;
        break;
    default: /* floats that are not aligned, and of the right size */
        made->data = (char *)room() + 1;
        if (made->format != RO_GREYF)
            made->format = RO_GREY16;
        made->stride = 8 * WIDTH + 1;
    }
    return made;
}

static ro_field *bad_field(const ro_field *valid, int how)
{
    ro_field *made = room();
    *made = *valid;
    switch (how) {
    case 0:
        return NULL;
    case 1:
        made->data = NULL;
        break;
    case 2:
        made->width = 0;
        break;
    case 3:
        made->stride = 1;
        break;
    default:
        made->data = (float *)(void *)((char *)room() + 1);
        break;
    }
    return made;
}

/* Options whose size was never set, or is random; behind them is no memory. */
static void *bad_options(const void *valid, size_t size, int how)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    const size_t sizes[BAD_OPTIONS] = {0, 3 * size, size + 1};
    char *memory =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + whole, page, PROT_NONE))
        abort();
    memcpy(memory + whole - size, valid, size);
    memcpy(memory + whole - size, &sizes[how], sizeof *sizes);
    return memory + whole - size;
}

static const ptrdiff_t bad_strides[BAD_STRIDES] = {0, 1, -1, PTRDIFF_MAX};
static const int bad_ints[BAD_INTS] = {-1, INT_MAX, INT_MIN};
static const uint32_t bad_counts[BAD_COUNTS] = {0, UINT32_MAX};
static const int bad_enums[BAD_ENUMS] = {-1, 1000};
static const int64_t bad_longs[BAD_LONGS] = {0, -1, INT64_MIN};
static const char *const bad_texts[BAD_TEXTS] = {NULL, "", "no\n such/%n%s thing"};
static const double bad_doubles[BAD_DOUBLES] = {NAN, INFINITY, -INFINITY, -1};

/* ---- Calls ---------------------------------------------------------------------------------- */

/* What is tried, and in which order; `refused`: the argument is NULL where that is not allowed. */
struct attempt {
    const char *what;
    void (*call)(int argument, int how);
    int argument, how, refused;
};
static const struct attempt *now; /* the attempt that is under way */

static void wrong(const char *why)
{
    printf("%s: %s\n", now->what, why);
    fflush(stdout);
}

/* Looks at what a call has given; `made` is what it was to make, or NULL. */
static void check(ro_status status, void **made)
{
    const char *message = ro_context_message(the_context());
    char text[600];
    if (now->argument < 0 && status != (ro_status)now->how) {
        snprintf(text, sizeof text, "valid arguments give \"%s\": %s", ro_status_name(status),
                 message);
        wrong(text);
    }
    if ((unsigned)status > RO_E_CANCELLED)
        wrong("gives no status");
    if (now->refused && status != RO_E_ARGUMENT) {
        snprintf(text, sizeof text, "gives \"%s\"", ro_status_name(status));
        wrong(text);
    }
    if (strchr(message, '\n'))
        wrong("says more than a line");
    if (status != RO_OK && made && *made)
        wrong("fails, and leaves a pointer behind");
}

/* Runs all attempts in child processes: a new one, which starts with `begin`, after each that has
 * crashed. */
static int run(const struct attempt *attempts, size_t count, void (*begin)(void))
{
    size_t *place =
        mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || !mkdtemp(folder))
        abort();
    for (*place = 0; *place < count; ++*place) {
        const pid_t child = fork();
        if (child == 0) {
            if (begin)
                begin();
            for (; *place < count; ++*place) {
                now = &attempts[*place];
                alarm(20);
                now->call(now->argument, now->how);
                ro_context_resume(the_context());
                ro_commit_drop(the_context());
            }
            fflush(stdout);
            _exit(0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) < 0)
            abort();
        if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
            now = &attempts[*place];
            wrong(!WIFSIGNALED(status)          ? "ended the process"
                  : WTERMSIG(status) == SIGALRM ? "does not end"
                                                : strsignal(WTERMSIG(status)));
        }
    }
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

#endif
