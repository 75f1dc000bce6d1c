/* What a capture needs to know of a cubin: an ELF file with a section of code for each kernel. */
#ifndef BS_CAPTURE_CUBIN_H
#define BS_CAPTURE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls see with the name of each kernel, until it returns false. Returns false if see did, or the
 * bytes are no cubin. */
bool bs_cubin_kernels(const void *cubin, size_t size, bool (*see)(void *user, const char *kernel),
                      void *user);

/* The number of the symbol of a kernel, by which nvdisasm knows it. False if it has none. */
bool bs_cubin_symbol(const void *cubin, size_t size, const char *kernel, uint32_t *symbol);

#endif
