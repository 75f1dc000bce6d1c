/* Reading traces piece by piece, and keeping what was read small. */
#include "story.h"

#include "core/lanes.h"
#include "params.h"
#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How addresses are kept in the pool. */
enum form {
    FORM_NONE,        /* a barrier */
    FORM_STRIDE,      /* the first, and what comes on top for each active lane */
    FORM_LIST,        /* one for each active lane */
    FORM_SOURCES = 4, /* a bit: a list of global sources of 8 bytes follows */
};

/* ---- keeping --------------------------------------------------------------------------------- */

static bool is_stride(const struct bs_access *access, uint32_t *first, uint32_t *stride)
{
    uint64_t rest = access->mask;
    *first = *stride = 0;
    if (!rest)
        return true;
    const unsigned lane = bs_lanes_lowest(rest);
    *first = access->addr[lane];
    rest &= rest - 1;
    if (!rest)
        return true;
    *stride = access->addr[bs_lanes_lowest(rest)] - *first;
    uint32_t expected = *first;
    for (; rest; rest &= rest - 1)
        if (access->addr[bs_lanes_lowest(rest)] != (expected += *stride))
            return false;
    return true;
}

static uint8_t keep_addresses(struct bs_buffer *pool, const struct bs_access *access)
{
    uint32_t pair[2];
    uint8_t form = FORM_LIST;
    if (access->op.kind == BS_BAR)
        return FORM_NONE;
    if (is_stride(access, &pair[0], &pair[1])) {
        bs_buffer_add(pool, pair, sizeof pair);
        form = FORM_STRIDE;
    } else {
        for (uint64_t rest = access->mask; rest; rest &= rest - 1)
            bs_buffer_add(pool, &access->addr[bs_lanes_lowest(rest)], sizeof *access->addr);
    }
    if (!access->src)
        return form;
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        bs_buffer_add(pool, &access->src[bs_lanes_lowest(rest)], sizeof *access->src);
    return form | FORM_SOURCES;
}

