/* An access in words: "lane t reads 4 bytes at 128 t". */
#ifndef BS_WORDS_H
#define BS_WORDS_H

#include "bankshot.h"

enum { BS_WORDS_ROOM = 256 };

/* Where lane t's address lies, "128 t + 4", "4 (t mod 8) + 128 \u230at/8\u230b", if the active
 * lanes follow such a rule; false otherwise. */
bool bs_words_pattern(const struct bs_access *access, uint64_t lanes, char out[BS_WORDS_ROOM]);

/* What the lanes do, in one sentence without a full stop. lanes: those whose addresses count;
 * warp: how many lanes there are. Written to and returned as out. */
const char *bs_words_of(const struct bs_access *access, uint64_t lanes, uint32_t warp,
                        char out[BS_WORDS_ROOM]);

/* The same without addresses: "each lane reads 4 bytes". */
const char *bs_words_general(const struct bs_access *access, char out[BS_WORDS_ROOM]);

#endif
