/* The arrays of a sketch: their types, their sizes, and how they lie in memory. */
#include "sketch_program.h"

#include "core/model_near.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum array_key { ELEMENT, SIZE, PAD, PITCH, SWIZZLE, ALIGN, ARRAY_KEYS };

static const struct bs_draft_key array_keys[ARRAY_KEYS] = {
    {"element", true}, {"size", true},     {"pad", false},
    {"pitch", false},  {"swizzle", false}, {"align", false},
};

/* What people call elements, and what CUDA does where that is another name, which declarations are
 * shown with; of each size the first is for those that give a number of bytes. */
static const struct type {
    const char *name;
    uint32_t bytes;
    const char *cuda; /* NULL: the same */
} types[] = {
    {"char", 1, NULL},
    {"half", 2, NULL},
    {"float", 4, NULL},
    {"double", 8, NULL},
    {"float4", 16, NULL},

    {"signed char", 1, NULL},
    {"unsigned char", 1, NULL},
    {"uchar", 1, NULL},
    {"int8_t", 1, NULL},
    {"uint8_t", 1, NULL},
    {"int8", 1, "int8_t"},
    {"uint8", 1, "uint8_t"},
    {"i8", 1, "int8_t"},
    {"u8", 1, "uint8_t"},
    {"byte", 1, "uint8_t"},
    {"bool", 1, NULL},
    {"__nv_fp8_e4m3", 1, NULL},
    {"__nv_fp8_e5m2", 1, NULL},
    {"__nv_fp8_storage_t", 1, NULL},
    {"fp8", 1, "__nv_fp8_storage_t"},
    {"e4m3", 1, "__nv_fp8_e4m3"},
    {"e5m2", 1, "__nv_fp8_e5m2"},

    {"short", 2, NULL},
    {"unsigned short", 2, NULL},
    {"ushort", 2, NULL},
    {"int16_t", 2, NULL},
    {"uint16_t", 2, NULL},
    {"int16", 2, "int16_t"},
    {"uint16", 2, "uint16_t"},
    {"i16", 2, "int16_t"},
    {"u16", 2, "uint16_t"},
    {"__half", 2, NULL},
    {"fp16", 2, "half"},
    {"f16", 2, "half"},
    {"float16", 2, "half"},
    {"__nv_bfloat16", 2, NULL},
    {"bf16", 2, "__nv_bfloat16"},
    {"bfloat16", 2, "__nv_bfloat16"},
    {"char2", 2, NULL},
    {"uchar2", 2, NULL},

    {"int", 4, NULL},
    {"unsigned", 4, NULL},
    {"unsigned int", 4, NULL},
    {"uint", 4, NULL},
    {"int32_t", 4, NULL},
    {"uint32_t", 4, NULL},
    {"int32", 4, "int32_t"},
    {"uint32", 4, "uint32_t"},
    {"i32", 4, "int32_t"},
    {"u32", 4, "uint32_t"},
    {"fp32", 4, "float"},
    {"f32", 4, "float"},
    {"float32", 4, "float"},
    {"tf32", 4, "float"},
    {"half2", 4, NULL},
    {"__half2", 4, NULL},
    {"__nv_bfloat162", 4, NULL},
    {"bf162", 4, "__nv_bfloat162"},
    {"char4", 4, NULL},
    {"uchar4", 4, NULL},
    {"short2", 4, NULL},
    {"ushort2", 4, NULL},

    {"long", 8, NULL},
    {"unsigned long", 8, NULL},
    {"long long", 8, NULL},
    {"unsigned long long", 8, NULL},
    {"size_t", 8, NULL},
    {"int64_t", 8, NULL},
    {"uint64_t", 8, NULL},
    {"int64", 8, "int64_t"},
    {"uint64", 8, "uint64_t"},
    {"i64", 8, "int64_t"},
    {"u64", 8, "uint64_t"},
    {"fp64", 8, "double"},
    {"f64", 8, "double"},
    {"float64", 8, "double"},
    {"float2", 8, NULL},
    {"int2", 8, NULL},
    {"uint2", 8, NULL},
    {"short4", 8, NULL},
    {"ushort4", 8, NULL},

    {"int4", 16, NULL},
    {"uint4", 16, NULL},
    {"double2", 16, NULL},
    {"longlong2", 16, NULL},
    {"ulonglong2", 16, NULL},
};
enum { TYPES = sizeof types / sizeof *types };

