/*
 * The ops: their native names, their numbering, and the names that PTX, and NVIDIA's and AMD's
 * assemblers, give them.
 */
#include "bankshot.h"

#include "model_near.h"

#include <stdio.h>
#include <string.h>

/* A piece of text, not ending in NUL. */
struct token {
    const char *text;
    size_t size;
};

static bool token_is(struct token token, const char *word)
{
    return token.size == strlen(word) && memcmp(token.text, word, token.size) == 0;
}

static bool token_take(struct token *token, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (token->size < size || memcmp(token->text, prefix, size) != 0)
        return false;
    token->text += size;
    token->size -= size;
    return true;
}

static bool token_has(struct token token, const char *word)
{
    const size_t size = strlen(word);
    for (size_t at = 0; at + size <= token.size; at++)
        if (memcmp(token.text + at, word, size) == 0)
            return true;
    return false;
}

/* ---- numbering ------------------------------------------------------------------------------ */

enum { WIDTHS = 6, MATRIX_SIZES = 3 };

static const uint8_t widths[WIDTHS] = {1, 2, 4, 8, 12, 16};
static const uint8_t matrix_sizes[MATRIX_SIZES] = {1, 2, 4};
static const uint8_t copy_widths[] = {4, 8, 16};
static const char *const fn_names[BS_FNS] = {"add", "inc", "max",  "min", "and",
                                             "or",  "xor", "exch", "cas", "cast"};

/* The first number of each kind; within a kind the numbers go by fn, then by width. */
enum {
    FIRST_LD = 0,
    FIRST_ST = FIRST_LD + WIDTHS,
    FIRST_ATOM = FIRST_ST + WIDTHS,
    FIRST_RED = FIRST_ATOM + BS_FNS * WIDTHS,
    FIRST_LDMATRIX = FIRST_RED + BS_FNS * WIDTHS,
    FIRST_STMATRIX = FIRST_LDMATRIX + 2 * MATRIX_SIZES,
    FIRST_CP_ASYNC = FIRST_STMATRIX + 2 * MATRIX_SIZES,
    FIRST_CP_ASYNC_CG = FIRST_CP_ASYNC + (int)sizeof copy_widths,
    FIRST_BAR = FIRST_CP_ASYNC_CG + 1,
};
_Static_assert(FIRST_BAR + 1 == BS_OPS, "BS_OPS is the number of ops");

static const unsigned first_of[BS_KINDS] = {
    FIRST_LD,       FIRST_ST,       FIRST_ATOM,        FIRST_RED, FIRST_LDMATRIX,
    FIRST_STMATRIX, FIRST_CP_ASYNC, FIRST_CP_ASYNC_CG, FIRST_BAR,
};

static unsigned place_in(const uint8_t *list, uint8_t value)
{
    unsigned at = 0;
    while (list[at] != value)
        at++;
    return at;
}

static unsigned index_of(struct bs_op op)
{
    const unsigned first = first_of[op.kind];
    switch ((enum bs_kind)op.kind) {
    case BS_LD:
    case BS_ST:
        return first + place_in(widths, op.bytes);
    case BS_ATOM:
    case BS_RED:
        return first + op.fn * (unsigned)WIDTHS + place_in(widths, op.bytes);
    case BS_LDMATRIX:
    case BS_STMATRIX:
        return first + 2 * place_in(matrix_sizes, op.matrices) + op.trans;
    case BS_CP_ASYNC:
        return first + place_in(copy_widths, op.bytes);
    case BS_CP_ASYNC_CG:
    case BS_BAR:
    case BS_KINDS:
        break;
    }
    return first;
}

