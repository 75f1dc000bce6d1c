/* The running program's folder, as Linux tells it. */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include "program.h"

#include <unistd.h>

void bs_program_folder(struct bs_buffer *text)
{
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    size_t used = size > 0 && (size_t)size < sizeof path ? (size_t)size : 0;
    while (used > 0 && path[used - 1] != '/')
        used--;
    bs_buffer_add(text, path, used);
}
