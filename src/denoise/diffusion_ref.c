/* SPDX-License-Identifier: MIT */
/* The explicit scheme as it is defined: assemble the weight of every edge, then move a flux over
 * each, once. Everything else in this folder must give the same bits. */
#include "denoise/diffusion.h"

#include <string.h>

static struct edge_weights element_at(const struct step_weights *diffusion, const int32_t *guide,
                                      int plane, int64_t x, int64_t y)
{
    int64_t width = diffusion->width, height = diffusion->height;
    if (x < 0 || y < 0 || x >= width - 1 || y >= height - 1)
        return (struct edge_weights){0};
    int32_t p[RO_MAX_JOINT], q[RO_MAX_JOINT];
    for (int c = 0; c < diffusion->joint; c++) {
        const int32_t *a = guide + (plane + c) * width * height + y * width + x;
        p[c] = a[width + 1] - a[0];
        q[c] = a[1] - a[width];
    }
    return element_weights(diffusion, p, q);
}

void diffusion_assemble(const struct step_weights *diffusion, const int32_t *guide, int plane,
                        const struct pixel_edges *edges)
{
    int64_t width = diffusion->width, height = diffusion->height;
    for (int64_t y = 0, i = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++, i++) {
            struct edge_weights here = element_at(diffusion, guide, plane, x, y);
            struct edge_weights above = element_at(diffusion, guide, plane, x, y - 1);
            struct edge_weights left = element_at(diffusion, guide, plane, x - 1, y);
            edges->e[i] = above.e + here.e;
            edges->s[i] = left.s + here.s;
            edges->se[i] = here.se;
            edges->sw[i] = left.sw;
        }
}

static void move(const struct step_weights *diffusion, int32_t weight, const int32_t *u,
                 int32_t *out, int64_t from, int64_t to)
{
    if (weight == 0)
        return; /* also every edge that would leave the image */
    int32_t flux = edge_flux(weight, u[from] - u[to], diffusion->nearest);
    out[to] += flux;
    out[from] -= flux;
}

void diffusion_step_ref(const struct step_weights *diffusion, const int32_t *u,
                        const int32_t *guide, int32_t *out, int32_t *scratch)
{
    int64_t width = diffusion->width, size = width * diffusion->height;
    struct pixel_edges edges = {scratch, scratch + size, scratch + 2 * size, scratch + 3 * size};
    for (int plane = 0; plane < diffusion->planes; plane++) {
        if (plane % diffusion->joint == 0)
            diffusion_assemble(diffusion, guide, plane, &edges);
        const int32_t *in = u + plane * size;
        int32_t *result = out + plane * size;
        memcpy(result, in, (size_t)size * sizeof *in);
        for (int64_t i = 0; i < size; i++) {
            move(diffusion, edges.e[i], in, result, i + 1, i);
            move(diffusion, edges.s[i], in, result, i + width, i);
            move(diffusion, edges.se[i], in, result, i + width + 1, i);
            move(diffusion, edges.sw[i], in, result, i + width - 1, i);
        }
        for (int64_t i = 0; i < size; i++)
            result[i] = saturated(result[i], diffusion->ceiling);
    }
}

void diffusion_iterate_ref(const struct step_weights *diffusion, const int32_t *u, int32_t *out,
                           int32_t *scratch)
{
    struct step_weights linear = *diffusion;
    linear.model = RO_MODEL_LINEAR;
    linear.constant = diffusion->smoothing;
    linear.joint = 1;
    size_t size = (size_t)diffusion->width * diffusion->height;
    int32_t *now = scratch + 4 * size, *next = now + (size_t)diffusion->planes * size;
    const int32_t *guide = u;
    for (int i = 0; i < diffusion->smoothings; i++) {
        diffusion_step_ref(&linear, guide, guide, next, scratch);
        guide = next;
        next = now;
        now = (int32_t *)guide;
    }
    diffusion_step_ref(diffusion, u, guide, out, scratch);
}
