/* SPDX-License-Identifier: MIT */
/* ro_jacobi against the library's profile xpp24: whole time steps in passes, and iterations with
 * any words. WIDTH, STEPS and TIME are those it was built with. */
#include "hdl/bench.h"

#include "verilated.h"
#include "Vro_jacobi.h"

#include <cinttypes>

using Circuit = Vro_jacobi;
enum { WHITE = 8388480 };
static const int32_t bound = 1 << 24; /* x has 25 bits */

/* A beat has x alone: the rest stands in arrays at the same place. */
static const std::vector<int32_t> *right, *words;
static size_t place;

static void put(Circuit &circuit, uint64_t data)
{
    const size_t at = (size_t)(data >> 32);
    circuit.in_x = (uint32_t)data & 0x1ffffff;
    circuit.in_r = (uint32_t)(*right)[at] & 0xffffff;
    circuit.in_weight = (uint32_t)(*words)[at] >> 12;
    circuit.in_inverse = (uint32_t)(*words)[at] & 0xfff;
}

static uint64_t get(Circuit &circuit)
{
    const size_t at = place++;
    if (circuit.out_r != ((uint32_t)(*right)[at] & 0xffffff) ||
        circuit.out_weight != (uint32_t)(*words)[at] >> 12 ||
        circuit.out_inverse != ((uint32_t)(*words)[at] & 0xfff))
        fail("what goes through beside x is not what came in");
    return circuit.out_x;
}

struct Problem {
    uint32_t width, height;
    std::vector<int32_t> r, x, words;
};

/* One pass of the circuit over a problem: x becomes what it is after STEPS iterations. */
static void pass(Bench<Circuit> &bench, Problem &problem, uint32_t seed)
{
    std::vector<int32_t> next = problem.x;
    model_xpp24_iterate(problem.width, problem.height, problem.words.data(), TIME, problem.r.data(),
                        next.data(), STEPS);
    for (int32_t x : next)
        if (x < -bound || x >= bound)
            fail("the model leaves 25 bits");
    Beats in, expected;
    add_frame(in, problem.width, problem.height,
              [&](size_t i) { return (uint64_t)i << 32 | (uint32_t)problem.x[i]; });
    add_frame(expected, problem.width, problem.height,
              [&](size_t i) { return (uint32_t)next[i] & 0x1ffffff; });
    right = &problem.r;
    words = &problem.words;
    place = 0;
    bench.circuit.width = problem.width;
    bench.circuit.height = problem.height;
    for (int i = 0; i < 3; i++)
        bench.tick();
    bench.run(std::to_string(problem.width) + " x " + std::to_string(problem.height), in, expected,
              (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
    problem.x = next;
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    const uint32_t count = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 30;
    for (uint32_t seed = 0; seed < count; seed++) {
        Problem problem = {};
        problem.width = 1 + model_random(seed, 0, 3) % (seed % 5 == 0 ? 4 : WIDTH);
        problem.height = 1 + model_random(seed, 0, 4) % (seed % 3 == 0 ? 3 : 16);
        const size_t size = (size_t)problem.width * problem.height;
        for (uint32_t i = 0; i < size; i++) {
            uint32_t h = model_random(seed, i, 1);
            problem.r.push_back((int32_t)(seed % 2 ? h % (WHITE + 1) : h % 2 ? WHITE : h % 4096));
        }
        problem.x = problem.r;
        problem.words.resize(size);
        std::vector<int32_t> out(size);
        model_xpp24(problem.width, problem.height, problem.r.data(), TIME, problem.words.data(),
                    out.data());
        for (uint32_t i = 0; i < 8 / STEPS; i++)
            pass(bench, problem, seed + i);
        if (problem.x != out)
            fail("eight iterations are not the time step of the library");

        /* numbers of both signs, and any weights with the inverses of even ones */
        for (uint32_t i = 0; i < size; i++) {
            uint32_t h = model_random(seed, i, 2), g = model_random(seed, i, 3);
            problem.r[i] = (int32_t)(h % 16777216) - 8388608;
            problem.x[i] = (int32_t)(model_random(seed, i, 4) % 16777216) - 8388608;
            problem.words[i] = (int32_t)(g % 4096 << 12 | (problem.words[i] & 0xfff) / 4);
        }
        pass(bench, problem, seed);
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
    std::printf("jacobi, time %d, width %d, %d iterations a pass: %" PRIu64
                " pixels as the library has them\n",
                TIME, WIDTH, STEPS, bench.pixels);
    return 0;
}
