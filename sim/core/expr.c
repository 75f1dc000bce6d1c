/*
 * Address expressions. The text is compiled in one go, by precedence climbing, to steps for a stack
 * machine; evaluation runs the steps and allocates nothing. Both the nesting of the text and the
 * depth of the stack are limited, so hostile text costs an error and never the C stack.
 */
#include "bankshot.h"
#include "buffer.h"
#include "model_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NESTING = 100, /* operands inside operands: parentheses, signs, branches of ?: */
    MAX_STACK = 256,   /* values that wait for their operator */
    MAX_STEPS = 1 << 20,
};

/* ---- arithmetic: each function says what went wrong, or NULL -------------------------------- */

typedef const char *arithmetic(int64_t a, int64_t b, int64_t *result);

static const char *add(int64_t a, int64_t b, int64_t *result)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return "the sum does not fit in 64 bits";
    *result = a + b;
    return NULL;
}

static const char *subtract(int64_t a, int64_t b, int64_t *result)
{
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b)
        return "the difference does not fit in 64 bits";
    *result = a - b;
    return NULL;
}

/* Whether the product of numbers other than 0 leaves the range; for each pair of signs the bound is
 * divided by a factor that is neither 0 nor, with INT64_MIN, -1. */
static bool product_overflows(int64_t a, int64_t b)
{
    if (a > 0)
        return b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
    return b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a;
}

static const char *multiply(int64_t a, int64_t b, int64_t *result)
{
    if (a != 0 && b != 0 && product_overflows(a, b))
        return "the product does not fit in 64 bits";
    *result = a * b;
    return NULL;
}

static const char *divide(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return "division by zero";
    if (a == INT64_MIN && b == -1)
        return "the quotient does not fit in 64 bits";
    *result = a / b;
    return NULL;
}

static const char *modulo(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return "remainder of a division by zero";
    if (a == INT64_MIN && b == -1)
        return "the remainder does not fit in 64 bits";
    *result = a % b;
    return NULL;
}

static const char *bad_shift(int64_t a, int64_t b)
{
    if (b < 0)
        return "shift by a negative number";
    if (b > 63)
        return "shift by more than 63";
    if (a < 0)
        return "shift of a negative number";
    return NULL;
}

static const char *shift_left(int64_t a, int64_t b, int64_t *result)
{
    const char *problem = bad_shift(a, b);
    if (!problem && a > INT64_MAX >> b)
        problem = "the shifted number does not fit in 64 bits";
    if (!problem)
        *result = (int64_t)((uint64_t)a << b);
    return problem;
}

static const char *shift_right(int64_t a, int64_t b, int64_t *result)
{
    const char *problem = bad_shift(a, b);
    if (!problem)
        *result = a >> b;
    return problem;
}

static const char *bit_and(int64_t a, int64_t b, int64_t *result)
{
    *result = a & b;
    return NULL;
}

static const char *bit_xor(int64_t a, int64_t b, int64_t *result)
{
    *result = a ^ b;
    return NULL;
}

static const char *bit_or(int64_t a, int64_t b, int64_t *result)
{
    *result = a | b;
    return NULL;
}

static const char *less(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b;
    return NULL;
}

static const char *less_or_equal(int64_t a, int64_t b, int64_t *result)
{
    *result = a <= b;
    return NULL;
}

static const char *greater(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b;
    return NULL;
}

static const char *greater_or_equal(int64_t a, int64_t b, int64_t *result)
{
    *result = a >= b;
    return NULL;
}

static const char *equal(int64_t a, int64_t b, int64_t *result)
{
    *result = a == b;
    return NULL;
}

static const char *unequal(int64_t a, int64_t b, int64_t *result)
{
    *result = a != b;
    return NULL;
}

static const char *smaller(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b ? a : b;
    return NULL;
}

static const char *larger(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b ? a : b;
    return NULL;
}

/* Signs are operators on two operands as well: 0 - x, x == 0, -1 ^ x. */
static const struct sign {
    char text;
    int64_t left;
    arithmetic *apply;
} signs[] = {{'-', 0, subtract}, {'+', 0, add}, {'!', 0, equal}, {'~', -1, bit_xor}};

static const struct function {
    const char *name;
    arithmetic *apply;
} functions[] = {{"min", smaller}, {"max", larger}};

/* ---- steps ---------------------------------------------------------------------------------- */

enum action {
    PUSH,       /* value */
    LOAD,       /* the variable numbered value */
    APPLY,      /* apply to the two values on top */
    TRUTH,      /* the value on top becomes 0 or 1 */
    JUMP,       /* to step value */
    BRANCH,     /* takes a value; if it is 0: to step value */
    SKIP_FALSE, /* takes a value; if it is 0: 0 stands for the whole, to step value */
    SKIP_TRUE,  /* takes a value; if it is not: 1 stands for the whole, to step value */
};

