/* The one place where text becomes a number: the whole token, range checked. */
#include "core/number.h"

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

static bool digits_parse(const char *text, size_t size, unsigned base, uint64_t max,
                         uint64_t *value)
{
    if (size == 0)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned digit = (unsigned)digit_value(text[i]);
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    if (sum > max)
        return false;
    *value = sum;
    return true;
}

static bool has_hex_prefix(const char *text, size_t size)
{
    return size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

bool bs_number_parse(const char *text, size_t size, uint64_t max, uint64_t *value)
{
    if (has_hex_prefix(text, size))
        return digits_parse(text + 2, size - 2, 16, max, value);
    return digits_parse(text, size, 10, max, value);
}

bool bs_is_number(const char *text, size_t size)
{
    const bool hex = has_hex_prefix(text, size);
    for (size_t i = hex ? 2 : 0; i < size; i++)
        if ((unsigned)digit_value(text[i]) >= (hex ? 16u : 10u))
            return false;
    return size > 0;
}

bool bs_hex_parse(const char *text, size_t size, uint64_t max, uint64_t *value)
{
    if (has_hex_prefix(text, size))
        return digits_parse(text + 2, size - 2, 16, max, value);
    return digits_parse(text, size, 16, max, value);
}
