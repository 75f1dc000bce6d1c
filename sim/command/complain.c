/* How errors and warnings reach the user: one line each, on standard error. */
#include "command.h"

#include <stdio.h>

static void write_line(const char *lead, const struct bs_error *error)
{
    char line[sizeof error->file + sizeof error->text + 64];
    bs_error_line(error, line, sizeof line);
    fprintf(stderr, "bankshot: %s%s\n", lead, line);
}

enum bs_status bs_complain(const struct bs_error *error)
{
    write_line("", error);
    return error->status;
}

void bs_warn(const struct bs_error *error)
{
    write_line("warning: ", error);
}

void bs_tell_note(const char *sentence)
{
    fprintf(stderr, "bankshot: note: %s\n", sentence);
}

enum bs_status bs_complain_at(const struct bs_error *error, const char *file, uint64_t line)
{
    struct bs_error placed;
    bs_fail(&placed, error->status, file, line, 0, "%s", error->text);
    return bs_complain(&placed);
}

enum bs_status bs_complain_all(const struct bs_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        bs_complain(&errors->list[i]);
    return errors->count ? errors->list[0].status : bs_out_of_memory();
}

enum bs_status bs_out_of_memory(void)
{
    return bs_complain(&(struct bs_error){.status = BS_INTERNAL, .text = "out of memory"});
}
