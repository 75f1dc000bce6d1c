/* Reading what a sweep varies. */
#include "axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 64 };
static const uint64_t most = UINT64_C(1) << 62; /* of a range's numbers, so that no sum overflows */

/* A piece of what was given. */
struct piece {
    const char *text;
    size_t size;
};

/* A range from the first number to the last, by adding or by multiplying. */
struct range {
    int64_t first, last;
    uint64_t step;
    bool multiplies;
};

/* ---- values ---------------------------------------------------------------------------------- */

static bool fail_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

static bool fail_many(const struct bs_axis *axis, struct bs_error *error)
{
    return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s has more than %d values, too many for a sweep",
                   axis->key, BS_MAX_COMBINATIONS);
}

static char *copy_piece(struct piece piece)
{
    struct bs_buffer copy = {0};
    bs_buffer_add(&copy, piece.text, piece.size);
    return bs_buffer_take(&copy);
}

/* Whether a value says the same as another: as a number, where both are. */
static bool is_same(const char *known, struct piece value)
{
    const size_t size = strlen(known);
    uint64_t a, b;
    return (size == value.size && memcmp(known, value.text, size) == 0) ||
           (bs_number_parse(known, size, UINT64_MAX, &a) &&
            bs_number_parse(value.text, value.size, UINT64_MAX, &b) && a == b);
}

static bool check_new(const struct bs_axis *axis, struct piece value, struct bs_error *error)
{
    char shown[SHOWN];
    for (size_t i = 0; i < axis->count; i++)
        if (is_same(axis->values[i], value))
            return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s has the value '%s' twice", axis->key,
                           bs_printable(value.text, value.size, shown, sizeof shown));
    return true;
}

static bool add_value(struct bs_axis *axis, struct piece value, struct bs_error *error)
{
    if (!check_new(axis, value, error))
        return false;
    if (axis->count == BS_MAX_COMBINATIONS)
        return fail_many(axis, error);
    char **values = bs_grow(axis->values, &axis->room, axis->count + 1, sizeof *values);
    char *copy = copy_piece(value);
    if (values)
        axis->values = values;
    if (!values || !copy) {
        free(copy);
        return fail_memory(error);
    }
    values[axis->count++] = copy;
    return true;
}

static bool add_number(struct bs_axis *axis, int64_t number, struct bs_error *error)
{
    char text[32];
    const int size = snprintf(text, sizeof text, "%lld", (long long)number);
    return add_value(axis, (struct piece){text, (size_t)size}, error);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool read_signed(const char *text, size_t size, int64_t *number)
{
    uint64_t magnitude;
    const bool minus = size > 0 && *text == '-';
    if (!bs_number_parse(text + minus, size - minus, most, &magnitude))
        return false;
    *number = minus ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Splits a piece into the texts before and after dots. */
static bool read_range(struct piece piece, const char *dots, struct range *range)
{
    const char *end = piece.text + piece.size;
    const char *second = dots + 2;
    const char *colon = memchr(second, ':', (size_t)(end - second));
    const char *stop = colon ? colon : end;
    range->step = 1;
    range->multiplies = colon && colon + 1 < end && colon[1] == 'x';
    if (!read_signed(piece.text, (size_t)(dots - piece.text), &range->first) ||
        !read_signed(second, (size_t)(stop - second), &range->last))
        return false;
    if (!colon)
        return true;
    const char *step = colon + 1 + range->multiplies;
    return bs_number_parse(step, (size_t)(end - step), most, &range->step);
}

static const char *range_problem(const struct range *range)
{
    if (range->first > range->last)
        return "the range runs backwards";
    if (range->multiplies && range->first <= 0)
        return "a range that multiplies starts above 0";
    if (range->step < (range->multiplies ? 2 : 1))
        return range->multiplies ? "the factor is at least 2" : "the step is at least 1";
    return NULL;
}

static bool add_range(struct bs_axis *axis, const struct range *range, struct bs_error *error)
{
    int64_t value = range->first;
    for (;;) {
        const uint64_t rest = (uint64_t)range->last - (uint64_t)value;
        if (!add_number(axis, value, error))
            return false;
        if (range->multiplies ? range->step > (uint64_t)(range->last / value) : range->step > rest)
            return true;
        value = range->multiplies ? value * (int64_t)range->step : value + (int64_t)range->step;
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static const char *find_dots(struct piece piece)
{
    for (size_t i = 0; i + 1 < piece.size; i++)
        if (piece.text[i] == '.' && piece.text[i + 1] == '.')
            return piece.text + i;
    return NULL;
}

static bool add_piece(struct bs_axis *axis, const char *option, struct piece piece,
                      struct bs_error *error)
{
    struct range range;
    char shown[SHOWN];
    bs_printable(piece.text, piece.size, shown, sizeof shown);
    if (piece.size == 0)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s %s: a value is empty", option, axis->key);
    /* A model may be a path, and that may lead upwards. */
    const char *dots = axis->kind == BS_AXIS_MODEL ? NULL : find_dots(piece);
    if (!dots)
        return add_value(axis, piece, error);
    if (!read_range(piece, dots, &range))
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "%s %s: expected a range A..B, A..B:STEP or A..B:xFACTOR, found '%s'",
                       option, axis->key, shown);
    const char *problem = range_problem(&range);
    if (problem)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s %s: %s: '%s'", option, axis->key, problem,
                       shown);
    return add_range(axis, &range, error);
}

/* The piece without the blanks around it. */
static struct piece trim(struct piece piece)
{
    while (piece.size > 0 && piece.text[0] == ' ') {
        piece.text++;
        piece.size--;
    }
    while (piece.size > 0 && piece.text[piece.size - 1] == ' ')
        piece.size--;
    return piece;
}

/* The size of the first value of a list: up to a comma that no bracket holds. */
static size_t piece_size(const char *text)
{
    int depth = 0;
    size_t size = 0;
    for (; text[size] && (text[size] != ',' || depth > 0); size++)
        depth += (strchr("[({", text[size]) != NULL) - (strchr("])}", text[size]) != NULL);
    return size;
}

static bool add_list(struct bs_axis *axis, const char *option, const char *text,
                     struct bs_error *error)
{
    for (;;) {
        const size_t size = piece_size(text);
        if (!add_piece(axis, option, trim((struct piece){text, size}), error))
            return false;
        if (!text[size])
            return true;
        text += size + 1;
    }
}

bool bs_axis_parse(struct bs_axis *axis, const char *option, bool is_let, const char *text,
                   struct bs_error *error)
{
    char shown[SHOWN];
    const size_t size = strcspn(text, "=");
    *axis = (struct bs_axis){0};
    if (size == 0 || !text[size])
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s: expected %s=VALUES, found '%s'", option,
                       is_let ? "NAME" : "KEY", bs_printable(text, strlen(text), shown, SHOWN));
    axis->key = copy_piece((struct piece){text, size});
    if (!axis->key)
        return fail_memory(error);
    axis->kind = is_let                            ? BS_AXIS_LET
                 : strcmp(axis->key, "model") == 0 ? BS_AXIS_MODEL
                                                   : BS_AXIS_KEY;
    return add_list(axis, option, text + size + 1, error);
}

void bs_axis_free(struct bs_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++)
        free(axis->values[i]);
    free(axis->values);
    free(axis->key);
    *axis = (struct bs_axis){0};
}
