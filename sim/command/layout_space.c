/* Listing the layouts of an array, and what each of them does to an element. */
#include "layout_space.h"

#include <stdlib.h>

/* ---- listing --------------------------------------------------------------------------------- */

/* A list in the making. */
struct listing {
    const struct bs_space *space;
    const struct bs_layout *given;
    struct bs_candidates *out;
    bool failed;
};

static void add(struct listing *listing, struct bs_candidate candidate)
{
    struct bs_candidates *out = listing->out;
    struct bs_candidate *list = bs_grow(out->list, &out->room, out->count + 1, sizeof *list);
    if (!list) {
        listing->failed = true;
        return;
    }
    out->list = list;
    list[out->count++] = candidate;
}

static bool is_power(uint32_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

static uint32_t log2_of(uint32_t number)
{
    uint32_t log = 0;
    while (number >> log > 1)
        log++;
    return log;
}

static uint32_t next_power(uint32_t number)
{
    uint32_t power = 1;
    while (power < number)
        power *= 2;
    return power;
}

/* Elements from one padding to the next: a unit smaller than an element is one element. */
static uint32_t pad_step(const struct listing *listing)
{
    const uint32_t element = listing->given->element;
    const uint32_t unit = listing->space->pad_unit;
    return unit <= element ? 1 : unit / element;
}

/* The most elements of padding. */
static uint32_t pad_end(const struct listing *listing)
{
    const struct bs_space *space = listing->space;
    const uint32_t element = listing->given->element;
    return space->max_pad ? space->max_pad / element : (space->period - 1) / element;
}

static void list_pitches(struct listing *listing)
{
    const struct bs_layout *given = listing->given;
    const uint32_t step = pad_step(listing);
    for (uint32_t pad = 0; pad <= pad_end(listing); pad += step)
        if (given->spot || given->columns + pad != given->pitch)
            add(listing,
                (struct bs_candidate){.scheme = BS_SCHEME_PITCH, .pitch = given->columns + pad});
}

/* An array of one row has no pitch: paddings are put behind every so many elements. */
static void list_folds(struct listing *listing)
{
    enum { SHORTEST = 16, LONGEST = 1024 }; /* elements between two paddings */
    const struct bs_layout *given = listing->given;
    const uint32_t unit = pad_step(listing);
    for (uint32_t every = SHORTEST; every <= LONGEST && every < given->columns; every *= 2)
        for (uint32_t step = unit; step <= pad_end(listing) && step < every; step += unit)
            add(listing,
                (struct bs_candidate){.scheme = BS_SCHEME_FOLD,
                                      .pitch = given->columns + (given->columns - 1) / every * step,
                                      .every = every,
                                      .step = step});
}

/* An exclusive or moves elements within blocks of step x count, which must not reach out of a row;
 * beyond a period they would go from one row of the banks to another. */
static bool block_fits(const struct listing *listing, uint32_t pitch, uint32_t block)
{
    return pitch % block == 0 && block * listing->given->element <= listing->space->period;
}

static void list_xors(struct listing *listing, uint32_t pitch)
{
    for (uint32_t every = 1; every < listing->given->rows; every *= 2)
        for (uint32_t step = 1; block_fits(listing, pitch, 2 * step); step *= 2)
            for (uint32_t count = 2; block_fits(listing, pitch, step * count) &&
                                     every * count / 2 < listing->given->rows;
                 count *= 2)
                add(listing, (struct bs_candidate){.scheme = BS_SCHEME_XOR,
                                                   .pitch = pitch,
                                                   .every = every,
                                                   .step = step,
                                                   .count = count});
}

/* Rotating by half a row that is a power of two is an exclusive or. */
static bool is_xor(uint32_t pitch, uint32_t step)
{
    return is_power(pitch) && 2 * step == pitch;
}

static void list_skews(struct listing *listing, enum bs_scheme scheme, uint32_t pitch)
{
    enum { MOST_EVERY = 8 };
    const uint32_t period = listing->space->period / listing->given->element;
    const uint32_t end = pitch < period ? pitch : period;
    for (uint32_t every = 1; every <= MOST_EVERY && every < listing->given->rows; every *= 2)
        for (uint32_t step = 1; step < end; step++)
            if (!is_xor(pitch, step))
                add(listing, (struct bs_candidate){
                                 .scheme = scheme, .pitch = pitch, .every = every, .step = step});
}

/* Where rows are a power of two apart, those that take their bits from the row's number are
 * exclusive ors already. */
static void list_swizzles(struct listing *listing, uint32_t pitch)
{
    const uint32_t total = log2_of(next_power(listing->given->rows * pitch));
    for (uint32_t base = 0; block_fits(listing, pitch, 2u << base); base++)
        for (uint32_t bits = 1; block_fits(listing, pitch, 1u << (base + bits)); bits++)
            for (uint32_t shift = bits; base + shift + bits <= total; shift++)
                if (!is_power(pitch) || base + shift < log2_of(pitch))
                    add(listing, (struct bs_candidate){.scheme = BS_SCHEME_SWIZZLE,
                                                       .pitch = pitch,
                                                       .bits = bits,
                                                       .base = base,
                                                       .shift = shift});
}

/* The pitches of swizzled rows: none but the row's own, and the next ones with room for blocks. */
static unsigned swizzled_pitches(const struct listing *listing, uint32_t pitches[2])
{
    const uint32_t columns = listing->given->columns;
    pitches[0] = columns;
    pitches[1] = next_power(columns);
    return pitches[1] == columns ? 1 : 2;
}

static bool wants(const struct listing *listing, enum bs_scheme scheme)
{
    return listing->space->schemes >> scheme & 1;
}

/* ---- padding and swizzle at once ------------------------------------------------------------- */

/* The pitches of swizzled rows have been listed already. */
uint32_t bs_space_padded_pitch(const struct bs_space *space, const struct bs_layout *given,
                               size_t number)
{
    const struct listing listing = {.space = space, .given = given};
    const uint32_t step = pad_step(&listing), end = pad_end(&listing);
    for (uint32_t pad = step; given->rows > 1 && pad <= end; pad += step)
        if (given->columns + pad != next_power(given->columns) && number-- == 0)
            return given->columns + pad;
    return 0;
}

/* Blocks of elements may reach into the padding, but not out of it; what lies in the padding alone
 * would be moved as a skew moves it. */
static bool padded_block_fits(const struct listing *listing, uint32_t pitch, uint32_t block)
{
    const uint32_t columns = listing->given->columns;
    return (columns + block - 1) / block * block <= pitch && block / 2 < columns &&
           block * listing->given->element <= listing->space->period;
}

static void list_padded_xors(struct listing *listing, uint32_t pitch)
{
    const uint32_t rows = listing->given->rows;
    for (uint32_t every = 1; every < rows; every *= 2)
        for (uint32_t step = 1; 2 * step * listing->given->element <= listing->space->period;
             step *= 2)
            for (uint32_t count = 2;
                 step * count * listing->given->element <= listing->space->period &&
                 every * count / 2 < rows;
                 count *= 2)
                if (padded_block_fits(listing, pitch, step * count))
                    add(listing, (struct bs_candidate){.scheme = BS_SCHEME_PAD_XOR,
                                                       .pitch = pitch,
                                                       .every = every,
                                                       .step = step,
                                                       .count = count});
}

bool bs_space_list_padded(const struct bs_space *space, const struct bs_layout *given,
                          uint32_t pitch, struct bs_candidates *out)
{
    struct listing listing = {space, given, out, false};
    if (wants(&listing, BS_SCHEME_PAD_XOR))
        list_padded_xors(&listing, pitch);
    if (wants(&listing, BS_SCHEME_PAD_SKEW))
        list_skews(&listing, BS_SCHEME_PAD_SKEW, pitch);
    return !listing.failed;
}

/* ---- all but those --------------------------------------------------------------------------- */

bool bs_space_list(const struct bs_space *space, const struct bs_layout *given,
                   struct bs_candidates *out)
{
    struct listing listing = {space, given, out, false};
    uint32_t pitches[2];
    const unsigned count = swizzled_pitches(&listing, pitches);
    add(&listing, (struct bs_candidate){.scheme = BS_SCHEME_GIVEN, .pitch = given->pitch});
    if (wants(&listing, BS_SCHEME_PITCH) && given->rows > 1)
        list_pitches(&listing);
    if (wants(&listing, BS_SCHEME_FOLD) && given->rows == 1)
        list_folds(&listing);
    for (unsigned i = 0; i < count; i++) {
        if (wants(&listing, BS_SCHEME_XOR))
            list_xors(&listing, pitches[i]);
        if (wants(&listing, BS_SCHEME_SKEW))
            list_skews(&listing, BS_SCHEME_SKEW, pitches[i]);
        if (wants(&listing, BS_SCHEME_SWIZZLE))
            list_swizzles(&listing, pitches[i]);
    }
    return !listing.failed;
}

/* ---- laying ---------------------------------------------------------------------------------- */

static uint32_t spot_of(const struct bs_candidate *candidate, uint32_t row, uint32_t column)
{
    const uint32_t number = row * candidate->pitch + column;
    const uint32_t mask = ((1u << candidate->bits) - 1) << candidate->base;
    switch (candidate->scheme) {
    case BS_SCHEME_FOLD:
        return column + column / candidate->every * candidate->step;
    case BS_SCHEME_XOR:
    case BS_SCHEME_PAD_XOR:
        return column ^ row / candidate->every % candidate->count * candidate->step;
    case BS_SCHEME_SKEW:
    case BS_SCHEME_PAD_SKEW:
        return (column + row / candidate->every * candidate->step) % candidate->pitch;
    case BS_SCHEME_SWIZZLE:
        return (number ^ (number >> candidate->shift & mask)) % candidate->pitch;
    case BS_SCHEME_GIVEN:
    case BS_SCHEME_PITCH:
    case BS_SCHEMES:
        break;
    }
    return column;
}

struct bs_layout bs_candidate_lay(const struct bs_candidate *candidate,
                                  const struct bs_layout *given, uint32_t *spot)
{
    struct bs_layout layout = *given;
    if (candidate->scheme == BS_SCHEME_GIVEN)
        return layout;
    layout.pitch = candidate->pitch;
    layout.spot = candidate->scheme == BS_SCHEME_PITCH ? NULL : spot;
    if (!layout.spot)
        return layout;
    for (uint32_t row = 0; row < given->rows; row++)
        for (uint32_t column = 0; column < given->columns; column++)
            *spot++ = spot_of(candidate, row, column);
    return layout;
}

/* Aligned pieces of a row stay aligned and whole. */
static bool keeps_pieces(const struct bs_layout *layout, uint32_t piece)
{
    for (uint32_t row = 0; row < layout->rows; row++)
        for (uint32_t column = 0; column < layout->columns; column++) {
            const uint32_t *spot = layout->spot + (size_t)row * layout->columns + column;
            if (column % piece ? *spot != spot[-1] + 1 : *spot % piece != 0)
                return false;
        }
    return true;
}

bool bs_space_allows(const struct bs_space *space, const struct bs_layout *layout)
{
    const uint32_t piece = space->keep_align / layout->element;
    if (space->power_of_two_pitch && layout->rows > 1 && !is_power(layout->pitch))
        return false;
    if (piece <= 1)
        return true;
    if (layout->rows > 1 && layout->pitch % piece != 0)
        return false;
    return !layout->spot || keeps_pieces(layout, piece);
}
