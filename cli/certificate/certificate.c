/* SPDX-License-Identifier: MIT */
#include "cli/certificate/certificate.h"

#include "cli/common/session.h"
#include "cli/common/string_buffer.h"
#include "io/json/json.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char checksum_name[] = "checksum";
enum {
    LARGEST = 64 << 20, /* bytes of a certificate that is read */
    MOST_LINES = 4096,
};

/* Options that say how to run, not what to make. */
static const char *const unstated[] = {"device", "threads",      "cpu",
                                       "quiet",  "json",         "certificate",
                                       "strict", "limit-memory", "limit-pixels"};

/* ---- Lines ---------------------------------------------------------------------------------- */

static void no_memory(struct certificate *to)
{
    to->status = ro_context_fail(to->context, RO_E_MEMORY, "no memory for a certificate");
}

/* Takes `value` over. */
static void add_line(struct certificate *to, const char *name, char *value)
{
    struct certificate_line *more = realloc(to->lines, ((size_t)to->count + 1) * sizeof *to->lines);
    char *kept = strdup(name);
    if (more)
        to->lines = more;
    if (!more || !kept || !value) {
        free(kept);
        free(value);
        no_memory(to);
        return;
    }
    to->lines[to->count++] = (struct certificate_line){kept, value};
}

/* Short values. */
static void add_printed(struct certificate *to, const char *name, const char *format, ...)
    RO_PRINTF(3, 4);
static void add_printed(struct certificate *to, const char *name, const char *format, ...)
{
    char value[128];
    va_list arguments;
    if (to->status != RO_OK)
        return;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    add_line(to, name, strdup(value));
}

void certificate_text(struct certificate *to, const char *name, const char *text)
{
    struct printed value;
    if (to->status == RO_OK)
        to->status = printed_open(to->context, &value);
    if (to->status != RO_OK)
        return;
    json_string(value.file, text);
    add_line(to, name, printed_end(&value));
}

void certificate_integer(struct certificate *to, const char *name, int64_t value)
{
    add_printed(to, name, "%lld", (long long)value);
}

void certificate_natural(struct certificate *to, const char *name, uint64_t value)
{
    add_printed(to, name, "%llu", (unsigned long long)value);
}

void certificate_real(struct certificate *to, const char *name, double value)
{
    if (isfinite(value))
        add_printed(to, name, "%.17g", value);
    else
        add_printed(to, name, "null");
}

static void print_wide(FILE *file, __int128 value)
{
    char digits[48];
    int at = sizeof digits - 1;
    unsigned __int128 left = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + (int)(left % 10));
    while (left /= 10);
    fprintf(file, "%s%s", value < 0 ? "-" : "", digits + at);
}

/* A list as JSON: its values are printed to the file that begins it; NULL where it cannot be. */
static FILE *list_begin(struct certificate *to, struct printed *list)
{
    if (to->status == RO_OK)
        to->status = printed_open(to->context, list);
    if (to->status != RO_OK)
        return NULL;
    fputc('[', list->file);
    return list->file;
}

static void list_end(struct certificate *to, const char *name, struct printed *list)
{
    fputc(']', list->file);
    add_line(to, name, printed_end(list));
}

void certificate_integers(struct certificate *to, const char *name, const __int128 *values,
                          size_t count)
{
    struct printed list;
    FILE *file = list_begin(to, &list);
    if (!file)
        return;
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", file);
        print_wide(file, values[i]);
    }
    list_end(to, name, &list);
}

/* ---- Pictures ------------------------------------------------------------------------------- */

static uint32_t sample_at(const ro_image *image, const char *row, size_t i)
{
    switch (image->format) {
    case RO_GREY16:
    case RO_RGB16:
        return ((const uint16_t *)(const void *)row)[i];
    case RO_BITS:
        return (uint32_t)((const uint8_t *)row)[i / 8] >> (7 - i % 8) & 1;
    default:
        return ((const uint8_t *)row)[i];
    }
}

