/* Fuzz target: any bytes, read as a trace of Accel-Sim's. */
#include "import_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    check_import(bytes, size, false);
    return 0;
}
