/* Writing a file at once, when all its bytes are there. */
#ifndef BS_SAVE_H
#define BS_SAVE_H

#include "bankshot.h"
#include "core/buffer.h"

/* "-" is standard output. False after filling error; a file that was there is then as it was. */
bool bs_save(const struct bs_buffer *bytes, const char *path, struct bs_error *error);

#endif
