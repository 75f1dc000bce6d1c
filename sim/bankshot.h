/*
 * bankshot: what a warp's access to banked shared memory costs, and why.
 *
 * Everything is a view of one function: an access and a device model give a schedule.
 *
 *     const char **folders = bs_model_folders(NULL);
 *     struct bs_errors errors = {0};
 *     struct bs_model *model = bs_model_load("hopper", folders, NULL, &errors);
 *     struct bs_op op;
 *     bs_op_parse("ld.b64", 6, &op);
 *     struct bs_access access = {.op = op, .mask = 0xffffffff, .addr = addresses};
 *     struct bs_error error;
 *     struct bs_cost cost;
 *     if (model && bs_access_check(model, &access, false, &error))
 *         bs_count(model, &access, &cost); // cost.passes, cost.slots, ...
 *
 * The library keeps no global state, never prints and never exits. A model is immutable once
 * loaded, so any number of threads may count and schedule with one model at the same time; every
 * other object belongs to one thread at a time. Functions that can fail return false or NULL and
 * describe the failure in a struct bs_error.
 *
 * Addresses are byte offsets in the shared memory of the CTA. A lane set is a uint64_t whose bit t
 * stands for lane t.
 */
#ifndef BANKSHOT_H
#define BANKSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BS_VERSION "0.1.0"

enum {
    BS_MAX_RESIDENT = 64, /* warps on a multiprocessor at a time */
    BS_MAX_LANES = 64,
    BS_MAX_BANKS = 256,
    BS_MAX_PHASES = 64,
    BS_MAX_MERGE = 6,
    BS_OP_NAME = 24, /* bytes that hold the name of any op, with its NUL */
};

/* ---------------------------------------------------------------------------------------------
 * Errors
 */

/* What kind of failure; the command's exit codes are these numbers. */
enum bs_status {
    BS_OK = 0,
    BS_UNMET = 1,     /* the answer is no: an expectation does not hold */
    BS_USAGE = 2,     /* the caller's request makes no sense */
    BS_BAD_MODEL = 3, /* a device model or layout is wrong, or has no rule for an op */
    BS_BAD_TRACE = 4, /* a trace is wrong */
    BS_INTERNAL = 5,  /* out of memory, or output that could not be written */
};

/* One failure. line and column count from 1; 0 means that the part does not apply. bs_fail sees to
 * it that all text is printable. */
struct bs_error {
    enum bs_status status;
    char file[256];
    uint64_t line;
    uint64_t column;
    char text[512];
};

