/* The names that a kernel has: the loader's, _ZN2ns9transposeILi0EEvPfi, and what C++ and its tools
 * write, void ns::transpose<0>(float *, int), with its parts. */
#ifndef BS_KERNEL_NAME_H
#define BS_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Places in the text. */
struct bs_name_parts {
    const char *name;        /* behind the type that it returns */
    const char *last;        /* behind the last :: of that */
    const char *arguments;   /* at the ( before its arguments, or at the end */
    const char *of_template; /* at the < of its own template arguments; without, as arguments */
};

struct bs_name_parts bs_name_parts_of(const char *text);

/* Whether a pattern of * and ? fits one of the kernel's names: as the loader has it, as its source
 * has it (demangled, NULL if that is not known), or as the loader's says it, as far as that goes;
 * each whole, or without its type, its arguments, its template arguments or its namespaces. */
bool bs_kernel_name_fits(const char *pattern, const char *name, const char *demangled);

/* A kernel's name as people would type it, "ns::transpose<0>"; the loader's if that does not say.
 * Written to and returned as out, cut where there is no room. */
enum { BS_TYPED_NAME = 1024 };
const char *bs_kernel_name_typed(const char *name, const char *demangled, char out[BS_TYPED_NAME]);

#endif
