/* SPDX-License-Identifier: MIT */
/*
 * A registration from points that match. The map from the matches brings the moving image to the
 * fixed one, the descent takes it from there, and both are put together:
 *
 *     x -> map(x + v(x))
 *
 * The descent can do harm: it follows noise, and tones that mean something else in the other image.
 * So it counts only if as many matches agree with its result as with the map, and if they agree
 * more closely, or gradients do.
 */
#include "register/start/matched.h"
#include "context/context.h"
#include "register/auto.h"
#include "register/image.h"
#include "register/register.h"
#include "register/start/evidence.h"
#include "thread/team.h"

#include <math.h>
#include <string.h>

bool start_has_room(const struct registration *flow)
{
    enum { LEAST = 32 };
    for (int p = 0; p < 2; p++)
        if (flow->size[p].width < LEAST || flow->size[p].height < LEAST)
            return false;
    return true;
}

bool start_leads(const struct found_start *start)
{
    return start->found && start->support >= RO_FEW_MATCHES;
}

static ro_status no_memory(const struct registration *flow)
{
    return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to compare two results");
}

/* ---- Images and fields through a map --------------------------------------------------------- */

struct pulling {
    const struct registration *flow;
    struct plane_map map;
    int samples; /* a side, of a pixel */
    bool negative;
    ro_image image, mask;     /* the moving image, and where it is seen */
    const ro_image *in, *out; /* a displacement, and the same after the map */
};

static float *row_of(const ro_image *image, int y)
{
    return (float *)(void *)((char *)image->data + (ptrdiff_t)y * image->stride);
}

/* Weights of four neighbours, of which the second is at 0. */
static void cubic(double at, double weight[4])
{
    static const double A = -0.75;
    const double near[2] = {at, 1 - at}, far[2] = {1 + at, 2 - at};
    for (int i = 0; i < 2; i++) {
        weight[1 + i] = ((A + 2) * near[i] - (A + 3)) * near[i] * near[i] + 1;
        weight[3 * i] = ((A * far[i] - 5 * A) * far[i] + 8 * A) * far[i] - 4 * A;
    }
}

static double clamp_to(double x, double last) { return x > 0 ? x < last ? x : last : 0; }

/* The moving image at a place: of four by four pixels if it is taken once, else of two by two. */
static double tone_at(const struct pulling *p, struct point at)
{
    const struct registration *flow = p->flow;
    const struct solver_grid *grid = &flow->grids.grid[0];
    const int last_x = flow->size[0].width - 1, last_y = flow->size[0].height - 1;
    const double x = clamp_to(at.x, last_x), y = clamp_to(at.y, last_y);
    const int ix = (int)x, iy = (int)y, first = p->samples > 1 ? 0 : -1;
    double wx[4], wy[4], sum = 0;
    if (p->samples > 1) {
        wx[1] = 1 - (x - ix);
        wx[2] = x - ix;
        wy[1] = 1 - (y - iy);
        wy[2] = y - iy;
    } else {
        cubic(x - ix, wx);
        cubic(y - iy, wy);
    }
    for (int j = first; j < 2 - first; j++) {
        const int py = iy + j < 0 ? 0 : iy + j < last_y ? iy + j : last_y;
        const float *row = flow->images[0] + grid_at(grid, py);
        double line = 0;
        for (int i = first; i < 2 - first; i++) {
            const int px = ix + i < 0 ? 0 : ix + i < last_x ? ix + i : last_x;
            line += wx[1 + i] * (double)row[px];
        }
        sum += wy[1 + j] * line;
    }
    return sum;
}

static bool is_seen(const struct registration *flow, int x, int y, struct point at)
{
    const struct solver_grid *grid = &flow->grids.grid[0];
    if (!(at.x >= 0 && at.y >= 0 && at.x <= flow->size[0].width - 1 &&
          at.y <= flow->size[0].height - 1))
        return false;
    return (!flow->keep[1] || flow->keep[1][grid_at(grid, y) + (size_t)x] != 0) &&
           (!flow->keep[0] ||
            flow->keep[0][grid_at(grid, (int)(at.y + 0.5)) + (size_t)(at.x + 0.5)] != 0);
}

static void pull_rows(void *data, int part, int parts)
{
    const struct pulling *p = data;
    const struct registration *flow = p->flow;
    const double low = (double)flow->low[0], by = (double)flow->stretch[0], n = p->samples;
    int y, to;
    for (team_share(flow->size[1].height, part, parts, &y, &to);
         y < to && !ro_context_cancelled(flow->context); y++) {
        float *row = row_of(&p->image, y);
        uint8_t *seen = (uint8_t *)p->mask.data + (ptrdiff_t)y * p->mask.stride;
        for (int x = 0; x < flow->size[1].width; x++) {
            double sum = 0;
            for (int j = 0; j < p->samples; j++)
                for (int i = 0; i < p->samples; i++)
                    sum += tone_at(p, map_point(&p->map, (struct point){x + (i + 0.5) / n - 0.5,
                                                                        y + (j + 0.5) / n - 0.5}));
            const double tone = clamp_to(sum / (n * n), 1);
            row[x] = (float)((p->negative ? 1 - tone : tone) / by + low);
            seen[x] = 255 * is_seen(flow, x, y, map_point(&p->map, (struct point){x, y}));
        }
    }
}

