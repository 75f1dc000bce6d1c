/* The names of kernels: programs get them as the loader has them, people as they would type them,
 * as short as still tells the kernels apart. */
#ifndef BS_KERNEL_NAMES_H
#define BS_KERNEL_NAMES_H

#include "bankshot-traces.h"
#include "tally.h"

/* The number of a kernel's name, which bs_names_shown can then give. False when memory is out. */
bool bs_names_intern_kernel(struct bs_names *names, const struct bs_kernel *kernel,
                            uint32_t *number);

/* Says how people would type a name that has been interned. False when memory is out. */
bool bs_names_show(struct bs_names *names, uint32_t number, const char *typed);

/* A name for people: without namespaces, or with them, or as the loader has it, whichever is the
 * first that no other kernel has. */
const char *bs_names_shown(const struct bs_names *names, uint32_t number);

#endif
