/*
 * The one table of the keys of a model file. The loader, the checks of ranges, the printers and the
 * manual's reference all follow it; a key that is not here does not exist.
 */
#include "model_keys.h"

#include <string.h>

static const char *const winners[] = {"undefined", "lowest", "highest", "random", NULL};
static const char *const xors[] = {"none", "row", "fold", NULL};
static const char *const same_words[] = {"multicast", "broadcast", "serialize", NULL};
static const char *const broadcast_words[] = {"most_lanes", "lowest_lane", NULL};
static const char *const combines[] = {"sum", "largest", NULL};
static const char *const methods[] = {"banks", "sectors", "queues", NULL};
static const char *const bases[] = {"measured", "reported", "documented", "assumed", NULL};

static const struct bs_model_key keys[BS_KEYS] = {
    [BS_KEY_NAME] = {"name", "text", "", "What reports call the model.",
                     &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                                 .offset = offsetof(struct bs_model, name),
                                                 .size = sizeof(((struct bs_model *)0)->name),
                                                 .required = true,
                                                 .always = true}},
    [BS_KEY_TITLE] = {"title", "text", "", "One line that says which hardware it is.",
                      &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                                  .offset = offsetof(struct bs_model, title),
                                                  .size = sizeof(((struct bs_model *)0)->title)}},
    [BS_KEY_SOURCE] = {"source", "text", "", "Where the facts are from.",
                       &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                                   .offset = offsetof(struct bs_model, source),
                                                   .size = sizeof(((struct bs_model *)0)->source)}},
    [BS_KEY_COMPUTE_CAPABILITY] =
        {"compute_capability", "versions such as 9.0 or 8.x, joined by blanks", "",
         "The devices that the model is for: a trace that says on which one it was made, and asks "
         "for no model, gets this one. A file does not take it over from its base.",
         &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                     .offset = offsetof(struct bs_model, compute_capability),
                                     .size = sizeof(((struct bs_model *)0)->compute_capability),
                                     .fits = bs_cc_list_fits}},
    [BS_KEY_CHANGES] =
        {"changes", "text", "",
         "What was changed since the rules said how sure they are, which holds for the model "
         "without the changes. The loader adds to it: overrides, and what a file changes of its "
         "base without a word on basis.",
         &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                     .offset = offsetof(struct bs_model, changes),
                                     .size = sizeof(((struct bs_model *)0)->changes)}},
    [BS_KEY_BASE] = {"base", "text", "",
                     "A model to start from: this file only says what differs. Its name, or its "
                     "path from this file's folder.",
                     &(const struct bs_key_form){.kind = BS_FORM_BASE}},
    [BS_KEY_LANES] = {"lanes", "integer 1 to 64", "", "Lanes of a warp.",
                      &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                  .offset = offsetof(struct bs_model, lanes),
                                                  .min = 1,
                                                  .max = BS_MAX_LANES,
                                                  .required = true,
                                                  .always = true}},
    [BS_KEY_BANKS] = {"banks", "integer 1 to 256", "",
                      "Banks of the memory; the number need not be a power of two.",
                      &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                  .offset = offsetof(struct bs_model, banks),
                                                  .min = 1,
                                                  .max = BS_MAX_BANKS,
                                                  .required = true,
                                                  .always = true}},
    [BS_KEY_BANK_WIDTH] = {"bank_width", "integer 1 to 256", "",
                           "Bytes of a word, which is what a bank gives in one pass.",
                           &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                       .offset =
                                                           offsetof(struct bs_model, bank_width),
                                                       .min = 1,
                                                       .max = 256,
                                                       .required = true,
                                                       .always = true}},
    [BS_KEY_ROW_BYTES] = {"row_bytes", "auto, or integer 1 to 1048576", "auto",
                          "Bytes that all banks together open at once: words of a bank that lie in "
                          "one row do not conflict. A multiple of banks x bank_width, which is "
                          "also what auto stands for.",
                          &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                      .offset =
                                                          offsetof(struct bs_model, row_bytes),
                                                      .min = 1,
                                                      .max = 1048576,
                                                      .word = "auto"}},
    [BS_KEY_PORTS] = {"ports", "integer 1 to 16", "1",
                      "Rows that a bank serves in one pass, for rules that do not say otherwise.",
                      &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                  .offset = offsetof(struct bs_model, ports),
                                                  .min = 1,
                                                  .max = 16,
                                                  .standard = 1}},
    [BS_KEY_WINNER] = {"winner", "undefined | lowest | highest | random", "undefined",
                       "Which lane's value stays when lanes of one store write the same byte.",
                       &(const struct bs_key_form){.kind = BS_FORM_CHOICE,
                                                   .offset = offsetof(struct bs_model, winner),
                                                   .choices = winners,
                                                   .always = true}},
    [BS_KEY_SEED] = {"seed", "integer 0 to 4294967295", "1",
                     "Starts the random numbers of winner: random.",
                     &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                 .offset = offsetof(struct bs_model, seed),
                                                 .max = UINT32_MAX,
                                                 .standard = 1}},
    [BS_KEY_XOR] = {"mapping.xor", "none | row | fold", "none",
                    "Hashes the bank: its number is xored with the low bits of the row (row), or "
                    "with all bits of the row folded to that many (fold). Needs a power-of-two "
                    "number of banks.",
                    &(const struct bs_key_form){.kind = BS_FORM_CHOICE,
                                                .offset = offsetof(struct bs_model, mapping.hash),
                                                .choices = xors}},

    [BS_KEY_TIMING_BASIS] = {"timing.basis", "measured | reported | documented | assumed",
                             "assumed", "How sure the numbers of this section are.",
                             &(const struct bs_key_form){
                                 .kind = BS_FORM_CHOICE,
                                 .offset = offsetof(struct bs_model, timing.basis),
                                 .choices = bases,
                                 .standard = BS_ASSUMED}},
    [BS_KEY_TIMING_SOURCE] =
        {"timing.source", "text", "", "Where they are from.",
         &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                     .offset = offsetof(struct bs_model, timing.source),
                                     .size = sizeof(((struct bs_model *)0)->timing.source)}},
    [BS_KEY_SCHEDULERS] = {"timing.schedulers", "integer 1 to 16", "4",
                           "Schedulers; the warp in slot w belongs to scheduler w mod this.",
                           &(const struct bs_key_form){
                               .kind = BS_FORM_NUMBER,
                               .offset = offsetof(struct bs_model, timing.schedulers),
                               .min = 1,
                               .max = 16,
                               .standard = 4}},
    [BS_KEY_SCHEDULER_INTERVAL] = {"timing.scheduler_interval", "integer 1 to 64", "1",
                                   "Cycles between two shared instructions of one scheduler.",
                                   &(const struct bs_key_form){
                                       .kind = BS_FORM_NUMBER,
                                       .offset =
                                           offsetof(struct bs_model, timing.scheduler_interval),
                                       .min = 1,
                                       .max = 64,
                                       .standard = 1}},
    [BS_KEY_DATA_INTERVAL] =
        {"timing.data_interval", "integer 0 to 64", "0",
         "Cycles more of a scheduler for each 32-bit register of data that a store sends.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.data_interval),
                                     .min = 0,
                                     .max = 64,
                                     .standard = 0}},
    [BS_KEY_WARP_INTERVAL] =
        {"timing.warp_interval", "integer 100 to 100000", "100",
         "Cycles between two shared instructions of one warp, in hundredths of a cycle.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.warp_interval),
                                     .min = 100,
                                     .max = 100000,
                                     .standard = 100}},
    [BS_KEY_PASS_INTERVAL] =
        {"timing.pass_interval", "integer 1 to 64", "1",
         "Cycles between two passes of one warp; other warps' passes fill those between.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.pass_interval),
                                     .min = 1,
                                     .max = 64,
                                     .standard = 1}},
    [BS_KEY_QUEUE] =
        {"timing.queue", "integer 1 to 64", "8",
         "Instructions that one scheduler may have waiting for the queue of the array.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.queue),
                                     .min = 1,
                                     .max = 64,
                                     .standard = 8}},
    [BS_KEY_IN_FLIGHT] = {"timing.in_flight", "integer 1 to 64", "64",
                          "Instructions of all warps that may wait for the array or be in passes.",
                          &(const struct bs_key_form){
                              .kind = BS_FORM_NUMBER,
                              .offset = offsetof(struct bs_model, timing.in_flight),
                              .min = 1,
                              .max = 64,
                              .standard = 64}},
    [BS_KEY_LOOKAHEAD] =
        {"timing.lookahead", "integer 1 to 64", "64",
         "Instructions of one warp that the array chooses from; one more holds back "
         "all that came after it.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.lookahead),
                                     .min = 1,
                                     .max = 64,
                                     .standard = 64}},
    [BS_KEY_LATENCY_32] = {"timing.latency_32", "integer 0 to 100000", "0",
                           "From the last pass of a load of up to 32 bit, or a matrix load, to its "
                           "result, in hundredths of a cycle.",
                           &(const struct bs_key_form){
                               .kind = BS_FORM_NUMBER,
                               .offset = offsetof(struct bs_model, timing.latency_32),
                               .min = 0,
                               .max = 100000,
                               .standard = 0}},
    [BS_KEY_LATENCY_64] = {"timing.latency_64", "integer 0 to 100000", "0",
                           "The same for a load of 64 bit.",
                           &(const struct bs_key_form){
                               .kind = BS_FORM_NUMBER,
                               .offset = offsetof(struct bs_model, timing.latency_64),
                               .min = 0,
                               .max = 100000,
                               .standard = 0}},
    [BS_KEY_LATENCY_128] = {"timing.latency_128", "integer 0 to 100000", "0",
                            "The same for a load of 96 or 128 bit.",
                            &(const struct bs_key_form){
                                .kind = BS_FORM_NUMBER,
                                .offset = offsetof(struct bs_model, timing.latency_128),
                                .min = 0,
                                .max = 100000,
                                .standard = 0}},
    [BS_KEY_LATENCY_ATOM] = {"timing.latency_atom", "integer 0 to 100000", "0",
                             "The same for an atomic that returns the old value.",
                             &(const struct bs_key_form){
                                 .kind = BS_FORM_NUMBER,
                                 .offset = offsetof(struct bs_model, timing.latency_atom),
                                 .min = 0,
                                 .max = 100000,
                                 .standard = 0}},
    [BS_KEY_LATENCY_ADD] = {"timing.latency_add", "integer 0 to 100000", "0",
                            "From a result to the issue of an instruction that depends on it: the "
                            "arithmetic between, in hundredths of a cycle.",
                            &(const struct bs_key_form){
                                .kind = BS_FORM_NUMBER,
                                .offset = offsetof(struct bs_model, timing.latency_add),
                                .min = 0,
                                .max = 100000,
                                .standard = 0}},
    [BS_KEY_BARRIER_LATENCY] =
        {"timing.barrier_latency", "integer 1 to 100000", "1",
         "Cycles from the last arrival at a CTA barrier to the next instruction of its warps.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.barrier_latency),
                                     .min = 1,
                                     .max = 100000,
                                     .standard = 1}},
    [BS_KEY_BARRIER_INTERVAL] = {"timing.barrier_interval", "integer 1 to 1000", "1",
                                 "Cycles between the arrivals of two warps at a CTA barrier.",
                                 &(const struct bs_key_form){
                                     .kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, timing.barrier_interval),
                                     .min = 1,
                                     .max = 1000,
                                     .standard = 1}},

    [BS_KEY_CAPACITY_BASIS] = {"capacity.basis", "measured | reported | documented | assumed",
                               "assumed", "How sure the numbers of this section are.",
                               &(const struct bs_key_form){
                                   .kind = BS_FORM_CHOICE,
                                   .offset = offsetof(struct bs_model, capacity.basis),
                                   .choices = bases,
                                   .standard = BS_ASSUMED}},
    [BS_KEY_CAPACITY_SOURCE] =
        {"capacity.source", "text", "", "Where they are from.",
         &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                     .offset = offsetof(struct bs_model, capacity.source),
                                     .size = sizeof(((struct bs_model *)0)->capacity.source)}},
    [BS_KEY_SHARED_MEMORY] = {"capacity.shared_memory", "integer 0 to 1073741824", "0",
                              "Bytes of shared memory of a multiprocessor, which its CTAs divide "
                              "among them; 0: not known.",
                              &(const struct bs_key_form){
                                  .kind = BS_FORM_NUMBER,
                                  .offset = offsetof(struct bs_model, capacity.shared_memory),
                                  .max = 1073741824}},
    [BS_KEY_RESERVED_MEMORY] =
        {"capacity.reserved_memory", "integer 0 to 1048576", "0",
         "Bytes of it that each CTA takes on top of what its kernel asks for.",
         &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_model, capacity.reserved_memory),
                                     .max = 1048576}},
    [BS_KEY_CTAS] = {"capacity.ctas", "integer 0 to 1024", "0",
                     "CTAs that a multiprocessor holds at a time; 0: not known.",
                     &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                 .offset = offsetof(struct bs_model, capacity.ctas),
                                                 .max = 1024}},
    [BS_KEY_WARPS] = {"capacity.warps", "integer 0 to 64", "0",
                      "Warps that it holds; 0: not known.",
                      &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                  .offset =
                                                      offsetof(struct bs_model, capacity.warps),
                                                  .max = BS_MAX_RESIDENT}},

    [BS_KEY_RULE_OPS] = {"rules.ops", "text, or list of text", "",
                         "The ops that the item is for, separated by blanks: names, or patterns "
                         "in which * stands for any characters and ? for one.",
                         &(const struct bs_key_form){.kind = BS_FORM_OPS}},
    [BS_KEY_RULE_PHASE_LANES] = {"rules.phase_lanes", "integer 1 to 64", "",
                                 "The lanes of a warp are served in phases of so many neighbouring "
                                 "lanes. An op has a rule if it has this key or phases.",
                                 &(const struct bs_key_form){
                                     .kind = BS_FORM_PHASE_LANES, .min = 1, .max = BS_MAX_LANES}},
    [BS_KEY_RULE_PHASES] = {"rules.phases", "none, or list such as [0-15, 16-31]", "",
                            "The phases lane by lane, such as [\"0-3 20-23\", \"4-19 24-31\"]: no "
                            "lane twice, none left out. none takes the rule away that a base or "
                            "an earlier item gave.",
                            &(const struct bs_key_form){.kind = BS_FORM_PHASES}},
    [BS_KEY_RULE_MERGE] = {"rules.merge", "list of up to 6 integers 1 to 63", "[]",
                           "Partners p: if for one of them every active lane t finds lane t xor p "
                           "inactive or at the same address, phases join in pairs, the first with "
                           "the second and so on.",
                           &(const struct bs_key_form){
                               .kind = BS_FORM_MERGE, .min = 1, .max = BS_MAX_LANES - 1}},
    [BS_KEY_RULE_SAME_WORD] = {"rules.same_word", "multicast | broadcast | serialize", "multicast",
                               "What lanes of one phase that want the same row of the same bank "
                               "cost: nothing (multicast); nothing for one word a pass "
                               "(broadcast); a pass a lane (serialize).",
                               &(const struct bs_key_form){.kind = BS_FORM_CHOICE,
                                                           .offset =
                                                               offsetof(struct bs_rule, same_word),
                                                           .choices = same_words,
                                                           .always = true}},
    [BS_KEY_RULE_BROADCAST_WORD] = {"rules.broadcast_word", "most_lanes | lowest_lane",
                                    "most_lanes",
                                    "Of same_word: broadcast, the word that a pass gives to all: "
                                    "the one that most lanes wait for, or the lowest waiting "
                                    "lane's.",
                                    &(const struct bs_key_form){
                                        .kind = BS_FORM_CHOICE,
                                        .offset = offsetof(struct bs_rule, broadcast_word),
                                        .choices = broadcast_words}},
    [BS_KEY_RULE_COMBINE] = {"rules.combine", "sum | largest", "sum",
                             "How the passes of the phases make the passes of the instruction.",
                             &(const struct bs_key_form){.kind = BS_FORM_CHOICE,
                                                         .offset =
                                                             offsetof(struct bs_rule, combine),
                                                         .choices = combines}},
    [BS_KEY_RULE_MULTIPLIER] = {"rules.multiplier", "integer 1 to 16", "1",
                                "Each pass is made so many times.",
                                &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                            .offset = offsetof(struct bs_rule,
                                                                               multiplier),
                                                            .min = 1,
                                                            .max = 16,
                                                            .standard = 1}},
    [BS_KEY_RULE_EXTRA_PASSES] = {"rules.extra_passes", "integer 0 to 16", "0",
                                  "Passes on top, once an instruction.",
                                  &(const struct bs_key_form){
                                      .kind = BS_FORM_NUMBER,
                                      .offset = offsetof(struct bs_rule, extra_passes),
                                      .max = 16}},
    [BS_KEY_RULE_PORTS] = {"rules.ports", "integer 1 to 16", "the model's",
                           "Rows that a bank serves in one pass.",
                           &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                       .offset = offsetof(struct bs_rule, ports),
                                                       .min = 1,
                                                       .max = 16}},
    [BS_KEY_RULE_BANKS] = {"rules.banks", "integer 1 to 256", "the model's",
                           "Banks that the op reaches: a divisor of the model's, whose banks then "
                           "answer as that many, with more rows.",
                           &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                       .offset = offsetof(struct bs_rule, banks),
                                                       .min = 1,
                                                       .max = BS_MAX_BANKS}},
    [BS_KEY_RULE_REQUEST_BYTES] = {"rules.request_bytes", "integer 0 to 16", "0",
                                   "A wider access is split into requests of so many bytes, one "
                                   "after another; 0: never.",
                                   &(const struct bs_key_form){
                                       .kind = BS_FORM_NUMBER,
                                       .offset = offsetof(struct bs_rule, request_bytes),
                                       .max = 16}},
    [BS_KEY_RULE_SOURCE_LINE] = {"rules.source_line", "0, or power of two 16 to 4096", "0",
                                 "Of async copies: lanes of a phase that read from different lines "
                                 "of so many bytes of global memory are served apart; 0: together.",
                                 &(const struct bs_key_form){
                                     BS_FORM_NUMBER,
                                     .offset = offsetof(struct bs_rule, source_line), .min = 16,
                                     .max = 4096, .or_zero = true, .power_of_two = true}},
    [BS_KEY_RULE_METHOD] = {"rules.method", "banks | sectors | queues", "banks",
                            "What is counted: rows of banks; or, of async copies, sectors of "
                            "global memory, or the turns of lanes that queue for the banks of "
                            "their source and destination.",
                            &(const struct bs_key_form){.kind = BS_FORM_CHOICE,
                                                        .offset = offsetof(struct bs_rule, method),
                                                        .choices = methods}},
    [BS_KEY_RULE_SECTOR_BYTES] = {"rules.sector_bytes", "power of two 16 to 256", "32",
                                  "Bytes of such a sector.",
                                  &(const struct bs_key_form){
                                      BS_FORM_NUMBER,
                                      .offset = offsetof(struct bs_rule, sector_bytes), .min = 16,
                                      .max = 256, .power_of_two = true, .standard = 32}},
    [BS_KEY_RULE_SLOTS] = {"rules.slots", "auto, or integer 1 to 4096", "auto",
                           "Cycles that the instruction holds the data stage; auto: as many as its "
                           "passes, and at least one a phase, times the multiplier.",
                           &(const struct bs_key_form){.kind = BS_FORM_NUMBER,
                                                       .offset = offsetof(struct bs_rule, slots),
                                                       .min = 1,
                                                       .max = 4096,
                                                       .word = "auto"}},
    [BS_KEY_RULE_BASIS] =
        {"rules.basis", "measured | reported | documented | assumed", "assumed",
         "How sure the rule is. Reports repeat it where an assumed rule was used.",
         &(const struct bs_key_form){.kind = BS_FORM_CHOICE,
                                     .offset = offsetof(struct bs_rule, basis),
                                     .choices = bases,
                                     .standard = BS_ASSUMED,
                                     .always = true}},
    [BS_KEY_RULE_SOURCE] = {"rules.source", "text", "", "Where the rule is from.",
                            &(const struct bs_key_form){.kind = BS_FORM_TEXT,
                                                        .offset = offsetof(struct bs_rule, source),
                                                        .size =
                                                            sizeof(((struct bs_rule *)0)->source)}},
};

