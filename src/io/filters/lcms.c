/* SPDX-License-Identifier: MIT */
/*
 * All memory of a context is kept in a list, so that it can be freed wherever lcms2 was left. No
 * lock of lcms2 that outlives the context is held while it allocates.
 */
#include "io/filters/lcms.h"

#include <lcms2_plugin.h>
#include <setjmp.h>
#include <stdlib.h>

enum { LCMS_WITH_CONTEXTS = 2060, MOST_BYTES = 1 << 29 };

/* In front of each allocation, whose alignment it keeps. */
struct block {
    _Alignas(max_align_t) struct block *before;
    struct block *after;
};

struct lcms_calls {
    cmsContext context;
    struct block blocks; /* the list's ends */
    bool is_short;
    bool may_jump;
    jmp_buf jump;
};

/* By thread, because lcms2 allocates before its context has user data. */
static _Thread_local struct lcms_calls *running;

static void *refuse(void)
{
    if (running) {
        running->is_short = true;
        if (running->may_jump)
            longjmp(running->jump, 1);
    }
    return NULL;
}

static void *link_block(struct block *block, struct block *before)
{
    block->before = before;
    block->after = before->after;
    before->after->before = block;
    before->after = block;
    return block + 1;
}

static void unlink_block(const struct block *block)
{
    block->before->after = block->after;
    block->after->before = block->before;
}

/* No profile needs more than MOST_BYTES at once: it is damaged, and memory is not short. */
static void *allocate(cmsContext context, cmsUInt32Number size)
{
    (void)context;
    if (size > MOST_BYTES)
        return NULL;
    struct block *block = malloc(sizeof *block + size);
    if (!block)
        return refuse();
    *block = (struct block){block, block};
    return running ? link_block(block, &running->blocks) : block + 1;
}

static void release(cmsContext context, void *memory)
{
    (void)context;
    if (!memory)
        return;
    struct block *block = (struct block *)memory - 1;
    unlink_block(block);
    free(block);
}

static void *reallocate(cmsContext context, void *memory, cmsUInt32Number size)
{
    if (!memory)
        return allocate(context, size);
    if (size > MOST_BYTES)
        return NULL;
    struct block *block = (struct block *)memory - 1, *before = block->before;
    const bool alone = before == block;
    unlink_block(block);
    struct block *more = realloc(block, sizeof *more + size);
    if (!more) {
        link_block(block, alone ? block : before);
        return refuse();
    }
    if (alone) {
        *more = (struct block){more, more};
        return more + 1;
    }
    return link_block(more, before);
}

static void run(struct lcms_calls *lcms, void (*work)(cmsContext context, void *data), void *data)
{
    if (setjmp(lcms->jump) == 0) {
        lcms->may_jump = true;
        work(lcms->context, data);
    }
}

struct lcms_calls *lcms_run(void (*work)(cmsContext context, void *data), void *data)
{
    cmsPluginMemHandler kept = {
        .base = {cmsPluginMagicNumber, LCMS_WITH_CONTEXTS, cmsPluginMemHandlerSig, NULL},
        .MallocPtr = allocate,
        .FreePtr = release,
        .ReallocPtr = reallocate};
    struct lcms_calls *lcms = calloc(1, sizeof *lcms);
    if (!lcms)
        return NULL;
    lcms->blocks = (struct block){&lcms->blocks, &lcms->blocks};
    running = lcms;
    lcms->context = cmsCreateContext(&kept, NULL);
    if (lcms->context && !lcms->is_short)
        run(lcms, work, data);
    running = NULL;
    if (lcms->context && !lcms->is_short)
        return lcms;
    lcms_close(lcms);
    return NULL;
}

void lcms_close(struct lcms_calls *lcms)
{
    if (!lcms)
        return;
    if (lcms->context)
        cmsDeleteContext(lcms->context);
    for (struct block *block = lcms->blocks.after, *next; block != &lcms->blocks; block = next) {
        next = block->after;
        free(block);
    }
    free(lcms);
}
