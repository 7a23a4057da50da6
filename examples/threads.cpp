/* SPDX-License-Identifier: MIT */
/* C++: four threads run one plan. Prints whether all of them got the same bits. */
#include <roundoff.hpp>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

int main()
try {
    roundoff::Context context;
    roundoff::Image in(context, RO_GREY8, 320, 200);
    context.check(ro_testcard(context, in));
    auto options = roundoff::options<ro_halftone_options>();
    options.method = "ostromoukhov";
    const roundoff::Plan plan(context, in, RO_BITS, options);
    std::vector<roundoff::Image> out;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        out.emplace_back(context, RO_BITS, 320, 200);
    for (auto &image : out)
        threads.emplace_back([&plan, &in, &image] { plan.run(in, image); });
    for (auto &thread : threads)
        thread.join();
    int same = 0;
    for (auto &image : out)
        same += !std::memcmp(image->data, out[0]->data, image->stride * image->height);
    std::printf("%d of 4 threads got the same bits\n", same);
    return same == 4 ? 0 : 1;
} catch (const roundoff::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
