/* See random_case.h. */
#include "random_case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

uint64_t random_next(struct random_state *random)
{
    uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t random_in(struct random_state *random, uint32_t low, uint32_t high)
{
    return low + (uint32_t)(random_next(random) % ((uint64_t)high - low + 1));
}

static bool one_in(struct random_state *random, uint32_t n)
{
    return random_in(random, 1, n) == 1;
}

/* ---- models -----------------------------------------------------------------------------------
 */

static void add_set(struct random_model *model, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(model->set[model->count++], SET_SIZE, format, args);
    va_end(args);
}

/* Lanes in a random order, dealt to phases of random sizes. */
static void random_phases(struct random_state *random, struct random_model *model,
                          const char *prefix, uint32_t lanes)
{
    uint8_t order[BS_MAX_LANES];
    for (uint32_t t = 0; t < lanes; t++)
        order[t] = (uint8_t)t;
    for (uint32_t t = lanes; t > 1; t--) {
        const uint32_t other = random_in(random, 0, t - 1);
        const uint8_t kept = order[t - 1];
        order[t - 1] = order[other];
        order[other] = kept;
    }
    char *set = model->set[model->count++];
    int used = snprintf(set, SET_SIZE, "%s.phases=[", prefix);
    for (uint32_t t = 0; t < lanes; t++) {
        const bool cut = t + 1 == lanes || one_in(random, 6);
        used += snprintf(set + used, (size_t)(SET_SIZE - used), "%u%s", order[t],
                         t + 1 == lanes ? "]"
                         : cut          ? ", "
                                        : " ");
    }
}

static void random_geometry(struct random_state *random, struct random_model *model,
                            uint32_t *lanes, uint32_t *banks)
{
    static const char *const xors[] = {"none", "row", "fold"};
    static const char *const winners[] = {"undefined", "undefined", "lowest", "random"};
    static const uint32_t warps[] = {32, 32, 32, 64, 16, 1};
    const bool power = !one_in(random, 3);
    const uint32_t chosen = power ? 1u << random_in(random, 0, 7) : random_in(random, 1, 128);
    const uint32_t width =
        one_in(random, 3) ? random_in(random, 1, 16) : 1u << random_in(random, 0, 4);
    *lanes = one_in(random, 8) ? random_in(random, 1, 64) : warps[random_in(random, 0, 5)];
    add_set(model, "lanes=%u", *lanes);
    *banks = one_in(random, 4) ? 32 : chosen;
    if (*banks == chosen) {
        add_set(model, "banks=%u", *banks);
        add_set(model, "bank_width=%u", width);
        if (one_in(random, 4))
            add_set(model, "row_bytes=%u", *banks * width * random_in(random, 1, 3));
        if (power)
            add_set(model, "mapping.xor=%s", xors[random_in(random, 0, 2)]);
    }
    add_set(model, "winner=%s", winners[random_in(random, 0, 3)]);
}

/* Whether the op has a source, and so the rules that look at it. */
static bool has_source(struct bs_op op)
{
    return op.kind == BS_CP_ASYNC_CG || op.kind == BS_CP_ASYNC;
}

static void random_rule(struct random_state *random, struct random_model *model, uint32_t lanes,
                        uint32_t banks)
{
    static const char *const policies[] = {"multicast", "broadcast", "serialize"};
    static const char *const partners[] = {"[]", "[1]", "[2]", "[1, 2]", "[2, 1]", "[1, 2, 4]"};
    char name[BS_OP_NAME];
    char rule[48];
    snprintf(rule, sizeof rule, "rules.%s", bs_op_name(model->op, name));
    if (one_in(random, 3))
        random_phases(random, model, rule, lanes);
    else
        add_set(model, "%s.phase_lanes=%u", rule,
                one_in(random, 4) ? random_in(random, 1, lanes) : 1u << random_in(random, 0, 6));
    add_set(model, "%s.merge=%s", rule, partners[random_in(random, 0, 5)]);
    add_set(model, "%s.same_word=%s", rule, policies[random_in(random, 0, 2)]);
    if (one_in(random, 2))
        add_set(model, "%s.broadcast_word=lowest_lane", rule);
    if (one_in(random, 3))
        add_set(model, "%s.ports=%u", rule, random_in(random, 1, 4));
    if (one_in(random, 5) && banks % 4 == 0)
        add_set(model, "%s.banks=%u", rule, banks >> random_in(random, 0, 2));
    if (one_in(random, 4))
        add_set(model, "%s.multiplier=%u", rule, random_in(random, 1, 3));
    if (one_in(random, 6))
        add_set(model, "%s.extra_passes=%u", rule, random_in(random, 0, 2));
    if (one_in(random, 5))
        add_set(model, "%s.combine=largest", rule);
    if (one_in(random, 5))
        add_set(model, "%s.request_bytes=%u", rule, random_in(random, 0, 16));
    if (has_source(model->op)) {
        static const char *const methods[] = {"sectors", "banks", "queues"};
        const unsigned method = random_in(random, 0, 2);
        const bool lines = method != 2 || one_in(random, 4);
        add_set(model, "%s.source_line=%u", rule, lines ? 64u << random_in(random, 0, 2) : 0);
        add_set(model, "%s.method=%s", rule, methods[method]);
        add_set(model, "%s.sector_bytes=%u", rule, 16u << random_in(random, 0, 2));
        add_set(model, "%s.slots=%s", rule, one_in(random, 2) ? "auto" : "1");
    }
}

/* Half of the models keep hopper's own rule, so that the shortcuts see much of the traffic. */
void random_model(struct random_state *random, struct random_model *model)
{
    static const char *const measured[] = {
        "ld.b8",        "ld.b16",       "ld.b32",        "ld.b64",          "ld.b128",
        "st.b8",        "st.b16",       "st.b32",        "st.b64",          "st.b128",
        "atom.inc.b32", "atom.cas.b64", "red.add.b32",   "ldmatrix.x1",     "ldmatrix.x4.trans",
        "stmatrix.x2",  "cp.async.b32", "cp.async.b128", "cp.async.cg.b128"};
    model->count = 0;
    if (one_in(random, 2)) {
        const char *name = measured[random_in(random, 0, sizeof measured / sizeof *measured - 1)];
        bs_op_parse(name, strlen(name), &model->op);
        if (one_in(random, 2))
            add_set(model, "bank_width=%u", 2u << random_in(random, 0, 3));
        if (one_in(random, 2))
            add_set(model, "banks=%u", 1u << random_in(random, 0, 5));
        return;
    }
    uint32_t lanes, banks;
    model->op = bs_op_at(random_in(random, 0, BS_OPS - 2)); /* the last is the barrier */
    random_geometry(random, model, &lanes, &banks);
    random_rule(random, model, lanes, banks);
}

/* ---- accesses ---------------------------------------------------------------------------------
 */

static uint64_t random_mask(struct random_state *random, uint32_t lanes)
{
    const uint64_t all = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    switch (random_in(random, 0, 5)) {
    case 0:
        return random_next(random) & all;
    case 1:
        return random_next(random) & random_next(random) & all;
    case 2:
        return UINT64_C(0x5555555555555555) << random_in(random, 0, 1) & all;
    default:
        return all;
    }
}

static void random_addresses(struct random_state *random, uint32_t bytes,
                             uint32_t addr[BS_MAX_LANES])
{
    static const uint32_t ranges[] = {1, 2, 4, 16, 64, 256, 4096, 58000 / 4};
    const uint32_t range = ranges[random_in(random, 0, 7)];
    const uint32_t stride = random_in(random, 0, one_in(random, 2) ? 4 : 140);
    const uint32_t base = random_in(random, 0, 64);
    const uint32_t pair = 1u << random_in(random, 0, 3);
    const uint32_t shape = random_in(random, 0, 4);
    for (uint32_t t = 0; t < BS_MAX_LANES; t++) {
        uint32_t unit = random_in(random, 0, range - 1);
        if (shape == 1)
            unit = base + t * stride;
        else if (shape == 2)
            unit = base + (BS_MAX_LANES - t) * stride;
        else if (shape == 3)
            unit = random_in(random, 0, 3) * 32 + random_in(random, 0, 2);
        else if (shape == 4)
            unit = base + t / pair * stride;
        addr[t] = unit * bytes;
    }
    for (uint32_t t = 0; shape == 0 && t < BS_MAX_LANES; t++)
        if (pair > 2 && !one_in(random, 40))
            addr[t] = addr[t & ~(pair / 4)]; /* near the edge of the merge rule */
}

void random_access(struct random_state *random, const struct bs_model *model, struct bs_op op,
                   struct random_access *made)
{
    random_addresses(random, op.bytes, made->addr);
    const uint32_t shift = one_in(random, 16) ? random_in(random, 0, op.bytes) : 0;
    const uint32_t high = one_in(random, 16) ? UINT32_C(0xfff00000) : 0;
    const bool top = one_in(random, 16); /* of 4 GiB, up to its last byte */
    const uint32_t source_range = 1u << random_in(random, 0, 6);
    for (uint32_t t = 0; t < BS_MAX_LANES; t++) {
        made->addr[t] = top ? 0 - op.bytes - made->addr[t] % 4096 : made->addr[t] + shift + high;
        made->src[t] =
            op.bytes * (uint64_t)(source_range > 32 ? t : random_in(random, 0, source_range * 4));
    }
    const bool copies = op.kind == BS_CP_ASYNC || op.kind == BS_CP_ASYNC_CG;
    made->access = (struct bs_access){
        .op = op,
        .mask = random_mask(random, model->lanes),
        .addr = made->addr,
        .src = copies && !one_in(random, 4) ? made->src : NULL,
    };
}

/* ---- the line to replay -----------------------------------------------------------------------
 */

void print_eval_line(FILE *file, const struct random_model *model, const struct bs_access *access)
{
    char name[BS_OP_NAME];
    fprintf(file, "bankshot eval");
    for (unsigned i = 0; i < model->count; i++)
        fprintf(file, " --set '%s'", model->set[i]);
    fprintf(file, " --allow-misaligned --mask %" PRIx64 " %s ", access->mask,
            bs_op_name(access->op, name));
    const char *comma = "";
    for (unsigned t = 0; t < BS_MAX_LANES; t++)
        if (access->mask >> t & 1) {
            fprintf(file, "%s0x%" PRIx32, comma, access->addr[t]);
            comma = ",";
        }
    comma = access->src ? " --src " : "";
    for (unsigned t = 0; access->src && t < BS_MAX_LANES; t++)
        if (access->mask >> t & 1) {
            fprintf(file, "%s0x%" PRIx64, comma, access->src[t]);
            comma = ",";
        }
    fprintf(file, "\n");
}
