/* SPDX-License-Identifier: MIT */
/*
 * What the host gives a launch of a diffusion schedule on the device, and the tap tables in a form
 * that the device compiler folds into code.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_CUH

#include "cuda/cuda.cuh"
#include "halftone/error_diffusion/cuda/diffusion_cuda.h"
#include "halftone/error_diffusion/kernels.h"

enum { WAVE_MAX_IMAGES = 64 };

/* The images of a batch, all of one shape. */
struct diffusion_images {
    const unsigned char *in[WAVE_MAX_IMAGES];
    unsigned char *out[WAVE_MAX_IMAGES];
};

/* floor((by * x + add) / 2^40), which is floor((rise * x + more) / run) for x up to 65535 and run
 * up to 2^21: each product is too large by less than 2^-24. */
struct fixed_line {
    unsigned long long by;
    long long add;
};
static inline struct fixed_line fixed_line_of(long long rise, long long more, long long run)
{
    struct fixed_line line = {(((unsigned long long)rise << 40) + (unsigned long long)run - 1) /
                                  (unsigned long long)run,
                              0};
    const long long scaled = more * (1ll << 40);
    line.add = scaled / run + (scaled > 0 && scaled % run != 0);
    return line;
}
static __device__ __forceinline__ long long fixed_product(const fixed_line &line, unsigned x)
{
    return (long long)(line.by * x) + line.add;
}

/* Many levels (many_levels.h): a tone is level(k) and a rest, the error that is left is of the
 * rest. */
struct step_numbers {
    struct fixed_line base, level; /* from a sample to k, from k to its tone */
    int top;                       /* the highest k */
    unsigned gap;                  /* the smaller step */
    int uneven;
    unsigned limit;              /* k+1 from here on, and from the step on */
    unsigned gap_sum, limit_sum; /* times the divisor */
};

/* What a kernel needs to know of them, passed by value and small: it is sent with every launch.
 * Pitches are in bytes. */
struct diffusion_launch {
    const unsigned char *in; /* of the first image */
    unsigned char *out;
    size_t in_pitch, out_pitch;
    int width, rows;
    int images;
    int bits_out, number_bytes; /* numbers have one or two */
    int words_out;  /* rows of output start at multiples of four bytes, or of four numbers */
    int quads_only; /* lines are the wave's tagged quads, whatever else would be faster */
    unsigned white, bias;
    unsigned minus_white; /* -divisor * white */
    struct step_numbers steps;
    /* The paper's: */
    int levels, guess_off;
    float levels_per_tone;
    const int32_t *level, *middle, *below; /* on the device */
    const void *table;                     /* there too: of acuity */
    unsigned long long *hash; /* there too: of a made picture's bits (bench/terapixel) */

    /* What the rows above the first left, and where the last rows leave theirs, as the schedule has
     * it (line_words(...) words); NULL: nothing, or not wanted. */
    const unsigned long long *above;
    unsigned long long *left_below;
    unsigned above_tag;

    /* The wave's own. */
    unsigned long long *lines; /* blocks * rows_down * words per line */
    unsigned *ticket;
    unsigned first_ticket, tag;
    unsigned blocks; /* of all images together */
};

/* Words of what is left for the next rows: the wave's tagged quads are the larger. */
static inline size_t line_words(int width, int rows_down)
{
    return (size_t)rows_down * 2 * (((size_t)width + 3) / 4);
}

