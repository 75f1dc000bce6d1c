/* Layouts in words: as CUDA declares them, as a sketch does, and in a line of a table. */
#include "layout_space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *title;
} schemes[BS_SCHEMES] = {
    [BS_SCHEME_GIVEN] = {"given", "as it stands"},
    [BS_SCHEME_PITCH] = {"pad", "pitches"},
    [BS_SCHEME_FOLD] = {"fold", "paddings within a row"},
    [BS_SCHEME_XOR] = {"xor", "exclusive ors with the row"},
    [BS_SCHEME_SKEW] = {"skew", "skews"},
    [BS_SCHEME_SWIZZLE] = {"swizzle", "further Swizzle<B,M,S>"},
};

const char *bs_scheme_name(enum bs_scheme scheme)
{
    return schemes[scheme].name;
}

const char *bs_scheme_title(enum bs_scheme scheme)
{
    return schemes[scheme].title;
}

/* ---- expressions ----------------------------------------------------------------------------- */

enum { EXPRESSION = 256 };

/* "row", or "row / 2". */
static const char *quotient(const char *name, uint32_t every, char *out, size_t size)
{
    if (every == 1)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s / %" PRIu32, name, every);
    return out;
}

/* Where an element lies in its row, of names that the caller chooses. rows: of the array. */
static const char *spot_text(const struct bs_candidate *candidate, uint32_t rows, const char *row,
                             const char *column, char out[EXPRESSION])
{
    char part[64], number[64];
    const uint32_t mask = ((1u << candidate->bits) - 1) << candidate->base;
    const char *times = candidate->step == 1 ? "" : " * ";
    char step[16] = "";
    if (candidate->step != 1)
        snprintf(step, sizeof step, "%" PRIu32, candidate->step);
    quotient(candidate->scheme == BS_SCHEME_FOLD ? column : row,
             candidate->every ? candidate->every : 1, part, sizeof part);
    snprintf(number, sizeof number, "(%s * %" PRIu32 " + %s)", row, candidate->pitch, column);
    snprintf(out, EXPRESSION, "%s", column);
    if (candidate->scheme == BS_SCHEME_XOR && candidate->every * candidate->count < rows)
        snprintf(out, EXPRESSION, "%s ^ %s %% %" PRIu32 "%s%s", column, part, candidate->count,
                 times, step);
    else if (candidate->scheme == BS_SCHEME_XOR)
        snprintf(out, EXPRESSION, "%s ^ %s%s%s", column, part, times, step);
    else if (candidate->scheme == BS_SCHEME_SKEW)
        snprintf(out, EXPRESSION, "(%s + %s%s%s) %% %" PRIu32, column, part, times, step,
                 candidate->pitch);
    else if (candidate->scheme == BS_SCHEME_FOLD)
        snprintf(out, EXPRESSION, "%s + %s%s%s", column, part, times, step);
    else if (candidate->scheme == BS_SCHEME_SWIZZLE && rows == 1)
        snprintf(out, EXPRESSION, "%s ^ (%s >> %" PRIu32 " & %" PRIu32 ")", column, column,
                 candidate->shift, mask);
    else if (candidate->scheme == BS_SCHEME_SWIZZLE)
        snprintf(out, EXPRESSION, "(%s ^ (%s >> %" PRIu32 " & %" PRIu32 ")) %% %" PRIu32, number,
                 number, candidate->shift, mask, candidate->pitch);
    return out;
}

/* ---- CUDA ------------------------------------------------------------------------------------ */

static uint32_t log2_of(uint32_t number)
{
    uint32_t log = 0;
    while (number >> log > 1)
        log++;
    return log;
}

/* An exclusive or with the row of rows that are a power of two apart is one of CUTLASS's too. */
static void name_swizzle(const struct bs_candidate *candidate, struct bs_buffer *out)
{
    const uint32_t pitch = candidate->pitch;
    if (candidate->scheme == BS_SCHEME_SWIZZLE)
        bs_buffer_printf(out, "  // Swizzle<%" PRIu32 ",%" PRIu32 ",%" PRIu32 ">", candidate->bits,
                         candidate->base, candidate->shift);
    else if (candidate->scheme == BS_SCHEME_XOR && (pitch & (pitch - 1)) == 0)
        bs_buffer_printf(out, "  // Swizzle<%" PRIu32 ",%" PRIu32 ",%" PRIu32 ">",
                         log2_of(candidate->count), log2_of(candidate->step),
                         log2_of(pitch * candidate->every) - log2_of(candidate->step));
}

