/* SPDX-License-Identifier: MIT */
/* A registration from points that match. */
#ifndef RO_REGISTER_START_MATCHED_H
#define RO_REGISTER_START_MATCHED_H

#include "register/register.h"
#include "register/start/start.h"

/* Whether both images are large enough for points. */
bool start_has_room(const struct registration *flow);

/* Whether enough speaks for a result. */
bool evidence_suffices(const struct field_evidence *evidence);

/* Whether so many matches agree that the search may begin there. */
enum { RO_FEW_MATCHES = 5, RO_MANY_MATCHES = 15 };
bool start_leads(const struct found_start *start);

/* The displacement from a start that leads, and what speaks for it. */
ro_status register_matched(struct registration *flow, struct found_start *start,
                           const ro_image *fixed, const ro_image *moving, const ro_image *field,
                           ro_report *ran);

/* What speaks for a displacement that was found in another way, or made simpler. */
ro_status register_judge(struct registration *flow, const struct found_start *start,
                         const ro_image *field);

#endif
