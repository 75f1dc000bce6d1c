/* Filters from the words of the command line. */
#include "filters.h"

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
    {{"op", 0, "GLOB", "only ops whose name fits the pattern, such as 'ld.*'", 0, NULL, NULL},
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

void bs_filter_words_text(const struct bs_filter_words *words, struct bs_buffer *out)
{
    for (size_t i = 0; i < PARTS; i++) {
        const char *word;
        memcpy(&word, (const char *)words + parts[i].word, sizeof word);
        if (word)
            bs_buffer_printf(out, "  --%s %s", parts[i].option.name, word);
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
                       parts[i].expected, bs_printable(word, strlen(word), shown, sizeof shown));
        return false;
    }
    return true;
}
