/* See rows.h. */
#include "rows.h"

#include "buffer.h"
#include "input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void rows_open(struct rows *rows, const char *name)
{
    char path[512];
    struct bs_error error;
    struct bs_buffer text = {0};
    size_t got = 1;
    snprintf(path, sizeof path, "%s/%s", BANKSHOT_HARDWARE_FOLDER, name);
    struct bs_input *input = bs_input_open(path, &error);
    while (input && got > 0) {
        char block[65536];
        if (!bs_input_read(input, block, sizeof block, &got, &error))
            fail_msg("%s: %s", path, error.text);
        bs_buffer_add(&text, block, got);
    }
    if (!input)
        fail_msg("%s: %s", path, error.text);
    bs_input_close(input);
    *rows = (struct rows){.text = bs_buffer_take(&text)};
    assert_non_null(rows->text);
    rows->next = rows->text;
    assert_true(rows_next(rows)); /* the header */
}

static char *cut(char **rest, char separator)
{
    char *part = *rest;
    char *end = strchr(part, separator);
    if (end)
        *end = '\0';
    *rest = end ? end + 1 : part + strlen(part);
    return part;
}

bool rows_next(struct rows *rows)
{
    if (!*rows->next)
        return false;
    char *line = cut(&rows->next, '\n');
    rows->line++;
    rows->fields = 0;
    while (*line && rows->fields < ROW_FIELDS)
        rows->field[rows->fields++] = cut(&line, '\t');
    return true;
}

void rows_close(struct rows *rows)
{
    free(rows->text);
}

static char *field_of(const struct rows *rows, unsigned field)
{
    if (field >= rows->fields)
        fail_msg("row %u has no field %u", rows->line, field);
    return rows->field[field];
}

struct bs_op row_op(const struct rows *rows, unsigned field)
{
    struct bs_op op = {0};
    const char *name = field_of(rows, field);
    if (!bs_op_parse(name, strlen(name), &op))
        fail_msg("row %u: no op is called %s", rows->line, name);
    return op;
}

uint64_t row_mask(const struct rows *rows, unsigned field)
{
    uint64_t mask = 0;
    const char *text = field_of(rows, field);
    if (!bs_hex_parse(text, strlen(text), UINT64_MAX, &mask))
        fail_msg("row %u: %s is not a mask", rows->line, text);
    return mask;
}

double row_number(const struct rows *rows, unsigned field)
{
    char *end;
    const char *text = field_of(rows, field);
    const double value = strtod(text, &end);
    if (end == text || *end)
        fail_msg("row %u: %s is not a number", rows->line, text);
    return value;
}

unsigned row_addresses(const struct rows *rows, unsigned field, uint32_t addr[BS_MAX_LANES])
{
    char *rest = field_of(rows, field);
    unsigned count = 0;
    while (*rest && count < BS_MAX_LANES) {
        uint64_t value = 0;
        const char *text = cut(&rest, ',');
        if (strcmp(text, "-") != 0 && !bs_hex_parse(text, strlen(text), UINT32_MAX, &value))
            fail_msg("row %u: %s is not an address", rows->line, text);
        addr[count++] = (uint32_t)value;
    }
    return count;
}

struct bs_model *hopper(void)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load("hopper", folders, NULL, &errors);
    if (!model)
        fail_msg("hopper: %s", errors.count ? errors.list[0].text : "no error");
    return model;
}
