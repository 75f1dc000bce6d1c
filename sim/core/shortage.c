/* See shortage.h. */
#define _POSIX_C_SOURCE 200809L /* the numbers of errno */
#include "core/shortage.h"

#include <errno.h>

enum bs_status bs_status_of(int failure, enum bs_status otherwise)
{
    return failure == EMFILE || failure == ENFILE || failure == ENOMEM ? BS_INTERNAL : otherwise;
}