struct bs_op bs_op_at(unsigned index)
{
    unsigned kind = BS_KINDS - 1;
    while (index < first_of[kind])
        kind--;
    const unsigned at = index - first_of[kind];
    struct bs_op op = {.index = (uint8_t)index, .kind = (uint8_t)kind};
    switch ((enum bs_kind)kind) {
    case BS_LD:
    case BS_ST:
        op.bytes = widths[at];
        break;
    case BS_ATOM:
    case BS_RED:
        op.fn = (uint8_t)(at / WIDTHS);
        op.bytes = widths[at % WIDTHS];
        break;
    case BS_LDMATRIX:
    case BS_STMATRIX:
        op.bytes = 16;
        op.matrices = matrix_sizes[at / 2];
        op.trans = at % 2 != 0;
        break;
    case BS_CP_ASYNC:
        op.bytes = copy_widths[at];
        break;
    case BS_CP_ASYNC_CG:
        op.bytes = 16;
        break;
    case BS_BAR:
    case BS_KINDS:
        break;
    }
    return op;
}

/* ---- native names --------------------------------------------------------------------------- */

static const char *const kind_names[BS_KINDS] = {
    "ld", "st", "atom", "red", "ldmatrix", "stmatrix", "cp.async", "cp.async.cg", "bar",
};

const char *bs_op_name(struct bs_op op, char name[BS_OP_NAME])
{
    const char *kind = kind_names[op.kind];
    const unsigned bits = 8u * op.bytes;
    if (op.kind == BS_BAR)
        snprintf(name, BS_OP_NAME, "%s", kind);
    else if (bs_op_is_matrix(op))
        snprintf(name, BS_OP_NAME, "%s.x%u%s", kind, op.matrices, op.trans ? ".trans" : "");
    else if (op.kind == BS_ATOM || op.kind == BS_RED)
        snprintf(name, BS_OP_NAME, "%s.%s.b%u", kind, fn_names[op.fn], bits);
    else
        snprintf(name, BS_OP_NAME, "%s.b%u", kind, bits);
    return name;
}

static bool native_parse(struct token token, struct bs_op *op)
{
    for (unsigned index = 0; index < BS_OPS; index++) {
        char name[BS_OP_NAME];
        const struct bs_op candidate = bs_op_at(index);
        if (token_is(token, bs_op_name(candidate, name))) {
            *op = candidate;
            return true;
        }
    }
    return false;
}

/* ---- SASS ----------------------------------------------------------------------------------- */

/* The parts after the dots change the op, or say something that has no bearing on its cost. A part
 * that is in neither list makes the name unknown: better refused than mispriced. */
struct part {
    const char *name;
    uint8_t bytes; /* 0: leaves the width alone */
};

static const struct part memory_parts[] = {
    {"U8", 1}, {"S8", 1},   {"U16", 2}, {"S16", 2}, {"32", 4},
    {"64", 8}, {"128", 16}, {"U", 0},   {"E", 0},   {NULL, 0},
};
static const struct part atomic_parts[] = {
    {"32", 4},  {"64", 8},  {"128", 16}, {"S32", 4}, {"U32", 4},
    {"S64", 8}, {"U64", 8}, {"F32", 4},  {NULL, 0},
};
static const struct part copy_parts[] = {
    {"32", 4},      {"64", 8},      {"128", 16},  {"E", 0}, {"LTC64B", 0},
    {"LTC128B", 0}, {"LTC256B", 0}, {"ZFILL", 0}, {"U", 0}, {NULL, 0},
};

static bool next_part(struct token *rest, struct token *part)
{
    if (!token_take(rest, "."))
        return false;
    const char *dot = memchr(rest->text, '.', rest->size);
    part->text = rest->text;
    part->size = dot ? (size_t)(dot - rest->text) : rest->size;
    rest->text += part->size;
    rest->size -= part->size;
    return true;
}

static bool apply_part(const struct part *parts, struct token token, struct bs_op *op)
{
    for (; parts->name; parts++) {
        if (token_is(token, parts->name)) {
            if (parts->bytes)
                op->bytes = parts->bytes;
            return true;
        }
    }
    return false;
}

static bool apply_parts(const struct part *parts, struct token rest, struct bs_op *op)
{
    struct token part;
    while (rest.size > 0)
        if (!next_part(&rest, &part) || !apply_part(parts, part, op))
            return false;
    return true;
}

static bool sass_memory(struct token rest, struct bs_op *op)
{
    op->bytes = 4;
    return apply_parts(memory_parts, rest, op);
}