/* ---- the keys -------------------------------------------------------------------------------- */

static bool fail_element(struct bs_sketch_draft *draft, const struct bs_node *node,
                         const char *text)
{
    struct bs_near near = {0};
    char hint[BS_NEAR_MESSAGE], shown[BS_NODE_SHOWN];
    const size_t size = strlen(text);
    for (size_t i = 0; i < TYPES; i++)
        bs_near_offer(&near, text, size, types[i].name);
    bs_near_message(&near, hint);
    if (size > 2 && text[size - 1] == '3') /* float3 and its like */
        snprintf(hint, sizeof hint, "; of vectors of three make a dimension of 3");
    bs_draft_fail(
        draft, node, 0,
        "element: expected a type such as half, float, int8_t or float4, or 1, 2, 4, 8 or "
        "16 bytes, found %s%s",
        bs_node_show(draft->tree, node, shown), hint);
    return false;
}

static bool read_element(struct bs_sketch_draft *draft, const struct bs_node *node,
                         struct bs_sketch_array *array)
{
    const char *text = bs_draft_text(draft, node, "element");
    uint64_t bytes = 0;
    if (!text)
        return false;
    const bool number = bs_number_parse(text, node->size, 16, &bytes);
    for (size_t i = 0; i < TYPES; i++) {
        if (number ? types[i].bytes != bytes : strcmp(types[i].name, text) != 0)
            continue;
        array->type = types[i].cuda ? types[i].cuda : types[i].name;
        array->layout.element = types[i].bytes;
        return true;
    }
    return fail_element(draft, node, text);
}

static bool read_size(struct bs_sketch_draft *draft, const struct bs_node *node,
                      struct bs_sketch_array *array)
{
    const struct bs_node *end = draft->tree->nodes + node->end;
    const struct bs_node *one = node->kind == BS_NODE_LIST ? node + 1 : node;
    uint64_t rows = 1;
    if (!bs_draft_is_list(draft, node, "size"))
        return false;
    for (; one < end; one = draft->tree->nodes + one->end) {
        int64_t value;
        if (array->dim_count == BS_SKETCH_DIMS) {
            bs_draft_fail(draft, one, 0, "size: at most %d dimensions", BS_SKETCH_DIMS);
            array->dim_count = 0; /* how many it was to have is not known: accesses go unchecked */
            return false;
        }
        if (!bs_draft_value(draft, one, "size", 1, BS_SKETCH_BYTES, &value)) {
            array->dim_count = 0;
            return false;
        }
        if (rows <= BS_SKETCH_BYTES) /* with more it has too many bytes, as will be said */
            rows *= array->dim_count > 0 ? array->layout.columns : 1;
        array->layout.columns = (uint32_t)value;
        array->dims[array->dim_count++] = (uint32_t)value;
    }
    if (array->dim_count == 0)
        bs_draft_fail_expected(draft, node, "size", "a number, or a list of at least one");
    array->layout.rows = rows > BS_SKETCH_BYTES ? BS_SKETCH_BYTES : (uint32_t)rows;
    return array->dim_count > 0;
}

static bool read_pitch(struct bs_sketch_draft *draft, const struct bs_node *const *values,
                       struct bs_sketch_array *array)
{
    const int64_t columns = array->layout.columns;
    int64_t value = 0;
    bool fine = true;
    if (values[PAD] && values[PITCH]) {
        bs_draft_fail(draft, values[PITCH], 0, "pitch beside pad: only one of them");
        return false;
    }
    if (values[PITCH])
        fine = bs_draft_value(draft, values[PITCH], "pitch", columns, BS_SKETCH_BYTES, &value);
    else if (values[PAD])
        fine = bs_draft_value(draft, values[PAD], "pad", 0, BS_SKETCH_BYTES, &value);
    array->layout.pitch = (uint32_t)(values[PITCH] ? value : columns + value);
    return fine;
}

