/* SPDX-License-Identifier: MIT */
/*
 * Certificates: what a command did, as a JSON object with a member a line: version, command, every
 * option with its value, hashes of the decoded pixels of input and output, exact integers, and what
 * ran. The last member is a checksum of all bytes before it. It finds edits; it does not stop
 * someone who makes a certificate of their own.
 *
 * A command that takes --certificate has COMMON_CERTIFICATE, and in its row of the table
 *     .defaults, .values_size, .files      so that its options can be read back,
 *     .certify                             which states hashes and integers with the calls below,
 *     .reference                           for verify --recompute.
 * It calls certificate_wanted before its work and certificate_write after it. `roundoff verify`
 * needs nothing more: it reads the options back, calls .certify on the files it is given, and
 * compares line by line.
 */
#ifndef RO_CLI_CERTIFICATE_CERTIFICATE_H
#define RO_CLI_CERTIFICATE_CERTIFICATE_H

#include "cli/common/cli.h"

struct certificate_line {
    char *name, *value; /* the value as JSON */
};
struct certificate {
    ro_context *context;
    ro_status status; /* of the first failure; the calls below then do nothing */
    struct certificate_line *lines;
    int count;
};

/* Lines of any kind; names should say what they are: "tone_in". */
void certificate_text(struct certificate *to, const char *name, const char *text);
void certificate_integer(struct certificate *to, const char *name, int64_t value);
void certificate_natural(struct certificate *to, const char *name, uint64_t value);
void certificate_integers(struct certificate *to, const char *name, const __int128 *values,
                          size_t count);
void certificate_real(struct certificate *to, const char *name, double value); /* to the last bit */

/* A picture: its shape, the hash of its pixels, and of integer formats the sum, the smallest and
 * the largest value of each channel. Lines "input_hash", "input_sum", ... */
void certificate_picture(struct certificate *to, const char *name, const ro_image *image);

/* Line "pixels_unlike_the_method": how many pixels of OUT are not those of a run made again;
 * nothing where the two have different shapes. */
void certificate_unlike(struct certificate *to, const ro_image *again, const ro_image *out);

/* For commands that draw OUT from their options alone: the picture, and no arguments of a
 * reference. */
ro_status certificate_of_output(struct certificate *to, const void *values,
                                const struct operands *files);
const char *const *certificate_no_arguments(const void *values);

/* 0, or an exit status: pipes cannot be read a second time. */
int certificate_wanted(const struct command *command, const struct common *common,
                       const struct operands *files);

/* Certifies what the command has just done, as far as --certificate was given; `ran` is the report
 * of the run, NULL where there is none. */
ro_status certificate_write(const struct command *command, ro_context *context, const void *values,
                            const struct operands *files, const ro_report *ran);

/* Whether a certificate has a line for this option: it says what to make, not how to run. */
bool certificate_states(const struct option *option);

/* For verify. certificate_state makes the lines that can be checked; certificate_read takes a file
 * apart after its checksum was found right. */
ro_status certificate_state(const struct command *command, ro_context *context, const void *values,
                            const struct operands *files, struct certificate *to);
ro_status certificate_read(ro_context *context, const char *path, struct certificate *to);
const char *certificate_value(const struct certificate *from, const char *name);
void certificate_close(struct certificate *certificate);

#endif
