/* The resolved model as JSON: its walk, written as it comes. */
#include "model_json.h"

struct walk {
    struct bs_json *json;
    unsigned lists; /* that are open; one inside another is short, and written on one line */
};

static void walk_map(void *user, const char *key, bool open)
{
    struct walk *walk = user;
    if (open)
        bs_json_map(walk->json, key, BS_JSON_TALL);
    else
        bs_json_close(walk->json);
}

static void walk_list(void *user, const char *key, bool open)
{
    struct walk *walk = user;
    if (open)
        bs_json_list(walk->json, key, walk->lists++ > 0 ? BS_JSON_FLAT : BS_JSON_TALL);
    else {
        bs_json_close(walk->json);
        walk->lists--;
    }
}

static void walk_text(void *user, const char *key, const char *value)
{
    struct walk *walk = user;
    bs_json_text(walk->json, key, value);
}

static void walk_number(void *user, const char *key, uint64_t value)
{
    struct walk *walk = user;
    bs_json_number(walk->json, key, value);
}

void bs_model_json(struct bs_json *json, const char *key, const struct bs_model *model)
{
    static const struct bs_walker walker = {walk_map, walk_list, walk_text, walk_number};
    struct walk walk = {.json = json};
    bs_json_map(json, key, BS_JSON_TALL);
    bs_model_walk(model, &walker, &walk);
    bs_json_close(json);
}
