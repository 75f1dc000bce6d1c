/* See fit.h. */
#include "fit.h"

#include "loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 100 /* hundredths of a cycle */ };

uint32_t *bs_timing_number(struct bs_timing *timing, enum bs_key key)
{
    const size_t offset = bs_key_form(key)->offset - offsetof(struct bs_model, timing);
    return (uint32_t *)(void *)((char *)timing + offset);
}

double bs_fit_cycles(const struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bs_loop_cycles(fit->model, &fit->timing, fit->branch, &loops[i].loop);
    return sum;
}

static double measured_cycles(const struct bs_timed_loop *loops, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += loops[i].cycles;
    return sum;
}

double bs_fit_error(const struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double cycles = bs_loop_cycles(fit->model, &fit->timing, fit->branch, &loops[i].loop);
        sum += fabs(cycles / loops[i].cycles - 1);
    }
    return count ? sum / (double)count : 0;
}

/* ---- numbers with which cycles grow -----------------------------------------------------------
 */

/* A number and the loops that it is fitted to. */
struct quest {
    struct bs_fit *fit;
    uint32_t *number;
    const struct bs_timed_loop *loops;
    size_t count;
    uint32_t min, max;
};

static double cycles_with(const struct quest *quest, uint32_t value)
{
    *quest->number = value;
    return bs_fit_cycles(quest->fit, quest->loops, quest->count);
}

/* The least value from low + 1 to high with which the loops take at least so many cycles; with high
 * they do. */
