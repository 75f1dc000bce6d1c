/* Writing what is shown to files. */
#include "headless.h"

#include "export.h"

static enum bs_status no_such_place(const struct bs_view_place *place, uint64_t there_are,
                                    const char *what, const char *plural)
{
    struct bs_error error;
    bs_fail(&error, BS_USAGE, NULL, 0, 0, "--at %llu:%llu: there %s %llu %s%s",
            (unsigned long long)place->record, (unsigned long long)place->pass,
            there_are == 1 ? "is" : "are", (unsigned long long)there_are, what,
            there_are == 1 ? "" : plural);
    return bs_complain(&error);
}

/* Goes to the record, and checks that it has the pass. */
static enum bs_status go_to_record(struct bs_show *show, const struct bs_view_place *place)
{
    if (place->record >= show->story->count)
        return no_such_place(place, show->story->count, "record", "s, counted from 0");
    if (!bs_show_go(show, (size_t)place->record))
        return bs_out_of_memory();
    const uint32_t passes = bs_show_passes(show);
    return place->pass > (passes ? passes : 1) ? no_such_place(place, passes, "pass", "es") : BS_OK;
}

static enum bs_status go(struct bs_show *show, const struct bs_view_place *place, double time)
{
    const enum bs_status status = go_to_record(show, place);
    if (status != BS_OK)
        return status;
    return bs_show_seek(show, time) ? BS_OK : bs_out_of_memory();
}

enum bs_status bs_view_go(struct bs_show *show, const struct bs_view_place *place)
{
    return go(show, place, place->pass ? (double)(place->pass - 1) + BS_STILL : -0.05);
}

enum bs_status bs_view_begin(struct bs_show *show, const struct bs_view_place *place)
{
    return go(show, place, place->pass > 1 ? (double)(place->pass - 1) : -1);
}

static enum bs_status write_pictures(const struct bs_show *show,
                                     const struct bs_view_options *options)
{
    const char *const paths[] = {
        [BS_EXPORT_PNG] = options->shot,
        [BS_EXPORT_SVG] = options->svg,
        [BS_EXPORT_PDF] = options->pdf,
    };
    struct bs_error error;
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && !bs_export_picture(show, (enum bs_export)i, paths[i], &error))
            return bs_complain(&error);
    return BS_OK;
}

static enum bs_status write_film(struct bs_show *show, const struct bs_view_options *options)
{
    struct bs_error error;
    const struct bs_film_options film = {(double)options->fps, (double)options->speed};
    if (!options->film || bs_export_film(show, &film, options->film, &error))
        return BS_OK;
    return bs_complain(&error);
}

static enum bs_status write_files(struct bs_show *show, const struct bs_view_options *options)
{
    enum bs_status status = bs_view_go(show, &options->place);
    if (status == BS_OK)
        status = write_pictures(show, options);
    return status == BS_OK ? write_film(show, options) : status;
}

enum bs_status bs_view_write(struct bs_story *story, const struct bs_view_options *options)
{
    struct bs_show show;
    struct bs_errors errors = {0};
    if (!bs_story_read(story, SIZE_MAX, &errors)) {
        const enum bs_status status = bs_complain_all(&errors);
        bs_errors_free(&errors);
        return status;
    }
    const bool open = bs_show_open(&show, story, options->width, options->height);
    show.theme = options->dark ? &bs_theme_dark : &bs_theme_light;
    show.view = (enum bs_view)options->view;
    show.asks = options->ask;
    show.legend = !options->no_legend;
    const enum bs_status status = open ? write_files(&show, options) : bs_out_of_memory();
    bs_show_free(&show);
    return status;
}
