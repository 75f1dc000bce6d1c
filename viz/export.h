/* A showing as files: PNG, SVG, PDF, and as an animated GIF. */
#ifndef BS_EXPORT_H
#define BS_EXPORT_H

#include "show.h"

enum bs_export { BS_EXPORT_PNG, BS_EXPORT_SVG, BS_EXPORT_PDF };

/* Draws what is shown now to a file. False after filling error. */
bool bs_export_picture(const struct bs_show *show, enum bs_export format, const char *path,
                       struct bs_error *error);

struct bs_film_options {
    double frames_per_second; /* at most 50 */
    double speed;             /* passes in a second */
};

/* Plays the instruction from its beginning to its end as a GIF file. Leaves the show at its end.
 * False after filling error. */
bool bs_export_film(struct bs_show *show, const struct bs_film_options *options, const char *path,
                    struct bs_error *error);

#endif
