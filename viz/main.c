/* The program bankshot-view: its options, and which of its forms they ask for. */
#include "command/imports.h"
#include "export.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 720, LEAST_SIDE = 160, LARGEST_SIDE = 16384 };

struct view_options {
    struct bs_request request;
    bool eval;
    const char *at;
    const char *shot, *svg, *pdf, *film;
    uint64_t fps, speed;
    const char *size;
    bool dark;
    unsigned view;
};

/* What --at says: a record, and a pass from 1 on or 0 for the time before the first. */
struct place {
    uint64_t record;
    uint64_t pass;
};

static size_t option_table(struct view_options *options, struct bs_option *table)
{
    static const char *const views[] = {"scene", "heat", "banks", "kernel", "time", NULL};
    size_t count = 0;
    table[count++] = (struct bs_option){
        .name = "eval",
        .help = "the operands are OP ADDRS, as for 'bankshot eval', not a trace",
        .kind = BS_OPTION_FLAG,
        .target = &options->eval,
    };
    table[count++] = (struct bs_option){
        .name = "compare",
        .value = "KEY=VALUE",
        .help = "a further scene beside the first, with another value of a name that --let binds "
                "or of a key of the model, with model=NAME or with addrs=ADDRS (repeatable)",
        .kind = BS_OPTION_WORDS,
        .target = &options->request.compares,
    };
    table[count++] = (struct bs_option){
        .name = "at",
        .value = "RECORD[:PASS]",
        .help = "begin there: records count from 0, passes from 1 (default: 0:1)",
        .kind = BS_OPTION_TEXT,
        .target = &options->at,
    };
    table[count++] = (struct bs_option){
        .name = "view",
        .value = "VIEW",
        .help = "scene (default); heat: lanes by bank and pass; banks: how often the whole trace "
                "asks each bank; kernel: how often the kernel of the record does; time: what the "
                "warps of "
                "its launch do, cycle by cycle",
        .kind = BS_OPTION_CHOICE,
        .target = &options->view,
        .choices = views,
    };
    table[count++] = (struct bs_option){
        .name = "dark", .help = "dark colours", .kind = BS_OPTION_FLAG, .target = &options->dark};
    table[count++] = (struct bs_option){
        .name = "size",
        .value = "WxH",
        .help = "of the picture or the window (default: 1280x720)",
        .kind = BS_OPTION_TEXT,
        .target = &options->size,
    };
    table[count++] = (struct bs_option){
        .name = "shot",
        .value = "FILE.png",
        .help = "write the picture to a file, without a screen",
        .kind = BS_OPTION_TEXT,
        .target = &options->shot,
    };
    table[count++] = (struct bs_option){
        .name = "record",
        .value = "FILE.gif",
        .help = "play the instruction from beginning to end as an animation",
        .kind = BS_OPTION_TEXT,
        .target = &options->film,
    };
    table[count++] = (struct bs_option){
        .name = "fps",
        .value = "N",
        .help = "pictures a second of the animation: 1 to 50 (default: 20)",
        .kind = BS_OPTION_NUMBER,
        .target = &options->fps,
    };
    table[count++] = (struct bs_option){
        .name = "speed",
        .value = "N",
        .help = "passes a second of the animation: 1 to 20 (default: 1)",
        .kind = BS_OPTION_NUMBER,
        .target = &options->speed,
    };
    table[count++] = (struct bs_option){
        .name = "svg",
        .value = "FILE.svg",
        .help = "the same as vector graphics, for slides",
        .kind = BS_OPTION_TEXT,
        .target = &options->svg,
    };
    table[count++] = (struct bs_option){
        .name = "pdf",
        .value = "FILE.pdf",
        .help = "the same as PDF",
        .kind = BS_OPTION_TEXT,
        .target = &options->pdf,
    };
    count += bs_subject_option_table(&options->request.options, table + count);
    return count + bs_import_option_table(&options->request.options.reading, table + count);
}

/* ---- reading options ------------------------------------------------------------------------- */