/* What follows from a kernel of the table, as constants. */
template <int ID> struct kernel_of {
    static constexpr int count = diffusion_kernels[ID].count;
    static constexpr int common_factor()
    {
        int all = diffusion_kernels[ID].divisor / 2;
        for (int i = 0; i < count; i++)
            all |= diffusion_kernels[ID].taps[i].weight;
        return diffusion_kernels[ID].divisor % 2 ? 1 : all & -all;
    }
    static constexpr int most(int what)
    {
        int found = 0;
        for (int i = 0; i < count; i++) {
            diffusion_tap tap = diffusion_kernels[ID].taps[i];
            int value = what == 0   ? tap.dy
                        : what == 1 ? (tap.dy == 0 ? tap.dx : 0)
                                    : tap.dx + 4 * tap.dy;
            found = value > found ? value : found;
        }
        return found;
    }
    static constexpr int weights()
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += diffusion_kernels[ID].taps[i].weight;
        return sum / common_factor();
    }
    static constexpr int weight_right()
    {
        for (int i = 0; i < count; i++)
            if (diffusion_kernels[ID].taps[i].dx == 1 && diffusion_kernels[ID].taps[i].dy == 0)
                return diffusion_kernels[ID].taps[i].weight / common_factor();
        return 0;
    }
    static constexpr int factor = common_factor();
    static constexpr int divisor = diffusion_kernels[ID].divisor / factor;
    static constexpr int weight_sum = weights();
    static constexpr int next_weight = weight_right(); /* of the pixel to the left */
    static constexpr int rows_down = most(0);
    static constexpr int own_reach = most(1); /* errors of its own row that a pixel looks back */
    static constexpr int oldest = most(2);    /* steps an error is wanted at skew 4 */
};

/* A wave's kernel, and what it needs for a launch. */
struct wave_form {
    const void *kernel;
    int threads;
    size_t shared_bytes;
    const char *lines; /* key of the errors handed from block to block */
    size_t line_words; /* that a block leaves for the next */
    unsigned last_tag; /* the highest that the words have room for */
    int resident;      /* blocks of a multiprocessor at once; 0: as many as there is room for */
};

/* Gives a launch its lines, tickets and tag, and starts it. */
ro_status wave_start(struct device_state *cuda, struct diffusion_launch *launch,
                     const struct diffusion_images *images, const struct wave_form *form,
                     cudaStream_t stream);

extern const char wave_lines_scratch; /* key of the wave's lines */
/* Numbers of levels (wave_numbers.cu); wave_launch takes it for them. */
ro_status wave_numbers_launch(struct device_state *cuda, struct diffusion_launch *launch,
                              const struct diffusion_images *images, int kernel_id,
                              int sample_bytes, cudaStream_t stream);

/* Two rows to a lane, where sums fit 16 bits; wave_launch takes it where it fits. */
bool wave_pairs_fits(const struct device_state *cuda, const struct diffusion_launch *launch,
                     int kernel_id, int sample_bytes, bool fold);
ro_status wave_pairs_launch(struct device_state *cuda, struct diffusion_launch *launch,
                            const struct diffusion_images *images, int kernel_id,
                            cudaStream_t stream, struct diffusion_cuda_count *count);

/* Acuity (acuity_wave.cu), and the words that its rows leave for the next. */
ro_status acuity_launch(struct device_state *cuda, struct diffusion_launch *launch,
                        const struct diffusion_images *images, int sample_bytes,
                        cudaStream_t stream, struct diffusion_cuda_count *count);
size_t acuity_line_words(int width, int sample_bytes);

ro_status diffusion_cuda_chain(ro_context *context, double *nanoseconds);
ro_status diffusion_cuda_made(ro_context *context, uint32_t side, uint64_t *hash, double *ms);

/* The schedules: each runs the rows of a launch, in the order of `stream`. */
ro_status wave_launch(struct device_state *cuda, struct diffusion_launch *launch,
                      const struct diffusion_images *images, int kernel_id, int sample_bytes,
                      bool fold, cudaStream_t stream, struct diffusion_cuda_count *count);
/* The paper's: Floyd-Steinberg, one image; `scatter` for the ED forms, else the EC forms. */
ro_status pixelwise_launch(struct device_state *cuda, struct diffusion_launch *launch,
                           int sample_bytes, bool scatter, cudaStream_t stream,
                           struct diffusion_cuda_count *count);
ro_status blockwise_launch(struct device_state *cuda, struct diffusion_launch *launch,
                           int sample_bytes, bool scatter, cudaStream_t stream,
                           struct diffusion_cuda_count *count);

/* The level nearest to v, ties to the darker: a guess that the thresholds put right. */
static __device__ __forceinline__ int nearest_level(const diffusion_launch &p, int v)
{
    int top = p.levels - 1, k = (int)((float)v * p.levels_per_tone + 0.5f);
    k = k < 0 ? 0 : k > top ? top : k;
    for (int i = 0; i < p.guess_off; i++) {
        k += v > p.middle[k];
        k -= v <= p.below[k];
    }
    return k;
}

#endif
