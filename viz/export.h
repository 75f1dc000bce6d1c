/* A showing as files: PNG, SVG, PDF. */
#ifndef BS_EXPORT_H
#define BS_EXPORT_H

#include "show.h"

enum bs_export { BS_EXPORT_PNG, BS_EXPORT_SVG, BS_EXPORT_PDF };

/* Draws what is shown now to a file. False after filling error. */
bool bs_export_picture(const struct bs_show *show, enum bs_export format, const char *path,
                       struct bs_error *error);

#endif
