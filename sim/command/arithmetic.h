/*
 * The formula for lanes a constant stride apart, and whether it may be used. Lane t goes to words
 * S t to S t + w - 1. If S is a whole number of words and at least w, all lanes' words are
 * different, they lie on multiples of g = gcd(S, banks), and both g and w being powers of two the
 * banks that are met are met g times each if g > w, and otherwise all of them w times.
 */
#ifndef BS_ARITHMETIC_H
#define BS_ARITHMETIC_H

#include "json.h"
#include "screen.h"

struct bs_arithmetic {
    bool plain;          /* a load or store: the formula is about no other op */
    bool strided;        /* a load or store whose lanes are a constant stride apart */
    uint64_t stride;     /* bytes, without its sign */
    uint32_t bank_width; /* bytes of a word */
    uint32_t banks;
    uint32_t width;  /* w: words that a lane asks for, parts of a word counting as one */
    bool full;       /* a warp of as many lanes as banks, all active, and plain banks of rows that
                        are as long as all banks together; w a power of two */
    bool whole;      /* first premise: S is a whole number of words */
    bool apart;      /* second premise: S >= w */
    uint32_t gcd;    /* of S and the banks; 0 unless S is whole */
    bool holds;      /* all of it: the formula may be used */
    uint32_t passes; /* max(w, gcd), if it holds */
};

struct bs_arithmetic bs_arithmetic_of(const struct bs_model *model, const struct bs_access *access);

/* S in words: "33", "32.5"; written to and returned as out. */
enum { BS_WORDS_TEXT = 32 };
const char *bs_arithmetic_words(const struct bs_arithmetic *arithmetic, char out[BS_WORDS_TEXT]);

/* Why the formula is withheld, as the end of a sentence; NULL if it is not. */
const char *bs_arithmetic_objection(const struct bs_arithmetic *arithmetic);

/* The formula step by step beside the passes that were counted. */
void bs_arithmetic_text(const struct bs_arithmetic *arithmetic, uint32_t passes,
                        const struct bs_screen *screen, struct bs_spool *out);
void bs_arithmetic_json(const struct bs_arithmetic *arithmetic, uint32_t passes,
                        struct bs_json *json);

#endif
