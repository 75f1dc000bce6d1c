/* Items in, a trace out: modules and their listings, launches, events. */
#include "capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct module {
    uint32_t number;
    void *cubin;
    size_t size;
};

/* A kernel that was launched, and what is known of its code. */
struct code {
    uint32_t module;
    char *kernel;
    bool known; /* listing is read */
    struct bs_listing listing;
};

struct bs_capture {
    struct bs_capture_plan plan;
    struct bs_trace_writer *writer;
    struct bs_capture_account account;
    struct module *modules;
    size_t module_count, module_room;
    struct code *codes;
    size_t code_count, code_room;
    struct bs_item_device device;
    char device_name[128];
    uint64_t matches; /* launches of kernels that fit, where launches are chosen here */
    struct bs_op_cache ops;

    /* The launch that is being read. */
    bool in_launch;
    bool wanted;
    bool begun; /* its kernel stands in the trace */
    struct bs_item_launch launch;
    char *kernel;
    size_t code; /* number in codes */
};

static bool no_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

static bool damaged(const char *what, struct bs_error *error)
{
    return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "the capture is damaged at %s", what);
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    return copy;
}

/* ---- modules and listings ------------------------------------------------------------------- */

static bool take_module(struct bs_capture *capture, const struct bs_item *item,
                        struct bs_error *error)
{
    struct module module;
    const char *cubin;
    if (!bs_item_get_module(item, &module.number, &cubin, &module.size))
        return damaged("a module", error);
    struct module *modules = bs_grow(capture->modules, &capture->module_room,
                                     capture->module_count + 1, sizeof *modules);
    if (!modules)
        return no_memory(error);
    capture->modules = modules;
    module.cubin = malloc(module.size + 1);
    if (!module.cubin)
        return no_memory(error);
    memcpy(module.cubin, cubin, module.size);
    modules[capture->module_count++] = module;
    return true;
}

/* The module that last had the number. */
static const struct module *find_module(const struct bs_capture *capture, uint32_t number)
{
    for (size_t i = capture->module_count; i > 0; i--)
        if (capture->modules[i - 1].number == number)
            return &capture->modules[i - 1];
    return NULL;
}

/* The number in codes of a kernel, which is added when it is new. */
static bool find_code(struct bs_capture *capture, uint32_t module, const char *kernel, size_t *at,
                      struct bs_error *error)
{
    for (*at = 0; *at < capture->code_count; ++*at)
        if (capture->codes[*at].module == module && strcmp(capture->codes[*at].kernel, kernel) == 0)
            return true;
    struct code *codes =
        bs_grow(capture->codes, &capture->code_room, capture->code_count + 1, sizeof *codes);
    if (!codes)
        return no_memory(error);
    capture->codes = codes;
    codes[*at] = (struct code){.module = module, .kernel = copy_text(kernel)};
    if (!codes[*at].kernel)
        return no_memory(error);
    capture->code_count++;
    return true;
}

static bool read_listing(struct bs_capture *capture, size_t at, const char *text,
                         struct bs_error *error)
{
    struct code *code = &capture->codes[at];
    if (code->known)
        return true;
    if (!bs_listing_read(&code->listing, text, code->kernel))
        return no_memory(error);
    code->known = true;
    for (unsigned i = 0; i < BS_SITES; i++)
        capture->account.sites[i] += code->listing.sites[i];
    return true;
}

static bool take_listing(struct bs_capture *capture, const struct bs_item *item,
                         struct bs_error *error)
{
    uint32_t module;
    const char *function, *text;
    size_t at;
    if (!bs_item_get_listing(item, &module, &function, &text))
        return damaged("a listing", error);
    if (capture->plan.choose_launches &&
        !bs_selection_takes_kernel(capture->plan.selection, function))
        return true;
    return find_code(capture, module, function, &at, error) &&
           read_listing(capture, at, text, error);
}

static bool keep_listing(struct bs_capture *capture, const struct code *code, const char *text,
                         struct bs_error *error)
{
    struct bs_buffer payload = {0};
    bs_item_put_listing(&payload, code->module, code->kernel, text);
    /* Without the header, which the keeper writes. */
    const struct bs_item item = {BS_ITEM_LISTING, payload.data ? payload.data + 16 : NULL,
                                 payload.size - 16};
    const bool kept =
        payload.failed ? no_memory(error) : capture->plan.keep(capture->plan.user, &item, error);
    bs_buffer_free(&payload);
    return kept;
}

