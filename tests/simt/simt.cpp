/* SPDX-License-Identifier: MIT */
/*
 * Runs CUDA kernels on the processor: a thread of a kernel is a fiber, blocks take turns, warps
 * meet where the code says that they do and nowhere else. One thread of the system runs it all, so
 * that a run can be repeated. The environment chooses:
 *
 *   RO_SIMT_SEED=N     schedules drawn by N: which thread goes on, where it stops, when a copy
 *                      arrives, how far approximations are off; 0 or nothing is round robin
 *   RO_SIMT_SMS=N      multiprocessors (4)
 *   RO_SIMT_TRACE=1    a line for each launch
 */
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define POISON(p, n) __asan_poison_memory_region(p, n)
#define UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
#else
#define POISON(p, n) (void)0
#define UNPOISON(p, n) (void)0
#endif
#if defined(SIMT_TSAN) /* kernels are instrumented, this file is not */
#include <sanitizer/tsan_interface.h>
#define ACQUIRE(p) __tsan_acquire(p)
#define RELEASE(p) __tsan_release(p)
#else
#define ACQUIRE(p) (void)0
#define RELEASE(p) (void)0
#endif

char simt_fence;
__thread uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace simt {

enum { WARP = 32, ARENA = 320 << 10, DYNAMIC_AT = 1024, GAP = 64, STACK = 256 << 10,
       SHARED_MOST = 227 << 10, THREADS_MOST = 2048, BLOCKS_MOST = 32, BARRIERS = 16 };


static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value && *value ? atol(value) : otherwise;
}
static int sms() { static const int n = (int)setting("RO_SIMT_SMS", 4); return n; }
static uint64_t seed() { static const uint64_t n = (uint64_t)setting("RO_SIMT_SEED", 0); return n; }

static __thread uint64_t dice;
static uint64_t draw(uint64_t below)
{
    if (!dice)
        dice = seed() * 0x9e3779b97f4a7c15u + 88172645463325252u;
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (dice >> 11) % below;
}

/* ---- fibers --------------------------------------------------------------------------------- */

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

struct block;
struct grid;
struct later { unsigned to, size, bytes; const void *from; };

struct stack {
    char *low;
    void *tsan;
};

struct thread {
    place at;
    struct block *block;
    void *sp;
    stack fiber;
    bool started, done;
    const char *waits, *file; /* for what, where */
    int line;
    uint64_t result;
    std::vector<later> copies;   /* under way */
    std::vector<size_t> groups;  /* how many of them each group has */
    size_t open;                 /* copies of no group yet */
};

struct meeting { /* of lanes with the same mask */
    unsigned mask, arrived;
    int kind, line;
    const char *file;
    thread *lanes[WARP];
    uint64_t value[WARP];
    unsigned parameter[WARP];
};
struct warp {
    unsigned there; /* lanes that have not ended */
    char order[2]; /* of one meeting and the next, for the thread sanitizer */
    unsigned turn;
    std::vector<meeting> meetings;
};
struct barrier {
    int expected; /* 0: all */
    uint64_t sum;
    std::vector<thread *> waiting;
    char order[2];
    unsigned turn;
};
struct slot { const void *key; size_t at; };

struct block {
    struct grid *grid;
    uint3 number;
    unsigned flat;
    std::vector<thread> threads;
    std::vector<warp> warps;
    std::deque<thread *> ready;
    int alive;
    barrier barriers[BARRIERS];
    unsigned char *arena;
    size_t used;
    std::vector<slot> slots;
    std::vector<stack> spent; /* of threads that ended */
};

struct grid {
    shape how;
    const body *kernel;
    std::vector<block *> resident;
    std::vector<thread *> at_grid;            /* that wait for all blocks */
    std::map<unsigned, std::vector<thread *>> at_cluster;
    size_t alive; /* threads of resident blocks */
    uint64_t idle; /* yields since anything else happened */
};

