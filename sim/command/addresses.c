/* Addresses on the command line: lists, expressions, and the names that expressions use. */
#include "addresses.h"

#include "bankshot-traces.h"
#include "core/lanes.h"
#include "core/model_near.h"
#include "core/name.h"
#include "runs.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 100 };

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_taken(const char *name)
{
    static const char *const taken[] = {"t", "min", "max"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

/* Reports an error of an expression with the argument that it stands in, and the lane if one was
 * being evaluated. */
static bool fail_expression(struct bs_error *error, const char *what, const char *text, int lane)
{
    char shown[SHOWN];
    char place[32] = "";
    const struct bs_error inner = *error;
    bs_printable(text, strlen(text), shown, sizeof shown);
    if (lane >= 0)
        snprintf(place, sizeof place, "lane %d: ", lane);
    return bs_fail(error, inner.status, NULL, 0, 0, "%s '%s', column %llu: %s%s", what, shown,
                   (unsigned long long)inner.column, place, inner.text);
}

/* Checks the name of "n=v", and copies it to *name, which has room bytes. */
static bool let_name(const struct bs_lets *lets, const char *definition, char *name, size_t room,
                     struct bs_error *error)
{
    char shown[SHOWN];
    bs_printable(definition, strlen(definition), shown, sizeof shown);
    const size_t size = strcspn(definition, "=");
    if (!definition[size] || !bs_is_name(definition, size) || size >= room)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "--let '%s': expected NAME=VALUE with a name of letters, digits and _, "
                       "at most %zu",
                       shown, room - 1);
    memcpy(name, definition, size);
    name[size] = '\0';
    if (is_taken(name))
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "--let '%s': '%s' has a meaning already", shown,
                       name);
    for (size_t i = 0; i < lets->count; i++)
        if (strcmp(lets->names[i], name) == 0)
            return bs_fail(error, BS_USAGE, NULL, 0, 0, "--let '%s': '%s' is bound twice", shown,
                           name);
    return true;
}

/* The names after t that an expression uses: bit i for the name i + 1, which is the name skipped +
 * i of those that it was parsed with. */
static uint64_t names_of(const struct bs_expr *expr, const struct bs_lets *lets, size_t skipped)
{
    uint64_t names = 0;
    for (size_t i = 0; expr && i + 1 < lets->count; i++)
        names |= (uint64_t)bs_expr_uses(expr, skipped + i) << i;
    return names;
}

static bool let_value(const struct bs_lets *lets, const char *name, const char *text,
                      int64_t *value, uint64_t *uses, struct bs_error *error)
{
    char what[BS_LET_NAME + 16];
    /* t, the first name, has no value here. */
    struct bs_expr *expr = bs_expr_parse(text, lets->names + 1, lets->count - 1, error);
    const bool known = expr && bs_expr_eval(expr, lets->values + 1, value, error);
    *uses = names_of(expr, lets, 0);
    bs_expr_free(expr);
    snprintf(what, sizeof what, "--let %s:", name);
    return known || fail_expression(error, what, text, -1);
}

bool bs_lets_bind(struct bs_lets *lets, const char *const *definitions, struct bs_error *error)
{
    *lets = (struct bs_lets){.names = {"t"}, .count = 1};
    for (; definitions && *definitions; definitions++) {
        const size_t at = lets->count;
        if (at > BS_MAX_LETS)
            return bs_fail(error, BS_USAGE, NULL, 0, 0, "more than %d --let", BS_MAX_LETS);
        if (!let_name(lets, *definitions, lets->text[at], sizeof lets->text[at], error) ||
            !let_value(lets, lets->text[at], strchr(*definitions, '=') + 1, &lets->values[at],
                       &lets->uses[at], error))
            return false;
        lets->names[at] = lets->text[at];
        lets->count++;
    }
    return true;
}

/* ---- addresses ------------------------------------------------------------------------------- */

bool bs_addresses_are_list(const char *text, uint64_t *count)
{
    return strpbrk(text, "+-,") && bs_runs_count(text, strlen(text), count);
}

