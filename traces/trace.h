/*
 * Opening a trace from something else than a path, for tests and fuzzing, and for programs that
 * have the bytes already; and reading one with several threads.
 */
#ifndef BS_TRACE_H
#define BS_TRACE_H

#include "bankshot-traces.h"
#include "core/buffer.h"
#include "input.h"
#include "piece.h"

/* Takes the input over, also when it fails; NULL, with the error filled, stays NULL. */
struct bs_trace *bs_trace_from(struct bs_input *input, struct bs_error *error);

struct bs_trace *bs_trace_from_with(struct bs_input *input, const struct bs_trace_options *options,
                                    struct bs_error *error);

/* Bytes that stay the caller's and must outlive the trace. name is what messages call them. */
struct bs_trace *bs_trace_memory(const void *bytes, size_t size, const char *name,
                                 struct bs_error *error);

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Whether the trace can be read in pieces, that is, whether each record can be told apart and
 * judged without those before it. */
bool bs_trace_has_pieces(const struct bs_trace *trace);

/* As bs_trace_next, and instead of it, but with BS_TRACE_RECORD come many records at once, unread:
 * a piece, whose bytes are added to the buffer. They belong to the launch that began last.
 * bs_trace_records does not count them. */
enum bs_trace_event bs_trace_next_piece(struct bs_trace *trace, struct bs_buffer *bytes,
                                        struct bs_piece *piece, struct bs_record *record,
                                        struct bs_error *error);

/* A trace that gives the records of pieces of another one, which outlives it. Another thread may
 * read it while the whole is read on. NULL after filling error. */
struct bs_trace *bs_trace_of_pieces(const struct bs_trace *whole, struct bs_error *error);

/* Goes on with a piece that lies in bytes, which are changed. Its records are the kernel's, which
 * stays the caller's, and are numbered from first; at the end bs_trace_records says how far. */
bool bs_trace_start_piece(struct bs_trace *part, char *bytes, const struct bs_piece *piece,
                          const struct bs_kernel *kernel, uint64_t first, struct bs_error *error);

#endif
