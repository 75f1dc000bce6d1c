/* From libyaml's events to a tree of nodes, and errors with their place in a model's text. */
#include "model_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 8 };

/* ---- errors ---------------------------------------------------------------------------------- */

void bs_where_fail(struct bs_where where, enum bs_status status, const char *format, ...)
{
    struct bs_source *source = where.source;
    struct bs_error error;
    va_list args;
    if (source->errors.count > BS_MAX_FILE_ERRORS)
        return;
    va_start(args, format);
    char text[sizeof error.text];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (source->errors.count == BS_MAX_FILE_ERRORS)
        bs_fail(&error, BS_BAD_MODEL, source->file, 0, 0, "more than %d errors: the first are",
                BS_MAX_FILE_ERRORS);
    else
        bs_fail(&error, source->is_set ? status : BS_BAD_MODEL, source->file,
                source->is_set ? 0 : where.line, source->is_set ? 0 : where.column, "%s", text);
    bs_errors_add(&source->errors, &error);
}

/* ---- building -------------------------------------------------------------------------------- */

struct builder {
    struct bs_tree *tree;
    uint32_t open[MAX_DEPTH]; /* the lists and maps around the next node */
    unsigned depth;
    unsigned documents;
};

static struct bs_where mark_where(const struct bs_tree *tree, const yaml_mark_t *mark)
{
    return (struct bs_where){tree->source, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1};
}

static bool add_node(struct builder *b, enum bs_node_kind kind, const yaml_event_t *event)
{
    struct bs_tree *tree = b->tree;
    struct bs_node *nodes = bs_grow(tree->nodes, &tree->room, tree->count + 1, sizeof *nodes);
    if (!nodes) {
        tree->text.failed = true;
        return false;
    }
    tree->nodes = nodes;
    nodes[tree->count] = (struct bs_node){
        .kind = kind,
        .line = (uint32_t)event->start_mark.line + 1,
        .column = (uint32_t)event->start_mark.column + 1,
        .end = (uint32_t)tree->count + 1,
    };
    tree->count++;
    return true;
}

static void refuse_decoration(struct builder *b, const yaml_event_t *event,
                              const yaml_char_t *anchor, const yaml_char_t *tag)
{
    const struct bs_where where = mark_where(b->tree, &event->start_mark);
    if (anchor)
        bs_where_fail(where, BS_USAGE, "anchors (&) have no place in a model");
    if (tag)
        bs_where_fail(where, BS_USAGE, "tags (!) have no place in a model");
}

static bool add_text(struct builder *b, const yaml_event_t *event)
{
    struct bs_tree *tree = b->tree;
    refuse_decoration(b, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (memchr(event->data.scalar.value, '\0', event->data.scalar.length)) {
        bs_where_fail(mark_where(tree, &event->start_mark), BS_USAGE, "a NUL byte is not text");
        return false;
    }
    if (!add_node(b, BS_NODE_TEXT, event))
        return false;
    struct bs_node *node = &tree->nodes[tree->count - 1];
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->size = (uint32_t)event->data.scalar.length;
    node->text = tree->text.size;
    bs_buffer_add(&tree->text, event->data.scalar.value, node->size);
    bs_buffer_add(&tree->text, "", 1);
    return !tree->text.failed;
}

static bool open_node(struct builder *b, enum bs_node_kind kind, const yaml_event_t *event)
{
    if (b->depth == MAX_DEPTH) {
        bs_where_fail(mark_where(b->tree, &event->start_mark), BS_USAGE,
                      "lists and maps are nested more than %d deep", MAX_DEPTH);
        return false;
    }
    b->open[b->depth++] = (uint32_t)b->tree->count;
    return add_node(b, kind, event);
}

static bool close_node(struct builder *b)
{
    b->depth--;
    b->tree->nodes[b->open[b->depth]].end = (uint32_t)b->tree->count;
    return true;
}

/* Takes one event; false ends the building. */
static bool take_event(struct builder *b, const yaml_event_t *event)
{
    const struct bs_where where = mark_where(b->tree, &event->start_mark);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_text(b, event);
    case YAML_SEQUENCE_START_EVENT:
        refuse_decoration(b, event, event->data.sequence_start.anchor,
                          event->data.sequence_start.tag);
        return open_node(b, BS_NODE_LIST, event);
    case YAML_MAPPING_START_EVENT:
        refuse_decoration(b, event, event->data.mapping_start.anchor,
                          event->data.mapping_start.tag);
        return open_node(b, BS_NODE_MAP, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_node(b);
    case YAML_ALIAS_EVENT:
        bs_where_fail(where, BS_USAGE, "aliases (*) have no place in a model");
        return false;
    case YAML_DOCUMENT_START_EVENT:
        if (b->documents++ > 0)
            bs_where_fail(where, BS_USAGE, "a second document starts here: a model is one");
        return b->documents == 1;
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_NO_EVENT:
        break;
    }
    return true;
}

/* ---- libyaml --------------------------------------------------------------------------------- */

/* Line and column of a byte. */
static struct bs_where byte_where(struct bs_source *source, const char *text, size_t offset)
{
    struct bs_where where = {source, 1, 1};
    for (size_t i = 0; i < offset; i++) {
        where.column += ((unsigned char)text[i] & 0xc0) != 0x80; /* not inside a character */
        if (text[i] == '\n') {
            where.line++;
            where.column = 1;
        }
    }
    return where;
}

static void report_yaml_error(const struct bs_tree *tree, const yaml_parser_t *parser,
                              const char *text, size_t size)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    if (parser->error == YAML_READER_ERROR) {
        const size_t offset = parser->problem_offset < size ? parser->problem_offset : size;
        bs_where_fail(byte_where(tree->source, text, offset), BS_USAGE, "not text: %s", problem);
        return;
    }
    const bool second_colon = strstr(problem, "mapping values are not allowed") != NULL;
    bs_where_fail(mark_where(tree, &parser->problem_mark), BS_USAGE, "not YAML: %s%s%s%s%s",
                  problem, parser->context ? " (" : "", parser->context ? parser->context : "",
                  parser->context ? ")" : "",
                  second_colon ? "; a text with a colon and a blank in it needs quotes" : "");
}

