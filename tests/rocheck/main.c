/* SPDX-License-Identifier: MIT */
/* rocheck [test|bench|list|steps] [pattern] [--variant NAME] [--seed N] [--repeats N] [--few N] */
#include "core/cpu.h"
#include "core/random.h"
#include "rocheck.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct suite *const suites[] = {
    &diffusion_suite, &dbs_suite,      &ordered_suite, &denoise_suite,
    &trained_suite,   &register_suite, &segment_suite, &hologram_suite,
    &light_suite,     &device_suite,   &seek_suite,
};

/* Every instruction set, then the device. */
enum { VARIANTS = RO_CPUS - RO_CPU_SCALAR + 1 };
static struct variant variant_at(int number)
{
    const ro_cpu cpu = (ro_cpu)(RO_CPU_SCALAR + number);
    if (number == VARIANTS - 1)
        return (struct variant){"cuda", RO_DEVICE_CUDA, RO_CPU_AUTO};
    return (struct variant){ro_cpu_name(cpu), RO_DEVICE_CPU, cpu};
}

bool same_bytes(const ro_image *want, const ro_image *got, size_t bytes, char where[WHERE_BYTES])
{
    const unsigned char *a = want->data, *b = got->data;
    size_t at = 0;
    while (at < bytes && a[at] == b[at])
        at++;
    if (at < bytes)
        snprintf(where, WHERE_BYTES, "byte %zu of row %zu is %02x, not %02x",
                 (at - GUARD) % (size_t)want->stride, (at - GUARD) / (size_t)want->stride, b[at],
                 a[at]);
    return at == bytes;
}

uint32_t draw(struct check *check, uint32_t limit)
{
    uint64_t n = check->counter++;
    return pixel_hash(check->seed, (uint32_t)n, (uint32_t)(n >> 32)) % limit;
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

ro_context *open_variant(const struct variant *variant, int threads)
{
    ro_context *context;
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = variant->device,
                                    .cpu = variant->cpu, .threads = threads};
    return ro_context_open(&how, &context) == RO_OK ? context : NULL;
}

double best_speed(int runs, double pixels, bool (*run)(void *data), void *data)
{
    double best = 0;
    for (int i = 0; i < runs; i++) {
        double start = seconds_now();
        if (!run(data))
            return 0;
        double speed = 1e-6 * pixels / (seconds_now() - start);
        best = speed > best ? speed : best;
    }
    return best;
}

struct halftoning {
    ro_context *context;
    ro_image in, out;
    const ro_halftone_options *options;
};

static bool run_halftoning(void *data)
{
    struct halftoning *work = data;
    return ro_halftone(work->context, &work->in, &work->out, work->options) == RO_OK;
}

double halftone_speed(const struct variant *variant, int threads, uint32_t side,
                      const ro_halftone_options *options)
{
    struct halftoning work = {.context = open_variant(variant, threads), .options = options};
    double best = 0;
    if (!work.context)
        return 0;
    if (ro_image_alloc(work.context, RO_GREY8, side, side, 0, &work.in) == RO_OK &&
        ro_image_alloc(work.context, RO_BITS, side, side, 0, &work.out) == RO_OK &&
        ro_testcard(work.context, &work.in) == RO_OK)
        best = best_speed(5, (double)side * side, run_halftoning, &work);
    ro_image_free(&work.in);
    ro_image_free(&work.out);
    ro_context_close(work.context);
    return best;
}

static bool present(const struct variant *variant)
{
    if (variant->device == RO_DEVICE_CPU)
        return variant->cpu <= cpu_best();
    ro_device_info info = {.size = sizeof info};
    for (int i = 0; ro_device_at(i, &info) == RO_OK; i++)
        if (info.device == variant->device)
            return true;
    return false;
}

struct arguments {
    const char *command, *pattern, *variant;
    uint64_t seed;
    int repeats, few;
};

