/* Reading a trace for an advice: its accesses, and what is known of its kernel. */
#ifndef BS_ADVISE_TRACE_H
#define BS_ADVISE_TRACE_H

#include "bankshot-traces.h"
#include "kernel_name.h"
#include "subject.h"
#include "trace_arrays.h"

struct bs_traced_kernel {
    char name[512]; /* empty before the first record */
    char typed[BS_TYPED_NAME];
    struct bs_model_choice choice;
    uint32_t threads; /* of a CTA; 0: not known */
    uint32_t block_x; /* of them in a line; 0: not known */
    int64_t smem;     /* bytes of a CTA; -1: not known */
};

/* Reads all records that the trace's filter takes, which must be of kernels of one name. False
 * after filling error, with the place in it. any_model: the trace's wish for a model does not
 * count. */
bool bs_trace_arrays_read(struct bs_trace_arrays *arrays, struct bs_trace *trace, bool any_model,
                          struct bs_traced_kernel *kernel, struct bs_error *error);

#endif
