/*
 * Playing a show: what keys and the mouse make of it, without knowing where they come from. A
 * window turns events into actions, calls bs_player_advance with the time that has gone by, and
 * draws the show.
 */
#ifndef BS_PLAYER_H
#define BS_PLAYER_H

#include "show.h"

enum bs_action {
    BS_DO_NOTHING,
    BS_DO_PLAY, /* or pause; at the end, begin again */
    BS_DO_NEXT_PASS,
    BS_DO_PREVIOUS_PASS,
    BS_DO_NEXT, /* instruction */
    BS_DO_PREVIOUS,
    BS_DO_FIRST,
    BS_DO_LAST,
    BS_DO_NEXT_CONFLICT,
    BS_DO_ASK_RECORD, /* these three open a line in which the user types */
    BS_DO_ASK_CHANGE,
    BS_DO_ASK_COMPARE,
    BS_DO_FASTER,
    BS_DO_SLOWER,
    BS_DO_MODEL, /* the next one */
    BS_DO_VIEW,
    BS_DO_THEME,
    BS_DO_SHOT,
    BS_DO_FILM,
    BS_DO_FULL_SCREEN,
    BS_DO_HELP,
    BS_DO_QUIT,
};

/* How a key is called and what it does, for the help; the keys themselves are the window's. */
struct bs_key_words {
    enum bs_action action;
    const char *key;
    const char *words;
};
const struct bs_key_words *bs_key_words(size_t *count);

enum { BS_SLOWEST = -3, BS_FASTEST = 4 };

struct bs_player {
    struct bs_show *show;
    bool playing;
    int speed;             /* 0: a pass a second; each step up is twice as fast */
    double goal;           /* the time that a step moves to; before the beginning: there is none */
    double rests;          /* seconds for which the end of an instruction has been shown */
    enum bs_action asking; /* what the line that is being typed is for, or BS_DO_NOTHING */
    char line[256];
    bool help;
    bool quit;
    bool full_screen;
    unsigned shots;        /* files written so far */
    char note[BS_CAPTION]; /* what has just been done, or went wrong; empty: nothing */
};

/* Starts, playing from where the show is. */
void bs_player_start(struct bs_player *player, struct bs_show *show);

/* Both are false when memory is out. */
bool bs_player_do(struct bs_player *player, enum bs_action action);
bool bs_player_advance(struct bs_player *player, double seconds);

/* Changes the instruction or the model, as bs_story_change does; what is wrong with that becomes
 * the note. False when memory is out. */
bool bs_player_change(struct bs_player *player, const char *change);

/* While something is asked: adds text to the line, takes its last character away, does what it
 * says, gives it up. The third is false when memory is out. */
void bs_player_type(struct bs_player *player, const char *text);
void bs_player_erase(struct bs_player *player);
bool bs_player_enter(struct bs_player *player);
void bs_player_cancel(struct bs_player *player);

/* What is asked, in a few words. */
const char *bs_player_question(const struct bs_player *player);

/* A click on the picture: on the strip it goes there. False when memory is out. */
bool bs_player_click(struct bs_player *player, double x, double y);

/* Whether the next frame can look different from this one. */
bool bs_player_moves(const struct bs_player *player);

#endif
