/* SPDX-License-Identifier: MIT */
/*
 * PTX instructions. rewrite.py turns each into a call: its name with _ for . and its operands in
 * their order. Loads and stores become load_global<ORDER, TYPE>() and the like.
 */
#ifndef RO_SIMT_PTX_H
#define RO_SIMT_PTX_H

#include "intrinsics.h"

#include <type_traits>

namespace simt
{
namespace ptx
{

/* ---- arithmetic ----------------------------------------------------------------------------- */

template <class T> static inline void prmt_b32(T &d, unsigned a, unsigned b, unsigned s)
{
    d = (T)permuted(a, b, s, true);
}
template <class T> static inline void shl_b32(T &d, unsigned a, unsigned s)
{
    d = (T)(s > 31 ? 0 : a << s);
}
static inline void setp_ne_s32(bool &p, int a, int b) { p = a != b; }
static inline float flushed(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }
static inline void rcp_approx_f32(float &d, float a) { d = nearly(1 / a, 1); }
static inline void rcp_approx_ftz_f32(float &d, float a) { d = flushed(nearly(1 / flushed(a), 1)); }
static inline void rsqrt_approx_ftz_f32(float &d, float a)
{
    d = flushed(nearly((float)(1 / sqrt((double)flushed(a))), 2));
}
template <class T> static inline void dp2a_lo_s32_u32(T &d, int a, unsigned b, int c)
{
    d = (T)((unsigned)c + (unsigned)(s16(a, 0) * (int)(b & 255)) +
            (unsigned)(s16(a, 16) * (int)(b >> 8 & 255)));
}
template <class T> static inline void dp2a_hi_s32_s32(T &d, int a, int b, int c)
{
    d = (T)__dp2a_hi(a, b, c);
}

/* ---- barriers and copies -------------------------------------------------------------------- */

static inline void bar_sync(int barrier, int count, SIMT_AT)
{
    meet_block(barrier, count, 0, file, line);
}
static inline void griddepcontrol_wait() {} /* a launch begins when the one before has ended */
static inline void griddepcontrol_launch_dependents() {}
static inline void cp_async_cg_shared_global(unsigned to, const void *from, unsigned size,
                                             unsigned bytes)
{
    copy_later(to, from, size, bytes);
}
static inline void cp_async_ca_shared_global(unsigned to, const void *from, unsigned size,
                                             unsigned bytes)
{
    copy_later(to, from, size, bytes);
}
static inline void cp_async_commit_group() { copies_commit(); }
static inline void cp_async_wait_group(unsigned pending) { copies_wait(pending); }

/* ---- loads and stores ----------------------------------------------------------------------- */

/* PLAIN accesses are those that only one thread makes at a time. At all others threads may take
 * turns, at loads always, because a thread that waits for another does so with them. */
enum order {
    PLAIN = -1,
    RELAXED = __ATOMIC_RELAXED,
    ACQUIRE = __ATOMIC_ACQUIRE,
    RELEASE = __ATOMIC_RELEASE
};

template <order ORDER, class W, class... D> static inline void load(const void *from, D &...to)
{
    const W *at = (const W *)from;
    if ((uintptr_t)from % (sizeof(W) * sizeof...(D)))
        fail("a misaligned load of %zu bytes", sizeof(W) * sizeof...(D));
    if constexpr (ORDER == PLAIN) {
        ((to = (D)*at++), ...);
    } else {
        yield();
        ((to = (D)__atomic_load_n(at++, ORDER)), ...);
    }
}
template <order ORDER, class W, class... D> static inline void store(void *to, D... from)
{
    W *at = (W *)to;
    if ((uintptr_t)to % (sizeof(W) * sizeof...(D)))
        fail("a misaligned store of %zu bytes", sizeof(W) * sizeof...(D));
    if constexpr (ORDER == PLAIN) {
        ((*at++ = (W)from), ...);
    } else {
        may_yield();
        (__atomic_store_n(at++, (W)from, ORDER), ...);
    }
}

template <order ORDER, class W, class... D>
static inline void load_global(const void *from, D &...to)
{
    load<ORDER, W>(from, to...);
}
template <order ORDER, class W, class... D> static inline void load_shared(unsigned from, D &...to)
{
    load<ORDER, W>(shared_at(from, sizeof(W) * sizeof...(D)), to...);
}
template <order ORDER, class W, class... D> static inline void store_global(void *to, D... from)
{
    store<ORDER, W>(to, from...);
}
template <order ORDER, class W, class... D> static inline void store_shared(unsigned to, D... from)
{
    store<ORDER, W>(shared_at(to, sizeof(W) * sizeof...(D)), from...);
}

} // namespace ptx
} // namespace simt

#endif
