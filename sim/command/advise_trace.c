/* Reading a trace for an advice. */
#include "advise_trace.h"

#include "progress.h"

#include <stdio.h>
#include <string.h>

/* The first record's kernel; the others must be of the same name. */
static bool take_kernel(struct bs_traced_kernel *kernel, const struct bs_record *record,
                        const char *trace, bool any_model, struct bs_error *error)
{
    char name[sizeof kernel->name], typed[BS_TYPED_NAME], one[96], other[96];
    const struct bs_kernel *from = record->kernel;
    const char *shown = from->demangled ? from->demangled : from->name;
    bs_printable(shown, strlen(shown), name, sizeof name);
    bs_kernel_name_typed(from->name, from->demangled, typed);
    if (!any_model && !bs_model_agree(&kernel->choice, from, trace, error))
        return false;
    if (!kernel->name[0]) {
        memcpy(kernel->name, name, sizeof name);
        bs_printable(typed, strlen(typed), kernel->typed, sizeof kernel->typed);
        kernel->smem = from->smem;
        kernel->threads = from->block[0] * from->block[1] * from->block[2];
        kernel->block_x = from->block[0];
        return true;
    }
    if (strcmp(kernel->name, name) == 0)
        return true;
    const bool alike = strcmp(kernel->typed, typed) == 0; /* they differ in what is not typed */
    const char *first = alike ? kernel->name : kernel->typed, *second = alike ? name : typed;
    return bs_fail(error, BS_USAGE, trace, 0, 0,
                   "layouts are searched for one kernel at a time, and these are '%s' and '%s': "
                   "choose with --kernel",
                   bs_printable(first, strlen(first), one, sizeof one),
                   bs_printable(second, strlen(second), other, sizeof other));
}

static bool take_record(struct bs_trace_arrays *arrays, const struct bs_record *record,
                        const char *trace, struct bs_error *error)
{
    char label[64];
    struct bs_error inner;
    const struct bs_source_place *place = bs_kernel_place(record->kernel, record->access.pc);
    if (place)
        bs_printable(place->text, strlen(place->text), label, sizeof label);
    return bs_trace_arrays_add(arrays, &record->access, place ? label : NULL, &inner) ||
           bs_fail(error, inner.status, trace, record->line, 0, "%s", inner.text);
}

static void show_progress(struct bs_progress *progress, const struct bs_trace *trace)
{
    uint64_t done, size;
    if (!bs_progress_is_due(progress, 1))
        return;
    bs_trace_progress(trace, &done, &size);
    bs_progress_draw(progress, bs_trace_name(trace), done, size);
}

bool bs_trace_arrays_read(struct bs_trace_arrays *arrays, struct bs_trace *trace, bool any_model,
                          struct bs_traced_kernel *kernel, struct bs_error *error)
{
    struct bs_progress progress;
    struct bs_record record;
    const char *name = bs_trace_name(trace);
    bool fine = true;
    enum bs_trace_event event = bs_trace_next_record(trace, &record, error);
    bs_progress_start(&progress);
    for (; fine && event == BS_TRACE_RECORD; show_progress(&progress, trace)) {
        fine = take_kernel(kernel, &record, name, any_model, error) &&
               take_record(arrays, &record, name, error);
        if (fine)
            event = bs_trace_next_record(trace, &record, error);
    }
    bs_progress_end(&progress);
    if (!fine || event == BS_TRACE_ERROR)
        return false;
    return arrays->work.access_count > 0 ||
           bs_fail(error, BS_USAGE, name, 0, 0,
                   "there is no access to shared memory among the records that are asked for");
}
