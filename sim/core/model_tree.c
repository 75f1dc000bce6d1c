/* From libyaml's events to a tree of nodes, and errors with their place in the text. */
#include "model_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_STARS = 64 };

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
    /* What was wrong stands behind an override, which may be long. */
    char set[96];
    const char *name = source->is_set
                           ? bs_printable(source->file, strlen(source->file), set, sizeof set)
                           : source->file;
    if (source->errors.count == BS_MAX_FILE_ERRORS)
        bs_fail(&error, BS_BAD_MODEL, name, 0, 0, "more than %d errors: the first are",
                BS_MAX_FILE_ERRORS);
    else
        bs_fail(&error, source->is_set || status == BS_INTERNAL ? status : BS_BAD_MODEL, name,
                source->is_set ? 0 : where.line, source->is_set ? 0 : where.column, "%s", text);
    bs_errors_add(&source->errors, &error);
}

/* ---- building -------------------------------------------------------------------------------- */

struct builder {
    struct bs_tree *tree;
    uint32_t open[BS_TREE_DEPTH]; /* the lists and maps around the next node */
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
    const char *noun = b->tree->source->noun;
    if (anchor)
        bs_where_fail(where, BS_USAGE, "anchors (&) have no place in a %s", noun);
    if (tag)
        bs_where_fail(where, BS_USAGE, "tags (!) have no place in a %s", noun);
}

/* Ends the text that a node was just made for. */
static bool end_text(struct bs_tree *tree)
{
    struct bs_node *node = &tree->nodes[tree->count - 1];
    node->size = (uint32_t)(tree->text.size - node->text);
    bs_buffer_add(&tree->text, "", 1);
    return !tree->text.failed;
}

static void fail_star(struct bs_where where)
{
    bs_where_fail(where, BS_USAGE, "a text that begins with '*' needs quotes, as in ops: \"*\"");
}

/* What begins with a '*' is an alias to YAML; here it was meant to be a pattern. */
static bool add_alias(struct builder *b, const yaml_event_t *event)
{
    struct bs_tree *tree = b->tree;
    fail_star(mark_where(tree, &event->start_mark));
    if (!add_node(b, BS_NODE_TEXT, event))
        return false;
    tree->nodes[tree->count - 1].text = tree->text.size;
    bs_buffer_text(&tree->text, "*");
    bs_buffer_text(&tree->text, (const char *)event->data.alias.anchor);
    return end_text(tree);
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
    node->text = tree->text.size;
    bs_buffer_add(&tree->text, event->data.scalar.value, event->data.scalar.length);
    return end_text(tree);
}

