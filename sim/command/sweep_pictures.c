/* The pictures of a sweep. */
#include "sweep_pictures.h"

#include "chart.h"
#include "files.h"
#include "output_file.h"

#include <stdlib.h>
#include <string.h>

static const char *const option_names[BS_PICTURES] = {
    [BS_CHART_SVG] = "--svg",
    [BS_CHART_PNG] = "--png",
};

bool bs_pictures_wanted(const struct bs_pictures *pictures)
{
    return pictures->paths[0] || pictures->paths[1];
}

bool bs_pictures_take_stdout(const struct bs_pictures *pictures)
{
    for (size_t i = 0; i < BS_PICTURES; i++)
        if (pictures->paths[i] && bs_output_is_stdout(pictures->paths[i]))
            return true;
    return false;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static enum bs_status check_shape(const struct bs_verb *verb, const struct bs_plan *plan)
{
    if (plan->axis_count > 2)
        return bs_usage_error(verb, "--svg and --png draw one varied key or two, not %zu",
                              plan->axis_count);
    for (size_t i = 0; i < plan->axis_count; i++)
        if (plan->axes[i].count > BS_MAX_CHART_LABELS)
            return bs_usage_error(verb, "--svg and --png draw at most %d values of a key, not %zu",
                                  BS_MAX_CHART_LABELS, plan->axes[i].count);
    return BS_OK;
}

static enum bs_status check_path(const struct bs_verb *verb, const char *option, const char *path,
                                 const char *const *read, size_t count)
{
    char shown[128];
    if (!path[0])
        return bs_usage_error(verb, "%s: expected a file, found ''", option);
    for (size_t i = 0; i < count; i++)
        if (bs_same_file(path, read[i]))
            return bs_usage_error(verb, "%s: '%s' is a file that the sweep reads", option,
                                  bs_printable(path, strlen(path), shown, sizeof shown));
    return BS_OK;
}

enum bs_status bs_pictures_check(const struct bs_pictures *pictures, const struct bs_verb *verb,
                                 const struct bs_plan *plan, const char *const *read, size_t count)
{
    const char *const *paths = pictures->paths;
    enum bs_status status = bs_pictures_wanted(pictures) ? check_shape(verb, plan) : BS_OK;
    for (size_t i = 0; status == BS_OK && i < BS_PICTURES; i++)
        if (paths[i])
            status = check_path(verb, option_names[i], paths[i], read, count);
    if (status == BS_OK && paths[0] && paths[1] &&
        (strcmp(paths[0], paths[1]) == 0 || bs_same_file(paths[0], paths[1])))
        return bs_usage_error(verb, "--svg and --png name one file, '%s'", paths[0]);
    struct bs_error error;
    for (size_t i = 0; status == BS_OK && i < BS_PICTURES; i++)
        if (paths[i] && !bs_output_check(paths[i], &error))
            status = bs_complain(&error);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* A chart of the first group. Rows are the first axis; with one axis there are only bars. */
static bool draw(const struct bs_sweep_result *result, enum bs_chart_format format,
                 struct bs_output_file *output, struct bs_error *error)
{
    const struct bs_axis *axes = result->plan->axes;
    const bool is_map = result->plan->axis_count == 2;
    struct bs_buffer bytes = {0};
    double *values = malloc(result->plan->count * sizeof *values);
    char *models = bs_result_models(result);
    char *notes = bs_result_notes(result);
    if (!values || !models || !notes) {
        free(values);
        free(models);
        free(notes);
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    }
    for (size_t i = 0; i < result->plan->count; i++)
        values[i] = bs_result_value(result, i, 0);
    const struct bs_chart chart = {
        .title = result->subject,
        .models = models,
        .notes = notes,
        .value_title = bs_metric_titles[result->metric],
        .rows = {axes[0].key, axes[0].values, axes[0].count},
        .columns = {is_map ? axes[1].key : "", axes[1].values, is_map ? axes[1].count : 0},
        .values = values,
        .decimals = result->metric == BS_METRIC_NWAY ? 2 : 0,
        .marks_best = !bs_result_unlike(result, 0),
    };
    const bool drawn = bs_chart_draw(&chart, format, &bytes, error) &&
                       bs_output_write(output, bytes.data, bytes.size, error);
    bs_buffer_free(&bytes);
    free(values);
    free(models);
    free(notes);
    return drawn;
}

static enum bs_status write_picture(const struct bs_sweep_result *result,
                                    enum bs_chart_format format, const char *path)
{
    struct bs_output_file output;
    struct bs_error error;
    if (!bs_output_open(&output, path, &error))
        return bs_complain(&error);
    const bool drawn = draw(result, format, &output, &error);
    return bs_output_close(&output, drawn, &error) && drawn ? BS_OK : bs_complain(&error);
}

enum bs_status bs_pictures_draw(const struct bs_pictures *pictures,
                                const struct bs_sweep_result *result)
{
    enum bs_status status = BS_OK;
    for (size_t i = 0; status == BS_OK && i < BS_PICTURES; i++)
        if (pictures->paths[i])
            status = write_picture(result, (enum bs_chart_format)i, pictures->paths[i]);
    return status;
}
