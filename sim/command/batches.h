/*
 * Counting the records of a trace with several threads. The caller's reads the trace on, and cuts
 * it into batches of about the same size; the others take them apart, price their records and add
 * these up, each batch by itself. Batches then add up in their order, so that the sums and the
 * first error are those of one thread. Nothing grows with the trace.
 */
#ifndef BS_BATCHES_H
#define BS_BATCHES_H

#include "counting.h"
#include "trace.h"

struct bs_batches;

/* threads is at least 2, the caller's among them; they are started when there is enough to do, and
 * no more than can help. The counts go to into. NULL when memory is out. */
struct bs_batches *bs_batches_open(unsigned threads, const struct bs_counts *into);

/* Goes on with a trace that has pieces. */
void bs_batches_start(struct bs_batches *batches, struct bs_trace *trace);

/* Reads on: BS_TRACE_RECORD says that some records were taken in, else as bs_trace_next. An error
 * may also be that of a record that came before: bs_batches_drain has the first. */
enum bs_trace_event bs_batches_next(struct bs_batches *batches, struct bs_record *record,
                                    struct bs_error *error);

/* The records that follow are those of the launch that began last. The kernel and the places are
 * copied; counted is NULL for a launch that is not to be counted. False when memory is out. */
bool bs_batches_launch(struct bs_batches *batches, const struct bs_kernel *kernel,
                       const struct bs_pricing *pricing, const struct bs_tally_launch *counted);

/* Sees to it that all records read so far are counted. False, after filling error, if one of them
 * could not be. */
bool bs_batches_drain(struct bs_batches *batches, struct bs_error *error);

/* Ends with the trace, which no thread reads any more. What is not counted is dropped. Returns the
 * records that went by, but for those that bs_trace_records knows. */
uint64_t bs_batches_end(struct bs_batches *batches);

/* batches may be NULL. */
void bs_batches_close(struct bs_batches *batches);

#endif
