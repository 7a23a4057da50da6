/* SPDX-License-Identifier: MIT */
#include "io/arrays/hdf5_library.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hdf5_calls calls;
static void *library;
static bool tried, usable;

static void *open_library(void)
{
    /* Debian's names of 12 and 13, then what others have. Names without a version are those of a
     * build to link with, which may have another interface. */
    static const char *const names[] = {"libhdf5_serial.so.103", "libhdf5_serial.so.310",
                                        "libhdf5.so.310", "libhdf5.so.200", "libhdf5.so.103"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (found)
            return found;
    }
    return NULL;
}

static bool load(void)
{
    const struct {
        void **call;
        const char *name;
    } wanted[] = {
        {(void **)&calls.file_open, "H5Fopen"},
        {(void **)&calls.file_close, "H5Fclose"},
        {(void **)&calls.dataset_open, "H5Dopen2"},
        {(void **)&calls.dataset_close, "H5Dclose"},
        {(void **)&calls.dataset_space, "H5Dget_space"},
        {(void **)&calls.dataset_type, "H5Dget_type"},
        {(void **)&calls.dataset_read, "H5Dread"},
        {(void **)&calls.space_dimensions, "H5Sget_simple_extent_ndims"},
        {(void **)&calls.space_sizes, "H5Sget_simple_extent_dims"},
        {(void **)&calls.space_make, "H5Screate_simple"},
        {(void **)&calls.space_select, "H5Sselect_hyperslab"},
        {(void **)&calls.space_close, "H5Sclose"},
        {(void **)&calls.type_class, "H5Tget_class"},
        {(void **)&calls.type_size, "H5Tget_size"},
        {(void **)&calls.type_sign, "H5Tget_sign"},
        {(void **)&calls.type_order, "H5Tget_order"},
        {(void **)&calls.type_bias, "H5Tget_ebias"},
        {(void **)&calls.type_close, "H5Tclose"},
        {(void **)&calls.group_open, "H5Gopen2"},
        {(void **)&calls.group_close, "H5Gclose"},
        {(void **)&calls.group_count, "H5Gget_num_objs"},
        {(void **)&calls.group_name, "H5Gget_objname_by_idx"},
        {(void **)&calls.group_kind, "H5Gget_objtype_by_idx"},
        {(void **)&calls.has_attribute, "H5Aexists"},
        {(void **)&calls.attributes, "H5Aget_num_attrs"},
        {(void **)&calls.dataset_made, "H5Dget_create_plist"},
        {(void **)&calls.layout, "H5Pget_layout"},
        {(void **)&calls.externals, "H5Pget_external_count"},
        {(void **)&calls.chunk, "H5Pget_chunk"},
        {(void **)&calls.list_make, "H5Pcreate"},
        {(void **)&calls.list_cache, "H5Pset_chunk_cache"},
        {(void **)&calls.list_close, "H5Pclose"},
        {(void **)&calls.set_errors, "H5Eset_auto2"},
    };
    int (*start)(void) = NULL, (*no_exit)(void) = NULL;
    library = open_library();
    if (!library)
        return false;
    *(void **)&start = dlsym(library, "H5open");
    *(void **)&no_exit = dlsym(library, "H5dont_atexit");
    if (no_exit)
        no_exit(); /* cleaning up at exit, it crashes after a close that failed */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].call = dlsym(library, wanted[i].name)))
            return false;
    return start && start() >= 0;
}

ro_status hdf5_enter(struct open_file *file, const struct hdf5_calls **found)
{
    pthread_mutex_lock(&lock);
    if (!tried)
        usable = load();
    tried = true;
    *found = &calls;
    if (usable) {
        calls.set_errors(0, NULL, NULL); /* it would print; each thread has its own */
        return RO_OK;
    }
    pthread_mutex_unlock(&lock);
    return file_fail(file, RO_E_UNSUPPORTED,
                     "HDF5 files need libhdf5 1.10 or later, which was not found (Debian: "
                     "libhdf5-103-1 or libhdf5-310)");
}

void hdf5_leave(void) { pthread_mutex_unlock(&lock); }

hdf5_id hdf5_native(char kind, int bytes)
{
    static const struct {
        char kind;
        int bytes;
        const char *name;
    } natives[] = {
        {'u', 1, "H5T_NATIVE_UCHAR_g"},  {'i', 1, "H5T_NATIVE_SCHAR_g"},
        {'u', 2, "H5T_NATIVE_USHORT_g"}, {'i', 2, "H5T_NATIVE_SHORT_g"},
        {'u', 4, "H5T_NATIVE_UINT_g"},   {'i', 4, "H5T_NATIVE_INT_g"},
        {'u', 8, "H5T_NATIVE_ULLONG_g"}, {'i', 8, "H5T_NATIVE_LLONG_g"},
        {'f', 4, "H5T_NATIVE_FLOAT_g"},  {'f', 8, "H5T_NATIVE_DOUBLE_g"},
    };
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (natives[i].kind == kind && natives[i].bytes == bytes) {
            const hdf5_id *type = dlsym(library, natives[i].name);
            return type ? *type : -1;
        }
    return -1;
}

hdf5_id hdf5_access_class(void)
{
    const hdf5_id *class = dlsym(library, "H5P_CLS_DATASET_ACCESS_ID_g");
    return class ? *class : -1;
}
