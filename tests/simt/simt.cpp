/* SPDX-License-Identifier: MIT */
/* Fibers, schedules, shared memory and meeting points: see simt.h. */
#include "simt.h"

#include <algorithm>

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes) __asan_poison_memory_region(at, bytes)
#define UNPOISON(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define POISON(at, bytes) (void)0
#define UNPOISON(at, bytes) (void)0
#endif

/* Under the thread sanitizer each fiber is a thread of its own. Kernels are instrumented, this file
 * is not: it says what orders threads. */
#if defined(SIMT_TSAN)
#include <sanitizer/tsan_interface.h>
enum { TSAN = 1 };
#define ACQUIRE(at) __tsan_acquire(at)
#define RELEASE(at) __tsan_release(at)
static void *tsan_self() { return __tsan_get_current_fiber(); }
static void tsan_switch(void *to) { __tsan_switch_to_fiber(to, 1 /* without order */); }
static void *
tsan_fiber(void *host) /* made by the host, because it comes after what its maker did */
{
    void *const here = tsan_self();
    tsan_switch(host);
    void *const made = __tsan_create_fiber(0);
    tsan_switch(here);
    return made;
}

/* Kernels are compiled with calls of these before accesses to volatile objects, which CUDA defines
 * to be relaxed. */
#define VOLATILE(BYTES, BITS)                                                                      \
    extern "C" int##BITS##_t __tsan_atomic##BITS##_load(const volatile void *, int order);         \
    extern "C" int##BITS##_t __tsan_atomic##BITS##_fetch_add(volatile void *, int##BITS##_t,       \
                                                             int order);                           \
    extern "C" void __tsan_volatile_read##BYTES(void *at)                                          \
    {                                                                                              \
        __tsan_atomic##BITS##_load(at, __ATOMIC_RELAXED);                                          \
    }                                                                                              \
    extern "C" void __tsan_volatile_write##BYTES(void *at)                                         \
    {                                                                                              \
        __tsan_atomic##BITS##_fetch_add(at, 0, __ATOMIC_RELAXED);                                  \
    }
VOLATILE(1, 8)
VOLATILE(2, 16)
VOLATILE(4, 32)
VOLATILE(8, 64)
#else
enum { TSAN = 0 };
#define ACQUIRE(at) (void)(at)
#define RELEASE(at) (void)(at)
static void *tsan_fiber(void *) { return nullptr; }
static void *tsan_self() { return nullptr; }
static void tsan_switch(void *) {}
#endif

char simt_fence; /* what __threadfence() orders under the thread sanitizer */

