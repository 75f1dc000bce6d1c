/* What expectations are made of. */
#include "expect.h"

#include <stdio.h>
#include <string.h>

const char *const bs_record_fields[BS_RECORD_FIELDS] = {
    "active", "passes", "slots", "ideal", "undefined", "excess", "width", "instructions",
};

/* What profilers call our fields: the lesson of an expectation that was not understood. */
static const char *foreign_word(const char *text)
{
    static const struct {
        const char *word, *lesson;
    } words[] = {
        {"conflict", "; conflicts are counted by excess, the passes above the ideal"},
        {"wavefront", "; wavefronts are called passes here"},
        {"transaction", "; transactions are called passes here"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i].word))
            return words[i].lesson;
    return NULL;
}

struct bs_expr *bs_expectation_parse(const char *text, const char *const *fields, size_t count,
                                     struct bs_error *error)
{
    struct bs_expr *expr = bs_expr_parse(text, fields, count, error);
    const char *lesson = expr ? NULL : foreign_word(text);
    const size_t used = strlen(lesson ? error->text : "");
    if (lesson)
        snprintf(error->text + used, sizeof error->text - used, "%s", lesson);
    if (!expr || bs_expr_compares(expr))
        return expr;
    bs_expr_free(expr);
    bs_fail(error, BS_USAGE, NULL, 0, 1,
            "expected a comparison, such as 'passes <= ideal', found none, so that nothing would "
            "be checked");
    return NULL;
}
