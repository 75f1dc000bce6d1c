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
    bool lent;         /* the buffer is not the reader's */
};

bool bs_lines_open(struct bs_lines *lines, struct bs_input *input, struct bs_error *error);
void bs_lines_close(struct bs_lines *lines);

/* Lines of bytes at hand, which stay the caller's and may be changed, as may the byte behind them;
 * number lines came before. The input gives its name to errors. */
struct bs_lines bs_lines_over(struct bs_input *input, char *bytes, size_t size, uint64_t number);

/* The next line, until the next call; its text is NULL at the end of the input. False after an
 * input error or a line of more than BS_LINE_LIMIT bytes. */
bool bs_lines_next(struct bs_lines *lines, struct bs_line *line, struct bs_error *error);

/* The line that was taken last is to be taken again. */
void bs_lines_return(struct bs_lines *lines, const struct bs_line *line);

/* All whole lines at hand, at least one unless the input ends or the line is too long: then what is
 * left of it. They are yet to be taken. False after an input error. */
bool bs_lines_at_hand(struct bs_lines *lines, const char **text, size_t *size,
                      struct bs_error *error);
/* The bytes before the first line that begins, but for blanks, like that. */
size_t bs_lines_before(const char *text, size_t size, const char *word);

/* Takes that many bytes of them, which end with a line. */
void bs_lines_skip(struct bs_lines *lines, size_t size);

#endif
