/* Charts as files: a heat map over two axes, or bars over one. The only file that knows the drawing
 * library. */
#ifndef BS_CHART_H
#define BS_CHART_H

#include "bankshot.h"
#include "core/buffer.h"

enum { BS_MAX_CHART_LABELS = 128 };

struct bs_chart_axis {
    const char *title;
    char **labels;
    size_t count; /* at most BS_MAX_CHART_LABELS */
};

struct bs_chart {
    const char *title;
    const char *models;      /* what they are of; may be empty */
    const char *notes;       /* what else there is to say; may be NULL */
    const char *value_title; /* what the numbers are */
    struct bs_chart_axis rows;
    struct bs_chart_axis columns; /* count 0: bars, one for each row */
    const double *values;         /* row by row; negative: not known */
    int decimals;
    bool marks_best; /* the least values, unless all are the same */
};

enum bs_chart_format { BS_CHART_SVG, BS_CHART_PNG };

/* Adds the bytes of the chart's file. False after filling error. */
bool bs_chart_draw(const struct bs_chart *chart, enum bs_chart_format format,
                   struct bs_buffer *file, struct bs_error *error);

#endif
