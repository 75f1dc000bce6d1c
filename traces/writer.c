/* The table of formats that can be written, and the one interface to them. */
#include "writer.h"

#include "launches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct bs_writer_format *const formats[] = {
    &bs_text_writer,
    &bs_binary_writer,
    &bs_npy_writer,
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct bs_trace_writer {
    const struct bs_writer_format *format;
    void *state; /* the format's */
    FILE *file;  /* the caller's */
    bool has_kernel;
};

/* ---- formats -------------------------------------------------------------------------------- */

const char *bs_writer_name(size_t number)
{
    return number < FORMATS ? formats[number]->name : NULL;
}

const char *bs_writer_name_for(const char *path)
{
    const size_t size = strlen(path);
    const char *other = NULL;
    for (size_t i = 0; i < FORMATS; i++) {
        const char *ending = formats[i]->ending;
        if (!ending)
            other = formats[i]->name;
        else if (size > strlen(ending) && strcmp(path + size - strlen(ending), ending) == 0)
            return formats[i]->name;
    }
    return other;
}

static const struct bs_writer_format *format_named(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

/* ---- output --------------------------------------------------------------------------------- */

bool bs_writer_failed(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "the trace cannot be written: %s",
                   errno ? strerror(errno) : "unknown reason");
}

bool bs_writer_put(FILE *file, const void *bytes, size_t size, struct bs_error *error)
{
    errno = 0;
    return size == 0 || fwrite(bytes, 1, size, file) == size || bs_writer_failed(error);
}

/* ---- the interface -------------------------------------------------------------------------- */

struct bs_trace_writer *bs_writer_open(FILE *file, const char *format, struct bs_error *error)
{
    struct bs_error local;
    char shown[64];
    error = error ? error : &local;
    const struct bs_writer_format *chosen = format_named(format);
    if (!chosen) {
        bs_fail(error, BS_USAGE, NULL, 0, 0, "'%s' is no format that can be written",
                bs_printable(format, strlen(format), shown, sizeof shown));
        return NULL;
    }
    struct bs_trace_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        return NULL;
    }
    *writer = (struct bs_trace_writer){.format = chosen, .file = file};
    writer->state = chosen->open(file, error);
    if (writer->state)
        return writer;
    free(writer);
    return NULL;
}

static bool check_kernel(const struct bs_kernel *kernel, struct bs_error *error)
{
    const struct {
        const char *what;
        const char *text; /* NULL: there is none, which is fine */
    } texts[] = {
        {"kernel name", kernel->name},
        {"model name", kernel->model},
        {"device", kernel->device},
        {"demangled name", kernel->demangled},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text && !texts[i].text[0])
            return bs_fail(error, BS_USAGE, NULL, 0, 0,
                           "an empty %s cannot be written, expected a word", texts[i].what);
    if (kernel->smem > bs_max_smem)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "%lld bytes of shared memory cannot be written, expected at most %lld",
                       (long long)kernel->smem, (long long)bs_max_smem);
    for (size_t i = 0; i < kernel->place_count; i++) {
        const struct bs_source_place *place = &kernel->places[i];
        if (!place->text[0] || (i > 0 && place->pc <= place[-1].pc))
            return bs_fail(error, BS_USAGE, NULL, 0, 0,
                           "the source place of pc 0x%llx cannot be written, expected places with "
                           "a text, in ascending order of their program counters",
                           (unsigned long long)place->pc);
    }
    return true;
}

bool bs_writer_kernel(struct bs_trace_writer *writer, const struct bs_kernel *kernel,
                      struct bs_error *error)
{
    struct bs_error local;
    if (!check_kernel(kernel, error))
        return false;
    writer->has_kernel = true;
    return writer->format->kernel(writer->state, kernel, error ? error : &local);
}

bool bs_writer_record(struct bs_trace_writer *writer, const struct bs_access *access,
                      struct bs_error *error)
{
    struct bs_error local;
    if (!writer->has_kernel)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "a record without a kernel, expected a kernel to be written first");
    return writer->format->record(writer->state, access, error ? error : &local);
}

bool bs_writer_comment(struct bs_trace_writer *writer, const char *text, struct bs_error *error)
{
    struct bs_error local;
    return !writer->format->comment ||
           writer->format->comment(writer->state, text, error ? error : &local);
}

bool bs_writer_note(struct bs_trace_writer *writer, const char *text, struct bs_error *error)
{
    struct bs_error local;
    return !writer->format->note ||
           writer->format->note(writer->state, text, error ? error : &local);
}

bool bs_writer_finish(struct bs_trace_writer *writer, struct bs_error *error)
{
    struct bs_error local;
    error = error ? error : &local;
    if (!writer->format->finish(writer->state, error))
        return false;
    errno = 0;
    return (fflush(writer->file) == 0 && !ferror(writer->file)) || bs_writer_failed(error);
}

const char *bs_writer_losses(const struct bs_trace_writer *writer)
{
    return writer->format->losses ? writer->format->losses(writer->state) : NULL;
}

void bs_writer_close(struct bs_trace_writer *writer)
{
    if (!writer)
        return;
    writer->format->close(writer->state);
    free(writer);
}
