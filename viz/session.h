/*
 * A session with the viewer, as data: what is shown, how it plays, what is being changed or typed.
 * One function takes an event, one lets time go by, one does what can be done meanwhile; a window
 * only translates, shows and waits.
 */
#ifndef BS_SESSION_H
#define BS_SESSION_H

#include "pick.h"
#include "player.h"
#include "values.h"

/* What keys do in each mode; all others do what they always do. */
enum bs_mode {
    BS_MODE_PLAY,
    BS_MODE_VALUES, /* arrows choose and change values */
    BS_MODE_TYPE,   /* a line is typed */
    BS_MODE_HELP,   /* the keys are listed */
};

/* What the line that is typed is for. */
enum bs_purpose { BS_FOR_VALUE, BS_FOR_COMPARE, BS_FOR_RECORD };

struct bs_session {
    struct bs_story *story;
    struct bs_values *values; /* the story's texts are theirs, once something has been changed */
    uint64_t changes;         /* how often they have been changed */
    struct bs_model_names models;
    struct bs_show show;
    struct bs_player player;
    enum bs_mode mode;
    size_t selected;                           /* of the values */
    uint32_t scene;                            /* whose values are changed, where scenes differ */
    struct bs_value hidden[BS_MAX_PANELS - 1]; /* comparisons that were put away */
    uint32_t hidden_count;
    enum bs_purpose purpose;
    struct bs_entry entry;
    struct bs_pick pick;
    double width, height; /* of the window, as the user wants it, in the units of its system */
    bool full_screen;
    bool quit;
    bool film_due;       /* an animation is to be saved; a frame says so first */
    bool editable;       /* the values could be read */
    bool bad_note;       /* the note says what is wrong */
    char note[BS_WORDS]; /* empty: nothing to say */
    double note_for;     /* seconds that it has been there */
    double grown;        /* seconds since the strip has taken in what was read */
    uint64_t version;    /* another one whenever the picture has changed, but for what moves */
};

/* Height of a line of the help, and of what is above and below the lines, in units. */
#define BS_HELP_LINE 1.6
#define BS_HELP_REST 5.0

/* A key with what it does, as the help lists them. */
struct bs_key_words {
    const char *key;
    const char *words;
};
const struct bs_key_words *bs_key_words(size_t *count);

/* Begins with a story, which stays the caller's, at its first record. False when memory is out; it
 * is to be closed either way. */
bool bs_session_open(struct bs_session *session, struct bs_story *story, double width,
                     double height);
void bs_session_close(struct bs_session *session);

/* All are false when memory is out. */
bool bs_session_take(struct bs_session *session, const struct bs_event *event);
bool bs_session_advance(struct bs_session *session, double seconds);
bool bs_session_resize(struct bs_session *session, double width, double height);

/* Reads up to so many further records of a trace; seconds have gone by since it was called last.
 * False with the errors, none if memory is out. */
bool bs_session_read(struct bs_session *session, size_t records, double seconds,
                     struct bs_errors *errors);

/* Whether the next frame will look different without an event. */
bool bs_session_moves(const struct bs_session *session);

/* Draws what lies over the show: values, notes, the path that was picked, the keys. */
void bs_session_paint(const struct bs_session *session, const struct bs_pen *pen);

/* The key that a click at a place of the bar stands for: ' ' plays, '?' lists the keys; else 0. */
char bs_session_key_at(const struct bs_session *session, double x, double y);

/* The value of the bar that stands at a place of the picture; the count of values if none does. */
size_t bs_session_value_at(const struct bs_session *session, double x, double y);

#endif
