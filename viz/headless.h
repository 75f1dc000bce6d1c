/* The viewer without a screen: pictures and animations in files. */
#ifndef BS_HEADLESS_H
#define BS_HEADLESS_H

#include "show.h"
#include "view_options.h"

/* Goes to the place that the options name, as far as the story has been read: a pass at its still.
 * Anything but BS_OK has been complained about. */
enum bs_status bs_view_go(struct bs_show *show, const struct bs_view_place *place);

/* The same for a window, which plays from the beginning of the pass. */
enum bs_status bs_view_begin(struct bs_show *show, const struct bs_view_place *place);

/* Reads the whole story and writes the files that the options ask for. */
enum bs_status bs_view_write(struct bs_story *story, const struct bs_view_options *options);

#endif
