/* SPDX-License-Identifier: MIT */
/* What a front starts with and what it ends as, for the test bench of a circuit. */
#include "segment/segment.h"

#include "segment/levelset/levelset_rows.h"

static int label_of(const struct ro_segmentation *work)
{
    return work->options.vectors->label ? work->options.vectors->label : 1;
}

static void copy(const struct level_front *front, const struct level_field *field, int32_t *numbers)
{
    for (uint32_t y = 0; y < front->level.height; y++) {
        const int16_t *row = (const int16_t *)(const void *)(field->data + y * field->pitch);
        for (uint32_t x = 0; x < front->level.width; x++)
            *numbers++ = row[x];
    }
}

ro_status vectors_begin(struct ro_segmentation *work)
{
    const ro_segment_vectors *vectors = work->options.vectors;
    if (!vectors)
        return RO_OK;
    const int label = label_of(work);
    if (work->number->real)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "vectors hold whole numbers, which %s does not have",
                               work->number->name);
    if (label < 1 || label > RO_LABELS || !work->report.label[label - 1].used)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "there is no label %d to write vectors of", label);
    const struct level_front *front = &work->front[label - 1];
    if (!level_is_simple(&front->level))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "vectors cannot hold curvature or a velocity field");
    copy(front, &front->phi[front->now], vectors->phi);
    copy(front, &front->speed, vectors->speed);
    return RO_OK;
}

void vectors_end(struct ro_segmentation *work)
{
    if (!work->options.vectors)
        return;
    const struct level_front *front = &work->front[label_of(work) - 1];
    copy(front, &front->phi[front->now], work->options.vectors->next);
}