/* Arrays that wide accesses go to are declared with __align__(16) or come from dynamic shared
 * memory, which is aligned so. */
static bool read_align(struct bs_sketch_draft *draft, const struct bs_node *node,
                       struct bs_sketch_array *array)
{
    int64_t value = 16;
    if (node && !bs_draft_value(draft, node, "align", 1, 1024, &value))
        return false;
    if ((value & (value - 1)) != 0) {
        bs_draft_fail_expected(draft, node, "align", "a power of two");
        return false;
    }
    array->layout.align = (uint32_t)value;
    return true;
}

/* ---- swizzles -------------------------------------------------------------------------------- */

/* Fills the table of spots; the first fault is at *row, *column. */
static bool fill_spots(const struct bs_sketch_draft *draft, const struct bs_expr *expr,
                       const struct bs_layout *layout, uint32_t *spot, uint32_t *row,
                       uint32_t *column, struct bs_error *error)
{
    int64_t values[BS_SKETCH_NAMES];
    const unsigned names = draft->name_count; /* row and column come last */
    memcpy(values, draft->program->values, sizeof values);
    for (*row = 0; *row < layout->rows; ++*row) {
        for (*column = 0; *column < layout->columns; ++*column) {
            int64_t value;
            values[names - 2] = *row;
            values[names - 1] = *column;
            if (!bs_expr_eval(expr, values, &value, error))
                return false;
            if (value < 0 || value >= layout->pitch)
                return bs_fail(error, BS_BAD_MODEL, NULL, 0, 0,
                               "is %" PRId64 ", expected a place in the row, 0 to %" PRIu32, value,
                               layout->pitch - 1);
            spot[*row * layout->columns + *column] = (uint32_t)value;
        }
    }
    return true;
}

static void fail_swizzle(struct bs_sketch_draft *draft, const struct bs_node *node, uint32_t row,
                         uint32_t column, const char *text)
{
    bs_draft_fail(draft, node, 0, "swizzle: for row %" PRIu32 ", col %" PRIu32 " it %s", row,
                  column, text);
}

static bool use_swizzle(struct bs_sketch_draft *draft, const struct bs_node *node,
                        struct bs_sketch_array *array, const struct bs_expr *expr)
{
    struct bs_layout *layout = &array->layout;
    struct bs_error error;
    char text[sizeof error.text + 16];
    uint32_t row = 0, column = 0;
    const size_t size = (size_t)layout->rows * layout->columns * sizeof *layout->spot;
    uint32_t *spot = (uint32_t *)(void *)bs_draft_own(draft, size);
    if (!spot)
        return false;
    if (!fill_spots(draft, expr, layout, spot, &row, &column, &error)) {
        snprintf(text, sizeof text, "%s%s", error.column ? "fails: " : "", error.text);
        fail_swizzle(draft, node, row, column, text);
        return false;
    }
    layout->spot = spot;
    if (bs_layout_is_sound(layout, &row, &column))
        return true;
    if (row == layout->rows) {
        draft->out_of_memory = true;
        return false;
    }
    snprintf(text, sizeof text,
             "is %" PRIu32 ", where another element of the row lies already: no two may share a "
             "place",
             spot[row * layout->columns + column]);
    fail_swizzle(draft, node, row, column, text);
    return false;
}