static uint32_t least_with(const struct quest *quest, uint32_t low, uint32_t high, double cycles)
{
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (cycles_with(quest, middle) < cycles)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The value that comes closest. */
static uint32_t closest(const struct quest *quest, double cycles)
{
    uint32_t low = quest->min, high = quest->min;
    const uint32_t now = *quest->number;
    if (now >= quest->min && now <= quest->max && cycles_with(quest, now) == cycles)
        return now;
    while (high < quest->max && cycles_with(quest, high) < cycles) {
        low = high;
        high = high > quest->max / 2 ? quest->max : 2 * high + 1;
    }
    if (high == low)
        return high;
    high = least_with(quest, low, high, cycles);
    const double above = cycles_with(quest, high), below = cycles_with(quest, high - 1);
    return fabs(above - cycles) <= fabs(below - cycles) ? high : high - 1;
}

/* The values with which the loops take the same as with one. */
static struct bs_values equals(const struct quest *quest, uint32_t value)
{
    const double cycles = cycles_with(quest, value);
    struct bs_values range = {quest->min, quest->max};
    if (value > quest->min && cycles_with(quest, value - 1) < cycles)
        range.low = value;
    else if (cycles_with(quest, quest->min) < cycles)
        range.low = least_with(quest, quest->min, value, cycles);
    uint32_t same = value, step = 1;
    while (same < quest->max) {
        const uint32_t next = quest->max - same < step ? quest->max : same + step;
        if (cycles_with(quest, next) > cycles) {
            range.high = least_with(quest, same, next, nextafter(cycles, INFINITY)) - 1;
            break;
        }
        same = next;
        step *= 2;
    }
    return range;
}

static uint32_t in_range(struct bs_values range, uint32_t value)
{
    return value < range.low ? range.low : value > range.high ? range.high : value;
}

static void fit_number(struct bs_fit *fit, enum bs_key key, struct bs_values allowed,
                       const struct bs_timed_loop *loops, size_t count)
{
    const struct quest quest = {
        fit, bs_timing_number(&fit->timing, key), loops, count, allowed.low, allowed.high};
    struct bs_values *range = bs_fit_range(fit, key);
    *range = equals(&quest, closest(&quest, measured_cycles(loops, count)));
    *quest.number = in_range(*range, bs_key_form(key)->standard);
}

void bs_fit_growing(struct bs_fit *fit, enum bs_key key, const struct bs_timed_loop *loops,
                    size_t count)
{
    const struct bs_key_form *form = bs_key_form(key);
    fit_number(fit, key, (struct bs_values){form->min, form->max}, loops, count);
}

void bs_fit_within(struct bs_fit *fit, enum bs_key key, const struct bs_timed_loop *loops,
                   size_t count)
{
    const struct bs_values range = *bs_fit_range(fit, key);
    if (range.low < range.high)
        fit_number(fit, key, range, loops, count);
}

void bs_fit_branch(struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count)
{
    enum { MOST = 1000 };
    const struct quest quest = {fit, &fit->branch, loops, count, 0, MOST};
    fit->branch = closest(&quest, measured_cycles(loops, count));
}

/* Gives the branch so many whole cycles of the interval of a warp; false if that shows. */
static bool trade(struct bs_fit *fit, int cycles, const struct bs_timed_loop *loops, size_t count)
{
    const struct bs_key_form *form = bs_key_form(BS_KEY_WARP_INTERVAL);
    const int64_t interval = (int64_t)fit->timing.warp_interval - (int64_t)WHOLE * cycles;
    const int64_t branch = (int64_t)fit->branch + cycles;
    const double before = bs_fit_cycles(fit, loops, count);
    if (interval < form->min || interval > form->max || branch < 0)
        return false;
    fit->timing.warp_interval = (uint32_t)interval;
    fit->branch = (uint32_t)branch;
    return fabs(bs_fit_cycles(fit, loops, count) - before) < 1e-9;
}

void bs_fit_trade_branch(struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count)
{
    struct bs_values *range = bs_fit_range(fit, BS_KEY_WARP_INTERVAL);
    struct bs_fit less = *fit, more = *fit;
    while (trade(&more, -1, loops, count))
        if (more.timing.warp_interval > range->high)
            range->high = more.timing.warp_interval;
    while (trade(&less, 1, loops, count)) {
        fit->timing.warp_interval = less.timing.warp_interval;
        fit->branch = less.branch;
        if (less.timing.warp_interval < range->low)
            range->low = less.timing.warp_interval;
    }
}

/* ---- latencies and the add --------------------------------------------------------------------
 */

static const enum bs_key latencies[] = {BS_KEY_LATENCY_32, BS_KEY_LATENCY_64, BS_KEY_LATENCY_128,
                                        BS_KEY_LATENCY_ATOM};
enum { LATENCIES = sizeof latencies / sizeof *latencies };

/* What is left of a chain's step once the add is taken off it. */
static void split(struct bs_fit *fit, const uint32_t chains[LATENCIES], uint32_t add)
{
    fit->timing.latency_add = add;
    for (unsigned i = 0; i < LATENCIES; i++)
        *bs_timing_number(&fit->timing, latencies[i]) = chains[i] > add ? chains[i] - add : 0;
}

void bs_fit_add(struct bs_fit *fit, const struct bs_timed_loop *chains,
                const struct bs_timed_loop *joins, size_t count)
{
    const struct bs_key_form *form = bs_key_form(BS_KEY_LATENCY_ADD);
    const struct quest alone = {fit, &fit->timing.latency_add, chains, count, form->min, form->max};
    uint32_t sums[LATENCIES], low = 0, high = 0;
    struct bs_values *range = bs_fit_range(fit, BS_KEY_LATENCY_ADD);
    const uint32_t before = fit->timing.latency_add;
    const double measured = measured_cycles(joins, count);
    *range = equals(&alone, before);
    fit->timing.latency_add = in_range(*range, form->standard);
    if (range->low < range->high)
        return; /* the chains do not show it */
    for (unsigned i = 0; i < LATENCIES; i++) {
        sums[i] = *bs_timing_number(&fit->timing, latencies[i]) + before;
        high = sums[i] / WHOLE > high ? sums[i] / WHOLE : high;
    }
    while (high > low + 1) { /* the more the add takes, the less is left for the latency */
        const uint32_t middle = low + (high - low) / 2;
        split(fit, sums, middle * WHOLE);
        if (bs_fit_cycles(fit, joins, count) < measured)
            high = middle;
        else
            low = middle;
    }
    split(fit, sums, low * WHOLE);
    const double above = bs_fit_cycles(fit, joins, count) - measured;
    split(fit, sums, high * WHOLE);
    if (fabs(above) <= fabs(bs_fit_cycles(fit, joins, count) - measured))
        split(fit, sums, low * WHOLE);
    *range = (struct bs_values){fit->timing.latency_add, fit->timing.latency_add};
}

/* ---- pairs ------------------------------------------------------------------------------------
 */

/* Two numbers and the loops that they are fitted to. */
struct pair {
    struct bs_fit *fit;
    enum bs_key keys[2];
    const struct bs_timed_loop *loops;
    size_t count;
};

/* Moves both; false, and nothing happens, if a number cannot be so. */
static bool move(const struct pair *pair, int a, int b)
{
    const int by[2] = {a, b};
    int64_t moved[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct bs_key_form *form = bs_key_form(pair->keys[i]);
        moved[i] = (int64_t)*bs_timing_number(&pair->fit->timing, pair->keys[i]) + by[i];
        if (moved[i] < form->min || moved[i] > form->max)
            return false;
    }
    for (unsigned i = 0; i < 2; i++)
        *bs_timing_number(&pair->fit->timing, pair->keys[i]) = (uint32_t)moved[i];
    return true;
}

/* The best of the eight neighbours, if it is better than least: goes there. */
static bool go_down(const struct pair *pair, double *least)
{
    int best[2] = {0, 0};
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++) {
            if (!move(pair, a, b))
                continue;
            const double error = bs_fit_error(pair->fit, pair->loops, pair->count);
            move(pair, -a, -b);
            if (error < *least) {
                *least = error;
                best[0] = a;
                best[1] = b;
            }
        }
    move(pair, best[0], best[1]);
    return best[0] || best[1];
}

