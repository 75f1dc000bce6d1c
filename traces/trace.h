/*
 * Opening a trace from something else than a path: for tests and fuzzing, and for programs that
 * have the bytes already.
 */
#ifndef BS_TRACE_H
#define BS_TRACE_H

#include "bankshot-traces.h"
#include "input.h"

/* Takes the input over, also when it fails; NULL, with the error filled, stays NULL. */
struct bs_trace *bs_trace_from(struct bs_input *input, struct bs_error *error);

struct bs_trace *bs_trace_from_with(struct bs_input *input, const struct bs_trace_options *options,
                                    struct bs_error *error);

/* Bytes that stay the caller's and must outlive the trace. name is what messages call them. */
struct bs_trace *bs_trace_memory(const void *bytes, size_t size, const char *name,
                                 struct bs_error *error);

#endif
