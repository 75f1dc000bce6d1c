/* Filters from the words of the command line. */
#include "filters.h"

#include "command.h"
#include "core/buffer.h"
#include "core/glob.h"
#include "kernel_name.h"

#include <stdlib.h>
#include <string.h>

/* One option: its place in the words, and how its word becomes a part of the filter. */
struct part {
    struct bs_option option;
    size_t word;   /* offset in struct bs_filter_words */
    size_t target; /* offset in struct bs_filter */
    bool (*take)(const char *word, void *target);
    const char *expected;
};

static bool take_pattern(const char *word, void *target)
{
    *(const char **)target = word;
    return *word != '\0';
}

static bool take_range(const char *word, void *target)
{
    return bs_range_parse(word, target);
}

static bool take_count(const char *word, void *target)
{
    return bs_number_parse(word, strlen(word), UINT64_MAX, target);
}

/* I/N, from 1. */
static bool take_shard(const char *word, void *target)
{
    struct bs_filter *filter = target;
    const char *slash = strchr(word, '/');
    uint64_t shard, shards;
    if (!slash || !bs_number_parse(slash + 1, strlen(slash + 1), UINT32_MAX, &shards) ||
        !bs_number_parse(word, (size_t)(slash - word), shards, &shard) || shard == 0)
        return false;
    filter->shard = (uint32_t)shard;
    filter->shards = (uint32_t)shards;
    return true;
}

static const char range_expected[] = "a number, A-B, A- or -B";

#define WORD(member) offsetof(struct bs_filter_words, member)
#define TARGET(member) offsetof(struct bs_filter, member)

static const struct part parts[] = {
    {{"kernel", 0, "GLOB", "only kernels whose name fits the pattern of * and ?", 0, NULL, NULL},
     WORD(kernel),
     TARGET(kernel),
     take_pattern,
     "a pattern"},
    {{"cta", 0, "RANGE", "only these CTAs: N, A-B, A- or -B", 0, NULL, NULL},
     WORD(cta),
     TARGET(cta),
     take_range,
     range_expected},
    {{"warp", 0, "RANGE", "only these warps", 0, NULL, NULL},
     WORD(warp),
     TARGET(warp),
     take_range,
     range_expected},
    {{"pc", 0, "RANGE", "only instructions at these program counters (0x for hexadecimal)", 0, NULL,
      NULL},
     WORD(pc),
     TARGET(pc),
     take_range,
     range_expected},
    {{"op", 0, "GLOB",
      "only ops whose name fits the pattern, such as 'ld.*'; for an array of NumPy that holds "
      "addresses alone: the op of its records",
      0, NULL, NULL},
     WORD(op),
     TARGET(op),
     take_pattern,
     "a pattern"},
    {{"first", 0, "N", "only the first N records of each trace that fit the rest", 0, NULL, NULL},
     WORD(first),
     TARGET(first),
     take_count,
     "a number"},
    {{"shard", 0, "I/N", "only the I-th of N parts, by CTA", 0, NULL, NULL},
     WORD(shard),
     0,
     take_shard,
     "I/N with I from 1 to N"},
};
enum { PARTS = sizeof parts / sizeof *parts };

size_t bs_filter_option_table(struct bs_filter_words *words, struct bs_option *table)
{
    for (size_t i = 0; i < PARTS; i++) {
        table[i] = parts[i].option;
        table[i].kind = BS_OPTION_TEXT;
        table[i].target = (char *)words + parts[i].word;
    }
    return PARTS;
}

void bs_filter_words_text(const struct bs_filter_words *words, const char *gap,
                          struct bs_buffer *out)
{
    for (size_t i = 0; i < PARTS; i++) {
        const char *word;
        memcpy(&word, (const char *)words + parts[i].word, sizeof word);
        if (word)
            bs_buffer_printf(out, "%s--%s %s", gap, parts[i].option.name, word);
    }
}

