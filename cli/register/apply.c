/* SPDX-License-Identifier: MIT */
/* roundoff register apply: a field that was found before, on another picture or on points. */
#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "cli/common/string_buffer.h"
#include "cli/register/register.h"
#include "cli/task/task.h"
#include "roundoff/command.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A map instead of a field: of the size that its file says, or of the image; the inverse of the
 * image's. */
static ro_status field_of_map(ro_context *context, const struct register_values *values,
                              const char *path, const ro_image *image, ro_image *field)
{
    double map[9];
    uint32_t size[2];
    ro_status status = ro_map_load(context, path, map, size);
    const bool own = size[0] && size[1] && !values->inverse;
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, 2 * (own ? size[0] : image->width),
                                own ? size[1] : image->height, 0, field);
    return status == RO_OK ? ro_map_field(context, map, values->inverse, field) : status;
}

ro_status register_field(ro_context *context, const struct register_values *values,
                         const char *path, const ro_image *image, ro_image *field)
{
    ro_image found = {0};
    uint64_t missed = 0;
    if (ro_map_named(path))
        return field_of_map(context, values, path, image, field);
    ro_status status = ro_displacement_load(context, path, &found);
    if (status != RO_OK || !values->inverse) {
        *field = found;
        return status;
    }
    status = ro_image_alloc(context, RO_GREYF, 2 * image->width, image->height, 0, field);
    if (status == RO_OK)
        status = ro_displacement_inverse(context, &found, field, &missed);
    if (status == RO_OK && missed && !values->common.quiet && !values->common.json)
        tell("register: %llu pixels are not reached by %s: they take their neighbour's",
             (unsigned long long)missed, path);
    ro_image_free(&found);
    return status;
}

enum { FIELD, IN, OUT }; /* operands */

const char *register_sampling(const struct register_values *values)
{
    return values->sampling == RO_SAMPLE_NEAREST ? "nearest" : "bilinear";
}

/* ---- Pictures ------------------------------------------------------------------------------- */

static ro_status apply(struct task *task)
{
    const struct register_values *values = task->values;
    const char *const *path = task->files->path;
    ro_context *context = task->context;
    ro_image field = {0}, image = {0}, out = {0};
    ro_file_info info = {0};
    ro_reader *reader = NULL;
    ro_writer *writer = NULL;
    ro_status status = register_load(context, path[IN], values, &image, &reader);
    if (status == RO_OK)
        info = *ro_reader_info(reader);
    if (status == RO_OK)
        status = register_field(context, values, path[FIELD], &image, &field);
    info.width = field.width / 2;
    info.height = field.height;
    if (status == RO_OK)
        status = pictures_carry(context, path[IN], ro_reader_info(reader), path[OUT], &info);
    if (status == RO_OK)
        status = ro_writer_accepts(context, path[OUT], &info, NULL);
    if (status == RO_OK)
        status = ro_image_alloc(context, image.format, info.width, info.height, image.maxval, &out);
    for (unsigned page = 0; page < stack_count(&info) && status == RO_OK; page++) {
        if (page > 0)
            status = stack_read(reader, page, &image);
        if (status == RO_OK)
            status = ro_warp(context, &image, &field, &out, values->sampling);
        if (status == RO_OK && !writer)
            status = ro_writer_open(context, path[OUT], &info, NULL, &writer);
        if (status == RO_OK)
            status = stack_write(writer, &out);
    }
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    ro_writer_close(writer);
    ro_reader_close(reader);
    ro_image_free(&field);
    ro_image_free(&image);
    ro_image_free(&out);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct register_values *values = task->values;
    json_put(file, "{command %s, apply %s", "register", task->files->path[FIELD]);
    pictures_json(file);
    json_put(file, ", inverse %hhd, sampling %s, seconds %.6f}\n", values->inverse,
             register_sampling(values), task->seconds);
}

static void print_line(const struct task *task)
{
    const struct register_values *values = task->values;
    tell("register: %s applied%s, %s, %u x %u, %.1f ms", task->files->path[FIELD],
         values->inverse ? " inverted" : "", register_sampling(values), task->ran.width,
         task->ran.height, 1e3 * task->seconds);
}

/* ---- Points ---------------------------------------------------------------------------------
 * A line a point: x and y are the columns of these names, or the first two; the others stay. */

struct table {
    char *text;
    size_t count, room;
    double *points;
    int x, y;            /* columns */
    const char *heading; /* the line that names them, or NULL */
};

static const char separators[] = ",;\t\n";

static const char *column_of(const char *line, int column)
{
    for (; column > 0 && line; column--) {
        line += strcspn(line, separators);
        line = *line && *line != '\n' ? line + 1 : NULL;
    }
    return line;
}

static void take_heading(struct table *table, const char *line)
{
    int column = 0;
    for (const char *at = line; at; at = column_of(at, 1), column++) {
        at += strspn(at, " \"");
        const size_t length = strcspn(at, ",;\t \"\r\n");
        if (length == 1 && (*at == 'x' || *at == 'X'))
            table->x = column;
        if (length == 1 && (*at == 'y' || *at == 'Y'))
            table->y = column;
    }
}

static bool number_at(const char *line, int column, double *value)
{
    const char *at = column_of(line, column);
    char *end;
    if (!at)
        return false;
    *value = strtod(at, &end);
    return end != at && isfinite(*value);
}

/* Whether a line holds a point: not where it is empty, a remark or the names of columns. */
static bool is_point(const struct table *table, const char *line)
{
    line += strspn(line, " \t\r");
    return *line && *line != '\n' && *line != '#' && line != table->heading;
}

