/* SPDX-License-Identifier: MIT */
/*
 * A dataset of an HDF5 file, file.h5:/group/name, or of MATLAB's files from version 7.3 on, whose
 * arrays have their axes turned round. Axes are taken as those of NPY. Rows are read some at a
 * time; of MATLAB's a page is held. Where numbers lie in chunks, the library keeps all chunks that
 * touch a row, so that it unpacks each of them once.
 */
#include "core/checked.h"
#include "io/arrays/array.h"
#include "io/arrays/hdf5_library.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 8, MOST_NAMES = 400, DEEPEST = 6, MOST_OBJECTS = 10000 };

struct hdf5 {
    struct row_stage stage;      /* first, so that a stage can be cast back */
    hdf5_id file, dataset, type; /* below 0: none; the type is that in memory */
    const char *name;            /* of the dataset */
    char only[200];              /* the same, where it was not asked for */
    hdf5_id own_type;            /* that of the file, where numbers are taken as they lie there */
    struct array_file array;
    int axes;
    hdf5_size sizes[AXES]; /* as the file has them */
    bool turned;           /* MATLAB's: the last axis is the first */
    size_t row_bytes, samples;
    uint32_t row;
    unsigned page;  /* from 0 */
    uint8_t *turns; /* a page of MATLAB's as it lies in the file */
};

/* ---- Which dataset --------------------------------------------------------------------------- */

struct names {
    char text[MOST_NAMES];
    char only[200];
    size_t used, count, seen;
};

static void list_group(const struct hdf5_calls *h5, hdf5_id group, const char *path, int depth,
                       struct names *names)
{
    hdf5_size count = 0;
    if (depth > DEEPEST || h5->group_count(group, &count) < 0)
        return;
    for (hdf5_size i = 0; i < count && names->seen < MOST_OBJECTS; i++) {
        char name[200], full[420];
        names->seen++;
        if (h5->group_name(group, i, name, sizeof name) <= 0 || name[0] == '#')
            continue; /* MATLAB's own */
        snprintf(full, sizeof full, "%.200s/%s", path, name);
        const int kind = h5->group_kind(group, i);
        if (kind == RO_H5G_DATASET) {
            snprintf(names->only, sizeof names->only, "%.199s", full);
            if (names->used < sizeof names->text)
                names->used +=
                    (size_t)snprintf(names->text + names->used, sizeof names->text - names->used,
                                     "%s%s", names->count ? ", " : "", full);
            names->count++;
        } else if (kind == RO_H5G_GROUP) {
            const hdf5_id inner = h5->group_open(group, name, 0);
            if (inner >= 0) {
                list_group(h5, inner, full, depth + 1, names);
                h5->group_close(inner);
            }
        }
    }
}

static ro_status open_dataset(struct hdf5 *self, const struct hdf5_calls *h5, const char *name)
{
    struct open_file *file = self->stage.file;
    struct names names = {.used = 0};
    self->name = name;
    if (name)
        self->dataset = h5->dataset_open(self->file, name, 0);
    if (self->dataset >= 0)
        return RO_OK;
    const hdf5_id root = h5->group_open(self->file, "/", 0);
    if (root >= 0) {
        list_group(h5, root, "", 0, &names);
        h5->group_close(root);
    }
    if (names.count == 0)
        return file_fail(file, RO_E_FORMAT, "the file holds no dataset");
    if (name)
        return file_fail(file, RO_E_ARGUMENT, "there is no dataset %.100s; it has %.250s", name,
                         names.text);
    if (names.count > 1)
        return file_fail(file, RO_E_ARGUMENT,
                         "the file holds several datasets; add :NAME, one of %.250s", names.text);
    memcpy(self->only, names.only, sizeof self->only);
    self->name = self->only;
    self->dataset = h5->dataset_open(self->file, names.only, 0);
    return self->dataset >= 0 ? RO_OK
                              : file_fail(file, RO_E_FORMAT, "%s cannot be opened", names.only);
}

/* ---- Its type and shape ---------------------------------------------------------------------- */

