/* SPDX-License-Identifier: MIT */
#include "peer_levelset.h"

#include "peer_process.h"

#include <stdio.h>

static const char skimage_script[] =
    "import sys, time\n"
    "try:\n"
    "    import numpy\n"
    "    from skimage import segmentation as s\n"
    "except Exception:\n"
    "    sys.exit()\n"
    "size = int(sys.argv[1])\n"
    "y, x = numpy.mgrid[:size, :size]\n"
    "d = numpy.hypot(x - size / 2, y - size / 2)\n"
    "image = (d < size / 3) * 0.5 + 0.1 * numpy.random.default_rng(1).random((size, size))\n"
    "disc = (d < size / 8).astype(numpy.int8)\n"
    "def per_step(run):\n"
    "    times = []\n"
    "    for steps in (10, 30):\n"
    "        best = 1e9\n"
    "        for i in range(3):\n"
    "            start = time.time()\n"
    "            run(steps)\n"
    "            best = min(best, time.time() - start)\n"
    "        times.append(best)\n"
    "    return (times[1] - times[0]) / 20\n"
    "def chan_vese(n):\n"
    "    try: s.chan_vese(image, max_num_iter=n, tol=0)\n"
    "    except TypeError: s.chan_vese(image, max_iter=n, tol=0)\n"
    "g = s.inverse_gaussian_gradient(image)\n"
    "print(per_step(chan_vese),\n"
    "      per_step(lambda n: s.morphological_geodesic_active_contour(g, n, disc, balloon=1)))\n";

struct peer_skimage peer_skimage_contours(int size)
{
    char arguments[32];
    double times[2];
    snprintf(arguments, sizeof arguments, "%d", size);
    if (peer_python(skimage_script, arguments, 1, times, 2) != 2)
        return (struct peer_skimage){0, 0};
    return (struct peer_skimage){.chan_vese = times[0], .geodesic = times[1]};
}

struct peer_itk peer_itk_lobes(int size, double radius, double start, int threads)
{
    char arguments[128];
    double told[3]; /* seconds, dice, iterations */
    snprintf(arguments, sizeof arguments, "%d %g %g %d", size, radius, start, threads);
    if (peer_beside("peer_itk_levelset", arguments, told, 3) != 3)
        return (struct peer_itk){0, 0, 0};
    return (struct peer_itk){.seconds = told[0], .dice = told[1], .iterations = (int)told[2]};
}
