/* See search.h. */
#include "search.h"

#include "core/buffer.h"
#include "divisions.h"
#include "evidence.h"
#include "hypotheses.h"
#include "patterns.h"

#include <stdlib.h>

enum {
    FIRST_ROUND = 96, /* patterns */
    ROUNDS = 8,
    POOL = 400,  /* patterns of which a round asks those that tell most */
    ROUND = 16,  /* patterns that a round asks */
    SAMPLE = 48, /* hypotheses that are compared on the pool */
    CLOCK_CHECKS = 64,
    STAGES = ROUNDS + 3, /* all rounds, for the progress bar */
};

/* The search for one op's rule, so far. */
struct search {
    const struct bs_model *geometry;
    struct bs_space space;
    struct bs_evidence evidence;
    uint64_t random;
    uint32_t *numbers; /* of the hypotheses that are left */
    size_t count, room;
    size_t least; /* misses of the best */
    bool settled; /* nothing is left to ask */
};

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* The answers that a hypothesis may miss beyond the best one's and still be kept: one in 50, since
 * readings of a clock stray. */
static size_t patience(const struct search *search)
{
    return search->evidence.instrument == BS_BY_CLOCK ? search->evidence.count / 50 : 0;
}

static size_t misses_of(const struct search *search, uint32_t number, size_t most)
{
    struct bs_rule rule;
    if (!bs_space_rule(&search->space, search->geometry, number, &rule))
        return SIZE_MAX;
    const struct bs_model model = bs_model_of_rule(search->geometry, &rule);
    return bs_evidence_misses(&search->evidence, &model, most);
}

/* ---- keeping --------------------------------------------------------------------------------- */

static bool keep(struct search *search, uint32_t number, struct bs_error *error)
{
    uint32_t *numbers = bs_grow(search->numbers, &search->room, search->count + 1, sizeof *numbers);
    if (!numbers)
        return out_of_memory(error);
    search->numbers = numbers;
    numbers[search->count++] = number;
    return true;
}

/* Drops those that miss more than the best. */
static void sift(struct search *search)
{
    size_t left = 0;
    for (size_t i = 0; i < search->count; i++) {
        const size_t most = search->least + patience(search);
        if (misses_of(search, search->numbers[i], most) <= most)
            search->numbers[left++] = search->numbers[i];
    }
    search->count = left;
}

/* Judges every hypothesis by the evidence. */
static bool judge_all(struct search *search, struct bs_error *error)
{
    const uint32_t size = bs_space_size(&search->space);
    search->least = search->evidence.count;
    search->count = 0;
    for (uint32_t number = 0; number < size; number++) {
        const size_t most = search->least + patience(search);
        const size_t misses = misses_of(search, number, most);
        if (misses > most)
            continue;
        if (misses < search->least)
            search->least = misses;
        if (!keep(search, number, error))
            return false;
    }
    sift(search);
    return true;
}

/* ... and those that are left once more. */
static void judge_again(struct search *search)
{
    search->least = search->evidence.count;
    for (size_t i = 0; i < search->count; i++) {
        const size_t misses = misses_of(search, search->numbers[i], search->least);
        if (misses < search->least)
            search->least = misses;
    }
    sift(search);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Random patterns. */
static bool add_random(struct bs_evidence *evidence, struct bs_op op, size_t patterns,
                       uint64_t *random, struct bs_error *error)
{
    for (size_t i = 0; i < patterns; i++) {
        struct bs_pattern pattern;
        bs_pattern_draw(&pattern, op, random);
        if (!bs_evidence_add(evidence, &pattern))
            return out_of_memory(error);
    }
    return true;
}

/* The hypothesis of a place in the sample, which is spread over those that are left. */
static uint32_t sample_at(const struct search *search, size_t place, size_t sample)
{
    return search->numbers[place * search->count / sample];
}

/* How many of the sample a pattern would part from the answer that most expect. */
static size_t parted(const struct search *search, const struct bs_pattern *pattern, size_t sample)
{
    double expected[SAMPLE];
    size_t most = 0;
    for (size_t i = 0; i < sample; i++) {
        struct bs_rule rule;
        bs_space_rule(&search->space, search->geometry, sample_at(search, i, sample), &rule);
        const struct bs_model model = bs_model_of_rule(search->geometry, &rule);
        expected[i] = bs_expected(&model, search->evidence.instrument, pattern);
    }
    for (size_t i = 0; i < sample; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < sample; k++)
            alike += bs_agrees(search->evidence.instrument, expected[k], expected[i]);
        most = alike > most ? alike : most;
    }
    return sample - most;
}

/* A round's patterns, those that part most, best first. */
struct round {
    struct bs_pattern patterns[ROUND];
    size_t parted[ROUND];
    size_t count;
};

static void offer(struct round *round, const struct bs_pattern *pattern, size_t parted)
{
    size_t place = round->count < ROUND ? round->count++ : ROUND;
    if (place == ROUND && parted <= round->parted[--place])
        return;
    for (; place > 0 && round->parted[place - 1] < parted; place--) {
        round->patterns[place] = round->patterns[place - 1];
        round->parted[place] = round->parted[place - 1];
    }
    round->patterns[place] = *pattern;
    round->parted[place] = parted;
}

