/*
 * One instruction of an Accel-Sim trace, as text: what the processed and the raw files share.
 */
#ifndef BS_ACCELSIM_LINE_H
#define BS_ACCELSIM_LINE_H

#include "import.h"

struct bs_accelsim_form {
    uint64_t version; /* of the tracer; 2 stands for all before 3 */
    bool lineinfo;    /* a line number of the source stands first */
};

struct bs_accelsim_line {
    uint64_t pc;
    uint64_t mask;
    const char *name; /* of the instruction, in the text */
    size_t name_size;
    bool has_memory;             /* it has addresses */
    bool is_bulk;                /* in a form for bulk copies: not read */
    unsigned lanes;              /* active */
    uint64_t list[BS_MAX_LANES]; /* of each active lane, in ascending order */
};

/* [line number] PC mask ... up to the end of the line. */
bool bs_accelsim_line_read(struct bs_cursor *cursor, const struct bs_accelsim_form *form,
                           struct bs_accelsim_line *line);

#endif
