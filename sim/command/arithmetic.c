/* The arithmetic of strides: what the formula says, and whether its premises hold. */
#include "arithmetic.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the formula ----------------------------------------------------------------------------- */

static uint64_t gcd_of(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_power(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

/* Whether each active lane is as far from the one before as the second from the first; so far. */
static bool find_stride(const struct bs_access *access, uint64_t *stride)
{
    uint64_t left = access->mask;
    if (left == 0 || (left & (left - 1)) == 0)
        return false;
    int64_t step = 0;
    unsigned before = bs_lanes_lowest(left);
    for (left &= left - 1; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        const int64_t difference = (int64_t)access->addr[lane] - (int64_t)access->addr[before];
        if (lane != before + 1 || (before != bs_lanes_lowest(access->mask) && difference != step))
            return false;
        step = difference;
        before = lane;
    }
    *stride = (uint64_t)(step < 0 ? -step : step);
    return true;
}

/* All lanes that the derivation counts on, and banks as it has them. */
static bool is_full(const struct bs_model *model, const struct bs_access *access, uint32_t width)
{
    return bs_lanes_count(access->mask) == model->lanes && model->lanes == model->banks &&
           is_power(model->banks) && is_power(width) &&
           model->row_bytes == model->banks * model->bank_width && model->ports == 1 &&
           model->mapping.hash == BS_XOR_NONE;
}

struct bs_arithmetic bs_arithmetic_of(const struct bs_model *model, const struct bs_access *access)
{
    struct bs_arithmetic made = {.bank_width = model->bank_width, .banks = model->banks};
    made.plain = access->op.kind == BS_LD || access->op.kind == BS_ST;
    made.strided = made.plain && find_stride(access, &made.stride);
    if (!made.strided)
        return made;
    made.width = (access->op.bytes + model->bank_width - 1) / model->bank_width;
    made.full = is_full(model, access, made.width);
    made.whole = made.stride % model->bank_width == 0;
    made.apart = made.stride >= (uint64_t)made.width * model->bank_width;
    if (made.whole)
        made.gcd = (uint32_t)gcd_of(made.stride / model->bank_width, model->banks);
    made.holds = made.full && made.whole && made.apart;
    if (made.holds)
        made.passes = made.gcd > made.width ? made.gcd : made.width;
    return made;
}

/* ---- in words -------------------------------------------------------------------------------- */

const char *bs_arithmetic_words(const struct bs_arithmetic *arithmetic, char out[BS_WORDS_TEXT])
{
    snprintf(out, BS_WORDS_TEXT, "%.10g",
             (double)arithmetic->stride / (double)arithmetic->bank_width);
    return out;
}

const char *bs_arithmetic_objection(const struct bs_arithmetic *arithmetic)
{
    if (!arithmetic->plain)
        return "it is about loads and stores";
    if (!arithmetic->strided)
        return "the lanes of this access are no constant stride apart";
    if (!arithmetic->whole)
        return "S is no whole number of words";
    if (!arithmetic->apart)
        return "S is less than w: lanes share words";
    if (!arithmetic->full)
        return "it is about full warps of as many lanes as there are plain banks, and 1, 2 or 4 "
               "words a lane";
    return NULL;
}

static void line(struct bs_spool *out, const struct bs_screen *screen, const char *label,
                 const char *text)
{
    bs_spool_printf(out, "    %-10s", label);
    bs_screen_wrap(screen, out, 14, text);
}

static void premises(const struct bs_arithmetic *arithmetic, const struct bs_screen *screen,
                     struct bs_spool *out)
{
    char text[128];
    snprintf(text, sizeof text, "S is whole: %s; S >= w: %s", arithmetic->whole ? "yes" : "no",
             arithmetic->apart ? "yes" : "no");
    line(out, screen, "premises", text);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void strided_text(const struct bs_arithmetic *arithmetic, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    char text[192], words[BS_WORDS_TEXT];
    const char *s = bs_arithmetic_words(arithmetic, words);
    snprintf(text, sizeof text, "%s word%s, %" PRIu64 " bytes from lane to lane", s,
             arithmetic->stride == arithmetic->bank_width ? "" : "s", arithmetic->stride);
    line(out, screen, "S", text);
    snprintf(text, sizeof text, "gcd(%s, %" PRIu32 " banks) = %" PRIu32, s, arithmetic->banks,
             arithmetic->gcd);
    line(out, screen, "gcd", arithmetic->whole ? text : "not defined");
    snprintf(text, sizeof text, "%" PRIu32 " word%s a lane: at least %" PRIu32 " pass%s",
             arithmetic->width, plural(arithmetic->width), arithmetic->width,
             arithmetic->width == 1 ? "" : "es");
    line(out, screen, "w", text);
    premises(arithmetic, screen, out);
}

void bs_arithmetic_text(const struct bs_arithmetic *arithmetic, uint32_t passes,
                        const struct bs_screen *screen, struct bs_spool *out)
{
    char text[256];
    bs_spool_text(out, "  arithmetic\n");
    if (arithmetic->strided)
        strided_text(arithmetic, screen, out);
    if (arithmetic->holds)
        snprintf(text, sizeof text,
                 "max(w, gcd) = %" PRIu32 " pass%s; conflict degree max(1, gcd / w) = %" PRIu32,
                 arithmetic->passes, arithmetic->passes == 1 ? "" : "es",
                 arithmetic->passes / arithmetic->width);
    else
        snprintf(text, sizeof text, "withheld: %s", bs_arithmetic_objection(arithmetic));
    line(out, screen, "formula", text);
    snprintf(text, sizeof text, "%" PRIu32 " pass%s%s", passes, passes == 1 ? "" : "es",
             !arithmetic->holds             ? ", counted"
             : passes == arithmetic->passes ? ": the same"
                                            : ": the formula is a lower bound");
    line(out, screen, "found", text);
}

void bs_arithmetic_json(const struct bs_arithmetic *arithmetic, uint32_t passes,
                        struct bs_json *json)
{
    bs_json_map(json, "arithmetic", BS_JSON_TALL);
    bs_json_bool(json, "strided", arithmetic->strided);
    if (arithmetic->strided) {
        bs_json_number(json, "stride_bytes", arithmetic->stride);
        bs_json_real(json, "stride_words",
                     (double)arithmetic->stride / (double)arithmetic->bank_width, 2);
        if (arithmetic->whole)
            bs_json_number(json, "gcd", arithmetic->gcd);
        else
            bs_json_null(json, "gcd");
        bs_json_number(json, "words_a_lane", arithmetic->width);
        bs_json_bool(json, "stride_is_whole", arithmetic->whole);
        bs_json_bool(json, "stride_is_at_least_the_width", arithmetic->apart);
    }
    if (arithmetic->holds)
        bs_json_number(json, "formula_passes", arithmetic->passes);
    else
        bs_json_null(json, "formula_passes");
    bs_json_number(json, "passes", passes);
    bs_json_close(json);
}
