/* Counting banks, record by record. */
#include "banks.h"

static bool count_record(struct bs_bank_counts *counts, const struct bs_story *story,
                         uint32_t variant, size_t record)
{
    struct bs_access access;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
    if (counts->kernel != BS_ALL_KERNELS && story->told[record].kernel != counts->kernel)
        return true;
    counts->records++;
    bs_story_access(story, record, variant, &access, addr, src);
    return bs_bank_use_add(&counts->use, counts->model, &access);
}

bool bs_banks_count(struct bs_bank_counts *counts, const struct bs_story *story, uint32_t variant,
                    uint32_t kernel)
{
    const struct bs_model *model = story->variants[variant].model;
    bool good = true;
    if (counts->model != model || counts->kernel != kernel) {
        bs_banks_free(counts);
        *counts = (struct bs_bank_counts){.model = model, .kernel = kernel};
    }
    for (; good && counts->until < story->count; counts->until++)
        good = count_record(counts, story, variant, counts->until);
    return good;
}

void bs_banks_free(struct bs_bank_counts *counts)
{
    bs_bank_use_free(&counts->use);
    *counts = (struct bs_bank_counts){0};
}
