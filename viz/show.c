/* Making the picture of a showing. */
#include "show.h"

#include "core/lanes.h"
#include "switches.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------------------- */

/* Whether the scenes differ in where their lanes go. */
static bool addresses_differ(const struct bs_show *show)
{
    for (uint32_t i = 1; i < show->story->variant_count; i++)
        if (memcmp(show->scenes[i].addr, show->scenes[0].addr, sizeof show->scenes[0].addr) != 0)
            return true;
    return false;
}

/* The op with the addresses as they were given, or with the rule that they all follow. */
static void write_title(struct bs_show *show, const struct bs_access *access)
{
    const struct bs_story *story = show->story;
    const struct bs_words *lets = &story->variants[0].options.lets;
    char name[BS_OP_NAME];
    char pattern[BS_WORDS_ROOM];
    bs_op_name(access->op, name);
    if (story->request.addresses)
        bs_printable(story->variants[0].addresses, strlen(story->variants[0].addresses), pattern,
                     sizeof pattern);
    else if (addresses_differ(show))
        pattern[0] = '\0'; /* each scene says its own */
    else if (!bs_address_rule(access, show->scenes[0].active, BS_RULE_BRIEF, pattern))
        snprintf(pattern, sizeof pattern, "%s", access->op.kind == BS_BAR ? "" : "\u2026");
    snprintf(show->title, sizeof show->title, "%s%s  %s", story->switched.some ? "changed: " : "",
             name, pattern);
    for (size_t i = 0; story->variant_count == 1 && i < lets->count; i++) {
        const size_t used = strlen(show->title);
        bs_printable(lets->list[i], strlen(lets->list[i]), pattern, sizeof pattern);
        snprintf(show->title + used, sizeof show->title - used, "%s %s", i ? "," : "  with",
                 pattern);
    }
}

static void write_words(struct bs_show *show, const struct bs_access *access)
{
    char sentence[BS_WORDS_ROOM];
    const uint32_t lanes = show->scenes[0].model->lanes;
    if (addresses_differ(show))
        bs_words_general(access, sentence);
    else
        bs_words_of(access, show->scenes[0].active, lanes, sentence);
    snprintf(show->words, sizeof show->words, "%s%s%s", sentence,
             show->story->variant_count > 1 && show->strip.model[0] ? " \u00b7 " : "",
             show->story->variant_count > 1 ? show->strip.model : "");
}

/* Where the lanes of one of several scenes go. */
static void write_pattern(struct bs_show *show, uint32_t variant, const struct bs_access *access)
{
    char *out = show->patterns[variant];
    char words[BS_ADDRESS_RULE];
    const enum bs_address_rule rule =
        bs_address_rule(access, show->scenes[variant].active, BS_RULE_BRIEF, words);
    snprintf(out, sizeof show->patterns[variant], "%s%.250s", rule == BS_RULE_FORMULA ? "at " : "",
             words);
}

/* ---- strip ----------------------------------------------------------------------------------- */

/* The banks that each pass keeps busy. */
static void strip_of_passes(struct bs_show *show)
{
    const struct bs_scene *scene = &show->scenes[0];
    struct bs_strip *strip = &show->strip;
    const uint32_t passes = bs_scene_passes(scene);
    strip->count = passes < BS_MAX_BARS ? passes : BS_MAX_BARS;
    strip->largest = scene->banks;
    strip->tracks = true;
    strip->widest = 2.4;
    for (uint32_t pass = 0; pass < strip->count; pass++)
        strip->values[pass] = scene->schedule.passes[pass].count;
    snprintf(strip->caption, sizeof strip->caption, "banks busy in each pass, of %u", scene->banks);
}

