/* Reading values off a story, changing them, and making a request of them. */
#include "values.h"

#include "params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of the model that are offered though nobody has set them. */
static const char *const offered[] = {"banks", "bank_width", "mapping.xor", "winner"};
enum { OFFERED = sizeof offered / sizeof *offered };

/* ---- reading --------------------------------------------------------------------------------- */

static bool put(char *to, size_t room, const char *text, size_t size)
{
    if (size >= room)
        return false;
    memcpy(to, text, size);
    to[size] = '\0';
    return true;
}

static bool add(struct bs_values *values, enum bs_value_kind kind, const char *name,
                const char *text)
{
    if (values->count == BS_MAX_VALUES)
        return false;
    struct bs_value *value = &values->list[values->count++];
    value->kind = kind;
    value->given = true;
    return put(value->name, sizeof value->name, name, strlen(name)) &&
           put(value->text, sizeof value->text, text, strlen(text));
}

size_t bs_values_find(const struct bs_values *values, const char *name)
{
    size_t at = 0;
    while (at < values->count && strcmp(values->list[at].name, name) != 0)
        at++;
    return at;
}

/* Adds "name=text"; of a name that is there already, the later text counts. */
static bool add_word(struct bs_values *values, enum bs_value_kind kind, const char *word)
{
    char name[BS_VALUE_NAME];
    const size_t size = strcspn(word, "=");
    if (!word[size] || !put(name, sizeof name, word, size))
        return false;
    const size_t at = bs_values_find(values, name);
    if (at == values->count || values->list[at].kind != kind)
        return add(values, kind, name, word + size + 1);
    values->list[at].given = true;
    return put(values->list[at].text, BS_VALUE_TEXT, word + size + 1, strlen(word + size + 1));
}

static bool add_words(struct bs_values *values, enum bs_value_kind kind,
                      const struct bs_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (!add_word(values, kind, words->list[i]))
            return false;
    return true;
}

/* A winner matters to stores alone. */
static bool is_offered(const struct bs_story *story, const char *key)
{
    return strcmp(key, "winner") != 0 || story->request.trace ||
           bs_op_writes(bs_op_at(story->told[0].op));
}

static bool add_model(struct bs_values *values, const struct bs_story *story)
{
    const char *model = story->request.options.model;
    if (!add(values, BS_VALUE_MODEL, "model", model ? model : ""))
        return false;
    values->list[values->count - 1].given = model;
    for (size_t i = 0; i < OFFERED; i++) {
        if (!is_offered(story, offered[i]))
            continue;
        if (!add(values, BS_VALUE_SET, offered[i], ""))
            return false;
        values->list[values->count - 1].given = false;
    }
    return add_words(values, BS_VALUE_SET, &story->request.options.sets);
}

/* A comparison has the kind of the value that it changes; a key of the model may be none of ours
 * yet. */
static bool add_compare(struct bs_values *values, const struct bs_story *story, const char *word)
{
    char name[BS_VALUE_NAME];
    char own[BS_VALUE_TEXT];
    const size_t size = strcspn(word, "=");
    if (!word[size] || !put(name, sizeof name, word, size))
        return false;
    size_t at = bs_values_find(values, name);
    if (at == values->count) {
        bs_model_value(story->variants[0].model, name, own, sizeof own);
        if (!add(values, BS_VALUE_SET, name, own))
            return false;
        values->list[at].given = false;
    }
    return bs_values_compare(values, at, word + size + 1);
}

/* The parameters of a sketch. */
static bool add_params(struct bs_values *values, const struct bs_story *story)
{
    struct bs_param param;
    char text[24];
    for (size_t i = 0; bs_param_at(story->trace, i, &param); i++) {
        snprintf(text, sizeof text, "%lld", (long long)param.value);
        if (!add(values, BS_VALUE_LET, param.name, text))
            return false;
        values->list[values->count - 1].given = false;
    }
    return true;
}

bool bs_values_read(struct bs_values *values, const struct bs_story *story)
{
    const struct bs_request *request = &story->request;
    values->count = 0;
    values->compare_count = 0;
    if (request->op && (!add(values, BS_VALUE_OP, "op", request->op) ||
                        !add(values, BS_VALUE_ADDRS, "addrs", request->addresses)))
        return false;
    if (!add_params(values, story) || !add_words(values, BS_VALUE_LET, &request->options.lets) ||
        !add_model(values, story))
        return false;
    for (size_t i = 0; i < request->compares.count; i++)
        if (!add_compare(values, story, request->compares.list[i]))
            return false;
    bs_values_follow(values, story);
    return true;
}

