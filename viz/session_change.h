/* What events of a session come to where they change what is shown: values, models, scenes beside
 * the first. What cannot be shown is said in the note, and all stays as it is. */
#ifndef BS_SESSION_CHANGE_H
#define BS_SESSION_CHANGE_H

#include "session.h"

void bs_session_say(struct bs_session *session, const char *note);
void bs_session_say_wrong(struct bs_session *session, const char *note);
void bs_session_say_error(struct bs_session *session, const struct bs_error *error);

/* Opens a line that begins with a text. */
void bs_session_type_for(struct bs_session *session, enum bs_purpose purpose, const char *text);

/* All are false when memory is out. Sets a value; takes it some steps on, as bs_value_step does. */
bool bs_session_change(struct bs_session *session, size_t number, const char *text);
bool bs_session_step(struct bs_session *session, size_t number, int step, bool leap);

/* Switches the lanes of the record, all but these off; as they were given, with all of them. */
bool bs_session_switch(struct bs_session *session, uint64_t lanes);
bool bs_session_switch_lane(struct bs_session *session, uint32_t lane);

/* All lanes, the first half, none, and round again. */
bool bs_session_next_lanes(struct bs_session *session);

/* A further scene in which the selected value has that text, or is a step on. */
bool bs_session_compare_with(struct bs_session *session, const char *text);
bool bs_session_add_scene(struct bs_session *session);

/* Puts the scenes beside the first away, brings them back, or adds one if there was none. */
bool bs_session_toggle_compare(struct bs_session *session);

#endif
