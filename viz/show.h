/*
 * The state of a showing: which instruction, at what time, in which view and colours, and all that
 * is made from that: scenes, layout, moments, words. A window and the headless forms both drive
 * one of these; neither computes anything of its own.
 */
#ifndef BS_SHOW_H
#define BS_SHOW_H

#include "paint.h"
#include "story.h"

struct bs_show {
    struct bs_story *story; /* the caller's */
    const struct bs_theme *theme;
    enum bs_view view;
    double width, height;
    size_t record;
    double time;      /* see motion.h */
    bool legend;      /* what marks mean is wanted below the scenes */
    bool bar;         /* room is left for what a window adds below */
    bool asks;        /* what comes of an instruction is kept back until it has been played */
    uint64_t version; /* another one whenever more than the time has changed */

    struct bs_scene scenes[BS_MAX_PANELS];
    struct bs_moment moments[BS_MAX_PANELS];
    struct bs_bank_counts counts[BS_MAX_PANELS];
    struct bs_clock clocks[BS_MAX_PANELS];
    struct bs_layout layout;
    struct bs_strip strip;
    char title[BS_WORDS];
    char words[BS_WORDS];
    char patterns[BS_MAX_PANELS][BS_WORDS];
    struct bs_picture picture;
};

/* Starts with the story's first record at its beginning. False when memory is out. */
bool bs_show_open(struct bs_show *show, struct bs_story *story, double width, double height);
void bs_show_free(struct bs_show *show);

/* All seven are false when memory is out. The record has been read. Going to a record begins it,
 * and lets another whose lanes were switched be as it was;
 * bs_show_refresh makes everything anew after the story's variants have changed. */
bool bs_show_go(struct bs_show *show, size_t record);
bool bs_show_seek(struct bs_show *show, double time);
bool bs_show_resize(struct bs_show *show, double width, double height);
bool bs_show_bar(struct bs_show *show, bool bar);
bool bs_show_legend(struct bs_show *show, bool legend);
bool bs_show_ask(struct bs_show *show, bool asks);
bool bs_show_refresh(struct bs_show *show);

/* Takes in that more of the story has been read: the strip grows. */
void bs_show_more(struct bs_show *show);

/* Changes the view, and computes what it needs: for the banks of a trace and for the time of a
 * launch from the records read so far, so that it is to be called again when more have been read.
 * False when memory is out. */
bool bs_show_view(struct bs_show *show, enum bs_view view);

/* The record that a bar of a trace's strip stands for: the worst of several. */
size_t bs_show_record_of_bar(const struct bs_show *show, uint32_t bar);

/* Passes until the last of the scenes is done. */
uint32_t bs_show_passes(const struct bs_show *show);

/* Draws both layers. */
void bs_show_paint(const struct bs_show *show, const struct bs_pen *pen,
                   struct bs_sprites *sprites);

/* A pen for the show's size and theme. */
struct bs_pen bs_show_pen(const struct bs_show *show, cairo_t *cairo);

#endif
