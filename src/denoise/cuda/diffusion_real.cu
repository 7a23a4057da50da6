/* SPDX-License-Identifier: MIT */
/* Kernels for floats: s23e8, and the smaller formats rounded after each operation. */
#include "denoise/cuda/diffusion_variants.cuh"

template <class Numbers, class Shape>
static struct step_variant find(int model, int joint, bool guided)
{
    using three = shape<1, 2, 1, 1>;
    switch (model) {
    case LINEAR:
        return variant_of<Numbers, uint32_t, LINEAR, 1, Shape, false>();
    case TABLED:
        return find_model<Numbers, uint32_t, TABLED, Shape, three>(joint, guided);
    case FALLING:
        return find_model<Numbers, uint32_t, FALLING, Shape, three>(joint, guided);
    default:
        return find_model<Numbers, uint32_t, DIRECTED, Shape, three>(joint, guided);
    }
}

struct step_variant find_real(int model, int joint, bool guided, bool small)
{
    return small ? find<real_numbers<true>, shape<1, 2, 1, 1>>(model, joint, guided)
                 : find<real_numbers<false>, shape<4, 4, 1, 1>>(model, joint, guided);
}
