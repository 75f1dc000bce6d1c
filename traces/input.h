/*
 * A trace's bytes, decompressed: gzip, xz and zstd are told by their magic numbers, anything else
 * is passed through. Memory stays flat however long the input.
 */
#ifndef BS_INPUT_H
#define BS_INPUT_H

#include "source.h"

struct bs_input;

/* NULL after filling error. */
struct bs_input *bs_input_open(const char *path, struct bs_error *error);

/* Takes the source over, also when it fails. name is what messages call it. */
struct bs_input *bs_input_from(struct bs_source source, const char *name, struct bs_error *error);
void bs_input_close(struct bs_input *input);

const char *bs_input_name(const struct bs_input *input);

/* Reads at most room (over 0) bytes; *got is 0 at the end only. */
bool bs_input_read(struct bs_input *input, char *bytes, size_t room, size_t *got,
                   struct bs_error *error);

/* Reads size bytes, or as many as there are: *got. */
bool bs_input_read_all(struct bs_input *input, void *bytes, size_t size, size_t *got,
                       struct bs_error *error);

/* The first bytes, as many as there are up to BS_INPUT_HEAD, without taking them from the reads
 * that follow. Only before the first read. */
enum { BS_INPUT_HEAD = 512 };
bool bs_input_head(struct bs_input *input, const char **bytes, size_t *size,
                   struct bs_error *error);

/* Reads go on at that byte. False, with nothing changed, where it cannot be: the input is a pipe,
 * or compressed. */
bool bs_input_seek(struct bs_input *input, uint64_t offset);

/* Bytes of the source (compressed, if it is) taken so far, and its size; 0: not known. */
void bs_input_progress(const struct bs_input *input, uint64_t *done, uint64_t *size);

#endif
