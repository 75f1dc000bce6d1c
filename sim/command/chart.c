/* Drawing charts with cairo. */
#include "chart.h"

#include "scale.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GAP = 16,
    MARGIN = 32,
    LEGEND = 240,
    BAR = 560,
    HEAD = 280,        /* most of what the names of rows may take */
    LEAST_WIDTH = 480, /* of everything */
    COLOURS = 6,
    LINES = 8, /* most of a title */
    TEXT_ROOM = 2048
};
static const double text_size = 15;
static const double title_size = 21;
static const double line_height = 1.3; /* of the size of its letters */

/* Of cells and bars: as large as there is room for on a page, and never too small to see. */
static const double page_width = 1600;
static const double page_height = 1200;
static const double least_side = 12;
static const double most_width = 88;
static const double most_height = 36;
static const double scale = 2; /* of PNG, for the sake of projectors */

struct colour {
    double red, green, blue;
};
static const struct colour ink = {0.13, 0.15, 0.18};
static const struct colour faint = {0.42, 0.45, 0.50};
static const struct colour paper = {1, 1, 1};
static const struct colour no_value = {0.90, 0.90, 0.91};
static const struct colour best_ink = {0.84, 0.37, 0.00};

/* From few to many: pale to dark, so that lightness alone tells them apart. */
static const struct colour ramp[COLOURS] = {
    {1.00, 0.97, 0.80}, {0.84, 0.92, 0.71}, {0.50, 0.80, 0.73},
    {0.25, 0.62, 0.75}, {0.15, 0.37, 0.65}, {0.05, 0.13, 0.37},
};

/* A chart being laid out and drawn. */
struct canvas {
    cairo_t *cairo;
    const struct bs_chart *chart;
    char subtitle[TEXT_ROOM];
    double least, largest;
    double left, top;     /* of the cells or bars */
    double cell;          /* width of a cell, or of the longest bar */
    double row;           /* height of a cell or of a bar's place */
    bool has_numbers;     /* the cells have room for them */
    double width, height; /* of everything */
};

/* ---- text ------------------------------------------------------------------------------------ */

enum weight { REGULAR, BOLD };
enum align { LEFT, CENTRE, RIGHT };

