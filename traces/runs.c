/* Addresses as runs: the grammar, its limits, and giving the addresses to lanes. */
#include "runs.h"

#include "bankshot-traces.h"
#include "core/lanes.h"
#include "scan.h"

#include <inttypes.h>
#include <string.h>

struct run {
    uint64_t base;
    uint64_t stride;
    uint64_t count;
    bool down;
};

/* ---- faults --------------------------------------------------------------------------------- */

static const char *part_end(const char *at, const char *end)
{
    while (at < end && *at != ',' && !bs_is_blank(*at))
        at++;
    return at;
}

/* "what, expected X, found Y": Y is the rest of the run from at on. Always NULL. */
static const char *fault(const char *text, const char *at, const char *end, const char *what,
                         const char *expected, struct bs_error *error)
{
    char found[80];
    char phrase[sizeof found + 2];
    const char *stop = part_end(at, end);
    bs_printable(at, (size_t)(stop - at), found, sizeof found);
    snprintf(phrase, sizeof phrase, "\"%s\"", found);
    bs_fail(error, BS_BAD_TRACE, NULL, 0, (uint64_t)(at - text) + 1, "%s, expected %s, found %s",
            what, expected,
            stop > at    ? phrase
            : at == end  ? "the end of the line"
            : *at == ',' ? "a comma"
                         : "a blank");
    return NULL;
}

static const char *bad_number(const char *text, const char *at, const char *end, const char *what,
                              uint64_t max, struct bs_error *error)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a number up to 0x%" PRIx64, max);
    return fault(text, at, end, what, expected, error);
}

static const char *wrong_count(const char *text, const char *at, const char *end, const char *what,
                               unsigned want, struct bs_error *error)
{
    uint64_t found;
    const char *stop = bs_token_end(text, end);
    if (bs_runs_count(text, (size_t)(stop - text), &found))
        bs_fail(error, BS_BAD_TRACE, NULL, 0, (uint64_t)(at - text) + 1,
                "%s for the active lanes, expected %u, found %" PRIu64, what, want, found);
    else
        bs_fail(error, BS_BAD_TRACE, NULL, 0, (uint64_t)(at - text) + 1,
                "%s for the active lanes, expected %u", what, want);
    return NULL;
}

/* ---- one run -------------------------------------------------------------------------------- */

static bool at_delimiter(const char *at, const char *end)
{
    return at == end || *at == ',' || bs_is_blank(*at);
}

/* "S*N" */
static const char *scan_stride(const char *text, const char *at, const char *end, struct run *run,
                               struct bs_error *error)
{
    const char *next = bs_scan_number(at, end, &run->stride);
    if (next == at || next == end || *next != '*')
        return fault(text, at, end, "bad stride", "S*N after A+ or A-", error);
    at = next + 1;
    next = bs_scan_number(at, end, &run->count);
    if (next == at || !at_delimiter(next, end))
        return fault(text, at, end, "bad run count", "1 to 64", error);
    return next;
}

/* The grammar of a run, with any numbers in it. */
static inline const char *scan_run(const char *text, const char *at, const char *end, uint64_t max,
                                   struct run *run, struct bs_error *error)
{
    const char *next = bs_scan_number(at, end, &run->base);
    if (next == at || run->base > max)
        return bad_number(text, at, end, "bad address", max, error);
    if (at_delimiter(next, end)) {
        run->stride = 0;
        run->count = 1;
        run->down = false;
        return next;
    }
    run->down = *next == '-';
    if (!run->down && *next != '+')
        return bad_number(text, at, end, "bad address", max, error);
    return scan_stride(text, next + 1, end, run, error);
}

/* The limits of a run that scan_run accepted. */
static inline bool run_fits(const char *text, const char *at, const char *end, uint64_t max,
                            const struct run *run, struct bs_error *error)
{
    if (run->count == 0 || run->count > BS_MAX_LANES) {
        const char *count = memchr(at, '*', (size_t)(end - at));
        fault(text, count + 1, end, "bad run count", "1 to 64", error);
        return false;
    }
    const uint64_t room = run->down ? run->base : max - run->base;
    if (run->count == 1 || run->stride <= room / (run->count - 1))
        return true;
    if (run->down)
        fault(text, at, end, "a run falls below address 0", "addresses of at least 0", error);
    else
        bad_number(text, at, end, "a run passes the last address", max, error);
    return false;
}

