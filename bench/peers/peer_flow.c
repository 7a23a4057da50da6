/* SPDX-License-Identifier: MIT */
/*
 * Each peer is a program that reads two raw images from a folder, runs a few times, prints its best
 * time, or -1 where it is not installed, and leaves its field there as raw floats. elastix is timed
 * with its start and its files, for it is a command; an affine map comes before its B-splines.
 */
#define _GNU_SOURCE /* P_tmpdir */
#include "peer_flow.h"

#include "peer_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
    "import os, shutil, signal, subprocess, sys, time\n"
    "try: import numpy\n"
    "except ImportError: sys.exit(print(-1))\n"
    "signal.alarm(60)\n"
    "name, folder = sys.argv[1:3]\n"
    "w, h, threads = map(int, sys.argv[3:])\n"
    "f, m = (numpy.fromfile(os.path.join(folder, n + \".u8\"), numpy.uint8).reshape(h, w)\n"
    "        for n in (\"fixed\", \"moving\"))\n"
    "def mhd(path, a):\n"
    "    a.astype(numpy.float32).tofile(path + \".raw\")\n"
    "    open(path + \".mhd\", \"w\").write(\"ObjectType = Image\\nNDims = 2\\nDimSize = %d "
    "%d\\n\"\n"
    "        \"ElementType = MET_FLOAT\\nElementDataFile = %s.raw\\n\"\n"
    "        % (w, h, os.path.basename(path)))\n"
    "settings = \"\"\"\n"
    "(FixedInternalImagePixelType \"float\") (MovingInternalImagePixelType \"float\")\n"
    "(FixedImageDimension 2) (MovingImageDimension 2) (NumberOfResolutions 4)\n"
    "(Registration \"MultiResolutionRegistration\") (Metric \"%s\") (Transform \"%sTransform\")\n"
    "(Optimizer \"AdaptiveStochasticGradientDescent\") (AutomaticParameterEstimation \"true\")\n"
    "(MaximumNumberOfIterations 256) (ImageSampler \"RandomCoordinate\")\n"
    "(NewSamplesEveryIteration \"true\") (NumberOfSpatialSamples %d)\n"
    "(Interpolator \"LinearInterpolator\") (ResampleInterpolator \"FinalBSplineInterpolator\")\n"
    "(Resampler \"DefaultResampler\") (FixedImagePyramid \"FixedSmoothingImagePyramid\")\n"
    "(MovingImagePyramid \"MovingSmoothingImagePyramid\") (HowToCombineTransforms \"Compose\")\n"
    "(WriteResultImage \"false\") (ResultImageFormat \"mhd\") %s\n"
    "\"\"\"\n"
    "def elastix(metric, samples):\n"
    "    os.chdir(folder)\n"
    "    if not shutil.which(\"elastix\"): raise ImportError\n"
    "    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, "
    "timeout=50)\n"
    "    mhd(\"fixed\", f), mhd(\"moving\", m)\n"
    "    for i, (kind, more) in enumerate(((\"Affine\", \"(AutomaticScalesEstimation "
    "\\\"true\\\")\"),\n"
    "                                      (\"BSpline\", \"(FinalGridSpacingInPhysicalUnits "
    "16)\"))):\n"
    "        text = settings % (metric, kind, samples, more)\n"
    "        open(\"p%d.txt\" % i, \"w\").write(text.replace(\") (\", \")\\n(\"))\n"
    "    start = time.time()\n"
    "    subprocess.run([\"elastix\", \"-f\", \"fixed.mhd\", \"-m\", \"moving.mhd\", \"-p\", "
    "\"p0.txt\",\n"
    "        \"-p\", \"p1.txt\", \"-out\", \".\", \"-threads\", str(threads)], **quiet)\n"
    "    took = time.time() - start\n"
    "    subprocess.run([\"transformix\", \"-def\", \"all\", \"-tp\", "
    "\"TransformParameters.1.txt\",\n"
    "        \"-out\", \".\"], **quiet)\n"
    "    u = numpy.fromfile(\"deformationField.raw\", numpy.float32).reshape(h, w, 2)\n"
    "    return took, u\n"
    "def timed(run):\n"
    "    best, start, u = 1e9, time.time(), None\n"
    "    while True:\n"
    "        begin = time.time()\n"
    "        u = run()\n"
    "        best = min(best, time.time() - begin)\n"
    "        if time.time() - start > 1.5: return best, u\n"
    "def opencv(make):\n"
    "    import cv2\n"
    "    cv2.setNumThreads(threads)\n"
    "    method = make(cv2)\n"
    "    return timed(lambda: method.calc(f, m, None))\n"
    "def skimage(function):\n"
    "    import skimage.registration as r\n"
    "    a, b = f / 255, m / 255\n"
    "    return timed(lambda: numpy.stack(getattr(r, function)(a, b)[::-1], 2))\n"
    "try:\n"
    "    took, u = {\n"
    "        \"DIS\": lambda: opencv(lambda c: c.DISOpticalFlow_create(2)),\n"
    "        \"TVL1\": lambda: opencv(lambda c: c.optflow.DualTVL1OpticalFlow_create()),\n"
    "        \"tvl1\": lambda: skimage(\"optical_flow_tvl1\"),\n"
    "        \"ilk\": lambda: skimage(\"optical_flow_ilk\"),\n"
    "        \"correlation\": lambda: elastix(\"AdvancedNormalizedCorrelation\", 4096),\n"
    "        \"information\": lambda: elastix(\"AdvancedMattesMutualInformation\", 2048)}[name]()\n"
    "except (ImportError, AttributeError):\n"
    "    sys.exit(print(-1))\n"
    "numpy.ascontiguousarray(u, numpy.float32).tofile(os.path.join(folder, \"u.raw\"))\n"
    "print(took)\n";

