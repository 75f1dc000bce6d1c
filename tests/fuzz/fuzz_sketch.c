/*
 * Fuzz target: a layout sketch. Whatever the bytes are, loading ends in a sketch or in errors; the
 * records of a sketch are as many as it says, lie in its shared memory, and are aligned.
 */
#include "require.h"
#include "sketch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_errors(const struct bs_errors *errors)
{
    require(errors->count > 0);
    for (size_t i = 0; i < errors->count; i++) {
        require(errors->list[i].status == BS_BAD_MODEL);
        require(errors->list[i].text[0] != '\0');
    }
}

static void check_instruction(const struct bs_sketch *sketch, const struct bs_visit *visit,
                              unsigned number)
{
    const struct bs_issue *issue = &visit->access->issue;
    const struct bs_layout *layout = &sketch->arrays[visit->access->array].layout;
    uint32_t addr[BS_MAX_LANES];
    bs_issue_addresses(issue, layout, visit, number, addr);
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++) {
        if (!(visit->mask >> lane & 1))
            continue;
        require(addr[lane] >= layout->base);
        require(addr[lane] + issue->op.bytes <= layout->base + bs_layout_bytes(layout));
        require(addr[lane] % bs_op_alignment(issue->op) == 0);
    }
}

static uint64_t check_visit(const struct bs_sketch *sketch, const struct bs_visit *visit)
{
    require(visit->mask != 0);
    require(sketch->lanes == 64 || visit->mask >> sketch->lanes == 0);
    if (!visit->access)
        return 1;
    for (unsigned i = 0; i < visit->access->issue.count; i++)
        check_instruction(sketch, visit, i);
    return visit->access->issue.count;
}

static void check_sketch(const struct bs_sketch *sketch)
{
    struct bs_walk walk;
    struct bs_visit visit;
    struct bs_error error;
    enum bs_walk_event event;
    uint64_t records = 0;
    char text[256];
    require(sketch->bytes <= BS_SKETCH_BYTES);
    for (unsigned kind = BS_REMARK_ABOUT; kind <= BS_REMARK_MIND; kind++)
        for (size_t i = 0; bs_sketch_remark(sketch, kind, i, text, sizeof text); i++)
            require(text[0] != '\0');
    require(bs_walk_start(&walk, sketch));
    while ((event = bs_walk_next(&walk, &visit, &error)) == BS_WALK_VISIT)
        records += check_visit(sketch, &visit);
    bs_walk_end(&walk);
    require(event == BS_WALK_END); /* the first walk has proven it */
    require(records == sketch->records);
}

/* Input that starts with "# let NAME" gives the parameter a value. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char prefix[] = "# let ";
    const size_t before = sizeof prefix - 1;
    struct bs_errors errors = {0};
    char name[BS_SKETCH_NAME] = "";
    const struct bs_let let = {name, 1};
    const bool given = size > before && memcmp(data, prefix, before) == 0;
    for (size_t i = 0; given && i + 1 < sizeof name && before + i < size; i++) {
        if (data[before + i] == '\n' || data[before + i] == '\0')
            break;
        name[i] = (char)data[before + i];
    }
    struct bs_sketch *sketch =
        bs_sketch_parse((const char *)data, size, "fuzz", &let, given ? 1 : 0, &errors);
    if (sketch)
        check_sketch(sketch);
    else
        check_errors(&errors);
    bs_sketch_free(sketch);
    bs_errors_free(&errors);
    return 0;
}
