/* The options of the viewer, as they were given and as they are meant. */
#ifndef BS_VIEW_OPTIONS_H
#define BS_VIEW_OPTIONS_H

#include "paint.h"
#include "variant.h"

/* A record, and a pass from 1 on, or 0 for the time before the first. */
struct bs_view_place {
    uint64_t record;
    uint64_t pass;
};

struct bs_view_options {
    struct bs_request request; /* its lists go to the story that it opens */
    struct bs_view_place place;
    unsigned view; /* enum bs_view */
    bool dark;
    bool no_legend;
    bool ask; /* the answer comes with the end of the instruction */
    double width, height;
    const char *shot, *svg, *pdf, *film; /* files to write; NULL: not that one */
    uint64_t fps, speed;                 /* of the film */
};

/* Whether a file is to be written, so that there is no window. */
static inline bool bs_view_is_headless(const struct bs_view_options *options)
{
    return options->shot || options->svg || options->pdf || options->film;
}

/* Reads them from the arguments. Returns true if the program should go on; else *status is what it
 * ends with, and the reason is written. */
bool bs_view_options_read(struct bs_view_options *options, const struct bs_verb *verb, int argc,
                          char **argv, enum bs_status *status);

#endif