/* The indices of all dimensions but the last, by the names that the comment after them explains. */
void bs_candidate_declaration(const struct bs_candidate *candidate,
                              const struct bs_sketch_array *array, struct bs_buffer *out)
{
    bs_buffer_printf(out, "__shared__ %s %s", array->type, array->name);
    for (unsigned i = 0; i < array->dim_count; i++)
        bs_buffer_printf(out, "[%" PRIu32 "]",
                         i + 1 == array->dim_count ? candidate->pitch : array->dims[i]);
    bs_buffer_text(out, ";");
}

void bs_candidate_declare(const struct bs_candidate *candidate, const struct bs_sketch_array *array,
                          const char *indent, const char *note, struct bs_buffer *out)
{
    char text[EXPRESSION];
    bs_buffer_text(out, indent);
    bs_candidate_declaration(candidate, array, out);
    bs_buffer_printf(out, "%s\n", note);
    if (candidate->scheme == BS_SCHEME_GIVEN && array->swizzle)
        bs_buffer_printf(out, "%s%s%s[%s]\n", indent, array->name,
                         array->dim_count == 1   ? ""
                         : array->dim_count == 2 ? "[row]"
                                                 : "...",
                         array->swizzle);
    if (candidate->scheme == BS_SCHEME_GIVEN || candidate->scheme == BS_SCHEME_PITCH)
        return;
    if (array->dim_count == 1)
        bs_buffer_printf(out, "%s%s[%s]", indent, array->name,
                         spot_text(candidate, array->layout.rows, "", "i", text));
    else if (array->dim_count == 2)
        bs_buffer_printf(out, "%s%s[row][%s]", indent, array->name,
                         spot_text(candidate, array->layout.rows, "row", "col", text));
    else
        bs_buffer_printf(out, "%s%s...[%s], row counting through all dimensions but the last",
                         indent, array->name,
                         spot_text(candidate, array->layout.rows, "row", "col", text));
    name_swizzle(candidate, out);
    bs_buffer_text(out, "\n");
}

void bs_candidate_keys(const struct bs_candidate *candidate, const struct bs_sketch_array *array,
                       struct bs_buffer *out)
{
    const uint32_t columns = array->layout.columns;
    char text[EXPRESSION];
    if (candidate->scheme == BS_SCHEME_GIVEN) {
        bs_buffer_text(out, "as it is");
        return;
    }
    bs_buffer_printf(out, "pitch: %" PRIu32,
                     columns > candidate->pitch ? columns : candidate->pitch);
    if (candidate->scheme != BS_SCHEME_PITCH)
        bs_buffer_printf(out, ", swizzle: \"%s\"",
                         spot_text(candidate, array->layout.rows, "row", "col", text));
}

const char *bs_candidate_text(const struct bs_candidate *candidate,
                              const struct bs_sketch_array *array, char out[BS_CANDIDATE_TEXT])
{
    const uint32_t pad = candidate->pitch - array->layout.columns;
    char text[EXPRESSION], room[48] = "";
    if (pad > 0)
        snprintf(room, sizeof room, "pitch %" PRIu32 ", ", candidate->pitch);
    if (candidate->scheme == BS_SCHEME_GIVEN)
        snprintf(out, BS_CANDIDATE_TEXT, "as it stands");
    else if (candidate->scheme == BS_SCHEME_PITCH && pad == 0)
        snprintf(out, BS_CANDIDATE_TEXT, "pitch %" PRIu32 ", no padding", candidate->pitch);
    else if (candidate->scheme == BS_SCHEME_PITCH)
        snprintf(out, BS_CANDIDATE_TEXT, "pitch %" PRIu32 ", pad %" PRIu32, candidate->pitch, pad);
    else if (candidate->scheme == BS_SCHEME_SWIZZLE)
        snprintf(out, BS_CANDIDATE_TEXT, "%sSwizzle<%" PRIu32 ",%" PRIu32 ",%" PRIu32 ">", room,
                 candidate->bits, candidate->base, candidate->shift);
    else
        snprintf(out, BS_CANDIDATE_TEXT, "%s%.100s",
                 candidate->scheme == BS_SCHEME_FOLD ? "" : room,
                 spot_text(candidate, array->layout.rows, "row", "col", text));
    return out;
}