static bool parse_list(const char *what, const char *text, uint64_t mask, uint64_t max,
                       uint64_t by_lane[BS_MAX_LANES], struct bs_error *error)
{
    uint64_t list[BS_MAX_LANES] = {0};
    struct bs_error inner = {0};
    if (!bs_runs_read(text, text + strlen(text), max, bs_lanes_count(mask), list, &inner)) {
        inner.status = BS_USAGE;
        *error = inner;
        return fail_expression(error, what, text, -1);
    }
    bs_lanes_spread64(mask, list, by_lane);
    return true;
}

/* One lane's value of the expression. */
static bool lane_address(const char *what, const char *text, const struct bs_expr *expr,
                         const struct bs_lets *lets, unsigned lane, uint64_t max, uint64_t *address,
                         struct bs_error *error)
{
    int64_t values[BS_MAX_LETS + 1];
    int64_t value;
    char shown[SHOWN];
    memcpy(values, lets->values, lets->count * sizeof *values);
    values[0] = (int64_t)lane;
    if (!bs_expr_eval(expr, values, &value, error))
        return fail_expression(error, what, text, (int)lane);
    bs_printable(text, strlen(text), shown, sizeof shown);
    if (value < 0)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s '%s': lane %u: negative address %lld", what,
                       shown, lane, (long long)value);
    if ((uint64_t)value > max)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "%s '%s': lane %u: the address 0x%llx is larger than 0x%llx", what, shown,
                       lane, (unsigned long long)value, (unsigned long long)max);
    *address = (uint64_t)value;
    return true;
}

static bool parse_expression(const char *what, const char *text, const struct bs_lets *lets,
                             uint64_t mask, uint64_t max, uint64_t by_lane[BS_MAX_LANES],
                             struct bs_error *error)
{
    struct bs_expr *expr = bs_expr_parse(text, lets->names, lets->count, error);
    if (!expr)
        return fail_expression(error, what, text, -1);
    bool good = true;
    for (; good && mask; mask &= mask - 1) {
        const unsigned lane = bs_lanes_lowest(mask);
        good = lane_address(what, text, expr, lets, lane, max, &by_lane[lane], error);
    }
    bs_expr_free(expr);
    return good;
}

bool bs_addresses_parse(const char *what, const char *text, const struct bs_lets *lets,
                        uint64_t mask, uint64_t max, uint64_t by_lane[BS_MAX_LANES],
                        struct bs_error *error)
{
    uint64_t count;
    return bs_addresses_are_list(text, &count)
               ? parse_list(what, text, mask, max, by_lane, error)
               : parse_expression(what, text, lets, mask, max, by_lane, error);
}

/* ---- names without a use --------------------------------------------------------------------- */

/* The names after t that a text uses, which has been read before. */
static uint64_t names_in(const char *text, const struct bs_lets *lets)
{
    struct bs_error error;
    uint64_t count;
    if (!text || bs_addresses_are_list(text, &count))
        return 0;
    struct bs_expr *expr = bs_expr_parse(text, lets->names, lets->count, &error);
    const uint64_t names = names_of(expr, lets, 1);
    bs_expr_free(expr);
    return names;
}

static bool fail_unused(const struct bs_lets *lets, size_t unused, uint64_t used,
                        struct bs_error *error)
{
    struct bs_near near = {0};
    char hint[BS_NEAR_MESSAGE];
    const char *name = lets->names[unused];
    for (size_t i = 1; i < lets->count; i++)
        if (used >> (i - 1) & 1)
            bs_near_offer(&near, name, strlen(name), lets->names[i]);
    return bs_fail(error, BS_USAGE, NULL, 0, 0, "--let %s: nothing uses this name%s", name,
                   bs_near_message(&near, hint));
}

bool bs_lets_check_used(const struct bs_lets *lets, const char *addresses, const char *sources,
                        struct bs_error *error)
{
    uint64_t used = names_in(addresses, lets) | names_in(sources, lets);
    for (size_t i = lets->count; i-- > 1;) /* values are made of names before them */
        if (used >> (i - 1) & 1)
            used |= lets->uses[i];
    for (size_t i = 1; i < lets->count; i++)
        if (!(used >> (i - 1) & 1))
            return fail_unused(lets, i, used, error);
    return true;
}