/* Draws a pool and keeps what tells the hypotheses apart. */
static void choose(struct search *search, struct round *round)
{
    const size_t sample = search->count < SAMPLE ? search->count : SAMPLE;
    round->count = 0;
    for (size_t i = 0; i < POOL; i++) {
        struct bs_pattern pattern;
        bs_pattern_draw(&pattern, search->space.op, &search->random);
        const size_t apart = parted(search, &pattern, sample);
        if (apart > 0)
            offer(round, &pattern, apart);
    }
}

/* Adds what tells the hypotheses that are left apart; if nothing does, the search is settled. */
static bool add_questions(struct search *search, struct bs_error *error)
{
    struct round round;
    search->settled = search->count <= 1 || search->least * 50 > search->evidence.count;
    if (search->settled)
        return true;
    choose(search, &round);
    search->settled = round.count == 0;
    for (size_t i = 0; i < round.count; i++)
        if (!bs_evidence_add(&search->evidence, &round.patterns[i]))
            return out_of_memory(error);
    return true;
}

/* ---- concluding ------------------------------------------------------------------------------ */

/* The best of those that are left; of equals the plainest. */
static uint32_t plainest(const struct search *search)
{
    uint32_t best = search->numbers[0];
    size_t best_misses = SIZE_MAX;
    uint32_t best_oddity = UINT32_MAX;
    for (size_t i = 0; i < search->count; i++) {
        const uint32_t number = search->numbers[i];
        const size_t misses = misses_of(search, number, search->evidence.count);
        const uint32_t oddity = bs_space_oddity(&search->space, number);
        if (misses < best_misses || (misses == best_misses && oddity < best_oddity)) {
            best = number;
            best_misses = misses;
            best_oddity = oddity;
        }
    }
    return best;
}

/* How many of those that are left can still be told from the one that was chosen. */
static size_t count_rivals(struct search *search, const struct bs_rule *chosen)
{
    const struct bs_model model = bs_model_of_rule(search->geometry, chosen);
    const enum bs_instrument instrument = search->evidence.instrument;
    size_t rivals = 0;
    for (size_t i = 0; i < search->count && i < SAMPLE; i++) {
        struct bs_rule rule;
        bool differs = false;
        bs_space_rule(&search->space, search->geometry, search->numbers[i], &rule);
        const struct bs_model other = bs_model_of_rule(search->geometry, &rule);
        for (size_t n = 0; n < POOL && !differs; n++) {
            struct bs_pattern pattern;
            bs_pattern_draw(&pattern, search->space.op, &search->random);
            differs = !bs_agrees(instrument, bs_expected(&other, instrument, &pattern),
                                 bs_expected(&model, instrument, &pattern));
        }
        rivals += differs;
    }
    return rivals;
}

/* Keeps the first patterns that the rule misses, to be shown. */
static void note_misses(const struct bs_evidence *evidence, const struct bs_model *geometry,
                        struct bs_finding *finding)
{
    const struct bs_model model = bs_model_of_rule(geometry, &finding->rule);
    for (size_t i = 0; i < evidence->measured && finding->missed_count < BS_MISSES_KEPT; i++) {
        const struct bs_pattern *pattern = &evidence->patterns[i];
        const double expected = bs_expected(&model, evidence->instrument, pattern);
        if (bs_agrees(evidence->instrument, evidence->costs[i], expected))
            continue;
        finding->missed[finding->missed_count].pattern = *pattern;
        finding->missed[finding->missed_count].read = evidence->costs[i];
        finding->missed[finding->missed_count++].expected = expected;
    }
}

static void conclude(struct search *search, struct bs_finding *finding)
{
    finding->op = search->space.op;
    finding->instrument = search->evidence.instrument;
    finding->asked = search->evidence.count;
    finding->misses = search->least;
    finding->found = search->least * 50 <= search->evidence.count;
    bs_space_rule(&search->space, search->geometry, plainest(search), &finding->rule);
    note_misses(&search->evidence, search->geometry, finding);
    if (finding->found)
        finding->rivals = count_rivals(search, &finding->rule);
}

/* ---- searching ------------------------------------------------------------------------------- */

/* All searches, and their evidence as it is measured. */
struct searches {
    const struct bs_search_plan *plan;
    struct search *list;
    struct bs_evidence **evidence;
    size_t count;
    size_t stage;
};

static bool measure_all(struct searches *all, const char *what, struct bs_error *error)
{
    const struct bs_search_plan *plan = all->plan;
    if (plan->step)
        plan->step(plan->user, what, all->stage++, STAGES);
    return bs_evidence_measure(all->evidence, all->count, plan->gauge, error);
}

