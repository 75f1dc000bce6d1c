/* The parts of a kernel's name as C++ and its tools write it: void ns::transpose<0>(float *, int).
 */
#ifndef BS_KERNEL_NAME_H
#define BS_KERNEL_NAME_H

/* Places in the text. */
struct bs_name_parts {
    const char *name;        /* behind the type that it returns */
    const char *last;        /* behind the last :: of that */
    const char *arguments;   /* at the ( before its arguments, or at the end */
    const char *of_template; /* at the < of its own template arguments; without, as arguments */
};

struct bs_name_parts bs_name_parts_of(const char *text);

#endif
