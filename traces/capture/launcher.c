/* bankshot-capture: runs a CUDA program and writes what its kernels do to shared memory. */
#define _XOPEN_SOURCE 700 /* readlink */
#include "capture.h"
#include "devices.h"
#include "server.h"

#include "command/options.h"
#include "command/output_file.h"
#include "command/screen.h"
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_out[] = "capture.trace";
static const char library_variable[] = "BANKSHOT_CAPTURE_LIBRARY";

struct options {
    const char *kernel, *launch, *cta, *records;
    const char *out;
    const char *record;
    const char *replay;
};

/* One capture: of a process, or of a recording. */
struct session {
    const struct launcher *launcher;
    unsigned number; /* of the process */
    char *path;      /* of its trace, once it is open */
    FILE *trace;
    FILE *recording;
    bool failed;
    struct bs_error error;
    struct bs_capture_account account;
    struct session *next;
};

struct launcher {
    const struct bs_verb *verb;
    struct options options;
    struct bs_selection selection;
    const char *tool; /* nvdisasm, or NULL */
    pthread_mutex_t lock;
    struct session *sessions; /* the last first */
};

static bool failed(const char *path, struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be written: %s", strerror(errno));
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The name of a process's file: that asked for, and for further processes a number before its
 * ending. The caller frees it. */
static char *numbered(const char *path, unsigned number)
{
    struct bs_buffer name = {0};
    const char *slash = strrchr(path, '/');
    const char *dot = strchr(slash ? slash + 1 : path, '.');
    const size_t stem = dot && dot != path ? (size_t)(dot - path) : strlen(path);
    bs_buffer_add(&name, path, stem);
    if (number > 0)
        bs_buffer_printf(&name, ".%u", number + 1);
    bs_buffer_text(&name, path + stem);
    return bs_buffer_take(&name);
}

static FILE *open_trace(void *user, struct bs_error *error)
{
    struct session *session = user;
    const char *out = session->launcher->options.out;
    if (strcmp(out, "-") == 0)
        return session->trace = stdout;
    session->path = numbered(out, session->number);
    session->trace = session->path ? fopen(session->path, "wb") : NULL;
    if (!session->trace)
        failed(session->path ? session->path : out, error);
    return session->trace;
}

static bool write_bytes(FILE *file, const char *path, const struct bs_buffer *bytes,
                        struct bs_error *error)
{
    if (bytes->failed)
        return bs_fail(error, BS_INTERNAL, path, 0, 0, "out of memory");
    return fwrite(bytes->data, 1, bytes->size, file) == bytes->size || failed(path, error);
}

static bool keep(void *user, const struct bs_item *item, struct bs_error *error)
{
    struct session *session = user;
    const char *path = session->launcher->options.record;
    struct bs_buffer bytes = {0};
    if (!session->recording) {
        char *name = numbered(path, session->number);
        session->recording = name ? fopen(name, "wb") : NULL;
        free(name);
        bs_buffer_text(&bytes, BS_STREAM_START);
    }
    bs_item_put(&bytes, item);
    const bool kept = session->recording ? write_bytes(session->recording, path, &bytes, error)
                                         : failed(path, error);
    bs_buffer_free(&bytes);
    return kept;
}

/* What cannot be written is better known before a program has run for an hour, and what would be
 * written over a file that is being read before it is gone. */
static enum bs_status check_files(const struct launcher *launcher)
{
    const struct options *options = &launcher->options;
    const char *const out = options->out, *const record = options->record;
    struct bs_error error;
    if (bs_output_is_same(out, options->replay) || bs_output_is_same(record, options->replay))
        return bs_usage_error(launcher->verb, "--replay reads what would be written");
    if (bs_output_is_same(out, record))
        return bs_usage_error(launcher->verb, "--out and --record are the same file");
    if (!bs_output_check(out, &error) || (record && !bs_output_check(record, &error)))
        return bs_complain(&error);
    return BS_OK;
}

static void close_files(struct session *session)
{
    if (session->recording && fclose(session->recording) != 0 && !session->failed)
        session->failed = !failed(session->launcher->options.record, &session->error);
    if (session->trace && session->trace != stdout && fclose(session->trace) != 0 &&
        !session->failed)
        session->failed = !failed(session->path, &session->error);
    session->recording = session->trace = NULL;
}

/* ---- capturing ------------------------------------------------------------------------------ */

static char *disassemble(void *user, const void *cubin, size_t size, const char *kernel,
                         struct bs_error *error)
{
    const struct session *session = user;
    if (session->launcher->tool)
        return bs_disassemble(session->launcher->tool, cubin, size, kernel, error);
    bs_fail(error, BS_INTERNAL, NULL, 0, 0,
            "nvdisasm of the CUDA toolkit is not there (in $CUDA_HOME/bin, on $PATH, in "
            "/usr/local/cuda/bin)");
    return NULL;
}

static void take_stream(struct session *session, const struct bs_item_source *source)
{
    const struct options *options = &session->launcher->options;
    const struct bs_capture_plan plan = {
        .selection = &session->launcher->selection,
        .choose_launches = options->replay != NULL,
        .format = bs_writer_name_for(options->out),
        .disassemble = disassemble,
        .open = open_trace,
        .keep = options->record ? keep : NULL,
        .user = session,
    };
    struct bs_capture *capture = bs_capture_begin(&plan);
    session->failed = !capture;
    if (!capture) {
        bs_fail(&session->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        return;
    }
    session->failed = !bs_capture_take_all(capture, source, &session->error);
    if (!bs_capture_finish(capture, session->failed ? NULL : &session->error))
        session->failed = true;
    session->account = *bs_capture_account_of(capture);
    bs_capture_free(capture);
    close_files(session);
    if (session->failed && !session->error.file[0]) {
        const bool output = session->error.status == BS_INTERNAL;
        const char *file = output ? session->path : source->name;
        snprintf(session->error.file, sizeof session->error.file, "%s", file ? file : "");
    }
}

static struct session *add_session(struct launcher *launcher, unsigned number)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->launcher = launcher;
    session->number = number;
    pthread_mutex_lock(&launcher->lock);
    session->next = launcher->sessions;
    launcher->sessions = session;
    pthread_mutex_unlock(&launcher->lock);
    return session;
}

/* What is left of a stream whose capture failed is read all the same: the program waits for it. */
static void read_off(const struct bs_item_source *source)
{
    char bytes[65536];
    size_t got;
    while (source->read(source->user, bytes, sizeof bytes, &got, NULL) && got > 0)
        ;
}

static void serve(void *user, unsigned process, const struct bs_item_source *source)
{
    struct session *session = add_session(user, process);
    if (session)
        take_stream(session, source);
    read_off(source);
}

/* ---- the account ---------------------------------------------------------------------------- */

static void warn(void *user, const char *sentence)
{
    struct bs_error error;
    (void)user;
    bs_fail(&error, BS_OK, NULL, 0, 0, "%s", sentence);
    bs_warn(&error);
}

static void tell_session(const struct session *session)
{
    const struct bs_capture_account *account = &session->account;
    char shown[256];
    if (session->path)
        fprintf(stderr, "bankshot: %s: %" PRIu64 " %s, %" PRIu64 " %s\n",
                bs_printable(session->path, strlen(session->path), shown, sizeof shown),
                account->launches, account->launches == 1 ? "launch" : "launches", account->records,
                account->records == 1 ? "record" : "records");
    bs_capture_tell(account, warn, NULL);
}

/* That nothing was captured, of what was asked for. */
static enum bs_status complain_of_nothing(const struct options *options)
{
    struct bs_error error;
    char kernel[128], launch[64];
    const bool fits = options->kernel != NULL, chosen = options->launch != NULL;
    if (fits)
        bs_printable(options->kernel, strlen(options->kernel), kernel, sizeof kernel);
    if (chosen)
        bs_printable(options->launch, strlen(options->launch), launch, sizeof launch);
    bs_fail(&error, BS_UNMET, NULL, 0, 0, "no launch of a kernel%s%s%s was captured%s%s%s",
            fits ? " that fits '" : "", fits ? kernel : "", fits ? "'" : "",
            chosen ? " (--launch " : "", chosen ? launch : "", chosen ? ")" : "");
    return bs_complain(&error);
}

/* Tells of all sessions and frees them. The status is the first failure's; 1 if nothing was
 * captured. */
static enum bs_status settle(struct launcher *launcher)
{
    enum bs_status status = BS_OK;
    uint64_t launches = 0;
    for (struct session *next; launcher->sessions; launcher->sessions = next) {
        struct session *session = launcher->sessions;
        next = session->next;
        if (!session->failed || session->error.status != BS_INTERNAL)
            tell_session(session); /* else the trace is not what its account says */
        launches += session->account.launches;
        if (session->failed)
            status = bs_complain(&session->error);
        free(session->path);
        free(session);
    }
    return status == BS_OK && launches == 0 ? complain_of_nothing(&launcher->options) : status;
}

/* ---- the two ways --------------------------------------------------------------------------- */

static bool read_input(void *user, void *bytes, size_t size, size_t *got, struct bs_error *error)
{
    return bs_input_read_all(user, bytes, size, got, error);
}

static enum bs_status replay(struct launcher *launcher)
{
    struct bs_error error;
    struct bs_input *input = bs_input_open(launcher->options.replay, &error);
    if (!input)
        return bs_complain(&error);
    struct session *session = add_session(launcher, 0);
    const struct bs_item_source source = {
        .read = read_input, .user = input, .name = bs_input_name(input)};
    if (session)
        take_stream(session, &source);
    bs_input_close(input);
    return session ? settle(launcher) : bs_out_of_memory();
}

/* The library's path, beside that of this program: the build folder and an installation have the
 * same shape. NULL if it is not there; the caller frees it. */
static char *find_library(void)
{
    char self[4096];
    struct bs_buffer path = {0};
    const char *given = getenv(library_variable);
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (given)
        bs_buffer_text(&path, given);
    else if (size > 0) {
        self[size] = '\0';
        bs_buffer_add(&path, self, (size_t)(strrchr(self, '/') + 1 - self));
        bs_buffer_text(&path, BANKSHOT_CAPTURE_LIBRARY);
    }
    char *found = bs_buffer_take(&path);
    if (found && access(found, R_OK) == 0)
        return found;
    free(found);
    return NULL;
}

static enum bs_status run_program(struct launcher *launcher, char **arguments, int *status)
{
    struct bs_error error;
    struct bs_server_outcome outcome;
    char *library = find_library();
    if (!library) {
        const char *given = getenv(library_variable);
        bs_fail(&error, BS_INTERNAL, given, 0, 0, "%s",
                given ? "there is no such capture library"
                      : "there is no capture library: this was built where cmake found no nvcc or "
                        "no Sanitizer API (sanitizer.h); -D BANKSHOT_CUDA=FOLDER tells it where "
                        "the CUDA toolkit is");
        return bs_complain(&error);
    }
    if (!bs_selection_to_environment(&launcher->selection) || !bs_devices_to_environment()) {
        free(library);
        return bs_out_of_memory();
    }
    const struct bs_server_plan plan = {
        .arguments = arguments, .library = library, .serve = serve, .user = launcher};
    const bool done = bs_server_run(&plan, &outcome, &error);
    free(library);
    if (!done)
        return bs_complain(&error);
    *status = outcome.status;
    if (outcome.processes == 0) {
        bs_fail(&error, BS_UNMET, arguments[0], 0, 0, "the program did not use CUDA");
        return bs_complain(&error);
    }
    return settle(launcher);
}

/* ---- the program ---------------------------------------------------------------------------- */

static bool make_selection(struct launcher *launcher)
{
    const struct options *options = &launcher->options;
    static const char range[] = "a number, A-B with the smaller first, A- or -B";
    const struct {
        const char *name;
        const char *word;
        struct bs_range *target;
    } ranges[] = {{"launch", options->launch, &launcher->selection.launch},
                  {"cta", options->cta, &launcher->selection.cta}};
    launcher->selection = bs_selection_everything();
    launcher->selection.kernel = options->kernel;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char shown[64];
        const char *word = ranges[i].word;
        if (!word || bs_range_parse(word, ranges[i].target))
            continue;
        bs_usage_error(launcher->verb, "--%s: expected %s, found '%s'", ranges[i].name, range,
                       bs_printable(word, strlen(word), shown, sizeof shown));
        return false;
    }
    if (options->records && !bs_number_parse(options->records, strlen(options->records), UINT64_MAX,
                                             &launcher->selection.records)) {
        bs_usage_error(launcher->verb, "--max-records needs a number");
        return false;
    }
    return true;
}

