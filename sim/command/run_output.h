/* The output of a run in every format; rows by record are written while the traces are read. */
#ifndef BS_RUN_OUTPUT_H
#define BS_RUN_OUTPUT_H

#include "checks.h"
#include "replay.h"
#include "rows.h"
#include "run_timing.h"

struct bs_run_output {
    /* Set by the caller; the rest starts as zero. */
    enum bs_by by;
    enum bs_format format;
    bool is_report; /* of BS_TEXT by pc: the report with its tables of the worst, not a table */
    uint64_t top;   /* rows of a table in the report */
    const struct bs_checks *checks;     /* NULL: nothing is expected */
    bool verdict_only;                  /* of what is expected, in text */
    const struct bs_run_timing *timing; /* NULL: time does not matter */

    const struct bs_replay *replay;
    struct bs_spool out;
    struct bs_json json;
    struct bs_table table;
    struct bs_row_table columns; /* of table */
};

/* The model is known: writes what stands before the rows. The replay is read until the end. */
void bs_run_output_start(struct bs_run_output *output, const struct bs_replay *replay);

/* Writes a row by record. False after filling error. */
bool bs_run_output_record(struct bs_run_output *output, const struct bs_record_row *row,
                          struct bs_error *error);

/* Writes the rest and prints it all. Anything but BS_OK has been complained about. */
enum bs_status bs_run_output_end(struct bs_run_output *output);
void bs_run_output_free(struct bs_run_output *output);

#endif
