/* What must hold for any bytes that are read as a trace of another tool. */
#ifndef IMPORT_CHECKS_H
#define IMPORT_CHECKS_H

#include "trace.h"

/* Reads the bytes strictly and with malformed lines skipped: no crash, an error with a place or an
 * end, an account that adds up, and strictly never a record that skipping does not give. */
void check_import(const uint8_t *bytes, size_t size, bool zero_is_offset);

#endif
