/* SPDX-License-Identifier: MIT */
/* ro_ordered against the library, by the threshold array that it was built with (SCREEN_FILE). */
#include "hdl/frames.h"

#include "verilated.h"
#include "Vro_ordered.h"

#include <cinttypes>

using Circuit = Vro_ordered;

static void put(Circuit &circuit, uint64_t data) { circuit.in_pixel = data; }
static uint64_t get(Circuit &circuit) { return circuit.out_level; }

static std::vector<uint16_t> read_ranks()
{
    std::vector<uint16_t> ranks;
    char word[256];
    FILE *file = std::fopen(SCREEN_FILE, "r");
    if (!file)
        fail("cannot read the threshold array");
    if (!std::fgets(word, sizeof word, file)) /* a comment */
        fail("the threshold array is empty");
    while (std::fscanf(file, "%255s", word) == 1)
        ranks.push_back((uint16_t)std::strtoul(word, NULL, 16));
    std::fclose(file);
    if (ranks.size() != SCREEN_WIDTH * SCREEN_HEIGHT)
        fail("the threshold array has another size");
    return ranks;
}

/* Ramps, noise, extremes. */
static Words draw(uint32_t width, uint32_t height, uint32_t seed)
{
    Words samples;
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t h = model_random(seed, i, 1);
        samples.push_back(seed % 3 == 0   ? i % (MAXVAL + 1)
                          : seed % 3 == 1 ? h % (MAXVAL + 1)
                          : h % 2         ? MAXVAL
                                          : 0);
    }
    return samples;
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Circuit> bench(put, get);
    const uint32_t count = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 30;
    const std::vector<uint16_t> ranks = read_ranks();
    const Frames frames = {draw, [&](uint32_t width, uint32_t height, const Words &words) {
                               const std::vector<uint16_t> samples(words.begin(), words.end());
                               std::vector<uint8_t> out(words.size());
                               model_ordered(SCREEN_WIDTH, SCREEN_HEIGHT, ranks.data(), LEVELS,
                                             MAXVAL, width, height, samples.data(), out.data());
                               return Words(out.begin(), out.end());
                           }};
    for (uint32_t seed = 0; seed < count; seed++) {
        const uint32_t width = 1 + model_random(seed, 0, 3) % (seed % 3 == 0 ? 5 : 150);
        const uint32_t height = 1 + model_random(seed, 0, 4) % (seed % 4 == 0 ? 3 : 80);
        Beats in, expected;
        set_size(bench, width, height);
        for (uint32_t frame = 0; frame <= seed % 2; frame++)
            frames.add(width, height, draw(width, height, seed + 3 * frame), in, expected);
        bench.run(std::to_string(width) + " x " + std::to_string(height), in, expected,
                  (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
    check_speed(bench, frames, 50, 40, 0, CLOCKS);
    check_faults(bench, frames, 12);
    if (MAXVAL != 255 && MAXVAL != 65535)
        check_complaint(bench, frames, 12, MAXVAL + 1, MAXVAL);
    std::printf("ordered, %d x %d cells, %d levels, maxval %d: %" PRIu64
                " pixels as the library has them\n",
                SCREEN_WIDTH, SCREEN_HEIGHT, LEVELS, MAXVAL, bench.pixels);
    return 0;
}
