/* What expectations are made of. */
#include "expect.h"

const char *const bs_record_fields[BS_RECORD_FIELDS] = {
    "active", "passes", "slots", "ideal", "undefined", "excess", "width", "instructions",
};

struct bs_expr *bs_expectation_parse(const char *text, const char *const *fields, size_t count,
                                     struct bs_error *error)
{
    struct bs_expr *expr = bs_expr_parse(text, fields, count, error);
    if (!expr || bs_expr_compares(expr))
        return expr;
    bs_expr_free(expr);
    bs_fail(error, BS_USAGE, NULL, 0, 1,
            "expected a comparison, such as 'passes <= ideal', found none, so that nothing would "
            "be checked");
    return NULL;
}
