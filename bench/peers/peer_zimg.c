/* SPDX-License-Identifier: MIT */
#include "peer_zimg.h"

#if __has_include(<zimg.h>)

#include <dlfcn.h>
#include <stdlib.h>
#include <zimg.h>

struct peer_zimg {
    void *library;
    zimg_filter_graph *graph;
    void *scratch;
    zimg_image_buffer_const in;
    zimg_image_buffer out;
    void (*free_graph)(zimg_filter_graph *graph);
    zimg_error_code_e (*process)(const zimg_filter_graph *graph, const zimg_image_buffer_const *in,
                                 const zimg_image_buffer *out, void *scratch,
                                 zimg_filter_graph_callback unpack, void *unpack_data,
                                 zimg_filter_graph_callback pack, void *pack_data);
};

static void describe(void (*defaults)(zimg_image_format *, unsigned), zimg_image_format *format,
                     const ro_image *in, bool sixteen, unsigned depth)
{
    defaults(format, ZIMG_API_VERSION);
    format->width = in->width;
    format->height = in->height;
    format->pixel_type = sixteen ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE;
    format->color_family = ZIMG_COLOR_GREY;
    format->depth = depth;
    format->pixel_range = ZIMG_RANGE_FULL;
}

static unsigned depth_of(const ro_image *in)
{
    unsigned depth = 1;
    while (ro_image_white(in) >> depth)
        depth++;
    return depth;
}

struct peer_zimg *peer_zimg_open_bits(const ro_image *in, void *out, int bits, bool ordered,
                                      bool simd)
{
    struct peer_zimg *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->library = dlopen("libzimg.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!peer->library)
        goto fail;
    void (*format_default)(zimg_image_format *, unsigned) =
        dlsym(peer->library, "zimg_image_format_default");
    void (*builder_default)(zimg_graph_builder_params *, unsigned) =
        dlsym(peer->library, "zimg_graph_builder_params_default");
    zimg_filter_graph *(*build)(const zimg_image_format *, const zimg_image_format *,
                                const zimg_graph_builder_params *) =
        dlsym(peer->library, "zimg_filter_graph_build");
    zimg_error_code_e (*scratch_size)(const zimg_filter_graph *, size_t *) =
        dlsym(peer->library, "zimg_filter_graph_get_tmp_size");
    peer->free_graph = dlsym(peer->library, "zimg_filter_graph_free");
    peer->process = dlsym(peer->library, "zimg_filter_graph_process");
    if (!format_default || !builder_default || !build || !scratch_size || !peer->free_graph ||
        !peer->process)
        goto fail;

    bool sixteen = in->format == RO_GREY16, deep = bits > 8;
    zimg_image_format from, to;
    zimg_graph_builder_params params;
    describe(format_default, &from, in, sixteen, depth_of(in));
    describe(format_default, &to, in, deep, (unsigned)bits);
    builder_default(&params, ZIMG_API_VERSION);
    params.dither_type = ordered ? ZIMG_DITHER_ORDERED : ZIMG_DITHER_ERROR_DIFFUSION;
    params.cpu_type = simd ? ZIMG_CPU_AUTO_64B : ZIMG_CPU_NONE;
    peer->graph = build(&from, &to, &params);
    size_t bytes;
    if (!peer->graph || scratch_size(peer->graph, &bytes) != ZIMG_ERROR_SUCCESS ||
        posix_memalign(&peer->scratch, 64, bytes + 64) != 0)
        goto fail;
    peer->in.version = peer->out.version = ZIMG_API_VERSION;
    peer->in.plane[0].data = in->data;
    peer->in.plane[0].stride = in->stride;
    peer->in.plane[0].mask = ZIMG_BUFFER_MAX;
    peer->out.plane[0].data = out;
    peer->out.plane[0].stride = ((ptrdiff_t)in->width * (deep ? 2 : 1) + 63) & ~(ptrdiff_t)63;
    peer->out.plane[0].mask = ZIMG_BUFFER_MAX;
    return peer;
fail:
    peer_zimg_close(peer);
    return NULL;
}

struct peer_zimg *peer_zimg_open(const ro_image *in, void *out, bool simd)
{
    return peer_zimg_open_bits(in, out, 1, false, simd);
}

bool peer_zimg_run(void *data)
{
    struct peer_zimg *peer = data;
    return peer->process(peer->graph, &peer->in, &peer->out, peer->scratch, NULL, NULL, NULL,
                         NULL) == ZIMG_ERROR_SUCCESS;
}

void peer_zimg_close(struct peer_zimg *peer)
{
    if (!peer)
        return;
    if (peer->graph)
        peer->free_graph(peer->graph);
    free(peer->scratch);
    if (peer->library)
        dlclose(peer->library);
    free(peer);
}

#else /* built without zimg's header */

struct peer_zimg *peer_zimg_open(const ro_image *in, void *out, bool simd)
{
    (void)in, (void)out, (void)simd;
    return NULL;
}
struct peer_zimg *peer_zimg_open_bits(const ro_image *in, void *out, int bits, bool ordered,
                                      bool simd)
{
    (void)in, (void)out, (void)bits, (void)ordered, (void)simd;
    return NULL;
}
bool peer_zimg_run(void *peer)
{
    (void)peer;
    return false;
}
void peer_zimg_close(struct peer_zimg *peer) { (void)peer; }

#endif