static bool open_node(struct builder *b, enum bs_node_kind kind, const yaml_event_t *event)
{
    const unsigned most = b->tree->source->depth;
    if (b->depth == most) {
        bs_where_fail(mark_where(b->tree, &event->start_mark), BS_USAGE,
                      "lists and maps are nested more than %u deep", most);
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

/* Closes what an error left open. A key that has no value yet goes. */
static void cut_off(struct builder *b)
{
    struct bs_tree *tree = b->tree;
    tree->is_cut = true;
    while (b->depth > 0) {
        const uint32_t open = b->open[b->depth - 1];
        uint32_t last = open;
        bool is_key = false;
        for (uint32_t at = open + 1; at < tree->count; at = tree->nodes[at].end) {
            last = at;
            is_key = !is_key;
        }
        if (is_key && tree->nodes[open].kind == BS_NODE_MAP)
            tree->count = last;
        close_node(b);
    }
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
        return add_alias(b, event);
    case YAML_DOCUMENT_START_EVENT:
        if (b->documents++ > 0)
            bs_where_fail(where, BS_USAGE, "a second document starts here: a %s is one",
                          b->tree->source->noun);
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

/* The byte of a mark, which counts characters. */
static size_t byte_of(const yaml_mark_t *mark, const char *text, size_t size)
{
    size_t characters = 0;
    size_t byte = 0;
    for (; byte < size; byte++) {
        characters += ((unsigned char)text[byte] & 0xc0) != 0x80;
        if (characters > mark->index)
            break;
    }
    return byte;
}

/* What a model's author may not know about YAML, by the text where its parser gave up. */
static const char *lesson(const yaml_parser_t *parser, const char *text, size_t size)
{
    const char *problem = parser->problem ? parser->problem : "";
    const size_t byte = byte_of(&parser->problem_mark, text, size);
    if (byte < size && text[byte] == '\t')
        return "a tab: YAML is indented with blanks";
    if (byte < size && strchr("@`%|>&!", text[byte]) && strstr(problem, "cannot start any token"))
        return "a text that begins with such a character needs quotes";
    const char *context = parser->context ? parser->context : "";
    if (strstr(context, "flow") && byte < size && strchr("[]{}", text[byte]))
        return "a text with brackets, braces or commas in it needs quotes between { } or [ ]";
    if (strstr(problem, "mapping values are not allowed"))
        return "a text with a colon and a blank in it needs quotes, and keys of one map stand "
               "below "
               "each other";
    return NULL;
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
    const char *taught = lesson(parser, text, size);
    if (taught)
        bs_where_fail(mark_where(tree, &parser->problem_mark), BS_USAGE, "not YAML: %s", taught);
    else
        bs_where_fail(mark_where(tree, &parser->problem_mark), BS_USAGE, "not YAML: %s%s%s%s",
                      problem, parser->context ? " (" : "", parser->context ? parser->context : "",
                      parser->context ? ")" : "");
}

/* Says of a text that was saved in another encoding how to save it; false if it was not. */
static bool refuse_encoding(struct bs_where start, const char *text, size_t size)
{
    static const struct {
        const char *mark;
        size_t size;
        const char *text;
    } encodings[] = {
        {"\xef\xbb\xbf", 3, "a byte order mark: save the file as UTF-8 without one"},
        {"\xff\xfe", 2, "UTF-16: save the file as UTF-8"},
        {"\xfe\xff", 2, "UTF-16: save the file as UTF-8"},
    };
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        if (size < encodings[i].size || memcmp(text, encodings[i].mark, encodings[i].size) != 0)
            continue;
        bs_where_fail(start, BS_USAGE, "the file begins with %s", encodings[i].text);
        return true;
    }
    return false;
}

/* Texts that begin with a '*' without quotes, for which YAML's parser gives up. So that the rest of
 * the file is checked too, it gets a letter to read there, and the '*' comes back afterwards. */
struct stars {
    struct bs_where where[MAX_STARS];
    size_t count;
    struct bs_buffer text; /* the file's text with the letters */
};

/* Whether the parser gave up at such a '*', which has a letter in its place now. */
static bool mend_star(struct stars *stars, const struct bs_tree *tree, const yaml_parser_t *parser)
{
    const char *context = parser->context ? parser->context : "";
    if (stars->count == MAX_STARS || strcmp(context, "while scanning an alias") != 0)
        return false;
    const size_t byte = byte_of(&parser->context_mark, stars->text.data, stars->text.size);
    stars->text.data[byte] = 'x';
    stars->where[stars->count++] = mark_where(tree, &parser->context_mark);
    return true;
}

/* Puts the '*' back, and says so. */
static void restore_stars(const struct stars *stars, struct bs_tree *tree)
{
    for (size_t i = 0; i < stars->count; i++) {
        fail_star(stars->where[i]);
        for (size_t n = 0; n < tree->count; n++)
            if (tree->nodes[n].kind == BS_NODE_TEXT &&
                tree->nodes[n].line == stars->where[i].line &&
                tree->nodes[n].column == stars->where[i].column)
                tree->text.data[tree->nodes[n].text] = '*';
    }
}

/* Whether the whole stream was taken; *again: not yet, but it can be tried once more. */
static bool take_events(struct builder *b, yaml_parser_t *parser, struct stars *stars, bool *again)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            b->tree->text.failed |= parser->error == YAML_MEMORY_ERROR;
            *again = mend_star(stars, b->tree, parser);
            if (parser->error != YAML_MEMORY_ERROR && !*again)
                report_yaml_error(b->tree, parser, stars->text.data, stars->text.size);
            return false;
        }
        const bool end = event.type == YAML_STREAM_END_EVENT;
        const bool go_on = take_event(b, &event);
        yaml_event_delete(&event);
        if (end || !go_on)
            return end;
    }
}

/* Fills the tree from the text. Whether it was taken to its end. */
static bool parse_text(struct bs_tree *tree, struct stars *stars, bool *again)
{
    struct builder b = {.tree = tree};
    yaml_parser_t parser;
    *again = false;
    if (!yaml_parser_initialize(&parser)) {
        tree->text.failed = true;
        return false;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)stars->text.data,
                                 stars->text.size);
    const bool fine = take_events(&b, &parser, stars, again);
    yaml_parser_delete(&parser);
    if (!fine)
        cut_off(&b);
    return fine;
}

bool bs_tree_parse(struct bs_tree *tree, struct bs_source *source, const char *text, size_t size)
{
    const struct bs_where start = {source, 1, 1};
    struct stars stars = {0};
    *tree = (struct bs_tree){.source = source};
    if (size > BS_MODEL_BYTES) {
        bs_where_fail(start, BS_USAGE, "a %s has at most %d bytes, this has more", source->noun,
                      BS_MODEL_BYTES);
        return false;
    }
    if (refuse_encoding(start, text, size))
        return false;
    bs_buffer_add(&stars.text, text, size);
    bs_buffer_add(&stars.text, "", 1); /* libyaml takes no NULL, which an empty text may well be */
    stars.text.size = size;
    tree->text.failed |= stars.text.failed;
    bool fine = false;
    for (bool again = !stars.text.failed; again;) {
        bs_errors_free(&source->errors);
        bs_tree_free(tree);
        tree->source = source;
        fine = parse_text(tree, &stars, &again);
    }
    restore_stars(&stars, tree);
    bs_buffer_free(&stars.text);
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

bool bs_node_is_cut(const struct bs_tree *tree, const struct bs_node *node)
{
    return tree->is_cut && node->kind != BS_NODE_TEXT && node->end == tree->count;
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
    const bool empty = node->end == (size_t)(node - tree->nodes) + 1 && !bs_node_is_cut(tree, node);
    if (node->kind == BS_NODE_LIST)
        return empty ? "an empty list" : "a list";
    if (node->kind == BS_NODE_MAP)
        return empty ? "an empty map" : "a map";
    if (bs_node_is_null(tree, node))
        return "nothing";
    bs_printable(bs_node_text(tree, node), node->size, shown, sizeof shown);
    snprintf(out, BS_NODE_SHOWN, node->plain ? "'%s'" : "the quoted text '%s'", shown);
    return out;
}
