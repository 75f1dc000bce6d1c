/* The fields of a priced record, by which expectations name them. */
#ifndef BS_EXPECT_H
#define BS_EXPECT_H

#include "bankshot.h"

enum bs_record_field {
    BS_FIELD_ACTIVE,
    BS_FIELD_PASSES,
    BS_FIELD_SLOTS,
    BS_FIELD_IDEAL,
    BS_FIELD_UNDEFINED,
    BS_FIELD_EXCESS,       /* passes above the ideal */
    BS_FIELD_WIDTH,        /* bytes that a lane moves, as issued */
    BS_FIELD_INSTRUCTIONS, /* that its access is issued as, of which it is one: sketches know it */
    BS_RECORD_FIELDS,
};
extern const char *const bs_record_fields[BS_RECORD_FIELDS];

/* Compiles an expectation over so many fields; one that compares nothing is an error. NULL after
 * filling error. */
struct bs_expr *bs_expectation_parse(const char *text, const char *const *fields, size_t count,
                                     struct bs_error *error);

#endif
