/* A line of text that is being typed. */
#ifndef BS_ENTRY_H
#define BS_ENTRY_H

#include "event.h"

#include <stdbool.h>
#include <stddef.h>

enum { BS_ENTRY_ROOM = 448 };

/* UTF-8; the cursor is a byte of the text before which a character would come. */
struct bs_entry {
    char text[BS_ENTRY_ROOM];
    size_t size;
    size_t cursor;
};

/* Begins with a text, the cursor at its end. */
void bs_entry_begin(struct bs_entry *entry, const char *text);

/* Types a text; of what does not fit, and of control characters, nothing is taken. */
void bs_entry_type(struct bs_entry *entry, const char *text);

/* Moves the cursor or takes characters away. False if the key is none of the line's. */
bool bs_entry_press(struct bs_entry *entry, enum bs_key key);

#endif
