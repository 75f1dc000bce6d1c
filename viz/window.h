/* The window: the only part of the viewer that knows SDL. */
#ifndef BS_WINDOW_H
#define BS_WINDOW_H

#include "story.h"
#include "view_options.h"

/* Opens a window and plays the story in it until the user leaves; a trace is read on meanwhile.
 * Anything but BS_OK has been complained about. */
enum bs_status bs_window_run(struct bs_story *story, const struct bs_view_options *options);

/* Plays that many frames as fast as they can be drawn and shown, a sixtieth of a second each, and
 * fills took with the seconds that each needed. The same of errors. */
enum bs_status bs_window_measure(struct bs_story *story, const struct bs_view_options *options,
                                 unsigned frames, double *took);

#endif
