/* In place of the window where SDL2 is missing. */
#include "window.h"

enum bs_status bs_window_run(struct bs_story *story, const struct bs_view_options *options)
{
    struct bs_error error;
    (void)story;
    (void)options;
    bs_fail(&error, BS_INTERNAL, NULL, 0, 0,
            "built without SDL2, so there is no window; --shot, --svg, --pdf and --record write to "
            "files what it would show");
    return bs_complain(&error);
}
