/*
 * Prints what the engine predicts for every measured loop, for fit_timing.py to fit with.
 *
 * Usage: predict MODEL-FOLDER [KIND [KEY=VALUE...]], KIND being one of the names below, or all, or
 * sequence, or "unequal": the sequences of 2 to 4 warps, independent, that are not kept aside.
 * Columns: kind, row, whether it is kept aside, measured and predicted cycles.
 */
#include "loops.h"
#include "rows.h"
#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const kinds[STREAM_KINDS] = {
    [STREAM_MIXED] = "mixed", [STREAM_CHOSEN] = "chosen", [STREAM_BARRIER] = "barrier",
    [STREAM_WARM] = "warm",   [STREAM_LONG] = "long",     [STREAM_LENGTHS] = "lengths",
    [STREAM_LATE] = "late",
};

static bool is_wanted(const char *wanted, const char *kind)
{
    return strcmp(wanted, "all") == 0 || strcmp(wanted, kind) == 0;
}

static bool is_unequal(const struct sequence *sequence)
{
    return !sequence_is_kept_aside(sequence) && !sequence->dep && sequence->loop.warps >= 2 &&
           sequence->loop.warps <= 4;
}

static void print_sequences(const struct bs_model *model, bool all)
{
    unsigned count;
    struct sequence *list = sequences_read(model, "h200-sequences.tsv.xz", &count);
    for (unsigned i = 0; i < count; i++) {
        char op[BS_OP_NAME];
        if (!all && !is_unequal(&list[i]))
            continue;
        bs_op_name(list[i].op, op);
        printf("sequence\t%s %s warps %u line %u\t%d\t%.3f\t%.3f\n", op,
               list[i].dep ? "dependent" : "independent", list[i].loop.warps, list[i].line,
               sequence_is_kept_aside(&list[i]), list[i].cycles,
               loop_cycles(&model->timing, &list[i].loop));
    }
    free(list);
}

static void print_streams(const struct bs_model *model, const char *wanted)
{
    unsigned count;
    struct stream *list = streams_read(&count);
    for (unsigned i = 0; i < count; i++)
        if (is_wanted(wanted, kinds[list[i].kind]))
            printf("%s\t%s\t0\t%.3f\t%.3f\n", kinds[list[i].kind], list[i].text, list[i].cycles,
                   loop_cycles(&model->timing, &list[i].loop));
    free(list);
}

int main(int argc, char **argv)
{
    const char *const folders[] = {argc > 1 ? argv[1] : NULL, NULL};
    const char *const none[] = {NULL};
    const char *wanted = argc > 2 ? argv[2] : "all";
    struct bs_errors errors = {0};
    struct bs_model *model =
        bs_model_load("hopper", folders, argc > 3 ? (const char *const *)&argv[3] : none, &errors);
    if (!model) {
        fprintf(stderr, "predict: %s\n", errors.count ? errors.list[0].text : "no model");
        return 2;
    }
    if (is_wanted(wanted, "sequence") || strcmp(wanted, "unequal") == 0)
        print_sequences(model, strcmp(wanted, "unequal") != 0);
    print_streams(model, wanted);
    bs_model_free(model);
    return 0;
}