/* Fills *error (which may be NULL) and returns false, so that a failing function can return it. */
bool bs_fail(struct bs_error *error, enum bs_status status, const char *file, uint64_t line,
             uint64_t column, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/* Writes the error as one line, "FILE:LINE:COLUMN: text", without the parts that do not apply.
 * Returns what snprintf would. */
int bs_error_line(const struct bs_error *error, char *out, size_t size);

/* Copies size bytes of foreign text: printable UTF-8 as it is, any other byte as \xNN, and so
 * those of control characters and of those that end a line or turn the direction of text; what does
 * not fit in room bytes is cut with "...". Returns out. */
const char *bs_printable(const char *text, size_t size, char *out, size_t room);

/* A list of errors, in order of position. The caller starts with {0} and frees it. */
struct bs_errors {
    struct bs_error *list;
    size_t count;
};
void bs_errors_add(struct bs_errors *errors, const struct bs_error *error);
void bs_errors_free(struct bs_errors *errors);

/* ---------------------------------------------------------------------------------------------
 * Ops
 */

enum bs_kind {
    BS_LD,
    BS_ST,
    BS_ATOM, /* an atomic that returns the old value */
    BS_RED,  /* one that does not */
    BS_LDMATRIX,
    BS_STMATRIX,
    BS_CP_ASYNC,    /* global to shared through the load-store unit (PTX's .ca) */
    BS_CP_ASYNC_CG, /* global to shared past it (PTX's .cg) */
    BS_BAR,         /* a CTA barrier: no addresses */
    BS_KINDS,
};

/* BS_INC counts the lanes of a word first (SASS ATOMS.POPC.INC); an increment that wraps at a limit
 * is priced as BS_ADD. BS_CAST is a try to compare and swap, which lanes that meet others repeat in
 * a loop. */
enum bs_fn { BS_ADD, BS_INC, BS_MAX, BS_MIN, BS_AND, BS_OR, BS_XOR, BS_EXCH, BS_CAS, BS_CAST };
enum { BS_FNS = BS_CAST + 1 };

/* One instruction's operation. Make one with bs_op_parse or bs_op_at. */
struct bs_op {
    uint8_t index;    /* 0 .. BS_OPS - 1, so that tables can be indexed by ops */
    uint8_t kind;     /* enum bs_kind */
    uint8_t fn;       /* enum bs_fn, of BS_ATOM and BS_RED */
    uint8_t bytes;    /* bytes at each address: 1 to 16; 16 for a matrix row; 0 for a barrier */
    uint8_t matrices; /* 1, 2 or 4 for matrix ops, else 0 */
    bool trans;       /* of matrix ops */
};

/* Reads an op's name: the native one (ld.b128, atom.add.b32, ldmatrix.x4.trans, cp.async.cg.b128,
 * bar), PTX's (ld.shared.v4.f32), a SASS one (LDS.128, ATOMS.POPC.INC.32, LDGSTS.E.BYPASS.128) or
 * AMD's (ds_read_b64). text need not end in NUL. False if no op has that name. */
bool bs_op_parse(const char *text, size_t size, struct bs_op *op);

/* Says which native name is meant by, or nearest to, a text that no op has: "; did you mean
 * 'ld.b32'?", written to and returned as out, or nothing if none is near. */
enum { BS_OP_HINT = 64 };
const char *bs_op_hint(const char *text, size_t size, char out[BS_OP_HINT]);

/* The native name, written to and returned as name. */
const char *bs_op_name(struct bs_op op, char name[BS_OP_NAME]);

/* The op of an index. The numbers are not a file format: they may change with the version. */
enum { BS_OPS = 149 };
struct bs_op bs_op_at(unsigned index);

static inline bool bs_op_is_matrix(struct bs_op op)
{
    return op.matrices != 0;
}

/* Whether it is an asynchronous copy, which has source addresses. */
static inline bool bs_op_is_copy(struct bs_op op)
{
    return op.kind == BS_CP_ASYNC || op.kind == BS_CP_ASYNC_CG;
}

/* Whether the bytes of a store land: st, stmatrix, async copies. */
static inline bool bs_op_writes(struct bs_op op)
{
    return op.kind == BS_ST || op.kind == BS_STMATRIX || bs_op_is_copy(op);
}

/* The lanes whose addresses the op uses, of a warp of that many: all, or the first 8 a matrix. */
static inline uint64_t bs_op_lanes(struct bs_op op, unsigned lanes)
{
    const unsigned rows = 8u * op.matrices;
    const unsigned used = rows && rows < lanes ? rows : lanes;
    return used >= 64 ? UINT64_MAX : (UINT64_C(1) << used) - 1;
}

/* Addresses must be multiples of this: the width, but 4 for 96 bit. */
static inline unsigned bs_op_alignment(struct bs_op op)
{
    return op.bytes == 12 ? 4 : op.bytes ? op.bytes : 1;
}

/* ---------------------------------------------------------------------------------------------
 * Accesses
 */

/* One warp-wide instruction. The arrays are the caller's and have an entry for every lane of the
 * warp; those of inactive lanes mean nothing. */
struct bs_access {
    struct bs_op op;
    uint64_t mask;        /* active lanes */
    const uint32_t *addr; /* by lane: byte offset in shared memory */
    const uint64_t *src;  /* by lane: global source of an async copy; NULL when not known */
    uint32_t cta;
    uint32_t warp;
    uint64_t pc;
    uint32_t dep;    /* waits for the result of the warp's dep-th previous instruction; 0: none */
    uint64_t record; /* number of the record in its trace, from 0 */
};

/* ---------------------------------------------------------------------------------------------
 * Device models
 */

/* What lanes of one phase that ask for the same row of the same bank cost. */
enum bs_same_word {
    BS_MULTICAST, /* nothing: one pass serves all, on any number of banks at once */
    BS_BROADCAST, /* nothing for one word a pass; on the other banks one lane a pass (cc 1.x) */
    BS_SERIALIZE, /* a pass per lane */
};

/* Which word a BS_BROADCAST pass serves to all. */
enum bs_broadcast_word {
    BS_MOST_LANES,  /* the one that most lanes wait for (the lowest such lane's) */
    BS_LOWEST_LANE, /* the one that the lowest waiting lane wants */
};

/* How the costs of the phases make the cost of the instruction. */
enum bs_combine { BS_SUM, BS_LARGEST };

/* What is counted: rows of banks; sectors of an async copy that goes round the lanes; or the turns
 * of the lanes of an async copy, which queue for the banks of their source and destination. */
enum bs_method { BS_BY_BANKS, BS_BY_SECTORS, BS_BY_QUEUES };

/* Which lane's value stays when several write the same byte. */
enum bs_winner { BS_UNDEFINED, BS_LOWEST, BS_HIGHEST, BS_RANDOM };

enum bs_xor { BS_XOR_NONE, BS_XOR_ROW, BS_XOR_FOLD };

/* How sure a rule is. */
enum bs_basis { BS_MEASURED, BS_REPORTED, BS_DOCUMENTED, BS_ASSUMED };

/* What an op costs on a device. */
struct bs_rule {
    uint32_t phases;               /* number of lane sets */
    uint64_t phase[BS_MAX_PHASES]; /* disjoint, and together all lanes of the warp */
    uint32_t merges;               /* number of partners; 0: phases never merge */
    uint32_t merge[BS_MAX_MERGE];  /* see bs_merge_partner */
    uint32_t same_word;            /* enum bs_same_word */
    uint32_t broadcast_word;       /* enum bs_broadcast_word */
    uint32_t combine;              /* enum bs_combine */
    uint32_t multiplier;           /* times each pass is made */
    uint32_t extra_passes;         /* passes on top, once an instruction */
    uint32_t ports;                /* rows a bank serves in one pass */
    uint32_t banks;                /* that the op reaches: the model's, or a divisor of them */
    uint32_t request_bytes;        /* a wider access is split into requests of this; 0: never */
    uint32_t source_line;          /* a phase is split by global source lines of this; 0: not */
    uint32_t sector_bytes;         /* of BS_BY_SECTORS */
    uint32_t method;               /* enum bs_method */
    uint32_t slots;                /* cycles of the data stage; 0: max(phases, passes) */
    uint32_t basis;                /* enum bs_basis */
    char source[160];              /* where the rule is from */
    struct {
        bool units, affine, simd; /* quicker ways to count, which bs_model_prepare allows */
        uint8_t phase_log2;       /* lanes of a phase, as a power of two */
    } shortcut; /* for bs_count; follows from the rest, as the next does in bs_model */
};

/* When things happen; the keys of the section `timing`. */
struct bs_timing {
    uint32_t basis; /* enum bs_basis */
    char source[160];
    uint32_t schedulers;         /* the warp in slot w belongs to scheduler w mod this */
    uint32_t scheduler_interval; /* cycles between two instructions of a scheduler */
    uint32_t data_interval;      /* more of them, for each 32-bit register that a store sends */
    uint32_t warp_interval;      /* between two of a warp, in hundredths of a cycle */
    uint32_t pass_interval;      /* cycles between two passes of a warp */
    uint32_t queue;              /* instructions that wait behind a scheduler */
    uint32_t in_flight;          /* instructions of all that wait for or are in passes */
    uint32_t lookahead;          /* those of one warp that the array chooses from */
    uint32_t latency_32;         /* from last pass to the result, in hundredths */
    uint32_t latency_64;
    uint32_t latency_128;
    uint32_t latency_atom;
    uint32_t latency_add;      /* from a result to a dependent issue, in hundredths */
    uint32_t barrier_latency;  /* cycles from the last arrival to the next instruction */
    uint32_t barrier_interval; /* cycles between two arrivals */
};

/* What a multiprocessor has room for; the keys of the section `capacity`. */
struct bs_capacity {
    uint32_t basis; /* enum bs_basis */
    char source[160];
    uint32_t shared_memory;   /* bytes; 0: not known */
    uint32_t reserved_memory; /* bytes of it that each CTA takes on top of its own */
    uint32_t ctas;            /* 0: not known */
    uint32_t warps;           /* 0: not known */
};

struct bs_model {
    char name[64];
    char title[160];
    char source[512];
    char compute_capability[64]; /* of the devices that it is for: see bs_model_is_for */
    char changes[512];           /* what has been set since the rules' basis was given */
    uint32_t lanes;
    uint32_t banks;
    uint32_t bank_width; /* bytes */
    uint32_t row_bytes;  /* bytes that all banks together can open at once */
    uint32_t ports;      /* the default of the rules */
    uint32_t winner;     /* enum bs_winner */
    uint32_t seed;       /* of BS_RANDOM */
    struct {
        uint32_t hash; /* enum bs_xor: the key mapping.xor */
    } mapping;
    struct bs_timing timing;
    struct bs_capacity capacity;
    const struct bs_rule *rules; /* distinct rules */
    uint32_t rule_count;
    uint8_t rule_of[BS_OPS]; /* index in rules, or BS_NO_RULE */
    struct {
        struct bs_divisor { /* see core/divide.h */
            uint32_t by, multiplier, shift;
        } width, banks, row;
    } shortcut;
};
enum { BS_NO_RULE = 255 };

/* The rule for an op, or NULL if the model has none. */
const struct bs_rule *bs_model_rule(const struct bs_model *model, struct bs_op op);

/* The one mapping: the bank and the row that hold a byte. */
struct bs_place {
    uint32_t bank;
    uint32_t row;
};
struct bs_place bs_model_place(const struct bs_model *model, uint32_t address);

/* Whether the model says that it is for devices of that compute capability. */
bool bs_model_is_for(const struct bs_model *model, uint32_t major, uint32_t minor);

/* The folders in which bankshot's own programs look for models: those that $BANKSHOT_MODELS joins
 * by colons; installed, which may be NULL, for a program that knows where bankshot is (CMake's
 * find_package gives it as bankshot_MODELS_DIR, pkg-config as the variable modelsdir); and those of
 * an installation or a source tree around the running program. A list for bs_model_load, in one
 * piece of memory that the caller frees. NULL when memory is out. */
const char **bs_model_folders(const char *installed);

/* Loads a model: a path if name has a '/' or ends in .yaml, else NAME.yaml in the first of folders
 * that has one. sets are "dotted.path=value" overrides, applied last. Both lists end with NULL, and
 * may be NULL. Returns NULL after adding at least one error, all those of the file at once; the
 * caller frees the model. */
struct bs_model *bs_model_load(const char *name, const char *const *folders,
                               const char *const *sets, struct bs_errors *errors);

/* The same from memory; file names the text in errors. */
struct bs_model *bs_model_parse(const char *text, size_t size, const char *file,
                                const char *const *folders, const char *const *sets,
                                struct bs_errors *errors);
void bs_model_free(struct bs_model *model);

/* Whether an override says something that its key can take, whatever the model. option is what it
 * is called in the error. */
bool bs_model_set_check(const char *option, const char *set, struct bs_error *error);

/* The keys of a model file, from the one table that also loads and prints them. */
struct bs_model_key {
    const char *path;  /* "banks", "mapping.xor"; a rule's keys as "rules.phase_lanes" */
    const char *type;  /* "integer 1 to 256", "none | row | fold", ... */
    const char *value; /* the default */
    const char *text;  /* what it says: a sentence or two */
    const struct bs_key_form *form; /* how the library itself reads it */
};
const struct bs_model_key *bs_model_keys(size_t *count);

/* Walks the resolved model as nested data, in the order of the key table. The outermost map is the
 * caller's to open and close. Keys with their default values are left out, apart from those that a
 * reader looks for. */
struct bs_walker {
    void (*map)(void *user, const char *key, bool open); /* key: NULL inside a list */
    void (*list)(void *user, const char *key, bool open);
    void (*text)(void *user, const char *key, const char *value);
    void (*number)(void *user, const char *key, uint64_t value);
};
void bs_model_walk(const struct bs_model *model, const struct bs_walker *walker, void *user);

/* The resolved model as YAML that loads back to the same model; the caller frees it. NULL when out
 * of memory. */
char *bs_model_yaml(const struct bs_model *model);

const char *bs_basis_name(enum bs_basis basis);
const char *bs_winner_name(enum bs_winner winner);
const char *bs_same_word_name(enum bs_same_word same_word);

/* ---------------------------------------------------------------------------------------------
 * Counting and scheduling
 */

/* Whether the model can price the access: it has a rule for the op, no lane beyond the warp is
 * active, every active lane's address is a multiple of bs_op_alignment (unless misaligned is
 * allowed) and the bytes lie below 4 GiB. The error names the op, the lane and the address. */
bool bs_access_check(const struct bs_model *model, const struct bs_access *access,
                     bool allow_misaligned, struct bs_error *error);
bool bs_access_is_misaligned(const struct bs_access *access, uint64_t lanes);

/* Why a cost is less than certain: bits of bs_cost.notes. */
enum {
    BS_NOTE_ASSUMED_RULE = 1,   /* the op's rule is assumed */
    BS_NOTE_ASSUMED_SOURCE = 2, /* an async copy without sources: taken as contiguous */
    BS_NOTE_MISALIGNED = 4,     /* priced by the words that it touches */
};

struct bs_cost {
    uint32_t passes;    /* of the bank array */
    uint32_t slots;     /* cycles that the data stage is occupied */
    uint32_t ideal;     /* the fewest passes for that many lanes and bytes */
    uint32_t undefined; /* bytes whose final value is left undefined */
    uint32_t notes;
};

/* The cost of an access that bs_access_check accepts. False if the model has no rule for its op
 * (the cost is then zero); a barrier costs nothing under any model. */
bool bs_count(const struct bs_model *model, const struct bs_access *access, struct bs_cost *cost);

/* The same without SIMD; for tests and measurements. */
bool bs_count_portable(const struct bs_model *model, const struct bs_access *access,
                       struct bs_cost *cost);

/* The fewest passes for so many lanes: ceil(lanes x bytes / bytes of a pass), times the multiplier.
 */
uint32_t bs_ideal(const struct bs_model *model, struct bs_op op, uint64_t lanes);

/* The partner p by which the phases merge: for every active lane t, lane t ^ p is inactive or has
 * the same address. 0 if no partner of the rule's list fits. */
uint32_t bs_merge_partner(const struct bs_rule *rule, const struct bs_access *access,
                          uint64_t lanes);

/* One bank serves one row to some lanes. */
struct bs_service {
    uint16_t bank;
    uint16_t phase;
    uint32_t row;
    uint64_t lanes;
};

enum bs_pass_kind {
    BS_PASS_SERVE,
    BS_PASS_REPEAT, /* the services of the pass before, again (multiplier) */
    BS_PASS_EXTRA,  /* extra_passes: nothing is served */
};

struct bs_pass {
    uint32_t kind;  /* enum bs_pass_kind */
    uint32_t first; /* of its services in bs_schedule.services */
    uint32_t count;
};

/* A run of bytes that several lanes of one store write. */
struct bs_clash {
    uint32_t address;
    uint32_t bytes;
    uint64_t lanes;
    int32_t winner; /* the lane whose value stays; -1: undefined */
};

/* The whole truth about one access. Start with {0}, fill it as often as you like, free it once; it
 * allocates only to grow. */
struct bs_schedule {
    struct bs_cost cost;
    uint32_t merged_by; /* the merge partner; 0: the phases did not merge */
    uint32_t phase_count;
    uint64_t phase[BS_MAX_PHASES]; /* lanes of each phase, after merging, active or not */
    uint64_t dropped; /* lanes of an async copy past the lanes whose destination came before */
    struct bs_pass *passes;
    size_t pass_count; /* cost.passes */
    struct bs_service *services;
    size_t service_count;
    struct bs_clash *clashes;
    size_t clash_count;
    size_t pass_room, service_room, clash_room;
};

/* Builds the schedule of an access that bs_access_check accepts. False when the model has no rule
 * for the op or memory is out; the schedule is then empty. */
bool bs_schedule_build(struct bs_schedule *schedule, const struct bs_model *model,
                       const struct bs_access *access);
void bs_schedule_free(struct bs_schedule *schedule);

/* ---------------------------------------------------------------------------------------------
 * Time: warps of one multiprocessor, cycle by cycle
 *
 * Each scheduler issues the instructions of its warps, those of a warp in order, into a queue of
 * its own. One instruction a cycle goes from there, in order, to the queue of the array, which all
 * share. The array makes one pass a cycle: of the oldest instruction there whose warp made none in
 * the last pass_interval - 1 cycles. It looks at no more than lookahead of one warp: the next of
 * that warp holds back all that came after it. Global memory, arithmetic and other multiprocessors
 * are not part of it.
 */

enum { /* what the keys of the same names allow */
       BS_MAX_SCHEDULERS = 16,
       BS_MAX_QUEUE = 64,
       BS_MAX_IN_FLIGHT = 64,
};

/* Whether a step waits for all that its warp has done before, as machine code does at the head of
 * a loop, where one counter stands for many loads. */
enum bs_join {
    BS_JOIN_USUAL,   /* a barrier does, other steps do not */
    BS_JOIN_NONE,    /* no */
    BS_JOIN_RESULTS, /* until all results are there */
};

/* One instruction on its way through time: the caller prices it, with bs_instruction_of or
 * otherwise. What a trace does not say is 0. */
struct bs_instruction {
    struct bs_op op;
    uint16_t conflicts; /* of the slots the last so many are conflicts; the others had to be */
    uint32_t slots;     /* cycles of the array; a barrier's is ignored */
    uint32_t dep;       /* waits for the result of the warp's dep-th previous step; 0: none */
    uint16_t gap;       /* cycles of other work of the warp before it: a branch, say */
    uint8_t join;       /* enum bs_join */
    bool no_data;       /* a store of the zero register, which has nothing to send */
};

/* An access that costs so much. Its passes above the ideal are conflicts, as far as they occupy the
 * data stage. */
struct bs_instruction bs_instruction_of(const struct bs_access *access, const struct bs_cost *cost);

/* Why a warp does not issue. */
enum bs_wait {
    BS_WAIT_NONE,      /* it can */
    BS_WAIT_DONE,      /* it has nothing left */
    BS_WAIT_BARRIER,   /* other warps of its CTA have not come to the barrier, or just have */
    BS_WAIT_RESULTS,   /* it waits for all its loads, and some are still out */
    BS_WAIT_DEP,       /* the result that the step waits for is not there */
    BS_WAIT_INTERVAL,  /* its own instruction before is too recent */
    BS_WAIT_QUEUE,     /* the queue behind its scheduler is full */
    BS_WAIT_IN_FLIGHT, /* so it is, as the queue of the array is full too */
    BS_WAIT_SCHEDULER, /* its scheduler has just issued */
    BS_WAITS,
};
const char *bs_wait_name(enum bs_wait wait);

/*
 * What a cycle went to; every cycle has one cause, so they add up to all cycles. While the array
 * works it is the pass. While it does not, the warp that is nearest to giving it something to do
 * says why it has not done so yet: one with an instruction in the queue comes first, then those
 * that only the pace of issue holds up, then those that wait for a value, for their results before
 * a barrier, and at one.
 */
enum bs_cause {
    BS_CAUSE_NEEDED,     /* a pass that had to be */
    BS_CAUSE_CONFLICT,   /* a pass above the ideal */
    BS_CAUSE_SPACING,    /* passes are due, but those in sight are of warps that just made one */
    BS_CAUSE_ISSUE,      /* no warp or scheduler may issue sooner */
    BS_CAUSE_DEPENDENCY, /* the next instruction needs a result that is not there yet */
    BS_CAUSE_LATENCY,    /* results are on their way to a warp that wants to enter a barrier */
    BS_CAUSE_BARRIER,    /* all that have something left to do wait at barriers */
    BS_CAUSE_IDLE,       /* nothing is left to issue; the last results are on their way */
    BS_CAUSES,
};
const char *bs_cause_name(enum bs_cause cause);

/* When a step was where: cycles, the first of which is 0. */
struct bs_instruction_time {
    uint64_t issued;
    uint64_t started;  /* first pass; of a barrier, the arrival */
    uint64_t finished; /* the first cycle in which its result is there */
    uint32_t carry;    /* the part of a cycle by which finished was rounded down, in hundredths */
    uint32_t waited;   /* enum bs_wait: why it did not issue one cycle earlier */
};

/* A warp: its steps, and room for as many times, which the engine writes. The caller's. Warps of
 * one CTA stand together; CTAs start in order. Barriers do not wait for a warp without steps. */
struct bs_program {
    uint32_t cta;
    uint32_t count;
    const struct bs_instruction *steps;
    struct bs_instruction_time *times;
};

/* A warp that is on the multiprocessor. */
struct bs_slot {
    uint32_t program;
    uint32_t next;              /* step to issue */
    uint32_t left;              /* passes left of the step that makes them; 0: none does */
    uint32_t queued;            /* steps in the queues */
    uint32_t loads;             /* those of them that bring something back */
    uint64_t ready;             /* earliest next access, in hundredths */
    uint64_t pass;              /* cycle from which it may make its next pass */
    uint64_t results, finished; /* cycles at which all values, and all that was served, are there */
    uint64_t drained; /* that at which its last access could have come back, even of a store */
    uint64_t resume;  /* cycle from which it may issue, after a barrier */
    uint32_t waited;  /* enum bs_wait of the cycle before */
    bool live;
    bool at_barrier;
    bool ended; /* barriers do not wait for it: no steps, or with early_exit all done and through */
};

struct bs_engine_totals {
    uint64_t issued;
    uint64_t passes;            /* cycles in which the array worked */
    uint64_t waits[BS_WAITS];   /* warp-cycles, of warps that did not issue */
    uint64_t causes[BS_CAUSES]; /* cycles; they add up to all that have gone by */
};

/* What happened in one cycle. */
enum { BS_NO_SLOT = INT32_MAX };
struct bs_engine_cycle {
    uint64_t arrived; /* slots whose warps came to a barrier: a bit each, as in the next */
    uint64_t issued;  /* those that issued another step; it is the one before their next */
    uint32_t passed;  /* the one that made a pass, or BS_NO_SLOT, */
    uint32_t step;    /* of that step */
    uint32_t cause;   /* enum bs_cause */
};

/* Looks on: cycle is called at the end of each cycle, while engine->cycle is still its number and
 * before the CTAs that are through leave their slots. */
struct bs_engine;
struct bs_engine_observer {
    void (*cycle)(void *user, const struct bs_engine *engine);
    void *user;
};

/* A step in a queue. */
struct bs_queued {
    uint32_t slot;
    uint32_t step;
};

/* The whole state: plain data, so that a copy of the struct is a snapshot. It points to the
 * caller's programs, and the times of steps not yet issued mean nothing. */
struct bs_engine {
    struct bs_timing timing;
    const struct bs_program *programs;
    uint32_t program_count;
    uint32_t next_program;                 /* the first that has not started */
    uint32_t resident;                     /* most CTAs at a time; 0: as many as fit */
    uint32_t ctas;                         /* on the multiprocessor now */
    uint32_t slots;                        /* one past the last slot that was ever used */
    uint64_t cycle;                        /* the one that comes next */
    uint64_t end;                          /* when the last of what has been served is finished */
    uint64_t barrier_port;                 /* cycle from which a warp may arrive at a barrier */
    uint64_t scheduler[BS_MAX_SCHEDULERS]; /* cycle from which each may issue */
    uint32_t turn[BS_MAX_SCHEDULERS];      /* where each looks first */
    uint32_t first_scheduler;              /* which hands over first */
    uint32_t waiting[BS_MAX_SCHEDULERS];   /* steps behind each, in order from head on */
    uint32_t head[BS_MAX_SCHEDULERS];
    struct bs_queued behind[BS_MAX_SCHEDULERS][BS_MAX_QUEUE];
    uint32_t queued;    /* steps in all queues */
    uint32_t in_flight; /* those at the array, in the order in which they came */
    struct bs_queued at_array[BS_MAX_IN_FLIGHT];
    bool done;
    bool early_exit; /* barriers go on without warps that have ended; may be set after init */
    struct bs_engine_cycle last;        /* what happened in the last cycle */
    struct bs_engine_observer observer; /* may be set after bs_engine_init */
    struct bs_engine_totals totals;
    struct bs_slot slot[BS_MAX_RESIDENT];
};

/* Starts: programs stay the caller's, who keeps them until the engine is done. resident CTAs are on
 * the multiprocessor at a time, 0: as many as fit. False, with the error, if a CTA has too many
 * warps, or a step depends on one before the first. */
bool bs_engine_init(struct bs_engine *engine, const struct bs_timing *timing,
                    const struct bs_program *programs, uint32_t count, uint32_t resident,
                    struct bs_error *error);

/* Whether the warp of a slot could issue in this cycle, and if not, why. Changes nothing. */
enum bs_wait bs_engine_probe(const struct bs_engine *engine, uint32_t slot);

/* Issues the next step of a slot. False, with nothing done, unless the probe says BS_WAIT_NONE. */
bool bs_engine_issue(struct bs_engine *engine, uint32_t slot);

/* One cycle. False once all is finished. */
bool bs_engine_tick(struct bs_engine *engine);

/* Whether nothing can ever move again: all warps have ended or wait at a barrier for those. */
bool bs_engine_is_stuck(const struct bs_engine *engine);

/* Runs to the end. False when it is stuck: the error tells the state of every warp. */
bool bs_engine_run(struct bs_engine *engine, struct bs_error *error);

/* ---------------------------------------------------------------------------------------------
 * Numbers and address expressions
 */

/* Reads the whole text as an unsigned number, decimal or 0x hexadecimal, of at most max. */
bool bs_number_parse(const char *text, size_t size, uint64_t max, uint64_t *value);
/* The same without the 0x prefix being needed (masks, program counters). */
bool bs_hex_parse(const char *text, size_t size, uint64_t max, uint64_t *value);

/* An expression over named 64-bit signed integers: C's integer operators with C's precedence,
 * parentheses, ?:, decimal and 0x numbers, min(a,b) and max(a,b). */
struct bs_expr;

/* names are the variables that it may use; an empty one is none and leaves its number free. NULL
 * after filling error, whose column is the place in text. */
struct bs_expr *bs_expr_parse(const char *text, const char *const *names, size_t name_count,
                              struct bs_error *error);
void bs_expr_free(struct bs_expr *expr);

/* Whether it uses the name of that number, and whether it has a comparison or logical operator. */
bool bs_expr_uses(const struct bs_expr *expr, size_t name);
bool bs_expr_compares(const struct bs_expr *expr);

/* values are in the order of the names. Division by zero, a shift by less than 0 or more than 63
 * and results that do not fit are errors; operands that && || or ?: skip are not evaluated. */
bool bs_expr_eval(const struct bs_expr *expr, const int64_t *values, int64_t *result,
                  struct bs_error *error);

#ifdef __cplusplus
}
#endif

#endif
