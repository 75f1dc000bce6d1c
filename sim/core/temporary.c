/* See temporary.h. */
#define _XOPEN_SOURCE 700 /* P_tmpdir */
#include "temporary.h"

#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>

const char *bs_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : P_tmpdir;
}

char *bs_temporary_name(void)
{
    struct bs_buffer name = {0};
    bs_buffer_printf(&name, "%s/bankshot-XXXXXX", bs_temporary_folder());
    return bs_buffer_take(&name);
}