static bool read_place(const char *text, struct place *place)
{
    const size_t size = strcspn(text, ":");
    place->pass = 1;
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

static enum bs_status read_operands(const struct bs_verb *verb, struct view_options *options,
                                    int count, char **words)
{
    if (options->eval && count == 2) {
        options->request.op = words[0];
        options->request.addresses = words[1];
        return BS_OK;
    }
    if (options->eval)
        return bs_usage_error(verb, "expected 2 operands after --eval, OP and ADDRS, found %d",
                              count);
    if (count != 1)
        return bs_usage_error(verb, "expected one operand, a trace, or --eval OP ADDRS, found %d",
                              count);
    if (options->request.options.mask || options->request.options.src)
        return bs_usage_error(verb, "--mask and --src are for --eval, not for a trace");
    options->request.trace = words[0];
    return BS_OK;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* Complains, with the usual word where memory is out. */
static enum bs_status complain(struct bs_errors *errors)
{
    const enum bs_status status = bs_complain_all(errors);
    bs_errors_free(errors);
    return status;
}

static enum bs_status no_such_place(const struct bs_show *show, const struct place *place,
                                    uint64_t there_are, const char *what)
{
    struct bs_error error;
    bs_fail(&error, BS_USAGE, NULL, 0, 0, "--at %llu:%llu: there are %llu %s",
            (unsigned long long)place->record, (unsigned long long)place->pass,
            (unsigned long long)there_are, what);
    (void)show;
    return bs_complain(&error);
}

static enum bs_status go(struct bs_show *show, const struct place *place)
{
    if (place->record >= show->story->count)
        return no_such_place(show, place, show->story->count, "records, counted from 0");
    if (!bs_show_go(show, (size_t)place->record))
        return bs_out_of_memory();
    const uint32_t passes = bs_show_passes(show);
    if (place->pass > (passes ? passes : 1))
        return no_such_place(show, place, passes, "passes");
    const double time = place->pass ? (double)(place->pass - 1) + BS_STILL : -0.05;
    return bs_show_seek(show, time) ? BS_OK : bs_out_of_memory();
}

static enum bs_status write_pictures(const struct bs_show *show, const struct view_options *options)
{
    const char *const paths[] = {
        [BS_EXPORT_PNG] = options->shot,
        [BS_EXPORT_SVG] = options->svg,
        [BS_EXPORT_PDF] = options->pdf,
    };
    struct bs_error error;
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && !bs_export_picture(show, (enum bs_export)i, paths[i], &error))
            return bs_complain(&error);
    return BS_OK;
}

static enum bs_status write_film(struct bs_show *show, const struct view_options *options)
{
    struct bs_error error;
    const struct bs_film_options film = {(double)options->fps, (double)options->speed};
    if (!options->film || bs_export_film(show, &film, options->film, &error))
        return BS_OK;
    return bs_complain(&error);
}

static enum bs_status show_story(struct bs_story *story, const struct bs_verb *verb,
                                 const struct view_options *options)
{
    struct bs_show show;
    struct place place = {0, 1};
    double width = DEFAULT_WIDTH;
    double height = DEFAULT_HEIGHT;
    char shown[64];
    if (options->at && !read_place(options->at, &place))
        return bs_usage_error(verb, "--at needs RECORD or RECORD:PASS, not '%s'",
                              bs_printable(options->at, strlen(options->at), shown, sizeof shown));
    if (options->size && !read_size(options->size, &width, &height))
        return bs_usage_error(
            verb, "--size needs WIDTHxHEIGHT from %d to %d, not '%s'", LEAST_SIDE, LARGEST_SIDE,
            bs_printable(options->size, strlen(options->size), shown, sizeof shown));
    if (options->fps < 1 || options->fps > 50)
        return bs_usage_error(verb, "--fps needs a number from 1 to 50");
    if (options->speed < 1 || options->speed > 20)
        return bs_usage_error(verb, "--speed needs a number from 1 to 20");
    if (!options->shot && !options->svg && !options->pdf && !options->film)
        return bs_usage_error(verb, "expected --shot, --svg, --pdf or --record: what to write");
    struct bs_errors errors = {0};
    if (!bs_story_read(story, SIZE_MAX, &errors))
        return complain(&errors);
    enum bs_status status = BS_INTERNAL;
    if (bs_show_open(&show, story, width, height)) {
        show.theme = options->dark ? &bs_theme_dark : &bs_theme_light;
        show.view = (enum bs_view)options->view;
        status = go(&show, &place);
        if (status == BS_OK)
            status = write_pictures(&show, options);
        if (status == BS_OK)
            status = write_film(&show, options);
    } else {
        bs_out_of_memory();
    }
    bs_show_free(&show);
    return status;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct view_options options = {.request.options.takes_traces = true, .fps = 20, .speed = 1};
    struct bs_option table[BS_MAX_OPTIONS];
    struct bs_story story = {0};
    struct bs_errors errors = {0};
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (!bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        return status;
    status = read_operands(verb, &options, argc - operand, argv + operand);
    if (status == BS_OK)
        status = bs_story_open(&story, &options.request, &errors)
                     ? show_story(&story, verb, &options)
                     : complain(&errors);
    bs_story_free(&story);
    return status;
}

static const struct bs_verb view = {
    .name = "view",
    .summary = "watch lanes land on banks",
    .usage = "[OPTION]... TRACE\n[OPTION]... --eval OP ADDRS",
    .about = "Shows how the lanes of a warp land on the banks of shared memory, pass by pass.\n",
    .examples = "  bankshot view --eval ld.b32 't*128'\n"
                "  bankshot view --eval ld.b32 't*pitch*4' --let pitch=32 --compare pitch=33\n"
                "  bankshot view kernel.trace --at 42\n"
                "  bankshot view kernel.trace --at 42:7 --shot pass7.png\n",
    .run = run,
};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("bankshot-view " BS_VERSION "\n") > 0 ? 0 : BS_INTERNAL;
    return (int)view.run(&view, argc, argv);
}
