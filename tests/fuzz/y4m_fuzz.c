/* SPDX-License-Identifier: MIT */
/* The lines of a video, and frames as long as their planes are. */
#include "io/video/y4m.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static ro_context *context;
    if (!context &&
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context))
        abort();
    struct open_file file;
    struct byte_source source;
    struct y4m video;
    bool more = true;
    file_init(&file, context, "a video", "a video");
    source_open_memory(&source, &file, bytes, size);
    if (!y4m_is(bytes, size) || y4m_open(&source, &video) != RO_OK)
        return 0;
    if (video.bits < 8 || video.bits > 16 || video.planes < 1 || video.planes > Y4M_PLANES)
        abort();
    while (y4m_frame(&source, &more) == RO_OK && more)
        for (int i = 0; i < video.planes && more; i++) {
            uint32_t width, height;
            y4m_plane(&video, i, &width, &height);
            if (width == 0 || height == 0)
                abort();
            more = source_skip(&source, (uint64_t)width * height *
                                            (uint64_t)y4m_sample_bytes(&video)) == RO_OK;
        }
    return 0;
}