static void add_sums(struct certificate *to, const char *name, const ro_image *image)
{
    const size_t channels = image->format == RO_RGB8 || image->format == RO_RGB16 ? 3 : 1;
    __int128 sum[3] = {0}, low[3], high[3] = {0};
    char line[64];
    for (size_t c = 0; c < 3; c++)
        low[c] = UINT32_MAX;
    for (uint32_t y = 0; y < image->height; y++) {
        const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        for (size_t c = 0; c < channels; c++) {
            uint64_t total = 0;
            uint32_t least = UINT32_MAX, most = 0;
            for (size_t x = 0; x < image->width; x++) {
                const uint32_t value = sample_at(image, row, x * channels + c);
                total += value;
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
            sum[c] += total;
            low[c] = least < low[c] ? least : low[c];
            high[c] = most > high[c] ? most : high[c];
        }
    }
    const struct {
        const char *what;
        const __int128 *values;
    } all[] = {{"sum", sum}, {"min", low}, {"max", high}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(line, sizeof line, "%s_%s", name, all[i].what);
        certificate_integers(to, line, all[i].values, channels);
    }
}

void certificate_picture(struct certificate *to, const char *name, const ro_image *image)
{
    char line[64], hash[RO_HASH_TEXT];
    if (to->status != RO_OK)
        return;
    to->status = ro_image_hash(to->context, image, hash);
    if (to->status != RO_OK)
        return;
    snprintf(line, sizeof line, "%s_format", name);
    certificate_text(to, line, ro_format_name(image->format));
    snprintf(line, sizeof line, "%s_size", name);
    certificate_integers(to, line, (const __int128[]){image->width, image->height}, 2);
    snprintf(line, sizeof line, "%s_maxval", name);
    certificate_natural(to, line, image->maxval);
    snprintf(line, sizeof line, "%s_hash", name);
    certificate_text(to, line, hash);
    if (image->format != RO_GREYF && image->format != RO_RGBF)
        add_sums(to, name, image);
}

void certificate_unlike(struct certificate *to, const ro_image *again, const ro_image *out)
{
    if (again->format != out->format || again->width != out->width ||
        again->height != out->height || again->maxval != out->maxval)
        return;
    const size_t bytes = ro_format_row_bytes(again->format, again->width);
    const size_t pixel = ro_format_row_bytes(again->format, 1);
    uint64_t count = 0;
    for (uint32_t y = 0; y < again->height; y++) {
        const char *p = (const char *)again->data + (ptrdiff_t)y * again->stride;
        const char *q = (const char *)out->data + (ptrdiff_t)y * out->stride;
        for (size_t x = 0; x < bytes; x += pixel)
            count += memcmp(p + x, q + x, pixel) != 0;
    }
    certificate_natural(to, "pixels_unlike_the_method", count);
}

/* ---- What a command states ------------------------------------------------------------------ */

/* Texts one after another, as a list of strings. */
static void add_list(struct certificate *to, const char *name, const ro_texts *texts)
{
    struct printed list;
    FILE *file = list_begin(to, &list);
    if (!file)
        return;
    for (int i = 0; i < texts->count; i++) {
        fputs(i ? ", " : "", file);
        json_string(file, texts->text[i]);
    }
    list_end(to, name, &list);
}

/* States an option's value; null if it was not given and has no value of its own. */
static void add_option(struct certificate *to, const struct option *option, const void *values)
{
    const void *structure = (const char *)values + option->offset;
    const ro_option *row = option->row;
    char name[80], room[RO_OPTION_MESSAGE];
    snprintf(name, sizeof name, "option_%s", option->name);
    const char *text = ro_option_text(option->table, row, structure, room);
    if (row->kind == RO_OPTION_TEXTS)
        add_list(to, name, (const ro_texts *)(const void *)((const char *)structure + row->offset));
    else if (!text)
        add_printed(to, name, "null");
    else if (!row->argument ||
             (row->kind != RO_OPTION_TEXT && row->count < 2 && strchr("-.0123456789", *text)))
        add_printed(to, name, "%s", text);
    else
        certificate_text(to, name, text);
}

bool certificate_states(const struct option *option)
{
    for (size_t i = 0; i < sizeof unstated / sizeof *unstated; i++)
        if (strcmp(option->name, unstated[i]) == 0)
            return false;
    return true;
}

/* How many operands come before the files. */
static int words_before(const struct command *command, const struct operands *files)
{
    return command->files ? files->count - command->files : 0;
}

ro_status certificate_state(const struct command *command, ro_context *context, const void *values,
                            const struct operands *files, struct certificate *to)
{
    *to = (struct certificate){.context = context};
    struct option_list list;
    options_list(command, &list);
    certificate_integer(to, "certificate", 1);
    certificate_text(to, "version", ro_version());
    certificate_text(to, "command", command->name);
    const int words = words_before(command, files);
    certificate_integer(to, "files", files->count - words);
    for (int i = 0; i < words; i++)
        certificate_text(to, "operand", files->path[i]);
    for (int i = 0; i < list.count; i++)
        if (certificate_states(&list.at[i]))
            add_option(to, &list.at[i], values);
    if (to->status != RO_OK)
        return to->status;
    const ro_status status = command->certify(to, values, files);
    return status == RO_OK ? to->status : status;
}

ro_status certificate_of_output(struct certificate *to, const void *values,
                                const struct operands *files)
{
    ro_image out = {0};
    (void)values;
    const ro_status status =
        ro_image_load(to->context, files->path[files->count - 1], NULL, &out, NULL, NULL);
    if (status == RO_OK)
        certificate_picture(to, "output", &out);
    ro_image_free(&out);
    return status;
}

const char *const *certificate_no_arguments(const void *values)
{
    static const char *const none[] = {NULL};
    (void)values;
    return none;
}

/* A build without hashes says so before the work. */
static bool has_hashes(void)
{
    ro_context *context;
    char hash[RO_HASH_TEXT];
    if (ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context) !=
        RO_OK)
        return true; /* the work will tell */
    const bool has = ro_bytes_hash(context, "", 0, hash) == RO_OK;
    if (!has)
        fail("%s", ro_context_message(context));
    ro_context_close(context);
    return has;
}

