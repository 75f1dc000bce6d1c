/* What the text output may use: how wide the screen is, colour, and characters beyond ASCII. */
#ifndef BS_SCREEN_H
#define BS_SCREEN_H

#include "spool.h"

struct bs_screen {
    unsigned width;
    bool colour; /* standard output is a terminal that wants it */
    bool utf8;   /* the locale's characters are UTF-8 */
};

/* Of standard output and the environment. */
struct bs_screen bs_screen_of_stdout(void);

/* How a piece of text stands out. */
enum bs_tone { BS_PLAIN, BS_BOLD, BS_DIM, BS_GOOD, BS_WARN, BS_BAD, BS_TONES };

/* Adds text in a tone, or plain where there is no colour; foreign text comes out printable. */
void bs_screen_tone(const struct bs_screen *screen, struct bs_spool *out, enum bs_tone tone,
                    const char *text);

/* Adds text as lines that fit the screen, each after indent blanks; the first line's indent is
 * written already. Ends the last line. Foreign text comes out printable. */
void bs_screen_wrap(const struct bs_screen *screen, struct bs_spool *out, unsigned indent,
                    const char *text);

/* The columns that text takes, if each of its characters takes one. */
size_t bs_screen_columns(const char *text);

/* Copies foreign text in printable form, cut in its middle to at most width columns. Returns out,
 * which has room bytes. */
const char *bs_screen_shorten(const char *text, size_t width, char *out, size_t room);

#endif
