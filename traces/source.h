/*
 * Where a trace's bytes come from before anything is decoded: a file, standard input, or memory.
 */
#ifndef BS_SOURCE_H
#define BS_SOURCE_H

#include "bankshot.h"

struct bs_source {
    void *user;
    /* Fills at most room (over 0) bytes and says how many: 0 at the end. False when reading failed;
     * *why then is the reason. */
    bool (*read)(void *user, void *bytes, size_t room, size_t *got, const char **why);
    /* Goes on at another byte; false where that cannot be. NULL: it never can. */
    bool (*seek)(void *user, uint64_t offset);
    void (*close)(void *user); /* may be NULL */
    uint64_t size;             /* in all; 0: not known */
};

/* A path, or "-" for standard input, which closing leaves open. */
bool bs_source_open(struct bs_source *source, const char *path, struct bs_error *error);

/* Bytes that stay the caller's and must outlive the source. */
bool bs_source_memory(struct bs_source *source, const void *bytes, size_t size,
                      struct bs_error *error);

/* What stands at a path. */
enum bs_source_kind {
    BS_SOURCE_NONE,
    BS_SOURCE_FILE,  /* a regular one: reading it ends */
    BS_SOURCE_OTHER, /* a directory, a pipe, a device ... */
};
enum bs_source_kind bs_source_kind(const char *path);

void bs_source_close(struct bs_source *source);

#endif