/* x -> map(x + v(x)), as a displacement; `in` NULL: v = 0. */
static void follow_rows(void *data, int part, int parts)
{
    const struct pulling *p = data;
    const struct registration *flow = p->flow;
    int y, to;
    for (team_share(flow->size[1].height, part, parts, &y, &to);
         y < to && !ro_context_cancelled(flow->context); y++) {
        const float *v = p->in ? row_of(p->in, y) : NULL;
        float *u = row_of(p->out, y);
        for (int x = 0; x < flow->size[1].width; x++) {
            const struct point from = {x + (v ? (double)v[2 * x] : 0),
                                       y + (v ? (double)v[2 * x + 1] : 0)};
            const struct point at = map_point(&p->map, from);
            u[2 * x] = rounder_round(&flow->round, (float)(at.x - x));
            u[2 * x + 1] = rounder_round(&flow->round, (float)(at.y - y));
        }
    }
}

static size_t pixels_of(const struct registration *flow)
{
    return (size_t)flow->size[1].width * (size_t)flow->size[1].height;
}

/* ---- The descent from the map ---------------------------------------------------------------- */

/* Tones go with each other, or with the negative, or neither everywhere. */
static const double SAME = 0.9;

/* The share of the fixed image that the map leads into the moving one. */
static double overlap_of(const ro_image *mask)
{
    uint64_t seen = 0;
    for (uint32_t y = 0; y < mask->height; y++) {
        const uint8_t *row = (const uint8_t *)mask->data + (ptrdiff_t)y * mask->stride;
        for (uint32_t x = 0; x < mask->width; x++)
            seen += row[x] != 0;
    }
    return (double)seen / ((double)mask->width * mask->height);
}

/* The displacement after the descent into `out`, if enough is seen to descend by. */
static ro_status descend(struct pulling *p, const struct found_start *start, const ro_image *fixed,
                         ro_image *out, bool *descended, ro_report *ran)
{
    static const double LEAST = 0.03;
    struct registration *flow = (struct registration *)p->flow;
    ro_context *context = flow->context;
    ro_register_options options = flow->options;
    options.init = "none";
    options.transform = "dense";
    options.number = "s23e8";
    options.fixed_mask = options.moving_mask = &p->mask;
    if (!options.match && start->same < SAME && start->same > 1 - SAME)
        options.match = "ncc-size";
    p->negative = start->same <= 1 - SAME;
    double slopes[4];
    map_slopes(&p->map, (struct point){fixed->width / 2.0, fixed->height / 2.0}, slopes);
    const double size = sqrt(fabs(slopes[0] * slopes[3] - slopes[1] * slopes[2]));
    p->samples = size > 3 ? 4 : size > 2 ? 3 : size > 1.02 ? 2 : 1;
    ro_status status = ro_image_alloc(context, RO_GREYF, fixed->width, fixed->height, 0, &p->image);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY8, fixed->width, fixed->height, 255, &p->mask);
    if (status != RO_OK)
        return status;
    register_pass(flow, 16 * pixels_of(flow), pull_rows, p);
    status = register_heard(flow);
    if (status == RO_OK && overlap_of(&p->mask) >= LEAST) {
        *descended = true;
        status = register_near(flow, fixed, &p->image, &options, out, ran);
    }
    if (status == RO_OK && *descended) {
        p->in = p->out = out;
        register_pass(flow, pixels_of(flow), follow_rows, p);
        status = register_heard(flow);
    }
    return status;
}

/* ---- The choice ------------------------------------------------------------------------------ */

struct looking {
    const struct registration *flow;
    const struct found_start *start;
    const ro_image *field;
    struct evidence *evidence;
    bool good;
};

static void look_lead(struct thread_team *team, void *data)
{
    struct looking *l = data;
    l->good = evidence_look(team, start_kernels_for(l->flow->context->cpu), l->start, l->field,
                            l->evidence);
}

static bool look(const struct registration *flow, const struct found_start *start,
                 const ro_image *field, struct evidence *evidence)
{
    struct looking l = {flow, start, field, evidence, true};
    if (evidence->directions < 0)
        team_open(flow->context->pool, flow->context->threads, look_lead, &l);
    return l.good;
}