static size_t make_table(struct options *options, struct bs_option *table)
{
    const struct bs_option all[] = {
        {"kernel", 'k', "GLOB",
         "only kernels whose name fits the pattern of * and ?, mangled or as the source has it, "
         "with or without namespace, template arguments and arguments",
         BS_OPTION_TEXT, &options->kernel, NULL},
        {"launch", 0, "RANGE", "only these launches of those kernels, from 0: N, A-B, A- or -B",
         BS_OPTION_TEXT, &options->launch, NULL},
        {"cta", 0, "RANGE", "only these CTAs of each launch", BS_OPTION_TEXT, &options->cta, NULL},
        {"max-records", 0, "N", "at most N records; the rest is counted", BS_OPTION_TEXT,
         &options->records, NULL},
        {"out", 'o', "FILE",
         "the trace (default: capture.trace); FILE.bst is binary, '-' standard output",
         BS_OPTION_TEXT, &options->out, NULL},
        {"record", 0, "FILE", "keep what came from the GPU too, for --replay", BS_OPTION_TEXT,
         &options->record, NULL},
        {"replay", 0, "FILE", "make the trace of a recording instead of running a program",
         BS_OPTION_TEXT, &options->replay, NULL},
    };
    memcpy(table, all, sizeof all);
    return sizeof all / sizeof *all;
}

