/* How a device divides the lanes of an op into phases, seen lane pair by lane pair. */
#ifndef BS_DIVISIONS_H
#define BS_DIVISIONS_H

#include "hypotheses.h"

/* Fills the space's phases if the answers make a division; else leaves none. It takes an op whose
 * lanes share a word for nothing: all lanes but two want one word, the two want different rows of
 * one other bank, which costs a pass more where they are of one phase. */
bool bs_see_divisions(struct bs_gauge *gauge, const struct bs_model *geometry,
                      enum bs_instrument instrument, struct bs_space *space,
                      struct bs_error *error);

#endif
