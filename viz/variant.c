/* Variants of a request. */
#include "variant.h"

#include "command/lookup.h"

#include <stdio.h>
#include <string.h>

/* ---- what a "KEY=VALUE" changes -------------------------------------------------------------- */

static bool same_key(const char *definition, const char *compare)
{
    const size_t size = strcspn(compare, "=");
    return strncmp(definition, compare, size) == 0 && definition[size] == '=';
}

/* Where the definition of the same key stands in a list; its count if nowhere. */
static size_t find_key(const struct bs_words *words, const char *compare)
{
    size_t at = 0;
    while (at < words->count && !same_key(words->list[at], compare))
        at++;
    return at;
}

bool bs_words_copy(struct bs_words *to, const struct bs_words *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!bs_words_add(to, from->list[i]))
            return false;
    return true;
}

static bool is_key(const char *compare, const char *key)
{
    const size_t size = strcspn(compare, "=");
    return size == strlen(key) && strncmp(compare, key, size) == 0;
}

/* model=NAME, addrs=ADDRS, a name that --let binds, or else a key of the model. */
static bool apply(struct bs_variant *variant, const struct bs_request *request, const char *compare)
{
    const char *value = compare + strcspn(compare, "=") + 1;
    const size_t let = find_key(&variant->options.lets, compare);
    const size_t set = find_key(&variant->options.sets, compare);
    if (is_key(compare, "model"))
        variant->options.model = value;
    else if (is_key(compare, "addrs") && request->addresses) {
        variant->addresses = value;
        variant->options.lets_may_rest = true;
    } else if (let < variant->options.lets.count)
        variant->options.lets.list[let] = compare;
    else if (set < variant->options.sets.count)
        variant->options.sets.list[set] = compare;
    else
        return bs_words_add(&variant->options.sets, compare);
    return true;
}

/* ---- the model's own value of a key ---------------------------------------------------------- */

struct key_search {
    const char *key;
    char path[64]; /* of the maps that are open, with a dot behind each */
    char *value;
    size_t room;
};

static void enter(void *user, const char *key, bool open)
{
    struct key_search *search = user;
    size_t size = strlen(search->path);
    if (open) {
        snprintf(search->path + size, sizeof search->path - size, "%.20s.", key ? key : "");
        return;
    }
    while (size > 1 && search->path[size - 2] != '.')
        size--;
    search->path[size > 0 ? size - 1 : 0] = '\0';
}

static bool is_searched(const struct key_search *search, const char *key)
{
    const size_t size = strlen(search->path);
    return key && strncmp(search->key, search->path, size) == 0 &&
           strcmp(search->key + size, key) == 0;
}

static void see_text(void *user, const char *key, const char *value)
{
    struct key_search *search = user;
    if (is_searched(search, key))
        snprintf(search->value, search->room, "%s", value);
}

static void see_number(void *user, const char *key, uint64_t value)
{
    struct key_search *search = user;
    if (is_searched(search, key))
        snprintf(search->value, search->room, "%llu", (unsigned long long)value);
}

const struct bs_model_key *bs_model_key_named(const char *key)
{
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i].path, key) == 0)
            return &keys[i];
    return NULL;
}

void bs_model_value(const struct bs_model *model, const char *key, char *value, size_t room)
{
    static const struct bs_walker walker = {enter, enter, see_text, see_number};
    struct key_search search = {.key = key, .value = value, .room = room};
    const struct bs_model_key *known = bs_model_key_named(key);
    snprintf(value, room, "%s", known ? known->value : "");
    bs_model_walk(model, &walker, &search);
}

static void key_of(const char *compare, char *key, size_t room)
{
    snprintf(key, room, "%.*s", (int)strcspn(compare, "="), compare);
}

