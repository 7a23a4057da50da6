/* SPDX-License-Identifier: MIT */
/* What roundoff register was asked for. */
#ifndef RO_CLI_REGISTER_REGISTER_H
#define RO_CLI_REGISTER_REGISTER_H

#include "cli/common/cli.h"
#include "roundoff_io.h"

struct register_values {
    struct common common;
    const char *field, *figure, *energy, *fixed_mask, *moving_mask, *page;
    enum series_rule { NO_SERIES, SERIES_FIRST, SERIES_PREVIOUS } series;
    ro_sampling sampling;
    int force, inverse;
    ro_register_options search;
};

/* The picture, or the page of it that was asked for. The reader, if one is wanted, tells what else
 * the file says, and stays open for that. */
ro_status register_load(ro_context *context, const char *path, const struct register_values *values,
                        ro_image *image, ro_reader **kept);

/* Loads the masks that were named, for `with`. */
struct masks {
    ro_image fixed, moving;
};
ro_status masks_load(ro_context *context, const struct register_values *values, struct masks *masks,
                     ro_register_options *with);
void masks_free(struct masks *masks);

/* FIELD, which was found before, on a picture or on points (.csv): FIELD IN OUT. */
int register_apply(const struct register_values *values, const struct operands *files);
extern const char *const register_apply_options[]; /* those it takes, ended by NULL */
const char *register_sampling(const struct register_values *values);

/* Stacks, page by page: FIXED MOVING OUT, or IN OUT with --series. */
int register_series(const struct command *command, const struct register_values *values,
                    const struct operands *files);

/* The field of a file, turned round for --inverse: then it has the size of `image`. */
ro_status register_field(ro_context *context, const struct register_values *values,
                         const char *path, const ro_image *image, ro_image *field);

/* Says in a sentence that a result is of no use, and what to try; EXIT_USELESS. */
int register_useless(const struct register_values *values, const ro_register_report *report,
                     const char *out);

/* What a certificate says of a registration; see certificate.h. */
ro_status register_certify(struct certificate *to, const void *values,
                           const struct operands *files);
ro_status register_apply_certify(struct certificate *to, const void *values,
                                 const struct operands *files);
const char *const *register_reference(const void *values);

#endif
