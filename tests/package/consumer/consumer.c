/* A program as a user of the library would write it: the passes of one access. */
#include <bankshot-traces.h>
#include <bankshot.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct bs_errors errors = {0};
    const char **folders = bs_model_folders(MODELS);
    struct bs_model *model = bs_model_load("hopper", folders, NULL, &errors);
    free(folders);
    if (!model) {
        char line[1024];
        bs_error_line(&errors.list[0], line, sizeof line);
        fprintf(stderr, "consumer: %s\n", line);
        bs_errors_free(&errors);
        return 1;
    }

    uint32_t addresses[BS_MAX_LANES];
    for (uint32_t lane = 0; lane < BS_MAX_LANES; lane++)
        addresses[lane] = 8 * lane;
    struct bs_access access = {.mask = UINT32_MAX, .addr = addresses};
    struct bs_cost cost = {0};
    struct bs_error error;
    bool ok = bs_op_parse("ld.b64", 6, &access.op) &&
              bs_access_check(model, &access, false, &error) && bs_count(model, &access, &cost);
    printf("%u passes\n", (unsigned)cost.passes);
    bs_model_free(model);

    /* The traces link too: a file that is not there is an error like any other. */
    struct bs_trace *trace = bs_trace_open("no-such-trace", &error);
    bs_trace_close(trace);
    return ok && !trace && error.status == BS_BAD_TRACE ? 0 : 1;
}