int certificate_wanted(const struct command *command, const struct common *common,
                       const struct operands *files)
{
    if (!common->certificate)
        return 0;
    for (int i = 0; i < files->count; i++)
        if (strcmp(files->path[i], "-") == 0)
            return usage_error(command, "--certificate needs files: - cannot be read again");
    for (int i = 0; i + 1 < files->count && strstr(command->operands, "OUT"); i++)
        if (same_file(files->path[i], files->path[files->count - 1]))
            return usage_error(command,
                               "--certificate: %s would be overwritten and could not be verified",
                               files->path[i]);
    for (int i = words_before(command, files); i < files->count; i++)
        if (!ro_writer_reads_back(files->path[i], NULL))
            return usage_error(command, "--certificate: %s: such files cannot be read back",
                               files->path[i]);
    if (strcmp(common->certificate, "-") == 0)
        return usage_error(command, "--certificate -: must be the name of a file");
    return has_hashes() && can_write(common->certificate) ? 0 : 1;
}

static void add_run(struct certificate *to, const ro_report *ran)
{
    certificate_text(to, "ran_method", ran->method ? ran->method : "");
    certificate_text(to, "ran_schedule", ran->schedule ? ran->schedule : "");
    certificate_text(to, "ran_device", ro_device_name(ran->device));
    certificate_text(to, "ran_cpu", ro_cpu_name(ran->cpu));
    certificate_integer(to, "ran_threads", ran->threads);
    certificate_natural(to, "ran_steps", ran->steps);
}

