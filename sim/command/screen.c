/* The screen: its width, its colours, and text that has to fit. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* struct winsize */
#include "screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 80, LEAST_WIDTH = 40, MOST_WIDTH = 1000 };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static unsigned screen_width(void)
{
    const char *columns = getenv("COLUMNS");
    uint64_t width = 0;
    struct winsize size;
    if (columns && bs_number_parse(columns, strlen(columns), MOST_WIDTH, &width) && width > 0)
        return width < LEAST_WIDTH ? LEAST_WIDTH : (unsigned)width;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col < LEAST_WIDTH  ? LEAST_WIDTH
           : size.ws_col > MOST_WIDTH ? MOST_WIDTH
                                      : size.ws_col;
}

/* The first of the locale's variables that is set decides. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!is_set(names[i]))
            continue;
        const char *value = getenv(names[i]);
        return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

struct bs_screen bs_screen_of_stdout(void)
{
    const char *term = getenv("TERM");
    return (struct bs_screen){
        .width = screen_width(),
        .colour = isatty(STDOUT_FILENO) && !is_set("NO_COLOR") && term && strcmp(term, "dumb") != 0,
        .utf8 = locale_is_utf8(),
    };
}

void bs_screen_tone(const struct bs_screen *screen, struct bs_spool *out, enum bs_tone tone,
                    const char *text)
{
    static const char *const codes[BS_TONES] = {
        [BS_BOLD] = "\033[1m",  [BS_DIM] = "\033[2m",  [BS_GOOD] = "\033[32m",
        [BS_WARN] = "\033[33m", [BS_BAD] = "\033[31m",
    };
    const char *code = screen->colour ? codes[tone] : NULL;
    if (code)
        bs_spool_text(out, code);
    bs_spool_printable(out, text, strlen(text));
    if (code)
        bs_spool_text(out, "\033[0m");
}

/* The bytes of text that go on one line in one piece: a word, or as much of a word that is too long
 * for any line as ends in a comma. */
static size_t piece_size(const char *text, size_t room)
{
    const size_t word = strcspn(text, " ");
    size_t size = word;
    if (word <= room)
        return word;
    while (size > 0 && (size > room || text[size - 1] != ','))
        size--;
    return size ? size : word;
}

void bs_screen_wrap(const struct bs_screen *screen, struct bs_spool *out, unsigned indent,
                    const char *text)
{
    size_t at = indent;
    bool blank = false; /* one stands before the next piece */
    while (*text) {
        const size_t size = piece_size(text, screen->width - indent);
        if (at > indent && at + blank + size > screen->width) {
            bs_spool_text(out, "\n");
            bs_spool_repeat(out, ' ', indent);
            at = indent;
            blank = false;
        }
        bs_spool_repeat(out, ' ', blank);
        at += blank + bs_spool_printable(out, text, size);
        text += size;
        blank = *text == ' ';
        text += blank;
    }
    bs_spool_text(out, "\n");
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t bs_screen_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += !is_continuation(*text);
    return columns;
}

/* The byte at which the column-th character of text starts. */
static size_t byte_of_column(const char *text, size_t column)
{
    size_t at = 0;
    while (text[at] && column > 0) {
        at++;
        while (is_continuation(text[at]))
            at++;
        column--;
    }
    return at;
}

const char *bs_screen_shorten(const char *text, size_t width, char *out, size_t room)
{
    static const char gap[] = "...";
    bs_printable(text, strlen(text), out, room);
    const size_t columns = bs_screen_columns(out);
    if (columns <= width || width < sizeof gap)
        return out;
    const size_t kept = width - strlen(gap);
    const size_t end = kept / 4; /* the beginning of a name says more than its end */
    const size_t head = byte_of_column(out, kept - end);
    const size_t tail = byte_of_column(out, columns - end);
    memcpy(out + head, gap, strlen(gap));
    memmove(out + head + strlen(gap), out + tail, strlen(out + tail) + 1);
    return out;
}
