/*
 * The picture of a schedule. Banks lie side by side, in blocks that fit the screen; under each bank
 * that a pass uses stand the lane that it serves and the row that it opens. Blocks in which nothing
 * happens are left out.
 */
#include "picture.h"

#include "core/lanes.h"
#include "phrases.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 16,        /* "pass 12  row 345" */
    LEAST_CELL = 4,     /* a blank and three characters */
    LONG_SCHEDULE = 40, /* passes; a longer schedule is shortened */
    LONG_STRETCH = 8,   /* passes that look alike */
    STRETCH_HEAD = 3,   /* of them shown at the start, and one at the end */
};

struct picture {
    const struct bs_model *model;
    const struct bs_rule *rule;
    const struct bs_schedule *schedule;
    const struct bs_screen *screen;
    struct bs_spool *out;
    uint32_t cell;   /* columns of a bank */
    uint32_t block;  /* banks side by side */
    uint32_t header; /* the block whose bank numbers were written last, or NO_BLOCK */
    bool all;
};
enum { NO_BLOCK = BS_MAX_BANKS };

/* The services of one pass by bank: first[bank] and onward through next, or NONE. */
enum { NONE = -1 };
struct board {
    int first[BS_MAX_BANKS];
    int next[BS_MAX_LANES * 16];
    uint32_t deepest; /* services of one bank */
};

static uint32_t digits(uint32_t value)
{
    uint32_t count = 1;
    while (value /= 10)
        count++;
    return count;
}

static void choose_cells(struct picture *picture)
{
    const struct bs_schedule *schedule = picture->schedule;
    uint32_t cell = LEAST_CELL;
    for (size_t i = 0; i < schedule->service_count; i++) {
        const uint32_t need = digits(schedule->services[i].row) + 1;
        cell = need > cell ? need : cell;
    }
    uint32_t block = 1;
    while (block < picture->model->banks && MARGIN + 2 * block * cell <= picture->screen->width)
        block *= 2;
    picture->cell = cell;
    picture->block = block;
}

/* ---- one pass -------------------------------------------------------------------------------- */

static void set_board(struct board *board, const struct bs_schedule *schedule,
                      const struct bs_pass *pass)
{
    uint32_t depth[BS_MAX_BANKS] = {0};
    board->deepest = 0;
    for (uint32_t bank = 0; bank < BS_MAX_BANKS; bank++)
        board->first[bank] = NONE;
    for (uint32_t i = pass->count; i-- > 0;) {
        const uint32_t bank = schedule->services[pass->first + i].bank;
        board->next[i] = board->first[bank];
        board->first[bank] = (int)i;
        depth[bank]++;
        board->deepest = depth[bank] > board->deepest ? depth[bank] : board->deepest;
    }
}

/* The depth-th service of a bank in a pass, or NULL. */
static const struct bs_service *service_at(const struct picture *picture, const struct board *board,
                                           const struct bs_pass *pass, uint32_t bank,
                                           uint32_t depth)
{
    int at = board->first[bank];
    while (at != NONE && depth-- > 0)
        at = board->next[at];
    return at == NONE ? NULL : &picture->schedule->services[pass->first + (uint32_t)at];
}

static uint32_t block_end(const struct picture *picture, uint32_t from)
{
    const uint32_t banks = picture->model->banks;
    return from + picture->block < banks ? from + picture->block : banks;
}

static bool block_is_used(const struct picture *picture, const struct board *board, uint32_t from)
{
    for (uint32_t bank = from; bank < block_end(picture, from); bank++)
        if (board->first[bank] != NONE)
            return true;
    return false;
}

static void cell(const struct picture *picture, enum bs_tone tone, const char *text)
{
    const size_t used = bs_screen_columns(text);
    bs_spool_repeat(picture->out, ' ', picture->cell > used ? picture->cell - used : 0);
    bs_screen_tone(picture->screen, picture->out, tone, text);
}

/* What stands left of the cells: the pass on its first line, and what the line shows. */
static void margin(const struct picture *picture, const char *pass, const char *what)
{
    bs_spool_printf(picture->out, "%-9s%*s", pass, MARGIN - 9, what);
}

