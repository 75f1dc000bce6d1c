/* What lies over the show: the bar of values, the line that is typed, notes, the keys. */
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double text_size = 1.15; /* units, of the bar */
static const double inset = 0.55;     /* left and right of a value's text */
static const double between = 0.5;

/* ---- values ---------------------------------------------------------------------------------- */

/* The name beside a value; those that speak for themselves have none. */
static const char *label_of(const struct bs_value *value)
{
    const char *dot = strrchr(value->name, '.');
    if (value->kind == BS_VALUE_OP || value->kind == BS_VALUE_ADDRS ||
        value->kind == BS_VALUE_MODEL)
        return "";
    return dot ? dot + 1 : value->name;
}

static const char *text_of(const struct bs_value *value)
{
    const char *slash = strrchr(value->text, '/');
    return value->kind == BS_VALUE_MODEL && slash ? slash + 1 : value->text;
}

/* Whether some scene differs from the first in that value. */
static bool differs(const struct bs_values *values, size_t number)
{
    for (uint32_t i = 0; i < values->compare_count; i++)
        if (strcmp(values->compares[i].name, values->list[number].name) == 0)
            return true;
    return false;
}

struct chip {
    const struct bs_session *session;
    const struct bs_pen *pen;
    size_t number;
    struct bs_box box;
    double x; /* of the next piece */
    bool draw;
};

static void piece(struct chip *chip, enum bs_weight weight, enum bs_ink ink, const char *text)
{
    const struct bs_style style = {text_size, weight, ink};
    const double y = chip->box.y + chip->box.height / 2;
    const double most = 24 * chip->pen->unit;
    char shown[BS_VALUE_TEXT];
    bs_printable(text, strlen(text), shown, sizeof shown);
    chip->x += chip->draw ? bs_pen_fit(chip->pen, style, BS_LEFT, chip->x, y, most, shown)
                          : fmin(most, bs_pen_measure(chip->pen, style, shown));
}

/* Writes a value, or only measures it: its name, and what it is in each scene that differs. */
static double write_value(struct chip *chip)
{
    const struct bs_session *session = chip->session;
    const struct bs_values *values = session->values;
    const struct bs_value *value = &values->list[chip->number];
    const bool now = session->mode == BS_MODE_VALUES && session->selected == chip->number;
    const enum bs_ink strong = now ? BS_ON_NOW : BS_TEXT;
    const enum bs_ink faint = now ? BS_ON_NOW : BS_FAINT;
    const double start = chip->x;
    chip->x += inset * chip->pen->unit;
    if (*label_of(value)) {
        piece(chip, BS_REGULAR, faint, label_of(value));
        chip->x += 0.4 * chip->pen->unit;
    }
    if (!differs(values, chip->number)) {
        piece(chip, BS_STRONG, strong, text_of(value));
    } else {
        for (uint32_t scene = 0; scene <= values->compare_count; scene++) {
            const bool meant = scene == session->scene;
            if (scene)
                piece(chip, BS_REGULAR, faint, "  |  ");
            piece(chip, meant ? BS_STRONG : BS_REGULAR, meant ? strong : faint,
                  text_of(bs_values_of_scene(values, chip->number, scene)));
        }
    }
    return chip->x + inset * chip->pen->unit - start;
}

static double width_of(const struct bs_session *session, const struct bs_pen *pen, size_t number)
{
    struct chip chip = {.session = session, .pen = pen, .number = number};
    return write_value(&chip);
}

static double room_for_values(const struct bs_session *session)
{
    return session->show.layout.bar.width - 15 * session->show.layout.unit;
}

/* Places the values side by side, beginning with the first that lets the selected one be seen.
 * Those without width do not fit. */
static void place_values(const struct bs_session *session, const struct bs_pen *pen,
                         struct bs_box boxes[BS_MAX_VALUES])
{
    const struct bs_box bar = session->show.layout.bar;
    const size_t count = session->values->count;
    const double room = room_for_values(session);
    size_t first = 0;
    double end = 0;
    for (size_t i = 0; i < count; i++) {
        boxes[i] = (struct bs_box){0, bar.y, width_of(session, pen, i), bar.height};
        if (i <= session->selected)
            end += boxes[i].width + between * pen->unit;
    }
    for (; first < session->selected && end > room; first++)
        end -= boxes[first].width + between * pen->unit;
    double x = 0;
    for (size_t i = 0; i < count; i++) {
        const bool fits = i >= first && (x + boxes[i].width <= room || i == first);
        boxes[i].x = bar.x + x;
        if (i >= first)
            x = fits ? x + boxes[i].width + between * pen->unit : room;
        if (!fits)
            boxes[i].width = 0;
    }
}

