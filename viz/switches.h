/* Lanes of one record that the user switches off, and on again: what if they took no part? */
#ifndef BS_SWITCHES_H
#define BS_SWITCHES_H

#include "story.h"

/* The lanes that are active in a record as it was read or given: only these have addresses. */
uint64_t bs_story_given(const struct bs_story *story, size_t record);

/* Those that are active now. */
uint64_t bs_story_active(const struct bs_story *story, size_t record);

/* Makes these of a record's given lanes the active ones, until another record is switched or the
 * story is read anew; with all of them the record is as it was. False with the error, and without
 * effect, if a model cannot take that. */
bool bs_story_switch(struct bs_story *story, size_t record, uint64_t lanes, struct bs_error *error);

/* Lets all records be as they were. */
void bs_story_restore(struct bs_story *story);

#endif
