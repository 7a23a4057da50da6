/* SPDX-License-Identifier: MIT */
/* Error diffusion by every kernel against the library; see kernels_top.v. */
#include "hdl/bench.h"

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
    return names[(FIRST + which) % 8];
}

static int levels_of(uint32_t which)
{
    const uint32_t at = FIRST + which;
    return at < 8 ? 2 : at < 16 ? (at % 2 ? 3 : 16) : at < 24 ? 5 : 11;
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

static void add(uint32_t which, uint32_t width, uint32_t height,
                const std::vector<uint16_t> &samples, Beats &in, Beats &expected)
{
    std::vector<uint8_t> out(width * height);
    model_halftone(kernel_of(which), levels_of(which), MAXVAL, width, height, samples.data(),
                   out.data());
    add_frame(in, width, height, [&](size_t i) { return samples[i]; });
    add_frame(expected, width, height, [&](size_t i) { return out[i]; });
}

static void set_size(Bench<Circuit> &bench, uint32_t which, uint32_t width, uint32_t height)
{
    bench.circuit.which = which;
    bench.circuit.width = width;
    bench.circuit.height = height;
    for (int i = 0; i < 4; i++)
        bench.tick();
}

static void pictures(Bench<Circuit> &bench, uint32_t which, int count)
{
    const std::string name =
        std::string(kernel_of(which)) + " " + std::to_string(levels_of(which)) + " levels";
    for (uint32_t k = 0; k < (uint32_t)count; k++) {
        uint32_t seed = 1000 * which + k;
        uint32_t width = 1 + model_random(seed, 0, 3) % (k % 3 == 0 ? 6 : WIDTH);
        uint32_t height = 1 + model_random(seed, 0, 4) % (k % 4 == 0 ? 3 : 24);
        if (k % 5 == 0)
            width = WIDTH;
        Beats in, expected;
        std::vector<uint16_t> samples;
        set_size(bench, which, width, height);
        for (uint32_t frame = 0, frames = 1 + k % 2; frame < frames; frame++) {
            samples = draw(width, height, seed + 7 * frame);
            add(which, width, height, samples, in, expected);
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

/* A pixel a clock but for what is on its way. */
static void speed(Bench<Circuit> &bench, uint32_t which)
{
    const uint32_t height = 64, frames = 3;
    Beats in, expected;
    set_size(bench, which, WIDTH, height);
    for (uint32_t i = 0; i < frames; i++)
        add(which, WIDTH, height, draw(WIDTH, height, i), in, expected);
    uint64_t took = bench.run("speed", in, expected, Pauses::none, Pauses::none, 1);
    std::printf("%zu pixels in %" PRIu64 " clocks, %" PRIu64 " more\n", in.size(), took,
                took - in.size());
    if (took - in.size() > frames + LATENCY)
        fail("not a pixel a clock");
}

/* Rows and frames of wrong lengths: filled with black, and the next frame is right. */
static void faults(Bench<Circuit> &bench, uint32_t which)
{
    const uint32_t width = 20, height = 6;
    const std::vector<std::vector<uint32_t>> shapes = {
        {20, 20, 19, 20, 20, 20}, {20, 23, 20, 20, 20, 20},     {20, 20, 5},          {20, 20, 20},
        {20, 20, 20, 20, 20, 25}, {20, 20, 20, 20, 20, 20, 20}, {1, 40, 1, 2, 20, 3},
    };
    set_size(bench, which, width, height);
    for (uint32_t seed = 0; seed < 3 * shapes.size(); seed++) {
        Beats in, expected, ignored;
        std::vector<uint16_t> sent = draw(60, 8, seed), mended(width * height, 0);
        add(which, width, height, draw(width, height, seed + 50), in, expected);
        size_t at = 0, y = 0;
        for (uint32_t length : shapes[seed % shapes.size()]) {
            for (uint32_t x = 0; x < length; x++, at++) {
                in.push_back({at == 0, x + 1 == length, sent[at]});
                if (x < width && y < height)
                    mended[y * width + x] = sent[at];
            }
            y++;
        }
        add(which, width, height, mended, ignored, expected);
        add(which, width, height, draw(width, height, seed + 90), in, expected);
        uint64_t before = bench.clocks_with_error;
        bench.run("faults", in, expected, (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
        if (bench.clocks_with_error == before)
            fail("a frame of a wrong shape raised no error");
        if (bench.circuit.error)
            fail("the error is still there after a good frame");
    }
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    int count = argc > 1 ? std::atoi(argv[1]) : 12;
    for (uint32_t which = 0; which < COUNT; which++)
        pictures(bench, which, count);
    speed(bench, 0);
    faults(bench, 0);
    std::printf("errordiffusion, width %d, maxval %d: %" PRIu64 " pixels as the library has them\n",
                WIDTH, MAXVAL, bench.pixels);
    return 0;
}
