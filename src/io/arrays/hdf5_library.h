/* SPDX-License-Identifier: MIT */
/*
 * libhdf5, opened at run time where it is found: nothing is linked, and without it only HDF5 files
 * are missing. Its calls are made one at a time, under a lock, whoever makes them.
 */
#ifndef RO_IO_ARRAYS_HDF5_LIBRARY_H
#define RO_IO_ARRAYS_HDF5_LIBRARY_H

#include "io/bytes/file.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As version 1.10 and later have them. */
typedef int64_t hdf5_id;
typedef unsigned long long hdf5_size;
enum { RO_H5T_INTEGER = 0, RO_H5T_FLOAT = 1, RO_H5T_COMPOUND = 6, RO_H5T_ENUM = 8 };
enum { RO_H5T_ORDER_BE = 1 };
enum { RO_H5D_CHUNKED = 2, RO_H5D_VIRTUAL = 3 };
enum { RO_H5G_GROUP = 0, RO_H5G_DATASET = 1 };

struct hdf5_calls {
    hdf5_id (*file_open)(const char *, unsigned, hdf5_id);
    int (*file_close)(hdf5_id);
    hdf5_id (*dataset_open)(hdf5_id, const char *, hdf5_id);
    int (*dataset_close)(hdf5_id);
    hdf5_id (*dataset_space)(hdf5_id);
    hdf5_id (*dataset_type)(hdf5_id);
    int (*dataset_read)(hdf5_id, hdf5_id, hdf5_id, hdf5_id, hdf5_id, void *);
    int (*space_dimensions)(hdf5_id);
    int (*space_sizes)(hdf5_id, hdf5_size *, hdf5_size *);
    hdf5_id (*space_make)(int, const hdf5_size *, const hdf5_size *);
    int (*space_select)(hdf5_id, int, const hdf5_size *, const hdf5_size *, const hdf5_size *,
                        const hdf5_size *);
    int (*space_close)(hdf5_id);
    int (*type_class)(hdf5_id);
    size_t (*type_size)(hdf5_id);
    int (*type_sign)(hdf5_id);
    int (*type_order)(hdf5_id);
    size_t (*type_bias)(hdf5_id); /* of an exponent */
    int (*type_close)(hdf5_id);
    hdf5_id (*group_open)(hdf5_id, const char *, hdf5_id);
    int (*group_close)(hdf5_id);
    int (*group_count)(hdf5_id, hdf5_size *);
    ssize_t (*group_name)(hdf5_id, hdf5_size, char *, size_t);
    int (*group_kind)(hdf5_id, hdf5_size);
    int (*has_attribute)(hdf5_id, const char *);
    int (*attributes)(hdf5_id);
    hdf5_id (*dataset_made)(hdf5_id); /* the list of how it was made */
    int (*layout)(hdf5_id);           /* from that list, as the next two */
    int (*externals)(hdf5_id);
    int (*chunk)(hdf5_id, int, hdf5_size *);
    hdf5_id (*list_make)(hdf5_id);
    int (*list_cache)(hdf5_id, size_t, size_t, double);
    int (*list_close)(hdf5_id);
    int (*set_errors)(hdf5_id, void *, void *);
};

/* The calls, with the lock held until hdf5_leave; or RO_E_UNSUPPORTED, told. */
ro_status hdf5_enter(struct open_file *file, const struct hdf5_calls **library);
void hdf5_leave(void);

/* The type in memory of numbers of a kind ('u', 'i', 'f') and size; below 0: none. */
hdf5_id hdf5_native(char kind, int bytes);
/* The class of lists that say how a dataset is read; below 0: none. */
hdf5_id hdf5_access_class(void);

#endif