static __thread thread *now;
static __thread void *scheduler_sp;
static __thread void *scheduler_tsan;
static __thread std::vector<stack> *free_stacks;
static __thread std::vector<unsigned char *> *free_arenas;

static void dump(const grid *g)
{
    for (const block *b : g->resident) {
        std::map<std::pair<std::string, int>, int> where;
        for (const thread &t : b->threads)
            if (!t.done)
                where[{std::string(!t.started ? "not begun" : t.waits ? t.waits : "runs") + " " + (t.waits && t.file ? t.file : ""), t.waits ? t.line : 0}]++;
        for (const auto &w : where)
            fprintf(stderr, "  block %u: %d threads: %s:%d\n", b->flat, w.second, w.first.first.c_str(), w.first.second);
    }
}

void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "simt: ");
    vfprintf(stderr, format, list);
    va_end(list);
    if (now) {
        fprintf(stderr, " (launched at %s:%d, block %u %u %u, thread %u %u %u)\n", now->block->grid->how.file, now->block->grid->how.line, blockIdx.x,
                blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
        dump(now->block->grid);
    } else
        fprintf(stderr, "\n");
    fflush(stderr);
    abort();
}

static void to_scheduler(bool ends)
{
    thread *t = now;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = nullptr;
    (void)fake;
#endif
#if defined(SIMT_TSAN)
    __tsan_switch_to_fiber(scheduler_tsan, 1 /* no order */);
#endif
    simt_switch(&t->sp, scheduler_sp);
}

static void ended(thread *t);

static void fiber_main()
{
    for (;;) {
        thread *t = now;
        ACQUIRE(t->block->grid);
        ACQUIRE(t->block->arena);
        (*t->block->grid->kernel)();
        if (!t->copies.empty() || t->open)
            copies_wait(0);
        t = now;
        RELEASE(t->block->grid);
        RELEASE(t->block->arena);
        ended(t);
        to_scheduler(true);
    }
}

