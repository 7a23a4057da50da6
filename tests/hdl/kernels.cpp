/* SPDX-License-Identifier: MIT */
/* Error diffusion by every kernel against the library; see kernels_top.v. */
#include "hdl/frames.h"

#include "verilated.h"
#include "Vkernels_top.h"

#include <cinttypes>

using Circuit = Vkernels_top;

/* The list of kernels_top.v. */
static const char *kernel_of(uint32_t which)
{
    static const char *const names[] = {
        "floyd-steinberg", "sierra-two-row",        "burkes", "shiau-fan-2", "sierra-lite", "fan",
        "shiau-fan",       "false-floyd-steinberg",
    };
    return FIRST + which >= 32 ? names[0] : names[(FIRST + which) % 8];
}

static int levels_of(uint32_t which)
{
    const uint32_t at = FIRST + which;
    return at < 8 ? 2 : at < 16 ? (at % 2 ? 3 : 16) : at < 24 ? 5 : at < 32 ? 11 : (int)at - 30;
}

static void put(Circuit &circuit, uint64_t data) { circuit.in_pixel = (uint16_t)data; }
static uint64_t get(Circuit &circuit) { return circuit.out_level; }

/* Noise, extremes, even tones beside a threshold, ramps. */
static std::vector<uint16_t> draw(uint32_t width, uint32_t height, uint32_t seed)
{
    std::vector<uint16_t> samples;
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t h = model_random(seed, i, 1), x = i % width;
        switch (seed % 5) {
        case 0:
            samples.push_back((uint16_t)(h % (MAXVAL + 1)));
            break;
        case 1:
            samples.push_back(h % 2 ? MAXVAL : 0);
            break;
        case 2:
            samples.push_back((uint16_t)(MAXVAL / 2 + h % 2));
            break;
        case 3:
            samples.push_back((uint16_t)(MAXVAL * x / width));
            break;
        case 4:
            samples.push_back((i / width + x) / 7 % 2 ? MAXVAL : (uint16_t)(h % 3));
            break;
        }
    }
    return samples;
}

static void choose(Bench<Circuit> &bench, uint32_t which)
{
    bench.circuit.which = which;
    bench.tick();
}

static Frames frames(uint32_t which)
{
    return {[](uint32_t width, uint32_t height, uint32_t seed) {
                const std::vector<uint16_t> samples = draw(width, height, seed);
                return Words(samples.begin(), samples.end());
            },
            [which](uint32_t width, uint32_t height, const Words &words) {
                const std::vector<uint16_t> samples(words.begin(), words.end());
                std::vector<uint8_t> out(words.size());
                model_halftone(kernel_of(which), levels_of(which), MAXVAL, width, height,
                               samples.data(), out.data());
                return Words(out.begin(), out.end());
            }};
}

static void pictures(Bench<Circuit> &bench, uint32_t which, int count)
{
    const std::string name =
        std::string(kernel_of(which)) + " " + std::to_string(levels_of(which)) + " levels";
    for (uint32_t k = 0; k < (uint32_t)count; k++) {
        uint32_t seed = 1000 * which + k;
        uint32_t width = draw_width(seed, k % 3 == 0 ? 6 : 0, WIDTH);
        uint32_t height = 1 + model_random(seed, 0, 4) % (k % 4 == 0 ? 3 : 24);
        if (k % 5 == 0)
            width = WIDTH;
        Beats in, expected;
        std::vector<uint16_t> samples;
        set_size(bench, width, height);
        for (uint32_t frame = 0; frame <= k % 2; frame++) {
            samples = draw(width, height, seed + 7 * frame);
            frames(which).add(width, height, Words(samples.begin(), samples.end()), in, expected);
        }
        bench.run(name, in, expected, (Pauses)(k % 3), (Pauses)(k / 3 % 3), seed);
        std::vector<uint8_t> given(bench.results.end() - (long)samples.size(), bench.results.end());
        if (!model_halftone_is_exact(kernel_of(which), levels_of(which), MAXVAL, width, height,
                                     samples.data(), given.data()))
            fail(name + ": tone was lost");
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    int count = argc > 1 ? std::atoi(argv[1]) : 12;
    for (uint32_t which = 0; which < COUNT; which++) {
        choose(bench, which);
        pictures(bench, which, count);
    }
    for (uint32_t which : {0u, COUNT - 1u}) {
        choose(bench, which);
        check_faults(bench, frames(which), 20);
    }
    choose(bench, 0);
    check_speed(bench, frames(0), WIDTH, 64, ROWS, CLOCKS);
    if (MAXVAL != 255 && MAXVAL != 65535)
        check_complaint(bench, frames(0), 20, MAXVAL + 1, MAXVAL);
    std::printf("errordiffusion, width %d, maxval %d: %" PRIu64 " pixels as the library has them\n",
                WIDTH, MAXVAL, bench.pixels);
    return 0;
}
