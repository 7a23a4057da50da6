/* SPDX-License-Identifier: MIT */
/* ro_jacobi against the library's profile xpp24: whole time steps in passes, and iterations with
 * any words. WIDTH, STEPS and TIME are those it was built with. */
#include "hdl/frames.h"

#include "verilated.h"
#include "Vro_jacobi.h"

#include <cinttypes>

using Circuit = Vro_jacobi;
enum { WHITE = 8388480 };
static const int32_t bound = 1 << 24; /* x has 25 bits */

/* A pixel is too wide for a word, so words are numbers of pixels kept here; the first has zeros. */
struct Pixel {
    int32_t x, r, word; /* the weight above, the inverse in 12 bits */
};
static std::vector<Pixel> pixels = {{0, 0, 0}};

static uint64_t keep(const Pixel &pixel)
{
    pixels.push_back(pixel);
    return pixels.size() - 1;
}

/* x, and a number that stands for what goes through beside it. */
static uint64_t mixed(uint32_t x, uint32_t r, uint32_t word)
{
    return (uint64_t)model_random(r & 0xffffff, word, 9) << 32 | (x & 0x1ffffff);
}

static void put(Circuit &circuit, uint64_t data)
{
    const Pixel &pixel = pixels[data];
    circuit.in_x = (uint32_t)pixel.x & 0x1ffffff;
    circuit.in_r = (uint32_t)pixel.r & 0xffffff;
    circuit.in_weight = (uint32_t)pixel.word >> 12;
    circuit.in_inverse = (uint32_t)pixel.word & 0xfff;
}

static uint64_t get(Circuit &circuit)
{
    return mixed(circuit.out_x, circuit.out_r,
                 (uint32_t)circuit.out_weight << 12 | circuit.out_inverse);
}

struct Problem {
    uint32_t width, height;
    std::vector<int32_t> r, x, words;
};

/* What STEPS iterations make of x. */
static std::vector<int32_t> iterated(const Problem &problem)
{
    std::vector<int32_t> next = problem.x;
    model_xpp24_iterate(problem.width, problem.height, problem.words.data(), TIME, problem.r.data(),
                        next.data(), STEPS);
    for (int32_t x : next)
        if (x < -bound || x >= bound)
            fail("the model leaves 25 bits");
    return next;
}

/* One pass of the circuit over a problem: x becomes what it is after STEPS iterations. */
static void pass(Bench<Circuit> &bench, Problem &problem, uint32_t seed)
{
    const std::vector<int32_t> next = iterated(problem);
    Beats in, expected;
    pixels.resize(1);
    add_frame(in, problem.width, problem.height, [&](size_t i) {
        return keep({problem.x[i], problem.r[i], problem.words[i]});
    });
    add_frame(expected, problem.width, problem.height, [&](size_t i) {
        return mixed((uint32_t)next[i], (uint32_t)problem.r[i], (uint32_t)problem.words[i]);
    });
    set_size(bench, problem.width, problem.height);
    bench.run(std::to_string(problem.width) + " x " + std::to_string(problem.height), in, expected,
              (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
    problem.x = next;
}

/* Pixels of any kind, with inverses that keep x within its bits. */
static Words draw(uint32_t width, uint32_t height, uint32_t seed)
{
    Words words;
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t h = model_random(seed, i, 1);
        words.push_back(keep({(int32_t)(h % 16777216) - 8388608,
                              (int32_t)(model_random(seed, i, 2) % 16777216) - 8388608,
                              (int32_t)(model_random(seed, i, 3) % (1 << 24) & 0xfff0ff)}));
    }
    return words;
}

static Words expect(uint32_t width, uint32_t height, const Words &words)
{
    Problem problem = {width, height, {}, {}, {}};
    Words out;
    for (uint64_t word : words) {
        problem.x.push_back(pixels[word].x);
        problem.r.push_back(pixels[word].r);
        problem.words.push_back(pixels[word].word);
    }
    const std::vector<int32_t> next = iterated(problem);
    for (size_t i = 0; i < next.size(); i++)
        out.push_back(mixed((uint32_t)next[i], (uint32_t)problem.r[i], (uint32_t)problem.words[i]));
    return out;
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    const uint32_t count = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 30;
    for (uint32_t seed = 0; seed < count; seed++) {
        Problem problem = {};
        problem.width = draw_width(seed, seed % 5 == 0 ? 4 : 0, WIDTH);
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

        /* numbers of both signs, and any weights with the inverses of even ones, small enough for
         * the time step that nothing grows */
        const int32_t part = 4 * (TIME > 16384 ? (TIME + 16383) / 16384 : 1);
        for (uint32_t i = 0; i < size; i++) {
            uint32_t h = model_random(seed, i, 2), g = model_random(seed, i, 3);
            problem.r[i] = (int32_t)(h % 16777216) - 8388608;
            problem.x[i] = (int32_t)(model_random(seed, i, 4) % 16777216) - 8388608;
            problem.words[i] = (int32_t)(g % 4096 << 12 | (problem.words[i] & 0xfff) / part);
        }
        pass(bench, problem, seed);
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
    /* narrower rows wait for one another */
    if (WIDTH >= 24) {
        check_speed(bench, {draw, expect}, WIDTH, 24, STEPS, CLOCKS);
        check_faults(bench, {draw, expect}, 12);
    }
    std::printf("jacobi, time %d, width %d, %d iterations a pass: %" PRIu64
                " pixels as the library has them\n",
                TIME, WIDTH, STEPS, bench.pixels);
    return 0;
}
