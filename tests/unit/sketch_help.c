/* See sketch_help.h. */
#include "sketch_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct bs_sketch *good_sketch(const char *text, const struct bs_let *lets, size_t count)
{
    struct bs_errors errors = {0};
    struct bs_sketch *sketch = bs_sketch_parse(text, strlen(text), "sketch", lets, count, &errors);
    char line[1024];
    for (size_t i = 0; i < errors.count; i++) {
        bs_error_line(&errors.list[i], line, sizeof line);
        fprintf(stderr, "found    %s\nexpected no error in\n%s\n", line, text);
    }
    bs_errors_free(&errors);
    assert_non_null(sketch);
    return sketch;
}
