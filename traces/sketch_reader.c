/* Sketches as a trace format: the records of the warps that follow from one. */
#include "format.h"
#include "notes.h"
#include "sketch_waits.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { REMARK_KINDS = BS_REMARK_MIND + 1 };

struct reader {
    struct bs_sketch *sketch;
    struct bs_walk walk;
    struct bs_waits waits;
    struct bs_visit visit;
    unsigned given; /* instructions of the visit that were given out */
    unsigned count; /* that it has */
    struct bs_launches *launches;
    const struct bs_kernel *kernel; /* NULL: the launch has not begun */
    struct bs_notes remarks[REMARK_KINDS];
    uint32_t addr[BS_MAX_LANES];
};

/* ---- opening --------------------------------------------------------------------------------- */

static bool read_text(struct bs_input *input, struct bs_buffer *text, struct bs_error *error)
{
    enum { MOST = 1 << 20, PIECE = 1 << 16 };
    size_t got = 1;
    while (got > 0) {
        if (!bs_buffer_reserve(text, PIECE))
            return bs_fail(error, BS_INTERNAL, bs_input_name(input), 0, 0, "out of memory");
        if (!bs_input_read(input, text->data + text->size, PIECE, &got, error))
            return false;
        text->size += got;
        if (text->size > MOST)
            return bs_fail(error, BS_BAD_MODEL, bs_input_name(input), 0, 0,
                           "a sketch has at most %d bytes, this has more", MOST);
    }
    return true;
}

/* An access that no instruction can do. */
static bool check_issues(const struct bs_sketch *sketch, struct bs_errors *errors)
{
    bool fine = true;
    for (size_t i = 0; i < sketch->access_count; i++) {
        const struct bs_sketch_access *access = &sketch->accesses[i];
        struct bs_error error;
        char text[sizeof error.text];
        if (access->visits == 0 || access->issue.count > 0)
            continue;
        bs_issue_sentence(sketch, access, text, sizeof text);
        bs_fail(&error, BS_BAD_MODEL, sketch->file, access->line, access->column, "%s", text);
        bs_errors_add(errors, &error);
        fine = false;
    }
    return fine;
}

static struct bs_sketch *parse(const struct bs_buffer *text, const char *name,
                               const struct bs_trace_options *options, struct bs_error *error)
{
    struct bs_errors own = {0};
    struct bs_sketch *sketch =
        bs_sketch_parse(text->data, text->size, name, options->lets, options->let_count, &own);
    if (sketch && !options->any_layout && !check_issues(sketch, &own)) {
        bs_sketch_free(sketch);
        sketch = NULL;
    }
    if (!sketch && own.count > 0)
        *error = own.list[0];
    else if (!sketch)
        bs_fail(error, BS_INTERNAL, name, 0, 0, "out of memory");
    for (size_t i = 0; options->errors && i < own.count; i++)
        bs_errors_add(options->errors, &own.list[i]);
    bs_errors_free(&own);
    return sketch;
}

/* Writes down what the sketch has to say. */
static bool take_remarks(struct reader *reader, enum bs_remark kind)
{
    char text[BS_REMARK_TEXT];
    struct bs_notes *remarks = &reader->remarks[kind];
    while (bs_sketch_remark(reader->sketch, kind, remarks->count, text, sizeof text))
        if (!bs_notes_add(remarks, text, strlen(text)))
            return false;
    return true;
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    for (unsigned kind = 0; kind < REMARK_KINDS; kind++)
        bs_notes_free(&reader->remarks[kind]);
    bs_walk_end(&reader->walk);
    bs_waits_end(&reader->waits);
    bs_sketch_free(reader->sketch);
    free(reader);
}