struct step {
    enum action action;
    uint32_t column;
    int64_t value;
    arithmetic *apply;
};

struct bs_expr {
    struct step *steps;
    size_t count;
    size_t room;
};

/* The operators between operands; of those that start alike the longer come first. */
static const struct infix {
    const char *text;
    int precedence;
    arithmetic *apply;
    enum action action;
} infixes[] = {
    {"||", 1, NULL, SKIP_TRUE},      {"&&", 2, NULL, SKIP_FALSE},
    {"<<", 8, shift_left, APPLY},    {">>", 8, shift_right, APPLY},
    {"<=", 7, less_or_equal, APPLY}, {">=", 7, greater_or_equal, APPLY},
    {"==", 6, equal, APPLY},         {"!=", 6, unequal, APPLY},
    {"|", 3, bit_or, APPLY},         {"^", 4, bit_xor, APPLY},
    {"&", 5, bit_and, APPLY},        {"<", 7, less, APPLY},
    {">", 7, greater, APPLY},        {"+", 9, add, APPLY},
    {"-", 9, subtract, APPLY},       {"*", 10, multiply, APPLY},
    {"/", 10, divide, APPLY},        {"%", 10, modulo, APPLY},
};

/* ---- the parser ----------------------------------------------------------------------------- */

struct parser {
    const char *text;
    size_t at; /* of the next token */
    const char *const *names;
    size_t name_count;
    struct bs_expr *expr;
    unsigned nesting;
    unsigned stack;
    struct bs_error *error;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(struct parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' ||
           p->text[p->at] == '\r')
        p->at++;
}

static char next_char(struct parser *p)
{
    skip_blanks(p);
    return p->text[p->at];
}

static bool take_char(struct parser *p, char c)
{
    const bool found = next_char(p) == c;
    p->at += found;
    return found;
}

/* Bytes of the number or name that starts at the next token; a dot counts so that 1.5 is refused as
 * one number. */
static size_t word_size(const struct parser *p)
{
    size_t end = p->at;
    while (is_letter(p->text[end]) || is_digit(p->text[end]) || p->text[end] == '.')
        end++;
    return end - p->at;
}

/* The next token as a message shows it. */
static const char *next_token(struct parser *p, char *out, size_t room)
{
    char shown[64];
    if (next_char(p) == '\0')
        return "the end";
    const char *text = p->text + p->at;
    size_t size = word_size(p);
    for (size_t i = 0; size == 0 && i < sizeof infixes / sizeof *infixes; i++)
        if (strncmp(text, infixes[i].text, strlen(infixes[i].text)) == 0)
            size = strlen(infixes[i].text);
    if (size == 0) /* a character, in UTF-8 of several bytes */
        for (size = 1; ((unsigned char)text[size] & 0xc0) == 0x80;)
            size++;
    bs_printable(text, size, shown, sizeof shown);
    snprintf(out, room, "'%s'", shown);
    return out;
}

static bool fail_at(struct parser *p, size_t at, const char *what)
{
    return bs_fail(p->error, BS_USAGE, NULL, 0, at + 1, "%s", what);
}

static bool fail_nesting(struct parser *p, size_t at)
{
    return bs_fail(p->error, BS_USAGE, NULL, 0, at + 1,
                   "the expression is nested more than %d deep", MAX_NESTING);
}

static bool fail_expected(struct parser *p, const char *what)
{
    char found[80];
    const char *token = next_token(p, found, sizeof found);
    return bs_fail(p->error, BS_USAGE, NULL, 0, p->at + 1, "expected %s, found %s", what, token);
}

