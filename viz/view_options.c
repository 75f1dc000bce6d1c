/* Reading the options of the viewer. */
#include "view_options.h"

#include "command/files.h"
#include "command/imports.h"

#include <string.h>

enum {
    DEFAULT_WIDTH = 1280,
    DEFAULT_HEIGHT = 720,
    LEAST_SIDE = 160,
    LARGEST_SIDE = 16384,
    DEFAULT_FPS = 20,
    LARGEST_FPS = 50,
    LARGEST_SPEED = 20,
};

/* The options with those words that are still to be understood. */
struct words {
    struct bs_view_options *options;
    bool eval;
    const char *at;
    const char *size;
};

static size_t option_table(struct words *words, struct bs_option *table)
{
    static const char *const views[] = {"scene", "heat", "banks", "kernel", "time", NULL};
    size_t count = 0;
    table[count++] = (struct bs_option){
        .name = "eval",
        .help = "the operands are OP ADDRS, as for 'bankshot eval', not a trace",
        .kind = BS_OPTION_FLAG,
        .target = &words->eval,
    };
    table[count++] = (struct bs_option){
        .name = "compare",
        .value = "KEY=VALUE",
        .help = "a further scene beside the first, with another value of a name that --let binds, "
                "of a parameter of a sketch or of a key of the model, with model=NAME or with "
                "addrs=ADDRS (repeatable)",
        .kind = BS_OPTION_WORDS,
        .target = &words->options->request.compares,
    };
    table[count++] = (struct bs_option){
        .name = "at",
        .value = "RECORD[:PASS]",
        .help = "begin there: records count from 0, passes from 1, and 0 is the moment "
                "before the first (default: 0:1)",
        .kind = BS_OPTION_TEXT,
        .target = &words->at,
    };
    table[count++] = (struct bs_option){
        .name = "view",
        .value = "VIEW",
        .help = "scene (default); heat: lanes by bank and pass; banks: how often the whole trace "
                "asks each bank; kernel: how often the kernel of the record does; time: what the "
                "warps of "
                "its launch do, cycle by cycle",
        .kind = BS_OPTION_CHOICE,
        .target = &words->options->view,
        .choices = views,
    };
    table[count++] = (struct bs_option){.name = "dark",
                                        .help = "dark colours",
                                        .kind = BS_OPTION_FLAG,
                                        .target = &words->options->dark};
    table[count++] = (struct bs_option){.name = "no-legend",
                                        .help = "without the line on what the marks mean",
                                        .kind = BS_OPTION_FLAG,
                                        .target = &words->options->no_legend};
    table[count++] = (struct bs_option){
        .name = "ask",
        .help = "keep back what comes of an instruction until it has been played or a is pressed",
        .kind = BS_OPTION_FLAG,
        .target = &words->options->ask,
    };
    table[count++] = (struct bs_option){
        .name = "size",
        .value = "WxH",
        .help = "of the picture or the window (default: 1280x720)",
        .kind = BS_OPTION_TEXT,
        .target = &words->size,
    };
    table[count++] = (struct bs_option){
        .name = "shot",
        .value = "FILE.png",
        .help = "write the picture to a file, without a screen",
        .kind = BS_OPTION_TEXT,
        .target = &words->options->shot,
    };
    table[count++] = (struct bs_option){
        .name = "record",
        .value = "FILE.gif",
        .help = "play the instruction from beginning to end as an animation",
        .kind = BS_OPTION_TEXT,
        .target = &words->options->film,
    };
    table[count++] = (struct bs_option){
        .name = "fps",
        .value = "N",
        .help = "pictures a second of the animation: 1 to 50 (default: 20)",
        .kind = BS_OPTION_NUMBER,
        .target = &words->options->fps,
    };
    table[count++] = (struct bs_option){
        .name = "speed",
        .value = "N",
        .help = "passes a second of the animation: 1 to 20 (default: 1)",
        .kind = BS_OPTION_NUMBER,
        .target = &words->options->speed,
    };
    table[count++] = (struct bs_option){
        .name = "svg",
        .value = "FILE.svg",
        .help = "the same as vector graphics, for slides",
        .kind = BS_OPTION_TEXT,
        .target = &words->options->svg,
    };
    table[count++] = (struct bs_option){
        .name = "pdf",
        .value = "FILE.pdf",
        .help = "the same as PDF",
        .kind = BS_OPTION_TEXT,
        .target = &words->options->pdf,
    };
    count += bs_subject_option_table(&words->options->request.options, table + count);
    return count + bs_import_option_table(&words->options->request.options.reading, table + count);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_place(const char *text, struct bs_view_place *place)
{
    const size_t size = strcspn(text, ":");
    return bs_number_parse(text, size, UINT64_MAX, &place->record) &&
           (!text[size] ||
            bs_number_parse(text + size + 1, strlen(text + size + 1), UINT32_MAX, &place->pass));
}

static bool read_size(const char *text, double *width, double *height)
{
    uint64_t across;
    uint64_t down;
    const size_t size = strcspn(text, "x");
    if (!text[size] || !bs_number_parse(text, size, LARGEST_SIDE, &across) ||
        !bs_number_parse(text + size + 1, strlen(text + size + 1), LARGEST_SIDE, &down) ||
        across < LEAST_SIDE || down < LEAST_SIDE)
        return false;
    *width = (double)across;
    *height = (double)down;
    return true;
}

/* A file that is to be written has a name, which does not promise another format. A name without
 * ending promises none. */
static enum bs_status check_file(const struct bs_verb *verb, const char *option, const char *path,
                                 const char *ending)
{
    char shown[64];
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(slash ? slash : path, '.') : NULL;
    if (path && !*path)
        return bs_usage_error(verb, "%s: expected a file, found ''", option);
    if (!dot || strcmp(dot, ending) == 0)
        return BS_OK;
    return bs_usage_error(verb, "%s writes %s, which '%s' does not end in", option, ending,
                          bs_printable(path, strlen(path), shown, sizeof shown));
}

/* A file to write must not be one that is read. */
static enum bs_status check_other(const struct bs_verb *verb, const char *option, const char *path,
                                  const char *read)
{
    char shown[64];
    if (!path || !read || !bs_same_file(path, read))
        return BS_OK;
    return bs_usage_error(verb, "%s: '%s' is a file that is read", option,
                          bs_printable(read, strlen(read), shown, sizeof shown));
}

static enum bs_status check_files(const struct bs_verb *verb, const struct bs_view_options *options)
{
    const struct bs_request *request = &options->request;
    const struct {
        const char *option, *path, *ending;
    } files[] = {{"--shot", options->shot, ".png"},
                 {"--svg", options->svg, ".svg"},
                 {"--pdf", options->pdf, ".pdf"},
                 {"--record", options->film, ".gif"}};
    enum bs_status status = BS_OK;
    for (size_t i = 0; status == BS_OK && i < sizeof files / sizeof *files; i++) {
        status = check_file(verb, files[i].option, files[i].path, files[i].ending);
        if (status == BS_OK)
            status = check_other(verb, files[i].option, files[i].path, request->trace);
        if (status == BS_OK)
            status = check_other(verb, files[i].option, files[i].path, request->options.model);
    }
    return status;
}

static enum bs_status read_values(const struct bs_verb *verb, const struct words *words)
{
    struct bs_view_options *options = words->options;
    char shown[64];
    uint64_t record;
    if (words->at && !read_place(words->at, &options->place))
        return bs_usage_error(verb, "--at needs RECORD or RECORD:PASS, not '%s'",
                              bs_printable(words->at, strlen(words->at), shown, sizeof shown));
    if (words->size && !read_size(words->size, &options->width, &options->height))
        return bs_usage_error(verb, "--size needs WIDTHxHEIGHT from %d to %d, not '%s'", LEAST_SIDE,
                              LARGEST_SIDE,
                              bs_printable(words->size, strlen(words->size), shown, sizeof shown));
    if (options->fps < 1 || options->fps > LARGEST_FPS)
        return bs_usage_error(verb, "--fps needs a number from 1 to %d", LARGEST_FPS);
    if (options->speed < 1 || options->speed > LARGEST_SPEED)
        return bs_usage_error(verb, "--speed needs a number from 1 to %d", LARGEST_SPEED);
    if (options->film && bs_number_parse(options->film, strlen(options->film), UINT64_MAX, &record))
        return bs_usage_error(verb,
                              "--record writes an animation, and '%s' is no FILE.gif: the "
                              "record to begin at is said by --at",
                              options->film);
    return check_files(verb, options);
}

static enum bs_status read_operands(const struct bs_verb *verb, const struct words *words,
                                    int count, char **operands)
{
    struct bs_request *request = &words->options->request;
    if (words->eval && count == 2) {
        request->op = operands[0];
        request->addresses = operands[1];
        return BS_OK;
    }
    if (words->eval)
        return bs_usage_error(verb, "expected 2 operands after --eval, OP and ADDRS, found %d",
                              count);
    if (count != 1)
        return bs_usage_error(verb, "expected one operand, a trace, or --eval OP ADDRS, found %d",
                              count);
    if (request->options.mask || request->options.src)
        return bs_usage_error(verb, "--mask and --src are for --eval, not for a trace");
    request->trace = operands[0];
    return BS_OK;
}

bool bs_view_options_read(struct bs_view_options *options, const struct bs_verb *verb, int argc,
                          char **argv, enum bs_status *status)
{
    struct words words = {.options = options};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    *options = (struct bs_view_options){
        .request.options.takes_traces = true,
        .place.pass = 1,
        .width = DEFAULT_WIDTH,
        .height = DEFAULT_HEIGHT,
        .fps = DEFAULT_FPS,
        .speed = 1,
    };
    const size_t count = option_table(&words, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, status)) {
        *status = read_operands(verb, &words, argc - operand, argv + operand);
        if (*status == BS_OK)
            *status = read_values(verb, &words);
        if (*status == BS_OK)
            return true;
    }
    bs_subject_options_free(&options->request.options);
    bs_words_free(&options->request.compares);
    return false;
}
