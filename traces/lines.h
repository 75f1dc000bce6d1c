/*
 * An input as lines, for the formats that are text. A line lies whole in the buffer and is not
 * copied; memory does not grow with the input.
 */
#ifndef BS_LINES_H
#define BS_LINES_H

#include "input.h"

enum { BS_LINE_LIMIT = 1024 * 1024 };

/* The bytes before the line end. They may be changed, and so may text[size]. */
struct bs_line {
    char *text;
    size_t size;
    bool unfinished; /* the file ended without a line end */
};

struct bs_lines {
    struct bs_input *input; /* the caller's */
    char *buffer;
    size_t begin, end; /* buffer[begin .. end - 1] waits to be taken */
    bool ended;        /* the input has no more */
    uint64_t number;   /* of the last line, from 1 */
};

bool bs_lines_open(struct bs_lines *lines, struct bs_input *input, struct bs_error *error);
void bs_lines_close(struct bs_lines *lines);

/* The next line, until the next call; its text is NULL at the end of the input. False after an
 * input error or a line of more than BS_LINE_LIMIT bytes. */
bool bs_lines_next(struct bs_lines *lines, struct bs_line *line, struct bs_error *error);

#endif
