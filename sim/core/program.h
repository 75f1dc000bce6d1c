/* Where the running program lies. */
#ifndef BS_PROGRAM_H
#define BS_PROGRAM_H

#include "buffer.h"

/* Adds the folder that holds the running program, with a '/', to text; nothing where the system
 * does not say. */
void bs_program_folder(struct bs_buffer *text);

#endif