/* The numbers of a block's banks, unless they were the last that were written. */
static void bank_line(struct picture *picture, uint32_t from)
{
    char text[16];
    if (picture->header == from)
        return;
    picture->header = from;
    margin(picture, "", "bank");
    for (uint32_t bank = from; bank < block_end(picture, from); bank++) {
        snprintf(text, sizeof text, "%u", bank);
        cell(picture, BS_DIM, text);
    }
    bs_spool_text(picture->out, "\n");
}

static void lane_cell(const struct picture *picture, const struct bs_service *service)
{
    char text[16];
    if (!service) {
        cell(picture, BS_DIM, picture->screen->utf8 ? "\xc2\xb7" : ".");
        return;
    }
    const unsigned lanes = bs_lanes_count(service->lanes);
    snprintf(text, sizeof text, lanes > 1 ? "*%u" : "%u",
             lanes > 1 ? lanes : bs_lanes_lowest(service->lanes));
    cell(picture, lanes > 1 ? BS_GOOD : BS_BOLD, text);
}

/* The one row that all services of a pass open. */
static bool one_row(const struct picture *picture, const struct bs_pass *pass, uint32_t *row)
{
    const struct bs_service *services = &picture->schedule->services[pass->first];
    *row = services->row;
    for (uint32_t i = 1; i < pass->count; i++)
        if (services[i].row != *row)
            return false;
    return true;
}

/* The rows that the services above open, up to the last one. */
static void row_line(const struct picture *picture, const struct board *board,
                     const struct bs_pass *pass, uint32_t from, uint32_t depth)
{
    uint32_t pending = 0; /* empty cells that are written only if something follows */
    char text[16];
    margin(picture, "", "row");
    for (uint32_t bank = from; bank < block_end(picture, from); bank++) {
        const struct bs_service *service = service_at(picture, board, pass, bank, depth);
        pending++;
        if (!service)
            continue;
        bs_spool_repeat(picture->out, ' ', (size_t)(pending - 1) * picture->cell);
        snprintf(text, sizeof text, "%u", service->row);
        cell(picture, BS_DIM, text);
        pending = 0;
    }
    bs_spool_text(picture->out, "\n");
}

/* One block at one depth: the lanes, and the rows to their left if one is opened, else below. */
static void service_lines(const struct picture *picture, const struct board *board,
                          const struct bs_pass *pass, const char *label, uint32_t from,
                          uint32_t depth)
{
    uint32_t row;
    char what[24] = "lane";
    const bool shared_row = one_row(picture, pass, &row);
    if (shared_row)
        snprintf(what, sizeof what, "row %u", row);
    margin(picture, label, what);
    for (uint32_t bank = from; bank < block_end(picture, from); bank++)
        lane_cell(picture, service_at(picture, board, pass, bank, depth));
    bs_spool_text(picture->out, "\n");
    if (!shared_row)
        row_line(picture, board, pass, from, depth);
}

static bool same_service(const struct bs_service *a, const struct bs_service *b)
{
    return a && b && a->lanes == b->lanes && a->row == b->row;
}

/* Which lanes share a word, for every starred cell: neighbouring banks with the same are one entry.
 */
static void sharing_lines(const struct picture *picture, const struct board *board,
                          const struct bs_pass *pass)
{
    struct bs_buffer text = {0};
    for (uint32_t depth = 0; depth < board->deepest; depth++) {
        for (uint32_t bank = 0; bank < picture->model->banks; bank++) {
            char lanes[BS_LANES_PHRASE];
            const uint32_t first = bank;
            const struct bs_service *service = service_at(picture, board, pass, bank, depth);
            if (!service || bs_lanes_count(service->lanes) < 2)
                continue;
            while (bank + 1 < picture->model->banks &&
                   same_service(service, service_at(picture, board, pass, bank + 1, depth)))
                bank++;
            bs_buffer_text(&text, text.size ? "; " : "");
            if (first == bank)
                bs_buffer_printf(&text, "bank %u %s", first,
                                 bs_lanes_phrase(service->lanes, lanes));
            else
                bs_buffer_printf(&text, "banks %u-%u %s", first, bank,
                                 bs_lanes_phrase(service->lanes, lanes));
        }
    }
    char *whole = text.size ? bs_buffer_take(&text) : NULL;
    if (whole) {
        margin(picture, "", "*");
        bs_spool_text(picture->out, " ");
        bs_screen_wrap(picture->screen, picture->out, MARGIN + 1, whole);
    }
    free(whole);
    bs_buffer_free(&text);
}