/* Appends a step; depth is what it adds to the stack at run time. */
static bool emit(struct parser *p, enum action action, size_t column, int64_t value,
                 arithmetic *apply, int depth)
{
    struct bs_expr *expr = p->expr;
    p->stack = (unsigned)((int)p->stack + depth);
    if (p->stack > MAX_STACK || expr->count == MAX_STEPS)
        return fail_at(p, column, "the expression is too large");
    struct step *steps = bs_grow(expr->steps, &expr->room, expr->count + 1, sizeof *steps);
    if (!steps)
        return bs_fail(p->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    expr->steps = steps;
    steps[expr->count++] = (struct step){action, (uint32_t)column + 1, value, apply};
    return true;
}

/* Lets the jump at that step go to the step that comes next. */
static void land(struct parser *p, size_t jump)
{
    p->expr->steps[jump].value = (int64_t)p->expr->count;
}

static bool parse_conditional(struct parser *p);

static bool parse_number(struct parser *p)
{
    const size_t at = p->at;
    const size_t size = word_size(p);
    const char *text = p->text + at;
    char shown[64];
    uint64_t value;
    bs_printable(text, size, shown, sizeof shown);
    if (size > 1 && text[0] == '0' && is_digit(text[1]))
        return bs_fail(p->error, BS_USAGE, NULL, 0, at + 1,
                       "'%s' has a leading zero, which C reads as octal", shown);
    if (!bs_number_parse(text, size, INT64_MAX, &value))
        return bs_fail(p->error, BS_USAGE, NULL, 0, at + 1,
                       "expected a decimal or 0x number of at most 9223372036854775807, found '%s'",
                       shown);
    p->at += size;
    return emit(p, PUSH, at, (int64_t)value, NULL, 1);
}

static bool fail_unknown_name(struct parser *p, size_t at, size_t size)
{
    struct bs_buffer list = {0};
    struct bs_near near = {0};
    char hint[BS_NEAR_MESSAGE];
    char shown[64];
    for (size_t i = 0; i < p->name_count; i++) {
        if (!p->names[i][0]) /* its number stays free */
            continue;
        bs_buffer_printf(&list, "%s%s", list.size > 0 ? ", " : "; known: ", p->names[i]);
        bs_near_offer(&near, p->text + at, size, p->names[i]);
    }
    char *names = bs_buffer_take(&list);
    bs_fail(p->error, BS_USAGE, NULL, 0, at + 1, "unknown name '%s'%s%s",
            bs_printable(p->text + at, size, shown, sizeof shown),
            names && names[0] ? names : "; no names are known here", bs_near_message(&near, hint));
    free(names);
    return false;
}

static bool parse_variable(struct parser *p, size_t at, size_t size)
{
    for (size_t i = 0; i < p->name_count; i++)
        if (strlen(p->names[i]) == size && memcmp(p->names[i], p->text + at, size) == 0)
            return emit(p, LOAD, at, (int64_t)i, NULL, 1);
    return fail_unknown_name(p, at, size);
}

/* The arguments of a function, after its opening parenthesis. */
static bool parse_arguments(struct parser *p, const struct function *function, size_t at)
{
    if (!parse_conditional(p))
        return false;
    if (!take_char(p, ','))
        return fail_expected(p, "',' and a second argument");
    if (!parse_conditional(p))
        return false;
    if (!take_char(p, ')'))
        return fail_expected(p, "')' after two arguments");
    return emit(p, APPLY, at, 0, function->apply, -1);
}

static bool parse_name(struct parser *p)
{
    const size_t at = p->at;
    const size_t size = word_size(p);
    p->at += size;
    if (!take_char(p, '('))
        return parse_variable(p, at, size);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == size && memcmp(functions[i].name, p->text + at, size) == 0)
            return parse_arguments(p, &functions[i], at);
    char shown[64];
    return bs_fail(p->error, BS_USAGE, NULL, 0, at + 1, "unknown function '%s'; known: min, max",
                   bs_printable(p->text + at, size, shown, sizeof shown));
}

static bool parse_parentheses(struct parser *p)
{
    const size_t open = p->at++;
    if (!parse_conditional(p))
        return false;
    if (take_char(p, ')'))
        return true;
    char found[80];
    const char *token = next_token(p, found, sizeof found);
    return bs_fail(p->error, BS_USAGE, NULL, 0, p->at + 1,
                   "expected ')' for the '(' in column %zu, found %s", open + 1, token);
}

static bool parse_operand(struct parser *p);

static bool parse_sign(struct parser *p, const struct sign *sign)
{
    const size_t at = p->at++;
    return emit(p, PUSH, at, sign->left, NULL, 1) && parse_operand(p) &&
           emit(p, APPLY, at, 0, sign->apply, -1);
}

static bool parse_operand_inside(struct parser *p)
{
    const char c = next_char(p);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (c == signs[i].text)
            return parse_sign(p, &signs[i]);
    if (c == '(')
        return parse_parentheses(p);
    if (is_digit(c))
        return parse_number(p);
    if (is_letter(c))
        return parse_name(p);
    return fail_expected(p, "a number, a name or '('");
}

/* Every recursion passes here. */
static bool parse_operand(struct parser *p)
{
    skip_blanks(p);
    if (p->nesting == MAX_NESTING)
        return fail_nesting(p, p->at);
    p->nesting++;
    const bool fine = parse_operand_inside(p);
    p->nesting--;
    return fine;
}

/* The operator that comes next, if it binds at least that tightly. */
static const struct infix *next_infix(struct parser *p, int precedence)
{
    skip_blanks(p);
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (strncmp(p->text + p->at, infixes[i].text, strlen(infixes[i].text)) == 0)
            return infixes[i].precedence >= precedence ? &infixes[i] : NULL;
    return NULL;
}

static bool parse_binary(struct parser *p, int precedence);

