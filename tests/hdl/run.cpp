/* SPDX-License-Identifier: MIT */
/* ro_levelset_run on a memory that answers late and not always, against the library's evolution. */
#include "hdl/bench.h"

#include "verilated.h"
#include "Vro_levelset_run.h"

#include <cinttypes>
#include <deque>

static const model_numbers numbers = model_levelset_numbers("s12", "lin");
enum { PHI_BITS = 12, SPEED_BITS = 11 };

/* A word is {tag, speed, phi}. */
static uint32_t word_of(int32_t phi, int32_t speed)
{
    return ((uint32_t)speed & 0x7ff) << PHI_BITS | ((uint32_t)phi & 0xfff);
}

struct Front {
    uint32_t width, height;
    std::vector<int16_t> phi, speed;
};

/* A disc that grows where the picture is light, or noise. */
static Front draw(uint32_t width, uint32_t height, uint32_t seed)
{
    Front front = {width, height, {}, {}};
    const int32_t fastest = numbers.fastest >> (seed % 5);
    for (uint32_t i = 0; i < width * height; i++) {
        int32_t x = (int32_t)(i % width) * 2 - (int32_t)width;
        int32_t y = (int32_t)(i / width) * 2 - (int32_t)height;
        uint32_t h = model_random(seed, i, 1);
        int32_t phi = (x * x + y * y) * 8 / (int32_t)(width + 4) - 100;
        int32_t speed = x * x + y * y < (int32_t)(width * width / 2) ? fastest : -fastest / 2;
        if (seed % 7 == 3) {
            phi = (int32_t)(h % 4096) - 2048;
            speed = (int32_t)(model_random(seed, i, 2) % 2041) - 1020;
        } else if (seed % 7 == 5) {
            speed = speed / 64 + (int32_t)(h % 3) - 1;
        }
        phi = phi > numbers.max ? numbers.max : phi < numbers.min ? numbers.min : phi;
        front.phi.push_back((int16_t)phi);
        front.speed.push_back((int16_t)speed);
    }
    return front;
}

/* A memory with latency: addresses are queued, words come back in their order. */
class Machine
{
  public:
    Vro_levelset_run circuit;
    std::vector<uint32_t> memory;
    uint64_t clocks = 0;

    Machine()
    {
        circuit.clk = circuit.start = circuit.read_ready = 0;
        circuit.data_valid = circuit.write_ready = circuit.table_write = circuit.from_table = 0;
        circuit.reset = 1;
        for (int i = 0; i < 4; i++)
            tick();
        circuit.reset = 0;
    }

    /* Gives the clocks that a run took. */
    uint64_t run(uint32_t width, uint32_t height, uint32_t steps, bool look, bool from_table,
                 Pauses pauses, uint32_t seed)
    {
        Sides reads(pauses, 3 * seed), words(pauses, 3 * seed + 1), writes(pauses, 3 * seed + 2);
        std::deque<std::pair<uint64_t, uint32_t>> queue; /* when, and which word */
        uint64_t begin = clocks, latency = 1 + seed % 9;
        bool offered = false;
        circuit.width = width;
        circuit.height = height;
        circuit.steps = steps;
        circuit.look = look;
        circuit.from_table = from_table;
        for (int i = 0; i < 3; i++)
            tick();
        circuit.start = 1;
        tick();
        circuit.start = 0;
        while (!circuit.done) {
            if (clocks - begin > 400 * ((uint64_t)width * height + 1000) * (steps / STEPS + 9))
                fail("the run does not end: " + std::to_string(width) + " x " +
                     std::to_string(height) + ", " + std::to_string(steps) + " steps, seed " +
                     std::to_string(seed));
            circuit.read_ready = !reads.paused() && queue.size() < 16;
            offered =
                !queue.empty() && queue.front().first <= clocks && (offered || !words.paused());
            circuit.data_valid = offered;
            circuit.data = offered ? queue.front().second : 0;
            circuit.write_ready = !writes.paused();
            circuit.eval();
            if (circuit.write_valid && circuit.write_ready)
                memory.at(circuit.write_address) = circuit.write_data;
            if (circuit.read_valid && circuit.read_ready)
                queue.push_back({clocks + latency, memory.at(circuit.read_address)});
            if (offered && circuit.data_ready) {
                queue.pop_front();
                offered = false;
            }
            tick();
        }
        return clocks - begin;
    }

    void tick()
    {
        circuit.eval();
        circuit.clk = 1;
        circuit.eval();
        circuit.clk = 0;
        circuit.eval();
        clocks++;
    }
};

