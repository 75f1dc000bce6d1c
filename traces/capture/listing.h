/*
 * The code of one kernel as nvdisasm prints it: which instruction stands at which pc, and which
 * line of the source it is from. So an access gets its exact opcode: the Sanitizer API tells reads
 * from writes and how wide they are, but not ATOMS.POPC.INC from ATOMS.ADD.
 */
#ifndef BS_CAPTURE_LISTING_H
#define BS_CAPTURE_LISTING_H

#include "bankshot.h"

/* Kinds of instructions that reach shared memory past the lanes, or another CTA's. */
enum bs_site {
    BS_SITE_WGMMA,
    BS_SITE_TMA,
    BS_SITE_ASYNC,
    BS_SITE_MBARRIER,
    BS_SITE_MAPA,
    BS_SITES
};

struct bs_instruction_at {
    uint64_t offset;  /* from the start of the kernel */
    const char *name; /* opcode with its parts, not ending in NUL */
    uint32_t size;    /* of the name */
    uint32_t line;    /* of the source; 0: not known */
    uint32_t file;    /* number in files */
    bool is_op;       /* the opcode is that of op */
    struct bs_op op;
};

struct bs_listing {
    char *text; /* that the rest points into */
    struct bs_instruction_at *list;
    size_t count;
    size_t room;
    const char **files; /* names, ending in NUL */
    size_t file_count;
    size_t file_room;
    uint64_t sites[BS_SITES]; /* instructions of these kinds */
};

/* Reads what nvdisasm -c -g printed of one function, of all those in the text. Instructions that
 * reach no shared memory are left out. False when memory is out; free the listing all the same. */
bool bs_listing_read(struct bs_listing *listing, const char *text, const char *function);
void bs_listing_free(struct bs_listing *listing);

/* The instruction at an offset; NULL if none is known there. */
const struct bs_instruction_at *bs_listing_find(const struct bs_listing *listing, uint64_t offset);

/* What a site is called, as a phrase. */
const char *bs_site_phrase(enum bs_site site);

/* The listing of a kernel, made by nvdisasm, which tool is the path of; NULL after filling error.
 * The caller frees it. */
char *bs_disassemble(const char *tool, const void *cubin, size_t size, const char *kernel,
                     struct bs_error *error);

/* The path of nvdisasm: beside folder, in $CUDA_HOME, on $PATH, or in /usr/local/cuda. NULL if
 * there is none; the caller frees it. */
char *bs_find_disassembler(void);

#endif
