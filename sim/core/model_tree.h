/*
 * YAML as a tree of nodes with positions. Only the plain part of the language gets through:
 * anchors, aliases, tags and further documents are errors, as is nesting deeper than the text can
 * need.
 */
#ifndef BS_MODEL_TREE_H
#define BS_MODEL_TREE_H

#include "bankshot.h"
#include "buffer.h"

enum { BS_MODEL_BYTES = 1 << 20, BS_MAX_FILE_ERRORS = 100, BS_TREE_DEPTH = 32 };

/* A text that a model, or a sketch, is made of: a file, or one --set. Its errors collect here. */
struct bs_source {
    char *file;
    const char *noun; /* what the text is: "model" */
    unsigned depth;   /* of its lists and maps, at most BS_TREE_DEPTH */
    bool is_set;      /* positions inside mean nothing to the reader of a message */
    unsigned
        order; /* in which the sources were applied: later ones change what earlier ones said */
    struct bs_errors errors;
    struct bs_source *next;
};

struct bs_where {
    struct bs_source *source;
    uint32_t line;
    uint32_t column;
};

/* Adds an error to the source. status is that of a --set; those of a file are BS_BAD_MODEL,
 * or BS_INTERNAL where the machine is at fault. */
void bs_where_fail(struct bs_where where, enum bs_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

enum bs_node_kind { BS_NODE_TEXT, BS_NODE_LIST, BS_NODE_MAP };

/* Nodes stand in the order of the text. The children of node i are i + 1, then the end of that, and
 * so on up to the end of i; those of a map are keys and values in turn. */
struct bs_node {
    enum bs_node_kind kind;
    bool plain; /* text without quotes */
    uint32_t line;
    uint32_t column;
    uint32_t end;  /* index of the node behind this one and its children */
    uint32_t size; /* of a text */
    size_t text;   /* its place in the tree's text, where a NUL follows it */
};

struct bs_tree {
    struct bs_source *source;
    struct bs_node *nodes;
    size_t count;
    bool is_cut; /* by an error: what stands after the last node is not known */
    size_t room;
    struct bs_buffer text;
};

/* Fills the tree, which the caller frees in any case. False if the text is not YAML to its end, or
 * holds nothing; the source's errors say so. What stands before an error is in the tree. */
bool bs_tree_parse(struct bs_tree *tree, struct bs_source *source, const char *text, size_t size);
void bs_tree_free(struct bs_tree *tree);

const char *bs_node_text(const struct bs_tree *tree, const struct bs_node *node);
struct bs_where bs_node_where(const struct bs_tree *tree, const struct bs_node *node);

/* Whether an error cut the list or map off, so that its end is not known. */
bool bs_node_is_cut(const struct bs_tree *tree, const struct bs_node *node);

/* Whether it is what YAML calls null: no text, ~ or null. */
bool bs_node_is_null(const struct bs_tree *tree, const struct bs_node *node);

/* The node as messages show it: 'text', the quoted text 'text', a list, a map, nothing. Either a
 * constant or written to out. */
enum { BS_NODE_SHOWN = 96 };
const char *bs_node_show(const struct bs_tree *tree, const struct bs_node *node,
                         char out[BS_NODE_SHOWN]);

#endif