__thread uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace simt
{

enum {
    WARP = 32,
    BARRIERS = 16,
    STACK = 256 << 10, /* bytes of a fiber's stack */
    SLAB = 64,         /* stacks in a mapping, because the system limits mappings */
    ARENA = 320 << 10, /* bytes of a block's shared memory with gaps */
    DYNAMIC_AT = 1024, /* where dynamic shared memory begins, so that 0 is no address */
    GAP = 64,          /* between shared arrays, for the address sanitizer */
    ARRAYS = 64,       /* shared arrays of a block */
    COPIES = 128,      /* pending copies of a thread */
    RESIDENT_THREADS = ARCH < 80 ? 1024 : 2048,
    RESIDENT_BLOCKS = ARCH < 80 ? 16 : 32,
    MEETINGS = WARP + 128, /* of a warp that are not complete */
    ORDERS = 16,           /* sync objects of a warp, used in turn */
    POLLS = 30000000       /* after which nobody is believed to make progress */
};

struct copy {
    unsigned to, size, bytes, group;
    const void *from;
};
struct fiber {
    void *sp;
    char *stack;
    void *tsan;
    fiber *next; /* in a list of idle fibers */
    copy copies[COPIES];
};
struct thread {
    uint3 at;
    struct block *home;
    struct fiber *fiber; /* NULL: not begun, or ended */
    const char *waits;   /* for what; NULL: it runs, is ready, or has ended */
    const char *file;    /* where it waits */
    int line, lane, barrier, sleepy;
    uint64_t result;  /* of a meeting */
    unsigned meeting; /* of the warp that it waits for; 0: none */
    int parameter, width, copies;
    unsigned group; /* of copies not committed */
    bool begun, ended;
};
struct meeting { /* of the lanes of one mask */
    unsigned number, mask, arrived;
    meeting_kind kind;
    const char *file;
    int line;
    uint64_t values[WARP];
};
struct order { /* sync objects of a meeting and the next, for the thread sanitizer */
    char at[2];
    unsigned turn;
};
struct warp {
    unsigned alive; /* lanes that have not ended */
    int meeting_count;
    unsigned begun; /* meetings so far */
    char order[ORDERS];
    meeting meetings[MEETINGS];
};
struct barrier {
    int count, waiting;
    uint64_t sum;
    struct order order;
};
struct array {
    const void *key;
    size_t at;
};
struct block {
    struct grid *grid;
    unsigned number;
    int thread_count, alive, array_count;
    int ready, first, quota; /* ready threads, the first of them, how many may run in this turn */
    size_t used;             /* bytes of the arena */
    unsigned char *arena;
    fiber *spent; /* fibers of ended threads, kept until the block ends (TSAN) */
    block *next;  /* in a list of spare blocks */
    barrier barriers[BARRIERS];
    array arrays[ARRAYS];
    thread *queue[THREADS_MOST]; /* a ring of ready threads */
    warp warps[THREADS_MOST / WARP];
    thread threads[THREADS_MOST];
};
struct grid {
    const shape *how;
    const body *kernel;
    block **resident;
    unsigned residents;
    int alive, at_grid; /* threads of resident blocks, and those that wait for the grid */
    int ready;
    int polls; /* since a thread stored what others look at, passed a barrier or ended */
    struct order order;
    char begins, ends; /* sync objects: a thread that has ended orders none that begins */
};
struct machine { /* what a thread of the system needs to run a launch */
    fiber *idle;
    block *spare;
    char *slab, *slab_end;
    machine *next;
    fiber host; /* what runs between blocks */
};

static __thread thread *now; /* the thread that runs; NULL: the host */
static __thread block *turn; /* the block whose threads run */
static __thread machine *self;
static __thread uint64_t dice;

/* ---- settings ------------------------------------------------------------------------------- */

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value && *value ? atol(value) : otherwise;
}

int multiprocessors()
{
    static const int count = (int)setting("RO_SIMT_SMS", TSAN ? 2 : 4); /* it has 8128 threads */
    return count;
}

uint64_t seed()
{
    static const uint64_t value = (uint64_t)setting("RO_SIMT_SEED", 0);
    return value;
}

uint64_t draw(uint64_t below)
{
    if (!dice)
        dice = seed() * 0x9e3779b97f4a7c15u + 88172645463325252u;
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (dice >> 11) % below;
}

float nearly(float exact, int ulps)
{
    if (!seed() || !isfinite(exact) || exact == 0)
        return exact;
    for (int off = (int)draw(2 * (uint64_t)ulps + 1) - ulps; off; off += off < 0 ? 1 : -1)
        exact = nextafterf(exact, off < 0 ? -INFINITY : INFINITY);
    return exact;
}

/* ---- failures ------------------------------------------------------------------------------- */

/* Prints where the threads of a block are, one line per place. */
static void print_threads(const block *b)
{
    bool printed[THREADS_MOST] = {};
    for (int i = 0; i < b->thread_count; i++) {
        const thread *t = &b->threads[i];
        int same = 0;
        if (t->ended || printed[i])
            continue;
        for (int j = i; j < b->thread_count; j++) {
            const thread *other = &b->threads[j];
            if (!other->ended && other->begun == t->begun && other->waits == t->waits &&
                (!t->waits || (other->file == t->file && other->line == t->line))) {
                printed[j] = true;
                same++;
            }
        }
        fprintf(stderr, "  block %u: %d threads %s", b->number, same,
                !t->begun  ? "have not begun"
                : t->waits ? t->waits
                           : "run");
        fprintf(stderr, t->waits ? " at %s:%d\n" : "\n", t->file, t->line);
    }
}

static void print_grid(const grid *g)
{
    for (unsigned i = 0; i < g->residents; i++)
        print_threads(g->resident[i]);
}

void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "simt: ");
    vfprintf(stderr, format, list);
    va_end(list);
    if (now) {
        const grid *g = now->home->grid;
        fprintf(stderr, " (launched at %s:%d, block %u %u %u, thread %u %u %u)\n", g->how->file,
                g->how->line, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                threadIdx.z);
        print_grid(g);
    } else {
        fprintf(stderr, "\n");
    }
    fflush(stderr);
    abort();
}

