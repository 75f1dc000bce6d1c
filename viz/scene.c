/* Scenes from schedules: which errand is served when, which balls it has, which rows are shown. */
#include "scene.h"

#include "core/buffer.h"
#include "core/lanes.h"
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

enum { COMPANY = 4 /* rows that are shown at least */ };

/* ---- errands --------------------------------------------------------------------------------- */

static int by_bank_then_pass(const void *left, const void *right)
{
    const struct bs_errand *a = left;
    const struct bs_errand *b = right;
    if (a->bank != b->bank)
        return a->bank < b->bank ? -1 : 1;
    if (a->pass != b->pass)
        return a->pass < b->pass ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->lanes < b->lanes ? -1 : a->lanes > b->lanes;
}

/* Whether some of the overwritten bytes lie in the errand's word. */
static bool is_in_word(const struct bs_scene *scene, const struct bs_clash *clash,
                       const struct bs_errand *errand)
{
    for (uint32_t byte = 0; byte < clash->bytes; byte++) {
        const struct bs_place place =
            bs_place_for(scene->model, scene->rule, clash->address + byte);
        if (place.bank == errand->bank && place.row == errand->row)
            return true;
    }
    return false;
}

static void find_losers(const struct bs_scene *scene, struct bs_errand *errand)
{
    const struct bs_schedule *schedule = &scene->schedule;
    for (size_t i = 0; i < schedule->clash_count; i++) {
        const struct bs_clash *clash = &schedule->clashes[i];
        if (!(clash->lanes & errand->lanes) || !is_in_word(scene, clash, errand))
            continue;
        errand->losers |= clash->lanes & errand->lanes;
        if (clash->winner >= 0)
            errand->losers &= ~(UINT64_C(1) << clash->winner);
        else
            errand->undefined = true;
    }
}

static bool collect_errands(struct bs_scene *scene)
{
    const struct bs_schedule *schedule = &scene->schedule;
    struct bs_errand *errands =
        bs_grow(scene->errands, &scene->errand_room, schedule->service_count + 1, sizeof *errands);
    if (!errands)
        return false;
    scene->errands = errands;
    scene->errand_count = 0;
    for (uint32_t pass = 0; pass < schedule->pass_count; pass++) {
        const struct bs_pass *now = &schedule->passes[pass];
        if (now->kind != BS_PASS_SERVE)
            continue;
        uint32_t last = pass;
        while (last + 1 < schedule->pass_count && schedule->passes[last + 1].kind == BS_PASS_REPEAT)
            last++;
        for (uint32_t i = 0; i < now->count; i++) {
            const struct bs_service *service = &schedule->services[now->first + i];
            struct bs_errand *errand = &errands[scene->errand_count++];
            *errand = (struct bs_errand){.bank = service->bank,
                                         .phase = service->phase,
                                         .row = service->row,
                                         .lanes = service->lanes,
                                         .pass = pass,
                                         .last = last};
            find_losers(scene, errand);
        }
    }
    qsort(errands, scene->errand_count, sizeof *errands, by_bank_then_pass);
    return true;
}

/* A phase comes to the queues when the first of its errands is about to be served. */
static void find_arrivals(struct bs_scene *scene)
{
    uint32_t first[BS_MAX_PHASES];
    memset(first, 0xff, sizeof first);
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        const struct bs_errand *errand = &scene->errands[i];
        if (errand->pass < first[errand->phase])
            first[errand->phase] = errand->pass;
    }
    for (uint32_t i = 0; i < scene->errand_count; i++)
        scene->errands[i].arrives = first[scene->errands[i].phase];
}

static void find_turns(struct bs_scene *scene)
{
    uint32_t at = 0;
    for (uint32_t bank = 0; bank <= BS_MAX_BANKS; bank++) {
        scene->first_errand[bank] = at;
        for (; bank < BS_MAX_BANKS && at < scene->errand_count && scene->errands[at].bank == bank;
             at++)
            scene->errands[at].turn = at - scene->first_errand[bank];
    }
    scene->longest_queue = 0;
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        const struct bs_errand *errand = &scene->errands[i];
        const uint32_t waiting = bs_scene_waiting(scene, errand->bank, errand->arrives);
        if (waiting > scene->longest_queue)
            scene->longest_queue = waiting;
    }
}

uint32_t bs_scene_waiting(const struct bs_scene *scene, uint32_t bank, uint32_t pass)
{
    uint32_t waiting = 0;
    for (uint32_t i = scene->first_errand[bank]; i < scene->first_errand[bank + 1]; i++)
        waiting += scene->errands[i].arrives <= pass && scene->errands[i].pass >= pass;
    return waiting;
}

uint32_t bs_scene_phase_at(const struct bs_scene *scene, uint32_t pass)
{
    const struct bs_schedule *schedule = &scene->schedule;
    while (pass > 0 &&
           (pass >= schedule->pass_count || schedule->passes[pass].kind != BS_PASS_SERVE))
        pass--;
    return pass < schedule->pass_count && schedule->passes[pass].count
               ? schedule->services[schedule->passes[pass].first].phase
               : 0;
}

