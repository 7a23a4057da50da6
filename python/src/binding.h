/* SPDX-License-Identifier: MIT */
/* What the files of the extension share: arrays as views, options as members, a context per thread.
 */
#ifndef RO_PYTHON_BINDING_H
#define RO_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <roundoff.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/* ---- Views: (buffer, format, maxval); for packed bits the last is the width ---------------------
 */
struct view {
    Py_buffer buffer;
    ro_image image;
};
/* Zeroed views may be released. Taking gives false with an exception. */
bool view_take(PyObject *triple, bool writable, struct view *view);
void view_release(struct view *view);

/* ---- Options: a dictionary whose keys are members of the structure -----------------------------
 */

/* Sets the members of a structure, such as "ro_halftone_options", that the dictionary names; one
 * that it does not have is an exception, unless `others` (ended by NULL) names it. Texts live as
 * long as the dictionary. */
bool members_set(PyObject *dictionary, const char *structure, const char *const *others,
                 void *options);
/* The value of a key, borrowed; NULL: it is not there or None, no exception. */
PyObject *option_of(PyObject *dictionary, const char *key);

/* ---- Sessions: a context and the call that runs on it
 * --------------------------------------------- */
struct quick_plan { /* of quick.c */
    ro_plan *plan;
    char method[32];
    uint32_t width, height;
};
void quick_plan_free(struct quick_plan *quick);

struct session {
    ro_context *context;
    struct quick_plan quick;   /* on that context */
    ro_context_options opened; /* with what */
    pid_t process;
    bool busy;
    PyObject *progress;      /* borrowed from the call; NULL: none */
    PyThreadState *released; /* while the interpreter is left */
    struct timespec looked;  /* when signals were last looked for */
};

/* `run` is (device, cpu, threads, device number or None, progress or None). The thread's own
 * session, opened anew where it asks for another context; NULL with an exception. */
struct session *session_begin(PyObject *run);
/* The same where nothing is asked for. */
struct session *session_begin_usual(void);
/* The same for a session that its owner keeps. */
bool session_open(struct session *session, PyObject *run);
bool session_resume(struct session *session, PyObject *progress);
void session_end(struct session *session);
void session_close(struct session *session);

/* Around calls of the library that may take long. */
void session_leave(struct session *session);
void session_return(struct session *session);

/* True for RO_OK; else the exception for the status with the library's sentence. */
bool session_succeeded(struct session *session, ro_status status);
void raise_status(ro_status status, const char *sentence);
void raise_bad(const char *format, ...); /* as PyErr_Format */

/* Takes the item over; false, with an exception, where it is NULL or there is no memory. */
bool list_append(PyObject *list, PyObject *item);

/* ---- Tables of functions, one a family
 * ------------------------------------------------------------- */
extern PyMethodDef halftone_functions[], stream_functions[], denoise_functions[],
    figures_functions[], register_functions[], segment_functions[], hologram_functions[],
    wedge_functions[], quick_functions[], device_functions[], member_functions[], scene_functions[],
    levelset_functions[], number_functions[], modulator_functions[];

bool denoise_options_take(PyObject *dictionary, ro_denoise_options *options);

/* Seeds (label, x, y, radius), which the caller frees; outlines (label, closed, bytes of x, y). */
bool seeds_take(PyObject *list, ro_seed **seeds, size_t *count);
PyObject *lines_give(const ro_polyline *lines, size_t count);

/* Fields of complex pixels, as arrays of floats twice as wide, and what is known of their physics.
 */
bool field_take(PyObject *triple, bool writable, struct view *view, ro_field *field);
bool optics_take(PyObject *tuple, ro_optics *optics);
PyObject *optics_give(const ro_optics *optics);

/* Options of a hologram, with levels ("table", pairs of floats) and the light on the modulator
 * ("source") as arrays. */
struct hologram_request {
    ro_hologram_options options;
    struct view table, light;
    ro_field source;
};
bool hologram_request_take(PyObject *given, PyObject *dictionary, struct hologram_request *request);
void hologram_request_release(struct hologram_request *request);

/* Options of a halftone, with what their pointers lead to. */
struct halftone_request {
    ro_halftone_options options;
    ro_palette palette, recolour;
    ro_kernel kernel;
    ro_ink inks[RO_INKS_MOST];
    ro_tone_point *curve, *ink_curves[RO_INKS_MOST];
    struct view screen, spot, first;
};
bool palette_take(struct session *session, PyObject *text, ro_palette *palette);
bool halftone_request_take(struct session *session, PyObject *dictionary,
                           struct halftone_request *request);
void halftone_request_release(struct halftone_request *request);

#endif
