/* SPDX-License-Identifier: MIT */
#include "io/filters/page_rule.h"

#include <stdlib.h>
#include <string.h>

/* Windows, as cells to each side, and pixels. */
enum { NEAR = 2, THIN = 1, EDGE = 3, FAR = 8, LOCAL = 5 };

/* A contrast that is looked at, that is text, that needs no black or white, and up to which a
 * window must be the purer the less contrast it has; values that are black and white. */
enum { C_SEEN = 48, C_TEXT = 64, C_WIDE = 122, C_FULL = 112, BLACK = 72, WHITE = 208 };

/* Of 256: how far values must lie at two ends for text, and photographs must not; least ink. */
enum {
    ENDS_LEAST = 156,
    ENDS_MOST = 204,
    MIDDLE = 148,
    INK_TEXT = 14,
    INK_MIDDLE = 8,
    STROKE = 80
};

/* Cells of text that count for nothing and for all, and of 256 the share of text the same. */
enum { MUCH_NONE = 48, MUCH_ALL = 80, PURE_NONE = 200, PURE_ALL = 240 };

struct cells {
    int across, down;
};

static int clamp(int v, int least, int most) { return v < least ? least : v > most ? most : v; }

static int ramp(int v, int none, int all) { return clamp((v - none) * 256 / (all - none), 0, 256); }

/* The largest or smallest value of `count` numbers up to `reach` places away, `step` apart. */
static void extreme_line(const uint8_t *in, int count, int step, int reach, bool largest,
                         uint8_t *out)
{
    for (int i = 0; i < count; i++) {
        const int from = i > reach ? i - reach : 0;
        const int to = i + reach < count ? i + reach : count - 1;
        uint8_t found = in[from * step];
        for (int k = from + 1; k <= to; k++) {
            const uint8_t v = in[k * step];
            found = (largest ? v > found : v < found) ? v : found;
        }
        out[i * step] = found;
    }
}

/* The same in a square; `aside` has room for as many. */
static void extreme(const uint8_t *in, struct cells size, int reach, bool largest, uint8_t *aside,
                    uint8_t *out)
{
    for (int y = 0; y < size.down; y++)
        extreme_line(in + (size_t)y * size.across, size.across, 1, reach, largest,
                     aside + (size_t)y * size.across);
    for (int x = 0; x < size.across; x++)
        extreme_line(aside + x, size.down, size.across, reach, largest, out + x);
}

/* The darkest and lightest mean of 2 x 2 pixels that begin in each cell. */
static void means(const struct page_window *w, struct cells size, uint8_t *dark, uint8_t *light)
{
    memset(dark, 255, (size_t)size.across * size.down);
    memset(light, 0, (size_t)size.across * size.down);
    for (uint32_t y = 0; y < w->height; y++) {
        const uint8_t *row = w->rows + (size_t)y * w->width;
        const uint8_t *below = y + 1 < w->height ? row + w->width : row;
        const size_t cells = (size_t)(y / PAGE_CELL) * size.across;
        for (uint32_t x = 0; x < w->width; x++) {
            const uint32_t right = x + 1 < w->width ? x + 1 : x;
            const uint8_t mean =
                (uint8_t)((row[x] + row[right] + below[x] + below[right] + 2) >> 2);
            const size_t k = cells + x / PAGE_CELL;
            dark[k] = mean < dark[k] ? mean : dark[k];
            light[k] = mean > light[k] ? mean : light[k];
        }
    }
}

enum kind { NEITHER, TEXT, PHOTOGRAPH };

/* `stroke`: how much contrast is left of what is not thin, in the better of two ways. */
static enum kind kind_of(const struct page_window *w, int cell_x, int cell_y, int least, int most,
                         int stroke)
{
    const int contrast = most - least, cut = contrast >> 3, span = contrast - 2 * cut;
    if (contrast < C_SEEN)
        return NEITHER;
    const int left = clamp((cell_x - NEAR) * PAGE_CELL, 0, (int)w->width);
    const int right = clamp((cell_x + NEAR + 1) * PAGE_CELL, 0, (int)w->width);
    const int top = clamp((cell_y - NEAR) * PAGE_CELL, 0, (int)w->height);
    const int bottom = clamp((cell_y + NEAR + 1) * PAGE_CELL, 0, (int)w->height);
    const int64_t n = (int64_t)(right - left) * (bottom - top);
    int64_t ink = 0, sum = 0, squares = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            const int v = w->rows[(size_t)y * w->width + (size_t)x];
            const int u = clamp(v - least - cut, 0, span);
            sum += u;
            squares += u * u;
            ink += 2 * v < least + most;
        }
    ink = n - ink < ink ? n - ink : ink;
    /* the variance, times n squared, and the most that it can be: all values at the ends */
    const int64_t variance = n * squares - sum * sum, bound = sum * (n * span - sum);
    const int ends = clamp(ENDS_LEAST + 3 * (C_FULL - contrast), ENDS_LEAST, ENDS_MOST);
    if (contrast >= C_TEXT && 256 * variance >= ends * bound && 256 * stroke <= STROKE * contrast &&
        256 * ink >= INK_TEXT * n && (least <= BLACK || most >= WHITE || contrast >= C_WIDE))
        return TEXT;
    return 256 * variance < MIDDLE * bound && 256 * ink >= INK_MIDDLE * n ? PHOTOGRAPH : NEITHER;
}