/* Sees to it that the kernel's listing is there, if there can be one. */
static bool need_listing(struct bs_capture *capture, size_t at, struct bs_error *error)
{
    struct code *code = &capture->codes[at];
    const struct module *module = find_module(capture, code->module);
    struct bs_error why = {.text = "its module is not known"};
    if (code->known)
        return true;
    char *text = module && capture->plan.disassemble
                     ? capture->plan.disassemble(capture->plan.user, module->cubin, module->size,
                                                 code->kernel, &why)
                     : NULL;
    if (!text) {
        code->known = true; /* that there is none; it is said once */
        if (capture->account.unlisted++ == 0)
            snprintf(capture->account.unlisted_why, sizeof capture->account.unlisted_why, "%s",
                     why.text);
        return true;
    }
    const bool done = read_listing(capture, at, text, error) &&
                      (!capture->plan.keep || keep_listing(capture, code, text, error));
    free(text);
    return done;
}

/* ---- launches ------------------------------------------------------------------------------- */

static bool is_in(struct bs_range range, uint64_t value)
{
    return value >= range.low && value <= range.high;
}

static bool take_device(struct bs_capture *capture, const struct bs_item *item,
                        struct bs_error *error)
{
    if (!bs_item_get_device(item, &capture->device))
        return damaged("a device", error);
    snprintf(capture->device_name, sizeof capture->device_name, "%s", capture->device.name);
    capture->device.name = capture->device_name;
    return true;
}

static bool is_wanted(struct bs_capture *capture)
{
    const struct bs_selection *selection = capture->plan.selection;
    if (!capture->plan.choose_launches)
        return true;
    return bs_selection_takes_kernel(selection, capture->launch.kernel) &&
           is_in(selection->launch, capture->matches++);
}

static bool take_launch(struct bs_capture *capture, const struct bs_item *item,
                        struct bs_error *error)
{
    struct bs_item_launch launch;
    if (!bs_item_get_launch(item, &launch) || !launch.kernel[0])
        return damaged("a launch", error);
    if (capture->in_launch)
        return damaged("a launch within another", error);
    free(capture->kernel);
    capture->kernel = copy_text(launch.kernel);
    if (!capture->kernel)
        return no_memory(error);
    launch.kernel = capture->kernel;
    capture->launch = launch;
    capture->in_launch = true;
    capture->begun = false;
    capture->wanted = is_wanted(capture);
    if (!capture->wanted) {
        capture->account.passed_by++;
        return true;
    }
    capture->account.launches++;
    return find_code(capture, launch.module, launch.kernel, &capture->code, error) &&
           need_listing(capture, capture->code, error);
}

static bool open_trace(struct bs_capture *capture, struct bs_error *error)
{
    if (capture->writer)
        return true;
    FILE *file = capture->plan.open(capture->plan.user, error);
    if (!file)
        return false;
    capture->writer = bs_writer_open(file, capture->plan.format, error);
    return capture->writer != NULL;
}

/* The source places of the kernel's instructions, which the caller frees with their texts; NULL
 * with count 0 where none is known. False when memory is out. */
static bool make_places(const struct bs_listing *listing, struct bs_source_place **places,
                        size_t *count, char **texts)
{
    struct bs_buffer text = {0};
    size_t at = 0;
    *count = 0;
    *places = calloc(listing->count + 1, sizeof **places);
    for (size_t i = 0; i < listing->count; i++) {
        const struct bs_instruction_at *instruction = &listing->list[i];
        if (instruction->line == 0)
            continue;
        bs_buffer_printf(&text, "%s:%" PRIu32, listing->files[instruction->file],
                         instruction->line);
        bs_buffer_add(&text, "", 1);
        if (*places)
            (*places)[(*count)++].pc = instruction->offset;
    }
    *texts = bs_buffer_take(&text);
    for (size_t i = 0; *texts && *places && i < *count; i++) {
        (*places)[i].text = *texts + at;
        at += strlen(*texts + at) + 1;
    }
    return *places && *texts;
}

/* Writes the kernel's line, at its first record, which alone knows how much shared memory the CTA
 * has, or at its end. */