/* ---- fibers --------------------------------------------------------------------------------- */

/* Saves the registers that a call preserves and the stack pointer, and continues at `to`. */
extern "C" void simt_switch(void **save, void *to);
asm(R"(
.text
.globl simt_switch
.hidden simt_switch
.type simt_switch, @function
simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size simt_switch, .-simt_switch
)");
enum { SAVED_REGISTERS = 6 };

static void run_fiber();

static unsigned char *map(size_t bytes)
{
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory");
    return (unsigned char *)memory;
}

static fiber *take_fiber()
{
    fiber *f = self->idle;
    if (f) {
        self->idle = f->next;
    } else {
        if (self->slab == self->slab_end) {
            self->slab = (char *)map(SLAB * STACK);
            self->slab_end = self->slab + SLAB * STACK;
        }
        f = (fiber *)calloc(1, sizeof *f);
        f->stack = self->slab;
        f->tsan = tsan_fiber(self->host.tsan);
        self->slab += STACK;
        POISON(f->stack, 4096); /* an overflow of the stack is seen there */
    }
    void **top = (void **)(f->stack + STACK);
    *--top = nullptr; /* where run_fiber() would return to */
    *--top = (void *)run_fiber;
    f->sp = top - SAVED_REGISTERS;
    memset(f->sp, 0, SAVED_REGISTERS * sizeof *top);
    return f;
}

/* Returns the next thread of the block whose turn it is; NULL: the turn is over. */
static thread *next_thread()
{
    block *b = turn;
    while (b->quota > 0 && b->ready > 0) {
        b->quota--;
        if (seed())
            std::swap(b->queue[b->first],
                      b->queue[(b->first + (int)draw((uint64_t)b->ready)) % THREADS_MOST]);
        thread *t = b->queue[b->first];
        b->first = (b->first + 1) % THREADS_MOST;
        if (t->sleepy && (int)draw(16) < t->sleepy) {
            b->queue[(b->first + b->ready - 1) % THREADS_MOST] = t;
            continue;
        }
        b->ready--;
        b->grid->ready--;
        return t;
    }
    return nullptr;
}

static void make_ready(thread *t)
{
    block *b = t->home;
    b->queue[(b->first + b->ready++) % THREADS_MOST] = t;
    b->grid->ready++;
}

static void set_now(thread *t)
{
    now = t;
    if (t)
        threadIdx = t->at;
}

/* Continues with thread `to`, or with the host if it is NULL. */
static void continue_with(fiber *from, thread *to)
{
    set_now(to);
    if (to && !to->fiber)
        to->fiber = take_fiber();
    fiber *f = to ? to->fiber : &self->host;
    tsan_switch(f->tsan);
    simt_switch(&from->sp, f->sp);
}

/* Lets others run. */
static void pause()
{
    thread *t = now, *next = next_thread();
    if (next != t)
        continue_with(t->fiber, next);
}

static void wait(const char *what, const char *file, int line)
{
    now->waits = what;
    now->file = file;
    now->line = line;
    pause();
}

static void wake(thread *t)
{
    t->waits = nullptr;
    t->barrier = -1;
    t->meeting = 0;
    make_ready(t);
}

void yield()
{
    if (!now || (seed() && draw(4) == 0))
        return;
    if (++now->home->grid->polls > POLLS)
        fail("threads only poll");
    make_ready(now);
    pause();
}

void may_yield()
{
    if (now)
        now->home->grid->polls = 0;
    if (seed() && draw(4) == 0)
        yield();
}

static void end_thread(thread *t);

