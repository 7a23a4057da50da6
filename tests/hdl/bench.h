/* SPDX-License-Identifier: MIT */
/*
 * Drives a circuit that takes a stream and gives one: offers pixels and takes results with pauses
 * on both sides, and holds every result against what the library computes. A circuit is any class
 * made by Verilator whose ports have the usual names; `put` sets its data inputs, `get` reads its
 * outputs.
 */
#ifndef RO_TESTS_HDL_BENCH_H
#define RO_TESTS_HDL_BENCH_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

extern "C" {
#include "hdl/models.h"
}

/* A pixel with its marks. */
struct Beat {
    bool first, last;
    uint64_t data;
};
using Beats = std::vector<Beat>;

/* How often a side pauses: never, at random, or for long times. */
enum class Pauses { none, random, bursts };

class Sides
{
  public:
    Sides(Pauses pauses, uint32_t seed) : pauses(pauses), seed(seed) {}
    bool paused()
    {
        uint32_t draw = model_random(seed, time++, 7);
        if (pauses == Pauses::bursts && time % 64 == 0)
            in_burst = draw % 3 == 0;
        return pauses == Pauses::random ? draw % 3 == 0 : pauses == Pauses::bursts && in_burst;
    }

  private:
    Pauses pauses;
    uint32_t seed, time = 0;
    bool in_burst = false;
};

[[noreturn]] inline void fail(const std::string &what)
{
    std::printf("FAILED: %s\n", what.c_str());
    std::exit(1);
}

template <class Circuit> class Bench
{
  public:
    using Put = std::function<void(Circuit &, uint64_t)>;
    using Get = std::function<uint64_t(Circuit &)>;

    Circuit circuit;
    uint64_t clocks = 0, pixels = 0;
    uint64_t clocks_with_error = 0;
    uint64_t latency = 0;          /* of the last run, from its first pixel to its first result */
    std::vector<uint64_t> results; /* of the last run */

    Bench(Put put, Get get) : put(put), get(get)
    {
        circuit.clk = 0;
        circuit.in_valid = 0;
        circuit.out_ready = 0;
        circuit.reset = 1;
        for (int i = 0; i < 4; i++)
            tick();
        circuit.reset = 0;
        tick();
    }

    void tick()
    {
        circuit.eval();
        circuit.clk = 1;
        circuit.eval();
        circuit.clk = 0;
        circuit.eval();
        clocks++;
        clocks_with_error += circuit.error;
    }

    /* Sends all pixels and takes results until there are as many as expected, then a little longer:
     * nothing more may come. Gives the clocks from the first pixel to the last result. */
    uint64_t run(const std::string &name, const Beats &in, const Beats &expected, Pauses in_pauses,
                 Pauses out_pauses, uint32_t seed)
    {
        Sides from(in_pauses, 2 * seed), to(out_pauses, 2 * seed + 1);
        size_t sent = 0, taken = 0;
        bool offered = false;
        results.clear();
        uint64_t begin = clocks, end = clocks, first_sent = clocks,
                 limit = 20000 + 40 * (in.size() + expected.size());
        for (uint64_t quiet = 0; quiet < 64;) {
            if (clocks - begin > limit)
                fail(name + ": " + std::to_string(taken) + " of " +
                     std::to_string(expected.size()) + " results after " + std::to_string(sent) +
                     " of " + std::to_string(in.size()) + " pixels" + seeded(seed));
            offered = sent < in.size() && (offered || !from.paused());
            circuit.in_valid = offered;
            if (offered) {
                circuit.in_first = in[sent].first;
                circuit.in_last = in[sent].last;
                put(circuit, in[sent].data);
            }
            circuit.out_ready = !to.paused();
            circuit.eval();
            if (circuit.out_valid && circuit.out_ready) {
                if (taken == 0)
                    latency = clocks - first_sent;
                results.push_back(get(circuit));
                check(name, expected, taken, seed);
                taken++;
                end = clocks + 1;
            }
            if (offered && circuit.in_ready) {
                if (sent == 0)
                    first_sent = clocks;
                sent++;
                offered = false;
            }
            tick();
            quiet = sent == in.size() && taken == expected.size() ? quiet + 1 : 0;
        }
        circuit.in_valid = 0;
        circuit.out_ready = 0;
        pixels += expected.size();
        return end - begin;
    }

  private:
    Put put;
    Get get;

    static std::string seeded(uint32_t seed) { return " (seed " + std::to_string(seed) + ")"; }

    void check(const std::string &name, const Beats &expected, size_t at, uint32_t seed)
    {
        if (at >= expected.size())
            fail(name + ": a result too many" + seeded(seed));
        const Beat &want = expected[at];
        const uint64_t got = results.back();
        char text[256];
        if (got == want.data && circuit.out_first == want.first && circuit.out_last == want.last)
            return;
        std::snprintf(text, sizeof text,
                      ": result %zu is %llx, marks %d %d; expected %llx, marks %d %d", at,
                      (unsigned long long)got, circuit.out_first, circuit.out_last,
                      (unsigned long long)want.data, want.first, want.last);
        fail(name + text + seeded(seed));
    }
};

/* A picture as a stream: row by row, `data` of each pixel. */
inline void add_frame(Beats &beats, uint32_t width, uint32_t height,
                      const std::function<uint64_t(size_t)> &data)
{
    for (size_t i = 0; i < (size_t)width * height; i++)
        beats.push_back({i == 0, (i + 1) % width == 0, data(i)});
}

#endif
