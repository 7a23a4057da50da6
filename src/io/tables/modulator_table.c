/* SPDX-License-Identifier: MIT */
/* Levels of a modulator, a line each, in columns that the first line names. */
#include "core/misuse.h"
#include "io/tables/columns.h"

#include <ctype.h>
#include <math.h>

enum { MOST_BYTES = 1 << 20 };

/* The columns of a list of levels. */
enum column { LEVEL, DRIVE, PHASE, DEGREES, AMPLITUDE, REAL, IMAGINARY, COLUMNS };

struct columns {
    int count;
    enum column of[COLUMNS];
    bool has[COLUMNS];
    double turn, drive; /* of the level before */
    int way;            /* the phase rises (1) or falls with the drive; 0: not known yet */
};

/* Whether a phase goes on as those before did while the drive changed; half a turn and more is the
 * end of a turn. */
static bool goes_on(struct columns *c, double turn, double drive, bool first)
{
    const double half = 3.14159265358979323846, by = (turn - c->turn) * (drive > c->drive ? 1 : -1);
    c->turn = turn;
    c->drive = drive;
    if (first || by == 0 || fabs(by) >= half)
        return true;
    const int way = by > 0 ? 1 : -1, before = c->way;
    c->way = way;
    return before == 0 || before == way;
}

/* Whether a line heads a list of levels: names of columns, no two alike, that tell a level.
 * Anything else may be a level that was mistyped. */
static bool read_heading(const char *line, struct columns *columns)
{
    static const struct column_name names[] = {
        {"level", LEVEL},         {"drive", DRIVE}, {"phase", PHASE},         {"degrees", DEGREES},
        {"amplitude", AMPLITUDE}, {"real", REAL},   {"imaginary", IMAGINARY},
    };
    struct columns found = {0};
    int of[COLUMNS];
    if (!isalpha((unsigned char)*line))
        return false;
    found.count = columns_read(line, names, sizeof names / sizeof *names, of, COLUMNS);
    for (int i = 0; i < found.count; i++) {
        if (of[i] < 0 || found.has[of[i]])
            return false;
        found.has[of[i]] = true;
        found.of[i] = (enum column)of[i];
    }
    const bool *has = found.has;
    const bool polar = has[PHASE] != has[DEGREES] && !has[REAL] && !has[IMAGINARY] &&
                       (has[AMPLITUDE] || has[DRIVE] || has[LEVEL]);
    const bool plain =
        has[REAL] && has[IMAGINARY] && !has[PHASE] && !has[DEGREES] && !has[AMPLITUDE];
    if (!(polar || plain))
        return false;
    *columns = found;
    return true;
}

static ro_status add_level(struct text_table *table, const char *line, struct columns *columns,
                           bool headed, ro_modulator *m)
{
    static const double degree = 3.14159265358979323846 / 180;
    double number[COLUMNS], of[COLUMNS] = {[AMPLITUDE] = 1};
    if (numbers_read(line, number, COLUMNS) != columns->count)
        return file_fail(&table->file, RO_E_FORMAT, "line %d is not a level of %d numbers%s",
                         table->lines.number, columns->count,
                         headed ? ""
                                : ", nor a heading such as \"phase, amplitude\", \"degrees, "
                                  "amplitude\", \"level, drive, phase\" or \"real, imaginary\"");
    if (m->count == RO_HOLOGRAM_LEVELS)
        return file_fail(&table->file, RO_E_FORMAT, "has more than %d levels", RO_HOLOGRAM_LEVELS);
    for (int i = 0; i < columns->count; i++)
        of[columns->of[i]] = number[i];
    if (columns->has[LEVEL] && of[LEVEL] != m->count)
        return file_fail(&table->file, RO_E_FORMAT, "line %d is level %g, but %d comes next",
                         table->lines.number, of[LEVEL], m->count);
    if (columns->has[DRIVE] &&
        !(of[DRIVE] >= 0 && of[DRIVE] <= 255 && of[DRIVE] == rint(of[DRIVE])))
        return file_fail(&table->file, RO_E_FORMAT,
                         "line %d has a drive of %g: must be a whole number from 0 to 255",
                         table->lines.number, of[DRIVE]);
    for (int i = 0; i < m->count && columns->has[DRIVE]; i++)
        if (m->drive[i] == of[DRIVE])
            return file_fail(&table->file, RO_E_FORMAT, "line %d repeats the drive %g of level %d",
                             table->lines.number, of[DRIVE], i);
    const double turn = of[PHASE] + degree * of[DEGREES];
    const bool polar = columns->has[PHASE] || columns->has[DEGREES];
    if (polar && columns->has[DRIVE] && !goes_on(columns, turn, of[DRIVE], m->count == 0))
        return file_fail(&table->file, RO_E_FORMAT,
                         "line %d is not monotonic: the phase turns back while the drive goes on",
                         table->lines.number);
    m->table[2 * m->count] = (float)(polar ? of[AMPLITUDE] * cos(turn) : of[REAL]);
    m->table[2 * m->count + 1] = (float)(polar ? of[AMPLITUDE] * sin(turn) : of[IMAGINARY]);
    m->drive[m->count] = (uint8_t)(columns->has[DRIVE] ? of[DRIVE] : m->count);
    m->count++;
    return RO_OK;
}

ro_status ro_modulator_load(ro_context *context, const char *path, ro_modulator *modulator)
{
    if (MISSING(context, path, modulator))
        return RO_E_ARGUMENT;
    struct text_table table;
    struct columns columns = {.count = 2, .of = {REAL, IMAGINARY}};
    const char *line = NULL;
    bool first = true;
    *modulator = (ro_modulator){0};
    ro_status status = table_open(&table, context, path, MOST_BYTES, false);
    while (status == RO_OK && (line = lines_next_row(&table.lines))) {
        if (!first || !read_heading(line, &columns))
            status = add_level(&table, line, &columns, !first, modulator);
        first = false;
    }
    if (status == RO_OK && modulator->count < 2)
        status = file_fail(&table.file, RO_E_FORMAT, "a modulator needs at least 2 levels, not %d",
                           modulator->count);
    modulator->driven = columns.has[DRIVE];
    table_close(&table);
    return status;
}
