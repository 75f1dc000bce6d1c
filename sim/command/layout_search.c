/*
 * Trying layouts. An array's cost does not depend on how the others lie, so arrays are tried one by
 * one, and the costs of a combination are sums. Of an array's trials most cannot be in one of the n
 * best combinations: where n others are at least as good in rank and need no more memory, putting
 * one of them in its place gives n combinations that are. So lists are cut down before they are
 * multiplied, and nothing is lost.
 *
 * Paddings and swizzles at once are many, and seldom needed. They are tried by pitch, the least
 * first, until a layout of the array has as few slots and instructions as there can be: what comes
 * behind needs more memory and cannot be better. So nothing is lost there either, unless the effort
 * runs out, and that is kept.
 */
#include "layout_search.h"

#include "layout_least.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Addresses and spots to be worked out in all, at most: a minute. */
static const uint64_t most_effort = UINT64_C(1) << 32;

/* Of these, for paddings and swizzles of an array at once. */
static const uint64_t padded_effort = UINT64_C(1) << 28;

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Prices all accesses to the array. */
static bool price_array(struct bs_search *search, size_t array, const struct bs_layout *layout,
                        struct bs_trial *trial, struct bs_work_cost *costs)
{
    const struct bs_work *work = search->work;
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->accesses[i].array != array)
            continue;
        if (!bs_work_price(work, search->model, i, layout, &costs[i]))
            return false;
        trial->rank.slots += costs[i].slots;
        trial->rank.passes += costs[i].passes;
        trial->rank.instructions += costs[i].instructions;
        trial->excess += costs[i].excess;
    }
    return true;
}

/* The least that each access takes under any layout says which wish cannot be granted. */
static void keep_least(struct bs_search *search, size_t array, const struct bs_work_cost *costs)
{
    for (size_t i = 0; i < search->work->access_count; i++) {
        if (search->work->accesses[i].array != array)
            continue;
        if (costs[i].slots < search->floor[i])
            search->floor[i] = costs[i].slots;
        if (costs[i].excess < search->least[i])
            search->least[i] = costs[i].excess;
    }
}

/* Addresses have 32 bits. */
static uint64_t most_bytes(const struct bs_search *search)
{
    return search->max_bytes ? search->max_bytes : INT32_MAX;
}

static void try_candidate(struct bs_search *search, size_t array, struct bs_trial *trial,
                          uint32_t *spot, struct bs_work_cost *costs)
{
    const struct bs_layout *given = &search->work->arrays[array].layout;
    const struct bs_layout layout = bs_candidate_lay(&trial->candidate, given, spot);
    trial->rank.bytes = bs_layout_bytes(&layout);
    trial->verdict = BS_TRIAL_FITS;
    if (!bs_space_allows(&search->space, &layout)) {
        trial->verdict = BS_TRIAL_NOT_ALLOWED;
    } else if (trial->rank.bytes > most_bytes(search)) {
        trial->verdict = BS_TRIAL_TOO_LARGE;
    } else if (!price_array(search, array, &layout, trial, costs)) {
        trial->verdict = BS_TRIAL_NOT_ISSUED;
        trial->rank.slots = trial->rank.instructions = trial->rank.passes = trial->excess = 0;
    } else {
        keep_least(search, array, costs);
    }
}

static bool add_trials(struct bs_trials *trials, const struct bs_candidates *candidates)
{
    struct bs_trial *list =
        bs_grow(trials->list, &trials->room, trials->count + candidates->count, sizeof *list);
    if (!list)
        return false;
    trials->list = list;
    for (size_t i = 0; i < candidates->count; i++, trials->count++)
        list[trials->count] =
            (struct bs_trial){.candidate = candidates->list[i], .rank = {.simple = trials->count}};
    return true;
}

static bool is_fixed(const struct bs_search *search, size_t array)
{
    return array < 64 && search->fixed >> array & 1;
}

