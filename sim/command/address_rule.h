/* The rule that the addresses of a warp follow, if there is one: what traces do not say. */
#ifndef BS_ADDRESS_RULE_H
#define BS_ADDRESS_RULE_H

#include "bankshot.h"

enum { BS_ADDRESS_RULE = 256 };

enum bs_address_rule {
    BS_RULE_UNKNOWN,
    BS_RULE_FORMULA, /* "128 t + 4", "4 (t mod 8) + 128 \u230at/8\u230b", "4 (t xor 5) + 128" */
    BS_RULE_SWIZZLE, /* "row-XOR swizzle, 8 rows of 128 bytes, units of 16" */
};

enum bs_rule_form {
    BS_RULE_ASCII,   /* - and [t/8] */
    BS_RULE_UNICODE, /* \u2212 and \u230at/8\u230b */
    BS_RULE_BRIEF,   /* likewise, and no units of a swizzle */
};

/* The rule of the lanes, of which none is inactive: one stride, else an XOR swizzle, which no sum
 * of strides explains as well, else two strides, of lanes in blocks. out is empty if there is none.
 */
enum bs_address_rule bs_address_rule(const struct bs_access *access, uint64_t lanes,
                                     enum bs_rule_form form, char out[BS_ADDRESS_RULE]);

#endif
