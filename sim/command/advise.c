/* bankshot advise: the padding or swizzle that makes accesses cheap. */
#include "advise.h"
#include "advise_trace.h"
#include "filters.h"
#include "imports.h"
#include "lookup.h"
#include "progress.h"
#include "reading.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct advise_options {
    const char *model;
    struct bs_words sets, lets;
    const char *try, *pad_unit, *max_pad, *keep_align, *max_memory, *top, *pitch;
    bool power_of_two_pitch;
    unsigned format;
    struct bs_filter_words words;
    struct bs_filter filter;
    struct bs_trace_options reading;
    struct bs_let_list bound;
};

/* ---- constraints ----------------------------------------------------------------------------- */

enum { MOST_BYTES = 4096 /* of a padding */ };

/* A power of two from 1 to most; 0 where nothing is given. */
static bool take_power(const char *option, const char *word, uint64_t most, uint32_t *out,
                       struct bs_error *error)
{
    char shown[64];
    uint64_t number;
    if (!word)
        return true;
    const size_t size = strlen(word);
    if (!bs_number_parse(word, size, most, &number) || number == 0 || (number & (number - 1)) != 0)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "%s: expected a power of two of bytes from 1 to %llu, found '%s'", option,
                       (unsigned long long)most, bs_printable(word, size, shown, sizeof shown));
    *out = (uint32_t)number;
    return true;
}

static bool take_number(const char *option, const char *what, const char *word, uint64_t most,
                        uint64_t *out, struct bs_error *error)
{
    char shown[64];
    if (!word)
        return true;
    const size_t size = strlen(word);
    if (!bs_number_parse(word, size, most, out))
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s: expected %s from 0 to %llu, found '%s'",
                       option, what, (unsigned long long)most,
                       bs_printable(word, size, shown, sizeof shown));
    return true;
}

/* "10%" or "10". */
static bool take_percent(const char *word, struct bs_advice *advice, struct bs_error *error)
{
    enum { MOST = 1000 };
    char digits[16] = "";
    const size_t size = word ? strlen(word) : 0;
    if (!word)
        return true;
    if (size > 1 && size < sizeof digits && word[size - 1] == '%')
        memcpy(digits, word, size - 1);
    advice->limited = true;
    return take_number("--max-memory", "percent", digits[0] ? digits : word, MOST,
                       &advice->max_percent, error);
}

/* The kinds of layouts by their names, joined by commas; those of both together come with them. */
static bool take_schemes(const char *word, unsigned *schemes, struct bs_error *error)
{
    char shown[64];
    const char *rest = word;
    while (rest && *rest) {
        const size_t size = strcspn(rest, ",");
        unsigned scheme = BS_SCHEME_GIVEN + 1;
        while (scheme < BS_SCHEME_PAD_XOR && (strlen(bs_scheme_name(scheme)) != size ||
                                              strncmp(bs_scheme_name(scheme), rest, size) != 0))
            scheme++;
        if (scheme == BS_SCHEME_PAD_XOR)
            return bs_fail(error, BS_USAGE, NULL, 0, 0,
                           "--try: expected pad, fold, xor, skew and swizzle, joined by commas, "
                           "found '%s'",
                           bs_printable(rest, size, shown, sizeof shown));
        *schemes |= 1u << scheme;
        rest += size + (rest[size] == ',');
    }
    if (word && *schemes == 0)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "--try: expected a kind of layout");
    if (!word)
        *schemes = (1u << BS_SCHEMES) - 1;
    if (*schemes & 1u << BS_SCHEME_PITCH && *schemes & 1u << BS_SCHEME_XOR)
        *schemes |= 1u << BS_SCHEME_PAD_XOR;
    if (*schemes & 1u << BS_SCHEME_PITCH && *schemes & 1u << BS_SCHEME_SKEW)
        *schemes |= 1u << BS_SCHEME_PAD_SKEW;
    return true;
}

static bool take_space(const struct advise_options *options, struct bs_space *space,
                       struct bs_error *error)
{
    uint64_t max_pad = 0;
    if (!take_schemes(options->try, &space->schemes, error) ||
        !take_power("--pad-unit", options->pad_unit, MOST_BYTES, &space->pad_unit, error) ||
        !take_power("--keep-align", options->keep_align, 16, &space->keep_align, error) ||
        !take_number("--max-pad", "bytes", options->max_pad, MOST_BYTES, &max_pad, error))
        return false;
    space->max_pad = (uint32_t)max_pad;
    space->power_of_two_pitch = options->power_of_two_pitch;
    if (options->max_pad && max_pad == 0)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "--max-pad: expected at least 1 byte; --try leaves paddings out");
    return true;
}