static void caption_of_record(struct bs_show *show)
{
    const struct bs_story *story = show->story;
    const struct bs_told *told = &story->told[show->record];
    const char *name = story->kernels[told->kernel].name;
    char kernel[72];
    bs_printable(name, strlen(name), kernel, sizeof kernel);
    char source[96];
    char counts[64];
    bs_story_source(story, show->record, source, sizeof source);
    snprintf(counts, sizeof counts, "record %zu (0 to %zu%s)", show->record, story->count - 1,
             story->whole ? "" : "+");
    if (source[0])
        snprintf(show->strip.caption, sizeof show->strip.caption,
                 "%s \u00b7 %s \u00b7 CTA %u, warp %u", counts, source, told->cta, told->warp);
    else
        snprintf(show->strip.caption, sizeof show->strip.caption,
                 "%s \u00b7 CTA %u, warp %u, pc 0x%llx \u00b7 %s", counts, told->cta, told->warp,
                 (unsigned long long)told->pc, kernel);
}

static size_t records_a_bar(const struct bs_story *story)
{
    return (story->count + BS_MAX_BARS - 1) / BS_MAX_BARS;
}

/* Instructions in order; where there are too many, the worst of some stands for all of them. */
static void strip_of_trace(struct bs_show *show)
{
    const struct bs_story *story = show->story;
    struct bs_strip *strip = &show->strip;
    const size_t each = records_a_bar(story);
    strip->count = (uint32_t)((story->count + each - 1) / each);
    strip->largest = story->most_passes;
    strip->tracks = false;
    strip->widest = 1;
    memset(strip->values, 0, sizeof strip->values);
    for (size_t i = 0; i < story->count; i++)
        if (story->told[i].passes > strip->values[i / each])
            strip->values[i / each] = story->told[i].passes;
    strip->current = (uint32_t)(show->record / each);
    caption_of_record(show);
}

static void append_model(struct bs_show *show, const char *between, const char *text)
{
    const size_t used = strlen(show->strip.model);
    snprintf(show->strip.model + used, sizeof show->strip.model - used, "%s%s", between, text);
}

static bool is_set_in_all(const struct bs_story *story, const char *word)
{
    for (uint32_t i = 0; i < story->variant_count; i++) {
        const struct bs_words *sets = &story->variants[i].options.sets;
        size_t at = 0;
        while (at < sets->count && strcmp(sets->list[at], word) != 0)
            at++;
        if (at == sets->count)
            return false;
    }
    return true;
}

/* The banks of each scene, or of all; those of more than two are for their captions to tell. */
static void append_banks(struct bs_show *show)
{
    const struct bs_story *story = show->story;
    const struct bs_model *first = story->variants[0].model;
    char text[48];
    bool same = true;
    for (uint32_t i = 1; i < story->variant_count; i++)
        same = same && story->variants[i].model->banks == first->banks &&
               story->variants[i].model->bank_width == first->bank_width;
    if (!same && story->variant_count > 2)
        return;
    for (uint32_t i = 0; i < (same ? 1 : story->variant_count); i++) {
        const struct bs_model *model = story->variants[i].model;
        snprintf(text, sizeof text, "%u banks of %u byte%s", model->banks, model->bank_width,
                 model->bank_width == 1 ? "" : "s");
        append_model(show, i ? " | " : ": ", text);
    }
}

/* The model and what was changed of it, if it is the same for all scenes; else their captions
 * tell. */
