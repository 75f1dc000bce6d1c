/* See sketch_waits.h. */
#include "sketch_waits.h"

#include "core/model_near.h"
#include "sketch_program.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is named --------------------------------------------------------------------------- */

/* Whether an op brings a value that an instruction could wait for. */
static bool gives_value(struct bs_op op)
{
    return op.kind == BS_LD || op.kind == BS_ATOM || op.kind == BS_LDMATRIX;
}

static void fail_unknown(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    const struct bs_sketch_access *accesses = draft->program->accesses;
    const char *name = bs_node_text(draft->tree, node);
    struct bs_near near = {0};
    char hint[BS_NEAR_MESSAGE], shown[BS_NODE_SHOWN];
    for (size_t i = 0; i < draft->sketch->access_count; i++)
        if (accesses[i].label && gives_value(accesses[i].wish))
            bs_near_offer(&near, name, node->size, accesses[i].label);
    bs_draft_fail(
        draft, node, 0,
        "dep: expected the label of an access, or how many instructions before, found %s%s",
        bs_node_show(draft->tree, node, shown), bs_near_message(&near, hint));
}

/* Numbers the value of all accesses of that label: *known is false if there are none. False after
 * complaining. */
static bool number_value(struct bs_sketch_draft *draft, const struct bs_node *node, bool *known,
                         unsigned *number)
{
    struct bs_sketch_access *accesses = draft->program->accesses;
    const char *name = bs_node_text(draft->tree, node);
    char shown[BS_NODE_SHOWN];
    *known = false;
    for (size_t i = 0; i < draft->sketch->access_count; i++) {
        if (!accesses[i].label || strcmp(accesses[i].label, name) != 0)
            continue;
        if (!gives_value(accesses[i].wish)) {
            bs_draft_fail(draft, node, 0, "dep: %s gives no value that could be waited for",
                          bs_node_show(draft->tree, node, shown));
            return false;
        }
        if (!*known && !accesses[i].gives && draft->sketch->values == BS_SKETCH_VALUES) {
            bs_draft_fail(draft, node, 0, "more than %d labels that are waited for",
                          BS_SKETCH_VALUES);
            return false;
        }
        if (!*known)
            *number = accesses[i].gives ? accesses[i].gives : ++draft->sketch->values;
        accesses[i].gives = *number;
        *known = true;
    }
    return true;
}

static void read_wait(struct bs_sketch_draft *draft, const struct bs_sketch_step *step)
{
    struct bs_sketch_access *access = &draft->program->accesses[step->access];
    const struct bs_node *node = step->dep;
    bool known;
    int64_t distance;
    if (!bs_draft_text(draft, node, "dep") || !number_value(draft, node, &known, &access->waits) ||
        known)
        return;
    if (!bs_draft_is_uniform(draft, bs_node_text(draft->tree, node)))
        fail_unknown(draft, node);
    else if (bs_draft_value(draft, node, "dep", 1, BS_SKETCH_STEPS, &distance))
        access->distance = (uint32_t)distance;
}

void bs_draft_waits(struct bs_sketch_draft *draft)
{
    for (size_t i = 0; i < draft->program->step_count; i++)
        if (draft->program->steps[i].dep)
            read_wait(draft, &draft->program->steps[i]);
}

/* ---- counting back --------------------------------------------------------------------------- */

bool bs_waits_start(struct bs_waits *waits, const struct bs_sketch *sketch)
{
    const uint32_t threads = sketch->block[0] * sketch->block[1] * sketch->block[2];
    *waits = (struct bs_waits){.sketch = sketch};
    waits->warps = (threads + sketch->lanes - 1) / sketch->lanes;
    waits->count = calloc(waits->warps, sizeof *waits->count);
    waits->last = calloc((size_t)waits->warps * sketch->values + 1, sizeof *waits->last);
    return waits->count && waits->last;
}

static void enter_cta(struct bs_waits *waits, uint32_t cta)
{
    waits->cta = cta;
    memset(waits->count, 0, waits->warps * sizeof *waits->count);
    memset(waits->last, 0, (size_t)waits->warps * waits->sketch->values * sizeof *waits->last);
}

uint32_t bs_waits_take(struct bs_waits *waits, const struct bs_visit *visit, unsigned number)
{
    const struct bs_sketch_access *access = visit->access;
    if (visit->cta != waits->cta)
        enter_cta(waits, visit->cta);
    uint32_t *last = waits->last + (size_t)visit->warp * waits->sketch->values;
    const uint32_t before = waits->count[visit->warp]++;
    if (!access)
        return 0;
    const uint32_t wanted = access->waits ? last[access->waits - 1] : 0;
    /* The value of an access is whole with its last instruction. */
    if (access->gives && number + 1 == access->issue.count)
        last[access->gives - 1] = before + 1;
    if (wanted)
        return before + 1 - wanted;
    return access->distance <= before ? access->distance : 0;
}

void bs_waits_end(struct bs_waits *waits)
{
    free(waits->count);
    free(waits->last);
    *waits = (struct bs_waits){0};
}