static bool list_trials(struct bs_search *search, size_t array)
{
    struct bs_candidates candidates = {0};
    struct bs_trials *trials = &search->trials[search->count];
    bool fine = bs_space_list(&search->space, &search->work->arrays[array].layout, &candidates);
    if (fine && is_fixed(search, array))
        candidates.count = 1; /* the first is as it stands */
    fine = fine && add_trials(trials, &candidates);
    search->array[search->count++] = array;
    free(candidates.list);
    return fine;
}

static bool list_all(struct bs_search *search, struct bs_error *error)
{
    const struct bs_work *work = search->work;
    for (size_t i = 0; i < work->array_count; i++) {
        if (bs_work_effort(work, i) == 0) {
            search->other_bytes += bs_layout_bytes(&work->arrays[i].layout);
            continue;
        }
        if (search->count == BS_SEARCH_ARRAYS)
            return bs_fail(error, BS_USAGE, NULL, 0, 0,
                           "there are more than %d arrays, the most that a search takes",
                           BS_SEARCH_ARRAYS);
        if (!list_trials(search, i))
            return out_of_memory(error);
    }
    return true;
}

/* What one trial of an array takes: a warp's addresses for each visit, a spot for each element. */
static uint64_t effort_of(const struct bs_work *work, size_t array)
{
    const struct bs_layout *layout = &work->arrays[array].layout;
    return bs_work_effort(work, array) * BS_MAX_LANES + (uint64_t)layout->rows * layout->columns;
}

static bool check_effort(const struct bs_search *search, struct bs_error *error)
{
    uint64_t effort = 0, layouts = 0;
    for (size_t i = 0; i < search->count; i++) {
        effort += search->trials[i].count * effort_of(search->work, search->array[i]);
        layouts += search->trials[i].count;
    }
    return effort <= most_effort ||
           bs_fail(error, BS_USAGE, NULL, 0, 0,
                   "%" PRIu64 " layouts of %" PRIu64 " warp accesses are %.1f times what a search "
                   "takes: fewer kinds (--try), a larger --pad-unit, smaller arrays, fewer CTAs "
                   "and iterations make it less",
                   layouts, (uint64_t)search->work->visit_count,
                   (double)effort / (double)most_effort);
}

/* Tries the trials of an array from one on. */
static void try_from(struct bs_search *search, size_t number, size_t first, uint32_t *spot,
                     struct bs_work_cost *costs, const struct bs_search_watch *watch)
{
    struct bs_trials *trials = &search->trials[number];
    for (size_t i = first; i < trials->count; i++) {
        if (watch)
            watch->trial(watch->user, i, trials->count);
        try_candidate(search, search->array[number], &trials->list[i], spot, costs);
    }
}

/* ---- padding and swizzle at once ------------------------------------------------------------- */

/* The least slots and instructions that all accesses to the array can take. */
static struct bs_rank perfect_rank(const struct bs_search *search, size_t array)
{
    const struct bs_work *work = search->work;
    struct bs_rank rank = {0};
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->accesses[i].array != array)
            continue;
        rank.slots += search->bound[i];
        for (size_t visit = work->first[i]; visit < work->first[i + 1]; visit++)
            rank.instructions += work->visits[visit].times;
    }
    return rank;
}

/* Whether a trial of at most so many bytes is one that none of as many bytes or more can beat. */
static bool has_perfect(const struct bs_trials *trials, const struct bs_rank *perfect,
                        uint64_t bytes)
{
    for (size_t i = 0; i < trials->count; i++) {
        const struct bs_trial *trial = &trials->list[i];
        if (trial->verdict == BS_TRIAL_FITS && trial->rank.slots <= perfect->slots &&
            trial->rank.instructions <= perfect->instructions && trial->rank.bytes <= bytes)
            return true;
    }
    return false;
}

