/* SPDX-License-Identifier: MIT */
/*
 * What every circuit has to do with frames, whatever it computes: give the first result after a
 * known number of clocks and a pixel a clock from there on; raise `error` where a frame has a wrong
 * shape, and be right again with the next one.
 *
 * Pictures are words, as `put` of a bench takes them; the word 0 is the pixel that a frame is
 * filled up with.
 */
#ifndef RO_TESTS_HDL_FRAMES_H
#define RO_TESTS_HDL_FRAMES_H

#include "hdl/bench.h"

using Words = std::vector<uint64_t>;

/* A picture by a seed, and what a circuit makes of one. */
struct Frames {
    std::function<Words(uint32_t width, uint32_t height, uint32_t seed)> draw;
    std::function<Words(uint32_t width, uint32_t height, const Words &words)> expect;

    void add(uint32_t width, uint32_t height, const Words &words, Beats &in, Beats &expected) const
    {
        const Words out = expect(width, height, words);
        add_frame(in, width, height, [&](size_t i) { return words[i]; });
        add_frame(expected, width, height, [&](size_t i) { return out[i]; });
    }
};

/* A width by a seed: a narrow one if asked for, never more than the circuit takes. */
inline uint32_t draw_width(uint32_t seed, uint32_t narrow, uint32_t widest)
{
    const uint32_t most = narrow && narrow < widest ? narrow : widest;
    return 1 + model_random(seed, 0, 3) % most;
}

template <class Circuit> void set_size(Bench<Circuit> &bench, uint32_t width, uint32_t height)
{
    bench.circuit.width = width;
    bench.circuit.height = height;
    for (int i = 0; i < 4; i++)
        bench.tick();
}

/* Frames one after another, nobody pauses. The first result comes `rows` rows and `clocks` clocks
 * after the first pixel, to the clock; a clock passes between two frames, and with each of the rows
 * that push the last ones out. */
template <class Circuit>
void check_speed(Bench<Circuit> &bench, const Frames &frames, uint32_t width, uint32_t height,
                 uint32_t rows, uint32_t clocks)
{
    const uint32_t count = 3;
    Beats in, expected;
    set_size(bench, width, height);
    for (uint32_t i = 0; i < count; i++)
        frames.add(width, height, frames.draw(width, height, i), in, expected);
    const uint64_t took = bench.run("speed", in, expected, Pauses::none, Pauses::none, 1);
    std::printf("%u x %u: the first result %u rows and %lld clocks after the first pixel, "
                "%zu pixels in %llu clocks more\n",
                width, height, rows, (long long)bench.latency - (long long)rows * width, in.size(),
                (unsigned long long)(took - bench.latency));
    if (bench.latency != (uint64_t)rows * width + clocks)
        fail("the first result came after another time than " + std::to_string(rows) +
             " rows and " + std::to_string(clocks) + " clocks");
    if (took > bench.latency + in.size() + count + rows)
        fail("not a pixel a clock");
}

/* A frame of rows of any lengths, and what it is taken for: rows cut, or filled up. */
inline void add_wrong(const Frames &frames, uint32_t width, uint32_t height,
                      const std::vector<uint32_t> &lengths, uint32_t seed, Beats &in,
                      Beats &expected)
{
    const Words sent = frames.draw(3 * width, 2 * height, seed);
    Words mended((size_t)width * height, 0);
    size_t at = 0, y = 0;
    for (uint32_t length : lengths) {
        for (uint32_t x = 0; x < length; x++, at++) {
            in.push_back({at == 0, x + 1 == length, sent[at]});
            if (x < width && y < height)
                mended[y * width + x] = sent[at];
        }
        y++;
    }
    Beats ignored;
    frames.add(width, height, mended, ignored, expected);
}

/* Between two good frames, each of these raises an error, which falls with the second one. Wants a
 * circuit that takes a row of `width` pixels, six at least. */
template <class Circuit>
void check_faults(Bench<Circuit> &bench, const Frames &frames, uint32_t width)
{
    const uint32_t height = 6, w = width;
    const std::vector<std::vector<uint32_t>> shapes = {
        {w, w, w - 1, w, w, w},                     /* a row ends early */
        {w, w + 3, w, w, w, w},                     /* a row is too long */
        {w, w, 5},                                  /* a frame ends in a row */
        {w, w, w},                                  /* or between rows */
        {w, w, w, w, w, w + 2},                     /* the last row is too long */
        {w, w, w, w, w, w, w},                      /* a row too many */
        {w - 2, w - 2, w - 2, w - 2, w - 2, w - 2}, /* another width */
        {w + 1, w + 1, w + 1, w + 1, w + 1, w + 1}, /* on both sides */
        {1, 2 * w, 1, 2, w, 3},                     /* nothing fits */
        {1},                                        /* a pixel */
    };
    set_size(bench, width, height);
    for (uint32_t seed = 0; seed < 2 * shapes.size(); seed++) {
        Beats in, expected;
        frames.add(width, height, frames.draw(width, height, seed), in, expected);
        add_wrong(frames, width, height, shapes[seed % shapes.size()], 100 + seed, in, expected);
        frames.add(width, height, frames.draw(width, height, 200 + seed), in, expected);
        const uint64_t before = bench.clocks_with_error;
        bench.run("faults", in, expected, (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
        if (bench.clocks_with_error == before)
            fail("a frame of a wrong shape raised no error");
        if (bench.circuit.error)
            fail("the error is still there after a good frame");
    }
    /* sizes that cannot be: nothing comes of such a frame */
    for (uint32_t k = 0; k < 2; k++) {
        Beats in, expected, ignored;
        set_size(bench, k ? 0 : width, k ? height : 0);
        frames.add(width, height, frames.draw(width, height, k), in, ignored);
        bench.run("no size", in, expected, Pauses::none, Pauses::none, k);
        if (!bench.circuit.error)
            fail("a frame without a size raised no error");
        in.clear();
        set_size(bench, width, height);
        frames.add(width, height, frames.draw(width, height, 9), in, expected);
        bench.run("after no size", in, expected, Pauses::none, Pauses::none, k);
        if (bench.circuit.error)
            fail("the error is still there after a good frame");
    }
}

/* A word in a good frame that a circuit has to complain of, and what it is taken for. */
template <class Circuit>
void check_complaint(Bench<Circuit> &bench, const Frames &frames, uint32_t width, uint64_t wrong,
                     uint64_t taken_for)
{
    Beats in, expected, ignored;
    set_size(bench, width, 4);
    Words words = frames.draw(width, 4, 1);
    words[width + 1] = taken_for;
    frames.add(width, 4, words, ignored, expected);
    words[width + 1] = wrong;
    add_frame(in, width, 4, [&](size_t i) { return words[i]; });
    const uint64_t before = bench.clocks_with_error;
    bench.run("a wrong pixel", in, expected, Pauses::none, Pauses::none, 1);
    if (bench.clocks_with_error == before)
        fail("a pixel that cannot be raised no error");
    in.clear();
    expected.clear();
    frames.add(width, 4, frames.draw(width, 4, 2), in, expected);
    bench.run("after a wrong pixel", in, expected, Pauses::none, Pauses::none, 1);
    if (bench.circuit.error)
        fail("the error is still there after a good frame");
}

#endif