const struct bs_model_key *bs_model_keys(size_t *count)
{
    *count = BS_KEYS;
    return keys;
}

const struct bs_key_form *bs_key_form(enum bs_key key)
{
    return keys[key].form;
}

const char *bs_key_path(enum bs_key key)
{
    return keys[key].path;
}

const char *bs_key_leaf(enum bs_key key)
{
    const char *dot = strchr(keys[key].path, '.');
    return dot ? dot + 1 : keys[key].path;
}

const char *bs_key_type(enum bs_key key)
{
    return keys[key].type;
}

enum bs_key bs_key_find(const char *prefix, const char *name, size_t size)
{
    const size_t before = strlen(prefix);
    unsigned key = 0;
    while (key < BS_KEYS && !(strncmp(keys[key].path, prefix, before) == 0 &&
                              strlen(keys[key].path) == before + size &&
                              memcmp(keys[key].path + before, name, size) == 0))
        key++;
    return (enum bs_key)key;
}

bool bs_rule_same(const struct bs_rule *a, const struct bs_rule *b)
{
    for (unsigned key = BS_KEY_RULE_OPS; key < BS_KEYS; key++) {
        const struct bs_key_form *form = keys[key].form;
        const void *left = (const char *)a + form->offset;
        const void *right = (const char *)b + form->offset;
        if ((form->kind == BS_FORM_TEXT && strcmp(left, right) != 0) ||
            ((form->kind == BS_FORM_NUMBER || form->kind == BS_FORM_CHOICE) &&
             memcmp(left, right, sizeof(uint32_t)) != 0))
            return false;
    }
    return a->phases == b->phases && a->merges == b->merges &&
           memcmp(a->phase, b->phase, a->phases * sizeof *a->phase) == 0 &&
           memcmp(a->merge, b->merge, a->merges * sizeof *a->merge) == 0;
}

const char *bs_basis_name(enum bs_basis basis)
{
    return bases[basis];
}

const char *bs_winner_name(enum bs_winner winner)
{
    return winners[winner];
}

const char *bs_same_word_name(enum bs_same_word same_word)
{
    return same_words[same_word];
}