static ro_status read_points(ro_context *context, const char *path, struct table *table)
{
    enum { MOST = 1 << 28 };
    size_t size;
    int number = 0;
    ro_status status = ro_bytes_load(context, path, MOST, &table->text, &size);
    table->y = 1;
    for (char *line = table->text, *next; status == RO_OK && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next != '\0';
        number++;
        double first;
        if (table->count == 0 && !table->heading && is_point(table, line) &&
            !number_at(line, 0, &first)) {
            table->heading = line;
            take_heading(table, line);
        }
        if (!is_point(table, line))
            continue;
        if (table->count == table->room) {
            table->room = 2 * table->room + 256;
            double *more = realloc(table->points, 2 * table->room * sizeof *more);
            if (!more)
                return ro_context_fail(context, RO_E_MEMORY, "no memory for points");
            table->points = more;
        }
        double *to = table->points + 2 * table->count++;
        if (!number_at(line, table->x, &to[0]) || !number_at(line, table->y, &to[1]))
            status =
                ro_context_fail(context, RO_E_FORMAT, "%s: line %d has no x and y", path, number);
    }
    if (status == RO_OK && table->count == 0)
        status = ro_context_fail(context, RO_E_FORMAT, "%s has no points", path);
    return status;
}

static void write_line(FILE *file, const struct table *table, const char *line, const double at[2])
{
    const char *end = line + strcspn(line, "\r\n");
    for (int column = 0; line <= end; column++) {
        const size_t width = strcspn(line, ",;\t\r\n");
        if (column == table->x || column == table->y)
            fprintf(file, "%.6f", at[column == table->y]);
        else
            fwrite(line, 1, width, file);
        line += width;
        if (line >= end)
            break;
        fputc(*line++, file);
    }
    fputs(*end == '\r' ? "\r\n" : "\n", file);
}

static ro_status apply_to_points(struct task *task)
{
    const struct register_values *values = task->values;
    const char *const *path = task->files->path;
    ro_context *context = task->context;
    const bool is_map = ro_map_named(path[FIELD]);
    struct table table = {0};
    struct printed text;
    ro_image field = {0};
    double map[9];
    uint32_t size[2];
    ro_status status = ro_bytes_accepts(context, path[OUT]);
    if (status == RO_OK)
        status = is_map ? ro_map_load(context, path[FIELD], map, size)
                        : ro_displacement_load(context, path[FIELD], &field);
    if (status == RO_OK)
        status = read_points(context, path[IN], &table);
    if (status == RO_OK)
        status = is_map ? ro_map_points(context, map, values->inverse, table.count, table.points,
                                        table.points)
                        : ro_displacement_points(context, &field, values->inverse, table.count,
                                                 table.points, table.points);
    size_t missed = 0;
    for (size_t i = 0; i < table.count; i++)
        missed += isnan(table.points[2 * i]);
    if (status == RO_OK && missed && !values->common.quiet && !values->common.json)
        tell("register: %s leads to %zu of the points from nowhere: they become nan", path[FIELD],
             missed);
    if (status == RO_OK)
        status = printed_open(context, &text);
    if (status == RO_OK) {
        const double *at = table.points;
        for (const char *line = table.text, *next; *line; line = next) {
            next = line + strcspn(line, "\n");
            next += *next != '\0';
            if (is_point(&table, line)) {
                write_line(text.file, &table, line, at);
                at += 2;
            } else {
                fwrite(line, 1, (size_t)(next - line), text.file);
            }
        }
        status = printed_save(context, &text, path[OUT]);
    }
    free(table.text);
    free(table.points);
    ro_image_free(&field);
    return status;
}

static void print_points(const struct task *task)
{
    const struct register_values *values = task->values;
    tell("register: %s applied%s to the points of %s, %.1f ms", task->files->path[FIELD],
         values->inverse ? " inverted" : "", task->files->path[IN], 1e3 * task->seconds);
}

static bool is_table(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".csv") == 0;
}

/* ---- The command ---------------------------------------------------------------------------- */

const char *const register_apply_options[] = {"inverse", "sampling", "page", NULL};

int register_apply(const struct register_values *values, const struct operands *files)
{
    const struct command *command = &command_register;
    const char *const *path = files->path;
    char odd[OPTION_NAME];
    if (first_set(command, values, register_apply_options, true, odd))
        return usage_error(command, "--%s does not apply to register apply", odd);
    if (files->count < 3)
        return usage_error(command, "register apply needs FIELD, IN and OUT");
    if (files->count > 3)
        return usage_error(command, "%s is one name too many", path[3]);
    if (strcmp(path[FIELD], "-") != 0 && same_file(path[FIELD], path[OUT]))
        return usage_error(command, "FIELD and OUT are the same file, %s", path[FIELD]);
    if (values->common.device == RO_DEVICE_CUDA)
        return usage_error(command, "apply has no CUDA code");
    const bool points = is_table(path[IN]);
    if (points && values->common.certificate)
        return usage_error(command, "--certificate is for pictures, not for points");
    if (points && strcmp(path[OUT], "-") != 0 && !is_table(path[OUT]))
        return usage_error(command, "%s should end in .csv, for %s holds points", path[OUT],
                           path[IN]);
    return task_run(&(struct task){
        .command = &command_register_apply,
        .values = values,
        .files = files,
        .out = path[OUT],
        .states_run = true,
        .work = points ? apply_to_points : apply,
        .json = print_json,
        .say = points ? print_points : print_line,
    });
}
