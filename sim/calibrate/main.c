/* The program bankshot-calibrate: asks a GPU what its shared memory does, and writes a device
 * model.
 */
#include "calibrate.h"

#include "bankshot-traces.h"
#include "command/lookup.h"
#include "command/options.h"
#include "command/output_file.h"
#include "command/phrases.h"
#include "command/progress.h"
#include "command/screen.h"
#include "command/subject.h"
#include "patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calibrate_options {
    uint64_t device, noise, patterns, seed;
    const char *simulate, *against, *name, *op, *out, *misses, *loops, *play;
    struct bs_words sets;
    bool clock;
};

static size_t option_table(struct calibrate_options *options, struct bs_option *table)
{
    const struct bs_option all[] = {
        {"device", 0, "N", "the GPU, by its number (default: 0)", BS_OPTION_NUMBER,
         &options->device, NULL},
        {"name", 0, "NAME", "what the model is called (default: calibrated)", BS_OPTION_TEXT,
         &options->name, NULL},
        {"out", 'o', "FILE", "where the model goes (default: standard output)", BS_OPTION_TEXT,
         &options->out, NULL},
        {"op", 0, "GLOB", "only the ops of that pattern, such as 'ld.*'", BS_OPTION_TEXT,
         &options->op, NULL},
        {"patterns", 0, "N",
         "random patterns that each rule has to predict after it was found (default: 100)",
         BS_OPTION_NUMBER, &options->patterns, NULL},
        {"seed", 0, "N", "starts the random patterns (default: 1)", BS_OPTION_NUMBER,
         &options->seed, NULL},
        {"misses", 0, "FILE",
         "write accesses that the best rules miss as a trace, with what was read and expected",
         BS_OPTION_TEXT, &options->misses, NULL},
        {"loops", 0, "FILE",
         "write the loops that were timed as a table, with the engine's cycles beside the measured",
         BS_OPTION_TEXT, &options->loops, NULL},
        {"clock", 0, NULL,
         "measure by the clock alone, even if the profiler's counter can be read; the rules of "
         "copies then stay unknown",
         BS_OPTION_FLAG, &options->clock, NULL},
        {"against", 0, "MODEL",
         "say in which rules the device differs from this model, with exit status 1 if it does, "
         "and give its numbers of time beside those found",
         BS_OPTION_TEXT, &options->against, NULL},
        {"simulate", 0, "MODEL", "ask this model instead of a GPU", BS_OPTION_TEXT,
         &options->simulate, NULL},
        bs_option_set(&options->sets),
        {"noise", 0, "N", "thousandths by which a simulated clock strays (default: 0)",
         BS_OPTION_NUMBER, &options->noise, NULL},
        {"play", 0, "FILE",
         "make the accesses of a file, a launch each: how this program runs itself under the "
         "profiler",
         BS_OPTION_TEXT, &options->play, NULL},
    };
    memcpy(table, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* "2 phases of 16 lanes, pairs join (1, 2)" */
static void describe_phases(const struct bs_rule *rule, struct bs_buffer *out)
{
    char lanes[BS_LANES_PHRASE];
    if (rule->phases == 1)
        bs_buffer_text(out, "one phase");
    else
        bs_buffer_printf(out, "%u phases, the first of %s", rule->phases,
                         bs_lanes_phrase(rule->phase[0], lanes));
    for (uint32_t i = 0; i < rule->merges; i++)
        bs_buffer_printf(out, "%s%u", i == 0 ? ", merging by " : ", ", rule->merge[i]);
}

static void describe_same_word(const struct bs_rule *rule, struct bs_buffer *out)
{
    bs_buffer_printf(out, "; same word: %s", bs_same_word_name((enum bs_same_word)rule->same_word));
}

static void describe_rule(const struct bs_rule *rule, struct bs_buffer *out)
{
    if (rule->method == BS_BY_SECTORS) {
        bs_buffer_printf(out, "sectors of %u bytes, lines of %u", rule->sector_bytes,
                         rule->source_line);
        return;
    }
    describe_phases(rule, out);
    if (rule->method == BS_BY_QUEUES)
        bs_buffer_text(out, "; lanes queue for banks of source and destination");
    else
        describe_same_word(rule, out);
    if (rule->combine == BS_LARGEST)
        bs_buffer_text(out, "; the largest phase counts");
    if (rule->multiplier > 1)
        bs_buffer_printf(out, "; each pass %u times", rule->multiplier);
    if (rule->extra_passes > 0)
        bs_buffer_printf(out, "; %u more passes", rule->extra_passes);
    if (rule->ports > 1)
        bs_buffer_printf(out, "; %u rows a pass", rule->ports);
    if (rule->request_bytes > 0)
        bs_buffer_printf(out, "; requests of %u bytes", rule->request_bytes);
    if (rule->source_line > 0)
        bs_buffer_printf(out, "; apart by source lines of %u bytes", rule->source_line);
}

static void report_finding(const struct bs_finding *finding, const struct bs_screen *screen,
                           struct bs_spool *out)
{
    char name[BS_OP_NAME];
    struct bs_buffer rule = {0};
    if (finding->found)
        describe_rule(&finding->rule, &rule);
    else
        bs_buffer_printf(&rule, "no rule explains it: the best misses %zu of %zu patterns",
                         finding->misses, finding->asked);
    if (finding->rivals > 0)
        bs_buffer_text(&rule, "; but other rules explain what was seen as well");
    bs_spool_printf(out, "%-18s %5zu  %4zu/%-4zu  ", bs_op_name(finding->op, name), finding->asked,
                    finding->predicted, finding->tried);
    char *text = bs_buffer_take(&rule);
    bs_screen_wrap(screen, out, 37, text ? text : "");
    free(text);
}

static const char *mapping_phrase(const struct bs_model *model)
{
    switch ((enum bs_xor)model->mapping.hash) {
    case BS_XOR_ROW:
        return ", hashed by row";
    case BS_XOR_FOLD:
        return ", hashed by the folded row";
    case BS_XOR_NONE:
        break;
    }
    return "";
}

/* The numbers of time, with those of a known model beside them, and what was not seen. */
static void report_timing(const struct bs_calibration *c, const struct bs_model *known,
                          const struct bs_screen *screen, struct bs_spool *out)
{
    enum { NARROW = 6 };
    const int column = known && strlen(known->name) > NARROW ? (int)strlen(known->name) : NARROW;
    struct bs_timing found = c->model.timing, theirs = {0};
    bs_spool_printf(out, "\ntiming                 found");
    if (known) {
        theirs = known->timing;
        bs_spool_printf(out, "  %*s", column, known->name);
    }
    bs_spool_text(out, "\n");
    for (enum bs_key key = BS_KEY_SCHEDULERS; key < BS_KEY_CAPACITY_BASIS; key++) {
        struct bs_buffer remark = {0};
        bs_spool_printf(out, "%-20s %7u", bs_key_leaf(key), *bs_timing_number(&found, key));
        if (known)
            bs_spool_printf(out, "  %*u", column, *bs_timing_number(&theirs, key));
        if (!bs_timing_is_seen(&c->timing, key)) {
            bs_timing_describe(&c->timing, key, &remark);
            bs_spool_text(out, "  ");
        }
        char *text = bs_buffer_take(&remark);
        bs_screen_wrap(screen, out, 30 + (known ? (unsigned)column + 2 : 0), text ? text : "");
        free(text);
    }
}

static void report(const struct bs_calibration *c, const struct bs_model *known,
                   const struct bs_screen *screen, struct bs_spool *out)
{
    const struct bs_model *model = &c->model;
    bs_spool_printf(out, "device  %s\n", c->gauge->name);
    if (!c->gauge->has[BS_BY_COUNTER]) {
        bs_spool_text(out, "note    ");
        bs_screen_wrap(screen, out, 8, c->gauge->missing);
    }
    bs_spool_printf(out,
                    "banks   %u of %u bytes, rows of %u bytes%s: %zu of %zu pairs explained\n\n",
                    model->banks, model->bank_width, model->row_bytes, mapping_phrase(model),
                    c->geometry.asked - c->geometry.misses, c->geometry.asked);
    bs_spool_text(out, "op                 asked  predicted  rule\n");
    size_t tried = 0, predicted = 0;
    for (size_t i = 0; i < c->finding_count; i++) {
        report_finding(&c->findings[i], screen, out);
        tried += c->findings[i].tried;
        predicted += c->findings[i].predicted;
    }
    bs_spool_printf(out, "\nThe rules predict %zu of %zu fresh random patterns.\n", predicted,
                    tried);
    if (!c->timed)
        return;
    report_timing(c, known, screen, out);
    bs_spool_text(out, "Latencies and warp_interval are in hundredths of a cycle.\n");
    bs_spool_printf(out,
                    "\nThe engine misses the cycles of %zu random loops by %.1f %% on average,\n"
                    "by %.1f %% at most.\n",
                    c->timing.tried, c->timing.mean_error, c->timing.worst_error);
}

/* Whether the rules are a known model's. */
static bool report_comparison(const struct bs_calibration *c, const struct bs_model *known,
                              struct bs_spool *out)
{
    struct bs_comparison comparison;
    char name[BS_OP_NAME];
    bs_calibration_compare(c, known, &comparison);
    if (comparison.geometry_differs)
        bs_spool_printf(out, "The banks are not those of %s.\n", known->name);
    for (size_t i = 0; i < comparison.differing_count; i++)
        bs_spool_printf(out, "The rule of %s is not that of %s.\n",
                        bs_op_name(comparison.differing[i], name), known->name);
    bs_spool_printf(out, "%zu of %zu rules are those of %s.\n",
                    comparison.compared - comparison.differing_count, comparison.compared,
                    known->name);
    return !comparison.geometry_differs && comparison.differing_count == 0;
}

/* ---- misses ---------------------------------------------------------------------------------- */

static bool write_missed(struct bs_trace_writer *writer, const struct bs_finding *finding,
                         struct bs_error *error)
{
    for (size_t i = 0; i < finding->missed_count; i++) {
        char comment[96];
        uint64_t src[BS_GAUGE_LANES];
        struct bs_access access = bs_pattern_access(&finding->missed[i].pattern, src);
        access.pc = finding->op.index;
        snprintf(comment, sizeof comment, "read %.2f, the best rule says %.0f",
                 finding->missed[i].read, finding->missed[i].expected);
        if (!bs_writer_comment(writer, comment, error) || !bs_writer_record(writer, &access, error))
            return false;
    }
    return true;
}

/* A trace of what the best rules miss; without any it is empty. */
static bool write_misses(const struct bs_calibration *c, FILE *file, struct bs_error *error)
{
    const struct bs_kernel kernel = bs_kernel_named("missed");
    struct bs_trace_writer *writer = bs_writer_open(file, "text", error);
    bool good = writer && bs_writer_kernel(writer, &kernel, error);
    for (size_t i = 0; good && i < c->finding_count; i++)
        good = write_missed(writer, &c->findings[i], error);
    good = good && bs_writer_finish(writer, error);
    if (writer)
        bs_writer_close(writer);
    return good;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool write_loops(const struct bs_calibration *c, FILE *file, struct bs_error *error)
{
    struct bs_buffer out = {0};
    bs_calibration_loops(c, &out);
    const size_t size = out.size;
    char *text = bs_buffer_take(&out);
    if (!text)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    fwrite(text, 1, size, file); /* closing tells of errors */
    free(text);
    return true;
}

/* Writes a file beside the model and the report. */
static bool save(const struct bs_calibration *c, const char *path,
                 bool (*write)(const struct bs_calibration *, FILE *, struct bs_error *),
                 struct bs_error *error)
{
    struct bs_output_file output = {0};
    if (!bs_output_open(&output, path, error))
        return false;
    const bool good = write(c, output.file, error);
    struct bs_error closing;
    if (bs_output_close(&output, good, good ? error : &closing))
        return good;
    return false;
}

/* ---- running --------------------------------------------------------------------------------- */

static void show_step(void *user, const char *what, size_t done, size_t all)
{
    struct bs_progress *progress = user;
    if (progress->wanted)
        bs_progress_draw(progress, what, done, all);
}

static bool to_stderr(void *user, const char *bytes, size_t size)
{
    (void)user;
    return fwrite(bytes, 1, size, stderr) == size;
}

/* A model needs a rule. */
static bool is_any_found(const struct bs_calibration *c)
{
    for (size_t i = 0; i < c->finding_count; i++)
        if (c->findings[i].found)
            return true;
    return false;
}

/* The model goes to its file or standard output, and the report where the model does not. */
static enum bs_status write_results(const struct bs_calibration *c,
                                    const struct calibrate_options *options,
                                    struct bs_output_file *output, const struct bs_model *known)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    struct bs_spool out = {0};
    struct bs_error error;
    char *yaml = bs_calibration_yaml(c);
    if (!yaml)
        return bs_out_of_memory();
    report(c, known, &screen, &out);
    const bool same = !known || report_comparison(c, known, &out);
    const bool found = is_any_found(c);
    const bool written = !found || bs_output_write(output, yaml, strlen(yaml), &error);
    free(yaml);
    if (!written) {
        bs_spool_free(&out);
        return bs_complain(&error);
    }
    enum bs_status status = BS_OK;
    if (options->out)
        status = bs_spool_print(&out);
    else
        bs_spool_each(&out, to_stderr, NULL);
    bs_spool_free(&out);
    if (status == BS_OK && !found) {
        bs_fail(&error, BS_UNMET, NULL, 0, 0, "no rule was found, so there is no model to write");
        return bs_complain(&error);
    }
    return status != BS_OK ? status : same ? BS_OK : BS_UNMET;
}

static enum bs_status calibrate(struct bs_gauge *gauge, const struct calibrate_options *options,
                                const struct bs_model *known)
{
    struct bs_error error;
    struct bs_output_file output = {0};
    struct bs_progress progress;
    struct bs_calibration c = {.gauge = gauge,
                               .name = options->name ? options->name : "calibrated",
                               .ops = options->op,
                               .patterns = (size_t)options->patterns,
                               .seed = options->seed,
                               .step = show_step,
                               .user = &progress};
    if (!bs_output_open(&output, options->out ? options->out : "-", &error))
        return bs_complain(&error);
    bs_progress_start(&progress);
    const bool good = bs_calibrate(&c, &error);
    bs_progress_end(&progress);
    enum bs_status status = good ? write_results(&c, options, &output, known) : bs_complain(&error);
    if (good && options->misses && !save(&c, options->misses, write_misses, &error))
        status = bs_complain(&error);
    if (good && options->loops && !save(&c, options->loops, write_loops, &error))
        status = bs_complain(&error);
    bs_timing_finding_free(&c.timing);
    const bool keep = good && is_any_found(&c) && (status == BS_OK || status == BS_UNMET);
    if (!bs_output_close(&output, keep, &error) && keep)
        status = bs_complain(&error);
    return status;
}

/* Opens what is to be asked. model is the simulated one's, for the caller to free. */
static enum bs_status open_gauge(const struct calibrate_options *options, struct bs_gauge *gauge,
                                 struct bs_model **model)
{
    struct bs_error error;
    enum bs_status status = BS_OK;
    if (!options->simulate)
        return bs_gauge_of_gpu(gauge, (uint32_t)options->device, !options->clock, &error)
                   ? BS_OK
                   : bs_complain(&error);
    *model = bs_find_model(options->simulate, options->sets.list, &status);
    if (!*model)
        return status;
    if ((*model)->lanes != BS_GAUGE_LANES) {
        bs_fail(&error, BS_USAGE, NULL, 0, 0,
                "'%s' has warps of %u lanes, expected a model with %d", options->simulate,
                (*model)->lanes, BS_GAUGE_LANES);
        return bs_complain(&error);
    }
    if (!bs_gauge_of_model(gauge, *model, (uint32_t)options->noise))
        return bs_out_of_memory();
    gauge->has[BS_BY_COUNTER] = !options->clock;
    snprintf(gauge->missing, sizeof gauge->missing,
             "measured by the clock alone, as was asked for");
    return BS_OK;
}

/* What cannot be written is better known before a GPU has been measured for minutes. */
static enum bs_status check_files(const struct bs_verb *verb,
                                  const struct calibrate_options *options)
{
    struct bs_error error;
    if (bs_output_is_same(options->misses, options->loops) ||
        bs_output_is_same(options->out, options->misses) ||
        bs_output_is_same(options->out, options->loops))
        return bs_usage_error(verb, "--out, --misses and --loops need a file each");
    if ((options->misses && !bs_output_check(options->misses, &error)) ||
        (options->loops && !bs_output_check(options->loops, &error)))
        return bs_complain(&error);
    return BS_OK;
}

static enum bs_status run_with(const struct calibrate_options *options)
{
    struct bs_error error;
    struct bs_gauge gauge = {.name = ""};
    struct bs_model *simulated = NULL, *known = NULL;
    enum bs_status status = BS_OK;
    if (options->play)
        return bs_gauge_play(options->play, &error) ? BS_OK : bs_complain(&error);
    if (options->against)
        known = bs_find_model(options->against, NULL, &status);
    if (status == BS_OK)
        status = open_gauge(options, &gauge, &simulated);
    if (status == BS_OK)
        status = calibrate(&gauge, options, known);
    if (gauge.close)
        gauge.close(&gauge);
    bs_model_free(simulated);
    bs_model_free(known);
    return status;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct calibrate_options options = {.patterns = 100, .seed = 1};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    if (bs_options_parse(verb, table, option_table(&options, table), argc, argv, &operand,
                         &status)) {
        if (operand < argc)
            status = bs_usage_error(verb, "expected no operand, found '%s'", argv[operand]);
        else if (options.sets.count > 0 && !options.simulate)
            status = bs_usage_error(verb, "--set changes the model of --simulate");
        else if (options.patterns < 1 || options.patterns > 1000000)
            status = bs_usage_error(verb, "--patterns is from 1 to 1000000");
        else if (options.noise > 500)
            status = bs_usage_error(verb, "--noise is at most 500");
        else if (options.name && !options.name[0])
            status = bs_usage_error(verb, "--name needs a name");
        else if ((status = check_files(verb, &options)) == BS_OK)
            status = run_with(&options);
    }
    bs_words_free(&options.sets);
    return status;
}

static const struct bs_verb verb = {
    .name = "calibrate",
    .program = "bankshot-calibrate",
    .usage = "[OPTION]...",
    .about =
        "Asks a GPU what accesses to its shared memory cost, finds the banks, the rule of each "
        "op and the timing that explain the answers, and writes them as a device model.",
    .examples = "  bankshot-calibrate -o my-gpu.yaml\n"
                "  bankshot-calibrate --against hopper --op 'ld.*'\n"
                "  bankshot-calibrate --simulate hopper --set banks=64 --clock --noise 20\n",
    .run = run,
};

int main(int argc, char **argv)
{
    return (int)run(&verb, argc, argv);
}
