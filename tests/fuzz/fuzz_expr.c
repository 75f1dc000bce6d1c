/*
 * Fuzz target: an address expression. It parses or fails with a column inside the text, and then
 * evaluates or fails likewise; the same values give the same result.
 */
#include "bankshot.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct bs_error *error, size_t size)
{
    require(error->status == BS_USAGE);
    require(error->column >= 1 && error->column <= size + 1);
    require(error->text[0] != '\0');
}

static void check_values(const struct bs_expr *expr, size_t size)
{
    static const int64_t values[][2] = {{0, 0},         {1, 32},         {31, -1},
                                        {INT64_MIN, 1}, {INT64_MAX, 63}, {-1, INT64_MIN}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct bs_error error;
        int64_t first, second;
        if (!bs_expr_eval(expr, values[i], &first, &error))
            check_error(&error, size);
        else
            require(bs_expr_eval(expr, values[i], &second, &error) && first == second);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"t", "pitch"};
    char *text = malloc(size + 1);
    require(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    text[size] = '\0';
    struct bs_error error;
    struct bs_expr *expr = bs_expr_parse(text, names, 2, &error);
    if (expr)
        check_values(expr, strlen(text));
    else
        check_error(&error, strlen(text));
    bs_expr_free(expr);
    free(text);
    return 0;
}
