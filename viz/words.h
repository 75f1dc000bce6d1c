/* An access in words: "lane t reads 4 bytes at 128 t". */
#ifndef BS_WORDS_H
#define BS_WORDS_H

#include "command/address_rule.h"

enum { BS_WORDS_ROOM = 256 };

/* What the lanes do, in one sentence without a full stop. lanes: those whose addresses count;
 * warp: how many lanes there are. Written to and returned as out. */
const char *bs_words_of(const struct bs_access *access, uint64_t lanes, uint32_t warp,
                        char out[BS_WORDS_ROOM]);

/* The same without addresses: "each lane reads 4 bytes". */
const char *bs_words_general(const struct bs_access *access, char out[BS_WORDS_ROOM]);

#endif