/* Runs threads until there is nothing to do for this fiber. */
static void run_fiber()
{
    for (;;) {
        thread *t = now;
        grid *g = t->home->grid;
        t->begun = true;
        ACQUIRE(&g->begins);
        ACQUIRE(t->home);
        (*g->kernel)();
        end_thread(t);
        RELEASE(&g->ends);
        fiber *f = t->fiber;
        t->fiber = nullptr;
        thread *next = next_thread();
        if (next && !next->fiber && !TSAN) { /* on the same stack, without a switch */
            next->fiber = f;
            set_now(next);
            continue;
        }
        fiber **list = TSAN ? &t->home->spent : &self->idle;
        if (next && !next->fiber)
            next->fiber = take_fiber(); /* before this one can be taken */
        f->next = *list;
        *list = f;
        continue_with(f, next);
    }
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* Adds shared memory to a block. It has no defined contents, so the bytes are arbitrary. */
static void add_shared(block *b, size_t at, size_t bytes)
{
    if (at + bytes > ARENA)
        fail("too much shared memory");
    UNPOISON(b->arena + at, bytes);
    memset(b->arena + at, seed() ? 1 + (int)draw(255) : 0xa5, bytes);
    b->used = at + bytes;
}

void *shared_dynamic() { return now->home->arena + DYNAMIC_AT; }

void *shared_array(const void *key, size_t bytes, size_t alignment)
{
    block *b = now->home;
    for (int i = 0; i < b->array_count; i++)
        if (b->arrays[i].key == key) {
            ACQUIRE(&b->arrays[i]); /* it was filled by the first thread that came */
            return b->arena + b->arrays[i].at;
        }
    const size_t at = (b->used + GAP + alignment - 1) / alignment * alignment;
    if (b->array_count == ARRAYS)
        fail("too much shared memory");
    b->arrays[b->array_count++] = {key, at};
    add_shared(b, at, bytes);
    RELEASE(&b->arrays[b->array_count - 1]);
    return b->arena + at;
}

unsigned char *shared_at(unsigned address, size_t bytes)
{
    const block *b = now->home;
    if (address < DYNAMIC_AT || address + bytes > b->used)
        fail("shared memory at %u, of %zu bytes", address, b->used);
    return b->arena + address;
}

unsigned shared_address(const void *pointer)
{
    const block *b = now->home;
    const ptrdiff_t at = (const unsigned char *)pointer - b->arena;
    if (at < DYNAMIC_AT || (size_t)at > b->used)
        fail("not a pointer to shared memory");
    return (unsigned)at;
}

/* ---- copies --------------------------------------------------------------------------------- */

static void copy_now(const copy &c)
{
    unsigned char *to = shared_at(c.to, c.size);
    if (c.bytes) /* by functions that sanitizers watch */
        memcpy(to, c.from, c.bytes);
    memset(to + c.bytes, 0, c.size - c.bytes);
}

void copy_later(unsigned to, const void *from, unsigned size, unsigned bytes)
{
    thread *t = now;
    if (to % size || (bytes && (uintptr_t)from % size))
        fail("a misaligned copy");
    if (bytes > size)
        fail("a copy of %u bytes to %u", bytes, size);
    if (t->copies == COPIES)
        fail("too many pending copies");
    const copy c = {to, size, bytes, t->group, from};
    t->fiber->copies[t->copies++] = c;
    if (seed() && draw(2)) /* arrives now, and at the end once more */
        copy_now(c);
}

void copies_commit() { now->group++; }

/* Completes all copies but those of the last `pending` groups. */
void copies_wait(unsigned pending)
{
    thread *t = now;
    int kept = 0;
    for (int i = 0; i < t->copies; i++) {
        copy *c = &t->fiber->copies[i];
        if (c->group + pending < t->group || t->ended)
            copy_now(*c);
        else
            t->fiber->copies[kept++] = *c;
    }
    t->copies = kept;
}

/* ---- meeting points ------------------------------------------------------------------------- */

static bool same_place(const thread *t, const char *file, int line)
{
    return t->line == line && (t->file == file || strcmp(t->file, file) == 0);
}

static void open_barrier(block *b, int number, const thread *last)
{
    barrier *all = &b->barriers[number];
    for (int i = 0; i < b->thread_count; i++) {
        thread *t = &b->threads[i];
        if (t->barrier != number || t->ended)
            continue;
        t->result = all->sum;
        if (t != last)
            wake(t);
    }
    b->grid->polls = 0;
    all->order.turn++;
    all->count = all->waiting = 0;
    all->sum = 0;
}

static bool is_full(const block *b, int number)
{
    const barrier *all = &b->barriers[number];
    return all->waiting && all->waiting == (all->count ? all->count : b->alive);
}

uint64_t meet_block(int number, int count, uint64_t value, const char *file, int line)
{
    thread *t = now;
    block *b = t->home;
    barrier *all = &b->barriers[number];
    for (int i = 0; all->waiting && i < b->thread_count; i++) {
        const thread *other = &b->threads[i];
        if (other->barrier != number)
            continue;
        if (!same_place(other, file, line))
            fail("threads meet at %s:%d and at %s:%d", other->file, other->line, file, line);
        if (all->count != count)
            fail("%s:%d: threads of a barrier expect %d and %d", file, line, all->count, count);
        break;
    }
    all->count = count;
    all->sum += value;
    all->waiting++;
    t->barrier = number;
    char *const order = &all->order.at[all->order.turn & 1];
    RELEASE(order);
    if (is_full(b, number)) {
        open_barrier(b, number, t);
        t->barrier = -1;
    } else {
        wait("wait at a barrier", file, line);
    }
    ACQUIRE(order);
    return t->result;
}

/* Returns the lane whose value lane `i` gets. */
static int source_of(const thread *t, meeting_kind kind)
{
    const int i = t->lane, by = t->parameter, first = i & ~(t->width - 1),
              last = first + t->width - 1;
    switch (kind) {
    case SHUFFLE_INDEX:
        return first + (by & (t->width - 1));
    case SHUFFLE_UP:
        return i - by < first ? i : i - by;
    case SHUFFLE_DOWN:
        return i + by > last ? i : i + by;
    default:
        return (i ^ by) > last ? i : i ^ by;
    }
}

/* Takes the value of a lane that has come; that of a lane which is not there is undefined. */
static uint64_t taken(const meeting *m, int from)
{
    return m->arrived >> from & 1 ? m->values[from] : 0xdeadbeefdeadbeefu;
}

static bool complete(const warp *w, const meeting *m)
{
    return (m->arrived & w->alive) == (m->mask & w->alive);
}

/* Ends a meeting: gives every lane that waits its result. */
static void end_meeting(block *b, int first_lane, int place, thread *last)
{
    warp *w = &b->warps[first_lane / WARP];
    meeting *m = &w->meetings[place];
    uint64_t ballot = 0;
    for (int i = 0; i < WARP; i++)
        if (m->arrived >> i & 1)
            ballot |= (uint64_t)(m->values[i] != 0) << i;
    for (int i = 0; i < WARP; i++) {
        thread *t = &b->threads[first_lane + i];
        if (!(m->arrived >> i & 1) || (t != last && t->meeting != m->number))
            continue;
        t->result = m->kind > BALLOT ? taken(m, source_of(t, m->kind)) : ballot;
        if (t != last)
            wake(t);
    }
    *m = w->meetings[--w->meeting_count];
}

/* Returns the first meeting of a mask that lane `t` has not come to; a new one if there is none. */
static meeting *join(warp *w, const thread *t, meeting_kind kind, unsigned mask, const char *file,
                     int line)
{
    meeting *found = nullptr;
    for (int i = 0; i < w->meeting_count; i++) {
        meeting *m = &w->meetings[i];
        if (m->arrived >> t->lane & 1)
            continue;
        if (m->mask != mask && m->mask >> t->lane & 1 && m->arrived & mask) /* both would wait */
            fail("%s:%d: mask %08x, but lanes wait with %08x at %s:%d", file, line, mask, m->mask,
                 m->file, m->line);
        if (m->mask == mask && (!found || m->number < found->number))
            found = m;
    }
    if (!found) {
        found = &w->meetings[w->meeting_count++];
        *found = {++w->begun, mask, 0, kind, file, line, {}};
    }
    if (found->kind != kind || found->line != line || strcmp(found->file, file) != 0)
        fail("lanes of a warp meet at %s:%d and at %s:%d", found->file, found->line, file, line);
    return found;
}

/* Shuffles and votes order no memory. So, if there is a seed, a lane goes on from a shuffle as soon
 * as the value has come that it takes, and lanes behind it see memory as the lane has left it. */
uint64_t meet_warp(meeting_kind kind, unsigned mask, uint64_t value, int parameter, int width,
                   const char *file, int line)
{
    thread *t = now;
    block *b = t->home;
    const int lane = t->lane, first_lane = (int)(t - b->threads) - lane;
    warp *w = &b->warps[first_lane / WARP];
    if (!(mask >> lane & 1))
        fail("%s:%d: lane %d is not in its mask %08x", file, line, lane, mask);
    meeting *m = join(w, t, kind, mask, file, line);
    char *const order = &w->order[m->number % ORDERS];
    if (kind == SYNC)
        RELEASE(order);
    m->arrived |= 1u << lane;
    m->values[lane] = value;
    t->parameter = parameter;
    t->width = width;
    if (complete(w, m)) {
        end_meeting(b, first_lane, (int)(m - w->meetings), t);
    } else {
        const bool early = seed() && kind > BALLOT && w->meeting_count <= MEETINGS - WARP;
        for (int i = 0; early && i < WARP; i++) { /* lanes that take this one's value */
            thread *other = &b->threads[first_lane + i];
            if (m->arrived >> i & 1 && other->meeting == m->number &&
                source_of(other, kind) == lane) {
                other->result = value;
                wake(other);
            }
        }
        if (early && m->arrived >> source_of(t, kind) & 1) {
            t->result = taken(m, source_of(t, kind));
        } else {
            t->meeting = m->number;
            wait("wait for their warp", file, line);
        }
    }
    if (kind == SYNC)
        ACQUIRE(order);
    return t->result;
}

/* Wakes all threads that wait for `what` in blocks [first, first + count). */
static void wake_blocks(grid *g, const char *what, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < g->residents; i++) {
        block *b = g->resident[i];
        for (int k = 0; b->number - first < count && k < b->thread_count; k++)
            if (b->threads[k].waits == what)
                wake(&b->threads[k]);
    }
}

