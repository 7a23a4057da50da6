/* SPDX-License-Identifier: MIT */
/* ro_jacobi_weights against the library's words of profile xpp24. WIDTH, TIME, SHIFT and FACTOR are
 * those it was built with; the last two are the library's for KAPPA. */
#include "hdl/frames.h"

#include "verilated.h"
#include "Vro_jacobi_weights.h"

#include <cinttypes>

using Circuit = Vro_jacobi_weights;
enum { KAPPA = 200000 };

static void put(Circuit &circuit, uint64_t data) { circuit.in_a = (uint32_t)data & 0xffffff; }

static uint64_t get(Circuit &circuit)
{
    return (uint64_t)circuit.out_inverse << 36 | (uint64_t)circuit.out_weight << 24 | circuit.out_a;
}

/* Noise, steps between the extremes, edges of all heights, numbers below zero. */
static Words draw(uint32_t width, uint32_t height, uint32_t seed)
{
    Words words;
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t h = model_random(seed, i, 1), x = i % width, y = i / width;
        uint32_t a = h % 8388481;
        if (seed % 4 == 1)
            a = h & 1 ? 0x7fffff : 0x800000;
        else if (seed % 4 == 2)
            a = 4000000 + h % 3000 + (x > y ? 40000 * (seed % 50) : 0);
        else if (seed % 4 == 3)
            a = h & 0xffffff;
        words.push_back(a);
    }
    return words;
}

static Words expect(uint32_t width, uint32_t height, const Words &in)
{
    std::vector<int32_t> numbers, words(in.size());
    for (uint64_t a : in)
        numbers.push_back((int32_t)(uint32_t)(a << 8) >> 8);
    model_xpp24_words(width, height, numbers.data(), TIME, KAPPA, words.data());
    Words out;
    for (size_t i = 0; i < in.size(); i++)
        out.push_back((uint64_t)(words[i] & 0xfff) << 36 |
                      (uint64_t)((uint32_t)words[i] >> 12) << 24 | in[i]);
    return out;
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    const uint32_t count = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 30;
    int shift;
    uint32_t factor;
    model_xpp24_scale(KAPPA, &shift, &factor);
    if (shift != SHIFT || factor != FACTOR)
        fail("the library has SHIFT " + std::to_string(shift) + " and FACTOR " +
             std::to_string(factor));
    for (uint32_t seed = 0; seed < count; seed++) {
        const uint32_t width = seed % 7 ? draw_width(seed, seed % 5 == 0 ? 4 : 0, WIDTH) : WIDTH;
        const uint32_t height = 1 + model_random(seed, 0, 4) % (seed % 3 == 0 ? 3 : 16);
        const Words words = draw(width, height, seed), next = expect(width, height, words);
        Beats in, expected;
        add_frame(in, width, height, [&](size_t i) { return words[i]; });
        add_frame(expected, width, height, [&](size_t i) { return next[i]; });
        set_size(bench, width, height);
        bench.run(std::to_string(width) + " x " + std::to_string(height), in, expected,
                  (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
    if (WIDTH >= 24)
        check_faults(bench, {draw, expect}, 12);
    std::printf("weights, time %d, width %d: %" PRIu64 " pixels as the library has them\n", TIME,
                WIDTH, bench.pixels);
    return 0;
}
