/* SPDX-License-Identifier: MIT */
/* Inks as the command line has them: colours by --inks, screens and curves by --ink, angles by
 * --angles. */
#ifndef RO_CLI_INKS_INKS_H
#define RO_CLI_INKS_INKS_H

#include "cli/common/cli.h"
#include "roundoff_io.h"

struct ink_list {
    ro_ink inks[RO_INKS_MOST];
    int count;
    bool cmyk;
    bool angles, shapes; /* some ink has one of its own */
    bool turned;         /* by --angles */
    bool no_curves;
    char names[RO_INKS_MOST][72];
    const char *curves[RO_INKS_MOST]; /* files that were read */
    char *texts[4 * RO_INKS_MOST];    /* what --ink said; shapes and files lie in it */
    int texts_used;
};

/* `colours`: of --inks; NULL: the four of CMYK. `curves`: inks may have them. inks_free frees, also
 * after a failure. */
ro_status inks_read(ro_context *context, const char *colours, const ro_texts *each, bool curves,
                    struct ink_list *list);
void inks_free(struct ink_list *list);

/* --angles: one for each ink, or "auto": those of least moiré for the lines per inch and the
 * resolution of `screen`. */
ro_status inks_turn(ro_context *context, const char *angles, const ro_screen_options *screen,
                    struct ink_list *list);

/* Of the moiré that is seen best, a line, and JSON without a comma before it. */
void inks_say_moire(const char *command, const ro_moire *moire);
void inks_json_moire(FILE *file, const ro_moire *moire, int count);

#endif
