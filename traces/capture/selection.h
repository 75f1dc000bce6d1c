/* What to capture, of all that a program does. */
#ifndef BS_CAPTURE_SELECTION_H
#define BS_CAPTURE_SELECTION_H

#include "bankshot-traces.h"

struct bs_selection {
    const char *kernel;     /* pattern of * and ?; NULL: any */
    struct bs_range launch; /* launches of the kernels that fit, by number from 0 */
    struct bs_range cta;    /* of each launch */
    uint64_t records;       /* at most, of the whole capture */
};

struct bs_selection bs_selection_everything(void);

/* Whether a kernel fits: by its mangled name, its demangled one, or that without its arguments,
 * without its template arguments, or without its namespace. */
bool bs_selection_takes_kernel(const struct bs_selection *selection, const char *mangled);

/* The selection as variables of the environment and back: so the launcher tells the library. Both
 * return false when that cannot be. */
bool bs_selection_to_environment(const struct bs_selection *selection);
bool bs_selection_of_environment(struct bs_selection *selection);

/* A name of C++ as people write it, by the demangler of the C++ run-time library. NULL when the
 * name is no mangled one, or there is no such library. The caller frees it. */
char *bs_demangle(const char *mangled);

#endif
