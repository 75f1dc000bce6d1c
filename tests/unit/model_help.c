/* See model_help.h. */
#include "model_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fail_with(const struct bs_errors *errors, const char *text)
{
    char line[1024] = "no error";
    if (errors->count)
        bs_error_line(&errors->list[0], line, sizeof line);
    fail_msg("%s\n%s", text, line);
}

struct bs_model *hopper_with(const char *const *sets)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load("hopper", folders, sets, &errors);
    if (!model)
        fail_with(&errors, "hopper");
    return model;
}

struct bs_model *parse(const char *text, const char *set)
{
    const char *const sets[] = {set, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_parse(text, strlen(text), "m", NULL, sets, &errors);
    if (!model)
        fail_with(&errors, set ? set : text);
    assert_int_equal(errors.count, 0);
    bs_errors_free(&errors);
    return model;
}

struct bs_model *load(const char *name, const char *folder)
{
    const char *const folders[] = {folder, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load(name, folders, NULL, &errors);
    if (!model)
        fail_with(&errors, name);
    bs_errors_free(&errors);
    return model;
}

const struct bs_rule *rule_of(const struct bs_model *model, const char *name)
{
    struct bs_op op;
    assert_true(bs_op_parse(name, strlen(name), &op));
    return bs_model_rule(model, op);
}

/* ---- sameness, field by field ---------------------------------------------------------------- */

static bool same_rule(const struct bs_rule *a, const struct bs_rule *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->phases == b->phases && a->merges == b->merges && a->same_word == b->same_word &&
                a->broadcast_word == b->broadcast_word && a->combine == b->combine &&
                a->multiplier == b->multiplier && a->extra_passes == b->extra_passes &&
                a->ports == b->ports && a->banks == b->banks &&
                a->request_bytes == b->request_bytes && a->source_line == b->source_line &&
                a->sector_bytes == b->sector_bytes && a->method == b->method &&
                a->slots == b->slots && a->basis == b->basis && strcmp(a->source, b->source) == 0;
    for (uint32_t i = 0; same && i < a->phases; i++)
        same = a->phase[i] == b->phase[i];
    for (uint32_t i = 0; same && i < a->merges; i++)
        same = a->merge[i] == b->merge[i];
    return same;
}

bool same_model(const struct bs_model *a, const struct bs_model *b)
{
    bool same = strcmp(a->name, b->name) == 0 && strcmp(a->title, b->title) == 0 &&
                strcmp(a->compute_capability, b->compute_capability) == 0 &&
                strcmp(a->source, b->source) == 0 && strcmp(a->changes, b->changes) == 0 &&
                a->lanes == b->lanes && a->banks == b->banks && a->bank_width == b->bank_width &&
                a->row_bytes == b->row_bytes && a->ports == b->ports && a->winner == b->winner &&
                a->seed == b->seed && a->mapping.hash == b->mapping.hash &&
                memcmp(&a->timing, &b->timing, sizeof a->timing) == 0 &&
                memcmp(&a->capacity, &b->capacity, sizeof a->capacity) == 0 &&
                a->rule_count == b->rule_count;
    for (unsigned op = 0; same && op < BS_OPS; op++)
        same = same_rule(bs_model_rule(a, bs_op_at(op)), bs_model_rule(b, bs_op_at(op)));
    return same;
}

void check_print_loads_back(const struct bs_model *model, const char *what)
{
    char *yaml = bs_model_yaml(model);
    assert_non_null(yaml);
    struct bs_model *again = parse(yaml, NULL);
    char *second = bs_model_yaml(again);
    if (!same_model(model, again) || strcmp(yaml, second) != 0)
        fail_msg("%s changes when printed and loaded:\n%s\n-- then\n%s", what, yaml, second);
    bs_model_free(again);
    free(second);
    free(yaml);
}