ro_status certificate_write(const struct command *command, ro_context *context, const void *values,
                            const struct operands *files, const ro_report *ran)
{
    const struct common *common = values;
    struct certificate made = {0};
    struct printed text = {0};
    char hash[RO_HASH_TEXT];
    if (!common->certificate)
        return RO_OK;
    const ro_report report = ran ? *ran : (ro_report){0}; /* certifying may run something more */
    ro_status status = certificate_state(command, context, values, files, &made);
    if (status == RO_OK && ran)
        add_run(&made, &report);
    if (status == RO_OK)
        status = made.status;
    if (status == RO_OK)
        status = printed_open(context, &text);
    if (status != RO_OK)
        goto done;
    fputs("{\n", text.file);
    for (int i = 0; i < made.count; i++)
        fprintf(text.file, "  \"%s\": %s,\n", made.lines[i].name, made.lines[i].value);
    if (printed_flush(&text))
        status = ro_bytes_hash(context, text.text, text.size, hash);
    else
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a certificate");
    if (status == RO_OK) {
        fprintf(text.file, "  \"%s\": \"%s\"\n}\n", checksum_name, hash);
        status = printed_save(context, &text, common->certificate);
    }
done:
    printed_close(&text);
    certificate_close(&made);
    return status;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* `  "name": value,` of one line, the comma missing in the last. */
static bool read_line(struct certificate *to, const char *path, const char *line)
{
    char name[80];
    struct json_parser json = json_of(to->context, path, line);
    json_read_text(&json, name, sizeof name);
    json_expect(&json, ':');
    json_next(&json);
    const char *value = json.at;
    json_skip(&json);
    const size_t length = (size_t)(json.at - value);
    json_take(&json, ',');
    if (json.failed || *json.at || certificate_value(to, name) || to->count == MOST_LINES)
        return false;
    add_line(to, name, strndup(value, length));
    return true;
}

ro_status certificate_read(ro_context *context, const char *path, struct certificate *to)
{
    static const char mark[] = "  \"checksum\": \"";
    char *text, hash[RO_HASH_TEXT], tail[sizeof mark + RO_HASH_TEXT + 8];
    size_t size;
    *to = (struct certificate){.context = context};
    ro_status status = ro_bytes_load(context, path, LARGEST, &text, &size);
    if (status != RO_OK)
        goto done;
    const size_t end = sizeof mark - 1 + RO_HASH_TEXT - 1 + strlen("\"\n}\n");
    if (size < end + 2 || strlen(text) != size || strncmp(text, "{\n", 2) != 0 ||
        strncmp(text + size - end, mark, sizeof mark - 1) != 0) {
        status =
            ro_context_fail(context, RO_E_FORMAT, "%s: is not a certificate of roundoff", path);
        goto done;
    }
    status = ro_bytes_hash(context, text, size - end, hash);
    if (status != RO_OK)
        goto done;
    snprintf(tail, sizeof tail, "%s%s\"\n}\n", mark, hash);
    if (strcmp(text + size - end, tail) != 0) {
        status = ro_context_fail(context, RO_E_FORMAT,
                                 "%s: was edited: its checksum does not match", path);
        goto done;
    }
    text[size - end] = '\0';
    char *next = NULL;
    for (char *line = strtok_r(text + 2, "\n", &next); line && status == RO_OK;
         line = strtok_r(NULL, "\n", &next))
        if (!read_line(to, path, line))
            status =
                ro_context_fail(context, RO_E_FORMAT, "%s: is not a certificate of roundoff", path);
    if (status == RO_OK)
        status = to->status;
done:
    free(text);
    return status;
}

const char *certificate_value(const struct certificate *from, const char *name)
{
    for (int i = 0; i < from->count; i++)
        if (strcmp(from->lines[i].name, name) == 0)
            return from->lines[i].value;
    return NULL;
}

void certificate_close(struct certificate *certificate)
{
    for (int i = 0; i < certificate->count; i++) {
        free(certificate->lines[i].name);
        free(certificate->lines[i].value);
    }
    free(certificate->lines);
    *certificate = (struct certificate){0};
}