static void draw_values(const struct bs_session *session, const struct bs_pen *pen)
{
    struct bs_box boxes[BS_MAX_VALUES];
    place_values(session, pen, boxes);
    for (size_t i = 0; i < session->values->count; i++) {
        const bool selected = i == session->selected;
        if (boxes[i].width <= 0)
            continue;
        bs_pen_ink(pen, selected && session->mode == BS_MODE_VALUES ? BS_NOW : BS_CELL, 1);
        bs_pen_box(pen, boxes[i]);
        if (selected) {
            bs_pen_ink(pen, BS_NOW, 1);
            bs_pen_box(pen, (struct bs_box){boxes[i].x, boxes[i].y + boxes[i].height,
                                            boxes[i].width, 0.2 * pen->unit});
        }
        struct chip chip = {session, pen, i, boxes[i], boxes[i].x, true};
        write_value(&chip);
    }
}

size_t bs_session_value_at(const struct bs_session *session, double x, double y)
{
    struct bs_box boxes[BS_MAX_VALUES];
    cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    const struct bs_pen pen = bs_show_pen(&session->show, cairo_create(nothing));
    size_t number = 0;
    place_values(session, &pen, boxes);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(nothing);
    while (number < session->values->count &&
           (x < boxes[number].x || x >= boxes[number].x + boxes[number].width ||
            y < boxes[number].y || y >= boxes[number].y + boxes[number].height))
        number++;
    return number;
}

/* ---- the rest of the bar --------------------------------------------------------------------- */

static const struct bs_style state_style = {1.15, BS_REGULAR, BS_FAINT};
static const char keys_text[] = "? keys";

static void state_text(const struct bs_session *session, char text[BS_CAPTION])
{
    snprintf(text, BS_CAPTION, "%s  \u00d7%g   %s",
             session->player.playing ? "\u25b6" : "\u275a\u275a", ldexp(1, session->player.speed),
             keys_text);
}

char bs_session_key_at(const struct bs_session *session, double x, double y)
{
    const struct bs_box bar = session->show.layout.bar;
    const double left = bar.x + bar.width - x;
    char text[BS_CAPTION];
    state_text(session, text);
    cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    const struct bs_pen pen = bs_show_pen(&session->show, cairo_create(nothing));
    const double keys = bs_pen_measure(&pen, state_style, keys_text);
    const double all = bs_pen_measure(&pen, state_style, text);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(nothing);
    if (y < bar.y || y >= bar.y + bar.height || left < 0 || left > all)
        return '\0';
    return left <= keys ? '?' : ' ';
}

static void draw_state(const struct bs_session *session, const struct bs_pen *pen)
{
    const struct bs_box bar = session->show.layout.bar;
    const double y = bar.y + bar.height / 2;
    const double right = bar.x + bar.width;
    char text[BS_CAPTION];
    if (session->mode == BS_MODE_TYPE)
        snprintf(text, sizeof text, "enter \u00b7 escape");
    else
        state_text(session, text);
    bs_pen_write(pen, state_style, BS_RIGHT, right, y, text);
}

static const char *question_of(const struct bs_session *session)
{
    switch (session->purpose) {
    case BS_FOR_RECORD:
        return "go to record";
    case BS_FOR_VALUE:
    case BS_FOR_COMPARE:
        return session->values->list[session->selected].name;
    }
    return "";
}

/* The end of the text that leaves the cursor in sight. */
static const char *visible_from(const struct bs_pen *pen, struct bs_style style, double width,
                                const struct bs_entry *entry)
{
    char before[BS_ENTRY_ROOM];
    const char *from = entry->text;
    for (;;) {
        snprintf(before, sizeof before, "%.*s", (int)(entry->text + entry->cursor - from), from);
        if (from >= entry->text + entry->cursor || bs_pen_measure(pen, style, before) <= width)
            return from;
        do
            from++;
        while (((unsigned char)*from & 0xc0) == 0x80);
    }
}