static void check(Machine &machine, Front front, uint32_t steps, bool look, bool table,
                  Pauses pauses, uint32_t seed)
{
    const std::string name = std::to_string(front.width) + " x " + std::to_string(front.height) +
                             ", " + std::to_string(steps) + " steps, seed " + std::to_string(seed);
    machine.memory.clear();
    if (table) { /* speeds by 256 intensities */
        std::vector<int16_t> speeds;
        for (uint32_t i = 0; i < 256; i++) {
            speeds.push_back((int16_t)((int32_t)(model_random(seed, i, 5) % 2041) - 1020));
            machine.circuit.table_write = 1;
            machine.circuit.table_address = (uint8_t)i;
            machine.circuit.table_speed = (uint32_t)speeds[i] & 0x7ff;
            machine.tick();
        }
        machine.circuit.table_write = 0;
        for (size_t i = 0; i < front.phi.size(); i++) {
            uint32_t intensity = model_random(seed, (uint32_t)i, 6) % 256;
            machine.memory.push_back(word_of(front.phi[i], (int32_t)intensity));
            front.speed[i] = speeds[intensity];
        }
    } else {
        for (size_t i = 0; i < front.phi.size(); i++)
            machine.memory.push_back(word_of(front.phi[i], front.speed[i]));
    }
    machine.run(front.width, front.height, steps, look, table, pauses, seed);
    if (machine.circuit.error)
        fail(name + ": a run raised an error");
    model_run end = {steps, 0, false};
    if (look)
        end = model_levelset_run("s12", "lin", front.width, front.height, front.phi.data(),
                                 front.speed.data(), steps);
    else
        model_levelset(&numbers, front.width, front.height, front.phi.data(), front.speed.data(),
                       steps);
    if (machine.circuit.taken != end.steps || machine.circuit.rescalings != end.rescalings ||
        machine.circuit.ended != end.ended)
        fail(name + ": steps, rescalings, end: " + std::to_string(machine.circuit.taken) + " " +
             std::to_string(machine.circuit.rescalings) + " " +
             std::to_string(machine.circuit.ended) + ", expected " + std::to_string(end.steps) +
             " " + std::to_string(end.rescalings) + " " + std::to_string(end.ended));
    for (size_t i = 0; i < front.phi.size(); i++)
        if ((machine.memory[i] & 0x7fffff) != word_of(front.phi[i], front.speed[i]))
            fail(name + ": pixel " + std::to_string(i) + " differs");
}

/* Runs that cannot be end at once, touch nothing and raise an error; the next one is right. */
static void check_refusals(Machine &machine)
{
    const struct {
        uint32_t width, height, steps;
    } wrong[] = {{0, 5, 3}, {5, 0, 3}, {WIDTH + 1, 5, 3}, {5, 5, 0}, {WIDTH, ROWS + 1, 3}};
    for (const auto &job : wrong) {
        machine.memory.clear(); /* a read or write would be out of range */
        const uint64_t took =
            machine.run(job.width, job.height, job.steps, false, false, Pauses::none, 1);
        if (!machine.circuit.error || took > 8)
            fail("a run that cannot be was not refused: " + std::to_string(job.width) + " x " +
                 std::to_string(job.height) + ", " + std::to_string(job.steps) + " steps");
        check(machine, draw(7, 5, 2), 4, false, false, Pauses::none, 2);
    }
}

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Machine machine;
    const int count = argc > 1 ? std::atoi(argv[1]) : 20;
    uint64_t rescaled = 0, ended = 0;
    for (uint32_t seed = 0; seed < (uint32_t)count; seed++) {
        uint32_t width = 1 + model_random(seed, 0, 3) % (seed % 4 == 0 ? 3 : WIDTH);
        uint32_t height = 1 + model_random(seed, 0, 4) % (seed % 5 == 0 ? 3 : 24);
        uint32_t steps = 1 + model_random(seed, 0, 5) % (seed % 2 ? 400 : 60);
        check(machine, draw(width, height, seed), steps, seed % 3 != 0, seed % 5 == 1,
              (Pauses)(seed % 3), seed);
        rescaled += machine.circuit.rescalings;
        ended += machine.circuit.ended;
    }
    /* forty steps end at a look that doubles: the pass that only doubles */
    Front still = draw(9, 7, 1);
    std::fill(still.speed.begin(), still.speed.end(), (int16_t)0);
    still.speed[0] = 1;
    for (uint32_t steps : {19u, 20u, 40u, 60u, 500u})
        check(machine, still, steps, true, false, Pauses::none, steps);
    check_refusals(machine);
    /* a pixel a clock in all steps at once */
    Front large = draw(WIDTH, 32, 0);
    for (size_t i = 0; i < large.phi.size(); i++)
        machine.memory.resize(large.phi.size());
    const uint32_t passes = 8;
    uint64_t took = machine.run(WIDTH, 32, passes * STEPS, false, false, Pauses::none, 0);
    std::printf("%u pixels, %u steps, %d a pass: %" PRIu64 " clocks\n", WIDTH * 32, passes * STEPS,
                STEPS, took);
    if (took > passes * WIDTH * 32 + (STEPS + 2) * (WIDTH + 32) + 64)
        fail("not a pixel a clock");
    if (count >= 20 && (rescaled == 0 || ended == 0))
        fail("no run was rescaled or came to its end");
    std::printf("levelset runs, %d steps a pass: %d runs as the library has them, %" PRIu64
                " rescalings, %" PRIu64 " ended\n",
                STEPS, count + 5, rescaled, ended);
    return 0;
}
