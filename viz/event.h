/* What the user does, in words of our own: a window translates its events into these. */
#ifndef BS_EVENT_H
#define BS_EVENT_H

/* Keys that write nothing. */
enum bs_key {
    BS_KEY_NONE,
    BS_KEY_RETURN,
    BS_KEY_ESCAPE,
    BS_KEY_BACKSPACE,
    BS_KEY_DELETE,
    BS_KEY_TAB,
    BS_KEY_BACKTAB,
    BS_KEY_LEFT,
    BS_KEY_RIGHT,
    BS_KEY_UP,
    BS_KEY_DOWN,
    BS_KEY_PAGE_UP,
    BS_KEY_PAGE_DOWN,
    BS_KEY_HOME,
    BS_KEY_END,
    BS_KEY_F1,
    BS_KEY_F11,
    BS_KEYS,
};

enum bs_event_kind {
    BS_EVENT_KEY,
    BS_EVENT_TEXT, /* what a key writes: one character or more */
    BS_EVENT_CLICK,
    BS_EVENT_WHEEL,
};

enum { BS_EVENT_ROOM = 32 };

struct bs_event {
    enum bs_event_kind kind;
    enum bs_key key;
    char text[BS_EVENT_ROOM];
    double x, y; /* of the mouse, in the picture */
    int steps;   /* of the wheel: up is positive */
};

#endif