static stack take_stack()
{
    if (!free_stacks)
        free_stacks = new std::vector<stack>, free_arenas = new std::vector<unsigned char *>;
    stack s;
    if (!free_stacks->empty()) {
        s = free_stacks->back();
        free_stacks->pop_back();
        UNPOISON(s.low + 4096, STACK - 4096);
    } else {
        static __thread char *slab, *slab_end; /* many at once: mappings are few */
        if (slab == slab_end) {
            slab = (char *)mmap(nullptr, 64 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (slab == MAP_FAILED)
                fail("no memory for stacks");
            slab_end = slab + 64 * STACK;
        }
        s.low = slab;
        slab += STACK;
        POISON(s.low, 4096);
        s.tsan = nullptr;
#if defined(SIMT_TSAN)
        s.tsan = __tsan_create_fiber(0);
#endif
    }
    return s;
}

static void resume(thread *t)
{
    now = t;
    threadIdx = t->at.thread, blockIdx = t->at.block, blockDim = t->at.block_dim, gridDim = t->at.grid_dim;
    if (!t->started) {
        t->started = true;
        t->fiber = take_stack();
        void **top = (void **)(t->fiber.low + STACK);
        *--top = nullptr; /* where fiber_main would return to */
        *--top = (void *)fiber_main;
        top -= 6;
        memset(top, 0, 6 * sizeof *top);
        t->sp = top;
    }
#if defined(SIMT_TSAN)
    __tsan_switch_to_fiber(t->fiber.tsan, 1);
#endif
    simt_switch(&scheduler_sp, t->sp);
    now = nullptr;
    if (t->done) {
#if defined(SIMT_TSAN) /* threads of a block that follow one another must not look like one */
        t->block->spent.push_back(t->fiber);
#else
        free_stacks->push_back(t->fiber);
#endif
        t->fiber.low = nullptr;
    }
}

static void wake(thread *t)
{
    t->waits = nullptr;
    t->block->grid->idle = 0;
    t->block->ready.push_back(t);
}
static void wait(const char *what, const char *file, int line)
{
    now->waits = what;
    now->file = file;
    now->line = line;
    to_scheduler(false);
}

void yield()
{
    if (!now)
        return;
    if (seed() && draw(4) == 0) /* goes on at once */
        return;
    grid *g = now->block->grid;
    if (++g->idle > 30000000u)
        fail("nothing but polling for long");
    now->block->ready.push_back(now);
    to_scheduler(false);
}
void may_yield()
{
    if (seed() && now && draw(4) == 0)
        yield();
}

/* ---- shared memory -------------------------------------------------------------------------- */

void *shared_dynamic() { return now->block->arena + DYNAMIC_AT; }

void *shared_place(const void *key, size_t bytes, size_t alignment)
{
    block *b = now->block;
    for (const slot &s : b->slots)
        if (s.key == key)
            return b->arena + s.at;
    const size_t at = (b->used + GAP + alignment - 1) / alignment * alignment;
    if (at + bytes > ARENA)
        fail("too much shared memory");
    b->slots.push_back({key, at});
    b->used = at + bytes;
    UNPOISON(b->arena + at, bytes);
    return b->arena + at;
}
unsigned char *shared_at(unsigned address, size_t bytes)
{
    if (address < DYNAMIC_AT || address + bytes > now->block->used)
        fail("shared memory at %u, of %zu", address, now->block->used);
    return now->block->arena + address;
}
size_t shared_address(const void *pointer)
{
    const ptrdiff_t at = (const unsigned char *)pointer - now->block->arena;
    if (at < DYNAMIC_AT || (size_t)at > now->block->used)
        fail("not an address in shared memory");
    return (size_t)at;
}

/* ---- copies --------------------------------------------------------------------------------- */

static void copy_now(const later &c)
{
    unsigned char *to = shared_at(c.to, c.size);
    for (unsigned i = 0; i < c.size; i++)
        to[i] = i < c.bytes ? ((const unsigned char *)c.from)[i] : 0;
}
void copy_later(unsigned to, const void *from, unsigned size, unsigned bytes)
{
    if (to % size || (bytes && (uintptr_t)from % size))
        fail("a misaligned copy");
    if (bytes > size)
        fail("a copy of %u bytes to %u", bytes, size);
    const later c = {to, size, bytes, from};
    if (seed() && draw(2)) /* arrives at once, and perhaps once more */
        copy_now(c);
    now->copies.push_back(c);
    now->open++;
}
void copies_commit()
{
    now->groups.push_back(now->open);
    now->open = 0;
}
void copies_wait(int pending)
{
    thread *t = now;
    while (t->groups.size() > (size_t)pending) {
        for (size_t i = 0; i < t->groups[0]; i++)
            copy_now(t->copies[i]);
        t->copies.erase(t->copies.begin(), t->copies.begin() + (ptrdiff_t)t->groups[0]);
        t->groups.erase(t->groups.begin());
    }
}

/* ---- meeting -------------------------------------------------------------------------------- */

static void open_barrier(barrier &b, thread *but)
{
    for (thread *t : b.waiting) {
        t->result = b.sum;
        if (t != but)
            wake(t);
    }
    b.waiting.clear();
    b.turn++;
    b.sum = 0;
    b.expected = 0;
}
static bool complete(const block *k, const barrier &b)
{
    return !b.waiting.empty() && (int)b.waiting.size() == (b.expected ? b.expected : k->alive);
}

uint64_t meet_block(int number, int count, int kind, uint64_t value, const char *file, int line)
{
    thread *t = now;
    block *k = t->block;
    barrier &b = k->barriers[number];
    if (!b.waiting.empty() && (b.waiting[0]->line != line || strcmp(b.waiting[0]->file, file) != 0))
        fail("threads meet at %s:%d and at %s:%d", b.waiting[0]->file, b.waiting[0]->line, file, line);
    if (!b.waiting.empty() && b.expected != count)
        fail("%s:%d: threads of one barrier expect %d and %d", file, line, b.expected, count);
    b.expected = count;
    b.sum += value;
    b.waiting.push_back(t);
    t->file = file, t->line = line;
    char *const order = &b.order[b.turn & 1];
    RELEASE(order);
    if (complete(k, b))
        open_barrier(b, t);
    else
        wait("barrier", file, line);
    ACQUIRE(order);
    (void)order;
    return t->result;
}

static void close_meeting(meeting &m, thread *but)
{
    unsigned ballot = 0;
    for (int i = 0; i < WARP; i++)
        if (m.arrived >> i & 1)
            ballot |= (unsigned)(m.value[i] != 0) << i;
    for (int i = 0; i < WARP; i++) {
        if (!(m.arrived >> i & 1))
            continue;
        const unsigned width = m.parameter[i] >> 16;
        const int by = (int16_t)m.parameter[i];
        int from = i;
        if (m.kind == BALLOT)
            m.lanes[i]->result = ballot;
        else if (m.kind != SYNC_WARP) {
            const int first = i & ~(int)(width - 1), last = first + (int)width - 1;
            if (m.kind == SHUFFLE_AT)
                from = first + (by & (int)(width - 1));
            else if (m.kind == SHUFFLE_UP)
                from = i - by < first ? i : i - by;
            else if (m.kind == SHUFFLE_DOWN)
                from = i + by > last ? i : i + by;
            else
                from = (i ^ by) > last ? i : i ^ by;
            /* what lanes give that are not there is not defined */
            m.lanes[i]->result = m.arrived >> from & 1 ? m.value[from] : 0xdeadbeefdeadbeefu;
        }
        if (m.lanes[i] != but)
            wake(m.lanes[i]);
    }
}

uint64_t meet_warp(int kind, unsigned mask, uint64_t value, unsigned parameter, const char *file, int line)
{
    thread *t = now;
    block *k = t->block;
    const int lane = t->at.lane;
    warp &w = k->warps[(size_t)((t - k->threads.data()) / WARP)];
    if (!(mask >> lane & 1))
        fail("%s:%d: lane %d is not in its mask %08x", file, line, lane, mask);
    meeting *m = nullptr;
    for (meeting &other : w.meetings)
        if (other.mask == mask)
            m = &other;
        else if (other.mask & mask)
            fail("%s:%d: mask %08x, while others wait with %08x at %s:%d", file, line, mask, other.mask, other.file, other.line);
    if (!m) {
        w.meetings.push_back({mask, 0, kind, line, file, {}, {}, {}});
        m = &w.meetings.back();
    }
    if (m->kind != kind || m->line != line || strcmp(m->file, file) != 0)
        fail("lanes of a warp meet at %s:%d and at %s:%d", m->file, m->line, file, line);
    m->arrived |= 1u << lane;
    m->lanes[lane] = t;
    m->value[lane] = value;
    m->parameter[lane] = parameter;
    char *const order = &w.order[w.turn & 1];
    (void)order;
    if (kind == SYNC_WARP)
        RELEASE(order);
    if (m->arrived == (mask & w.there)) {
        meeting all = *m;
        w.turn++;
        w.meetings.erase(w.meetings.begin() + (m - w.meetings.data()));
        close_meeting(all, t);
    } else
        wait("warp", file, line);
    if (kind == SYNC_WARP)
        ACQUIRE(order);
    return t->result;
}

static void ended(thread *t)
{
    block *k = t->block;
    warp &w = k->warps[(size_t)((t - k->threads.data()) / WARP)];
    t->done = true;
    k->grid->idle = 0;
    k->grid->alive--;
    k->alive--;
    w.there &= ~(1u << t->at.lane);
    for (size_t i = 0; i < w.meetings.size(); i++)
        if (w.meetings[i].arrived == (w.meetings[i].mask & w.there)) {
            meeting all = w.meetings[i];
            w.meetings.erase(w.meetings.begin() + (ptrdiff_t)i--);
            close_meeting(all, nullptr);
        }
    if (complete(k, k->barriers[0]))
        open_barrier(k->barriers[0], nullptr);
}

void meet_grid()
{
    grid *g = now->block->grid;
    if (!g->how.cooperative)
        fail("a grid that was not launched to meet");
    RELEASE(g);
    g->at_grid.push_back(now);
    if (g->at_grid.size() == g->alive) {
        for (thread *t : g->at_grid)
            if (t != now)
                wake(t);
        g->at_grid.clear();
    } else
        wait("grid", nullptr, 0);
    ACQUIRE(now->block->grid);
}
unsigned cluster_blocks() { return now->block->grid->how.cluster; }
void meet_cluster()
{
    grid *g = now->block->grid;
    const unsigned number = now->block->flat / g->how.cluster;
    std::vector<thread *> &there = g->at_cluster[number];
    size_t alive = 0;
    for (const block *b : g->resident)
        alive += b->flat / g->how.cluster == number ? (size_t)b->alive : 0;
    RELEASE(&there);
    there.push_back(now);
    if (there.size() == alive) {
        for (thread *t : there)
            if (t != now)
                wake(t);
        there.clear();
    } else
        wait("cluster", nullptr, 0);
    ACQUIRE(&g->at_cluster[number]);
}

/* ---- a launch ------------------------------------------------------------------------------- */

static int blocks_at_once(unsigned threads, size_t shared)
{
    int n = (int)(THREADS_MOST / (threads ? threads : 1));
    n = std::min(n, (int)BLOCKS_MOST);
    return std::min(n, (int)((228 << 10) / (shared + 1024)));
}

static block *open_block(grid *g, unsigned flat)
{
    const dim3 n = g->how.grid, size = g->how.block;
    const size_t count = (size_t)size.x * size.y * size.z;
    block *b = new block();
    b->grid = g;
    b->flat = flat;
    b->number = {flat % n.x, flat / n.x % n.y, flat / n.x / n.y};
    b->threads.resize(count);
    b->warps.resize((count + WARP - 1) / WARP);
    b->alive = (int)count;
    g->alive += count;
    if (!free_arenas)
        free_stacks = new std::vector<stack>, free_arenas = new std::vector<unsigned char *>;
    if (!free_arenas->empty()) {
        b->arena = free_arenas->back();
        free_arenas->pop_back();
    } else if (posix_memalign((void **)&b->arena, 1024, ARENA))
        fail("no memory");
    UNPOISON(b->arena, ARENA);
    memset(b->arena, seed() ? (int)draw(256) : 0xa5, ARENA); /* nobody may count on it */
    POISON(b->arena, ARENA);
    UNPOISON(b->arena + DYNAMIC_AT, g->how.shared);
    b->used = DYNAMIC_AT + g->how.shared;
    for (size_t i = 0; i < count; i++) {
        thread &t = b->threads[i];
        t.at.thread = {(unsigned)i % size.x, (unsigned)i / size.x % size.y, (unsigned)i / size.x / size.y};
        t.at.block = b->number;
        t.at.block_dim = {size.x, size.y, size.z};
        t.at.grid_dim = {n.x, n.y, n.z};
        t.at.lane = (int)(i % WARP);
        t.block = b;
        b->warps[i / WARP].there |= 1u << t.at.lane;
        b->ready.push_back(&t);
    }
    RELEASE(b->arena);
    return b;
}

static void run(const shape &how, const body &kernel)
{
    const auto begin = std::chrono::steady_clock::now();
    if (now)
        fail("a launch in a kernel");
    grid g = {};
    g.how = how;
    g.kernel = &kernel;
#if defined(SIMT_TSAN)
    scheduler_tsan = __tsan_get_current_fiber();
#endif
    const unsigned total = how.grid.x * how.grid.y * how.grid.z;
    const unsigned threads = how.block.x * how.block.y * how.block.z;
    const unsigned most = how.cooperative || how.cluster > 1 ? total : (unsigned)(blocks_at_once(threads, how.shared) * sms());
    unsigned next = 0;
    size_t turn = 0;
    RELEASE(&g); /* what the host did comes before */
    while (next < total || !g.resident.empty()) {
        while (next < total && g.resident.size() < most)
            g.resident.push_back(open_block(&g, next++));
        bool ran = false;
        for (size_t tries = 0; tries < g.resident.size() && !ran; tries++) {
            turn = seed() && tries == 0 ? draw(g.resident.size()) : (turn + 1) % g.resident.size();
            block *b = g.resident[turn];
            size_t batch = b->ready.size();
            if (seed() && batch > 1)
                batch = 1 + draw(batch);
            for (; batch && !b->ready.empty(); batch--) {
                if (seed()) {
                    const size_t pick = draw(b->ready.size());
                    std::swap(b->ready[0], b->ready[pick]);
                }
                thread *t = b->ready.front();
                b->ready.pop_front();
                resume(t);
                ran = true;
            }
            if (b->alive == 0) {
                free_arenas->push_back(b->arena);
                free_stacks->insert(free_stacks->end(), b->spent.begin(), b->spent.end());
                g.resident.erase(g.resident.begin() + (ptrdiff_t)turn);
                delete b;
                turn = 0;
                ran = true;
            }
        }
        if (!ran) {
            fprintf(stderr, "simt: all threads wait (launched at %s:%d)\n", how.file, how.line);
            dump(&g);
            abort();
        }
    }
    ACQUIRE(&g);
    if (setting("RO_SIMT_TRACE", 0)) {
        fprintf(stderr, "simt: %.3f s, %u blocks of %u, %zu bytes, %s:%d\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), total, threads, how.shared, how.file, how.line);
    }
}

static __thread int last_error;

/* ---- numbers -------------------------------------------------------------------------------- */

float nearly(float exact, int ulps)
{
    if (!seed() || !isfinite(exact) || exact == 0)
        return exact;
    const int off = (int)draw(2 * (uint64_t)ulps + 1) - ulps;
    for (int i = 0; i < abs(off); i++)
        exact = nextafterf(exact, off < 0 ? -INFINITY : INFINITY);
    return exact;
}
float rounded_down_to_zero(double value)
{
    float f = (float)value;
    if (isfinite(f) ? fabs((double)f) > fabs(value) : isfinite(value))
        f = nextafterf(f, 0);
    return f;
}

/* ---- kernels by address --------------------------------------------------------------------- */

static std::mutex &lock() { static std::mutex m; return m; }
static std::map<const void *, binder *> &binders() { static auto *m = new std::map<const void *, binder *>; return *m; }
void remember(const void *kernel, binder *bind)
{
    std::lock_guard<std::mutex> held(lock());
    binders()[kernel] = bind;
}
binder *remembered(const void *kernel)
{
    std::lock_guard<std::mutex> held(lock());
    auto found = binders().find(kernel);
    return found == binders().end() ? nullptr : found->second;
}

} // namespace simt

/* ---- the runtime: streams do their work at once ----------------------------------------------- */

float __fmaf_rz(float a, float b, float c)
{
    /* the product is exact; the sum of two doubles is rounded to odd before it is cut */
    const double p = (double)a * b, s = p + c;
    const double t = s - p, e = (p - (s - t)) + (c - t); /* what the sum lost */
    if (e == 0 || !isfinite(s))
        return simt::rounded_down_to_zero(s);
    double toward = (e > 0) == (s > 0) ? s : nextafter(s, 0); /* cut in double, then in float */
    return simt::rounded_down_to_zero(toward);
}

struct simt_graph { std::vector<std::function<void()>> steps; };
struct simt_stream { simt_graph *capture; };
struct simt_event { std::chrono::steady_clock::time_point when; };
static std::map<const char *, std::pair<size_t, cudaMemoryType>> &memory() { static auto *m = new std::map<const char *, std::pair<size_t, cudaMemoryType>>; return *m; }

template <class F> static void enqueue(cudaStream_t stream, F f)
{
    if (stream && stream->capture)
        stream->capture->steps.push_back(f);
    else
        f();
}

int simt::launch(const shape &how, body kernel)
{
    const size_t threads = (size_t)how.block.x * how.block.y * how.block.z;
    const size_t blocks = (size_t)how.grid.x * how.grid.y * how.grid.z;
    if (!threads || threads > 1024 || !blocks || how.grid.y > 65535 || how.grid.z > 65535 || how.shared > SHARED_MOST)
        return last_error = cudaErrorInvalidValue;
    if (how.cooperative && blocks > (size_t)(blocks_at_once((unsigned)threads, how.shared) * sms()))
        return last_error = cudaErrorTooLarge;
    enqueue(how.stream, [=] { run(how, kernel); });
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **arguments)
{
    simt::binder *bind = simt::remembered(kernel);
    if (!bind)
        return cudaErrorInvalidValue;
    simt::shape how = {c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream, false, 1, "by address", 0};
    for (unsigned i = 0; i < c->numAttrs; i++) {
        if (c->attrs[i].id == cudaLaunchAttributeCooperative)
            how.cooperative = c->attrs[i].val.cooperative;
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            how.cluster = c->attrs[i].val.clusterDim.x;
    }
    return (cudaError_t)simt::launch(how, bind(kernel, arguments));
}
static cudaError_t launch_plain(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream, int cooperative)
{
    cudaLaunchAttribute how = {};
    cudaLaunchConfig_t config = {grid, block, shared, stream, &how, 1};
    how.id = cudaLaunchAttributeCooperative;
    how.val.cooperative = cooperative;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}
cudaError_t cudaLaunchKernel(const void *k, dim3 g, dim3 b, void **a, size_t s, cudaStream_t t) { return launch_plain(k, g, b, a, s, t, 0); }
cudaError_t cudaLaunchCooperativeKernel(const void *k, dim3 g, dim3 b, void **a, size_t s, cudaStream_t t) { return launch_plain(k, g, b, a, s, t, 1); }

cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
cudaError_t cudaGetDevice(int *n) { *n = 0; return cudaSuccess; }
cudaError_t cudaSetDevice(int n) { return n ? cudaErrorInvalidValue : cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { const int e = simt::last_error; simt::last_error = 0; return (cudaError_t)e; }
const char *cudaGetErrorString(cudaError_t e) { return e == cudaSuccess ? "no error" : e == cudaErrorTooLarge ? "too many blocks for a cooperative launch" : "an error of the emulator"; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    memset(p, 0, sizeof *p);
    strcpy(p->name, "emulated on the processor");
    p->major = 9;
    p->multiProcessorCount = simt::sms();
    p->totalGlobalMem = (size_t)4 << 30;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int)
{
    *v = a == cudaDevAttrMultiProcessorCount ? simt::sms() : a == cudaDevAttrMaxSharedMemoryPerBlockOptin ? simt::SHARED_MOST : 228 << 10;
    return cudaSuccess;
}
cudaError_t simt_malloc(void **p, size_t bytes, cudaMemoryType type)
{
    if (bytes > (size_t)4 << 30 || posix_memalign(p, 256, bytes ? bytes : 1)) {
        *p = nullptr;
        return cudaErrorMemoryAllocation;
    }
    memset(*p, simt::seed() ? (int)simt::draw(256) : 0xa5, bytes);
    std::lock_guard<std::mutex> held(simt::lock());
    memory()[(const char *)*p] = {bytes, type};
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    std::lock_guard<std::mutex> held(simt::lock());
    memory()[(const char *)p] = {bytes, cudaMemoryTypeHost};
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *p)
{
    std::lock_guard<std::mutex> held(simt::lock());
    return memory().erase((const char *)p) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaFree(void *p)
{
    if (!p)
        return cudaSuccess;
    const cudaError_t e = cudaHostUnregister(p);
    if (e == cudaSuccess)
        free(p);
    return e;
}
cudaError_t cudaFreeHost(void *p) { return cudaFree(p); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return cudaFree(p); }
cudaError_t cudaMemGetInfo(size_t *left, size_t *all) { *left = (size_t)3 << 30; *all = (size_t)4 << 30; return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const cudaMemPoolProps *) { *p = (cudaMemPool_t)malloc(1); return cudaSuccess; }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t p) { free(p); return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void *) { return cudaSuccess; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
    std::lock_guard<std::mutex> held(simt::lock());
    auto after = memory().upper_bound((const char *)p);
    a->type = cudaMemoryTypeUnregistered;
    if (after != memory().begin() && (const char *)p < (--after)->first + after->second.first)
        a->type = after->second.second;
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t s) { enqueue(s, [=] { memmove(to, from, bytes); }); return cudaSuccess; }
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s) { enqueue(s, [=] { memset(to, value, bytes); }); return cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind k) { return cudaMemcpyAsync(to, from, bytes, k, nullptr); }
cudaError_t cudaMemset(void *to, int value, size_t bytes) { return cudaMemsetAsync(to, value, bytes, nullptr); }
cudaError_t cudaMemcpy2DAsync(void *to, size_t tp, const void *from, size_t fp, size_t bytes, size_t rows, cudaMemcpyKind, cudaStream_t s)
{
    if (tp < bytes || fp < bytes)
        return cudaErrorInvalidValue;
    enqueue(s, [=] { for (size_t r = 0; r < rows; r++) memmove((char *)to + r * tp, (const char *)from + r * fp, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t bytes, size_t rows, cudaStream_t s)
{
    enqueue(s, [=] { for (size_t r = 0; r < rows; r++) memset((char *)to + r * pitch, value, bytes); });
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) { *s = new simt_stream(); return cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t s) { delete s; return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *e) { *e = new simt_event(); return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) { return cudaEventCreate(e); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { delete e; return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) { e->when = std::chrono::steady_clock::now(); return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) { *ms = std::chrono::duration<float, std::milli>(b->when - a->when).count(); return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t s, int) { s->capture = new simt_graph(); return cudaSuccess; }
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) { *g = s->capture; s->capture = nullptr; return cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long) { *e = new simt_graph(*g); return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t) { for (auto &step : e->steps) step(); return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) { delete e; return cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t g) { delete g; return cudaSuccess; }
cudaError_t simt_set_attribute(const void *, cudaFuncAttribute a, int v)
{
    return a == cudaFuncAttributeMaxDynamicSharedMemorySize && v > simt::SHARED_MOST ? cudaErrorInvalidValue : cudaSuccess;
}
cudaError_t simt_get_attributes(cudaFuncAttributes *a, const void *)
{
    *a = {};
    a->maxThreadsPerBlock = 1024;
    a->ptxVersion = a->binaryVersion = 90;
    a->numRegs = 32;
    return cudaSuccess;
}
cudaError_t simt_occupancy(int *n, int threads, size_t shared) { *n = simt::blocks_at_once((unsigned)threads, shared); return cudaSuccess; }
cudaError_t simt_clusters(int *n, const cudaLaunchConfig_t *c)
{
    const unsigned blocks = (unsigned)(simt::sms() * simt::blocks_at_once(c->blockDim.x, c->dynamicSmemBytes));
    *n = (int)(blocks / c->attrs->val.clusterDim.x);
    return cudaSuccess;
}
