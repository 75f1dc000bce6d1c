/* The heat map of a sweep of two keys in the terminal: numbers with shades behind or beside them.
 */
#include "scale.h"
#include "short_names.h"
#include "sweep_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SHADES = 6, HEAD = 24 /* most of a row's name */ };

/* How a shade looks: colours of a 256-colour terminal, from pale to dark, which the colour-blind
 * tell apart by their lightness; else a character after the number. */
static const struct {
    const char *colour;
    const char *block;
    const char *ascii;
} shades[SHADES] = {
    {"\033[30;48;5;230m", " ", " "},      {"\033[30;48;5;222m", "\u2591", "."},
    {"\033[30;48;5;114m", "\u2592", ":"}, {"\033[97;48;5;31m", "\u2593", "+"},
    {"\033[97;48;5;25m", "\u2588", "*"},  {"\033[97;48;5;17m", "\u2588", "#"},
};

struct map {
    const struct bs_sweep_result *result;
    const struct bs_screen *screen;
    struct bs_spool *out;
    double least, largest;
    size_t head; /* width of the rows' names */
    size_t cell; /* of a number */
    struct bs_short_names rows;
};

static size_t largest_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* False when memory is out. */
static bool measure(struct map *map)
{
    const struct bs_plan *plan = map->result->plan;
    char text[BS_VALUE_TEXT];
    map->head = strlen(plan->axes[0].key);
    map->cell = 1;
    size_t widest = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < plan->axes[0].count; i++) {
        widest = largest_of(widest, bs_screen_columns(plan->axes[0].values[i]));
        fine = bs_short_names_add(&map->rows, plan->axes[0].values[i]);
    }
    map->head = largest_of(map->head, widest < HEAD ? widest : HEAD);
    for (size_t i = 0; i < plan->axes[1].count; i++)
        map->cell = largest_of(map->cell, bs_screen_columns(plan->axes[1].values[i]));
    for (size_t i = 0; i < plan->count; i++)
        map->cell = largest_of(
            map->cell,
            strlen(bs_result_text(map->result, bs_result_value(map->result, i, 0), text)));
    return fine && bs_short_names_fit(&map->rows, map->head);
}

static size_t shade_of(const struct map *map, double value)
{
    if (value < 0) /* a combination that cannot be */
        return 0;
    const double part = bs_scale_part(map->least, map->largest, value);
    return part >= 1 ? SHADES - 1 : (size_t)(part * SHADES);
}

static void write_right(struct bs_spool *out, size_t width, const char *text)
{
    const size_t used = bs_screen_columns(text);
    bs_spool_repeat(out, ' ', width > used ? width - used : 0);
    bs_spool_printable(out, text, strlen(text));
}

static void write_cell(const struct map *map, size_t combination, bool is_last)
{
    char text[BS_VALUE_TEXT];
    const double value = bs_result_value(map->result, combination, 0);
    const size_t shade = shade_of(map, value);
    const bool coloured = map->screen->colour && value >= 0;
    const char *mark = map->screen->utf8 ? shades[shade].block : shades[shade].ascii;
    bs_result_text(map->result, value, text);
    bs_spool_text(map->out, coloured ? shades[shade].colour : "");
    bs_spool_text(map->out, " ");
    write_right(map->out, map->cell, text);
    if (coloured)
        bs_spool_text(map->out, " \033[0m");
    else if (value >= 0 && *mark != ' ')
        bs_spool_text(map->out, mark);
    else if (!is_last)
        bs_spool_text(map->out, " ");
}

static void write_map(struct map *map)
{
    const struct bs_plan *plan = map->result->plan;
    const struct bs_axis *rows = &plan->axes[0];
    const struct bs_axis *across = &plan->axes[1];
    char title[512];
    const bool differ = map->least < map->largest;
    snprintf(title, sizeof title, "%s by %s (down) and %s (across)%s%s%s",
             bs_metric_titles[map->result->metric], rows->key, across->key,
             differ ? "; shades: " : "", differ ? bs_scale_name(map->least, map->largest) : "",
             differ ? " scale" : "");
    bs_spool_text(map->out, "\n");
    bs_screen_wrap(map->screen, map->out, 0, title);
    bs_spool_text(map->out, "\n");
    write_right(map->out, map->head, rows->key);
    for (size_t i = 0; i < across->count; i++) {
        bs_spool_text(map->out, " ");
        write_right(map->out, map->cell, across->values[i]);
        bs_spool_text(map->out, i + 1 < across->count ? " " : "\n");
    }
    for (size_t row = 0; row < rows->count; row++) {
        char name[256];
        write_right(map->out, map->head,
                    bs_short_name(&map->rows, rows->values[row], name, sizeof name));
        for (size_t i = 0; i < across->count; i++)
            write_cell(map, row * across->count + i, i + 1 == across->count);
        bs_spool_text(map->out, "\n");
    }
    bs_short_names_list(&map->rows, map->screen, map->out);
}

void bs_heat_map(const struct bs_sweep_result *result, const struct bs_screen *screen,
                 struct bs_spool *out)
{
    struct map map = {.result = result, .screen = screen, .out = out};
    if (!bs_result_range(result, 0, &map.least, &map.largest))
        return;
    const bool fine = measure(&map);
    const size_t width = map.head + result->plan->axes[1].count * (map.cell + 2);
    if (!fine)
        out->failure = ENOMEM;
    else if (width <= screen->width)
        write_map(&map);
    else
        bs_spool_printf(out, "\n(The heat map needs %zu columns; --png draws it.)\n", width);
    bs_short_names_free(&map.rows);
}
