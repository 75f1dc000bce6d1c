/* The table writer. CSV and JSON rows stream; text rows wait until the columns' widths are known.
 */
#include "table.h"

#include "kernel_names.h"
#include "short_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHRINK_LEAST = 8, WIDE_GAP = 2, NARROW_GAP = 1, CELL_ROOM = 512 };
enum { KERNEL = 'k' }; /* marks the cell of a kernel, where others have their tone */

/* ---- begin ----------------------------------------------------------------------------------- */

static void csv_text(struct bs_spool *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        bs_spool_text(out, text);
        return;
    }
    bs_spool_text(out, "\"");
    for (; *text; text++)
        bs_spool_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    bs_spool_text(out, "\"");
}

void bs_table_begin(struct bs_table *table, enum bs_format format, const struct bs_column *columns,
                    size_t count, struct bs_spool *out)
{
    *table = (struct bs_table){
        .format = format,
        .columns = columns,
        .count = count,
        .out = out,
        .screen = bs_screen_of_stdout(),
    };
    for (size_t i = 0; i < count; i++) {
        table->width[i] = columns[i].title ? strlen(columns[i].title) : 0;
        if (format == BS_CSV) {
            bs_spool_text(out, i ? "," : "");
            csv_text(out, columns[i].name);
        }
    }
    if (format == BS_CSV)
        bs_spool_text(out, "\n");
}

void bs_table_begin_json(struct bs_table *table, const struct bs_column *columns, size_t count,
                         struct bs_json *json, const char *key)
{
    bs_table_begin(table, BS_JSON, columns, count, json->out);
    table->json = json;
    bs_json_list(json, key, BS_JSON_TALL);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static const char *next_column(struct bs_table *table)
{
    if (table->at == 0 && table->format == BS_JSON)
        bs_json_map(table->json, NULL, BS_JSON_FLAT);
    if (table->at > 0 && table->format == BS_CSV)
        bs_spool_text(table->out, ",");
    return table->columns[table->at].name;
}

static void end_cell(struct bs_table *table)
{
    if (++table->at < table->count)
        return;
    table->at = 0;
    if (table->format == BS_JSON)
        bs_json_close(table->json);
    else if (table->format == BS_CSV)
        bs_spool_text(table->out, "\n");
}

/* Keeps a cell for the layout. */
static void keep_cell(struct bs_table *table, enum bs_tone tone, const char *text)
{
    char shown[CELL_ROOM];
    const char mark = (char)('0' + tone);
    bs_printable(text, strlen(text), shown, sizeof shown);
    const size_t width = bs_screen_columns(shown);
    if (width > table->width[table->at])
        table->width[table->at] = width;
    bs_spool_add(&table->cells, &mark, 1);
    bs_spool_add(&table->cells, shown, strlen(shown) + 1);
}

void bs_table_tone(struct bs_table *table, enum bs_tone tone, const char *text)
{
    next_column(table);
    if (table->format == BS_TEXT)
        keep_cell(table, tone, text);
    end_cell(table);
}

void bs_table_text(struct bs_table *table, const char *text)
{
    const char *name = next_column(table);
    if (table->format == BS_JSON)
        bs_json_text(table->json, name, text);
    else if (table->format == BS_CSV)
        csv_text(table->out, text);
    else
        keep_cell(table, BS_PLAIN, text);
    end_cell(table);
}

void bs_table_kernel(struct bs_table *table, const struct bs_names *names, uint32_t number)
{
    char cell[16];
    if (table->format != BS_TEXT) {
        bs_table_text(table, names->list[number]);
        return;
    }
    next_column(table);
    table->names = names;
    snprintf(cell, sizeof cell, "%c%" PRIu32, KERNEL, number);
    bs_spool_add(&table->cells, cell, strlen(cell) + 1);
    end_cell(table);
}

void bs_table_number(struct bs_table *table, uint64_t number)
{
    char text[32];
    if (table->format == BS_JSON) {
        bs_json_number(table->json, next_column(table), number);
        end_cell(table);
    } else {
        snprintf(text, sizeof text, "%llu", (unsigned long long)number);
        bs_table_text(table, text);
    }
}

void bs_table_real(struct bs_table *table, double number, int decimals)
{
    char text[64];
    if (table->format == BS_JSON) {
        bs_json_real(table->json, next_column(table), number, decimals);
        end_cell(table);
    } else {
        snprintf(text, sizeof text, "%.*f", decimals, number);
        bs_table_text(table, text);
    }
}

void bs_table_null(struct bs_table *table)
{
    if (table->format == BS_JSON) {
        bs_json_null(table->json, next_column(table));
        end_cell(table);
    } else {
        bs_table_text(table, table->format == BS_CSV ? "" : "-");
    }
}

void bs_table_hex(struct bs_table *table, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)number);
    bs_table_text(table, text);
}