static const struct bs_verb verb = {
    .name = "capture",
    .program = "bankshot-capture",
    .usage = "[OPTION]... [--] PROGRAM [ARGUMENT]...\n--replay FILE [OPTION]...",
    .about =
        "Runs a CUDA program, unchanged, and writes a trace of what its kernels do to shared "
        "memory: every load, store, atomic, matrix access, async copy and barrier of every warp. "
        "The program runs slower, and its launches one after another.\n"
        "What cannot be captured (wgmma, TMA, other CTAs' memory) is counted and said.\n"
        "The exit status is the program's; 1 if nothing was captured, 2 for a wrong call, 4 for a "
        "bad recording, 5 if the trace could not be written.",
    .examples = "  bankshot-capture ./transpose && bankshot run capture.trace\n"
                "  bankshot-capture -k 'softmax*' --launch 0 -o s.bst python3 train.py\n",
};

static enum bs_status run_all(struct launcher *launcher, int argc, char **argv, int *program)
{
    struct bs_option table[BS_MAX_OPTIONS];
    const size_t count = make_table(&launcher->options, table);
    enum bs_status status;
    int operand;
    if (!bs_options_parse(launcher->verb, table, count, argc, argv, &operand, &status))
        return status;
    if (!make_selection(launcher))
        return BS_USAGE;
    if (!launcher->options.out)
        launcher->options.out = default_out;
    if (launcher->options.replay && operand < argc)
        return bs_usage_error(launcher->verb, "--replay runs no program");
    if (!launcher->options.replay && operand == argc)
        return bs_usage_error(launcher->verb, "which program?");
    status = check_files(launcher);
    if (status != BS_OK)
        return status;
    char *tool = bs_find_disassembler();
    launcher->tool = tool;
    status = launcher->options.replay ? replay(launcher)
                                      : run_program(launcher, argv + operand, program);
    free(tool);
    return status;
}

int main(int argc, char **argv)
{
    struct launcher launcher = {.verb = &verb, .lock = PTHREAD_MUTEX_INITIALIZER};
    int program = 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        struct bs_spool out = {0};
        bs_spool_text(&out, "bankshot-capture " BS_VERSION "\n");
        return (int)bs_spool_print(&out);
    }
    const enum bs_status status = run_all(&launcher, argc, argv, &program);
    return program != 0 ? program : (int)status;
}
