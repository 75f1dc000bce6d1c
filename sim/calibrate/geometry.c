/* See geometry.h. */
#include "geometry.h"

#include "core/count.h"
#include "evidence.h"
#include "patterns.h"

#include <string.h>

enum { BYTES = 40, WORDS = 160, POWERS = 8, RANDOM = 120, LANES = BS_GAUGE_LANES };

/* ---- asking ---------------------------------------------------------------------------------- */

/* The even lanes read one address and the odd ones another. The counter needs but two lanes, which
 * leaves everything else out; the clock sees a phase of all, so that no phase hides a conflict. */
static bool add_pair(struct bs_evidence *evidence, struct bs_op op, uint32_t a, uint32_t b)
{
    struct bs_pattern pattern = {.op = op,
                                 .mask = evidence->instrument == BS_BY_COUNTER ? 3 : UINT32_MAX};
    for (uint32_t t = 0; t < LANES; t++)
        pattern.addr[t] = t & 1 ? b : a;
    return bs_evidence_add(evidence, &pattern);
}

/* Where a bank may begin or end, beside a power of two. */
static const uint32_t edges[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32};
enum { EDGES = sizeof edges / sizeof *edges, PAIRS = BYTES + WORDS + POWERS * EDGES + RANDOM };

/* The first bytes and words one by one, then what lies about powers of two, then random pairs. */
static bool ask(struct bs_evidence *evidence, struct bs_op op, uint64_t random)
{
    const uint32_t step = bs_op_alignment(op);
    bool good = true;
    for (uint32_t b = 0; good && b < BYTES; b++)
        good = add_pair(evidence, op, 0, b * step);
    for (uint32_t b = 0; good && b < WORDS; b++)
        good = add_pair(evidence, op, 0, b * 4);
    for (uint32_t i = 0; good && i < POWERS * EDGES; i++)
        good = add_pair(evidence, op, 0, ((64u << i / EDGES) + edges[i % EDGES]) / step * step);
    for (uint32_t i = 0; good && i < RANDOM; i++) {
        const uint32_t a = bs_draw_below(&random, BS_GAUGE_MEMORY / step) * step;
        const uint32_t apart = (1 + bs_draw_below(&random, 64)) * 64;
        const uint32_t b = i & 1 ? (a + apart) % BS_GAUGE_MEMORY
                                 : bs_draw_below(&random, BS_GAUGE_MEMORY / step) * step;
        good = add_pair(evidence, op, a, b);
    }
    return good;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Whether each pair conflicts: it costs more than the cheapest. */
static void read_conflicts(const struct bs_evidence *evidence, bool *conflicts)
{
    double least = evidence->costs[0];
    for (size_t i = 1; i < evidence->count; i++)
        least = evidence->costs[i] < least ? evidence->costs[i] : least;
    for (size_t i = 0; i < evidence->count; i++)
        conflicts[i] = evidence->costs[i] > 1.5 * least;
}

static size_t misses_of(const struct bs_evidence *evidence, const bool *conflicts,
                        const struct bs_model *model, size_t most)
{
    size_t misses = 0;
    for (size_t i = 0; i < evidence->count && misses <= most; i++) {
        const struct bs_place a = bs_model_place(model, evidence->patterns[i].addr[0]);
        const struct bs_place b = bs_model_place(model, evidence->patterns[i].addr[1]);
        misses += conflicts[i] != (a.bank == b.bank && a.row != b.row);
    }
    return misses;
}

static void set_geometry(struct bs_model *model, uint32_t banks, uint32_t width, uint32_t turns,
                         uint32_t hash)
{
    model->lanes = LANES;
    model->banks = banks;
    model->bank_width = width;
    model->row_bytes = banks * width * turns;
    model->mapping.hash = hash;
    bs_model_prepare(model, NULL);
}

/* Tries all geometries, plain ones first, and keeps the first that misses least. */
static size_t judge(const struct bs_evidence *evidence, const bool *conflicts,
                    struct bs_model *model)
{
    enum { MOST_BANKS = 128, WIDEST = 32, MOST_TURNS = 4 };
    size_t least = evidence->count;
    struct bs_model tried = *model;
    for (uint32_t hash = BS_XOR_NONE; hash <= BS_XOR_FOLD; hash++)
        for (uint32_t turns = 1; turns <= MOST_TURNS; turns *= 2)
            for (uint32_t width = 1; width <= WIDEST; width *= 2)
                for (uint32_t banks = 1; banks <= MOST_BANKS; banks++) {
                    if (hash != BS_XOR_NONE && (banks & (banks - 1)))
                        continue;
                    set_geometry(&tried, banks, width, turns, hash);
                    const size_t misses = misses_of(evidence, conflicts, &tried, least);
                    if (misses < least) {
                        least = misses;
                        *model = tried;
                    }
                }
    return least;
}

static bool find(struct bs_evidence *evidence, struct bs_gauge *gauge, struct bs_op op,
                 uint64_t seed, struct bs_model *model, struct bs_geometry_finding *finding,
                 struct bs_error *error)
{
    bool conflicts[PAIRS];
    struct bs_evidence *const list[] = {evidence};
    if (!ask(evidence, op, seed))
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    if (!bs_evidence_measure(list, 1, gauge, error))
        return false;
    read_conflicts(evidence, conflicts);
    finding->asked = evidence->count;
    finding->misses = judge(evidence, conflicts, model);
    finding->found = finding->misses * 50 <= finding->asked;
    return true;
}

bool bs_find_geometry(struct bs_gauge *gauge, uint64_t seed, struct bs_model *model,
                      struct bs_geometry_finding *finding, struct bs_error *error)
{
    static const char *const loads[] = {"ld.b8", "ld.b16", "ld.b32"};
    *finding = (struct bs_geometry_finding){0};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct bs_op op;
        if (!bs_op_parse(loads[i], strlen(loads[i]), &op) || !gauge->offers(gauge, op))
            continue;
        struct bs_evidence evidence = {.instrument =
                                           gauge->has[BS_BY_COUNTER] ? BS_BY_COUNTER : BS_BY_CLOCK};
        const bool good = find(&evidence, gauge, op, seed, model, finding, error);
        bs_evidence_free(&evidence);
        return good;
    }
    return bs_fail(error, BS_USAGE, NULL, 0, 0, "the device has no narrow loads to see banks with");
}
