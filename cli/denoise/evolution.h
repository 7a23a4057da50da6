/* SPDX-License-Identifier: MIT */
/* The time steps of a denoising as they are seen: its pictures as an animation or a series, and its
 * figures as a table or a plot. */
#ifndef RO_CLI_DENOISE_EVOLUTION_H
#define RO_CLI_DENOISE_EVOLUTION_H

#include "cli/common/cli.h"
#include "cli/common/string_buffer.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

struct evolution {
    ro_context *context;
    const char *pictures, *history; /* files; NULL: not wanted */
    uint32_t count;                 /* pictures so far */
    ro_gif *gif;
    struct printed video; /* of a .y4m file, as text that may hold zeros */
    size_t steps, room;   /* in `list` */
    ro_denoise_step *list;
    ro_status status; /* of what a callback did */
    char message[256];
};

/* Makes `options` tell the evolution of its steps; `every` is the number of steps between pictures.
 */
ro_status evolution_open(struct evolution *evolution, ro_context *context, const char *pictures,
                         uint32_t every, const char *history, ro_denoise_options *options);

/* Writes what was seen, or gives the reason why it could not be; `ran` is how the denoising ended.
 */
ro_status evolution_end(struct evolution *evolution, ro_status ran);
void evolution_close(struct evolution *evolution);

#endif
