/* The names behind expect.h. */
#include "expect.h"

const char *const bs_record_fields[BS_RECORD_FIELDS] = {
    "active", "passes", "slots", "ideal", "undefined", "excess",
};