static void *open_reader(struct bs_input *input, struct bs_launches *launches,
                         const struct bs_trace_options *options, struct bs_error *error)
{
    struct bs_buffer text = {0};
    struct reader *reader = calloc(1, sizeof *reader);
    const char *name = bs_input_name(input);
    bool fine = reader != NULL;
    if (!fine)
        bs_fail(error, BS_INTERNAL, name, 0, 0, "out of memory");
    fine = fine && read_text(input, &text, error) &&
           (reader->sketch = parse(&text, name, options, error));
    bs_buffer_free(&text);
    if (fine && (!bs_walk_start(&reader->walk, reader->sketch) ||
                 !bs_waits_start(&reader->waits, reader->sketch) ||
                 !take_remarks(reader, BS_REMARK_ABOUT) || !take_remarks(reader, BS_REMARK_HOLDS) ||
                 !take_remarks(reader, BS_REMARK_MIND)))
        fine = bs_fail(error, BS_INTERNAL, name, 0, 0, "out of memory");
    if (fine)
        reader->launches = launches;
    if (!fine && reader)
        close_reader(reader);
    return fine ? reader : NULL;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The places of an access's instructions: its label, and which of several each is. */
static bool add_places(struct bs_launches *launches, const struct bs_sketch_access *access)
{
    const unsigned count = access->issue.count;
    bool fine = true;
    for (unsigned i = 0; fine && i < count; i++) {
        struct bs_buffer text = {0};
        bs_buffer_text(&text, access->label);
        if (count > 1)
            bs_buffer_printf(&text, " (%u of %u)", i + 1, count);
        fine = !text.failed && bs_launches_place(launches, access->pc + (uint64_t)i * BS_SKETCH_PC,
                                                 text.data, text.size);
        bs_buffer_free(&text);
    }
    return fine;
}

static bool begin_launch(struct reader *reader)
{
    const struct bs_sketch *sketch = reader->sketch;
    struct bs_kernel kernel = bs_kernel_named(sketch->name);
    kernel.smem = (int64_t)sketch->bytes;
    kernel.model = sketch->model;
    kernel.model_line = sketch->model_line;
    kernel.model_column = sketch->model_column;
    memcpy(kernel.grid, sketch->grid, sizeof kernel.grid);
    memcpy(kernel.block, sketch->block, sizeof kernel.block);
    bool fine = bs_launches_begin(reader->launches, &kernel) != NULL;
    for (size_t i = 0; fine && i < sketch->access_count; i++)
        fine = add_places(reader->launches, &sketch->accesses[i]);
    reader->kernel = fine ? bs_launches_settle(reader->launches) : NULL;
    return reader->kernel != NULL;
}

/* ---- records --------------------------------------------------------------------------------- */

static void take_barrier(struct reader *reader, struct bs_access *access)
{
    static const char name[] = "bar";
    access->pc = reader->visit.pc;
    bs_op_parse(name, sizeof name - 1, &access->op);
    reader->count = 1;
}

static void take_instruction(struct reader *reader, struct bs_access *access)
{
    const struct bs_visit *visit = &reader->visit;
    const struct bs_issue *issue = &visit->access->issue;
    const struct bs_sketch_array *array = &reader->sketch->arrays[visit->access->array];
    access->op = issue->op;
    access->pc = visit->pc + (uint64_t)reader->given * BS_SKETCH_PC;
    access->src = visit->has_src ? visit->src : NULL;
    bs_issue_addresses(issue, &array->layout, visit, reader->given, reader->addr);
    reader->count = issue->count;
}

static enum bs_trace_event next_record(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    const struct bs_visit *visit = &reader->visit;
    if (!reader->kernel) {
        if (begin_launch(reader))
            return BS_TRACE_LAUNCH;
        bs_fail(error, BS_INTERNAL, reader->sketch->file, 0, 0, "out of memory");
        return BS_TRACE_ERROR;
    }
    if (reader->given == reader->count) {
        const enum bs_walk_event event = bs_walk_next(&reader->walk, &reader->visit, error);
        if (event != BS_WALK_VISIT)
            return event == BS_WALK_END ? BS_TRACE_END : BS_TRACE_ERROR;
        reader->given = 0;
    }
    *record = (struct bs_record){.access = {.addr = reader->addr,
                                            .mask = visit->mask,
                                            .cta = visit->cta,
                                            .warp = visit->warp},
                                 .kernel = reader->kernel,
                                 .line = visit->access ? visit->access->line : 0};
    record->access.dep = bs_waits_take(&reader->waits, visit, reader->given);
    if (visit->access)
        take_instruction(reader, &record->access);
    else
        take_barrier(reader, &record->access);
    reader->given++;
    return BS_TRACE_RECORD;
}

/* ---- what it says beside records ---------------------------------------------------------------
 */

static const char *expectation(const void *user, uint64_t pc, uint64_t *line, uint64_t *column)
{
    const struct reader *reader = user;
    const struct bs_sketch_access *access = bs_sketch_access_at(reader->sketch, pc);
    *line = access ? access->expect_line : 0;
    *column = access ? access->expect_column : 0;
    return access ? access->expect : NULL;
}

static const char *remark(const void *user, enum bs_remark kind, size_t number)
{
    const struct reader *reader = user;
    return bs_notes_at(&reader->remarks[kind], number);
}

static const struct bs_sketch *sketch_of(const void *user)
{
    const struct reader *reader = user;
    return reader->sketch;
}

const struct bs_format bs_sketch_format = {
    .name = "layout sketch",
    .start = "sketch:",
    .probe = bs_sketch_starts,
    .open_with = open_reader,
    .next = next_record,
    .expectation = expectation,
    .remark = remark,
    .sketch = sketch_of,
    .close = close_reader,
};