static bool try_padded(struct bs_search *search, size_t number, uint32_t *spot,
                       struct bs_work_cost *costs, const struct bs_search_watch *watch)
{
    enum { KINDS = 1u << BS_SCHEME_PAD_XOR | 1u << BS_SCHEME_PAD_SKEW };
    const size_t array = search->array[number];
    const struct bs_layout *given = &search->work->arrays[array].layout;
    struct bs_trials *trials = &search->trials[number];
    const struct bs_rank perfect = perfect_rank(search, array);
    const uint64_t effort = effort_of(search->work, array);
    uint64_t spent = 0;
    uint32_t pitch = bs_space_padded_pitch(&search->space, given, 0);
    if (pitch == 0 || !(search->space.schemes & KINDS) || is_fixed(search, array))
        return true;
    for (size_t i = 0; (pitch = bs_space_padded_pitch(&search->space, given, i)) > 0; i++) {
        const uint64_t bytes = (uint64_t)given->rows * pitch * given->element;
        struct bs_candidates candidates = {0};
        trials->padded = BS_PADDED_NOT_NEEDED;
        if (bytes > most_bytes(search))
            break;
        if (has_perfect(trials, &perfect, bytes))
            return true;
        bool fine = bs_space_list_padded(&search->space, given, pitch, &candidates);
        spent += effort * candidates.count;
        trials->padded = BS_PADDED_CUT;
        const size_t first = trials->count;
        if (fine && spent <= padded_effort) {
            fine = add_trials(trials, &candidates);
            trials->padded_pitch = pitch;
        }
        free(candidates.list);
        if (!fine || spent > padded_effort)
            return fine;
        try_from(search, number, first, spot, costs, watch);
    }
    trials->padded = BS_PADDED_ALL;
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool make_lists(struct bs_search *search, struct bs_error *error)
{
    const size_t count = search->work->access_count;
    search->floor = malloc((count + 1) * sizeof *search->floor);
    search->least = malloc((count + 1) * sizeof *search->least);
    search->bound = malloc((count + 1) * sizeof *search->bound);
    if (!search->floor || !search->least || !search->bound)
        return out_of_memory(error);
    memset(search->floor, 0xff, count * sizeof *search->floor);
    memset(search->least, 0xff, count * sizeof *search->least);
    for (size_t i = 0; i < count; i++)
        search->bound[i] = bs_work_least(search->work, search->model, i);
    return true;
}

bool bs_search_run(struct bs_search *search, const struct bs_search_watch *watch,
                   struct bs_error *error)
{
    const struct bs_work *work = search->work;
    uint32_t *spot = malloc(BS_SKETCH_BYTES * sizeof *spot);
    struct bs_work_cost *costs = calloc(work->access_count + 1, sizeof *costs);
    bool fine = (spot && costs) || out_of_memory(error);
    fine =
        fine && list_all(search, error) && check_effort(search, error) && make_lists(search, error);
    for (size_t i = 0; fine && i < search->count; i++) {
        try_from(search, i, 0, spot, costs, watch);
        fine = try_padded(search, i, spot, costs, watch) || out_of_memory(error);
    }
    free(spot);
    free(costs);
    return fine;
}

void bs_search_free(struct bs_search *search)
{
    for (size_t i = 0; i < search->count; i++)
        free(search->trials[i].list);
    free(search->floor);
    free(search->least);
    free(search->bound);
    search->count = 0;
    search->floor = search->least = search->bound = NULL;
}

uint64_t bs_search_size(const struct bs_search *search)
{
    uint64_t size = 1;
    for (size_t i = 0; i < search->count; i++)
        size *= search->trials[i].count;
    return size;
}

/* ---- combinations ---------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_ranks(const struct bs_rank *a, const struct bs_rank *b)
{
    const int slots = compare_numbers(a->slots, b->slots);
    const int instructions = compare_numbers(a->instructions, b->instructions);
    const int bytes = compare_numbers(a->bytes, b->bytes);
    const int passes = compare_numbers(a->passes, b->passes);
    return slots          ? slots
           : instructions ? instructions
           : bytes        ? bytes
           : passes       ? passes
                          : compare_numbers(a->simple, b->simple);
}

/* Equals are told apart by the trials, so that the order does not depend on the machine. */
static int by_rank(const void *left, const void *right)
{
    const struct bs_combination *a = left, *b = right;
    int order = compare_ranks(&a->rank, &b->rank);
    for (size_t i = 0; order == 0 && i < BS_SEARCH_ARRAYS; i++)
        order = compare_numbers(a->trial[i], b->trial[i]);
    return order;
}

/* Puts a number into a sorted list of the most smallest. */
static void keep_small(uint64_t *list, size_t *count, size_t most, uint64_t number)
{
    size_t at = *count < most ? (*count)++ : most - 1;
    for (; at > 0 && list[at - 1] > number; at--)
        list[at] = list[at - 1];
    list[at] = number;
}

/* Sorts a list and leaves out what most others are at least as good as. */
static size_t cut_down(struct bs_combination *list, size_t count, size_t most)
{
    uint64_t small[BS_SEARCH_BEST];
    size_t smalls = 0, kept = 0;
    if (count > 0)
        qsort(list, count, sizeof *list, by_rank);
    for (size_t i = 0; i < count; i++) {
        if (smalls == most && small[most - 1] <= list[i].rank.bytes)
            continue;
        keep_small(small, &smalls, most, list[i].rank.bytes);
        list[kept++] = list[i];
    }
    return kept;
}

/* The trials of an array as combinations of one. */
static size_t singles(const struct bs_search *search, size_t number, unsigned schemes,
                      struct bs_combination *out)
{
    const struct bs_trials *trials = &search->trials[number];
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct bs_trial *trial = &trials->list[i];
        const bool wanted =
            trial->candidate.scheme == BS_SCHEME_GIVEN || schemes >> trial->candidate.scheme & 1;
        if (!wanted || trial->verdict != BS_TRIAL_FITS)
            continue;
        out[count] = (struct bs_combination){.rank = trial->rank, .excess = trial->excess};
        out[count++].trial[number] = i;
    }
    return count;
}

