/* SPDX-License-Identifier: MIT */
/* ro_levelset against the library: NUMBER, NORM, WIDTH and STEPS are those it was built with. */
#include "hdl/frames.h"

#include "verilated.h"
#include "Vro_levelset.h"

#include <cinttypes>

static const model_numbers numbers = model_levelset_numbers(NUMBER, NORM);

struct Picture {
    uint32_t width, height;
    std::vector<int16_t> phi, speed;
};

static uint64_t pack(int32_t phi, int32_t speed)
{
    uint64_t phi_mask = (UINT64_C(1) << numbers.phi_bits) - 1;
    uint64_t speed_mask = (UINT64_C(1) << numbers.speed_bits) - 1;
    return ((uint64_t)speed & speed_mask) << numbers.phi_bits | ((uint64_t)phi & phi_mask);
}

/* A signed number of a few bits. */
static int16_t low_bits(uint64_t word, int bits)
{
    return (int16_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
}

static void put(Vro_levelset &circuit, uint64_t data)
{
    circuit.in_phi = data & ((1u << numbers.phi_bits) - 1);
    circuit.in_speed = data >> numbers.phi_bits;
}

static uint64_t get(Vro_levelset &circuit)
{
    return (uint64_t)circuit.out_speed << numbers.phi_bits | circuit.out_phi;
}

/* Noise, steps between the extremes, plateaus, ramps; fast, slow, standing and mixed speeds. */
static Picture draw(uint32_t width, uint32_t height, uint32_t seed)
{
    Picture picture = {width, height, {}, {}};
    int32_t min = numbers.min, max = numbers.max, range = max - min + 1;
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t h = model_random(seed, i, 1), g = model_random(seed, i, 2);
        int32_t x = (int32_t)(i % width), y = (int32_t)(i / width), phi = 0, speed = 0;
        switch (seed % 4) {
        case 0:
            phi = min + (int32_t)(h % (uint32_t)range);
            break;
        case 1:
            phi = h % 2 ? max : min;
            break;
        case 2:
            phi = (int32_t)(h % 5) - 2 + (x > y ? max / 2 : min / 2);
            break;
        case 3:
            phi = (x + 2 * y) * (max / 64) % max - max / 2;
            break;
        }
        int32_t fastest = numbers.fastest;
        switch (seed / 4 % 4) {
        case 0:
            speed = (int32_t)(g % (uint32_t)(2 * fastest + 1)) - fastest;
            break;
        case 1:
            speed = g % 2 ? fastest : -fastest;
            break;
        case 2:
            speed = (int32_t)(g % 3) - 1;
            break;
        case 3:
            speed = x < (int32_t)width / 2 ? fastest : (int32_t)(g % 16) - 8;
            break;
        }
        picture.phi.push_back((int16_t)phi);
        picture.speed.push_back((int16_t)speed);
    }
    return picture;
}

static void add(const Picture &picture, Beats &in, Beats &expected)
{
    std::vector<int16_t> next = picture.phi;
    model_levelset(&numbers, picture.width, picture.height, next.data(), picture.speed.data(),
                   STEPS);
    add_frame(in, picture.width, picture.height,
              [&](size_t i) { return pack(picture.phi[i], picture.speed[i]); });
    add_frame(expected, picture.width, picture.height,
              [&](size_t i) { return pack(next[i], picture.speed[i]); });
}

/* No pixel that the circuit gave leaves the range of those that came in. */
static void check_range(const Beats &in, const Words &out)
{
    int16_t low = INT16_MAX, high = INT16_MIN;
    for (const Beat &beat : in) {
        const int16_t phi = low_bits(beat.data, numbers.phi_bits);
        low = phi < low ? phi : low;
        high = phi > high ? phi : high;
    }
    for (uint64_t word : out) {
        const int16_t phi = low_bits(word, numbers.phi_bits);
        if (phi < low || phi > high)
            fail("a pixel left the range of its picture");
    }
}