void bs_variant_name_first(struct bs_variant *first, const struct bs_request *request)
{
    char key[64];
    char value[64];
    if (!request->compares.count)
        return;
    const char *compare = request->compares.list[0];
    const size_t let = find_key(&first->options.lets, compare);
    const size_t set = find_key(&first->options.sets, compare);
    key_of(compare, key, sizeof key);
    if (is_key(compare, "model"))
        snprintf(first->caption, sizeof first->caption, "%s", first->model->name);
    else if (is_key(compare, "addrs"))
        snprintf(first->caption, sizeof first->caption, "%.90s", first->addresses);
    else if (let < first->options.lets.count)
        snprintf(first->caption, sizeof first->caption, "%.90s", first->options.lets.list[let]);
    else if (set < first->options.sets.count)
        snprintf(first->caption, sizeof first->caption, "%.90s", first->options.sets.list[set]);
    else {
        bs_model_value(first->model, key, value, sizeof value);
        snprintf(first->caption, sizeof first->caption, "%.62s%s%.30s", value[0] ? key : "as it is",
                 value[0] ? "=" : "", value);
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool fail(struct bs_errors *errors, const struct bs_error *error)
{
    bs_errors_add(errors, error);
    return false;
}

static bool check_compare(const char *compare, const struct bs_request *request,
                          struct bs_error *error)
{
    char shown[64];
    bs_printable(compare, strlen(compare), shown, sizeof shown);
    const char *equals = strchr(compare, '=');
    if (!equals || equals == compare || !equals[1])
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "--compare '%s': expected KEY=VALUE: a name that --let binds, a key of the "
                       "model, model=NAME or addrs=ADDRS",
                       shown);
    return !is_key(compare, "addrs") || request->addresses ||
           bs_fail(error, BS_USAGE, NULL, 0, 0,
                   "--compare '%s': the addresses of a trace are what they are", shown);
}

static bool name_variant(struct bs_variant *variant, const char *compare)
{
    const char *value = strchr(compare, '=') + 1;
    const bool bare = is_key(compare, "model") || is_key(compare, "addrs");
    char shown[BS_VARIANT_CAPTION];
    bs_printable(bare ? value : compare, strlen(bare ? value : compare), shown, sizeof shown);
    snprintf(variant->caption, sizeof variant->caption, "%s", shown);
    return true;
}

static bool read_words(struct bs_variant *variant, const struct bs_request *request,
                       struct bs_error *error)
{
    variant->subject.model = variant->model;
    return bs_subject_op(&variant->subject, request->op, error) &&
           bs_subject_addresses(&variant->subject, &variant->options, variant->addresses, error);
}

/* An error of the model's key is one of --compare, which could have meant a name as well. */
static void name_compare(struct bs_error *error, const char *compare, const struct bs_words *lets)
{
    char names[64] = "";
    char shown[64];
    char text[sizeof error->text];
    for (size_t i = 0; i < lets->count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "--let binds ",
                 (int)strcspn(lets->list[i], "="), lets->list[i]);
    }
    snprintf(text, sizeof text, "--compare %s: %s%s%.*s",
             bs_printable(compare, strlen(compare), shown, sizeof shown), names,
             names[0] ? "; " : "", (int)(sizeof text - 200), error->text);
    bs_fail(error, error->status, NULL, 0, 0, "%s", text);
}

bool bs_variant_make(struct bs_variant *variant, const struct bs_request *request,
                     const char *compare, const char *trace_model, struct bs_errors *errors)
{
    struct bs_error error;
    const struct bs_subject_options *from = &request->options;
    *variant = (struct bs_variant){.options = *from, .addresses = request->addresses};
    variant->options.sets = (struct bs_words){0};
    variant->options.lets = (struct bs_words){0};
    if (!bs_words_copy(&variant->options.sets, &from->sets) ||
        !bs_words_copy(&variant->options.lets, &from->lets))
        return false;
    if (compare && !check_compare(compare, request, &error))
        return fail(errors, &error);
    if (compare && (!name_variant(variant, compare) || !apply(variant, request, compare)))
        return false;
    const char *name = variant->options.model ? variant->options.model
                       : trace_model          ? trace_model
                                              : BS_DEFAULT_MODEL;
    variant->model = bs_load_model(name, variant->options.sets.list, errors);
    if (!variant->model) {
        if (compare && errors->count && strncmp(errors->list[0].text, "unknown key", 11) == 0)
            name_compare(&errors->list[0], compare, &from->lets);
        return false;
    }
    return !request->op || read_words(variant, request, &error) || fail(errors, &error);
}

void bs_variant_free(struct bs_variant *variant)
{
    bs_model_free(variant->model);
    bs_words_free(&variant->options.sets);
    bs_words_free(&variant->options.lets);
    *variant = (struct bs_variant){0};
}