static struct bs_combination joined(const struct bs_combination *a, const struct bs_combination *b)
{
    struct bs_combination made = *a;
    made.rank.slots += b->rank.slots;
    made.rank.instructions += b->rank.instructions;
    made.rank.bytes += b->rank.bytes;
    made.rank.passes += b->rank.passes;
    made.rank.simple += b->rank.simple;
    made.excess += b->excess;
    for (size_t i = 0; i < BS_SEARCH_ARRAYS; i++)
        made.trial[i] += b->trial[i];
    return made;
}

/* A growing part of the arrays, combined. */
struct part {
    struct bs_combination *list;
    size_t count;
};

/* Combines a part with one more array. */
static bool extend(const struct bs_search *search, size_t number, unsigned schemes, size_t most,
                   struct part *part)
{
    struct bs_combination *single = malloc(search->trials[number].count * sizeof *single);
    size_t count = single ? singles(search, number, schemes, single) : 0;
    count = cut_down(single, count, most);
    struct bs_combination *list = malloc((part->count * count + 1) * sizeof *list);
    size_t made = 0;
    for (size_t i = 0; list && i < part->count; i++)
        for (size_t j = 0; j < count; j++) {
            list[made] = joined(&part->list[i], &single[j]);
            made += !search->max_bytes || list[made].rank.bytes <= search->max_bytes;
        }
    const bool fine = single && list;
    free(single);
    free(part->list);
    *part = (struct part){list, fine ? cut_down(list, made, most) : 0};
    return fine;
}

size_t bs_search_best(const struct bs_search *search, unsigned schemes, size_t most,
                      struct bs_combination *out)
{
    struct part part = {calloc(1, sizeof *part.list), 1};
    bool fine = part.list != NULL;
    if (fine)
        part.list[0].rank.bytes = search->other_bytes;
    for (size_t i = 0; fine && i < search->count; i++)
        fine = extend(search, i, schemes, most, &part);
    const size_t count = part.count < most ? part.count : most;
    if (fine)
        memcpy(out, part.list, count * sizeof *out);
    free(part.list);
    return fine ? count : SIZE_MAX;
}
