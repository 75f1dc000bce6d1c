/* Names that are shortened and still told apart. */
#include "short_names.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 512, NUMBER = 16 };

bool bs_short_names_add(struct bs_short_names *names, const char *name)
{
    uint32_t number;
    return bs_names_intern(&names->names, name, &number);
}

static const char *number_text(uint32_t number, char out[NUMBER])
{
    snprintf(out, NUMBER, "~%u", number);
    return out;
}

bool bs_short_names_fit(struct bs_short_names *names, size_t width)
{
    const size_t count = names->names.count;
    struct bs_names shorts = {0};
    uint32_t *looks = calloc(count + 1, sizeof *looks);   /* by name: what it is shortened to */
    uint32_t *shared = calloc(count + 1, sizeof *shared); /* by that: how many are */
    bool fine = looks && shared;
    names->width = width;
    names->numbers = calloc(count + 1, sizeof *names->numbers);
    for (size_t i = 0; fine && names->numbers && i < count; i++) {
        char shown[SHOWN];
        bs_screen_shorten(names->names.list[i], width, shown, sizeof shown);
        fine = bs_names_intern(&shorts, shown, &looks[i]);
        if (fine)
            shared[looks[i]]++;
    }
    for (size_t i = 0; fine && names->numbers && i < count; i++)
        names->numbers[i] = shared[looks[i]] > 1 ? ++names->numbered : 0;
    bs_names_free(&shorts);
    free(looks);
    free(shared);
    return fine && names->numbers;
}

const char *bs_short_name(struct bs_short_names *names, const char *name, char *out, size_t room)
{
    uint32_t at;
    char number[NUMBER] = "";
    if (names->numbered && bs_names_intern(&names->names, name, &at) && names->numbers[at])
        number_text(names->numbers[at], number);
    const size_t taken = strlen(number);
    bs_screen_shorten(name, names->width > taken ? names->width - taken : 1, out, room);
    const size_t used = strlen(out);
    if (used + taken < room)
        memcpy(out + used, number, taken + 1);
    return out;
}

/* Writes a name from a column on, over as many lines as it takes: names have no blanks to break
 * them at. */
static void write_whole(const struct bs_screen *screen, struct bs_spool *out, size_t column,
                        const char *name)
{
    size_t at = column;
    while (*name) {
        size_t size = 1; /* of a character */
        if (at >= screen->width) {
            bs_spool_printf(out, "\n%*s", (int)column, "");
            at = column;
        }
        while (((unsigned char)name[size] & 0xc0) == 0x80)
            size++;
        const bool is_shown = bs_spool_printable(out, name, size) == size;
        at += is_shown ? 1 : 4 * size; /* \xNN for each byte */
        name += size;
    }
    bs_spool_text(out, "\n");
}

void bs_short_names_list(const struct bs_short_names *names, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    for (size_t i = 0; names->numbered && i < names->names.count; i++) {
        char number[NUMBER];
        if (!names->numbers[i])
            continue;
        number_text(names->numbers[i], number);
        bs_spool_printf(out, "%s ", number);
        write_whole(screen, out, strlen(number) + 1, names->names.list[i]);
    }
}

void bs_short_names_free(struct bs_short_names *names)
{
    bs_names_free(&names->names);
    free(names->numbers);
    *names = (struct bs_short_names){0};
}
