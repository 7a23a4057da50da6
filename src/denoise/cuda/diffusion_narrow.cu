/* SPDX-License-Identifier: MIT */
/* Kernels for integers of 16 bits whose squared norms fit 31: u8, s9, s12 and s16. */
#include "denoise/cuda/diffusion_variants.cuh"

struct step_variant find_narrow(int model, int joint, bool guided, bool nearest)
{
    return nearest ? find_integers<whole_numbers<true, false>, uint16_t>(model, joint, guided)
                   : find_integers<whole_numbers<false, false>, uint16_t>(model, joint, guided);
}
