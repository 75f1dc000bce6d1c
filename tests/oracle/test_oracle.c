/*
 * Are schedule, count (with and without SIMD) and the brute-force oracle always of one opinion?
 *
 * Millions of random accesses on random models. BANKSHOT_SEED and BANKSHOT_ACCESSES change the seed
 * and the number. A disagreement is shrunk and printed as one line for `bankshot eval`.
 */
#include "oracle.h"
#include "place.h"
#include "random_case.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ACCESSES_PER_MODEL = 500 };

static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t value = otherwise;
    if (text && !bs_number_parse(text, strlen(text), UINT64_MAX, &value))
        fail_msg("%s=%s is not a number", name, text);
    return value;
}

static struct bs_model *load(const struct random_model *random)
{
    const char *sets[MODEL_SETS + 1] = {NULL};
    struct bs_errors errors = {0};
    for (unsigned i = 0; i < random->count; i++)
        sets[i] = random->set[i];
    struct bs_model *model = bs_model_load("hopper", folders, sets, &errors);
    bs_errors_free(&errors);
    return model;
}

/* ---- one case ---------------------------------------------------------------------------------
 */

static bool same(const struct bs_cost *a, const struct bs_cost *b)
{
    return a->passes == b->passes && a->slots == b->slots && a->ideal == b->ideal &&
           a->undefined == b->undefined;
}

/* Bytes of row of bank that the services give to a lane of a schedule, over all serving passes. */
static unsigned times_served(const struct bs_schedule *schedule, unsigned lane,
                             struct bs_place place)
{
    unsigned times = 0;
    for (size_t i = 0; i < schedule->service_count; i++)
        times += schedule->services[i].bank == place.bank &&
                 schedule->services[i].row == place.row &&
                 (schedule->services[i].lanes >> lane & 1);
    return times;
}

/* Every word of every lane is served, and no bank does more in a pass than its ports allow. */
static const char *flaw_of(const struct bs_schedule *schedule, const struct bs_model *model,
                           const struct bs_access *access)
{
    const struct bs_rule *rule = bs_model_rule(model, access->op);
    const uint64_t lanes = access->mask & bs_op_lanes(access->op, model->lanes);
    if (schedule->pass_count != schedule->cost.passes)
        return "the number of passes is not the cost";
    for (size_t p = 0; p < schedule->pass_count; p++) {
        unsigned busy[BS_MAX_BANKS] = {0};
        const struct bs_pass pass = schedule->passes[p];
        if (pass.kind != BS_PASS_EXTRA && pass.count == 0)
            return "a pass serves nobody";
        for (uint32_t i = pass.first; i < pass.first + pass.count; i++)
            if (++busy[schedule->services[i].bank] > rule->ports &&
                rule->same_word != BS_BROADCAST && rule->combine == BS_SUM &&
                rule->method == BS_BY_BANKS)
                return "a bank opens more rows in a pass than it has ports";
    }
    for (unsigned t = 0; t < model->lanes; t++)
        for (unsigned b = 0; b < access->op.bytes && (lanes & ~schedule->dropped) >> t & 1; b++)
            if (times_served(schedule, t, bs_place_for(model, rule, access->addr[t] + b)) == 0)
                return "a byte of a lane is never served";
    return NULL;
}

/* What is wrong with a case, or NULL; *costs are those of count, portable, schedule and oracle. */
static const char *disagreement(const struct bs_model *model, const struct bs_access *access,
                                bool thorough, struct bs_cost costs[4])
{
    static const char *const problems[] = {"count differs from the oracle",
                                           "the portable count differs from the oracle",
                                           "the schedule differs from the oracle"};
    struct bs_schedule schedule = {0};
    bs_count(model, access, &costs[0]);
    bs_count_portable(model, access, &costs[1]);
    if (!bs_schedule_build(&schedule, model, access))
        return "no schedule";
    costs[2] = schedule.cost;
    costs[3] = oracle_cost(model, access);
    const char *problem = thorough ? flaw_of(&schedule, model, access) : NULL;
    bs_schedule_free(&schedule);
    for (unsigned i = 0; i < 3 && !problem; i++)
        if (!same(&costs[i], &costs[3]) || costs[i].notes != costs[0].notes)
            problem = problems[i];
    return problem;
}

