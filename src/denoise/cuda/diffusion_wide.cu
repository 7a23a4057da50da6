/* SPDX-License-Identifier: MIT */
/* Kernels for integers whose squared norms need more than 31 bits: s17, s24, and s16 in colour. */
#include "denoise/cuda/diffusion_variants.cuh"

template <bool NEAREST>
static struct step_variant find(int model, int joint, bool guided, bool samples_of_32)
{
    using numbers = whole_numbers<NEAREST, true>;
    return samples_of_32 ? find_integers<numbers, uint32_t>(model, joint, guided)
                         : find_integers<numbers, uint16_t>(model, joint, guided);
}

struct step_variant find_wide(int model, int joint, bool guided, bool nearest, bool samples_of_32)
{
    return nearest ? find<true>(model, joint, guided, samples_of_32)
                   : find<false>(model, joint, guided, samples_of_32);
}
