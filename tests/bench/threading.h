/* How much sooner is a trace replayed when several threads work on it? */
#ifndef THREADING_H
#define THREADING_H

#include <stdbool.h>

/* Prints the speed of bankshot run with several threads, from a file, and its ratio to one. False
 * when something went wrong, or when the sums differ. */
bool measure_threading(bool quick);

#endif
