/* The table of formats. */
#include "format.h"

#include <stdio.h>

static const struct bs_format *const formats[] = {
    &bs_text_format,     &bs_binary_format, &bs_npy_format,           &bs_sketch_format,
    &bs_accelsim_format, &bs_nvbit_format,  &bs_accelsim_list_format, /* least to tell it by */
};
enum { FORMATS = sizeof formats / sizeof *formats };

const struct bs_format *bs_format_of(const char *bytes, size_t size)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->probe(bytes, size))
            return formats[i];
    return NULL;
}

const char *bs_formats_phrase(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < FORMATS && used < size; i++) {
        const int length = snprintf(out + used, size - used, "%s\"%s\" (%s)", i > 0 ? " or " : "",
                                    formats[i]->start, formats[i]->name);
        used += length > 0 ? (size_t)length : 0;
    }
    return out;
}