static bool read_swizzle(struct bs_sketch_draft *draft, const struct bs_node *node,
                         struct bs_sketch_array *array)
{
    enum { SHORT = 256 /* bytes of an expression that the largest array may have */ };
    const char *text = bs_draft_text(draft, node, "swizzle");
    const uint64_t elements = (uint64_t)array->layout.rows * array->layout.columns;
    if (!text)
        return false;
    if (elements * (1 + node->size / SHORT) > BS_SKETCH_BYTES) {
        bs_draft_fail(draft, node, 0, "swizzle: too long an expression for so many elements");
        return false;
    }
    if (draft->name_count + 2 > BS_SKETCH_NAMES) {
        bs_draft_fail(draft, node, 0, "more than %d names at a time", BS_SKETCH_NAMES);
        return false;
    }
    draft->names[draft->name_count] = "row";
    draft->names[draft->name_count + 1] = "col";
    draft->uniform[draft->name_count] = draft->uniform[draft->name_count + 1] = true;
    draft->name_count += 2;
    struct bs_expr *expr = bs_draft_expr(draft, node, 0, node->size, "swizzle", true);
    const bool fine = expr && use_swizzle(draft, node, array, expr);
    bs_expr_free(expr);
    draft->name_count -= 2;
    array->swizzle = text;
    return fine;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static struct bs_sketch_array *add_array(struct bs_sketch_draft *draft, const struct bs_node *key)
{
    struct bs_sketch_program *program = draft->program;
    const struct bs_sketch *sketch = draft->sketch;
    const char *name = bs_draft_text(draft, key, "arrays");
    if (!name)
        return NULL;
    for (size_t i = 0; i < sketch->array_count; i++) {
        if (strcmp(program->arrays[i].name, name) == 0) {
            bs_draft_fail(draft, key, 0, "the array '%s' is here a second time", name);
            return NULL;
        }
    }
    /* A name is checked by binding it for a moment. */
    if (!bs_draft_bind(draft, key, 0, name, key->size, false))
        return NULL;
    draft->name_count--;
    struct bs_sketch_array *arrays =
        bs_grow(program->arrays, &program->array_room, sketch->array_count + 1, sizeof *arrays);
    if (!arrays) {
        draft->out_of_memory = true;
        return NULL;
    }
    program->arrays = arrays;
    draft->sketch->arrays = arrays;
    struct bs_sketch_array *array = &arrays[draft->sketch->array_count++];
    *array = (struct bs_sketch_array){.line = key->line, .column = key->column};
    snprintf(array->name, sizeof array->name, "%s", name);
    return array;
}

static void read_array(struct bs_sketch_draft *draft, const struct bs_node *key)
{
    const struct bs_node *map = draft->tree->nodes + key->end;
    const struct bs_node *values[ARRAY_KEYS];
    struct bs_sketch_array *array = add_array(draft, key);
    char what[BS_SKETCH_NAME + 16];
    if (!array)
        return;
    snprintf(what, sizeof what, "array %s", array->name);
    if (map->kind != BS_NODE_MAP) {
        bs_draft_fail_expected(draft, map, what, "a map such as {element: float, size: [32, 32]}");
        return;
    }
    if (!bs_draft_keys(draft, map, what, array_keys, ARRAY_KEYS, values, NULL))
        return;
    const bool sized = read_size(draft, values[SIZE], array);
    if (!read_element(draft, values[ELEMENT], array) || !sized ||
        !read_pitch(draft, values, array) || !read_align(draft, values[ALIGN], array))
        return;
    const uint64_t bytes = bs_layout_bytes(&array->layout);
    if (bytes > BS_SKETCH_BYTES)
        bs_draft_fail(draft, key, 0,
                      "the array '%s' has more than %d bytes: no device has so much shared memory",
                      array->name, BS_SKETCH_BYTES);
    else if (values[SWIZZLE])
        read_swizzle(draft, values[SWIZZLE], array);
}

void bs_draft_arrays(struct bs_sketch_draft *draft, const struct bs_node *map)
{
    if (map->kind != BS_NODE_MAP || map->end == (uint32_t)(map - draft->tree->nodes) + 1) {
        bs_draft_fail_expected(
            draft, map, "arrays",
            "a map of names and what each array is, such as tile: {element: float, "
            "size: [32, 32]}");
        return;
    }
    const struct bs_node *end = draft->tree->nodes + map->end;
    for (const struct bs_node *key = map + 1; key < end;) {
        read_array(draft, key);
        key = draft->tree->nodes + draft->tree->nodes[key->end].end;
    }
}