static void name_model(struct bs_show *show)
{
    const struct bs_story *story = show->story;
    const struct bs_words *sets = &story->variants[0].options.sets;
    char text[64];
    show->strip.model[0] = '\0';
    for (uint32_t i = 1; i < story->variant_count; i++)
        if (strcmp(story->variants[i].model->name, story->variants[0].model->name) != 0)
            return;
    snprintf(show->strip.model, sizeof show->strip.model, "%.60s", story->variants[0].model->name);
    for (size_t i = 0; i < sets->count; i++)
        if (is_set_in_all(story, sets->list[i]))
            append_model(show, ", ",
                         bs_printable(sets->list[i], strlen(sets->list[i]), text, sizeof text));
    append_banks(show);
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool lay_out(struct bs_show *show)
{
    show->version++;
    const struct bs_scene *scenes[BS_MAX_PANELS];
    const uint32_t count = show->story->variant_count;
    for (uint32_t i = 0; i < count; i++)
        scenes[i] = &show->scenes[i];
    bs_layout_make(&show->layout, show->width, show->height, scenes, count,
                   (count == 1 || show->story->request.trace ? BS_WITH_STRIP : 0) |
                       (show->legend && show->view == BS_VIEW_SCENE ? BS_WITH_LEGEND : 0) |
                       (show->bar ? BS_WITH_BAR : 0));
    return bs_show_seek(show, show->time);
}

static void compose(struct bs_show *show)
{
    const struct bs_story *story = show->story;
    const bool differ = addresses_differ(show);
    show->picture = (struct bs_picture){
        .layout = &show->layout,
        .view = show->view,
        .title = show->title,
        .words = show->words,
        .strip = &show->strip,
    };
    for (uint32_t i = 0; i < story->variant_count; i++)
        show->picture.panels[i] = (struct bs_painted_panel){
            .place = &show->layout.panels[i],
            .scene = &show->scenes[i],
            .moment = &show->moments[i],
            .counts = &show->counts[i],
            .clock = &show->clocks[i],
            .asks = show->asks,
            .record = show->record,
            .caption = story->variant_count > 1 ? story->variants[i].caption : NULL,
            .pattern = differ ? show->patterns[i] : NULL,
        };
}

/* Makes everything for the record. */
static bool remake(struct bs_show *show)
{
    struct bs_access access;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
    for (uint32_t i = show->story->variant_count; i-- > 0;) { /* the first one's words stay */
        bs_story_access(show->story, show->record, i, &access, addr, src);
        if (!bs_scene_build(&show->scenes[i], show->story->variants[i].model, &access))
            return false;
        write_pattern(show, i, &access);
    }
    name_model(show);
    write_title(show, &access);
    write_words(show, &access);
    if (show->story->request.trace)
        strip_of_trace(show);
    else
        strip_of_passes(show);
    compose(show);
    return lay_out(show) && bs_show_view(show, show->view);
}

bool bs_show_open(struct bs_show *show, struct bs_story *story, double width, double height)
{
    *show = (struct bs_show){
        .story = story, .theme = &bs_theme_light, .width = width, .height = height, .legend = true};
    return bs_show_go(show, 0);
}

void bs_show_free(struct bs_show *show)
{
    for (uint32_t i = 0; i < BS_MAX_PANELS; i++) {
        bs_scene_free(&show->scenes[i]);
        bs_moment_free(&show->moments[i]);
        bs_banks_free(&show->counts[i]);
        bs_clock_free(&show->clocks[i]);
    }
}

static void forget_counts(struct bs_show *show)
{
    for (uint32_t i = 0; i < BS_MAX_PANELS; i++) {
        bs_banks_free(&show->counts[i]);
        bs_clock_free(&show->clocks[i]);
    }
}

bool bs_show_go(struct bs_show *show, size_t record)
{
    if (show->story->switched.some && show->story->switched.record != record) {
        bs_story_restore(show->story);
        forget_counts(show);
    }
    show->record = record;
    show->time = -1;
    return remake(show);
}

bool bs_show_seek(struct bs_show *show, double time)
{
    show->time = time;
    for (uint32_t i = 0; i < show->story->variant_count; i++)
        if (!bs_moment_make(&show->moments[i], &show->scenes[i], &show->layout.panels[i], time))
            return false;
    if (!show->story->request.trace)
        show->strip.current = time < 0 ? 0 : (uint32_t)time;
    return true;
}

bool bs_show_refresh(struct bs_show *show)
{
    forget_counts(show); /* they belong to what was */
    return remake(show);
}

bool bs_show_resize(struct bs_show *show, double width, double height)
{
    show->width = width;
    show->height = height;
    return lay_out(show);
}

bool bs_show_bar(struct bs_show *show, bool bar)
{
    show->bar = bar;
    return lay_out(show);
}

bool bs_show_legend(struct bs_show *show, bool legend)
{
    show->legend = legend;
    return lay_out(show);
}

bool bs_show_ask(struct bs_show *show, bool asks)
{
    show->asks = asks;
    compose(show);
    return lay_out(show);
}

size_t bs_show_record_of_bar(const struct bs_show *show, uint32_t bar)
{
    const struct bs_story *story = show->story;
    const size_t each = records_a_bar(story);
    size_t best = bar * each;
    for (size_t i = best; i < (bar + 1) * each && i < story->count; i++)
        if (story->told[i].passes > story->told[best].passes)
            best = i;
    return best < story->count ? best : story->count - 1;
}

void bs_show_more(struct bs_show *show)
{
    if (show->story->request.trace)
        strip_of_trace(show);
    show->version++;
}

/* Bars of different scenes are to be compared by their height. */
static void share_scale(struct bs_show *show)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < show->story->variant_count; i++) {
        const struct bs_bank_counts *counts = &show->counts[i];
        const struct bs_bank_range range = bs_bank_use_range(&counts->use, counts->model);
        most = range.most > most ? range.most : most;
    }
    for (uint32_t i = 0; i < show->story->variant_count; i++)
        show->picture.panels[i].most_uses = most;
}