/* Cells up to FAR away: a pass along rows, then one down columns, of running sums. */
static void sums_around(const uint16_t *in, struct cells size, int32_t *aside, int32_t *out)
{
    for (int y = 0; y < size.down; y++) {
        int32_t sum = 0;
        for (int x = -FAR; x < size.across; x++) {
            if (x + FAR < size.across)
                sum += in[(size_t)y * size.across + (size_t)(x + FAR)];
            if (x > FAR)
                sum -= in[(size_t)y * size.across + (size_t)(x - FAR - 1)];
            if (x >= 0)
                aside[(size_t)y * size.across + (size_t)x] = sum;
        }
    }
    for (int x = 0; x < size.across; x++) {
        int32_t sum = 0;
        for (int y = -FAR; y < size.down; y++) {
            if (y + FAR < size.down)
                sum += aside[(size_t)(y + FAR) * size.across + (size_t)x];
            if (y > FAR)
                sum -= aside[(size_t)(y - FAR - 1) * size.across + (size_t)x];
            if (y >= 0)
                out[(size_t)y * size.across + (size_t)x] = sum;
        }
    }
}

struct maps {
    uint8_t *dark, *light, *least, *most, *a, *b, *stroke, *aside;
    uint16_t *text, *photograph, *ends; /* 1: it is; the sum of both ends of text */
    int32_t *texts, *photographs, *threshold, *wide;
    uint16_t *weight;           /* 0 to 256 */
    uint8_t *low, *high, *line; /* of pixels */
};

/* What is dark is thin if little is left of it by a closing, what is light by an opening. */
static void find_strokes(struct maps *m, struct cells size)
{
    const size_t count = (size_t)size.across * size.down;
    extreme(m->light, size, THIN, true, m->aside, m->a);
    extreme(m->a, size, THIN + EDGE, false, m->aside, m->b);
    extreme(m->light, size, EDGE, true, m->aside, m->a);
    for (size_t k = 0; k < count; k++)
        m->stroke[k] = (uint8_t)(m->a[k] - m->b[k]);
    extreme(m->dark, size, THIN, false, m->aside, m->a);
    extreme(m->a, size, THIN + EDGE, true, m->aside, m->b);
    extreme(m->dark, size, EDGE, false, m->aside, m->a);
    for (size_t k = 0; k < count; k++) {
        const uint8_t other = (uint8_t)(m->b[k] - m->a[k]);
        m->stroke[k] = other < m->stroke[k] ? other : m->stroke[k];
    }
}

static void weigh(const struct page_window *w, struct cells size, struct maps *m)
{
    const size_t count = (size_t)size.across * size.down;
    means(w, size, m->dark, m->light);
    extreme(m->dark, size, NEAR, false, m->aside, m->least);
    extreme(m->light, size, NEAR, true, m->aside, m->most);
    find_strokes(m, size);
    for (size_t k = 0; k < count; k++) {
        const enum kind kind =
            kind_of(w, (int)(k % (size_t)size.across), (int)(k / (size_t)size.across), m->least[k],
                    m->most[k], m->stroke[k]);
        m->text[k] = kind == TEXT;
        m->photograph[k] = kind == PHOTOGRAPH;
        m->ends[k] = (uint16_t)(kind == TEXT ? m->least[k] + m->most[k] : 0);
    }
    sums_around(m->text, size, m->wide, m->texts);
    sums_around(m->photograph, size, m->wide, m->photographs);
    sums_around(m->ends, size, m->wide, m->threshold);
    for (size_t k = 0; k < count; k++) {
        const int texts = m->texts[k];
        m->weight[k] = 0;
        if (texts == 0)
            continue;
        const int much = ramp(texts, MUCH_NONE, MUCH_ALL);
        const int pure = ramp(256 * texts / (texts + m->photographs[k]), PURE_NONE, PURE_ALL);
        m->weight[k] = (uint16_t)(much * pure >> 8);
        m->threshold[k] /= 2 * texts;
    }
}

