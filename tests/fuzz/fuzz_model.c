/*
 * Fuzz target: a model file. Whatever the bytes are, loading ends in a model or in errors; a model
 * prints as YAML that loads back and prints the same.
 */
#include "bankshot.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_errors(const struct bs_errors *errors)
{
    require(errors->count > 0);
    for (size_t i = 0; i < errors->count; i++) {
        require(errors->list[i].status == BS_BAD_MODEL || errors->list[i].status == BS_USAGE);
        require(errors->list[i].text[0] != '\0');
    }
}

static void check_model(const struct bs_model *model)
{
    struct bs_errors errors = {0};
    char *first = bs_model_yaml(model);
    require(first);
    struct bs_model *again = bs_model_parse(first, strlen(first), "again", NULL, NULL, &errors);
    require(again);
    char *second = bs_model_yaml(again);
    require(second && strcmp(first, second) == 0);
    for (uint32_t address = 0; address < 1000; address += 7)
        require(bs_model_place(model, address).bank < model->banks);
    free(first);
    free(second);
    bs_model_free(again);
}

/* Input that starts with "--set " is an override of a small model. */
static struct bs_model *load(const char *text, size_t size, struct bs_errors *errors)
{
    static const char small[] = "name: small\nlanes: 32\nbanks: 32\nbank_width: 4\nrules:\n"
                                "  - ops: ld.* st.b128 cp.async.*\n    phase_lanes: 8\n";
    static const char prefix[] = "--set ";
    const size_t before = strlen(prefix);
    if (size < before || memcmp(text, prefix, before) != 0 || memchr(text, '\0', size))
        return bs_model_parse(text, size, "fuzz", NULL, NULL, errors);
    char *set = malloc(size - before + 1);
    require(set);
    memcpy(set, text + before, size - before);
    set[size - before] = '\0';
    const char *const sets[] = {set, NULL};
    struct bs_model *model = bs_model_parse(small, strlen(small), "fuzz", NULL, sets, errors);
    free(set);
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bs_errors errors = {0};
    struct bs_model *model = load((const char *)data, size, &errors);
    if (model)
        check_model(model);
    else
        check_errors(&errors);
    bs_model_free(model);
    bs_errors_free(&errors);
    return 0;
}