static bool take_options(const struct advise_options *options, struct bs_advice *advice,
                         struct bs_error *error)
{
    uint64_t top = 0;
    if (!take_space(options, &advice->search->space, error) ||
        !take_percent(options->max_memory, advice, error) ||
        !take_number("--top", "a number", options->top, BS_SEARCH_BEST, &top, error))
        return false;
    advice->wanted = (size_t)top;
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void add_cost(struct bs_advice_total *total, const struct bs_work_cost *cost)
{
    total->passes += cost->passes;
    total->slots += cost->slots;
    total->instructions += cost->instructions;
    total->excess += cost->excess;
}

/* What stands where nothing is changed. */
static void price_before(struct bs_advice *advice)
{
    const struct bs_work *work = advice->search->work;
    advice->issued = true;
    for (size_t i = 0; i < work->array_count; i++) {
        const struct bs_layout *layout = &work->arrays[i].layout;
        advice->now.bytes += bs_layout_bytes(layout);
        advice->bare_bytes += (uint64_t)layout->rows * layout->columns * layout->element;
    }
    for (size_t i = 0; i < work->access_count; i++) {
        struct bs_work_cost *cost = &advice->before[i];
        const struct bs_layout *layout = &work->arrays[work->accesses[i].array].layout;
        advice->issued &= bs_work_price(work, advice->model, i, layout, cost);
        advice->before_stride[i] = bs_access_stride_of(work, advice->model, i, layout);
        advice->steps[i] = bs_work_steps(work, i);
        add_cost(&advice->now, cost);
    }
}

static void price_array_after(struct bs_advice *advice, size_t array,
                              const struct bs_layout *layout)
{
    const struct bs_work *work = advice->search->work;
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->accesses[i].array != array)
            continue;
        bs_work_price(work, advice->model, i, layout, &advice->after[i]);
        add_cost(&advice->then, &advice->after[i]);
        advice->after_stride[i] = bs_access_stride_of(work, advice->model, i, layout);
    }
}

/* The accesses under the best layouts, placed one behind the other as a compiler would. */
static bool price_after(struct bs_advice *advice)
{
    const struct bs_search *search = advice->search;
    const struct bs_work *work = search->work;
    uint32_t *spot = malloc(BS_SKETCH_BYTES * sizeof *spot);
    struct bs_layout layout;
    uint64_t end = 0;
    size_t number = 0;
    for (size_t array = 0; spot && array < work->array_count; array++) {
        const bool searched = number < search->count && search->array[number] == array;
        layout = work->arrays[array].layout;
        if (searched)
            layout = bs_candidate_lay(bs_advice_candidate(advice, advice->best, number++),
                                      &work->arrays[array].layout, spot);
        if (advice->is_sketch)
            end = bs_layout_place(&layout, end);
        advice->then.bytes += bs_layout_bytes(&layout);
        price_array_after(advice, array, &layout);
    }
    advice->then.smem = advice->is_sketch ? end : advice->then.bytes + advice->other_bytes;
    free(spot);
    return spot != NULL;
}

uint64_t bs_advice_room(const struct bs_advice *advice)
{
    const struct bs_capacity *capacity = &advice->model->capacity;
    const uint64_t taken = advice->other_bytes + capacity->reserved_memory;
    if (!capacity->shared_memory)
        return 0;
    return capacity->shared_memory > taken ? capacity->shared_memory - taken : 1;
}

/* What does not fit in a multiprocessor is no layout, whatever it would cost. */
static void set_room(struct bs_advice *advice)
{
    const uint64_t room = bs_advice_room(advice);
    uint64_t *most = &advice->search->max_bytes;
    if (room > 0 && (*most == 0 || *most > room))
        *most = room;
}

static void set_limit(struct bs_advice *advice)
{
    if (advice->limited)
        advice->search->max_bytes =
            advice->bare_bytes + advice->bare_bytes * advice->max_percent / 100;
}

struct watching {
    struct bs_progress progress;
    const char *name;
};

static void show_trial(void *user, uint64_t done, uint64_t total)
{
    struct watching *watching = user;
    if (bs_progress_is_due(&watching->progress, 1))
        bs_progress_draw(&watching->progress, watching->name, done, total);
}

