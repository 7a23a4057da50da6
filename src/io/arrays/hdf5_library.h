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
typedef int64_t ro_hid;
typedef unsigned long long ro_hsize;
enum { RO_H5T_INTEGER = 0, RO_H5T_FLOAT = 1, RO_H5T_COMPOUND = 6, RO_H5T_ENUM = 8 };
enum { RO_H5T_ORDER_BE = 1 };
enum { RO_H5D_CHUNKED = 2, RO_H5D_VIRTUAL = 3 };
enum { RO_H5G_GROUP = 0, RO_H5G_DATASET = 1 };

struct ro_hdf5 {
    ro_hid (*file_open)(const char *, unsigned, ro_hid);
    int (*file_close)(ro_hid);
    ro_hid (*dataset_open)(ro_hid, const char *, ro_hid);
    int (*dataset_close)(ro_hid);
    ro_hid (*dataset_space)(ro_hid);
    ro_hid (*dataset_type)(ro_hid);
    int (*dataset_read)(ro_hid, ro_hid, ro_hid, ro_hid, ro_hid, void *);
    int (*space_dimensions)(ro_hid);
    int (*space_sizes)(ro_hid, ro_hsize *, ro_hsize *);
    ro_hid (*space_make)(int, const ro_hsize *, const ro_hsize *);
    int (*space_select)(ro_hid, int, const ro_hsize *, const ro_hsize *, const ro_hsize *,
                        const ro_hsize *);
    int (*space_close)(ro_hid);
    int (*type_class)(ro_hid);
    size_t (*type_size)(ro_hid);
    int (*type_sign)(ro_hid);
    int (*type_order)(ro_hid);
    size_t (*type_bias)(ro_hid); /* of an exponent */
    int (*type_close)(ro_hid);
    ro_hid (*group_open)(ro_hid, const char *, ro_hid);
    int (*group_close)(ro_hid);
    int (*group_count)(ro_hid, ro_hsize *);
    ssize_t (*group_name)(ro_hid, ro_hsize, char *, size_t);
    int (*group_kind)(ro_hid, ro_hsize);
    int (*has_attribute)(ro_hid, const char *);
    int (*attributes)(ro_hid);
    ro_hid (*dataset_made)(ro_hid); /* the list of how it was made */
    int (*layout)(ro_hid);          /* from that list, as the next two */
    int (*externals)(ro_hid);
    int (*chunk)(ro_hid, int, ro_hsize *);
    ro_hid (*list_make)(ro_hid);
    int (*list_cache)(ro_hid, size_t, size_t, double);
    int (*list_close)(ro_hid);
    int (*set_errors)(ro_hid, void *, void *);
};

/* The calls, with the lock held until hdf5_leave; or RO_E_UNSUPPORTED, told. */
ro_status hdf5_enter(struct ro_file *file, const struct ro_hdf5 **library);
void hdf5_leave(void);

/* The type in memory of numbers of a kind ('u', 'i', 'f') and size; below 0: none. */
ro_hid hdf5_native(char kind, int bytes);
/* The class of lists that say how a dataset is read; below 0: none. */
ro_hid hdf5_access_class(void);

#endif