/* ---- balls ----------------------------------------------------------------------------------- */

/* Which of the words that a lane touches lies in that row of that bank. */
static uint8_t part_of(const struct bs_scene *scene, unsigned lane, const struct bs_errand *errand)
{
    const uint32_t width = scene->model->bank_width;
    const uint32_t first = scene->addr[lane] / width;
    const uint32_t last = (scene->addr[lane] + scene->op.bytes - 1) / width;
    for (uint32_t word = first; word <= last; word++) {
        const struct bs_place place = bs_place_for(scene->model, scene->rule, word * width);
        if (place.bank == errand->bank && place.row == errand->row)
            return (uint8_t)(word - first);
    }
    return 0;
}

static bool collect_balls(struct bs_scene *scene)
{
    size_t count = 0;
    for (uint32_t i = 0; i < scene->errand_count; i++)
        count += bs_lanes_count(scene->errands[i].lanes);
    struct bs_ball *balls = bs_grow(scene->balls, &scene->ball_room, count + 1, sizeof *balls);
    if (balls)
        scene->balls = balls;
    uint32_t *first = bs_grow(scene->first_ball, &scene->first_room,
                              (size_t)scene->errand_count + 1, sizeof *first);
    if (first)
        scene->first_ball = first;
    if (!balls || !first)
        return false;
    scene->ball_count = 0;
    memset(scene->parts_of, 0, sizeof scene->parts_of);
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        first[i] = scene->ball_count;
        for (uint64_t rest = scene->errands[i].lanes; rest; rest &= rest - 1) {
            const unsigned lane = bs_lanes_lowest(rest);
            balls[scene->ball_count++] = (struct bs_ball){
                .lane = (uint8_t)lane,
                .part = part_of(scene, lane, &scene->errands[i]),
                .errand = i,
            };
            scene->parts_of[lane]++;
        }
    }
    first[scene->errand_count] = scene->ball_count;
    scene->parts = 1;
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++)
        if (scene->parts_of[lane] > scene->parts)
            scene->parts = scene->parts_of[lane];
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_number(const void *left, const void *right)
{
    const struct bs_scene_row *a = left;
    const struct bs_scene_row *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool collect_rows(struct bs_scene *scene)
{
    struct bs_scene_row *rows =
        bs_grow(scene->rows, &scene->row_room, (size_t)scene->errand_count + COMPANY, sizeof *rows);
    if (!rows)
        return false;
    scene->rows = rows;
    for (uint32_t i = 0; i < scene->errand_count; i++)
        rows[i] = (struct bs_scene_row){.number = scene->errands[i].row, .wanted = true};
    qsort(rows, scene->errand_count, sizeof *rows, by_number);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        if (count && rows[i].number == rows[count - 1].number)
            continue;
        rows[count] = rows[i];
        rows[count].apart = count && rows[i].number != rows[count - 1].number + 1;
        count++;
    }
    while (count < COMPANY) {
        const uint32_t number = count ? rows[count - 1].number + 1 : 0;
        rows[count++] = (struct bs_scene_row){.number = number};
    }
    scene->row_count = count;
    return true;
}

static void find_places(struct bs_scene *scene)
{
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        const struct bs_scene_row key = {.number = scene->errands[i].row};
        const struct bs_scene_row *row =
            bsearch(&key, scene->rows, scene->row_count, sizeof *scene->rows, by_number);
        scene->errands[i].place = (uint32_t)(row - scene->rows);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void copy_addresses(struct bs_scene *scene, const struct bs_access *access)
{
    memset(scene->addr, 0, sizeof scene->addr);
    for (uint64_t rest = scene->active; rest; rest &= rest - 1) {
        const unsigned lane = bs_lanes_lowest(rest);
        scene->addr[lane] = access->addr[lane];
    }
}

bool bs_scene_build(struct bs_scene *scene, const struct bs_model *model,
                    const struct bs_access *access)
{
    const bool barrier = access->op.kind == BS_BAR;
    scene->model = model;
    scene->rule = bs_model_rule(model, access->op);
    scene->op = access->op;
    scene->mask = access->mask;
    scene->active = barrier ? 0 : access->mask & bs_op_lanes(access->op, model->lanes);
    scene->banks = scene->rule ? scene->rule->banks : model->banks;
    copy_addresses(scene, access);
    if (!bs_schedule_build(&scene->schedule, model, access) || !collect_errands(scene))
        return false;
    find_arrivals(scene);
    find_turns(scene);
    if (!collect_balls(scene) || !collect_rows(scene))
        return false;
    find_places(scene);
    return true;
}

void bs_scene_free(struct bs_scene *scene)
{
    bs_schedule_free(&scene->schedule);
    free(scene->errands);
    free(scene->balls);
    free(scene->first_ball);
    free(scene->rows);
    *scene = (struct bs_scene){0};
}