/* How far the numbers are from their defaults, the second above all. */
static uint64_t strangeness(const struct pair *pair)
{
    uint64_t sum = 0;
    for (unsigned i = 2; i-- > 0;) {
        const uint32_t standard = bs_key_form(pair->keys[i])->standard;
        const uint32_t value = *bs_timing_number(&pair->fit->timing, pair->keys[i]);
        sum = 1000 * sum + (value > standard ? value - standard : standard - value);
    }
    return sum;
}

/* Widens the ranges by what lies in a direction and makes no difference; the numbers go to where
 * they are plainest. */
static void widen(const struct pair *pair, int a, int b)
{
    const double cycles = bs_fit_cycles(pair->fit, pair->loops, pair->count);
    struct bs_timing best = pair->fit->timing;
    uint64_t least = strangeness(pair);
    while (move(pair, a, b) &&
           fabs(bs_fit_cycles(pair->fit, pair->loops, pair->count) - cycles) < 1e-9) {
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t value = *bs_timing_number(&pair->fit->timing, pair->keys[i]);
            struct bs_values *range = bs_fit_range(pair->fit, pair->keys[i]);
            range->low = value < range->low ? value : range->low;
            range->high = value > range->high ? value : range->high;
        }
        if (strangeness(pair) < least) {
            least = strangeness(pair);
            best = pair->fit->timing;
        }
    }
    pair->fit->timing = best;
}

void bs_fit_pair(struct bs_fit *fit, enum bs_key a, enum bs_key b,
                 const struct bs_timed_loop *loops, size_t count)
{
    const struct pair pair = {fit, {a, b}, loops, count};
    double least = bs_fit_error(fit, loops, count);
    while (least > 0 && go_down(&pair, &least))
        ;
}

void bs_fit_pair_range(struct bs_fit *fit, enum bs_key a, enum bs_key b,
                       const struct bs_timed_loop *loops, size_t count)
{
    static const int ways[][2] = {{1, 0}, {0, 1}, {1, -1}, {2, -1}, {4, -1}};
    const struct pair pair = {fit, {a, b}, loops, count};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t value = *bs_timing_number(&fit->timing, pair.keys[i]);
        *bs_fit_range(fit, pair.keys[i]) = (struct bs_values){value, value};
    }
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        widen(&pair, ways[i][0], ways[i][1]);
        widen(&pair, -ways[i][0], -ways[i][1]);
    }
}

/* ---- lookahead --------------------------------------------------------------------------------
 */

/* What the engine says of each loop with a lookahead; returns the sum of their errors, or, as soon
 * as it is above most, that. */
static double look(struct bs_fit *fit, uint32_t lookahead, const struct bs_timed_loop *loops,
                   size_t count, double most, double *cycles)
{
    double sum = 0;
    fit->timing.lookahead = lookahead;
    for (size_t i = 0; i < count && sum <= most; i++) {
        cycles[i] = bs_loop_cycles(fit->model, &fit->timing, fit->branch, &loops[i].loop);
        sum += fabs(cycles[i] / loops[i].cycles - 1);
    }
    return sum;
}

bool bs_fit_lookahead(struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count)
{
    const struct bs_key_form *form = bs_key_form(BS_KEY_LOOKAHEAD);
    const uint32_t most = fit->timing.in_flight; /* the array holds no more to look at */
    double *cycles = calloc((size_t)2 * count, sizeof *cycles), *best = cycles + count;
    double least = INFINITY;
    struct bs_values range = {form->min, form->min};
    if (!cycles)
        return false;
    for (uint32_t value = form->min; value <= most; value++) {
        const double error = look(fit, value, loops, count, least, cycles);
        if (error < least) {
            least = error;
            memcpy(best, cycles, count * sizeof *best);
            range = (struct bs_values){value, value};
        } else if (error <= least && range.high == value - 1 &&
                   memcmp(best, cycles, count * sizeof *best) == 0) {
            range.high = value;
        }
    }
    if (range.high == most)
        range.high = form->max;
    free(cycles);
    *bs_fit_range(fit, BS_KEY_LOOKAHEAD) = range;
    fit->timing.lookahead = in_range(range, form->standard);
    return true;
}