/* ATOMS.ADD, ATOMS.POPC.INC.32, ATOMS.CAS.64, ATOMS.CAST.SPIN (a try of it). ATOMS.INC and
 * ATOMS.DEC, which wrap at a limit, are other operations than POPC.INC: they cost what an add does
 * (docs/hardware.md). */
static bool sass_atomic(struct token rest, struct bs_op *op)
{
    static const struct {
        const char *name;
        uint8_t fn;
    } fns[] = {
        {".POPC.INC", BS_INC}, {".CAST.SPIN", BS_CAST}, {".CAS", BS_CAS}, {".ADD", BS_ADD},
        {".INC", BS_ADD},      {".DEC", BS_ADD},        {".MAX", BS_MAX}, {".MIN", BS_MIN},
        {".AND", BS_AND},      {".XOR", BS_XOR},        {".OR", BS_OR},   {".EXCH", BS_EXCH},
    };
    op->bytes = 4;
    for (size_t i = 0; i < sizeof fns / sizeof *fns; i++) {
        struct token parts = rest;
        op->fn = fns[i].fn;
        if (token_take(&parts, fns[i].name) && apply_parts(atomic_parts, parts, op))
            return true;
    }
    return false;
}

/* LDSM.16.M88.4, LDSM.16.MT88.2, LDSM.16.M88 */
static bool sass_matrix(struct token rest, struct bs_op *op)
{
    op->bytes = 16;
    op->matrices = 1;
    if (!token_take(&rest, ".16.M"))
        return false;
    op->trans = token_take(&rest, "T");
    if (!token_take(&rest, "88"))
        return false;
    if (token_take(&rest, ".2"))
        op->matrices = 2;
    else if (token_take(&rest, ".4"))
        op->matrices = 4;
    return rest.size == 0;
}

/* LDGSTS.E, LDGSTS.E.128, LDGSTS.E.BYPASS.LTC128B.128 */
static bool sass_copy(struct token rest, struct bs_op *op)
{
    struct token part;
    op->bytes = 4;
    while (rest.size > 0) {
        if (!next_part(&rest, &part))
            return false;
        if (token_is(part, "BYPASS"))
            op->kind = BS_CP_ASYNC_CG;
        else if (!apply_part(copy_parts, part, op))
            return false;
    }
    return op->kind == BS_CP_ASYNC || op->bytes == 16;
}

static bool sass_barrier(struct token rest, struct bs_op *op)
{
    (void)op;
    return token_is(rest, ".SYNC") || token_is(rest, ".SYNC.DEFER_BLOCKING");
}

/* ---- AMD ------------------------------------------------------------------------------------ */

struct amd_name {
    const char *name;
    uint8_t bytes;
};

static const struct amd_name amd_loads[] = {
    {"u8", 1},        {"i8", 1},  {"u8_d16", 1}, {"u8_d16_hi", 1}, {"i8_d16", 1},
    {"i8_d16_hi", 1}, {"u16", 2}, {"i16", 2},    {"u16_d16", 2},   {"u16_d16_hi", 2},
    {"b32", 4},       {"b64", 8}, {"b96", 12},   {"b128", 16},     {NULL, 0},
};
static const struct amd_name amd_stores[] = {
    {"b8", 1},  {"b8_d16_hi", 1}, {"b16", 2},   {"b16_d16_hi", 2}, {"b32", 4},
    {"b64", 8}, {"b96", 12},      {"b128", 16}, {NULL, 0},
};
static const struct amd_name amd_types[] = {
    {"u32", 4}, {"i32", 4}, {"b32", 4}, {"f32", 4}, {"u64", 8},
    {"i64", 8}, {"b64", 8}, {"f64", 8}, {NULL, 0},
};

static bool amd_type(const struct amd_name *types, struct token rest, struct bs_op *op)
{
    for (; types->name; types++) {
        if (token_is(rest, types->name)) {
            op->bytes = types->bytes;
            return true;
        }
    }
    return false;
}

