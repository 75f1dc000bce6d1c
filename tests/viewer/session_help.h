/* What the tests of sessions share: keys that are pressed, and the labels that come of it. */
#ifndef SESSION_HELP_H
#define SESSION_HELP_H

#include "session.h"
#include "show_help.h"

struct opened {
    struct bs_story story;
    struct bs_session session;
};

struct label_list {
    struct bs_label list[1024];
    size_t count;
};

/* Opens a session of 1280 x 720 on what is asked, or on a trace or a sketch that is read whole; its
 * name is below the folder of the traces. All that follow fail the test when something is wrong. */
void open_session(struct opened *opened, const struct asked *asked);
void open_trace(struct opened *opened, const char *name);
void close_session(struct opened *opened);

/* Letters are typed; names in <> are keys. */
void press(struct opened *opened, const char *keys);
void click(struct opened *opened, double x, double y);
void let_pass(struct opened *opened, double seconds);

void assert_text(const struct opened *opened, const char *name, const char *expected);
void assert_passes(const struct opened *opened, uint32_t scene, uint32_t expected);

/* Paints the show and what lies over it, on nothing. */
void collect_labels(const struct opened *opened, struct label_list *labels);

/* None is too small, leaves the picture or lies over another. */
void check_labels(const struct opened *opened, const struct label_list *labels);

/* Whether some label has that text in it. */
bool says(const struct opened *opened, const char *text);

#endif
