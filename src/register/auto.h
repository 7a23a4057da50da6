/* SPDX-License-Identifier: MIT */
/* The scheme auto: what its two drivers share. */
#ifndef RO_REGISTER_AUTO_H
#define RO_REGISTER_AUTO_H

#include "register/register.h"

/* The same images again; register_plain: each tone as it is. */
ro_status register_again(struct registration *flow, const ro_image *fixed, const ro_image *moving);
ro_status register_plain(struct registration *flow, const ro_image *fixed, const ro_image *moving);

/* A second record, where one is wanted. */
ro_status register_anew(struct registration *flow);

/* register_auto on a device. */
ro_status register_two(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                       const ro_image *field, ro_report *ran);

#endif
