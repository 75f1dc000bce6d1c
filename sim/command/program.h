/* What to type to run this program. */
#ifndef BS_PROGRAM_H
#define BS_PROGRAM_H

#include <stddef.h>

/* "bankshot" if that is what a shell would find, else the path of the program: from the working
 * folder where it lies below that. Written to and returned as out. */
const char *bs_program_word(char *out, size_t room);

#endif
