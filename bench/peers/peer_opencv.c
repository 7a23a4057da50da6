/* SPDX-License-Identifier: MIT */
#include "peer_opencv.h"

#include "peer_process.h"

#include <stdio.h>

static const char script[] =
    "import sys, time\n"
    "try:\n"
    "    import cv2, numpy\n"
    "    filter = cv2.ximgproc.anisotropicDiffusion\n"
    "except Exception:\n"
    "    sys.exit()\n"
    "size, steps, threads = map(int, sys.argv[1:])\n"
    "cv2.setNumThreads(threads)\n"
    "image = numpy.random.default_rng(1).integers(100, 156, (size, size, 3), numpy.uint8)\n"
    "best, start = 1e9, time.time()\n"
    "filter(image, 0.2, 10, 1)\n"
    "while True:\n"
    "    begin = time.time()\n"
    "    filter(image, 0.2, 10, steps)\n"
    "    best = min(best, time.time() - begin)\n"
    "    if time.time() - start > 4: break\n"
    "print(best)\n";

double peer_opencv_diffusion(int size, int iterations, int threads)
{
    char arguments[64];
    double seconds;
    snprintf(arguments, sizeof arguments, "%d %d %d", size, iterations, threads);
    return peer_python(script, arguments, threads, &seconds, 1) == 1 ? seconds : 0;
}