static bool count_banks(struct bs_show *show, uint32_t kernel)
{
    for (uint32_t i = 0; i < show->story->variant_count; i++)
        if (!bs_banks_count(&show->counts[i], show->story, i, kernel))
            return false;
    share_scale(show);
    return true;
}

/* One axis for all scenes; where their records are far from one another in time, which would leave
 * nothing to be seen, each begins at its own and a cycle is as wide in all of them. */
static void share_axis(struct bs_show *show)
{
    enum { WIDEST = 3 }; /* times the widest */
    struct bs_cycles all = {UINT64_MAX, 0};
    uint64_t width = 0;
    struct bs_cycles own[BS_MAX_PANELS] = {{0, 0}};
    for (uint32_t i = 0; i < show->story->variant_count; i++) {
        if (!show->clocks[i].runs)
            continue;
        own[i] = bs_clock_around(&show->clocks[i], show->record);
        all.from = own[i].from < all.from ? own[i].from : all.from;
        all.until = own[i].until > all.until ? own[i].until : all.until;
        width = own[i].until - own[i].from > width ? own[i].until - own[i].from : width;
    }
    const bool near = all.until > all.from && all.until - all.from <= WIDEST * width;
    for (uint32_t i = 0; i < show->story->variant_count; i++)
        show->picture.panels[i].cycles =
            near ? all : (struct bs_cycles){own[i].from, own[i].from + width};
}

static bool run_clocks(struct bs_show *show)
{
    for (uint32_t i = 0; i < show->story->variant_count; i++)
        if (!bs_clock_run(&show->clocks[i], show->story, i, show->record))
            return false;
    share_axis(show);
    return true;
}

bool bs_show_view(struct bs_show *show, enum bs_view view)
{
    show->view = view;
    show->picture.view = view;
    if (!lay_out(show)) /* only the scene has a legend */
        return false;
    switch (view) {
    case BS_VIEW_SCENE:
    case BS_VIEW_HEAT:
    case BS_VIEWS:
        break;
    case BS_VIEW_BANKS:
        return count_banks(show, BS_ALL_KERNELS);
    case BS_VIEW_KERNEL:
        return count_banks(show, show->story->told[show->record].kernel);
    case BS_VIEW_TIME:
        return run_clocks(show);
    }
    return true;
}

uint32_t bs_show_passes(const struct bs_show *show)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < show->story->variant_count; i++) {
        const uint32_t passes = bs_scene_passes(&show->scenes[i]);
        most = passes > most ? passes : most;
    }
    return most;
}

struct bs_pen bs_show_pen(const struct bs_show *show, cairo_t *cairo)
{
    return (struct bs_pen){.cairo = cairo, .theme = show->theme, .unit = show->layout.unit};
}

void bs_show_paint(const struct bs_show *show, const struct bs_pen *pen, struct bs_sprites *sprites)
{
    bs_paint_still(pen, &show->picture);
    bs_paint_moving(pen, &show->picture, sprites);
}