/* Between the middles of four cells. */
static int weight_at(const uint16_t *weight, struct cells size, uint32_t x, uint32_t y)
{
    enum { TWICE = 2 * PAGE_CELL };
    const int across = 2 * (int)x + 1 - PAGE_CELL, down = 2 * (int)y + 1 - PAGE_CELL;
    const int cx = across < 0 ? 0 : across / TWICE, cy = down < 0 ? 0 : down / TWICE;
    const int fx = across < 0 ? 0 : across % TWICE, fy = down < 0 ? 0 : down % TWICE;
    const int right = cx + 1 < size.across, below = cy + 1 < size.down ? size.across : 0;
    const uint16_t *c = weight + (size_t)cy * size.across + cx;
    return ((c[0] * (TWICE - fx) + c[right] * fx) * (TWICE - fy) +
            (c[below] * (TWICE - fx) + c[below + right] * fx) * fy) /
           (TWICE * TWICE);
}

/* The least and largest of each column up to LOCAL rows from row y, then along the row. */
static void local_ends(const struct page_window *w, uint32_t y, struct maps *m)
{
    const uint32_t top = y > LOCAL ? y - LOCAL : 0;
    const uint32_t end = y + LOCAL + 1 < w->height ? y + LOCAL + 1 : w->height;
    const struct cells line = {(int)w->width, 1};
    for (int largest = 0; largest < 2; largest++) {
        memcpy(m->line, w->rows + (size_t)top * w->width, w->width);
        for (uint32_t v = top + 1; v < end; v++) {
            const uint8_t *row = w->rows + (size_t)v * w->width;
            for (uint32_t x = 0; x < w->width; x++)
                m->line[x] =
                    (largest ? row[x] > m->line[x] : row[x] < m->line[x]) ? row[x] : m->line[x];
        }
        extreme_line(m->line, line.across, 1, LOCAL, largest, largest ? m->high : m->low);
    }
}

static void pull(const struct page_window *w, struct cells size, struct maps *m, uint32_t y,
                 uint8_t *to)
{
    const uint8_t *row = w->rows + (size_t)y * w->width;
    local_ends(w, y, m);
    for (uint32_t x = 0; x < w->width; x++) {
        const int weight = weight_at(m->weight, size, x, y), a = row[x];
        const int middle =
            m->high[x] - m->low[x] >= C_TEXT
                ? (m->low[x] + m->high[x]) >> 1
                : m->threshold[(size_t)(y / PAGE_CELL) * size.across + x / PAGE_CELL];
        to[x] = (uint8_t)(a + ((((a > middle ? 255 : 0) - a) * weight + 128) >> 8));
    }
}

/* Takes `count` numbers of `bytes` each from the memory at `*at`, or only counts them. */
static void *take(char **at, size_t *used, size_t count, size_t bytes)
{
    void *part = *at ? *at + *used : NULL;
    *used += (count * bytes + 15) & ~(size_t)15;
    return part;
}

static size_t lay_out(struct maps *m, char *memory, size_t count, uint32_t width)
{
    size_t used = 0;
    uint8_t **const bytes[] = {&m->dark, &m->light, &m->least,  &m->most,
                               &m->a,    &m->b,     &m->stroke, &m->aside};
    uint16_t **const words[] = {&m->text, &m->photograph, &m->ends, &m->weight};
    int32_t **const sums[] = {&m->texts, &m->photographs, &m->threshold, &m->wide};
    uint8_t **const lines[] = {&m->low, &m->high, &m->line};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        *bytes[i] = take(&memory, &used, count, sizeof **bytes[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i] = take(&memory, &used, count, sizeof **words[i]);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        *sums[i] = take(&memory, &used, count, sizeof **sums[i]);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        *lines[i] = take(&memory, &used, width, sizeof **lines[i]);
    return used;
}

bool page_rule(const struct page_window *window, uint32_t first, uint32_t end, uint8_t *to)
{
    const struct cells size = {(int)((window->width + PAGE_CELL - 1) / PAGE_CELL),
                               (int)((window->height + PAGE_CELL - 1) / PAGE_CELL)};
    const size_t count = (size_t)size.across * (size_t)size.down;
    struct maps maps;
    char *memory = calloc(1, lay_out(&maps, NULL, count, window->width));
    if (!memory)
        return false;
    lay_out(&maps, memory, count, window->width);
    weigh(window, size, &maps);
    for (uint32_t y = first; y < end; y++)
        pull(window, size, &maps, y, to + (size_t)(y - first) * window->width);
    free(memory);
    return true;
}