static void pictures(Bench<Vro_levelset> &bench, int count)
{
    for (uint32_t seed = 0; seed < (uint32_t)count; seed++) {
        uint32_t width = draw_width(seed, seed % 5 == 0 ? 4 : 0, WIDTH);
        if (seed % 7 == 0)
            width = WIDTH;
        Beats in, expected;
        bench.circuit.width = width;
        for (uint32_t frame = 0, frames = 1 + seed % 3; frame < frames; frame++) {
            uint32_t height = 1 + model_random(seed, 0, 4) % (seed % 3 == 0 ? 3 : 20);
            bench.circuit.height = height;
            add(draw(width, height, 8 * seed + frame), in, expected);
        }
        bench.tick();
        bench.tick();
        bench.run("pictures " + std::to_string(width) + " x " +
                      std::to_string(bench.circuit.height) + " x " + std::to_string(1 + seed % 3),
                  in, expected, (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
        check_range(in, bench.results);
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
}

/* tests/segment/levelset/fpga12.txt, a pixel each: as the middle of a picture of 3 x 3. */
static void vectors(Bench<Vro_levelset> &bench, const char *path)
{
    FILE *file = std::fopen(path, "r");
    char line[256];
    int count = 0;
    Beats in, expected;
    if (!file)
        fail(std::string("cannot read ") + path);
    while (std::fgets(line, sizeof line, file)) {
        int p, l, r, u, d, f, next;
        if (line[0] == '#')
            continue;
        if (std::sscanf(line, "%d %d %d %d %d %d %d", &p, &l, &r, &u, &d, &f, &next) != 7)
            fail(std::string("not a vector: ") + line);
        Picture picture = {3, 3, {}, std::vector<int16_t>(9, 0)};
        for (int v : {0, u, 0, l, p, r, 0, d, 0})
            picture.phi.push_back((int16_t)v);
        picture.speed[4] = (int16_t)f;
        size_t middle = expected.size() + 4;
        add(picture, in, expected);
        if (expected[middle].data != pack(next, f))
            fail("the model differs from the vectors");
        count++;
    }
    std::fclose(file);
    if (count < 1000)
        fail("there are too few vectors");
    bench.circuit.width = bench.circuit.height = 3;
    bench.tick();
    bench.tick();
    bench.run("vectors", in, expected, Pauses::none, Pauses::random, 1);
    std::printf("%d vectors\n", count);
}

static Frames frames()
{
    return {[](uint32_t width, uint32_t height, uint32_t seed) {
                const Picture picture = draw(width, height, seed);
                Words words;
                for (size_t i = 0; i < picture.phi.size(); i++)
                    words.push_back(pack(picture.phi[i], picture.speed[i]));
                return words;
            },
            [](uint32_t width, uint32_t height, const Words &words) {
                Picture picture = {width, height, {}, {}};
                for (uint64_t word : words) {
                    picture.phi.push_back(low_bits(word, numbers.phi_bits));
                    picture.speed.push_back(low_bits(word >> numbers.phi_bits, numbers.speed_bits));
                }
                Beats in, expected;
                add(picture, in, expected);
                Words out;
                for (const Beat &beat : expected)
                    out.push_back(beat.data);
                return out;
            }};
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Vro_levelset> bench(put, get);
    int count = argc > 1 ? std::atoi(argv[1]) : 60;
    pictures(bench, count);
    if (argc > 2 && argv[2][0] != '+')
        vectors(bench, argv[2]);
    /* narrower rows wait for one another */
    if (WIDTH >= 24) {
        check_speed(bench, frames(), WIDTH, 64, STEPS, CLOCKS);
        check_faults(bench, frames(), 12);
        check_complaint(bench, frames(), 6, pack(5, -numbers.fastest - 1),
                        pack(5, -numbers.fastest));
    }
    std::printf("levelset %s %s, width %d, %d steps: %" PRIu64 " pixels as the library has them\n",
                NUMBER, NORM, WIDTH, STEPS, bench.pixels);
    return 0;
}