static bool parse(int count, char **words, struct arguments *arguments)
{
    *arguments = (struct arguments){"test", "*", NULL, 1, 1, 1};
    int place = 0;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--variant") == 0 && i + 1 < count)
            arguments->variant = words[++i];
        else if (strcmp(words[i], "--seed") == 0 && i + 1 < count)
            arguments->seed = strtoull(words[++i], NULL, 0);
        else if (strcmp(words[i], "--repeats") == 0 && i + 1 < count)
            arguments->repeats = atoi(words[++i]);
        else if (strcmp(words[i], "--few") == 0 && i + 1 < count)
            arguments->few = atoi(words[++i]);
        else if (words[i][0] == '-' || place > 1)
            return false;
        else if (place++ == 0)
            arguments->command = words[i];
        else
            arguments->pattern = words[i];
    }
    static const char *const commands[] = {"test", "bench", "list", "steps"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(arguments->command, commands[i]) == 0)
            return arguments->repeats > 0 && arguments->few > 0;
    return false;
}

/* Runs one case on one variant; returns 1 if it failed. */
static int run_case(const struct suite *suite, int number, const struct variant *variant,
                    const struct arguments *arguments)
{
    const char *name = suite->case_name(number);
    if (strcmp(arguments->command, "list") == 0) {
        printf("%s/%s %s\n", suite->name, name, variant->name);
        return 0;
    }
    if (strcmp(arguments->command, "steps") == 0) {
        if (suite->steps)
            suite->steps(number, variant);
        return 0;
    }
    if (strcmp(arguments->command, "bench") == 0) {
        if (!suite->bench)
            return 0;
        int threads = cpu_threads();
        double one = suite->bench(number, variant, 1);
        double all = one > 0 ? suite->bench(number, variant, threads) : 0;
        printf("%-44s %-8s %9.0f Mpixel/s on 1 thread", name, variant->name, one);
        if (all > 0)
            printf(", %9.0f on %d", all, threads);
        printf("\n");
        return 0;
    }
    struct check check = {.variant = variant,
                          .seed = arguments->seed,
                          .repeats = arguments->repeats,
                          .few = arguments->few};
    bool right = suite->test(number, &check);
    printf("%s %s/%s %s%s", right ? "ok  " : "FAIL", suite->name, name,
           RO_ON_DEVICE("", variant->device == RO_DEVICE_CUDA ? "emulated " : ""), variant->name);
    if (!right)
        printf(": %s (seed %llu)", check.failure, (unsigned long long)check.seed);
    printf("\n");
    fflush(stdout);
    return !right;
}

int main(int count, char **words)
{
    struct arguments arguments;
    if (!parse(count, words, &arguments)) {
        fprintf(stderr, "usage: rocheck [test|bench|list|steps] [pattern] [--variant scalar|v128|"
                        "avx2|avx512|cuda] [--seed N] [--repeats N] [--few N]\n");
        return 2;
    }
    int failed = 0, passed = 0, known = 0, skipped = 0;
    for (int v = 0; v < VARIANTS; v++) {
        const struct variant here = variant_at(v), *variant = &here;
        if (arguments.variant && strcmp(arguments.variant, variant->name) != 0)
            continue;
        known++;
        if (!present(variant)) {
            printf("skipped: %s: no %s\n", variant->name,
                   variant->device == RO_DEVICE_CPU ? "such instructions" : "device");
            skipped++;
            continue;
        }
        for (size_t s = 0; s < sizeof suites / sizeof *suites; s++)
            for (int i = 0; i < suites[s]->cases; i++) {
                char full[128];
                snprintf(full, sizeof full, "%s/%s", suites[s]->name, suites[s]->case_name(i));
                if (fnmatch(arguments.pattern, full, 0) != 0 || !suites[s]->supports(i, variant))
                    continue;
                int bad = run_case(suites[s], i, variant, &arguments);
                failed += bad;
                passed += !bad;
            }
    }
    if (!known) {
        fprintf(stderr, "rocheck: there is no variant '%s'\n", arguments.variant);
        return 2;
    }
    if (passed + failed == 0 && skipped < known) {
        fprintf(stderr,
                "rocheck: no case matches '%s'; a pattern is of whole names, such as '%s'\n",
                arguments.pattern, "*/floyd-steinberg/*");
        return 2;
    }
    if (strcmp(arguments.command, "test") == 0)
        printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
