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
    [BS_SCHEME_PAD_XOR] = {"pad-xor", "exclusive ors of padded rows"},
    [BS_SCHEME_PAD_SKEW] = {"pad-skew", "skews of padded rows"},
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

static bool is_xor(const struct bs_candidate *candidate)
{
    return candidate->scheme == BS_SCHEME_XOR || candidate->scheme == BS_SCHEME_PAD_XOR;
}

static uint32_t log2_of(uint32_t number)
{
    uint32_t log = 0;
    while (number >> log > 1)
        log++;
    return log;
}

/* Whether all bits of an element's number that a swizzle reads are those of its column. */
static bool stays_in_row(const struct bs_candidate *candidate, uint32_t rows)
{
    const uint32_t pitch = candidate->pitch;
    return rows == 1 || ((pitch & (pitch - 1)) == 0 &&
                         candidate->base + candidate->shift + candidate->bits <= log2_of(pitch));
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
    if (is_xor(candidate) && candidate->every * candidate->count < rows)
        snprintf(out, EXPRESSION, "%s ^ %s %% %" PRIu32 "%s%s", column, part, candidate->count,
                 times, step);
    else if (is_xor(candidate))
        snprintf(out, EXPRESSION, "%s ^ %s%s%s", column, part, times, step);
    else if (candidate->scheme == BS_SCHEME_SKEW || candidate->scheme == BS_SCHEME_PAD_SKEW)
        snprintf(out, EXPRESSION, "(%s + %s%s%s) %% %" PRIu32, column, part, times, step,
                 candidate->pitch);
    else if (candidate->scheme == BS_SCHEME_FOLD)
        snprintf(out, EXPRESSION, "%s + %s%s%s", column, part, times, step);
    else if (candidate->scheme == BS_SCHEME_SWIZZLE && stays_in_row(candidate, rows))
        snprintf(out, EXPRESSION, "%s ^ (%s >> %" PRIu32 " & %" PRIu32 ")", column, column,
                 candidate->shift, mask);
    else if (candidate->scheme == BS_SCHEME_SWIZZLE)
        snprintf(out, EXPRESSION, "(%s ^ (%s >> %" PRIu32 " & %" PRIu32 ")) %% %" PRIu32, number,
                 number, candidate->shift, mask, candidate->pitch);
    return out;
}

/* ---- CUDA ------------------------------------------------------------------------------------ */

/* An exclusive or with the row of rows that are a power of two apart is one of CUTLASS's too. */
static void name_swizzle(const struct bs_candidate *candidate, char *out, size_t size)
{
    const uint32_t pitch = candidate->pitch;
    if (candidate->scheme == BS_SCHEME_SWIZZLE)
        snprintf(out, size, "Swizzle<%" PRIu32 ",%" PRIu32 ",%" PRIu32 ">", candidate->bits,
                 candidate->base, candidate->shift);
    else if (is_xor(candidate) && (pitch & (pitch - 1)) == 0)
        snprintf(out, size, "Swizzle<%" PRIu32 ",%" PRIu32 ",%" PRIu32 ">",
                 log2_of(candidate->count), log2_of(candidate->step),
                 log2_of(pitch * candidate->every) - log2_of(candidate->step));
}

void bs_candidate_declaration(const struct bs_candidate *candidate,
                              const struct bs_sketch_array *array, struct bs_buffer *out)
{
    bs_buffer_printf(out, "__shared__ %s %s", array->type, array->name);
    for (unsigned i = 0; i < array->dim_count; i++)
        bs_buffer_printf(out, "[%" PRIu32 "]",
                         i + 1 == array->dim_count ? candidate->pitch : array->dims[i]);
    bs_buffer_text(out, ";");
}

enum { INDICES = 64 };

/* The indices of all dimensions but the last, "[i][j]", and in row the number of the row that they
 * make, "(i * 10 + j)". */
static const char *row_indices(const struct bs_sketch_array *array, char row[INDICES],
                               char out[INDICES])
{
    static const char *const names[BS_SKETCH_DIMS] = {"i", "j", "k"};
    size_t used = 0;
    snprintf(row, INDICES, "row");
    snprintf(out, INDICES, "%s", array->dim_count == 2 ? "[row]" : "");
    for (unsigned i = 0; array->dim_count > 2 && i + 1 < array->dim_count; i++) {
        char before[INDICES];
        snprintf(before, sizeof before, "%s", row);
        if (i == 0)
            snprintf(row, INDICES, "%s", names[i]);
        else
            snprintf(row, INDICES, "(%.40s * %" PRIu32 " + %s)", before, array->dims[i], names[i]);
        used += (size_t)snprintf(out + used, INDICES - used, "[%s]", names[i]);
    }
    return out;
}

enum { WIDE = 80 };

/* A line of the source, with the comment behind it, or before it where it gets too long. */
static void write_line(const char *indent, const char *line, const char *comment,
                       struct bs_buffer *out)
{
    const size_t width = strlen(indent) + strlen(line) + strlen(comment) + 2;
    if (*comment && width > WIDE)
        bs_buffer_printf(out, "%s%s\n%s%s\n", indent, comment, indent, line);
    else
        bs_buffer_printf(out, "%s%s%s%s\n", indent, line, *comment ? "  " : "", comment);
}

/* Where an element lies. What is written of rows as the sketch has it, or would get too long with
 * the indices, has "row", which the comment explains. */
static void declare_spot(const struct bs_candidate *candidate, const struct bs_sketch_array *array,
                         const char *indent, struct bs_buffer *out)
{
    char text[EXPRESSION], line[2 * EXPRESSION], row[INDICES], indices[INDICES];
    char swizzle[INDICES] = "", comment[2 * INDICES + 16];
    const bool given = candidate->scheme == BS_SCHEME_GIVEN, deep = array->dim_count > 2;
    const char *column = array->dim_count == 1 ? "i" : "col";
    row_indices(array, row, indices);
    if (given)
        snprintf(text, sizeof text, "%s", array->swizzle);
    else
        spot_text(candidate, array->layout.rows, row, column, text);
    const bool named =
        deep &&
        (given || strlen(indent) + strlen(array->name) + strlen(indices) + strlen(text) + 2 > WIDE);
    if (named && !given)
        spot_text(candidate, array->layout.rows, "row", column, text);
    if (!given)
        name_swizzle(candidate, swizzle, sizeof swizzle);
    snprintf(line, sizeof line, "%s%s[%s]", array->name, indices, text);
    snprintf(comment, sizeof comment, "%s%s%s%s%s", *swizzle || named ? "// " : "", swizzle,
             *swizzle && named ? ", " : "", named ? "row: " : "", named ? row : "");
    write_line(indent, line, comment, out);
}

void bs_candidate_declare(const struct bs_candidate *candidate, const struct bs_sketch_array *array,
                          const char *indent, const char *note, struct bs_buffer *out)
{
    bs_buffer_text(out, indent);
    bs_candidate_declaration(candidate, array, out);
    bs_buffer_printf(out, "%s\n", note);
    if (candidate->scheme != BS_SCHEME_PITCH &&
        (candidate->scheme != BS_SCHEME_GIVEN || array->swizzle))
        declare_spot(candidate, array, indent, out);
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
