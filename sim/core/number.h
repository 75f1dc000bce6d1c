/* What text becomes a number, beside what bankshot.h has. */
#ifndef BS_NUMBER_H
#define BS_NUMBER_H

#include "bankshot.h"

/* Whether the whole text is a number as bs_number_parse reads it, of whatever size. */
bool bs_is_number(const char *text, size_t size);

#endif