static bool parse_right_side(struct parser *p, const struct infix *infix)
{
    const size_t at = p->at;
    p->at += strlen(infix->text);
    if (infix->action == APPLY)
        return parse_binary(p, infix->precedence + 1) && emit(p, APPLY, at, 0, infix->apply, -1);
    const size_t skip = p->expr->count;
    if (!emit(p, infix->action, at, 0, NULL, -1) || !parse_binary(p, infix->precedence + 1) ||
        !emit(p, TRUTH, at, 0, NULL, 0))
        return false;
    land(p, skip);
    return true;
}

static bool parse_binary(struct parser *p, int precedence)
{
    const struct infix *infix;
    if (!parse_operand(p))
        return false;
    while ((infix = next_infix(p, precedence)))
        if (!parse_right_side(p, infix))
            return false;
    return true;
}

/* The branches of ?:, after the question mark at that place. */
static bool parse_branches(struct parser *p, size_t at)
{
    const size_t branch = p->expr->count;
    if (!emit(p, BRANCH, at, 0, NULL, -1) || !parse_conditional(p))
        return false;
    const size_t jump = p->expr->count;
    if (!emit(p, JUMP, at, 0, NULL, -1)) /* only one branch leaves its value */
        return false;
    land(p, branch);
    if (!take_char(p, ':')) {
        char found[80];
        const char *token = next_token(p, found, sizeof found);
        return bs_fail(p->error, BS_USAGE, NULL, 0, p->at + 1,
                       "expected ':' for the '?' in column %zu, found %s", at + 1, token);
    }
    if (!parse_conditional(p))
        return false;
    land(p, jump);
    return true;
}

static bool parse_conditional(struct parser *p)
{
    if (!parse_binary(p, 1))
        return false;
    skip_blanks(p);
    const size_t at = p->at;
    if (!take_char(p, '?'))
        return true;
    if (p->nesting == MAX_NESTING)
        return fail_nesting(p, at);
    p->nesting++;
    const bool fine = parse_branches(p, at);
    p->nesting--;
    return fine;
}

struct bs_expr *bs_expr_parse(const char *text, const char *const *names, size_t name_count,
                              struct bs_error *error)
{
    struct bs_expr *expr = calloc(1, sizeof *expr);
    struct parser p = {
        .text = text, .names = names, .name_count = name_count, .expr = expr, .error = error};
    if (!expr)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    else if (next_char(&p) == '\0')
        fail_at(&p, 0, "expected an expression, found nothing");
    else if (!parse_conditional(&p))
        ; /* it said why */
    else if (next_char(&p) != '\0')
        fail_expected(&p, next_char(&p) == '=' ? "an operator (equal is written ==) or the end"
                                               : "an operator or the end");
    else
        return expr;
    bs_expr_free(expr);
    return NULL;
}

void bs_expr_free(struct bs_expr *expr)
{
    if (expr)
        free(expr->steps);
    free(expr);
}

/* ---- evaluation ----------------------------------------------------------------------------- */

bool bs_expr_uses(const struct bs_expr *expr, size_t name)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->steps[i].action == LOAD && expr->steps[i].value == (int64_t)name)
            return true;
    return false;
}

static bool is_comparison(arithmetic *apply)
{
    return apply == less || apply == less_or_equal || apply == greater ||
           apply == greater_or_equal || apply == equal || apply == unequal;
}

bool bs_expr_compares(const struct bs_expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->steps[i].action == TRUTH ||
            (expr->steps[i].action == APPLY && is_comparison(expr->steps[i].apply)))
            return true;
    return false;
}

bool bs_expr_eval(const struct bs_expr *expr, const int64_t *values, int64_t *result,
                  struct bs_error *error)
{
    int64_t stack[MAX_STACK];
    size_t top = 0;
    for (size_t i = 0; i < expr->count; i++) {
        const struct step *step = &expr->steps[i];
        const size_t target = (size_t)step->value - 1; /* the loop goes on to the next */
        const char *problem;
        switch (step->action) {
        case PUSH:
            stack[top++] = step->value;
            break;
        case LOAD:
            stack[top++] = values[step->value];
            break;
        case APPLY:
            top--;
            problem = step->apply(stack[top - 1], stack[top], &stack[top - 1]);
            if (problem)
                return bs_fail(error, BS_USAGE, NULL, 0, step->column, "%s", problem);
            break;
        case TRUTH:
            stack[top - 1] = stack[top - 1] != 0;
            break;
        case JUMP:
            i = target;
            break;
        case BRANCH:
            if (stack[--top] == 0)
                i = target;
            break;
        case SKIP_FALSE:
        case SKIP_TRUE:
            if ((stack[top - 1] != 0) == (step->action == SKIP_TRUE)) {
                stack[top - 1] = step->action == SKIP_TRUE;
                i = target;
            } else {
                top--;
            }
            break;
        }
    }
    *result = stack[0];
    return true;
}