static bool make_room(struct bs_advice *advice)
{
    const size_t count = advice->search->work->access_count + 1;
    advice->before = calloc(count, sizeof *advice->before);
    advice->after = calloc(count, sizeof *advice->after);
    advice->before_stride = calloc(count, sizeof *advice->before_stride);
    advice->after_stride = calloc(count, sizeof *advice->after_stride);
    advice->steps = calloc(count, sizeof *advice->steps);
    advice->best = calloc(BS_SEARCH_BEST, sizeof *advice->best);
    return advice->before && advice->after && advice->before_stride && advice->after_stride &&
           advice->steps && advice->best;
}

/* What the search found: the best layouts, and what those that are smaller would cost. */
static bool conclude(struct bs_advice *advice)
{
    enum { ALL = (1u << BS_SCHEMES) - 1 };
    struct bs_search smaller = *advice->search;
    advice->count =
        bs_search_best(advice->search, ALL, advice->wanted ? advice->wanted : 1, advice->best);
    if (advice->count == SIZE_MAX || (advice->count > 0 && !price_after(advice)))
        return false;
    if (advice->count > 0 && advice->best->rank.bytes > 1) {
        smaller.max_bytes = advice->best->rank.bytes - 1;
        advice->smaller_count = bs_search_best(&smaller, ALL, 1, &advice->smaller);
    }
    return advice->smaller_count != SIZE_MAX;
}