static ro_status read_type(struct hdf5 *self, const struct hdf5_calls *h5)
{
    const hdf5_id type = h5->dataset_type(self->dataset);
    const int class = h5->type_class(type);
    const int bytes = (int)h5->type_size(type);
    struct array_file *array = &self->array;
    if (class == RO_H5T_INTEGER) {
        array->kind = h5->type_sign(type) ? 'i' : 'u';
        array->bytes = bytes;
    } else if (class == RO_H5T_FLOAT) {
        /* the library has no halves in memory; what else has 16 bits becomes floats */
        const bool half = bytes == 2 && h5->type_bias(type) == 15;
        array->kind = 'f';
        array->bytes = bytes == 2 && !half ? 4 : bytes;
        if (half) {
            array->swapped = (h5->type_order(type) == RO_H5T_ORDER_BE) == little_endian();
            self->type = self->own_type = type;
            return RO_OK;
        }
    } else if (class == RO_H5T_ENUM && bytes == 1) { /* truth, as h5py writes it */
        array->kind = 'b';
        array->bytes = 1;
    }
    h5->type_close(type);
    self->type = array->kind == 'b' ? hdf5_native('i', 1)
                 : array->kind      ? hdf5_native(array->kind, array->bytes)
                                    : -1;
    if (array->kind && self->type >= 0)
        return RO_OK;
    return file_fail(self->stage.file, RO_E_UNSUPPORTED, "%s",
                     class == RO_H5T_COMPOUND
                         ? "complex numbers or records where real numbers are wanted"
                         : "the dataset holds no numbers that are read");
}

static ro_status read_shape(struct hdf5 *self, const struct hdf5_calls *h5)
{
    const hdf5_id space = h5->dataset_space(self->dataset);
    uint64_t sizes[AXES] = {0};
    char shape[160] = "(";
    self->axes = h5->space_dimensions(space);
    const bool known = self->axes >= 1 && self->axes <= AXES &&
                       h5->space_sizes(space, self->sizes, NULL) == self->axes;
    h5->space_close(space);
    if (!known)
        return file_fail(self->stage.file, RO_E_UNSUPPORTED, "a dataset of %d axes", self->axes);
    self->turned = self->axes > 1 && h5->has_attribute(self->dataset, "MATLAB_class") > 0;
    for (int i = 0; i < self->axes; i++)
        sizes[i] = self->sizes[i];
    if (self->turned) { /* pages lie first; rows and columns are exchanged */
        sizes[self->axes - 2] = self->sizes[self->axes - 1];
        sizes[self->axes - 1] = self->sizes[self->axes - 2];
    }
    for (int i = 0; i < self->axes; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%llu", i ? ", " : "",
                 (unsigned long long)sizes[i]);
    snprintf(shape + strlen(shape), sizeof shape - strlen(shape), ")");
    if (self->turned) { /* MATLAB's third axis is pages, never colours of a pixel */
        self->array.channels = 1;
        self->array.height = sizes[self->axes - 2];
        self->array.width = sizes[self->axes - 1];
        self->array.outer_count = self->axes - 2;
        memcpy(self->array.outer, sizes, (size_t)self->array.outer_count * sizeof *sizes);
        return RO_OK;
    }
    return array_axes(self->stage.file, sizes, self->axes, shape, &self->array);
}

/* The bytes of all chunks that touch a row, or a page where they reach over several pages. */
static bool size_of_chunks(const struct hdf5 *self, const hdf5_size *chunk, size_t *count,
                           size_t *bytes)
{
    const int rows = self->turned ? -1 : self->array.outer_count;
    bool pages = false, fits = true;
    *count = 1;
    *bytes = (size_t)self->array.bytes;
    for (int i = 0; i < self->axes; i++) {
        const size_t across = (size_t)((self->sizes[i] + chunk[i] - 1) / chunk[i]);
        pages |= i < self->array.outer_count && chunk[i] > 1;
        fits = fits && size_multiply(*bytes, (size_t)chunk[i], bytes);
        if (i >= self->array.outer_count && (i != rows || pages))
            fits = fits && size_multiply(*count, across, count);
    }
    return fits && size_multiply(*count, *bytes, bytes);
}