static void set_colour(cairo_t *cairo, struct colour colour)
{
    cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

/* Hinting is off, so that text has the same shape and width wherever it is drawn. */
static void set_font(cairo_t *cairo, enum weight weight, double size)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           weight == BOLD ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

static double text_width(cairo_t *cairo, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

/* Foreign text, with what is no printable UTF-8 escaped: cairo refuses the rest. */
static const char *label(const char *text, char out[TEXT_ROOM])
{
    return bs_printable(text, strlen(text), out, TEXT_ROOM);
}

/* Writes text whose middle lies at the height y. */
static void write_text(const struct canvas *canvas, double x, double y, enum align align,
                       const char *text)
{
    char shown[TEXT_ROOM];
    cairo_font_extents_t font;
    label(text, shown);
    cairo_font_extents(canvas->cairo, &font);
    const double width = text_width(canvas->cairo, shown);
    const double shift = align == LEFT ? 0 : align == CENTRE ? width / 2 : width;
    cairo_move_to(canvas->cairo, x - shift, y + (font.ascent - font.descent) / 2);
    cairo_show_text(canvas->cairo, shown);
}

/* The bytes of the character at text, which is printable UTF-8. */
static size_t character(const char *text)
{
    size_t size = text[0] != '\0';
    while (((unsigned char)text[size] & 0xc0) == 0x80)
        size++;
    return size;
}

/* Cuts text in its middle until it is no wider than that. */
static void fit(const struct canvas *canvas, char text[TEXT_ROOM], double width)
{
    static const char gap[] = "\u2026";
    while (text_width(canvas->cairo, text) > width && strlen(text) > 8) {
        size_t middle = strlen(text) / 2;
        while (((unsigned char)text[middle] & 0xc0) == 0x80)
            middle--;
        const size_t cut = strncmp(text + middle, gap, strlen(gap)) == 0 ? strlen(gap) : 0;
        size_t before = middle - 1;
        while (((unsigned char)text[before] & 0xc0) == 0x80)
            before--;
        size_t after = middle + cut + character(text + middle + cut);
        if (!cut)
            after = middle + character(text + middle);
        char rest[TEXT_ROOM];
        snprintf(rest, sizeof rest, "%s", text + after);
        snprintf(text + before, TEXT_ROOM - before, "%s%s", gap, rest);
    }
}

/* The bytes of text that fit a line: up to a blank, behind a '/' or ',', or within a word that is
 * too long for any. */
static size_t line_size(const struct canvas *canvas, const char *text, double width)
{
    char line[TEXT_ROOM];
    size_t fits = 0;
    size_t blank = 0;
    while (text[fits]) {
        const size_t next = fits + character(text + fits);
        snprintf(line, sizeof line, "%.*s", (int)next, text);
        if (fits > 0 && text_width(canvas->cairo, line) > width)
            return blank ? blank : fits;
        if (text[fits] == ' ')
            blank = fits;
        else if (text[fits] == '/' || text[fits] == ',')
            blank = next;
        fits = next;
    }
    return fits;
}

/* Writes text as lines from the height y on, or only measures it. Returns its height. */
static double write_lines(const struct canvas *canvas, double y, double size, bool draws,
                          const char *text)
{
    char shown[TEXT_ROOM];
    char line[TEXT_ROOM];
    double height = 0;
    const char *rest = label(text, shown);
    for (unsigned lines = 0; *rest && lines < LINES; lines++) {
        const size_t used = line_size(canvas, rest, canvas->width - 2 * MARGIN);
        const bool is_cut = lines + 1 == LINES && rest[used];
        snprintf(line, sizeof line, "%.*s%s", (int)used, rest, is_cut ? " \u2026" : "");
        if (draws)
            write_text(canvas, MARGIN, y + height + size / 2, LEFT, line);
        height += size * line_height;
        rest += used;
        rest += strspn(rest, " ");
    }
    return height;
}

/* The widest of the labels, of what of it may be shown. */
static double widest_label(const struct canvas *canvas, const struct bs_chart_axis *axis)
{
    char shown[TEXT_ROOM];
    double widest = 0;
    for (size_t i = 0; i < axis->count; i++)
        widest = fmax(widest, text_width(canvas->cairo, label(axis->labels[i], shown)));
    return fmin(widest, HEAD);
}

/* Of how many labels one is shown, where each has so much room. */
static size_t label_step(double wanted, double room)
{
    size_t step = 1;
    while ((double)step * room < wanted)
        step *= 2;
    return step;
}

static const char *number(const struct bs_chart *chart, double value, char out[TEXT_ROOM])
{
    if (value < 0)
        snprintf(out, TEXT_ROOM, "\u2013");
    else
        snprintf(out, TEXT_ROOM, "%.*f", chart->decimals, value);
    return out;
}

static double widest_number(const struct canvas *canvas)
{
    char text[TEXT_ROOM];
    return text_width(canvas->cairo, number(canvas->chart, canvas->largest, text));
}

/* ---- colours --------------------------------------------------------------------------------- */

static double mix(double a, double b, double part)
{
    return a + (b - a) * part;
}

static double part_of(const struct canvas *canvas, double value)
{
    return bs_scale_part(canvas->least, canvas->largest, value);
}

static struct colour ramp_at(double part)
{
    const double at = part * (COLOURS - 1);
    const size_t low = at >= COLOURS - 1 ? COLOURS - 2 : (size_t)at;
    const struct colour *a = &ramp[low];
    const struct colour *b = &ramp[low + 1];
    const double rest = at - (double)low;
    return (struct colour){mix(a->red, b->red, rest), mix(a->green, b->green, rest),
                           mix(a->blue, b->blue, rest)};
}

static bool is_best(const struct canvas *canvas, double value)
{
    return canvas->chart->marks_best && value >= 0 && value <= canvas->least &&
           canvas->least < canvas->largest;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static bool is_map(const struct canvas *canvas)
{
    return canvas->chart->columns.count > 0;
}

static size_t value_count(const struct bs_chart *chart)
{
    return chart->rows.count * (chart->columns.count ? chart->columns.count : 1);
}

static void find_range(struct canvas *canvas)
{
    const double *values = canvas->chart->values;
    canvas->least = INFINITY;
    canvas->largest = 0;
    for (size_t i = 0; i < value_count(canvas->chart); i++) {
        if (values[i] < 0)
            continue;
        canvas->least = fmin(canvas->least, values[i]);
        canvas->largest = fmax(canvas->largest, values[i]);
    }
}

/* What is shown, and what marks mean. */
static void write_subtitle(struct canvas *canvas)
{
    const struct bs_chart *chart = canvas->chart;
    bool has_gaps = false;
    for (size_t i = 0; i < value_count(chart); i++)
        has_gaps |= chart->values[i] < 0;
    const bool differ = canvas->least < canvas->largest;
    snprintf(canvas->subtitle, TEXT_ROOM, "%s by %s%s%s%s%s%s%s%s", chart->value_title,
             chart->rows.title, is_map(canvas) ? " and " : "",
             is_map(canvas) ? chart->columns.title : "",
             is_map(canvas) && differ ? "; colours: " : "",
             is_map(canvas) && differ ? bs_scale_name(canvas->least, canvas->largest) : "",
             is_map(canvas) && differ ? " scale" : "",
             chart->marks_best && differ ? "; the best is orange" : "",
             has_gaps ? "; \u2013 has no price" : "");
}

static double between(double least, double value, double most)
{
    return fmax(least, fmin(value, most));
}

/* The sizes of cells: numbers are written where they fit on a page. */
static void size_cells(struct canvas *canvas, double number_width)
{
    const struct bs_chart *chart = canvas->chart;
    const double columns = (double)chart->columns.count;
    const double rows = (double)chart->rows.count;
    const double with_number = number_width + GAP;
    const double labelled = widest_label(canvas, &chart->columns) + GAP;
    canvas->has_numbers =
        with_number * columns <= page_width && text_size * line_height * rows <= page_height;
    canvas->cell = between(least_side, page_width / columns, most_width);
    canvas->row = between(least_side, page_height / rows, most_height);
    if (canvas->has_numbers) {
        canvas->cell = fmax(canvas->cell, with_number);
        canvas->row = fmax(canvas->row, text_size * line_height);
    }
    if (labelled * columns <= page_width) /* all labels side by side */
        canvas->cell = fmax(canvas->cell, labelled);
}

static void size_bars(struct canvas *canvas)
{
    const double rows = (double)canvas->chart->rows.count;
    canvas->cell = BAR;
    canvas->row = between(text_size * line_height, page_height / rows, most_height);
    canvas->has_numbers = true;
}

/* The lines above the cells or bars: what is shown, and of what. Returns their height. */
static double write_titles(const struct canvas *canvas, bool draws)
{
    const struct bs_chart *chart = canvas->chart;
    double y = MARGIN;
    set_font(canvas->cairo, BOLD, title_size);
    y += write_lines(canvas, y, title_size, draws, chart->title);
    set_colour(canvas->cairo, faint);
    set_font(canvas->cairo, REGULAR, text_size);
    y += write_lines(canvas, y, text_size, draws, chart->models ? chart->models : "");
    y += write_lines(canvas, y, text_size, draws, canvas->subtitle);
    y += write_lines(canvas, y, text_size, draws, chart->notes ? chart->notes : "");
    return y;
}

static void lay_out(struct canvas *canvas)
{
    const struct bs_chart *chart = canvas->chart;
    char shown[TEXT_ROOM];
    set_font(canvas->cairo, BOLD, text_size);
    const double number_width = widest_number(canvas);
    const double head = fmax(fmin(text_width(canvas->cairo, label(chart->rows.title, shown)), HEAD),
                             widest_label(canvas, &chart->rows));
    canvas->left = MARGIN + head + GAP;
    double right;
    if (is_map(canvas)) {
        size_cells(canvas, number_width);
        right = canvas->left + fmax(canvas->cell * (double)chart->columns.count,
                                    LEGEND + 2 * number_width + 3 * GAP);
    } else {
        size_bars(canvas);
        right = canvas->left + BAR + GAP + number_width;
    }
    canvas->width = fmax(right + MARGIN, LEAST_WIDTH);
    canvas->top = write_titles(canvas, false) + GAP + text_size * line_height;
    if (is_map(canvas))
        canvas->top += text_size * line_height;
    canvas->height = canvas->top + canvas->row * (double)chart->rows.count + MARGIN;
    if (is_map(canvas))
        canvas->height += 2 * GAP;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void draw_title(const struct canvas *canvas)
{
    set_colour(canvas->cairo, paper);
    cairo_paint(canvas->cairo);
    set_colour(canvas->cairo, ink);
    write_titles(canvas, true);
}

static void write_label(const struct canvas *canvas, double x, double y, enum align align,
                        double width, const char *text)
{
    char shown[TEXT_ROOM];
    label(text, shown);
    fit(canvas, shown, width);
    write_text(canvas, x, y, align, shown);
}

/* The names of rows and columns; of those that would overlap only every second, fourth, ... */
static void draw_labels(const struct canvas *canvas, double line)
{
    const struct bs_chart *chart = canvas->chart;
    const double widest = widest_label(canvas, &chart->columns);
    const size_t across = label_step(widest + GAP / 2.0, canvas->cell);
    const size_t down = label_step(text_size * line_height, canvas->row);
    for (size_t i = 0; i < chart->columns.count; i += across)
        write_label(canvas, canvas->left + canvas->cell * ((double)i + 0.5), line, CENTRE, HEAD,
                    chart->columns.labels[i]);
    for (size_t i = 0; i < chart->rows.count; i += down)
        write_label(canvas, canvas->left - GAP, canvas->top + canvas->row * ((double)i + 0.5),
                    RIGHT, HEAD, chart->rows.labels[i]);
}

static void draw_heads(const struct canvas *canvas)
{
    const struct bs_chart *chart = canvas->chart;
    const double line = canvas->top - text_size * 0.8;
    set_colour(canvas->cairo, faint);
    set_font(canvas->cairo, BOLD, text_size);
    write_label(canvas, canvas->left - GAP, line, RIGHT, HEAD, chart->rows.title);
    if (is_map(canvas))
        write_text(canvas, canvas->left, line - text_size * line_height, LEFT,
                   chart->columns.title);
    else
        write_text(canvas, canvas->left, line, LEFT, chart->value_title);
    set_colour(canvas->cairo, ink);
    set_font(canvas->cairo, REGULAR, text_size);
    draw_labels(canvas, line);
}

static void fill_box(const struct canvas *canvas, double x, double y, double width, double height,
                     struct colour colour)
{
    set_colour(canvas->cairo, colour);
    cairo_rectangle(canvas->cairo, x, y, width, height);
    cairo_fill(canvas->cairo);
}

/* The frame of the best cells. */
static void frame_box(const struct canvas *canvas, double x, double y, double width, double height)
{
    const double line = fmin(3, width / 5);
    set_colour(canvas->cairo, best_ink);
    cairo_set_line_width(canvas->cairo, line);
    cairo_rectangle(canvas->cairo, x + line / 2, y + line / 2, width - line, height - line);
    cairo_stroke(canvas->cairo);
}

static void draw_cell(const struct canvas *canvas, size_t row, size_t column)
{
    const struct bs_chart *chart = canvas->chart;
    const double value = chart->values[row * chart->columns.count + column];
    const double gap = canvas->has_numbers ? 2 : 1;
    const double x = canvas->left + canvas->cell * (double)column + gap / 2;
    const double y = canvas->top + canvas->row * (double)row + gap / 2;
    const double width = canvas->cell - gap;
    const double height = canvas->row - gap;
    const double part = value < 0 ? 0 : part_of(canvas, value);
    const bool best = is_best(canvas, value);
    char text[TEXT_ROOM];
    fill_box(canvas, x, y, width, height, value < 0 ? no_value : ramp_at(part));
    if (best)
        frame_box(canvas, x, y, width, height);
    if (!canvas->has_numbers)
        return;
    set_font(canvas->cairo, best ? BOLD : REGULAR, text_size);
    set_colour(canvas->cairo, value < 0 ? faint : part > 0.62 ? paper : ink);
    write_text(canvas, x + width / 2, y + height / 2, CENTRE, number(chart, value, text));
}

/* What the colours mean, and that a frame is the best. */
static void draw_legend(const struct canvas *canvas)
{
    char text[TEXT_ROOM];
    const double y = canvas->top + canvas->row * (double)canvas->chart->rows.count + GAP;
    const double height = GAP;
    set_font(canvas->cairo, REGULAR, text_size - 2);
    set_colour(canvas->cairo, faint);
    number(canvas->chart, canvas->least, text);
    const double x = canvas->left + text_width(canvas->cairo, text) + GAP / 2.0;
    write_text(canvas, canvas->left, y + height / 2, LEFT, text);
    cairo_pattern_t *pattern = cairo_pattern_create_linear(x, 0, x + LEGEND, 0);
    for (int i = 0; i < COLOURS; i++)
        cairo_pattern_add_color_stop_rgb(pattern, i / (double)(COLOURS - 1), ramp[i].red,
                                         ramp[i].green, ramp[i].blue);
    cairo_set_source(canvas->cairo, pattern);
    cairo_rectangle(canvas->cairo, x, y, LEGEND, height);
    cairo_fill(canvas->cairo);
    cairo_pattern_destroy(pattern);
    set_colour(canvas->cairo, faint);
    write_text(canvas, x + LEGEND + GAP / 2.0, y + height / 2, LEFT,
               number(canvas->chart, canvas->largest, text));
}

static void draw_map(const struct canvas *canvas)
{
    for (size_t row = 0; row < canvas->chart->rows.count; row++)
        for (size_t column = 0; column < canvas->chart->columns.count; column++)
            draw_cell(canvas, row, column);
    if (canvas->least < canvas->largest)
        draw_legend(canvas);
}

static void draw_bar(const struct canvas *canvas, size_t row)
{
    const double value = canvas->chart->values[row];
    const double y = canvas->top + canvas->row * (double)row;
    const bool best = is_best(canvas, value);
    const double length =
        value <= 0 || canvas->largest <= 0 ? 0 : canvas->cell * value / canvas->largest;
    char text[TEXT_ROOM];
    fill_box(canvas, canvas->left, y + canvas->row / 7, fmax(length, 2), canvas->row * 5 / 7,
             value < 0 ? no_value
             : best    ? best_ink
                       : ramp[COLOURS - 2]);
    set_font(canvas->cairo, best ? BOLD : REGULAR, text_size);
    set_colour(canvas->cairo, value < 0 ? faint : ink);
    write_text(canvas, canvas->left + fmax(length, 2) + GAP / 2.0, y + canvas->row / 2, LEFT,
               number(canvas->chart, value, text));
}

static void draw_chart(const struct canvas *canvas)
{
    draw_title(canvas);
    draw_heads(canvas);
    if (is_map(canvas))
        draw_map(canvas);
    else
        for (size_t row = 0; row < canvas->chart->rows.count; row++)
            draw_bar(canvas, row);
}

/* ---- files ----------------------------------------------------------------------------------- */

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned size)
{
    struct bs_buffer *file = user;
    bs_buffer_add(file, bytes, size);
    return file->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* Lays the chart out with the measures of a surface that is never drawn on. */
static void measure(struct canvas *canvas)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    canvas->cairo = cairo_create(surface);
    lay_out(canvas);
    cairo_destroy(canvas->cairo);
    cairo_surface_destroy(surface);
}

static cairo_status_t draw_on(struct canvas *canvas, cairo_surface_t *surface, double zoom)
{
    canvas->cairo = cairo_create(surface);
    cairo_scale(canvas->cairo, zoom, zoom);
    draw_chart(canvas);
    const cairo_status_t status = cairo_status(canvas->cairo);
    cairo_destroy(canvas->cairo);
    return status;
}

static cairo_status_t draw_svg(struct canvas *canvas, struct bs_buffer *file)
{
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(take_bytes, file, canvas->width, canvas->height);
    cairo_status_t status = draw_on(canvas, surface, 1);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static cairo_status_t draw_png(struct canvas *canvas, struct bs_buffer *file)
{
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)ceil(canvas->width * scale), (int)ceil(canvas->height * scale));
    cairo_status_t status = draw_on(canvas, surface, scale);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, take_bytes, file);
    cairo_surface_destroy(surface);
    return status;
}

bool bs_chart_draw(const struct bs_chart *chart, enum bs_chart_format format,
                   struct bs_buffer *file, struct bs_error *error)
{
    struct canvas canvas = {.chart = chart};
    find_range(&canvas);
    write_subtitle(&canvas);
    measure(&canvas);
    const cairo_status_t status =
        format == BS_CHART_SVG ? draw_svg(&canvas, file) : draw_png(&canvas, file);
    return status == CAIRO_STATUS_SUCCESS ||
           bs_fail(error, BS_INTERNAL, NULL, 0, 0, "the picture cannot be drawn: %s",
                   cairo_status_to_string(status));
}