static void draw_entry(const struct bs_session *session, const struct bs_pen *pen)
{
    const struct bs_style label = {text_size, BS_REGULAR, BS_FAINT};
    const struct bs_style typed = {1.3, BS_STRONG, BS_TEXT};
    const struct bs_entry *entry = &session->entry;
    const struct bs_box bar = session->show.layout.bar;
    const double y = bar.y + bar.height / 2;
    const struct bs_box field = {bar.x, bar.y, room_for_values(session), bar.height};
    char before[BS_ENTRY_ROOM];
    bs_pen_ink(pen, BS_CELL, 1);
    bs_pen_box(pen, field);
    const double start = bar.x + inset * pen->unit;
    const double used = bs_pen_write(pen, label, BS_LEFT, start, y, question_of(session));
    const double x = start + used + 0.8 * pen->unit;
    const double width = field.x + field.width - x - 1.5 * pen->unit;
    const char *from = visible_from(pen, typed, width, entry);
    bs_pen_fit(pen, typed, BS_LEFT, x, y, width, from);
    snprintf(before, sizeof before, "%.*s", (int)(entry->text + entry->cursor - from), from);
    bs_pen_ink(pen, BS_NOW, 1);
    bs_pen_box(pen, (struct bs_box){x + bs_pen_measure(pen, typed, before), bar.y + 0.3 * pen->unit,
                                    0.18 * pen->unit, bar.height - 0.6 * pen->unit});
}

static void draw_note(const struct bs_session *session, const struct bs_pen *pen)
{
    const struct bs_style style = {1.3, BS_REGULAR,
                                   session->note[0] && session->bad_note ? BS_BAD_TEXT : BS_TEXT};
    const struct bs_box box = session->show.layout.note;
    char words[BS_WORDS];
    const char *text =
        session->note[0] ? session->note : bs_pick_words(&session->show, session->pick, words);
    if (!*text)
        return;
    bs_pen_ink(pen, BS_PAPER, 1);
    bs_pen_box(pen, (struct bs_box){box.x, box.y - 0.3 * pen->unit, box.width, box.height});
    bs_pen_fit(pen, style, BS_LEFT, box.x, box.y + 0.5 * pen->unit, box.width, text);
}

/* ---- the keys -------------------------------------------------------------------------------- */

static void draw_help(const struct bs_session *session, const struct bs_pen *pen)
{
    const struct bs_style title = {1.6, BS_STRONG, BS_TEXT};
    const struct bs_style key = {1.2, BS_STRONG, BS_TEXT};
    const struct bs_style words = {1.2, BS_REGULAR, BS_TEXT};
    const struct bs_layout *layout = &session->show.layout;
    size_t count;
    const struct bs_key_words *keys = bs_key_words(&count);
    const double width = fmin(52 * pen->unit, layout->width);
    const double height = (BS_HELP_LINE * (double)count + BS_HELP_REST) * pen->unit;
    const struct bs_box box = {(layout->width - width) / 2, (layout->height - height) / 2, width,
                               height};
    bs_pen_ink(pen, BS_PAPER, 1);
    bs_pen_box(pen, box);
    bs_pen_ink(pen, BS_LINE, 1);
    cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
    cairo_set_line_width(pen->cairo, fmax(1, 0.1 * pen->unit));
    cairo_stroke(pen->cairo);
    double y = box.y + 2.2 * pen->unit;
    bs_pen_write(pen, title, BS_LEFT, box.x + 2 * pen->unit, y, "Keys");
    y += 2.2 * pen->unit;
    for (size_t i = 0; i < count; i++, y += BS_HELP_LINE * pen->unit) {
        bs_pen_write(pen, key, BS_LEFT, box.x + 2 * pen->unit, y, keys[i].key);
        bs_pen_fit(pen, words, BS_LEFT, box.x + 12 * pen->unit, y, width - 13 * pen->unit,
                   keys[i].words);
    }
}

void bs_session_paint(const struct bs_session *session, const struct bs_pen *pen)
{
    bs_pick_paint(pen, &session->show, session->pick);
    draw_note(session, pen);
    if (session->mode == BS_MODE_TYPE)
        draw_entry(session, pen);
    else
        draw_values(session, pen);
    draw_state(session, pen);
    if (session->mode == BS_MODE_HELP)
        draw_help(session, pen);
}