static const struct flow_peer {
    const char *name;
    const char *python; /* its name in the script; NULL: the program peer_itk_demons */
    int match;          /* of histograms before the demons */
} peers[] = {
    {"OpenCV DIS", "DIS", 0},          {"OpenCV DualTVL1", "TVL1", 0},
    {"scikit-image tvl1", "tvl1", 0},  {"scikit-image ilk", "ilk", 0},
    {"elastix NCC", "correlation", 0}, {"elastix MI", "information", 0},
    {"ITK demons", NULL, 0},           {"ITK demons+match", NULL, 1},
};

enum { DEMONS = 60 }; /* iterations on each of four resolutions */

static bool put_pixels(const char *folder, const char *name, const ro_image *image)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s.u8", folder, name);
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;
    for (uint32_t y = 0; good && y < image->height; y++)
        good = fwrite((const char *)image->data + (ptrdiff_t)y * image->stride, 1, image->width,
                      file) == image->width;
    if (file && fclose(file) != 0)
        good = false;
    return good;
}

static bool get_field(const char *folder, const ro_image *field)
{
    char path[160];
    snprintf(path, sizeof path, "%s/u.raw", folder);
    FILE *file = fopen(path, "rb");
    bool good = file != NULL;
    for (uint32_t y = 0; good && y < field->height; y++)
        good = fread((char *)field->data + (ptrdiff_t)y * field->stride, sizeof(float),
                     field->width, file) == field->width;
    if (file)
        fclose(file);
    return good;
}

static double run_peer(const struct flow_peer *peer, const char *folder, uint32_t width,
                       uint32_t height, int threads)
{
    char arguments[256];
    double seconds;
    if (peer->python)
        snprintf(arguments, sizeof arguments, "%s %s %u %u %d", peer->python, folder, width, height,
                 threads);
    else
        snprintf(arguments, sizeof arguments, "%s %u %u %d %d %d", folder, width, height, DEMONS,
                 peer->match, threads);
    const int got = peer->python ? peer_python(script, arguments, threads, &seconds, 1)
                                 : peer_beside("peer_itk_demons", arguments, &seconds, 1);
    if (got == 1 && seconds > 0)
        return seconds;
    return got != 0 ? PEER_FLOW_MISSING : 0;
}

bool peer_flow_run(int number, const ro_image *fixed, const ro_image *moving, int threads,
                   const ro_image *field, struct peer_flow *peer)
{
    if (number >= (int)(sizeof peers / sizeof *peers))
        return false;
    char folder[] = P_tmpdir "/roundoff-peer-XXXXXX", clean[64];
    *peer = (struct peer_flow){.name = peers[number].name};
    if (!mkdtemp(folder))
        return true;
    if (put_pixels(folder, "fixed", fixed) && put_pixels(folder, "moving", moving))
        peer->seconds = run_peer(&peers[number], folder, fixed->width, fixed->height, threads);
    if (peer->seconds > 0 && !get_field(folder, field))
        peer->seconds = 0;
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (system(clean) != 0)
        fprintf(stderr, "roundoff: %s could not be removed\n", folder);
    return true;
}
