/* Fuzz target: any bytes, read as the output of NVBit's mem_trace, with both meanings of 0. */
#include "import_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    check_import(bytes, size, false);
    check_import(bytes, size, true);
    return 0;
}
