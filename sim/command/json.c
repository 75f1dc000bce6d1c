/* The streaming JSON writer: commas, indentation and escapes. */
#include "json.h"

#include "core/lanes.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

/* The bytes of the UTF-8 character that text starts with; 0 if it is none. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead, first_low, first_high;
        size_t length;
    } shapes[] = {
        {0x80, 0x00, 0x00, 0x00, 1}, {0xe0, 0xc0, 0x80, 0xbf, 2}, {0xff, 0xe0, 0xa0, 0xbf, 3},
        {0xff, 0xed, 0x80, 0x9f, 3}, {0xf0, 0xe0, 0x80, 0xbf, 3}, {0xff, 0xf0, 0x90, 0xbf, 4},
        {0xff, 0xf4, 0x80, 0x8f, 4}, {0xf8, 0xf0, 0x80, 0xbf, 4},
    };
    if (*text == 0xc0 || *text == 0xc1 || *text > 0xf4)
        return 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if ((*text & shapes[i].mask) != shapes[i].lead)
            continue;
        for (size_t at = 1; at < shapes[i].length; at++) {
            const unsigned char low = at == 1 ? shapes[i].first_low : 0x80;
            const unsigned char high = at == 1 ? shapes[i].first_high : 0xbf;
            if (text[at] < low || text[at] > high)
                return 0;
        }
        return shapes[i].length;
    }
    return 0;
}

/* Whether a text starts with what stands for a byte: \xHH. */
static bool starts_with_byte(const char *text)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    return text[0] == '\\' && text[1] == 'x' && strspn(text + 2, digits) >= 2;
}

bool bs_json_holds(const char *text)
{
    for (size_t length; *text; text += length)
        if ((length = utf8_length((const unsigned char *)text)) == 0 || starts_with_byte(text))
            return false;
    return true;
}

/* Writes a string literal. As JSON must be UTF-8, a byte that is none becomes the text \xHH, as in
 * errors and tables; and so that all names stay different, the backslash of a text that looks like
 * that becomes \x5c. */
static void write_string(struct bs_spool *out, const char *text)
{
    bs_spool_text(out, "\"");
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const size_t length = utf8_length((const unsigned char *)text);
        if (starts_with_byte(text))
            bs_spool_text(out, "\\\\x5c");
        else if (c == '"' || c == '\\')
            bs_spool_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            bs_spool_printf(out, "\\u%04x", c);
        else if (length)
            bs_spool_add(out, text, length);
        else
            bs_spool_printf(out, "\\\\x%02x", c);
        text += length ? length : 1;
    }
    bs_spool_text(out, "\"");
}

/* ---- structure ------------------------------------------------------------------------------- */

static void new_line(struct bs_json *json)
{
    bs_spool_text(json->out, "\n");
    bs_spool_repeat(json->out, ' ', 2 * (size_t)json->depth);
}

/* What stands before any value: a comma, the line's start and the key. */
static void begin_value(struct bs_json *json, const char *key)
{
    if (json->depth > 0) {
        const unsigned level = json->depth - 1;
        if (json->filled[level])
            bs_spool_text(json->out, ",");
        if (!json->flat[level])
            new_line(json);
        else if (json->filled[level])
            bs_spool_text(json->out, " ");
        json->filled[level] = true;
    }
    if (key) {
        write_string(json->out, key);
        bs_spool_text(json->out, ": ");
    }
}

static void open_level(struct bs_json *json, const char *key, enum bs_json_shape shape,
                       const char brackets[2])
{
    begin_value(json, key);
    bs_spool_add(json->out, brackets, 1);
    const bool inherited = json->depth > 0 && json->flat[json->depth - 1];
    json->closing[json->depth] = brackets[1];
    json->filled[json->depth] = false;
    json->flat[json->depth] = inherited || shape == BS_JSON_FLAT;
    json->depth++;
}

void bs_json_map(struct bs_json *json, const char *key, enum bs_json_shape shape)
{
    open_level(json, key, shape, "{}");
}

void bs_json_list(struct bs_json *json, const char *key, enum bs_json_shape shape)
{
    open_level(json, key, shape, "[]");
}

void bs_json_close(struct bs_json *json)
{
    json->depth--;
    if (json->filled[json->depth] && !json->flat[json->depth])
        new_line(json);
    bs_spool_add(json->out, &json->closing[json->depth], 1);
    if (json->depth == 0)
        bs_spool_text(json->out, "\n");
}

/* ---- values ---------------------------------------------------------------------------------- */

void bs_json_text(struct bs_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    write_string(json->out, text);
}

void bs_json_number(struct bs_json *json, const char *key, uint64_t number)
{
    begin_value(json, key);
    bs_spool_printf(json->out, "%llu", (unsigned long long)number);
}

void bs_json_signed(struct bs_json *json, const char *key, int64_t number)
{
    begin_value(json, key);
    bs_spool_printf(json->out, "%lld", (long long)number);
}

void bs_json_real(struct bs_json *json, const char *key, double number, int decimals)
{
    begin_value(json, key);
    bs_spool_printf(json->out, "%.*f", decimals, number);
}

void bs_json_bool(struct bs_json *json, const char *key, bool value)
{
    begin_value(json, key);
    bs_spool_text(json->out, value ? "true" : "false");
}

void bs_json_null(struct bs_json *json, const char *key)
{
    begin_value(json, key);
    bs_spool_text(json->out, "null");
}

void bs_json_hex(struct bs_json *json, const char *key, uint64_t number)
{
    begin_value(json, key);
    bs_spool_printf(json->out, "\"0x%llx\"", (unsigned long long)number);
}

void bs_json_lanes(struct bs_json *json, const char *key, uint64_t lanes)
{
    bs_json_list(json, key, BS_JSON_FLAT);
    for (; lanes; lanes &= lanes - 1)
        bs_json_number(json, NULL, bs_lanes_lowest(lanes));
    bs_json_close(json);
}