void bs_values_follow(struct bs_values *values, const struct bs_story *story)
{
    const struct bs_model *model = story->variants[0].model;
    for (size_t i = 0; i < values->count; i++) {
        struct bs_value *value = &values->list[i];
        if (value->given)
            continue;
        if (value->kind == BS_VALUE_MODEL)
            snprintf(value->text, sizeof value->text, "%s", model->name);
        else if (value->kind == BS_VALUE_SET)
            bs_model_value(model, value->name, value->text, sizeof value->text);
    }
}

/* ---- changing -------------------------------------------------------------------------------- */

static bool is_compared(const struct bs_values *values, size_t number, uint32_t scene)
{
    return scene > 0 && scene <= values->compare_count &&
           strcmp(values->compares[scene - 1].name, values->list[number].name) == 0;
}

const struct bs_value *bs_values_of_scene(const struct bs_values *values, size_t number,
                                          uint32_t scene)
{
    return is_compared(values, number, scene) ? &values->compares[scene - 1]
                                              : &values->list[number];
}

void bs_values_set(struct bs_values *values, size_t number, uint32_t scene, const char *text)
{
    struct bs_value *value =
        is_compared(values, number, scene) ? &values->compares[scene - 1] : &values->list[number];
    value->given = true;
    put(value->text, sizeof value->text, text, strlen(text));
}

bool bs_values_compare(struct bs_values *values, size_t number, const char *text)
{
    if (values->compare_count == BS_MAX_PANELS - 1)
        return false;
    struct bs_value *value = &values->compares[values->compare_count++];
    *value = values->list[number];
    value->given = true;
    return put(value->text, sizeof value->text, text, strlen(text));
}

/* ---- the request ----------------------------------------------------------------------------- */

static bool add_value_word(struct bs_value_word *word, const struct bs_value *value,
                           struct bs_words *words)
{
    const size_t name = strlen(value->name);
    memcpy(word->text, value->name, name);
    word->text[name] = '=';
    memcpy(word->text + name + 1, value->text, strlen(value->text) + 1);
    return bs_words_add(words, word->text);
}

static bool take_value(struct bs_values *values, size_t number, struct bs_request *request)
{
    const struct bs_value *value = &values->list[number];
    if (!value->given)
        return true;
    switch (value->kind) {
    case BS_VALUE_OP:
        request->op = value->text;
        return true;
    case BS_VALUE_ADDRS:
        request->addresses = value->text;
        return true;
    case BS_VALUE_MODEL:
        request->options.model = value->text;
        return true;
    case BS_VALUE_LET:
        return add_value_word(&values->words[number], value, &request->options.lets);
    case BS_VALUE_SET:
        return add_value_word(&values->words[number], value, &request->options.sets);
    }
    return true;
}

