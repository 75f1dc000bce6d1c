/* Telling a fault of a file from a want of the machine. */
#ifndef BS_SHORTAGE_H
#define BS_SHORTAGE_H

#include "bankshot.h"

/* The status of an error with that errno: BS_INTERNAL where there was no memory or no descriptor
 * left, which says nothing about the file, otherwise the one given. */
enum bs_status bs_status_of(int failure, enum bs_status otherwise);

#endif
