/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "peer_opencv.h"

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
    /* the system's own has the system's packages, even if another comes first in the path */
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    double seconds = 0;
    for (int i = 0; i < 2 && seconds == 0; i++) {
        char command[2048];
        snprintf(command, sizeof command, "%s -c '%s' %d %d %d 2>/dev/null", pythons[i], script,
                 size, iterations, threads);
        FILE *pipe = popen(command, "r");
        if (!pipe)
            return 0;
        if (fscanf(pipe, "%lf", &seconds) != 1)
            seconds = 0;
        pclose(pipe);
    }
    return seconds;
}