bool bs_values_request(struct bs_values *values, const struct bs_request *from,
                       struct bs_request *request)
{
    bool good = true;
    *request = *from;
    request->options.sets = request->options.lets = request->compares = (struct bs_words){0};
    for (size_t i = 0; good && i < values->count; i++)
        good = take_value(values, i, request);
    for (uint32_t i = 0; good && i < values->compare_count; i++)
        good = add_value_word(&values->words[BS_MAX_VALUES + i], &values->compares[i],
                              &request->compares);
    if (!good) {
        bs_subject_options_free(&request->options);
        bs_words_free(&request->compares);
    }
    return good;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool read_integer(const char *text, int64_t *value)
{
    uint64_t magnitude;
    const bool negative = *text == '-';
    if (!bs_number_parse(text + negative, strlen(text + negative), UINT32_MAX, &magnitude))
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool step_number(const char *from, int step, bool leap, char text[BS_VALUE_TEXT])
{
    int64_t value;
    if (!read_integer(from, &value))
        return false;
    if (!leap)
        value += step;
    else
        value = step > 0 ? value * 2 : value / 2;
    snprintf(text, BS_VALUE_TEXT, "%lld", (long long)value);
    return true;
}

/* The choice that comes after the one of that name among "a | b | c", round and round. */
static bool step_choice(const char *choices, const char *from, int step, char text[BS_VALUE_TEXT])
{
    const char *starts[16];
    size_t sizes[16];
    int count = 0;
    int at = 0;
    for (const char *rest = choices; count < 16; count++) {
        starts[count] = rest;
        sizes[count] = strcspn(rest, " ");
        if (strlen(from) == sizes[count] && strncmp(from, rest, sizes[count]) == 0)
            at = count;
        const char *bar = strstr(rest, " | ");
        if (!bar)
            break;
        rest = bar + 3;
    }
    count++;
    at = ((at + step) % count + count) % count;
    snprintf(text, BS_VALUE_TEXT, "%.*s", (int)sizes[at], starts[at]);
    return count > 1;
}

/* Numbers of banks and bytes go by powers of two. */
static bool step_key(const struct bs_value *value, int step, char text[BS_VALUE_TEXT])
{
    const struct bs_model_key *key = bs_model_key_named(value->name);
    if (key && strstr(key->type, " | "))
        return step_choice(key->type, value->text, step, text);
    return step_number(value->text, step, true, text);
}

static bool step_model(const char *from, const struct bs_model_names *models, int step,
                       char text[BS_VALUE_TEXT])
{
    size_t at = 0;
    while (at < models->count && strcmp(models->list[at], from) != 0)
        at++;
    if (models->count == 0)
        return false;
    if (at == models->count) /* a file of the user's: begin with the first or the last */
        at = step > 0 ? 0 : models->count - 1;
    else
        at = (at + models->count + (step > 0 ? 1 : models->count - 1)) % models->count;
    snprintf(text, BS_VALUE_TEXT, "%s", models->list[at]);
    return true;
}

static unsigned width_of(struct bs_op op)
{
    return op.matrices ? op.matrices : op.bytes;
}

/* The op of the same kind whose width is the next. */
static bool next_width(struct bs_op from, int step, struct bs_op *op)
{
    bool found = false;
    for (unsigned i = 0; i < BS_OPS; i++) {
        const struct bs_op other = bs_op_at(i);
        if (other.kind != from.kind || other.fn != from.fn || other.trans != from.trans)
            continue;
        const int beyond = ((int)width_of(other) - (int)width_of(from)) * step;
        if (beyond > 0 && (!found || beyond < ((int)width_of(*op) - (int)width_of(from)) * step)) {
            *op = other;
            found = true;
        }
    }
    return found;
}

/* An op of the next kind, as wide if there is one. */
static bool next_kind(struct bs_op from, int step, struct bs_op *op)
{
    for (unsigned turn = 1; turn < BS_KINDS; turn++) {
        const unsigned kind = (from.kind + BS_KINDS + (step > 0 ? turn : 0u - turn)) % BS_KINDS;
        bool found = false;
        for (unsigned i = 0; kind != BS_BAR && i < BS_OPS; i++) {
            const struct bs_op other = bs_op_at(i);
            if (other.kind != kind || (found && other.bytes != from.bytes))
                continue;
            if (!found || op->bytes != from.bytes)
                *op = other;
            found = true;
        }
        if (found)
            return true;
    }
    return false;
}

/* The same, round and round. */
static bool turn_width(struct bs_op from, int step, struct bs_op *op)
{
    struct bs_op last = from;
    if (next_width(from, step, op))
        return true;
    while (next_width(last, -step, op))
        last = *op;
    *op = last;
    return last.index != from.index;
}

static bool step_op(const char *from, int step, bool leap, char text[BS_VALUE_TEXT])
{
    struct bs_op op;
    struct bs_op next;
    char name[BS_OP_NAME];
    if (!bs_op_parse(from, strlen(from), &op) ||
        !(leap ? next_kind(op, step, &next) : turn_width(op, step, &next)))
        return false;
    snprintf(text, BS_VALUE_TEXT, "%s", bs_op_name(next, name));
    return true;
}

bool bs_value_step(const struct bs_value *value, const struct bs_model_names *models, int step,
                   bool leap, char text[BS_VALUE_TEXT])
{
    switch (value->kind) {
    case BS_VALUE_OP:
        return step_op(value->text, step, leap, text);
    case BS_VALUE_LET:
        return step_number(value->text, step, leap, text);
    case BS_VALUE_MODEL:
        return step_model(value->text, models, step, text);
    case BS_VALUE_SET:
        return step_key(value, step, text);
    case BS_VALUE_ADDRS:
        return false;
    }
    return false;
}
