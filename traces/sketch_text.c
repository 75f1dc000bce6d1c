/* Sketches in words: what they hold, and what became of their wishes. */
#include "sketch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- widths ---------------------------------------------------------------------------------- */

/* Why the wish was not fulfilled. */
static const char *reason(const struct bs_sketch_array *array, const struct bs_issue *issue,
                          unsigned wanted, char *out, size_t size)
{
    const struct bs_layout *layout = &array->layout;
    const uint64_t pitch = (uint64_t)layout->pitch * layout->element;
    if (issue->scattered)
        snprintf(out, size, "the swizzle of %s, %s, does not leave them side by side", array->name,
                 array->swizzle);
    else if (array->swizzle && layout->align >= wanted)
        snprintf(out, size, "the swizzle of %s, %s, makes addresses multiples of %" PRIu32 " only",
                 array->name, array->swizzle, issue->proven);
    else if (layout->align < wanted)
        snprintf(out, size, "%s is declared at multiples of %" PRIu32 " only", array->name,
                 layout->align);
    else
        snprintf(out, size,
                 "addresses are multiples of %" PRIu32 " only, with rows of %s %" PRIu64
                 " bytes apart",
                 issue->proven, array->name, pitch);
    return out;
}

bool bs_issue_sentence(const struct bs_sketch *sketch, const struct bs_sketch_access *access,
                       char *out, size_t size)
{
    const struct bs_sketch_array *array = &sketch->arrays[access->array];
    const unsigned wanted = access->vector * array->layout.element;
    const unsigned count = access->issue.count;
    char why[256], name[BS_OP_NAME], times[32] = "twice";
    out[0] = '\0';
    if (access->visits == 0) {
        snprintf(out, size, "%s: no thread makes it: its guard never holds, or its loop is empty.",
                 access->label);
        return true;
    }
    if (count == 1 && access->issue.op.bytes == wanted)
        return false;
    reason(array, &access->issue, wanted, why, sizeof why);
    bs_op_name(access->issue.op, name);
    if (count > 2)
        snprintf(times, sizeof times, "%u times", count);
    if (count == 0)
        snprintf(out, size, "%s: needs %u bytes at multiples of %u, but %s", access->label, wanted,
                 wanted, why);
    else
        snprintf(out, size, "%s: wanted %u bytes, but %s: issued as %s %s.", access->label, wanted,
                 why, name, times);
    return true;
}

/* ---- what a sketch holds --------------------------------------------------------------------- */

static void about_params(const struct bs_sketch *sketch, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "Parameters:");
    for (size_t i = 0; i < sketch->param_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s %s = %" PRId64 "%s", i ? "," : "",
                                 sketch->params[i].name, sketch->params[i].value,
                                 sketch->params[i].given ? " (given)" : "");
    if (used + 1 < size)
        snprintf(out + used, size - used, ".");
}

static void about_array(const struct bs_sketch_array *array, char *out, size_t size)
{
    const struct bs_layout *layout = &array->layout;
    const uint64_t bytes = bs_layout_bytes(layout);
    const uint64_t bare = (uint64_t)layout->rows * layout->columns * layout->element;
    char dims[64] = "", pitch[128] = "";
    size_t used = 0;
    for (unsigned i = 0; i < array->dim_count; i++)
        used += (size_t)snprintf(dims + used, sizeof dims - used, "[%" PRIu32 "]", array->dims[i]);
    if (layout->pitch != layout->columns)
        snprintf(pitch, sizeof pitch,
                 ", a row every %" PRIu32 " elements: %.1f %% more than without padding",
                 layout->pitch, 100.0 * (double)(bytes - bare) / (double)bare);
    snprintf(out, size, "%s %s%s: %" PRIu64 " bytes from 0x%" PRIx32 " on%s%s%s.", array->type,
             array->name, dims, bytes, layout->base, pitch, array->swizzle ? ", swizzled: " : "",
             array->swizzle ? array->swizzle : "");
}

/* In its author's words; a block of text in YAML ends in a line end, which is not said. */
static bool quote(const struct bs_sketch *sketch, char *out, size_t size)
{
    size_t length = sketch->about ? strlen(sketch->about) : 0;
    while (length > 0 && sketch->about[length - 1] == '\n')
        length--;
    snprintf(out, size, "%.*s", (int)length, sketch->about ? sketch->about : "");
    return length > 0;
}

static bool describe(const struct bs_sketch *sketch, size_t number, char *out, size_t size)
{
    size_t at = number;
    if (sketch->param_count > 0 && at-- == 0)
        about_params(sketch, out, size);
    else if (at < sketch->array_count)
        about_array(&sketch->arrays[at], out, size);
    else
        return at == sketch->array_count &&
               snprintf(out, size, "Shared memory of a CTA: %" PRIu64 " bytes.", sketch->bytes) > 0;
    return true;
}

bool bs_sketch_remark(const struct bs_sketch *sketch, enum bs_remark kind, size_t number, char *out,
                      size_t size)
{
    if (kind == BS_REMARK_ABOUT)
        return number == 0 && quote(sketch, out, size);
    if (kind == BS_REMARK_HOLDS)
        return describe(sketch, number, out, size);
    for (size_t i = 0; i < sketch->access_count; i++)
        if (bs_issue_sentence(sketch, &sketch->accesses[i], out, size) && number-- == 0)
            return true;
    return false;
}
