/* The pictures of a sweep: their places are tried before anything is counted, and they are drawn at
 * the end. */
#ifndef BS_SWEEP_PICTURES_H
#define BS_SWEEP_PICTURES_H

#include "sweep_result.h"

enum { BS_PICTURES = 2 };

/* What is to be drawn: paths by enum bs_chart_format, NULL for none. */
struct bs_pictures {
    const char *paths[BS_PICTURES];
};

bool bs_pictures_wanted(const struct bs_pictures *pictures);

/* Whether one goes to standard output, where the table then does not. */
bool bs_pictures_take_stdout(const struct bs_pictures *pictures);

/* Complains about pictures that cannot be drawn or written, and about those that would take the
 * place of what the sweep reads: read has count paths. */
enum bs_status bs_pictures_check(const struct bs_pictures *pictures, const struct bs_verb *verb,
                                 const struct bs_plan *plan, const char *const *read, size_t count);

/* Draws the result. Anything but BS_OK has been complained about. */
enum bs_status bs_pictures_draw(const struct bs_pictures *pictures,
                                const struct bs_sweep_result *result);

#endif
