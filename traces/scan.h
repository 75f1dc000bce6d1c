/*
 * Scanning text in place: blanks, tokens and numbers, fast enough for traces of gigabytes.
 *
 * What a number is has one home, bs_number_parse and bs_hex_parse. The functions here give the same
 * results without first looking for the number's end, and ask that home about any number too long
 * to be surely in range.
 */
#ifndef BS_SCAN_H
#define BS_SCAN_H

#include "bankshot.h"

/* The value of a hexadecimal digit; 255 for all other bytes. */
extern const uint8_t bs_digit[256];

static inline unsigned bs_digit_value(char c)
{
    return bs_digit[(unsigned char)c];
}

static inline bool bs_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *bs_skip_blanks(const char *at, const char *end)
{
    while (at < end && bs_is_blank(*at))
        at++;
    return at;
}

/* The byte behind the token that starts at at. */
static inline const char *bs_token_end(const char *at, const char *end)
{
    while (at < end && !bs_is_blank(*at))
        at++;
    return at;
}

/* The scanners return the byte behind the number's digits, or at itself if there is no number there
 * or it has more than 64 bits. They take as many digits as follow one another: what stands behind
 * them is for the caller to judge. */

static inline const char *bs_scan_decimal(const char *at, const char *end, uint64_t *value)
{
    enum { SURE_DIGITS = 19 };
    const char *stop = at;
    uint64_t sum = 0;
    unsigned digit;
    while (stop < end && (digit = bs_digit_value(*stop)) < 10) {
        sum = sum * 10 + digit;
        stop++;
    }
    const size_t digits = (size_t)(stop - at);
    if (digits > SURE_DIGITS)
        return bs_number_parse(at, digits, UINT64_MAX, value) ? stop : at;
    *value = sum;
    return stop;
}

/* With or without 0x in front. */
static inline const char *bs_scan_hex(const char *at, const char *end, uint64_t *value)
{
    enum { SURE_DIGITS = 16 };
    const char *first = at;
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        bs_digit_value(at[2]) < 16)
        first += 2;
    const char *stop = first;
    uint64_t sum = 0;
    unsigned digit;
    while (stop < end && (digit = bs_digit_value(*stop)) < 16) {
        sum = sum << 4 | digit;
        stop++;
    }
    if (stop - first > SURE_DIGITS)
        return bs_hex_parse(at, (size_t)(stop - at), UINT64_MAX, value) ? stop : at;
    *value = sum;
    return stop;
}

/* Decimal, or hexadecimal with 0x in front. */
static inline const char *bs_scan_number(const char *at, const char *end, uint64_t *value)
{
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return bs_digit_value(at[2]) < 16 ? bs_scan_hex(at, end, value) : at;
    return bs_scan_decimal(at, end, value);
}

#endif