/* Whether the whole stream was taken. */
static bool take_events(struct builder *b, yaml_parser_t *parser, const char *text, size_t size)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            b->tree->text.failed |= parser->error == YAML_MEMORY_ERROR;
            if (parser->error != YAML_MEMORY_ERROR)
                report_yaml_error(b->tree, parser, text, size);
            return false;
        }
        const bool end = event.type == YAML_STREAM_END_EVENT;
        const bool go_on = take_event(b, &event);
        yaml_event_delete(&event);
        if (end || !go_on)
            return end;
    }
}

bool bs_tree_parse(struct bs_tree *tree, struct bs_source *source, const char *text, size_t size)
{
    const struct bs_where start = {source, 1, 1};
    struct builder b = {.tree = tree};
    yaml_parser_t parser;
    *tree = (struct bs_tree){.source = source};
    if (size > BS_MODEL_BYTES) {
        bs_where_fail(start, BS_USAGE, "a model has at most %d bytes, this has more",
                      BS_MODEL_BYTES);
        return false;
    }
    bool fine = false;
    if (yaml_parser_initialize(&parser)) {
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
        /* libyaml takes no NULL, which an empty text may well be. */
        yaml_parser_set_input_string(&parser, (const unsigned char *)(text ? text : ""), size);
        fine = take_events(&b, &parser, text, size);
        yaml_parser_delete(&parser);
    } else {
        tree->text.failed = true;
    }
    if (tree->text.failed)
        bs_where_fail(start, BS_INTERNAL, "out of memory");
    else if (fine && tree->count == 0)
        bs_where_fail(start, BS_USAGE, "expected %s, found nothing",
                      source->is_set ? "a value" : "keys and values");
    return fine && tree->count > 0 && !tree->text.failed;
}

void bs_tree_free(struct bs_tree *tree)
{
    free(tree->nodes);
    bs_buffer_free(&tree->text);
    *tree = (struct bs_tree){0};
}

/* ---- nodes ----------------------------------------------------------------------------------- */

const char *bs_node_text(const struct bs_tree *tree, const struct bs_node *node)
{
    return tree->text.data + node->text;
}

struct bs_where bs_node_where(const struct bs_tree *tree, const struct bs_node *node)
{
    return (struct bs_where){tree->source, node->line, node->column};
}

bool bs_node_is_null(const struct bs_tree *tree, const struct bs_node *node)
{
    static const char *const names[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != BS_NODE_TEXT || !node->plain)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(bs_node_text(tree, node), names[i]) == 0)
            return true;
    return false;
}

const char *bs_node_show(const struct bs_tree *tree, const struct bs_node *node,
                         char out[BS_NODE_SHOWN])
{
    char shown[64];
    if (node->kind == BS_NODE_LIST)
        return "a list";
    if (node->kind == BS_NODE_MAP)
        return "a map";
    if (bs_node_is_null(tree, node))
        return "nothing";
    bs_printable(bs_node_text(tree, node), node->size, shown, sizeof shown);
    snprintf(out, BS_NODE_SHOWN, node->plain ? "'%s'" : "the quoted text '%s'", shown);
    return out;
}
