/* The causes of cycles, for those who ask for help. */
#ifndef BS_TIME_HELP_H
#define BS_TIME_HELP_H

#include "spool.h"

/* What 'bankshot help timing' prints. */
void bs_time_help(struct bs_spool *out);

#endif