/* Opens the dataset again with room for these chunks. */
static ro_status hold_chunks(struct hdf5 *self, const struct hdf5_calls *h5, const hdf5_size *chunk)
{
    enum { MOST_SLOTS = 1000003, SLOTS = 521 };
    size_t count, bytes;
    if (!size_of_chunks(self, chunk, &count, &bytes))
        bytes = SIZE_MAX;
    if (bytes > memory_limit(self->stage.file))
        return file_no_memory(self->stage.file, bytes);
    const hdf5_id access = h5->list_make(hdf5_access_class());
    const size_t slots = count < MOST_SLOTS / 100 ? 100 * count + SLOTS : MOST_SLOTS;
    if (access >= 0 && h5->list_cache(access, slots, bytes, 1) >= 0) {
        h5->dataset_close(self->dataset);
        self->dataset = h5->dataset_open(self->file, self->name, access);
    }
    if (access >= 0)
        h5->list_close(access);
    return access >= 0 && self->dataset >= 0
               ? RO_OK
               : file_fail(self->stage.file, RO_E_FORMAT, "its dataset cannot be opened again");
}

/* How the numbers lie in the file; those that lie in another file are not looked for there. */
static ro_status read_layout(struct hdf5 *self, const struct hdf5_calls *h5)
{
    hdf5_size chunk[AXES] = {0};
    const hdf5_id made = h5->dataset_made(self->dataset);
    const int layout = made >= 0 ? h5->layout(made) : -1;
    const bool outside = layout == RO_H5D_VIRTUAL || (made >= 0 && h5->externals(made) > 0);
    bool chunked = layout == RO_H5D_CHUNKED && h5->chunk(made, self->axes, chunk) == self->axes;
    for (int i = 0; i < self->axes; i++)
        chunked = chunked && chunk[i] > 0;
    if (made >= 0)
        h5->list_close(made);
    if (outside)
        return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                         "a dataset whose numbers are in another file");
    return chunked ? hold_chunks(self, h5, chunk) : RO_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* `count` rows of the page from `row` on; of MATLAB's, columns of it. */
static ro_status read_part(struct hdf5 *self, uint64_t row, uint64_t count, void *to)
{
    const struct hdf5_calls *h5;
    hdf5_size start[AXES] = {0}, block[AXES];
    const int outer = self->array.outer_count;
    unsigned page = self->page;
    ro_status status = hdf5_enter(self->stage.file, &h5);
    if (status != RO_OK)
        return status;
    memcpy(block, self->sizes, sizeof block);
    for (int i = outer - 1; i >= 0; i--) {
        start[i] = page % self->sizes[i];
        page /= (unsigned)self->sizes[i];
        block[i] = 1;
    }
    start[outer] = row;
    block[outer] = count;
    const hdf5_id space = h5->dataset_space(self->dataset);
    const hdf5_id memory = h5->space_make(self->axes, block, NULL);
    if (space < 0 || memory < 0 || h5->space_select(space, 0, start, NULL, block, NULL) < 0 ||
        h5->dataset_read(self->dataset, self->type, memory, space, 0, to) < 0)
        status = file_fail(self->stage.file, RO_E_FORMAT,
                           "the dataset cannot be read: it is damaged, or a filter is missing");
    if (space >= 0)
        h5->space_close(space);
    if (memory >= 0)
        h5->space_close(memory);
    hdf5_leave();
    return status;
}

