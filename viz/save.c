/* Writing whole files. */
#include "save.h"

#include "command/output_file.h"

bool bs_save(const struct bs_buffer *bytes, const char *path, struct bs_error *error)
{
    struct bs_output_file output = {0};
    if (!bs_output_open(&output, path, error))
        return false;
    const bool written = bs_output_write(&output, bytes->data, bytes->size, error);
    return bs_output_close(&output, written, error) && written;
}