static void draw_services(struct picture *picture, const struct bs_pass *pass, size_t number)
{
    struct board board;
    char label[32];
    unsigned blocks = 0;
    set_board(&board, picture->schedule, pass);
    snprintf(label, sizeof label, "pass %zu", number);
    for (uint32_t from = 0; from < picture->model->banks; from += picture->block) {
        if (!block_is_used(picture, &board, from))
            continue;
        blocks++;
        bank_line(picture, from);
        for (uint32_t depth = 0; depth < board.deepest; depth++) {
            service_lines(picture, &board, pass, label, from, depth);
            label[0] = '\0';
        }
    }
    sharing_lines(picture, &board, pass);
    if (blocks > 1)
        bs_spool_text(picture->out, "\n");
}

static void draw_pass(struct picture *picture, size_t number)
{
    const struct bs_pass *pass = &picture->schedule->passes[number];
    switch ((enum bs_pass_kind)pass->kind) {
    case BS_PASS_SERVE:
        draw_services(picture, pass, number + 1);
        break;
    case BS_PASS_REPEAT:
        bs_spool_printf(picture->out,
                        "pass %-3zu the same once more: the op makes each pass %u times\n",
                        number + 1, picture->rule->multiplier);
        break;
    case BS_PASS_EXTRA:
        bs_spool_printf(picture->out, "pass %-3zu an extra pass, which serves no lane\n",
                        number + 1);
        break;
    }
}

/* ---- stretches of passes --------------------------------------------------------------------- */

static uint32_t phase_of(const struct picture *picture, size_t pass)
{
    const struct bs_schedule *schedule = picture->schedule;
    return schedule->passes[pass].count ? schedule->services[schedule->passes[pass].first].phase
                                        : BS_MAX_PHASES;
}

/* Whether two passes of one kind use the same banks. */
static bool look_alike(const struct picture *picture, size_t a, size_t b)
{
    const struct bs_schedule *schedule = picture->schedule;
    const struct bs_pass *first = &schedule->passes[a];
    const struct bs_pass *second = &schedule->passes[b];
    if (first->kind != second->kind || first->count != second->count)
        return false;
    for (uint32_t i = 0; i < first->count; i++)
        if (schedule->services[first->first + i].bank != schedule->services[second->first + i].bank)
            return false;
    return true;
}

/* The passes from one on that look like it; each may be followed by its repeats. */
static size_t stretch_end(const struct picture *picture, size_t from, size_t end)
{
    const size_t unit = picture->rule->multiplier;
    size_t at = from;
    while (at + unit <= end && look_alike(picture, from, at))
        at += unit;
    return at > from ? at : from + 1;
}