static bool search(struct bs_advice *advice, struct bs_error *error)
{
    struct watching watching = {.name = advice->subject};
    const struct bs_search_watch watch = {show_trial, &watching};
    if (!make_room(advice))
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    price_before(advice);
    set_limit(advice);
    set_room(advice);
    bs_progress_start(&watching.progress);
    const bool fine = bs_search_run(advice->search, &watch, error);
    bs_progress_end(&watching.progress);
    return fine && (conclude(advice) || bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory"));
}

static void free_advice(struct bs_advice *advice)
{
    free(advice->before);
    free(advice->after);
    free(advice->before_stride);
    free(advice->after_stride);
    free(advice->steps);
    free(advice->best);
}

bool bs_advice_keeps(const struct bs_advice *advice, const struct bs_combination *combination)
{
    for (size_t i = 0; i < advice->search->count; i++)
        if (bs_advice_candidate(advice, combination, i)->scheme != BS_SCHEME_GIVEN)
            return false;
    return true;
}

const struct bs_candidate *bs_advice_candidate(const struct bs_advice *advice,
                                               const struct bs_combination *combination,
                                               size_t number)
{
    return &advice->search->trials[number].list[combination->trial[number]].candidate;
}

/* ---- reports --------------------------------------------------------------------------------- */

static enum bs_status report(const struct bs_advice *advice, unsigned format)
{
    struct bs_spool out = {0};
    const bool fine = format == BS_TEXT ? bs_advice_text(advice, &out)
                                        : bs_advice_rows(advice, (enum bs_format)format, &out);
    if (!fine) {
        bs_spool_free(&out);
        return bs_out_of_memory();
    }
    const enum bs_status status = bs_spool_print(&out);
    return status == BS_OK && advice->count == 0 ? BS_UNMET : status;
}

/* ---- what is asked
 * -------------------------------------------------------------------------------- */

/* Whether the model can do an access at all, wherever its lanes go: one that it cannot is no matter
 * of layouts. */
static bool check_access(const struct bs_model *model, const struct bs_work *work, size_t number,
                         const char *file, struct bs_error *error)
{
    static const uint32_t nowhere[BS_MAX_LANES];
    const struct bs_sketch_access *access = &work->accesses[number];
    struct bs_error inner;
    for (size_t i = work->first[number]; i < work->first[number + 1]; i++) {
        const struct bs_access one = {
            .op = access->wish, .mask = work->visits[i].visit.mask, .addr = nowhere};
        if (!bs_access_check(model, &one, false, &inner))
            return bs_fail(error, inner.status, file, access->line, access->column, "%s",
                           inner.text);
    }
    return true;
}

static bool check_accesses(const struct bs_advice *advice, struct bs_error *error)
{
    const struct bs_work *work = advice->search->work;
    for (size_t i = 0; i < work->access_count; i++)
        if (!check_access(advice->model, work, i, advice->subject, error))
            return false;
    return true;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static enum bs_status advise_work(const struct advise_options *options, struct bs_advice *advice,
                                  const char *asked)
{
    struct bs_error error;
    enum bs_status status = BS_OK;
    const char *name = options->model ? options->model : asked ? asked : BS_DEFAULT_MODEL;
    struct bs_model *model = bs_find_model(name, options->sets.list, &status);
    if (!model)
        return status;
    advice->model = advice->search->model = model;
    advice->search->space.period = model->row_bytes;
    if (!check_accesses(advice, &error))
        status = bs_complain(&error);
    else if (search(advice, &error))
        status = report(advice, options->format);
    else
        status = bs_complain_at(&error, advice->subject, 0);
    bs_search_free(advice->search);
    free_advice(advice);
    bs_model_free(model);
    return status;
}

static enum bs_status advise_sketch(const struct advise_options *options, struct bs_advice *advice,
                                    const struct bs_sketch *sketch)
{
    struct bs_work work = {0};
    struct bs_model_choice choice;
    struct bs_error error;
    enum bs_status status;
    if (!options->model && !bs_model_of_sketch(&choice, sketch, &error))
        return bs_complain(&error);
    const uint32_t threads = sketch->block[0] * sketch->block[1] * sketch->block[2];
    advice->name = sketch->name;
    advice->is_sketch = true;
    advice->sketch = sketch;
    advice->now.smem = sketch->bytes;
    advice->block_threads = threads;
    advice->block_warps = (threads + sketch->lanes - 1) / sketch->lanes;
    advice->search->work = &work;
    bool fine = bs_work_of_sketch(&work, sketch, &error);
    if (fine && work.visit_count == 0)
        fine =
            bs_fail(&error, BS_BAD_MODEL, NULL, 0, 0,
                    "no thread makes an access: guards never hold, or loops are empty, and there "
                    "is nothing to lay out");
    if (fine)
        status = advise_work(options, advice, options->model ? NULL : choice.name);
    else
        status = bs_complain_at(&error, advice->subject, 0);
    bs_work_free(&work);
    return status;
}

/* Shared memory that the launch has and no access goes to is there under every layout. */
static void take_room(struct bs_advice *advice, const struct bs_traced_kernel *kernel)
{
    const struct bs_work *work = advice->search->work;
    uint64_t bytes = 0;
    for (size_t i = 0; i < work->array_count; i++)
        bytes += bs_layout_bytes(&work->arrays[i].layout);
    if (kernel->smem > 0 && (uint64_t)kernel->smem > bytes)
        advice->other_bytes = (uint64_t)kernel->smem - bytes;
    advice->now.smem = bytes + advice->other_bytes;
}

static enum bs_status advise_arrays(const struct advise_options *options, struct bs_advice *advice,
                                    struct bs_trace_arrays *arrays,
                                    const struct bs_traced_kernel *kernel)
{
    struct bs_error error;
    uint64_t pitch = 0;
    enum { WARP = 32 };
    arrays->block_x = kernel->block_x;
    if (!take_number("--pitch", "bytes", options->pitch, 1 << 16, &pitch, &error) ||
        !bs_trace_arrays_finish(arrays, (uint32_t)pitch, &error))
        return bs_complain(&error);
    advice->name = kernel->name;
    advice->typed = kernel->typed;
    advice->traced = arrays;
    advice->block_threads = kernel->threads;
    advice->block_warps = (kernel->threads + WARP - 1) / WARP;
    advice->search->work = &arrays->work;
    for (size_t i = 0; i < arrays->work.array_count; i++)
        advice->search->fixed |= (uint64_t)arrays->rows[i].in_doubt << i;
    take_room(advice, kernel);
    return advise_work(options, advice, kernel->choice.name[0] ? kernel->choice.name : NULL);
}

static enum bs_status advise_trace(const struct advise_options *options, struct bs_advice *advice,
                                   struct bs_trace *trace)
{
    struct bs_trace_arrays *arrays = calloc(1, sizeof *arrays);
    struct bs_traced_kernel kernel = {0};
    struct bs_error error;
    enum bs_status status;
    if (!arrays)
        return bs_out_of_memory();
    bs_trace_filter(trace, &options->filter);
    if (bs_trace_arrays_read(arrays, trace, options->model != NULL, &kernel, &error)) {
        bs_imports_tell(bs_trace_import(trace));
        status = advise_arrays(options, advice, arrays, &kernel);
    } else {
        status = bs_complain(&error);
    }
    bs_trace_arrays_free(arrays);
    free(arrays);
    return status;
}

/* A sketch has all its accesses, and says how its arrays lie. */
static bool for_traces(const struct advise_options *options)
{
    struct bs_buffer words = {0};
    bs_filter_words_text(&options->words, "", &words);
    const bool filtered = words.size > 0;
    bs_buffer_free(&words);
    return filtered || options->pitch;
}

static enum bs_status advise(const struct bs_verb *verb, struct advise_options *options,
                             const char *path)
{
    struct bs_search search = {0};
    struct bs_advice advice = {.subject = path, .search = &search};
    struct bs_error error;
    enum bs_status status;
    if (!take_options(options, &advice, &error))
        return bs_usage_error(verb, "%s", error.text);
    if (!bs_filter_of_words(verb, &options->words, &options->filter))
        return BS_USAGE;
    if (!bs_reading_bind(&options->bound, &options->lets, &options->reading, &error))
        return bs_usage_error(verb, "%s", error.text);
    options->reading.any_layout = true;
    struct bs_trace *trace = bs_reading_open(path, &options->reading, &status);
    if (!trace)
        return status;
    const struct bs_sketch *sketch = bs_trace_sketch(trace);
    if (sketch && for_traces(options))
        status = bs_usage_error(verb, "--pitch and the options that choose records are for traces");
    else
        status = sketch ? advise_sketch(options, &advice, sketch)
                        : advise_trace(options, &advice, trace);
    bs_trace_close(trace);
    return status;
}

static struct bs_option text_option(const char *name, const char *value, const char *help,
                                    const char **target)
{
    return (struct bs_option){
        .name = name, .value = value, .help = help, .kind = BS_OPTION_TEXT, .target = target};
}

static size_t option_table(struct advise_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = text_option("try", "KINDS",
                                 "kinds of layouts, joined by commas: pad, fold, xor, skew, "
                                 "swizzle (default: all)",
                                 &options->try);
    table[count++] = text_option("pad-unit", "BYTES",
                                 "paddings are multiples of it, such as 16 (default: an element)",
                                 &options->pad_unit);
    table[count++] = text_option("max-pad", "BYTES",
                                 "the most behind a row (default: less than all banks hold once, "
                                 "as more only repeats)",
                                 &options->max_pad);
    table[count++] = text_option("keep-align", "BYTES",
                                 "aligned pieces of rows of 2 to 16 bytes stay aligned and whole",
                                 &options->keep_align);
    table[count++] = (struct bs_option){.name = "power-of-two-pitch",
                                        .help = "rows are a power of two of elements apart",
                                        .target = &options->power_of_two_pitch};
    table[count++] = text_option("max-memory", "PERCENT",
                                 "the most that all arrays may take above what they take unpadded",
                                 &options->max_memory);
    table[count++] = text_option("top", "N", "list the N best, in place of the best of each kind",
                                 &options->top);
    table[count++] = bs_option_table_format(&options->format);
    table[count++] = bs_option_model(&options->model);
    table[count++] = bs_option_set(&options->sets);
    table[count++] = bs_option_let(&options->lets);
    table[count++] = text_option("pitch", "BYTES",
                                 "of a trace: rows are so far apart (default: what the addresses "
                                 "suggest)",
                                 &options->pitch);
    count += bs_import_option_table(&options->reading, table + count);
    return count + bs_filter_option_table(&options->words, table + count);
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct advise_options options = {0};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        status = argc - operand == 1
                     ? advise(verb, &options, argv[operand])
                     : bs_usage_error(verb, "expected one sketch or trace, found %d operands",
                                      argc - operand);
    bs_words_free(&options.sets);
    bs_words_free(&options.lets);
    return status;
}

const struct bs_verb bs_verb_advise = {
    .name = "advise",
    .summary = "find a padding or swizzle",
    .usage = "[OPTION]... SKETCH|TRACE|-",
    .about =
        "Tries layouts of the shared arrays of a sketch over all its accesses together: "
        "pitches, exclusive ors with the row, skews, CUTLASS's Swizzle<B,M,S>, and padding and "
        "swizzle at once where neither alone will do. The best has the fewest slots, then the "
        "fewest instructions (a padding under which 16 bytes are loaded as 4 words loses), "
        "then the least memory, then the simplest form. All of the space that the report "
        "names is tried, and it says how many slots no layout at all can save.\n"
        "\n"
        "Of a trace, which does not name its arrays, it says what the addresses suggest: "
        "ranges of bytes, and how far their rows are apart.\n"
        "\n"
        "Exit status 1 if no layout keeps what is asked.\n",
    .examples = "  bankshot advise traces/sketches/transpose-flat.yaml\n"
                "  bankshot advise tile.yaml --try pad --pad-unit 16 --max-memory 13%\n"
                "  bankshot advise tile.yaml --keep-align 16 --power-of-two-pitch --top 5\n"
                "  bankshot advise kernel.trace --kernel '*transpose*' --try pad,xor\n",
    .run = run,
};
