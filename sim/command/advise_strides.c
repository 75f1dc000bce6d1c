/* The arithmetic of an advice's accesses: strides, the formula, and what was counted. */
#include "advise.h"

#include <stdio.h>

/* ---- strides --------------------------------------------------------------------------------- */

/* Takes one more instruction in. False if its lanes are not as those before it. */
static bool add(struct bs_access_stride *made, bool first, const struct bs_model *model,
                const struct bs_access *access)
{
    const struct bs_arithmetic one = bs_arithmetic_of(model, access);
    struct bs_cost cost;
    if (!one.strided || (!first && one.stride != made->arithmetic.stride) ||
        !bs_count(model, access, &cost))
        return false;
    if (first || !one.holds)
        made->arithmetic = one;
    if (cost.passes > made->passes)
        made->passes = cost.passes;
    return true;
}

struct bs_access_stride bs_access_stride_of(const struct bs_work *work,
                                            const struct bs_model *model, size_t access,
                                            const struct bs_layout *layout)
{
    struct bs_access_stride made = {0};
    struct bs_work_cost cost;
    uint32_t addr[BS_MAX_LANES];
    bool strided = bs_work_price(work, model, access, layout, &cost) && cost.instructions > 0;
    bool first = true;
    for (size_t i = work->first[access]; strided && i < work->first[access + 1]; i++)
        for (unsigned number = 0; strided && number < cost.issue.count; number++) {
            const struct bs_visit *visit = &work->visits[i].visit;
            const struct bs_access one = {.op = cost.issue.op, .mask = visit->mask, .addr = addr};
            bs_issue_addresses(&cost.issue, layout, visit, number, addr);
            strided = add(&made, first, model, &one);
            first = false;
        }
    return strided ? made : (struct bs_access_stride){0};
}

/* ---- the table ------------------------------------------------------------------------------- */

static void premise(struct bs_table *table, bool holds)
{
    bs_table_text(table, holds ? "yes" : "no");
}

static void row(struct bs_table *table, const char *name, size_t alike, const char *when,
                const struct bs_access_stride *stride)
{
    const struct bs_arithmetic *arithmetic = &stride->arithmetic;
    char words[BS_WORDS_TEXT];
    bs_table_text(table, name);
    bs_table_number(table, alike);
    bs_table_text(table, when);
    bs_table_text(table, bs_arithmetic_words(arithmetic, words));
    bs_table_number(table, arithmetic->width);
    premise(table, arithmetic->whole);
    premise(table, arithmetic->apart);
    if (arithmetic->whole)
        bs_table_number(table, arithmetic->gcd);
    else
        bs_table_null(table);
    if (arithmetic->holds)
        bs_table_number(table, arithmetic->passes);
    else
        bs_table_null(table);
    bs_table_number(table, stride->passes);
}

/* Whether two look alike in the table. */
static bool is_alike(const struct bs_access_stride *a, const struct bs_access_stride *b)
{
    return a->arithmetic.strided == b->arithmetic.strided &&
           a->arithmetic.stride == b->arithmetic.stride &&
           a->arithmetic.width == b->arithmetic.width &&
           a->arithmetic.holds == b->arithmetic.holds && a->passes == b->passes;
}

static bool are_alike(const struct bs_advice *advice, bool with_after, size_t a, size_t b)
{
    return is_alike(&advice->before_stride[a], &advice->before_stride[b]) &&
           (!with_after || is_alike(&advice->after_stride[a], &advice->after_stride[b]));
}

/* How many accesses are like this one, itself included; 0: one before it is. */
static size_t count_alike(const struct bs_advice *advice, bool with_after, size_t access)
{
    size_t count = 0;
    for (size_t i = 0; i < advice->search->work->access_count; i++)
        if (are_alike(advice, with_after, i, access)) {
            if (i < access)
                return 0;
            count++;
        }
    return count;
}

static void access_rows(struct bs_table *table, const struct bs_advice *advice, bool with_after,
                        size_t access)
{
    const char *name = advice->search->work->accesses[access].label;
    const struct bs_access_stride *before = &advice->before_stride[access];
    const struct bs_access_stride *after = &advice->after_stride[access];
    const size_t alike = count_alike(advice, with_after, access);
    const bool same = with_after && is_alike(before, after);
    if (alike == 0)
        return;
    if (before->arithmetic.strided)
        row(table, name, alike, same ? "both" : with_after ? "before" : "now", before);
    if (with_after && after->arithmetic.strided && !same)
        row(table, name, alike, "after", after);
}

static bool any(const struct bs_advice *advice, bool with_after)
{
    for (size_t i = 0; i < advice->search->work->access_count; i++)
        if (advice->before_stride[i].arithmetic.strided ||
            (with_after && advice->after_stride[i].arithmetic.strided))
            return true;
    return false;
}

static void write_table(const struct bs_advice *advice, bool with_after, struct bs_spool *out)
{
    static const struct bs_column columns[] = {
        {"access", "access", true, 16, 0},   {"alike", "alike", false, 0, 1},
        {"layout", "layout", true, 0, 0},    {"stride", "S words", false, 0, 0},
        {"width", "w", false, 0, 0},         {"whole", "S whole", false, 0, 0},
        {"apart", "S >= w", false, 0, 0},    {"gcd", "gcd", false, 0, 0},
        {"formula", "formula", false, 0, 0}, {"found", "found", false, 0, 0},
    };
    struct bs_table table;
    bs_table_begin(&table, BS_TEXT, columns, sizeof columns / sizeof *columns, out);
    for (size_t i = 0; i < advice->search->work->access_count; i++)
        access_rows(&table, advice, with_after, i);
    bs_table_end(&table);
}

bool bs_advice_strides(const struct bs_advice *advice, bool with_after, struct bs_spool *out)
{
    const bool some = any(advice, with_after);
    if (some && out)
        write_table(advice, with_after, out);
    return some;
}