/* A page of MATLAB's, once it is needed. */
static ro_status read_turned(struct hdf5 *self)
{
    size_t size;
    if (!size_multiply(self->row_bytes, self->stage.info.height, &size) ||
        size > memory_limit(self->stage.file) || !(self->turns = malloc(size)))
        return file_no_memory(self->stage.file, self->row_bytes);
    return read_part(self, 0, self->array.width, self->turns);
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct hdf5 *self = (struct hdf5 *)stage;
    const size_t bytes = (size_t)self->array.bytes, height = stage->info.height;
    ro_status status = self->turned && !self->turns ? read_turned(self) : RO_OK;
    uint8_t *const first = rows;
    const uint32_t all = count;
    if (!self->turned && stride == (ptrdiff_t)self->row_bytes) {
        status = read_part(self, self->row, count, rows);
        self->row += count;
        count = 0;
    }
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride, self->row++) {
        if (!self->turned)
            status = read_part(self, self->row, 1, rows);
        else
            for (size_t x = 0; x < self->array.width; x++)
                memcpy(rows + x * bytes, self->turns + (x * height + self->row) * bytes, bytes);
    }
    for (uint32_t y = 0; y < all && self->array.swapped && status == RO_OK; y++)
        sample_swap(first + (ptrdiff_t)y * stride, bytes, self->samples);
    for (uint32_t y = 0; y < all && self->array.kind == 'b' && status == RO_OK; y++)
        for (size_t i = 0; i < self->samples; i++)
            first[(ptrdiff_t)y * stride + (ptrdiff_t)i] =
                first[(ptrdiff_t)y * stride + (ptrdiff_t)i] != 0;
    return status;
}

static ro_status next_page(struct row_stage *stage)
{
    struct hdf5 *self = (struct hdf5 *)stage;
    self->page++;
    self->row = 0;
    free(self->turns);
    self->turns = NULL;
    return RO_OK;
}

static void close_reader(struct row_stage *stage)
{
    struct hdf5 *self = (struct hdf5 *)stage;
    const struct hdf5_calls *h5;
    if (self->file >= 0 && hdf5_enter(stage->file, &h5) == RO_OK) {
        if (self->own_type >= 0)
            h5->type_close(self->own_type);
        if (self->dataset >= 0)
            h5->dataset_close(self->dataset);
        h5->file_close(self->file);
        hdf5_leave();
    }
    free(self->turns);
    free(self);
}

/* What a program said about the dataset is not carried over; MATLAB's speak of the type. */
static void note_attributes(struct hdf5 *self, const struct hdf5_calls *h5)
{
    const int count = self->turned ? 0 : h5->attributes(self->dataset);
    if (count > 0)
        file_drop(self->stage.file, RO_DROPPED_METADATA, "%d attribute%s of the dataset", count,
                  count > 1 ? "s" : "");
}

static ro_status open_file(struct hdf5 *self, struct byte_source *source)
{
    const struct hdf5_calls *h5;
    char path[64];
    if (source->fd < 0 || !source->seekable)
        return file_fail(source->file, RO_E_UNSUPPORTED,
                         "an HDF5 file cannot be read from a pipe; it needs a file with a name");
    ro_status status = hdf5_enter(source->file, &h5);
    if (status != RO_OK)
        return status;
    snprintf(path, sizeof path, "/proc/self/fd/%d", source->fd); /* the very file that was opened */
    self->file = h5->file_open(path, 0, 0);
    if (self->file < 0)
        status = file_fail(source->file, RO_E_FORMAT, "not a proper HDF5 file");
    if (status == RO_OK)
        status = open_dataset(self, h5, source->member);
    if (status == RO_OK)
        status = read_type(self, h5);
    if (status == RO_OK)
        status = read_shape(self, h5);
    if (status == RO_OK)
        status = read_layout(self, h5);
    if (status == RO_OK)
        note_attributes(self, h5);
    hdf5_leave();
    return status;
}

ro_status hdf5_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct hdf5 *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage = (struct row_stage){.file = source->file,
                                     .rows = read_rows,
                                     .close = close_reader,
                                     .next = next_page,
                                     .stack = true};
    self->file = self->dataset = self->type = self->own_type = -1;
    self->page = page - 1;
    ro_status status = open_file(self, source);
    if (status == RO_OK)
        status = array_info(source->file, &self->array, &self->stage.info, &self->stage.raw);
    if (status != RO_OK) {
        close_reader(&self->stage);
        return status;
    }
    self->samples = (size_t)self->stage.info.width * (size_t)self->array.channels;
    self->row_bytes = self->samples * (size_t)self->array.bytes;
    *stage = &self->stage;
    return RO_OK;
}
