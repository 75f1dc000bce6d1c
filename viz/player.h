/*
 * Moving through a show: playing, pausing, steps of passes and instructions, without knowing what
 * asks for them. Time goes by when bs_player_advance says so.
 */
#ifndef BS_PLAYER_H
#define BS_PLAYER_H

#include "show.h"

enum bs_move {
    BS_MOVE_PLAY, /* or pause; at the end, begin again */
    BS_MOVE_NEXT_PASS,
    BS_MOVE_PREVIOUS_PASS,
    BS_MOVE_NEXT, /* instruction */
    BS_MOVE_PREVIOUS,
    BS_MOVE_FIRST,
    BS_MOVE_LAST,
    BS_MOVE_NEXT_CONFLICT,
    BS_MOVE_FASTER,
    BS_MOVE_SLOWER,
};

enum { BS_SLOWEST = -3, BS_FASTEST = 4 };

struct bs_player {
    struct bs_show *show;
    bool playing;
    int speed;             /* 0: a pass a second; each step up is twice as fast */
    double goal;           /* the time that a step moves to; before the beginning: there is none */
    double rests;          /* seconds for which the end of an instruction has been shown */
    char note[BS_CAPTION]; /* what there is to say of the last move; empty: nothing */
};

/* Starts where the show is, not yet playing. */
void bs_player_start(struct bs_player *player, struct bs_show *show);

/* All are false when memory is out. To settle is to be at once where a step moves to; to go begins
 * a record; to restart plays the instruction from its beginning. */
bool bs_player_do(struct bs_player *player, enum bs_move move);
bool bs_player_advance(struct bs_player *player, double seconds);
bool bs_player_settle(struct bs_player *player);
bool bs_player_go(struct bs_player *player, size_t record);
bool bs_player_restart(struct bs_player *player);

/* Begins the instruction again after it has been changed: playing, or if that rests with all of the
 * first phase in the queues. False when memory is out. */
bool bs_player_again(struct bs_player *player);

/* A click on the picture: on the strip it goes there. False when memory is out. */
bool bs_player_click(struct bs_player *player, double x, double y);

/* Whether the next frame can look different from this one. */
bool bs_player_moves(const struct bs_player *player);

#endif
