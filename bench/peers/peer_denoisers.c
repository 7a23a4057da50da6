/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* P_tmpdir */
#include "peer_denoisers.h"

#include "peer_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Prints seconds and the mean squared error of each; -1 of what is missing. Filters take their
 * usual setting for the noise. */
static const char script[] =
    "import sys, time\n"
    "import numpy as np\n"
    "size, noise = int(sys.argv[1]), float(sys.argv[2])\n"
    "clean, noisy = (np.fromfile(name, np.uint8).reshape(size, size) for name in sys.argv[3:5])\n"
    "real = noisy / 255.0\n"
    "def opencv(search, window):\n"
    "    import cv2\n"
    "    cv2.setNumThreads(1)\n"
    "    return lambda: cv2.fastNlMeansDenoising(noisy, None, 0.8 * noise, window, search)\n"
    "def means():\n"
    "    from skimage.restoration import denoise_nl_means as f\n"
    "    return lambda: 255 * f(real, patch_size=5, patch_distance=6, h=0.7 * noise / 255,\n"
    "                           sigma=noise / 255, fast_mode=True)\n"
    "def variation():\n"
    "    from skimage.restoration import denoise_tv_chambolle as f\n"
    "    return lambda: 255 * f(real, weight=noise / 255)\n"
    "def wavelets():\n"
    "    from skimage.restoration import denoise_wavelet as f\n"
    "    return lambda: 255 * f(real, sigma=noise / 255, rescale_sigma=False)\n"
    "for make in (lambda: opencv(21, 7), lambda: opencv(11, 5), means, variation, wavelets):\n"
    "    try:\n"
    "        run = make()\n"
    "    except Exception:\n"
    "        print(-1, 0)\n"
    "        continue\n"
    "    best, start = 1e9, time.time()\n"
    "    while best == 1e9 or time.time() - start < 4:\n"
    "        begin = time.time()\n"
    "        result = run()\n"
    "        best = min(best, time.time() - begin)\n"
    "    print(best, np.mean((result - clean.astype(float)) ** 2))\n";

static int put(const char *name, const unsigned char *pixels, size_t count)
{
    FILE *file = fopen(name, "wb");
    const int right = file && fwrite(pixels, 1, count, file) == count;
    return file && fclose(file) == 0 && right;
}

void peer_denoisers(int size, const unsigned char *clean, const unsigned char *noisy, double noise,
                    struct peer_denoiser peers[PEER_DENOISERS])
{
    static const char *const names[PEER_DENOISERS] = {
        "OpenCV fastNlMeans 7/21", "OpenCV fastNlMeans 5/11", "scikit-image NLM 5/13",
        "scikit-image TV", "scikit-image wavelets"};
    char folder[] = P_tmpdir "/roundoff-peer-XXXXXX", file[2][64], arguments[192];
    double numbers[2 * PEER_DENOISERS];
    int count = 0;
    for (int i = 0; i < PEER_DENOISERS; i++)
        peers[i] = (struct peer_denoiser){.name = names[i], .seconds = -1};
    if (!mkdtemp(folder))
        return;
    for (int i = 0; i < 2; i++)
        snprintf(file[i], sizeof file[i], "%s/%d", folder, i);
    const size_t pixels = (size_t)size * (size_t)size;
    if (put(file[0], clean, pixels) && put(file[1], noisy, pixels)) {
        snprintf(arguments, sizeof arguments, "%d %g %s %s", size, noise, file[0], file[1]);
        count = peer_python(script, arguments, 1, numbers, 2 * PEER_DENOISERS);
    }
    for (int i = 0; 2 * i + 1 < count; i++) {
        peers[i].seconds = numbers[2 * i];
        peers[i].error = numbers[2 * i + 1];
    }
    unlink(file[0]);
    unlink(file[1]);
    rmdir(folder);
}