static bool amd_load(struct token rest, struct bs_op *op)
{
    return amd_type(amd_loads, rest, op);
}

static bool amd_store(struct token rest, struct bs_op *op)
{
    return amd_type(amd_stores, rest, op);
}

/* ds_add_u32 returns nothing, ds_add_rtn_u32 the old value. */
static bool amd_atomic(struct token rest, struct bs_op *op)
{
    static const struct {
        const char *name;
        uint8_t fn;
    } fns[] = {
        {"add_", BS_ADD},   {"max_", BS_MAX},      {"min_", BS_MIN},     {"and_", BS_AND},
        {"or_", BS_OR},     {"xor_", BS_XOR},      {"wrxchg_", BS_EXCH}, {"storexchg_", BS_EXCH},
        {"cmpst_", BS_CAS}, {"cmpstore_", BS_CAS},
    };
    for (size_t i = 0; i < sizeof fns / sizeof *fns; i++) {
        if (!token_take(&rest, fns[i].name))
            continue;
        op->fn = fns[i].fn;
        op->kind = token_take(&rest, "rtn_") ? BS_ATOM : BS_RED;
        return amd_type(amd_types, rest, op);
    }
    return false;
}

static bool amd_barrier(struct token rest, struct bs_op *op)
{
    (void)op;
    return rest.size == 0;
}

/* ---- PTX ------------------------------------------------------------------------------------ */