/* Draws the passes of a stretch, or its ends if it is long and may be shortened. */
static void draw_stretch(struct picture *picture, size_t begin, size_t end)
{
    const size_t unit = picture->rule->multiplier;
    const bool shorten = !picture->all && picture->schedule->pass_count > LONG_SCHEDULE &&
                         (end - begin) / unit > LONG_STRETCH;
    const size_t head = shorten ? begin + STRETCH_HEAD * unit : end;
    for (size_t pass = begin; pass < head; pass++)
        draw_pass(picture, pass);
    if (!shorten)
        return;
    bs_spool_printf(
        picture->out,
        "         ... passes %zu to %zu, %zu more of the same banks; --all draws them\n", head + 1,
        end - unit, end - unit - head);
    for (size_t pass = end - unit; pass < end; pass++)
        draw_pass(picture, pass);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void phase_title(const struct picture *picture, uint32_t phase)
{
    const struct bs_schedule *schedule = picture->schedule;
    char lanes[BS_LANES_PHRASE];
    char text[BS_LANES_PHRASE + 64];
    snprintf(text, sizeof text, "phase %u of %u: %s", phase + 1, schedule->phase_count,
             bs_lanes_phrase(schedule->phase[phase], lanes));
    bs_screen_tone(picture->screen, picture->out, BS_BOLD, text);
    bs_spool_text(picture->out, "\n");
}

/* With its number, where the picture is of several phases. */
static void phase_why(const struct picture *picture, uint32_t phase, bool numbered)
{
    struct bs_phase_view view;
    char why[BS_SENTENCE];
    char text[BS_SENTENCE + 32];
    bs_phase_view_of(&view, picture->schedule, phase);
    bs_why(picture->rule, &view, why);
    snprintf(text, sizeof text, numbered ? "phase %u: %s" : "%.0u%s", numbered ? phase + 1 : 0,
             why);
    bs_spool_text(picture->out, picture->screen->utf8 ? "  \xe2\x86\x92 " : "  > ");
    bs_screen_wrap(picture->screen, picture->out, 4, text);
}

static void draw_passes(struct picture *picture, size_t begin, size_t end)
{
    picture->header = NO_BLOCK;
    for (size_t at = begin; at < end;) {
        const size_t next = stretch_end(picture, at, end);
        draw_stretch(picture, at, next);
        at = next;
    }
}

/* Draws one phase's passes, and returns where the next phase's start. */
static size_t draw_phase(struct picture *picture, uint32_t phase, size_t begin)
{
    size_t end = begin;
    phase_title(picture, phase);
    while (end < picture->schedule->pass_count && phase_of(picture, end) == phase)
        end++;
    if (end > begin)
        draw_passes(picture, begin, end);
    phase_why(picture, phase, false);
    bs_spool_text(picture->out, "\n");
    return end;
}

/* Phases that run side by side share passes: one picture for all of them. */
static size_t draw_side_by_side(struct picture *picture)
{
    const struct bs_schedule *schedule = picture->schedule;
    size_t end = 0;
    while (end < schedule->pass_count && schedule->passes[end].kind != BS_PASS_EXTRA)
        end++;
    for (uint32_t phase = 0; phase < schedule->phase_count; phase++)
        phase_title(picture, phase);
    bs_spool_text(picture->out, "The phases run side by side:\n");
    if (end > 0)
        draw_passes(picture, 0, end);
    for (uint32_t phase = 0; phase < schedule->phase_count; phase++)
        phase_why(picture, phase, true);
    bs_spool_text(picture->out, "\n");
    return end;
}

static size_t draw_by_sectors(struct picture *picture)
{
    size_t end = picture->schedule->pass_count;
    if (end > 0)
        draw_passes(picture, 0, end);
    phase_why(picture, 0, false);
    bs_spool_text(picture->out, "\n");
    return end;
}

void bs_picture_draw(const struct bs_verdict *verdict, const struct bs_screen *screen, bool all,
                     struct bs_spool *out)
{
    const struct bs_schedule *schedule = &verdict->schedule;
    struct picture picture = {
        .model = verdict->subject->model,
        .rule = verdict->rule,
        .schedule = schedule,
        .screen = screen,
        .out = out,
        .all = all,
    };
    if (!verdict->rule)
        return;
    choose_cells(&picture);
    size_t at = 0;
    if (picture.rule->method == BS_BY_SECTORS)
        at = draw_by_sectors(&picture);
    else if (picture.rule->combine == BS_LARGEST && schedule->phase_count > 1)
        at = draw_side_by_side(&picture);
    else
        for (uint32_t phase = 0; phase < schedule->phase_count; phase++)
            at = draw_phase(&picture, phase, at);
    const bool extra = at < schedule->pass_count;
    for (; at < schedule->pass_count; at++)
        draw_pass(&picture, at);
    bs_spool_text(out, extra ? "\n" : "");
}
