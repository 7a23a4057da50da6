/* SPDX-License-Identifier: MIT */
#include "peer_magick.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Of MagickWand.h, versions 6 and 7. */
typedef struct MagickWand MagickWand;
enum { CHAR_PIXEL = 1, FLOYD_STEINBERG = 3 };

struct peer_magick {
    void *library;
    MagickWand *image, *palette;
    MagickWand *(*clone)(const MagickWand *);
    MagickWand *(*destroy)(MagickWand *);
    int (*remap)(MagickWand *, const MagickWand *, int);
};

struct peer_magick *peer_magick_open(const ro_image *in, const ro_palette *palette)
{
    static const char *const names[] = {"libMagickWand-6.Q16.so.6", "libMagickWand-7.Q16.so.10",
                                        "libMagickWand-7.Q16HDRI.so.10"};
    struct peer_magick *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !peer->library; i++)
        peer->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!peer->library)
        goto fail;
    void (*genesis)(void) = dlsym(peer->library, "MagickWandGenesis");
    MagickWand *(*make)(void) = dlsym(peer->library, "NewMagickWand");
    int (*constitute)(MagickWand *, size_t, size_t, const char *, int, const void *) =
        dlsym(peer->library, "MagickConstituteImage");
    peer->clone = dlsym(peer->library, "CloneMagickWand");
    peer->destroy = dlsym(peer->library, "DestroyMagickWand");
    peer->remap = dlsym(peer->library, "MagickRemapImage");
    if (!genesis || !make || !constitute || !peer->clone || !peer->destroy || !peer->remap)
        goto fail;
    setenv("MAGICK_THREAD_LIMIT", "1", 1); /* parts of it would take all */
    genesis();
    peer->image = make();
    peer->palette = make();
    if (peer->image && peer->palette &&
        constitute(peer->image, in->width, in->height, "RGB", CHAR_PIXEL, in->data) &&
        constitute(peer->palette, (size_t)palette->count, 1, "RGB", CHAR_PIXEL, palette->colours))
        return peer;
fail:
    peer_magick_close(peer);
    return NULL;
}

bool peer_magick_run(void *data)
{
    struct peer_magick *peer = data;
    MagickWand *copy = peer->clone(peer->image);
    if (!copy)
        return false;
    bool done = peer->remap(copy, peer->palette, FLOYD_STEINBERG);
    peer->destroy(copy);
    return done;
}

/* The library stays loaded: it leaves threads and exit handlers behind. */
void peer_magick_close(struct peer_magick *peer)
{
    if (!peer)
        return;
    if (peer->image)
        peer->destroy(peer->image);
    if (peer->palette)
        peer->destroy(peer->palette);
    free(peer);
}