static const struct part ptx_types[] = {
    {"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2},   {"u16", 2}, {"s16", 2},
    {"f16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4},   {"f32", 4}, {"b64", 8},
    {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16}, {NULL, 0},
};
/* A floating-point add is no atomic of shared memory: it compiles to a loop. */
static const struct part ptx_atomic_types[] = {
    {"b32", 4}, {"u32", 4}, {"s32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {NULL, 0},
};

static bool ptx_space(struct token *rest)
{
    return token_take(rest, ".shared::cta.") || token_take(rest, ".shared.");
}

/* ld.shared.f32, st.volatile.shared.v2.u64: the words of a vector are one access of all its bytes.
 */
static bool ptx_memory(struct token rest, struct bs_op *op)
{
    unsigned words = 1;
    token_take(&rest, ".volatile");
    if (!ptx_space(&rest))
        return false;
    if (token_take(&rest, "v2."))
        words = 2;
    else if (token_take(&rest, "v4."))
        words = 4;
    if (!apply_part(ptx_types, rest, op) || words * op->bytes > 16)
        return false;
    op->bytes = (uint8_t)(words * op->bytes);
    return true;
}

/* atom.shared.add.u32. Its inc and dec wrap at a limit: SASS's ATOMS.INC and ATOMS.DEC. */
static bool ptx_atomic(struct token rest, struct bs_op *op)
{
    static const struct {
        const char *name;
        uint8_t fn;
    } fns[] = {
        {"add.", BS_ADD}, {"inc.", BS_ADD}, {"dec.", BS_ADD}, {"max.", BS_MAX},   {"min.", BS_MIN},
        {"and.", BS_AND}, {"or.", BS_OR},   {"xor.", BS_XOR}, {"exch.", BS_EXCH}, {"cas.", BS_CAS},
    };
    if (!ptx_space(&rest))
        return false;
    for (size_t i = 0; i < sizeof fns / sizeof *fns; i++) {
        op->fn = fns[i].fn;
        if (token_take(&rest, fns[i].name))
            return apply_part(ptx_atomic_types, rest, op);
    }
    return false;
}

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 */
static bool ptx_matrix(struct token rest, struct bs_op *op)
{
    op->bytes = 16;
    if (!token_take(&rest, ".sync.aligned.m8n8.x"))
        return false;
    for (size_t i = 0; i < MATRIX_SIZES && !op->matrices; i++) {
        const char digit[] = {(char)('0' + matrix_sizes[i]), '\0'};
        op->matrices = token_take(&rest, digit) ? matrix_sizes[i] : 0;
    }
    op->trans = token_take(&rest, ".trans");
    return op->matrices && ptx_space(&rest) && token_is(rest, "b16");
}

/* cp.async.cg.shared.global, .L2::128B or not, which copies 16 bytes. That of .ca is another
 * operand there, so such a name does not say all. */
static bool ptx_copy(struct token rest, struct bs_op *op)
{
    op->bytes = 16;
    if (!ptx_space(&rest) || !token_take(&rest, "global"))
        return false;
    return rest.size == 0 || token_is(rest, ".L2::64B") || token_is(rest, ".L2::128B") ||
           token_is(rest, ".L2::256B");
}

/* ---- all names ------------------------------------------------------------------------------ */

bool bs_op_parse(const char *text, size_t size, struct bs_op *op)
{
    static const struct {
        const char *prefix;
        uint8_t kind;
        bool (*parse)(struct token rest, struct bs_op *op);
    } dialects[] = {
        {"LDSM", BS_LDMATRIX, sass_matrix},
        {"STSM", BS_STMATRIX, sass_matrix},
        {"LDGSTS", BS_CP_ASYNC, sass_copy},
        {"LDS", BS_LD, sass_memory},
        {"STS", BS_ST, sass_memory},
        {"ATOMS", BS_ATOM, sass_atomic},
        {"BAR", BS_BAR, sass_barrier},
        {"ds_read_", BS_LD, amd_load},
        {"ds_load_", BS_LD, amd_load},
        {"ds_write_", BS_ST, amd_store},
        {"ds_store_", BS_ST, amd_store},
        {"ds_", BS_RED, amd_atomic},
        {"s_barrier", BS_BAR, amd_barrier},
        {"ld", BS_LD, ptx_memory},
        {"st", BS_ST, ptx_memory},
        {"atom", BS_ATOM, ptx_atomic},
        {"red", BS_RED, ptx_atomic},
        {"ldmatrix", BS_LDMATRIX, ptx_matrix},
        {"stmatrix", BS_STMATRIX, ptx_matrix},
        {"cp.async.cg", BS_CP_ASYNC_CG, ptx_copy},
    };
    const struct token token = {text, size};
    if (native_parse(token, op))
        return true;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        struct token rest = token;
        struct bs_op parsed = {.kind = dialects[i].kind};
        if (token_take(&rest, dialects[i].prefix) && dialects[i].parse(rest, &parsed)) {
            parsed.index = (uint8_t)index_of(parsed);
            *op = parsed;
            return true;
        }
    }
    return false;
}

/* What the nearest name would not tell, by how the text begins and what is in it. */
static const char *special_hint(struct token text)
{
    static const struct {
        const char *prefix, *part, *hint;
    } hints[] = {
        {"atom", ".inc", "; a wrapping inc costs what atom.add.bN does"},
        {"atom", ".dec", "; a wrapping dec costs what atom.add.bN does"},
        {"red", ".inc", "; a wrapping inc costs what red.add.bN does"},
        {"red", ".dec", "; a wrapping dec costs what red.add.bN does"},
        {"ATOMS", ".ADD.F", "; a floating-point add is a loop of ld and atom.cast"},
        {"atom", ".add.f", "; a floating-point add is a loop of ld and atom.cast"},
        {"red", ".add.f", "; a floating-point add is a loop of ld and atom.cast"},
        {"cp.async.ca", "", "; it is cp.async.b32, .b64 or .b128, by its size"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        struct token rest = text;
        if (token_take(&rest, hints[i].prefix) && token_has(rest, hints[i].part))
            return hints[i].hint;
    }
    return NULL;
}

const char *bs_op_hint(const char *text, size_t size, char out[BS_OP_HINT])
{
    struct bs_near near = {0};
    char name[BS_OP_NAME];
    char message[BS_NEAR_MESSAGE];
    const char *special = special_hint((struct token){text, size});
    for (unsigned i = 0; !special && i < BS_OPS; i++)
        bs_near_offer(&near, text, size, bs_op_name(bs_op_at(i), name));
    snprintf(out, BS_OP_HINT, "%s", special ? special : bs_near_message(&near, message));
    return out;
}
