/* What a run says about traces of other tools: what was taken, what was left out, and why. */
#ifndef BS_IMPORTS_H
#define BS_IMPORTS_H

#include "bankshot-traces.h"
#include "json.h"
#include "options.h"

/* The options of how such traces are read; every verb that reads traces has them. Returns how many
 * there are. */
size_t bs_import_option_table(struct bs_trace_options *options, struct bs_option *table);

/* Adds what one trace had to the sum over all. */
void bs_imports_add(struct bs_import *sum, const struct bs_import *import);

/* The counters by number from 0: what JSON calls them, NULL behind the last. */
const char *bs_import_counter_name(size_t number);
void bs_import_set_counter(struct bs_import *import, size_t number, uint64_t value);

/* All write nothing if all traces are bankshot's own. */
void bs_imports_text(const struct bs_import *import, struct bs_spool *out);
void bs_imports_json(const struct bs_import *import, struct bs_json *json);

/* The text on standard error, where the output has no place for it. */
void bs_imports_tell(const struct bs_import *import);

#endif