void meet_grid()
{
    static const char what[] = "wait for the grid";
    grid *g = now->home->grid;
    g->polls = 0;
    if (!g->how->cooperative)
        fail("a grid meets that was not launched to");
    RELEASE(&g->order);
    if (++g->at_grid == g->alive) {
        g->at_grid = 0;
        wake_blocks(g, what, 0, ~0u);
    } else {
        wait(what, g->how->file, g->how->line);
    }
    ACQUIRE(&g->order);
}

unsigned cluster_blocks() { return now->home->grid->how->cluster; }

void meet_cluster()
{
    static const char what[] = "wait for their cluster";
    grid *g = now->home->grid;
    g->polls = 0;
    const unsigned count = g->how->cluster, first = now->home->number / count * count;
    int missing = -1; /* without this thread */
    for (unsigned i = 0; i < g->residents; i++) {
        const block *b = g->resident[i];
        for (int k = 0; b->number - first < count && k < b->thread_count; k++)
            missing += !b->threads[k].ended && b->threads[k].waits != what;
    }
    RELEASE(&g->order);
    if (missing == 0)
        wake_blocks(g, what, first, count);
    else
        wait(what, g->how->file, g->how->line);
    ACQUIRE(&g->order);
}

/* Ends a thread; those that wait for it no longer do. */
static void end_thread(thread *t)
{
    block *b = t->home;
    const int first_lane = (int)(t - b->threads) - t->lane;
    warp *w = &b->warps[first_lane / WARP];
    t->ended = true;
    copies_wait(0);
    b->grid->polls = 0;
    b->grid->alive--;
    b->alive--;
    w->alive &= ~(1u << t->lane);
    for (int i = w->meeting_count - 1; i >= 0; i--)
        if (complete(w, &w->meetings[i]))
            end_meeting(b, first_lane, i, nullptr);
    if (b->barriers[0].count == 0 && is_full(b, 0))
        open_barrier(b, 0, nullptr);
}

