/* SPDX-License-Identifier: MIT */
/* What the window of each hogel got: signal, noise, efficiency. */
#ifndef RO_HOLOGRAM_QUANTIZE_HOLOGRAM_MEASURE_H
#define RO_HOLOGRAM_QUANTIZE_HOLOGRAM_MEASURE_H

#include "hologram/quantize/diffuse.h"

/* Fills in the measured figures of every hogel's report, and those of all together. */
ro_status hologram_measure(const struct hologram_job *job, const float *table,
                           ro_hologram_report *report);

#endif
