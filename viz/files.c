/* Saving under a new name. */
#include "files.h"

#include "export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 9999 };
static const double film_height = 540;

/* Makes an empty file of the first number that is free, so that nobody else takes it. */
static bool reserve(const char *ending, char path[BS_FILE_NAME], struct bs_error *error)
{
    for (unsigned number = 1; number <= MOST; number++) {
        snprintf(path, BS_FILE_NAME, "bankshot-%u.%s", number, ending);
        FILE *file = fopen(path, "wbx");
        if (file)
            return fclose(file) == 0 ||
                   bs_fail(error, BS_INTERNAL, path, 0, 0, "%s", strerror(errno));
        if (errno != EEXIST)
            return bs_fail(error, BS_INTERNAL, path, 0, 0, "%s", strerror(errno));
    }
    return bs_fail(error, BS_INTERNAL, path, 0, 0, "is taken, and so are all before it");
}

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* Without the bar of the window; an animation in a size that is soon made. */
static bool write_file(struct bs_show *show, bool film, const char *path, struct bs_error *error)
{
    static const struct bs_film_options options = {20, 2};
    if (!bs_show_bar(show, false))
        return out_of_memory(error);
    if (!film)
        return bs_export_picture(show, BS_EXPORT_PNG, path, error);
    const double scale = fmin(1, film_height / show->height);
    return bs_show_resize(show, floor(show->width * scale), floor(show->height * scale))
               ? bs_export_film(show, &options, path, error)
               : out_of_memory(error);
}

bool bs_files_save(struct bs_show *show, bool film, char path[BS_FILE_NAME], struct bs_error *error)
{
    const bool bar = show->bar;
    const double width = show->width;
    const double height = show->height;
    const double time = show->time;
    if (!reserve(film ? "gif" : "png", path, error))
        return false;
    const bool written = write_file(show, film, path, error);
    if (!written)
        remove(path);
    const bool back =
        bs_show_bar(show, bar) && bs_show_resize(show, width, height) && bs_show_seek(show, time);
    return written && (back || out_of_memory(error));
}