static void recall_addresses(const char *from, const struct bs_told *told,
                             uint32_t addr[BS_MAX_LANES], uint64_t src[BS_MAX_LANES])
{
    uint32_t pair[2] = {0, 0};
    const bool stride = (told->form & ~FORM_SOURCES) == FORM_STRIDE;
    if (stride) {
        memcpy(pair, from, sizeof pair);
        from += sizeof pair;
    }
    for (uint64_t rest = told->mask; rest; rest &= rest - 1) {
        const unsigned lane = bs_lanes_lowest(rest);
        if (stride) {
            addr[lane] = pair[0];
            pair[0] += pair[1];
        } else {
            memcpy(&addr[lane], from, sizeof addr[lane]);
            from += sizeof addr[lane];
        }
    }
    for (uint64_t rest = told->form & FORM_SOURCES ? told->mask : 0; rest; rest &= rest - 1) {
        memcpy(&src[bs_lanes_lowest(rest)], from, sizeof *src);
        from += sizeof *src;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool fail(struct bs_errors *errors, const struct bs_error *error)
{
    bs_errors_add(errors, error);
    return false;
}

/* The lets of a request with one more, in the place of the same name. */
static bool add_let(struct bs_request *request, const struct bs_words *lets, const char *word)
{
    const size_t size = strcspn(word, "=");
    bool good = true;
    bool placed = false;
    for (size_t i = 0; good && i < lets->count; i++) {
        const char *let = lets->list[i];
        const bool same = strcspn(let, "=") == size && strncmp(let, word, size) == 0;
        good = bs_words_add(&request->options.lets, same ? word : let);
        placed = placed || same;
    }
    return good && (placed || bs_words_add(&request->options.lets, word));
}

/* Opens the story of a sketch with another value for one of its parameters. */
static bool open_other(struct bs_story *story, uint32_t number, const char *compare,
                       struct bs_errors *errors)
{
    struct bs_request request = story->request;
    request.options.sets = request.options.lets = request.compares = (struct bs_words){0};
    story->others[number] = calloc(1, sizeof *story);
    if (story->others[number] &&
        bs_words_copy(&request.options.sets, &story->request.options.sets) &&
        add_let(&request, &story->request.options.lets, compare))
        return bs_story_open(story->others[number], &request, errors);
    bs_subject_options_free(&request.options);
    return false;
}

static bool make_variant(struct bs_story *story, uint32_t number, const char *compare,
                         const char *trace_model, struct bs_errors *errors)
{
    struct bs_param param;
    struct bs_variant *variant = &story->variants[number];
    const bool other = compare && bs_param_named(story->trace, compare, &param);
    if (!bs_variant_make(variant, &story->request, other ? NULL : compare, trace_model, errors))
        return false;
    if (!other)
        return true;
    bs_printable(compare, strlen(compare), variant->caption, sizeof variant->caption);
    return open_other(story, number, compare, errors);
}

/* What the first variant has where the next has another value. */
static void name_first(struct bs_story *story)
{
    struct bs_param param;
    const struct bs_words *compares = &story->request.compares;
    struct bs_variant *first = &story->variants[0];
    if (compares->count && bs_param_named(story->trace, compares->list[0], &param))
        snprintf(first->caption, sizeof first->caption, "%s=%lld", param.name,
                 (long long)param.value);
    else
        bs_variant_name_first(first, &story->request);
}

static bool make_variants(struct bs_story *story, const char *trace_model, struct bs_errors *errors)
{
    struct bs_error error;
    const struct bs_words *compares = &story->request.compares;
    if (compares->count + 1 > BS_MAX_PANELS) {
        bs_fail(&error, BS_USAGE, NULL, 0, 0, "more than %d scenes do not fit side by side",
                BS_MAX_PANELS);
        return fail(errors, &error);
    }
    for (uint32_t i = 0; i <= compares->count; i++) {
        story->variant_count++;
        if (!make_variant(story, i, i ? compares->list[i - 1] : NULL, trace_model, errors))
            return false;
    }
    name_first(story);
    return true;
}

/* Source places outlive the launch that they come with. */
static bool keep_places(struct bs_told_kernel *told, const struct bs_kernel *kernel)
{
    if (!kernel->place_count)
        return true;
    told->places = calloc(kernel->place_count, sizeof *told->places);
    for (size_t i = 0; told->places && i < kernel->place_count; i++) {
        struct bs_buffer text = {0};
        bs_buffer_text(&text, kernel->places[i].text);
        char *kept = bs_buffer_take(&text);
        if (!kept)
            return false;
        told->places[told->place_count++] = (struct bs_source_place){kernel->places[i].pc, kept};
    }
    return told->places;
}

static bool keep_kernel(struct bs_story *story, const struct bs_kernel *kernel)
{
    const size_t number = (size_t)kernel->launch;
    struct bs_buffer name = {0};
    struct bs_told_kernel *kernels =
        bs_grow(story->kernels, &story->kernel_room, number + 1, sizeof *kernels);
    if (!kernels)
        return false;
    story->kernels = kernels;
    while (story->kernel_count <= number)
        kernels[story->kernel_count++] = (struct bs_told_kernel){.smem = -1};
    struct bs_told_kernel *told = &kernels[number];
    if (told->name)
        return true;
    bs_buffer_text(&name, kernel->demangled ? kernel->demangled : kernel->name);
    told->name = bs_buffer_take(&name);
    told->smem = kernel->smem;
    memcpy(told->block, kernel->block, sizeof told->block);
    return told->name && keep_places(told, kernel);
}

/* The first record says which model its kernel asks for, and the others have to agree. */
static bool enter_kernel(struct bs_story *story, const struct bs_kernel *kernel,
                         struct bs_errors *errors)
{
    struct bs_error error;
    if (!story->request.options.model &&
        !bs_model_agree(&story->choice, kernel, bs_trace_name(story->trace), &error))
        return fail(errors, &error);
    if (!keep_kernel(story, kernel))
        return false;
    story->launch = kernel->launch;
    return story->variant_count ||
           make_variants(story, story->choice.name[0] ? story->choice.name : NULL, errors);
}

static bool check_record(struct bs_story *story, const struct bs_record *record, const char *name,
                         struct bs_errors *errors)
{
    struct bs_error error;
    struct bs_error placed;
    for (uint32_t i = 0; i < story->variant_count; i++) {
        if (bs_access_check(story->variants[i].model, &record->access,
                            story->request.options.allow_misaligned, &error))
            continue;
        bs_fail(&placed, error.status, name, record->line, 0, "%s", error.text);
        return fail(errors, &placed);
    }
    return true;
}

static bool keep(struct bs_story *story, const struct bs_access *access, uint32_t kernel,
                 uint64_t line)
{
    struct bs_cost cost;
    struct bs_told *told =
        bs_grow(story->told, &story->told_room, story->count + 1, sizeof *story->told);
    if (!told)
        return false;
    story->told = told;
    bs_count(story->variants[0].model, access, &cost);
    told += story->count++;
    *told = (struct bs_told){
        .pc = access->pc,
        .mask = access->mask,
        .place = story->pool.size,
        .kernel = kernel,
        .cta = access->cta,
        .warp = access->warp,
        .dep = access->dep,
        .line = line < UINT32_MAX ? (uint32_t)line : 0,
        .op = access->op.index,
        .passes = cost.passes < UINT16_MAX ? (uint16_t)cost.passes : UINT16_MAX,
    };
    told->form = keep_addresses(&story->pool, access);
    if (cost.passes > story->most_passes)
        story->most_passes = cost.passes;
    return !story->pool.failed;
}

static bool take(struct bs_story *story, const struct bs_record *record, struct bs_errors *errors)
{
    if (record->kernel->launch != story->launch && !enter_kernel(story, record->kernel, errors))
        return false;
    return check_record(story, record, bs_trace_name(story->trace), errors) &&
           keep(story, &record->access, (uint32_t)record->kernel->launch, record->line);
}

static bool read_own(struct bs_story *story, size_t records, struct bs_errors *errors)
{
    struct bs_error error;
    struct bs_record record;
    while (records > 0 && !story->whole) {
        switch (bs_trace_next(story->trace, &record, &error)) {
        case BS_TRACE_LAUNCH:
            break;
        case BS_TRACE_RECORD:
            if (!take(story, &record, errors))
                return false;
            records--;
            break;
        case BS_TRACE_END:
            story->whole = true;
            break;
        case BS_TRACE_ERROR:
            return fail(errors, &error);
        }
    }
    return true;
}

static bool read_story(struct bs_story *story, size_t records, struct bs_errors *errors);

/* Reads the others as far as the story has come, which then goes no further than each of them. */
static bool read_others(struct bs_story *story, struct bs_errors *errors)
{
    for (uint32_t i = 0; i < BS_MAX_PANELS; i++) {
        struct bs_story *other = story->others[i];
        if (!other)
            continue;
        if (other->count < story->count && !read_story(other, story->count - other->count, errors))
            return false;
        if (other->count < story->count) {
            story->count = other->count;
            story->whole = true;
        }
    }
    return true;
}

static bool read_story(struct bs_story *story, size_t records, struct bs_errors *errors)
{
    return read_own(story, records, errors) && read_others(story, errors);
}

/* What the trace has to say at its end is said once, however many panels show it. */
bool bs_story_read(struct bs_story *story, size_t records, struct bs_errors *errors)
{
    const bool was_whole = story->whole;
    if (!read_story(story, records, errors))
        return false;
    if (!was_whole && story->whole && story->trace && bs_trace_warning(story->trace))
        bs_warn(bs_trace_warning(story->trace));
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool tell_words(struct bs_story *story, struct bs_errors *errors)
{
    story->whole = true;
    return make_variants(story, NULL, errors) &&
           keep(story, &story->variants[0].subject.access, 0, 0);
}

bool bs_story_open(struct bs_story *story, const struct bs_request *request,
                   struct bs_errors *errors)
{
    struct bs_error error;
    *story = (struct bs_story){.request = *request, .launch = UINT64_MAX};
    if (!request->trace)
        return tell_words(story, errors);
    if (!bs_subject_bind(&story->request.options, &error))
        return fail(errors, &error);
    struct bs_trace_options reading = story->request.options.reading;
    reading.errors = errors;
    story->trace = bs_trace_open_with(request->trace, &reading, &error);
    if (!story->trace)
        return errors->count > 0 ? false : fail(errors, &error);
    if (!bs_story_read(story, 1, errors))
        return false;
    if (story->count)
        return true;
    bs_fail(&error, BS_BAD_TRACE, bs_trace_name(story->trace), 0, 0, "the trace has no records");
    return fail(errors, &error);
}

static void free_kernel(struct bs_told_kernel *kernel)
{
    for (size_t i = 0; i < kernel->place_count; i++)
        free((char *)kernel->places[i].text);
    free(kernel->places);
    free(kernel->name);
}

void bs_story_free(struct bs_story *story)
{
    for (uint32_t i = 0; i < story->variant_count; i++)
        bs_variant_free(&story->variants[i]);
    for (uint32_t i = 0; i < BS_MAX_PANELS; i++)
        if (story->others[i]) {
            bs_story_free(story->others[i]);
            free(story->others[i]);
        }
    for (size_t i = 0; i < story->kernel_count; i++)
        free_kernel(&story->kernels[i]);
    free(story->kernels);
    free(story->told);
    bs_buffer_free(&story->pool);
    if (story->trace)
        bs_trace_close(story->trace);
    bs_subject_options_free(&story->request.options);
    bs_words_free(&story->request.compares);
    *story = (struct bs_story){0};
}

static void switch_lanes(const struct bs_story *story, size_t record, struct bs_access *access)
{
    if (story->switched.some && story->switched.record == record)
        access->mask &= story->switched.lanes;
}

void bs_story_access(const struct bs_story *story, size_t record, uint32_t variant,
                     struct bs_access *access, uint32_t addr[BS_MAX_LANES],
                     uint64_t src[BS_MAX_LANES])
{
    if (story->others[variant]) {
        bs_story_access(story->others[variant], record, 0, access, addr, src);
        return;
    }
    const struct bs_told *told = &story->told[record];
    if (!story->request.trace) {
        *access = story->variants[variant].subject.access;
        switch_lanes(story, record, access);
        return;
    }
    memset(addr, 0, BS_MAX_LANES * sizeof *addr);
    memset(src, 0, BS_MAX_LANES * sizeof *src);
    if (told->form != FORM_NONE)
        recall_addresses(story->pool.data + told->place, told, addr, src);
    *access = (struct bs_access){
        .op = bs_op_at(told->op),
        .mask = told->mask,
        .addr = addr,
        .src = told->form & FORM_SOURCES ? src : NULL,
        .cta = told->cta,
        .warp = told->warp,
        .pc = told->pc,
        .dep = told->dep,
        .record = record,
    };
    switch_lanes(story, record, access);
}

const char *bs_story_source(const struct bs_story *story, size_t record, char *out, size_t room)
{
    char name[128];
    const struct bs_told *told = &story->told[record];
    const struct bs_told_kernel *kernel = &story->kernels[told->kernel];
    const struct bs_kernel search = {.places = kernel->places, .place_count = kernel->place_count};
    const struct bs_source_place *place =
        story->request.trace ? bs_kernel_place(&search, told->pc) : NULL;
    out[0] = '\0';
    if (!place)
        return out;
    bs_printable(place->text, strlen(place->text), out, room);
    if (!bs_is_sketch(story->trace) || !told->line)
        return out;
    const char *path = bs_trace_name(story->trace);
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const size_t used = strlen(out);
    snprintf(out + used, room - used, " \u00b7 %s:%u",
             bs_printable(file, strlen(file), name, sizeof name), told->line);
    return out;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Prices the records read so far anew. False if a variant cannot. */
static bool price_again(struct bs_story *story, struct bs_errors *errors)
{
    story->most_passes = 0;
    for (size_t i = 0; i < story->count; i++) {
        struct bs_record record = {0};
        struct bs_cost cost;
        uint32_t addr[BS_MAX_LANES];
        uint64_t src[BS_MAX_LANES];
        bs_story_access(story, i, 0, &record.access, addr, src);
        if (!check_record(story, &record, NULL, errors))
            return false;
        bs_count(story->variants[0].model, &record.access, &cost);
        story->told[i].op = record.access.op.index;
        story->told[i].mask = record.access.mask;
        story->told[i].passes = cost.passes < UINT16_MAX ? (uint16_t)cost.passes : UINT16_MAX;
        story->most_passes = cost.passes > story->most_passes ? cost.passes : story->most_passes;
    }
    return true;
}

static void free_variants(struct bs_variant *variants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bs_variant_free(&variants[i]);
}

/* Makes the variants of a changed request in the places of the old ones, whose accesses point into
 * these places. */
/* A sketch gives other records under other parameters: it is read anew. */
static bool read_anew(struct bs_story *story, const struct bs_request *request,
                      struct bs_errors *errors)
{
    struct bs_story *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return false;
    const bool good = bs_story_open(fresh, request, errors) &&
                      bs_story_read(fresh, story->whole ? SIZE_MAX : story->count, errors);
    if (good) {
        bs_story_free(story);
        *story = *fresh;
    } else {
        fresh->request.options.sets = fresh->request.options.lets = fresh->request.compares =
            (struct bs_words){0}; /* they are still the caller's */
        bs_story_free(fresh);
    }
    free(fresh);
    return good;
}

bool bs_story_change(struct bs_story *story, const struct bs_request *request,
                     struct bs_errors *errors)
{
    struct bs_param param;
    struct bs_error error;
    if (story->trace && bs_param_at(story->trace, 0, &param))
        return read_anew(story, request, errors);
    const struct bs_switched switched = story->switched;
    story->switched = (struct bs_switched){0};
    const uint32_t count = story->variant_count;
    struct bs_request before = story->request;
    struct bs_variant *old = malloc(sizeof story->variants);
    if (!old)
        return false;
    memcpy(old, story->variants, sizeof story->variants);
    story->request = *request;
    story->variant_count = 0;
    const bool made =
        make_variants(story, story->choice.name[0] ? story->choice.name : NULL, errors) &&
        price_again(story, errors);
    if (made) {
        free_variants(old, count);
        bs_subject_options_free(&before.options);
        bs_words_free(&before.compares);
    } else {
        free_variants(story->variants, story->variant_count);
        memcpy(story->variants, old, sizeof story->variants);
        story->variant_count = count;
        story->request = before;
        price_again(story, errors); /* nothing new can be wrong with it */
    }
    if (switched.some)
        bs_story_switch(story, switched.record, switched.lanes, &error); /* if it still can be */
    free(old);
    return made;
}