static bool begin_kernel(struct bs_capture *capture, int64_t smem, struct bs_error *error)
{
    const struct bs_item_launch *launch = &capture->launch;
    struct bs_kernel kernel = bs_kernel_named(launch->kernel);
    struct bs_source_place *places;
    char *texts;
    if (capture->begun)
        return true;
    capture->begun = true;
    char *demangled = bs_demangle(launch->kernel);
    kernel.demangled = demangled;
    kernel.smem = smem;
    kernel.device = capture->device_name[0] ? capture->device_name : NULL;
    kernel.cc[0] = capture->device.major;
    kernel.cc[1] = capture->device.minor;
    memcpy(kernel.grid, launch->grid, sizeof kernel.grid);
    memcpy(kernel.block, launch->block, sizeof kernel.block);
    const bool made =
        make_places(&capture->codes[capture->code].listing, &places, &kernel.place_count, &texts);
    kernel.places = places;
    const bool written =
        made ? open_trace(capture, error) && bs_writer_kernel(capture->writer, &kernel, error)
             : no_memory(error);
    free(places);
    free(texts);
    free(demangled);
    return written;
}

/* What is missing of a launch stands behind it as comments, where the format has such; what is
 * missing of the trace at its end as notes. */
struct telling {
    struct bs_trace_writer *writer;
    bool (*write)(struct bs_trace_writer *writer, const char *text, struct bs_error *error);
    struct bs_error *error;
    bool failed;
};

static void tell(void *user, const char *sentence)
{
    struct telling *telling = user;
    if (!telling->failed)
        telling->failed = !telling->write(telling->writer, sentence, telling->error);
}

static bool comment_on(struct bs_capture *capture, const struct bs_item_end *end,
                       struct bs_error *error)
{
    struct telling telling = {capture->writer, bs_writer_comment, error, false};
    struct bs_capture_account account = {.over = end->over, .outside = end->outside};
    memcpy(account.unseen, end->unseen, sizeof account.unseen);
    memcpy(account.sites, capture->codes[capture->code].listing.sites, sizeof account.sites);
    bs_capture_tell(&account, tell, &telling);
    return !telling.failed;
}

static bool take_end(struct bs_capture *capture, const struct bs_item *item, struct bs_error *error)
{
    struct bs_item_end end;
    struct bs_capture_account *account = &capture->account;
    if (!bs_item_get_end(item, &end))
        return damaged("the end of a launch", error);
    if (!capture->in_launch)
        return damaged("the end of a launch that did not begin", error);
    capture->in_launch = false;
    if (!capture->wanted)
        return true;
    account->over += end.over;
    account->outside += end.outside;
    for (unsigned i = 0; i < BS_UNSEENS; i++)
        account->unseen[i] += end.unseen[i];
    if (end.failure[0] && account->failed++ == 0)
        snprintf(account->failure, sizeof account->failure, "%s", end.failure);
    return begin_kernel(capture, -1, error) && comment_on(capture, &end, error);
}

/* ---- events --------------------------------------------------------------------------------- */

static const struct bs_instruction_at *instruction_of(const struct bs_capture *capture, uint64_t pc)
{
    const struct bs_item_launch *launch = &capture->launch;
    if (pc < launch->pc || pc - launch->pc >= launch->size)
        return NULL;
    return bs_listing_find(&capture->codes[capture->code].listing, pc - launch->pc);
}

static bool write_event(struct bs_capture *capture, const struct bs_event *event,
                        struct bs_error *error)
{
    const struct bs_item_launch *launch = &capture->launch;
    const struct bs_join_frame frame = {
        .reserved = capture->device.reserved,
        .lanes = launch->block[0] * launch->block[1] * launch->block[2],
        .ops = &capture->ops,
    };
    uint32_t addresses[BS_EVENT_LANES] = {0};
    uint64_t sources[BS_EVENT_LANES] = {0};
    struct bs_access access;
    switch (bs_join(event, instruction_of(capture, event->pc), &frame, &access, addresses, sources,
                    &capture->account.doubts)) {
    case BS_JOINED_PARTIAL:
        capture->account.unseen[BS_UNSEEN_PARTIAL]++;
        return true;
    case BS_JOINED_SYSTEM:
        capture->account.system++;
        return true;
    case BS_JOINED_ACCESS:
        break;
    }
    access.pc = event->pc - launch->pc;
    capture->account.records++;
    return begin_kernel(capture, event->smem, error) &&
           bs_writer_record(capture->writer, &access, error);
}