/* ---- launches ------------------------------------------------------------------------------- */

int resident_blocks(size_t threads, size_t shared)
{
    const size_t by_threads = RESIDENT_THREADS / std::max(threads, (size_t)WARP);
    const size_t by_memory =
        (SHARED_MOST + SHARED_TAKEN) / std::max(shared + SHARED_TAKEN, (size_t)1);
    return (int)std::min({by_threads, by_memory, (size_t)RESIDENT_BLOCKS});
}

static block *open_block(grid *g, unsigned number)
{
    const dim3 size = g->how->block;
    block *b = self->spare;
    if (b) {
        self->spare = b->next;
    } else {
        b = (block *)calloc(1, sizeof *b);
        if (!b)
            fail("no memory");
    }
    if (TSAN && b->arena) { /* memory that it has not seen used by another block */
        munmap(b->arena, ARENA);
        b->arena = nullptr;
    }
    if (!b->arena)
        b->arena = map(ARENA);
    unsigned char *const arena = b->arena;
    memset(b, 0, offsetof(block, queue));
    b->arena = arena;
    b->grid = g;
    b->number = number;
    b->thread_count = b->alive = (int)(size.x * size.y * size.z);
    g->alive += b->thread_count;
    POISON(arena, ARENA);
    add_shared(b, DYNAMIC_AT, g->how->shared);
    for (int i = 0; i * WARP < b->thread_count; i++)
        memset(&b->warps[i], 0, offsetof(warp, meetings));
    memset(b->threads, 0, (size_t)b->thread_count * sizeof *b->threads);
    /* Lanes that are slow one by one make all warps as slow; whole warps get ahead of others. */
    const bool together = seed() && draw(2);
    int sleepy = 0;
    for (int i = 0; i < b->thread_count; i++) {
        thread *t = &b->threads[i];
        const unsigned u = (unsigned)i;
        t->at = {u % size.x, u / size.x % size.y, u / size.x / size.y};
        t->home = b;
        t->lane = i % WARP;
        t->barrier = -1;
        if (seed() && (!together || t->lane == 0))
            sleepy = draw(4) == 0 ? (int)draw(16) : 0;
        t->sleepy = sleepy;
        b->warps[i / WARP].alive |= 1u << t->lane;
        make_ready(t);
    }
    RELEASE(b);
    return b;
}

