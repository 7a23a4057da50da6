/* SPDX-License-Identifier: MIT */
/* Kernels for integers of 16 bits whose squared norms fit 31: u8, s9, s12 and s16. */
#include "pde/diffusion_variants.cuh"

struct step_variant find_narrow(int model, int joint, bool guided, bool nearest)
{
    if (nearest)
        return find_integers<whole_numbers<true, false>, uint16_t, 4, 4, 2, 2>(model, joint,
                                                                               guided);
    return find_integers<whole_numbers<false, false>, uint16_t, 4, 4, 2, 2>(model, joint, guided);
}
