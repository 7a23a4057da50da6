/* SPDX-License-Identifier: MIT */
/* Kernels for floats: s23e8, and the smaller formats rounded after each operation. */
#include "pde/diffusion_variants.cuh"

template <class Numbers, int T, int K>
static struct step_variant find(int model, int joint, bool guided)
{
    switch (model) {
    case LINEAR:
        return variant_of<Numbers, uint32_t, LINEAR, 1, T, K, false>();
    case TABLED:
        return find_model<Numbers, uint32_t, TABLED, T, K, 1, 2>(joint, guided);
    case FALLING:
        return find_model<Numbers, uint32_t, FALLING, T, K, 1, 2>(joint, guided);
    default:
        return find_model<Numbers, uint32_t, DIRECTED, T, K, 1, 2>(joint, guided);
    }
}

struct step_variant find_real(int model, int joint, bool guided, bool small)
{
    return small ? find<real_numbers<true>, 1, 2>(model, joint, guided)
                 : find<real_numbers<false>, 4, 4>(model, joint, guided);
}