static bool ask_first(struct searches *all, struct bs_error *error)
{
    for (size_t i = 0; i < all->count; i++) {
        struct search *search = &all->list[i];
        if (!add_random(&search->evidence, search->space.op, FIRST_ROUND, &search->random, error))
            return false;
    }
    if (!measure_all(all, "rules", error))
        return false;
    for (size_t i = 0; i < all->count; i++)
        if (!judge_all(&all->list[i], error))
            return false;
    return true;
}

/* Where no phases of neighbouring lanes explain an op, it may have others. */
static bool see_divisions(struct searches *all, struct bs_error *error)
{
    for (size_t i = 0; i < all->count; i++) {
        struct search *search = &all->list[i];
        if (search->least * 50 <= search->evidence.count)
            continue;
        if (!bs_see_divisions(all->plan->gauge, search->geometry, search->evidence.instrument,
                              &search->space, error) ||
            (search->space.phase_count > 0 && !judge_all(search, error)))
            return false;
    }
    return true;
}

/* Asks until nothing is left that could be told apart. */
static bool ask_on(struct searches *all, struct bs_error *error)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool settled = true;
        for (size_t i = 0; i < all->count; i++) {
            if (!all->list[i].settled && !add_questions(&all->list[i], error))
                return false;
            settled = settled && all->list[i].settled;
        }
        if (settled)
            break;
        if (!measure_all(all, "rules", error))
            return false;
        for (size_t i = 0; i < all->count; i++)
            if (!all->list[i].settled)
                judge_again(&all->list[i]);
    }
    return true;
}

/* ---- checking -------------------------------------------------------------------------------- */

static void tell_misses(const struct bs_evidence *evidence, const struct bs_model *geometry,
                        struct bs_finding *finding, size_t *tried, size_t *right)
{
    const struct bs_model model = bs_model_of_rule(geometry, &finding->rule);
    *tried = evidence->count;
    *right = evidence->count - bs_evidence_misses(evidence, &model, evidence->count);
    note_misses(evidence, geometry, finding);
}

/* Whether the clock can say something of an op that was found by the counter. A copy's time is that
 * of global memory. */
static bool clock_knows(const struct bs_search_plan *plan, const struct bs_finding *finding)
{
    return finding->instrument == BS_BY_COUNTER && plan->gauge->has[BS_BY_CLOCK] &&
           !bs_op_is_copy(finding->op);
}

/* Predicts fresh patterns with the rules that were found, by one instrument. */
static bool check_by(struct searches *all, enum bs_instrument instrument,
                     struct bs_finding *findings, struct bs_error *error)
{
    const struct bs_search_plan *plan = all->plan;
    const bool again = instrument != all->list[0].evidence.instrument;
    for (size_t i = 0; i < all->count; i++) {
        struct search *search = &all->list[i];
        const size_t patterns = again ? CLOCK_CHECKS : plan->patterns;
        bs_evidence_free(&search->evidence);
        search->evidence = (struct bs_evidence){.instrument = instrument};
        if (findings[i].found && (!again || clock_knows(plan, &findings[i])) &&
            !add_random(&search->evidence, search->space.op, patterns, &search->random, error))
            return false;
    }
    if (!measure_all(all, "predictions", error))
        return false;
    for (size_t i = 0; i < all->count; i++) {
        struct bs_finding *finding = &findings[i];
        if (all->list[i].evidence.count > 0)
            tell_misses(&all->list[i].evidence, plan->geometry, finding,
                        again ? &finding->timed : &finding->tried,
                        again ? &finding->timed_right : &finding->predicted);
    }
    return true;
}

static bool run(struct searches *all, struct bs_finding *findings, struct bs_error *error)
{
    if (!ask_first(all, error) || !see_divisions(all, error) || !ask_on(all, error))
        return false;
    for (size_t i = 0; i < all->count; i++)
        conclude(&all->list[i], &findings[i]);
    const enum bs_instrument instrument = all->list[0].evidence.instrument;
    return check_by(all, instrument, findings, error) &&
           (instrument == BS_BY_CLOCK || check_by(all, BS_BY_CLOCK, findings, error));
}

bool bs_search_rules(const struct bs_search_plan *plan, struct bs_finding *findings, size_t count,
                     struct bs_error *error)
{
    const bool counts = plan->gauge->has[BS_BY_COUNTER];
    struct searches all = {.plan = plan, .count = count};
    all.list = calloc(count + 1, sizeof *all.list);
    all.evidence = calloc(count + 1, sizeof(struct bs_evidence *));
    bool good = (all.list && all.evidence) || out_of_memory(error);
    for (size_t i = 0; good && i < count; i++) {
        struct search *search = &all.list[i];
        search->geometry = plan->geometry;
        search->space.op = findings[i].op;
        search->evidence.instrument = counts ? BS_BY_COUNTER : BS_BY_CLOCK;
        search->random = plan->seed * 1000 + findings[i].op.index;
        all.evidence[i] = &search->evidence;
    }
    good = good && (count == 0 || run(&all, findings, error));
    for (size_t i = 0; all.list && i < count; i++) {
        bs_evidence_free(&all.list[i].evidence);
        free(all.list[i].numbers);
    }
    free(all.list);
    free(all.evidence);
    return good;
}
