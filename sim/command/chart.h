/* Charts as files: a heat map over two axes, or bars over one. The only file that knows the drawing
 * library. */
#ifndef BS_CHART_H
#define BS_CHART_H

#include "bankshot.h"

enum { BS_MAX_CHART_LABELS = 128 };

struct bs_chart_axis {
    const char *title;
    char **labels;
    size_t count; /* at most BS_MAX_CHART_LABELS */
};

struct bs_chart {
    const char *title;
    const char *value_title; /* what the numbers are */
    struct bs_chart_axis rows;
    struct bs_chart_axis columns; /* count 0: bars, one for each row */
    const double *values;         /* row by row; negative: not known */
    int decimals;
};

enum bs_chart_format { BS_CHART_SVG, BS_CHART_PNG };

/* Draws the chart to a file. False after filling error. */
bool bs_chart_write(const struct bs_chart *chart, enum bs_chart_format format, const char *path,
                    struct bs_error *error);

#endif