static bool take_event(struct bs_capture *capture, const struct bs_event *event,
                       struct bs_error *error)
{
    const struct bs_selection *selection = capture->plan.selection;
    if (!is_in(selection->cta, event->cta))
        capture->account.outside++;
    else if (capture->account.records >= selection->records)
        capture->account.over++;
    else
        return write_event(capture, event, error);
    return true;
}

static bool take_events(struct bs_capture *capture, const struct bs_item *item,
                        struct bs_error *error)
{
    struct bs_event event;
    size_t at = 0;
    bool whole;
    if (!capture->in_launch)
        return damaged("accesses outside of a launch", error);
    if (!capture->wanted)
        return true;
    while (bs_item_get_event(item, &at, &event, &whole))
        if (!take_event(capture, &event, error))
            return false;
    return whole || damaged("an access", error);
}

/* ---- the interface -------------------------------------------------------------------------- */

static bool take_missed(struct bs_capture *capture, const struct bs_item *item,
                        struct bs_error *error)
{
    uint64_t launches;
    const char *why;
    if (!bs_item_get_missed(item, &launches, &why))
        return damaged("a count of launches", error);
    capture->account.missed += launches;
    snprintf(capture->account.missed_why, sizeof capture->account.missed_why, "%s", why);
    return true;
}

static bool dispatch(struct bs_capture *capture, const struct bs_item *item, struct bs_error *error)
{
    switch (item->type) {
    case BS_ITEM_DEVICE:
        return take_device(capture, item, error);
    case BS_ITEM_MODULE:
        return take_module(capture, item, error);
    case BS_ITEM_LISTING:
        return take_listing(capture, item, error);
    case BS_ITEM_LAUNCH:
        return take_launch(capture, item, error);
    case BS_ITEM_EVENTS:
        return take_events(capture, item, error);
    case BS_ITEM_END:
        return take_end(capture, item, error);
    case BS_ITEM_MISSED:
        return take_missed(capture, item, error);
    }
    return damaged("an item of unknown type", error);
}

struct bs_capture *bs_capture_begin(const struct bs_capture_plan *plan)
{
    struct bs_capture *capture = calloc(1, sizeof *capture);
    if (capture)
        capture->plan = *plan;
    return capture;
}

/* An item is kept when it has been taken: so the listing that a launch asks for stands before it.
 */
bool bs_capture_take(struct bs_capture *capture, const struct bs_item *item, struct bs_error *error)
{
    return dispatch(capture, item, error) &&
           (!capture->plan.keep || capture->plan.keep(capture->plan.user, item, error));
}

bool bs_capture_take_all(struct bs_capture *capture, const struct bs_item_source *source,
                         struct bs_error *error)
{
    struct bs_buffer room = {0};
    struct bs_item item;
    bool end = false;
    bool good = bs_item_start(source, error);
    while (good && !end)
        good = bs_item_next(source, &room, &item, &end, error) &&
               (end || bs_capture_take(capture, &item, error));
    bs_buffer_free(&room);
    return good;
}

bool bs_capture_finish(struct bs_capture *capture, struct bs_error *error)
{
    capture->account.cut_off = capture->in_launch && capture->wanted;
    if (capture->account.cut_off && !begin_kernel(capture, -1, error))
        return false;
    if (!capture->writer)
        return true;
    struct telling telling = {capture->writer, bs_writer_note, error, false};
    bs_capture_tell(&capture->account, tell, &telling);
    return !telling.failed && bs_writer_finish(capture->writer, error);
}

const struct bs_capture_account *bs_capture_account_of(const struct bs_capture *capture)
{
    return &capture->account;
}

void bs_capture_free(struct bs_capture *capture)
{
    if (!capture)
        return;
    for (size_t i = 0; i < capture->module_count; i++)
        free(capture->modules[i].cubin);
    for (size_t i = 0; i < capture->code_count; i++) {
        free(capture->codes[i].kernel);
        bs_listing_free(&capture->codes[i].listing);
    }
    free(capture->modules);
    free(capture->codes);
    free(capture->kernel);
    bs_writer_close(capture->writer);
    free(capture);
}