void bs_table_mask(struct bs_table *table, uint64_t mask)
{
    char text[32];
    snprintf(text, sizeof text, "%08llx", (unsigned long long)mask);
    bs_table_text(table, text);
}

/* ---- layout of text -------------------------------------------------------------------------- */

struct layout {
    struct bs_table *table;
    bool shown[BS_MAX_COLUMNS];
    size_t last; /* the last column that is shown */
    size_t gap;
    size_t settled; /* columns before it have their width: they shrink no more */
    size_t column;  /* of the cell that is being gathered */
    struct bs_buffer cell;
    bool (*use)(struct layout *layout, enum bs_tone tone, const char *text);
    bool shrinks[BS_MAX_COLUMNS]; /* columns too narrow for what is in them */
    struct bs_short_names shorts[BS_MAX_COLUMNS];
};

/* The width that the columns shown take; a column that shrinks takes what it wants at least. */
static size_t needed_width(const struct layout *layout, size_t gap)
{
    const struct bs_table *table = layout->table;
    size_t total = 0;
    for (size_t i = 0; i < table->count; i++) {
        const size_t least = i < layout->settled ? 0 : table->columns[i].shrink;
        if (layout->shown[i])
            total +=
                (total ? gap : 0) + (least && table->width[i] > least ? least : table->width[i]);
    }
    return total;
}

/* Hides the column that is missed least; false when there is none to hide. */
static bool drop_one(struct layout *layout)
{
    const struct bs_table *table = layout->table;
    size_t best = table->count;
    for (size_t i = 0; i < table->count; i++)
        if (layout->shown[i] && table->columns[i].drop > 0 &&
            (best == table->count || table->columns[i].drop > table->columns[best].drop))
            best = i;
    if (best == table->count)
        return false;
    layout->shown[best] = false;
    layout->table->left_out[best] = true;
    return true;
}

/* Gives a column that shrinks what the others leave. */
static void fit_column(struct layout *layout, size_t column)
{
    struct bs_table *table = layout->table;
    const size_t least = table->columns[column].shrink;
    const size_t taken = table->width[column] > least ? least : table->width[column];
    const size_t others = needed_width(layout, layout->gap) - taken;
    const size_t screen = table->screen.width;
    const size_t room = others + SHRINK_LEAST < screen ? screen - others : SHRINK_LEAST;
    layout->shrinks[column] = table->width[column] > room;
    if (layout->shrinks[column])
        table->width[column] = room;
}

/* Chooses columns and gaps. A column goes only when narrower gaps do not make room for it. */
static void choose_columns(struct layout *layout)
{
    const struct bs_table *table = layout->table;
    const size_t screen = table->screen.width;
    for (size_t i = 0; i < table->count; i++)
        layout->shown[i] = table->columns[i].title != NULL;
    while (needed_width(layout, NARROW_GAP) > screen && drop_one(layout))
        continue;
    layout->gap = needed_width(layout, WIDE_GAP) <= screen ? WIDE_GAP : NARROW_GAP;
    for (size_t i = 0; i < table->count; i++) {
        if (layout->shown[i])
            layout->last = i;
        if (layout->shown[i] && table->columns[i].shrink)
            fit_column(layout, i);
        layout->settled = i + 1;
    }
}

static void put_text(struct layout *layout, size_t column, enum bs_tone tone, const char *shown)
{
    struct bs_table *table = layout->table;
    const size_t used = bs_screen_columns(shown);
    const size_t pad = table->width[column] > used ? table->width[column] - used : 0;
    const bool left = table->columns[column].left;
    bs_spool_repeat(table->out, ' ', left ? 0 : pad);
    bs_screen_tone(&table->screen, table->out, tone, shown);
    if (column == layout->last)
        bs_spool_text(table->out, "\n");
    else
        bs_spool_repeat(table->out, ' ', (left ? pad : 0) + layout->gap);
}

static bool put_cell(struct layout *layout, enum bs_tone tone, const char *text)
{
    char shown[CELL_ROOM];
    const size_t column = layout->column;
    if (!layout->shown[column])
        return true;
    if (layout->shrinks[column])
        bs_short_name(&layout->shorts[column], text, shown, sizeof shown);
    else
        snprintf(shown, sizeof shown, "%s", text);
    put_text(layout, column, tone, shown);
    return true;
}