static inline void run_expand(const struct run *run, uint64_t *list)
{
    const uint64_t step = run->down ? 0 - run->stride : run->stride;
    for (uint64_t i = 0; i < run->count; i++)
        list[i] = run->base + i * step;
}

/* ---- all runs ------------------------------------------------------------------------------- */

static const char *read_nothing(const char *text, const char *end, struct bs_error *error)
{
    if (end - text >= 1 && *text == '-' && (end - text == 1 || bs_is_blank(text[1])))
        return text + 1;
    return fault(text, text, end, "addresses without an active lane", "-", error);
}

const char *bs_runs_read(const char *text, const char *end, uint64_t max, unsigned want,
                         uint64_t list[BS_MAX_LANES], struct bs_error *error)
{
    if (want == 0)
        return read_nothing(text, end, error);
    const char *at = text;
    unsigned count = 0;
    for (;;) {
        struct run run;
        const char *next = scan_run(text, at, end, max, &run, error);
        if (!next || (run.count != 1 && !run_fits(text, at, end, max, &run, error)))
            return NULL;
        if (run.count > want - count)
            return wrong_count(text, at, end, "too many addresses", want, error);
        run_expand(&run, list + count);
        count += (unsigned)run.count;
        if (next == end || *next != ',') {
            at = next;
            break;
        }
        at = next + 1;
    }
    if (count < want)
        return wrong_count(text, text, end, "too few addresses", want, error);
    return at;
}

bool bs_runs_count(const char *text, size_t size, uint64_t *count)
{
    const char *end = text + size;
    const char *at = text;
    uint64_t sum = 0;
    for (;;) {
        struct run run;
        struct bs_error unused;
        at = scan_run(text, at, end, UINT64_MAX, &run, &unused);
        if (!at)
            return false;
        sum = run.count > UINT64_MAX - sum ? UINT64_MAX : sum + run.count;
        if (at == end)
            break;
        if (*at++ != ',')
            return false;
    }
    *count = sum;
    return true;
}

bool bs_runs_parse(const char *text, size_t size, uint64_t mask, uint32_t addr[BS_MAX_LANES],
                   struct bs_error *error)
{
    uint64_t list[BS_MAX_LANES] = {0};
    struct bs_error local;
    const char *end = text + size;
    const char *stop =
        bs_runs_read(text, end, UINT32_MAX, bs_lanes_count(mask), list, error ? error : &local);
    if (!stop)
        return false;
    if (stop < end)
        return bs_fail(error, BS_BAD_TRACE, NULL, 0, (uint64_t)(stop - text) + 1,
                       "bad addresses, expected runs joined by commas, found a blank");
    bs_lanes_spread32(mask, list, addr);
    return true;
}

/* ---- lanes ---------------------------------------------------------------------------------- */

/* The lanes of such a mask are 0, 1, 2, ...: its list is already by lane. */
static bool is_prefix(uint64_t mask)
{
    return (mask & (mask + 1)) == 0;
}

void bs_lanes_spread32(uint64_t mask, const uint64_t list[BS_MAX_LANES],
                       uint32_t by_lane[BS_MAX_LANES])
{
    const unsigned lanes = bs_lanes_count(mask);
    if (is_prefix(mask)) {
        for (unsigned lane = 0; lane < lanes; lane++)
            by_lane[lane] = (uint32_t)list[lane];
        return;
    }
    unsigned next = 0;
    for (unsigned lane = 0; lane < BS_MAX_LANES && next < lanes; lane++) {
        by_lane[lane] = (uint32_t)list[next];
        next += (unsigned)(mask >> lane & 1);
    }
}

void bs_lanes_spread64(uint64_t mask, const uint64_t list[BS_MAX_LANES],
                       uint64_t by_lane[BS_MAX_LANES])
{
    const unsigned lanes = bs_lanes_count(mask);
    unsigned next = 0;
    for (unsigned lane = 0; lane < BS_MAX_LANES && next < lanes; lane++) {
        by_lane[lane] = list[next];
        next += (unsigned)(mask >> lane & 1);
    }
}
