/* Parameters of sketches. */
#include "params.h"

#include "sketch.h"

#include <stdio.h>
#include <string.h>

bool bs_is_sketch(const struct bs_trace *trace)
{
    return trace && bs_trace_sketch(trace);
}

bool bs_param_at(const struct bs_trace *trace, size_t number, struct bs_param *param)
{
    const struct bs_sketch *sketch = trace ? bs_trace_sketch(trace) : NULL;
    if (!sketch || number >= sketch->param_count)
        return false;
    snprintf(param->name, sizeof param->name, "%s", sketch->params[number].name);
    param->value = sketch->params[number].value;
    return true;
}

bool bs_param_named(const struct bs_trace *trace, const char *word, struct bs_param *param)
{
    const size_t size = strcspn(word, "=");
    for (size_t i = 0; bs_param_at(trace, i, param); i++)
        if (strlen(param->name) == size && strncmp(param->name, word, size) == 0)
            return true;
    return false;
}
