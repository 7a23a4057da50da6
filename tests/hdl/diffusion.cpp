/* SPDX-License-Identifier: MIT */
/* ro_diffusion against the library: BITS, WIDTH, STEPS, TIME and NEAREST are those it was built
 * with. */
#include "hdl/frames.h"

#include "verilated.h"
#include "Vro_diffusion.h"

#include <cinttypes>

using Circuit = Vro_diffusion;
static const uint64_t mask = (UINT64_C(1) << BITS) - 1;

static void put(Circuit &circuit, uint64_t data) { circuit.in_pixel = data; }
static uint64_t get(Circuit &circuit) { return circuit.out_pixel; }

static int64_t number_of(uint64_t data) { return (int64_t)(data << (64 - BITS)) >> (64 - BITS); }

/* Noise, extremes, ramps, single pixels. */
static std::vector<int32_t> draw(uint32_t width, uint32_t height, uint32_t seed)
{
    std::vector<int32_t> numbers;
    const int32_t max = (1 << (BITS - 1)) - 1, min = -max - 1;
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t h = model_random(seed, i, 1);
        int32_t x = (int32_t)(i % width), y = (int32_t)(i / width);
        switch (seed % 4) {
        case 0:
            numbers.push_back(min + (int32_t)(h & mask));
            break;
        case 1:
            numbers.push_back(h % 2 ? max : min);
            break;
        case 2:
            numbers.push_back((3 * x + 5 * y) % max);
            break;
        case 3:
            numbers.push_back(h % 11 == 0 ? max : min / 3);
            break;
        }
    }
    return numbers;
}

static Frames frames()
{
    return {[](uint32_t width, uint32_t height, uint32_t seed) {
                Words words;
                for (int32_t number : draw(width, height, seed))
                    words.push_back((uint64_t)number & mask);
                return words;
            },
            [](uint32_t width, uint32_t height, const Words &words) {
                std::vector<int32_t> numbers;
                Words out;
                for (uint64_t word : words)
                    numbers.push_back((int32_t)number_of(word));
                model_diffusion(width, height, numbers.data(), TIME, NEAREST, STEPS);
                for (int32_t number : numbers)
                    out.push_back((uint64_t)number & mask);
                return out;
            }};
}

/* The sum stays, nothing leaves the range: of what the circuit itself gave. */
static void check_properties(const Beats &in, const std::vector<uint64_t> &out)
{
    int64_t sum = 0, low = INT64_MAX, high = INT64_MIN;
    for (const Beat &beat : in) {
        int64_t number = number_of(beat.data);
        sum += number;
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    for (uint64_t data : out) {
        int64_t number = number_of(data);
        sum -= number;
        if (number < low || number > high)
            fail("a pixel left the range of its picture");
    }
    if (sum != 0)
        fail("the sum of a picture changed");
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    const uint32_t count = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 40;
    for (uint32_t seed = 0; seed < count; seed++) {
        uint32_t width = draw_width(seed, seed % 5 == 0 ? 4 : 0, WIDTH);
        uint32_t height = 1 + model_random(seed, 0, 4) % (seed % 3 == 0 ? 3 : 20);
        Beats in, expected;
        set_size(bench, width, height);
        for (uint32_t frame = 0; frame <= seed % 3; frame++)
            frames().add(width, height, frames().draw(width, height, 8 * seed + frame), in,
                         expected);
        bench.run(std::to_string(width) + " x " + std::to_string(height), in, expected,
                  (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
        check_properties(in, bench.results);
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");

    /* narrower rows wait for one another */
    if (WIDTH >= 24) {
        check_speed(bench, frames(), WIDTH, 48, STEPS, CLOCKS);
        check_faults(bench, frames(), 12);
    }
    std::printf("diffusion in %d bits, time %d, width %d, %d steps: %" PRIu64
                " pixels as the library has them\n",
                BITS, TIME, WIDTH, STEPS, bench.pixels);
    return 0;
}