static void close_block(block *b)
{
    while (b->spent) {
        fiber *f = b->spent;
        b->spent = f->next;
        f->next = self->idle;
        self->idle = f;
    }
    b->next = self->spare;
    self->spare = b;
}

/* Machines are shared by the threads of the system, because stacks are expensive. */
static pthread_mutex_t machines_lock = PTHREAD_MUTEX_INITIALIZER;
static machine *machines;

static machine *take_machine()
{
    pthread_mutex_lock(&machines_lock);
    machine *m = machines;
    if (m)
        machines = m->next;
    pthread_mutex_unlock(&machines_lock);
    return m ? m : (machine *)calloc(1, sizeof *m);
}

static void return_machine(machine *m)
{
    pthread_mutex_lock(&machines_lock);
    m->next = machines;
    machines = m;
    pthread_mutex_unlock(&machines_lock);
}

/* Gives a block its turn: each ready thread runs once, at random fewer of them. */
static void run_block(block *b)
{
    b->quota = b->ready;
    if (seed() && draw(4) == 0)
        b->quota = 1 + (int)draw((uint64_t)b->ready);
    turn = b;
    const dim3 size = b->grid->how->block, n = b->grid->how->grid;
    blockIdx = {b->number % n.x, b->number / n.x % n.y, b->number / n.x / n.y};
    blockDim = {size.x, size.y, size.z};
    gridDim = {n.x, n.y, n.z};
    if (thread *t = next_thread())
        continue_with(&self->host, t);
}

void run(const shape &how, const body &kernel)
{
    const unsigned total = how.grid.x * how.grid.y * how.grid.z;
    const unsigned threads = how.block.x * how.block.y * how.block.z;
    const unsigned most =
        how.cooperative || how.cluster > 1
            ? total
            : (unsigned)(resident_blocks(threads, how.shared) * multiprocessors());
    const clock_t begin = clock();
    grid g = {};
    unsigned opened = 0, next = 0;
    g.how = &how;
    g.kernel = &kernel;
    g.resident = (block **)calloc(std::min(most, total), sizeof *g.resident);
    self = take_machine();
    self->host.tsan = tsan_self();
    RELEASE(&g.begins); /* what the host did comes before */
    while (opened < total || g.residents) {
        while (opened < total && g.residents < most)
            g.resident[g.residents++] = open_block(&g, opened++);
        if (g.ready == 0) {
            fprintf(stderr, "simt: all threads wait (launched at %s:%d)\n", how.file, how.line);
            print_grid(&g);
            abort();
        }
        next = seed() ? (unsigned)draw(g.residents) : (next + 1) % g.residents;
        block *b = g.resident[next];
        if (b->ready)
            run_block(b);
        if (b->alive == 0) {
            close_block(b);
            memmove(&g.resident[next], &g.resident[next + 1],
                    (--g.residents - next) * sizeof *g.resident);
        }
    }
    ACQUIRE(&g.ends);
    return_machine(self);
    free(g.resident);
    if (setting("RO_SIMT_TRACE", 0))
        fprintf(stderr, "simt: %.3f s, %u blocks of %u, %zu bytes, %s:%d\n",
                (double)(clock() - begin) / CLOCKS_PER_SEC, total, threads, how.shared, how.file,
                how.line);
}

} // namespace simt
