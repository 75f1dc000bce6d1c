/* What a trace or a sketch has to say about itself, sentence by sentence. */
#ifndef BS_NOTES_H
#define BS_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* Start with {0}; free it. */
struct bs_notes {
    char **list;
    size_t count, room;
};

/* Adds a sentence, which is copied. False when memory is out. */
bool bs_notes_add(struct bs_notes *notes, const char *text, size_t size);

/* The same for what anybody may have written: it becomes one line that can be shown, without blanks
 * at its ends, as long as a remark at most. What is there already is not added again, nor is
 * nothing, and a trace is told out of so many. */
enum { BS_NOTES = 100 };
bool bs_notes_add_foreign(struct bs_notes *notes, const char *text, size_t size);

/* Number from 0; NULL behind the last. */
const char *bs_notes_at(const struct bs_notes *notes, size_t number);
void bs_notes_free(struct bs_notes *notes);

#endif
