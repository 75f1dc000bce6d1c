/* Running a program, and listening to the capture libraries in it and in its children. */
#ifndef BS_CAPTURE_SERVER_H
#define BS_CAPTURE_SERVER_H

#include "items.h"

struct bs_server_plan {
    char *const *arguments; /* of the program, which comes first; ends with NULL */
    const char *library;    /* that the CUDA driver loads into it */

    /* Takes all of a process's stream, on a thread of its own: process counts from 0. */
    void (*serve)(void *user, unsigned process, const struct bs_item_source *source);
    void *user;
};

struct bs_server_outcome {
    int status;         /* as a shell gives it: the program's, or 128 and the signal */
    unsigned processes; /* that were listened to */
};

/* Returns when the program has ended and all streams have. False, after filling error, if it could
 * not be started. */
bool bs_server_run(const struct bs_server_plan *plan, struct bs_server_outcome *outcome,
                   struct bs_error *error);

#endif
