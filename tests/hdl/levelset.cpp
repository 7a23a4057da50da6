/* SPDX-License-Identifier: MIT */
/* ro_levelset against the library: NUMBER, NORM, WIDTH and STEPS are those it was built with. */
#include "hdl/bench.h"

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
    /* nothing leaves the range of what came in */
    int16_t low = INT16_MAX, high = INT16_MIN;
    for (int16_t phi : picture.phi) {
        low = phi < low ? phi : low;
        high = phi > high ? phi : high;
    }
    for (int16_t phi : next)
        if (phi < low || phi > high)
            fail("the model leaves the range of the picture");
}

static void pictures(Bench<Vro_levelset> &bench, int count)
{
    for (uint32_t seed = 0; seed < (uint32_t)count; seed++) {
        uint32_t width = 1 + model_random(seed, 0, 3) % (seed % 5 == 0 ? 4 : WIDTH);
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
    }
    if (bench.clocks_with_error)
        fail("good pictures raised an error");
}

/* tests/pde/levelset/fpga12.txt, a pixel each: as the middle of a picture of 3 x 3. */
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

/* What a frame with a fault becomes: rows cut and filled with zeros. */
static Picture mended(const Picture &sent, uint32_t width, uint32_t height,
                      const std::vector<uint32_t> &lengths)
{
    Picture picture = {width, height, std::vector<int16_t>(width * height, 0),
                       std::vector<int16_t>(width * height, 0)};
    size_t from = 0;
    for (uint32_t y = 0; y < height && y < lengths.size(); y++) {
        for (uint32_t x = 0; x < lengths[y] && x < width; x++) {
            picture.phi[y * width + x] = sent.phi[from + x];
            picture.speed[y * width + x] = sent.speed[from + x];
        }
        from += lengths[y];
    }
    return picture;
}

static void faults(Bench<Vro_levelset> &bench)
{
    const uint32_t width = WIDTH < 12 ? WIDTH : 12, height = 6;
    const std::vector<std::vector<uint32_t>> shapes = {
        {width, width, width - 1, width, width, width},    /* a row ends early */
        {width, width + 3, width, width, width, width},    /* a row is too long */
        {width, width, 5},                                 /* a frame ends in a row */
        {width, width, width},                             /* or between rows */
        {width, width, width, width, width, width + 2},    /* the last row is too long */
        {width, width, width, width, width, width, width}, /* a row too many */
        {1, 2 * width, 1, 2, width, 3},                    /* nothing fits */
    };
    bench.circuit.width = width;
    bench.circuit.height = height;
    bench.tick();
    bench.tick();
    for (uint32_t seed = 0; seed < 3 * shapes.size(); seed++) {
        const std::vector<uint32_t> &lengths = shapes[seed % shapes.size()];
        Beats in, expected;
        Picture good = draw(width, height, seed), wrong = draw(3 * width, 8, 100 + seed);
        add(good, in, expected);
        size_t at = 0;
        for (uint32_t length : lengths)
            for (uint32_t x = 0; x < length; x++, at++)
                in.push_back({at == 0, x + 1 == length, pack(wrong.phi[at], wrong.speed[at])});
        Beats ignored;
        add(mended(wrong, width, height, lengths), ignored, expected);
        add(draw(width, height, 200 + seed), in, expected);
        uint64_t before = bench.clocks_with_error;
        bench.run("faults", in, expected, (Pauses)(seed % 3), (Pauses)(seed / 3 % 3), seed);
        if (bench.clocks_with_error == before)
            fail("a frame of a wrong shape raised no error");
        if (bench.circuit.error)
            fail("the error is still there after a good frame");
    }
    /* a speed beyond the bound is cut, and told */
    Beats in, expected;
    Picture fast = draw(width, height, 0), cut = fast;
    fast.speed[7] = (int16_t)(numbers.fastest + 1);
    cut.speed[7] = (int16_t)numbers.fastest;
    Beats ignored;
    add_frame(in, width, height, [&](size_t i) { return pack(fast.phi[i], fast.speed[i]); });
    add(cut, ignored, expected);
    uint64_t before = bench.clocks_with_error;
    bench.run("a fast pixel", in, expected, Pauses::none, Pauses::none, 1);
    if (bench.clocks_with_error == before)
        fail("a speed beyond the bound raised no error");
}

/* Frames one after another, nobody pauses: a pixel a clock but for the first rows. */
static void speed(Bench<Vro_levelset> &bench)
{
    const uint32_t height = 64, frames = 4;
    Beats in, expected;
    bench.circuit.width = WIDTH;
    bench.circuit.height = height;
    bench.tick();
    bench.tick();
    for (uint32_t i = 0; i < frames; i++)
        add(draw(WIDTH, height, i), in, expected);
    uint64_t took = bench.run("speed", in, expected, Pauses::none, Pauses::none, 1);
    uint64_t latency = took - in.size();
    std::printf("%zu pixels in %" PRIu64 " clocks: %u rows and %" PRIu64 " clocks more\n",
                in.size(), took, STEPS, latency - STEPS * WIDTH);
    if (latency > STEPS * (WIDTH + 24) + 48)
        fail("not a pixel a clock");
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Bench<Vro_levelset> bench(put, get);
    int count = argc > 1 ? std::atoi(argv[1]) : 60;
    pictures(bench, count);
    if (argc > 2 && argv[2][0] != '+')
        vectors(bench, argv[2]);
    speed(bench);
    faults(bench);
    std::printf("levelset %s %s, width %d, %d steps: %" PRIu64 " pixels as the library has them\n",
                NUMBER, NORM, WIDTH, STEPS, bench.pixels);
    return 0;
}
