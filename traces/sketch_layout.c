/* How arrays lie in shared memory, and which instructions a compiler makes of an access to them. */
#include "sketch.h"

#include "core/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 16 /* bytes of an instruction */ };

/* ---- layouts --------------------------------------------------------------------------------- */

/* The first column whose spot is outside of the row or taken already; taken has pitch bytes. */
static uint32_t first_clash(const struct bs_layout *layout, uint32_t row, unsigned char *taken)
{
    const uint32_t *spot = layout->spot + (size_t)row * layout->columns;
    memset(taken, 0, layout->pitch);
    for (uint32_t column = 0; column < layout->columns; column++) {
        if (spot[column] >= layout->pitch || taken[spot[column]])
            return column;
        taken[spot[column]] = 1;
    }
    return layout->columns;
}

bool bs_layout_is_sound(const struct bs_layout *layout, uint32_t *row, uint32_t *column)
{
    if (!layout->spot)
        return layout->pitch >= layout->columns;
    unsigned char *taken = malloc(layout->pitch);
    bool sound = taken != NULL;
    *column = 0;
    for (*row = sound ? 0 : layout->rows; *row < layout->rows; ++*row) {
        *column = first_clash(layout, *row, taken);
        sound = *column == layout->columns;
        if (!sound)
            break;
    }
    free(taken);
    return sound;
}

uint64_t bs_layout_place(struct bs_layout *layout, uint64_t end)
{
    const uint64_t align = layout->align > layout->element ? layout->align : layout->element;
    const uint64_t base = (end + align - 1) / align * align;
    layout->base = (uint32_t)base;
    return base + bs_layout_bytes(layout);
}

/* ---- what can be proven ---------------------------------------------------------------------- */

void bs_issue_begin(struct bs_issue_proof *proof, const struct bs_sketch_access *access,
                    const struct bs_layout *layout)
{
    *proof = (struct bs_issue_proof){.access = access, .layout = layout};
}

/* Cuts one vector into pieces of 1 << cut elements. */
static void show_vector(struct bs_issue_proof *proof, uint32_t row, uint32_t column, unsigned cut)
{
    const struct bs_layout *layout = proof->layout;
    const unsigned piece = 1u << cut;
    for (unsigned first = 0; first < proof->access->vector; first += piece) {
        const uint32_t start = bs_layout_offset(layout, row, column + first);
        proof->bits[cut] |= start;
        for (unsigned i = 1; i < piece; i++)
            if (bs_layout_offset(layout, row, column + first + i) != start + i * layout->element)
                proof->scattered[cut] = true;
    }
}

void bs_issue_show(struct bs_issue_proof *proof, const struct bs_visit *visit)
{
    const struct bs_layout *layout = proof->layout;
    for (uint64_t left = visit->mask; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        if (!layout->spot) /* the pieces of a row are all as good as its first */
            proof->bits[0] |= bs_layout_offset(layout, visit->row[lane], visit->column[lane]);
        for (unsigned cut = 0; layout->spot && 1u << cut <= proof->access->vector; cut++)
            show_vector(proof, visit->row[lane], visit->column[lane], cut);
    }
}

/* The largest power of two, up to the widest access, that divides all of them. */
static uint32_t divisor(uint32_t bits)
{
    bits |= WIDEST;
    return bits & (0 - bits);
}

static unsigned log2_of(unsigned power)
{
    unsigned log = 0;
    while (power >> log > 1)
        log++;
    return log;
}

/* Whether a compiler may split the access. */
static bool can_split(struct bs_op op)
{
    return op.kind == BS_LD || op.kind == BS_ST;
}

static struct bs_op narrower(struct bs_op op, unsigned bytes)
{
    char name[BS_OP_NAME];
    snprintf(name, sizeof name, "%s.b%u", op.kind == BS_LD ? "ld" : "st", 8 * bytes);
    bs_op_parse(name, strlen(name), &op);
    return op;
}

struct bs_issue bs_issue_conclude(const struct bs_issue_proof *proof)
{
    const struct bs_layout *layout = proof->layout;
    const struct bs_sketch_access *access = proof->access;
    const unsigned whole = log2_of(access->vector);
    const unsigned wanted = access->vector * layout->element;
    struct bs_issue issue = {.op = access->wish, .scattered = proof->scattered[whole]};
    for (unsigned cut = whole + 1; cut-- > 0;) {
        const uint32_t bits = proof->bits[layout->spot ? cut : 0] | layout->align;
        const unsigned bytes = layout->element << cut;
        if (cut == whole)
            issue.proven = divisor(bits);
        if (proof->scattered[cut] || (divisor(bits) < bytes && cut > 0))
            continue;
        const unsigned issued = divisor(bits) < bytes ? divisor(bits) : bytes;
        if (issued == wanted) {
            issue.count = 1;
        } else if (can_split(access->wish)) {
            issue.op = narrower(access->wish, issued);
            issue.count = wanted / issued;
        }
        break;
    }
    return issue;
}

void bs_issue_addresses(const struct bs_issue *issue, const struct bs_layout *layout,
                        const struct bs_visit *visit, unsigned number, uint32_t addr[BS_MAX_LANES])
{
    const uint32_t byte = number * issue->op.bytes;
    const uint32_t element = byte / layout->element;
    for (uint64_t left = visit->mask; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        addr[lane] = layout->base + byte % layout->element +
                     bs_layout_offset(layout, visit->row[lane], visit->column[lane] + element);
    }
}