/* Makes room for the names of kernels. */
static bool measure_cell(struct layout *layout, enum bs_tone tone, const char *text)
{
    size_t *width = &layout->table->width[layout->column];
    const size_t columns = bs_screen_columns(text);
    (void)tone;
    if (columns > *width)
        *width = columns;
    return true;
}

/* Gathers what will have to be shortened. */
static bool gather_cell(struct layout *layout, enum bs_tone tone, const char *text)
{
    (void)tone;
    return !layout->shrinks[layout->column] ||
           bs_short_names_add(&layout->shorts[layout->column], text);
}

/* Uses a cell as it was kept; of a kernel it gets the name. */
static bool use_cell(struct layout *layout, const char *cell)
{
    char shown[CELL_ROOM];
    uint64_t number;
    const struct bs_names *names = layout->table->names;
    if (cell[0] != KERNEL)
        return layout->use(layout, (enum bs_tone)(cell[0] - '0'), cell + 1);
    if (!bs_number_parse(cell + 1, strlen(cell + 1), UINT32_MAX, &number))
        return false;
    const char *name = bs_names_shown(names, (uint32_t)number);
    return layout->use(layout, BS_PLAIN, bs_printable(name, strlen(name), shown, sizeof shown));
}

/* Uses the cells one by one. */
static bool take_bytes(void *user, const char *bytes, size_t size)
{
    struct layout *layout = user;
    while (size > 0) {
        const char *end = memchr(bytes, '\0', size);
        const size_t part = end ? (size_t)(end - bytes) + 1 : size;
        bs_buffer_add(&layout->cell, bytes, part);
        bytes += part;
        size -= part;
        if (!end || layout->cell.failed)
            continue;
        if (!use_cell(layout, layout->cell.data))
            return false;
        layout->cell.size = 0;
        layout->column = (layout->column + 1) % layout->table->count;
    }
    return !layout->cell.failed;
}

/* Goes over all cells. */
static bool use_all(struct layout *layout,
                    bool (*use)(struct layout *layout, enum bs_tone tone, const char *text))
{
    layout->use = use;
    layout->column = 0;
    layout->cell.size = 0;
    return bs_spool_each(&layout->table->cells, take_bytes, layout);
}

/* Finds what each cell of a column that is too narrow looks like. */
static bool shorten(struct layout *layout)
{
    const struct bs_table *table = layout->table;
    bool any = false;
    for (size_t i = 0; i < table->count; i++)
        any |= layout->shrinks[i];
    bool fine = !any || use_all(layout, gather_cell);
    for (size_t i = 0; fine && i < table->count; i++)
        fine = !layout->shrinks[i] || bs_short_names_fit(&layout->shorts[i], table->width[i]);
    return fine;
}

static void end_text(struct bs_table *table)
{
    struct layout layout = {.table = table};
    bool fine = !table->names || use_all(&layout, measure_cell);
    choose_columns(&layout);
    for (size_t i = 0; i < table->count; i++)
        if (layout.shown[i])
            put_text(&layout, i, BS_BOLD, table->columns[i].title);
    fine = fine && shorten(&layout) && use_all(&layout, put_cell);
    if (!fine && !table->out->failure)
        table->out->failure = table->cells.failure ? table->cells.failure : ENOMEM;
    for (size_t i = 0; i < table->count; i++) {
        bs_short_names_list(&layout.shorts[i], &table->screen, table->out);
        bs_short_names_free(&layout.shorts[i]);
    }
    bs_buffer_free(&layout.cell);
    bs_spool_free(&table->cells);
}

void bs_table_end(struct bs_table *table)
{
    if (table->format == BS_TEXT)
        end_text(table);
    else if (table->format == BS_JSON)
        bs_json_close(table->json);
}

void bs_table_left_out(const struct bs_table *table, const char *where, struct bs_spool *out)
{
    struct bs_buffer text = {0};
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->left_out[i])
            bs_buffer_printf(&text, "%s%s", count++ ? ", " : "(No room here for ",
                             table->columns[i].name);
    if (count > 0) {
        bs_buffer_printf(&text, "; %s has %s.)", where, count > 1 ? "them" : "it");
        char *line = bs_buffer_take(&text);
        bs_screen_wrap(&table->screen, out, 0, line ? line : "");
        free(line);
    }
    bs_buffer_free(&text);
}