/* ---- shrinking --------------------------------------------------------------------------------
 */

static bool still_fails(const struct random_model *random, const struct bs_access *access)
{
    struct bs_cost costs[4];
    struct bs_model *model = load(random);
    const bool fails = model && bs_model_rule(model, access->op) &&
                       !(model->lanes < 64 && access->mask >> model->lanes) &&
                       disagreement(model, access, true, costs);
    bs_model_free(model);
    return fails;
}

static void drop_set(struct random_model *model, unsigned at)
{
    model->count--;
    memmove(model->set[at], model->set[at + 1], (model->count - at) * sizeof *model->set);
}

/* Drops overrides, then lanes, then address bits, as long as the case still fails. */
static void shrink(struct random_model *model, struct random_access *made)
{
    struct bs_access *access = &made->access;
    for (unsigned i = model->count; i-- > 0;) {
        struct random_model smaller = *model;
        drop_set(&smaller, i);
        if (still_fails(&smaller, access))
            *model = smaller;
    }
    for (unsigned t = 0; t < BS_MAX_LANES; t++) {
        const uint64_t mask = access->mask;
        access->mask &= ~(UINT64_C(1) << t);
        if (access->mask == mask || !still_fails(model, access))
            access->mask = mask;
    }
    for (unsigned t = 0; t < BS_MAX_LANES; t++)
        for (unsigned bit = 32; bit-- > 0;) {
            const uint32_t address = made->addr[t];
            made->addr[t] &= ~(UINT32_C(1) << bit);
            if (made->addr[t] == address || !(access->mask >> t & 1) || !still_fails(model, access))
                made->addr[t] = address;
        }
}

static void report(const struct random_model *found, const struct random_access *access,
                   uint64_t seed)
{
    struct random_model model = *found;
    struct random_access made = *access;
    made.access.addr = made.addr;
    made.access.src = access->access.src ? made.src : NULL;
    shrink(&model, &made);
    struct bs_cost costs[4];
    struct bs_model *loaded = load(&model);
    const char *problem = disagreement(loaded, &made.access, true, costs);
    static const char *const names[] = {"count", "portable", "schedule", "oracle"};
    print_message("seed %" PRIu64 ": %s\n", seed, problem ? problem : "(gone)");
    for (unsigned i = 0; i < 4; i++)
        print_message("%9s: passes %u slots %u ideal %u undefined %u notes %u\n", names[i],
                      costs[i].passes, costs[i].slots, costs[i].ideal, costs[i].undefined,
                      costs[i].notes);
    print_eval_line(stderr, &model, &made.access);
    bs_model_free(loaded);
    fail_msg("%s", problem ? problem : "a disagreement that shrinking lost");
}

/* ---- the test ---------------------------------------------------------------------------------
 */

static void schedule_count_and_oracle_agree(void **state)
{
    (void)state;
    const uint64_t seed = from_environment("BANKSHOT_SEED", 20261130);
    const uint64_t wanted = from_environment("BANKSHOT_ACCESSES", 2200000);
    struct random_state random = {seed};
    uint64_t done = 0;
    uint64_t refused = 0;
    print_message("seed %" PRIu64 ", %" PRIu64 " accesses\n", seed, wanted);
    while (done < wanted) {
        struct random_model sets;
        random_model(&random, &sets);
        struct bs_model *model = load(&sets);
        refused += !model;
        for (unsigned i = 0; model && i < ACCESSES_PER_MODEL; i++, done++) {
            struct random_access made;
            struct bs_cost costs[4];
            random_access(&random, model, sets.op, &made);
            if (disagreement(model, &made.access, i % 16 == 0, costs))
                report(&sets, &made, seed);
        }
        bs_model_free(model);
    }
    print_message("%" PRIu64 " accesses agree; %" PRIu64 " models were refused\n", done, refused);
    assert_true(refused < done / ACCESSES_PER_MODEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schedule_count_and_oracle_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