bool bs_filter_of_words(const struct bs_verb *verb, const struct bs_filter_words *words,
                        struct bs_filter *filter)
{
    *filter = bs_filter_everything();
    for (size_t i = 0; i < PARTS; i++) {
        const char *word;
        char shown[64];
        memcpy(&word, (const char *)words + parts[i].word, sizeof word);
        if (!word || parts[i].take(word, (char *)filter + parts[i].target))
            continue;
        bs_usage_error(verb, "--%s: expected %s, found '%s'", parts[i].option.name,
                       bs_expected_number(word, parts[i].expected),
                       bs_printable(word, strlen(word), shown, sizeof shown));
        return false;
    }
    return true;
}

/* ---- what does not fit ----------------------------------------------------------------------- */

static void keep_name(struct bs_filter_met *met, const char *name)
{
    char shown[sizeof *met->some];
    size_t i = 0;
    bs_printable(name, strlen(name), shown, sizeof shown);
    while (i < BS_KERNELS_MET && met->some[i][0] && strcmp(met->some[i], shown) != 0)
        i++;
    met->more |= i == BS_KERNELS_MET;
    if (i < BS_KERNELS_MET)
        memcpy(met->some[i], shown, sizeof shown);
}

void bs_filter_meet(struct bs_filter_met *met, const struct bs_filter *filter,
                    const struct bs_kernel *kernel)
{
    char name[BS_TYPED_NAME];
    met->kernels = true;
    met->kernel_fits = met->kernel_fits || bs_filter_takes_kernel(filter, kernel);
    if (met->kernel_fits)
        return;
    bs_kernel_name_typed(kernel->name, kernel->demangled, name);
    bs_near_offer(&met->near, filter->kernel, strlen(filter->kernel), name);
    keep_name(met, name);
}

/* The kernels that there are, where none fits. */
static void describe_kernels(const struct bs_filter_met *met, struct bs_buffer *out)
{
    char hint[BS_NEAR_MESSAGE];
    if (met->near.name[0]) {
        bs_buffer_text(out, bs_near_message(&met->near, hint));
        return;
    }
    for (size_t i = 0; i < BS_KERNELS_MET && met->some[i][0]; i++)
        bs_buffer_printf(out, "%s'%s'", i ? ", " : "; the kernels are ", met->some[i]);
    bs_buffer_text(out, met->more ? " and others" : "");
}

static bool is_name_of_op(const char *pattern)
{
    char name[BS_OP_NAME];
    for (unsigned op = 0; op < BS_OPS; op++)
        if (bs_glob_matches(pattern, strlen(pattern), bs_op_name(bs_op_at(op), name)))
            return true;
    return false;
}

/* An op by another tool's name is known to bankshot, but not under that one. */
static void describe_op(const char *pattern, struct bs_buffer *out)
{
    struct bs_op op;
    char name[BS_OP_NAME], hint[BS_OP_HINT];
    const size_t size = strlen(pattern);
    if (bs_op_parse(pattern, size, &op))
        bs_buffer_printf(out, "; the native name is '%s'", bs_op_name(op, name));
    else
        bs_buffer_printf(out, "; there is no such op%s", bs_op_hint(pattern, size, hint));
}

void bs_filter_warn(const struct bs_filter_met *met, const struct bs_filter *filter,
                    const struct bs_filter_words *words, uint64_t taken)
{
    struct bs_buffer asked = {0}, found = {0};
    struct bs_error warning;
    char shown[256];
    const bool op_fits = !filter->op || is_name_of_op(filter->op);
    bs_filter_words_text(words, " ", &asked);
    if (taken == 0 && met->kernels && asked.size > 0 &&
        (!met->kernel_fits || !op_fits || filter->shards == 0)) {
        if (!met->kernel_fits)
            describe_kernels(met, &found);
        if (!op_fits)
            describe_op(filter->op, &found);
        char *there = bs_buffer_take(&found);
        bs_printable(asked.data, asked.size, shown, sizeof shown);
        bs_fail(&warning, BS_OK, NULL, 0, 0, "no record fits%s%s", shown, there ? there : "");
        bs_warn(&warning);
        free(there);
    }
    bs_buffer_free(&asked);
    bs_buffer_free(&found);
}
