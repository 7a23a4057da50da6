/* SPDX-License-Identifier: MIT */
/* The kernels by number system, model, channels and guide: each family is a file of its own, so
 * that they are compiled side by side. */
#ifndef RO_PDE_DIFFUSION_VARIANTS_CUH
#define RO_PDE_DIFFUSION_VARIANTS_CUH

#include "pde/diffusion_kernels.cuh"

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

template <class Numbers, class Sample, int MODEL, int C, int T, int K, bool GUIDED>
static struct step_variant variant_of()
{
    return {step_kernel<Numbers, Sample, MODEL, C, T, K, GUIDED>, T, K};
}

/* T steps of K columns a lane for one channel, T3 and K3 for three; one step with a guide. */
template <class Numbers, class Sample, int MODEL, int T, int K, int T3, int K3>
static struct step_variant find_model(int joint, bool guided)
{
    if (guided)
        return joint == 1 ? variant_of<Numbers, Sample, MODEL, 1, 1, K, true>()
                          : variant_of<Numbers, Sample, MODEL, 3, 1, K3, true>();
    return joint == 1 ? variant_of<Numbers, Sample, MODEL, 1, T, K, false>()
                      : variant_of<Numbers, Sample, MODEL, 3, T3, K3, false>();
}

template <class Numbers, class Sample, int T, int K, int T3, int K3>
static struct step_variant find_integers(int model, int joint, bool guided)
{
    switch (model) {
    case LINEAR:
        return variant_of<Numbers, Sample, LINEAR, 1, T, K, false>();
    case TABLED:
        return find_model<Numbers, Sample, TABLED, T, K, T3, K3>(joint, guided);
    default:
        return find_model<Numbers, Sample, DIRECTED, T, K, T3, K3>(joint, guided);
    }
}

#endif
