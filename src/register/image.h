/* SPDX-License-Identifier: MIT */
/* Images into the registration, and figures out of it. */
#ifndef RO_REGISTER_IMAGE_H
#define RO_REGISTER_IMAGE_H

#include "register/register.h"
#include "thread/team.h"

/* Both images as grey from 0 (the darkest pixel of both) to 1 (the lightest), on the finest grid;
 * refuses constant images and values that are no numbers. */
ro_status register_load_images(struct registration *flow, const ro_image *fixed,
                               const ro_image *moving);

/* RO_E_CANCELLED once Ctrl-C was heard: loops look at each row, and what they made counts only
 * where this says RO_OK afterwards. */
ro_status register_heard(const struct registration *flow);

/* How many threads a pass over so many pixels is worth: each that is woken may come late. */
int register_threads(const struct registration *flow, size_t pixels);

/* A pass over so many pixels by the flow's team, or by threads that are woken for it. */
void register_pass(const struct registration *flow, size_t pixels, pass_task_fn *pass, void *data);

/* The standard deviation of the noise in the noisier image, white being 1. */
double register_noise(const struct registration *flow);

/* Fills in the report from the field. */
ro_status register_describe(struct registration *flow, const ro_image *field);

#endif