/* Whether the descent has made it better, by what took no part in it. */
static bool is_better(const struct registration *flow, const struct found_start *start,
                      const ro_image *before, struct evidence *was, const ro_image *after,
                      struct evidence *is, bool *good)
{
    if (is->support < 0.9 * was->support)
        return false;
    if (evidence_median(start, is, was) < 0.9 * evidence_median(start, was, is))
        return true;
    *good = look(flow, start, after, is);
    if (!*good || is->directions < 0.9)
        return false;
    *good = is->directions == 1 || look(flow, start, before, was);
    return is->directions >= was->directions;
}

/* What is enough; noise spoils matches and gradients. */
struct limits {
    double share;  /* of all matches that agree, if they are many */
    double agrees; /* of places where the gradients do */
};

static struct limits limits_of(const struct field_evidence *evidence)
{
    static const struct limits clear = {0.5, 0.65}, noisy = {0.33, 0.45};
    return evidence->noisy ? noisy : clear;
}

/* Many matches speak for a result by themselves if most of all agree; a texture that repeats itself
 * has many that agree at a wrong place, but more that do not. */
static bool matches_suffice(const struct field_evidence *evidence)
{
    return evidence->support >= RO_MANY_MATCHES &&
           evidence->support >= limits_of(evidence).share * evidence->matches;
}

bool evidence_suffices(const struct field_evidence *evidence)
{
    return matches_suffice(evidence) || (evidence->support >= RO_FEW_MATCHES &&
                                         evidence->directions >= limits_of(evidence).agrees);
}

static ro_status keep_evidence(struct registration *flow, const struct found_start *start,
                               const ro_image *field, struct evidence *evidence)
{
    struct field_evidence *kept = &flow->evidence;
    kept->matches = start->count;
    kept->support = evidence->support;
    kept->noisy = start->noisy[0] || start->noisy[1];
    if (kept->support >= RO_FEW_MATCHES && !matches_suffice(kept) &&
        !look(flow, start, field, evidence))
        return no_memory(flow);
    kept->directions = evidence->directions;
    return RO_OK;
}

static void copy_field(const ro_image *to, const ro_image *from)
{
    for (uint32_t y = 0; y < to->height; y++)
        memcpy(row_of(to, (int)y), row_of(from, (int)y), to->width * sizeof(float));
}

ro_status register_matched(struct registration *flow, struct found_start *start,
                           const ro_image *fixed, const ro_image *moving, const ro_image *field,
                           ro_report *ran)
{
    struct pulling p = {.flow = flow, .map = start_of_images(start), .out = field};
    struct evidence was = {.off = NULL}, is = {.off = NULL};
    ro_image after = {0};
    bool descended = false, good = true, better = false;
    *ran = (ro_report){.schedule = "rows",
                       .device = RO_DEVICE_CPU,
                       .cpu = flow->context->cpu,
                       .threads = flow->context->threads};
    register_pass(flow, pixels_of(flow), follow_rows, &p);
    ro_status status = register_heard(flow);
    if (status == RO_OK)
        status = ro_image_alloc(flow->context, RO_GREYF, field->width, field->height, 0, &after);
    if (status == RO_OK)
        status = descend(&p, start, fixed, &after, &descended, ran);
    if (status == RO_OK) {
        good = evidence_open(start, field, &was);
        if (good && descended && evidence_open(start, &after, &is))
            better = is_better(flow, start, field, &was, &after, &is, &good);
        status = good ? RO_OK : no_memory(flow);
    }
    if (status == RO_OK && better)
        copy_field(field, &after);
    if (status == RO_OK)
        status = keep_evidence(flow, start, field, better ? &is : &was);
    flow->evidence.descended = better;
    flow->negative = start->same <= 1 - SAME;
    double slopes[4];
    const struct point middle = {(fixed->width - 1) / 2.0, (fixed->height - 1) / 2.0};
    const struct point to = map_point(&p.map, middle);
    map_slopes(&p.map, middle, slopes);
    for (int i = 0; i < 2; i++) {
        double *row = flow->report.start + 3 * i;
        row[0] = slopes[2 * i];
        row[1] = slopes[2 * i + 1];
        row[2] = (i ? to.y : to.x) - row[0] * middle.x - row[1] * middle.y;
    }
    /* the flow's images are what the report is about: the device's have been used by the descent,
     * and plain tones are stretched as one */
    if (status == RO_OK && (flow->on_device || !flow->normalised))
        status = register_again(flow, fixed, moving);
    if (status == RO_OK && flow->negative)
        status = register_negate(flow);
    evidence_close(&was);
    evidence_close(&is);
    ro_image_free(&after);
    ro_image_free(&p.image);
    ro_image_free(&p.mask);
    return status;
}

ro_status register_judge(struct registration *flow, const struct found_start *start,
                         const ro_image *field)
{
    struct evidence evidence;
    const ro_status status = evidence_open(start, field, &evidence)
                                 ? keep_evidence(flow, start, field, &evidence)
                                 : no_memory(flow);
    evidence_close(&evidence);
    flow->evidence.descended = flow->evidence.descended || !start_leads(start);
    return status;
}
