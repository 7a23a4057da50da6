/* SPDX-License-Identifier: MIT */
/* The kernels by number system, model, channels and guide: each family is a file of its own, so
 * that they are compiled side by side. */
#ifndef RO_DENOISE_CUDA_DIFFUSION_VARIANTS_CUH
#define RO_DENOISE_CUDA_DIFFUSION_VARIANTS_CUH

#include "denoise/cuda/diffusion_kernels.cuh"

struct step_variant {
    void (*kernel)(const struct steps steps);
    int steps;   /* of a launch */
    int columns; /* of a lane */
};

/* Integers of 16 bits whose norms fit 31 bits, other integers, floats. `model` as in
 * diffusion_numbers.cuh; `joint` is 1 or 3. */
struct step_variant find_narrow(int model, int joint, bool guided, bool nearest);
struct step_variant find_wide(int model, int joint, bool guided, bool nearest, bool samples_of_32);
struct step_variant find_real(int model, int joint, bool guided, bool small);

template <class Numbers, class Sample, int MODEL, int C, class Shape, bool GUIDED>
static struct step_variant variant_of()
{
    return {step_kernel<Numbers, Sample, MODEL, C, Shape, GUIDED>, Shape::T, Shape::K};
}

/* Shapes for one channel, for three that share a gradient, and of one step with a guide. */
template <class Numbers, class Sample, int MODEL, class One, class Three>
static struct step_variant find_model(int joint, bool guided)
{
    using guided_one = shape<1, 4, 1, 1>;
    using guided_three = shape<1, 2, 1, 1>;
    if (guided)
        return joint == 1 ? variant_of<Numbers, Sample, MODEL, 1, guided_one, true>()
                          : variant_of<Numbers, Sample, MODEL, 3, guided_three, true>();
    return joint == 1 ? variant_of<Numbers, Sample, MODEL, 1, One, false>()
                      : variant_of<Numbers, Sample, MODEL, 3, Three, false>();
}

/* The shapes were the fastest of many on an H200. */
template <class Numbers, class Sample>
static struct step_variant find_integers(int model, int joint, bool guided)
{
    using linear = shape<4, 4, 2, 4>;
    using tabled = shape<4, 4, 2, 4>;
    using directed = shape<3, 4, 2, 4>;
    using tabled_three = shape<2, 4, 1, 1>;
    using directed_three = shape<2, 2, 2, 1>;
    switch (model) {
    case LINEAR:
        return variant_of<Numbers, Sample, LINEAR, 1, linear, false>();
    case TABLED:
        return find_model<Numbers, Sample, TABLED, tabled, tabled_three>(joint, guided);
    default:
        return find_model<Numbers, Sample, DIRECTED, directed, directed_three>(joint, guided);
    }
}

#endif
